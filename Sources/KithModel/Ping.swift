public import Foundation

/// One connection and one local date of its sender: is the sender safe today?
public struct Ping: Codable, Sendable, Identifiable, Hashable {
    /// Ours.
    public var id: UUID
    /// The connection that it belongs to.
    public var connectionID: UUID
    /// The sender's local date, as `YYYY-MM-DD`.
    public var date: String
    /// What became of it.
    public var status: Status
    /// When the sender is asked.
    public var scheduledAt: Date
    /// Until when an answer is in time.
    public var deadlineAt: Date
    /// When the sender answered.
    public var completedAt: Date?

    /// What became of a ping.
    public struct Status: OpenSet {
        /// The text of the API.
        public let rawValue: String

        /// A status from its text.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Its time has not come.
        public static let scheduled = Status(rawValue: "scheduled")
        /// The sender is asked.
        public static let due = Status(rawValue: "due")
        /// Answered in time.
        public static let completed = Status(rawValue: "completed")
        /// Not answered by the deadline.
        public static let missed = Status(rawValue: "missed")
        /// Answered after the deadline.
        public static let completedLate = Status(rawValue: "completed_late")
        /// Taken back: the connection was paused or removed, or the sender takes a break.
        public static let cancelled = Status(rawValue: "cancelled")
    }

    private enum CodingKeys: String, CodingKey {
        case id, date, status
        case connectionID = "connection_id"
        case scheduledAt = "scheduled_at"
        case deadlineAt = "deadline_at"
        case completedAt = "completed_at"
    }
}

/// What a check-in did.
public struct CheckIn: Codable, Sendable, Hashable {
    /// How many pings it completed in time.
    public var completed: Int
    /// How many missed pings it completed late.
    public var late: Int
    /// The pings that it completed.
    public var pings: [Ping]
}
