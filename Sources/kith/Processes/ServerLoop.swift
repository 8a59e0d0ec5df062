internal import API
internal import EventLoop
internal import HTTP
internal import Postgres
internal import Schema

/// The part of a server that runs on one event loop: its HTTP server, its connections to the databases of all cells,
/// and the API between them.
///
/// `@unchecked Sendable`: it is created and used on the loop's thread, which its parts check.
final class ServerLoop: @unchecked Sendable {
    let loop: EventLoop
    /// The API server of the directory, or of the only database.
    let api: APIServer
    let router: CellRouter
    let pool: PostgresPool
    private let server: HTTPServer
    private let lanes: PostgresLanes
    private let settings: APIConfiguration

    /// Creates the part that runs on `loop`.
    init(
        loop: EventLoop, url: String, readURL: String?, lanes: PostgresLanes, http: HTTPServerConfiguration,
        api settings: APIConfiguration,
        shared: SharedState
    ) throws {
        self.loop = loop
        self.lanes = lanes
        self.settings = settings
        pool = try PostgresPool(
            loop: loop, url: url, readURL: readURL, applicationName: "kith serve", lanes: lanes,
            sessionSettings: Database.settings(role: "kith_api"))
        let api = APIServer(pool: pool, configuration: settings, shared: shared)
        self.api = api
        let router = CellRouter(
            directory: api, pool: pool, shared: shared, schema: Migrator.schema, settings)
        self.router = router
        server = HTTPServer(
            loop: loop, configuration: http, refusal: APIServer.response(to:requestID:),
            handler: { await router.respond(to: $0) })
    }

    /// Starts to connect to the database.
    func connect() {
        pool.start()
    }

    /// Starts to answer. Returns the address.
    func listen(_ sharing: AddressSharing) throws(HTTPServerError) -> ListenAddress {
        try server.start(sharing)
    }

    /// What this loop has counted so far.
    func sample() -> ServerSample {
        var sample = api.sample(http: server.metrics)
        for other in router.cells.others.values { sample += other.sample(http: HTTPServerMetrics()) }
        return sample
    }

    /// Uses another map of cells. `states` has what the loops share for each cell, and `url` gives the URL of a cell.
    func use(
        _ map: CellMap, states: [String: SharedState], url: (CellMap.Cell) throws -> String
    ) async {
        var settings = settings
        settings.demo = nil
        let gone = router.cells.use(map) { [settings] cell in
            let pool = try PostgresPool(
                loop: loop, url: url(cell), applicationName: "kith serve", lanes: lanes,
                sessionSettings: Database.settings(role: "kith_api"))
            guard let state = states[cell.name] else { throw CommandError("the cell has no state") }
            return (pool, APIServer(pool: pool, configuration: settings, shared: state))
        }
        for pool in gone { await pool.drain() }
    }

    /// Answers the accepted requests, and accepts no more.
    func drain() async {
        await server.drain(within: .seconds(20))
    }

    /// Closes the connections to the database.
    func disconnect() async {
        for other in router.cells.otherPools { await other.drain() }
        await pool.drain()
    }
}
