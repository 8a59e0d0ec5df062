internal import HTTP
internal import LiveEvents
internal import Postgres

/// What a server has counted on one event loop, or the sum over several.
public struct ServerSample: Sendable {
    private(set) var counters: RequestCounters
    private(set) var http: HTTPServerMetrics
    private(set) var events: EventMetrics
    /// The states of the lanes, in the order of `PostgresLane.allCases`.
    private(set) var lanes: [PostgresLaneStatus]

    /// What the loops' standbys have done; nil without a standby.
    private(set) var standby: PostgresStandbyStatus?

    init(
        counters: RequestCounters, http: HTTPServerMetrics, events: EventMetrics, lanes: [PostgresLaneStatus],
        standby: PostgresStandbyStatus?
    ) {
        self.counters = counters
        self.http = http
        self.events = events
        self.lanes = lanes
        self.standby = standby
    }

    /// Adds the sample of another loop.
    public static func += (total: inout ServerSample, other: ServerSample) {
        total.counters += other.counters
        total.http += other.http
        total.events += other.events
        if let standby = other.standby { total.standby? += standby }
        for lane in total.lanes.indices { total.lanes[lane] += other.lanes[lane] }
    }
}
