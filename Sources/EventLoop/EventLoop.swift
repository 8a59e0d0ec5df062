internal import CLinux
internal import Glibc
internal import Synchronization

/// A thread that waits on epoll, runs timers, and is the task executor of the `async` code started on it.
///
/// Everything that belongs to a loop (connections, HTTP, timers) is accessed only on its thread and needs no lock. Code
/// started with ``spawn(_:)`` stays on the thread across every `await`: a request never hops between threads. (An actor
/// with a custom executor does not achieve this. Its continuations resume on the global pool first, which cost three
/// extra threads and 5 µs a request in a measurement.)
///
/// The loop belongs to the thread that created it until ``run()`` is called, and from then on to the thread that runs
/// it.
///
/// `@unchecked Sendable`: other threads access `remote`, `stopping` and `woken` only under `lock`, and `owner` is
/// atomic. Everything else is accessed on the owning thread, which ``preconditionCurrent()`` checks at each entry.
public final class EventLoop: TaskExecutor, @unchecked Sendable {
    /// Work from other threads: jobs of the Swift runtime, and closures of ``execute(_:)``.
    private enum Work {
        case job(UnownedJob)
        case closure(@Sendable () -> Void)
    }

    private let poll: Int32
    private let wakeUp: Int32
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private var remote: [Work] = []
    private var stopping = false
    /// Whether the event descriptor was written to since the loop last read it. One write wakes the loop for all work.
    private var woken = false

    /// The thread that the loop belongs to. Other threads only compare it with themselves.
    private let owner = Atomic(pthread_self())
    /// Whether ``run()`` is running. Accessed by the owner only.
    private var running = false
    private var jobs: [UnownedJob] = []
    private var nextJob = 0
    private var timers = TimerHeap()
    private var hooks: [LoopHook] = []
    /// The registered descriptors, by slot. The generation tells an event of a slot's current registration from a stale
    /// event of an earlier one.
    private var watches: [Watch?] = []
    private var freeSlots: [Int] = []
    private var generation: UInt32 = 0
    /// The watches that the kernel had no room for.
    private var unregistered: [Watch] = []
    /// epoll_ctl. A test replaces it.
    var controlEpoll:
        (_ poll: Int32, _ operation: Int32, _ descriptor: Int32, UnsafeMutablePointer<epoll_event>) -> Int32 = {
            epoll_ctl($0, $1, $2, $3)
        }

    /// The wall clock for everything that runs on the loop.
    public let clock: WallClock

    /// The time at the start of the loop's current turn. It is cheap to read, and constant within a turn.
    public private(set) var now = ContinuousClock.now

    /// Creates a loop. It does nothing until ``run()``.
    ///
    /// - Throws: `EventLoopError` when the process has no descriptors left.
    public init(clock: WallClock = .machine) throws(EventLoopError) {
        self.clock = clock
        let made = epoll_create1(kith_epoll_cloexec)
        guard made >= 0 else { throw EventLoopError(call: "epoll_create1", code: errno) }
        poll = made
        wakeUp = eventfd(0, kith_eventfd_flags)
        guard wakeUp >= 0 else {
            let code = errno
            close(poll)
            throw EventLoopError(call: "eventfd", code: code)
        }
        lock = .allocate(capacity: 1)
        pthread_mutex_init(lock, nil)
        var event = kith_epoll_event(kith_epollin, .max)
        guard epoll_ctl(poll, EPOLL_CTL_ADD, wakeUp, &event) == 0 else {
            throw EventLoopError(call: "epoll_ctl", code: errno)
        }
    }

    deinit {
        close(wakeUp)
        close(poll)
        pthread_mutex_destroy(lock)
        lock.deallocate()
    }

    // MARK: - From any thread

    /// Whether the caller runs on the loop's thread.
    public var isCurrent: Bool { pthread_self() == owner.load(ordering: .relaxed) }

    /// Stops the program when the caller is not on the loop's thread, because what follows would be a data race.
    public func preconditionCurrent() {
        precondition(isCurrent, "called from outside the event loop's thread")
    }

    /// Runs `body` on the loop's thread, soon.
    public func execute(_ body: @escaping @Sendable () -> Void) {
        hand(over: .closure(body))
    }

    /// Makes ``run()`` return after the queued jobs.
    public func stop() {
        pthread_mutex_lock(lock)
        stopping = true
        let wakes = !woken
        woken = true
        pthread_mutex_unlock(lock)
        if wakes { wake() }
    }

    /// Starts a task whose code runs on the loop's thread, across every `await`.
    @discardableResult
    public func spawn(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        Task(executorPreference: self, operation: body)
    }

