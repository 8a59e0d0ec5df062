public import Foundation

/// A vault's link to an outside sharing service, such as CloudKit.
public struct Share: Codable, Sendable, Identifiable, Hashable {
    /// The share's id.
    public var id: UUID
    /// The shared vault.
    public var vault: Vault
    /// The service's name of the share.
    public var recordName: String
    /// The URL of the share at the service.
    public var url: String?
    /// The highest permission that the share gives its participants.
    public var permission: Permission
    /// The number of participants, not counting those who were removed.
    public var participantCount: Int
    /// When the share was made.
    public var createdAt: Date
    /// When the share last changed.
    public var updatedAt: Date

    /// A shared vault.
    public struct Vault: Codable, Sendable, Identifiable, Hashable {
        /// The vault's id.
        public var id: UUID
        /// The vault's name.
        public var name: String
    }

    /// The permission that the service gives a participant.
    public struct Permission: OpenSet {
        /// The value in the API.
        public let rawValue: String

        /// Creates a permission from its value.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Reading. A new nominee gets the level `view`.
        public static let readOnly = Permission(rawValue: "readOnly")
        /// Changing. A new nominee gets the level `edit`.
        public static let readWrite = Permission(rawValue: "readWrite")
        /// No access.
        public static let none = Permission(rawValue: "none")
        /// The service has not reported the permission.
        public static let unknown = Permission(rawValue: "unknown")
    }

    /// How the nominees changed when the participants were synchronised.
    public struct Synchronisation: Codable, Sendable, Hashable {
        /// The number of new nominees.
        public var created: Int
        /// The number of changed nominees.
        public var updated: Int
        /// The number of revoked nominees.
        public var revoked: Int
        /// The number of unchanged nominees.
        public var unchanged: Int
    }

    /// The number of invitations, by channel and outcome.
    public struct Usage: Codable, Sendable, Hashable {
        /// The counts, one for each combination that occurs.
        public var items: [Count]
        /// The total.
        public var total: Int

        /// The number of invitations on one channel with one outcome.
        public struct Count: Codable, Sendable, Hashable {
            /// The channel of the invitations.
            public var channel: InvitationChannel
            /// The outcome; nil if nobody has reported one.
            public var outcome: InvitationOutcome?
            /// The number.
            public var count: Int
        }
    }

    private enum CodingKeys: String, CodingKey {
        case id, vault, url, permission
        case recordName = "record_name"
        case participantCount = "participant_count"
        case createdAt = "created_at"
        case updatedAt = "updated_at"
    }
}
