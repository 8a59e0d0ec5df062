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
        if claims.iat == nil && claims.nbf == nil && (own || claims.exp > now + Self.longestWithoutIssue) {
            return "The access token does not say when it was issued."
        }
        if let begin = claims.nbf ?? claims.iat, begin > now + Self.leeway {
            return "The access token is not valid yet."
        }
        return nil
    }

    /// The longest that a token may live which does not say when it was issued, in seconds: so that signing out everywhere can end
    /// it all the same.
    static let longestWithoutIssue = 86400.0

    /// Whether a token still counts for a user whose tokens count from `validFrom` on (microseconds since 1970); nil where any
    /// does. Tokens tell whole seconds, so a token of the same second counts.
    ///
    /// One that does not say when it was issued (an identity provider need not, RFC 7519 §4.1.6) counts once any that was issued
    /// before `validFrom` has ended.
    static func counts(_ claims: JWT.Claims, validFrom: Int?) -> Bool {
        guard let validFrom else { return true }
        return issue(of: claims) >= Double(validFrom / 1_000_000)
    }

    /// When a token was issued, as far as it says, in seconds since 1970.
    static func issue(of claims: JWT.Claims) -> Double {
        claims.iat ?? claims.nbf ?? claims.exp - longestWithoutIssue
    }
}
