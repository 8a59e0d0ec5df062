/// The body of a response.
public enum HTTPBody: Sendable {
    /// Bytes in memory.
    case bytes([UInt8])
    /// Bytes that `produce` makes at the pace at which the client reads them. Without `length`, the body is sent in
    /// chunks. If the producer throws, or writes less than `length`, the connection is closed early, so that the client
    /// knows that the body is incomplete. Bytes beyond `length` are dropped.
    ///
    /// The producer starts when the client can take the first bytes, so it never runs for HEAD. It runs on the loop's
    /// thread. Its task is cancelled when the client is gone or too slow, or when the server stops.
    case stream(length: Int?, produce: @Sendable (HTTPBodyWriter) async throws -> Void)
    /// Bytes that are sent whenever they occur, for as long as the client reads them and does not fall too far behind.
    ///
    /// `begin` is called on the loop's thread once the head is sent. It is not called for HEAD, nor when the client or
    /// the server is gone by then. From then on the connection belongs to the stream and ends with it. It no longer
    /// counts as one of the server's connections, and none of the server's timeouts apply to it. Not for a request
    /// whose body the handler reads: such a client is closed without an answer.
    case events(begin: @Sendable (HTTPEventStream) -> Void)
}
