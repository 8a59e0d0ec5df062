/// New events that are held back for a reader until the earlier ones that it missed are known.
struct EventBacklog {
    /// The most bytes of events to keep.
    static let room = 64 << 10

    private var events: [(place: EventPosition, bytes: [UInt8])] = []
    private var size = 0
    /// Whether there were more events than are kept. The missed events must then be read again.
    private(set) var hasOverflowed = false

    /// Appends an event.
    mutating func append(_ bytes: [UInt8], at place: EventPosition) {
        size += bytes.count
        guard !hasOverflowed, size <= Self.room else {
            hasOverflowed = true
            events = []
            return
        }
        events.append((place, bytes))
    }

    /// The events of this transaction and later ones. Earlier ones are among the missed events.
    func events(from transaction: UInt64) -> [(place: EventPosition, bytes: [UInt8])] {
        events.filter { $0.place.transaction >= transaction }
    }
}
