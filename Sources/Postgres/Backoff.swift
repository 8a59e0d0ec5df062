/// The delays between attempts to connect. They double from 50 ms to 500 ms. Jitter keeps the connections of all
/// servers from coming back at the same instant.
struct Backoff {
    private var failures = 0

    /// Returns the next delay. `jitter` is a random number from 0 to 1.
    mutating func next(jitter: Double) -> Duration {
        let longest = min(500, 50 << min(failures, 4))
        failures += 1
        return .microseconds(Int(Double(longest) * (0.5 + 0.5 * jitter) * 1000))
    }

    mutating func reset() {
        failures = 0
    }
}
