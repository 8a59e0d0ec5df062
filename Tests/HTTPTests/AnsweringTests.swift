import HTTP
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A server answers` {
    @Test func `several requests on one connection`() async throws {
        try await withServer { server in
            let client = try server.connect()
            for number in 1...5 {
                try client.request("GET", "/\(number)")
                let answer = try client.answer()
                #expect(answer.status == 200)
                #expect(answer.body == "GET /\(number)  ")
            }
            let metrics = await server.metrics
            #expect(metrics.requests == 5)
            #expect(metrics.openConnections == 1)
            #expect(metrics.requestsInFlight == 0)
        }
    }

    @Test func `pipelined requests in order, even when the first takes longest`() async throws {
        let gate = Gate()
        try await withServer(
            handler: { request in
                if request.path == "/0" { await gate.pass() }
                return await echo(request)
            },
            { server in
                let client = try server.connect()
                try client.send((0..<20).map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
                try await server.waits { $0.requestsInFlight == 1 }
                gate.open()
                for number in 0..<20 { #expect(try client.answer().body == "GET /\(number)  ") }
            })
    }

    @Test func `a pipelined request that arrives in pieces, some of them during the previous request`() async throws {
        let gate = Gate()
        try await withServer(
            handler: { request in
                if request.path == "/0" { await gate.pass() }
                return await echo(request)
            },
            { server in
                let client = try server.connect()
                try client.send("GET /0 HTTP/1.1\r\nHost: a\r\n\r\nGET /1 HT")
                try await server.waits { $0.requestsInFlight == 1 }
                try client.send("TP/1.1\r\n")
                // Once another connection is answered, the loop has read that piece.
                let other = try server.connect()
                try other.request("GET", "/other")
                #expect(try other.answer().status == 200)
                gate.open()
                #expect(try client.answer().body == "GET /0  ")
                try client.send("Host: a\r\n\r\n")
                #expect(try client.answer().body == "GET /1  ")
            })
    }

    @Test func `a pipelined request that begins in the middle of a body's packet`() async throws {
        try await withServer { server in
            let client = try server.connect()
            try client.send(
                "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabcGET /b HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.answer().body == "POST /a  abc")
            #expect(try client.answer().body == "GET /b  ")
        }
    }

    @Test func `HEAD like GET, without the body`() async throws {
        try await withServer { server in
            let client = try server.connect()
            try client.request("GET", "/path")
            let whole = try client.answer()
            try client.request("HEAD", "/path")
            let head = try client.answer(hasBody: false)
            #expect(head.status == 200)
            #expect(head["Content-Type"] == whole["Content-Type"])
            #expect(head["Content-Length"] == "12")
            try client.request("GET", "/after")
            #expect(try client.answer().body == "GET /after  ")
        }
    }

    @Test func `204 without a body, even if the handler gives one`() async throws {
        try await withServer(
            handler: { _ in HTTPResponse(.noContent, body: Array("nothing".utf8)) },
            { server in
                let client = try server.connect()
                for _ in 0..<2 {
                    try client.request()
                    #expect(try client.answer(hasBody: false).status == 204)
                }
            })
    }

    @Test func `with the handler's header fields, and a value cannot start a new field`() async throws {
        try await withServer(
            handler: { request in
                HTTPResponse(
                    .created,
                    headers: ["Location": "/\(request.header("x-name") ?? "")\r\nX-Evil: 1", "Vary": "Origin"])
            },
            { server in
                let client = try server.connect()
                try client.request("POST", "/", "X-Name: Bob", "Content-Length: 0")
                let answer = try client.answer()
                #expect(answer.status == 201)
                #expect(answer["Location"] == "/Bob  X-Evil: 1")
                #expect(answer["X-Evil"] == nil)
                #expect(answer["Vary"] == "Origin")
                #expect(answer["Date"] != nil)
            })
    }

    @Test func `with more than the socket accepts at once`() async throws {
        let size = 8 << 20
        try await withServer(
            handler: { _ in HTTPResponse(.ok, body: [UInt8](repeating: UInt8(ascii: "x"), count: size)) },
            { server in
                let client = try server.connect()
                for _ in 0..<2 {
                    try client.request()
                    #expect(try client.answer().body.utf8.count == size)
                }
            })
    }

    @Test func `a client that closes its sending side after the request`() async throws {
        let gate = Gate()
        try await withServer(
            handler: { request in
                await gate.pass()
                return await echo(request)
            },
            { server in
                let client = try server.connect()
                try client.request("GET", "/half")
                client.finishSending()
                try await server.waits { $0.requestsInFlight == 1 }
                gate.open()
                #expect(try client.answer().body == "GET /half  ")
                try client.waitForClose()
            })
    }

    @Test func `HTTP 1.0, and closes the connection`() async throws {
        try await withServer { server in
            let client = try server.connect()
            try client.send("GET /old HTTP/1.0\r\n\r\n")
            #expect(try client.answer().body == "GET /old  ")
            try client.waitForClose()
        }
    }

    @Test func `and closes the connection if the client asks for that`() async throws {
        try await withServer { server in
            let client = try server.connect()
            try client.request("GET", "/last", "Connection: close")
            let answer = try client.answer()
            #expect(answer.body == "GET /last  ")
            #expect(answer["Connection"] == "close")
            try client.waitForClose()
            try await server.waits { $0.openConnections == 0 }
        }
    }

    @Test func `with the request's id, which is the client's if that is acceptable`() async throws {
        try await withServer(
            handler: { HTTPResponse(.ok, body: Array($0.id.utf8)) },
            { server in
                let client = try server.connect()
                try client.request("GET", "/", "X-Request-Id: from-the-proxy_1.2")
                let given = try client.answer()
                #expect(given["X-Request-Id"] == "from-the-proxy_1.2")
                #expect(given.body == "from-the-proxy_1.2")

                var made: Set<String> = []
                for field in ["X-Other: 1", "X-Request-Id: a b", "X-Request-Id: " + String(repeating: "a", count: 65)] {
                    try client.request("GET", "/", field)
                    let answer = try client.answer()
                    let id = try #require(answer["X-Request-Id"])
                    #expect(id.count == 16 && id.allSatisfy(\.isHexDigit))
                    #expect(answer.body == id)
                    made.insert(id)
                }
                #expect(made.count == 3)
            })
    }

    @Test func `through a handler that knows the client's address and the time of arrival`() async throws {
        try await withServer(
            handler: { HTTPResponse(.ok, body: Array("\($0.remoteAddress) \($0.receivedAt)".utf8)) },
            { server in
                let client = try server.connect()
                try client.request()
                let words = try client.answer().body.split(separator: " ")
                #expect(words.first == "127.0.0.1")
                // The beginning of 2020, in microseconds.
                #expect(try #require(words.last.flatMap { Int64($0) }) > 1_577_836_800_000_000)
            })
    }

    @Test(arguments: [0, 99, 1000]) func `nothing if the handler's status is invalid, and closes the connection`(
        code: Int
    ) async throws {
        try await withServer(
            handler: { _ in HTTPResponse(HTTPStatus(rawValue: code)) },
            { server in
                let client = try server.connect()
                try client.request()
                try client.waitForClose()
                try await server.waits { $0.openConnections == 0 && $0.requestsInFlight == 0 }
            })
    }

    @Test func `with header fields of any length`() async throws {
        let long = String(repeating: "a", count: 100_000)
        try await withServer(
            handler: { _ in HTTPResponse(.ok, headers: ["X-Long": long]) },
            { server in
                let client = try server.connect()
                for _ in 0..<2 {
                    try client.request()
                    #expect(try client.answer()["X-Long"] == long)
                }
            })
    }
}
