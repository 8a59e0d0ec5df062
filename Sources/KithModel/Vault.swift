public import Foundation

/// A vault, as its owner or one of its nominees sees it.
public struct Vault: Codable, Sendable, Identifiable, Hashable {
    /// The vault's id.
    public var id: UUID
    /// The vault's name.
    public var name: String
    /// The role of the user who asked.
    public var role: Role
    /// The access level of that user; ``AccessLevel/full`` for the owner.
    public var accessLevel: AccessLevel
    /// The status of that user as a nominee; nil for the owner.
    public var status: NomineeStatus?
    /// The owner.
    public var owner: PersonName
    /// Whether the owner must confirm those who accept an invitation.
    public var requireConfirmation: Bool
    /// Whether nominees with the level `full` may open the vault.
    public var fullMayOpen: Bool
    /// The open session; nil while the vault is locked.
    public var session: VaultSession?
    /// When the vault was made.
    public var createdAt: Date
    /// When the vault's name or settings last changed.
    public var updatedAt: Date
    /// When the vault was deleted. It can be restored for 30 days.
    public var deletedAt: Date?

    /// The role of a user in a vault.
    public struct Role: OpenSet {
        /// The value in the API.
        public let rawValue: String

        /// Creates a role from its value.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The user owns the vault.
        public static let owner = Role(rawValue: "owner")
        /// The user is a nominee of the vault.
        public static let nominee = Role(rawValue: "nominee")
    }

    private enum CodingKeys: String, CodingKey {
        case id, name, role, status, owner, session
        case accessLevel = "access_level"
        case requireConfirmation = "require_confirmation"
        case fullMayOpen = "full_may_open"
        case createdAt = "created_at"
        case updatedAt = "updated_at"
        case deletedAt = "deleted_at"
    }
}

/// The access of a nominee to an open vault. Each level includes the ones before it.
public struct AccessLevel: OpenSet {
    /// The value in the API.
    public let rawValue: String

    /// Creates a level from its value.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// May read.
    public static let view = AccessLevel(rawValue: "view")
    /// May also add and replace documents.
    public static let edit = AccessLevel(rawValue: "edit")
    /// May also delete documents, invite and revoke others, and lock the vault.
    public static let full = AccessLevel(rawValue: "full")
}

/// The status of a nominee.
public struct NomineeStatus: OpenSet {
    /// The value in the API.
    public let rawValue: String

    /// Creates a status from its value.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Invited, or waiting for the owner's confirmation.
    public static let pending = NomineeStatus(rawValue: "pending")
    /// May enter while the vault is open.
    public static let accepted = NomineeStatus(rawValue: "accepted")
    /// Has accepted, and the vault is open.
    public static let active = NomineeStatus(rawValue: "active")
    /// Paused by the owner.
    public static let inactive = NomineeStatus(rawValue: "inactive")
    /// Access has ended for good.
    public static let revoked = NomineeStatus(rawValue: "revoked")
}

/// A person with their display name.
public struct PersonName: Codable, Sendable, Identifiable, Hashable {
    /// The user's id.
    public var id: UUID
    /// The display name, never empty: "Someone" if there is no name.
    public var displayName: String

    private enum CodingKeys: String, CodingKey {
        case id
        case displayName = "display_name"
    }
}

/// One opening of a vault, shared by everybody who may be in it.
public struct VaultSession: Codable, Sendable, Identifiable, Hashable {
    /// The session's id.
    public var id: UUID
    /// The vault's id.
    public var vaultID: UUID
    /// The user who opened it.
    public var unlockedBy: UUID
    /// When the session was opened.
    public var openedAt: Date
    /// When the session expires.
    public var expiresAt: Date
    /// When the session was locked.
    public var lockedAt: Date?
    /// The user who locked the session; nil if it expired.
    public var lockedBy: UUID?
    /// Why the session was locked.
    public var lockReason: LockReason?

    /// Why a session ended.
    public struct LockReason: OpenSet {
        /// The value in the API.
        public let rawValue: String

        /// Creates a reason from its value.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// A user locked the vault.
        public static let manual = LockReason(rawValue: "manual")
        /// Nobody was active for 30 minutes, or the session reached its maximum length.
        public static let expired = LockReason(rawValue: "expired")
        /// The owner revoked the nominee whose emergency session it was.
        public static let ownerRevoked = LockReason(rawValue: "owner_revoked")
        /// The vault got another owner.
        public static let transferred = LockReason(rawValue: "transferred")
        /// The vault was deleted.
        public static let vaultDeleted = LockReason(rawValue: "vault_deleted")
        /// The emergency access ended.
        public static let emergencyEnded = LockReason(rawValue: "emergency_ended")
    }

    private enum CodingKeys: String, CodingKey {
        case id
        case vaultID = "vault_id"
        case unlockedBy = "unlocked_by"
        case openedAt = "opened_at"
        case expiresAt = "expires_at"
        case lockedAt = "locked_at"
        case lockedBy = "locked_by"
        case lockReason = "lock_reason"
    }
}

/// An event in a vault's access history.
public struct VaultEvent: Codable, Sendable, Identifiable, Hashable {
    /// The event's id. Ids of later events sort later.
    public var id: UUID
    /// When it happened.
    public var at: Date
    /// The person who acted; nil for automatic events.
    public var actor: PersonName?
    /// The action, such as `vault.opened`.
    public var action: String
    /// The subject of the action.
    public var subject: Subject

    /// The subject of an event.
    public struct Subject: Codable, Sendable, Hashable {
        /// The kind of subject: vault, session, document, nominee, transfer or share.
        public var type: String
        /// The subject's id.
        public var id: UUID
        /// The subject's current name, if it has one.
        public var name: String?
    }
}