    /// Accepts a job of the Swift runtime. Only the runtime calls this.
    public func enqueue(_ job: consuming ExecutorJob) {
        let unowned = UnownedJob(job)
        // The owning thread may change before the loop runs. Until then, jobs go through the queue with a lock.
        if isCurrent && running {
            jobs.append(unowned)
        } else {
            hand(over: .job(unowned))
        }
    }

    private func hand(over work: Work) {
        pthread_mutex_lock(lock)
        remote.append(work)
        let wakes = !woken
        woken = true
        pthread_mutex_unlock(lock)
        if wakes { wake() }
    }

    private func wake() {
        var one: UInt64 = 1
        _ = write(wakeUp, &one, 8)
    }

    // MARK: - On the loop's thread

    /// Calls `handler` on every turn in which `descriptor` is ready for any of `interest` (level-triggered). A hang-up
    /// or an error is reported as both readable and writable, so that the next read or write sees it.
    ///
    /// The registration lasts until ``Watch/cancel()``, which must be called before the descriptor is closed. While the
    /// kernel has no room for one more, nothing is reported; the loop tries again ten times a second.
    public func watch(_ descriptor: Int32, for interest: Interest, _ handler: @escaping (Interest) -> Void) -> Watch {
        preconditionCurrent()
        generation &+= 1
        let slot = freeSlots.popLast() ?? watches.count
        let watch = Watch(
            loop: self, descriptor: descriptor, slot: slot, generation: generation, interest: interest, handler: handler
        )
        if slot == watches.count { watches.append(watch) } else { watches[slot] = watch }
        register(watch)
        return watch
    }

    /// Calls `body` once after `delay`, to within a millisecond, unless the timer is cancelled first.
    @discardableResult
    public func schedule(after delay: Duration, _ body: @escaping () -> Void) -> LoopTimer {
        preconditionCurrent()
        let timer = LoopTimer(at: ContinuousClock.now + delay, body)
        timers.insert(timer)
        return timer
    }

