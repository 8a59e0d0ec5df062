public import EventLoop
internal import Glibc

/// An HTTP/1.1 server on an event loop: reads requests, whole or as far as the handler wants them, hands each to the handler, and writes its
/// answer, whole or as it is made.
///
/// ``RequestHead`` and ``BodyDecoder`` read the wire, ``RequestRules`` decide what is refused, and every time-out is kept here. Requests of one
/// connection are answered in order.
///
/// `@unchecked Sendable`: touched on the loop's thread only. The loop's callbacks come there, the handler's tasks run there, and the public
/// functions check it.
public final class HTTPServer: @unchecked Sendable {
    private let loop: EventLoop
    private let configuration: HTTPServerConfiguration
    private let refusal: @Sendable (HTTPRefusal, _ requestID: String) -> HTTPResponse
    private let handler: @Sendable (HTTPRequest) async -> HTTPResponse
    private let rules: RequestRules

    /// How far the server has come in its life, which it lives once.
    private enum Stage: Comparable {
        case made, serving, draining, stopping, stopped
    }

    private var stage = Stage.made
    private var listener: Listener?
    private var hook: LoopHook?
    private var table = ConnectionTable()
    /// How many connections each address has, where that is limited.
    private var perAddress: [String: Int] = [:]
    private var identifiers = RequestIdentifiers()
    /// Those that can go on without an event of the socket: more of an answer is there, or a request was read ahead.
    private var resumed: [ServerConnection] = []
    private var counts = HTTPServerMetrics()
    /// How many bytes of bodies are kept, of all connections.
    private var keptBytes = 0
    private let lingering = LingeringCloses()
    private let streams: EventStreams
    /// What is received goes through here, and what is streamed.
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

    /// How many bytes the size and the ends of a chunk take at most, half of them before it.
    private static let chunkFraming = 32
    /// How exactly time-outs are kept.
    private static let sweepInterval = Duration.milliseconds(250)

    /// A server that hands requests to `handler`, and asks `refusal` how to say what it refuses itself.
    public init(
        loop: EventLoop, configuration: HTTPServerConfiguration,
        refusal: @escaping @Sendable (HTTPRefusal, _ requestID: String) -> HTTPResponse,
        handler: @escaping @Sendable (HTTPRequest) async -> HTTPResponse
    ) {
        self.loop = loop
        self.configuration = configuration
        self.refusal = refusal
        self.handler = handler
        rules = RequestRules(configuration: configuration)
        streams = EventStreams(loop: loop)
    }

    deinit {
        buffer.deallocate()
    }

    /// Listens and begins to answer. From here on the loop keeps the server, until it is drained; it cannot be started again.
    ///
    /// - Returns: the address, with the port that the system chose where the configuration says 0.
    /// - Throws: ``HTTPServerError`` when the address is taken or is not this machine's.
    public func start() throws(HTTPServerError) -> ListenAddress {
        loop.preconditionCurrent()
        precondition(stage == .made, "an HTTP server is started once")
        let (descriptor, address) = try configuration.address.listen()
        stage = .serving
        // These keep the server. Nothing here is weak: one weak reference would make each of the many retains of a request take the slow way
        // through a side table.
        listener = Listener(descriptor, loop: loop) { self.acceptClients() }
        hook = loop.beforeWaiting { self.goOnWithResumed() }
        loop.schedule(after: Self.sweepInterval) { self.sweep() }
        return address
    }

    /// What the server is doing.
    public var metrics: HTTPServerMetrics {
        loop.preconditionCurrent()
        var now = counts
        now.openConnections = table.count
        now.eventStreams = streams.count
        return now
    }

    /// Takes no more connections, ends those on which events are sent, answers every request that has arrived, and stops: at the latest
    /// after `timeout`, when what is still being handled gets the refusal `.stopping` and its task is cancelled. Further calls do nothing.
    public func drain(within timeout: Duration) async {
        loop.preconditionCurrent()
        guard stage == .serving, let listener else { return }
        // Those that wait in the kernel's queue believe that they are connected, and have perhaps sent a request; closing the socket that
        // listens would reset them.
        for _ in 0..<Int(SOMAXCONN) where listener.hasWaiting && hasRoom { acceptClients() }
        stage = .draining
        listener.end()
        self.listener = nil
        streams.endAll()
        let end = loop.now + timeout
        while !table.isEmpty && loop.now < end {
            for connection in table.connections where connection.phase == .idle && !connection.hasInput {
                close(connection)
            }
            try? await loop.sleep(for: .milliseconds(5))
        }
        stop()
    }

