import Foundation
import KithClient
import Postgres
import TestThreads
import Testing

@Suite(.mayBlock) struct `A break` {
    @Test func `that starts today cancels today's ping, and ending it restores the ping`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        try await alice.becomeSender()
        let connection = try await alice.connect(bob.becomeReceiver().code)
        #expect(connection.todayPing?.status == .due)
        #expect(connection.break == nil)

        let taken = Kith.Break(from: Day.localDate(), until: Day.localDate(3))
        #expect(try await alice.takeBreak(taken) == taken)
        #expect(try await alice.get("GET", "/v1/me/break") == taken)
        let path = "/v1/connections/\(connection.id)"
        var seen: Kith.Connection = try await bob.get("GET", path)
        #expect(seen.break == taken)
        #expect(seen.todayPing?.status == .cancelled)
        let list: Kith.ConnectionPage = try await bob.get("GET", "/v1/connections")
        #expect(list.items.map(\.break) == [taken])
        let dashboard: Kith.Dashboard = try await alice.get("GET", "/v1/dashboard?role=sender")
        #expect(dashboard.items.map(\.break) == [taken])
        #expect(dashboard.openPings == 0)
        #expect(try await bob.notifications().first?.title == "On a Break")
        #expect(try await bob.notifications().first?.body == "Alice is taking a break until \(Day.words(3)).")

        // No other action restores the ping during the break.
        let _: Kith.Connection = try await alice.get("POST", "\(path)/pause")
        let resumed: Kith.Connection = try await alice.get("POST", "\(path)/resume")
        #expect(resumed.todayPing?.status == .cancelled)
        let checkIn: Kith.CheckIn = try await alice.get("POST", "/v1/pings/check-in", "{}")
        #expect(checkIn.completed == 0)

