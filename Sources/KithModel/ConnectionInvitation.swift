public import Foundation

/// A sender's invitation of up to 1,000 people at once, all with the same text.
public struct ConnectionInvitation: Codable, Sendable, Identifiable, Hashable {
    /// Ours.
    public var id: UUID
    /// What everybody invited gets to read.
    public var message: String
    /// The sender's permanent code.
    public var code: String
    /// The app's join link with the code.
    public var url: String
    /// When it was made.
    public var createdAt: Date
    /// Everybody invited, in the order given.
    public var recipients: [Recipient]

    /// One of those who are invited.
    public struct Recipient: Codable, Sendable, Hashable {
        /// The place in the list, from 1.
        public var n: Int
        /// The name, where one was given.
        public var name: String?
        /// In E.164 form; as it was given where it is unusable.
        public var phone: String
        /// Opens the message in the phone's own app; nil where there is no message to this person.
        public var smsURL: String?
        /// How it stands.
        public var status: Status
        /// Why there is no message to this person, for a person to read.
        public var error: String?

        private enum CodingKeys: String, CodingKey {
            case n, name, phone, status, error
            case smsURL = "sms_url"
        }
    }

    /// How one who is invited stands.
    public struct Status: OpenSet {
        /// The text of the API.
        public let rawValue: String

        /// A status from its text.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Nobody has sent the text yet.
        public static let pending = Status(rawValue: "pending")
        /// Kith sends the text.
        public static let queued = Status(rawValue: "queued")
        /// The text was sent.
        public static let sent = Status(rawValue: "sent")
        /// The sender decided against it.
        public static let cancelled = Status(rawValue: "cancelled")
        /// It could not be sent.
        public static let failed = Status(rawValue: "failed")
        /// The sender's phone cannot send texts.
        public static let unavailable = Status(rawValue: "unavailable")
        /// The number is unusable.
        public static let invalid = Status(rawValue: "invalid")
        /// The number stands earlier in the list.
        public static let duplicate = Status(rawValue: "duplicate")
    }

    /// An invitation in a list: everything but the recipients themselves.
    public struct Summary: Codable, Sendable, Identifiable, Hashable {
        /// Ours.
        public var id: UUID
        /// What everybody invited gets to read.
        public var message: String
        /// The sender's permanent code.
        public var code: String
        /// The app's join link with the code.
        public var url: String
        /// When it was made.
        public var createdAt: Date
        /// How many people were named.
        public var recipientCount: Int
        /// How many of them stand how, by the text of the status.
        public var statuses: [String: Int]

        private enum CodingKeys: String, CodingKey {
            case id, message, code, url, statuses
            case createdAt = "created_at"
            case recipientCount = "recipient_count"
        }
    }

    private enum CodingKeys: String, CodingKey {
        case id, message, code, url, recipients
        case createdAt = "created_at"
    }
}
