/// The state of a connection and of the current request on it, without any I/O: events come in, and steps come out.
/// Bytes, ids and the clock are arguments, so that tests control them.
///
/// There is only one request at a time, because the next request of a pipeline is read only after the response.
struct ConnectionState {
    /// The progress of the current request.
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
        /// The rest of the body is read and discarded, so that the client gets to read the response: `answer`, if the
        /// handler has already given it.
        case discarding(answer: HTTPResponse?)
        /// The response is partly sent, or its stream has nothing to send yet.
        case answering
        /// The socket is closed or has another owner.
        case closed
    }

    /// The server's next act on the connection.
    enum Next {
        /// Wait for more from the client.
        case wait
        /// Stop reading until the handler has taken what is pending.
        case pause
        /// Send 100 Continue, and wait for the body.
        case askForBody
        /// Pass the request to the handler.
        case handle
        /// Send a response of the handler.
        case answer(HTTPResponse)
        /// Send a refusal. The connection can go on after it, because the request was read to its end.
        case decline(HTTPRefusal)
        /// Send a refusal, and close the connection, because it is not certain where the next request begins.
        case refuse(HTTPRefusal)
        /// Close the connection without an answer.
        case breakOff
        /// Continue with the input that was read ahead, before the loop waits.
        case continueSoon
        /// Nothing. The event came too late.
        case ignore
    }

    /// A new deadline of the connection.
    enum Deadline {
        /// For the rest of a request's head, or of a body that is read before the handler is called.
        case request
        /// For the handler.
        case handler
        /// For the next part of a body that the handler reads.
        case body
        /// For the client's next request, or for taking more of a response.
        case idle
    }

    /// A message to the reader of the body.
    enum Reader: Equatable {
        /// The body is complete.
        case end
        /// The rest will not arrive, or nobody may read it.
        case fail(HTTPBodyError)
    }

    /// The consequences of an event, in this order.
    struct Step {
        var reader: Reader?
        var deadline: Deadline?
        var next: Next

        init(_ next: Next, deadline: Deadline? = nil, reader: Reader? = nil) {
            self.next = next
            self.deadline = deadline
            self.reader = reader
        }
    }

    private(set) var phase = Phase.idle
    /// The number of requests before the current one. It keeps a late response from going to a later request.
    private(set) var generation = 0
    /// The bytes received but not yet parsed.
    private(set) var input: [UInt8] = []
    private var finder: RequestHeadFinder?
    private(set) var request = RequestState()

    /// Whether more of a request may be received.
    var isReading: Bool {
        switch phase {
        case .idle, .head, .body, .discarding: true
        case .reading: !request.isReaderFull
        case .handling, .answering, .closed: false
        }
    }

    var isIdle: Bool { if case .idle = phase { true } else { false } }
    var isHandling: Bool { if case .handling = phase { true } else { false } }
    var isAnswering: Bool { if case .answering = phase { true } else { false } }
    var isClosed: Bool { if case .closed = phase { true } else { false } }

    // MARK: - Reading

    /// The facts about the server that a step of reading depends on.
    struct Surroundings {
        let rules: RequestRules
        /// Whether the server stops, so that no handler may be called any more.
        let isStopping: Bool
        /// The server's clock, in microseconds since 1970.
        let now: Int64
        /// The id of a request that comes without one.
        let makeID: () -> String

        var configuration: HTTPServerConfiguration { rules.configuration }
    }

    /// Records that a request begins, with bytes just received or with those that were read ahead.
    ///
    /// - Returns: The new deadline. The time for a connection's first request counts from the opening, so that a client
    ///   gains nothing by sending a byte now and then.
    mutating func begin() -> Deadline? {
        phase = .head
        return generation > 0 ? .request : nil
    }

    /// Adds received bytes to the input. ``read(in:keptBytes:deliver:)`` must follow.
    mutating func append(_ piece: UnsafeRawBufferPointer) {
        input.append(contentsOf: piece)
    }

    /// Takes as much of the input as belongs to the current request. `keptBytes` is the number of body bytes in memory,
    /// over all connections. `deliver` passes a piece of the body to its reader.
    mutating func read(
        in surroundings: Surroundings, keptBytes: inout Int, deliver: (UnsafeRawBufferPointer) -> Void
    ) -> Step {
        do throws(HTTPRefusal) {
            var asksForBody = false
            if case .head = phase {
                guard let head = try takeHead(surroundings.configuration) else { return Step(.wait) }
                try receivedHead(head, in: surroundings)
                if request.bodyRule.isStreamed {
                    if surroundings.isStopping { throw .stopping }
                    return handle()
                }
                asksForBody = asksForBodyNow()
            }
            switch phase {
            case .body, .discarding: break
            case .reading where isReading: break
            default: return Step(.wait)
            }
            let step = try readBody(in: surroundings, keptBytes: &keptBytes, deliver: deliver)
            if asksForBody, case .wait = step.next { return Step(.askForBody, deadline: step.deadline) }
            return step
        } catch {
            return Step(.refuse(error))
        }
    }

    /// Removes the head of the next request from the input, once it has arrived completely.
    private mutating func takeHead(_ configuration: HTTPServerConfiguration) throws(HTTPRefusal) -> RequestHead? {
        var finder =
            self.finder
            ?? RequestHeadFinder(maximumURI: configuration.maximumURI, maximumHeader: configuration.maximumHeader)
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

    private mutating func receivedHead(_ head: RequestHead, in surroundings: Surroundings) throws(HTTPRefusal) {
        request.receivedAt = surroundings.now
        request.head = head
        if let id = head.headers["X-Request-Id"], RequestIdentifiers.isAcceptable(id) {
            request.id = id
        } else {
            request.id = surroundings.makeID()
        }
        request.bodyRule = surroundings.configuration.rule(for: head.method, head.target.path)
        let framing = try surroundings.rules.framing(
            of: head, maximumBody: request.bodyRule.isCutOff ? .max : request.bodyRule.maximum)
        request.decoder = framing.body
        request.expectsContinue = framing.expectsContinue && !framing.body.isDone
        request.closes = framing.closes
        phase = .body
    }

    /// Whether 100 Continue is to be sent now: the client waits for it, and has sent nothing of the body yet.
    private mutating func asksForBodyNow() -> Bool {
        guard request.expectsContinue else { return false }
        request.expectsContinue = false
        return input.isEmpty
    }

    private mutating func readBody(
        in surroundings: Surroundings, keptBytes: inout Int, deliver: (UnsafeRawBufferPointer) -> Void
    ) throws(HTTPRefusal) -> Step {
        try takeBody(keptBytes: &keptBytes, deliver: deliver)
        let (configuration, limit) = (surroundings.configuration, request.bodyRule.maximum)
        guard keptBytes <= configuration.maximumBodies || request.body.count <= configuration.smallBody else {
            throw .overloaded
        }
        var reader: Reader?
        if case .reading = phase, request.bodySize > limit {
            phase = .discarding(answer: nil)
            reader = .fail(.tooLarge(limit: limit))
        }
        var step: Step
        if request.decoder.isDone || request.isCutOff {
            step = receivedBody(isStopping: surroundings.isStopping)
        } else if request.bodySize > 2 * limit {
            // Up to twice the limit is read and discarded. Beyond that, the answer comes while the client is still
            // sending, and few clients see it.
            guard case .discarding = phase else { throw .bodyTooLarge(limit: limit) }
            step = Step(.breakOff)
        } else if isReading {
            step = Step(.wait)
        } else {
            request.isTimedByProgress = false
            step = Step(.pause, deadline: .handler)
        }
        step.reader = reader ?? step.reader
        return step
    }

    /// Passes the received part of the body on: into memory, to its reader, or nowhere.
    private mutating func takeBody(
        keptBytes: inout Int, deliver: (UnsafeRawBufferPointer) -> Void
    ) throws(HTTPRefusal) {
        let use: RequestState.BodyUse =
            switch phase {
            case .body: .keep
            case .reading: .deliver
            default: .discard
            }
        let bytes = input
        keptBytes -= request.body.count
        let taken = bytes.withUnsafeBytes { bytes in
            Result { () throws(HTTPRefusal) -> Int in try request.takeBody(bytes, use, deliver: deliver) }
        }
        keptBytes += request.body.count
        forgetInput(try taken.get())
    }

    private mutating func forgetInput(_ count: Int) {
        // Usually this is all of the input. Release its memory, because most connections are idle.
        if count == input.count { input = [] } else { input.removeFirst(count) }
    }

    private mutating func receivedBody(isStopping: Bool) -> Step {
        switch phase {
        case .body where request.isOversized && !request.isCutOff:
            Step(.decline(.bodyTooLarge(limit: request.bodyRule.maximum)))
        case .body where isStopping: Step(.refuse(.stopping))
        case .body: handle()
        case .discarding(let answer?): Step(.answer(answer))
        case .reading: awaitHandler(.end)
        default: awaitHandler(nil)
        }
    }

    // MARK: - The handler

    private mutating func handle() -> Step {
        phase = .handling
        request.isInFlight = true
        return Step(.handle, deadline: .handler)
    }

    /// The request has been read completely, while the handler is still working on it.
    private mutating func awaitHandler(_ reader: Reader?) -> Step {
        phase = .handling
        return Step(.wait, deadline: .handler, reader: reader)
    }

    /// The handler has taken what was pending of the body, or wants it for the first time.
    mutating func wantsBody() -> Step {
        switch phase {
        case .handling, .reading: break
        default: return Step(.ignore)
        }
        phase = .reading
        request.pending = 0
        // The handler takes each piece as it arrives. A new interval for each would let a client send a byte now and
        // then.
        let deadline: Deadline? = request.isTimedByProgress ? nil : awaitProgress()
        // The server must not read here, because the handler is in the middle of its call.
        return Step(asksForBodyNow() ? .askForBody : .continueSoon, deadline: deadline)
    }

    private mutating func awaitProgress() -> Deadline {
        request.progress = 0
        request.isTimedByProgress = true
        return .body
    }

    /// The handler has answered the request `generation`. If the body is still being received, the response waits until
    /// it is over. A response that comes too late is ignored.
    mutating func answered(_ response: HTTPResponse, generation: Int, isStopping: Bool) -> Step {
        guard request.isInFlight, generation == self.generation else { return Step(.ignore) }
        request.isInFlight = false
        guard isHandling || isStopping else {
            phase = .discarding(answer: response)
            return Step(.continueSoon, deadline: awaitProgress(), reader: .fail(.interrupted))
        }
        // The handler never asked for the body, or the server stops before its end.
        if !request.decoder.isDone {
            request.closes = true
            request.isAheadOfClient = true
        }
        return Step(.answer(response), reader: .fail(.interrupted))
    }

    // MARK: - The end

    /// The server refuses the request, and closes the connection after that.
    ///
    /// - Returns: Whether the handler was at work.
    mutating func refuse(makeID: () -> String) -> Bool {
        let wasInFlight = request.isInFlight
        if request.head == nil { request.id = makeID() }
        request.isInFlight = false
        request.closes = true
        request.isAheadOfClient = true
        return wasInFlight
    }

    /// A response begins. With `closes`, the connection closes after it.
    mutating func beginAnswer(closes: Bool) {
        phase = .answering
        if closes { request.closes = true }
    }

    /// The body of the response ends only with the connection.
    mutating func closeAfterAnswer() {
        request.closes = true
    }

    /// The response is complete, and the next request may begin.
    mutating func end() {
        generation += 1
        phase = .idle
        finder = nil
        request = RequestState(id: request.id)
    }

    /// The connection is over.
    mutating func close() {
        end()
        phase = .closed
    }

    // MARK: - Timeouts

    /// The consequence of a deadline that has passed.
    enum Expiry: Equatable {
        /// Answer in the handler's place.
        case answerForHandler
        /// Close the connection. With `isRefusal`, the request counts as refused.
        case breakOff(isRefusal: Bool)
        case extend(Deadline)
    }

    /// The connection's deadline has passed. `bodyProgress` is the number of bytes of a body that must have arrived,
    /// and `isProducing` says that the response waits for its producer. `clientTakes` says whether the client has taken
    /// some of the response since the last deadline, and whether it is taking the rest of one that is sent. It costs a
    /// system call, so it is asked only where it decides.
    mutating func expired(bodyProgress: Int, isProducing: Bool, clientTakes: () -> (some: Bool, rest: Bool)) -> Expiry {
        switch phase {
        case .handling: .answerForHandler
        // The handler does not take the pending bytes.
        case .reading where !isReading: .breakOff(isRefusal: true)
        case .reading where request.progress >= bodyProgress, .discarding where request.progress >= bodyProgress:
            .extend(awaitProgress())
        case .answering where !isProducing && clientTakes().some, .idle where clientTakes().rest: .extend(.idle)
        default: .breakOff(isRefusal: false)
        }
    }
}
