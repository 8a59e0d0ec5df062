internal import CJansson
internal import Foundation

/// A JSON Web Token in compact form (RFC 7519, RFC 7515), parsed but not verified.
///
/// The header's algorithm is deliberately not exposed. The key decides which algorithm verifies a token (RFC 8725
/// §3.1), so neither `alg: none` nor key confusion is possible.
public struct JWT: Sendable {
    /// The registered claims that Kith uses, with `tid` (the tenant) and `sid` (the sign-in).
    public struct Claims: Codable, Sendable, Equatable {
        /// The issuer: `kith`, or a tenant's identity provider.
        public var iss: String
        /// The audiences. A token may have several (RFC 7519 §4.1.3).
        public var aud: [String]
        /// The user: Kith's id, or the tenant's own id if its provider signed.
        public var sub: String
        /// Kith's number of the tenant. Only Kith's own tokens have it.
        public var tid: Int?
        /// The sign-in that the token comes from. Only Kith's own tokens have it.
        public var sid: String?
        /// The time of issue, in seconds since 1970.
        public var iat: Double?
        /// The time of expiry, in seconds since 1970.
        public var exp: Double
        /// The time before which the token is not valid, in seconds since 1970.
        public var nbf: Double?

        /// Creates the claims of a token.
        public init(
            iss: String, aud: [String], sub: String, tid: Int?, sid: String? = nil, iat: Double?, exp: Double,
            nbf: Double? = nil
        ) {
            self.iss = iss
            self.aud = aud
            self.sub = sub
            self.tid = tid
            self.sid = sid
            self.iat = iat
            self.exp = exp
            self.nbf = nbf
        }

        private enum CodingKeys: String, CodingKey {
            case iss, aud, sub, tid, sid, iat, exp, nbf
        }

        /// Decodes `aud` as one string or as several.
        public init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            iss = try values.decode(String.self, forKey: .iss)
            if let one = try? values.decode(String.self, forKey: .aud) {
                aud = [one]
            } else {
                aud = try values.decode([String].self, forKey: .aud)
            }
            sub = try values.decode(String.self, forKey: .sub)
            // Other issuers use these two names with meanings of their own.
            tid = try? values.decodeIfPresent(Int.self, forKey: .tid)
            sid = try? values.decodeIfPresent(String.self, forKey: .sid)
            iat = try values.decodeIfPresent(Double.self, forKey: .iat)
            exp = try values.decode(Double.self, forKey: .exp)
            nbf = try values.decodeIfPresent(Double.self, forKey: .nbf)
        }

        /// Encodes a single audience as a string, and whole seconds as integers.
        public func encode(to encoder: any Encoder) throws {
            var values = encoder.container(keyedBy: CodingKeys.self)
            try values.encode(iss, forKey: .iss)
            if aud.count == 1 { try values.encode(aud[0], forKey: .aud) } else { try values.encode(aud, forKey: .aud) }
            try values.encode(sub, forKey: .sub)
            try values.encodeIfPresent(tid, forKey: .tid)
            try values.encodeIfPresent(sid, forKey: .sid)
            try values.encodeIfPresent(iat.map { Int($0) }, forKey: .iat)
            try values.encode(Int(exp), forKey: .exp)
            try values.encodeIfPresent(nbf.map { Int($0) }, forKey: .nbf)
        }
    }

    private struct Header: Codable {
        var alg: String
        var typ: String?
        var kid: String?
        var crit: [String]?
    }

    /// The id of the key that allegedly signed the token.
    public let keyID: String
    /// The claims. Trust them only after ``isSigned(by:)``.
    public let claims: Claims
    private let algorithm: String
    private let signedPart: [UInt8]
    private let signature: [UInt8]

    /// Parses a compact token. Nil unless it has a `kid` and the claims `iss`, `aud`, `sub` and `exp`, no member twice
    /// (RFC 7515 §4, RFC 7519 §4), instants of the years 1 to 9999, and no critical extensions, none of which Kith
    /// supports (RFC 7515 §4.1.11).
    public init?(_ token: String) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, token.utf8.count <= 8192,
            let header = Base64URL.decode(parts[0]), let payload = Base64URL.decode(parts[1]),
            let signature = Base64URL.decode(parts[2]), Self.namesEachMemberOnce(header),
            Self.namesEachMemberOnce(payload),
            let head = try? JSONDecoder().decode(Header.self, from: Data(header)), head.crit == nil,
            let kid = head.kid,
            let claims = try? JSONDecoder().decode(Claims.self, from: Data(payload)),
            [claims.exp, claims.iat, claims.nbf].allSatisfy({ $0.map(Self.instants.contains) ?? true }),
            // PostgreSQL does not accept U+0000 in a text.
            ([kid, claims.iss, claims.sub] + claims.aud).allSatisfy({ !$0.utf8.contains(0) })
        else { return nil }
        keyID = kid
        algorithm = head.alg
        self.claims = claims
        self.signature = signature
        signedPart = Array("\(parts[0]).\(parts[1])".utf8)
    }

    /// The years 1 to 9999, in seconds since 1970. Whoever has the key of an issuer may write any number, and not every
    /// number can be an integer.
    private static let instants = -62_135_596_800.0...253_402_300_799.0

    /// Whether `json` is an object in which no object has a member twice. Foundation takes one of the two, and another
    /// reader of the token may take the other.
    private static func namesEachMemberOnce(_ json: [UInt8]) -> Bool {
        var failure = json_error_t()
        // Claims that Kith does not know may have integers of any size.
        let flags = Int(JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL)
        guard let tree = json.withUnsafeBytes({ json_loadb($0.baseAddress, $0.count, flags, &failure) }) else {
            return false
        }
        defer { kith_json_release(tree) }
        return kith_json_type(tree) == JSON_OBJECT
    }

    /// Whether `key` signed the token with HS256 (RFC 7518 §3.2).
    public func isSigned(by key: HMACKey) -> Bool {
        algorithm == "HS256" && key.isValid(signature, for: signedPart)
    }

    /// Whether `key` signed the token with the key's own algorithm.
    public func isSigned(by key: PublicKey) -> Bool {
        algorithm == key.algorithm.rawValue && key.isValid(signature, for: signedPart)
    }

    /// Creates a compact token with `claims`, signed by `key` with HS256.
    public static func sign(_ claims: Claims, keyID: String, by key: HMACKey) throws -> String {
        let input = try signedPart(claims, Header(alg: "HS256", typ: "JWT", kid: keyID, crit: nil))
        return "\(input).\(Base64URL.encode(key.authenticationCode(for: input.utf8)))"
    }

    /// Creates a compact token with `claims`, signed by `key` with ES256. It is for a service of others, which defines
    /// the claims.
    public static func sign(_ claims: some Encodable, keyID: String?, by key: PrivateKey) throws -> String {
        let input = try signedPart(claims, Header(alg: "ES256", typ: "JWT", kid: keyID, crit: nil))
        return try "\(input).\(Base64URL.encode(key.signature(for: input.utf8)))"
    }

    private static func signedPart(_ claims: some Encodable, _ header: Header) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try "\(Base64URL.encode(encoder.encode(header))).\(Base64URL.encode(encoder.encode(claims)))"
    }
}
