package import EventLoop
package import Problems
internal import Synchronization

/// Limits how many requests of each key, such as a user, run at once. Further ones wait for a while. This keeps one
/// user's slow calls from taking all database connections, which other users' check-ins need. The limit holds over all
/// loops that share the limiter.
///
/// Keys are texts: the compiler would not specialize a generic limiter in other modules, and every request would look
/// up types.
package final class ConcurrencyLimiter: Sendable {
    private let limit: Int
    private let queueLimit: Int
    private let timeout: Duration
    private let state = Mutex(State())

    fileprivate struct State {
        var keys: [String: Requests] = [:]
        var nextWaiter = 0
    }

    /// The running and waiting requests of one key.
    fileprivate struct Requests {
        var running = 0
        /// In order of arrival, which is also the order of their numbers.
        var waiting: [(number: Int, continuation: UnsafeContinuation<Bool, Never>)] = []
    }

    /// Allows `limit` requests of a key at once. At most `queueLimit` more wait, each for up to `timeout`.
    package init(limit: Int, queueLimit: Int, timeout: Duration) {
        self.limit = limit
        self.queueLimit = queueLimit
        self.timeout = timeout
    }

    /// Waits until a request of `key` may begin. A call of ``leave(_:)`` must follow. `loop` is the caller's.
    ///
    /// - Throws: ``Problem`` `too_many_requests` if too many are waiting, or if none ends in time.
    package func enter(_ key: String, on loop: EventLoop) async throws(Problem) {
        if state.withLock({ $0.begin(key, limit) }) { return }
        let mayBegin = await withUnsafeContinuation { wait(for: key, on: loop, $0) }
        guard mayBegin else {
            throw Problem(.tooManyRequests, "Too many requests at once. Wait for their answers.", retryAfter: 1)
        }
    }

    /// Ends a request of `key` and lets the next one begin.
    package func leave(_ key: String) {
        let next = state.withLock { $0.end(key) }
        next?.resume(returning: true)
    }

    /// Resumes `continuation` when a request of `key` may begin, or with false.
    private func wait(for key: String, on loop: EventLoop, _ continuation: UnsafeContinuation<Bool, Never>) {
        enum Step { case answer(Bool), wait(Int) }
        let step: Step = state.withLock { state in
            // A request on another loop may have ended in between.
            if state.begin(key, limit) { return .answer(true) }
            guard state.keys[key, default: Requests()].waiting.count < queueLimit else { return .answer(false) }
            state.nextWaiter += 1
            state.keys[key]?.waiting.append((state.nextWaiter, continuation))
            return .wait(state.nextWaiter)
        }
        switch step {
        case .answer(let mayBegin): continuation.resume(returning: mayBegin)
        case .wait(let number): loop.schedule(after: timeout) { [self] in giveUp(number, of: key) }
        }
    }

    private func giveUp(_ number: Int, of key: String) {
        let waiter = state.withLock { state -> UnsafeContinuation<Bool, Never>? in
            guard let place = state.keys[key]?.waiting.firstIndex(where: { $0.number == number }) else { return nil }
            return state.keys[key]?.waiting.remove(at: place).continuation
        }
        waiter?.resume(returning: false)
    }
}

extension ConcurrencyLimiter.State {
    /// Counts a request of `key` in; false if `limit` requests are running.
    fileprivate mutating func begin(_ key: String, _ limit: Int) -> Bool {
        guard keys[key, default: .init()].running < limit else { return false }
        keys[key, default: .init()].running += 1
        return true
    }

    /// Counts a request of `key` out. Returns the waiting request that begins in its place.
    fileprivate mutating func end(_ key: String) -> UnsafeContinuation<Bool, Never>? {
        guard var requests = keys[key] else { return nil }
        guard requests.waiting.isEmpty else { return keys[key]?.waiting.removeFirst().continuation }
        requests.running -= 1
        keys[key] = requests.running > 0 ? requests : nil
        return nil
    }
}
