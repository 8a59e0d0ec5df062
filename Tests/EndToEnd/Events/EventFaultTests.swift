import Foundation
import Glibc
import KithClient
import LocalPostgres
import Postgres
import Synchronization
import TestThreads
import Testing

/// Whether the writers are still running.
private final class Activity: Sendable {
    private let over = Atomic(false)

    var isOver: Bool { over.load(ordering: .relaxed) }

    func end() { over.store(true, ordering: .relaxed) }
}

/// No event is lost and none comes twice, whatever fails on the way.
@Suite(.mayBlock, .serialized, .timeLimit(.minutes(10))) struct `Events under faults` {
    /// The event ids that the database has for a user after a position, in feed order.
    private static func expected(_ session: PostgresSession, _ user: UUID) throws -> [String] {
        let rows = try session.query(
            """
            select id::text from (
              select xid, id from kith.events where user_id = $1::uuid
              union all
              select xid, id from kith.notifications where user_id = $1::uuid and xid is not null
            ) as feed order by xid, id
            """, [.text(user.uuidString)])
        return (0..<rows.rowCount).compactMap { rows.string($0, 0) }
    }

    /// The event id in a position.
    private static func id(_ position: String) -> String {
        position.split(separator: "-", maxSplits: 2).last.map(String.init) ?? ""
    }

    @Test func `reach a client although the database takes too long for all of them at once`() async throws {
        let installation = try Installation()
        let (server, client) = try installation.serve()
        defer { server.signal(SIGTERM) }
        let pair = try await Pair(installation.acme, client)
        let bob = pair.bob
        let live = try await bob.listen()
        let start = try await live.position()
        let session = try installation.session()
        let count = 100
        try session.execute(
            """
            create or replace function internal.told_event(
              p_type text, p_subject_id uuid, p_parent_id uuid, p_ping_on date, p_now timestamptz
            ) returns text language plpgsql as $$
            begin
              perform pg_sleep(0.06);
              return internal.event_json(p_type, p_subject_id, p_parent_id, p_ping_on, p_now);
            end
            $$;
            insert into kith.events (tenant_id, id, user_id, subject_id, type)
            select \(installation.acme.tenantID), internal.uuid7(\(Day.sql)), '\(bob.id)', '\(pair.connection)', 'connection'
            from generate_series(1, \(count))
            """)
        let behind = try await EventClient(client, as: bob.token, after: start)
        for reader in [live, behind] {
            var ids: [String] = []
            while ids.count < count, let event = try await reader.next() { ids.append(Self.id(event.id)) }
            #expect(try ids == Self.expected(session, bob.id).suffix(count))
        }
    }

    @Test func `reach a client that reconnects at random once and in order, while many others write`()
        async throws
    {
        let installation = try Installation()
        let (server, client) = try installation.serve()
        defer { server.signal(SIGTERM) }
        // Bob receives from many senders, who check in, pause and resume at the same time.
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        let code = try await bob.becomeReceiver().code
        var senders: [(Person, UUID)] = []
        for number in 0..<8 {
            let sender = try await Person.join(installation.acme, as: "Sender \(number)", client)
            try await sender.becomeSender()
            senders.append((sender, try await sender.connect(code).id))
        }
        let connection = senders[0].1
        let start = try await bob.listen().position()
        let (writing, settled) = (Activity(), Activity())
        let seen = try await withThrowingTaskGroup(of: [String].self) { group in
            for (sender, connection) in senders {
                group.addTask {
                    for round in 0..<15 {
                        let what = round.isMultiple(of: 2) ? "pause" : "resume"
                        _ = try await client.patiently {
                            try await sender.send("POST", "/v1/connections/\(connection.text)/\(what)")
                        }
                        if round.isMultiple(of: 5) { _ = try await sender.send("POST", "/v1/pings/check-in", "{}") }
                    }
                    return []
                }
            }
            // Transactions that begin early and commit late: their events still arrive in feed order.
            for _ in 0..<3 {
                group.addTask {
                    let session = try installation.session()
                    while !writing.isOver {
                        try session.execute("begin")
                        try session.execute(
                            """
                            select internal.emit_event(
                              \(installation.acme.tenantID), '\(bob.id)', 'connection', '\(connection)', null, null, \(Day.sql))
                            """)
                        try await Task.sleep(for: .milliseconds(.random(in: 1...150)))
                        try session.execute(Bool.random() ? "commit" : "rollback")
                    }
                    return []
                }
            }
            group.addTask {
                var (position, seen): (String?, [String]) = (start, [])
                while true {
                    let stream = try await bob.listen(after: position)
                    for _ in 0..<Int.random(in: 1...30) {
                        // A comment's position counts as well.
                        guard let block = try await stream.block() else { break }
                        position = stream.lastEventID ?? position
                        if let event = block { seen.append(Self.id(event.id)) }
                        // Once the last event has arrived, so has everything written before it.
                        if settled.isOver {
                            let all = try Self.expected(installation.session(), bob.id)
                            if seen.last == all.last { return seen }
                        }
                    }
                }
            }
            for _ in senders { _ = try await group.next() }
            writing.end()
            // The writers finish their transactions, and one more event wakes the reader if nothing else arrives.
            for _ in 0..<3 { _ = try await group.next() }
            try installation.session().execute(
                """
                select internal.emit_event(
                  \(installation.acme.tenantID), '\(bob.id)', 'connection', '\(connection)', null, null, \(Day.sql))
                """)
            settled.end()
            var result: [String] = []
            for try await each in group where !each.isEmpty { result = each }
            return result
        }
        let all = try Self.expected(installation.session(), bob.id)
        let from = try #require(seen.first.flatMap { all.firstIndex(of: $0) })
        #expect(seen == Array(all[from...]))
        // Nothing up to the first position is sent again, and nothing after it is left out.
        #expect(seen.count >= 8 * 15 * 2)
        print("a reader who came and went has seen \(seen.count) events, each once and in order")
    }

    @Test func `are not lost when a server is killed and the client continues at another one`() async throws {
        let installation = try Installation()
        let (first, client) = try installation.serve()
        let (second, other) = try installation.serve()
        defer { second.signal(SIGTERM) }
        let pair = try await Pair(installation.acme, other)
        let stream = try await EventClient(client, as: pair.bob.token)
        _ = try await stream.position()
        var told = 0
        for round in 0..<10 {
            try await round.isMultiple(of: 2) ? pair.pause() : pair.resume()
            // The stream breaks off while events are being written.
            if round == 5 { first.signal(SIGKILL) }
        }
        var seen = try await stream.rest().map(\.id)
        var kinds: [String] = []
        let again = try await EventClient(other, as: pair.bob.token, after: stream.lastEventID)
        let all = try Self.expected(installation.session(), pair.bob.id)
        while seen.last.map(Self.id) != all.last {
            let event = try #require(try await again.next())
            seen.append(event.id)
            kinds.append(event.type)
            told += 1
        }
        let ids = seen.map(Self.id)
        let from = try #require(ids.first.flatMap { all.firstIndex(of: $0) })
        #expect(ids == Array(all[from...]))
        #expect(ids.count >= 20)
        #expect(told > 0 && kinds.contains("connection"))
    }

    @Test func `continue on open streams after PostgreSQL was killed and is back`() async throws {
        let installation = try Installation(fsync: true)
        let (server, client) = try installation.serve()
        defer { server.signal(SIGTERM) }
        let pair = try await Pair(installation.acme, client)
        let stream = try await pair.bob.listen()
        try await pair.pause()
        var seen = [try await stream.next(notification: "connection_paused")]
        kill(try #require(installation.postgres.server.processID), SIGKILL)
        _ = try server.waitForLog("events cannot be read")
        // A client that subscribes meanwhile would take what it shows for the present.
        #expect(try await EventClient(client, as: pair.bob.token).answer.status == 503)
        try installation.postgres.server.start()
        while try await client.send("GET", "/readyz").status != 200 { try await Task.sleep(for: .milliseconds(20)) }
        let late = try await pair.bob.listen()
        _ = try await client.patiently {
            try await pair.alice.send("POST", "/v1/connections/\(pair.connection.text)/resume")
        }
        _ = try await late.next(notification: "connection_resumed")
        seen.append(try await stream.next(notification: "connection_resumed"))
        // Events that were sent before are not sent again.
        let all = try Self.expected(installation.session(), pair.bob.id)
        let again = try await pair.bob.listen(after: seen[0].id)
        let from = try #require(all.firstIndex(of: Self.id(seen[0].id)))
        for id in all[(from + 1)...] { #expect(try await again.next().map { Self.id($0.id) } == id) }
    }
}
