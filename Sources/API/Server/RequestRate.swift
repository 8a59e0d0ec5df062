/// Limits the request rate of each key to `rate` per second, with bursts of up to `burst` after a pause.
///
/// It is the generic cell rate algorithm (ITU-T I.371), which stores one number per key: the time at which its credit is full again. The
/// caller provides the time. A rate of 0 means no limit.
struct RequestRate<Key: Hashable & Sendable>: Sendable {
    let rate: Double
    let burst: Double
    private var whole: [Key: Double] = [:]
    private var swept = 0.0

    init(rate: Int, burst: Int) {
        self.rate = Double(rate)
        self.burst = Double(max(burst, 1))
    }

    /// Counts a request of `key` at `now` (seconds of any steady clock). Returns nil if it may pass, otherwise the seconds to wait.
    mutating func admit(_ key: Key, at now: Double) -> Double? {
        guard rate > 0 else { return nil }
        sweep(at: now)
        let interval = 1 / rate
        let from = max(whole[key] ?? now, now)
        let wait = from + interval - burst * interval - now
        // The tolerance keeps rounding from refusing a request that fits exactly.
        guard wait <= 1e-9 else { return wait }
        whole[key] = from + interval
        return nil
    }

    /// The number of stored keys.
    var count: Int { whole.count }

    /// Every 10 seconds, drops the keys whose credit is full. They are like keys never seen.
    private mutating func sweep(at now: Double) {
        guard now - swept >= 10 else { return }
        swept = now
        whole = whole.filter { $0.value > now }
    }
}
