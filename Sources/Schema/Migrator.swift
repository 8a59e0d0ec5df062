internal import Glibc
public import Postgres

/// Brings a database to the schema that this program contains.
///
/// Each migration runs once, in order, in a transaction with its row in the ledger. Functions and policies are applied
/// as a whole whenever one of them has changed. An advisory lock serializes concurrent runs: the second one waits, and
/// finds nothing to do.
public struct Migrator {
    /// The key of the advisory lock ("kith" in ASCII). Any number works, as long as it is the same in every Kith.
    private static let lockKey = 0x6b69_7468

    private let session: PostgresSession

    /// Creates a migrator on `session`. The first run needs a superuser or a role with `createrole`, because the first
    /// migration creates the roles.
    public init(_ session: PostgresSession) {
        self.session = session
    }

    /// The result of a run.
    public struct Outcome: Sendable, Equatable {
        /// The names of the applied migrations, in order.
        public var applied: [String] = []
        /// Whether functions and policies were applied.
        public var routines = false

        /// Whether there was nothing to do.
        public var isCurrent: Bool { applied.isEmpty && !routines }
    }

    /// Applies everything that is missing.
    ///
    /// - Throws: ``MigrationError``. Whatever was applied before the failure stays applied.
    public func migrate() throws(MigrationError) -> Outcome {
        try run { () throws(PostgresError) in
            try session.execute("set lock_timeout = '10min'; select pg_advisory_lock(\(Self.lockKey))")
            try session.execute("set lock_timeout = '30s'; set client_min_messages = warning")
        }
        defer { try? session.execute("select pg_advisory_unlock(\(Self.lockKey)); reset all") }
        try run { () throws(PostgresError) in try session.execute(Self.ledger) }
        var outcome = Outcome()
        for migration in try pending() {
            try applyAgainstNeighbours(migration)
            outcome.applied.append(migration.name)
        }
        if try !routinesAreCurrent() {
            try applyRoutines()
            outcome.routines = true
        }
        return outcome
    }

    /// Returns what ``migrate()`` would do, without doing it.
    ///
    /// - Throws: ``MigrationError``, as ``migrate()`` does for an edited migration or a newer database.
    public func check() throws(MigrationError) -> Outcome {
        let exists = try run { () throws(PostgresError) in
            try session.query("select to_regclass('internal.migrations') is not null").bool(0, 0) ?? false
        }
        guard exists else { return Outcome(applied: Migration.all.map(\.name), routines: true) }
        let missing = try pending().map(\.name)
        return Outcome(applied: missing, routines: try !routinesAreCurrent())
    }

    private static let ledger = """
        create schema if not exists internal;
        create table if not exists internal.migrations (
          number integer constraint migrations_pkey primary key,
          name text not null,
          checksum text not null,
          applied_at timestamptz not null
        );
        comment on table internal.migrations is 'The ledger: which migrations this database has, and the SHA-256 of each.';
        create table if not exists internal.routines (
          id boolean default true constraint routines_pkey primary key constraint routines_is_one_row check (id),
          checksum text not null,
          applied_at timestamptz not null
        );
        comment on table internal.routines is 'Which state of functions and policies this database has: the SHA-256 over all their files.';
        """

    private func pending() throws(MigrationError) -> [Migration] {
        let rows = try run { () throws(PostgresError) in
            try session.query("select number, name, checksum from internal.migrations order by number")
        }
        var applied: [Int: String] = [:]
        for row in 0..<rows.rowCount {
            guard let number = rows.int(row, 0), let checksum = rows.string(row, 2) else { continue }
            applied[number] = checksum
        }
        let known = Migration.all.last?.number ?? 0
        if let newest = applied.keys.max(), newest > known { throw .newer(number: newest, known: known) }
        for migration in Migration.all {
            if let checksum = applied[migration.number], checksum != migration.checksum {
                throw .edited(name: migration.name)
            }
        }
        return Migration.all.filter { applied[$0.number] == nil }
    }

    /// Applies a migration, and retries when another database's migration interferes. Roles and their settings belong
    /// to the cluster, and PostgreSQL refuses the second of two simultaneous changes with "tuple concurrently updated".
    /// No lock reaches across databases.
    private func applyAgainstNeighbours(_ migration: Migration) throws(MigrationError) {
        for attempt in 1... {
            do throws(MigrationError) {
                return try apply(migration)
            } catch {
                guard attempt < 100, case .refused(_, _, let refusal) = error,
                    refusal.sqlState.rawValue == "XX000"
                else { throw error }
                usleep(20_000)
            }
        }
    }

