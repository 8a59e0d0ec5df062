public import EventLoop
internal import Logging
public import Postgres

/// Makes the day's pings, tells senders when they are due, reminds them, tells receivers of missed pings, begins the
/// waits for emergency access and tells of them, and sends everything that leaves Kith.
///
/// Each loop claims a batch, processes it in one statement and commits. A worker may therefore be killed at any
/// instant, and any number of them may run. The rules live in the database.
///
/// `@unchecked Sendable`: `stopping`, `isPaceNoted` and `naps` are accessed only on the loop's thread, which every
/// function checks through the pool or the loop.
public final class Worker: @unchecked Sendable {
    private let loop: EventLoop
    private let pool: PostgresPool
    private let clock: WallClock
    private let instance: String
    private let version: String
    private let startedAt: Int64
    private let loops: [WorkerLoop]
    private let engines: [any Engine]
    private let heartbeatReporter: HeartbeatReporter?
    private var stopping = false
    /// For which day (since 1970, in UTC) this worker has made partitions, or makes them.
    private var partitions: (day: Int64, making: Task<Void, Never>)?
    /// Whether the database knows the pace of the loops.
    private var isPaceNoted = false
    private var naps: [Int: Task<Void, Never>] = [:]
    private var nextNap = 0

    /// Creates a worker over `pool`, whose connections use the role `kith_worker`. `instance` identifies this process
    /// among others, `version` is its release, and `pace` that of its loops. Without an `outbox`, outgoing messages
    /// wait for another worker.
    public init(
        loop: EventLoop, pool: PostgresPool, instance: String, version: String = "", pace: WorkerPace = WorkerPace(),
        outbox: Outbox? = nil, heartbeatReporter: HeartbeatReporter? = nil
    ) {
        self.loop = loop
        self.pool = pool
        clock = loop.clock
        self.instance = instance
        self.version = version
        startedAt = clock.now
        loops =
            (WorkerLoop.all.filter { !loop.clock.isSet || !$0.needsMachineClock } + (outbox?.planners ?? []))
            .map { $0.at(pace) }
        engines = outbox?.engines ?? []
        self.heartbeatReporter = heartbeatReporter
    }

    /// The size of a worker's pool: a connection for each loop that may be busy at once.
    public static var lanes: PostgresLanes {
        var lanes = PostgresLanes()
        lanes.reads.connections = 1
        // For the engines: their claims and results never wait behind a loop's batch.
        lanes.writes = PostgresLaneSettings(connections: 3, depth: 2, waitingLimit: 64, deadline: .seconds(30))
        lanes.upkeep = PostgresLaneSettings(connections: 1, depth: 1, waitingLimit: 16, deadline: .seconds(5))
        // All loops share these, so every loop may be waiting at once.
        lanes.slow = PostgresLaneSettings(
            connections: 4, depth: 1, waitingLimit: 64, deadline: .seconds(90), cancelsOverdue: true)
        lanes.checkIns.connections = 0
        lanes.bulk.connections = 0
        lanes.transactions.connections = 0
        lanes.events.connections = 0
        return lanes
    }

    /// Works until ``stop()``, and returns when the batches in progress are committed.
    public func run() async {
        loop.preconditionCurrent()
        await withTaskGroup(of: Void.self) { group in
            if !clock.isSet, let heartbeatReporter { group.addTask { await self.keepBeating(heartbeatReporter) } }
            // Before the first miss is judged, the database must know how long no worker was running. With a clock
            // other than the machine's, the time since the last beat would mean nothing.
            while !clock.isSet, !stopping, !(await beat()) { await nap(.seconds(1)) }
            await followClock()
            for each in loops { group.addTask { await self.run(each) } }
            for engine in engines { group.addTask { await engine.run() } }
            group.addTask { await self.keepReporting() }
            if !clock.isSet { group.addTask { await self.keepBeating() } }
        }
        guard !clock.isSet else { return }
        _ = try? await pool.query(Self.endBeat, [.text(instance), .instant(clock.now)], lane: .heartbeat)
    }

