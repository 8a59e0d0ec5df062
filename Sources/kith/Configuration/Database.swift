internal import Foundation
internal import LocalPostgres
internal import Postgres
internal import Schema

/// The database that a command works on: the configured one, or the embedded PostgreSQL of KITH_HOME if no variable
/// names one.
struct Database {
    /// The embedded server; nil when a URL is configured.
    let embedded: LocalPostgres?
    let configuration: Configuration
    /// The cell, if the database is not the one that the configured URLs name.
    let cell: Cell?

    /// The name of the database in the embedded server.
    private static let name = "kith"

    /// Finds the database, that of the configured cell if there is one, and starts the embedded server if it is not
    /// running. `restartsOutdated` restarts it if its program has been replaced by a newer one, and begins one in a
    /// folder that nobody has named.
    ///
    /// - Throws: `LocalPostgresError`, which says what to install or to look at; ``CommandError`` for an unknown cell,
    ///   and if no database is named.
    init(_ configuration: Configuration, restartsOutdated: Bool = false) throws {
        let directory = try Self(directoryOf: configuration, restartsOutdated: restartsOutdated)
        guard let name = configuration.cell else {
            self = directory
            return
        }
        do { self = try directory.at(name, of: directory.cells()) } catch let error as PostgresError {
            // Where a worker runs, there may be no other login.
            guard let cells = try? directory.workerCells() else { throw error }
            self = try directory.at(name, of: cells)
        }
    }

    /// The same installation's database of another cell; nil for the directory.
    init(_ database: Database, at cell: Cell?) {
        embedded = database.embedded
        configuration = database.configuration
        self.cell = cell
    }

    private init(directoryOf configuration: Configuration, restartsOutdated: Bool) throws {
        self.configuration = configuration
        cell = nil
        guard configuration.isEmbedded else {
            embedded = nil
            return
        }
        // Only `kith dev` begins one where nobody has asked for it: a command with a forgotten environment would speak
        // of an empty database.
        guard restartsOutdated || configuration.namesHome || FileManager.default.fileExists(atPath: configuration.home)
        else {
            throw CommandError(
                """
                no database is named: --env-file /etc/kith/kith.env names an installation's for a server or a worker, \
                --env-file /etc/kith/owner.env for an operator, and KITH_HOME the folder of an embedded one; kith dev \
                begins one in .kith, for a trial
                """, status: 78)
        }
        let server = LocalPostgres(home: configuration.home)
        try server.start(restartsOutdated: restartsOutdated)
        let session = try PostgresSession(url: server.url())
        let known = try session.query("select from pg_database where datname = $1", [.text(Self.name)])
        if known.rowCount == 0 {
            do throws(PostgresError) {
                try session.execute("create database \(Self.name)")
            } catch {
                // Another command, started at the same moment, may have created it first.
                guard case .server(let refusal) = error, refusal.sqlState.rawValue == "42P04" else { throw error }
            }
        }
        embedded = server
    }

    /// The URL for `serve`.
    ///
    /// - Throws: ``CommandError``, like the other URLs, when only another variable names a database. The embedded
    ///   server never stands in for a database that is configured elsewhere.
    var apiURL: String { get throws(CommandError) { try url(of: "kith_api", nil, "KITH_DATABASE_URL") } }

    /// The URL for `worker`.
    var workerURL: String {
        get throws(CommandError) {
            try url(
                of: "kith_worker", configuration.workerDatabaseURL, "KITH_WORKER_DATABASE_URL or KITH_DATABASE_URL")
        }
    }

    /// The URL for `migrate`, `tenant`, `token`, `contacts`, `keys`, `psql`, `doctor`, `top` and `logs`.
    var ownerURL: String {
        get throws(CommandError) {
            try url(of: "postgres", configuration.ownerDatabaseURL, "KITH_OWNER_DATABASE_URL or KITH_DATABASE_URL")
        }
    }

    /// The settings for every connection of a role. They set the role even if the URL logs in as another one, because a
    /// superuser would bypass row-level security. The rest are the settings that the first migration gives the role,
    /// which `set role` does not apply.
    static func settings(role: String) -> [(String, String)] {
        let common = [
            ("role", role), ("search_path", ""), ("timezone", "UTC"), ("jit", "off"), ("random_page_cost", "1.1"),
            ("cpu_index_tuple_cost", "1"), ("cpu_tuple_cost", "10"), ("max_parallel_workers_per_gather", "0"),
        ]
        guard role == "kith_api" else {
            return common + [
                ("statement_timeout", "60s"), ("lock_timeout", "5s"), ("idle_in_transaction_session_timeout", "60s"),
            ]
        }
        return common + [
            ("statement_timeout", "5s"), ("lock_timeout", "1200ms"), ("idle_in_transaction_session_timeout", "10s"),
            ("plan_cache_mode", "force_generic_plan"), ("enable_seqscan", "off"),
        ]
    }

