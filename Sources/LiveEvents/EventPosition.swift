internal import JSON

/// The position of a reader in the events: after one event, or after all events of the transactions before a certain
/// one. Its text form is the `id` of an event.
///
/// Events are ordered by their transaction's number, then by id. The order is final for every transaction older than
/// the oldest one still running.
package struct EventPosition: Hashable, Sendable {
    /// The time of the event, or the time at which everything before the transaction had been read, in milliseconds
    /// since 1970. It tells the position's age and is not used for ordering.
    package let milliseconds: Int64
    /// The number of the transaction, an `xid8` of PostgreSQL.
    package let transaction: UInt64
    /// The event's id in lower case; nil if the reader has everything before the transaction and nothing of it.
    package let id: String?

    /// An id that sorts before every other.
    static let leastID = "00000000-0000-0000-0000-000000000000"

    package init(milliseconds: Int64, transaction: UInt64, id: String? = nil) {
        self.milliseconds = milliseconds
        self.transaction = transaction
        self.id = id
    }

    /// The position of an event, whose UUID begins with its time (RFC 9562, section 5.7).
    package init(transaction: UInt64, id: String) {
        let time = Int64(id.filter { $0 != "-" }.prefix(12), radix: 16) ?? 0
        self.init(milliseconds: time, transaction: transaction, id: id)
    }

    /// Parses a ``text``; nil for anything else. The database uses the same format.
    package init?(_ text: String) {
        let parts = text.split(separator: "-", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, Self.isNumber(parts[0], length: 15), Self.isNumber(parts[1], length: 19),
            let milliseconds = Int64(parts[0]), let transaction = UInt64(parts[1])
        else { return nil }
        let id = parts.count > 2 ? String(parts[2]) : nil
        guard id.map(TextFormat.uuid.accepts) ?? true else { return nil }
        self.init(milliseconds: milliseconds, transaction: transaction, id: id?.lowercased())
    }

    /// The milliseconds, the transaction and, if present, the event's id.
    package var text: String {
        "\(milliseconds)-\(transaction)" + (id.map { "-\($0)" } ?? "")
    }

    private static func isNumber(_ text: Substring, length: Int) -> Bool {
        (1...length).contains(text.utf8.count)
            && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
