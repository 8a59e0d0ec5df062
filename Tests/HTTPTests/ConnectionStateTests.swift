import Testing

@testable import HTTP

/// The decisions about a connection, tested without sockets.
@Suite struct ConnectionStateTests {
    /// A connection whose streamed bodies are counted.
    private struct Connection {
        var state = ConnectionState()
        var keptBytes = 0
        var delivered = 0
        var isStopping = false
        let configuration: HTTPServerConfiguration

        init(isStreamed: Bool = false, isCutOff: Bool = false, maximum: Int = 100) throws {
            var configuration = HTTPServerConfiguration(address: try #require(ListenAddress("127.0.0.1:0")))
            configuration.bodyRule = { _, _ in
                HTTPBodyRule(maximum: maximum, isStreamed: isStreamed, isCutOff: isCutOff)
            }
            configuration.maximumBodies = 1000
            configuration.smallBody = 10
            self.configuration = configuration
        }

        mutating func receive(_ text: String) -> ConnectionState.Step {
            if state.isIdle { _ = state.begin() }
            var bytes = Array(text.utf8)
            bytes.withUnsafeMutableBytes { state.append(UnsafeRawBufferPointer($0)) }
            return read()
        }

        mutating func read() -> ConnectionState.Step {
            let surroundings = ConnectionState.Surroundings(
                rules: RequestRules(configuration: configuration), isStopping: isStopping, now: 7, makeID: { "id" })
            var delivered = 0
            defer { self.delivered += delivered }
            return state.read(in: surroundings, keptBytes: &keptBytes) { delivered += $0.count }
        }

        mutating func answer(_ generation: Int? = nil) -> ConnectionState.Step {
            state.answered(
                HTTPResponse(.ok), generation: generation ?? state.generation, isStopping: isStopping)
        }
    }

    private static let post = "POST / HTTP/1.1\r\nHost: kith\r\nContent-Length: "

    private func name(_ step: ConnectionState.Step) -> String {
        switch step.next {
        case .wait: "wait"
        case .pause: "pause"
        case .askForBody: "ask for the body"
        case .handle: "handle"
        case .answer(let response): "answer \(response.status.rawValue)"
        case .decline(let reason): "decline \(reason.status.rawValue)"
        case .refuse(let reason): "refuse \(reason.status.rawValue)"
        case .breakOff: "break off"
        case .continueSoon: "continue soon"
        case .ignore: "ignore"
        }
    }

    @Test func `a request is handled once its body is complete`() throws {
        var connection = try Connection()
        #expect(name(connection.receive("POST / HTTP")) == "wait")
        #expect(name(connection.receive("/1.1\r\nHost: kith\r\nContent-Length: 4\r\n\r\nab")) == "wait")
        #expect(connection.keptBytes == 2)
        let step = connection.receive("cd")
        #expect(name(step) == "handle")
        #expect(step.deadline == .handler)
        #expect(connection.state.request.body == Array("abcd".utf8))
        #expect(connection.state.request.id == "id")
        #expect(connection.state.request.receivedAt == 7)
        #expect(!connection.state.isReading)
    }

    @Test func `the next request of a pipeline waits for the response`() throws {
        var connection = try Connection()
        #expect(
            name(connection.receive("GET / HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\nHost: a\r\n\r\n")) == "handle")
        #expect(name(connection.answer()) == "answer 200")
        connection.state.beginAnswer(closes: false)
        connection.state.end()
        #expect(connection.state.isIdle)
        #expect(connection.state.begin() == .request)
        #expect(name(connection.read()) == "handle")
        #expect(connection.state.request.head?.target.path == "/b")
    }

    @Test func `the time for a connection's first request counts from the opening`() throws {
        var connection = try Connection()
        #expect(connection.state.begin() == nil)
    }

