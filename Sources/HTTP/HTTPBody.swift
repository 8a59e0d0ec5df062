/// The body of an answer.
public enum HTTPBody: Sendable {
    /// Bytes that are at hand.
    case bytes([UInt8])
    /// Bytes that `produce` makes while the client reads them, as fast as it does. Where `length` is not given, the body goes out
    /// in chunks. A producer that throws, or that writes less than `length`, breaks the connection off, so that the client knows
    /// that something is missing; what it writes beyond `length` is dropped.
    ///
    /// The producer starts when the client can take the first bytes, so never for HEAD. It runs on the loop's thread, and its task is
    /// cancelled when the client is gone, takes too long, or the server stops.
    case stream(length: Int?, produce: @Sendable (HTTPBodyWriter) async throws -> Void)
    /// Bytes that are sent whenever there are some, for as long as the client reads them, and that fall behind it only so far.
    ///
    /// `begin` is called once the head is sent, on the loop's thread; never for HEAD, and never when the client or the server is gone by
    /// then. The connection is the stream's from then on and ends with it: it is not among those of the server any more, and none of its
    /// time-outs hold. Not for a request whose body the handler reads: that client is closed without an answer.
    case events(begin: @Sendable (HTTPEventStream) -> Void)
}
