import HTTP
import Testing

/// If two servers read one request differently, it can be smuggled past the one in front (RFC 9112, section 11.2).
@Suite(.timeLimit(.minutes(5))) struct `A server refuses` {
    /// The status of the answer to `request`. It must be the only answer, come from the server itself, and be the last
    /// on its connection.
    private func status(of request: String, _ configure: (inout HTTPServerConfiguration) -> Void = { _ in })
        async throws -> Int
    {
        var status = 0
        try await withServer(configure) { server in
            let client = try server.connect()
            try client.send(request)
            let answer = try client.answer()
            status = answer.status
            #expect(answer["Connection"] == "close")
            let id = try #require(answer["X-Request-Id"])
            #expect(answer.body.hasSuffix(id), "the answer is not the server's refusal")
            client.finishSending()
            #expect(try client.rest().isEmpty)
            #expect(await server.metrics.requests == 0)
            #expect(await server.metrics.refusals == 1)
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
        "Transfer-Encoding: chunked, identity",
        "Transfer-Encoding: chunked, chunked",
        "Transfer-Encoding: xchunked",
        "Transfer-Encoding: \"chunked\"",
        "Transfer-Encoding: chunked;q=1",
        "Transfer-Encoding:",
        "Content-Length: +4",
        "Content-Length: -4",
        "Content-Length: 4,4",
        "Content-Length: 0x4",
        "Content-Length: ",
        "Content-Length: 99999999999999999999",
    ])
    func `an ambiguous length`(fields: String) async throws {
        let status = try await status(of: "POST / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\n0\r\n\r\n")
        let expected = fields.hasPrefix("Content-Length: 9999") ? 413 : fields.contains("Content-Length") ? 400 : nil
        #expect([expected ?? 501, 400].contains(status))
    }

    @Test func `a transfer coding from a client whose HTTP version has none`() async throws {
        #expect(try await status(of: "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n") == 400)
    }

    @Test(arguments: [
        "", "Host: a\r\nHost: a\r\n", "Host: a\r\nHost: b\r\n", "Host: a b\r\n", "Host: a/b\r\n", "Host: a@b\r\n",
    ])
    func `a missing, duplicate or invalid Host`(fields: String) async throws {
        #expect(try await status(of: "GET / HTTP/1.1\r\n\(fields)\r\n") == 400)
    }

    @Test func `a target whose host differs from the Host field`() async throws {
        #expect(try await status(of: "GET http://a.example/ HTTP/1.1\r\nHost: b.example\r\n\r\n") == 400)
    }

    @Test func `a single-value field that occurs twice with different values`() async throws {
        let fields = "authorization: Bearer a\r\nX: y\r\nAuthorization: Bearer b"
        #expect(
            try await status(of: "GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\n") {
                $0.singleFields = ["Authorization"]
            } == 400)
    }

    @Test(arguments: [
        "Content-Length : 4", "X Y: 1", "X\tY: 1", "X(Y): 1", ": 1", "no colon", "X-Bell: a\u{07}b", "X\u{E9}: 1",
        "X-Bare: a\rb", ":", ": ", ":\r\nX: y", "X: a\r\n b", "X: a\r\n\tb", "X: a\r\n b\r\nY: 1", " X: a",
        "X: a\u{0}b",
        "X: a\nY: b", "\u{0}: a", "X: a\n", "X:\n",
    ])
    func `a malformed header field`(field: String) async throws {
        #expect(try await status(of: "GET / HTTP/1.1\r\nHost: a\r\n\(field)\r\n\r\n") == 400)
    }

    @Test(arguments: [
        "GET / HTTP/1.1 extra", "GET /a b HTTP/1.1", "GET", "GET /", "\u{1}\u{2}\u{3}", "GET / HTTP/9.9",
        "GET / FTP/1.1",
        "G(T / HTTP/1.1", "GET nowhere HTTP/1.1", "GET * HTTP/1.1", "GET /a#b HTTP/1.1", "GET /\u{E9} HTTP/1.1",
        "GET ?a=b HTTP/1.1", "GET  / HTTP/1.1", "GET /  HTTP/1.1", "GET / HTTP/1.1 ", " GET / HTTP/1.1",
        "GET\t/\tHTTP/1.1",
        "GET / http/1.1", "GET / HTTP/1.10", "GET / HTTP/11", "CONNECT a.example:443 HTTP/1.1", "", "\r\n",
    ])
    func `a malformed request line`(line: String) async throws {
        let status = try await status(of: "\(line)\r\nHost: a\r\n\r\n")
        #expect(status == (line == "GET / HTTP/9.9" ? 505 : 400))
    }

    @Test(arguments: [
        "GET / HTTP/0.9\r\n\r\n", "GET / HTTP/2.0\r\nHost: a\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ])
    func `an unsupported version of HTTP`(request: String) async throws {
        #expect(try await status(of: request) == 505)
    }

    /// A TLS client waits for our answer, not for the end of a line.
    @Test func `input that is not HTTP at all`() async throws {
        #expect(try await status(of: "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\u{1}\u{FC}\u{3}\u{3}") == 400)
    }

    @Test(arguments: [
        "x\r\nabc\r\n0\r\n\r\n", "-1\r\nabc\r\n", "3\r\nabcdef\r\n0\r\n\r\n", "3\nabc\r\n0\r\n\r\n",
        "3\r\nabc\n0\r\n\r\n",
        "3\r\nabc\r\n0\n\r\n", "3\r\nabc\r\n0\r\n\n", "3 \r\nabc\r\n0\r\n\r\n", "3;a\nabc\r\n0\r\n\r\n",
        "3;a\u{0}\r\nabc\r\n", "+3\r\nabc\r\n",
        "0x3\r\nabc\r\n", "3\rabc\r\n", ";a\r\n", "\r\n", "0\r\nno colon\r\n\r\n", "0\r\nX: a\r\n folded\r\n\r\n",
        "0\r\nX : a\r\n\r\n",
        "0\r\nX: a\nY: b\r\n\r\n",
    ])
    func `a malformed chunk`(chunks: String) async throws {
        let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        #expect(try await status(of: head + chunks) == 400)
    }

    @Test func `a chunk size that overflows an integer`() async throws {
        let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        #expect(try await status(of: head + "ffffffffffffffffff\r\n") == 413)
    }

    @Test func `an unknown expectation`() async throws {
        #expect(try await status(of: "POST / HTTP/1.1\r\nHost: a\r\nExpect: tea\r\nContent-Length: 1\r\n\r\na") == 417)
    }

    @Test func `a target over the limit`() async throws {
        let target = "/" + String(repeating: "a", count: 100)
        #expect(try await status(of: "GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n") { $0.maximumURI = 100 } == 414)
    }

    @Test func `header fields over the limit`() async throws {
        let fields = "X-Long: " + String(repeating: "a", count: 20_000)
        #expect(try await status(of: "GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\n") == 431)
    }

    @Test func `too many header fields, however short`() async throws {
        let request = "GET / HTTP/1.1\r\nHost: a\r\n" + String(repeating: "a:b\r\n", count: 100) + "\r\n"
        #expect(try await status(of: request) == 431)
    }

    @Test(arguments: [30_000, 300_000]) func `a head without an end`(size: Int) async throws {
        for beginning in ["GET /", "GET / HTTP/1.1\r\nHost: a\r\nX-Long: "] {
            let status = try await status(of: beginning + String(repeating: "a", count: size))
            #expect(status == (beginning == "GET /" ? 414 : 431))
        }
    }

    @Test func `nothing that is exactly at the limits`() async throws {
        try await withServer { server in
            let client = try server.connect()
            // The fields use the limit exactly: "Host: localhost", "X-Long: …" and the line ends.
            let long = String(repeating: "a", count: (16 << 10) - "Host: localhost\r\nX-Long: \r\n\r\n".utf8.count)
            let target = "/" + String(repeating: "b", count: 4000)
            try client.request("GET", target, "X-Long: \(long)")
            #expect(try client.answer().body == "GET \(target)  ")
        }
    }

    @Test func `nothing that proxies and old clients may send`() async throws {
        try await withServer { server in
            let client = try server.connect()
            for (request, body) in [
                ("GET http://example.com/absolute?q=1 HTTP/1.1\r\nHost: example.com\r\n\r\n", "GET /absolute q=1 "),
                ("GET http://example.com HTTP/1.1\r\nHost: example.com\r\n\r\n", "GET /  "),
                ("OPTIONS * HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n", "OPTIONS *  "),
                ("\r\nGET /a%2Fb HTTP/1.1\r\nhOST:   a.example:80   \r\n\r\n", "GET /a%2Fb  "),
                ("GET / HTTP/1.1\r\nHost:\r\n\r\n", "GET /  "),
                ("GET / HTTP/1.1\r\nHost: a\r\nX-Empty:\r\n\r\n", "GET /  "),
                (
                    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked \r\n\r\n1 ;a=\"b\"\r\nx\r\n0\r\n\r\n",
                    "POST /  x"
                ),
                ("GET / HTTP/1.2\r\nHost: a\r\nAccept: a\r\nAccept: b\r\n\r\n", "GET /  "),
                ("GET / HTTP/1.1\r\nX-Empty:   \r\nHost: a \t \r\nCookie: a=b; c\r\n\r\n", "GET /  "),
            ] {
                try client.send(request)
                #expect(try client.answer().body == body)
            }
        }
    }
}
