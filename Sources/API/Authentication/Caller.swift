/// The identified caller of a request.
struct Caller: Sendable {
    /// The kind of caller.
    enum Kind: Sendable, Equatable {
        /// A user. `session` is the sign-in of the token; nil if the tenant's server or identity provider issued it.
        case user(id: String, session: String?)
        case key(id: String, scopes: [String])
        /// Somebody who has named a tenant but has no credential, such as a user who is signing in.
        case anyone
    }

    /// Facts about a user's access token.
    struct Token: Sendable {
        /// The id of the key that signed it.
        let keyID: String
        /// When the token was issued, in seconds since 1970.
        let issuedAt: Double
        /// When the token expires, in seconds since 1970.
        let expiresAt: Double
    }

    let tenantID: Int
    let slug: String
    let kind: Kind
    /// The access token; nil unless the caller is a user.
    let token: Token?
    /// `tenantID` as text for PostgreSQL. Stored because every request sends it.
    let tenant: String

    init(tenantID: Int, slug: String, kind: Kind, token: Token? = nil) {
        self.token = token
        self.tenantID = tenantID
        self.slug = slug
        self.kind = kind
        tenant = String(tenantID)
    }

    /// The client id for the database pool's per-client limits: the caller's tenant. All callers without a tenant share one.
    static func client(of caller: Caller?) -> Int { caller?.tenantID ?? strangers }

    /// The client id of callers without a tenant. Tenants are numbered from 1.
    static let strangers = 0
    /// The client id of authentication queries. They are apart from strangers' calls, so that strangers cannot block authentication.
    static let authentication = -1

    /// The user's id; empty for other callers. It is the value of the setting `kith.user_id`.
    var user: String {
        if case .user(let id, _) = kind { id } else { "" }
    }

    /// The sign-in of the user's token.
    var session: String? {
        if case .user(_, let session) = kind { session } else { nil }
    }

    /// The caller's name in the audit log. Empty for anonymous callers: their acts are logged as Kith's own.
    var actor: String {
        switch kind {
        case .user(let id, _): "user:\(id)"
        case .anyone: ""
        case .key(let id, _): "key:\(id)"
        }
    }
}
