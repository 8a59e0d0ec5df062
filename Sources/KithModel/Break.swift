/// Local dates on which a sender has no pings.
public struct Break: Codable, Sendable, Hashable {
    /// The first date, as `YYYY-MM-DD` in the sender's zone.
    public var from: String
    /// The last date.
    public var until: String

    /// A break from one date until another, both without pings.
    public init(from: String, until: String) {
        self.from = from
        self.until = until
    }
}
