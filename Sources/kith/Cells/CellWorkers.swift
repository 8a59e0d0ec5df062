internal import EventLoop
internal import JSON
internal import Logging
internal import Postgres
internal import Schema
internal import Worker

/// The workers of an installation's cells beside the directory (decision 51). Each has a thread of its own, so a cell
/// that is slow or away holds up no other. Cells that are added while it runs get one within seconds.
///
/// `@unchecked Sendable`: used on the thread of the directory's loop. What runs on a cell's thread is only in
/// ``work(in:on:)``.
final class CellWorkers: @unchecked Sendable {
    private static let interval = Duration.seconds(5)

    private let loop: EventLoop
    private let database: Database
    private let configuration: Configuration
    private let delivery: Configuration.DeliveryMeans
    private let publicURL: String?
    /// Where the workers leave their health reports, which the directory's sends.
    let board = HeartbeatBoard()
    private var running: [String: Running] = [:]
    private var isStopping = false

    /// A cell's worker.
    ///
    /// `@unchecked Sendable`: `process` and `isStopping` are used on the thread's loop alone.
    private final class Running: @unchecked Sendable {
        let thread: LoopThread
        var process: WorkerProcess?
        var isStopping = false
        var task: Task<Void, Never>?

        init(_ thread: LoopThread) { self.thread = thread }
    }

    /// `loop` is that of the directory's worker.
    init(
        loop: EventLoop, database: Database, configuration: Configuration, delivery: Configuration.DeliveryMeans,
        publicURL: String? = nil
    ) {
        self.loop = loop
        self.database = database
        self.configuration = configuration
        self.delivery = delivery
        self.publicURL = publicURL
    }

    /// Works until the task is cancelled, and returns when the batches in progress are committed. `pool` is the
    /// directory's.
    func run(_ pool: PostgresPool) async {
        var version = -1
        while !Task.isCancelled {
            let answer = try? await pool.query(Self.cellMap, [.int(version)], lane: .upkeep, deadline: .seconds(2))
            if let map = answer?.bytes(0, 0).flatMap({ try? JSONDocument($0) })?.root,
                let newer = map["version"]?.integer, let cells = try? Cell.list(map)
            {
                version = newer
                await use(cells.filter { $0.address != nil })
            }
            try? await loop.sleep(for: Self.interval)
        }
        await use([])
    }

    private func use(_ cells: [Cell]) async {
        for cell in cells where running[cell.name] == nil {
            guard let thread = try? LoopThread(clock: loop.clock) else { continue }
            let worker = Running(thread)
            running[cell.name] = worker
            board.expect(cell.name)
            worker.task = thread.loop.spawn { [self] in await work(in: cell, worker) }
        }
        for (name, worker) in running where !cells.contains(where: { $0.name == name }) {
            running[name] = nil
            board.forget(name)
            await withTaskExecutorPreference(worker.thread.loop) {
                worker.isStopping = true
                worker.process?.worker.stop()
            }
            worker.task?.cancel()
            await worker.task?.value
            worker.thread.stop()
        }
    }

    /// Works in a cell, on its thread, once its database has proved to be the one in the map.
    private func work(in cell: Cell, _ running: Running) async {
        var complaint: String?
        while !running.isStopping {
            do {
                let process = try process(in: cell, on: running.thread.loop, board)
                running.process = process
                Log.info("starting the worker of a cell", ["cell": cell.name])
                return await process.run()
            } catch {
                let reason = (error as? CommandError)?.message ?? "\(error)"
                if reason != complaint {
                    Log.error("the worker of a cell cannot start", ["cell": cell.name, "reason": reason])
                }
                complaint = reason
            }
            try? await running.thread.loop.sleep(for: Self.interval)
        }
    }

    /// The worker of a cell on a loop. It blocks while it asks the database what it is.
    private func process(
        in cell: Cell, on loop: EventLoop, _ board: HeartbeatBoard? = nil
    ) throws -> WorkerProcess {
        let there = database.at(cell)
        let session = try PostgresSession(url: there.workerURL, settings: Database.settings(role: "kith_worker"))
        let identity = try session.query("select worker.cell_identity()").bytes(0, 0).flatMap { try? JSONDocument($0) }
        guard let facts = identity?.root, facts["cluster"]?.string == cell.cluster,
            facts["database"]?.integer == cell.database, facts["name"]?.string == cell.name
        else { throw CommandError("its address leads to another database than the one that was added") }
        if loop.clock.isSet, try !Database.isOfDevelopment(session) {
            throw CommandError("the clock is set, which works only on a database that kith dev made")
        }
        return try WorkerProcess(
            loop: loop, database: there, configuration: configuration, delivery: delivery, publicURL: publicURL,
            board: board)
    }

    /// Does all work that is available now in each cell, one after the other. Returns what each did.
    func runOnce() async throws -> [(cell: String, done: [(loop: String, done: Int)])] {
        var done: [(cell: String, done: [(loop: String, done: Int)])] = []
        for cell in try database.workerCells() where cell.address != nil {
            done.append((cell.name, try await process(in: cell, on: loop).runOnce()))
        }
        return done
    }

    private static let cellMap = PostgresStatement(
        name: "worker_cell_map", sql: "select worker.cell_map($1::bigint)")
}
