public import Foundation

/// A secret key of a tenant's server.
public struct APIKey: Codable, Sendable, Identifiable, Hashable {
    /// The key's id.
    public var id: UUID
    /// The purpose of the key, as its maker named it.
    public var name: String
    /// The groups of calls that the key may make.
    public var scopes: [Scope]
    /// When the key stops working; nil if it has no end.
    public var expiresAt: Date?
    /// Whether the key works. False once it has expired.
    public var isLive: Bool
    /// When the key was last used, to the minute; nil if never.
    public var lastUsedAt: Date?
    /// When the key was made.
    public var createdAt: Date
    /// The key itself, only in the answer that made it.
    public var secretKey: String?

    /// A group of calls that a key may make.
    public struct Scope: OpenSet {
        /// The value in the API.
        public let rawValue: String

        /// Creates a scope from its value.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Users, their subscriptions, and imports.
        public static let users = Scope(rawValue: "users")
        /// Access tokens for users.
        public static let tokens = Scope(rawValue: "tokens")
        /// Settings, the keys of the identity provider, and channels.
        public static let settings = Scope(rawValue: "settings")
        /// Webhooks.
        public static let webhooks = Scope(rawValue: "webhooks")
        /// Every GET except that of keys.
        public static let read = Scope(rawValue: "read")
        /// Everything.
        public static let all = Scope(rawValue: "all")
    }

    private enum CodingKeys: String, CodingKey {
        case id, name, scopes
        case expiresAt = "expires_at"
        case isLive = "is_live"
        case lastUsedAt = "last_used_at"
        case createdAt = "created_at"
        case secretKey = "secret_key"
    }
}
