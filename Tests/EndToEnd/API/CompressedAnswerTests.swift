import Foundation
import KithClient
import TestThreads
import Testing

/// Answers are compressed where that pays and tells nothing (RFC 9110 §8.4).
@Suite(.mayBlock) struct `A compressed answer` {
    private func coding(_ answer: APIClient.Answer) -> String? { answer.headers["content-encoding"] }

    @Test func `goes to clients that accept gzip, and has the same content`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        for number in 1...8 {
            _ = try await alice.send("POST", "/v1/vaults", #"{"name":"Papers of the year \#(2010 + number)"}"#)
        }
        for path in ["/v1/vaults", "/openapi.json", "/docs"] {
            func get(_ accepted: String) async throws -> APIClient.Answer {
                try await alice.client.send("GET", path, as: alice.token, headers: ["Accept-Encoding": accepted])
            }
            let plain = try await get("identity")
            let coded = try await get("gzip")
            #expect(coding(plain) == nil)
            #expect(coding(coded) == "gzip", "\(path)")
            #expect(coded.text == plain.text, "\(path)")
            for answer in [plain, coded] {
                #expect(answer.headers["vary"]?.contains("Accept-Encoding") == true, "\(path)")
            }
        }
    }

    @Test func `is none where it would be short, or holds a secret`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let me = try await alice.client.send("GET", "/v1/me", as: alice.token, headers: ["Accept-Encoding": "gzip"])
        #expect(coding(me) == nil)
        let vault: Kith.Vault = try await alice.get("POST", "/v1/vaults", #"{"name":"Papers"}"#, status: 201)
        let nominees = (0..<8).map { #"{"name":"Bob \#($0)","access_level":"view"}"# }.joined(separator: ",")
        let invited = try await alice.send(
            "POST", "/v1/vaults/\(vault.id)/nominees", #"{"nominees":[\#(nominees)]}"#)
        #expect(invited.status == 201)
        #expect(invited.body.count > 1200)
        #expect(coding(invited) == nil)
    }
}
