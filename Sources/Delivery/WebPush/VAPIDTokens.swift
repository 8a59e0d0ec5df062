internal import Crypto

/// By what push services know the tenant: tokens that its key signs, each for one service (VAPID, RFC 8292).
struct VAPIDTokens {
    private struct Claims: Encodable {
        let aud: String
        let exp: Int
        let sub: String
    }

    /// In seconds. A service takes at most a day (RFC 8292 §2), by its own clock.
    private static let lifetime = 12 * 3600
    /// In seconds: how long one is still good at least when it is sent.
    private static let reserve = 3600
    /// Users name the services: more than this many nobody has.
    private static let most = 100

    private let subject: String
    private let key: PrivateKey
    private let publicKey: String
    private var tokens: [String: (text: String, expiresAt: Int)] = [:]

    /// No token yet.
    init(subject: String, key: PrivateKey) {
        self.subject = subject
        self.key = key
        publicKey = Base64URL.encode(key.point)
    }

    /// The value of `Authorization` (RFC 8292 §3) at `now`, in seconds since 1970, for the service at `origin`.
    mutating func authorization(for origin: String, at now: Int) throws -> String {
        if let token = tokens[origin], (now + Self.reserve...now + Self.lifetime).contains(token.expiresAt) {
            return token.text
        }
        let claims = Claims(aud: origin, exp: now + Self.lifetime, sub: subject)
        let text = "vapid t=\(try JWT.sign(claims, keyID: nil, by: key)), k=\(publicKey)"
        if tokens.count >= Self.most { tokens.removeAll() }
        tokens[origin] = (text, now + Self.lifetime)
        return text
    }
}
