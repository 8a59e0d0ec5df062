/// What a server does for the readers of events.
struct EventMetrics: Sendable {
    /// Events that were sent, to each reader of them.
    let sent: Int
    /// Since when there was nothing more to read: seconds, unless the database cannot be asked or a transaction that has been under way
    /// for long holds everything up. Zero while nobody reads.
    let lag: Duration
}
