/// A request to another server: an HTTP request, or a mail over SMTP.
public struct Transfer: Sendable {
    /// The HTTP version to request.
    public enum HTTPVersion: Sendable {
        /// HTTP/1.1: one connection for each request in flight.
        case http11
        /// HTTP/2: many requests on one connection, if the server supports it.
        case http2
    }

    /// The URL: `https`, or for a mail `smtp` (with STARTTLS) or `smtps`.
    public var url: String
    /// The HTTP method.
    public var method: String
    /// The header fields of the request.
    public var headers: [(name: String, value: String)]
    /// The body of the request.
    public var body: [UInt8]
    /// The HTTP version to request.
    public var httpVersion: HTTPVersion
    /// How long the whole transfer may take. For an address that a tenant or a user gave, other than a mail server's,
    /// this is the usual 5 s. With more, that address could hold up the work of others.
    public var timeout: Duration
    /// How long the name look-up, the connection and the TLS handshake may take.
    public var connectTimeout: Duration
    /// The most bytes of the answer that are read. A longer answer is cut off there, which is not an error.
    public var maximumAnswer: Int
    /// Whether the address is an operator's, or the known one of a provider. All other addresses are subject to
    /// ``OutboundRules``.
    public var isTrusted: Bool
    /// The name of the pool of connections. Transfers of different pools never share a connection; nil is a pool too.
    /// In a named pool, all HTTP/2 requests to one host share one connection.
    public var pool: String?
    /// The mail, for a transfer over SMTP.
    public var mail: Mail?

    /// Creates a transfer from its parts.
    public init(
        url: String, method: String = "POST", headers: [(name: String, value: String)] = [], body: [UInt8] = [],
        httpVersion: HTTPVersion = .http11, timeout: Duration = .seconds(5), connectTimeout: Duration = .seconds(5),
        maximumAnswer: Int = 64 << 10, isTrusted: Bool = false, pool: String? = nil, mail: Mail? = nil
    ) {
        self.url = url
        self.method = method
        self.headers = headers
        self.body = body
        self.httpVersion = httpVersion
        self.timeout = timeout
        self.connectTimeout = connectTimeout
        self.maximumAnswer = maximumAnswer
        self.isTrusted = isTrusted
        self.pool = pool
        self.mail = mail
    }
}
