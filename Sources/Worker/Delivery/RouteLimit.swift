/// How many messages may be in flight to one tenant's provider at once. The limit grows while the provider accepts
/// everything quickly, and is halved when it fails.
///
/// It grows like TCP's congestion window (RFC 5681): by one for each success until the first failure, and from then on
/// by one for each full window of successes.
struct RouteLimit {
    /// The limit for a provider that nothing is known about.
    static let first = 4
    /// An answer that takes longer than this is slow.
    static let slowThreshold = Duration.seconds(2)

    private let most: Double
    private var window: Double
    private var grows = true
    /// Failures within one window shrink it only once.
    private var shrunkAt: ContinuousClock.Instant?

    /// A limit that is never above `most`.
    init(most: Int) {
        self.most = Double(max(1, most))
        window = Double(min(Self.first, max(1, most)))
    }

    /// How many messages may be in flight.
    var value: Int { Int(window) }

    /// Records that an attempt was answered while this many were in flight.
    mutating func succeed(inFlight: Int) {
        // A limit that was not used proves nothing.
        guard inFlight * 2 >= value else { return }
        window = min(most, window + (grows ? 1 : 1 / window))
    }

    /// Records that an attempt that began at `began` failed at `now`.
    mutating func fail(began: ContinuousClock.Instant, at now: ContinuousClock.Instant) {
        if let shrunkAt, began < shrunkAt { return }
        shrunkAt = now
        grows = false
        window = max(1, window / 2)
    }
}
