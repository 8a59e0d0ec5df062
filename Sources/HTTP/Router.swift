/// Finds the route of a request by method and path, in time that grows with the path and not with the number of routes.
///
/// A pattern is a path whose segments are literals (`/v1/users:import`) or parameters in braces (`{id}`), which match
/// any segment that is not empty. A literal is tried before a parameter. If no pattern with the literal matches, the
/// parameter is tried. The first pattern that matches decides the allowed methods, as in an OpenAPI document ("Path
/// Templating Matching"): with `/users/me` and `/users/{id}`, nobody deletes a user called `me`.
public struct Router<Route: Sendable>: Sendable {
    // The search is not generic. The compiler would not specialize it in other modules, and each step would look up
    // types.
    private var patterns = RoutePatterns()
    private var routes: [Route] = []

    /// Creates a router without routes.
    public init() {}

    /// Adds a route.
    ///
    /// `pattern` must begin with `/`. A second route for the same method and pattern, whatever its parameters are
    /// called, is a programming error and stops the program.
    public mutating func add(_ method: HTTPMethod, _ pattern: String, _ route: Route) {
        patterns.add(method, pattern, routes.count)
        routes.append(route)
    }

    /// Returns the route for the method and path of a request. The route for GET also serves HEAD.
    public func match(_ method: HTTPMethod, _ path: String) -> RouteMatch<Route> {
        switch patterns.match(method, path) {
        case .found(let index, let parameters): .found(routes[index], parameters: parameters)
        case .invalidParameter(let route, let index): .invalidParameter(routes[route], index: index)
        case .methodNotAllowed(let methods): .methodNotAllowed(methods)
        case .notFound: .notFound
        }
    }
}
