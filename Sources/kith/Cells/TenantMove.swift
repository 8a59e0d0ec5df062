internal import Glibc
internal import Postgres

/// A tenant that moves from one cell to another while it is served (decision 51).
///
/// PostgreSQL replicates the tenant's rows. When the copy has caught up, writes are held, the last changes arrive, the
/// map names the target, and writes go on there. What a step does is in the database
/// (`internal.tenant_move_steps.sql`), and each can be repeated: a move that was killed goes on when the command runs
/// again.
struct TenantMove {
    /// One end of the move.
    struct End {
        let name: String
        let database: Database
        let session: PostgresSession
    }

    /// How long servers take to read that a tenant is about to move, and then to read its new cell, in microseconds
    /// (`CellWatch`).
    private static let notice = 1_200_000 as UInt32
    private static let spread = 500_000 as UInt32
    /// How long the source keeps the rows after the switch. A server that has read no map for longer than
    /// `MapCurrency.life` asks a cell whether a tenant has left it, so this must be well above that.
    private static let farewell = 5_000_000 as UInt32
    /// How long the last changes may take to arrive while writes wait. Otherwise writes go on, and the hold is tried
    /// again.
    private static let patience = Duration.seconds(1)
    /// How long the loops of the worker leave the tenant alone at most before writes are held, and how long they serve
    /// it before the next try, in microseconds. Meanwhile nobody is told of an alarm.
    private static let longestQuiet = Duration.seconds(90)
    private static let respite = 5_000_000 as UInt32
    private static let rowsOfBatch = 2000

    let slug: String
    let tenant: Int
    let directory: PostgresSession
    let source: End
    let target: End
    var name: String { "kith_move_\(tenant)" }

    /// Enters the move in the directory, or finds the one that goes on.
    init(_ slug: String, to cell: String, _ database: Database, _ session: PostgresSession, _ cells: [Cell]) throws {
        let row = try session.query(
            "select tenant_id, source, target from internal.begin_move($1, $2, now())", [.text(slug), .text(cell)])
        try self.init(row, slug, database, session, cells)
    }

    private init(
        _ row: PostgresResult, _ slug: String, _ database: Database, _ session: PostgresSession, _ cells: [Cell]
    ) throws {
        guard row.rowCount > 0, let tenant = row.int(0, 0), let from = row.string(0, 1), let to = row.string(0, 2)
        else {
            throw CommandError("\(slug) is not being moved", status: 64)
        }
        func end(_ name: String) throws -> End {
            let database = try database.at(name, of: cells)
            do {
                return End(name: name, database: database, session: try database.session())
            } catch let error as PostgresError {
                throw CommandError("the cell \(name) cannot be reached: \(error)", status: 75)
            }
        }
        self.slug = slug
        self.tenant = tenant
        directory = session
        source = try end(from)
        target = try end(to)
        guard try session.query("select internal.claim_move($1::integer)", [.int(tenant)]).bool(0, 0) == true else {
            throw CommandError("another kith tenant move of \(slug) is running", status: 75)
        }
    }

    /// The move of a tenant that has begun.
    ///
    /// - Throws: ``CommandError`` if there is none.
    static func underWay(
        _ slug: String, _ database: Database, _ session: PostgresSession, _ cells: [Cell]
    ) throws -> TenantMove {
        try TenantMove(
            session.query("select tenant_id, source, target from kith.tenant_moves where slug = $1", [.text(slug)]),
            slug, database, session, cells)
    }

    // MARK: - There

    /// Moves the tenant, from wherever an earlier run stopped. `address` is where the target's server reaches the
    /// source, if not by the URL that this program uses.
    func run(copyingFrom address: String?) throws {
        if try state(target) != "here" {
            try prepare()
            try replicate(from: address)
            do {
                try awaitCopy()
                try awaitSettledOutages()
                try point(to: source, "hold")
                usleep(Self.notice)
                try switchOver()
            } catch is CopyFailure {
                try giveUp()
            } catch let error as PostgresError where error.sqlState == nil {
                throw interruption(error)
            }
        }
        try point(to: target, "clean")
        usleep(Self.farewell)
        try endReplication()
        try forget(at: source, "deleting \(slug) in \(source.name)")
        try finish()
        print("moved \(slug) from \(source.name) to \(target.name)")
    }

