public import Foundation

/// A person within a tenant.
public struct User: Codable, Sendable, Identifiable, Hashable {
    /// Ours; time-ordered.
    public var id: UUID
    /// The tenant's own name for the user; only the tenant's server sees it.
    public var externalID: String?
    /// What others see; nil when the person has set none.
    public var displayName: String?
    /// E.164.
    public var phone: String?
    /// As the person wrote it.
    public var email: String?
    /// Whether a code sent to the number came back.
    public var phoneVerified: Bool
    /// The same of the e-mail address.
    public var emailVerified: Bool
    /// The number that the person wants to have; it counts once the code sent to it came back.
    public var pendingPhone: String?
    /// The same for an e-mail address.
    public var pendingEmail: String?
    /// IANA name.
    public var timeZone: String
    /// BCP 47 tag.
    public var locale: String
    /// When the account was made.
    public var createdAt: Date

    private enum CodingKeys: String, CodingKey {
        case id, phone, email, locale
        case externalID = "external_id"
        case displayName = "display_name"
        case phoneVerified = "phone_verified"
        case emailVerified = "email_verified"
        case pendingPhone = "pending_phone"
        case pendingEmail = "pending_email"
        case timeZone = "time_zone"
        case createdAt = "created_at"
    }
}
