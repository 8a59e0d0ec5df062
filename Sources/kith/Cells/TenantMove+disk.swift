internal import Postgres

extension TenantMove {
    /// Checks that the disk of the target has room for a tenant, where that can be known, and says how much it takes.
    ///
    /// - Throws: ``CommandError`` if it has not.
    static func examineDisk(from source: Database, to target: Database, _ slug: String) throws {
        let size = try source.session().query(
            """
            select bytes, pg_size_pretty(bytes)
            from (select internal.bytes_of_tenant(tenant_id) as bytes from kith.tenants where slug = $1) as tenant
            """, [.text(slug)])
        guard size.rowCount > 0, let bytes = size.int(0, 0) else { return }
        let (there, text) = (target.cell?.name ?? Cell.directory, size.string(0, 1) ?? "")
        let disk = try target.session().query(
            "select pg_size_pretty(free), objection from internal.disk_objection($1::bigint)", [.int(bytes)])
        if let objection = disk.string(0, 1) { throw CommandError("the cell \(there): \(objection)", status: 75) }
        let room = disk.string(0, 0).map { "its disk has \($0) free" } ?? "how much is free there is not known"
        standardError("\(slug) takes about \(text) in \(there): \(room)")
    }

    func isTargetFull() throws -> Bool {
        try target.session.query("select internal.is_disk_full()").bool(0, 0) == true
    }

    /// Whether the copy of a table finds no slot in the source, or nowhere in the target to note how far it is. Each
    /// table needs both until the changes of its copy's time have arrived, which takes long if people write much.
    func hasNoSlot() throws -> Bool {
        for (end, slots) in [(source, "pg_replication_slots"), (target, "pg_replication_origin_status")] {
            let isFull = "select count(*) >= current_setting('max_replication_slots')::integer from pg_catalog.\(slots)"
            if try end.session.query(isFull).bool(0, 0) == true { return true }
        }
        return false
    }

    /// Takes the move back because the copy fails, so that the source does not keep its WAL for it.
    ///
    /// - Throws: ``CommandError`` in any case, which says what to do.
    func giveUp() throws -> Never {
        let isFull: Bool
        do {
            isFull = try isTargetFull()
            try takeBack()
        } catch let error as PostgresError {
            throw interruption(error)
        }
        guard isFull else {
            throw CommandError(
                "the rows do not arrive in \(target.name); the log of its PostgreSQL says why", status: 75)
        }
        throw CommandError(
            """
            the disk of \(target.name) is full. Make room there, and run the command again. What the copy has written goes with a \
            vacuum: kith psql --cell \(target.name) --role postgres -c vacuum
            """, status: 75)
    }

    /// The error of a move whose database no longer answers.
    func interruption(_ error: PostgresError) -> CommandError {
        CommandError(
            """
            \(error). The move stands still, and \(source.name) keeps its WAL for it. When both cells answer, \
            kith tenant move \(slug) --to \(target.name) goes on, and kith tenant move \(slug) --abort takes the move back
            """, status: 75)
    }
}

/// The target cannot write what is replicated, however often it tries.
struct CopyFailure: Error {}

/// Notices that a copy fails. PostgreSQL counts failures and tries again every 5 seconds. It does not say why one
/// failed.
struct CopyWatch {
    private static let mostFailures = 3
    private static let interval = Duration.seconds(1)
    /// How long looks must have found failures. A busy server may refuse several tries in a row.
    private static let endurance = Duration.seconds(60)
    /// How long a table may find no slot while no other is copied.
    private static let patience = Duration.seconds(600)

    private let move: TenantMove
    private var known: Int?
    private var failures = 0
    private var failsSince: ContinuousClock.Instant?
    private var copied = 0
    private var waitsSince: ContinuousClock.Instant?
    private var checkedAt: ContinuousClock.Instant?

    init(_ move: TenantMove) { self.move = move }

    /// Looks once a second for failures since the look before. `tables` is how many tables are copied.
    ///
    /// - Throws: ``CopyFailure`` after the third look with one since a table was copied, but not within a minute of
    ///   the first, or after the first if the disk is full.
    mutating func check(tables: Int = 0) throws {
        let now = ContinuousClock.now
        if let checkedAt, now - checkedAt < Self.interval { return }
        checkedAt = now
        let count =
            try move.target.session.query(
                "select apply_error_count + sync_error_count from pg_stat_subscription_stats where subname = $1",
                [.text(move.name)]
            ).firstInt ?? 0
        defer { known = count }
        if tables > copied { (copied, failures, failsSince, waitsSince) = (tables, 0, nil, nil) }
        guard let known, count > known else { return }
        guard try !move.isTargetFull() else { throw CopyFailure() }
        // A table that finds no slot is copied when others are done, unless something else keeps the slots.
        if try move.hasNoSlot() {
            waitsSince = waitsSince ?? now
            guard now - (waitsSince ?? now) < Self.patience else { throw CopyFailure() }
            return
        }
        failures += 1
        let since = failsSince ?? now
        failsSince = since
        guard failures < Self.mostFailures || now - since < Self.endurance else { throw CopyFailure() }
    }
}
