import Foundation
import KithModel
import TestThreads
import Testing

@Suite(.mayBlock) struct `A device` {
    private func put(_ person: Person, _ token: String) async throws -> Device {
        try await person.get(
            "PUT", "/v1/me/devices", #"{"platform":"ios","token":"\#(token)","environment":"sandbox"}"#)
    }

    private func tokens(of person: Person) async throws -> [String] {
        let page: Page<Device> = try await person.get("GET", "/v1/me/devices")
        return page.items.map(\.token)
    }

    @Test func `can be added, listed and deleted, and follows its push token to another user`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        let token = "a/b c%".replacingOccurrences(of: " ", with: "+") + UUID().uuidString
        let device = try await put(alice, token)
        #expect(device.platform == .ios)
        #expect(device.environment == .sandbox)
        #expect(try await put(alice, token).createdAt == device.createdAt)
        #expect(try await tokens(of: alice) == [token])

        _ = try await put(bob, token)
        #expect(try await tokens(of: alice).isEmpty)
        #expect(try await tokens(of: bob) == [token])

        let escaped = try #require(token.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        #expect(try await alice.send("DELETE", "/v1/me/devices/\(escaped)").code == "not_found")
        #expect(try await bob.send("DELETE", "/v1/me/devices/\(escaped)").status == 204)
        #expect(try await tokens(of: bob).isEmpty)
    }

    @Test func `with a browser's push subscription stores the keys and never shows them again`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let token = "https://push.example/" + String(repeating: "x", count: 979)
        let answer = try await alice.send(
            "PUT", "/v1/me/devices", #"{"platform":"web","token":"\#(token)","keys":{"p256dh":"BPk","auth":"tBH"}}"#)
        #expect(answer.status == 200)
        #expect(!answer.text.contains("tBH"))
        let escaped = try #require(token.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        #expect(try await alice.send("DELETE", "/v1/me/devices/\(escaped)").status == 204)
    }

    @Test(
        arguments: [
            (#"{"platform":"ios"}"#, "token"), (#"{"platform":"android","token":"x"}"#, "platform"),
            (#"{"platform":"ios","token":""}"#, "token"), (#"{"platform":"ios","token":"a b"}"#, "token"),
            (#"{"platform":"ios","token":"é"}"#, "token"),
            (#"{"platform":"ios","token":"\#(String(repeating: "x", count: 1001))"}"#, "token"),
            (#"{"platform":"ios","token":"x","environment":"test"}"#, "environment"),
            (#"{"platform":"ios","token":"x","keys":{"p256dh":"a","auth":"b"}}"#, "keys"),
            (#"{"platform":"web","token":"x","keys":{"p256dh":"a"}}"#, "keys.auth"),
            (#"{"platform":"web","token":"https://push.example/1"}"#, "keys"),
            (#"{"platform":"web","token":"http://push.example/1","keys":{"p256dh":"a","auth":"b"}}"#, "token"),
            (#"{"platform":"ios","token":"x","name":"phone"}"#, "name"),
        ])
    func `with invalid values is refused, naming the field`(body: String, field: String) async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let answer = try await alice.send("PUT", "/v1/me/devices", body)
        #expect(answer.status == 422)
        let problem: Problem = try answer.decode()
        #expect(problem.errors?.map(\.field) == [field], "\(answer.text)")
    }
}
