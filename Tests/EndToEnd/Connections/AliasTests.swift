import Foundation
import KithClient
import TestThreads
import Testing

@Suite(.mayBlock) struct `An alias` {
    @Test func `is used in its owner's lists and notifications, and nobody else sees it`() async throws {
        let (installation, _, client) = try shared.get()
        let pair = try await Pair(installation.acme, client)
        let path = "/v1/connections/\(pair.connection.text)"
        let named: Kith.Connection = try await pair.bob.get("PATCH", path, #"{"alias":"Mum"}"#)
        #expect(named.alias == "Mum")
        #expect(named.counterpart.displayName == "Alice")
        let list: Kith.ConnectionPage = try await pair.bob.get("GET", "/v1/connections")
        #expect(list.items.map(\.alias) == ["Mum"])
        let dashboard: Kith.Dashboard = try await pair.bob.get("GET", "/v1/dashboard?role=receiver")
        #expect(dashboard.items.map(\.alias) == ["Mum"])
        let _: Kith.CheckIn = try await pair.alice.get("POST", "/v1/pings/check-in", "{}")
        #expect(try await pair.bob.notifications().first?.body == "Mum checked in.")

        for place in [path, "/v1/connections", "/v1/notifications", "/v1/me/export"] {
            #expect(try await !pair.alice.send("GET", place).text.contains("Mum"), "\(place)")
        }
        // Each side has its own.
        let other: Kith.Connection = try await pair.alice.get("PATCH", path, #"{"alias":"My son"}"#)
        #expect(other.alias == "My son")
        let still: Kith.Connection = try await pair.bob.get("GET", path)
        #expect(still.alias == "Mum")

        let unchanged: Kith.Connection = try await pair.bob.get("PATCH", path, "{}")
        #expect(unchanged.alias == "Mum")
        let removed: Kith.Connection = try await pair.bob.get("PATCH", path, #"{"alias":null}"#)
        #expect(removed.alias == nil)
        try await pair.pause()
        #expect(try await pair.bob.notifications().first?.body == "Alice has paused their connection with you")
    }

    @Test func `must be a visible name of at most 100 characters, and only the two sides can give one`() async throws {
        let (installation, _, client) = try shared.get()
        let pair = try await Pair(installation.acme, client)
        let path = "/v1/connections/\(pair.connection.text)"
        for alias in ["", " ", #"\u200b"#, #"M\u202eum"#, String(repeating: "a", count: 101)] {
            let answer = try await pair.bob.send("PATCH", path, #"{"alias":"\#(alias)"}"#)
            #expect(answer.status == 422, "\(alias)")
            #expect(try answer.decode(Kith.Problem.self).errors?.map(\.field) == ["alias"], "\(alias)")
        }
        let carol = try await Person.join(installation.acme, as: "Carol", client)
        let mallory = try await Person.join(installation.globex, as: "Mallory", client)
        for stranger in [carol, mallory] {
            #expect(try await stranger.send("PATCH", path, #"{"alias":"Mine"}"#).code == "not_found")
        }
        let seen: Kith.Connection = try await pair.bob.get("GET", path)
        #expect(seen.alias == nil)
    }
}
