import HTTP
import Testing

@Suite(.timeLimit(.minutes(5))) struct `The body of a request` {
    @Test func `arrives whole when its length is declared`() async throws {
        try await withServer { server in
            let client = try server.connect()
            let body = String(repeating: "0123456789", count: 50_000)
            try client.post(body: body)
            #expect(try client.answer().body == "POST /  " + body)
        }
    }

    @Test func `arrives whole in chunks, with extensions and trailers, and the next request after it`() async throws {
        try await withServer { server in
            let client = try server.connect()
            try client.request("POST", "/chunked", "Transfer-Encoding: chunked")
            try client.send("5\r\nHello\r\n7;name=value\r\n, world\r\n0\r\nX-Trailer: 1\r\n\r\n")
            #expect(try client.answer().body == "POST /chunked  Hello, world")
            try client.request("GET", "/after")
            #expect(try client.answer().body == "GET /after  ")
        }
    }

    @Test func `is requested with 100 Continue`() async throws {
        try await withServer { server in
            let client = try server.connect()
            try client.request("POST", "/", "Expect: 100-continue", "Content-Length: 4")
            #expect(try client.answer(hasBody: false).status == 100)
            try client.send("body")
            #expect(try client.answer().body == "POST /  body")
        }
    }

    @Test func `is not requested with 100 Continue if it is refused`() async throws {
        try await withServer {
            $0.maximumBody = 10
        } _: { server in
            let client = try server.connect()
            try client.request("POST", "/", "Expect: 100-continue", "Content-Length: 11")
            #expect(try client.answer().status == 413)
            try client.waitForClose()
        }
    }

    @Test func `is refused while other bodies use all the memory, and accepted afterwards`() async throws {
        try await withServer {
            $0.maximumBodies = 100
            $0.smallBody = 25
        } _: { server in
            let slow = try server.connect()
            try slow.request("POST", "/", "Content-Length: 80")
            try slow.send(String(repeating: "x", count: 70))
            try await server.waits(until: { $0.openConnections == 1 })
            // The loop is certain to read this one after the first: it runs on one thread and reads in order of
            // arrival.
            let other = try server.connect()
            try other.post(body: String(repeating: "y", count: 20))
            #expect(try other.answer().status == 200)
            let small = try server.connect()
            try small.request("POST", "/", "Content-Length: 25")
            try small.send(String(repeating: "z", count: 25))
            #expect(try small.answer().status == 200, "a short body is always accepted")
            let refused = try server.connect()
            try refused.post(body: String(repeating: "y", count: 40))
            #expect(try refused.answer().status == 503)
            try refused.waitForClose()
            try slow.send(String(repeating: "x", count: 10))
            #expect(try slow.answer().status == 200)
            let next = try server.connect()
            try next.post(body: String(repeating: "y", count: 90))
            #expect(try next.answer().status == 200)
        }
    }

    @Test func `may have a higher limit for a particular method and path`() async throws {
        try await withServer {
            $0.maximumBody = 10
            $0.bodyRule = { method, path in
                method == .post && path == "/large" ? HTTPBodyRule(maximum: 100) : nil
            }
        } _: { server in
            let client = try server.connect()
            try client.post("/large?a=b", body: String(repeating: "x", count: 100))
            #expect(try client.answer().status == 200)
            try client.request("POST", "/large", "Transfer-Encoding: chunked")
            try client.send("32\r\n\(String(repeating: "y", count: 50))\r\n0\r\n\r\n")
            #expect(try client.answer().status == 200)
            try client.post("/other", body: String(repeating: "x", count: 11))
            #expect(try client.answer().status == 413)
            let other = try server.connect()
            try other.post("/large", body: String(repeating: "x", count: 101))
            let refused = try other.answer()
            #expect(refused.status == 413)
            #expect(refused.body.hasPrefix("bodyTooLarge(limit: 100)"))
        }
    }

    @Test func `may arrive one byte at a time, like the head before it`() async throws {
        try await withServer { server in
            let client = try server.connect()
            for byte in "POST /slow?a=b HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nHello".utf8 {
                try client.send([byte])
                // Usually lets the server see the byte alone.
                await Task.yield()
            }
            #expect(try client.answer().body == "POST /slow a=b Hello")
        }
    }

    @Test func `may arrive one byte at a time in chunks`() async throws {
        try await withServer { server in
            let client = try server.connect()
            for byte in "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n".utf8 {
                try client.send([byte])
                await Task.yield()
            }
            #expect(try client.answer().body == "POST /  abc")
        }
    }

    @Test func `may be exactly as long as the limit`() async throws {
        try await withServer {
            $0.maximumBody = 10
        } _: { server in
            let client = try server.connect()
            try client.post(body: "0123456789")
            #expect(try client.answer().body == "POST /  0123456789")
            try client.request("POST", "/", "Transfer-Encoding: chunked")
            try client.send("a\r\n0123456789\r\n0\r\n\r\n")
            #expect(try client.answer().body == "POST /  0123456789")
        }
    }

    @Test func `is refused at once if its declared length exceeds the limit`() async throws {
        try await withServer {
            $0.maximumBody = 10
        } _: { server in
            let client = try server.connect()
            try client.request("POST", "/", "Content-Length: 11")
            let answer = try client.answer()
            #expect(answer.status == 413)
            #expect(answer.body.hasPrefix("bodyTooLarge(limit: 10)"))
            #expect(answer.body.hasSuffix(try #require(answer["X-Request-Id"])))
            try client.waitForClose()
            #expect(await server.metrics.refusals == 1)
            #expect(await server.metrics.requests == 0)
        }
    }

    @Test func `is refused if its chunks exceed the limit, and the connection stays open`() async throws {
        try await withServer {
            $0.maximumBody = 10
        } _: { server in
            let client = try server.connect()
            try client.request("POST", "/", "Transfer-Encoding: chunked")
            try client.send("8\r\n01234567\r\n8\r\n01234567\r\n2\r\n01\r\n0\r\n\r\n")
            #expect(try client.answer().status == 413)
            try client.post(body: "short")
            #expect(try client.answer().body == "POST /  short")
        }
    }
}
