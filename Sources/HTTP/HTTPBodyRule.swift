/// The rule for the body of a request.
public struct HTTPBodyRule: Hashable, Sendable {
    /// The largest body in bytes. A longer one is refused, immediately if its length is declared.
    public var maximum: Int
    /// Whether the handler starts once the head has arrived, and reads the body from ``HTTPRequest/reader`` as it
    /// arrives. Otherwise the whole body is read first.
    public var isStreamed: Bool

    /// Creates a rule from its parts.
    public init(maximum: Int, isStreamed: Bool = false) {
        self.maximum = maximum
        self.isStreamed = isStreamed
    }
}
