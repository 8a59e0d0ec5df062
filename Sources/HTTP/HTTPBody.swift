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
}
