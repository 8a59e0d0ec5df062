/// The result of a ``Router`` look-up.
public enum RouteMatch<Route: Sendable>: Sendable {
    /// The route, and the decoded values of the pattern's parameters in order.
    case found(Route, parameters: [String])
    /// The route, and the index of the first of the pattern's parameters whose escapes do not decode to UTF-8 without
    /// control characters.
    case invalidParameter(Route, index: Int)
    /// The path is known, but not with this method. The value lists the methods for `Allow`.
    case methodNotAllowed([HTTPMethod])
    /// No pattern matches the path.
    case notFound
}
