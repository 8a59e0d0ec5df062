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
    /// Whether the old owner becomes a nominee with the level `full`.
    public var keepAccess: Bool
    /// The status, always `pending`.
    public var status: String
    /// When the transfer was offered.
    public var createdAt: Date
    /// When the transfer expires.
    public var expiresAt: Date
    /// The invitation for the recipient. Only the response to making the transfer has it.
    public var invitation: TokenInvitation?

    private enum CodingKeys: String, CodingKey {
        case id, name, phone, email, status, invitation
        case keepAccess = "keep_access"
        case createdAt = "created_at"
        case expiresAt = "expires_at"
    }
}
