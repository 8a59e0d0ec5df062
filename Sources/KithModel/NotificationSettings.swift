public import Foundation

/// The hours in which a user must not be disturbed.
public struct QuietHours: Codable, Sendable, Hashable {
    /// The start as `HH:MM`, in the account's time zone.
    public var from: String
    /// The end as `HH:MM`. It falls on the next day if it is earlier than ``from``.
    public var until: String

    /// Creates quiet hours between two times.
    public init(from: String, until: String) {
        self.from = from
        self.until = until
    }
}

/// The channels on which a user is notified, by type of notification.
public struct NotificationPreferences: Codable, Sendable, Hashable {
    /// The preferences, one for each type.
    public var preferences: [Preference]
    /// Since when the user's phone gets no text messages, because it answered STOP; nil if it does.
    public var textsStoppedAt: Date?

    private enum CodingKeys: String, CodingKey {
        case preferences
        case textsStoppedAt = "texts_stopped_at"
    }

    /// Creates preferences to set. Types that are left out keep the default.
    public init(_ preferences: [Preference]) {
        self.preferences = preferences
    }

    /// The channels for one type of notification.
    public struct Preference: Codable, Sendable, Hashable {
        /// The type of notification.
        public var type: String
        /// The channels; empty for a notification that only appears in the app.
        public var channels: [Channel]

        /// Creates a preference for a type.
        public init(type: String, channels: [Channel]) {
            self.type = type
            self.channels = channels
        }
    }

    /// A channel for reaching a person.
    public struct Channel: OpenSet {
        /// The value in the API.
        public let rawValue: String

        /// Creates a channel from its value.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Pushes to the user's devices.
        public static let push = Channel(rawValue: "push")
        /// E-mail to the user's address.
        public static let email = Channel(rawValue: "email")
        /// Text messages to the user's phone number.
        public static let sms = Channel(rawValue: "sms")
        /// Calls of the user's phone.
        public static let voice = Channel(rawValue: "voice")
    }
}
