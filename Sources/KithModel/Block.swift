public import Foundation

/// A block of one user by another.
public struct Block: Codable, Sendable, Hashable {
    /// The blocked user.
    public var user: User
    /// When the user was blocked.
    public var createdAt: Date

    /// A blocked user.
    public struct User: Codable, Sendable, Identifiable, Hashable {
        /// The user's id.
        public var id: UUID
        /// The display name, never empty: "Someone" when the user has set no name.
        public var displayName: String

        private enum CodingKeys: String, CodingKey {
            case id
            case displayName = "display_name"
        }
    }

    private enum CodingKeys: String, CodingKey {
        case user
        case createdAt = "created_at"
    }
}
