internal import Crypto
public import Postgres
internal import Texts

/// Brings a database to the schema that this program contains, while servers and workers of the previous release may be
/// using it.
///
/// Each migration runs once, in order, in a transaction with its row in the ledger. Of the definition files, those are
/// applied that have changed, and all functions when a view that they use has changed: functions and views together in
/// one transaction, and each table's policies in a transaction of their own. No statement waits long for a lock,
/// because everybody after it would wait too. The transaction is repeated instead. An advisory lock serializes
/// concurrent runs: the second one waits, and finds nothing to do.
public struct Migrator {
    /// The key of the advisory lock ("kith" in ASCII). Any number works, as long as it is the same in every Kith.
    private static let lockKey = 0x6b69_7468

    private let session: MigrationSession
    private let definitions: DefinitionLedger
    private let files: [DefinitionFile]

    /// Creates a migrator on `session`. The first run needs a superuser or a role with `createrole`, because the first
    /// migration creates the roles.
    public init(_ session: PostgresSession) {
        self.init(session, files: DefinitionFile.all)
    }

    /// Creates a migrator to other definition files than the program's, which tries to get a lock this often.
    init(_ session: PostgresSession, files: [DefinitionFile], attempts: Int = MigrationSession.attempts) {
        self.session = MigrationSession(session, attempts: attempts)
        self.files = files
        definitions = DefinitionLedger(session: self.session)
    }

    /// The result of a run.
    public struct Outcome: Sendable, Equatable {
        /// The names of the applied migrations, in order.
        public var migrations: [String] = []
        /// The paths of the applied files of functions, views and policies below `sql/`, in order.
        public var definitions: [String] = []
        /// The paths of the files whose functions and views were retired, because this program no longer has the files.
        public var removed: [String] = []

        /// Whether there was nothing to do.
        public var isCurrent: Bool { migrations.isEmpty && definitions.isEmpty && removed.isEmpty }
    }

    /// Applies everything that is missing.
    ///
    /// - Throws: ``MigrationError``. Whatever was applied before the failure stays applied.
    public func migrate() throws(MigrationError) -> Outcome {
        try session.execute("set lock_timeout = '10min'; select pg_advisory_lock(\(Self.lockKey))")
        try session.execute("reset lock_timeout; set client_min_messages = warning")
        defer { try? session.execute("select pg_advisory_unlock(\(Self.lockKey)); reset all") }
        try session.execute(Self.ledger)
        var outcome = Outcome()
        for migration in try pending() {
            try apply(migration)
            outcome.migrations.append(migration.name)
        }
        let changed = try toApply()
        outcome.definitions = changed.map(\.path)
        outcome.removed = try definitions.removed(files)
        if outcome.isCurrent {
            try session.transaction(of: "the step of texts") { () throws(MigrationError) in try loadTexts() }
        } else {
            try apply(changed, removing: outcome.removed)
        }
        try loadTextRules()
        try record()
        return outcome
    }

    /// Whether `session`'s database has had this program's schema and still serves it, whatever newer one has replaced
    /// it since: a newer schema also serves the programs before it, until a later run drops what only they call. The
    /// roles of servers and workers may ask.
    ///
    /// - Throws: `PostgresError` if the database cannot be reached.
    public static func hasMigrated(_ session: PostgresSession) throws(PostgresError) -> Bool {
        do throws(PostgresError) {
            let found = try session.query(
                "select from internal.migrated_schemas where checksum = $1", [.text(schema)])
            return found.rowCount > 0
        } catch .server(let refusal) where ["42P01", "3F000", "42501"].contains(refusal.sqlState.rawValue) {
            // No table, no schema, or no role that may read them: no Kith that had this table was ever here.
            return false
        }
    }

    /// The checksum of the schema that this program contains, by which a database knows that it was migrated to it.
    public static let schema = checksum(of: DefinitionFile.all)

    private static func checksum(of files: [DefinitionFile]) -> String {
        let parts = Migration.all.map(\.checksum) + files.map(\.checksum)
        return Hex.encode(sha256(parts.joined(separator: "\n").utf8))
    }

    private func record() throws(MigrationError) {
        // The first run makes the table before there are roles.
        try session.execute("grant select on internal.migrated_schemas to kith_api, kith_worker")
        _ = try session.query(
            """
            insert into internal.migrated_schemas values ($1, now())
            on conflict (checksum) do update set migrated_at = excluded.migrated_at
            """, [.text(Self.checksum(of: files))])
    }

    /// Returns what ``migrate()`` would do, without doing it.
    ///
    /// - Throws: ``MigrationError``, as ``migrate()`` does for an edited migration or a newer database.
    public func check() throws(MigrationError) -> Outcome {
        let exists = try session.query("select to_regclass('internal.definitions') is not null").bool(0, 0) ?? false
        guard exists else { return Outcome(migrations: Migration.all.map(\.name), definitions: files.map(\.path)) }
        return Outcome(
            migrations: try pending().map(\.name), definitions: try toApply().map(\.path),
            removed: try definitions.removed(files))
    }

