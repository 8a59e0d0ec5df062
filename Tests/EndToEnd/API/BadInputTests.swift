import Foundation
import KithClient
import Postgres
import TestThreads
import Testing

@Suite(.mayBlock) struct `Bad input` {
    private func alice() async throws -> Person {
        let (installation, _, client) = try shared.get()
        return try await Person.join(installation.acme, as: "Alice", client)
    }

    @Test(
        arguments: [
            "{", "nonsense", "", "[]", "\"text\"", #"{"ping_time":"09:00","time_zone":"UTC""#,
            #"{"time_zone":"UTC","time_zone":"UTC","ping_time":"09:00"}"#,
            #"{"time_zone":"\u0000","ping_time":"09:00"}"#, #"{"time_zone":"\ud800","ping_time":"09:00"}"#,
            String(repeating: "[", count: 15_000),
            #"{"time_zone":"# + String(repeating: "[", count: 40) + String(repeating: "]", count: 40) + "}",
        ])
    func `that is not a JSON object is refused with a reason`(body: String) async throws {
        let answer = try await alice().send("PUT", "/v1/me/sender-profile", body)
        #expect([400, 422].contains(answer.status))
        #expect(["invalid_request", "validation_failed"].contains(answer.code))
        #expect(answer.headers["content-type"] == "application/problem+json")
    }

