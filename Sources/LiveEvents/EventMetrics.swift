/// Metrics of a server's event streams.
package struct EventMetrics: Sendable {
    /// The number of events sent, counted once for each reader.
    package private(set) var sent: Int
    /// How long ago the horizon last advanced. It is a few seconds, unless the database cannot be reached or a long
    /// transaction holds the horizon back. Zero while nobody reads.
    package private(set) var lag: Duration

    /// Adds the metrics of another loop's streams.
    package static func += (total: inout EventMetrics, other: EventMetrics) {
        total.sent += other.sent
        total.lag = max(total.lag, other.lag)
    }
}