    @Test func `a client that waits for 100 Continue is asked for the body, unless it has begun to send it`() throws {
        let head = "POST / HTTP/1.1\r\nHost: kith\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"
        var waiting = try Connection()
        #expect(name(waiting.receive(head)) == "ask for the body")
        #expect(name(waiting.receive("ab")) == "handle")
        var sending = try Connection()
        #expect(name(sending.receive(head + "a")) == "wait")
    }

    @Test func `a body that is too long is read to its end and declined, up to twice the limit`() throws {
        var connection = try Connection(maximum: 4)
        let head = "POST / HTTP/1.1\r\nHost: kith\r\nTransfer-Encoding: chunked\r\n\r\n"
        #expect(name(connection.receive(head + "6\r\nabcdef\r\n")) == "wait")
        #expect(connection.keptBytes == 0)
        #expect(name(connection.receive("0\r\n\r\n")) == "decline 413")
        var longer = try Connection(maximum: 4)
        #expect(name(longer.receive(head + "9\r\nabcdefghi\r\n")) == "refuse 413")
        var declared = try Connection(maximum: 4)
        #expect(name(declared.receive(Self.post + "5\r\n\r\n")) == "refuse 413")
    }

    @Test func `a body that is cut off is handled as soon as it is too long, and the connection closes`() throws {
        var connection = try Connection(isCutOff: true, maximum: 4)
        #expect(name(connection.receive(Self.post + "1000000\r\n\r\nab")) == "wait")
        #expect(name(connection.receive("cdef")) == "handle")
        #expect(connection.state.request.body == Array("abcd".utf8))
        #expect(connection.keptBytes == 4)
        #expect(!connection.state.isReading)
        #expect(name(connection.answer()) == "answer 200")
        #expect(connection.state.request.closes && connection.state.request.isAheadOfClient)
        // One that has arrived to its end leaves the connection open, and one that is not too long is whole.
        for (chunks, body) in [("6\r\nabcdef\r\n0\r\n\r\n", "abcd"), ("4\r\nabcd\r\n0\r\n\r\n", "abcd")] {
            var chunked = try Connection(isCutOff: true, maximum: 4)
            let head = "POST / HTTP/1.1\r\nHost: kith\r\nTransfer-Encoding: chunked\r\n\r\n"
            #expect(name(chunked.receive(head + chunks)) == "handle")
            #expect(chunked.state.request.body == Array(body.utf8))
            #expect(name(chunked.answer()) == "answer 200")
            #expect(!chunked.state.request.closes)
        }
        var stopping = try Connection(isCutOff: true, maximum: 4)
        stopping.isStopping = true
        #expect(name(stopping.receive(Self.post + "9\r\n\r\nabcdef")) == "refuse 503")
    }

    @Test func `bodies that together take too much memory are refused, but small ones`() throws {
        var connection = try Connection()
        connection.keptBytes = 1000
        #expect(name(connection.receive(Self.post + "20\r\n\r\n12345678901")) == "refuse 503")
        var small = try Connection()
        small.keptBytes = 1000
        #expect(name(small.receive(Self.post + "10\r\n\r\n1234567890")) == "handle")
    }

