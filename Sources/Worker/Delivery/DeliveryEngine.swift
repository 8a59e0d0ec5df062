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
    /// The delays between attempts to record results.
    private let recordingBackoff: Backoff
    /// The number of failures in a row after which results are not recorded. Their leases run out, and the messages are
    /// sent again.
    private static var recordingAttempts: Int { 10 }

    init(
        _ source: Source, loop: EventLoop, longest: Duration = .seconds(45),
        recordingBackoff: Backoff = Backoff(from: .milliseconds(100), to: .seconds(2))
    ) {
        self.source = source
        self.loop = loop
        self.longest = longest
        self.recordingBackoff = recordingBackoff
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
        // Results that the previous call could not record come first.
        try await recordAll()
        while let jobs = try await source.claim(), !jobs.isEmpty {
            done += jobs.count
            for job in jobs { start(job) }
            while !inFlight.isEmpty { await recording.wait() }
            try await recordAll()
        }
        return done
    }

    /// Records all results.
    ///
    /// - Throws: The last error when the database stays away. The results are kept for the next call.
    private func recordAll() async throws(PostgresError) {
        var backoff = recordingBackoff
        while !results.isEmpty {
            guard let error = await recordBatch() else {
                backoff.succeed()
                continue
            }
            let pause = backoff.fail()
            // A refusal ends by itself: the batch becomes smaller until the result at fault is discarded.
            guard error.sqlState != nil || backoff.failures <= Self.recordingAttempts else { throw error }
            await recording.wait(for: pause)
        }
    }

    func wake() {
        claiming.signal()
    }

    func stop() {
        isStopping = true
        claiming.signal()
    }

    private func keepClaiming() async {
        var backoff = Backoff(from: .milliseconds(200), to: .seconds(2))
        while !isStopping {
            do throws(PostgresError) {
                let jobs = try await source.claim()
                for job in jobs ?? [] { start(job) }
                if backoff.failures > 0 { Log.info("the loop has recovered", ["loop": name]) }
                backoff.succeed()
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
                let pause = backoff.fail()
                if backoff.failures % 100 == 1 { Log.error("a batch failed: \(error)", ["loop": name]) }
                await claiming.wait(for: pause)
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
        var backoff = recordingBackoff
        while !(hasClaimed && inFlight.isEmpty && (results.isEmpty || backoff.failures > Self.recordingAttempts)) {
            let wait = inFlight.isEmpty && !results.isEmpty ? .zero : results.wait(at: loop.now)
            guard wait == .zero else {
                await recording.wait(for: wait)
                continue
            }
            guard let error = await recordBatch() else {
                backoff.succeed()
                continue
            }
            let pause = backoff.fail()
            if backoff.failures % 100 == 1 { Log.error("results cannot be recorded: \(error)", ["loop": name]) }
            await recording.wait(for: pause)
        }
    }

    /// Records the next batch of results. Returns the error when that fails; the results are then kept, except one that
    /// the database refuses again and again.
    private func recordBatch() async -> PostgresError? {
        let taken = results.take()
        do throws(PostgresError) {
            try await source.finish(taken)
            results.succeed()
            return nil
        } catch {
            let discarded = results.fail(taken, isRefused: error.sqlState != nil, at: loop.now)
            if !discarded.isEmpty { Log.error("a result was discarded: \(error)", ["loop": name]) }
            return error
        }
    }
}
