public import Foundation

/// A new invitation, in every form in which it can be sent. The token cannot be obtained again.
public struct TokenInvitation: Codable, Sendable, Hashable {
    /// The secret token. Whoever has it may answer the invitation, once.
    public var token: UUID
    /// The URL of a page that works without the app.
    public var url: String
    /// A link that opens the app; nil if the app has no URL scheme.
    public var deepLink: String?
    /// A message to send with the link.
    public var message: String
    /// The card for a conversation.
    public var card: InvitationCard
    /// When the invitation expires.
    public var expiresAt: Date

    private enum CodingKeys: String, CodingKey {
        case token, url, message, card
        case deepLink = "deep_link"
        case expiresAt = "expires_at"
    }
}

/// The card that shows an invitation's current state in a conversation.
public struct InvitationCard: Codable, Sendable, Hashable {
    /// The title, such as "🔐 Vault Invitation".
    public var title: String
    /// The vault's name; nil if the invitation does not reveal it.
    public var subtitle: String?
    /// The state of the invitation.
    public var state: InvitationState
}

/// The state of an invitation by token.
public struct InvitationState: OpenSet {
    /// The value in the API.
    public let rawValue: String

    /// Creates a state from its value.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The invitation waits for an answer.
    public static let pending = InvitationState(rawValue: "pending")
    /// The invitation was accepted.
    public static let accepted = InvitationState(rawValue: "accepted")
    /// The invitation was declined.
    public static let declined = InvitationState(rawValue: "declined")
    /// The invitation expired without an answer.
    public static let expired = InvitationState(rawValue: "expired")
    /// The invitation was withdrawn, or the access has ended since.
    public static let revoked = InvitationState(rawValue: "revoked")
}

/// The way in which an invitation is sent.
public struct InvitationChannel: OpenSet {
    /// The value in the API.
    public let rawValue: String

    /// Creates a channel from its value.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// A text message.
    public static let messages = InvitationChannel(rawValue: "messages")
    /// An e-mail.
    public static let mail = InvitationChannel(rawValue: "mail")
    /// The share of an outside service.
    public static let share = InvitationChannel(rawValue: "share")
    /// A copied link.
    public static let link = InvitationChannel(rawValue: "link")
    /// AirDrop.
    public static let airdrop = InvitationChannel(rawValue: "airdrop")
    /// Another way.
    public static let other = InvitationChannel(rawValue: "other")
}

/// The outcome of an invitation in the message composer.
public struct InvitationOutcome: OpenSet {
    /// The value in the API.
    public let rawValue: String

    /// Creates an outcome from its value.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The message was sent.
    public static let sent = InvitationOutcome(rawValue: "sent")
    /// The person cancelled the message.
    public static let cancelled = InvitationOutcome(rawValue: "cancelled")
    /// The message could not be sent.
    public static let failed = InvitationOutcome(rawValue: "failed")
    /// The phone cannot send messages.
    public static let unavailable = InvitationOutcome(rawValue: "unavailable")
}

/// The preview of an invitation for anybody who has its token.
public struct InvitationPreview: Codable, Sendable, Hashable {
    /// The kind: `nominee`, or `transfer` for a transfer of ownership.
    public var kind: String
    /// The vault.
    public var vault: Vault
    /// The person who invites.
    public var inviter: Inviter
    /// The access level after accepting; nil unless the invitation waits for an answer.
    public var accessLevel: AccessLevel?
    /// The state of the invitation.
    public var state: InvitationState
    /// Whether the invitation was accepted and waits for the owner's confirmation.
    public var needsConfirmation: Bool
    /// The emergency access that comes with the invitation; nil if there is none, or if the owner does not show it.
    public var emergency: EmergencySettings?
    /// When the invitation expires.
    public var expiresAt: Date
    /// The name of the app.
    public var brandName: String
    /// The URL for installing the app.
    public var appLink: String?
    /// A link that opens the app; nil if the app has no URL scheme.
    public var deepLink: String?
    /// The card for a conversation.
    public var card: InvitationCard

    /// The part of a vault that a stranger may see.
    public struct Vault: Codable, Sendable, Hashable {
        /// The vault's name; nil unless the invitation waits for an answer.
        public var name: String?
    }

    /// The person who invites.
    public struct Inviter: Codable, Sendable, Hashable {
        /// The display name, never empty; Someone unless the invitation waits for an answer.
        public var displayName: String

        private enum CodingKeys: String, CodingKey {
            case displayName = "display_name"
        }
    }

    private enum CodingKeys: String, CodingKey {
        case kind, vault, inviter, state, card, emergency
        case accessLevel = "access_level"
        case needsConfirmation = "needs_confirmation"
        case expiresAt = "expires_at"
        case brandName = "brand_name"
        case appLink = "app_link"
        case deepLink = "deep_link"
    }
}

