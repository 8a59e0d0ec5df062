import EventLoop
import HTTP
import Synchronization
import Testing

/// The streams that a server has begun, in order, and the number of them that have ended.
private final class Streams: Sendable {
    private struct State {
        var begun: [HTTPEventStream] = []
        var ended = 0
        var drained = 0
    }

    private let state = Mutex(State())

    /// Answers `/events` with a stream, and anything else with an echo of the request.
    @Sendable func answer(_ request: HTTPRequest) async -> HTTPResponse {
        guard request.path == "/events" else { return await echo(request) }
        return HTTPResponse(
            .ok, headers: ["Content-Type": "text/event-stream"],
            body: .events { [self] stream in
                stream.onEnd = { [self] in state.withLock { $0.ended += 1 } }
                stream.onDrain = { [self] in state.withLock { $0.drained += 1 } }
                state.withLock { $0.begun.append(stream) }
            })
    }

    var begun: [HTTPEventStream] { state.withLock(\.begun) }
    var ended: Int { state.withLock(\.ended) }
    var drained: Int { state.withLock(\.drained) }

    /// Waits until `count` streams have begun; the test's time limit ends a wait in vain.
    func waits(for count: Int) async throws {
        while begun.count < count { try await Task.sleep(for: .milliseconds(2)) }
    }

    /// The stream of that number, once it has begun: its client may have received the head before that.
    func stream(_ number: Int) async throws -> HTTPEventStream {
        try await waits(for: number + 1)
        return begun[number]
    }

    func waits(forEnds count: Int) async throws {
        while ended < count { try await Task.sleep(for: .milliseconds(2)) }
    }
}

extension TestServer {
    /// Sends to a stream; whether the stream is still open.
    @discardableResult
    fileprivate func send(_ text: String, to stream: HTTPEventStream) async -> Bool {
        await onLoop { stream.send(Array(text.utf8)) }
    }
}

