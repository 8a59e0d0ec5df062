public import Foundation

/// A person in a tenant.
public struct User: Codable, Sendable, Identifiable, Hashable {
    /// The user's id, ordered by time.
    public var id: UUID
    /// The tenant's own id for the user. Only the tenant's server sees it.
    public var externalID: String?
    /// The name that others see; nil if the person has set none.
    public var displayName: String?
    /// The phone number in E.164 form.
    public var phone: String?
    /// The e-mail address, as the person wrote it.
    public var email: String?
    /// Whether the phone number was verified by a code.
    public var phoneVerified: Bool
    /// Whether the e-mail address was verified by a code.
    public var emailVerified: Bool
    /// The new phone number that the person has requested. It takes effect once it is verified by a code.
    public var pendingPhone: String?
    /// The new e-mail address that the person has requested. It takes effect once it is verified by a code.
    public var pendingEmail: String?
    /// The time zone, an IANA name.
    public var timeZone: String
    /// The language, a BCP 47 tag.
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
