/// The identified caller of a request.
///
/// It is a class because the cached caller of a credential passes through many functions of every request. A copy of a
/// structure would retain each of its members.
package final class Caller: Sendable {
    /// The kind of caller.
    package enum Kind: Sendable, Equatable {
        /// A user. `session` is the sign-in of the token; nil if the tenant's server or identity provider issued it.
        case user(id: String, session: String?)
        case key(id: String, scopes: [String])
        /// Somebody who has named a tenant but has no credential, such as a user who is signing in.
        case anyone
    }

    /// Facts about a user's access token.
    package struct Token: Sendable {
        /// The id of the key that signed it.
        package let keyID: String
        /// When the token was issued, in seconds since 1970.
        package let issuedAt: Double
        /// When the token expires, in seconds since 1970.
        package let expiresAt: Double

        /// Creates the facts of a token.
        package init(keyID: String, issuedAt: Double, expiresAt: Double) {
            self.keyID = keyID
            self.issuedAt = issuedAt
            self.expiresAt = expiresAt
        }
    }

    package let tenantID: Int
    package let slug: String
    package let kind: Kind
    /// The access token; nil unless the caller is a user.
    package let token: Token?
    /// What decides the words of refusals; nil if they are English.
    package let wording: Wording?
    /// `tenantID` as text for PostgreSQL. Stored because every request sends it.
    package let tenant: String

    package init(tenantID: Int, slug: String, kind: Kind, token: Token? = nil, wording: Wording? = nil) {
        self.token = token
        self.wording = wording
        self.tenantID = tenantID
        self.slug = slug
        self.kind = kind
        tenant = String(tenantID)
    }

    /// The client id for the database pool's per-client limits: the caller's tenant. All callers without a tenant share
    /// one.
    package static func client(of caller: Caller?) -> Int { caller?.tenantID ?? strangers }

    /// The client id of callers without a tenant. Tenants are numbered from 1.
    package static let strangers = 0
    /// The client id of authentication queries. They are apart from strangers' calls, so that strangers cannot block
    /// authentication.
    package static let authentication = -1

    /// The user's id; empty for other callers. It is the value of the setting `kith.user_id`.
    package var user: String {
        if case .user(let id, _) = kind { id } else { "" }
    }

    /// The sign-in of the user's token.
    package var session: String? {
        if case .user(_, let session) = kind { session } else { nil }
    }

    /// The caller's name in the log of the process: which key it is, but not which user.
    package var logName: String {
        switch kind {
        case .user: "user"
        case .anyone: "stranger"
        case .key(let id, _): "key:\(id)"
        }
    }

    /// The caller's name in the audit log. Empty for anonymous callers: their acts are logged as Kith's own.
    package var actor: String {
        switch kind {
        case .user(let id, _): "user:\(id)"
        case .anyone: ""
        case .key(let id, _): "key:\(id)"
        }
    }
}
