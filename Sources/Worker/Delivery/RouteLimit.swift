/// How much may be under way at once to one tenant's provider: more while it takes everything quickly, half of it when it fails.
///
/// Grows as TCP's window does (RFC 5681): by one for each success until the first failure, and from then on by one for each whole
/// window of them.
struct RouteLimit {
    /// What a provider of which nothing is known is given.
    static let first = 4
    /// What takes longer is slow.
    static let slowThreshold = Duration.seconds(2)

    private let most: Double
    private var window: Double
    private var grows = true
    /// What failed of the same window shrinks it once.
    private var shrunkAt: ContinuousClock.Instant?

    /// A limit that is never above `most`.
    init(most: Int) {
        self.most = Double(max(1, most))
        window = Double(min(Self.first, max(1, most)))
    }

    /// How many may be under way.
    var value: Int { Int(window) }

    /// An attempt was answered, while so many were under way.
    mutating func succeed(inFlight: Int) {
        // What was not used proves nothing.
        guard inFlight * 2 >= value else { return }
        window = min(most, window + (grows ? 1 : 1 / window))
    }

    /// An attempt that had begun at `began` failed at `now`.
    mutating func fail(began: ContinuousClock.Instant, at now: ContinuousClock.Instant) {
        if let shrunkAt, began < shrunkAt { return }
        shrunkAt = now
        grows = false
        window = max(1, window / 2)
    }
}
