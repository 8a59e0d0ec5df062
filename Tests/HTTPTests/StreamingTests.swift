import Foundation
import Glibc
import HTTP
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A streamed response body` {
    /// An answer whose body `produce` writes.
    private func streamed(
        length: Int? = nil, _ produce: @escaping @Sendable (HTTPBodyWriter) async throws -> Void
    ) -> HTTPResponse {
        HTTPResponse(
            .ok, headers: ["Content-Type": "text/plain"], body: .stream(length: length, produce: produce))
    }

    private struct Broken: Error {}

    private static let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 64 << 10)

    @Test func `arrives whole in chunks, and the connection stays open`() async throws {
        try await withServer(
            handler: { request in
                guard request.path == "/stream" else { return await echo(request) }
                return streamed { body in
                    for number in 1...100 { try await body.write(Array("\(number) ".utf8)) }
                    try await body.write(Self.piece)
                    try await body.write([])
                }
            },
            { server in
                let client = try server.connect()
                for _ in 0..<3 {
                    try client.request("GET", "/stream")
                    let answer = try client.answer()
                    #expect(answer.status == 200)
                    #expect(answer["Transfer-Encoding"] == "chunked")
                    #expect(answer["Content-Type"] == "text/plain")
                    #expect(answer.body.hasPrefix("1 2 3 "))
                    #expect(answer.body.hasSuffix("99 100 " + String(decoding: Self.piece, as: UTF8.self)))
                    try client.request("GET", "/after")
                    #expect(try client.answer().body == "GET /after  ")
                }
            })
    }

    @Test func `declares its length if that is known`() async throws {
        try await withServer(
            handler: { _ in
                streamed(length: 10) { body in
                    try await body.write(Array("01234".utf8))
                    try await body.write(Array("56789".utf8))
                }
            },
            { server in
                let client = try server.connect()
                for _ in 0..<2 {
                    try client.request()
                    let answer = try client.answer()
                    #expect(answer["Content-Length"] == "10")
                    #expect(answer["Transfer-Encoding"] == nil)
                    #expect(answer.body == "0123456789")
                }
            })
    }

    @Test func `may be empty`() async throws {
        try await withServer(
            handler: { _ in streamed { _ in } },
            { server in
                let client = try server.connect()
                for _ in 0..<2 {
                    try client.request()
                    #expect(try client.answer().body == "")
                }
            })
    }

    @Test func `ends by closing the connection if the client does not support chunks`() async throws {
        try await withServer(
            handler: { _ in streamed { try await $0.write(Array("old\n".utf8)) } },
            { server in
                let client = try server.connect()
                try client.send("GET / HTTP/1.0\r\n\r\n")
                #expect(try client.answer(hasBody: false)["Transfer-Encoding"] == nil)
                #expect(try client.line() == "old")
                try client.waitForClose()
            })
    }

    @Test func `is not produced for HEAD, which gets the same header fields`() async throws {
        let started = Atomic(0)
        try await withServer(
            handler: { request in
                streamed(length: request.path == "/known" ? 5 : nil) { body in
                    started.add(1, ordering: .relaxed)
                    try await body.write(Array("12345".utf8))
                }
            },
            { server in
                let client = try server.connect()
                try client.request("HEAD", "/known")
                #expect(try client.answer(hasBody: false)["Content-Length"] == "5")
                #expect(started.load(ordering: .relaxed) == 0)
                try client.request("GET", "/known")
                #expect(try client.answer().body == "12345")
                try client.request("HEAD", "/unknown")
                #expect(try client.answer(hasBody: false)["Content-Type"] == "text/plain")
                #expect(throws: TestClient.Failure.self) { try client.line() }
                #expect(started.load(ordering: .relaxed) == 1)
            })
    }

    @Test func `is sent piece by piece, while the producer makes the next`() async throws {
        let gates = (0..<3).map { _ in Gate() }
        try await withServer(
            handler: { _ in
                streamed { body in
                    for (number, gate) in gates.enumerated() {
                        await gate.pass()
                        try await body.write(Array("piece \(number)".utf8))
                    }
                }
            },
            { server in
                let client = try server.connect()
                try client.request()
                #expect(try client.answer(hasBody: false).status == 200)
                for (number, gate) in gates.enumerated() {
                    gate.open()
                    #expect(try client.chunk() == Array("piece \(number)".utf8))
                }
                #expect(try client.chunk() == [])
            })
    }

    @Test func `is produced no faster than it is read, so it needs little memory`() async throws {
        let total = 50 << 20
        let written = Atomic(0)
        try await withServer(
            handler: { _ in
                streamed { body in
                    for _ in 0..<(total / Self.piece.count) {
                        try await body.write(Self.piece)
                        written.add(Self.piece.count, ordering: .relaxed)
                    }
                }
            },
            { server in
                let client = try server.connect()
                try client.request()
                #expect(try client.answer(hasBody: false).status == 200)
                // Until the sockets are full: they hold what the kernel gives them, and no more.
                var before = -1
                while before != written.load(ordering: .relaxed) {
                    before = written.load(ordering: .relaxed)
                    try await Task.sleep(for: .milliseconds(200))
                }
                #expect(before < total / 2)
                var read = 0
                while case let chunk = try client.chunk(), !chunk.isEmpty { read += chunk.count }
                #expect(read == total)
            })
    }

    @Test func `is at most a few hundred kilobytes ahead of a reader that has stopped reading`() async throws {
        let written = Atomic(0)
        try await withServer(
            handler: { _ in
                streamed(length: 50 << 20) { body in
                    while true {
                        try await body.write(Self.piece)
                        written.add(Self.piece.count, ordering: .relaxed)
                    }
                }
            },
            { server in
                let client = try TestClient(port: server.address.port, window: 64 << 10)
                try client.request()
                #expect(try client.answer(hasBody: false).status == 200)
                var read = 0
                while read < 10 << 20 { read += try client.some().count }
                var before = -1
                while before != written.load(ordering: .relaxed) {
                    before = written.load(ordering: .relaxed)
                    try await Task.sleep(for: .milliseconds(200))
                }
                // The kernel's unsent bytes, the buffer of the client's kernel, and the piece being produced.
                #expect(before - read < 512 << 10)
            })
    }

    @Test func `is cancelled when the reader disconnects`() async throws {
        let cancelled = Gate()
        try await withServer(
            handler: { _ in
                streamed { body in
                    do {
                        while true { try await body.write(Self.piece) }
                    } catch {
                        if Task.isCancelled { cancelled.open() }
                        throw error
                    }
                }
            },
            { server in
                let client = try server.connect()
                try client.request()
                #expect(try client.answer(hasBody: false).status == 200)
                client.reset()
                await cancelled.pass()
                try await server.waits { $0.openConnections == 0 }
            })
    }

    @Test func `is cancelled at the next piece if the reader disconnected between two pieces`() async throws {
        let (gate, cancelled) = (Gate(), Gate())
        try await withServer(
            handler: { _ in
                streamed { body in
                    try await body.write(Array("hello".utf8))
                    await gate.pass()
                    do {
                        while true { try await body.write(Array("anybody there?".utf8)) }
                    } catch {
                        cancelled.open()
                    }
                }
            },
            { server in
                let client = try server.connect()
                try client.request()
                #expect(try client.answer(hasBody: false).status == 200)
                #expect(try client.chunk() == Array("hello".utf8))
                client.reset()
                gate.open()
                await cancelled.pass()
                try await server.waits { $0.openConnections == 0 }
            })
    }

    @Test(arguments: [nil, 1 << 20]) func `is cut off if its producer fails`(length: Int?) async throws {
        try await withServer(
            handler: { _ in
                streamed(length: length) { body in
                    try await body.write(Array("so far".utf8))
                    throw Broken()
                }
            },
            { server in
                let client = try server.connect()
                try client.request()
                #expect(throws: TestClient.Failure.self) { try client.answer() }
                try await server.waits { $0.openConnections == 0 }
                let other = try server.connect()
                try other.request()
                #expect(throws: TestClient.Failure.self) { try other.answer() }
            })
    }

    @Test func `is cut off if it is shorter than declared`() async throws {
        try await withServer(
            handler: { _ in streamed(length: 10) { try await $0.write(Array("short".utf8)) } },
            { server in
                let client = try server.connect()
                try client.request()
                #expect(throws: TestClient.Failure.self) { try client.answer() }
            })
    }

    @Test func `is truncated to its declared length`() async throws {
        let cancelled = Gate()
        try await withServer(
            handler: { _ in
                streamed(length: 5) { body in
                    do {
                        while true { try await body.write(Array("longer".utf8)) }
                    } catch {
                        cancelled.open()
                    }
                }
            },
            { server in
                let client = try server.connect()
                for _ in 0..<2 {
                    try client.request()
                    #expect(try client.answer().body == "longe")
                }
                await cancelled.pass()
            })
    }

    @Test func `is cut off if its producer takes too long, and the producer is cancelled`() async throws {
        let cancelled = Gate()
        try await withServer {
            $0.handlerTimeout = .milliseconds(100)
        } handler: { _ in
            streamed { body in
                try await body.write(Array("so far".utf8))
                try? await Task.sleep(for: .seconds(3600))
                cancelled.open()
                try await body.write(Array("too late".utf8))
            }
        } _: { server in
            let client = try server.connect()
            try client.request()
            #expect(throws: TestClient.Failure.self) { try client.answer() }
            await cancelled.pass()
            try await server.waits { $0.openConnections == 0 }
        }
    }

    @Test func `may take longer in total than its producer may take for one piece`() async throws {
        try await withServer {
            $0.handlerTimeout = .seconds(2)
            $0.idleTimeout = .seconds(2)
        } handler: { _ in
            streamed { body in
                for number in 0..<10 {
                    // A task's sleep would end on a thread of the pool, and those may all be busy with other tests.
                    await onThread { _ = usleep(300_000) }
                    try await body.write(Array("\(number)".utf8))
                }
            }
        } _: { server in
            let client = try server.connect()
            try client.request()
            #expect(try client.answer().body == "0123456789")
        }
    }

    @Test func `is cancelled if the client does not read`() async throws {
        let cancelled = Gate()
        try await withServer {
            $0.idleTimeout = .milliseconds(300)
        } handler: { _ in
            streamed { body in
                do {
                    while true { try await body.write(Self.piece) }
                } catch {
                    cancelled.open()
                }
            }
        } _: { server in
            let client = try server.connect()
            try client.request()
            await cancelled.pass()
            try await server.waits { $0.openConnections == 0 }
            client.close()
        }
    }

    @Test func `may take any time as long as the client keeps reading`() async throws {
        try await withServer {
            $0.idleTimeout = .seconds(2)
        } handler: { _ in
            streamed { body in
                for _ in 0..<640 { try await body.write(Self.piece) }
            }
        } _: { server in
            // Forty megabytes in four seconds or more, of which the server's kernel buffers some four at a time: the
            // client reads something in every small part of the two seconds. On a thread of its own: the pool's threads
            // may all be busy with other tests, and a reader that waits for one of them stops reading.
            let read = try await onThread { Result { try Self.readSlowly(from: server) } }.get()
            #expect(read == 40 << 20)
        }
    }

    @Test func `may be read slowly once the kernel has all of it, and the connection stays open`() async throws {
        let body = [UInt8](repeating: UInt8(ascii: "x"), count: 100 << 10)
        try await withServer {
            $0.idleTimeout = .seconds(2)
        } handler: { _ in
            HTTPResponse(.ok, body: body)
        } _: { server in
            let read = try await onThread {
                Result {
                    let client = try TestClient(port: server.address.port, window: 4 << 10)
                    try client.request()
                    _ = try client.answer(hasBody: false)
                    var read = 0
                    // In five seconds or so: the client reads something in every small part of the two seconds.
                    while read < body.count {
                        read += try client.some().count
                        usleep(300_000)
                    }
                    try client.request()
                    #expect(try client.answer(hasBody: false).status == 200)
                    return read
                }
            }.get()
            #expect(read == body.count)
        }
    }

    /// Reads a body in steps of 128 KiB, with pauses; its size.
    private static func readSlowly(from server: TestServer) throws -> Int {
        let client = try TestClient(port: server.address.port, window: 64 << 10)
        try client.request()
        _ = try client.answer(hasBody: false)
        var read = 0
        var pauses = 0
        while case let chunk = try client.chunk(), !chunk.isEmpty {
            read += chunk.count
            guard read / (128 << 10) > pauses else { continue }
            pauses = read / (128 << 10)
            usleep(12_000)
        }
        return read
    }

    @Test func `is completed by a draining server`() async throws {
        let gate = Gate()
        try await withServer(
            handler: { _ in
                streamed { body in
                    try await body.write(Array("begun ".utf8))
                    await gate.pass()
                    try await body.write(Array("and ended".utf8))
                }
            },
            { server in
                let client = try server.connect()
                try client.request()
                #expect(try client.answer(hasBody: false).status == 200)
                #expect(try client.chunk() == Array("begun ".utf8))
                async let drained: Void = server.drain(within: .seconds(60))
                while (try? server.connect()) != nil { try await Task.sleep(for: .milliseconds(1)) }
                gate.open()
                #expect(try client.chunk() == Array("and ended".utf8))
                #expect(try client.chunk() == [])
                await drained
            })
    }

    @Test func `is cut off when the server's drain time-out is over`() async throws {
        let cancelled = (0..<20).map { _ in Gate() }
        let number = Atomic(0)
        try await withServer(
            handler: { request in
                let gate = cancelled[number.add(1, ordering: .relaxed).oldValue]
                return streamed { body in
                    do {
                        try await body.write(Array("begun".utf8))
                        // Some wait for the reader, some for a piece that never comes.
                        while request.path == "/much" { try await body.write(Self.piece) }
                        try await Task.sleep(for: .seconds(3600))
                    } catch {
                        gate.open()
                        throw error
                    }
                }
            },
            { server in
                let clients = try (0..<20).map { _ in try server.connect() }
                for (index, client) in clients.enumerated() {
                    try client.request("GET", index.isMultiple(of: 2) ? "/much" : "/nothing")
                    #expect(try client.answer(hasBody: false).status == 200)
                }
                await server.drain(within: .milliseconds(50))
                for gate in cancelled { await gate.pass() }
                #expect(await server.metrics.openConnections == 0)
                for client in clients { try client.waitForClose() }
            })
    }

    @Test func `does not delay other requests on the loop`() async throws {
        let gate = Gate()
        try await withServer(
            handler: { request in
                guard request.path == "/stream" else { return await echo(request) }
                return streamed { body in
                    while !gate.isOpen { try await body.write(Self.piece) }
                }
            },
            { server in
                let streams = try (0..<10).map { _ in try server.connect() }
                for stream in streams { try stream.request("GET", "/stream") }
                let client = try server.connect()
                for _ in 0..<100 {
                    try client.request()
                    #expect(try client.answer().status == 200)
                }
                gate.open()
                for stream in streams { #expect(try stream.answer().body.allSatisfy { $0 == "x" }) }
            })
    }
}
