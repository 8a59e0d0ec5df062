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

    /// Accepts no more connections, ends all event streams, answers every request that has arrived or arrives within
    /// the configuration's ``HTTPServerConfiguration/idleGrace``, and stops when no connection is left. After
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
        let start = loop.now
        while !table.isEmpty && loop.now < start + timeout {
            if loop.now >= start + configuration.idleGrace { closeIdle() }
            try? await loop.sleep(for: .milliseconds(5))
        }
        stop()
    }

    private func closeIdle() {
        for connection in table.connections where connection.state.isIdle && !connection.hasInput {
            close(connection)
        }
    }

    private func stop() {
        stage = .stopping
        for connection in table.connections {
            switch connection.state.phase {
            case .handling: answerForHandler(.stopping, connection)
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
        } else if connection.state.isReading {
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
        if connection.state.request.isInFlight { counts.requestsInFlight -= 1 }
        let streamed = connection.streamed
        end(connection, by: { $0.close() })
        streamed?.writer.abandon()
        listener?.resume()
    }

    func close(_ connection: ServerConnection) {
        close(connection, lingering: connection.state.request.isAheadOfClient)
    }

    private func close(_ connection: ServerConnection, lingering isLingering: Bool) {
        guard !connection.state.isClosed else { return }
        forget(connection)
        if isLingering, stage < .stopping {
            lingering.add(connection.descriptor, on: loop)
        } else {
            Glibc.close(connection.descriptor)
        }
    }

    /// Closes a connection in the middle of a request or an answer, when no answer can be given any more.
    func breakOff(_ connection: ServerConnection) {
        connection.task?.cancel()
        close(connection, lingering: false)
    }

    // MARK: - Reading

    private func receive(_ connection: ServerConnection) {
        let count = recv(connection.descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
        guard count > 0 else {
            if count < 0 && (errno == EAGAIN || errno == EINTR) { return }
            return close(connection)
        }
        if connection.state.isIdle { begin(connection) }
        connection.state.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        read(connection)
    }

    /// Records that the first bytes of a request have arrived.
    private func begin(_ connection: ServerConnection) {
        if let deadline = connection.state.begin() { extend(connection, to: deadline) }
    }

    /// Takes as much of the input as belongs to the current request.
    private func read(_ connection: ServerConnection) {
        let surroundings = ConnectionState.Surroundings(
            rules: rules, isStopping: stage == .stopping, now: loop.clock.now, makeID: { self.identifiers.next() })
        let step = connection.state.read(in: surroundings, keptBytes: &keptBytes) { connection.reader?.append($0) }
        perform(step, on: connection)
    }

    /// Carries out the consequences of an event.
    func perform(_ step: ConnectionState.Step, on connection: ServerConnection) {
        if let reader = step.reader { connection.endReader(reader) }
        if let deadline = step.deadline { extend(connection, to: deadline) }
        switch step.next {
        case .wait, .ignore: break
        case .pause: waitFor([], connection)
        case .askForBody:
            connection.outgoing = Outgoing(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
            continueSending(connection)
        case .handle: handle(connection)
        case .answer(let response): send(response, connection)
        case .decline(let reason):
            counts.refusals += 1
            send(refusal(reason, connection.state.request.id), connection)
        case .refuse(let reason): refuse(reason, connection)
        case .breakOff: breakOff(connection)
        case .continueSoon: continueSoon(connection)
        }
    }

    private func extend(_ connection: ServerConnection, to deadline: ConnectionState.Deadline) {
        let timeout =
            switch deadline {
            case .request: configuration.requestTimeout
            case .handler: configuration.handlerTimeout
            case .body: configuration.bodyTimeout
            case .idle: configuration.idleTimeout
            }
        table.extend(connection, until: loop.now + timeout)
    }

    /// Ends the connection's request, which is over, by `end`.
    func end(_ connection: ServerConnection, by end: (inout ConnectionState) -> Void) {
        keptBytes -= connection.state.request.body.count
        end(&connection.state)
        connection.task = nil
        connection.streamed = nil
        connection.endReader(.fail(.interrupted))
    }

    /// The value of the field `Date` of a response that is sent now.
    var date: String { dateField.value(at: loop.clock.now / 1_000_000) }

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
        switch connection.state.phase {
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
            let expiry = connection.state.expired(
                bodyProgress: configuration.bodyProgress,
                isProducing: connection.streamed?.writer.isAwaited == true,
                clientTakes: {
                    let some = connection.progress.hasTakenSomething()
                    return (some, some && connection.progress.hasRest)
                })
            switch expiry {
            case .answerForHandler:
                counts.refusals += 1
                answerForHandler(.timedOut, connection)
            case .breakOff(let isRefusal):
                if isRefusal { counts.refusals += 1 }
                breakOff(connection)
            case .extend(let deadline): extend(connection, to: deadline)
            }
        }
        loop.schedule(after: Self.sweepInterval) { self.sweep() }
    }
}
