import Foundation
import Glibc
import HTTP
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A streamed request body` {
    private static let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 64 << 10)

    /// A server that streams POST bodies of up to a megabyte; `handler` gets the body's reader.
    private func withReading(
        _ configure: (inout HTTPServerConfiguration) -> Void = { _ in },
        handler: @escaping @Sendable (HTTPRequest, HTTPBodyReader) async -> HTTPResponse,
        _ body: (TestServer) async throws -> Void
    ) async throws {
        try await withServer {
            $0.bodyRule = { method, _ in method == .post ? HTTPBodyRule(maximum: 1 << 20, isStreamed: true) : nil }
            $0.bodyTimeout = .seconds(120)
            configure(&$0)
        } handler: { request in
            guard let reader = request.reader else { return await echo(request) }
            return await handler(request, reader)
        } _: { server in
            try await body(server)
        }
    }

    /// Reads the whole body and answers with its size.
    @Sendable private static func count(_ request: HTTPRequest, _ reader: HTTPBodyReader) async -> HTTPResponse {
        var count = 0
        do throws(HTTPBodyError) {
            while let piece = try await reader.next() { count += piece.count }
            return HTTPResponse(.ok, body: Array("\(count)".utf8))
        } catch {
            return HTTPResponse(.contentTooLarge, body: Array("\(error)".utf8))
        }
    }

    @Test(arguments: [0, 1, 1000, 300_000, 1 << 20])
    func `arrives whole when its length is declared, and the connection stays open`(length: Int) async throws {
        try await withReading(handler: Self.count) { server in
            let client = try server.connect()
            for _ in 0..<3 {
                try client.post(body: String(repeating: "y", count: length))
                #expect(try client.answer().body == "\(length)")
            }
            try client.request("GET", "/after")
            #expect(try client.answer().body == "GET /after  ")
        }
    }

    @Test func `arrives byte for byte`() async throws {
        try await withReading(handler: { _, reader in
            var body: [UInt8] = []
            while let piece = try? await reader.next() { body += piece }
            return HTTPResponse(.ok, body: body)
        }) { server in
            let text = (0..<100_000).map { "\($0) " }.joined()
            let client = try server.connect()
            try client.post(body: text)
            #expect(try client.answer().body == text)
        }
    }

    @Test func `arrives whole in chunks of any size`() async throws {
        try await withReading(handler: Self.count) { server in
            let client = try server.connect()
            for _ in 0..<2 {
                try client.request("POST", "/", "Transfer-Encoding: chunked")
                try client.send("5\r\nHello\r\n7;name=value\r\n, world\r\n")
                for _ in 0..<8 {
                    try client.send("10000\r\n")
                    try client.send(Self.piece)
                    try client.send("\r\n")
                }
                try client.send("0\r\nX-Trailer: 1\r\n\r\n")
                #expect(try client.answer().body == "\(12 + 8 * Self.piece.count)")
            }
            try client.request("POST", "/", "Transfer-Encoding: chunked")
            try client.send("0\r\n\r\n")
            #expect(try client.answer().body == "0")
        }
    }

    @Test func `may arrive one byte at a time, like the head before it`() async throws {
        try await withReading(handler: Self.count) { server in
            let client = try server.connect()
            for byte in "POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nHello".utf8 {
                try client.send([byte])
                await Task.yield()
            }
            #expect(try client.answer().body == "5")
        }
    }

    @Test func `reaches the handler before it is complete`() async throws {
        let first = Gate()
        try await withReading(handler: { request, reader in
            _ = try? await reader.next()
            first.open()
            return await Self.count(request, reader)
        }) { server in
            let client = try server.connect()
            try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n01234")
            await first.pass()
            try client.send("56789")
            #expect(try client.answer().body == "5")
        }
    }

    @Test func `is read no faster than the handler consumes it, so it needs little memory`() async throws {
        let gate = Gate()
        let sent = Atomic(0)
        try await withReading {
            $0.bodyRule = { _, _ in HTTPBodyRule(maximum: 100 << 20, isStreamed: true) }
        } handler: { request, reader in
            _ = try? await reader.next()
            await gate.pass()
            return await Self.count(request, reader)
        } _: { server in
            let client = try server.connect()
            let total = 64 << 20
            try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(total)\r\n\r\n")
            // On a thread of its own, which uses the client until everything is sent.
            nonisolated(unsafe) let sender = client
            let isSent = Gate()
            Thread {
                for _ in 0..<(total / Self.piece.count) {
                    guard (try? sender.send(Self.piece)) != nil else { break }
                    sent.add(Self.piece.count, ordering: .relaxed)
                }
                isSent.open()
            }.start()
            var before = -1
            while before != sent.load(ordering: .relaxed) || before == 0 {
                before = sent.load(ordering: .relaxed)
                try await Task.sleep(for: .milliseconds(300))
            }
            #expect(before < total / 2)
            gate.open()
            await isSent.pass()
            #expect((Int(try client.answer().body) ?? 0) > total - (1 << 20))
        }
    }

    @Test func `is not requested with 100 Continue before the handler reads it`() async throws {
        let gate = Gate()
        try await withReading(handler: { request, reader in
            if request.path == "/refused" { return HTTPResponse(.forbidden) }
            await gate.pass()
            return await Self.count(request, reader)
        }) { server in
            let client = try server.connect()
            try client.request("POST", "/wanted", "Expect: 100-continue", "Content-Length: 4")
            try await server.waits { $0.requestsInFlight == 1 }
            gate.open()
            #expect(try client.answer(hasBody: false).status == 100)
            try client.send("body")
            #expect(try client.answer().body == "4")
            try client.request("POST", "/refused", "Expect: 100-continue", "Content-Length: 1000000")
            #expect(try client.answer().status == 403)
            try client.waitForClose()
        }
    }

    @Test func `need not be sent whole if the handler answers without reading it`() async throws {
        try await withReading(handler: { _, _ in HTTPResponse(.forbidden, body: Array("no".utf8)) }) { server in
            let client = try server.connect()
            try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n")
            try client.send(Self.piece)
            let answer = try client.answer()
            #expect(answer.status == 403)
            #expect(answer.body == "no")
            try client.waitForClose()
        }
    }

    @Test func `sent in full after an early answer does not lose that answer`() async throws {
        try await withReading(handler: { _, _ in HTTPResponse(.forbidden, body: Array("no".utf8)) }) { server in
            for _ in 0..<20 {
                let client = try server.connect()
                try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n")
                // Send everything before reading the answer: a reset would discard the answer.
                for _ in 0..<15 { try client.send(Self.piece) }
                try await server.waits { $0.openConnections == 0 }
                #expect(try client.answer().status == 403)
            }
        }
    }

    @Test func `is drained after the handler answers halfway, and the connection stays open`() async throws {
        try await withReading(handler: { _, reader in
            _ = try? await reader.next()
            return HTTPResponse(.forbidden, body: Array("enough".utf8))
        }) { server in
            let client = try server.connect()
            for _ in 0..<2 {
                try client.post(body: String(repeating: "y", count: 900_000))
                #expect(try client.answer().body == "enough")
            }
            try client.request("GET", "/after")
            #expect(try client.answer().body == "GET /after  ")
        }
    }

    @Test func `is refused at once if its declared length exceeds the limit`() async throws {
        try await withReading(handler: Self.count) { server in
            let client = try server.connect()
            try client.request("POST", "/", "Content-Length: \(1 << 20 + 1)")
            #expect(try client.answer().body.hasPrefix("bodyTooLarge(limit: 1048576)"))
            try client.waitForClose()
            #expect(await server.metrics.requests == 0)
        }
    }

    @Test func `throws an error in the handler if its chunks exceed the limit`() async throws {
        try await withReading(handler: Self.count) { server in
            let client = try server.connect()
            try client.request("POST", "/", "Transfer-Encoding: chunked")
            for _ in 0..<17 {
                try client.send("10000\r\n")
                try client.send(Self.piece)
                try client.send("\r\n")
            }
            try client.send("0\r\n\r\n")
            let answer = try client.answer()
            #expect(answer.status == 413)
            #expect(answer.body == "tooLarge(limit: 1048576)")
            try client.post(body: "short")
            #expect(try client.answer().body == "5")
        }
    }

    @Test func `is cut off if it continues without end after a refusal`() async throws {
        try await withReading(handler: Self.count) { server in
            let client = try server.connect()
            try client.request("POST", "/", "Transfer-Encoding: chunked")
            #expect(throws: TestClient.Failure.self) {
                for _ in 0..<10_000 {
                    try client.send("10000\r\n")
                    try client.send(Self.piece)
                    try client.send("\r\n")
                }
            }
            try await server.waits { $0.openConnections == 0 && $0.requestsInFlight == 0 }
        }
    }

    @Test(arguments: [0, 3, 500_000], [true, false])
    func `throws an error in the handler if the client disconnects`(sent: Int, resets: Bool) async throws {
        let (started, seen) = (Gate(), Gate())
        try await withReading(handler: { _, reader in
            do throws(HTTPBodyError) {
                started.open()
                while try await reader.next() != nil {}
            } catch {
                if error == .interrupted { seen.open() }
            }
            return HTTPResponse(.ok)
        }) { server in
            let client = try server.connect()
            try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 600000\r\n\r\n")
            try client.send([UInt8](repeating: 0, count: sent))
            await started.pass()
            if resets { client.reset() } else { client.close() }
            await seen.pass()
            try await server.waits { $0.openConnections == 0 && $0.requestsInFlight == 0 }
        }
    }

    @Test func `throws an error if the client closes its sending side`() async throws {
        let seen = Gate()
        try await withReading(handler: { _, reader in
            do throws(HTTPBodyError) {
                while try await reader.next() != nil {}
            } catch {
                seen.open()
            }
            return HTTPResponse(.ok)
        }) { server in
            let client = try server.connect()
            try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 600000\r\n\r\nabc")
            client.finishSending()
            await seen.pass()
            try client.waitForClose()
            try await server.waits { $0.requestsInFlight == 0 }
        }
    }

    @Test func `is cut off if it arrives too slowly`() async throws {
        let seen = Gate()
        try await withReading {
            $0.bodyTimeout = .milliseconds(300)
            $0.bodyProgress = 1000
        } handler: { _, reader in
            do throws(HTTPBodyError) {
                while try await reader.next() != nil {}
            } catch {
                seen.open()
            }
            return HTTPResponse(.ok)
        } _: { server in
            let client = try server.connect()
            try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 600000\r\n\r\n")
            do {
                while true {
                    try client.send("y")
                    try await Task.sleep(for: .milliseconds(10))
                }
            } catch TestClient.Failure.system("send", _) {}
            await seen.pass()
            try await server.waits { $0.openConnections == 0 && $0.requestsInFlight == 0 }
        }
    }

    @Test func `may take longer in total than the request time-out`() async throws {
        try await withReading {
            $0.requestTimeout = .seconds(2)
            $0.bodyTimeout = .seconds(30)
            $0.bodyProgress = 1000
        } handler: {
            await Self.count($0, $1)
        } _: { server in
            let client = try server.connect()
            try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n")
            // On a thread of its own: the pool's threads may be busy with other tests for longer than the server waits.
            nonisolated(unsafe) let sender = client
            try await onThread {
                Result {
                    for _ in 0..<20 {
                        try sender.send(String(repeating: "y", count: 5000))
                        usleep(200_000)
                    }
                }
            }.get()
            #expect(try client.answer().body == "100000")
        }
    }

    @Test func `is cut off if the handler takes too long between reads, and the handler is cancelled`() async throws {
        let cancelled = Gate()
        try await withReading {
            $0.handlerTimeout = .milliseconds(100)
        } handler: { _, reader in
            _ = try? await reader.next()
            try? await Task.sleep(for: .seconds(3600))
            cancelled.open()
            return HTTPResponse(.ok)
        } _: { server in
            let client = try server.connect()
            try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n")
            try? client.send([UInt8](repeating: 0, count: 1_000_000))
            await cancelled.pass()
            try client.waitForClose()
            try await server.waits { $0.openConnections == 0 && $0.requestsInFlight == 0 }
        }
    }

    @Test func `gets a time-out answer if the handler takes too long before reading it`() async throws {
        try await withReading {
            $0.handlerTimeout = .milliseconds(100)
        } handler: { _, _ in
            try? await Task.sleep(for: .seconds(3600))
            return HTTPResponse(.ok)
        } _: { server in
            let client = try server.connect()
            try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n")
            let answer = try client.answer()
            #expect(answer.status == 503)
            #expect(answer.body.hasPrefix("timedOut"))
            try client.waitForClose()
        }
    }

    @Test func `is read to its end by a draining server`() async throws {
        let started = Gate()
        try await withReading(handler: { request, reader in
            started.open()
            return await Self.count(request, reader)
        }) { server in
            let client = try server.connect()
            try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n01234")
            await started.pass()
            async let drained: Void = server.drain(within: .seconds(60))
            while (try? server.connect()) != nil { try await Task.sleep(for: .milliseconds(1)) }
            try client.send("56789")
            let answer = try client.answer()
            #expect(answer.body == "10")
            #expect(answer["Connection"] == "close")
            await drained
        }
    }

    /// Covers every state of a body: not requested, awaited, waiting for the handler, and being discarded.
    @Test(arguments: ["/unasked", "/awaited", "/full", "/discarded"])
    func `is cut off when the server's drain time-out is over`(path: String) async throws {
        let (started, seen, never) = (Gate(), Gate(), Gate())
        try await withReading(handler: { request, reader in
            switch request.path {
            case "/unasked":
                started.open()
                await never.pass()
            case "/full":
                _ = try? await reader.next()
                started.open()
                await never.pass()
            case "/discarded":
                _ = try? await reader.next()
                started.open()
                return HTTPResponse(.forbidden)
            default:
                started.open()
                while (try? await reader.next()) ?? nil != nil {}
                seen.open()
            }
            return HTTPResponse(.ok)
        }) { server in
            let client = try server.connect()
            try client.send("POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n")
            try client.send([UInt8](repeating: 0, count: 400_000))
            await started.pass()
            try await Task.sleep(for: .milliseconds(50))
            await server.drain(within: .milliseconds(20))
            if path == "/awaited" { await seen.pass() }
            try client.waitForClose()
            let metrics = await server.metrics
            #expect(metrics.requestsInFlight == 0)
            #expect(metrics.openConnections == 0)
            never.open()
        }
    }

    @Test func `can be read on many connections at once`() async throws {
        try await withReading(handler: Self.count) { server in
            try await withThrowingTaskGroup(of: String.self) { group in
                for number in 0..<30 {
                    group.addTask {
                        let client = try server.connect()
                        try client.post(body: String(repeating: "y", count: number * 20_000))
                        return try client.answer().body
                    }
                }
                var bodies: Set<String> = []
                for try await body in group { bodies.insert(body) }
                #expect(bodies == Set((0..<30).map { "\($0 * 20_000)" }))
            }
        }
    }
}
