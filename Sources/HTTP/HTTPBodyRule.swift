/// What the body of a request may be.
public struct HTTPBodyRule: Hashable, Sendable {
    /// How many bytes it has at most. A longer one is refused: at once when its length is declared.
    public var maximum: Int
    /// Whether the handler starts when the head is in, and reads the body from ``HTTPRequest/reader`` while it comes. A body that is not
    /// streamed is read whole first.
    public var isStreamed: Bool

    /// A rule from its parts.
    public init(maximum: Int, isStreamed: Bool = false) {
        self.maximum = maximum
        self.isStreamed = isStreamed
    }
}
