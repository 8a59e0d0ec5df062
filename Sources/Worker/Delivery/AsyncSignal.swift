internal import EventLoop

/// A signal that wakes the one task that waits for it. A signal that no task waits for is kept for the next wait.
///
/// `@unchecked Sendable`: it is accessed only on the loop's thread, which `wait` and `signal` check.
final class AsyncSignal: @unchecked Sendable {
    private let loop: EventLoop
    private var continuation: UnsafeContinuation<Void, Never>?
    private var timer: LoopTimer?
    private var isSignalled = false

    init(_ loop: EventLoop) {
        self.loop = loop
    }

    /// Returns on the next signal, or after `time`. With nil there is no time limit. Only one task may wait.
    func wait(for time: Duration? = nil) async {
        loop.preconditionCurrent()
        precondition(continuation == nil, "a second task waits for one signal")
        if !isSignalled {
            await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
                self.continuation = continuation
                if let time { timer = loop.schedule(after: time) { self.signal() } }
            }
        }
        isSignalled = false
    }

    /// Wakes the task that waits.
    func signal() {
        loop.preconditionCurrent()
        timer?.cancel()
        timer = nil
        isSignalled = true
        continuation?.resume()
        continuation = nil
    }
}