    private func apply(_ migration: Migration) throws(MigrationError) {
        try transaction { () throws(MigrationError) in
            // The first migration creates the owner. Everything after it belongs to the owner.
            if migration.number > 1 {
                try run { () throws(PostgresError) in try session.execute("set local role kith_owner") }
            }
            try apply(file: "migrations/\(migration.name)", migration.text)
            try run { () throws(PostgresError) in
                try session.execute("reset role")
                if migration.number == 1 {
                    try session.execute(
                        "alter table internal.migrations owner to kith_owner; alter table internal.routines owner to kith_owner"
                    )
                }
                _ = try session.query(
                    "insert into internal.migrations values ($1::integer, $2, $3, now())",
                    [.int(migration.number), .text(migration.name), .text(migration.checksum)])
            }
        }
    }

    private func applyRoutines() throws(MigrationError) {
        try transaction { () throws(MigrationError) in
            try run { () throws(PostgresError) in
                // Function bodies refer to functions in later files.
                try session.execute("set local role kith_owner; set local check_function_bodies = off")
                try session.execute(Routines.dropPolicies)
                try session.execute(Routines.revokeGrants)
            }
            for file in Routines.files { try apply(file: file.path, file.text) }
            try run { () throws(PostgresError) in
                try session.execute(Routines.dropStale)
                try session.execute(Self.defaultPartitions)
            }
        }
        try makePartitions()
        // The checksum comes last, so that an interrupted run is repeated as a whole.
        try transaction { () throws(MigrationError) in
            try run { () throws(PostgresError) in
                try session.execute("set local role kith_owner")
                _ = try session.query(
                    """
                    insert into internal.routines (checksum, applied_at) values ($1, now())
                    on conflict (id) do update set checksum = excluded.checksum, applied_at = excluded.applied_at
                    """, [.text(Routines.checksum)])
            }
        }
    }

    /// Creates the default partitions that are missing. A partitioned table without any partition accepts no rows, so
    /// each table gets one before the first function that writes to it can be called. No transaction can hold a lock on
    /// a table without partitions, but the code waits for a worker that is making partitions.
    private static let defaultPartitions = """
        do $$
        declare
          v_missing integer := (
            select count(*)
            from pg_catalog.pg_partitioned_table as partitioned
            join pg_catalog.pg_class as class on class.oid = partitioned.partrelid
            where class.relnamespace = 'kith'::regnamespace and partitioned.partdefid = 0
          );
        begin
          if v_missing > 0 then
            perform pg_advisory_xact_lock(hashtext('internal.make_partitions'));
            perform internal.make_partitions(now(), v_missing);
          end if;
        end
        $$
        """

    /// Creates one partition a transaction, because servers and workers may be running.
    private func makePartitions() throws(MigrationError) {
        var made = 1
        while made > 0 {
            try transaction { () throws(MigrationError) in
                try run { () throws(PostgresError) in
                    try session.execute("set local role kith_owner")
                    made = try session.query("select internal.make_partitions(now(), 1)").int(0, 0) ?? 0
                }
            }
        }
    }

    private func routinesAreCurrent() throws(MigrationError) -> Bool {
        try run { () throws(PostgresError) in
            let rows = try session.query("select checksum from internal.routines")
            return rows.rowCount == 1 && rows.string(0, 0) == Routines.checksum
        }
    }

    private func apply(file: String, _ text: String) throws(MigrationError) {
        do throws(PostgresError) {
            try session.execute(text)
        } catch {
            guard case .server(let refusal) = error else { throw .database(error) }
            let line = refusal.position.map { position in text.prefix(position).count { $0 == "\n" } + 1 }
            throw .refused(file: file, line: line, refusal)
        }
    }

    private func transaction(_ body: () throws(MigrationError) -> Void) throws(MigrationError) {
        try run { () throws(PostgresError) in try session.execute("begin") }
        do throws(MigrationError) {
            try body()
        } catch {
            try? session.execute("rollback")
            throw error
        }
        try run { () throws(PostgresError) in try session.execute("commit") }
    }

    @discardableResult
    private func run<Value>(_ body: () throws(PostgresError) -> Value) throws(MigrationError) -> Value {
        do throws(PostgresError) {
            return try body()
        } catch {
            throw .database(error)
        }
    }
}
