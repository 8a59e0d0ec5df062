/// The delays between attempts at something that fails. They double from the shortest to the longest. Jitter takes up
/// to half off, so that many processes do not come back at the same instant.
public struct Backoff: Sendable {
    private let shortest: Duration
    private let longest: Duration
    private var delay: Duration

    /// The number of failures since the last success.
    public private(set) var failures = 0

    /// Creates the delays for a first failure.
    public init(from shortest: Duration, to longest: Duration) {
        self.shortest = shortest
        self.longest = longest
        delay = shortest
    }

    /// Counts a failure and returns the delay before the next attempt. `jitter` is a random number from 0 to 1.
    public mutating func fail(jitter: Double = .random(in: 0..<1)) -> Duration {
        let jittered = delay * (0.5 + 0.5 * jitter)
        failures += 1
        delay = min(delay * 2, longest)
        return jittered
    }

    /// Records a success.
    public mutating func succeed() {
        failures = 0
        delay = shortest
    }
}
