/// A bounded memory of answers, each with the time until which it may be believed. The clock is the caller's.
struct ExpiringCache<Value> {
    private var entries: [String: (value: Value, until: Double)] = [:]
    private let capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// Whether nothing was ever remembered, or all of it forgotten again.
    var isEmpty: Bool { entries.isEmpty }

    /// The value for `key`, when there is one that may still be believed at `now`.
    func value(for key: String, at now: Double) -> Value? {
        guard let entry = entries[key], entry.until > now else { return nil }
        return entry.value
    }

    /// Remembers `value` until `until`. When the memory is full, what has expired is forgotten, and where that frees
    /// nothing, everything: an attacker who fills it costs us look-ups, never memory.
    mutating func insert(_ value: Value, for key: String, until: Double, at now: Double) {
        if entries.count >= capacity {
            entries = entries.filter { $0.value.until > now }
            if entries.count >= capacity { entries.removeAll(keepingCapacity: true) }
        }
        entries[key] = (value, until)
    }
}
