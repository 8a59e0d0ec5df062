/// Limits the request rate of each key to `rate` per second, with bursts of up to `burst` after a pause.
///
/// It is the generic cell rate algorithm (ITU-T I.371), which stores one number per key: the time at which its credit
/// is full again. The caller provides the time. A rate of 0 means no limit.
///
/// If the clock is set back by more than ``tolerance`` seconds, nobody is refused because of requests before that.
struct RequestRate<Key: Hashable & Sendable>: Sendable {
    /// By how many seconds a request may be earlier than one that was counted before it: twice the time that it may
    /// take to arrive.
    static var tolerance: Double { 30 }

    let rate: Double
    let burst: Double
    private var whole: [Key: Double] = [:]
    private var swept = 0.0

    init(rate: Int, burst: Int) {
        self.rate = Double(rate)
        self.burst = Double(max(burst, 1))
    }

    /// Counts a request of `key` at `now`, in seconds. Returns nil if it may pass, otherwise the seconds to wait.
    mutating func admit(_ key: Key, at now: Double) -> Double? {
        guard rate > 0 else { return nil }
        sweep(at: now)
        let interval = 1 / rate
        var from = whole[key] ?? now
        if from < now || !isPlausible(from, at: now) { from = now }
        let wait = from + interval - burst * interval - now
        // A billionth of a second keeps rounding from refusing a request that fits exactly.
        guard wait <= 1e-9 else { return wait }
        whole[key] = from + interval
        return nil
    }

    /// The number of stored keys.
    var count: Int { whole.count }

    /// Whether a credit that is full at `instant` is one that requests until `now` can have left.
    private func isPlausible(_ instant: Double, at now: Double) -> Bool {
        instant <= now + burst / rate + Self.tolerance
    }

    /// Every 10 seconds, drops the keys whose credit is full. They are like keys never seen.
    private mutating func sweep(at now: Double) {
        guard now - swept >= 10 || now < swept - Self.tolerance else { return }
        swept = now
        whole = whole.filter { $0.value > now && isPlausible($0.value, at: now) }
    }
}