    /// Takes the move back. The source serves the tenant as before, and the target keeps nothing of it.
    func takeBack() throws {
        // A command that was killed may just be letting the target serve the tenant, until its session ends with this
        // lock.
        try call(target.session, "select pg_advisory_lock(internal.move_lock(), $1::integer)")
        let isServedThere = try state(target) == "here"
        if !isServedThere {
            try point(to: source, "abort")
            try call(source.session, "select internal.release_leaving($1::integer, null::bigint, now())")
        }
        try call(target.session, "select pg_advisory_unlock(internal.move_lock(), $1::integer)")
        guard !isServedThere else {
            throw CommandError(
                """
                \(target.name) serves \(slug) already: kith tenant move \(slug) --to \(target.name) finishes the move, and \
                --to \(source.name) moves it back then
                """
            )
        }
        try call(source.session, "select internal.quiet_leaving($1::integer, false, now())")
        try endReplication()
        if try state(target) == "arriving" { try forget(at: target, "deleting \(slug) in \(target.name)") }
        try finish()
        print("took the move back: \(slug) stays in \(source.name)")
    }

    private func finish() throws {
        for end in [target, source] {
            try unguard(end)
            try call(end.session, "select internal.forget_move($1::integer)")
        }
        try call(directory, "select internal.end_move($1::integer)")
    }

    /// Lets the map name a cell, and notes the step.
    private func point(to end: End, _ step: String) throws {
        try call(directory, "select internal.point_tenant($1::integer, $2, $3)", [.text(end.name), .text(step)])
    }

    // MARK: - Steps

    /// Notes the move in both cells, and puts the rule on every table there.
    private func prepare() throws {
        let known = try state(source)
        if known == nil || known == "here" {
            try call(source.session, "select internal.begin_leaving($1::integer, now())")
        }
        try call(target.session, "select internal.begin_arriving($1::integer, now())")
        for end in [target, source] {
            var isLate = false
            let began = ContinuousClock.now
            while true {
                let tables = try column(end.session, "select internal.unguarded_tables($1::integer)")
                guard !tables.isEmpty else { break }
                for table in tables {
                    try call(end.session, "select internal.guard_table($2, $1::integer)", [.text(table)])
                }
                if !isLate, ContinuousClock.now - began > .seconds(10) {
                    isLate = true
                    standardError("waiting for transactions that use \(tables.joined(separator: ", ")) in \(end.name)")
                }
                usleep(50_000)
            }
        }
    }

    private func unguard(_ end: End) throws {
        while true {
            let tables = try column(end.session, "select internal.guarded_tables($1::integer)")
            guard !tables.isEmpty else { return }
            for table in tables {
                try call(end.session, "select internal.unguard_table($2, $1::integer)", [.text(table)])
            }
            usleep(50_000)
        }
    }

    /// Begins the replication: publication and slot in the source, subscription in the target.
    private func replicate(from address: String?) throws {
        try call(source.session, "select internal.publish_tenant($1::integer)")
        // Made here and not by the subscription, which would wait for ever if both cells are databases of one server.
        try call(
            source.session,
            """
            select pg_create_logical_replication_slot($2, 'pgoutput')
            where $1::integer > 0 and not exists (
              select from pg_replication_slots where slot_name = $2 and database = current_database()
            )
            """, [.text(name)])
        guard try !hasSubscription() else { return }
        let place = try Self.way(to: source.database, address)
        try Self.makeSubscription(
            """
            \(name) connection \(Self.quoted(place)) publication \(name) with (create_slot = false, slot_name = \
            \(name))
            """,
            in: target.session)
    }

    private func hasSubscription() throws -> Bool {
        try target.session.query(
            """
            select from pg_subscription
            where subname = $1 and subdbid = (select oid from pg_database where datname = current_database())
            """, [.text(name)]
        ).rowCount > 0
    }

