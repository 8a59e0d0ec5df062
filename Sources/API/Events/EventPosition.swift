/// Where a reader of events stands: behind one of them, or behind all that was written by transactions before a certain one. As text it is
/// the `id` of an event.
///
/// The order of events is that of their transactions' numbers, and of their ids within one: that order is final for every transaction
/// that is older than the oldest one still running.
struct EventPosition: Hashable, Sendable {
    /// Of the event, or of when everything before the transaction had been read, in milliseconds since 1970. It tells how old the position
    /// is, and orders nothing.
    let milliseconds: Int64
    /// The number of the transaction, an `xid8` of PostgreSQL.
    let transaction: UInt64
    /// The event's id, in small letters; nil where the reader has everything from before the transaction, and nothing of it.
    let id: String?

    /// Below every id.
    static let leastID = "00000000-0000-0000-0000-000000000000"

    init(milliseconds: Int64, transaction: UInt64, id: String? = nil) {
        self.milliseconds = milliseconds
        self.transaction = transaction
        self.id = id
    }

    /// The position of an event, whose id begins with the time (RFC 9562, section 5.7).
    init(transaction: UInt64, id: String) {
        let time = Int64(id.filter { $0 != "-" }.prefix(12), radix: 16) ?? 0
        self.init(milliseconds: time, transaction: transaction, id: id)
    }

    /// Reads what ``text`` wrote; nil for anything else. The database reads the same.
    init?(_ text: String) {
        let parts = text.split(separator: "-", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, Self.isNumber(parts[0], length: 15), Self.isNumber(parts[1], length: 19),
            let milliseconds = Int64(parts[0]), let transaction = UInt64(parts[1])
        else { return nil }
        let id = parts.count > 2 ? String(parts[2]) : nil
        guard id.map(TextFormat.uuid.accepts) ?? true else { return nil }
        self.init(milliseconds: milliseconds, transaction: transaction, id: id?.lowercased())
    }

    /// The milliseconds, the transaction and, of an event, its id.
    var text: String {
        "\(milliseconds)-\(transaction)" + (id.map { "-\($0)" } ?? "")
    }

    private static func isNumber(_ text: Substring, length: Int) -> Bool {
        (1...length).contains(text.utf8.count)
            && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
