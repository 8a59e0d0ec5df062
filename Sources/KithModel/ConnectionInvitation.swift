public import Foundation

/// A sender's invitation of up to 1,000 people at once, all with the same text.
public struct ConnectionInvitation: Codable, Sendable, Identifiable, Hashable {
    /// The invitation's id.
    public var id: UUID
    /// The text that every recipient gets.
    public var message: String
    /// The sender's permanent code.
    public var code: String
    /// The app's join link with the code.
    public var url: String
    /// When the invitation was made.
    public var createdAt: Date
    /// A link that opens one message to everybody who has not been sent one; nil for more than 30 people.
    public var smsURL: String?
    /// The same in the form that iOS has.
    public var smsURLForIOS: String?
    /// The recipients, in the order given.
    public var recipients: [Recipient]

    /// A recipient of an invitation.
    public struct Recipient: Codable, Sendable, Hashable {
        /// The position in the list, from 1.
        public var n: Int
        /// The name, if one was given.
        public var name: String?
        /// The phone number in E.164 form; as it was given if it is unusable.
        public var phone: String
        /// A link that opens the message in the phone's messaging app; nil when this recipient gets no message.
        public var smsURL: String?
        /// The status.
        public var status: Status
        /// Why this recipient gets no message, as text for a person.
        public var error: String?
        /// The connection that the person made, if they have verified this number.
        public var connectionID: UUID?

        private enum CodingKeys: String, CodingKey {
            case n, name, phone, status, error
            case smsURL = "sms_url"
            case connectionID = "connection_id"
        }
    }

    /// The status of a recipient.
    public struct Status: OpenSet {
        /// The value in the API.
        public let rawValue: String

        /// Creates a status from its value.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Nobody has sent the text yet.
        public static let pending = Status(rawValue: "pending")
        /// Kith is sending the text.
        public static let queued = Status(rawValue: "queued")
        /// The text was sent.
        public static let sent = Status(rawValue: "sent")
        /// The sender cancelled the text.
        public static let cancelled = Status(rawValue: "cancelled")
        /// The text could not be sent.
        public static let failed = Status(rawValue: "failed")
        /// The sender's phone cannot send texts.
        public static let unavailable = Status(rawValue: "unavailable")
        /// The phone number is missing or unusable, or the name is unusable.
        public static let invalid = Status(rawValue: "invalid")
        /// The phone number occurs earlier in the list.
        public static let duplicate = Status(rawValue: "duplicate")
    }

    /// An invitation in a list, without its recipients.
    public struct Summary: Codable, Sendable, Identifiable, Hashable {
        /// The invitation's id.
        public var id: UUID
        /// The text that every recipient gets.
        public var message: String
        /// The sender's permanent code.
        public var code: String
        /// The app's join link with the code.
        public var url: String
        /// When the invitation was made.
        public var createdAt: Date
        /// The number of recipients.
        public var recipientCount: Int
        /// The number of recipients who have connected.
        public var connected: Int
        /// The number of recipients by status.
        public var statuses: [String: Int]

        private enum CodingKeys: String, CodingKey {
            case id, message, code, url, connected, statuses
            case createdAt = "created_at"
            case recipientCount = "recipient_count"
        }
    }

    private enum CodingKeys: String, CodingKey {
        case id, message, code, url, recipients
        case createdAt = "created_at"
        case smsURL = "sms_url"
        case smsURLForIOS = "sms_url_ios"
    }
}
