import Foundation
import LocalPostgres
import Postgres
import Testing

/// An installation with several cells: `main`, with the tenants acme and globex, and others, which are further
/// databases of the same server unless they get a server of their own.
final class CellHouse: Sendable {
    let installation: Installation
    /// The databases beside the directory's, by the names of their cells.
    let urls: [String: String]
    /// The servers of cells that have one of their own, by the names of these.
    private let servers: [String: EphemeralPostgres]

    /// Makes an installation, and a database for each name. They are cells once ``addAll()`` was called.
    init(_ names: [String], offset: Int? = Day.offset) throws {
        installation = try Installation(offset: offset, cells: 1)
        servers = [:]
        var urls: [String: String] = [:]
        for (number, name) in names.enumerated() {
            let template = number == 0 ? "template1" : names[0]
            let url = try installation.postgres.createDatabase(name, template: template)
            urls[name] = url
            if number == 0 { try Self.prepare(url, installation.environment) }
        }
        self.urls = urls
    }

    /// Makes an installation between whose cells tenants can move. Each cell has a server of its own, unless
    /// `onOneServer` is set.
    init(moving names: [String], onOneServer: Bool = false) throws {
        var settings = LocalPostgresSettings()
        settings.parameters["wal_level"] = "logical"
        // How soon a copy that failed is tried again.
        settings.parameters["wal_retrieve_retry_interval"] = "500ms"
        installation = try Installation(offset: nil, cells: 1, settings: settings)
        var urls: [String: String] = [:]
        var servers: [String: EphemeralPostgres] = [:]
        for name in names {
            if !onOneServer { servers[name] = try EphemeralPostgres(settings: settings) }
            urls[name] = try (servers[name] ?? installation.postgres).createDatabase(name)
            try Self.prepare(urls[name] ?? "", installation.environment)
        }
        self.urls = urls
        self.servers = servers
        try addAll()
    }

    /// The end of the log of a cell's PostgreSQL.
    static func newestLog(of session: PostgresSession) throws -> String {
        let log = "pg_read_file(current_setting('data_directory') || '/../postgres.log')"
        return try session.query("select right(\(log), 5000)").string(0, 0) ?? ""
    }

    /// Brings an empty database to the schema, with partitions for the tests' dates.
    static func prepare(_ url: String, _ environment: [String: String]) throws {
        let own = environment.merging(["KITH_DATABASE_URL": url]) { $1 }
        try check(KithProcess.run(["migrate"], environment: own))
        // The table that kith dev leaves in its database, which allows programs to be given another clock.
        try PostgresSession(url: url).execute("create table internal.development (made_at timestamptz not null)")
        try check(KithProcess.run(["worker", "--once"], environment: own))
    }

    /// The address of a database, without the user.
    static func address(_ url: String) -> String {
        url.replacing(/:\/\/[^@\/]*@/, with: "://")
    }

    /// Runs a command of the installation.
    func kith(_ arguments: String...) throws -> (status: Int32, output: String, errors: String) {
        try KithProcess.run(arguments, environment: installation.environment)
    }

    /// Adds the databases as cells.
    func addAll() throws {
        for name in urls.keys.sorted() {
            try Self.check(kith("cell", "add", name, Self.address(urls[name] ?? "")))
        }
    }

    /// Creates a tenant in a cell.
    func tenant(_ slug: String, in cell: String) throws -> Installation.Tenant {
        let made = try kith("tenant", "create", slug, "--name", slug.capitalized, "--cell", cell, "--json")
        try Self.check(made)
        return try JSONDecoder().decode(Installation.Tenant.self, from: Data(made.output.utf8))
    }

    /// A superuser's session in a cell.
    func session(_ cell: String) throws -> PostgresSession {
        try PostgresSession(url: #require(urls[cell]))
    }

    /// A superuser's session at the server of a cell that has one of its own, in another database.
    func outsideSession(_ cell: String) throws -> PostgresSession {
        try PostgresSession(url: #require(servers[cell]).server.url())
    }

    /// Waits until a server uses a cell.
    func awaitUse(of cell: String, by server: KithProcess) throws {
        _ = try server.waitForLog("a cell is in use cell=\(cell)")
    }

    /// Makes a database unreachable, as if its server were off.
    func close(_ database: String) throws {
        let session = try PostgresSession(url: installation.postgres.server.url())
        try session.execute("alter database \(database) allow_connections false")
        _ = try session.query(
            "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [.text(database)])
    }

    /// Makes a database reachable again.
    func open(_ database: String) throws {
        let session = try PostgresSession(url: installation.postgres.server.url())
        try session.execute("alter database \(database) allow_connections true")
    }

    /// Makes another database on the server of a cell that has one of its own, and adds it as a cell.
    func add(_ name: String, besides cell: String) throws -> (status: Int32, output: String, errors: String) {
        let url = try #require(servers[cell]).createDatabase(name)
        try Self.prepare(url, installation.environment)
        return try kith("cell", "add", name, Self.address(url))
    }

    /// Stops and starts the server of a cell that has one of its own.
    func closeServer(of cell: String) throws {
        try #require(servers[cell]).server.stop()
    }

    func openServer(of cell: String) throws {
        try #require(servers[cell]).server.start()
    }

    static func check(_ result: (status: Int32, output: String, errors: String)) throws {
        guard result.status == 0 else { throw KithProcess.Failure(description: result.errors) }
    }
}
