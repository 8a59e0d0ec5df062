internal import API
internal import EventLoop
internal import Glibc
internal import LocalPostgres
internal import Logging
internal import Postgres
internal import Schema
internal import Worker

extension Command {
    static let dev = Command(
        name: "dev", usage: "",
        summary:
            """
            Runs everything: an embedded PostgreSQL, the schema, a demo tenant, a server and a worker. Ctrl-C stops \
            it all.
            """
    ) { arguments in
        var arguments = arguments
        let configuration = try Configuration(Environment.load(&arguments))
        try arguments.finish()
        guard configuration.isEmbedded else {
            throw CommandError(
                """
                kith dev has a PostgreSQL of its own: unset KITH_DATABASE_URL, KITH_WORKER_DATABASE_URL and \
                KITH_OWNER_DATABASE_URL, or use kith migrate, serve and worker
                """,
                status: 78)
        }
        // The demo's tokens and pings use the database's time.
        guard configuration.clockOffset == nil else {
            throw CommandError("kith dev goes by the machine's clock: unset KITH_CLOCK_OFFSET", status: 78)
        }
        Log.use(configuration.log)
        let database = try Database(configuration, restartsOutdated: true)
        defer { try? database.embedded?.stop() }
        let session = try database.session()
        let outcome = try Migrator(session).migrate()
        if !outcome.isCurrent { Log.info("migrated", ["applied": "\(outcome.migrations.count)"]) }
        let demo = try Demo(session: session, masterKey: configuration.loadMasterKey(), configuration: configuration)
        let loop = try EventLoop()
        let server = try ServerProcess(
            loop: loop, database: database, configuration: configuration, demo: Demo.people)
        let cells = CellWorkers(
            loop: loop, database: database, configuration: configuration, delivery: configuration.delivery ?? .console,
            publicURL: server.publicURL)
        let work = try WorkerProcess(
            loop: loop, database: database, configuration: configuration, delivery: configuration.delivery ?? .console,
            publicURL: server.publicURL, board: cells.board)
        holdStopSignals()
        try server.start()
        let working = loop.spawn { await work.run() }
        let others = loop.spawn { await cells.run(work.pool) }
        let watch = database.embedded.map { embedded in loop.spawn { await keepRunning(embedded, on: loop) } }
        print(demo.greeting(url: server.publicURL))
        // Flush even into a pipe, because the text is needed while the program runs.
        fflush(nil)
        try runUntilSignalled(loop) {
            watch?.cancel()
            work.worker.stop()
            others.cancel()
            await server.drain()
            await others.value
            await working.value
        }
    }
    /// Starts PostgreSQL again whenever it has died, until the task is cancelled. The loop waits for it meanwhile:
    /// without a database there is nothing to answer.
    private static func keepRunning(_ embedded: LocalPostgres, on loop: EventLoop) async {
        while (try? await loop.sleep(for: .seconds(1))) != nil {
            guard !embedded.isRunning else { continue }
            do {
                try embedded.start()
                Log.info("PostgreSQL had ended and was started again")
            } catch {
                Log.error("PostgreSQL has ended: \(error)")
            }
        }
    }
}