    @Test(
        arguments: [
            (#"{"ping_time":"9:00","time_zone":"UTC"}"#, "ping_time"),
            (#"{"ping_time":900,"time_zone":"UTC"}"#, "ping_time"),
            (#"{"ping_time":"25:00","time_zone":"UTC"}"#, "ping_time"), (#"{"time_zone":"UTC"}"#, "ping_time"),
            (#"{"ping_time":"09:00","time_zone":"Mars/Olympus"}"#, "time_zone"),
            (#"{"ping_time":"09:00","time_zone":"EST"}"#, "time_zone"),
            (#"{"ping_time":"09:00","time_zone":"Foo+5"}"#, "time_zone"),
            (#"{"ping_time":"09:00","time_zone":"UTC","grace_minutes":4}"#, "grace_minutes"),
            (#"{"ping_time":"09:00","time_zone":"UTC","grace_minutes":720}"#, "grace_minutes"),
            (#"{"ping_time":"09:00","time_zone":"UTC","grace_minutes":"90"}"#, "grace_minutes"),
            (#"{"ping_time":"09:00","time_zone":"UTC","grace_minutes":10,"reminder_minutes":10}"#, "reminder_minutes"),
            (#"{"ping_time":"09:00","time_zone":"UTC","reminder_minutes":0}"#, "reminder_minutes"),
            (#"{"ping_time":"09:00","time_zone":"UTC","colour":"blue"}"#, "colour"),
        ])
    func `in a field is reported under that field's name`(body: String, field: String) async throws {
        let answer = try await alice().send("PUT", "/v1/me/sender-profile", body)
        #expect(answer.status == 422)
        let problem: Kith.Problem = try answer.decode()
        #expect(problem.code == .validationFailed)
        #expect(problem.errors?.map(\.field).contains(field) == true, "\(answer.text)")
    }

    @Test(
        arguments: [
            ("null", 422, "must be an object"), ("\"text\"", 422, "must be an object"),
            ("[]", 422, "must be an object"),
            ("1e999", 422, "has a number that is out of range"),
            (#"{"ping_time":"09:00","grace_minutes":1e999}"#, 422, "has a number that is out of range"),
            (#"{"ping_time":"09:00","ping_time":"09:00"}"#, 400, "has an object with the same member twice"),
            (#"{"ping_time":"\u0000"}"#, 400, "has the character U+0000"), ("{", 400, "is not valid JSON"),
            ("\u{FEFF}{}", 400, "begins with a byte order mark"),
        ])
    func `is told what is wrong with it`(body: String, status: Int, reason: String) async throws {
        let answer = try await alice().send("PUT", "/v1/me/sender-profile", body)
        #expect(answer.status == status, "\(answer.text)")
        #expect(answer.text.contains(reason), "\(answer.text)")
        #expect(answer.text.contains("not valid JSON") == (reason == "is not valid JSON"))
    }

    @Test(
        arguments: [
            ("/v1/connections/%FF", "id"), ("/v1/codes/%C3%28", "code"), ("/v1/connections?role=%FF", "role"),
            ("/v1/users?external_id=a%FF", "external_id"), ("/v1/connections?%FF=sender", "\u{FFFD}"),
            ("/v1/connections?cursor=%ED%A0%80", "cursor"), ("/v1/connections/%00", "id"),
            ("/v1/me/devices/%C0%AF", "token"),
        ])
    func `that is percent-encoded but not UTF-8 is reported under its parameter's name`(
        path: String, field: String
    ) async throws {
        let (installation, _, client) = try shared.get()
        let method = path.contains("devices") ? "DELETE" : "GET"
        let credential = path.contains("users") ? installation.acme.secretKey : try await alice().token
        let answer = try await client.send(method, path, as: credential)
        #expect(answer.status == 422, "\(answer.text)")
        let problem: Kith.Problem = try answer.decode()
        #expect(problem.errors?.map(\.field) == [field], "\(answer.text)")
        #expect(answer.text.contains("must be UTF-8"))
    }

    @Test func `that shows nothing is no text of a person`() async throws {
        let alice = try await alice()
        let bob = try await Person.join(shared.get().installation.acme, as: "Bob", alice.client)
        let vault = try await alice.makeVault()
        let nominee = try await bob.becomeNominee(of: vault, by: alice)
        for text in ["\u{200B}", "\u{2060}\u{FEFF}", "\u{00AD}", "\u{3164}", "\u{2800}", " \u{202E}"] {
            for (method, path, member) in [
                ("POST", "/v1/pings/check-in", "note"), ("PATCH", "/v1/me", "display_name"),
                ("PATCH", "/v1/vaults/\(vault.id)", "name"), ("POST", "/v1/vaults", "name"),
                ("POST", "/v1/vaults/\(vault.id)/nominees/\(nominee.id)/messages", "body"),
                ("POST", "/v1/vaults/\(vault.id)/nominees", "name"),
                ("POST", "/v1/vaults/\(vault.id)/emergency/requests", "reason"),
            ] {
                let answer = try await alice.send(method, path, #"{"\#(member)":"\#(text)"}"#)
                #expect(answer.status == 422, "\(path): \(answer.text)")
                #expect(answer.text.contains(#""field":"\#(member)""#), "\(path): \(answer.text)")
            }
        }
    }

    @Test func `in an import is reported with its line, and a byte order mark in front is skipped`() async throws {
        let (installation, _, client) = try shared.get()
        let lines = [
            "\u{FEFF}{\"display_name\":\"Dora\"}", "", "{\"display_name\":1,}", "\u{FEFF}{}", "null",
            "{\"a\":1,\"a\":1}",
        ]
        for path in ["/v1/users:import", "/v1/tenant/import"] {
            let answer = try await client.send(
                "POST", path, content: Data(lines.joined(separator: "\n").utf8), type: "application/x-ndjson",
                as: installation.acme.secretKey)
            let results = answer.text.split(separator: "\n")
            #expect(results.count == 5, "\(answer.text)")
            #expect(
                results[0].contains(path == "/v1/users:import" ? #""status":201"# : #""status":422"#), "\(results[0])")
            #expect(results[1].contains("Line 3 is not valid JSON (column "), "\(results[1])")
            #expect(results[2].contains("Line 4 begins with a byte order mark"), "\(results[2])")
            #expect(results[3].contains("must be an object"), "\(results[3])")
            #expect(results[4].contains("Line 6 has an object with the same member twice (column "), "\(results[4])")
        }
    }

    @Test func `with a hundred unknown fields is refused, and fifty of them are named`() async throws {
        let fields = (0..<100).map { #""\#($0)":1"# }.joined(separator: ",")
        let answer = try await alice().send("PUT", "/v1/me/sender-profile", "{\(fields)}")
        #expect(answer.status == 422)
        #expect((try answer.decode(Kith.Problem.self)).errors?.count == 50)
    }

    @Test(arguments: ["0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59.999999999-23:59"])
    func `with a timestamp that no calendar has is refused`(instant: String) async throws {
        let (installation, _, client) = try shared.get()
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        try await bob.becomeReceiver()
        let answer = try await client.send(
            "PUT", "/v1/users/\(bob.id)/subscription", #"{"status":"active","expires_at":"\#(instant)"}"#,
            as: installation.acme.secretKey)
        #expect(400..<500 ~= answer.status, "\(answer.text)")
    }

    @Test(
        arguments: ["١٢٣٤٥٦", "12345", "1234567", "12345a", "abcdef", "１２３４５６", " 12345", ""])
    func `as a connection code is refused and does not count as an attempt`(code: String) async throws {
        let (installation, _, _) = try shared.get()
        let alice = try await alice()
        let answer = try await alice.send("POST", "/v1/connections", #"{"code":"\#(code)"}"#)
        #expect(answer.code == "validation_failed")
        let attempts = try installation.session().query(
            "select count(*) from kith.code_attempts where user_id = $1::uuid", [.text(alice.id.uuidString)])
        #expect(attempts.int(0, 0) == 0)
    }

    @Test(
        arguments: [
            "/v1/connections/not-a-uuid", "/v1/connections?limit=0", "/v1/connections?limit=201",
            "/v1/connections?limit=x",
            "/v1/connections?role=owner", "/v1/connections?cursor=abc", "/v1/connections?colour=blue",
            "/v1/connections?role=sender&role=receiver", "/v1/pings?date=2026-02-30", "/v1/notifications?unread=maybe",
            "/v1/codes/12345", "/v1/dashboard",
        ])
    func `in the query or path is reported under its parameter's name`(path: String) async throws {
        let answer = try await alice().send("GET", path)
        #expect(answer.status == 422, "\(answer.text)")
        let problem: Kith.Problem = try answer.decode()
        #expect(problem.errors?.isEmpty == false)
    }

    @Test func `larger than the call's limit is refused`() async throws {
        let alice = try await alice()
        let body = #"{"note":""# + String(repeating: "a", count: 2_000_000) + #""}"#
        let answer = try await alice.send("POST", "/v1/pings/check-in", body)
        #expect(answer.status == 413)
        #expect(answer.code == "payload_too_large")
        let header = try await alice.client.send(
            "GET", "/v1/me", as: alice.token, headers: ["X-Padding": String(repeating: "a", count: 20_000)])
        #expect(header.status == 431)
        #expect(header.code == "headers_too_large")
        let address = try await alice.send("GET", "/v1/connections?cursor=" + String(repeating: "a", count: 10_000))
        #expect(address.status == 414)
        #expect(address.code == "uri_too_long")
    }

    @Test func `with an unsupported media type, path or method is refused`() async throws {
        let alice = try await alice()
        let form = try await alice.client.send(
            "POST", "/v1/pings/check-in", "note=x", as: alice.token,
            headers: ["Content-Type": "application/x-www-form-urlencoded"])
        #expect(form.code == "unsupported_media_type")
        #expect(try await alice.send("GET", "/v1/nothing").code == "not_found")
        let method = try await alice.send("DELETE", "/v1/me/codes")
        #expect(method.code == "method_not_allowed")
        #expect(method.headers["allow"]?.contains("GET") == true)
    }

    @Test func `that looks like SQL is stored as plain text`() async throws {
        let (installation, _, client) = try shared.get()
        let name = "Robert'); drop table kith.users; -- \\\" ${x} {{y}} <b>"
        let body = try String(decoding: JSONEncoder().encode(["display_name": name]), as: UTF8.self)
        let user: Kith.User = try await client.get(
            "POST", "/v1/users", body, as: installation.acme.secretKey, status: 201)
        #expect(user.displayName == name)
    }

    @Test func `still gets a request id in its answer, which is the client's own if that is acceptable`() async throws {
        let alice = try await alice()
        let own = try await alice.client.send(
            "GET", "/v1/nothing", as: alice.token, headers: ["X-Request-Id": "my-id.1"])
        #expect(own.headers["x-request-id"] == "my-id.1")
        #expect((try own.decode() as Kith.Problem).requestID == "my-id.1")
        let forged = try await alice.client.send("GET", "/v1/me", as: alice.token, headers: ["X-Request-Id": "a b\"<"])
        #expect(forged.headers["x-request-id"] != "a b\"<")
    }

    @Test(arguments: [
        ("GET / HTTP/1.1\r\nContent-Length: nine\r\nHost: a\r\n\r\n", 400, "invalid_request"),
        ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400, "invalid_request"),
        ("GET / HTTP/1.1\r\nHost: a\r\nX-Kith-Tenant: acme\r\nX-Kith-Tenant: globex\r\n\r\n", 400, "invalid_request"),
        ("GET / HTTP/1.1\r\nHost: a\r\nOrigin: https://a\r\norigin: https://b\r\n\r\n", 400, "invalid_request"),
        ("GET /\r\n\r\n", 400, "invalid_request"), ("nonsense\r\n\r\n", 400, "invalid_request"),
        ("GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505, "version_not_supported"),
        ("GET / HTTP/1.1\r\nHost: a\r\nExpect: tea\r\n\r\n", 417, "expectation_failed"),
        ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", 501, "not_implemented"),
        ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\nx\r\n", 400, "invalid_request"),
        ("POST /v1/auth/refresh HTTP/1.1\r\nHost: a\r\nContent-Length: 16385\r\n\r\n", 413, "payload_too_large"),
    ])
    func `that no HTTP library sends gets one problem document, then the connection closes`(
        request: String, status: Int, code: String
    ) async throws {
        let (_, _, client) = try shared.get()
        let connection = try RawConnection(client)
        try connection.send(Array(request.utf8))
        #expect(!connection.read(1 << 20))
        let text = connection.text
        #expect(text.hasPrefix("HTTP/1.1 \(status) "))
        #expect(text.ranges(of: "\r\n\r\n").count == 1)
        #expect(text.contains("\r\nContent-Type: application/problem+json\r\n"))
        #expect(text.contains("\r\nConnection: close\r\n"))
        #expect(text.contains(#""code":"\#(code)""#))
    }

    @Test func `with more JSON values than any valid body has is refused before it is parsed`() async throws {
        let (_, _, client) = try shared.get()
        let body = "{" + (0..<1000).map { "\"k\($0)\":1" }.joined(separator: ",") + "}"
        let answer = try await client.send("POST", "/v1/auth/refresh", body, headers: ["X-Kith-Tenant": "acme"])
        #expect(answer.status == 400)
        #expect(answer.code == "invalid_request")
        #expect(answer.text.contains("values in it"))
    }
}
