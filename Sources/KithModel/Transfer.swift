public import Foundation

/// The offer of a vault to somebody, who accepts by token.
public struct Transfer: Codable, Sendable, Identifiable, Hashable {
    /// Ours.
    public var id: UUID
    /// The recipient's name, as the owner wrote it.
    public var name: String
    /// In E.164 form; who accepts must have it confirmed.
    public var phone: String?
    /// Who accepts must have it confirmed, where no phone is named.
    public var email: String?
    /// Whether the old owner becomes a nominee with level full.
    public var keepAccess: Bool
    /// `pending`.
    public var status: String
    /// When it was offered.
    public var createdAt: Date
    /// Until when it can be accepted.
    public var expiresAt: Date
    /// How to hand it to the recipient; only in the answer that made it.
    public var invitation: TokenInvitation?

    private enum CodingKeys: String, CodingKey {
        case id, name, phone, email, status, invitation
        case keepAccess = "keep_access"
        case createdAt = "created_at"
        case expiresAt = "expires_at"
    }
}