    /// Suspends the calling task for `delay`.
    ///
    /// Unlike `Task.sleep`, it starts no Dispatch threads.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    public func sleep(for delay: Duration) async throws(CancellationError) {
        preconditionCurrent()
        let sleeper = Sleeper()
        await withTaskCancellationHandler {
            await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
                sleeper.continuation = continuation
                sleeper.timer = schedule(after: Task.isCancelled ? .zero : delay) { sleeper.wake() }
            }
        } onCancel: {
            execute { sleeper.wake() }
        }
        if Task.isCancelled { throw CancellationError() }
    }

    /// Registers `hook`, which the loop calls before each wait to ask how long it may wait: `nil` for no opinion. Code
    /// that has read ahead needs a hook, and so does a C library with timeouts of its own, because epoll does not know
    /// of them.
    ///
    /// The loop keeps the hook, and what it captures, until ``LoopHook/cancel()``.
    @discardableResult
    public func beforeWaiting(_ hook: @escaping () -> Duration?) -> LoopHook {
        preconditionCurrent()
        let made = LoopHook(loop: self, hook)
        hooks.append(made)
        return made
    }

    /// Runs the loop on the calling thread until ``stop()``.
    public func run() {
        owner.store(pthread_self(), ordering: .relaxed)
        running = true
        defer { running = false }
        withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: 256) { events in
            while true {
                runJobs()
                if takeRemote() { break }
                let count = epoll_wait(
                    poll, events.baseAddress, Int32(events.count), milliseconds(untilNext: pollTimeout()))
                now = ContinuousClock.now
                for index in 0..<max(0, Int(count)) {
                    dispatch(events[index])
                    // Run the jobs after every event rather than after the batch. Each request is then answered before
                    // the next one is read, which keeps its data in the cache and its latency independent of the
                    // others.
                    runJobs()
                }
                while let timer = timers.popDue(at: now) {
                    timer.fire()
                    runJobs()
                }
            }
        }
    }

    private func register(_ watch: Watch) {
        guard !control(EPOLL_CTL_ADD, watch) else { return }
        unregistered.append(watch)
        guard unregistered.count == 1 else { return }
        schedule(after: .milliseconds(100)) { [unowned self] in
            let watches = unregistered
            unregistered = []
            for watch in watches { register(watch) }
        }
    }

    fileprivate func update(_ watch: Watch) {
        guard !unregistered.contains(where: { $0 === watch }) else { return }
        _ = control(EPOLL_CTL_MOD, watch)
    }

    /// Returns false if the kernel has no room for the registration (epoll_ctl(2)).
    private func control(_ operation: Int32, _ watch: Watch) -> Bool {
        var event = kith_epoll_event(watch.interest.events, UInt64(watch.slot) << 32 | UInt64(watch.generation))
        let result = controlEpoll(poll, operation, watch.descriptor, &event)
        let code = errno
        guard result != 0, operation != EPOLL_CTL_DEL else { return true }
        precondition(
            operation == EPOLL_CTL_ADD && (code == ENOSPC || code == ENOMEM), "epoll_ctl failed with errno \(code)")
        return false
    }

    fileprivate func remove(_ watch: Watch) {
        _ = control(EPOLL_CTL_DEL, watch)
        unregistered.removeAll { $0 === watch }
        watches[watch.slot] = nil
        freeSlots.append(watch.slot)
    }

    func remove(_ hook: LoopHook) {
        preconditionCurrent()
        hooks.removeAll { $0 === hook }
    }

    private func dispatch(_ event: epoll_event) {
        let tag = kith_epoll_tag(event)
        guard tag != .max else {
            var count: UInt64 = 0
            _ = read(wakeUp, &count, 8)
            return
        }
        // A handler of an earlier event in this batch may have cancelled this registration, and another may have taken
        // the slot.
        let slot = Int(tag >> 32)
        guard let watch = watches[slot], watch.generation == UInt32(truncatingIfNeeded: tag) else { return }
        watch.handler(Interest(events: event.events))
    }

    private func runJobs() {
        while nextJob < jobs.count {
            let job = jobs[nextJob]
            nextJob += 1
            if nextJob == jobs.count {
                jobs.removeAll(keepingCapacity: true)
                nextJob = 0
            }
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    /// Runs the work from other threads. Returns true when the loop must stop.
    private func takeRemote() -> Bool {
        pthread_mutex_lock(lock)
        let taken = remote
        remote = []
        woken = false
        let stops = stopping && taken.isEmpty
        if stops { stopping = false }
        pthread_mutex_unlock(lock)
        for work in taken {
            switch work {
            case .job(let job): job.runSynchronously(on: asUnownedTaskExecutor())
            case .closure(let body): body()
            }
            runJobs()
        }
        return stops
    }

    /// How long the loop may wait for events; `nil` for any time.
    private func pollTimeout() -> Duration? {
        var shortest: Duration?
        for hook in hooks {
            guard let wish = hook.ask() else { continue }
            shortest = min(shortest ?? wish, wish)
        }
        if let deadline = timers.next {
            let wish = deadline - ContinuousClock.now
            shortest = min(shortest ?? wish, wish)
        }
        // A hook may have queued jobs or closures, because it runs a C library's callbacks.
        return nextJob < jobs.count ? .zero : shortest
    }

    private func milliseconds(untilNext wait: Duration?) -> Int32 {
        guard let wait else {
            pthread_mutex_lock(lock)
            defer { pthread_mutex_unlock(lock) }
            return remote.isEmpty && !stopping ? -1 : 0
        }
        guard wait > .zero else { return 0 }
        let (seconds, attoseconds) = wait.components
        // Round up: waking a fraction of a millisecond early would spin until the timer is due.
        return Int32(clamping: seconds &* 1000 &+ (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}

/// A registered descriptor of an ``EventLoop``.
public final class Watch {
    private let loop: EventLoop
    fileprivate let descriptor: Int32
    fileprivate let slot: Int
    fileprivate let generation: UInt32
    fileprivate private(set) var interest: Interest
    fileprivate let handler: (Interest) -> Void
    private var cancelled = false

    fileprivate init(
        loop: EventLoop, descriptor: Int32, slot: Int, generation: UInt32, interest: Interest,
        handler: @escaping (Interest) -> Void
    ) {
        self.loop = loop
        self.descriptor = descriptor
        self.slot = slot
        self.generation = generation
        self.interest = interest
        self.handler = handler
    }

    /// Changes what the descriptor is watched for. Costs nothing when nothing changes.
    public func update(_ interest: Interest) {
        guard interest != self.interest, !cancelled else { return }
        self.interest = interest
        loop.update(self)
    }

    /// Ends the registration. The handler is not called again, not even for an event already received from the kernel.
    public func cancel() {
        guard !cancelled else { return }
        cancelled = true
        loop.remove(self)
    }
}

/// The state of ``EventLoop/sleep(for:)``.
///
/// `@unchecked Sendable`: it is accessed only on the loop's thread. The cancellation handler reaches it through
/// `execute`.
private final class Sleeper: @unchecked Sendable {
    var continuation: UnsafeContinuation<Void, Never>?
    var timer: LoopTimer?

    func wake() {
        timer?.cancel()
        continuation?.resume()
        continuation = nil
    }
}
