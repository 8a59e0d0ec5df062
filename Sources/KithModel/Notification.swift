public import Foundation

/// A notification to a user.
public struct Notification: Codable, Sendable, Identifiable, Hashable {
    /// The notification's id, ordered by time.
    public var id: UUID
    /// The type, such as `ping_missed`.
    public var type: String
    /// The title in the user's language, as text for a person.
    public var title: String
    /// The text for a person, in the user's language and with the names of now.
    public var body: String
    /// What the notification is about.
    public var data: Details
    /// When the notification was written.
    public var createdAt: Date
    /// When the notification was sent to one of the user's channels.
    public var sentAt: Date?
    /// What became of its delivery.
    public var deliveryStatus: DeliveryStatus
    /// When the user read the notification.
    public var readAt: Date?

    /// What a notification is about.
    public struct Details: Codable, Sendable, Hashable {
        /// The thing that the notification leads to, whatever has become of it since.
        public var about: Subject?
        /// The note of the check-in, if the sender shares it.
        public var note: String?
        /// The person whom the text names, as the user knows them. Nil for nobody, and once their account has ended.
        public var name: String?
        /// The person whom the text names. Nil also for somebody who declined.
        public var userID: UUID?
        /// The vault that the text names.
        public var vaultID: UUID?
        /// The vault's name in the text. Nil once the vault was deleted for good.
        public var vaultName: String?
        /// The minutes left to check in, of a reminder.
        public var minutes: Int?
        /// Until when a vault can be entered, or an invitation answered.
        public var expiresAt: Date?
        /// When a nominee gets emergency access, unless the owner is back by then.
        public var grantsAt: Date?
        /// When emergency access ends, or a break.
        public var endsAt: Date?

        private enum CodingKeys: String, CodingKey {
            case about, note, name, minutes
            case userID = "user_id"
            case vaultID = "vault_id"
            case vaultName = "vault_name"
            case expiresAt = "expires_at"
            case grantsAt = "grants_at"
            case endsAt = "ends_at"
        }
    }

    /// The thing that a notification leads to.
    public struct Subject: Codable, Sendable, Hashable {
        /// The type of thing.
        public var type: SubjectType
        /// The thing's id. A conversation has that of its nominee, and a subscription that of its receiver.
        public var id: UUID
    }

    /// A type of thing that notifications lead to.
    public struct SubjectType: OpenSet {
        /// The value in the API.
        public let rawValue: String

        /// Creates a type from its value.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// A connection.
        public static let connection = SubjectType(rawValue: "connection")
        /// A ping.
        public static let ping = SubjectType(rawValue: "ping")
        /// A receiver's subscription.
        public static let subscription = SubjectType(rawValue: "subscription")
        /// A vault.
        public static let vault = SubjectType(rawValue: "vault")
        /// A nominee of a vault.
        public static let nominee = SubjectType(rawValue: "nominee")
        /// An invitation to a vault, or the offer of one.
        public static let invitation = SubjectType(rawValue: "invitation")
        /// The transfer of a vault.
        public static let transfer = SubjectType(rawValue: "transfer")
        /// The chat of a vault's owner with a nominee.
        public static let conversation = SubjectType(rawValue: "conversation")
        /// A request for emergency access to a vault.
        public static let emergencyRequest = SubjectType(rawValue: "emergency_request")
    }

    /// What became of the delivery of a notification.
    public struct DeliveryStatus: OpenSet {
        /// The value in the API.
        public let rawValue: String

        /// Creates a status from its value.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Not sent yet.
        public static let queued = DeliveryStatus(rawValue: "queued")
        /// A channel has sent it.
        public static let sent = DeliveryStatus(rawValue: "sent")
        /// No channel could send it.
        public static let failed = DeliveryStatus(rawValue: "failed")
        /// There was no channel for it, or no reason any more.
        public static let dropped = DeliveryStatus(rawValue: "dropped")
    }

    private enum CodingKeys: String, CodingKey {
        case id, type, title, body, data
        case createdAt = "created_at"
        case sentAt = "sent_at"
        case deliveryStatus = "delivery_status"
        case readAt = "read_at"
    }
}
