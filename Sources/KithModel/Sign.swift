public import Foundation

/// How a check-in came.
public struct CheckInSource: OpenSet {
    /// The value in the API.
    public let rawValue: String

    /// Creates a source from its value.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// In the app.
    public static let app = CheckInSource(rawValue: "app")
    /// In the web client.
    public static let web = CheckInSource(rawValue: "web")
    /// By the link in a message.
    public static let link = CheckInSource(rawValue: "link")
    /// By answering a text message.
    public static let sms = CheckInSource(rawValue: "sms")
    /// By answering a call.
    public static let voice = CheckInSource(rawValue: "voice")
    /// With a thing.
    public static let sign = CheckInSource(rawValue: "sign")
}

/// The newest activity that a thing of a sender has reported.
public struct LastSign: Codable, Sendable, Hashable {
    /// When it reported.
    public var at: Date
    /// Always ``Kind/activity``.
    public var kind: Kind
    /// What the sender calls the thing.
    public var name: String

    /// The kind of a thing.
    public struct Kind: OpenSet {
        /// The value in the API.
        public let rawValue: String

        /// Creates a kind from its value.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Pressed by a person: a check-in.
        public static let checkIn = Kind(rawValue: "check_in")
        /// Notices that something moved.
        public static let activity = Kind(rawValue: "activity")
    }
}
