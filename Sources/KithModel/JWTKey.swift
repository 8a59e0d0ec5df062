public import Foundation

/// A key with which a tenant's own identity provider signs access tokens.
public struct JWTKey: Codable, Sendable, Identifiable {
    /// The key's id, for deleting it.
    public var id: UUID
    /// The key id in the header of tokens.
    public var kid: String
    /// The algorithm: ES256, RS256, EdDSA or HS256. Tokens with another algorithm are refused.
    public var algorithm: String
    /// The required `iss` of tokens.
    public var issuer: String
    /// The required `aud` of tokens, or one of several.
    public var audience: String
    /// The public key in PEM; nil for HS256.
    public var publicKey: String?
    /// When the key was registered.
    public var createdAt: Date

    private enum CodingKeys: String, CodingKey {
        case id, kid, algorithm, issuer, audience
        case publicKey = "public_key"
        case createdAt = "created_at"
    }
}
