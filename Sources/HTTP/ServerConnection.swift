internal import EventLoop
internal import Glibc

/// One client's connection, and the request that is under way on it: there is one at a time, since the next of a pipeline is read only after
/// the answer.
///
/// `@unchecked Sendable`: touched on the loop's thread only. The handler's task, which carries it to ``HTTPServer/answer``,
/// runs there too, and everything that uses it is reached through `EventLoop.preconditionCurrent`.
final class ServerConnection: @unchecked Sendable {
    /// Where the request under way stands.
    enum Phase {
        /// Nothing of a request has come.
        case idle
        /// Its head is coming.
        case head
        /// The body is coming.
        case body
        /// The handler works on it, and nothing is read: the request is whole, or the handler reads the body and has not asked for it yet.
        case handling
        /// The handler reads the body while it comes; nothing is read while the handler has enough of it.
        case reading
        /// The rest of the body is read and thrown away, so that the client comes to read the answer.
        case discarding
        /// The answer is partly sent, or its ``stream`` has nothing for it.
        case answering
        /// The socket is closed or another's.
        case closed
    }

    let descriptor: Int32
    let remoteAddress: String
    /// Its place in the ``ConnectionTable``.
    var slot = 0
    var watch: Watch?
    var phase = Phase.idle
    /// Counts the requests, so that a late answer does not become another request's.
    var generation = 0
    var task: Task<Void, Never>?

    /// What has come and is not taken yet.
    private(set) var input: [UInt8] = []
    private var finder: RequestHeadFinder?
    var decoder = BodyDecoder(length: 0)
    var outgoing = Outgoing()
    /// Where the body of the answer comes from that is being sent, if it is made on the way.
    var stream: HTTPBodyWriter?
    /// How many bytes of it are to come; nil where it goes out in chunks, or ends with the connection.
    var streamRemaining: Int?
    var isChunked = false
    private var onTheWay = 0

    var head: RequestHead?
    var bodyRule = HTTPBodyRule(maximum: 0)
    var expectsContinue = false
    /// Whether the connection is closed after the answer.
    var closes = false
    private(set) var body: [UInt8] = []
    /// How many bytes of the body have come.
    private(set) var bodySize = 0
    /// How many of a streamed one since the client's progress was last judged.
    var progress = 0
    /// Where the handler reads the body, if it does so while it comes.
    var reader: HTTPBodyReader?
    /// What is answered when the rest of the body has been thrown away.
    var earlyAnswer: HTTPResponse?
    /// Whether the handler's answer is awaited.
    var isInHand = false
    /// Whether the answer goes out while the client may still be sending its request.
    var isAheadOfClient = false
    var id = ""
    var receivedAt: Int64 = 0

    init(descriptor: Int32, remoteAddress: String) {
        self.descriptor = descriptor
        self.remoteAddress = remoteAddress
    }

    /// Whether more of a request may come.
    var isReading: Bool {
        switch phase {
        case .idle, .head, .body, .discarding: true
        case .reading: reader?.isFull == false
        case .handling, .answering, .closed: false
        }
    }

    /// Whether something has come that was not read yet.
    var hasInput: Bool {
        if !input.isEmpty { return true }
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) > 0
    }

    /// Forgets the request, which is over.
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
        forgetReader()
        earlyAnswer = nil
        isInHand = false
        isAheadOfClient = false
    }

    /// Nobody is to read the body any more.
    func forgetReader() {
        reader?.fail(.interrupted)
        reader = nil
    }

    // MARK: - What comes

    func append(_ piece: UnsafeRawBufferPointer) {
        input.append(contentsOf: piece)
    }

    /// Takes the head of the next request out of the input, once it has come whole.
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

    /// Gives what has come of the body to `take`.
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
        // All of it, mostly: the memory is given back, since most connections lie idle.
        if count == input.count { input = [] } else { input.removeFirst(count) }
    }

    /// Keeps a piece of the body, unless it is longer than may be.
    func keep(_ piece: UnsafeRawBufferPointer) {
        if bodySize > bodyRule.maximum { body = [] } else { body.append(contentsOf: piece) }
    }

    /// The request, once it is whole, or its head where the body is read by the handler.
    func request(_ head: RequestHead) -> HTTPRequest {
        HTTPRequest(
            method: head.method, path: head.target.path, queryText: head.target.query, headers: head.headers,
            body: body,
            reader: reader, remoteAddress: remoteAddress, id: id, receivedAt: receivedAt)
    }

    // MARK: - What the client takes

    /// How many bytes the kernel has of us that the client has not acknowledged.
    private var unacknowledged: Int {
        var count: Int32 = 0
        return ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : 0
    }

    /// Notes what is on its way to the client.
    func noteSending() {
        onTheWay = unacknowledged
    }

    /// Whether the client has taken something of what was sent since ``noteSending()``, or since this was last asked. The kernel may keep
    /// much of it, and asks for more only when a part of that is gone: on a slow line that is long after the client has begun to read, and
    /// the end is with the kernel long before the client has it.
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