    @Test func `a handler that reads the body pauses the client`() throws {
        let size = HTTPBodyReader.room
        var connection = try Connection(isStreamed: true, maximum: 3 * size)
        #expect(name(connection.receive(Self.post + "\(2 * size)\r\n\r\n")) == "handle")
        #expect(!connection.state.isReading)
        var wanted = connection.state.wantsBody()
        #expect(name(wanted) == "continue soon")
        #expect(wanted.deadline == .body)
        let full = connection.receive(String(repeating: "x", count: size))
        #expect(name(full) == "pause")
        #expect(full.deadline == .handler)
        #expect(connection.delivered == size)
        #expect(
            connection.state.expired(bodyProgress: 1, isProducing: false, clientTakes: { (true, true) })
                == .breakOff(isRefusal: true))
        wanted = connection.state.wantsBody()
        #expect(wanted.deadline == .body)
        let last = connection.receive(String(repeating: "y", count: size))
        #expect(last.reader == .end)
        #expect(connection.state.isHandling)
        #expect(connection.keptBytes == 0)
    }

    @Test func `a streamed body that is too long fails its reader, and is discarded`() throws {
        var connection = try Connection(isStreamed: true, maximum: 4)
        let head = "POST / HTTP/1.1\r\nHost: kith\r\nTransfer-Encoding: chunked\r\n\r\n"
        #expect(name(connection.receive(head)) == "handle")
        _ = connection.state.wantsBody()
        let step = connection.receive("6\r\nabcdef\r\n")
        #expect(step.reader == .fail(.tooLarge(limit: 4)))
        #expect(name(connection.answer()) == "continue soon")
        #expect(name(connection.receive("0\r\n\r\n")) == "answer 200")
        var endless = try Connection(isStreamed: true, maximum: 4)
        _ = endless.receive(head)
        _ = endless.state.wantsBody()
        _ = endless.receive("6\r\nabcdef\r\n")
        #expect(name(endless.receive("6\r\nabcdef\r\n")) == "break off")
    }

    @Test func `a handler that does not want the body answers at once, and the connection closes`() throws {
        var connection = try Connection(isStreamed: true)
        _ = connection.receive(Self.post + "50\r\n\r\n")
        #expect(name(connection.answer()) == "answer 200")
        #expect(connection.state.request.closes)
        #expect(connection.state.request.isAheadOfClient)
    }

    @Test func `a response that comes too late is ignored`() throws {
        var connection = try Connection()
        _ = connection.receive("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(
            connection.state.expired(bodyProgress: 1, isProducing: false, clientTakes: { (false, false) })
                == .answerForHandler)
        #expect(name(connection.answer()) == "answer 200")
        #expect(name(connection.answer()) == "ignore")
        connection.state.end()
        _ = connection.receive("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(name(connection.answer(0)) == "ignore")
        #expect(name(connection.answer(1)) == "answer 200")
    }

    @Test func `what breaks a rule is refused, and the connection closes`() throws {
        var connection = try Connection()
        #expect(name(connection.receive("GET / HTTP/1.1\r\n\r\n")) == "refuse 400")
        #expect(connection.state.refuse(makeID: { "other" }) == false)
        #expect(connection.state.request.closes)
        #expect(connection.state.request.id == "id")
        var early = try Connection()
        #expect(name(early.receive("nonsense\r\n\r\n")) == "refuse 400")
        #expect(early.state.refuse(makeID: { "other" }) == false)
        #expect(early.state.request.id == "other")
    }

    @Test func `a stopping server calls no handler any more`() throws {
        for isStreamed in [false, true] {
            var connection = try Connection(isStreamed: isStreamed)
            connection.isStopping = true
            #expect(name(connection.receive("GET / HTTP/1.1\r\nHost: a\r\n\r\n")) == "refuse 503")
        }
    }

    @Test func `a deadline is extended while the client makes progress`() throws {
        var connection = try Connection()
        func expired(_ some: Bool, _ rest: Bool, isProducing: Bool = false) -> ConnectionState.Expiry {
            connection.state.expired(bodyProgress: 4, isProducing: isProducing, clientTakes: { (some, rest) })
        }
        #expect(expired(true, false) == .breakOff(isRefusal: false))
        #expect(expired(true, true) == .extend(.idle))
        connection.state.beginAnswer(closes: false)
        #expect(expired(true, false) == .extend(.idle))
        #expect(expired(true, true, isProducing: true) == .breakOff(isRefusal: false))
        #expect(expired(false, false) == .breakOff(isRefusal: false))
        var reading = try Connection(isStreamed: true)
        _ = reading.receive(Self.post + "50\r\n\r\n")
        _ = reading.state.wantsBody()
        _ = reading.receive("1234")
        #expect(
            reading.state.expired(bodyProgress: 4, isProducing: false, clientTakes: { (false, false) })
                == .extend(.body))
        #expect(
            reading.state.expired(bodyProgress: 4, isProducing: false, clientTakes: { (true, true) })
                == .breakOff(isRefusal: false))
    }
}
