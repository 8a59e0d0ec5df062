/// When a user is not to be disturbed.
public struct QuietHours: Codable, Sendable, Hashable {
    /// Local to the account's time zone, as `HH:MM`.
    public var from: String
    /// The same; the next day's where it is earlier than ``from``.
    public var until: String

    /// Quiet hours between two times.
    public init(from: String, until: String) {
        self.from = from
        self.until = until
    }
}

/// On which channels a user is told of what.
public struct NotificationPreferences: Codable, Sendable, Hashable {
    /// One for each type.
    public var preferences: [Preference]

    /// Preferences to be set; the default holds for types left out.
    public init(_ preferences: [Preference]) {
        self.preferences = preferences
    }

    /// On which channels a user is told of a type of notification.
    public struct Preference: Codable, Sendable, Hashable {
        /// The notification's type.
        public var type: String
        /// The channels; none for a notification that only stands in the app.
        public var channels: [Channel]

        /// A preference for a type.
        public init(type: String, channels: [Channel]) {
            self.type = type
            self.channels = channels
        }
    }

    /// A way to reach a person.
    public struct Channel: OpenSet {
        /// The text of the API.
        public let rawValue: String

        /// A channel from its text.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// To the user's devices.
        public static let push = Channel(rawValue: "push")
        /// To the user's address.
        public static let email = Channel(rawValue: "email")
        /// To the user's phone number.
        public static let sms = Channel(rawValue: "sms")
    }
}
