public import Foundation

/// When a sender says that they are safe.
public struct SenderProfile: Codable, Sendable, Hashable {
    /// Local to ``timeZone``, as `HH:MM`.
    public var pingTime: String
    /// IANA name.
    public var timeZone: String
    /// Minutes from the ping time to the deadline.
    public var graceMinutes: Int
    /// Minutes before the deadline at which the sender is reminded.
    public var reminderMinutes: Int
    /// The permanent code with which receivers connect.
    public var code: String

    private enum CodingKeys: String, CodingKey {
        case code
        case pingTime = "ping_time"
        case timeZone = "time_zone"
        case graceMinutes = "grace_minutes"
        case reminderMinutes = "reminder_minutes"
    }
}

/// Somebody who is told.
public struct ReceiverProfile: Codable, Sendable, Hashable {
    /// The permanent code with which senders connect.
    public var code: String
    /// How the subscription stands.
    public var subscriptionStatus: SubscriptionStatus
    /// When it ends or ended; nil for one without end.
    public var subscriptionExpiresAt: Date?
    /// When pings to this receiver stop or stopped, because the subscription has lapsed; nil where it has not.
    public var pingsStopAt: Date?

    private enum CodingKeys: String, CodingKey {
        case code
        case subscriptionStatus = "subscription_status"
        case subscriptionExpiresAt = "subscription_expires_at"
        case pingsStopAt = "pings_stop_at"
    }
}

/// How a receiver's subscription stands.
public struct SubscriptionStatus: OpenSet {
    /// The text of the API.
    public let rawValue: String

    /// A status from its text.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Not paid for yet; good.
    public static let trial = SubscriptionStatus(rawValue: "trial")
    /// Paid for; good.
    public static let active = SubscriptionStatus(rawValue: "active")
    /// A payment is late; still good.
    public static let pastDue = SubscriptionStatus(rawValue: "past_due")
    /// Will not be renewed; good until it ends.
    public static let canceled = SubscriptionStatus(rawValue: "canceled")
    /// Ended.
    public static let expired = SubscriptionStatus(rawValue: "expired")
}

/// A six-digit code that connects.
public struct Code: Codable, Sendable, Hashable {
    /// Six ASCII digits.
    public var code: String
    /// The role in which its owner has it; who redeems it takes the other.
    public var role: Role
    /// Whether it lives until it is rotated.
    public var permanent: Bool
    /// When it ends; nil for a permanent one.
    public var expiresAt: Date?

    private enum CodingKeys: String, CodingKey {
        case code, role, permanent
        case expiresAt = "expires_at"
    }
}
