internal import Crypto

/// By what APNs knows a provider: a token that the tenant's key signs (Apple, "Establishing a token-based connection to APNs").
///
/// APNs takes a token for an hour, and refuses one who makes a new one more often than every 20 minutes.
struct ProviderToken {
    private struct Claims: Encodable {
        let iss: String
        let iat: Int
    }

    /// In seconds: far from both limits.
    private static let lifetime = 40 * 60
    /// In seconds: how often a token may be exchanged before its time.
    private static let exchangeInterval = 20 * 60

    private let teamID: String
    private let keyID: String
    private let key: PrivateKey
    private var text = ""
    private var issuedAt: Int?
    private var exchangedAt: Int?

    /// No token yet.
    init(teamID: String, keyID: String, key: PrivateKey) {
        self.teamID = teamID
        self.keyID = keyID
        self.key = key
    }

    /// The token to send at `now`, in seconds since 1970: the last one, or a new one when that is too old, or of a clock that has been set
    /// back since.
    mutating func text(at now: Int) throws -> String {
        if let issuedAt, (issuedAt..<issuedAt + Self.lifetime).contains(now) { return text }
        try renew(at: now)
        return text
    }

    /// APNs says at `now` that `refused` has expired: another one, when there is one that is worth a try. Once in a while only, since a
    /// machine whose clock is wrong gets no token that lasts.
    mutating func replacement(for refused: String, at now: Int) throws -> String? {
        // Many messages carry the same token, and the first whose answer comes has exchanged it for all.
        if refused == text {
            if let exchangedAt, (exchangedAt..<exchangedAt + Self.exchangeInterval).contains(now) { return nil }
            try renew(at: now)
            exchangedAt = now
        }
        return text
    }

    private mutating func renew(at now: Int) throws {
        text = try JWT.sign(Claims(iss: teamID, iat: now), keyID: keyID, by: key)
        issuedAt = now
    }
}
