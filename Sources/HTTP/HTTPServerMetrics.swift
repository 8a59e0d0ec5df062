/// What a server is doing right now, and has done since it started.
public struct HTTPServerMetrics: Hashable, Sendable {
    /// Connections that are open, idle ones included, but none of ``eventStreams``.
    public var openConnections = 0
    /// Clients to which events are sent.
    public var eventStreams = 0
    /// Requests that the handler works on.
    public var requestsInFlight = 0
    /// Requests that were given to the handler.
    public var requests = 0
    /// Requests that the server refused itself, those included in which the handler took too long.
    public var refusals = 0
}
