internal import HTTP

/// A group of calls that a secret key of a tenant's server may make.
enum KeyScope: String, Sendable, CaseIterable {
    /// Users, their subscriptions, and imports.
    case users
    /// Access tokens for users.
    case tokens
    /// The tenant's settings, the keys of its identity provider, and its channels.
    case settings
    case webhooks
    /// The desk: the tenant's alarms, to see, take and end them.
    case alarms
    /// Every GET except that of the keys themselves, of alarms, which say where people are and what others write about
    /// them, and of webhooks, whose addresses may hold a secret.
    case read
    /// Everything. Only this scope manages keys.
    case all

    /// Whether a key with the scopes `given` may call an endpoint of this scope by `method`.
    func isMet(by given: [String], _ method: HTTPMethod) -> Bool {
        func has(_ scope: KeyScope) -> Bool { given.contains(scope.rawValue) }
        let isReadable = self != .all && self != .alarms && self != .webhooks && method == .get
        return has(.all) || has(self) || isReadable && has(.read)
    }
}
