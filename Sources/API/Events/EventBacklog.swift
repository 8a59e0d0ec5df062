/// What happens to a reader of events while it is not known yet what it has missed before.
struct EventBacklog {
    /// How many bytes of events are kept.
    static let room = 64 << 10

    private var events: [(place: EventPosition, bytes: [UInt8])] = []
    private var size = 0
    /// Whether there were more than are kept: then what was missed has to be asked for again.
    private(set) var hasOverflowed = false

    /// Keeps an event, after those before.
    mutating func append(_ bytes: [UInt8], at place: EventPosition) {
        size += bytes.count
        guard !hasOverflowed, size <= Self.room else {
            hasOverflowed = true
            events = []
            return
        }
        events.append((place, bytes))
    }

    /// The events from a transaction on: those before it were among what was missed.
    func events(from transaction: UInt64) -> [(place: EventPosition, bytes: [UInt8])] {
        events.filter { $0.place.transaction >= transaction }
    }
}
