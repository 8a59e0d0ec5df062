/// Who sends a request, once it is known.
struct Caller: Sendable {
    /// What the caller is.
    enum Kind: Sendable, Equatable {
        /// A user, with the sign-in that the token came of; none where the tenant's server or identity provider gave it.
        case user(id: String, session: String?)
        case key(id: String, scopes: [String])
        /// Somebody who has named a tenant and nothing else: who is about to sign in.
        case anyone
    }

    /// What a user's token says of itself.
    struct Token: Sendable {
        /// The id of the key that signed it.
        let keyID: String
        /// Since when it counts, in seconds since 1970.
        let issuedAt: Double
        /// When it ends, in seconds since 1970.
        let expiresAt: Double
    }

    let tenantID: Int
    let slug: String
    let kind: Kind
    /// With which a user came.
    let token: Token?
    /// The tenant's number as PostgreSQL reads it, kept because every request sends it.
    let tenant: String

    init(tenantID: Int, slug: String, kind: Kind, token: Token? = nil) {
        self.token = token
        self.tenantID = tenantID
        self.slug = slug
        self.kind = kind
        tenant = String(tenantID)
    }

    /// Whom the database's bulkheads take a request for: the caller's tenant; strangers share one.
    static func client(of caller: Caller?) -> Int { caller?.tenantID ?? strangers }

    /// Who has not named a tenant. Tenants are numbered from 1.
    static let strangers = 0
    /// Finding out who somebody is. Apart from strangers' calls, so that these do not keep users from being known.
    static let authentication = -1

    /// The user's id; empty for anybody else, which is what the setting `kith.user_id` then says.
    var user: String {
        if case .user(let id, _) = kind { id } else { "" }
    }

    /// The sign-in that a user's token came of.
    var session: String? {
        if case .user(_, let session) = kind { session } else { nil }
    }

    /// What the audit calls the caller; empty where nobody is known, and then the act is Kith's own.
    var actor: String {
        switch kind {
        case .user(let id, _): "user:\(id)"
        case .anyone: ""
        case .key(let id, _): "key:\(id)"
        }
    }
}
