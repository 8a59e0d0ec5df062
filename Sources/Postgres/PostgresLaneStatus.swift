/// The state of a lane, for metrics and readiness.
public struct PostgresLaneStatus: Sendable {
    /// The number of connections that the lane should have.
    public private(set) var connections: Int
    /// The number of connections that the lane has.
    public private(set) var connected: Int
    /// Statements sent and not yet answered by the server.
    public private(set) var inFlight: Int
    /// Requests that wait for room.
    public private(set) var waiting: Int
    /// Why the last connection failed or was lost; nil when every connection is open.
    public private(set) var lastFailure: String?

    /// Adds the state of the same lane in another loop's pool.
    public static func += (total: inout PostgresLaneStatus, other: PostgresLaneStatus) {
        total.connections += other.connections
        total.connected += other.connected
        total.inFlight += other.inFlight
        total.waiting += other.waiting
        total.lastFailure = total.lastFailure ?? other.lastFailure
    }
}
