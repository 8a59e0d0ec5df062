public import Foundation

/// A vault, as its owner or one of its nominees sees it.
public struct Vault: Codable, Sendable, Identifiable, Hashable {
    /// Ours.
    public var id: UUID
    /// As its owner calls it.
    public var name: String
    /// What the user who asked is to it.
    public var role: Role
    /// What they may do in it; ``AccessLevel/full`` for the owner.
    public var accessLevel: AccessLevel
    /// How they stand as a nominee; nil for the owner.
    public var status: NomineeStatus?
    /// Whose it is.
    public var owner: PersonName
    /// Whether the owner confirms whoever accepts an invitation.
    public var requireConfirmation: Bool
    /// Whether nominees with level full may open it.
    public var fullMayOpen: Bool
    /// The session that is open; nil while it is locked.
    public var session: VaultSession?
    /// When it was made.
    public var createdAt: Date
    /// When its name or settings last changed.
    public var updatedAt: Date
    /// When it was deleted; it can be restored for 30 days.
    public var deletedAt: Date?

    /// What somebody is to a vault.
    public struct Role: OpenSet {
        /// The text of the API.
        public let rawValue: String

        /// A role from its text.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// It is theirs.
        public static let owner = Role(rawValue: "owner")
        /// They are trusted with it.
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

/// What a nominee may do in an open vault, each more than the one before.
public struct AccessLevel: OpenSet {
    /// The text of the API.
    public let rawValue: String

    /// A level from its text.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Read.
    public static let view = AccessLevel(rawValue: "view")
    /// Also add and replace documents.
    public static let edit = AccessLevel(rawValue: "edit")
    /// Also delete documents, invite and revoke others, and lock.
    public static let full = AccessLevel(rawValue: "full")
}

/// How a nominee stands.
public struct NomineeStatus: OpenSet {
    /// The text of the API.
    public let rawValue: String

    /// A status from its text.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Invited, or waiting for the owner's confirmation.
    public static let pending = NomineeStatus(rawValue: "pending")
    /// May enter while the vault is open.
    public static let accepted = NomineeStatus(rawValue: "accepted")
    /// Accepted, and the vault is open.
    public static let active = NomineeStatus(rawValue: "active")
    /// Paused by the owner.
    public static let inactive = NomineeStatus(rawValue: "inactive")
    /// Over for good.
    public static let revoked = NomineeStatus(rawValue: "revoked")
}

/// A person and what they are called.
public struct PersonName: Codable, Sendable, Identifiable, Hashable {
    /// The user.
    public var id: UUID
    /// Never empty: "Someone" where there is no name.
    public var displayName: String

    private enum CodingKeys: String, CodingKey {
        case id
        case displayName = "display_name"
    }
}

/// One opening of a vault, for everybody who may be in.
public struct VaultSession: Codable, Sendable, Identifiable, Hashable {
    /// Ours.
    public var id: UUID
    /// The vault.
    public var vaultID: UUID
    /// The user who opened it.
    public var unlockedBy: UUID
    /// When that was.
    public var openedAt: Date
    /// When it ends by itself.
    public var expiresAt: Date
    /// When it was locked.
    public var lockedAt: Date?
    /// The user who locked it; nil where it ended by itself.
    public var lockedBy: UUID?
    /// Why.
    public var lockReason: LockReason?

    /// Why a session ended.
    public struct LockReason: OpenSet {
        /// The text of the API.
        public let rawValue: String

        /// A reason from its text.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Somebody locked it.
        public static let manual = LockReason(rawValue: "manual")
        /// Nobody did anything for 30 minutes, or it had been open for as long as a session may be.
        public static let expired = LockReason(rawValue: "expired")
        /// The owner revoked the nominee whose emergency session it was.
        public static let ownerRevoked = LockReason(rawValue: "owner_revoked")
        /// The vault has another owner.
        public static let transferred = LockReason(rawValue: "transferred")
        /// The vault was deleted.
        public static let vaultDeleted = LockReason(rawValue: "vault_deleted")
        /// The emergency was over.
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

/// Something that happened with a vault.
public struct VaultEvent: Codable, Sendable, Identifiable, Hashable {
    /// Ours; later ones sort later.
    public var id: UUID
    /// When.
    public var at: Date
    /// Who did it; nil for what happened by itself.
    public var actor: PersonName?
    /// What, such as `vault.opened`.
    public var action: String
    /// To what.
    public var subject: Subject

    /// What an event is about.
    public struct Subject: Codable, Sendable, Hashable {
        /// vault, session, document, nominee, transfer or share.
        public var type: String
        /// Its id.
        public var id: UUID
        /// What it is called today, if it is called something.
        public var name: String?
    }
}
