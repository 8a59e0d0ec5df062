/// Why the server answers a request itself, without the handler.
public enum HTTPRefusal: Error, Hashable, Sendable {
    /// The body is longer than `limit` bytes, or is declared to be.
    case bodyTooLarge(limit: Int)
    /// The header fields are longer than `limit` bytes in all.
    case headersTooLarge(limit: Int)
    /// The request target is longer than `limit` bytes.
    case uriTooLong(limit: Int)
    /// The request violates HTTP. The reason is meant for the client's author, and quotes nothing of the request.
    case malformed(reason: String)
    /// The body has a transfer coding other than `chunked` (RFC 9112 §6.1).
    case unsupportedTransferCoding
    /// The HTTP version of the request is neither 1.0 nor 1.1 (RFC 9110 §15.6.6).
    case unsupportedVersion
    /// The request expects something other than `100-continue` (RFC 9110 §10.1.1).
    case unsupportedExpectation
    /// The handler did not answer in time. A later answer of the handler is dropped.
    case timedOut
    /// The bodies of other requests take all the memory that is available for bodies.
    case overloaded
    /// The server is stopping, and the time to answer accepted requests is over.
    case stopping

    /// The status of the response.
    public var status: HTTPStatus {
        switch self {
        case .bodyTooLarge: .contentTooLarge
        case .headersTooLarge: .headerFieldsTooLarge
        case .uriTooLong: .uriTooLong
        case .malformed: .badRequest
        case .unsupportedTransferCoding: .notImplemented
        case .unsupportedVersion: .httpVersionNotSupported
        case .unsupportedExpectation: .expectationFailed
        case .timedOut, .overloaded, .stopping: .serviceUnavailable
        }
    }
}
