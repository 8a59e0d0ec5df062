import Foundation
import KithModel
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
        let problem: Problem = try answer.decode()
        #expect(problem.code == "validation_failed")
        #expect(problem.errors?.map(\.field).contains(field) == true, "\(answer.text)")
    }

    @Test func `with a hundred unknown fields is refused, and fifty of them are named`() async throws {
        let fields = (0..<100).map { #""\#($0)":1"# }.joined(separator: ",")
        let answer = try await alice().send("PUT", "/v1/me/sender-profile", "{\(fields)}")
        #expect(answer.status == 422)
        #expect((try answer.decode(Problem.self)).errors?.count == 50)
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
        let problem: Problem = try answer.decode()
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
        let user: User = try await client.get("POST", "/v1/users", body, as: installation.acme.secretKey, status: 201)
        #expect(user.displayName == name)
    }

    @Test func `still gets a request id in its answer, which is the client's own if that is acceptable`() async throws {
        let alice = try await alice()
        let own = try await alice.client.send(
            "GET", "/v1/nothing", as: alice.token, headers: ["X-Request-Id": "my-id.1"])
        #expect(own.headers["x-request-id"] == "my-id.1")
        #expect((try own.decode() as Problem).requestID == "my-id.1")
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
