import EventLoop
import Glibc
import HTTP
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A server that drains` {
    @Test func `answers the requests that it has accepted, then accepts nothing more`() async throws {
        let gate = Gate()
        try await withServer(
            handler: { request in
                await gate.pass()
                return await echo(request)
            },
            { server in
                let clients = try (0..<10).map { _ in try server.connect() }
                for client in clients { try client.request("GET", "/accepted") }
                try await server.waits { $0.requestsInFlight == 10 }
                async let drained: Void = server.drain(within: .seconds(60))
                // Until the socket is closed, a connection may still be accepted.
                while (try? server.connect()) != nil { try await Task.sleep(for: .milliseconds(1)) }
                gate.open()
                for client in clients {
                    let answer = try client.answer()
                    #expect(answer.body == "GET /accepted  ")
                    #expect(answer["Connection"] == "close")
                    try client.waitForClose()
                }
                await drained
                #expect(await server.metrics.openConnections == 0)
            })
    }

    @Test func `closes idle connections`() async throws {
        try await withServer { server in
            let idle = try server.connect()
            try idle.request()
            #expect(try idle.answer().status == 200)
            let silent = try server.connect()
            try await server.waits { $0.openConnections == 2 }
            await server.drain(within: .seconds(60))
            try idle.waitForClose()
            try silent.waitForClose()
        }
    }

    @Test func `answers requests that arrive on idle connections within the grace, and closes these`() async throws {
        try await withServer {
            $0.idleGrace = .seconds(3600)
        } _: { server in
            let pooled = try (0..<2).map { _ in try server.connect() }
            for connection in pooled {
                try connection.request()
                #expect(try connection.answer().status == 200)
            }
            async let drained: Void = server.drain(within: .seconds(7200))
            while (try? server.connect()) != nil { try await Task.sleep(for: .milliseconds(1)) }
            for connection in pooled {
                try connection.request("GET", "/late")
                let answer = try connection.answer()
                #expect(answer.body == "GET /late  ")
                #expect(answer["Connection"] == "close")
                try connection.waitForClose()
            }
            // The server does not wait for the rest of the grace.
            await drained
        }
    }

    @Test func `closes idle connections when the grace is over`() async throws {
        try await withServer {
            $0.idleGrace = .milliseconds(50)
        } _: { server in
            let idle = try server.connect()
            try idle.request()
            #expect(try idle.answer().status == 200)
            await server.drain(within: .seconds(3600))
            try idle.waitForClose()
        }
    }

    @Test func `answers requests that it had not read yet`() async throws {
        try await withServer { server in
            let known = try server.connect()
            try known.request()
            #expect(try known.answer().status == 200)
            // Sent while the loop is busy, so that draining finds them in the sockets and in the accept queue.
            let (entered, sent) = (Gate(), Gate())
            async let drained: Void = server.onLoop {
                entered.open()
                while !sent.isOpen { usleep(1000) }
                await server.server.drain(within: .seconds(60))
            }
            await entered.pass()
            try known.request("GET", "/late")
            let clients = try (0..<50).map { _ in try server.connect() }
            for client in clients { try client.request("GET", "/late") }
            sent.open()
            for client in [known] + clients { #expect(try client.answer().body == "GET /late  ") }
            await drained
        }
    }

    @Test func `answers requests that exceed the drain time-out with 503`() async throws {
        let gate = Gate()
        try await withServer(
            handler: { request in
                await gate.pass()
                return await echo(request)
            },
            { server in
                let clients = try (0..<10).map { _ in try server.connect() }
                for client in clients { try client.request() }
                let slow = try server.connect()
                try slow.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc")
                try await server.waits { $0.requestsInFlight == 10 && $0.openConnections == 11 }
                await server.drain(within: .milliseconds(50))
                for client in clients {
                    let answer = try client.answer()
                    #expect(answer.status == 503)
                    #expect(answer.body.hasPrefix("stopping"))
                    try client.waitForClose()
                }
                try slow.waitForClose()
                let metrics = await server.metrics
                #expect(metrics.requestsInFlight == 0)
                #expect(metrics.openConnections == 0)
                gate.open()
            })
    }

    @Test func `answers a request that arrives at the last moment`() async throws {
        let gate = Gate()
        try await withServer(
            handler: { request in
                if request.method != .options { await gate.pass() }
                return await echo(request)
            },
            { server in
                let clients = try (0..<20).map { _ in try server.connect() }
                for client in clients { try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n") }
                try await server.waits { $0.openConnections == 20 }
                // A request sent after the heads was answered, so the heads have been read.
                let behind = try server.connect()
                try behind.request("OPTIONS")
                #expect(try behind.answer().status == 200)
                behind.close()
                // The bodies arrive while the loop is busy, and the drain time-out is zero.
                let (entered, sent) = (Gate(), Gate())
                async let drained: Void = server.onLoop {
                    entered.open()
                    while !sent.isOpen { usleep(1000) }
                    await server.server.drain(within: .zero)
                }
                await entered.pass()
                for client in clients { try client.send("abc") }
                sent.open()
                await drained
                for client in clients {
                    #expect(try client.answer().status == 503)
                    try client.waitForClose()
                }
                gate.open()
            })
    }

    @Test func `does not affect another server on its loop`() async throws {
        try await withServer { server in
            let other = HTTPServer(
                loop: server.loop,
                configuration: HTTPServerConfiguration(address: try #require(ListenAddress("127.0.0.1:0"))),
                refusal: { reason, _ in HTTPResponse(reason.status) },
                handler: { _ in
                    // As when one server's metrics are requested through another.
                    HTTPResponse(.ok, body: Array("\(server.server.metrics.requests)".utf8))
                })
            let address = try await Task(executorPreference: server.loop) { try other.start() }.value
            let client = try server.connect()
            try client.request()
            #expect(try client.answer().status == 200)
            await server.drain(within: .seconds(60))
            let second = try TestClient(port: address.port)
            try second.request()
            #expect(try second.answer().body == "1")
            await server.onLoop { await other.drain(within: .zero) }
            try second.waitForClose()
        }
    }

    @Test func `may be drained several times`() async throws {
        try await withServer { server in
            await server.drain(within: .seconds(1))
            await server.drain(within: .seconds(1))
        }
    }

    @Test func `is released when it has drained and not before, even if nothing else retains it`() async throws {
        let loop = await runningLoop()
        defer { loop.stop() }
        let gate = Gate()
        let (address, reference) = try await Task(executorPreference: loop) { () -> (ListenAddress, Weak) in
            let server = HTTPServer(
                loop: loop, configuration: HTTPServerConfiguration(address: try #require(ListenAddress("127.0.0.1:0"))),
                refusal: { reason, _ in HTTPResponse(reason.status) },
                handler: { request in
                    await gate.pass()
                    return await echo(request)
                })
            return (try server.start(), Weak(server))
        }.value
        let client = try TestClient(port: address.port)
        try client.request("GET", "/orphan")
        gate.open()
        #expect(try client.answer().body == "GET /orphan  ")
        await Task(executorPreference: loop) { await reference.server?.drain(within: .zero) }.value
        try client.waitForClose()
        // The timer of the sweep retains it for a moment longer.
        while await Task(executorPreference: loop, operation: { reference.server != nil }).value {
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    @Test func `may never have started`() async throws {
        let loop = await runningLoop()
        defer { loop.stop() }
        let address = try #require(ListenAddress("127.0.0.1:0"))
        try await withServer { server in
            await Task(executorPreference: loop) {
                let never = HTTPServer(
                    loop: loop, configuration: HTTPServerConfiguration(address: address),
                    refusal: { reason, _ in HTTPResponse(reason.status) }, handler: echo)
                await never.drain(within: .zero)
                let late = HTTPServer(
                    loop: loop, configuration: HTTPServerConfiguration(address: server.address),
                    refusal: { reason, _ in HTTPResponse(reason.status) }, handler: echo)
                #expect(throws: HTTPServerError.cannotListen(server.address, code: 98)) { try late.start() }
                await late.drain(within: .zero)
            }.value
        }
    }
}

/// A weak reference to the server.
private struct Weak: Sendable {
    weak let server: HTTPServer?

    init(_ server: HTTPServer) { self.server = server }
}
