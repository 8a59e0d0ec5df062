public import EventLoop
internal import Glibc

/// An HTTP/1.1 server on an event loop. It reads requests, completely or at the handler's pace, passes each to the
/// handler, and writes the response, completely or as it is produced.
///
/// ``RequestHead`` and ``BodyDecoder`` parse the wire format. ``RequestRules`` decides which requests are refused. All
/// timeouts are kept here. The requests of one connection are answered in order.
///
/// `@unchecked Sendable`: it is accessed only on the loop's thread. The loop's callbacks and the handler's tasks run
/// there, and the public functions check it.
public final class HTTPServer: @unchecked Sendable {
    private let loop: EventLoop
    private let configuration: HTTPServerConfiguration
    private let refusal: @Sendable (HTTPRefusal, _ requestID: String) -> HTTPResponse
    private let handler: @Sendable (HTTPRequest) async -> HTTPResponse
    private let rules: RequestRules

    /// The stages of the server's life. A server lives only once.
    private enum Stage: Comparable {
        case made, serving, draining, stopping, stopped
    }

    private var stage = Stage.made
    private var listener: Listener?
    private var hook: LoopHook?
    private var table = ConnectionTable()
    /// The number of connections of each address, when it is limited.
    private var perAddress: [String: Int] = [:]
    private var identifiers = RequestIdentifiers()
    /// The connections that can continue without an event of their socket, because more of an answer is available or a
    /// request was read ahead.
    private var resumed: [ServerConnection] = []
    private var counts = HTTPServerMetrics()
    /// The number of body bytes in memory, over all connections.
    private var keptBytes = 0
    private let lingering = LingeringCloses()
    private let streams: EventStreams
    /// The buffer for all receiving and for the chunks of streamed responses.
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

    /// The most bytes that the framing of a chunk takes: half of them before its content, half after.
    private static let chunkFraming = 32
    /// The precision of timeouts.
    private static let sweepInterval = Duration.milliseconds(250)

    /// Creates a server that passes requests to `handler`, and uses `refusal` to render the refusals that it makes
    /// itself.
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

    /// Starts to listen and to answer. From now on the loop keeps the server alive until it is drained. It cannot be
    /// started again.
    ///
    /// - Returns: The address, with the port that the system chose if the configuration has 0.
    /// - Throws: ``HTTPServerError`` when the address is in use or does not belong to this machine.
    public func start() throws(HTTPServerError) -> ListenAddress {
        loop.preconditionCurrent()
        precondition(stage == .made, "an HTTP server is started once")
        let (descriptor, address) = try configuration.address.listen()
        stage = .serving
        // These closures keep the server alive. No reference here is weak: a single weak reference would route each of
        // a request's many retains through a side table, which is slow.
        listener = Listener(descriptor, loop: loop) { self.acceptClients() }
        hook = loop.beforeWaiting { self.goOnWithResumed() }
        loop.schedule(after: Self.sweepInterval) { self.sweep() }
        return address
    }

    /// The current state of the server and its counts since the start.
    public var metrics: HTTPServerMetrics {
        loop.preconditionCurrent()
        var now = counts
        now.openConnections = table.count
        now.eventStreams = streams.count
        return now
    }

