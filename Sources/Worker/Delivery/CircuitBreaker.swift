/// Keeps a provider that is down from being asked for every message: it opens after a few failures in a row, and then one attempt at a
/// time finds out whether the provider is back.
struct CircuitBreaker {
    private enum State {
        /// So many failures in a row.
        case closed(failures: Int)
        /// Nothing goes until then; it had waited for `wait`.
        case open(until: ContinuousClock.Instant, wait: Duration)
        /// The one attempt is under way.
        case probing(wait: Duration)
    }

    private var state = State.closed(failures: 0)

    /// So many failures in a row open it.
    static let tolerance = 5
    static let shortestWait = Duration.seconds(5)
    /// Also the longest that a provider may ask for: what it says is no promise, and somebody may wait for an alarm.
    static let longestWait = Duration.seconds(300)

    /// How many attempts may begin now: any number while it is closed.
    func room(at now: ContinuousClock.Instant) -> Int {
        switch state {
        case .closed: .max
        case .open(let until, _): now >= until ? 1 : 0
        case .probing: 0
        }
    }

    /// How long nothing goes; while one attempt finds out, until it should have: it may well succeed.
    func wait(at now: ContinuousClock.Instant) -> Duration {
        switch state {
        case .closed: .zero
        case .open(let until, _): max(.zero, until - now)
        case .probing(let wait): min(wait, RouteLimit.slowThreshold)
        }
    }

    /// Whether the last attempts have failed so often that it waits.
    var isClosed: Bool {
        if case .closed = state { true } else { false }
    }

    /// An attempt begins.
    mutating func begin() {
        if case .open(_, let wait) = state { state = .probing(wait: wait) }
    }

    /// The provider has taken a message, or has refused just this one.
    mutating func succeed() {
        state = .closed(failures: 0)
    }

    /// The provider took nothing. `pause` is what it asked for.
    mutating func fail(at now: ContinuousClock.Instant, pause: Duration?) {
        let pause = min(pause ?? .zero, Self.longestWait)
        switch state {
        case .closed(let failures):
            guard failures + 1 < Self.tolerance, pause == .zero else {
                return state = .open(until: now + max(pause, Self.shortestWait), wait: Self.shortestWait)
            }
            state = .closed(failures: failures + 1)
        case .open(let until, let wait):
            // One that was under way when it opened.
            state = .open(until: max(until, now + pause), wait: wait)
        case .probing(let wait):
            let longer = min(wait * 2, Self.longestWait)
            state = .open(until: now + max(pause, longer), wait: longer)
        }
    }

    /// An attempt ended that never reached the provider: the next one may find out.
    mutating func release(at now: ContinuousClock.Instant) {
        if case .probing(let wait) = state { state = .open(until: now, wait: wait) }
    }
}
