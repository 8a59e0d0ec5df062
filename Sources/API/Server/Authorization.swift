internal import HTTP
internal import Identity
internal import Problems
internal import Requests

/// Decides who may call an endpoint.
///
/// Confined to the event loop's thread: only that loop's API server uses it.
struct Authorization {
    let authenticator: Authenticator

    /// The request's caller; nil if the endpoint requires none.
    ///
    /// - Throws: ``Problem`` if the caller is not known, or may not call the endpoint.
    func caller(of request: HTTPRequest, for route: PreparedRoute) async throws(Problem) -> Caller? {
        let whileSuspended = route.endpoint.worksWhileSuspended
        switch route.endpoint.caller {
        case .open: return nil
        case .tenant:
            return try await authenticator.visitor(
                of: request, at: request.receivedAt, whileSuspended: whileSuspended)
        case .user, .key:
            let caller = try await authenticator.caller(
                of: request, at: request.receivedAt, whileSuspended: whileSuspended)
            try Self.check(caller, for: route)
            return caller
        }
    }

    private static func check(_ caller: Caller, for route: PreparedRoute) throws(Problem) {
        switch (route.endpoint.caller, caller.kind) {
        case (.user, .user), (.open, _), (.tenant, _): return
        case (.key(let scope), .key(_, let scopes)):
            guard scope.isMet(by: scopes, route.endpoint.method) else {
                throw Problem(.forbidden, "This key lacks the scope \(scope.rawValue).")
            }
        case (.user, _):
            throw Problem(.forbidden, "This call is for users: send an access token, not a secret key.")
        case (.key, _):
            throw Problem(.forbidden, "This call is for the tenant's server: send a secret key, not an access token.")
        }
    }
}
