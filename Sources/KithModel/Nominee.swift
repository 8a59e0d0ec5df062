public import Foundation

/// A person whom a vault's owner has invited to the vault.
public struct Nominee: Codable, Sendable, Identifiable, Hashable {
    /// The nominee's id.
    public var id: UUID
    /// The name that the owner wrote, never empty.
    public var name: String
    /// The phone number in E.164 form. Nil for everybody who does not manage the vault's nominees.
    public var phone: String?
    /// The e-mail address. Nil for everybody who does not manage the vault's nominees.
    public var email: String?
    /// The id of the user who accepted; nil until then.
    public var userID: UUID?
    /// The user who accepted, with their name. Nil for everybody who neither manages the vault's nominees nor is this
    /// nominee.
    public var user: PersonName?
    /// The current status.
    public var status: NomineeStatus
    /// The access level.
    public var accessLevel: AccessLevel
    /// Whether the nominee has accepted and waits for the owner's confirmation.
    public var needsConfirmation: Bool
    /// When the nominee was first invited.
    public var invitedAt: Date
    /// The user who invited the nominee.
    public var invitedByUserID: UUID?
    /// The user who invited the nominee, with their name.
    public var invitedBy: PersonName?
    /// When the nominee got access.
    public var acceptedAt: Date?
    /// Whether the nominee can be in the vault now.
    public var isCurrentlyActive: Bool
    /// The session in which the nominee can be in the vault.
    public var currentSessionID: UUID?
    /// When the nominee last did something in the vault, to the minute.
    public var lastActiveAt: Date?
    /// The sharing service's name of the share through which the nominee came, if there is one.
    public var shareRecordID: String?
    /// The sharing service's id of the nominee.
    public var shareParticipantID: String?
    /// Why the nominee was revoked.
    public var revokeReason: String?
    /// When the open invitation expires; nil when there is none.
    public var invitationExpiresAt: Date?
    /// The outcome of the invitation in the message composer.
    public var invitationOutcome: InvitationOutcome?
    /// The emergency access; nil if there is none, and for everybody but the vault's owner.
    public var emergency: EmergencySettings?
    /// The number of unread messages in the conversation, to the user who asked.
    public var unreadCount: Int
    /// The vault's id. Only events have it.
    public var vaultID: UUID?
    /// The state of the invitation. Only the responses to inviting and to sending again have it.
    public var state: InvitationState?
    /// The card for a conversation. Only the responses to inviting and to sending again have it.
    public var card: InvitationCard?
    /// The invitation. Only the responses to inviting and to sending again have it.
    public var invitation: TokenInvitation?

    private enum CodingKeys: String, CodingKey {
        case id, name, phone, email, user, status, state, card, invitation, emergency
        case userID = "user_id"
        case invitedBy = "invited_by"
        case unreadCount = "unread_count"
        case vaultID = "vault_id"
        case accessLevel = "access_level"
        case needsConfirmation = "needs_confirmation"
        case invitedAt = "invited_at"
        case invitedByUserID = "invited_by_user_id"
        case acceptedAt = "accepted_at"
        case isCurrentlyActive = "is_currently_active"
        case currentSessionID = "current_session_id"
        case lastActiveAt = "last_active_at"
        case shareRecordID = "share_record_id"
        case shareParticipantID = "share_participant_id"
        case revokeReason = "revoke_reason"
        case invitationExpiresAt = "invitation_expires_at"
        case invitationOutcome = "invitation_outcome"
    }

    /// A page of a vault's nominees.
    public struct List: Codable, Sendable, Hashable {
        /// The owner of the vault.
        public var owner: PersonName
        /// The nominees, oldest first. A nominee sees only themselves.
        public var items: [Nominee]
        /// The cursor of the next page; nil on the last page.
        public var nextCursor: String?
        /// The last 50 events, newest first, if the call asked for them. Only the owner gets them, with the first page.
        public var history: [VaultEvent]?

        private enum CodingKeys: String, CodingKey {
            case owner, items, history
            case nextCursor = "next_cursor"
        }
    }

    /// The results of inviting one or several people, in the order given.
    public struct Invitations: Codable, Sendable, Hashable {
        /// One result for each person.
        public var items: [Result]

        /// The result of inviting one person.
        public struct Result: Codable, Sendable, Hashable {
            /// The HTTP status that inviting this person alone would have had.
            public var status: Int
            /// The nominee, if the person was invited.
            public var nominee: Nominee?
            /// The problem, if the person was not invited.
            public var problem: Problem?
        }
    }
}
