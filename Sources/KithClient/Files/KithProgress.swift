/// How much of a file has been sent or received.
public struct KithProgress: Sendable, Hashable {
    /// The bytes that are done.
    public let completed: Int64
    /// All bytes; nil while that is not known.
    public let total: Int64?

    /// From 0 to 1; nil while the total is not known.
    public var fraction: Double? {
        guard let total else { return nil }
        return total == 0 ? 1 : min(1, Double(completed) / Double(total))
    }
}
