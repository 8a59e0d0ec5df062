import Foundation
import KithClient
import TestThreads
import Testing

@Suite(.mayBlock) struct `A family over several time zones` {
    @Test func `has dates in each sender's own zone, and lists without gaps or repeats`() async throws {
        let installation = try Installation(offset: Day.offset(from: Date("2027-03-08T10:00:00Z", strategy: .iso8601)))
        let (server, client) = try installation.serve()
        defer { server.signal(SIGTERM) }
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        let code = try await bob.becomeReceiver().code
        var connections: [String: UUID] = [:]
        for (name, zone) in [
            ("Aroha", "Pacific/Auckland"), ("Bernd", "Europe/Berlin"), ("Lucy", "America/Los_Angeles"),
        ] {
            let sender = try await Person.join(installation.acme, as: name, client)
            try await sender.becomeSender(at: "09:00", zone: zone, grace: 90)
            connections[name] = try await sender.connect(code).id
        }
        /// Bob's view of 10 March, by sender.
        func tenth() async throws -> [String: Kith.PingStatus] {
            let page: Kith.PingPage = try await bob.get("GET", "/v1/pings?date=2027-03-10&role=receiver")
            let names = Dictionary(uniqueKeysWithValues: connections.map { ($1, $0) })
            return Dictionary(uniqueKeysWithValues: page.items.map { (names[$0.connectionID] ?? "", $0.status) })
        }
        func alarms() async throws -> [String] {
            try await bob.notifications().filter { $0.type == "ping_missed" }.prefix(3).map(\.body)
        }

        for before in ["2027-03-08T12:00:00Z", "2027-03-09T09:00:00Z"] { try installation.work(at: before) }
        // 09:00 on the 10th in Auckland is 20:00 on the 9th in UTC.
        try installation.work(at: "2027-03-09T20:00:01Z")
        #expect(try await tenth() == ["Aroha": .due])
        try installation.work(at: "2027-03-09T23:00:01Z")
        #expect(try await tenth() == ["Aroha": .missed, "Bernd": .scheduled])
        // With that of Lucy's 9th, which the worker asked about late, in either order.
        #expect(try await alarms().contains("Aroha has not checked in today."))
        try installation.work(at: "2027-03-10T08:00:01Z")
        #expect(try await tenth() == ["Aroha": .missed, "Bernd": .due, "Lucy": .scheduled])
        try installation.work(at: "2027-03-10T17:00:01Z")
        #expect(try await tenth() == ["Aroha": .missed, "Bernd": .missed, "Lucy": .due])
        #expect(try await alarms().first == "Bernd has not checked in today.")
        try installation.work(at: "2027-03-10T18:30:11Z")
        #expect(try await tenth() == ["Aroha": .missed, "Bernd": .missed, "Lucy": .missed])
        #expect(try await alarms().first == "Lucy has not checked in today.")

        let range = "from=2027-03-08&until=2027-03-12"
        func dates(_ name: String) async throws -> [String] {
            let id = try #require(connections[name])
            let page: Kith.PingPage = try await bob.get("GET", "/v1/connections/\(id)/pings?\(range)")
            return page.items.map(\.date.description)
        }
        // In Auckland the 11th has begun.
        #expect(try await dates("Aroha") == ["2027-03-11", "2027-03-10", "2027-03-09"])
        #expect(try await dates("Bernd") == ["2027-03-10", "2027-03-09"])
        #expect(try await dates("Lucy") == ["2027-03-10", "2027-03-09", "2027-03-08"])

        // A connection's list, while pings of later days are added.
        let aroha = try #require(connections["Aroha"])
        func page(_ path: String, _ cursor: String?) async throws -> Kith.PingPage {
            try await bob.get("GET", path + (cursor.map { "&cursor=\($0)" } ?? ""))
        }
        var path = "/v1/connections/\(aroha)/pings?\(range)&limit=1"
        var seen = try await page(path, nil)
        var items = seen.items
        try installation.work(at: "2027-03-11T12:00:00Z")
        while let cursor = seen.nextCursor {
            seen = try await page(path, cursor.rawValue)
            items += seen.items
        }
        #expect(items.map(\.date.description) == ["2027-03-11", "2027-03-10", "2027-03-09"])
        #expect(try await dates("Aroha").first == "2027-03-12")

        // A date's list, while another sender connects.
        path = "/v1/pings?date=2027-03-10&role=receiver&limit=1"
        seen = try await page(path, nil)
        items = seen.items
        let dora = try await Person.join(installation.acme, as: "Dora", client)
        try await dora.becomeSender()
        _ = try await dora.connect(code)
        while let cursor = seen.nextCursor {
            seen = try await page(path, cursor.rawValue)
            items += seen.items
        }
        #expect(items.count == 3)
        #expect(Set(items.map(\.connectionID)) == Set(connections.values))
    }
}
