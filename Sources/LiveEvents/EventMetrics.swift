/// Metrics of a server's event streams.
package struct EventMetrics: Sendable {
    /// The number of events sent, counted once for each reader.
    package let sent: Int
    /// How long ago the horizon last advanced. It is a few seconds, unless the database cannot be reached or a long transaction holds the
    /// horizon back. Zero while nobody reads.
    package let lag: Duration
}
