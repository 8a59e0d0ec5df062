/// The first line and the header fields of a response, as they are sent.
struct ResponseHead {
    /// How the body is delimited (RFC 9112 §6).
    enum Framing: Equatable {
        /// The status has no body (RFC 9110 §6.4.1).
        case none
        case length(Int)
        case chunked
        /// The body ends when the connection closes.
        case connection
    }

    private(set) var bytes: [UInt8] = []

    /// Creates the head of the response to request `id`, which is sent on `date`. `closes` says whether the connection
    /// closes after it.
    init(_ response: HTTPResponse, _ framing: Framing, date: String, id: String, closes: Bool) {
        bytes.reserveCapacity(512)
        bytes += "HTTP/1.1 ".utf8
        bytes += String(response.status.rawValue).utf8
        bytes += " ".utf8
        bytes += response.status.reason.utf8
        bytes += "\r\n".utf8
        add("Date".utf8, date.utf8)
        switch framing {
        case .length(let length): add("Content-Length".utf8, String(length).utf8)
        case .chunked: add("Transfer-Encoding".utf8, "chunked".utf8)
        case .none, .connection: break
        }
        if closes || framing == .connection { add("Connection".utf8, "close".utf8) }
        response.headers.forEachPacked { name, value in
            if !value.isEmpty { add(name, value) }
        }
        add("X-Request-Id".utf8, id.utf8)
        bytes += "\r\n".utf8
    }

    private mutating func add(_ name: some Sequence<UInt8>, _ value: some Sequence<UInt8>) {
        bytes += name
        bytes += ": ".utf8
        bytes += value
        bytes += "\r\n".utf8
    }
}
