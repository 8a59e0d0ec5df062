import HTTP
import Testing

/// Where two readers of one request may differ, a request can be smuggled past the one in front (RFC 9112, section 11.2).
@Suite(.timeLimit(.minutes(5))) struct `A server refuses` {
    /// The status of the answer to `request`; nil when the connection is closed without one.
    private func status(of request: String, _ configure: (inout HTTPServerConfiguration) -> Void = { _ in })
        async throws -> Int?
    {
        var status: Int?
        try await withServer(configure) { server in
            let client = try server.connect()
            try client.send(request)
            client.finishSending()
            do {
                status = try client.answer().status
                try client.waitForClose()
            } catch TestClient.Failure.closed {}
            #expect(await server.metrics.requests == 0)
            try await server.waits { $0.openConnections == 0 }
        }
        return status
    }

    @Test(arguments: [
        "Content-Length: 4\r\nContent-Length: 4",
        "Content-Length: 4\r\nContent-Length: 5",
        "Content-Length: 4\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked\r\nContent-Length: 4",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: gzip, chunked",
        "Transfer-Encoding: identity",
        "Transfer-Encoding: chunked ",
        "Transfer-Encoding: chunked, identity",
        "Content-Length: +4",
        "Content-Length: -4",
        "Content-Length: 4,4",
        "Content-Length: 0x4",
        "Content-Length: ",
        "Content-Length: 99999999999999999999",
    ])
    func `a length that is not clear`(fields: String) async throws {
        let status = try await status(of: "POST / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\n0\r\n\r\n")
        #expect([400, 413, 501].contains(status))
    }

    @Test(arguments: [
        "", "Host: a\r\nHost: a\r\n", "Host: a\r\nHost: b\r\n", "Host: a b\r\n", "Host: a/b\r\n", "Host: a@b\r\n",
    ])
    func `a missing, doubled or impossible Host`(fields: String) async throws {
        #expect(try await status(of: "GET / HTTP/1.1\r\n\(fields)\r\n") == 400)
    }

    @Test(arguments: [
        "Content-Length : 4", "X Y: 1", "X\tY: 1", "X(Y): 1", ": 1", "no colon", "X-Bell: a\u{07}b", "X\u{E9}: 1",
        "X-Bare: a\rb", ":", ": ", ":\r\nX: y", "X: a\r\n b", "X: a\r\n\tb", "X: a\r\n b\r\nY: 1", " X: a",
        "X: a\u{0}b",
        "X: a\nY: b", "\u{0}: a", "X: a\n", "X:\n",
    ])
    func `a field that is not one`(field: String) async throws {
        #expect(try await status(of: "GET / HTTP/1.1\r\nHost: a\r\n\(field)\r\n\r\n") == 400)
    }

    @Test(arguments: [
        "GET / HTTP/1.1 extra", "GET /a b HTTP/1.1", "GET", "GET /", "\u{1}\u{2}\u{3}", "GET / HTTP/9.9",
        "GET / FTP/1.1",
        "G(T / HTTP/1.1", "GET nowhere HTTP/1.1", "GET * HTTP/1.1", "GET /a#b HTTP/1.1", "GET /\u{E9} HTTP/1.1",
        "GET ?a=b HTTP/1.1",
    ])
    func `a first line that is not one`(line: String) async throws {
        let status = try await status(of: "\(line)\r\nHost: a\r\n\r\n")
        #expect(status == nil || [400, 505].contains(status))
    }

    @Test func `what is not HTTP at all`() async throws {
        let status = try await status(of: "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\u{1}\u{FC}\u{3}\u{3}\r\n\r\n")
        #expect(status == nil || status == 400)
    }

    @Test func `a broken chunk`() async throws {
        let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        for chunks in ["x\r\nabc\r\n0\r\n\r\n", "-1\r\nabc\r\n", "3\r\nabcdef\r\n0\r\n\r\n", "ffffffffffffffffff\r\n"] {
            let status = try await status(of: head + chunks)
            #expect(status == nil || [400, 413].contains(status))
        }
    }

    @Test func `an expectation that is none`() async throws {
        #expect(try await status(of: "POST / HTTP/1.1\r\nHost: a\r\nExpect: tea\r\nContent-Length: 1\r\n\r\na") == 417)
    }

    @Test func `a target over the limit`() async throws {
        let target = "/" + String(repeating: "a", count: 100)
        #expect(try await status(of: "GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n") { $0.maximumURI = 100 } == 414)
    }

    @Test func `fields over the limit`() async throws {
        let fields = "X-Long: " + String(repeating: "a", count: 20_000)
        #expect(try await status(of: "GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\n") == 431)
    }

    /// What libmicrohttpd notes about a request and what it writes of the answer share one block of memory.
    @Test func `what would leave no room for the answer, rather than have it worked out in vain`() async throws {
        let long = HTTPHeaders(dictionaryLiteral: ("X-Long", String(repeating: "a", count: 1500)))
        try await withServer(handler: { _ in HTTPResponse(.ok, headers: long) }) { server in
            var statuses: [Int: Int] = [:]
            for count in stride(from: 0, to: 500, by: 10) {
                for (target, fields) in [
                    ("/", [String](repeating: "a:b", count: count)),
                    ("/?" + String(repeating: "a&", count: count), []),
                    ("/", ["Cookie: " + String(repeating: "a=b; ", count: count)]),
                    ("/", ["Cookie: a=" + String(repeating: "b", count: 30 * count)]),
                    ("/", ["X-Long: " + String(repeating: "b", count: 30 * count), "X-Other: 1"]),
                ] {
                    let client = try server.connect()
                    try client.send(
                        (["GET \(target) HTTP/1.1", "Host: a"] + fields + ["", ""]).joined(separator: "\r\n"))
                    // Where not even the refusal fits, the connection is closed.
                    statuses[(try? client.answer().status) ?? 0, default: 0] += 1
                }
            }
            #expect(Set(statuses.keys).isSubset(of: [0, 200, 414, 431]))
            #expect(await server.metrics.requests == statuses[200])
            #expect(statuses[200, default: 0] > 150)
            #expect(statuses[431, default: 0] > 10)
        }
    }

    @Test(arguments: [30_000, 300_000]) func `a head that is larger than all memory set aside for it`(size: Int)
        async throws
    {
        let fields = "X-Long: " + String(repeating: "a", count: size)
        let status = try await status(of: "GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\n")
        // Closing with input unread may reset the connection before its answer is seen.
        #expect(status == nil || status == 431)
    }

    @Test func `nothing that is at its limits`() async throws {
        try await withServer { server in
            let client = try server.connect()
            // The fields take the limit exactly: "Host: localhost", "X-Long: …" and the line ends.
            let long = String(repeating: "a", count: (16 << 10) - "Host: localhost\r\nX-Long: \r\n\r\n".utf8.count)
            let target = "/" + String(repeating: "b", count: 4000)
            try client.request("GET", target, "X-Long: \(long)")
            #expect(try client.answer().body == "GET \(target)  ")
        }
    }

    @Test func `not what proxies and old clients may send`() async throws {
        try await withServer { server in
            let client = try server.connect()
            for (request, body) in [
                ("GET http://example.com/absolute?q=1 HTTP/1.1\r\nHost: example.com\r\n\r\n", "GET /absolute q=1 "),
                ("GET http://example.com HTTP/1.1\r\nHost: example.com\r\n\r\n", "GET /  "),
                ("OPTIONS * HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n", "OPTIONS *  "),
                ("\r\nGET /a%2Fb HTTP/1.1\r\nhOST:   a.example:80   \r\n\r\n", "GET /a%2Fb  "),
                ("GET / HTTP/1.1\r\nHost:\r\n\r\n", "GET /  "),
                ("GET / HTTP/1.1\r\nHost: a\r\nX-Empty:\r\n\r\n", "GET /  "),
                ("GET / HTTP/1.1\r\nX-Empty:   \r\nHost: a \t \r\nCookie: a=b; c\r\n\r\n", "GET /  "),
            ] {
                try client.send(request)
                #expect(try client.answer().body == body)
            }
        }
    }
}
