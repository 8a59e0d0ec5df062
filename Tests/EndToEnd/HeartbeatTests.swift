import Foundation
import Postgres
import Testing

/// The number of the server's statements beginning with `text` that wait for a lock.
private func waiting(_ session: PostgresSession, for text: String = "") throws -> Int {
    try session.query(
        """
        select count(*)::integer from pg_stat_activity
        where wait_event_type = 'Lock' and application_name = 'kith serve' and starts_with(query, $1)
        """, [.text(text)]
    ).int(0, 0) ?? 0
}

/// When a server records that it is reachable, and who can prevent that. Each test has a server of its own.
@Suite struct `A server's heartbeats` {
    private func lastBeat(_ session: PostgresSession) throws -> String {
        try session.query("select coalesce(max(beat_at)::text, '') from kith.heartbeats where component = 'server'")
            .string(0, 0) ?? ""
    }

    @Test func `continue while readiness cannot be determined, and query the database once at a time`() async throws {
        let installation = try Installation(offset: nil)
        let (server, client) = try installation.serve()
        defer { server.signal(SIGTERM) }
        #expect(try await client.send("GET", "/readyz").status == 200)
        let watcher = try installation.session()
        let locker = try installation.session()
        try locker.execute("begin; lock table kith.webhooks in access exclusive mode")
        let before = try lastBeat(watcher)
        var most = 0
        // Until the cached answer above has expired and the server has recorded two heartbeats.
        var beats: Set<String> = [before]
        while beats.count < 3 || most == 0 {
            async let answers = withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<30 { group.addTask { try await client.exchange("GET", "/readyz").status } }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            most = max(most, try waiting(watcher, for: "select api.readiness($1::timestamptz)"))
            beats.insert(try lastBeat(watcher))
            #expect(try await answers.isSubset(of: [200, 503]))
        }
        #expect(most == 1)
        try locker.execute("rollback")
    }

    @Test func `stop while check-ins cannot be recorded, and resume when they can`() async throws {
        let installation = try Installation(offset: nil)
        let (server, client) = try installation.serve()
        defer { server.signal(SIGTERM) }
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        try await alice.becomeSender()
        let watcher = try installation.session()
        let locker = try installation.session()
        try locker.execute("begin; lock table kith.check_ins in access exclusive mode")
        _ = try server.waitForLog("check-ins cannot be taken")
        let last = try lastBeat(watcher)
        #expect(try await alice.send("POST", "/v1/pings/check-in", "{}").status == 503)
        #expect(try lastBeat(watcher) == last)
        try locker.execute("rollback")
        _ = try server.waitForLog("check-ins are taken again")
        #expect(try lastBeat(watcher) > last)
    }
}

@Suite struct `A tenant` {
    @Test func `whose requests all wait for one row does not stop others from checking in`() async throws {
        let installation = try Installation(offset: nil)
        let (server, client) = try installation.serve()
        defer { server.signal(SIGTERM) }
        let alice = try await Person.join(installation.globex, as: "Alice", client)
        try await alice.becomeSender()
        let mallory = try await Person.join(installation.acme, as: "Mallory", client)
        let locker = try installation.session()
        try locker.execute("begin; update kith.users set locale = locale where id = '\(mallory.id)'")
        let noise = (0..<60).map { number in
            Task {
                while !Task.isCancelled {
                    _ = try? await client.exchange(
                        "PATCH", "/v1/users/\(mallory.id)", #"{"display_name":"M\#(number)"}"#,
                        as: installation.acme.secretKey)
                }
            }
        }
        let watcher = try installation.session()
        while try waiting(watcher) < 8 { try await Task.sleep(for: .milliseconds(5)) }
        for _ in 1...20 { #expect(try await alice.send("POST", "/v1/pings/check-in", "{}").status == 200) }
        // They are still waiting: nothing has released them meanwhile.
        while try waiting(watcher) < 8 { try await Task.sleep(for: .milliseconds(5)) }
        for request in noise { request.cancel() }
        try locker.execute("rollback")
        for request in noise { _ = await request.value }
    }
}
