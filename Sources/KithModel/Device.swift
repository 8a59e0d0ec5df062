public import Foundation

/// Where a user's pushes go.
public struct Device: Codable, Sendable, Hashable {
    /// What kind of device it is.
    public var platform: Platform
    /// What the push service knows it by: a token of APNs, or the endpoint of a web push subscription.
    public var token: String
    /// Which of the push service's two worlds the token is of.
    public var environment: Environment
    /// When it became the user's.
    public var createdAt: Date
    /// When its app last said that it is in use.
    public var lastSeenAt: Date

    /// What kind of device it is.
    public struct Platform: OpenSet {
        /// The text of the API.
        public let rawValue: String

        /// A platform from its text.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// An iPhone or iPad.
        public static let ios = Platform(rawValue: "ios")
        /// A browser.
        public static let web = Platform(rawValue: "web")
    }

    /// Which of the push service's two worlds a token is of.
    public struct Environment: OpenSet {
        /// The text of the API.
        public let rawValue: String

        /// An environment from its text.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Of an app under development.
        public static let sandbox = Environment(rawValue: "sandbox")
        /// Of an app from the store.
        public static let production = Environment(rawValue: "production")
    }

    private enum CodingKeys: String, CodingKey {
        case platform, token, environment
        case createdAt = "created_at"
        case lastSeenAt = "last_seen_at"
    }
}
