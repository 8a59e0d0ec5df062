import Foundation
import Glibc
import LocalPostgres
import Postgres

/// A complete Kith installation: a PostgreSQL of its own, the schema, and the tenants acme and globex.
///
/// With `KITH_TEST_CELLS=3` it has three cells (decision 51): a directory without tenants, a cell with all of the
/// tests' tenants, and one with another tenant, so that every request is led to a database that is not the directory,
/// and every search for a secret asks three.
final class Installation: Sendable {
    let postgres: EphemeralPostgres
    /// The database in which the tenants live.
    let url: String
    let acme: Tenant
    let globex: Tenant
    let environment: [String: String]

    /// A tenant and the key of its server.
    struct Tenant: Codable, Sendable {
        let tenantID: Int
        let slug: String
        let secretKey: String

        private enum CodingKeys: String, CodingKey {
            case slug
            case tenantID = "tenant_id"
            case secretKey = "secret_key"
        }
    }

    /// Makes an installation whose clock is ``Day``'s unless `offset` is given, in seconds from the machine's clock.
    /// With nil it is the machine's clock, which tests of heartbeats and of operators' commands need, because these use
    /// the database's clock. Request limits are lifted unless `limits` is set, since tests send more requests than
    /// people do. A test of cells says how many databases it begins with.
    init(
        offset: Int? = Day.offset, fsync: Bool = false, limits: Bool = false, cells: Int = Installation.cells,
        settings: LocalPostgresSettings = LocalPostgresSettings()
    ) throws {
        let template = try Self.template(cells).get()
        var settings = settings
        if cells > 1 { settings.parameters["max_connections"] = Self.connectionsOfCells }
        postgres = try EphemeralPostgres(fsync: fsync, settings: settings, template: template.postgres)
        let directory = postgres.server.url(database: Self.database)
        self.cells = Self.names(cells)
        url = self.cells.first.map { [postgres] in postgres.server.url(database: $0) } ?? directory
        acme = template.acme
        globex = template.globex
        var environment = Self.environment(directory)
        environment["KITH_CLOCK_OFFSET"] = offset.map(String.init)
        if !limits {
            for name in ["ADDRESS", "USER", "TENANT", "SIGN_IN"] { environment["KITH_\(name)_LIMIT"] = "0" }
        }
        self.environment = environment
        if offset == nil { try session().execute("select internal.make_partitions(now(), 100)") }
        // The copy's addresses still lead to the template.
        for name in self.cells {
            _ = try PostgresSession(url: directory).query(
                "update kith.cells set address = $2 where name = $1",
                [.text(name), .text(CellHouse.address(postgres.server.url(database: name)))])
        }
    }

    /// All cells are databases of one server, and each server of Kith has connections to each of them.
    private static let connectionsOfCells = "400"

    /// The states from which every installation begins, each made once; their PostgreSQL is stopped.
    private static let whole = Result { try begin(1) }
    private static let split = Result { try begin(cells) }

    private static func template(
        _ cells: Int
    ) -> Result<(postgres: EphemeralPostgres, acme: Tenant, globex: Tenant), any Error> {
        cells == 1 ? whole : split
    }

    private static func begin(_ cells: Int) throws -> (postgres: EphemeralPostgres, acme: Tenant, globex: Tenant) {
        let postgres = try EphemeralPostgres()
        let url = try postgres.createDatabase(database)
        let environment = Self.environment(url)
        try check(KithProcess.run(["migrate"], environment: environment))
        for name in names(cells) {
            let cell = try postgres.createDatabase(name)
            try check(
                KithProcess.run(["migrate"], environment: environment.merging(["KITH_DATABASE_URL": cell]) { $1 }))
            try check(KithProcess.run(["cell", "add", name, CellHouse.address(cell)], environment: environment))
        }
        let home = names(cells).first
        let acme = try tenant("acme", environment, in: home)
        let globex = try tenant("globex", environment, in: home)
        if let last = names(cells).dropFirst().last { _ = try tenant("elsewhere", environment, in: last) }
        for name in [database] + names(cells) {
            let session = try PostgresSession(url: postgres.server.url(database: name))
            // The table that kith dev leaves in its database, which allows the worker to be given another clock.
            try session.execute("create table internal.development (made_at timestamptz not null)")
            // Each plan of a partitioned table opens all of its partitions, so there are those for the tests' dates,
            // without those for the machine's with which the schema came.
            try session.execute(
                """
                do $$
                declare
                  v_partition text;
                begin
                  for v_partition in select name from internal.partitions() loop
                    execute format('drop table kith.%I', v_partition);
                  end loop;
                end
                $$
                """)
        }
        try check(KithProcess.run(["worker", "--once"], environment: environment))
        try postgres.server.stop()
        return (postgres, acme, globex)
    }

    /// The name of the database, the directory if there are several.
    static let database = "kith"

    /// How many databases an installation begins with, as `KITH_TEST_CELLS` says.
    static let cells = ProcessInfo.processInfo.environment["KITH_TEST_CELLS"].flatMap(Int.init) ?? 1

    /// The names of the cells beside the directory, and of their databases.
    private static func names(_ cells: Int) -> [String] {
        (1..<max(cells, 1)).map { "cell\($0 + 1)" }
    }

