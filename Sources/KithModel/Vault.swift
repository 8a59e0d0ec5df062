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
    /// The id of that user as a nominee; nil for the owner.
    public var nomineeID: UUID?
    /// The owner.
    public var owner: PersonName
    /// Whether the owner must confirm those who accept an invitation.
    public var requireConfirmation: Bool
    /// Whether nominees with the level `full` may open the vault.
    public var fullMayOpen: Bool
    /// The open session; nil while the vault is locked.
    public var session: VaultSession?
    /// The numbers that a list shows beside the vault.
    public var counts: Counts
    /// The pending offer of the vault to somebody; nil for everybody but the owner.
    public var pendingTransfer: PendingTransfer?
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

    /// The numbers of a vault, as far as the user who asked may see them.
    public struct Counts: Codable, Sendable, Hashable {
        /// The nominees by status; nil unless the user manages them.
        public var nominees: Nominees?
        /// The documents that are not deleted; nil for a nominee while the vault is locked.
        public var documents: Int?
        /// The unread messages to the user in the vault's conversations.
        public var unread: Int

        /// The number of nominees in each status. Revoked ones are not counted.
        public struct Nominees: Codable, Sendable, Hashable {
            /// Those who have not accepted, or wait for the owner's confirmation.
            public var pending: Int
            /// Those who have accepted, while the vault is locked.
            public var accepted: Int
            /// Those who have accepted, while the vault is open.
            public var active: Int
            /// Those whom the owner has paused.
            public var inactive: Int
        }
    }

    /// A pending offer of the vault to somebody.
    public struct PendingTransfer: Codable, Sendable, Identifiable, Hashable {
        /// The transfer's id.
        public var id: UUID
        /// The recipient's name, as the owner wrote it.
        public var name: String
        /// The nominee to whom the vault is offered; nil if it is offered to somebody else.
        public var nomineeID: UUID?
        /// When the vault was offered.
        public var createdAt: Date
        /// When the offer expires.
        public var expiresAt: Date

        private enum CodingKeys: String, CodingKey {
            case id, name
            case nomineeID = "nominee_id"
            case createdAt = "created_at"
            case expiresAt = "expires_at"
        }
    }

    private enum CodingKeys: String, CodingKey {
        case id, name, role, status, owner, session, counts
        case accessLevel = "access_level"
        case nomineeID = "nominee_id"
        case pendingTransfer = "pending_transfer"
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

/// One opening of a vault, shared by everybody who may be in it, or of one nominee by emergency access.
public struct VaultSession: Codable, Sendable, Identifiable, Hashable {
    /// The session's id.
    public var id: UUID
    /// The vault's id.
    public var vaultID: UUID
    /// Whose session it is.
    public var kind: Kind
    /// The request for emergency access that it belongs to; nil for a shared session.
    public var requestID: UUID?
    /// The user who opened it.
    public var unlockedBy: UUID
    /// The user who opened it, with their name.
    public var unlockedByUser: PersonName
    /// When the session was opened.
    public var openedAt: Date
    /// When the session expires, unless somebody is active before. An emergency session ends with its grant.
    public var expiresAt: Date
    /// When the session expires, however active people are.
    public var latestExpiresAt: Date
    /// The people who have entered and still have access, in the order in which they came. A nominee who does not
    /// manage others sees only themselves, the owner and the person who opened the vault.
    public var inside: [PersonName]
    /// When the session was locked.
    public var lockedAt: Date?
    /// The user who locked the session; nil if it expired.
    public var lockedBy: UUID?
    /// The user who locked the session, with their name; nil if it expired.
    public var lockedByUser: PersonName?
    /// Why the session was locked.
    public var lockReason: LockReason?

    /// Whose session it is.
    public struct Kind: OpenSet {
        /// The value in the API.
        public let rawValue: String

        /// Creates a kind from its value.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Everybody who may be in the vault shares it.
        public static let shared = Kind(rawValue: "shared")
        /// It is for one nominee only.
        public static let emergency = Kind(rawValue: "emergency")
    }

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
        case id, inside, kind
        case vaultID = "vault_id"
        case requestID = "request_id"
        case unlockedBy = "unlocked_by"
        case unlockedByUser = "unlocked_by_user"
        case openedAt = "opened_at"
        case expiresAt = "expires_at"
        case latestExpiresAt = "latest_expires_at"
        case lockedAt = "locked_at"
        case lockedBy = "locked_by"
        case lockedByUser = "locked_by_user"
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
    /// What else is known of it.
    public var detail: Detail

    /// What else is known of an event. Each action has its own facts; a fact that it does not have is nil.
    public struct Detail: Codable, Sendable, Hashable {
        /// The level that a nominee was given.
        public var accessLevel: AccessLevel?
        /// How an invitation was sent.
        public var channel: InvitationChannel?
        /// The names of the vault's members that were changed.
        public var fields: [String]?
        /// The highest permission that a share gives from then on.
        public var permission: Share.Permission?
        /// Why a session or an access ended.
        public var reason: String?
        /// The size of a document's content in bytes.
        public var size: Int?
        /// The version of a document's content.
        public var versionID: UUID?
        /// The request for emergency access by which the actor was in the vault, or which the event is about.
        public var requestID: UUID?

        private enum CodingKeys: String, CodingKey {
            case channel, fields, permission, reason, size
            case accessLevel = "access_level"
            case versionID = "version_id"
            case requestID = "request_id"
        }
    }

    /// The subject of an event.
    public struct Subject: Codable, Sendable, Hashable {
        /// The kind of subject: vault, session, document, nominee, transfer, share or emergency_request.
        public var type: String
        /// The subject's id.
        public var id: UUID
        /// The subject's current name, if it has one.
        public var name: String?
    }
}
