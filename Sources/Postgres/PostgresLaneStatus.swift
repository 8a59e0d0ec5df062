/// The state of a lane, for metrics and readiness.
public struct PostgresLaneStatus: Sendable {
    /// The number of connections that the lane should have.
    public let connections: Int
    /// The number of connections that the lane has.
    public let connected: Int
    /// Statements sent and not yet answered by the server.
    public let inFlight: Int
    /// Requests that wait for room.
    public let waiting: Int
    /// Why the last connection failed or was lost; nil when every connection is open.
    public let lastFailure: String?
}
