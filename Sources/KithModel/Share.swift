public import Foundation

/// A vault's link to a sharing service outside, such as CloudKit.
public struct Share: Codable, Sendable, Identifiable, Hashable {
    /// Ours.
    public var id: UUID
    /// What is shared.
    public var vault: Vault
    /// What the service calls it.
    public var recordName: String
    /// Where the service shows it.
    public var url: String?
    /// What it permits at most.
    public var permission: Permission
    /// How many take part, but for those who were removed.
    public var participantCount: Int
    /// When it was made.
    public var createdAt: Date
    /// When it last changed.
    public var updatedAt: Date

    /// What is shared.
    public struct Vault: Codable, Sendable, Identifiable, Hashable {
        /// Ours.
        public var id: UUID
        /// As its owner calls it.
        public var name: String
    }

    /// What the service lets somebody do.
    public struct Permission: OpenSet {
        /// The text of the API.
        public let rawValue: String

        /// A permission from its text.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Look; a new nominee gets level view.
        public static let readOnly = Permission(rawValue: "readOnly")
        /// Change; a new nominee gets level edit.
        public static let readWrite = Permission(rawValue: "readWrite")
        /// Nothing.
        public static let none = Permission(rawValue: "none")
        /// The service has not said.
        public static let unknown = Permission(rawValue: "unknown")
    }

    /// What became of the nominees when the participants were synchronised.
    public struct Synchronisation: Codable, Sendable, Hashable {
        /// How many are new.
        public var created: Int
        /// Of how many something changed.
        public var updated: Int
        /// How many were removed.
        public var revoked: Int
        /// How many are as they were.
        public var unchanged: Int
    }

    /// How many invitations went out, by channel and outcome.
    public struct Usage: Codable, Sendable, Hashable {
        /// Each combination that there is.
        public var items: [Count]
        /// All of them.
        public var total: Int

        /// How many invitations went out one way, with one outcome.
        public struct Count: Codable, Sendable, Hashable {
            /// How they were to be sent.
            public var channel: String
            /// What became of the message; nil where nobody has reported that.
            public var outcome: InvitationOutcome?
            /// How many.
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
