/// The result of a ``Router`` look-up.
public enum RouteMatch<Route: Sendable>: Sendable {
    /// The route, and the decoded values of the pattern's parameters in order.
    case found(Route, parameters: [String])
    /// The path is known, but not with this method. The value lists the methods for `Allow`.
    case methodNotAllowed([HTTPMethod])
    /// No pattern matches the path, or the path contains an invalid escape.
    case notFound
}
