/// How long to wait before connecting again: doubling from 50 ms to 500 ms, and spread by chance, so that all
/// connections of all servers do not come back in the same instant.
struct Backoff {
    private var failures = 0

    /// The next wait. `jitter` is a number from 0 to 1, by chance.
    mutating func next(jitter: Double) -> Duration {
        let longest = min(500, 50 << min(failures, 4))
        failures += 1
        return .microseconds(Int(Double(longest) * (0.5 + 0.5 * jitter) * 1000))
    }

    mutating func reset() {
        failures = 0
    }
}
