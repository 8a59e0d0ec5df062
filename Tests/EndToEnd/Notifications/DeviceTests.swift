import Foundation
import KithClient
import Postgres
import TestThreads
import Testing

@Suite(.mayBlock) struct `A device` {
    private func put(_ person: Person, _ token: String) async throws -> Kith.Device {
        try await person.get(
            "PUT", "/v1/me/devices", #"{"platform":"ios","token":"\#(token)","environment":"sandbox"}"#)
    }

    private func tokens(of person: Person) async throws -> [String] {
        let page: Kith.DevicePage = try await person.get("GET", "/v1/me/devices")
        return page.items.map(\.token)
    }

    @Test func `can be added, listed and deleted, and follows its push token to another user`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        let token = UUID().digits
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
            "PUT", "/v1/me/devices", #"{"platform":"web","token":"\#(token)","keys":\#(Self.keys())}"#)
        #expect(answer.status == 200)
        #expect(!answer.text.contains(Self.auth))
        let escaped = try #require(token.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        #expect(try await alice.send("DELETE", "/v1/me/devices/\(escaped)").status == 204)
    }

    /// The keys of the example in RFC 8291 §5.
    private static let point = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    private static let auth = "BTBZMqHH6r4Tts7J_aSIgg"

    private static func keys(_ point: String = point, _ auth: String = auth) -> String {
        #"{"p256dh":"\#(point)","auth":"\#(auth)"}"#
    }

    @Test func `with keys or an address that no push can be sent with is refused, and the good ones stay`() async throws
    {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let token = "https://push.example/\(UUID())"
        func put(_ token: String, _ keys: String) async throws -> APIClient.Answer {
            try await alice.send(
                "PUT", "/v1/me/devices", #"{"platform":"web","token":"\#(token)","keys":\#(keys)}"#)
        }
        // Some libraries write keys in the other alphabet and with padding. They are kept as base64url.
        let other = Self.point.replacing("-", with: "+").replacing("_", with: "/") + "="
        #expect(try await put(token, Self.keys(other)).status == 200)
        func kept() throws -> String? {
            try installation.session().query(
                "select public_key || ' ' || auth_secret from kith.devices where token = $1", [.text(token)]
            ).string(0, 0)
        }
        #expect(try kept() == "\(Self.point) \(Self.auth)")
        let badPoints = [
            "", "BPk", "nonsense!", String(Self.point.dropLast(2)) + "AA", String(Self.point.dropLast()) + "5",
            // Compressed, of another length, and the point at infinity.
            "AiVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcx", Self.point + "AAAA", "AA", "A" + Self.point.dropFirst(),
            Self.point + "==",
        ]
        for point in badPoints {
            let answer = try await put(token, Self.keys(point))
            #expect(answer.status == 422, "\(point)")
            #expect(answer.text.contains("keys.p256dh"), "\(answer.text)")
        }
        for auth in ["", "AAAA", String(Self.auth.dropLast()), Self.auth + "AAAA", String(Self.auth.dropLast()) + "h"] {
            let answer = try await put(token, Self.keys(Self.point, auth))
            #expect(answer.status == 422, "\(auth)")
            #expect(answer.text.contains("keys.auth"), "\(answer.text)")
        }
        let badURLs = [
            "http://push.example/1", "https:/push.example/1", "https:///push.example/1", "https://alice@push.example/1",
            "https://:x@push.example/1", "https://@push.example/1", "https://push.example/1#x",
            "https://push.example/1#", "https://push.example:0/1", "https://push.example:99999/1",
            "https://push.example:x/1",
            "https://", "ftp://push.example/1", "https://push.example/" + String(repeating: "x", count: 980),
        ]
        for url in badURLs {
            let answer = try await put(url, Self.keys())
            #expect(answer.status == 422, "\(url)")
            #expect(answer.text.contains(#""field":"token""#), "\(answer.text)")
        }
        #expect(try kept() == "\(Self.point) \(Self.auth)")
        let page: Kith.DevicePage = try await alice.get("GET", "/v1/me/devices")
        #expect(page.items.map(\.token) == [token])
    }

    @Test(
        arguments: [
            (#"{"platform":"ios","token":"xyz"}"#, "token"), (#"{"platform":"ios","token":"abc"}"#, "token"),
            (#"{"platform":"ios","token":"\#(String(repeating: "ab", count: 101))"}"#, "token"),
            (#"{"platform":"ios"}"#, "token"), (#"{"platform":"android","token":"x"}"#, "platform"),
            (#"{"platform":"ios","token":""}"#, "token"), (#"{"platform":"ios","token":"a b"}"#, "token"),
            (#"{"platform":"ios","token":"é"}"#, "token"),
            (#"{"platform":"ios","token":"\#(String(repeating: "x", count: 1001))"}"#, "token"),
            (#"{"platform":"ios","token":"abcd","environment":"test"}"#, "environment"),
            (#"{"platform":"ios","token":"abcd","keys":{"p256dh":"a","auth":"b"}}"#, "keys"),
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
        let problem: Kith.Problem = try answer.decode()
        #expect(problem.errors?.map(\.field) == [field], "\(answer.text)")
    }
}
