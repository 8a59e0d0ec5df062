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
    let loop: EventLoop
    let configuration: HTTPServerConfiguration
    let refusal: @Sendable (HTTPRefusal, _ requestID: String) -> HTTPResponse
    let handler: @Sendable (HTTPRequest) async -> HTTPResponse
    private let rules: RequestRules

    /// The stages of the server's life. A server lives only once.
    enum Stage: Comparable {
        case made, serving, draining, stopping, stopped
    }

    var stage = Stage.made
    private var listener: Listener?
    private var hook: LoopHook?
    var table = ConnectionTable()
    var identifiers = RequestIdentifiers()
    private var dateField = DateField()
    /// The connections that can continue without an event of their socket, because more of an answer is available or a
    /// request was read ahead.
    private var resumed: [ServerConnection] = []
    var counts = HTTPServerMetrics()
    /// The number of body bytes in memory, over all connections.
    private var keptBytes = 0
    private let lingering = LingeringCloses()
    let streams: EventStreams
    /// The buffer for all receiving and for the chunks of streamed responses.
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

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
    public func start(_ sharing: AddressSharing = .alone) throws(HTTPServerError) -> ListenAddress {
        loop.preconditionCurrent()
        precondition(stage == .made, "an HTTP server is started once")
        let (descriptor, address) = try configuration.address.listen(sharing)
        stage = .serving
        // These closures keep the server alive. No reference here is weak: a single weak reference would route each of
        // a request's many retains through a side table, which is slow.
        listener = Listener(descriptor, loop: loop) { self.acceptClients() }
        hook = loop.beforeWaiting { self.continueResumed() }
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

    /// Accepts no more connections, ends all event streams, answers every request that has arrived or arrives within the
    /// configuration's ``HTTPServerConfiguration/idleGrace``, and stops when no connection is left. After `timeout`, requests that are still being handled get the refusal `.stopping`, and their tasks are cancelled.
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
        let start = loop.now
        while !table.isEmpty && loop.now < start + timeout {
            if loop.now >= start + configuration.idleGrace { closeIdle() }
            try? await loop.sleep(for: .milliseconds(5))
        }
        stop()
    }

    private func closeIdle() {
        for connection in table.connections where connection.phase == .idle && !connection.hasInput {
            close(connection)
        }
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
            if let limit = configuration.connectionLimit, !limit.enter(address) {
                Glibc.close(descriptor)
                return
            }
            let connection = ServerConnection(descriptor: descriptor, remoteAddress: address)
            table.insert(connection, until: loop.now + configuration.requestTimeout)
            waitFor(.readable, connection)
        }
        if !hasRoom { listener.pause() }
    }

    /// Asks the loop for events of a connection's socket.
    func waitFor(_ interest: Interest, _ connection: ServerConnection) {
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
            if ready.contains(.writable) { continueSending(connection) }
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
    func forget(_ connection: ServerConnection) {
        connection.watch?.cancel()
        connection.watch = nil
        table.remove(connection)
        configuration.connectionLimit?.leave(connection.remoteAddress)
        if connection.isInFlight { counts.requestsInFlight -= 1 }
        let stream = connection.stream
        let isAheadOfClient = connection.isAheadOfClient
        reset(connection)
        connection.phase = .closed
        connection.isAheadOfClient = isAheadOfClient
        stream?.abandon()
        listener?.resume()
    }

    func close(_ connection: ServerConnection) {
        guard connection.phase != .closed else { return }
        forget(connection)
        if connection.isAheadOfClient, stage < .stopping {
            lingering.add(connection.descriptor, on: loop)
        } else {
            Glibc.close(connection.descriptor)
        }
    }

    /// Closes a connection in the middle of a request or an answer, when no answer can be given any more.
    func breakOff(_ connection: ServerConnection) {
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
        continueSending(connection)
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
            connection.isTimedByProgress = false
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
    func reset(_ connection: ServerConnection) {
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
        // The handler takes each piece as it arrives. A new interval for each would let a client send a byte now and then.
        if !connection.isTimedByProgress { awaitProgress(connection) }
        askForBody(connection)
        // Do not read here, because the handler is in the middle of its call.
        continueSoon(connection)
    }

    func awaitProgress(_ connection: ServerConnection) {
        connection.progress = 0
        connection.isTimedByProgress = true
        table.extend(connection, until: loop.now + configuration.bodyTimeout)
    }

    /// The value of the field `Date` of a response that is sent now.
    var date: String { dateField.value(at: Int64(time(nil))) }

    // MARK: - Scheduling and timeouts

    func continueSoon(_ connection: ServerConnection) {
        resumed.append(connection)
    }

    /// Continues connections that need no event, each once before the loop waits, so that none holds up the others.
    private func continueResumed() -> Duration? {
        guard !resumed.isEmpty else { return nil }
        let connections = resumed
        resumed.removeAll(keepingCapacity: true)
        for connection in connections where connection.outgoing.isEmpty { resume(connection) }
        return resumed.isEmpty ? nil : .zero
    }

    private func resume(_ connection: ServerConnection) {
        switch connection.phase {
        case .answering: continueSending(connection)
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
        if hasRoom { listener?.resume() }
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
            case .answering where connection.hasTakenSomething(), .idle where connection.isTakingTheRest():
                table.extend(connection, until: loop.now + configuration.idleTimeout)
            default: breakOff(connection)
            }
        }
        loop.schedule(after: Self.sweepInterval) { self.sweep() }
    }
}
