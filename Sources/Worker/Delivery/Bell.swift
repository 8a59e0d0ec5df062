internal import EventLoop

/// What one task sleeps by until another rings, or until its time is over. A ring that nobody waits for is kept for the next.
///
/// `@unchecked Sendable`: touched on the loop's thread only, which waiting and ringing check.
final class Bell: @unchecked Sendable {
    private let loop: EventLoop
    private var continuation: UnsafeContinuation<Void, Never>?
    private var timer: LoopTimer?
    private var hasRung = false

    init(_ loop: EventLoop) {
        self.loop = loop
    }

    /// Returns when it rings, or after `time`; nil for no end. One task at a time.
    func wait(for time: Duration? = nil) async {
        loop.preconditionCurrent()
        precondition(continuation == nil, "two wait for one bell")
        if !hasRung {
            await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
                self.continuation = continuation
                if let time { timer = loop.schedule(after: time) { self.ring() } }
            }
        }
        hasRung = false
    }

    /// Wakes whoever waits.
    func ring() {
        loop.preconditionCurrent()
        timer?.cancel()
        timer = nil
        hasRung = true
        continuation?.resume()
        continuation = nil
    }
}