        #expect(try await alice.send("DELETE", "/v1/me/break").status == 204)
        #expect(try await alice.send("GET", "/v1/me/break").code == "not_found")
        seen = try await bob.get("GET", path)
        #expect(seen.break == nil)
        // The check-in during the break speaks for the ping that comes back.
        #expect(seen.todayPing?.status == .completed)
        // Bob had heard of the pause, so that the pings are on again is told as its end, and once.
        let told = try await bob.notifications()
        #expect(told.first?.title == "Connection Resumed")
        #expect(told.count { $0.title == "Connection Resumed" || $0.title == "Back From a Break" } == 1)
    }

    @Test func `in the future is visible, can be changed and deleted, and notifies nobody`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        try await alice.becomeSender()
        let connection = try await alice.connect(bob.becomeReceiver().code)
        try await alice.takeBreak(Kith.Break(from: Day.localDate(5), until: Day.localDate(9)))
        let changed = Kith.Break(from: Day.localDate(6), until: Day.localDate(95))
        try await alice.takeBreak(changed)
        var seen: Kith.Connection = try await bob.get("GET", "/v1/connections/\(connection.id)")
        #expect(seen.break == changed)
        #expect(seen.todayPing?.status == .due)
        #expect(try await alice.send("DELETE", "/v1/me/break").status == 204)
        seen = try await bob.get("GET", "/v1/connections/\(connection.id)")
        #expect(seen.break == nil)
        #expect(try await bob.notifications().map(\.type) == ["connection_request"])
    }

    @Test func `with invalid dates is refused, naming each field`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        try await alice.becomeSender()
        func fields(_ body: String) async throws -> [String] {
            let answer = try await alice.send("PUT", "/v1/me/break", body)
            #expect(answer.code == "validation_failed", "\(answer.text)")
            return try answer.decode(Kith.Problem.self).errors?.map(\.field).sorted() ?? []
        }
        let today = Day.date()
        #expect(try await fields(#"{}"#) == ["from", "until"])
        #expect(try await fields(#"{"from":"\#(today)"}"#) == ["until"])
        #expect(try await fields(#"{"from":"2026-02-30","until":7}"#) == ["from", "until"])
        #expect(try await fields(#"{"from":"\#(today)","until":"\#(today)","why":"sun"}"#) == ["why"])
        #expect(try await fields(#"{"from":null,"until":"\#(today)"}"#) == ["from"])
        #expect(try await fields(#"{"from":"\#(Day.date(2))","until":"\#(Day.date(1))"}"#) == ["until"])
        #expect(try await fields(#"{"from":"\#(Day.date(-9))","until":"\#(Day.date(-2))"}"#) == ["until"])
        #expect(try await fields(#"{"from":"\#(today)","until":"\#(Day.date(90))"}"#) == ["until"])
        #expect(try await fields(#"{"from":"\#(Day.date(370))","until":"\#(Day.date(370))"}"#) == ["from"])
        #expect(try await fields(#"{"from":"9999-12-31","until":"1900-01-01"}"#) == ["from", "until"])
        #expect(try await fields(#"{"from":"\#(today)","until":"0001-01-01"}"#) == ["until"])
        #expect(try await alice.send("GET", "/v1/me/break").code == "not_found")
        #expect(try await alice.send("DELETE", "/v1/me/break").code == "not_found")
    }

    @Test func `belongs to its sender alone`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        let mallory = try await Person.join(installation.globex, as: "Mallory", client)
        try await alice.becomeSender()
        try await mallory.becomeSender()
        let connection = try await alice.connect(bob.becomeReceiver().code)
        let taken = Kith.Break(from: Day.localDate(), until: Day.localDate())
        try await alice.takeBreak(taken)

        let body = #"{"from":"\#(taken.from)","until":"\#(taken.until)"}"#
        let refused = try await bob.send("PUT", "/v1/me/break", body)
        #expect(refused.status == 409)
        #expect(refused.code == "profile_required")
        #expect(refused.detail == "Set up your sender profile first.")
        for stranger in [bob, mallory] {
            #expect(try await stranger.send("GET", "/v1/me/break").status == 404)
            #expect(try await stranger.send("DELETE", "/v1/me/break").status == 404)
        }
        #expect(try await mallory.send("GET", "/v1/connections/\(connection.id)").status == 404)
        for method in ["GET", "PUT", "DELETE"] {
            let payload = method == "PUT" ? body : nil
            #expect(try await client.send(method, "/v1/me/break", payload).status == 401)
            let server = try await client.send(method, "/v1/me/break", payload, as: installation.acme.secretKey)
            #expect(server.status == 403)
        }
        #expect(try await alice.get("GET", "/v1/me/break") == taken)
    }

    @Test func `also cancels pings that are being generated at the same moment`() async throws {
        let installation = try Installation()
        let (server, client) = try installation.serve()
        defer { server.signal(SIGTERM) }
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        try await alice.becomeSender()
        let connection = try await alice.connect(bob.becomeReceiver().code)
        let session = try installation.session()
        // Simulates the day's run before it commits: the run is claimed, its ping is inserted, and nothing is committed
        // yet.
        try session.execute(
            """
            delete from kith.pings where connection_id = '\(connection.id)';
            update kith.ping_runs set finished_at = null, cursor_sender_id = null
            where time_zone = 'UTC' and starts_at <= \(Day.sql) and tenant_id = \(installation.acme.tenantID);
            begin;
            select worker.generate_daily_pings(\(Day.sql), 1000000);
            """)
        async let taken = alice.takeBreak(Kith.Break(from: Day.localDate(), until: Day.localDate()))
        try await Task.sleep(for: .milliseconds(300))
        let made = try session.query(
            "select status from kith.pings where connection_id = $1::uuid", [.text("\(connection.id)")])
        #expect(made.string(0, 0) == "scheduled")
        try session.execute("commit")
        _ = try await taken
        let seen: Kith.Connection = try await bob.get("GET", "/v1/connections/\(connection.id)")
        #expect(seen.todayPing?.status == .cancelled)
    }

    @Test func `starts and ends at the sender's midnight and is announced once, however many workers run or how late`()
        async throws
    {
        let installation = try Installation()
        let (server, client) = try installation.serve()
        defer { server.signal(SIGTERM) }
        let zone = "Pacific/Auckland"
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        let carol = try await Person.join(installation.acme, as: "Carol", client)
        try await alice.becomeSender(at: "09:00", zone: zone, grace: 90)
        for receiver in [bob, carol] { _ = try await alice.connect(receiver.becomeReceiver().code) }
        func told(_ person: Person) async throws -> [String] {
            try await person.notifications().map(\.type).filter { $0.hasPrefix("break") }
        }
        func statuses(_ day: Int) async throws -> Set<Kith.PingStatus> {
            let page: Kith.PingPage = try await alice.get("GET", "/v1/pings?date=\(Day.date(day, zone: zone))")
            return Set(page.items.map(\.status))
        }
        /// The first instant of a date in the zone, computed by the database.
        func midnight(_ day: Int, and seconds: Int = 0) throws -> String {
            let row = try installation.session().query(
                "select internal.instant(internal.midnight($1::date, $2) + make_interval(secs => $3::integer))",
                [.text(Day.date(day, zone: zone)), .text(zone), .int(seconds)])
            return try #require(row.string(0, 0))
        }

        try await alice.takeBreak(Kith.Break(from: Day.localDate(3, zone: zone), until: Day.localDate(4, zone: zone)))
        try installation.work(at: midnight(3, and: -10))
        #expect(try await told(bob) == [])
        let now = try midnight(3)
        let workers = try (0..<3).map { _ in
            try KithProcess(["worker", "--once", "--now", now], environment: installation.environment)
        }
        for worker in workers { #expect(worker.wait() == 0, "\(worker.standardError)") }
        for receiver in [bob, carol] { #expect(try await told(receiver) == ["break_started"]) }
        try installation.work(at: midnight(4, and: 3600))
        #expect(try await statuses(3) == [])
        #expect(try await statuses(4) == [])
        try installation.work(at: midnight(5))
        for receiver in [bob, carol] { #expect(try await told(receiver) == ["break_ended", "break_started"]) }
        #expect(try await statuses(5) == [.scheduled])

        // No worker runs while a break begins: its dates get no pings all the same, and receivers are told late.
        let late = Kith.Break(from: Day.localDate(7, zone: zone), until: Day.localDate(9, zone: zone))
        try await alice.takeBreak(late)
        try installation.work(at: midnight(8, and: 50_000))
        #expect(try await told(bob).count == 3)
        #expect(
            try await bob.notifications().first { $0.type == "break_started" }?.body
                == "Alice is taking a break until \(Day.words(9, zone: zone)).")
        #expect(try await statuses(7) == [])
        #expect(try await statuses(8) == [])
    }
}

extension Person {
    @discardableResult
    fileprivate func takeBreak(_ dates: Kith.Break) async throws -> Kith.Break {
        try await get("PUT", "/v1/me/break", #"{"from":"\#(dates.from)","until":"\#(dates.until)"}"#)
    }
}
