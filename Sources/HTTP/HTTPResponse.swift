/// An answer.
///
/// `Date`, `Content-Length`, `Transfer-Encoding`, `Connection` and `X-Request-Id` are the server's to write; a request with HEAD gets
/// the same fields as with GET, and no body.
public struct HTTPResponse: Sendable {
    /// How it went.
    public var status: HTTPStatus
    /// The fields, as they are sent.
    public var headers: HTTPHeaders
    /// The body; not sent with a status that has none (204, 304).
    public var body: HTTPBody

    /// An answer whose body is at hand.
    public init(_ status: HTTPStatus, headers: HTTPHeaders = [:], body: [UInt8] = []) {
        self.init(status, headers: headers, body: .bytes(body))
    }

    /// An answer from its parts.
    public init(_ status: HTTPStatus, headers: HTTPHeaders = [:], body: HTTPBody) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
