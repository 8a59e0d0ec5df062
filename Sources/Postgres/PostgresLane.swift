/// The lanes of a pool. Each is a set of connections for one kind of statement. A connection runs its statements one at
/// a time and in order, so slow statements must not stand in front of quick ones.
public enum PostgresLane: Int, CaseIterable, Sendable {
    /// Short statements that write nothing: few connections with deep pipelines.
    case reads
    /// Short statements that commit. Each waits for the disk, so there are more connections with one or two statements
    /// in each.
    case writes
    /// Check-ins, and the probe that shows whether they are taken. They wait behind no other write, whoever sends how
    /// many.
    case checkIns
    /// Statements that may take seconds: one at a time on a connection, cancelled after their deadline.
    case slow
    /// Statements with large values, such as a document's chunks. They must not stand in front of small ones, and each
    /// of their few connections keeps buffers of that size.
    case bulk
    /// Transactions of several statements. Each has a connection to itself until it ends.
    case transactions
    /// Reads of new events for open event streams. They run many times a second, and never wait behind a request.
    case events
    /// The process's own queries, such as how late the work is. They never wait behind a request.
    case upkeep
    /// The process's heartbeats, and nothing else. They get through whatever holds up the other lanes.
    case heartbeat
}
