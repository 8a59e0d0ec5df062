/// How large one lane is and how patient.
public struct PostgresLaneSettings: Sendable {
    /// How many connections it keeps open; a lane without any refuses every request.
    public var connections: Int
    /// How many statements may be under way on each.
    public var depth: Int
    /// How many requests may wait for room; the next one fails at once.
    public var waitingLimit: Int
    /// How long a request may take from the call to its answer, waiting included, unless the call says otherwise.
    public var deadline: Duration
    /// Whether a statement past its deadline is cancelled on the server. Only possible with a depth of 1: a cancel goes
    /// to a connection, and would hit whatever runs there.
    public var cancelsOverdue: Bool

    /// On how many connections the requests of one client may be under way at once: three quarters of them, so that what one
    /// client does, however slow, leaves a quarter to the others.
    var connectionsPerClient: Int { max(1, connections * 3 / 4) }

    /// From how many requests under way on a client counts as heavy: half of what it may have.
    var heavy: Int { max(2, connectionsPerClient * depth / 2) }

    /// How many requests of one client may wait: half of all, so that one client's queue turns nobody else away. The process
    /// itself may have them all.
    func waitingLimit(of client: Int?) -> Int {
        client == nil ? waitingLimit : max(1, waitingLimit / 2)
    }

    /// Settings of a lane; every count but that of connections is at least 1.
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

/// The settings of a pool's lanes. On two cores reads were best over 2 to 4 connections and writes over 8 to 16.
public struct PostgresLanes: Sendable {
    /// See ``PostgresLane/reads``.
    public var reads = PostgresLaneSettings(connections: 4, depth: 64, waitingLimit: 2048, deadline: .seconds(2))
    /// See ``PostgresLane/writes``.
    public var writes = PostgresLaneSettings(connections: 12, depth: 2, waitingLimit: 2048, deadline: .seconds(2))
    /// See ``PostgresLane/slow``.
    public var slow = PostgresLaneSettings(
        connections: 3, depth: 1, waitingLimit: 64, deadline: .seconds(30), cancelsOverdue: true)
    /// See ``PostgresLane/bulk``.
    public var bulk = PostgresLaneSettings(connections: 3, depth: 2, waitingLimit: 256, deadline: .seconds(5))
    /// See ``PostgresLane/transactions``. Its depth is 1: nothing goes between the statements of a transaction.
    public var transactions = PostgresLaneSettings(
        connections: 6, depth: 1, waitingLimit: 1024, deadline: .seconds(4))
    /// See ``PostgresLane/events``. A reading, and beside it the question who may still listen.
    public var events = PostgresLaneSettings(connections: 2, depth: 1, waitingLimit: 16, deadline: .seconds(5))
    /// See ``PostgresLane/upkeep``.
    public var upkeep = PostgresLaneSettings(connections: 1, depth: 4, waitingLimit: 64, deadline: .seconds(2))

    /// See ``PostgresLane/heartbeat``. One at a time: a beat that did not get through is followed by a new one.
    public var heartbeat = PostgresLaneSettings(connections: 1, depth: 1, waitingLimit: 1, deadline: .seconds(4))

    /// The defaults.
    public init() {}

    subscript(lane: PostgresLane) -> PostgresLaneSettings {
        switch lane {
        case .reads: reads
        case .writes: writes
        case .slow: slow
        case .bulk: bulk
        case .transactions: transactions
        case .events: events
        case .upkeep: upkeep
        case .heartbeat: heartbeat
        }
    }
}