    /// Accepts no more connections, ends all event streams, answers every request that has arrived, and stops. After
    /// `timeout`, requests that are still being handled get the refusal `.stopping`, and their tasks are cancelled.
    /// Further calls do nothing.
    public func drain(within timeout: Duration) async {
        loop.preconditionCurrent()
        guard stage == .serving, let listener else { return }
        // Clients in the kernel's queue believe that they are connected, and may have sent a request. Closing the
        // listening socket would reset their connections.
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
                // Requests that have arrived completely get the refusal.
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

    /// Asks the loop for events of a connection's socket.
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
            // The next request is read only after the answer to this one. If the client is gone, the kernel would
            // report that over and over until the answer is written, so stop watching.
            if ready == [.readable, .writable] {
                connection.watch?.cancel()
                connection.watch = nil
            } else {
                waitFor([], connection)
            }
        }
    }

    /// Removes a connection from the server. Nobody owns its socket after that.
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

    /// Closes a connection in the middle of a request or an answer, when no answer can be given any more.
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

    /// Records that the first bytes of a request have arrived.
    private func begin(_ connection: ServerConnection) {
        connection.phase = .head
        // The time for a connection's first request counts from the opening, so that a client gains nothing by sending
        // a byte now and then.
        if connection.generation > 0 { table.extend(connection, until: loop.now + configuration.requestTimeout) }
    }

    /// Takes as much of the input as belongs to the current request.
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

    /// Asks for the body if the client waits for 100 Continue.
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
        // Up to twice the limit is read and discarded. Beyond that, the answer comes while the client is still sending,
        // and few clients see it.
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

    /// Clears the connection's request, which is over.
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

    /// Records that the request has been read completely, while the handler is still working on it.
    private func awaitHandler(_ connection: ServerConnection) {
        connection.phase = .handling
        table.extend(connection, until: loop.now + configuration.handlerTimeout)
    }

    // MARK: - Streamed request bodies

    /// Continues to receive once the handler has taken what was pending, or asks for the body when the handler first
    /// wants it.
    private func readOn(_ connection: ServerConnection) {
        guard connection.phase == .handling || connection.phase == .reading else { return }
        connection.phase = .reading
        awaitProgress(connection)
        askForBody(connection)
        // Do not read here, because the handler is in the middle of its call.
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

    /// Sends the handler's response. If the body is still being received, the response waits until it is over. A
    /// response that comes too late is dropped.
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
        // The handler never asked for the body, or the server stops before its end.
        if !connection.decoder.isDone {
            connection.closes = true
            connection.isAheadOfClient = true
        }
        send(response, connection)
    }

    /// Answers a request that breaks a rule. The connection then closes, because it is not certain where the next
    /// request begins.
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

    /// A body of unknown length is sent in chunks, except to HTTP/1.0 clients, which do not know them, and for HEAD.
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

    /// Sends the pending bytes, and then those that the response's stream supplies.
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
                // The message was 100 Continue.
                return waitFor(.readable, connection)
            }
            guard connection.stream != nil else { return finish(connection) }
            guard supply(connection) else { return }
        }
    }

    /// Takes the next bytes of a streamed body. Returns false when there are none yet, or when the connection was
    /// closed.
    private func supply(_ connection: ServerConnection) -> Bool {
        guard let stream = connection.stream else { return false }
        let framing = connection.isChunked ? Self.chunkFraming : 0
        let room = min(buffer.count - framing, connection.streamRemaining ?? .max)
        let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[(framing / 2)..<(framing / 2 + room)])
        switch stream.take(into: piece, canWait: stage < .stopping) {
        case .bytes(let count):
            // From now on the client must take some of these bytes within the timeout, however long the whole body may
            // take.
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

    /// The chunk whose content is in the buffer (RFC 9112 §7.1).
    private func chunk(_ count: Int) -> Outgoing {
        let (start, size) = (Self.chunkFraming / 2, Array("\(String(count, radix: 16))\r\n".utf8))
        buffer[(start - size.count)..<start].copyBytes(from: size)
        buffer[(start + count)..<(start + count + 2)].copyBytes(from: "\r\n".utf8)
        return Outgoing([], Array(buffer[(start - size.count)..<(start + count + 2)]))
    }

    /// Ends the stream after its last byte. The producer's further writes are dropped.
    private func endStream(_ connection: ServerConnection) {
        let stream = connection.stream
        connection.stream = nil
        stream?.abandon()
    }

    /// Completes a request once the kernel has taken the whole response.
    private func finish(_ connection: ServerConnection) {
        guard !connection.closes else { return close(connection) }
        connection.noteSending()
        reset(connection)
        table.extend(connection, until: loop.now + configuration.idleTimeout)
        if connection.input.isEmpty { waitFor(.readable, connection) } else { goOnSoon(connection) }
    }

    // MARK: - Scheduling and timeouts

    private func goOnSoon(_ connection: ServerConnection) {
        resumed.append(connection)
    }

    /// Continues connections that need no event, each once before the loop waits, so that none holds up the others.
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

    /// Ends requests and connections that have taken too long.
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
                // The handler does not take the pending bytes.
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
