import Glibc
import HTTP
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A server's connections` {
    @Test func `can be 200, each with a request in progress`() async throws {
        let gate = Gate()
        try await withServer(
            handler: { request in
                await gate.pass()
                return await echo(request)
            },
            { server in
                let clients = try (0..<200).map { _ in try server.connect() }
                for (number, client) in clients.enumerated() { try client.request("GET", "/\(number)") }
                try await server.waits { $0.requestsInFlight == 200 }
                #expect(await server.metrics.openConnections == 200)
                gate.open()
                for (number, client) in clients.enumerated() {
                    #expect(try client.answer().body == "GET /\(number)  ")
                }
                for client in clients { client.close() }
                try await server.waits { $0.openConnections == 0 }
            })
    }

    @Test func `share the one thread of the loop`() async throws {
        let strayed = Gate()
        try await withServer(
            handler: { request in
                let thread = pthread_self()
                await Task.yield()
                if thread != pthread_self() { strayed.open() }
                return HTTPResponse(.ok, body: Array("\(thread)".utf8))
            },
            { server in
                let clients = try (0..<50).map { _ in try server.connect() }
                var threads: Set<String> = []
                for _ in 0..<5 {
                    for client in clients { try client.request() }
                    for client in clients { threads.insert(try client.answer().body) }
                }
                #expect(threads == [await server.onLoop { "\(pthread_self())" }])
            })
    }

    @Test func `beyond the limit wait in the kernel's queue, and are accepted as others close`() async throws {
        try await withServer {
            $0.maximumConnections = 2
        } _: { server in
            let first = try server.connect()
            let second = try server.connect()
            for client in [first, second] {
                try client.request("GET", "/in")
                #expect(try client.answer().status == 200)
            }
            let third = try server.connect()
            try third.request("GET", "/third")
            #expect(await server.metrics.openConnections == 2)
            first.close()
            #expect(try third.answer().body == "GET /third  ")
            second.close()
            third.close()
            try await server.waits { $0.openConnections == 0 }
            let fourth = try server.connect()
            try fourth.request("GET", "/fourth")
            #expect(try fourth.answer().body == "GET /fourth  ")
        }
    }

    @Test func `from one address are limited`() async throws {
        try await withServer {
            $0.connectionLimit = ConnectionLimit(most: 1)
        } _: { server in
            let first = try server.connect()
            try first.request()
            #expect(try first.answer().status == 200)
            try server.connect().waitForClose()
            first.close()
            try await server.waits { $0.openConnections == 0 }
            let second = try server.connect()
            try second.request()
            #expect(try second.answer().status == 200)
        }
    }

    @Test(arguments: [
        "", "GET / HTT", "GET / HTTP/1.1\r\nHost: a\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc",
    ])
    func `are closed when a client disappears in the middle of a request`(beginning: String) async throws {
        try await withServer { server in
            for reset in [false, true] {
                let client = try server.connect()
                try client.send(beginning)
                try await server.waits { $0.openConnections == 1 }
                if reset { client.reset() } else { client.close() }
                try await server.waits { $0.openConnections == 0 }
            }
            #expect(await server.metrics.requests == 0)
        }
    }

    @Test(arguments: [10, 4 << 20]) func `are closed when a client disappears while the handler works`(size: Int)
        async throws
    {
        let gate = Gate()
        try await withServer(
            handler: { _ in
                await gate.pass()
                return HTTPResponse(.ok, body: [UInt8](repeating: 0, count: size))
            },
            { server in
                let clients = try (0..<20).map { _ in try server.connect() }
                for client in clients { try client.request() }
                try await server.waits { $0.requestsInFlight == 20 }
                for (number, client) in clients.enumerated() {
                    if number.isMultiple(of: 2) { client.reset() } else { client.close() }
                }
                gate.open()
                try await server.waits { $0.requestsInFlight == 0 && $0.openConnections == 0 }
            })
    }
}
