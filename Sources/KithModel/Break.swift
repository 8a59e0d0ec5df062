/// The local dates on which a sender has no pings.
public struct Break: Codable, Sendable, Hashable {
    /// The first date, as `YYYY-MM-DD` in the sender's time zone.
    public var from: String
    /// The last date, as `YYYY-MM-DD` in the sender's time zone.
    public var until: String

    /// Creates a break from one date to another, both included.
    public init(from: String, until: String) {
        self.from = from
        self.until = until
    }
}
