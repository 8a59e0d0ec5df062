public import Foundation

/// A key with which a tenant's own identity provider signs access tokens.
public struct JWTKey: Codable, Sendable, Identifiable {
    /// The key's id, by which it is deleted.
    public var id: UUID
    /// The name by which tokens call it.
    public var kid: String
    /// ES256, RS256, EdDSA or HS256; a token with another is refused.
    public var algorithm: String
    /// The tokens' `iss`.
    public var issuer: String
    /// The tokens' `aud`, or one of it.
    public var audience: String
    /// In PEM; nil for HS256.
    public var publicKey: String?
    /// When it was registered.
    public var createdAt: Date

    private enum CodingKeys: String, CodingKey {
        case id, kid, algorithm, issuer, audience
        case publicKey = "public_key"
        case createdAt = "created_at"
    }
}
