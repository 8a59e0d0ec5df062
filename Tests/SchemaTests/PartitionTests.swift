import LocalPostgres
import Postgres
import TestThreads
import Testing

@testable import Schema

/// A month begins while everybody writes.
@Suite(.mayBlock) struct `Partitions` {
    private let server: EphemeralPostgres
    private let url: String

    private static let tables = ["pings", "notifications", "deliveries", "audit", "history", "events"]

    init() throws {
        server = try EphemeralPostgres()
        url = try server.createDatabase("kith")
        let session = try PostgresSession(url: url)
        _ = try Migrator(session).migrate()
        // Lets the tests drop partitions at any time (internal.present).
        try session.execute("create table internal.development (made_at timestamptz not null)")
    }

    /// Creates one of the partitions missing around `instant`, as the worker does: in a transaction of its own.
    private static func make(_ session: PostgresSession, at instant: String) throws -> Int {
        try session.query("select worker.make_partitions($1::timestamptz, 1)", [.text(instant)]).int(0, 0) ?? 0
    }

    @Test func `are created one per transaction, which locks one table`() throws {
        defer { server.remove() }
        let session = try PostgresSession(url: url)
        try session.execute("begin")
        #expect(try Self.make(session, at: "2031-01-15T00:00:00Z") == 1)
        let held = try session.query(
            """
            select count(distinct relation) from pg_locks join pg_class as class on class.oid = relation
            where pid = pg_backend_pid() and mode = 'AccessExclusiveLock' and relname like '%\\_default'
            """)
        #expect(held.int(0, 0) == 1)
        try session.execute("commit")
    }

    @Test func `of a table in use are created later, and the others at once`() throws {
        defer { server.remove() }
        let (maker, writer) = (try PostgresSession(url: url), try PostgresSession(url: url))
        let instant = "2031-01-15T00:00:00Z"
        try writer.execute("begin; delete from kith.history")
        var made = 0
        while try Self.make(maker, at: instant) == 1 { made += 1 }
        #expect(made == 21)
        // A session in the middle of a transaction can use the other tables at once.
        try writer.execute("set lock_timeout = '1ms'")
        for table in Self.tables { try writer.execute("delete from kith.\(table)") }
        try writer.execute("commit")
        while try Self.make(maker, at: instant) == 1 { made += 1 }
        #expect(made == 25)
    }

    /// Drops one partition of those that are past every retention at `instant`, as the worker does.
    private static func drop(_ session: PostgresSession, at instant: String) throws -> Int {
        try session.query("select worker.drop_partitions($1::timestamptz, 1)", [.text(instant)]).int(0, 0) ?? 0
    }

    @Test func `of a table in use are dropped later, and the others at once`() throws {
        defer { server.remove() }
        let (worker, reader) = (try PostgresSession(url: url), try PostgresSession(url: url))
        let kinds = "select string_agg(distinct kind, ' ' order by kind) from internal.partitions()"
        let instant = "2041-01-15T00:00:00Z"
        _ = try worker.query("select * from admin.create_tenant('acme', 'Acme')")
        #expect(try worker.query(kinds).string(0, 0) == "audit deliveries events history notifications pings")
        try reader.execute("begin; select count(*) from kith.history")
        while try Self.drop(worker, at: instant) == 1 {}
        #expect(try worker.query(kinds).string(0, 0) == "history")
        // A drop that waited in vain holds nothing, even in an open transaction.
        try worker.execute("begin")
        #expect(try Self.drop(worker, at: instant) == 0)
        try reader.execute("set local lock_timeout = '1ms'; delete from kith.history; commit")
        try worker.execute("rollback")
        while try Self.drop(worker, at: instant) == 1 {}
        #expect(try worker.query(kinds).string(0, 0) == nil)
    }

    @Test func `of older months are locked by no read and no check-in`() throws {
        defer { server.remove() }
        let session = try PostgresSession(url: url)
        try session.execute(
            """
            drop table internal.development;
            select internal.make_partitions(now() - interval '6 months', 100);
            select internal.make_partitions(now(), 100);
            select worker.note_current_pings(now());
            create view locked as
              select distinct partition.name
              from pg_locks
              join internal.partitions() as partition on ('kith.' || partition.name)::regclass = relation
              where pid = pg_backend_pid() and locktype = 'relation' and partition.kind = 'pings'
                and partition.since < internal.current_pings_since();
            set plan_cache_mode = 'force_generic_plan'
            """)
        let connection = """
            jsonb_populate_record(
              null::internal.own_connections, '{"id": "0c000000-0000-7000-8000-000000000001", "shows_pings": true, "sender_time_zone": "UTC"}'
            )
            """
        for call in [
            "internal.today_ping(\(connection), now())", "internal.today_pings(array[\(connection)], now())",
            "internal.complete_pings(null, null, 'app', 'UTC', now(), now(), now(), now())",
        ] {
            try session.execute("begin; select \(call)")
            #expect(try session.query("select count(*) from locked").int(0, 0) == 0, "\(call)")
            try session.execute("rollback")
        }
        try session.execute("begin; select count(*) from kith.pings")
        #expect(try session.query("select count(*) from locked").int(0, 0) == 4)
    }

    @Test func `are created while others write in every order, and nobody is blocked`() async throws {
        defer { server.remove() }
        let (url, makers) = (url, Writers(1))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<6 {
                group.addTask {
                    let session = try PostgresSession(url: url)
                    while !makers.areGone {
                        try session.execute("begin")
                        // Includes the default partitions, with a lock that conflicts with attaching a partition.
                        for table in Self.tables.shuffled().prefix(3) {
                            try session.execute("update kith.\(table) set tenant_id = tenant_id")
                        }
                        try session.execute("commit")
                    }
                }
            }
            group.addTask {
                defer { makers.leave() }
                let session = try PostgresSession(url: url)
                var (year, made) = (2031, 0)
                // As many as two years have. If a lock was not available, the next year's are made instead.
                while made < 50 {
                    while try Self.make(session, at: "\(year)-06-15T00:00:00Z") == 1 { made += 1 }
                    _ = try session.query("select worker.drop_partitions('\(year + 1)-01-01T00:00:00Z', 1)")
                    year += 1
                }
            }
            // A deadlock would be an error in one of the tasks.
            try await group.waitForAll()
        }
    }
}
