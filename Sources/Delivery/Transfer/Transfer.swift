/// A request to another server: of HTTP, or a mail for SMTP.
public struct Transfer: Sendable {
    /// The versions of HTTP that are asked for.
    public enum HTTPVersion: Sendable {
        /// A connection for each request that is under way.
        case http11
        /// Many requests on one connection, where the other side can do it.
        case http2
    }

    /// Where it goes: `https`, or for a mail `smtp` (with STARTTLS) or `smtps`.
    public var url: String
    /// The method of HTTP.
    public var method: String
    /// The fields of the request's head.
    public var headers: [(name: String, value: String)]
    /// What is sent.
    public var body: [UInt8]
    /// The version of HTTP.
    public var httpVersion: HTTPVersion
    /// How long all of it may take. An address that a tenant or a user gave gets the usual 5 s, a mail server excepted: whoever gave it could
    /// otherwise keep what others wait for.
    public var timeout: Duration
    /// How long looking up the name, connecting and agreeing on a cipher may take.
    public var connectTimeout: Duration
    /// How many bytes of the answer are read; it is cut there, which is no failure.
    public var maximumAnswer: Int
    /// Whether the address is an operator's or a provider's known one. One that a tenant gave is held to ``OutboundRules``.
    public var isTrusted: Bool
    /// Transfers of different pools never share a connection; nil is a pool too. In one with a name all that go to a host over HTTP/2 share
    /// the same.
    public var pool: String?
    /// For whom a mail is.
    public var mail: MailEnvelope?

    /// A transfer from its parts.
    public init(
        url: String, method: String = "POST", headers: [(name: String, value: String)] = [], body: [UInt8] = [],
        httpVersion: HTTPVersion = .http11, timeout: Duration = .seconds(5), connectTimeout: Duration = .seconds(5),
        maximumAnswer: Int = 64 << 10, isTrusted: Bool = false, pool: String? = nil, mail: MailEnvelope? = nil
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
