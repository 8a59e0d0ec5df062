internal import API
internal import EventLoop
internal import HTTP
internal import Logging
internal import Postgres

/// The API and its metrics on a loop: what `kith serve` runs, and `kith dev` beside a worker.
///
/// `@unchecked Sendable`: made, started and drained on the loop's thread, which its parts check.
final class ServerProcess: @unchecked Sendable {
    private let loop: EventLoop
    private let pool: PostgresPool
    private let api: APIServer
    private let server: HTTPServer
    private let metrics: HTTPServer
    private let checkMasterKey: () throws -> Void
    /// How many streams of events were asked for, and how many there are descriptors for.
    private let streams: (wanted: Int, most: Int)
    private var beats: Task<Void, Never>?

    /// A server of `database`, as `configuration` says.
    ///
    /// - Throws: ``CommandError`` and `PostgresError` for a configuration that cannot be used.
    init(loop: EventLoop, database: Database, configuration: Configuration) throws {
        self.loop = loop
        let url = try database.apiURL
        pool = try PostgresPool(
            loop: loop, url: url, applicationName: "kith serve", lanes: configuration.lanes,
            sessionSettings: Database.settings(role: "kith_api"))
        let masterKey = try configuration.loadMasterKey()
        checkMasterKey = { try configuration.check(masterKey, for: url, as: "kith_api") }
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
        let api = try APIServer(pool: pool, configuration: settings)
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

    /// Begins to answer.
    ///
    /// - Throws: ``CommandError`` when the master key is another than the database's, or an address is taken.
    func start() throws {
        // It connects while the key is tried.
        pool.start()
        try checkMasterKey()
        if streams.most < streams.wanted {
            Log.info(
                "the limit of open files bounds the streams of events",
                ["streams": "\(streams.most)", "wanted": "\(streams.wanted)"])
        }
        try listen(server, "KITH_LISTEN")
        try listen(metrics, "KITH_METRICS_LISTEN")
        beats = loop.spawn { [api, loop] in await api.beat(on: loop) }
    }

    /// Answers what was accepted, takes nothing more, and closes.
    func drain() async {
        await server.drain(within: .seconds(20))
        await metrics.drain(within: .seconds(1))
        beats?.cancel()
        await pool.drain()
    }

    /// What requests, the database and the process itself may need.
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