    /// Makes ``run()`` return. Must be called on the loop's thread.
    public func stop() {
        loop.preconditionCurrent()
        stopping = true
        for engine in engines { engine.stop() }
        for nap in naps.values { nap.cancel() }
    }

    /// Runs every loop until none has work left. Returns the number of items done, by loop.
    ///
    /// - Throws: `PostgresError` of the first batch that fails; what was committed before stays.
    public func runOnce() async throws(PostgresError) -> [(loop: String, done: Int)] {
        loop.preconditionCurrent()
        var totals = (loops.map(\.name) + engines.map(\.name)).map { (loop: $0, done: 0) }
        var busy = true
        while busy {
            busy = false
            for (index, each) in loops.enumerated() {
                // Finishing one day's generation creates the next day's, which may be due too. So passes repeat until
                // one does nothing. A procedure without batches runs only once.
                if each.batch == nil && totals[index].done > 0 { continue }
                while case let done = try await batch(of: each, size: each.batch, beating: false), done > 0 {
                    totals[index].done += done
                    busy = each.batch != nil || busy
                    if each.batch == nil { break }
                }
            }
            for (index, engine) in engines.enumerated() {
                let done = try await engine.runOnce()
                totals[loops.count + index].done += done
                busy = busy || done > 0
            }
            // A millisecond orders the notifications of one event. A stopped clock must pass it for the later ones to
            // be sent.
            if busy { clock.advance(by: 1000) }
        }
        try await reportSetAside()
        await heartbeatReporter?.beat(at: clock.now)
        return totals
    }

    private func run(_ each: WorkerLoop) async {
        var backoff = Backoff(from: .milliseconds(200), to: .seconds(2))
        var size = BatchSize(each.batch)
        while !stopping {
            await followClock()
            do throws(PostgresError) {
                let began = loop.now
                let done = try await batch(of: each, size: size.rows, beating: !clock.isSet)
                size.succeed()
                if each.yields, done > 0 { await nap(WorkerLoop.rest(after: began.duration(to: loop.now))) }
                if backoff.failures > 0 { Log.info("the loop has recovered", ["loop": each.name]) }
                backoff.succeed()
                if done == 0 || each.batch == nil { await nap(each.pause) }
            } catch {
                let pause = backoff.fail()
                let isCancelled = error.sqlState == .queryCancelled
                // Log the first failure and then every hundredth, so that an outage does not fill the log. A batch is
                // cancelled after a minute, in which nobody was told of anything.
                if backoff.failures % 100 == 1 || isCancelled {
                    Log.error(
                        "a batch failed: \(error)", ["loop": each.name, "batch": size.rows.map { "\($0)" } ?? ""])
                }
                if isCancelled {
                    size.fail()
                    await setAsideCancelled(error)
                }
                await nap(pause)
            }
        }
    }

    /// Makes the partitions of the clock's date before anything else happens, at the start and after a jump of the
    /// clock. Rows that wait to go into a default partition fail when the right one is attached meanwhile.
    ///
    /// As the days pass, the loop of partitions makes them ahead of time, and nothing waits for it. It does not wait
    /// for ever either: rows can go into the default partitions, and a miss must be told.
    private func followClock() async {
        let day = clock.now / 86_400_000_000
        if let partitions, (-1...2).contains(day - partitions.day) { return await partitions.making.value }
        let making = loop.spawn { [self] in
            for _ in 0..<10 where !stopping {
                do throws(PostgresError) {
                    while try await batch(of: .partitions, size: 1, beating: false) > 0, !stopping {}
                    return
                } catch {
                    Log.error("partitions cannot be made: \(error)", [:])
                    await nap(.seconds(1))
                }
            }
        }
        partitions = (day, making)
        await making.value
    }