/// The result of accepting an invitation.
public struct AcceptedInvitation: Codable, Sendable, Hashable {
    /// The kind: `nominee`, or `transfer` for a transfer of ownership.
    public var kind: String
    /// The state of the invitation, `accepted`.
    public var state: InvitationState
    /// The card for a conversation.
    public var card: InvitationCard
    /// The vault.
    public var vault: Vault
    /// The status as a nominee; `accepted` for a transfer.
    public var status: NomineeStatus
    /// The nominee's id; nil for a transfer, like everything that follows.
    public var id: UUID?
    /// The name that the owner wrote.
    public var name: String?
    /// Nil: an invitation does not tell who accepts it for which phone number it was meant.
    public var phone: String?
    /// Nil, like the phone number.
    public var email: String?
    /// The id of the user who accepted.
    public var userID: UUID?
    /// The user who accepted.
    public var user: PersonName?
    /// The access level as a nominee.
    public var accessLevel: AccessLevel?
    /// Whether access has to wait for the owner's confirmation.
    public var needsConfirmation: Bool?
    /// When the nominee was first invited.
    public var invitedAt: Date?
    /// The id of the user who invited the nominee.
    public var invitedByUserID: UUID?
    /// The user who invited the nominee.
    public var invitedBy: PersonName?
    /// When the nominee got access; nil while it waits for confirmation.
    public var acceptedAt: Date?
    /// Whether the nominee can be in the vault now.
    public var isCurrentlyActive: Bool?
    /// The session in which the nominee can be in the vault.
    public var currentSessionID: UUID?
    /// When the nominee last did something in the vault.
    public var lastActiveAt: Date?
    /// The sharing service's name of the share through which the nominee came.
    public var shareRecordID: String?
    /// The sharing service's id of the nominee.
    public var shareParticipantID: String?
    /// Why the nominee was revoked.
    public var revokeReason: String?
    /// Nil, since the invitation is answered.
    public var invitationExpiresAt: Date?
    /// The outcome of the invitation in the message composer.
    public var invitationOutcome: InvitationOutcome?
    /// Nil: only the owner sees all of a nominee's emergency access.
    public var emergency: EmergencySettings?
    /// The number of unread messages in the conversation with the owner.
    public var unreadCount: Int?

    /// The vault.
    public struct Vault: Codable, Sendable, Identifiable, Hashable {
        /// The vault's id.
        public var id: UUID
        /// The vault's name.
        public var name: String
        /// The current owner.
        public var owner: PersonName
    }

    private enum CodingKeys: String, CodingKey {
        case kind, state, card, vault, status, id, name, phone, email, user, emergency
        case userID = "user_id"
        case accessLevel = "access_level"
        case needsConfirmation = "needs_confirmation"
        case invitedAt = "invited_at"
        case invitedByUserID = "invited_by_user_id"
        case invitedBy = "invited_by"
        case acceptedAt = "accepted_at"
        case isCurrentlyActive = "is_currently_active"
        case currentSessionID = "current_session_id"
        case lastActiveAt = "last_active_at"
        case shareRecordID = "share_record_id"
        case shareParticipantID = "share_participant_id"
        case revokeReason = "revoke_reason"
        case invitationExpiresAt = "invitation_expires_at"
        case invitationOutcome = "invitation_outcome"
        case unreadCount = "unread_count"
    }
}

/// An invitation or the offer of a vault that waits for the user, because it names a contact that the user has verified,
/// or a nominee who is the user.
public struct OwnInvitation: Codable, Sendable, Identifiable, Hashable {
    /// The id with which the user answers.
    public var id: UUID
    /// The kind: `nominee`, or `transfer` for a transfer of ownership.
    public var kind: String
    /// The state of the invitation, `pending`.
    public var state: InvitationState
    /// The vault.
    public var vault: Vault
    /// The vault's owner.
    public var inviter: PersonName
    /// The access level after accepting.
    public var accessLevel: AccessLevel
    /// When the invitation was made.
    public var createdAt: Date
    /// When the invitation expires.
    public var expiresAt: Date
    /// The card for a conversation.
    public var card: InvitationCard

    /// The vault.
    public struct Vault: Codable, Sendable, Identifiable, Hashable {
        /// The vault's id.
        public var id: UUID
        /// The vault's name.
        public var name: String
    }

    private enum CodingKeys: String, CodingKey {
        case id, kind, state, vault, inviter, card
        case accessLevel = "access_level"
        case createdAt = "created_at"
        case expiresAt = "expires_at"
    }
}

/// The result of declining an invitation by its id.
public struct DeclinedInvitation: Codable, Sendable, Identifiable, Hashable {
    /// The id.
    public var id: UUID
    /// The kind: `nominee`, or `transfer` for a transfer of ownership.
    public var kind: String
    /// The state of the invitation, `declined`.
    public var state: InvitationState
    /// The card for a conversation.
    public var card: InvitationCard
}

/// A draft that hands the vault for an invitation from an app to its extension.
public struct InvitationDraft: Codable, Sendable, Hashable {
    /// The vault.
    public var vault: Vault
    /// When the draft expires; nil once it is taken.
    public var expiresAt: Date?
    /// Whether there was no draft and this is the oldest vault instead; nil before it is taken.
    public var fallback: Bool?

    /// The vault.
    public struct Vault: Codable, Sendable, Identifiable, Hashable {
        /// The vault's id.
        public var id: UUID
        /// The vault's name.
        public var name: String
    }

    private enum CodingKeys: String, CodingKey {
        case vault, fallback
        case expiresAt = "expires_at"
    }
}
