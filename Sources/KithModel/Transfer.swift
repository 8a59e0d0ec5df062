public import Foundation

/// A pending transfer of a vault to another person, who accepts with a token.
public struct Transfer: Codable, Sendable, Identifiable, Hashable {
    /// The transfer's id.
    public var id: UUID
    /// The recipient's name, as the owner wrote it.
    public var name: String
    /// The recipient's phone number in E.164 form. The user who accepts must have it verified.
    public var phone: String?
    /// The recipient's e-mail address. Without a phone number, the user who accepts must have it verified.
    public var email: String?
    /// The nominee to whom the vault is offered; nil if it is offered to somebody else.
    public var nomineeID: UUID?
    /// Whether the old owner becomes a nominee with the level `full`.
    public var keepAccess: Bool
    /// The status, always `pending`.
    public var status: String
    /// When the transfer was offered.
    public var createdAt: Date
    /// When the transfer expires.
    public var expiresAt: Date
    /// How the invitation was last sent.
    public var channel: InvitationChannel
    /// The outcome of the last invitation in the message composer.
    public var invitationOutcome: InvitationOutcome?
    /// The state of the invitation. Only the responses to offering and to sending again have it.
    public var state: InvitationState?
    /// The card for a conversation. Only the responses to offering and to sending again have it.
    public var card: InvitationCard?
    /// The invitation for the recipient. Only the responses to offering and to sending again have it.
    public var invitation: TokenInvitation?

    private enum CodingKeys: String, CodingKey {
        case id, name, phone, email, status, channel, state, card, invitation
        case nomineeID = "nominee_id"
        case invitationOutcome = "invitation_outcome"
        case keepAccess = "keep_access"
        case createdAt = "created_at"
        case expiresAt = "expires_at"
    }
}
