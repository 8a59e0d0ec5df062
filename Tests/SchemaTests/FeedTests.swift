import Foundation
import Glibc
import LocalPostgres
import Postgres
import TestThreads
import Testing

@testable import Schema

/// Transactions that begin, write and end in every order, and readers that stop at random: each on a thread of its own,
/// with sessions of its own.
@Suite(.mayBlock) struct `The event feed` {
    /// An event's place in the feed: its transaction and its id.
    private struct Place: Hashable, Comparable {
        let xid: UInt64
        let id: String

        static func < (one: Place, other: Place) -> Bool {
            (one.xid, one.id) < (other.xid, other.id)
        }
    }

    private static let users = (1...4).map { "00000000-0000-7000-8000-00000000000\($0)" }

    /// Writes a hundred transactions of one to four events each; every eighth is rolled back.
    private static func write(_ url: String) throws {
        let session = try PostgresSession(url: url)
        try session.execute("set role kith_owner")
        for number in 0..<100 {
            try session.execute("begin")
            for _ in 0...Int.random(in: 0...3) {
                let user = users.randomElement() ?? users[0]
                switch Int.random(in: 0...3) {
                case 0:
                    try session.execute(
                        """
                        insert into kith.notifications (tenant_id, id, user_id, type, body, created_at)
                        values (1, internal.uuid7(now()), '\(user)', 'vault_opened', 'x', now())
                        """)
                case 1:
                    // A subtransaction, which has a transaction id of its own.
                    try session.execute("savepoint within")
                    try session.execute(emit(user))
                    try session.execute("release savepoint within")
                default: try session.execute(emit(user))
                }
                usleep(.random(in: 0...3000))
            }
            try session.execute(number.isMultiple(of: 8) ? "rollback" : "commit")
        }
    }

    private static func emit(_ user: String) -> String {
        "select internal.emit_event(1, '\(user)', 'connection', gen_random_uuid(), null, null, now())"
    }

    /// Reads everything as a server does for all its streams, until nobody writes and nothing is left.
    private static func tail(_ url: String, _ writers: Writers) throws -> [Place] {
        var read: [Place] = []
        var next: (xid: String, id: String?) = ("3", nil)
        var session = try PostgresSession(url: url, settings: [("role", "kith_api")])
        while true {
            let last = writers.areGone
            if Int.random(in: 0...9) == 0 { session = try PostgresSession(url: url, settings: [("role", "kith_api")]) }
            let limit = Int.random(in: 1...20)
            let page = try session.query(
                "select horizon, xid, id from api.tail_events($1, $2::uuid, $3)",
                [.text(next.xid), next.id.map { .text($0) } ?? .null, .int(limit)])
            for row in 0..<page.rowCount {
                guard let xid = page.string(row, 1), let id = page.string(row, 2) else { continue }
                read.append(Place(xid: UInt64(xid) ?? 0, id: id))
                next = (xid, id)
            }
            if page.rowCount < limit || page.string(0, 2) == nil { next = (page.string(0, 0) ?? "", nil) }
            if last, page.string(0, 2) == nil { return read }
        }
    }

    /// Reads one user's events as a client does that resumes from the last event it has received.
    private static func follow(_ url: String, _ user: String, _ writers: Writers) throws -> [Place] {
        struct Answer: Decodable {
            struct Item: Decodable { let position: String }
            let horizon: String
            let items: [Item]
            let more: Bool
        }
        let session = try PostgresSession(
            url: url, settings: [("role", "kith_api"), ("kith.tenant_id", "1"), ("kith.user_id", user)])
        var read: [Place] = []
        let milliseconds = Int(Date().timeIntervalSince1970 * 1000)
        var place = "\(milliseconds)-3"
        while true {
            let last = writers.areGone
            let page = try session.query(
                "select api.events_after($1, $2, now())", [.text(place), .int(.random(in: 1...5))])
            let answer = try JSONDecoder().decode(Answer.self, from: Data((page.string(0, 0) ?? "").utf8))
            for item in answer.items {
                let parts = item.position.split(separator: "-", maxSplits: 2)
                read.append(Place(xid: UInt64(parts[1]) ?? 0, id: String(parts[2])))
                // A reader that stops here resumes from here.
                place = item.position
                if Int.random(in: 0...9) == 0 { break }
            }
            if answer.items.isEmpty { place = answer.horizon }
            if last, answer.items.isEmpty { return read }
        }
    }

