/// Why the server answers a request itself, without the handler.
public enum HTTPRefusal: Error, Hashable, Sendable {
    /// The body is, or is declared to be, longer than `limit` bytes.
    case bodyTooLarge(limit: Int)
    /// The fields take more than `limit` bytes together.
    case headersTooLarge(limit: Int)
    /// The request target is longer than `limit` bytes.
    case uriTooLong(limit: Int)
    /// The request breaks a rule of HTTP; the reason is for the client's author and has nothing of the request in it.
    case malformed(reason: String)
    /// The body comes in a transfer coding other than `chunked` (RFC 9112, section 6.1).
    case unsupportedTransferCoding
    /// The request is in another version of HTTP than 1.0 or 1.1 (RFC 9110, section 15.6.6).
    case unsupportedVersion
    /// The request expects something other than `100-continue` (RFC 9110, section 10.1.1).
    case unsupportedExpectation
    /// The handler did not answer in time; what it may still say is dropped.
    case timedOut
    /// The bodies of other requests take all the memory that there is for them.
    case overloaded
    /// The server stops, and the time to answer what it had accepted is over.
    case stopping

    /// The status that belongs to it.
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
