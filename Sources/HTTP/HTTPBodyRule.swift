/// The rule for the body of a request.
public struct HTTPBodyRule: Hashable, Sendable {
    /// The largest body in bytes. A longer one is refused, immediately if its length is declared, unless it is cut off.
    public var maximum: Int
    /// Whether the handler starts once the head has arrived, and reads the body from ``HTTPRequest/reader`` as it
    /// arrives. Otherwise the whole body is read first.
    public var isStreamed: Bool
    /// Whether a longer body is cut off instead of refused: the handler gets its first ``maximum`` bytes, and the rest
    /// is not read. It is for bodies that are not streamed.
    public var isCutOff: Bool

    /// Creates a rule from its parts.
    public init(maximum: Int, isStreamed: Bool = false, isCutOff: Bool = false) {
        self.maximum = maximum
        self.isStreamed = isStreamed
        self.isCutOff = isCutOff
    }
}
