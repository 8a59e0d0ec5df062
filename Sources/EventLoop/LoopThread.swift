internal import CLinux
internal import Glibc
internal import Synchronization

/// A thread that runs an ``EventLoop``.
public final class LoopThread: Sendable {
    /// The loop. What is made for it must be made on its thread, as with ``perform(_:)``.
    public let loop: EventLoop
    private let thread: pthread_t

    /// Starts a thread with a new loop. The thread gets no signals, so those of the process arrive where they are
    /// awaited (``EventLoop/onSignal(_:_:)``).
    ///
    /// - Throws: `EventLoopError` when the process has no descriptors or threads left.
    public init(clock: WallClock = .machine) throws(EventLoopError) {
        let loop = try EventLoop(clock: clock)
        var signals = sigset_t()
        var before = sigset_t()
        sigfillset(&signals)
        pthread_sigmask(SIG_SETMASK, &signals, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        var thread = pthread_t()
        let reference = Unmanaged.passRetained(loop)
        let code = pthread_create(
            &thread, nil,
            { reference in
                guard let reference else { return nil }
                Unmanaged<EventLoop>.fromOpaque(reference).takeRetainedValue().run()
                return nil
            }, reference.toOpaque())
        guard code == 0 else {
            reference.release()
            throw EventLoopError(call: "pthread_create", code: code)
        }
        self.loop = loop
        self.thread = thread
    }

    /// Runs `body` on the loop's thread, and waits for its result. Must not be called on that thread.
    public func perform<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) throws -> Value {
        let answer = Answer<Value>()
        loop.execute { answer.give(Result { try body() }) }
        return try answer.wait().get()
    }

    /// Stops the loop after its queued jobs, and waits for the thread's end. Must be called once, and not on that
    /// thread.
    public func stop() {
        loop.stop()
        pthread_join(thread, nil)
    }
}

/// The result of work on another thread.
///
/// `@unchecked Sendable`: the semaphore is made for several threads, and exists as long as the object.
private final class Answer<Value: Sendable>: @unchecked Sendable {
    private let result = Mutex<Result<Value, any Error>?>(nil)
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() {
        sem_init(semaphore, 0, 0)
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    func give(_ value: Result<Value, any Error>) {
        result.withLock { $0 = value }
        sem_post(semaphore)
    }

    func wait() -> Result<Value, any Error> {
        while true {
            if let given = result.withLock({ $0 }) { return given }
            sem_wait(semaphore)
        }
    }
}
