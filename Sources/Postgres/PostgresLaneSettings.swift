/// The size, limits and deadline of one lane.
public struct PostgresLaneSettings: Sendable {
    /// The number of open connections. A lane without any refuses every request.
    public var connections: Int
    /// The number of statements that may be in flight on each connection.
    public var depth: Int
    /// The number of requests that may wait for room. The next one fails immediately.
    public var waitingLimit: Int
    /// How long a request may take from the call to its answer, including the wait, unless the call has its own
    /// deadline.
    public var deadline: Duration
    /// Whether a statement past its deadline is cancelled on the server. This requires a depth of 1: a cancel request
    /// names a connection, and stops whatever runs there.
    public var cancelsOverdue: Bool

    /// The number of connections that requests of one client may use at once: three quarters, so that one client,
    /// however slow its requests, leaves a quarter to the others.
    var connectionsPerClient: Int { max(1, connections * 3 / 4) }

    /// The number of requests in flight from which a client counts as heavy: half of what it may have.
    var heavy: Int { max(2, connectionsPerClient * depth / 2) }

    /// The number of requests of one client that may wait: half of all, so that one client's queue turns nobody else
    /// away. The process itself (nil) may use them all.
    func waitingLimit(of client: Int?) -> Int {
        client == nil ? waitingLimit : max(1, waitingLimit / 2)
    }

    /// Creates the settings of a lane. Every count except `connections` must be at least 1.
    public init(
        connections: Int, depth: Int, waitingLimit: Int, deadline: Duration, cancelsOverdue: Bool = false
    ) {
        precondition(connections >= 0 && depth > 0 && waitingLimit > 0)
        precondition(!cancelsOverdue || depth == 1, "a cancel could hit a neighbour in the pipeline")
        self.connections = connections
        self.depth = depth
        self.waitingLimit = waitingLimit
        self.deadline = deadline
        self.cancelsOverdue = cancelsOverdue
    }
}

/// The settings of a pool's lanes. In measurements on two cores, 2 to 4 connections were best for reads, and 8 to 16
/// for writes.
public struct PostgresLanes: Sendable {
    /// See ``PostgresLane/reads``.
    public var reads = PostgresLaneSettings(connections: 4, depth: 64, waitingLimit: 2048, deadline: .seconds(2))
    /// See ``PostgresLane/writes``.
    public var writes = PostgresLaneSettings(connections: 8, depth: 2, waitingLimit: 2048, deadline: .seconds(2))
    /// See ``PostgresLane/checkIns``.
    public var checkIns = PostgresLaneSettings(connections: 12, depth: 2, waitingLimit: 2048, deadline: .seconds(2))
    /// See ``PostgresLane/slow``.
    public var slow = PostgresLaneSettings(
        connections: 3, depth: 1, waitingLimit: 64, deadline: .seconds(30), cancelsOverdue: true)
    /// See ``PostgresLane/bulk``.
    public var bulk = PostgresLaneSettings(connections: 3, depth: 2, waitingLimit: 256, deadline: .seconds(5))
    /// See ``PostgresLane/transactions``. The depth is 1, so that nothing comes between the statements of a
    /// transaction.
    public var transactions = PostgresLaneSettings(
        connections: 6, depth: 1, waitingLimit: 1024, deadline: .seconds(4))
    /// See ``PostgresLane/events``. One connection reads events while the other checks who may still listen.
    public var events = PostgresLaneSettings(connections: 2, depth: 1, waitingLimit: 16, deadline: .seconds(5))
    /// See ``PostgresLane/upkeep``.
    public var upkeep = PostgresLaneSettings(connections: 1, depth: 4, waitingLimit: 64, deadline: .seconds(2))

    /// See ``PostgresLane/heartbeat``. One at a time: a heartbeat that did not get through is followed by a new one.
    public var heartbeat = PostgresLaneSettings(connections: 1, depth: 1, waitingLimit: 1, deadline: .seconds(4))

    /// Creates the default settings.
    public init() {}

    /// The settings of one of the `count` pools that a process divides its connections among. The `first` alone sends
    /// heartbeats. Each pool has at least two connections in every lane of requests, so that one client cannot take all
    /// of them; three in those of long statements, so that one client can run two; and two for events. Many pools may
    /// therefore have more connections together than one.
    public func share(of count: Int, isFirst: Bool) -> PostgresLanes {
        var share = self
        for (lane, least) in [
            (\PostgresLanes.reads, 2), (\.writes, 2), (\.checkIns, 2), (\.slow, 3), (\.bulk, 3), (\.transactions, 2),
        ] {
            guard count > 1, self[keyPath: lane].connections > 0 else { continue }
            share[keyPath: lane].connections = max((self[keyPath: lane].connections + count - 1) / count, least)
            share[keyPath: lane].waitingLimit = max(self[keyPath: lane].waitingLimit / count, 1)
        }
        if !isFirst { share.heartbeat.connections = 0 }
        return share
    }

    /// The number of connections in all lanes.
    public var connections: Int { PostgresLane.allCases.reduce(0) { $0 + self[$1].connections } }

    subscript(lane: PostgresLane) -> PostgresLaneSettings {
        switch lane {
        case .reads: reads
        case .writes: writes
        case .checkIns: checkIns
        case .slow: slow
        case .bulk: bulk
        case .transactions: transactions
        case .events: events
        case .upkeep: upkeep
        case .heartbeat: heartbeat
        }
    }
}
