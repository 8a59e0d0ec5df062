internal import API
internal import EventLoop
internal import HTTP
internal import Logging
internal import Postgres

/// The API server and its metrics on a loop. `kith serve` runs it alone, `kith dev` together with a worker.
///
/// `@unchecked Sendable`: it is created, started and drained on the loop's thread, which its parts check.
final class ServerProcess: @unchecked Sendable {
    private let loop: EventLoop
    private let pool: PostgresPool
    private let api: APIServer
    private let server: HTTPServer
    private let metrics: HTTPServer
    private let checkDatabase: () throws -> Void
    /// The configured number of event streams, and the number for which there are descriptors.
    private let streams: (wanted: Int, most: Int)
    private var beats: Task<Void, Never>?

    /// Creates a server for `database` from `configuration`.
    ///
    /// - Throws: ``CommandError`` or `PostgresError` for a configuration that cannot be used.
    init(loop: EventLoop, database: Database, configuration: Configuration) throws {
        self.loop = loop
        let url = try database.apiURL
        pool = try PostgresPool(
            loop: loop, url: url, applicationName: "kith serve", lanes: configuration.lanes,
            sessionSettings: Database.settings(role: "kith_api"))
        let masterKey = try configuration.loadMasterKey()
        checkDatabase = {
            try Database.requireRole("kith_api", at: url)
            try configuration.check(masterKey, for: url, as: "kith_api")
        }
        var settings = APIConfiguration(
            masterKey: masterKey, instance: Instance.name, version: Release.name, publicURL: configuration.publicURL)
        settings.trustedProxies = configuration.trustedProxies
        settings.addressLimit = configuration.addressLimit ?? settings.addressLimit
        settings.userLimit = configuration.userLimit ?? settings.userLimit
        settings.tenantLimit = configuration.tenantLimit ?? settings.tenantLimit
        settings.signInLimit = configuration.signInLimit ?? settings.signInLimit
        let wanted = configuration.streams ?? settings.streams
        streams = (wanted, min(wanted, max(OpenFiles.raiseLimit() - Self.otherDescriptors, 0)))
        settings.streams = streams.most
        settings.addressStreams = configuration.addressConnections
        let api = APIServer(pool: pool, configuration: settings)
        self.api = api
        var http = HTTPServerConfiguration(address: configuration.listen)
        http.maximumBody = APIServer.usualBody
        http.bodyRule = APIServer.bodyRule
        http.singleFields = APIServer.singleFields
        http.maximumConnectionsPerAddress = configuration.addressConnections
        let server = HTTPServer(
            loop: loop, configuration: http,
            refusal: APIServer.response(to:requestID:), handler: { await api.respond(to: $0) })
        self.server = server
        metrics = HTTPServer(
            loop: loop, configuration: HTTPServerConfiguration(address: configuration.metricsListen),
            refusal: APIServer.response(to:requestID:),
            handler: { request in
                guard request.path == "/metrics" else { return HTTPResponse(.notFound) }
                return HTTPResponse(
                    .ok, headers: ["Content-Type": "text/plain; version=0.0.4"],
                    body: await api.metrics(http: server.metrics))
            })
    }

    /// Starts to answer.
    ///
    /// - Throws: ``CommandError`` when the database's sessions have another role, the master key does not match the
    ///   database, or an address is in use.
    func start() throws {
        // The pool connects while the database is checked.
        pool.start()
        try checkDatabase()
        Log.info("starting the server", ["version": Release.name])
        if streams.most < streams.wanted {
            Log.info(
                "the limit on open files reduces the number of event streams",
                ["streams": "\(streams.most)", "wanted": "\(streams.wanted)"])
        }
        try listen(server, "KITH_LISTEN")
        try listen(metrics, "KITH_METRICS_LISTEN")
        beats = loop.spawn { [api, loop] in await api.beat(on: loop) }
    }

    /// Answers the accepted requests, accepts no more, and closes.
    func drain() async {
        await server.drain(within: .seconds(20))
        await metrics.drain(within: .seconds(1))
        beats?.cancel()
        await pool.drain()
    }

    /// The descriptors reserved for requests, the database and the process itself.
    private static let otherDescriptors = 2048

    private func listen(_ server: HTTPServer, _ variable: String) throws {
        do throws(HTTPServerError) {
            let address = try server.start()
            Log.info("listening", ["address": "\(address)", "variable": variable])
        } catch {
            throw CommandError("\(variable): \(error)", status: 78)
        }
    }
}