    /// Sets aside the row that alone took as long as a statement may, if `error` names one. If that fails too, the
    /// batch is cancelled again, and names it again.
    private func setAsideCancelled(_ error: PostgresError) async {
        guard case .server(let answer) = error, let row = answer.detail else { return }
        _ = try? await pool.query(Self.setAside, [.instant(clock.now), .text(row)], lane: .slow)
    }

    private func batch(of each: WorkerLoop, size: Int?, beating: Bool) async throws(PostgresError) -> Int {
        var values = [PostgresValue.instant(clock.now)]
        if let size { values.append(.int(size)) }
        var statement = each.statement
        if beating, let beatingStatement = each.beatingStatement {
            statement = beatingStatement
            values.append(.text(instance))
        }
        let done = try await pool.query(statement, values, lane: .slow).int(0, 0) ?? 0
        if done > 0 { each.whenDone() }
        return done
    }

    private func keepBeating() async {
        while !stopping {
            await nap(.seconds(5))
            _ = await beat()
        }
    }

    private func keepBeating(_ heartbeatReporter: HeartbeatReporter) async {
        while !stopping {
            await heartbeatReporter.beat(at: clock.now)
            for _ in 0..<60 where !stopping && !heartbeatReporter.isUrgent { await nap(.seconds(1)) }
        }
    }

    /// Logs what the loops of all workers have set aside. While the database does not answer, the loops log that.
    private func keepReporting() async {
        while !stopping {
            try? await reportSetAside()
            await nap(.seconds(5))
        }
    }

    private func reportSetAside() async throws(PostgresError) {
        let answer = try await pool.query(Self.report, [.instant(clock.now)], lane: .slow)
        for row in SetAsideRow.read(answer.bytes(0, 0)) { row.log() }
    }

    /// Records this worker's heartbeat, with the pace of its loops in the first one, and checks the servers'. Returns
    /// false when the database could not be reached.
    private func beat() async -> Bool {
        let now = PostgresValue.instant(clock.now)
        do throws(PostgresError) {
            _ = try await pool.query(
                Self.beat, [.text(instance), .instant(startedAt), .text(version), now], lane: .heartbeat)
            if !isPaceNoted {
                let paces = "[\(loops.map(\.description).joined(separator: ", "))]"
                _ = try await pool.query(Self.noteLoops, [.text(instance), .text(paces)], lane: .heartbeat)
                isPaceNoted = true
            }
            _ = try await pool.query(Self.watch, [now], lane: .heartbeat)
            return true
        } catch {
            // After a restore or a fail-over, the database may have forgotten it.
            isPaceNoted = false
            return false
        }
    }

    /// Waits for `pause`, or until ``stop()``.
    private func nap(_ pause: Duration) async {
        guard !stopping else { return }
        let number = nextNap
        nextNap += 1
        let nap = loop.spawn { [loop] in try? await loop.sleep(for: pause) }
        naps[number] = nap
        await nap.value
        naps[number] = nil
    }

    private static let beat = PostgresStatement(
        name: "beat", sql: "select worker.beat('worker', $1::text, $2::timestamptz, $3::text, $4::timestamptz)")
    private static let noteLoops = PostgresStatement(
        name: "note_loops", sql: "select worker.note_loops($1::text, $2::text::jsonb)")
    private static let endBeat = PostgresStatement(
        name: "end_beat", sql: "select worker.end_beat('worker', $1::text, $2::timestamptz)")
    private static let report = PostgresStatement(
        name: "report_set_aside", sql: "select worker.report_set_aside($1::timestamptz)")
    private static let setAside = PostgresStatement(
        name: "set_aside_cancelled", sql: "select worker.set_aside_cancelled($1::timestamptz, $2::text::jsonb)")
    private static let watch = PostgresStatement(
        name: "watch_server", sql: "select worker.watch_server($1::timestamptz)")
}
