package import EventLoop
package import Problems

/// Limits how many requests of each key, such as a user, run at once. Further ones wait for a while. This keeps one user's slow calls from
/// taking all database connections, which other users' check-ins need.
///
/// Keys are texts: the compiler would not specialize a generic limiter in other modules, and every request would look up types.
///
/// `@unchecked Sendable`: used only on the event loop's thread, by that loop's API server and its timers.
package final class ConcurrencyLimiter: @unchecked Sendable {
    private let loop: EventLoop
    private let limit: Int
    private let queueLimit: Int
    private let timeout: Duration
    private var states: [String: State] = [:]
    private var nextWaiter = 0

    /// The running and waiting requests of one key.
    private struct State {
        var running = 0
        /// In order of arrival, which is also the order of their numbers.
        var waiting: [(number: Int, continuation: UnsafeContinuation<Bool, Never>)] = []
    }

    /// Allows `limit` requests of a key at once. At most `queueLimit` more wait, each for up to `timeout`.
    package init(loop: EventLoop, limit: Int, queueLimit: Int, timeout: Duration) {
        self.loop = loop
        self.limit = limit
        self.queueLimit = queueLimit
        self.timeout = timeout
    }

    /// Waits until a request of `key` may begin. A call of ``leave(_:)`` must follow.
    ///
    /// - Throws: ``Problem`` `too_many_requests` if too many are waiting, or if none ends in time.
    package func enter(_ key: String) async throws(Problem) {
        let state = states[key, default: State()]
        if state.running < limit {
            states[key, default: State()].running += 1
            return
        }
        guard state.waiting.count < queueLimit else { throw Self.refusal }
        let number = nextWaiter
        nextWaiter += 1
        loop.schedule(after: timeout) { [self] in giveUp(number, of: key) }
        let mayBegin = await withUnsafeContinuation { states[key]?.waiting.append((number, $0)) }
        guard mayBegin else { throw Self.refusal }
    }

    /// Ends a request of `key` and lets the next one begin.
    package func leave(_ key: String) {
        guard var state = states[key] else { return }
        if state.waiting.isEmpty {
            state.running -= 1
            states[key] = state.running > 0 ? state : nil
        } else {
            let next = state.waiting.removeFirst()
            states[key] = state
            next.continuation.resume(returning: true)
        }
    }

    private static var refusal: Problem {
        Problem(.tooManyRequests, "Too many requests at once. Wait for their answers.", retryAfter: 1)
    }

    private func giveUp(_ number: Int, of key: String) {
        guard let place = states[key]?.waiting.firstIndex(where: { $0.number == number }) else { return }
        states[key]?.waiting.remove(at: place).continuation.resume(returning: false)
    }
}
