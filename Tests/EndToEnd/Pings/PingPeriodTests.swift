import Foundation
import KithClient
import TestThreads
import Testing

@Suite(.mayBlock) struct `The pings of a period` {
    @Test func `are listed in one call, the newest date first, or page by page`() async throws {
        let installation = try Installation()
        let (server, client) = try installation.serve()
        defer { server.signal(SIGTERM) }
        let pair = try await Pair(installation.acme, client)
        let carol = try await Person.join(installation.acme, as: "Carol", client)
        let other = try await pair.alice.connect(carol.becomeReceiver().code).id
        for day in 1...6 { try installation.work(at: Day.date(day) + "T00:00:05Z") }

        let path = "/v1/pings?from=\(Day.date())&until=\(Day.date(6))"
        let week: Kith.PingPage = try await pair.alice.get("GET", path)
        #expect(week.items.map(\.date) == (0...6).reversed().flatMap { [Day.localDate($0), Day.localDate($0)] })
        #expect(Set(week.items.map(\.connectionID)) == [pair.connection, other])
        #expect(Set(week.items.map(\.id)).count == 14)
        #expect(week.nextCursor == nil)
        let received: Kith.PingPage = try await carol.get("GET", path + "&role=receiver")
        #expect(received.items == week.items.filter { $0.connectionID == other })
        let sent: Kith.PingPage = try await carol.get("GET", path + "&role=sender")
        #expect(sent.items.isEmpty)

        var paged: [Kith.Ping] = []
        var cursor: String?
        repeat {
            let page: Kith.PingPage = try await pair.alice.get(
                "GET", path + "&limit=5" + (cursor.map { "&cursor=\($0)" } ?? ""))
            #expect(page.items.count <= 5)
            paged += page.items
            cursor = page.nextCursor?.rawValue
        } while cursor != nil
        #expect(paged == week.items)
    }

    @Test func `have at most 92 dates, and exclude the pings of one date`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        for (query, field) in [
            ("from=\(Day.date())&until=\(Day.date(92))", "from"), ("from=\(Day.date(1))&until=\(Day.date())", "from"),
            ("date=\(Day.date())&from=\(Day.date())", "date"), ("from=yesterday", "from"),
            ("from=\(Day.date())&cursor=\(UUID().text)", "cursor"), ("cursor=\(Day.date())", "cursor"),
        ] {
            let answer = try await alice.send("GET", "/v1/pings?\(query)")
            #expect(answer.status == 422, "\(query)")
            #expect(try answer.decode(Kith.Problem.self).errors?.map(\.field) == [field], "\(query)")
        }
        let most: Kith.PingPage = try await alice.get("GET", "/v1/pings?from=\(Day.date())&until=\(Day.date(91))")
        #expect(most.items.isEmpty)
    }
}
