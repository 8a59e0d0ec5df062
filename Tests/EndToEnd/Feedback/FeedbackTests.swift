import Foundation
import KithClient
import KithServer
import TestThreads
import Testing

@Suite(.mayBlock) struct `The feedback of users` {
    private func give(_ person: Person, _ body: String) async throws -> APIClient.Answer {
        try await person.send("POST", "/v1/feedback", body)
    }

    @Test func `of users is read by their tenant's server, newest first`() async throws {
        let (installation, _, client) = try shared.get()
        let tenant = try installation.tenant("feedback-\(UUID().uuidString.prefix(8).lowercased())")
        let alice = try await Person.join(tenant, as: "Alice", client)
        let bob = try await Person.join(tenant, as: "Bob", client)
        let first = try await give(alice, #"{"topic":"invitation","rating":5,"text":" Easy\nfor my sister 👩 "}"#)
        #expect(first.status == 204)
        #expect(try await give(bob, #"{"topic":"share","rating":1,"text":null}"#).status == 204)
        let page: Kith.FeedbackPage = try await client.get("GET", "/v1/feedback?limit=1", as: tenant.secretKey)
        #expect(page.items.map(\.topic) == [.share])
        #expect(page.items.first?.rating == 1)
        #expect(page.items.first?.text == nil)
        #expect(page.items.first?.user.displayName == "Bob")
        let cursor = try #require(page.nextCursor)
        let rest: Kith.FeedbackPage = try await client.get(
            "GET", "/v1/feedback?cursor=\(cursor)", as: tenant.secretKey)
        #expect(rest.items.map(\.user.id) == [alice.id])
        #expect(rest.items.first?.text == "Easy\nfor my sister 👩")
        #expect(rest.nextCursor == nil)
        // It is no other user's and no other tenant's.
        #expect(try await alice.send("GET", "/v1/feedback").code == "forbidden")
        let others: Kith.FeedbackPage = try await client.get(
            "GET", "/v1/feedback?limit=200", as: installation.globex.secretKey)
        #expect(!others.items.contains { [alice.id, bob.id].contains($0.user.id) })
        let export = try await alice.send("GET", "/v1/me/export").text
        #expect(export.contains("for my sister") && !export.contains(#""share""#))
    }

    @Test func `has a known topic and a rating, and is given 20 times a day`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        for (body, field) in [
            (#"{"rating":3}"#, "topic"), (#"{"topic":"weather","rating":3}"#, "topic"), (#"{"topic":"app"}"#, "rating"),
            (#"{"topic":"app","rating":0}"#, "rating"), (#"{"topic":"app","rating":6}"#, "rating"),
            (#"{"topic":"app","rating":3,"text":" "}"#, "text"),
            (#"{"topic":"app","rating":3,"text":"\#(String(repeating: "x", count: 2001))"}"#, "text"),
        ] {
            let refused = try await give(alice, body)
            #expect(refused.status == 422, "\(body.prefix(50))")
            #expect(try refused.decode(Kith.Problem.self).errors?.map(\.field) == [field], "\(body.prefix(50))")
        }
        for _ in 0..<20 { #expect(try await give(alice, #"{"topic":"app","rating":3}"#).status == 204) }
        let late = try await give(alice, #"{"topic":"app","rating":3}"#)
        #expect(late.code == "too_many_requests")
        #expect(late.headers["retry-after"] != nil)
    }
}