    /// What the missing migrations will do to tables, and how large these are.
    ///
    /// - Throws: ``MigrationError``, as ``check()`` does.
    public func plan() throws(MigrationError) -> MigrationPlan {
        let exists = try session.query("select to_regclass('internal.migrations') is not null").bool(0, 0) ?? false
        return try MigrationPlan(exists ? try pending() : Migration.all, session)
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
        create table if not exists internal.migrated_schemas (
          checksum text constraint migrated_schemas_pkey primary key,
          migrated_at timestamptz not null
        );
        comment on table internal.migrated_schemas is
          'The schemas to which this database was migrated, by the SHA-256 over all files of each, and when last. Servers and workers start only if theirs is among them.';
        \(DefinitionLedger.tables)
        """

    /// The definition files to apply: those that have changed, and all functions if a view that they use is among them.
    /// A changed view is dropped and created, and its rows are then of another type. Sessions compile a function once,
    /// until the function is replaced, so one that keeps such rows in a variable would refer to the old type for as
    /// long as the session lasts.
    private func toApply() throws(MigrationError) -> [DefinitionFile] {
        let changed = try definitions.changed(files)
        guard changed.contains(where: \.definesRowTypes) else { return changed }
        let paths = Set(changed.map(\.path))
        return files.filter { $0.content == .functions || $0.definesRowTypes || paths.contains($0.path) }
    }

    private func pending() throws(MigrationError) -> [Migration] {
        let rows = try session.query("select number, name, checksum from internal.migrations order by number")
        var applied: [Int: String] = [:]
        for row in 0..<rows.rowCount {
            guard let number = rows.int(row, 0), let checksum = rows.string(row, 2) else { continue }
            applied[number] = checksum
        }
        let known = Migration.all.last?.number ?? 0
        if let newest = applied.keys.max(), newest > known { throw .newer(number: newest, known: known) }
        for migration in Migration.all {
            if let checksum = applied[migration.number], checksum != migration.checksum {
                throw migration.number <= Migration.lastOfBaseline
                    ? .preRelease(name: migration.name) : .edited(name: migration.name)
            }
        }
        return Migration.all.filter { applied[$0.number] == nil }
    }

    private func apply(_ migration: Migration) throws(MigrationError) {
        let file = Migration.folder + migration.name
        // The first migration creates the owner. Everything after it belongs to the owner.
        let createsOwner = migration.number == 1
        try session.transaction(of: "sql/\(file)", asOwner: !createsOwner) { () throws(MigrationError) in
            try session.apply(file: file, migration.text)
            if createsOwner {
                for table in ["migrations", "migrated_schemas", "definitions", "retired_objects"] {
                    try session.execute("alter table internal.\(table) owner to kith_owner")
                }
            }
            _ = try session.query(
                "insert into internal.migrations values ($1::integer, $2, $3, now())",
                [.int(migration.number), .text(migration.name), .text(migration.checksum)])
        }
    }

    private func apply(_ changed: [DefinitionFile], removing removed: [String]) throws(MigrationError) {
        let functions = changed.filter { $0.content == .functions || $0.content == .views }
        try session.transaction(of: "the step of functions and views") { () throws(MigrationError) in
            if !functions.isEmpty || !removed.isEmpty { try definitions.apply(functions, removing: removed) }
            try loadTexts()
            try session.execute(Self.defaultPartitions)
        }
        for file in changed {
            guard case .policies(let table) = file.content else { continue }
            try session.transaction(of: "sql/\(file.path)") { () throws(MigrationError) in
                try definitions.apply(policies: file, of: table)
            }
        }
        try makePartitions()
    }

    /// Replaces the texts of notifications by those of this program's catalogue, if they differ. The functions that
    /// make words of them are applied in the same transaction, so nobody reads a notification without its text.
    private func loadTexts() throws(MigrationError) {
        let texts = TextCatalogue.kith.tables
        // The functions compile the texts, so these are compiled again when the functions have changed.
        let compiler = files.first { $0.path == "texts/internal.texts.sql" }?.checksum ?? ""
        _ = try session.query(
            "select internal.load_texts($1::jsonb, $2)",
            [.text(String(decoding: texts, as: UTF8.self)), .text(Hex.encode(sha256(texts)) + compiler)])
    }

    /// Tells the database which texts there are, so that it can check a tenant's own words.
    private func loadTextRules() throws(MigrationError) {
        try session.transaction(of: "the rules of texts") { () throws(MigrationError) in
            _ = try session.query("select internal.load_text_rules($1::jsonb)", [.bytes(TextCatalogue.kith.rules)])
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
            try session.transaction(of: "the step of partitions") { () throws(MigrationError) in
                made = try session.query("select internal.make_partitions(now(), 1)").int(0, 0) ?? 0
            }
        }
    }
}
