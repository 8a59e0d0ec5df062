internal import Crypto

/// The tokens that identify a tenant to push services. Its key signs them, each for one service (VAPID, RFC 8292).
struct VAPIDTokens {
    private struct Claims: Encodable {
        let aud: String
        let exp: Int
        let sub: String
    }

    /// In seconds. Services accept at most a day (RFC 8292 §2), by their own clocks.
    private static let lifetime = 12 * 3600
    /// In seconds: how long a token must still be valid when it is sent.
    private static let reserve = 3600
    /// The most tokens that are kept. Users choose the services, but no tenant really has more than this.
    private static let most = 100

    private let subject: String
    private let key: PrivateKey
    private let publicKey: String
    private var tokens: [String: (text: String, expiresAt: Int)] = [:]

    /// Creates the tokens' cache, empty at first.
    init(subject: String, key: PrivateKey) {
        self.subject = subject
        self.key = key
        publicKey = Base64URL.encode(key.point)
    }

    /// Returns the value of `Authorization` (RFC 8292 §3) for the service at `origin`, at `now` in seconds since 1970.
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