    /// Ends the replication. It must be over before rows are deleted on either side.
    private func endReplication() throws {
        if try hasSubscription() {
            // Without its slot, which is dropped below: an earlier run that was killed may have dropped it already.
            for change in ["disable", "set (slot_name = none)"] {
                try target.session.execute("alter subscription \(name) \(change)")
            }
            try target.session.execute("drop subscription \(name)")
        }
        while try source.session.query(
            "select from pg_replication_slots where slot_name = $1 and database = current_database()", [.text(name)]
        ).rowCount > 0 {
            _ = try source.session.query(
                """
                select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = $1 and not \
                active
                """,
                [.text(name)])
            usleep(50_000)
        }
        try source.session.execute("drop publication if exists \(name)")
    }

    private func forget(at end: End, _ what: String) throws {
        var progress = Progress(of: try rows(at: end).values.reduce(0, +), doing: what)
        while let count = try call(
            end.session, "select internal.forget_tenant($1::integer, $2::integer)", [.int(Self.rowsOfBatch)]
        ).int(0, 0), count > 0 {
            progress.add(rows: count)
        }
        progress.end()
    }

    /// The tenant's rows by table.
    private func rows(at end: End) throws -> [String: Int] {
        let counts = try call(end.session, "select name, rows from internal.rows_of_tenant($1::integer)")
        return (0..<counts.rowCount).reduce(into: [:]) {
            $0[counts.string($1, 0) ?? "", default: 0] += counts.int($1, 1) ?? 0
        }
    }

    // MARK: - The copy

    /// Waits until every table is copied, and changes arrive as they happen.
    ///
    /// - Throws: ``CopyFailure`` if rows cannot be written to the target.
    private func awaitCopy() throws {
        let rows = try rows(at: source)
        var progress = Progress(of: rows.values.reduce(0, +), doing: "copying \(slug) to \(target.name)")
        var watch = CopyWatch(self)
        while true {
            let states = try target.session.query(
                """
                select class.relname, relation.srsubstate in ('r', 's'), coalesce(copy.tuples_processed, 0)
                from pg_subscription_rel as relation
                join pg_subscription as subscription on subscription.subname = $1 and subscription.oid = relation.srsubid
                join pg_class as class on class.oid = relation.srrelid
                left join pg_stat_progress_copy as copy on copy.relid = relation.srrelid and copy.datname = current_database()
                """, [.text(name)])
            let done = (0..<states.rowCount).filter { states.bool($0, 1) == true }
            let copied = (0..<states.rowCount).reduce(0) { sum, row in
                sum + (states.bool(row, 1) == true ? rows[states.string(row, 0) ?? ""] ?? 0 : states.int(row, 2) ?? 0)
            }
            progress.add(rows: max(copied - progress.rows, 0))
            if states.rowCount > 0, done.count == states.rowCount { break }
            try watch.check(tables: done.count)
            usleep(100_000)
        }
        progress.end()
        var lag = try awaitMark(for: .seconds(3600))
        while lag ?? .seconds(10) > .milliseconds(300) {
            standardError("\(slug): changes arrive in \(target.name) after \(Self.text(lag))")
            lag = try awaitMark(for: .seconds(3600))
        }
    }

    /// Changes a row of the tenant in the source, and waits until the change arrives in the target, with all before it.
    /// Returns how long it took; nil if it did not arrive in time.
    ///
    /// - Throws: ``CopyFailure`` if changes cannot be written there.
    private func awaitMark(for limit: Duration) throws -> Duration? {
        let mark = try call(
            source.session,
            """
            insert into kith.move_marks (tenant_id, mark) values ($1::integer, 1)
            on conflict (tenant_id) do update set mark = move_marks.mark + 1 returning mark
            """
        ).int(0, 0)
        let began = ContinuousClock.now
        var watch = CopyWatch(self)
        while ContinuousClock.now - began < limit {
            if limit > Self.patience { try watch.check() }
            if try call(target.session, "select mark from kith.move_marks where tenant_id = $1::integer").firstInt
                == mark
            {
                return ContinuousClock.now - began
            }
            usleep(5_000)
        }
        return nil
    }

    private static func text(_ duration: Duration?) -> String {
        duration.map { "\(Int($0 / .milliseconds(1))) ms" } ?? "more than an hour"
    }

    // MARK: - The switch

