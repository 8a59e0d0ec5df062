internal import Crypto

/// The token that identifies a provider to APNs, signed with the tenant's key (Apple, "Establishing a token-based
/// connection to APNs").
///
/// APNs accepts a token for one hour, and refuses a provider that makes new ones more often than every 20 minutes.
struct ProviderToken {
    private struct Claims: Encodable {
        let iss: String
        let iat: Int
    }

    /// In seconds. Well within both limits.
    private static let lifetime = 40 * 60
    /// In seconds: how often a token may be replaced before its lifetime ends.
    private static let exchangeInterval = 20 * 60

    private let teamID: String
    private let keyID: String
    private let key: PrivateKey
    private var text = ""
    private var issuedAt: Int?
    private var exchangedAt: Int?

    /// Creates a provider token that is signed when it is first needed.
    init(teamID: String, keyID: String, key: PrivateKey) {
        self.teamID = teamID
        self.keyID = keyID
        self.key = key
    }

    /// Returns the token to send at `now`, in seconds since 1970. It makes a new one when the last one is too old, or
    /// comes from the future because the clock was set back.
    mutating func text(at now: Int) throws -> String {
        if let issuedAt, (issuedAt..<issuedAt + Self.lifetime).contains(now) { return text }
        try renew(at: now)
        return text
    }

    /// Returns another token after APNs said at `now` that `refused` has expired; nil when it is too early for another
    /// one. The interval bounds the renewals of a machine whose clock is wrong, because none of its tokens is accepted
    /// for long.
    mutating func replacement(for refused: String, at now: Int) throws -> String? {
        // Many messages carry the same token. The first refusal replaces it for all of them.
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
