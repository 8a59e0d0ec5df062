internal import Crypto

/// What a token must claim to be believed with a key. Signatures are checked before, elsewhere.
struct TokenRules: Sendable {
    let tenantID: Int
    /// Whether the key is ours: then the token must name the tenant too.
    let own: Bool
    let issuer: String
    let audience: String

    /// Seconds by which a clock that issues tokens may be ahead of ours.
    static let leeway = 5.0

    /// Why the token cannot be believed at `now` (seconds since 1970), as a person may read it; nil when it can.
    func objection(to claims: JWT.Claims, at now: Double) -> String? {
        if claims.iss != issuer || !claims.aud.contains(audience) || (own && claims.tid != tenantID) {
            return "The access token was not issued for this service."
        }
        if claims.exp <= now { return "The access token has expired. Renew it." }
        if let begin = claims.nbf ?? claims.iat, begin > now + Self.leeway {
            return "The access token is not valid yet."
        }
        return nil
    }

    /// Whether a token issued at `issuedAt` still counts for a user whose tokens count from `validFrom` on (microseconds
    /// since 1970). Tokens tell whole seconds, so a token of the same second counts.
    static func counts(issuedAt: Double?, validFrom: Int) -> Bool {
        guard let issuedAt else { return false }
        return issuedAt >= Double(validFrom / 1_000_000)
    }
}
