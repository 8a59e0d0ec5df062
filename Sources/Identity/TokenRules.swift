internal import Crypto

/// The claims that a token must make to be accepted with a key. Signatures are checked before, elsewhere.
struct TokenRules: Sendable {
    let tenantID: Int
    /// Whether the key is Kith's own. Its tokens must name the tenant as well.
    let own: Bool
    let issuer: String
    let audience: String

    /// How many seconds an issuer's clock may be ahead of ours.
    static let leeway = 5.0

    /// The reason to reject the token at `now` (seconds since 1970), as a person may read it; nil if the token is
    /// acceptable.
    func objection(to claims: JWT.Claims, at now: Double) -> String? {
        if claims.iss != issuer || !claims.aud.contains(audience) || (own && claims.tid != tenantID) {
            return "The access token was not issued for this service."
        }
        if claims.exp <= now { return "The access token has expired. Renew it." }
        if claims.iat == nil && claims.nbf == nil && (own || claims.exp > now + Self.longestWithoutIssue) {
            return "The access token does not say when it was issued."
        }
        // A token from the future would outlive a sign-out everywhere, whatever its `nbf` says.
        if let begin = [claims.nbf, claims.iat].compactMap(\.self).max(), begin > now + Self.leeway {
            return "The access token is not valid yet."
        }
        return nil
    }

    /// The longest remaining lifetime, in seconds, of a token that does not say when it was issued. The bound lets a
    /// sign-out everywhere end such tokens too.
    static let longestWithoutIssue = 86400.0

    /// Whether a token is still valid for a user whose tokens are valid from `validFrom` on (microseconds since 1970);
    /// nil accepts any token. Tokens have whole seconds, so a token of the same second is valid.
    ///
    /// A token without a time of issue (optional by RFC 7519, section 4.1.6) counts as issued ``longestWithoutIssue``
    /// before its expiry.
    static func counts(_ claims: JWT.Claims, validFrom: Int?) -> Bool {
        guard let validFrom else { return true }
        return issue(of: claims) >= Double(validFrom / 1_000_000)
    }

    /// When the token was issued, in seconds since 1970. Without a claim that says so, ``longestWithoutIssue`` before
    /// its expiry.
    static func issue(of claims: JWT.Claims) -> Double {
        claims.iat ?? claims.nbf ?? claims.exp - longestWithoutIssue
    }
}
