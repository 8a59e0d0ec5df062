/// A bounded cache whose entries have an expiry. The caller provides the time.
///
/// It keeps two generations. Every `life` seconds, or when the younger one reaches half the capacity, the older one is dropped as a whole.
/// Expired entries therefore disappear without a scan, and each use costs about the same.
struct ExpiringCache<Key: Hashable, Value> {
    private typealias Entries = [Key: (value: Value, until: Double)]

    private var young: Entries = [:]
    private var old: Entries = [:]
    /// When `young` becomes `old`.
    private var turn = 0.0
    private let capacity: Int
    private let life: Double

    /// Creates a cache for `capacity` entries that live for at most `life` seconds.
    init(capacity: Int, life: Double) {
        self.capacity = capacity
        self.life = life
    }

    /// Whether the cache has no entries.
    var isEmpty: Bool { young.isEmpty && old.isEmpty }

    /// The number of entries, including expired ones.
    var count: Int { young.count + old.count }

    /// The value for `key` if it has not expired at `now`.
    mutating func value(for key: Key, at now: Double) -> Value? {
        age(at: now)
        guard let entry = young[key] ?? old[key], entry.until > now else { return nil }
        return entry.value
    }

    /// Stores `value` until `until`. A full cache drops its older half: an attacker who fills it costs us look-ups, but no memory.
    mutating func insert(_ value: Value, for key: Key, until: Double, at now: Double) {
        age(at: now)
        if young.count >= max(capacity / 2, 1) { turnOver(at: now) }
        young[key] = (value, until)
    }

    private mutating func age(at now: Double) {
        guard now >= turn else { return }
        // After a pause of two lifetimes, the younger generation has expired too.
        if now >= turn + life { young = [:] }
        turnOver(at: now)
    }

    private mutating func turnOver(at now: Double) {
        old = young
        young = [:]
        turn = now + life
    }
}
