/// What a ``Router`` says about a method and a path.
public enum RouteMatch<Route: Sendable>: Sendable {
    /// The route, and the decoded values of the pattern's parameters in order.
    case found(Route, parameters: [String])
    /// The path is known, but not with this method: the ones that are, for `Allow`.
    case methodNotAllowed([HTTPMethod])
    /// No pattern fits the path, or the path has a broken escape in it.
    case notFound
}
