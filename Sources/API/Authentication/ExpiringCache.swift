/// A bounded memory of answers, each with the time until which it may be believed. The clock is the caller's.
///
/// It has two generations. Every `life` seconds, or when the younger one is half the capacity, the older one is forgotten whole:
/// so what has expired is gone with one of the next uses, and no use costs more than another.
struct ExpiringCache<Key: Hashable, Value> {
    private typealias Entries = [Key: (value: Value, until: Double)]

    private var young: Entries = [:]
    private var old: Entries = [:]
    /// When `young` becomes old.
    private var turn = 0.0
    private let capacity: Int
    private let life: Double

    /// A memory for `capacity` answers, none of which is to be believed for longer than `life` seconds.
    init(capacity: Int, life: Double) {
        self.capacity = capacity
        self.life = life
    }

    /// Whether nothing is remembered.
    var isEmpty: Bool { young.isEmpty && old.isEmpty }

    /// How many answers are remembered, expired ones included.
    var count: Int { young.count + old.count }

    /// The value for `key`, when there is one that may still be believed at `now`.
    mutating func value(for key: Key, at now: Double) -> Value? {
        age(at: now)
        guard let entry = young[key] ?? old[key], entry.until > now else { return nil }
        return entry.value
    }

    /// Remembers `value` until `until`. When the memory is full its older half is forgotten: an attacker who fills it costs us
    /// look-ups, never memory.
    mutating func insert(_ value: Value, for key: Key, until: Double, at now: Double) {
        age(at: now)
        if young.count >= max(capacity / 2, 1) { turnOver(at: now) }
        young[key] = (value, until)
    }

    private mutating func age(at now: Double) {
        guard now >= turn else { return }
        // After a pause of two lives the younger ones are over too.
        if now >= turn + life { young = [:] }
        turnOver(at: now)
    }

    private mutating func turnOver(at now: Double) {
        old = young
        young = [:]
        turn = now + life
    }
}
