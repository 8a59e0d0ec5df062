internal import API
internal import EventLoop
internal import HTTP
internal import Logging
internal import Postgres

/// The API server and its metrics. `kith serve` runs it alone, `kith dev` together with a worker. Besides the process's
/// main loop, it has a thread with a loop for each further processor.
///
/// `@unchecked Sendable`: it is created, started and drained on the main loop's thread, which its parts check.
final class ServerProcess: @unchecked Sendable {
    private let first: ServerLoop
    private let others: [(thread: LoopThread, part: ServerLoop)]
    private let metrics: HTTPServer
    private let checkDatabase: () throws -> Void
    /// The configured number of event streams, and the number for which there are descriptors.
    private let streams: (wanted: Int, most: Int)
    private let connections: Int
    /// The URL by which clients reach the server.
    let publicURL: String
    /// Keeps the address if its port was left to the system: links have it before the server listens.
    private let reservation: AddressReservation?
    private var beats: Task<Void, Never>?
    private var usage: Task<Void, Never>?
    private var watch: Task<Void, Never>?
    private let database: Database
    private let shared: SharedState
    /// What the loops share for each cell beside the directory, and the tasks that report from it.
    private var cells: [String: ServedCell] = [:]

    private var parts: [ServerLoop] { [first] + others.map(\.part) }

    /// Creates a server for `database` from `configuration`. Its first loop is `loop`. `demo` has the people whom one
    /// click signs in.
    ///
    /// - Throws: ``CommandError``, `PostgresError` or `EventLoopError` for a configuration that cannot be used.
    init(
        loop: EventLoop, database: Database, configuration: Configuration, demo: APIConfiguration.Demo? = nil
    ) throws {
        self.database = database
        let url = try database.apiURL
        let readURL = configuration.readDatabaseURL
        let masterKey = try configuration.loadMasterKey()
        checkDatabase = {
            try configuration.check(masterKey, Database.examine(as: "kith_api", at: url))
            if let readURL { try Database.examineStandby(at: readURL, of: url) }
        }
        let address = configuration.listen
        reservation =
            address.port == 0 ? try Self.takingAddress("KITH_LISTEN") { try AddressReservation(address) } : nil
        publicURL = configuration.publicURL ?? "http://\(reservation?.address ?? address)"
        var settings = configuration.api(masterKey: masterKey, publicURL: publicURL)
        settings.demo = demo
        let wanted = settings.streams
        settings.streams = min(wanted, max(OpenFiles.raiseLimit() - Self.otherDescriptors, 0))
        streams = (wanted, settings.streams)

        let shared = SharedState(settings)
        self.shared = shared
        let http = configuration.http
        let lanes = (
            first: configuration.lanes.share(of: configuration.loops, isFirst: true),
            further: configuration.lanes.share(of: configuration.loops, isFirst: false)
        )
        connections = lanes.first.connections + lanes.further.connections * (configuration.loops - 1)
        let first = try ServerLoop(
            loop: loop, url: url, readURL: readURL, lanes: lanes.first, http: http, api: settings, shared: shared)
        self.first = first
        others = try (1..<configuration.loops).map { [settings] _ in
            let thread = try LoopThread(clock: loop.clock)
            let part = try thread.perform {
                try ServerLoop(
                    loop: thread.loop, url: url, readURL: readURL, lanes: lanes.further, http: http, api: settings,
                    shared: shared)
            }
            return (thread, part)
        }
        let others = others.map(\.part)
        metrics = HTTPServer(
            loop: loop, configuration: HTTPServerConfiguration(address: configuration.metricsListen),
            refusal: APIServer.response(to:requestID:),
            handler: { request in
                let cell = request.query.first { $0.name == "cell" }?.value
                guard request.path == "/metrics", let api = cell.map(first.router.cells.api) ?? first.api else {
                    return HTTPResponse(.notFound)
                }
                var sample = first.sample()
                for part in others { sample += await withTaskExecutorPreference(part.loop) { part.sample() } }
                return HTTPResponse(
                    .ok, headers: ["Content-Type": "text/plain; version=0.0.4"],
                    body: await api.metrics(sample, cells: first.router.cells.states))
            })
    }

    /// Starts to answer.
    ///
    /// - Throws: ``CommandError`` when the database's sessions have another role, the database has not this program's
    ///   schema, the master key does not match it, or an address is in use.
    func start() throws {
        // First the check alone: beside the pools, which keep PostgreSQL busy while they connect, it takes several
        // times as long.
        try checkDatabase()
        first.connect()
        for (thread, part) in others { try thread.perform { part.connect() } }
        Log.info(
            "starting the server",
            ["version": Release.name, "loops": "\(parts.count)", "connections": "\(connections)"])
        if streams.most < streams.wanted {
            Log.info(
                "the limit on open files reduces the number of event streams",
                ["streams": "\(streams.most)", "wanted": "\(streams.wanted)"])
        }
        try listen("KITH_LISTEN") {
            let alone: AddressSharing = others.isEmpty ? .alone : .first
            let address = try first.listen(reservation.map { .further($0.address) } ?? alone)
            for (thread, part) in others { _ = try thread.perform { try part.listen(.further(address)) } }
            return address
        }
        try listen("KITH_METRICS_LISTEN") { try metrics.start() }
        beats = first.loop.spawn { [first, apis = others.map(\.part.api)] in
            await first.api.beat(on: first.loop, with: apis, setsClock: true)
        }
        usage = first.loop.spawn { [first, apis = others.map(\.part.api)] in
            await first.api.recordUsage(with: apis)
        }
        let cells = CellWatch(pool: first.pool, router: first.router)
        watch = first.loop.spawn { [weak self] in await cells.run { await self?.use($0) } }
    }

    /// Uses another map of cells, on every loop.
    private func use(_ map: CellMap) async {
        let others = map.cells.filter { $0.address != nil }
        for cell in others where cells[cell.name] == nil {
            cells[cell.name] = ServedCell(cell.name, SharedState(sharing: shared))
        }
        let states = cells.mapValues(\.state)
        await onEveryLoop { [database] part in
            await part.use(map, states: states) { cell in
                try database.at(Cell(name: cell.name, address: cell.address.map(PostgresAddress.init))).apiURL
            }
        }
        for (name, cell) in cells where !others.contains(where: { $0.name == name }) {
            cells[name] = nil
            await cell.stop()
        }
        for cell in cells.values { cell.start(first, self.others.map(\.part)) }
    }

    /// Answers the accepted requests, accepts no more, and closes. Ends the threads.
    func drain() async {
        await onEveryLoop { await $0.drain() }
        await metrics.drain(within: .seconds(1))
        watch?.cancel()
        await watch?.value
        for cell in cells.values { await cell.stop() }
        beats?.cancel()
        usage?.cancel()
        await usage?.value
        await beats?.value
        await first.api.endBeating()
        await onEveryLoop { await $0.disconnect() }
        for (thread, _) in others { thread.stop() }
    }

    private func onEveryLoop(_ body: @escaping @Sendable (ServerLoop) async -> Void) async {
        await withTaskGroup { group in
            for part in parts { group.addTask(executorPreference: part.loop) { await body(part) } }
        }
    }

    /// The descriptors reserved for requests, the database and the process itself.
    private static let otherDescriptors = 2048

    private func listen(_ variable: String, _ start: () throws -> ListenAddress) throws {
        let address = try Self.takingAddress(variable, start)
        Log.info("listening", ["address": "\(address)", "variable": variable])
    }

    private static func takingAddress<Result>(_ variable: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as HTTPServerError {
            throw CommandError("\(variable): \(error)", status: 78)
        }
    }
}
