/// A response.
///
/// The server writes `Date`, `Content-Length`, `Transfer-Encoding`, `Connection` and `X-Request-Id`. A HEAD request
/// gets the same fields as a GET request, and no body.
public struct HTTPResponse: Sendable {
    /// The status.
    public var status: HTTPStatus
    /// The header fields to send.
    public var headers: HTTPHeaders
    /// The body. It is not sent with a status that has none (204, 304).
    public var body: HTTPBody

    /// Creates a response with a body in memory.
    public init(_ status: HTTPStatus, headers: HTTPHeaders = [:], body: [UInt8] = []) {
        self.init(status, headers: headers, body: .bytes(body))
    }

    /// Creates a response from its parts.
    public init(_ status: HTTPStatus, headers: HTTPHeaders = [:], body: HTTPBody) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
