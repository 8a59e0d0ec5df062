import Foundation
import Postgres
import TestThreads
import Testing

/// The number of statements beginning with `text` that wait for a lock.
private func waiting(_ session: PostgresSession, for text: String = "") throws -> Int {
    try session.query(
        """
        select count(*)::integer from pg_stat_activity
        where wait_event_type = 'Lock' and starts_with(query, $1)
        """, [.text(text)]
    ).int(0, 0) ?? 0
}

/// When a server records that it is reachable, and who can prevent that. Each test has a server of its own.
@Suite(.mayBlock) struct `A server's heartbeats` {
    private func lastBeat(_ session: PostgresSession) throws -> String {
        try session.query("select coalesce(max(beat_at)::text, '') from kith.heartbeats where component = 'server'")
            .string(0, 0) ?? ""
    }

    @Test func `continue while readiness cannot be determined, and query the database once at a time on each loop`()
        async throws
    {
        let installation = try Installation(offset: nil)
        let (server, client) = try installation.serve()
        defer { server.signal(SIGTERM) }
        let ready = try await client.send("GET", "/readyz")
        #expect(ready.status == 200)
        #expect(ready.text.contains(#""worker":"late""#), "there has never been one: \(ready.text)")
        let watcher = try installation.directorySession()
        let locker = try installation.directorySession()
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
        // Proxies ask this of every server, and check-ins work.
        var blocked = try await client.send("GET", "/readyz")
        while blocked.status != 200 { blocked = try await client.send("GET", "/readyz") }
        #expect(blocked.text.contains(#""worker":"unknown","oldest_run_seconds":null"#), "\(blocked.text)")
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

/// A server whose machine has another clock than the database's (decision 33).
@Suite(.mayBlock) struct `A server with a wrong clock` {
    @Test func `sets it by the database's, so that a tap by its field Date counts`() async throws {
        let installation = try Installation(offset: nil)
        // The databases of tests accept any clock.
        try installation.session().execute("drop table internal.development")
        let library = FileManager.default.temporaryDirectory.appending(path: "kith-clock-\(UUID().uuidString).so")
        defer { try? FileManager.default.removeItem(at: library) }
        let source = URL(filePath: #filePath).appending(path: "../../../clock.c").standardized
        let compiler = try Process.run(
            URL(filePath: "/usr/bin/env"),
            arguments: ["clang", "-shared", "-fPIC", "-o", library.path, source.path])
        compiler.waitUntilExit()
        try #require(compiler.terminationStatus == 0)
        let usual = ProcessInfo.processInfo.environment["CLOCK_OFFSET"].flatMap(Int.init) ?? 0
        let (server, client) = try installation.serve([
            "LD_PRELOAD": library.path, "CLOCK_OFFSET": String(usual + 300),
        ])
        defer { server.signal(SIGTERM) }
        _ = try server.waitForLog("the clock is set by the database's seconds=-300")
        let pair = try await Pair(installation.acme, client)
        let session = try installation.session()
        try session.execute(
            """
            update kith.pings
            set status = 'due', scheduled_at = now() - interval '1 minute', deadline_at = now() + interval '1 hour'
            """)
        let date = try #require(try await client.exchange("GET", "/livez").headers["date"])
        let instant = try #require(try session.query("select to_json($1::timestamptz)", [.text(date)]).string(0, 0))
        let answer = try await pair.alice.send("POST", "/v1/pings/check-in", "{\"tapped_at\":\(instant)}")
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer.text.contains("\"completed\" : 1"), "\(answer.text)")
    }
}

@Suite(.mayBlock) struct `A worker that goes on after a pause` {
    @Test func `alarms nobody before it has recorded its outage`() async throws {
        let installation = try Installation(offset: nil)
        let (server, client) = try installation.serve()
        defer { server.signal(SIGTERM) }
        _ = try await Pair(installation.acme, client)
        let session = try installation.session()
        func count(_ rows: String) throws -> Int {
            try session.query("select count(*)::integer from \(rows)").int(0, 0) ?? 0
        }
        let worker = try KithProcess(["worker"], environment: installation.environment)
        defer { worker.signal(SIGKILL) }
        while try count("kith.heartbeats where component = 'worker'") == 0 {
            try await Task.sleep(for: .milliseconds(50))
        }
        worker.signal(SIGSTOP)
        // The database finishes what the worker has asked for.
        while try count("pg_stat_activity where application_name = 'kith worker' and state <> 'idle'") > 0 {
            try await Task.sleep(for: .milliseconds(50))
        }
        // As after five minutes of it, in which a ping's deadline passed that the sender was never told of.
        try session.execute(
            "update kith.heartbeats set beat_at = beat_at - interval '5 minutes' where component = 'worker'")
        try session.execute("delete from kith.pings")
        try session.execute("update kith.connections set activated_at = activated_at - interval '1 day'")
        try session.execute(
            """
            insert into kith.pings
              (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at)
            select tenant_id, (now() at time zone 'UTC')::date, id, internal.uuid7(now()), sender_id, receiver_id, 'due',
              now() - interval '90 minutes', now() - interval '1 minute'
            from kith.connections
            """)
        worker.signal(SIGCONT)
        while try count("kith.notifications where type in ('ping_reminder', 'ping_missed')") == 0 {
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(try count("kith.outages where component = 'worker' and ended_at is not null") == 1)
        #expect(try count("kith.notifications where type = 'ping_missed'") == 0)
    }
}

@Suite(.mayBlock) struct `A tenant` {
    /// Calls `act` again and again while changes of one user of each of `tenants` wait for that user's row, on every
    /// connection that they can get.
    private func whileWritesWait(
        of tenants: KeyPath<Installation, Installation.Tenant>..., connections: Int,
        _ act: (Person) async throws -> Int
    ) async throws {
        let installation = try Installation(offset: nil)
        let (server, client) = try installation.serve(["KITH_WRITE_CONNECTIONS": "8"])
        defer { server.signal(SIGTERM) }
        let alice = try await Person.join(installation.globex, as: "Alice", client)
        try await alice.becomeSender()
        let locker = try installation.session()
        try locker.execute("begin")
        var noise: [Task<Void, Never>] = []
        for tenant in tenants.map({ installation[keyPath: $0] }) {
            let mallory = try await Person.join(tenant, as: "Mallory", client)
            try locker.execute("update kith.users set locale = locale where id = '\(mallory.id)'")
            noise += (0..<60).map { number in
                Task {
                    while !Task.isCancelled {
                        _ = try? await client.exchange(
                            "PATCH", "/v1/users/\(mallory.id)", #"{"display_name":"M\#(number)"}"#, as: tenant.secretKey
                        )
                    }
                }
            }
        }
        let watcher = try installation.session()
        while try waiting(watcher) < connections { try await Task.sleep(for: .milliseconds(5)) }
        for _ in 1...20 { #expect(try await act(alice) == 200) }
        // They are still waiting: nothing has released them meanwhile.
        while try waiting(watcher) < connections { try await Task.sleep(for: .milliseconds(5)) }
        for request in noise { request.cancel() }
        try locker.execute("rollback")
        for request in noise { await request.value }
    }

    @Test func `whose requests all wait for one row does not stop the writes of others`() async throws {
        try await whileWritesWait(of: \.acme, connections: 6) { alice in
            try await alice.send("PATCH", "/v1/me", #"{"locale":"de"}"#).status
        }
    }

    @Test func `can check in while its own writes and those of others hold every connection for writes`() async throws {
        try await whileWritesWait(of: \.acme, \.globex, connections: 8) { alice in
            try await alice.send("POST", "/v1/pings/check-in", "{}").status
        }
    }
}
