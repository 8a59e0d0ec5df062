/// Why there is no rest of a body that was being read.
public enum HTTPBodyError: Error, Hashable, Sendable {
    /// The client is gone, sends too slowly or less than it said, or the server stops: nobody waits for an answer.
    case interrupted
    /// The body is longer than `limit` bytes.
    case tooLarge(limit: Int)
}
