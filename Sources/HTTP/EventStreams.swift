internal import EventLoop
internal import Glibc

/// The clients of a server that read events.
///
/// Confined to the loop's thread: only the server of that loop has it.
final class EventStreams {
    private let loop: EventLoop
    private var streams: [Int32: HTTPEventStream] = [:]
    /// A socket that is never connected; -1 until it is needed.
    private var placeholder: Int32 = -1

    init(loop: EventLoop) {
        self.loop = loop
    }

    deinit {
        if placeholder >= 0 { close(placeholder) }
    }

    var count: Int { streams.count }

    /// Takes a client over from libmicrohttpd, sends it the head of `response`, and gives the stream to `begin`. Afterwards libmicrohttpd
    /// is to close the connection, of which it has only the placeholder.
    ///
    /// Does nothing where the handler reads the request's body, or when there are no descriptors left: the client is then closed without an
    /// answer.
    func begin(_ connection: ServerConnection, _ response: HTTPResponse, _ begin: (HTTPEventStream) -> Void) {
        guard !connection.bodyRule.isStreamed, let descriptor = takeSocket(of: connection) else { return }
        let stream = HTTPEventStream(loop: loop, owning: descriptor) { [unowned self] in streams[$0.descriptor] = nil }
        streams[descriptor] = stream
        if stream.send(Self.head(of: response, id: connection.id)) { begin(stream) }
    }

    /// Ends all of them.
    func endAll() {
        for stream in Array(streams.values) { stream.end() }
    }

    /// The socket under another number. Under its own the placeholder is put, which libmicrohttpd may shut down, read and close.
    private func takeSocket(of connection: ServerConnection) -> Int32? {
        // Only then it has left libmicrohttpd's epoll. There it would stay, under a number by which libmicrohttpd cannot take it out
        // any more, and so would end the program.
        precondition(connection.isSuspended, "a connection is taken over while it is suspended")
        if placeholder < 0 {
            placeholder = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        }
        let taken = fcntl(connection.descriptor, F_DUPFD_CLOEXEC, 0)
        guard taken >= 0, placeholder >= 0, dup2(placeholder, connection.descriptor) >= 0 else {
            if taken >= 0 { close(taken) }
            return nil
        }
        return taken
    }

    /// The head of an answer that ends with its connection (RFC 9112, section 6.3): an HTTP/1.0 client reads it as well.
    private static func head(of response: HTTPResponse, id: String) -> [UInt8] {
        var head = Array("HTTP/1.1 \(response.status) \(response.status == .ok ? "OK" : "")\r\n".utf8)
        func add(_ name: some Sequence<UInt8>, _ value: some Sequence<UInt8>) {
            head += name
            head += ": ".utf8
            head += value
            head += "\r\n".utf8
        }
        add("Date".utf8, HTTPDate.text(at: time(nil)).utf8)
        add("Connection".utf8, "close".utf8)
        response.headers.forEachPacked { name, value in add(name, value) }
        add("X-Request-Id".utf8, id.utf8)
        return head + "\r\n".utf8
    }
}
