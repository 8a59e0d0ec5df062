internal import CMicroHTTPD
public import EventLoop
internal import Glibc

/// An HTTP/1.1 server on an event loop: reads requests, whole or as far as the handler wants them, hands each to the handler, and writes its
/// answer, whole or as it is made.
///
/// libmicrohttpd parses and writes, inside our loop and without threads of its own; what it is lenient about is refused by
/// ``RequestRules``, and every time-out is kept here. Requests of one connection are answered in order.
///
/// `@unchecked Sendable`: touched on the loop's thread only. libmicrohttpd's callbacks come from calls made there, the handler's
/// tasks run there, and the public functions check it.
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
    private var daemon: OpaquePointer?
    private var listener: Int32 = -1
    private var watch: Watch?
    private var hook: LoopHook?
    private var table = ConnectionTable()
    private var identifiers = RequestIdentifiers()
    /// Whether libmicrohttpd has to run although it names no reason: it counts neither connections that were resumed nor, at its
    /// limit of connections, those that were closed.
    private var mustRun = false
    private var counts = HTTPServerMetrics()
    private let lingering = LingeringCloses()
    private let streams: EventStreams

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

    /// Listens and begins to answer. From here on the loop keeps the server, until it is drained; it cannot be started again.
    ///
    /// - Returns: the address, with the port that the system chose where the configuration says 0.
    /// - Throws: ``HTTPServerError`` when the address is taken or is not this machine's.
    public func start() throws(HTTPServerError) -> ListenAddress {
        loop.preconditionCurrent()
        precondition(stage == .made, "an HTTP server is started once")
        let (listener, address) = try configuration.address.listen()
        daemon = microhttpd_start(
            listener, configuration.connectionMemory, UInt32(configuration.maximumConnections),
            UInt32(configuration.maximumConnectionsPerAddress ?? 0), Unmanaged.passUnretained(self).toOpaque(),
            { owner, connection, _, method, version, bytes, count, _ in
                guard let connection, let method, let version, let count else { return .NO }
                return HTTPServer.from(owner).received(.of(connection), method, version, bytes, count)
            },
            { owner, target, connection in
                guard let target, let connection else { return nil }
                HTTPServer.from(owner).began(.of(connection), target)
                return nil
            },
            { owner, connection, _, _ in
                guard let connection else { return }
                HTTPServer.from(owner).ended(.of(connection))
            },
            { owner, connection, context, code in
                guard let connection, let context else { return }
                if microhttpd_is_accepted(code) != 0 {
                    let accepted = ServerConnection(handle: connection)
                    context.pointee = Unmanaged.passRetained(accepted).toOpaque()
                    HTTPServer.from(owner).accepted(accepted)
                } else if let kept = context.pointee {
                    HTTPServer.from(owner).closed(Unmanaged<ServerConnection>.fromOpaque(kept).takeRetainedValue())
                }
            })
        guard let daemon else {
            close(listener)
            throw .cannotStart
        }
        stage = .serving
        self.listener = listener
        watch = loop.watch(microhttpd_epoll(daemon), for: .readable) { _ in MHD_run(daemon) }
        // It keeps the server for as long as libmicrohttpd may call it. Nothing here is weak: one weak reference would make each
        // of the many retains of a request take the slow way through a side table.
        hook = loop.beforeWaiting { self.runUntilPatient() }
        loop.schedule(after: Self.sweepInterval) { self.sweep() }
        return address
    }

    /// What the server is doing.
    public var metrics: HTTPServerMetrics {
        loop.preconditionCurrent()
        var now = counts
        now.eventStreams = streams.count
        return now
    }

    /// Takes no more connections, ends those on which events are sent, answers every request that has arrived, and stops: at the latest
    /// after `patience`, when what is still being handled gets the refusal `.stopping` and its task is cancelled. Further calls do nothing.
    public func drain(within patience: Duration) async {
        loop.preconditionCurrent()
        guard let daemon, stage == .serving else { return }
        acceptWaiting(daemon)
        stage = .draining
        close(MHD_quiesce_daemon(daemon))
        streams.endAll()
        let end = loop.now + patience
        while !table.isEmpty && loop.now < end {
            for connection in table.connections where connection.phase == .idle && !connection.hasInput {
                cut(connection)
            }
            try? await loop.sleep(for: .milliseconds(5))
        }
        stop(daemon)
    }

    /// Takes the connections that wait in the kernel's queue. Their clients believe that they are connected, and have perhaps
    /// sent a request; closing the socket that listens would reset them.
    private func acceptWaiting(_ daemon: OpaquePointer) {
        var waiting = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
        // It takes some ten at a time; without descriptors it takes none.
        for _ in 0..<Int(SOMAXCONN / 10) where poll(&waiting, 1, 0) > 0 { MHD_run(daemon) }
    }

    private func stop(_ daemon: OpaquePointer) {
        stage = .stopping
        for connection in table.connections {
            switch connection.phase {
            case .handling:
                connection.task?.cancel()
                answer(refusal(.stopping, connection.id), connection, connection.generation)
            case .reading, .discarding: breakOff(connection)
            case .idle, .head, .body, .answering, .closed: break
            }
        }
        for connection in table.connections { connection.stream?.abandon() }
        // libmicrohttpd ends the program when it is stopped while a connection is suspended: what was resumed must be back with it, and
        // ``handle`` and ``supply`` suspend no more. The first run makes the answers ready, the second sends what the sockets take at once.
        MHD_run(daemon)
        MHD_run(daemon)
        watch?.cancel()
        watch = nil
        hook?.cancel()
        hook = nil
        self.daemon = nil
        MHD_stop_daemon(daemon)
        lingering.endAll()
        stage = .stopped
    }

    private static func from(_ owner: UnsafeMutableRawPointer?) -> HTTPServer {
        guard let owner else { preconditionFailure("libmicrohttpd lost the server") }
        return Unmanaged<HTTPServer>.fromOpaque(owner).takeUnretainedValue()
    }

    // MARK: - What libmicrohttpd tells

    private func accepted(_ connection: ServerConnection) {
        counts.openConnections += 1
        table.insert(connection, until: loop.now + configuration.requestTimeout)
    }

    private func closed(_ connection: ServerConnection) {
        counts.openConnections -= 1
        connection.phase = .closed
        if connection.isAheadOfClient, stage < .stopping { lingering.add(connection.descriptor, on: loop) }
        table.remove(connection)
        mustRun = true
    }

    /// The first line of a request is in.
    private func began(_ connection: ServerConnection, _ target: UnsafePointer<CChar>) {
        let bytes = UnsafeRawPointer(target).assumingMemoryBound(to: UInt8.self)
        connection.target = RequestTarget(UnsafeBufferPointer(start: bytes, count: strlen(target)))
        // libmicrohttpd would now note each parameter of the query, and forget the connection where memory ends; we have a copy
        // already, so it finds the query empty. The text is in its read buffer, which it is about to write to itself.
        if let mark = strchr(target, Int32(UInt8(ascii: "?"))) { mark[1] = 0 }
        connection.phase = .head
        connection.isAheadOfClient = false
        // A connection's first request has its time from the opening on, so that a byte now and then gains nothing.
        if connection.generation > 0 { table.extend(connection, until: loop.now + configuration.requestTimeout) }
    }

    /// The answer is sent, or will never be.
    private func ended(_ connection: ServerConnection) {
        // The client of a body that was being read is gone, and will get no answer.
        if connection.isInHand { counts.requestsInFlight -= 1 }
        connection.reset()
        table.extend(connection, until: loop.now + configuration.idleTimeout)
    }

    /// The head is in, or a piece of the body, or, with a count of 0, all of it.
    private func received(
        _ connection: ServerConnection, _ method: UnsafePointer<CChar>, _ version: UnsafePointer<CChar>,
        _ bytes: UnsafePointer<CChar>?, _ count: UnsafeMutablePointer<Int>
    ) -> MHD_Result {
        switch connection.phase {
        case .head:
            return receivedHead(connection, method, version)
        case .body where count.pointee > 0:
            connection.append(UnsafeRawBufferPointer(start: bytes, count: count.pointee))
            count.pointee = 0
            return .YES
        case .body where connection.isTooLarge:
            return refuse(.bodyTooLarge(limit: connection.bodyRule.maximum), connection)
        case .body where stage == .stopping:
            return refuse(.stopping, connection)
        case .body:
            handle(connection)
            return .YES
        case .reading where stage == .stopping, .discarding where stage == .stopping:
            return .NO
        case .reading, .discarding:
            let piece = UnsafeRawBufferPointer(start: bytes, count: count.pointee)
            count.pointee = 0
            return piece.isEmpty ? receivedBody(connection) : received(piece, connection)
        case .idle, .handling, .answering, .closed:
            // Asked again about a request whose answer could not be queued.
            return .NO
        }
    }

    private func receivedHead(
        _ connection: ServerConnection, _ method: UnsafePointer<CChar>, _ version: UnsafePointer<CChar>
    ) -> MHD_Result {
        connection.receivedAt = Self.wallClock
        connection.method = HTTPMethod(rawValue: String(cString: method))
        let fields = FieldReader(connection.handle, method: method, version: version)
        connection.headers = fields.headers
        if let id = connection.headers["X-Request-Id"], RequestIdentifiers.isAcceptable(id) {
            connection.id = id
        } else {
            connection.id = identifiers.next()
        }
        connection.bodyRule = configuration.rule(for: connection.method, connection.target.path)
        let objection = rules.refusal(
            method: connection.method, target: connection.target, fields: fields,
            head: microhttpd_head_size(connection.handle), isVersion11: strcmp(version, "HTTP/1.0") != 0,
            maximumBody: connection.bodyRule.maximum)
        if let objection {
            connection.isAheadOfClient = true
            return refuse(objection, connection)
        }
        guard connection.bodyRule.isStreamed else {
            connection.phase = .body
            return .YES
        }
        if stage == .stopping { return refuse(.stopping, connection) }
        connection.isBeforeBody = true
        connection.reader = HTTPBodyReader(loop: loop) { [unowned self, unowned connection] in readOn(connection) }
        handle(connection)
        return .YES
    }

    // MARK: - A body that the handler reads while it comes

    /// Lets the client go on, once the handler has taken what there was, or asks for the body at all.
    private func readOn(_ connection: ServerConnection) {
        guard connection.isSuspended else { return }
        connection.phase = .reading
        awaitProgress(connection)
        resume(connection)
    }

    private func received(_ piece: UnsafeRawBufferPointer, _ connection: ServerConnection) -> MHD_Result {
        connection.bodySize += piece.count
        connection.progress += piece.count
        let limit = connection.bodyRule.maximum
        guard connection.phase == .reading else {
            // Nobody wants it; but without an end of the body there is no answer.
            return connection.bodySize <= 2 * limit ? .YES : .NO
        }
        guard connection.bodySize <= limit, let reader = connection.reader else {
            connection.phase = .discarding
            connection.reader?.fail(.tooLarge(limit: limit))
            return .YES
        }
        reader.append(piece)
        if reader.isFull, !connection.isSuspended {
            suspend(connection)
            table.extend(connection, until: loop.now + configuration.handlerTimeout)
        }
        return .YES
    }

    /// Asked with nothing: once when libmicrohttpd goes on from the head to the body, and once when that is whole.
    private func receivedBody(_ connection: ServerConnection) -> MHD_Result {
        if connection.isBeforeBody {
            connection.isBeforeBody = false
            return .YES
        }
        if let answer = connection.earlyAnswer { return send(answer, connection) }
        connection.phase = .handling
        if !connection.isSuspended { suspend(connection) }
        table.extend(connection, until: loop.now + configuration.handlerTimeout)
        connection.reader?.end()
        return .YES
    }

    private func awaitProgress(_ connection: ServerConnection) {
        connection.progress = 0
        table.extend(connection, until: loop.now + configuration.bodyTimeout)
    }

    /// Ends a request in whose body no answer can be given.
    private func breakOff(_ connection: ServerConnection) {
        connection.task?.cancel()
        connection.forgetReader()
        if connection.isSuspended { resume(connection) }
        cut(connection)
    }

    private func suspend(_ connection: ServerConnection) {
        connection.isSuspended = true
        MHD_suspend_connection(connection.handle)
    }

    private func resume(_ connection: ServerConnection) {
        connection.isSuspended = false
        MHD_resume_connection(connection.handle)
        mustRun = true
    }

    // MARK: - Answering

    private func handle(_ connection: ServerConnection) {
        connection.phase = .handling
        connection.isInHand = true
        suspend(connection)
        table.extend(connection, until: loop.now + configuration.handlerTimeout)
        counts.requests += 1
        counts.requestsInFlight += 1
        let request = connection.request
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
        connection.forgetReader()
        guard connection.phase == .handling else {
            connection.phase = .discarding
            connection.earlyAnswer = response
            awaitProgress(connection)
            if connection.isSuspended { resume(connection) }
            return
        }
        connection.isAheadOfClient = connection.isBeforeBody
        // Resumed even where queueing fails: without an answer libmicrohttpd then asks again and is told to close.
        _ = send(response, connection)
        resume(connection)
    }

    private func refuse(_ reason: HTTPRefusal, _ connection: ServerConnection) -> MHD_Result {
        counts.refusals += 1
        return send(refusal(reason, connection.id), connection)
    }

    private func send(_ response: HTTPResponse, _ connection: ServerConnection) -> MHD_Result {
        connection.phase = .answering
        if case .events(let begin) = response.body, connection.method != .head {
            guard stage == .serving else { return refuse(.stopping, connection) }
            streams.begin(connection, response, begin)
            return .NO
        }
        guard let made = make(response.body, for: connection) else { return .NO }
        defer { MHD_destroy_response(made) }
        response.headers.forEachPacked { name, value in
            _ = name.withMemoryRebound(to: CChar.self) { name in
                value.withMemoryRebound(to: CChar.self) { value in
                    MHD_add_response_header(made, name.baseAddress, value.baseAddress)
                }
            }
        }
        MHD_add_response_header(made, "X-Request-Id", connection.id)
        if stage > .serving { MHD_add_response_header(made, "Connection", "close") }
        return MHD_queue_response(connection.handle, UInt32(response.status.rawValue), made)
    }

    /// The answer as libmicrohttpd has it, with its body and without fields.
    private func make(_ body: HTTPBody, for connection: ServerConnection) -> OpaquePointer? {
        switch body {
        case .bytes(let bytes):
            table.extend(connection, until: loop.now + configuration.idleTimeout + .seconds(bytes.count / 4096))
            return bytes.withUnsafeBytes { microhttpd_response($0.baseAddress, $0.count) }
        case .stream(let length, let produce):
            table.extend(connection, until: loop.now + configuration.idleTimeout)
            let writer = HTTPBodyWriter(loop: loop, produce: produce) { [unowned self, unowned connection] in
                table.extend(connection, until: loop.now + configuration.idleTimeout)
                resume(connection)
            }
            connection.stream = writer
            let stream = ResponseStream(server: self, connection: connection, writer: writer)
            let made = microhttpd_streamed_response(
                length.map { Int64($0) } ?? -1, Unmanaged.passRetained(stream).toOpaque(),
                { context, _, bytes, count in
                    let stream = ResponseStream.from(context).takeUnretainedValue()
                    return stream.server.supply(stream, UnsafeMutableRawBufferPointer(start: bytes, count: count))
                },
                { context in
                    // The answer is sent, or will never be.
                    ResponseStream.from(context).takeRetainedValue().writer.abandon()
                })
            // To HEAD libmicrohttpd sends the last chunk of a body in chunks, which the client would take for the next answer.
            if connection.method == .head, length == nil, let made { microhttpd_end_with_connection(made) }
            return made
        case .events: return make(.stream(length: nil) { _ in }, for: connection)
        }
    }

    /// Gives libmicrohttpd the next bytes of a streamed body; it asks when the ones before are with the kernel.
    private func supply(_ stream: ResponseStream, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
        switch stream.writer.take(into: buffer, canWait: stage < .stopping) {
        case .bytes(let count):
            // From here the client has the time: to take something of it, however long the whole may be.
            table.extend(stream.connection, until: loop.now + configuration.idleTimeout)
            stream.connection.noteSending(count)
            return count
        case .nothing:
            table.extend(stream.connection, until: loop.now + configuration.handlerTimeout)
            suspend(stream.connection)
            return 0
        case .failure: return microhttpd_end_with_error
        case .end: return microhttpd_end_of_stream
        }
    }

    // MARK: - Time

    /// Lets libmicrohttpd do what it can do without an event: go on with connections that were resumed, and with requests that it has read
    /// ahead. Epoll knows of neither.
    private func runUntilPatient() -> Duration? {
        guard let daemon else { return nil }
        guard mustRun || microhttpd_patience(daemon) == 0 else { return nil }
        mustRun = false
        MHD_run(daemon)
        return mustRun || microhttpd_patience(daemon) == 0 ? .zero : nil
    }

    /// Ends what has taken too long.
    private func sweep() {
        guard daemon != nil else { return }
        // libmicrohttpd waits for the next edge after a read that was shorter than its buffer (epoll(7)), and there is none when the
        // client had closed right behind what it sent.
        for connection in table.connections where connection.isComing && connection.hasEnded { cut(connection) }
        for connection in table.due(at: loop.now) {
            switch connection.phase {
            case .handling:
                counts.refusals += 1
                connection.task?.cancel()
                answer(refusal(.timedOut, connection.id), connection, connection.generation)
            case .reading where connection.isSuspended:
                // The handler does not take what there is.
                counts.refusals += 1
                breakOff(connection)
            case .reading where connection.progress >= configuration.bodyProgress,
                .discarding where connection.progress >= configuration.bodyProgress:
                awaitProgress(connection)
            case .answering where connection.stream?.isAwaited == true:
                connection.stream?.abandon()
            case .answering where connection.hasTakenSomething(), .idle where connection.hasTakenSomething():
                table.extend(connection, until: loop.now + configuration.idleTimeout)
            default:
                cut(connection)
            }
        }
        loop.schedule(after: Self.sweepInterval) { self.sweep() }
    }

    /// Makes libmicrohttpd find the connection closed. It has no call for that, and a client that is too slow gets no answer: it could
    /// not be told from one that is still sending.
    private func cut(_ connection: ServerConnection) {
        shutdown(connection.descriptor, Int32(SHUT_RDWR))
    }

    private static var wallClock: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }
}
