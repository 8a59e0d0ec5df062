/// What a server does for the readers of events.
struct EventMetrics: Sendable {
    /// Events that were sent, to each reader of them.
    let sent: Int
    /// Since when nothing was read of what happens; zero while nobody reads.
    let lag: Duration
}
