/// A request as the handler gets it: with its complete body, or with a ``reader`` for it.
///
/// It is a class because a request passes through many functions. A copy of a structure would retain each of its
/// members.
public final class HTTPRequest: Sendable {
    /// The method.
    public let method: HTTPMethod
    /// The path as the client wrote it, with its percent-escapes. It is ASCII and begins with `/` (or is `*` for
    /// OPTIONS).
    ///
    /// ``Router`` decodes the escapes segment by segment, so that an escaped `/` in an id never makes a different path
    /// of it.
    public let path: String
    /// The query after the `?`, as the client wrote it; empty when there is none.
    public let queryText: String
    /// The header fields.
    public let headers: HTTPHeaders
    /// The body; empty when there is none, and when there is a ``reader``.
    public let body: [UInt8]
    /// The reader of the body, if the server's ``HTTPBodyRule`` for the request says that the handler reads it.
    public let reader: HTTPBodyReader?
    /// The IP address of the other end of the socket, without a port. Behind a reverse proxy it is the proxy's.
    public let remoteAddress: String
    /// The id of the request in logs and problem documents: the client's `X-Request-Id` if it is 1 to 64 characters of
    /// `A-Za-z0-9._-`, otherwise 16 hexadecimal digits that the server generates. The response repeats it.
    public let id: String
    /// The time at which the head had arrived, in microseconds since 1970-01-01 UTC, by the machine's clock.
    public let receivedAt: Int64

    /// Creates a request from its parts. The server makes requests from the wire, tests by hand.
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

    /// The value of the first field with this name, compared case-insensitively. For a field that is a list, use
    /// ``HTTPHeaders/list(_:)``.
    public func header(_ name: String) -> String? {
        headers[name]
    }

    /// A parameter of a query, or a field of a form.
    public struct Field: Sendable {
        /// The decoded name.
        public let name: String
        /// The decoded value.
        public let value: String
        /// Whether name and value are UTF-8. Otherwise U+FFFD stands for what is not.
        public let isUTF8: Bool
    }

    /// The parameters of the query, in order, decoded at each call. A name may occur several times.
    ///
    /// They are parsed like a form (WHATWG URL, "application/x-www-form-urlencoded parsing"): `+` is a space, an
    /// invalid escape stands for itself, and a parameter without `=` has an empty value.
    public var query: [Field] {
        Self.fields(of: queryText.utf8)
    }

    /// The fields of a body that a page's form sent, parsed in the same way at each call.
    public var form: [Field] {
        Self.fields(of: body)
    }

    /// The most parameters that are read, more than any call or form has. Those after them are ignored.
    private static let mostFields = 400

    private static func fields(of text: some Collection<UInt8>) -> [Field] {
        text.split(separator: UInt8(ascii: "&"), maxSplits: mostFields).prefix(mostFields).map { field in
            let equals = field.firstIndex(of: UInt8(ascii: "=")) ?? field.endIndex
            let name = PercentEncoding.decodeForm(field[..<equals])
            let value = PercentEncoding.decodeForm(field[equals...].dropFirst())
            return Field(name: name.text, value: value.text, isUTF8: name.isUTF8 && value.isUTF8)
        }
    }
}
