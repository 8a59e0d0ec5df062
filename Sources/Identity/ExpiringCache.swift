/// A bounded cache whose entries have an expiry. The caller provides the time.
///
/// It keeps two generations. Every `life` seconds, or when the younger one reaches half the capacity, the older one is
/// dropped as a whole. Expired entries therefore disappear without a scan, and each use costs about the same.
///
/// A clock that is set back by more than ``tolerance`` seconds empties the cache: what was stored by the clock's former
/// time would otherwise be trusted until that time comes again.
package struct ExpiringCache<Key: Hashable, Value> {
    typealias Entries = [Key: (value: Value, until: Double)]

    /// By how many seconds a use may be earlier than one before it: twice the time that a request may take to arrive. A
    /// use has the time at which the head of a request arrived, and a client that sends the body late must not empty
    /// the cache.
    static var tolerance: Double { 30 }

    private var young: Entries = [:]
    private var old: Entries = [:]
    /// When `young` becomes `old`.
    private var turn = 0.0
    /// The latest time of a use.
    private var latest = 0.0
    private let capacity: Int
    private let life: Double

    /// Creates a cache for `capacity` entries that live for at most `life` seconds.
    package init(capacity: Int, life: Double) {
        self.capacity = capacity
        self.life = life
    }

    /// Whether the cache has no entries.
    var isEmpty: Bool { young.isEmpty && old.isEmpty }

    /// The number of entries, including expired ones.
    var count: Int { young.count + old.count }

    /// The value for `key` if it has not expired at `now`.
    package mutating func value(for key: Key, at now: Double) -> Value? {
        var dropped: [Entries] = []
        return value(for: key, at: now, dropping: &dropped)
    }

    /// The value for `key` if it has not expired at `now`. Whoever holds a lock receives the dropped generations in
    /// `dropped`, and releases them after the lock: a full one has a hundred thousand entries.
    mutating func value(for key: Key, at now: Double, dropping dropped: inout [Entries]) -> Value? {
        age(at: now, &dropped)
        guard let entry = young[key] ?? old[key], entry.until > now else { return nil }
        return entry.value
    }

    /// Stores `value` until `until`. A full cache drops its older half: an attacker who fills it costs us look-ups, but
    /// no memory.
    package mutating func insert(_ value: Value, for key: Key, until: Double, at now: Double) {
        var dropped: [Entries] = []
        insert(value, for: key, until: until, at: now, dropping: &dropped)
    }

    /// As ``insert(_:for:until:at:)``, with the dropped generations in `dropped`.
    mutating func insert(
        _ value: Value, for key: Key, until: Double, at now: Double, dropping dropped: inout [Entries]
    ) {
        age(at: now, &dropped)
        if young.count >= max(capacity / 2, 1) { turnOver(at: now, &dropped) }
        young[key] = (value, until)
    }

    private mutating func age(at now: Double, _ dropped: inout [Entries]) {
        let isSetBack = now < latest - Self.tolerance
        latest = isSetBack ? now : max(latest, now)
        guard isSetBack || now >= turn else { return }
        // After a pause of two lifetimes, the younger generation has expired too.
        if isSetBack || now >= turn + life { turnOver(at: now, &dropped) }
        turnOver(at: now, &dropped)
    }

    private mutating func turnOver(at now: Double, _ dropped: inout [Entries]) {
        if !old.isEmpty { dropped.append(old) }
        old = young
        young = [:]
        turn = now + life
    }
}
