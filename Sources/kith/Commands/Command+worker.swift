internal import EventLoop
internal import Logging
internal import Postgres
internal import Synchronization
internal import Worker

extension Command {
    static let worker = Command(
        name: "worker", usage: "[--once] [--now INSTANT]",
        summary:
            "Makes pings, notifies people and sends messages. --once does the available work and ends; --now sets the clock, which stands still with --once (only on kith dev's database)."
    ) { arguments in
        var arguments = arguments
        let configuration = try Configuration(Environment.load(&arguments))
        let once = arguments.flag("once")
        let now = try arguments.option("now")
        try arguments.finish()
        Log.use(configuration.log)
        let database = try Database(configuration)
        let loop = try EventLoop(clock: database.clock(at: now, isStopped: once, url: database.workerURL))
        let process = try WorkerProcess(
            loop: loop, database: database, configuration: configuration, delivery: configuration.delivery ?? .channels)
        guard once else {
            Log.info("starting the worker", ["version": Release.name])
            let running = loop.spawn { await process.run() }
            try runUntilSignalled(loop) {
                process.worker.stop()
                await running.value
            }
            return
        }
        let outcome = Mutex<Result<[(loop: String, done: Int)], PostgresError>?>(nil)
        loop.spawn {
            do throws(PostgresError) {
                let done = try await process.runOnce()
                outcome.withLock { $0 = .success(done) }
            } catch {
                outcome.withLock { $0 = .failure(error) }
            }
            loop.stop()
        }
        loop.run()
        for (name, done) in try outcome.withLock({ $0 })?.get() ?? [] { print("\(name) \(done)") }
    }
}
