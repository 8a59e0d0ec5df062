public import Foundation

/// A reminder before the deadline of a check-in.
public struct Reminder: Codable, Sendable, Hashable {
    /// The minutes before the deadline.
    public var beforeMinutes: Int
    /// The channels of this reminder; nil for those that the sender has chosen for reminders.
    public var channels: [NotificationPreferences.Channel]?

    private enum CodingKeys: String, CodingKey {
        case channels
        case beforeMinutes = "before_minutes"
    }
}

/// The schedule and settings of a sender.
public struct SenderProfile: Codable, Sendable, Hashable {
    /// The ping time as `HH:MM`, in ``timeZone``.
    public var pingTime: String
    /// The time zone, an IANA name.
    public var timeZone: String
    /// Whether the time zone differs from the account's. If not, it follows the account's.
    public var hasOwnTimeZone: Bool
    /// The minutes from the ping time to the deadline.
    public var graceMinutes: Int
    /// How many minutes before the deadline the sender is reminded.
    public var reminderMinutes: Int
    /// The reminders before the deadline, the earliest first.
    public var reminders: [Reminder]
    /// Whether receivers see the sender's phone number beside a missed ping.
    public var sharePhone: Bool
    /// The permanent code with which receivers connect to this sender.
    public var code: String
    /// When the user first became a sender.
    public var createdAt: Date
    /// When the profile last changed.
    public var updatedAt: Date

    private enum CodingKeys: String, CodingKey {
        case code, reminders
        case pingTime = "ping_time"
        case timeZone = "time_zone"
        case hasOwnTimeZone = "has_own_time_zone"
        case graceMinutes = "grace_minutes"
        case reminderMinutes = "reminder_minutes"
        case sharePhone = "share_phone"
        case createdAt = "created_at"
        case updatedAt = "updated_at"
    }
}

/// The settings of a receiver.
public struct ReceiverProfile: Codable, Sendable, Hashable {
    /// The permanent code with which senders connect to this receiver.
    public var code: String
    /// The status of the subscription.
    public var subscriptionStatus: SubscriptionStatus
    /// When the subscription expires or expired; nil for one without end.
    public var subscriptionExpiresAt: Date?
    /// When pings to this receiver stop or stopped because the subscription has lapsed; nil if it has not lapsed.
    public var pingsStopAt: Date?
    /// When the user first became a receiver.
    public var createdAt: Date
    /// When the profile last changed.
    public var updatedAt: Date

    private enum CodingKeys: String, CodingKey {
        case code
        case subscriptionStatus = "subscription_status"
        case subscriptionExpiresAt = "subscription_expires_at"
        case pingsStopAt = "pings_stop_at"
        case createdAt = "created_at"
        case updatedAt = "updated_at"
    }
}

/// The status of a receiver's subscription.
public struct SubscriptionStatus: OpenSet {
    /// The value in the API.
    public let rawValue: String

    /// Creates a status from its value.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Not paid yet. In good standing.
    public static let trial = SubscriptionStatus(rawValue: "trial")
    /// Paid. In good standing.
    public static let active = SubscriptionStatus(rawValue: "active")
    /// A payment is late. Still in good standing.
    public static let pastDue = SubscriptionStatus(rawValue: "past_due")
    /// The subscription will not be renewed. In good standing until it expires.
    public static let canceled = SubscriptionStatus(rawValue: "canceled")
    /// The subscription has expired.
    public static let expired = SubscriptionStatus(rawValue: "expired")
}

/// A six-digit code for connecting.
public struct Code: Codable, Sendable, Hashable {
    /// Six ASCII digits.
    public var code: String
    /// The owner's role. The user who redeems the code takes the other one.
    public var role: Role
    /// Whether the code is valid until it is rotated.
    public var permanent: Bool
    /// When the code expires; nil for a permanent code.
    public var expiresAt: Date?

    private enum CodingKeys: String, CodingKey {
        case code, role, permanent
        case expiresAt = "expires_at"
    }
}
