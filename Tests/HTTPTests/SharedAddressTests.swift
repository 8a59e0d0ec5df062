import EventLoop
import Testing

@testable import HTTP

@Suite struct `Servers that share an address` {
    private func server(_ thread: LoopThread, _ text: String, at address: ListenAddress) throws -> HTTPServer {
        try thread.perform {
            HTTPServer(
                loop: thread.loop, configuration: HTTPServerConfiguration(address: address),
                refusal: { reason, _ in HTTPResponse(reason.status) },
                handler: { _ in HTTPResponse(.ok, body: Array(text.utf8)) })
        }
    }

    @Test func `answer on their own loops, and let no other server join`() async throws {
        let threads = [try LoopThread(), try LoopThread(), try LoopThread()]
        defer { for thread in threads { thread.stop() } }
        let any = try #require(ListenAddress("127.0.0.1:0"))
        let first = try server(threads[0], "first", at: any)
        let further = try server(threads[1], "further", at: any)
        let address = try threads[0].perform { try first.start(.first) }
        #expect(try threads[1].perform { try further.start(.further(address)) } == address)

        // The kernel distributes connections by their ports. That none of 200 comes to one of two is as likely as 200
        // heads in a row.
        var answers: Set<String> = []
        for _ in 0..<200 {
            let client = try TestClient(port: address.port)
            try client.request()
            answers.insert(try client.answer().body)
        }
        #expect(answers == ["first", "further"])

        for sharing in [AddressSharing.alone, .first] {
            let stranger = try server(threads[2], "stranger", at: address)
            #expect(throws: HTTPServerError.self) { try threads[2].perform { try stranger.start(sharing) } }
        }
        for (thread, server) in zip(threads, [first, further]) {
            await Task(executorPreference: thread.loop) { await server.drain(within: .zero) }.value
        }
    }

    @Test func `know an address that the system chose before they listen there, and nobody else gets it`() async throws
    {
        let threads = [try LoopThread(), try LoopThread()]
        defer { for thread in threads { thread.stop() } }
        let reservation = try AddressReservation(try #require(ListenAddress("127.0.0.1:0")))
        let address = reservation.address
        #expect(address.port != 0)
        for sharing in [AddressSharing.alone, .first] {
            let stranger = try server(threads[1], "stranger", at: address)
            #expect(throws: HTTPServerError.self) { try threads[1].perform { try stranger.start(sharing) } }
        }
        let server = try server(threads[0], "server", at: address)
        #expect(try threads[0].perform { try server.start(.further(address)) } == address)
        // The reservation takes no connection.
        for _ in 0..<20 {
            let client = try TestClient(port: address.port)
            try client.request()
            #expect(try client.answer().body == "server")
        }
        withExtendedLifetime(reservation) {}
        await Task(executorPreference: threads[0].loop) { await server.drain(within: .zero) }.value
    }

    @Test func `count the connections of an address together`() {
        let limit = ConnectionLimit(most: 2)
        #expect([limit.enter("a"), limit.enter("a"), limit.enter("a"), limit.enter("b")] == [true, true, false, true])
        limit.leave("a")
        #expect([limit.enter("a"), limit.enter("a")] == [true, false])
    }
}
