internal import EventLoop

/// Lets each key, a user say, have a number of requests under way at once. The next ones wait for a while. So nobody's slow calls take
/// all the connections to the database, on which somebody else's check-in depends.
///
/// `@unchecked Sendable`: touched on the event loop's thread only: by the API server of that loop and by the loop's timers.
final class ConcurrencyLimiter<Key: Hashable & Sendable>: @unchecked Sendable {
    private let loop: EventLoop
    private let limit: Int
    private let queueLimit: Int
    private let timeout: Duration
    private var states: [Key: State] = [:]
    private var nextWaiter = 0

    /// What one key has under way, and who waits.
    private struct State {
        var running = 0
        /// In the order of their numbers, which is the order in which they came.
        var waiting: [(number: Int, continuation: UnsafeContinuation<Bool, Never>)] = []
    }

    /// `limit` requests of a key at once; at most `queueLimit` more wait, each for up to `timeout`.
    init(loop: EventLoop, limit: Int, queueLimit: Int, timeout: Duration) {
        self.loop = loop
        self.limit = limit
        self.queueLimit = queueLimit
        self.timeout = timeout
    }

    /// Waits until a request of `key` may begin; ``leave(_:)`` must follow.
    ///
    /// - Throws: ``Problem`` `too_many_requests` when too many wait already, or none ends in time.
    func enter(_ key: Key) async throws(Problem) {
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

    /// Ends a request of `key`; the next in line begins.
    func leave(_ key: Key) {
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

    private func giveUp(_ number: Int, of key: Key) {
        guard let place = states[key]?.waiting.firstIndex(where: { $0.number == number }) else { return }
        states[key]?.waiting.remove(at: place).continuation.resume(returning: false)
    }
}