    @Test func `loses no event and repeats none, whatever the order in which transactions end`() async throws {
        let server = try EphemeralPostgres()
        defer { server.remove() }
        let url = try server.createDatabase("kith")
        let session = try PostgresSession(url: url)
        _ = try Migrator(session).migrate()
        try session.execute(
            """
            insert into kith.tenants (tenant_id, slug, name, brand_name, created_at, updated_at) values (1, 'acme', \
            'Acme', 'Acme', now(), now())
            """
        )
        let writers = Writers(6)
        let (tails, followers) = try await withThrowingTaskGroup(of: (user: String?, read: [Place]).self) { group in
            for _ in 0..<6 {
                group.addTask {
                    defer { writers.leave() }
                    try Self.write(url)
                    return (nil, [])
                }
            }
            for _ in 0..<2 { group.addTask { (nil, try Self.tail(url, writers)) } }
            for user in Self.users {
                group.addTask { (user, try Self.follow(url, user, writers)) }
            }
            var tails: [[Place]] = []
            var followers: [String: [Place]] = [:]
            for try await (user, read) in group {
                if let user { followers[user] = read } else if !read.isEmpty { tails.append(read) }
            }
            return (tails, followers)
        }
        func written(_ condition: String) throws -> [Place] {
            let rows = try session.query(
                """
                select xid, id from kith.events where \(condition) union all
                select xid, id from kith.notifications where \(condition) order by xid, id
                """)
            return (0..<rows.rowCount).map {
                Place(xid: UInt64(rows.string($0, 0) ?? "") ?? 0, id: rows.string($0, 1) ?? "")
            }
        }
        let all = try written("true")
        #expect(all.count > 1000)
        #expect(tails.count == 2)
        for tail in tails {
            let isAll = tail == all
            #expect(isAll, "\(tail.count) of \(all.count), missing \(Set(all).subtracting(tail).count)")
        }
        for user in Self.users {
            let own = try written("user_id = '\(user)'")
            let isAll = followers[user] == own
            #expect(isAll, "\(followers[user]?.count ?? 0) of \(own.count)")
        }
    }

    @Test(arguments: [true, false])
    func `is not ahead of transactions whose numbers PostgreSQL assigns again after a crash`(isEmpty: Bool) throws {
        let postgres = try EphemeralPostgres(fsync: true)
        defer { postgres.remove() }
        let url = try postgres.createDatabase("kith")
        var session = try PostgresSession(url: url)
        _ = try Migrator(session).migrate()
        try session.execute(
            """
            insert into kith.tenants (tenant_id, slug, name, brand_name, created_at, updated_at)
            values (1, 'acme', 'Acme', 'Acme', now(), now())
            """)
        try session.execute(isEmpty ? "select 1" : Self.emit(Self.users[0]))
        let read = "select horizon, pg_snapshot_xmax(pg_current_snapshot()) from api.tail_events(null, null, 1)"
        var reader = try PostgresSession(url: url, settings: [("role", "kith_api")])
        // The first read logs the pages whose hint bits it sets. The second has none to log.
        _ = try reader.query(read)
        let logWriter = try session.query("select pid from pg_stat_activity where backend_type = 'walwriter'").int(0, 0)
        // What is not committed then stays out of PostgreSQL's log on disk.
        kill(pid_t(try #require(logWriter)), SIGSTOP)
        try session.execute("checkpoint")
        _ = try reader.query(read)
        for _ in 0..<5 { try session.execute("begin; select pg_current_xact_id(); rollback") }
        let before = try reader.query(read)
        let position = try #require(before.string(0, 0))

        for process in [pid_t(try #require(postgres.server.processID)), pid_t(try #require(logWriter))] {
            kill(process, SIGKILL)
        }
        try postgres.server.start()
        session = try PostgresSession(url: url)
        try session.execute(Self.emit(Self.users[1]))
        let xid = try #require(try session.query("select max(xid::text::bigint) from kith.events").int(0, 0))
        let next = try #require(before.string(0, 1).flatMap { Int($0) })
        try #require(xid < next, "PostgreSQL has assigned no number again, so this test shows nothing.")
        for _ in 0..<10 { try session.execute("begin; select pg_current_xact_id(); rollback") }
        reader = try PostgresSession(url: url, settings: [("role", "kith_api")])
        let rows = try reader.query("select id from api.tail_events($1, null, 100)", [.text(position)])
        #expect(rows.rowCount == 1 && rows.string(0, 0) != nil)
    }
}
