internal import CMicroHTTPD
internal import Glibc

/// One client's connection, and the request that is under way on it: there is one at a time, since libmicrohttpd reads the
/// next of a pipeline only after the answer.
///
/// `@unchecked Sendable`: touched on the loop's thread only. The handler's task, which carries it to ``HTTPServer/answer``,
/// runs there too, and everything that uses it is reached through `EventLoop.preconditionCurrent`.
final class ServerConnection: @unchecked Sendable {
    /// Where the request under way stands.
    enum Phase {
        /// No first line has come.
        case idle
        /// The first line is in; the fields are coming.
        case head
        /// The body is coming, if there is one.
        case body
        /// The handler works on it, and libmicrohttpd has suspended the connection: at the end of the request, or at the end of its head
        /// where the handler reads the body and has not asked for it yet.
        case handling
        /// The handler reads the body while it comes; libmicrohttpd has suspended the connection while the handler has enough of it.
        case reading
        /// The rest of the body is read and thrown away, since libmicrohttpd takes an answer only before a body or after it.
        case discarding
        /// The answer is queued or partly sent; libmicrohttpd has suspended the connection while a ``stream`` has nothing for it. Or it
        /// goes out on an ``HTTPEventStream``, and libmicrohttpd is about to close what it has left.
        case answering
        /// The socket is closed; libmicrohttpd has forgotten the connection or is about to.
        case closed
    }

    let handle: OpaquePointer
    let descriptor: Int32
    let remoteAddress: String
    /// Its place in the ``ConnectionTable``.
    var slot = 0
    var phase = Phase.idle
    /// Counts the requests, so that a late answer does not become another request's.
    var generation = 0
    var task: Task<Void, Never>?
    /// Whether libmicrohttpd leaves the connection alone.
    var isSuspended = false
    private var onTheWay = 0
    /// Where the body of the answer comes from that is being sent, if it is made on the way.
    var stream: HTTPBodyWriter?

    var method = HTTPMethod.get
    var target = RequestTarget()
    var headers = HTTPHeaders()
    var bodyRule = HTTPBodyRule(maximum: 0)
    private(set) var body: [UInt8] = []
    /// Whether more of a body came than is taken; the rest of it is read and thrown away, as in ``Phase/discarding``.
    private(set) var isTooLarge = false
    /// Where the handler reads the body, if it does so while it comes.
    var reader: HTTPBodyReader?
    /// Whether the handler was started when the head was in, and libmicrohttpd has not gone on to the body yet.
    var isBeforeBody = false
    /// How many bytes of such a body have come.
    var bodySize = 0
    /// How many of them since the client's progress was last judged.
    var progress = 0
    /// What the handler said before the body had come to its end.
    var earlyAnswer: HTTPResponse?
    /// Whether the handler's answer is awaited.
    var isInHand = false
    /// Whether the answer goes out while the client may still be sending its body.
    var isAheadOfClient = false
    var id = ""
    var receivedAt: Int64 = 0

    init(handle: OpaquePointer) {
        self.handle = handle
        descriptor = microhttpd_descriptor(handle)
        remoteAddress = RemoteAddress.text(microhttpd_client_address(handle))
    }

    /// Ours, of libmicrohttpd's.
    static func of(_ handle: OpaquePointer) -> ServerConnection {
        guard let context = microhttpd_context(handle) else { preconditionFailure("libmicrohttpd lost a connection") }
        return Unmanaged<ServerConnection>.fromOpaque(context).takeUnretainedValue()
    }

    /// Whether something has come that libmicrohttpd has not read yet.
    var hasInput: Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) > 0
    }

    /// Whether libmicrohttpd waits for more of a request, or for the first one.
    var isComing: Bool {
        switch phase {
        case .head, .body, .reading, .discarding: !isSuspended
        case .idle: generation == 0
        case .handling, .answering, .closed: false
        }
    }

    /// Whether nothing more will come.
    var hasEnded: Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) == 0
    }

    /// Forgets the request, which is over.
    func reset() {
        generation += 1
        phase = .idle
        task = nil
        stream = nil
        headers = HTTPHeaders()
        body = []
        isTooLarge = false
        forgetReader()
        isBeforeBody = false
        bodySize = 0
        progress = 0
        earlyAnswer = nil
        isInHand = false
    }

    /// Nobody is to read the body any more.
    func forgetReader() {
        reader?.fail(.interrupted)
        reader = nil
    }

    /// How many bytes the kernel has of us that the client has not acknowledged.
    private var unacknowledged: Int {
        var count: Int32 = 0
        return ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : 0
    }

    /// Notes that `count` bytes more are on their way to the client.
    func noteSending(_ count: Int) {
        onTheWay = unacknowledged + count
    }

    /// Whether the client has taken something of what was streamed since ``noteSending(_:)``, or since this was last asked. The kernel
    /// takes megabytes at once, and asks for more only when a third of them is gone: on a slow line that is long after the client has
    /// begun to read, and the end is with the kernel long before the client has it.
    func hasTakenSomething() -> Bool {
        let before = onTheWay
        onTheWay = unacknowledged
        return onTheWay < before
    }

    /// The request, once it is whole, or its head where the body is read by the handler.
    var request: HTTPRequest {
        HTTPRequest(
            method: method, path: target.path, queryText: target.query, headers: headers, body: body, reader: reader,
            remoteAddress: remoteAddress, id: id, receivedAt: receivedAt)
    }

    /// Takes a piece of the body.
    func append(_ piece: UnsafeRawBufferPointer) {
        isTooLarge = isTooLarge || body.count + piece.count > bodyRule.maximum
        if isTooLarge { body = [] } else { body.append(contentsOf: piece) }
    }
}
