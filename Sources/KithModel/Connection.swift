public import Foundation

/// A connection between a sender and a receiver, as one of them sees it.
public struct Connection: Codable, Sendable, Identifiable, Hashable {
    /// The connection's id. It stays the same when a removed connection comes back.
    public var id: UUID
    /// The role of the user who asked.
    public var role: Role
    /// The status.
    public var status: Status
    /// The side whose consent a pending connection waits for.
    public var consentBy: ConsentSide?
    /// The other side.
    public var counterpart: Counterpart
    /// What the user who asked calls the other side. Nobody else sees it.
    public var alias: String?
    /// The id of the sender's user.
    public var senderID: UUID
    /// The id of the receiver's user.
    public var receiverID: UUID
    /// When the two first connected.
    public var createdAt: Date
    /// When the connection last changed.
    public var updatedAt: Date
    /// The ping that is due and open; otherwise the ping of the sender's local date.
    public var todayPing: Ping?
    /// The sender's last sign of life. A receiver sees it while the connection is active.
    public var lastCheckInAt: Date?
    /// The note of that check-in, if the sender shares it.
    public var lastCheckInNote: String?
    /// How that check-in came.
    public var lastCheckInSource: CheckInSource?
    /// Whether the receiver sees the newest activity of the sender's things; nil for the receiver.
    public var shareActivity: Bool?
    /// Whether the receiver may ask "Are you OK?".
    public var mayAsk: Bool
    /// Whether the receiver sees the sender's care card and place without an alarm too.
    public var alwaysCareCard: Bool
    /// The newest activity of the sender's things, for a receiver with whom the sender shares it.
    public var lastSign: LastSign?
    /// When the sender is asked to check in, as `HH:MM` in ``timeZone``. A receiver sees it while the connection is active.
    public var pingTime: String?
    /// The time zone of ``pingTime``, an IANA name.
    public var timeZone: String?
    /// How the receiver can call the sender, beside a missed ping, if the sender shares the number.
    public var call: Call?
    /// The sender's current or upcoming break. A receiver sees it while the connection is active.
    public var `break`: Break?
    /// Why there are no pings, even if the status is ``Status/active``.
    public var suspendedReason: SuspendedReason?
    /// True in the response that brought a removed connection back.
    public var reactivated: Bool?

    /// The other side of a connection.
    public struct Counterpart: Codable, Sendable, Hashable {
        /// The user's id.
        public var id: UUID
        /// The display name, never empty: "Sender" or "Receiver" when the person has set no name.
        public var displayName: String

        private enum CodingKeys: String, CodingKey {
            case id
            case displayName = "display_name"
        }
    }

    /// The side whose consent a connection waits for.
    public struct ConsentSide: OpenSet {
        /// The value in the API.
        public let rawValue: String

        /// Creates a side from its value.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The user who asked.
        public static let me = ConsentSide(rawValue: "me")
        /// The other side.
        public static let counterpart = ConsentSide(rawValue: "counterpart")
    }

    /// The ways to call a sender.
    public struct Call: Codable, Sendable, Hashable {
        /// The phone number in E.164 form.
        public var phone: String
    }

    /// The status of a connection.
    public struct Status: OpenSet {
        /// The value in the API.
        public let rawValue: String

        /// Creates a status from its value.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The code's owner has not consented yet.
        public static let pending = Status(rawValue: "pending")
        /// Pings are made every day.
        public static let active = Status(rawValue: "active")
        /// The sender has paused the connection.
        public static let paused = Status(rawValue: "paused")
        /// Removed. The same code brings it back.
        public static let deleted = Status(rawValue: "deleted")
    }

    /// Why a connection has no pings.
    public struct SuspendedReason: OpenSet {
        /// The value in the API.
        public let rawValue: String

        /// Creates a reason from its value.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The receiver's subscription has lapsed, and its grace period is over.
        public static let subscription = SuspendedReason(rawValue: "subscription")
    }

    private enum CodingKeys: String, CodingKey {
        case id, role, status, counterpart, alias, call, reactivated
        case `break`
        case consentBy = "consent_by"
        case senderID = "sender_id"
        case receiverID = "receiver_id"
        case createdAt = "created_at"
        case updatedAt = "updated_at"
        case todayPing = "today_ping"
        case lastCheckInAt = "last_check_in_at"
        case lastCheckInNote = "last_check_in_note"
        case lastCheckInSource = "last_check_in_source"
        case shareActivity = "share_activity"
        case mayAsk = "may_ask"
        case alwaysCareCard = "always_care_card"
        case lastSign = "last_sign"
        case pingTime = "ping_time"
        case timeZone = "time_zone"
        case suspendedReason = "suspended_reason"
    }
}

/// A user's connections in one role, with today's pings.
public struct Dashboard: Codable, Sendable {
    /// The role.
    public var role: Role
    /// The local date, as `YYYY-MM-DD`: the sender's, or for a receiver the date in their own time zone.
    public var date: String
    /// The connections.
    public var items: [Connection]
    /// The `cursor` for the next request; nil on the last page.
    public var nextCursor: String?
    /// The number of pings of all connections that wait for a check-in now.
    public var openPings: Int
    /// The earliest deadline of the open pings, or of the scheduled ones if none is open.
    public var deadlineAt: Date?

    private enum CodingKeys: String, CodingKey {
        case role, date, items
        case nextCursor = "next_cursor"
        case openPings = "open_pings"
        case deadlineAt = "deadline_at"
    }
}
