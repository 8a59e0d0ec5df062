public import Foundation

/// A ping of one connection on one local date of its sender.
public struct Ping: Codable, Sendable, Identifiable, Hashable {
    /// The ping's id.
    public var id: UUID
    /// The id of the connection.
    public var connectionID: UUID
    /// The sender's local date, as `YYYY-MM-DD`.
    public var date: String
    /// The status.
    public var status: Status
    /// When the sender is asked to check in.
    public var scheduledAt: Date
    /// The deadline for a check-in.
    public var deadlineAt: Date
    /// When the sender checked in.
    public var completedAt: Date?
    /// When the receiver was told that the ping was missed.
    public var toldAt: Date?
    /// The note of the check-in, if the sender shares it.
    public var note: String?

    /// The status of a ping.
    public struct Status: OpenSet {
        /// The value in the API.
        public let rawValue: String

        /// Creates a status from its value.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The scheduled time has not come.
        public static let scheduled = Status(rawValue: "scheduled")
        /// The sender is asked to check in.
        public static let due = Status(rawValue: "due")
        /// The sender checked in before the deadline.
        public static let completed = Status(rawValue: "completed")
        /// The sender did not check in before the deadline.
        public static let missed = Status(rawValue: "missed")
        /// The sender checked in after the deadline.
        public static let completedLate = Status(rawValue: "completed_late")
        /// The connection was paused or removed, or the sender is on a break.
        public static let cancelled = Status(rawValue: "cancelled")
    }

    private enum CodingKeys: String, CodingKey {
        case id, date, status, note
        case connectionID = "connection_id"
        case scheduledAt = "scheduled_at"
        case deadlineAt = "deadline_at"
        case completedAt = "completed_at"
        case toldAt = "told_at"
    }
}

/// The result of a check-in.
public struct CheckIn: Codable, Sendable, Hashable {
    /// The number of pings that it completed in time.
    public var completed: Int
    /// The number of missed pings that it completed late.
    public var late: Int
    /// The pings that it completed.
    public var pings: [Ping]
}
