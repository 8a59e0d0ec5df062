internal import EventLoop
internal import Glibc

/// A client's connection, and the current request on it. There is only one at a time, because the next request of a
/// pipeline is read only after the response.
///
/// `@unchecked Sendable`: it is accessed only on the loop's thread. The handler's task, which carries it to
/// ``HTTPServer/answer``, runs there too, and every use of it passes through `EventLoop.preconditionCurrent`.
final class ServerConnection: @unchecked Sendable {
    /// The state of the current request.
    enum Phase {
        /// No request has begun.
        case idle
        /// The head is arriving.
        case head
        /// The body is arriving.
        case body
        /// The handler is working, and nothing is read. Either the request is complete, or the handler reads the body
        /// itself and has not asked for it yet.
        case handling
        /// The handler reads the body as it arrives. Reading pauses while the handler has enough pending.
        case reading
        /// The rest of the body is read and discarded, so that the client gets to read the response.
        case discarding
        /// The response is partly sent, or its ``stream`` has nothing to send yet.
        case answering
        /// The socket is closed or has another owner.
        case closed
    }

    let descriptor: Int32
    let remoteAddress: String
    /// The index in the ``ConnectionTable``.
    var slot = 0
    var watch: Watch?
    var phase = Phase.idle
    /// The number of requests so far. It keeps a late response from going to a later request.
    var generation = 0
    var task: Task<Void, Never>?

    /// The bytes received but not yet parsed.
    private(set) var input: [UInt8] = []
    private var finder: RequestHeadFinder?
    var decoder = BodyDecoder(length: 0)
    var outgoing = Outgoing()
    /// The source of the body of the current response, if it is streamed.
    var stream: HTTPBodyWriter?
    /// The number of bytes that the stream must still supply; nil when the body is chunked or ends with the connection.
    var streamRemaining: Int?
    var isChunked = false
    private var onTheWay = 0

    var head: RequestHead?
    var bodyRule = HTTPBodyRule(maximum: 0)
    var expectsContinue = false
    /// Whether the connection closes after the response.
    var closes = false
    private(set) var body: [UInt8] = []
    /// The number of body bytes received.
    private(set) var bodySize = 0
    /// The number of bytes of a streamed body received since the client's progress was last checked.
    var progress = 0
    /// Whether the deadline is the end of an interval in which ``progress`` must reach the least that is required.
    var isTimedByProgress = false
    /// The reader of the body, if the handler reads it as it arrives.
    var reader: HTTPBodyReader?
    /// The response to send once the rest of the body has been discarded.
    var earlyAnswer: HTTPResponse?
    /// Whether the handler has yet to answer.
    var isInFlight = false
    /// Whether the response is sent while the client may still be sending its request.
    var isAheadOfClient = false
    var id = ""
    var receivedAt: Int64 = 0

    init(descriptor: Int32, remoteAddress: String) {
        self.descriptor = descriptor
        self.remoteAddress = remoteAddress
    }

    /// Whether more of a request may be received.
    var isReading: Bool {
        switch phase {
        case .idle, .head, .body, .discarding: true
        case .reading: reader?.isFull == false
        case .handling, .answering, .closed: false
        }
    }

    /// Whether input is available that was not read yet.
    var hasInput: Bool {
        if !input.isEmpty { return true }
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) > 0
    }

    /// Clears the request, which is over.
    func reset() {
        generation += 1
        phase = .idle
        task = nil
        finder = nil
        stream = nil
        head = nil
        body = []
        bodySize = 0
        progress = 0
        isTimedByProgress = false
        forgetReader()
        earlyAnswer = nil
        isInFlight = false
        isAheadOfClient = false
    }

    /// Ends the reading of the body.
    func forgetReader() {
        reader?.fail(.interrupted)
        reader = nil
    }

    // MARK: - Input

    func append(_ piece: UnsafeRawBufferPointer) {
        input.append(contentsOf: piece)
    }

    /// Removes the head of the next request from the input, once it has arrived completely.
    func takeHead(_ configuration: HTTPServerConfiguration) throws(HTTPRefusal) -> RequestHead? {
        var finder = self.finder ?? RequestHeadFinder(configuration)
        let bytes = input
        let found = bytes.withUnsafeBufferPointer { bytes in
            Result { () throws(HTTPRefusal) -> (head: RequestHead, end: Int)? in
                guard let end = try finder.end(in: bytes) else { return nil }
                let head = UnsafeBufferPointer(rebasing: bytes[finder.start..<end])
                return (try RequestHead(head, maximumURI: configuration.maximumURI), end)
            }
        }
        self.finder = finder
        guard let (head, end) = try found.get() else { return nil }
        forgetInput(end)
        return head
    }

    /// Passes the received part of the body to `take`.
    func takeBody(_ take: (UnsafeRawBufferPointer) -> Void) throws(HTTPRefusal) {
        let bytes = input
        let taken = bytes.withUnsafeBytes { bytes in
            Result { () throws(HTTPRefusal) -> Int in
                try decoder.decode(bytes) { piece in
                    bodySize += piece.count
                    progress += piece.count
                    take(piece)
                }
            }
        }
        forgetInput(try taken.get())
    }

    private func forgetInput(_ count: Int) {
        // Usually this is all of the input. Release its memory, because most connections are idle.
        if count == input.count { input = [] } else { input.removeFirst(count) }
    }

    /// Stores a piece of the body, unless the body is longer than allowed.
    func keep(_ piece: UnsafeRawBufferPointer) {
        if bodySize > bodyRule.maximum { body = [] } else { body.append(contentsOf: piece) }
    }

    /// Creates the request: complete, or with a reader if the handler reads the body.
    func request(_ head: RequestHead) -> HTTPRequest {
        HTTPRequest(
            method: head.method, path: head.target.path, queryText: head.target.query, headers: head.headers,
            body: body,
            reader: reader, remoteAddress: remoteAddress, id: id, receivedAt: receivedAt)
    }

    // MARK: - Progress of the client

    /// The number of bytes in the kernel that the client has not acknowledged.
    private var unacknowledged: Int {
        var count: Int32 = 0
        return ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : 0
    }

    /// Records how many bytes are on their way to the client.
    func noteSending() {
        onTheWay = unacknowledged
    }

    /// Records that the kernel has taken a whole response. Measuring what is on its way would be a system call for each request, and so
    /// the first call of ``isTakingTheRest()`` measures it.
    func noteAnswered() {
        onTheWay = .max
    }

    /// Whether part of the last response is still on its way, and less of it than at the last call of this function.
    func isTakingTheRest() -> Bool {
        hasTakenSomething() && onTheWay > 0
    }

    /// Whether the client has taken anything since ``noteSending()`` or the last call of this function. The server
    /// cannot tell from the socket's readiness: the kernel may hold much of a response. On a slow line, the socket
    /// becomes writable long after the client began to read. And the kernel holds the last bytes long before the client
    /// gets them.
    func hasTakenSomething() -> Bool {
        let before = onTheWay
        onTheWay = unacknowledged
        return onTheWay < before
    }
}

extension RequestHeadFinder {
    fileprivate init(_ configuration: HTTPServerConfiguration) {
        self.init(maximumURI: configuration.maximumURI, maximumHeader: configuration.maximumHeader)
    }
}
