/// Who sends a request, once it is known.
struct Caller: Sendable {
    /// What the caller is.
    enum Kind: Sendable, Equatable {
        case user(id: String)
        case key(id: String, scopes: [String])
    }

    let tenantID: Int
    let slug: String
    let kind: Kind
    /// The tenant's number as PostgreSQL reads it, kept because every request sends it.
    let tenant: String

    init(tenantID: Int, slug: String, kind: Kind) {
        self.tenantID = tenantID
        self.slug = slug
        self.kind = kind
        tenant = String(tenantID)
    }

    /// The user's id; empty for a tenant's server, which is what the setting `kith.user_id` then says.
    var user: String {
        if case .user(let id) = kind { id } else { "" }
    }

    /// What the audit calls the caller.
    var actor: String {
        switch kind {
        case .user(let id): "user:\(id)"
        case .key(let id, _): "key:\(id)"
        }
    }
}
