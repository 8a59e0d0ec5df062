public import Foundation

/// Somebody whom a user wants nothing to do with.
public struct Block: Codable, Sendable, Hashable {
    /// The blocked one.
    public var user: User
    /// Since when.
    public var createdAt: Date

    /// Who is blocked.
    public struct User: Codable, Sendable, Identifiable, Hashable {
        /// The user.
        public var id: UUID
        /// Never empty: "Someone" where the person has set no name.
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
