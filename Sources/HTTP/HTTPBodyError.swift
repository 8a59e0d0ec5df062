/// Why the rest of a request body did not arrive.
public enum HTTPBodyError: Error, Hashable, Sendable {
    /// The client is gone, sends too slowly or sent less than it declared, or the server stops. Nobody waits for an
    /// answer.
    case interrupted
    /// The body is longer than `limit` bytes.
    case tooLarge(limit: Int)
}