    private func stop() {
        stage = .stopping
        for connection in table.connections {
            switch connection.phase {
            case .handling:
                connection.task?.cancel()
                answer(refusal(.stopping, connection.id), connection, connection.generation)
            case .idle, .head, .body:
                // What has come whole is told so.
                receive(connection)
            case .reading, .discarding: breakOff(connection)
            case .answering, .closed: break
            }
        }
        for connection in table.connections { close(connection) }
        hook?.cancel()
        hook = nil
        resumed = []
        lingering.endAll()
        stage = .stopped
    }

    // MARK: - Connections

    private var hasRoom: Bool { table.count < configuration.maximumConnections }

    private func acceptClients() {
        guard let listener else { return }
        listener.accept(while: { hasRoom }) { descriptor, address in
            if let maximum = configuration.maximumConnectionsPerAddress {
                guard perAddress[address, default: 0] < maximum else {
                    Glibc.close(descriptor)
                    return
                }
                perAddress[address, default: 0] += 1
            }
            let connection = ServerConnection(descriptor: descriptor, remoteAddress: address)
            table.insert(connection, until: loop.now + configuration.requestTimeout)
            waitFor(.readable, connection)
        }
        if !hasRoom { listener.pause() }
    }

    /// Has the loop tell when the socket of a connection is ready.
    private func waitFor(_ interest: Interest, _ connection: ServerConnection) {
        if let watch = connection.watch {
            watch.update(interest)
        } else if !interest.isEmpty {
            connection.watch = loop.watch(connection.descriptor, for: interest) {
                [unowned self, unowned connection] ready in isReady(connection, for: ready)
            }
        }
    }

    private func isReady(_ connection: ServerConnection, for ready: Interest) {
        if !connection.outgoing.isEmpty {
            if ready.contains(.writable) { goOnSending(connection) }
        } else if connection.isReading {
            receive(connection)
        } else {
            // The next request is read after the answer to this one. What comes all the same is that the client is gone: the kernel would
            // go on saying so until the answer meets it.
            if ready == [.readable, .writable] {
                connection.watch?.cancel()
                connection.watch = nil
            } else {
                waitFor([], connection)
            }
        }
    }

    /// Removes a connection, whose socket is then nobody's.
    private func forget(_ connection: ServerConnection) {
        connection.watch?.cancel()
        connection.watch = nil
        table.remove(connection)
        if configuration.maximumConnectionsPerAddress != nil {
            let left = perAddress[connection.remoteAddress, default: 1] - 1
            perAddress[connection.remoteAddress] = left == 0 ? nil : left
        }
        if connection.isInHand { counts.requestsInFlight -= 1 }
        let stream = connection.stream
        let isAheadOfClient = connection.isAheadOfClient
        reset(connection)
        connection.phase = .closed
        connection.isAheadOfClient = isAheadOfClient
        stream?.abandon()
        listener?.goOn()
    }

    private func close(_ connection: ServerConnection) {
        guard connection.phase != .closed else { return }
        forget(connection)
        if connection.isAheadOfClient, stage < .stopping {
            lingering.add(connection.descriptor, on: loop)
        } else {
            Glibc.close(connection.descriptor)
        }
    }

    /// Ends a request in whose body no answer can be given.
    private func breakOff(_ connection: ServerConnection) {
        connection.task?.cancel()
        connection.isAheadOfClient = false
        close(connection)
    }

    // MARK: - Reading

