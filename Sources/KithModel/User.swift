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
        case timeZone = "time_zone"
        case createdAt = "created_at"
    }
}
