internal import Delivery
internal import EventLoop
internal import Postgres
internal import Worker

/// The worker on a loop: what `kith worker` runs, and `kith dev` beside a server.
///
/// `@unchecked Sendable`: made, started and drained on the loop's thread, which its parts check.
final class WorkerProcess: @unchecked Sendable {
    private let pool: PostgresPool
    let worker: Worker

    /// A worker on `database` that sends what leaves Kith by `delivery`.
    ///
    /// - Throws: ``CommandError`` when there is no master key, which opens the codes in messages, and `PostgresError`.
    init(
        loop: EventLoop, database: Database, configuration: Configuration, delivery: Configuration.DeliveryMeans,
        clock: WorkerClock
    ) throws {
        pool = try PostgresPool(
            loop: loop, url: database.workerURL, applicationName: "kith worker", lanes: Worker.lanes,
            sessionSettings: Database.settings(role: "kith_worker"))
        let channel: (any DeliveryChannel)? =
            switch delivery {
            case .console: ConsoleSink()
            case .file(let path): FileSink(path: path)
            case .none: nil
            }
        let outbox = try channel.map { [pool] in
            let masterKey = try configuration.loadMasterKey()
            try configuration.check(masterKey, for: database.workerURL, as: "kith_worker")
            return Outbox(pool: pool, masterKey: masterKey, channel: $0, instance: Instance.name)
        }
        worker = Worker(loop: loop, pool: pool, clock: clock, instance: Instance.name, outbox: outbox)
    }

    /// Connects, and works until ``stop()``; then closes.
    func run() async {
        pool.start()
        await worker.run()
        await pool.drain()
    }

    /// Does everything that is to be done now; then closes.
    func runOnce() async throws(PostgresError) -> [(loop: String, done: Int)] {
        pool.start()
        do throws(PostgresError) {
            let done = try await worker.runOnce()
            await pool.drain()
            return done
        } catch {
            await pool.drain()
            throw error
        }
    }
}
