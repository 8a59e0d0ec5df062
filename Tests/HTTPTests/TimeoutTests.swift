import HTTP
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A server stops waiting for` {
    @Test(arguments: [
        "", "GET / HT", "GET / HTTP/1.1\r\nHost: a\r\nX-", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nab",
    ])
    func `a request that stops halfway`(beginning: String) async throws {
        try await withServer {
            $0.requestTimeout = .milliseconds(100)
        } _: { server in
            let client = try server.connect()
            try client.send(beginning)
            try client.waitForClose()
            try await server.waits { $0.openConnections == 0 }
            #expect(await server.metrics.requests == 0)
        }
    }

    @Test(arguments: ["GET / HTTP/1.1\r\n", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n"])
    func `a client that sends a little now and then`(beginning: String) async throws {
        try await withServer {
            $0.requestTimeout = .milliseconds(200)
        } _: { server in
            let client = try server.connect()
            try client.send(beginning)
            do {
                while true {
                    try client.send("X: y\r\n")
                    try await Task.sleep(for: .milliseconds(10))
                }
            } catch TestClient.Failure.system("send", _) {}
            try await server.waits { $0.openConnections == 0 }
        }
    }

    @Test func `a client that takes nothing of an answer, although the kernel has taken all of it`() async throws {
        let body = [UInt8](repeating: UInt8(ascii: "x"), count: 100 << 10)
        try await withServer {
            $0.idleTimeout = .milliseconds(100)
        } handler: { _ in
            HTTPResponse(.ok, body: body)
        } _: { server in
            let client = try TestClient(port: server.address.port, window: 4 << 10)
            try client.request()
            try await server.waits { $0.openConnections == 1 }
            try await server.waits { $0.openConnections == 0 }
            client.close()
        }
    }

    @Test func `an idle connection`() async throws {
        try await withServer {
            $0.idleTimeout = .milliseconds(100)
        } _: { server in
            let client = try server.connect()
            try client.request()
            #expect(try client.answer().status == 200)
            try client.waitForClose()
        }
    }

    @Test func `a handler that takes too long, and drops its late answer`() async throws {
        let (slow, slowIsOver) = (Gate(), Gate())
        try await withServer {
            $0.handlerTimeout = .seconds(2)
        } handler: { request in
            if request.path == "/slow" {
                await slow.pass()
                slowIsOver.open()
            } else {
                // The late answer arrives while this request is in progress, and must not become its answer. Everything
                // runs on the loop: this request's time-out is running too, and the pool's threads may all be busy with
                // other tests.
                slow.open()
                await slowIsOver.pass()
                for _ in 0..<100 { await Task.yield() }
            }
            return await echo(request)
        } _: { server in
            let client = try server.connect()
            try client.request("GET", "/slow")
            let refused = try client.answer()
            #expect(refused.status == 503)
            #expect(refused.body.hasPrefix("timedOut"))
            #expect(await server.metrics.requestsInFlight == 0)
            try client.request("GET", "/next")
            #expect(try client.answer().body == "GET /next  ")
            let metrics = await server.metrics
            #expect(metrics.refusals == 1)
            #expect(metrics.requests == 2)
            #expect(metrics.requestsInFlight == 0)
        }
    }

    @Test func `a slow handler, which is cancelled`() async throws {
        let cancelled = Gate()
        try await withServer {
            $0.handlerTimeout = .milliseconds(100)
        } handler: { request in
            try? await Task.sleep(for: .seconds(3600))
            cancelled.open()
            return await echo(request)
        } _: { server in
            let client = try server.connect()
            try client.request("GET", "/slow")
            #expect(try client.answer().status == 503)
            await cancelled.pass()
        }
    }
}