    private func receive(_ connection: ServerConnection) {
        let count = recv(connection.descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
        guard count > 0 else {
            if count < 0 && (errno == EAGAIN || errno == EINTR) { return }
            return close(connection)
        }
        if connection.phase == .idle { begin(connection) }
        connection.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        read(connection)
    }

    /// The first bytes of a request are in.
    private func begin(_ connection: ServerConnection) {
        connection.phase = .head
        // A connection's first request has its time from the opening on, so that a byte now and then gains nothing.
        if connection.generation > 0 { table.extend(connection, until: loop.now + configuration.requestTimeout) }
    }

    /// Takes what has come as far as it belongs to the request under way.
    private func read(_ connection: ServerConnection) {
        do throws(HTTPRefusal) {
            if connection.phase == .head {
                guard let head = try connection.takeHead(configuration) else { return }
                try receivedHead(head, connection)
            }
            if connection.phase == .body || connection.isReading && connection.phase != .idle {
                try readBody(connection)
            }
        } catch {
            refuse(error, connection)
        }
    }

    private func receivedHead(_ head: RequestHead, _ connection: ServerConnection) throws(HTTPRefusal) {
        connection.receivedAt = loop.clock.now
        connection.head = head
        if let id = head.headers["X-Request-Id"], RequestIdentifiers.isAcceptable(id) {
            connection.id = id
        } else {
            connection.id = identifiers.next()
        }
        connection.bodyRule = configuration.rule(for: head.method, head.target.path)
        let framing = try rules.framing(of: head, maximumBody: connection.bodyRule.maximum)
        connection.decoder = framing.body
        connection.expectsContinue = framing.expectsContinue && !framing.body.isDone
        connection.closes = framing.closes
        connection.phase = .body
        guard connection.bodyRule.isStreamed else { return askForBody(connection) }
        if stage == .stopping { throw .stopping }
        connection.reader = HTTPBodyReader(loop: loop) { [unowned self, unowned connection] in readOn(connection) }
        handle(connection)
    }

    /// Asks a client that waits for that to send the body.
    private func askForBody(_ connection: ServerConnection) {
        guard connection.expectsContinue else { return }
        connection.expectsContinue = false
        guard connection.input.isEmpty else { return }
        connection.outgoing = Outgoing(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
        goOnSending(connection)
    }

    private func readBody(_ connection: ServerConnection) throws(HTTPRefusal) {
        try connection.takeBody { piece in
            switch connection.phase {
            case .body: keep(piece, connection)
            case .reading: connection.reader?.append(piece)
            default: break
            }
        }
        guard keptBytes <= configuration.maximumBodies || connection.body.count <= configuration.smallBody else {
            throw .overloaded
        }
        let limit = connection.bodyRule.maximum
        if connection.bodySize > limit, let reader = connection.reader {
            connection.phase = .discarding
            connection.reader = nil
            reader.fail(.tooLarge(limit: limit))
        }
        if connection.decoder.isDone { return receivedBody(connection) }
        // Twice as much is read of what nobody wants. Then the answer comes in the middle, and few clients see it.
        if connection.bodySize > 2 * limit { return breakOffOversized(connection) }
        guard connection.isReading else {
            table.extend(connection, until: loop.now + configuration.handlerTimeout)
            return waitFor([], connection)
        }
    }

    private func keep(_ piece: UnsafeRawBufferPointer, _ connection: ServerConnection) {
        keptBytes -= connection.body.count
        connection.keep(piece)
        keptBytes += connection.body.count
    }

    /// Forgets the request of a connection, which is over.
    private func reset(_ connection: ServerConnection) {
        keptBytes -= connection.body.count
        connection.reset()
    }

    private func breakOffOversized(_ connection: ServerConnection) {
        guard connection.phase == .discarding else {
            return refuse(.bodyTooLarge(limit: connection.bodyRule.maximum), connection)
        }
        breakOff(connection)
    }

    private func receivedBody(_ connection: ServerConnection) {
        switch connection.phase {
        case .body where connection.bodySize > connection.bodyRule.maximum:
            counts.refusals += 1
            send(refusal(.bodyTooLarge(limit: connection.bodyRule.maximum), connection.id), connection)
        case .body where stage == .stopping: refuse(.stopping, connection)
        case .body: handle(connection)
        case .discarding:
            if let answer = connection.earlyAnswer {
                send(answer, connection)
            } else {
                awaitHandler(connection)
            }
        default:
            awaitHandler(connection)
            connection.reader?.end()
        }
    }

    /// The request is read, and the handler is not done with it.
    private func awaitHandler(_ connection: ServerConnection) {
        connection.phase = .handling
        table.extend(connection, until: loop.now + configuration.handlerTimeout)
    }

    // MARK: - A body that the handler reads while it comes

    /// Lets the client go on, once the handler has taken what there was, or asks for the body at all.
    private func readOn(_ connection: ServerConnection) {
        guard connection.phase == .handling || connection.phase == .reading else { return }
        connection.phase = .reading
        awaitProgress(connection)
        askForBody(connection)
        // Not here: the handler is in the middle of asking.
        goOnSoon(connection)
    }

    private func awaitProgress(_ connection: ServerConnection) {
        connection.progress = 0
        table.extend(connection, until: loop.now + configuration.bodyTimeout)
    }

    // MARK: - Answering

    private func handle(_ connection: ServerConnection) {
        guard let head = connection.head else { return }
        connection.phase = .handling
        connection.isInHand = true
        table.extend(connection, until: loop.now + configuration.handlerTimeout)
        counts.requests += 1
        counts.requestsInFlight += 1
        let request = connection.request(head)
        let generation = connection.generation
        connection.task = loop.spawn { [self, handler] in
            answer(await handler(request), connection, generation)
        }
    }

    /// Gives a connection its answer, in the middle of a body as soon as that is over; drops an answer that comes too late.
    private func answer(_ response: HTTPResponse, _ connection: ServerConnection, _ generation: Int) {
        guard connection.isInHand, connection.generation == generation else { return }
        counts.requestsInFlight -= 1
        connection.isInHand = false
        let hasAsked = connection.phase != .handling
        connection.forgetReader()
        guard !hasAsked || stage == .stopping else {
            connection.phase = .discarding
            connection.earlyAnswer = response
            awaitProgress(connection)
            return goOnSoon(connection)
        }
        // The body was not asked for, or is not read to its end.
        if !connection.decoder.isDone {
            connection.closes = true
            connection.isAheadOfClient = true
        }
        send(response, connection)
    }

    /// Answers a request that breaks a rule. Where the next one begins is not certain then.
    private func refuse(_ reason: HTTPRefusal, _ connection: ServerConnection) {
        counts.refusals += 1
        if connection.isInHand {
            counts.requestsInFlight -= 1
            connection.isInHand = false
            connection.task?.cancel()
            connection.forgetReader()
        }
        if connection.head == nil { connection.id = identifiers.next() }
        connection.closes = true
        connection.isAheadOfClient = true
        send(refusal(reason, connection.id), connection)
    }

    private func send(_ response: HTTPResponse, _ connection: ServerConnection) {
        guard (100...999).contains(response.status.rawValue) else { return breakOff(connection) }
        connection.phase = .answering
        if stage > .serving { connection.closes = true }
        let isHead = connection.head?.method == .head
        switch response.body {
        case .events(let begin) where !isHead:
            guard stage == .serving else { return refuse(.stopping, connection) }
            guard connection.decoder.isDone else { return breakOff(connection) }
            let head = ResponseHead(response, .connection, id: connection.id, closes: true)
            forget(connection)
            streams.begin(on: connection.descriptor, head, begin)
        case .bytes(let bytes):
            let hasBody = response.status.hasBody
            begin(response, hasBody ? .length(bytes.count) : .none, hasBody && !isHead ? bytes : [], connection)
        case .stream(let length, let produce):
            let framing = Self.framing(length, isHead: isHead, connection.head)
            if response.status.hasBody, !isHead, length != 0 {
                connection.stream = HTTPBodyWriter(loop: loop, produce: produce) { [unowned self, unowned connection] in
                    guard connection.phase == .answering else { return }
                    table.extend(connection, until: loop.now + configuration.idleTimeout)
                    goOnSoon(connection)
                }
                connection.streamRemaining = length
                connection.isChunked = framing == .chunked
            }
            begin(response, response.status.hasBody ? framing : .none, [], connection)
        case .events:
            begin(response, .connection, [], connection)
        }
    }

    /// A body whose length nobody knows goes out in chunks, but not to a client that knows none, and not to HEAD.
    private static func framing(_ length: Int?, isHead: Bool, _ head: RequestHead?) -> ResponseHead.Framing {
        if let length { return .length(length) }
        return isHead || head?.isVersion11 != true ? .connection : .chunked
    }

    private func begin(
        _ response: HTTPResponse, _ framing: ResponseHead.Framing, _ body: [UInt8], _ connection: ServerConnection
    ) {
        if framing == .connection { connection.closes = true }
        let head = ResponseHead(response, framing, id: connection.id, closes: connection.closes)
        connection.outgoing = Outgoing(head.bytes, body)
        table.extend(connection, until: loop.now + configuration.idleTimeout + .seconds(body.count / 4096))
        goOnSending(connection)
    }

    /// Sends what there is, and what the stream of the answer has.
    private func goOnSending(_ connection: ServerConnection) {
        while true {
            switch connection.outgoing.send(on: connection.descriptor) {
            case .done: break
            case .blocked:
                connection.noteSending()
                return waitFor(.writable, connection)
            case .gone: return close(connection)
            }
            guard connection.phase == .answering else {
                // That was 100 Continue.
                return waitFor(.readable, connection)
            }
            guard connection.stream != nil else { return finish(connection) }
            guard supply(connection) else { return }
        }
    }

    /// Takes the next bytes of a streamed body; false when there are none now, or it is broken off.
    private func supply(_ connection: ServerConnection) -> Bool {
        guard let stream = connection.stream else { return false }
        let framing = connection.isChunked ? Self.chunkFraming : 0
        let room = min(buffer.count - framing, connection.streamRemaining ?? .max)
        let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[(framing / 2)..<(framing / 2 + room)])
        switch stream.take(into: piece, canWait: stage < .stopping) {
        case .bytes(let count):
            // From here the client has the time: to take something of it, however long the whole may be.
            table.extend(connection, until: loop.now + configuration.idleTimeout)
            connection.outgoing = connection.isChunked ? chunk(count) : Outgoing([], Array(piece[..<count]))
            if let remaining = connection.streamRemaining {
                connection.streamRemaining = remaining - count
                if remaining == count { endStream(connection) }
            }
            return true
        case .nothing:
            table.extend(connection, until: loop.now + configuration.handlerTimeout)
            waitFor(.readable, connection)
            return false
        case .end where connection.streamRemaining == nil:
            if connection.isChunked { connection.outgoing = Outgoing(Array("0\r\n\r\n".utf8)) }
            endStream(connection)
            return true
        case .end, .failure:
            breakOff(connection)
            return false
        }
    }

    /// The chunk whose content is in the buffer (RFC 9112, section 7.1).
    private func chunk(_ count: Int) -> Outgoing {
        let (start, size) = (Self.chunkFraming / 2, Array("\(String(count, radix: 16))\r\n".utf8))
        buffer[(start - size.count)..<start].copyBytes(from: size)
        buffer[(start + count)..<(start + count + 2)].copyBytes(from: "\r\n".utf8)
        return Outgoing([], Array(buffer[(start - size.count)..<(start + count + 2)]))
    }

    /// All of the answer is taken; what the producer still writes is dropped.
    private func endStream(_ connection: ServerConnection) {
        let stream = connection.stream
        connection.stream = nil
        stream?.abandon()
    }

    /// The answer is with the kernel.
    private func finish(_ connection: ServerConnection) {
        guard !connection.closes else { return close(connection) }
        connection.noteSending()
        reset(connection)
        table.extend(connection, until: loop.now + configuration.idleTimeout)
        if connection.input.isEmpty { waitFor(.readable, connection) } else { goOnSoon(connection) }
    }

    // MARK: - Time

    private func goOnSoon(_ connection: ServerConnection) {
        resumed.append(connection)
    }

    /// Goes on with what needs no event, each once before the loop waits, so that none holds up the others.
    private func goOnWithResumed() -> Duration? {
        guard !resumed.isEmpty else { return nil }
        let connections = resumed
        resumed.removeAll(keepingCapacity: true)
        for connection in connections where connection.outgoing.isEmpty { goOn(connection) }
        return resumed.isEmpty ? nil : .zero
    }

    private func goOn(_ connection: ServerConnection) {
        switch connection.phase {
        case .answering: goOnSending(connection)
        case .idle:
            waitFor(.readable, connection)
            begin(connection)
            read(connection)
        case .reading, .discarding:
            waitFor(.readable, connection)
            read(connection)
        case .head, .body, .handling, .closed: break
        }
    }

    /// Ends what has taken too long.
    private func sweep() {
        guard stage < .stopped else { return }
        if hasRoom { listener?.goOn() }
        for connection in table.due(at: loop.now) {
            switch connection.phase {
            case .handling:
                counts.refusals += 1
                connection.task?.cancel()
                answer(refusal(.timedOut, connection.id), connection, connection.generation)
            case .reading where !connection.isReading:
                // The handler does not take what there is.
                counts.refusals += 1
                breakOff(connection)
            case .reading where connection.progress >= configuration.bodyProgress,
                .discarding where connection.progress >= configuration.bodyProgress:
                awaitProgress(connection)
            case .answering where connection.stream?.isAwaited == true: breakOff(connection)
            case .answering where connection.hasTakenSomething(), .idle where connection.hasTakenSomething():
                table.extend(connection, until: loop.now + configuration.idleTimeout)
            default: breakOff(connection)
            }
        }
        loop.schedule(after: Self.sweepInterval) { self.sweep() }
    }
}
