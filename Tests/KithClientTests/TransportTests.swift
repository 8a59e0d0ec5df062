import Foundation
import Testing

@testable import KithClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("The transport") struct TransportTests {
    /// Nothing listens on port 1.
    private let refused = URLRequest(url: URL(fileURLWithPath: "/"), refusing: "http://127.0.0.1:1/")

    /// With `URLSessionTask.cancel()` at any time, the Foundation of Linux ends the process in one of a few hundred
    /// tries.
    @Test(arguments: [false, true])
    func `is cancelled at any moment of a connection that is refused`(inPieces: Bool) async {
        let transport = HTTPTransport()
        for _ in 0..<500 {
            let sending = Task {
                if inPieces {
                    _ = try await transport.open(refused, after: refused)
                } else {
                    _ = try await transport.send(refused)
                }
            }
            for _ in 0..<Int.random(in: 0...20) { await Task.yield() }
            sending.cancel()
            await #expect { try await sending.value } throws: { $0 is CancellationError || $0 is URLError }
        }
    }

    @Test func `tells cancellation from failure`() async {
        let transport = HTTPTransport()
        await #expect(throws: URLError.self) { try await transport.send(refused) }
        let sending = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await transport.send(refused)
        }
        await #expect(throws: CancellationError.self) { try await sending.value }
    }

    /// A stream that resumed its reader under its lock, for which the cancellation waits, would stop both for ever.
    @Test(.timeLimit(.minutes(10))) func `lets a reader be cancelled at the moment at which bytes arrive`() async throws
    {
        let session = HTTPSession()
        let url = try #require(URL(string: "http://127.0.0.1:9/"))
        let task = session.task(for: URLRequest(url: url))
        for _ in 0..<5000 {
            let stream = ByteStream(session: session, task: task)
            let reading = Task { try await stream.next() }
            for _ in 0..<Int.random(in: 0...3) { await Task.yield() }
            let arriving = Task.detached { stream.arrived(Data("a".utf8)) }
            reading.cancel()
            await arriving.value
            _ = try? await reading.value
            stream.ended(nil)
        }
    }

    @Test func `gives a reader as many bytes as it waits for, and the rest at the end`() async throws {
        let session = HTTPSession()
        let url = try #require(URL(string: "http://127.0.0.1:9/"))
        let stream = ByteStream(session: session, task: session.task(for: URLRequest(url: url)))
        stream.arrived(Data("ab".utf8))
        async let whole = stream.next(atLeast: 4)
        await Task.yield()
        stream.arrived(Data("cd".utf8))
        let first = try await whole
        #expect(first == Data("abcd".utf8))
        async let rest = stream.next(atLeast: 4)
        stream.arrived(Data("ef".utf8))
        await Task.yield()
        stream.ended(nil)
        let last = try await rest
        #expect(last == Data("ef".utf8))
        #expect(try await stream.next() == nil)
    }
}

#if canImport(FoundationNetworking)
    /// On Linux, all sessions of a process read their sockets on one queue. It must not wait for a reader, nor for
    /// somebody who waits for it.
    @Suite(.timeLimit(.minutes(10))) struct `A response that is read in pieces` {
        private func open(_ server: EndlessServer) async throws -> StreamedAnswer {
            try await HTTPTransport().open(
                URLRequest(url: server.url.appending(path: "endless")), after: URLRequest(url: server.url))
        }

        @Test func `holds up no other request when nobody reads it`() async throws {
            let server = try EndlessServer()
            let answer = try await open(server)
            while server.sent < ByteStream.room { try await Task.sleep(for: .milliseconds(1)) }
            let other = try await HTTPTransport().send(URLRequest(url: server.url))
            #expect(other.status == 200)
            // A reader that reads before the connection has ended goes on reading.
            while server.responses == 0 { try await Task.sleep(for: .milliseconds(1)) }
            await #expect(throws: ByteStream.Overrun.self) { while try await answer.body.next() != nil {} }
        }

        /// An upload from a file, as Foundation sends it on Linux, ends the process in one of ten such cancellations.
        @Test func `is cancelled at any moment of an upload, and the next one arrives`() async throws {
            let server = try EndlessServer()
            let file = FileManager.default.temporaryDirectory.appending(path: "kith-upload-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: file) }
            let size = 1 << 20
            try Data(repeating: 7, count: size).write(to: file)
            var request = URLRequest(url: server.url.appending(path: "upload"))
            request.httpMethod = "POST"
            let (upload, first) = (request, URLRequest(url: server.url))
            let transport = HTTPTransport()
            for _ in 0..<500 {
                let (moment, sent) = (Int64.random(in: 0...Int64(size)), Promise<Void>())
                let sending = Task {
                    defer { sent.resolve(.success(())) }
                    _ = try await transport.open(upload, after: first, file: file) {
                        if $0 >= moment { sent.resolve(.success(())) }
                    }
                }
                // Before anything is sent, or when some of it has been.
                if moment.isMultiple(of: 8) {
                    for _ in 0..<Int.random(in: 0...20) { await Task.yield() }
                } else {
                    try await sent.value()
                }
                sending.cancel()
                _ = await sending.result
            }
            let seen = Locked<Int64>(0)
            let answer = try await transport.open(upload, after: first, file: file) { sent in
                seen.withLock { $0 = sent }
            }
            #expect(answer.status == 200)
            #expect(seen.withLock { $0 } == Int64(size), "the progress is told")
            #expect(server.bodies.last == size)
        }

        @Test func `is kept no further while the end of its connection waits for the session`() {
            let queue = DelegateQueue(isNarrow: true)
            let (began, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let made = Locked<[Int]>([])
            queue.addCancellation {
                began.signal()
                goesOn.wait()
            }
            began.wait()
            for piece in 0..<100 { queue.addOperation { made.withLock { $0.append(piece) } } }
            #expect(made.withLock { $0 } == Array(0..<100 - DelegateQueue.most))
            goesOn.signal()
            queue.waitUntilAllOperationsAreFinished()
            #expect(made.withLock { $0 } == Array(0..<100))
        }

        @Test func `ends its connection when nobody wants it, however fast it arrives`() async throws {
            let server = try EndlessServer()
            for round in 0..<12 {
                var answer: StreamedAnswer? = try await open(server)
                // Somebody who has read something lets go while the session is busy, and somebody else while it waits
                // for them.
                if round.isMultiple(of: 2) { _ = try await answer?.body.next() }
                if round.isMultiple(of: 3) {
                    while server.sent < ByteStream.room { try await Task.sleep(for: .milliseconds(1)) }
                }
                answer = nil
                while server.responses <= round { try await Task.sleep(for: .milliseconds(1)) }
            }
        }
    }
#endif

extension URLRequest {
    fileprivate init(url: URL, refusing text: String) {
        self.init(url: URL(string: text) ?? url)
    }
}

@Suite("A promise") struct PromiseTests {
    @Test func `is kept once, for everybody who waits`() async throws {
        let promise = Promise<Int>()
        async let first = promise.value()
        async let second = promise.value()
        promise.resolve(.success(1))
        promise.resolve(.success(2))
        #expect(try await [first, second, promise.value()] == [1, 1, 1])
    }

    @Test func `does not hold up who is cancelled`() async throws {
        let promise = Promise<Int>()
        let (one, other) = (Task { try await promise.value() }, Task { try await promise.value() })
        one.cancel()
        await #expect(throws: CancellationError.self) { try await one.value }
        promise.resolve(.success(1))
        #expect(try await other.value == 1)
    }
}
