/// Which of a pool's sets of connections a statement runs on. They differ because one connection runs one
/// statement at a time, in the order in which they were sent: what is slow must not stand in front of what is quick.
public enum PostgresLane: Int, CaseIterable, Sendable {
    /// Short statements that write nothing: few connections, deep pipelines.
    case reads
    /// Short statements that commit: each waits for the disk, so more connections, one or two statements in each.
    case writes
    /// Statements that may take seconds: one at a time on a connection, cancelled when their time is over.
    case slow
    /// Statements with large values, such as a document's chunks: not in front of anything small, and on few connections, each of which
    /// keeps buffers of their size.
    case bulk
    /// Transactions of several statements: each has a connection to itself until it ends.
    case transactions
    /// Reading what has happened, for those who listen: many times a second, and never behind anybody's request.
    case events
    /// What the process asks for itself, such as how late things are. Never behind anybody's request.
    case upkeep
    /// The process's signs of life, and nothing else: whatever holds up every other lane, they get through.
    case heartbeat
}
