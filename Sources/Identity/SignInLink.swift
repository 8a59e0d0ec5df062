package import Crypto

/// What a sign-in link says: a user of a tenant, for one sign-in in a browser. The tenant's server has it made, once it
/// knows who the person is, and leads their browser there (docs/decisions/0052).
///
/// It is signed with a key derived from the master key, and stored nowhere.
package struct SignInLink: Sendable, Equatable {
    /// How long after it was made a link can be opened, in seconds.
    package static let life = 60
    /// How long after it was made the person can confirm, in a browser that opened the link in time, in seconds.
    package static let patience = 600

    package let tenantID: Int
    /// The user's id.
    package let userID: String
    /// The id of the sign-in that the link begins. There can be only one with that id, so a link works once.
    package let sessionID: String
    /// When the link was made, in microseconds since 1970.
    package let issuedAt: Int64

    /// Makes the link of a user, as of `issuedAt`.
    package init(tenant: Int, user: String, issuedAt: Int64) {
        tenantID = tenant
        userID = user
        sessionID = UUID7.make(at: issuedAt)
        self.issuedAt = issuedAt
    }

    /// Reads the token of a link of `tenant`; nil if nobody who has the master key has signed it.
    ///
    /// - Throws: ``CryptoError/invalidKey(_:)`` if no key can be derived.
    package init?(_ token: String, tenant: Int, _ masterKey: MasterKey) throws(CryptoError) {
        let parts = token.split(separator: ".", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 4, token.utf8.count <= Self.longest, let issuedAt = Int64(parts[2]),
            let code = Base64URL.decode(parts[3])
        else { return nil }
        tenantID = tenant
        userID = parts[0]
        sessionID = parts[1]
        self.issuedAt = issuedAt
        let message = Array(message.utf8)
        guard try Self.keys(masterKey).contains(where: { $0.isValid(code, for: message) }) else { return nil }
    }

    /// The token as it stands in the link: only letters, digits, hyphens, underscores and full stops.
    ///
    /// - Throws: ``CryptoError/invalidKey(_:)`` if no key can be derived.
    package func token(_ masterKey: MasterKey) throws(CryptoError) -> String {
        let code = try Self.keys(masterKey)[0].authenticationCode(for: message.utf8)
        return "\(userID).\(sessionID).\(issuedAt).\(Base64URL.encode(code))"
    }

    /// Whether the link can be opened at `now` (microseconds since 1970).
    package func canBeOpened(at now: Int64) -> Bool { now < issuedAt + Int64(Self.life) * 1_000_000 }

    /// Whether a browser that has opened the link can sign in by it at `now` (microseconds since 1970).
    package func canBeConfirmed(at now: Int64) -> Bool { now < issuedAt + Int64(Self.patience) * 1_000_000 }

    private var message: String { "\(tenantID)/\(userID)/\(sessionID)/\(issuedAt)" }

    /// More characters than any token has.
    private static let longest = 200

    private static func keys(_ masterKey: MasterKey) throws(CryptoError) -> [HMACKey] {
        try masterKey.derived(for: "sign_in_links")
    }
}