@Suite(.timeLimit(.minutes(5))) struct `A stream of events` {
    private let streams = Streams()

    private func withStreams(
        _ configure: (inout HTTPServerConfiguration) -> Void = { _ in }, _ body: (TestServer) async throws -> Void
    ) async throws {
        try await withServer(configure, handler: streams.answer, body)
    }

    @Test func `delivers each event when it is sent, after a head without a length`() async throws {
        try await withStreams { server in
            let client = try server.connect()
            try client.request("GET", "/events", "X-Request-Id: mine")
            let head = try client.answer(hasBody: false)
            #expect(head.status == 200)
            #expect(head["Content-Type"] == "text/event-stream")
            #expect(head["Connection"] == "close")
            #expect(head["X-Request-Id"] == "mine")
            #expect(head["Content-Length"] == nil)
            #expect(head["Transfer-Encoding"] == nil)
            #expect(head["Date"]?.wholeMatch(of: /\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT/) != nil)
            let stream = try await streams.stream(0)
            for text in ["first", "second", "third"] {
                #expect(await server.send("data: \(text)\n", to: stream))
                #expect(try client.line() == "data: \(text)")
            }
            await server.onLoop { stream.end() }
            try client.waitForClose()
            #expect(streams.ended == 1)
            #expect(await server.send("late", to: stream) == false)
        }
    }

    @Test func `no longer counts as a connection of the server`() async throws {
        try await withStreams {
            $0.maximumConnections = 2
            $0.connectionLimit = ConnectionLimit(most: 2)
        } _: { server in
            let clients = try (0..<20).map { _ in
                let client = try server.connect()
                try client.request("GET", "/events")
                #expect(try client.answer(hasBody: false).status == 200)
                return client
            }
            try await streams.waits(for: 20)
            try await server.waits { $0.eventStreams == 20 && $0.openConnections == 0 }
            let other = try server.connect()
            for number in 0..<5 {
                try other.request("GET", "/\(number)")
                #expect(try other.answer().body == "GET /\(number)  ")
            }
            for (number, stream) in streams.begun.enumerated() { await server.send("to \(number)\n", to: stream) }
            for (number, client) in clients.enumerated() { #expect(try client.line() == "to \(number)") }
            #expect(await server.metrics.openConnections == 1)
        }
    }

    @Test func `works for a client that does not support chunks too`() async throws {
        try await withStreams { server in
            let client = try server.connect()
            try client.send("GET /events HTTP/1.0\r\n\r\n")
            #expect(try client.answer(hasBody: false)["Connection"] == "close")
            try await server.send("data\n", to: streams.stream(0))
            #expect(try client.line() == "data")
        }
    }

    @Test func `does not begin for HEAD, which gets the same head`() async throws {
        try await withStreams { server in
            let client = try server.connect()
            try client.request("HEAD", "/events")
            let head = try client.answer(hasBody: false)
            #expect(head.status == 200)
            #expect(head["Content-Type"] == "text/event-stream")
            #expect(head["Content-Length"] == nil)
            try client.waitForClose()
            #expect(streams.begun.isEmpty)
        }
    }

    @Test func `may follow another answer on its connection, and discards what the client sends after it`()
        async throws
    {
        try await withStreams { server in
            let client = try server.connect()
            try client.send(
                """
                GET /one HTTP/1.1\r\nHost: a\r\n\r\nGET /events HTTP/1.1\r\nHost: a\r\n\r\nGET /two \
                HTTP/1.1\r\nHost: a\r\n\r\n
                """
            )
            #expect(try client.answer().body == "GET /one  ")
            #expect(try client.answer(hasBody: false)["Content-Type"] == "text/event-stream")
            try client.request("GET", "/three")
            try await server.send("data\n", to: streams.stream(0))
            #expect(try client.line() == "data")
            await server.onLoop { [streams] in streams.begun[0].end() }
            try client.waitForClose()
            #expect(await server.metrics.requests == 2)
        }
    }

    @Test func `ends if its client sends too much`() async throws {
        try await withStreams { server in
            let client = try server.connect()
            try client.request("GET", "/events")
            try await streams.waits(for: 1)
            // The last bytes may find the connection closed.
            try? client.send([UInt8](repeating: 0, count: 1 << 20))
            try await streams.waits(forEnds: 1)
            try await server.waits { $0.eventStreams == 0 }
        }
    }

    @Test(arguments: [false, true]) func `ends when its client disconnects`(byReset: Bool) async throws {
        try await withStreams { server in
            let client = try server.connect()
            try client.request("GET", "/events")
            try await streams.waits(for: 1)
            if byReset { client.reset() } else { client.close() }
            try await streams.waits(forEnds: 1)
            #expect(await server.metrics.eventStreams == 0)
            #expect(await server.send("data\n", to: streams.begun[0]) == false)
            #expect(streams.ended == 1)
        }
    }

    @Test func `may have been released by its owner before the client disconnects`() async throws {
        try await withServer(
            handler: { _ in
                HTTPResponse(.ok, body: .events { $0.send(Array("begun\n".utf8)) })
            },
            { server in
                for _ in 0..<20 {
                    let client = try server.connect()
                    try client.request()
                    #expect(try client.answer(hasBody: false).status == 200)
                    #expect(try client.line() == "begun")
                    client.reset()
                }
                try await server.waits { $0.eventStreams == 0 }
            })
    }

    @Test func `reaches a slow reader completely as long as the reader does not fall too far behind`() async throws {
        try await withStreams { server in
            let client = try TestClient(port: server.address.port, window: 4096)
            try client.request("GET", "/events")
            let stream = try await streams.stream(0)
            // Until the kernel accepts no more, and so much is left that further acceptance does not matter.
            let piece = String(repeating: "x", count: 999) + "\n"
            var sent = 0
            while await server.onLoop({ stream.backlog }) < HTTPEventStream.room / 2 {
                #expect(await server.send(piece, to: stream))
                sent += 1
            }
            #expect(streams.drained == 0)
            #expect(try client.answer(hasBody: false).status == 200)
            for _ in 0..<sent { #expect(try client.line().utf8.count == 999) }
            while streams.drained == 0 { try await Task.sleep(for: .milliseconds(2)) }
            #expect(await server.onLoop { stream.backlog } == 0)
            await server.send("again\n", to: stream)
            #expect(try client.line() == "again")
        }
    }

    @Test func `ends for a reader that falls too far behind, using no more than its buffer`() async throws {
        try await withStreams { server in
            let client = try TestClient(port: server.address.port, window: 4096)
            try client.request("GET", "/events")
            let stream = try await streams.stream(0)
            let piece = String(repeating: "x", count: 1000)
            var sent = 0
            while await server.send(piece, to: stream) {
                sent += piece.utf8.count
                #expect(await server.onLoop { stream.backlog } <= HTTPEventStream.room)
                // The kernel's buffer is bounded too; otherwise it would accept megabytes.
                #expect(sent < 1 << 20)
            }
            #expect(streams.ended == 1)
            #expect(await server.metrics.eventStreams == 0)
            try client.waitForClose()
        }
    }

    @Test func `ends when the server drains, whatever the drain time-out`() async throws {
        try await withStreams { server in
            let clients = try (0..<10).map { _ in
                let client = try server.connect()
                try client.request("GET", "/events")
                return client
            }
            try await streams.waits(for: 10)
            await server.drain(within: .seconds(60))
            for client in clients { try client.waitForClose() }
            #expect(streams.ended == 10)
        }
    }

    @Test func `does not begin once the server has begun to drain`() async throws {
        let gate = Gate()
        try await withServer(
            handler: { [streams] request in
                await gate.pass()
                return await streams.answer(request)
            },
            { server in
                let client = try server.connect()
                try client.request("GET", "/events")
                try await server.waits { $0.requestsInFlight == 1 }
                async let drained: Void = server.drain(within: .seconds(60))
                while (try? server.connect()) != nil { try await Task.sleep(for: .milliseconds(1)) }
                gate.open()
                #expect(try client.answer().status == 503)
                await drained
                #expect(streams.begun.isEmpty)
            })
    }

    @Test func `does not begin in the middle of a request's body`() async throws {
        try await withStreams {
            $0.bodyRule = { _, _ in HTTPBodyRule(maximum: 1 << 20, isStreamed: true) }
        } _: { server in
            let client = try server.connect()
            try client.send("POST /events HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n")
            try client.waitForClose()
            #expect(streams.begun.isEmpty)
            try await server.waits { $0.openConnections == 0 }
        }
    }

    @Test func `does not begin for a client that disconnected before the answer`() async throws {
        let gate = Gate()
        try await withServer(
            handler: { [streams] request in
                await gate.pass()
                return await streams.answer(request)
            },
            { server in
                let client = try server.connect()
                try client.request("GET", "/events")
                try await server.waits { $0.requestsInFlight == 1 }
                client.reset()
                gate.open()
                try await server.waits { $0.openConnections == 0 && $0.eventStreams == 0 }
            })
    }

    @Test func `works beside hundreds of others, while requests are answered`() async throws {
        try await withStreams { server in
            var clients: [TestClient] = []
            let asking = try server.connect()
            for number in 0..<400 {
                let client = try server.connect()
                try client.request("GET", "/events")
                clients.append(client)
                try asking.request("GET", "/\(number)")
                #expect(try asking.answer().body == "GET /\(number)  ")
            }
            try await streams.waits(for: 400)
            for round in 0..<3 {
                await server.onLoop { [streams] in
                    for stream in streams.begun { stream.send(Array("round \(round)\n".utf8)) }
                }
            }
            for client in clients {
                #expect(try client.answer(hasBody: false).status == 200)
                for round in 0..<3 { #expect(try client.line() == "round \(round)") }
                client.close()
            }
            try await server.waits { $0.eventStreams == 0 }
        }
    }
}
