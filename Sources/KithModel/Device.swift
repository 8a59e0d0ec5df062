public import Foundation

/// A device that receives a user's pushes.
public struct Device: Codable, Sendable, Hashable {
    /// The platform.
    public var platform: Platform
    /// The device's address at the push service: an APNs token, or the endpoint of a web push subscription.
    public var token: String
    /// The environment of the push service that the token belongs to.
    public var environment: Environment
    /// When the device was registered for the user.
    public var createdAt: Date
    /// When the app last reported that the device is in use.
    public var lastSeenAt: Date

    /// The platform of a device.
    public struct Platform: OpenSet {
        /// The value in the API.
        public let rawValue: String

        /// Creates a platform from its value.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// An iPhone or iPad.
        public static let ios = Platform(rawValue: "ios")
        /// A browser.
        public static let web = Platform(rawValue: "web")
    }

    /// The environment of the push service that a token belongs to.
    public struct Environment: OpenSet {
        /// The value in the API.
        public let rawValue: String

        /// Creates an environment from its value.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The token of an app in development.
        public static let sandbox = Environment(rawValue: "sandbox")
        /// The token of an app from the store.
        public static let production = Environment(rawValue: "production")
    }

    private enum CodingKeys: String, CodingKey {
        case platform, token, environment
        case createdAt = "created_at"
        case lastSeenAt = "last_seen_at"
    }
}
