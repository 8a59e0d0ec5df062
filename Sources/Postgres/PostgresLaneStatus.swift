/// What one lane is doing, for metrics and readiness.
public struct PostgresLaneStatus: Sendable {
    /// How many connections it should have.
    public let connections: Int
    /// How many it has.
    public let connected: Int
    /// Statements sent and not yet answered by the server.
    public let inFlight: Int
    /// Requests that wait for room.
    public let waiting: Int
    /// Why the last connection failed or was lost; nil when every connection stands.
    public let lastFailure: String?
}
