internal import EventLoop
internal import Foundation
internal import Logging
internal import Postgres
internal import Synchronization
internal import Worker

extension Command {
    static let worker = Command(
        name: "worker", usage: "[--once] [--now INSTANT]",
        summary:
            "Makes pings, tells people and sends messages; --once does what there is and ends; --now sets its clock (kith dev's database only)."
    ) { arguments in
        var arguments = arguments
        let configuration = try Configuration(Environment.load(&arguments))
        let once = arguments.flag("once")
        let now = try arguments.option("now")
        try arguments.finish()
        Log.use(configuration.log)
        let database = try Database(configuration)
        let loop = try EventLoop()
        let process = try WorkerProcess(
            loop: loop, database: database, configuration: configuration, delivery: configuration.delivery ?? .channels,
            clock: try clock(now, database))
        guard once else {
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

    /// The worker's clock.
    ///
    /// - Throws: ``CommandError`` for an instant that is none, and for a clock other than the wall's on a database that `kith dev` did not
    ///   make: there it would report real people missing.
    private static func clock(_ now: String?, _ database: Database) throws -> WorkerClock {
        guard let now else { return .wall }
        guard
            let instant = try? Date(
                now, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: now.contains(".")))
        else { throw CommandError("--now must be an instant like 2026-11-21T09:00:00Z", status: 64) }
        let made = try PostgresSession(url: database.workerURL)
            .query("select to_regclass('internal.development') is not null").bool(0, 0)
        guard made == true else {
            throw CommandError(
                "--now works only on a database that kith dev made: here it would report real people missing")
        }
        return .starting(at: Int64((instant.timeIntervalSince1970 * 1_000_000).rounded()))
    }
}
