public import Foundation

/// A sender and a receiver, as one of them sees it.
public struct Connection: Codable, Sendable, Identifiable, Hashable {
    /// Ours; stays when a removed connection comes back.
    public var id: UUID
    /// The side of who asked.
    public var role: Role
    /// How it stands.
    public var status: Status
    /// The other side.
    public var counterpart: Counterpart
    /// The sender's user.
    public var senderID: UUID
    /// The receiver's user.
    public var receiverID: UUID
    /// When the two first connected.
    public var createdAt: Date
    /// When it last changed.
    public var updatedAt: Date
    /// The open due ping, else the one of the sender's local date.
    public var todayPing: Ping?
    /// The sender's last sign of life; a receiver sees it while the connection is active.
    public var lastCheckInAt: Date?
    /// The sender's current or coming break; a receiver sees it while the connection is active.
    public var `break`: Break?
    /// Why there are no pings although the status may be ``Status/active``.
    public var suspendedReason: SuspendedReason?
    /// True in the answer that brought a removed connection back.
    public var reactivated: Bool?

    /// The other side of a connection.
    public struct Counterpart: Codable, Sendable, Hashable {
        /// The user.
        public var id: UUID
        /// Never empty: "Sender" or "Receiver" where the person has set no name.
        public var displayName: String

        private enum CodingKeys: String, CodingKey {
            case id
            case displayName = "display_name"
        }
    }

    /// How a connection stands.
    public struct Status: OpenSet {
        /// The text of the API.
        public let rawValue: String

        /// A status from its text.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The code's owner has yet to consent.
        public static let pending = Status(rawValue: "pending")
        /// There is a ping every day.
        public static let active = Status(rawValue: "active")
        /// The sender has paused it.
        public static let paused = Status(rawValue: "paused")
        /// Removed; the same code brings it back.
        public static let deleted = Status(rawValue: "deleted")
    }

    /// Why a connection has no pings.
    public struct SuspendedReason: OpenSet {
        /// The text of the API.
        public let rawValue: String

        /// A reason from its text.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The receiver's subscription has lapsed, and the time of grace is over.
        public static let subscription = SuspendedReason(rawValue: "subscription")
    }

    private enum CodingKeys: String, CodingKey {
        case id, role, status, counterpart, reactivated
        case `break`
        case senderID = "sender_id"
        case receiverID = "receiver_id"
        case createdAt = "created_at"
        case updatedAt = "updated_at"
        case todayPing = "today_ping"
        case lastCheckInAt = "last_check_in_at"
        case suspendedReason = "suspended_reason"
    }
}

/// Everybody that a user is connected with in a role, and today.
public struct Dashboard: Codable, Sendable {
    /// The role.
    public var role: Role
    /// The local date, as `YYYY-MM-DD`.
    public var date: String
    /// The connections.
    public var items: [Connection]
    /// How many pings wait for an answer.
    public var openPings: Int
    /// The first deadline among them.
    public var deadlineAt: Date?

    private enum CodingKeys: String, CodingKey {
        case role, date, items
        case openPings = "open_pings"
        case deadlineAt = "deadline_at"
    }
}
