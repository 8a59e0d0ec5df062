internal import Delivery
internal import EventLoop
internal import Postgres
internal import Worker

/// The worker on a loop. `kith worker` runs it alone, `kith dev` together with a server.
///
/// `@unchecked Sendable`: it is created, started and drained on the loop's thread, which its parts check.
final class WorkerProcess: @unchecked Sendable {
    private let loop: EventLoop
    let pool: PostgresPool
    private let transfers: Transfers
    let worker: Worker

    /// Creates a worker for `database` that sends messages by `delivery`. `publicURL` is the URL of a server in the
    /// same program, and `board` where the workers of all cells leave their health reports.
    ///
    /// - Throws: ``CommandError`` when there is no master key, which opens the codes in messages and the credentials of
    ///   providers; `PostgresError` for a URL that cannot be used.
    init(
        loop: EventLoop, database: Database, configuration: Configuration, delivery: Configuration.DeliveryMeans,
        publicURL: String? = nil, board: HeartbeatBoard? = nil
    ) throws {
        self.loop = loop
        let url = try database.workerURL
        let session = try Database.examine(as: "kith_worker", at: url)
        pool = try PostgresPool(
            loop: loop, url: url, applicationName: "kith worker", lanes: Worker.lanes,
            sessionSettings: Database.settings(role: "kith_worker"))
        transfers = Transfers(loop: loop, rules: configuration.outboundRules)
        let route: Outbox.Route? =
            switch delivery {
            case .channels: .channels(apnsServer: configuration.apnsURL)
            case .console: .sink(ConsoleSink())
            case .file(let path): .sink(FileSink(path: path))
            case .none: nil
            }
        let outbox = try route.map { [pool, transfers] in
            let masterKey = try configuration.loadMasterKey()
            try configuration.check(masterKey, session)
            return Outbox(
                pool: pool, masterKey: masterKey, publicURL: publicURL ?? configuration.linkURL, route: $0,
                transfers: transfers,
                instance: Instance.name)
        }
        let beat = configuration.beatURL.map { [pool, transfers] in
            HeartbeatReporter(
                pool: pool, transfers: transfers, url: $0, board: board,
                cell: board == nil ? nil : database.cell?.name)
        }
        worker = Worker(
            loop: loop, pool: pool, instance: Instance.name, version: Release.name, pace: configuration.workerPace,
            outbox: outbox, heartbeatReporter: beat)
    }

    /// Connects, works until ``worker`` is stopped, and closes.
    func run() async {
        pool.start()
        await worker.run()
        await close()
    }

    /// Does all work that is available now, and closes.
    func runOnce() async throws(PostgresError) -> [(loop: String, done: Int)] {
        pool.start()
        // A long-running worker would retry a moment later. A single pass has only one try, however long the database
        // takes to accept the connection.
        while !pool.isReady && !pool.hasFailed { try? await loop.sleep(for: .milliseconds(5)) }
        do throws(PostgresError) {
            let done = try await worker.runOnce()
            await close()
            return done
        } catch {
            await close()
            throw error
        }
    }

    private func close() async {
        transfers.close()
        await pool.drain()
    }
}
