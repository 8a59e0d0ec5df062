internal import LocalPostgres
internal import Postgres

/// The database that a command works on: the configured one, or the embedded PostgreSQL of KITH_HOME where no variable names one.
struct Database {
    /// The embedded server, when no URL is configured.
    let embedded: LocalPostgres?
    let configuration: Configuration

    /// The name of the database in the embedded server.
    private static let name = "kith"

    /// Finds the database, and starts the embedded server when it does not run; again if `restartsOutdated` and its program has been
    /// replaced by a newer one.
    ///
    /// - Throws: `LocalPostgresError`, which says what to install or to look at.
    init(_ configuration: Configuration, restartsOutdated: Bool = false) throws {
        self.configuration = configuration
        guard configuration.isEmbedded else {
            embedded = nil
            return
        }
        let server = LocalPostgres(home: configuration.home)
        try server.start(restartsOutdated: restartsOutdated)
        let session = try PostgresSession(url: server.url())
        let known = try session.query("select from pg_database where datname = $1", [.text(Self.name)])
        if known.rowCount == 0 {
            do throws(PostgresError) {
                try session.execute("create database \(Self.name)")
            } catch {
                // Another command, started at the same moment, may have made it first.
                guard case .server(let refusal) = error, refusal.sqlState.rawValue == "42P04" else { throw error }
            }
        }
        embedded = server
    }

    /// For `serve`.
    ///
    /// - Throws: ``CommandError``, as the others do, where only another's is set: nothing embedded stands in for a database that has a
    ///   name.
    var apiURL: String { get throws(CommandError) { try url(of: "kith_api", nil, "KITH_DATABASE_URL") } }

    /// For `worker`.
    var workerURL: String {
        get throws(CommandError) {
            try url(
                of: "kith_worker", configuration.workerDatabaseURL, "KITH_WORKER_DATABASE_URL or KITH_DATABASE_URL")
        }
    }

    /// For `migrate`, `tenant`, `token` and `psql`.
    var ownerURL: String {
        get throws(CommandError) {
            try url(of: "postgres", configuration.ownerDatabaseURL, "KITH_OWNER_DATABASE_URL or KITH_DATABASE_URL")
        }
    }

    /// What every connection of a role is opened with. The role is taken even where the URL is another's, a superuser's say: it would
    /// bypass row-level security. The rest is what the first migration gives the role, which taking a role does not bring.
    static func settings(role: String) -> [(String, String)] {
        let common = [("role", role), ("search_path", ""), ("timezone", "UTC"), ("jit", "off")]
        guard role == "kith_api" else {
            return common + [
                ("statement_timeout", "60s"), ("lock_timeout", "5s"), ("idle_in_transaction_session_timeout", "60s"),
            ]
        }
        return common + [
            ("statement_timeout", "5s"), ("lock_timeout", "1200ms"), ("idle_in_transaction_session_timeout", "10s"),
            ("plan_cache_mode", "force_generic_plan"),
        ]
    }

    /// A session for commands, as the operator unless another role is asked for.
    ///
    /// - Throws: `PostgresError`, `.unavailable` when the database cannot be reached; ``CommandError`` when the owner's URL is not set.
    func session(role: String? = nil) throws -> PostgresSession {
        try PostgresSession(url: ownerURL, settings: role.map { [("role", $0), ("timezone", "UTC")] } ?? [])
    }

    private func url(of user: String, _ own: String?, _ variables: String) throws(CommandError) -> String {
        if let url = own ?? configuration.databaseURL ?? embedded?.url(database: Self.name, user: user) { return url }
        throw CommandError(
            "\(variables) must be set: another database URL is, so there is no embedded PostgreSQL", status: 78)
    }
}
