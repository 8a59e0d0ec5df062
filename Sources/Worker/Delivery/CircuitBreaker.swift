/// Stops sending every message to a provider that is down. The breaker opens after ``tolerance`` failures in a row.
/// From then on it lets one attempt at a time through, to find out whether the provider is back.
struct CircuitBreaker {
    private enum State {
        /// Sending, after this many failures in a row.
        case closed(failures: Int)
        /// Sending nothing until `until`. `wait` is the length of the current pause.
        case open(until: ContinuousClock.Instant, wait: Duration)
        /// One trial attempt is in flight.
        case probing(wait: Duration)
    }

    private var state = State.closed(failures: 0)

    /// The number of failures in a row that open the breaker.
    static let tolerance = 5
    static let shortestWait = Duration.seconds(5)
    /// The longest pause, also when the provider asks for more: its estimate is no promise, and somebody may be waiting
    /// for an alarm.
    static let longestWait = Duration.seconds(300)

    /// How many attempts may begin now. Unlimited while the breaker is closed.
    func room(at now: ContinuousClock.Instant) -> Int {
        switch state {
        case .closed: .max
        case .open(let until, _): now >= until ? 1 : 0
        case .probing: 0
        }
    }

    /// How long nothing is sent. During a trial attempt, this is the time by which the attempt should have been
    /// answered, because it may well succeed.
    func wait(at now: ContinuousClock.Instant) -> Duration {
        switch state {
        case .closed: .zero
        case .open(let until, _): max(.zero, until - now)
        case .probing(let wait): min(wait, RouteLimit.slowThreshold)
        }
    }

    /// Whether attempts may begin freely.
    var isClosed: Bool {
        if case .closed = state { true } else { false }
    }

    /// Records that an attempt begins.
    mutating func begin() {
        if case .open(_, let wait) = state { state = .probing(wait: wait) }
    }

    /// Records that the provider accepted a message, or refused only this one.
    mutating func succeed() {
        state = .closed(failures: 0)
    }

    /// Records that the provider accepts nothing. `pause` is the delay that it asked for.
    mutating func fail(at now: ContinuousClock.Instant, pause: Duration?) {
        let pause = min(pause ?? .zero, Self.longestWait)
        switch state {
        case .closed(let failures):
            guard failures + 1 < Self.tolerance, pause == .zero else {
                return state = .open(until: now + max(pause, Self.shortestWait), wait: Self.shortestWait)
            }
            state = .closed(failures: failures + 1)
        case .open(let until, let wait):
            // The attempt was already in flight when the breaker opened.
            state = .open(until: max(until, now + pause), wait: wait)
        case .probing(let wait):
            let longer = min(wait * 2, Self.longestWait)
            state = .open(until: now + max(pause, longer), wait: longer)
        }
    }

    /// Ends a pause: the next attempt, which is the trial, may begin now.
    mutating func tryNow(at now: ContinuousClock.Instant) {
        if case .open(let until, let wait) = state { state = .open(until: min(until, now), wait: wait) }
    }

    /// Records that an attempt ended before it reached the provider. The next attempt becomes the trial.
    mutating func release(at now: ContinuousClock.Instant) {
        if case .probing(let wait) = state { state = .open(until: now, wait: wait) }
    }
}