    /// Holds writes, and lets the target serve the tenant.
    private func switchOver() throws {
        for _ in 0..<100 {
            try awaitSettledOutages()
            try call(source.session, "select internal.quiet_leaving($1::integer, true, now())")
            if try awaitLeases(), try hold() {
                let began = ContinuousClock.now
                let hasArrived = try awaitMark(for: Self.patience) != nil
                let isReady = try hasArrived && leases() == 0 && unsettledOutage() == nil
                if isReady { try handOver() }
                try release()
                if isReady { return print("writes of \(slug) waited for \(Self.text(ContinuousClock.now - began))") }
            }
            // Until the next try, the loops of the worker serve the tenant: nobody's alarm waits for a slow copy.
            try call(source.session, "select internal.quiet_leaving($1::integer, false, now())")
            _ = try awaitMark(for: .seconds(3600))
            usleep(Self.respite)
        }
        throw CommandError(
            """
            the last changes do not arrive within a second; try again when there is less to do, or take the move \
            back with --abort
            """
        )
    }

    /// From here on, reads find the same rows in both cells, and writes wait in both. When all servers know the new
    /// map, the source refuses, and then the target serves.
    private func handOver() throws {
        try point(to: target, "switch")
        usleep(Self.spread)
        let version = try call(directory, "select version from kith.tenant_cells where tenant_id = $1::integer")
            .firstInt
        guard let version else { throw CommandError("\(slug) is no longer in the map") }
        try call(
            source.session, "select internal.release_leaving($1::integer, $2::bigint, now())", [.int(version)])
        try call(target.session, "select internal.settle_arrival($1::integer, now())")
    }

    /// Takes the locks that all writes for the tenant share; false if a transaction that writes does not end within a
    /// second.
    private func hold() throws -> Bool {
        for end in [target, source] {
            try end.session.execute("set lock_timeout = '1s'")
            do throws(PostgresError) {
                try call(end.session, "select pg_advisory_lock(internal.move_lock(), $1::integer)")
            } catch {
                guard error.sqlState == .lockNotAvailable || error.sqlState == .deadlockDetected else { throw error }
                try release()
                usleep(200_000)
                return false
            }
            try end.session.execute("set lock_timeout = 0")
        }
        return true
    }

    private func release() throws {
        for end in [source, target] {
            try end.session.execute("select pg_advisory_unlock(internal.move_lock(), \(tenant)); set lock_timeout = 0")
        }
    }

    private func leases() throws -> Int {
        try call(source.session, "select internal.leases_of_tenant($1::integer, now())").firstInt ?? 0
    }

    /// Waits until workers have reported what they are sending; false if that takes longer than a lease usually lasts.
    private func awaitLeases() throws -> Bool {
        var isLate = false
        let began = ContinuousClock.now
        while case let sending = try leases(), sending > 0 {
            guard ContinuousClock.now - began < Self.longestQuiet else { return false }
            if !isLate, ContinuousClock.now - began > .seconds(2) {
                isLate = true
                standardError("\(slug): waiting for \(sending) messages that workers are sending")
            }
            usleep(50_000)
        }
        return true
    }

    /// Waits until no outage of the source concerns the tenant any more.
    private func awaitSettledOutages() throws {
        var last: String?
        while let reason = try unsettledOutage() {
            if reason != last { standardError("\(slug) waits in \(source.name): \(reason)") }
            last = reason
            usleep(1_000_000)
        }
    }

    private func unsettledOutage() throws -> String? {
        try call(source.session, "select internal.unsettled_outage($1::integer, now())").string(0, 0)
    }

    // MARK: - SQL

    private func state(_ end: End) throws -> String? {
        let row = try call(end.session, "select state from kith.moving_tenants where tenant_id = $1::integer")
        return row.rowCount > 0 ? row.string(0, 0) : nil
    }

    /// Runs a statement whose first parameter is the tenant.
    @discardableResult func call(
        _ session: PostgresSession, _ sql: String, _ values: [PostgresValue] = []
    ) throws(PostgresError) -> PostgresResult {
        try session.query(sql, [.int(tenant)] + values)
    }

    private func column(_ session: PostgresSession, _ sql: String) throws -> [String] {
        let rows = try call(session, sql)
        return (0..<rows.rowCount).compactMap { rows.string($0, 0) }
    }
}

extension PostgresResult {
    /// The first column of the first row; nil if there is none.
    var firstInt: Int? { rowCount > 0 ? int(0, 0) : nil }
}
