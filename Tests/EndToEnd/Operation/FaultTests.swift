import Foundation
import Glibc
import KithClient
import LocalPostgres
import Postgres
import Synchronization
import TestThreads
import Testing

/// Senders who check in repeatedly, and the answers they got.
private final class Crowd: Sendable {
    let people: [Person]
    private let state = Mutex(State())

    struct State {
        var acknowledged: [UUID: Int] = [:]
        var statuses: [Int: Int] = [:]
        var unanswered = 0
        var slowest: Duration = .zero
        var stopped = false
    }

    init(of size: Int, _ installation: Installation, _ client: APIClient) async throws {
        var people: [Person] = []
        for number in 0..<size {
            let person = try await Person.join(installation.acme, as: "Sender \(number)", client)
            try await person.becomeSender()
            people.append(person)
        }
        self.people = people
    }

    /// Lets everybody check in until `body` is done.
    func checkingIn(at client: APIClient, while body: () async throws -> Void) async throws {
        state.withLock { $0.stopped = false }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for person in people {
                group.addTask {
                    while !self.state.withLock({ $0.stopped }) { await self.checkIn(person, at: client) }
                }
            }
            do { try await body() } catch {
                state.withLock { $0.stopped = true }
                throw error
            }
            state.withLock { $0.stopped = true }
            try await group.waitForAll()
        }
    }

    var seen: State { state.withLock { $0 } }

    private func checkIn(_ person: Person, at client: APIClient) async {
        let begin = ContinuousClock.now
        let answer = try? await client.send("POST", "/v1/pings/check-in", "{}", as: person.token)
        let took = ContinuousClock.now - begin
        state.withLock { state in
            state.slowest = max(state.slowest, took)
            guard let answer else {
                state.unanswered += 1
                return
            }
            state.statuses[answer.status, default: 0] += 1
            if answer.status == 200 { state.acknowledged[person.id, default: 0] += 1 }
        }
        if answer?.status != 200 { try? await Task.sleep(for: .milliseconds(10)) }
    }

    /// Whether every acknowledged check-in is in the database.
    func nothingIsLost(in installation: Installation) throws -> Bool {
        let session = try installation.session()
        return try seen.acknowledged.allSatisfy { person, count in
            let kept = try session.query(
                "select count(*) from kith.check_ins where user_id = $1::uuid", [.text(person.uuidString)])
            return (kept.int(0, 0) ?? 0) >= count
        }
    }
}

private func pause(_ milliseconds: Int) async throws {
    try await Task.sleep(for: .milliseconds(milliseconds))
}

