internal import API
internal import EventLoop
internal import HTTP
internal import Postgres

/// The part of a server that runs on one event loop: its HTTP server, its database connections, and the API between them.
///
/// `@unchecked Sendable`: it is created and used on the loop's thread, which its parts check.
final class ServerLoop: @unchecked Sendable {
    let loop: EventLoop
    let api: APIServer
    private let pool: PostgresPool
    private let server: HTTPServer

    /// Creates the part that runs on `loop`.
    init(
        loop: EventLoop, url: String, readURL: String?, lanes: PostgresLanes, http: HTTPServerConfiguration,
        api settings: APIConfiguration,
        shared: SharedState
    ) throws {
        self.loop = loop
        pool = try PostgresPool(
            loop: loop, url: url, readURL: readURL, applicationName: "kith serve", lanes: lanes,
            sessionSettings: Database.settings(role: "kith_api"))
        let api = APIServer(pool: pool, configuration: settings, shared: shared)
        self.api = api
        server = HTTPServer(
            loop: loop, configuration: http, refusal: APIServer.response(to:requestID:),
            handler: { await api.respond(to: $0) })
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
        api.sample(http: server.metrics)
    }

    /// Answers the accepted requests, and accepts no more.
    func drain() async {
        await server.drain(within: .seconds(20))
    }

    /// Closes the connections to the database.
    func disconnect() async {
        await pool.drain()
    }
}
