internal import EventLoop
internal import Logging
internal import Postgres

/// Runs one part of the outbox.
protocol Engine: AnyObject, Sendable {
    var name: String { get }
    /// Works until ``stop()``, and returns when the work in flight is recorded.
    func run() async
    /// Does the work that is available now, and returns how many jobs that was.
    func runOnce() async throws(PostgresError) -> Int
    /// Looks for work immediately.
    func wake()
    /// Makes ``run()`` return.
    func stop()
}

/// Keeps a source's work in flight, up to its capacity. It claims more as capacity frees up, and records results in
/// batches. Nothing is sent within a transaction. When a worker dies, another one takes over its work at the end of the
/// lease.
///
/// `@unchecked Sendable`: its state is accessed only on the loop's thread, which ``run()``, ``runOnce()`` and the
/// signals check.
final class DeliveryEngine<Source: DeliverySource>: Engine, @unchecked Sendable {
    private let loop: EventLoop
    private let source: Source
    /// Signalled when there may be something to claim.
    private let claiming: AsyncSignal
    /// Signalled when there may be something to record.
    private let recording: AsyncSignal
    private var results = ResultBatch<Source.Result>()
    private var inFlight: [Int: (task: Task<Void, Never>, began: ContinuousClock.Instant)] = [:]
    private var next = 0
    private var isStopping = false
    private var hasClaimed = false
    /// Whether the claiming task is waiting for capacity rather than for work.
    private var wantsRoom = false
    private var watch: LoopTimer?

    /// How long the claiming task waits when there is no work.
    private static var pause: Duration { .milliseconds(500) }
    /// The longest that an attempt may take before it is cancelled. It must end before the lease of a minute does, when
    /// another worker makes an attempt.
    private let longest: Duration

    init(_ source: Source, loop: EventLoop, longest: Duration = .seconds(45)) {
        self.source = source
        self.loop = loop
        self.longest = longest
        claiming = AsyncSignal(loop)
        recording = AsyncSignal(loop)
    }

    var name: String { source.name }

    func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.keepClaiming() }
            group.addTask { await self.keepRecording() }
        }
    }

    func runOnce() async throws(PostgresError) -> Int {
        var done = 0
        while let jobs = try await source.claim(), !jobs.isEmpty {
            done += jobs.count
            for job in jobs { start(job) }
            while !inFlight.isEmpty { await recording.wait() }
            while !results.isEmpty { try await source.finish(results.take()) }
        }
        return done
    }

    func wake() {
        claiming.signal()
    }

    func stop() {
        isStopping = true
        claiming.signal()
    }

    private func keepClaiming() async {
        var failures = 0
        while !isStopping {
            do throws(PostgresError) {
                let jobs = try await source.claim()
                for job in jobs ?? [] { start(job) }
                if failures > 0 { Log.info("the loop has recovered", ["loop": name]) }
                failures = 0
                if jobs?.isEmpty == false {
                    guard !hasEnoughRoom else { continue }
                    // Claiming a few at a time would cost one statement each.
                    wantsRoom = true
                    await claiming.wait(for: .milliseconds(20))
                    wantsRoom = false
                } else {
                    await claiming.wait(for: Self.pause)
                }
            } catch {
                failures += 1
                if failures % 100 == 1 { Log.error("a batch failed: \(error)", ["loop": name]) }
                await claiming.wait(for: .milliseconds(min(200 * failures, 2000)))
            }
        }
        hasClaimed = true
        recording.signal()
    }

    private var hasEnoughRoom: Bool { source.capacity - inFlight.count >= max(1, source.capacity / 8) }

    private func start(_ job: Source.Job) {
        let number = next
        next += 1
        let task = loop.spawn { [self] in
            let result = await source.perform(job)
            end(number, result)
        }
        inFlight[number] = (task, loop.now)
        if watch == nil { watchOver() }
    }

    private func end(_ number: Int, _ result: Source.Result) {
        inFlight[number] = nil
        results.append(result, at: loop.now)
        // Record now: nothing more is in flight, the recording task must start its timer, or the batch is full.
        if inFlight.isEmpty || results.count == 1 || results.count == ResultBatch<Source.Result>.enough {
            recording.signal()
        }
        if source.hasRoomAgain || (wantsRoom && hasEnoughRoom) { claiming.signal() }
    }

    /// Cancels attempts that take too long, for as long as any attempt is in flight.
    private func watchOver() {
        watch = loop.schedule(after: longest / 10) { [self] in
            for job in inFlight.values where loop.now - job.began > longest { job.task.cancel() }
            watch = nil
            if !inFlight.isEmpty { watchOver() }
        }
    }

    private func keepRecording() async {
        var failures = 0
        // After the last job, recording is retried for some seconds. Then the leases run out, and the messages are sent
        // again.
        while !(hasClaimed && inFlight.isEmpty && (results.isEmpty || failures > 10)) {
            let wait = inFlight.isEmpty && !results.isEmpty ? .zero : results.wait(at: loop.now)
            guard wait == .zero else {
                await recording.wait(for: wait)
                continue
            }
            let taken = results.take()
            do throws(PostgresError) {
                try await source.finish(taken)
                results.succeed()
                failures = 0
            } catch {
                failures += 1
                if failures % 100 == 1 { Log.error("results cannot be recorded: \(error)", ["loop": name]) }
                let given = results.fail(taken, isRefused: error.sqlState != nil, at: loop.now)
                if !given.isEmpty { Log.error("a result was discarded: \(error)", ["loop": name]) }
                await recording.wait(for: .milliseconds(min(100 * failures, 2000)))
            }
        }
    }
}
