/// The algorithms with which an access token may be signed (RFC 7518 §3.1, RFC 8037 §3.1).
public enum SignatureAlgorithm: String, Sendable, CaseIterable {
    /// HMAC with SHA-256, with a shared secret.
    case hs256 = "HS256"
    /// ECDSA with P-256 and SHA-256.
    case es256 = "ES256"
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    case rs256 = "RS256"
    /// Ed25519.
    case edDSA = "EdDSA"
}
