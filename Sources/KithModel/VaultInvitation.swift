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
    /// The access level after accepting.
    public var accessLevel: AccessLevel
    /// The state of the invitation.
    public var state: InvitationState
    /// Whether the invitation was accepted and waits for the owner's confirmation.
    public var needsConfirmation: Bool
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
        /// The vault's name; nil if the invitation is declined, expired or revoked, or if the vault has another owner
        /// by now.
        public var name: String?
    }

    /// The person who invites.
    public struct Inviter: Codable, Sendable, Hashable {
        /// The display name, never empty.
        public var displayName: String

        private enum CodingKeys: String, CodingKey {
            case displayName = "display_name"
        }
    }

    private enum CodingKeys: String, CodingKey {
        case kind, vault, inviter, state, card
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
    /// The vault.
    public var vault: Vault
    /// The status as a nominee; `accepted` for a transfer.
    public var status: NomineeStatus
    /// The nominee's id; nil for a transfer.
    public var id: UUID?
    /// The access level as a nominee.
    public var accessLevel: AccessLevel?
    /// Whether access has to wait for the owner's confirmation.
    public var needsConfirmation: Bool?
    /// Whether the nominee can be in the vault now.
    public var isCurrentlyActive: Bool?
    /// The session in which the nominee can be in the vault.
    public var currentSessionID: UUID?

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
        case kind, vault, status, id
        case accessLevel = "access_level"
        case needsConfirmation = "needs_confirmation"
        case isCurrentlyActive = "is_currently_active"
        case currentSessionID = "current_session_id"
    }
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