    /// The names of this installation's cells beside the directory. The first has the tests' tenants.
    private let cells: [String]

    private static func environment(_ url: String) -> [String: String] {
        [
            "KITH_DATABASE_URL": url, "KITH_LISTEN": "127.0.0.1:0", "KITH_METRICS_LISTEN": "127.0.0.1:0",
            "KITH_MASTER_KEY": String(repeating: "5a", count: 32),
            // Each connection compiles the procedures that it calls, so more connections cost the tests more than they
            // gain.
            "KITH_READ_CONNECTIONS": "2", "KITH_WRITE_CONNECTIONS": "4", "KITH_CHECK_IN_CONNECTIONS": "2",
            // Whatever machine they run on. The limits of a lane hold for each loop, so tests of them need a single
            // one.
            "KITH_LOOPS": "1",
            // Outgoing messages wait unless a test configures a delivery.
            "KITH_DELIVERY": "none",
            "KITH_CLOCK_OFFSET": "\(Day.offset)",
        ]
    }

    /// The environment of commands that work in one database: in the cell of the tests' tenants.
    var home: [String: String] { environment.merging(cells.first.map { ["KITH_CELL": $0] } ?? [:]) { $1 } }

    /// Where a server says what the database of the tests' tenants counts.
    var metrics: String { "/metrics" + (cells.first.map { "?cell=\($0)" } ?? "") }

    /// Makes another tenant, with pages of its own under `host`.
    func tenant(_ slug: String, host: String? = nil) throws -> Tenant {
        let tenant = try Self.tenant(slug, environment, in: cells.first)
        if let host { try set(tenant, "universal_link_host=\(host)") }
        return tenant
    }

    /// Changes a setting of a tenant as an operator does.
    func set(_ tenant: Tenant, _ setting: String) throws {
        try Self.check(KithProcess.run(["tenant", "set", tenant.slug, setting], environment: environment))
    }

    private static func tenant(
        _ slug: String, _ environment: [String: String], in cell: String?
    ) throws -> Tenant {
        let place = cell.map { ["--cell", $0] } ?? []
        let made = try KithProcess.run(
            ["tenant", "create", slug, "--name", slug.capitalized, "--json"] + place, environment: environment)
        try check(made)
        // The brand and link that the product's texts use.
        try check(
            KithProcess.run(
                [
                    "tenant", "set", slug, "brand_name=PRUUF", "join_link=https://pruuf.app/join",
                    "link_scheme=khandoba",
                ], environment: environment))
        return try JSONDecoder().decode(Tenant.self, from: Data(made.output.utf8))
    }

    /// Starts `kith serve` and returns a client for it.
    func serve(_ more: [String: String] = [:]) throws -> (process: KithProcess, client: APIClient) {
        let process = try KithProcess(["serve"], environment: environment.merging(more) { $1 })
        let line = try process.waitForLog("variable=KITH_LISTEN")
        guard let address = line.firstMatch(of: /address=([0-9.:]+)/)?.1, let base = URL(string: "http://\(address)")
        else {
            throw KithProcess.Failure(description: line)
        }
        for name in cells { _ = try process.waitForLog("a cell is in use cell=\(name)") }
        return (process, APIClient(base: base))
    }

    /// The one line in which a program says that it does not work in the database of the tests' tenants. With one
    /// database it ends then; with several it goes on in the others.
    func refusal(of command: [String], _ more: [String: String] = [:]) throws -> String {
        let process = try KithProcess(command, environment: environment.merging(more) { $1 })
        guard !cells.isEmpty else {
            guard process.wait() == 78, process.standardError.split(separator: "\n").count == 1 else {
                throw KithProcess.Failure(description: process.standardError)
            }
            return process.standardError
        }
        defer { process.signal(SIGTERM) }
        return try process.waitForLog("cell=\(cells[0]) reason=")
    }

    /// Runs the worker once, at the given instant if there is one.
    func work(at instant: String? = nil) throws {
        var arguments = ["worker", "--once"]
        if let instant { arguments += ["--now", instant] }
        try Self.check(KithProcess.run(arguments, environment: environment))
    }

    /// Makes a streaming standby, which logs every statement.
    func makeStandby() throws -> EphemeralPostgres {
        var settings = LocalPostgresSettings()
        settings.parameters["log_min_duration_statement"] = "0"
        // A standby needs as many as its primary.
        if !cells.isEmpty { settings.parameters["max_connections"] = Self.connectionsOfCells }
        return try EphemeralPostgres(
            settings: settings, template: Self.template(cells.count + 1).get().postgres, primary: postgres)
    }

    /// The database of the tests' tenants, for an operator's login.
    func url(of login: String) -> String {
        postgres.server.url(database: cells.first ?? Self.database, user: login)
    }

    /// A superuser's session in the directory, which has what concerns no tenant.
    func directorySession() throws -> PostgresSession {
        try PostgresSession(url: postgres.server.url(database: Self.database))
    }

    /// A superuser's session, to inspect the tests' tenants directly.
    func session() throws -> PostgresSession {
        try PostgresSession(url: url)
    }

    private static func check(_ result: (status: Int32, output: String, errors: String)) throws {
        guard result.status == 0 else { throw KithProcess.Failure(description: result.errors) }
    }
}
