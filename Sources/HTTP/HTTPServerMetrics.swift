/// The activity of a server: now, and since it started.
public struct HTTPServerMetrics: Hashable, Sendable {
    /// Open connections, including idle ones, but without ``eventStreams``.
    public var openConnections = 0
    /// Open event streams.
    public var eventStreams = 0
    /// Requests that the handler is working on.
    public var requestsInFlight = 0
    /// Requests that were passed to the handler.
    public var requests = 0
    /// Requests that the server refused itself, including those for which the handler took too long.
    public var refusals = 0

    /// The activity of a server that has not begun.
    public init() {}

    /// Adds the activity of another server.
    public static func += (total: inout HTTPServerMetrics, other: HTTPServerMetrics) {
        total.openConnections += other.openConnections
        total.eventStreams += other.eventStreams
        total.requestsInFlight += other.requestsInFlight
        total.requests += other.requests
        total.refusals += other.refusals
    }
}
