internal import EventLoop
internal import Logging
internal import Postgres
internal import Synchronization
internal import Worker

extension Command {
    static let worker = Command(
        name: "worker", usage: "[--once] [--now INSTANT]",
        summary:
            """
            Makes pings, notifies people and sends messages, in every cell, or in the one that --cell names. --once \
            does the available work and ends; --now sets the clock, which stands still with --once (only on kith \
            dev's database).
            """
    ) { arguments in
        var arguments = arguments
        let configuration = try Configuration(Environment.load(&arguments))
        let once = arguments.flag("once")
        let now = try arguments.option("now")
        try arguments.finish()
        Log.use(configuration.log)
        let database = try Database(configuration)
        let loop = try EventLoop(clock: database.clock(at: now, isStopped: once, url: database.workerURL))
        let cells =
            configuration.cell == nil
            ? CellWorkers(
                loop: loop, database: database, configuration: configuration,
                delivery: configuration.delivery ?? .channels) : nil
        let process = try WorkerProcess(
            loop: loop, database: database, configuration: configuration, delivery: configuration.delivery ?? .channels,
            board: once ? nil : cells?.board)
        guard once else {
            Log.info("starting the worker", ["version": Release.name])
            let running = loop.spawn { await process.run() }
            let others = cells.map { cells in loop.spawn { await cells.run(process.pool) } }
            try runUntilSignalled(loop) {
                process.worker.stop()
                others?.cancel()
                await others?.value
                await running.value
            }
            return
        }
        try print(runOnce(process, cells, on: loop))
    }

    /// Does the work that is available in every cell. Returns a line for each loop.
    private static func runOnce(_ process: WorkerProcess, _ cells: CellWorkers?, on loop: EventLoop) throws -> String {
        let outcome = Mutex<Result<[String], any Error>?>(nil)
        loop.spawn {
            do {
                var lines = try await process.runOnce().map { "\($0.loop) \($0.done)" }
                for (cell, done) in try await cells?.runOnce() ?? [] {
                    lines += done.map { "\(cell): \($0.loop) \($0.done)" }
                }
                outcome.withLock { [lines] in $0 = .success(lines) }
            } catch {
                outcome.withLock { $0 = .failure(error) }
            }
            loop.stop()
        }
        loop.run()
        return try outcome.withLock({ $0 })?.get().joined(separator: "\n") ?? ""
    }
}
