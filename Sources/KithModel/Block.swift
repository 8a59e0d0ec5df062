public import Foundation

/// A block of one user by another.
public struct Block: Codable, Sendable, Hashable {
    /// The blocked user.
    public var user: User
    /// When the user was blocked.
    public var createdAt: Date
    /// The blocking user's vaults to which the blocked one still has access.
    public var vaults: [Vault]

    /// A vault to which a blocked user still has access.
    public struct Vault: Codable, Sendable, Identifiable, Hashable {
        /// The vault's id.
        public var id: UUID
        /// The vault's name.
        public var name: String
        /// The nominee to revoke.
        public var nomineeID: UUID
        /// Pending until the owner confirms them, accepted, or inactive.
        public var status: NomineeStatus
        /// The acts that the nominee may do.
        public var accessLevel: AccessLevel

        private enum CodingKeys: String, CodingKey {
            case id, name, status
            case nomineeID = "nominee_id"
            case accessLevel = "access_level"
        }
    }

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
        case user, vaults
        case createdAt = "created_at"
    }
}
