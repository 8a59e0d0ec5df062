public import Foundation

/// Somebody whom a vault's owner trusts with it.
public struct Nominee: Codable, Sendable, Identifiable, Hashable {
    /// Ours.
    public var id: UUID
    /// As the owner wrote it; never empty.
    public var name: String
    /// In E.164 form; nil to everybody but who manages the vault's nominees.
    public var phone: String?
    /// The same.
    public var email: String?
    /// Who has accepted; nil until somebody has.
    public var userID: UUID?
    /// How they stand at this instant.
    public var status: NomineeStatus
    /// What they may do.
    public var accessLevel: AccessLevel
    /// Whether they have accepted and wait for the owner's confirmation.
    public var needsConfirmation: Bool
    /// When they were first invited.
    public var invitedAt: Date
    /// By whom.
    public var invitedByUserID: UUID?
    /// When they got access.
    public var acceptedAt: Date?
    /// Whether they can be in the vault now.
    public var isCurrentlyActive: Bool
    /// The session in which they can.
    public var currentSessionID: UUID?
    /// When they last did something in the vault, to the minute.
    public var lastActiveAt: Date?
    /// The share that they came with, if they did, as the sharing service calls it.
    public var shareRecordID: String?
    /// What that service calls them.
    public var shareParticipantID: String?
    /// Why they were revoked.
    public var revokeReason: String?
    /// Until when their invitation can be answered; nil where none waits for an answer.
    public var invitationExpiresAt: Date?
    /// What became of it in the composer.
    public var invitationOutcome: InvitationOutcome?
    /// The invitation, in the answer to inviting only.
    public var invitation: TokenInvitation?

    private enum CodingKeys: String, CodingKey {
        case id, name, phone, email, status, invitation
        case userID = "user_id"
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
        /// Whose vault it is.
        public var owner: PersonName
        /// The nominees, oldest first; as one of them somebody sees themselves.
        public var items: [Nominee]
        /// Where the next page begins; nil on the last one.
        public var nextCursor: String?
        /// The last 50 events, newest first: with the first page, for the owner.
        public var history: [VaultEvent]?

        private enum CodingKeys: String, CodingKey {
            case owner, items, history
            case nextCursor = "next_cursor"
        }
    }

    /// What became of inviting several people, in their order.
    public struct Invitations: Codable, Sendable, Hashable {
        /// A result each.
        public var items: [Result]

        /// What became of one of them.
        public struct Result: Codable, Sendable, Hashable {
            /// The HTTP status as if the person had been invited alone.
            public var status: Int
            /// The nominee, where the person was invited.
            public var nominee: Nominee?
            /// Why not, where they were not.
            public var problem: Problem?
        }
    }
}
