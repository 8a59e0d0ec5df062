public import Foundation

/// An invitation that was just made, in every form in which it can be sent. The token is nowhere to be had again.
public struct TokenInvitation: Codable, Sendable, Hashable {
    /// The secret: whoever has it may answer, once.
    public var token: UUID
    /// A page that needs no app.
    public var url: String
    /// A link that opens the app; nil where the app has no scheme of its own.
    public var deepLink: String?
    /// A line to send it with.
    public var message: String
    /// What a card in a conversation shows.
    public var card: InvitationCard
    /// Until when it can be answered.
    public var expiresAt: Date

    private enum CodingKeys: String, CodingKey {
        case token, url, message, card
        case deepLink = "deep_link"
        case expiresAt = "expires_at"
    }
}

/// What a card in a conversation shows of an invitation in its present state.
public struct InvitationCard: Codable, Sendable, Hashable {
    /// Such as "🔐 Vault Invitation".
    public var title: String
    /// The vault's name; nil where the invitation's vault has none.
    public var subtitle: String?
    /// How the invitation stands.
    public var state: InvitationState
}

/// How an invitation by token stands.
public struct InvitationState: OpenSet {
    /// The text of the API.
    public let rawValue: String

    /// A state from its text.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// It waits for an answer.
    public static let pending = InvitationState(rawValue: "pending")
    /// It was accepted.
    public static let accepted = InvitationState(rawValue: "accepted")
    /// It was declined.
    public static let declined = InvitationState(rawValue: "declined")
    /// Nobody answered in time.
    public static let expired = InvitationState(rawValue: "expired")
    /// It was withdrawn, or the access has ended since.
    public static let revoked = InvitationState(rawValue: "revoked")
}

/// What became of an invitation in the composer of a message.
public struct InvitationOutcome: OpenSet {
    /// The text of the API.
    public let rawValue: String

    /// An outcome from its text.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// It was sent.
    public static let sent = InvitationOutcome(rawValue: "sent")
    /// The person decided against it.
    public static let cancelled = InvitationOutcome(rawValue: "cancelled")
    /// It could not be sent.
    public static let failed = InvitationOutcome(rawValue: "failed")
    /// The phone cannot send messages.
    public static let unavailable = InvitationOutcome(rawValue: "unavailable")
}

/// What whoever has an invitation's token sees of it.
public struct InvitationPreview: Codable, Sendable, Hashable {
    /// nominee, or transfer where it makes an owner.
    public var kind: String
    /// The vault.
    public var vault: Vault
    /// Who invites.
    public var inviter: Inviter
    /// What one may do there then.
    public var accessLevel: AccessLevel
    /// How it stands.
    public var state: InvitationState
    /// Whether it was accepted and the vault's owner has to confirm that.
    public var needsConfirmation: Bool
    /// Until when it can be answered.
    public var expiresAt: Date
    /// What the app is called.
    public var brandName: String
    /// Where the app is installed from.
    public var appLink: String?
    /// The link that opens the app; nil where it has no scheme of its own.
    public var deepLink: String?
    /// What a card in a conversation shows.
    public var card: InvitationCard

    /// What a stranger may know of a vault.
    public struct Vault: Codable, Sendable, Hashable {
        /// As its owner calls it; nil where the invitation is declined, expired or revoked, and where the vault has gone on to another
        /// owner since.
        public var name: String?
    }

    /// Who invites.
    public struct Inviter: Codable, Sendable, Hashable {
        /// Never empty.
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

/// What accepting an invitation gave.
public struct AcceptedInvitation: Codable, Sendable, Hashable {
    /// nominee, or transfer where it made an owner.
    public var kind: String
    /// The vault.
    public var vault: Vault
    /// How one stands as a nominee; accepted where it made an owner.
    public var status: NomineeStatus
    /// The nominee; nil where it made an owner.
    public var id: UUID?
    /// What one may do as a nominee.
    public var accessLevel: AccessLevel?
    /// Whether there is no access before the vault's owner confirms.
    public var needsConfirmation: Bool?
    /// Whether one can be in the vault now.
    public var isCurrentlyActive: Bool?
    /// The session in which one can.
    public var currentSessionID: UUID?

    /// The vault.
    public struct Vault: Codable, Sendable, Identifiable, Hashable {
        /// Ours.
        public var id: UUID
        /// As its owner calls it.
        public var name: String
        /// Whose it is now.
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

/// The vault that somebody is about to invite to, handed from an app to its extension.
public struct InvitationDraft: Codable, Sendable, Hashable {
    /// The vault.
    public var vault: Vault
    /// Until when it can be taken; nil once it is.
    public var expiresAt: Date?
    /// Whether there was no draft, and this is the oldest vault; nil before it is taken.
    public var fallback: Bool?

    /// The vault.
    public struct Vault: Codable, Sendable, Identifiable, Hashable {
        /// Ours.
        public var id: UUID
        /// As its owner calls it.
        public var name: String
    }

    private enum CodingKeys: String, CodingKey {
        case vault, fallback
        case expiresAt = "expires_at"
    }
}