    /// Checks that sessions at `url` act as `role`, and that the database has this program's schema. In a session of
    /// another role, such as a superuser's, the policies of row-level security would not apply.
    ///
    /// - Returns: The session; nil if the database cannot be reached, which the code that needs it reports.
    /// - Throws: ``CommandError`` with status 78 for another role, and with status 75 for a database that is yet to be
    ///   migrated.
    static func examine(as role: String, at url: String) throws(CommandError) -> PostgresSession? {
        guard let session = try? PostgresSession(url: url, settings: settings(role: role)),
            let actual = try? session.query("select current_user").string(0, 0)
        else { return nil }
        if let hasMigrated = try? Migrator.hasMigrated(session), !hasMigrated {
            throw CommandError(
                """
                the database's schema does not serve this program: run kith migrate of the same release, which brings an \
                older one to it, or says that the database is newer, by more than one release
                """, status: 75)
        }
        guard actual != role else { return session }
        throw CommandError(
            """
            the database's sessions act as \(actual) and not as \(role), so row-level security would not protect the \
            tenants. A connection pooler that ignores start-up parameters discards the role: log in as \(role), or \
            connect to PostgreSQL directly
            """, status: 78)
    }

    /// Checks that sessions at `url` act as `kith_api`, and belong to the same cluster and database as those of the
    /// primary at `primaryURL`. A standby that cannot be reached or that has been promoted is no mistake: the primary
    /// answers in its place. The pool checks the same with every read, so a standby that appears later may be anything.
    ///
    /// - Throws: ``CommandError`` with status 78.
    static func examineStandby(at url: String, of primaryURL: String) throws(CommandError) {
        let question = """
            select system_identifier, (select oid from pg_database where datname = current_database()) from pg_control_system()
            """
        guard let standby = try? PostgresSession(url: url, settings: settings(role: "kith_api")),
            let role = try? standby.query("select current_user").string(0, 0)
        else { return }
        guard role == "kith_api" else {
            throw CommandError("KITH_READ_DATABASE_URL: sessions act as \(role) and not as kith_api", status: 78)
        }
        guard let theirs = try? standby.query(question),
            let primary = try? PostgresSession(url: primaryURL, settings: settings(role: "kith_api")),
            let ours = try? primary.query(question)
        else { return }
        for (column, what) in ["cluster", "database"].enumerated() {
            guard theirs.string(0, column) != ours.string(0, column) else { continue }
            throw CommandError(
                "KITH_READ_DATABASE_URL names no standby of the server in KITH_DATABASE_URL, but another \(what)",
                status: 78)
        }
    }

    /// Opens a session for commands, as the operator unless `role` names another role.
    ///
    /// - Throws: `PostgresError`: `.unavailable` when the database cannot be reached; ``CommandError`` when the owner's
    ///   URL is not set.
    func session(role: String? = nil) throws -> PostgresSession {
        try PostgresSession(url: ownerURL, settings: role.map { [("role", $0), ("timezone", "UTC")] } ?? [])
    }

    /// Opens a session in the role of the operator who logs in (``operatorRole``).
    func operatorSession() throws -> PostgresSession {
        do {
            return try session(role: "kith_admin")
        } catch {
            guard operatorRole == "kith_reader" else { throw error }
            return try session(role: "kith_reader")
        }
    }

    /// The role in which the operator who logs in works: `kith_admin`, or `kith_reader` for a login that only reads.
    var operatorRole: String {
        let question = """
            select coalesce(pg_has_role(to_regrole('kith_reader'), 'member') and not pg_has_role(to_regrole('kith_admin'), 'member'), false)
            """
        let onlyReads = (try? session().query(question).bool(0, 0)) ?? false
        return onlyReads ? "kith_reader" : "kith_admin"
    }

    private func url(of user: String, _ own: String?, _ variables: String) throws(CommandError) -> String {
        if let url = own ?? configuration.databaseURL ?? embedded?.url(database: Self.name, user: user) {
            guard let address = cell?.address else { return url }
            do throws(PostgresError) { return try address.connectionString(loggingInAs: url) } catch {
                throw CommandError("\(variables): \(error)", status: 78)
            }
        }
        throw CommandError(
            "\(variables) must be set: another database URL is set, so the embedded PostgreSQL is not used", status: 78)
    }
}
