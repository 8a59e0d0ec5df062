/// How many requests each key may send: `rate` a second, and `burst` at once after a pause.
///
/// The generic cell rate algorithm (ITU-T I.371): one number a key, the time at which its credit would be whole again. The
/// clock is the caller's. A rate of 0 lets everything pass.
struct RequestRate<Key: Hashable & Sendable>: Sendable {
    let rate: Double
    let burst: Double
    private var whole: [Key: Double] = [:]
    private var swept = 0.0

    init(rate: Int, burst: Int) {
        self.rate = Double(rate)
        self.burst = Double(max(burst, 1))
    }

    /// Takes one request of `key` at `now` (seconds of any steady clock): nil when it may pass, otherwise the seconds
    /// after which one may.
    mutating func admit(_ key: Key, at now: Double) -> Double? {
        guard rate > 0 else { return nil }
        sweep(at: now)
        let interval = 1 / rate
        let from = max(whole[key] ?? now, now)
        let wait = from + interval - burst * interval - now
        // A hair of rounding must not refuse the request that exactly fits.
        guard wait <= 1e-9 else { return wait }
        whole[key] = from + interval
        return nil
    }

    /// How many keys are remembered.
    var count: Int { whole.count }

    /// Forgets, every 10 seconds, the keys whose credit is whole: they are as good as never seen.
    private mutating func sweep(at now: Double) {
        guard now - swept >= 10 else { return }
        swept = now
        whole = whole.filter { $0.value > now }
    }
}
