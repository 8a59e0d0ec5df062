/// A request as the handler gets it: complete with its body, or with the ``reader`` of it.
public struct HTTPRequest: Sendable {
    /// What is to be done.
    public let method: HTTPMethod
    /// The path as the client wrote it, with its percent-escapes: only ASCII, beginning with `/` (or `*` for OPTIONS).
    ///
    /// Escapes are decoded segment by segment, by ``Router``: an escaped `/` in an id never makes another path of it.
    public let path: String
    /// What stands after the `?`, as the client wrote it; empty when there is none.
    public let queryText: String
    /// The fields.
    public let headers: HTTPHeaders
    /// The body; empty when there is none, and where there is a ``reader``.
    public let body: [UInt8]
    /// Where the body is read while it comes, if the server's ``HTTPBodyRule`` for the request says so.
    public let reader: HTTPBodyReader?
    /// The IP address of the other end of the socket, without a port. Behind a reverse proxy it is the proxy's.
    public let remoteAddress: String
    /// Names the request in logs and problem documents: the client's `X-Request-Id` if that is 1-64 of `A-Za-z0-9._-`,
    /// or else 16 hexadecimal digits made here. The answer carries it back.
    public let id: String
    /// When the head had arrived, in microseconds since 1970-01-01 UTC, by the machine's clock.
    public let receivedAt: Int64

    /// A request from its parts; the server makes them from the wire, tests by hand.
    public init(
        method: HTTPMethod, path: String, queryText: String = "", headers: HTTPHeaders = [:], body: [UInt8] = [],
        reader: HTTPBodyReader? = nil, remoteAddress: String = "127.0.0.1", id: String, receivedAt: Int64
    ) {
        self.method = method
        self.path = path
        self.queryText = queryText
        self.headers = headers
        self.body = body
        self.reader = reader
        self.remoteAddress = remoteAddress
        self.id = id
        self.receivedAt = receivedAt
    }

    /// The value of the first field of that name, in any case. For a field that is a list, ``HTTPHeaders/list(_:)`` has all of it.
    public func header(_ name: String) -> String? {
        headers[name]
    }

    /// The parameters after the `?`, decoded at each call, in order; a name may come several times.
    ///
    /// They are read as a form's (WHATWG URL, "application/x-www-form-urlencoded parsing"): `+` is a space, a broken
    /// escape stands for itself, and a parameter without `=` has an empty value.
    public var query: [(name: String, value: String)] {
        Self.fields(of: queryText.utf8)
    }

    /// The fields of a body that a page's form sent, decoded at each call, in the same way.
    public var form: [(name: String, value: String)] {
        Self.fields(of: body)
    }

    /// How many parameters are read: more than any call or form has. What stands behind them is taken for the value of none.
    private static let mostFields = 100

    private static func fields(of text: some Collection<UInt8>) -> [(name: String, value: String)] {
        text.split(separator: UInt8(ascii: "&"), maxSplits: mostFields).prefix(mostFields).map { field in
            let equals = field.firstIndex(of: UInt8(ascii: "=")) ?? field.endIndex
            return (
                PercentEncoding.decodeForm(field[..<equals]), PercentEncoding.decodeForm(field[equals...].dropFirst())
            )
        }
    }
}