@Suite(.mayBlock, .serialized) struct `Under faults` {
    @Test func `a killed PostgreSQL is reported, waited for, and loses no acknowledged check-in`() async throws {
        let installation = try Installation(fsync: true)
        let (server, client) = try installation.serve()
        defer { server.signal(SIGKILL) }
        let crowd = try await Crowd(of: 16, installation, client)
        for _ in 0..<2 {
            try await crowd.checkingIn(at: client) {
                try await pause(500)
                kill(try #require(installation.postgres.server.processID), SIGKILL)
                // The backends end when they next notice that their postmaster is gone.
                var ready = try await client.send("GET", "/readyz")
                while ready.status == 200 {
                    try await pause(20)
                    ready = try await client.send("GET", "/readyz")
                }
                try await pause(300)
                #expect(ready.status == 503)
                #expect(ready.headers["retry-after"] != nil)
                #expect(try await client.send("GET", "/livez").status == 200)
                let refused = try await crowd.people[0].send("GET", "/v1/me")
                #expect(refused.status == 503)
                #expect(refused.code == "unavailable")
                try installation.postgres.server.start()
                while try await client.send("GET", "/readyz").status != 200 { try await pause(20) }
                let before = crowd.seen.statuses[200, default: 0]
                while crowd.seen.statuses[200, default: 0] < before + 100 { try await pause(20) }
            }
        }
        let seen = crowd.seen
        print(
            "PostgreSQL killed twice: answers \(seen.statuses), unanswered \(seen.unanswered), slowest \(seen.slowest)")
        #expect(seen.unanswered == 0, "every request was answered")
        #expect(Set(seen.statuses.keys) == [200, 503])
        #expect(try crowd.nothingIsLost(in: installation))
    }

    @Test func `a killed server loses no acknowledged check-in`() async throws {
        let installation = try Installation(fsync: true)
        let (first, client) = try installation.serve()
        let crowd = try await Crowd(of: 16, installation, client)
        try await crowd.checkingIn(at: client) {
            while crowd.seen.statuses[200, default: 0] < 50 { try await pause(20) }
            first.signal(SIGKILL)
            try await pause(100)
        }
        #expect(crowd.seen.statuses[200, default: 0] > 0)
        #expect(try crowd.nothingIsLost(in: installation))
        let (second, again) = try installation.serve()
        defer { second.signal(SIGKILL) }
        #expect(try await again.send("GET", "/v1/me", as: crowd.people[0].token).status == 200)
    }

    @Test func `a server that is told to stop answers the requests it accepted, and exits with 0`() async throws {
        let installation = try Installation()
        let (server, client) = try installation.serve()
        let crowd = try await Crowd(of: 16, installation, client)
        try await crowd.checkingIn(at: client) {
            try await pause(500)
            server.signal(SIGTERM)
            server.wait()
        }
        #expect(server.wait() == 0)
        #expect(Set(crowd.seen.statuses.keys).isSubset(of: [200, 503]), "\(crowd.seen.statuses)")
        // Each check-in that the server committed was answered, except on a connection that was idle at the end.
        let kept = try installation.session().query("select count(*) from kith.check_ins").int(0, 0) ?? 0
        #expect(kept == crowd.seen.acknowledged.values.reduce(0, +))
    }

    @Test func `a worker killed at any moment makes every ping exactly once`() async throws {
        let installation = try Installation()
        try Self.populate(installation, senders: 3000)
        let session = try installation.session()
        for attempt in 0..<12 {
            let worker = try KithProcess(
                ["worker", "--once", "--now", "2027-03-10T14:00:30Z"], environment: installation.environment)
            try await pause(20 + attempt * 15)
            worker.signal(SIGKILL)
            worker.wait()
        }
        // A statement that was running continues without its client, and the next worker skips its run.
        let sessions = "select count(*) from pg_stat_activity where application_name = 'kith worker'"
        while try session.query(sessions).int(0, 0) != 0 { try await pause(10) }
        try installation.work(at: "2027-03-10T14:00:30Z")
        try Self.expectOnePingEach(session, on: "2027-03-10", pings: 6000)
        // Every sender is asked once, however often the worker was killed in between.
        let asked = try session.query(
            """
            select count(*), count(distinct user_id) from kith.notifications where type = 'ping_due' and \
            data->>'date' = '2027-03-10'
            """
        )
        #expect(asked.int(0, 0) == 3000)
        #expect(asked.int(0, 1) == 3000)
    }

    @Test func `three concurrent workers make every ping exactly once`() async throws {
        let installation = try Installation()
        try Self.populate(installation, senders: 3000)
        let workers = try (0..<3).map { _ in
            try KithProcess(
                ["worker", "--once", "--now", "2027-03-10T14:00:30Z"], environment: installation.environment)
        }
        for worker in workers { #expect(worker.wait() == 0, "\(worker.standardError)") }
        let session = try installation.session()
        try Self.expectOnePingEach(session, on: "2027-03-10", pings: 6000)
        let asked = try session.query(
            """
            select count(*), count(distinct user_id) from kith.notifications where type = 'ping_due' and \
            data->>'date' = '2027-03-10'
            """
        )
        #expect(asked.int(0, 0) == asked.int(0, 1))
        #expect(asked.int(0, 1) == 3000)
    }

    /// Inserts senders with two receivers each, connected long ago. Their generation runs start on the day before.
    private static func populate(_ installation: Installation, senders: Int) throws {
        try installation.session().execute(
            """
            insert into kith.users (tenant_id, id, display_name, tokens_valid_from, created_at, updated_at)
            select t.tenant_id, md5('u' || n)::uuid, 'User ' || n, at, at, at
            from kith.tenants t, generate_series(1, \(senders) + 2) n, (select timestamptz '2026-01-01') as past (at)
            where t.slug = 'acme';
            insert into kith.sender_profiles (tenant_id, user_id, time_zone, ping_time, grace_minutes, reminder_minutes, timed_at, created_at, updated_at)
            select tenant_id, md5('u' || n)::uuid, 'UTC', '14:00', 90, 15, at, at, at
            from kith.tenants, generate_series(1, \(senders)) n, (select timestamptz '2026-01-01') as past (at) where slug = 'acme';
            insert into kith.connections (tenant_id, id, sender_id, receiver_id, status, code_owner_id, activated_at, created_at, updated_at)
            select tenant_id, md5('c' || n || r)::uuid, md5('u' || n)::uuid, md5('u' || (\(senders) + r))::uuid, 'active', md5('u' || n)::uuid, at, at, at
            from kith.tenants, generate_series(1, \(senders)) n, generate_series(1, 2) r, (select timestamptz '2026-01-01') as past (at)
            where slug = 'acme';
            insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at)
            select tenant_id, 'UTC', '2027-03-10', '2027-03-10T00:00:00Z' from kith.tenants where slug = 'acme';
            """)
        try installation.work(at: "2027-03-09T00:00:00Z")
    }

    private static func expectOnePingEach(_ session: PostgresSession, on date: String, pings: Int) throws {
        let made = try session.query(
            "select count(*), count(distinct connection_id) from kith.pings where ping_on = $1::date", [.text(date)])
        #expect(made.int(0, 0) == pings)
        #expect(made.int(0, 1) == pings)
        let runs = try session.query(
            "select sum(created) from kith.ping_runs where ping_on = $1::date", [.text(date)])
        #expect(runs.int(0, 0) == pings)
    }
}
