import Foundation
import KithClient
import KithServer
import Postgres
import TestThreads
import Testing

@Suite(.mayBlock) struct `An import of users` {
    /// On a busy machine the database may be late for the whole request, which is sent again then.
    private func send(
        _ lines: String, _ client: APIClient, as key: String, headers: [String: String] = [:]
    ) async throws -> APIClient.Answer {
        while true {
            let answer = try await client.send(
                "POST", "/v1/users:import", lines, as: key,
                headers: ["Content-Type": "application/x-ndjson"].merging(headers) { $1 })
            if answer.status != 503 { return answer }
        }
    }

    private func results(_ answer: APIClient.Answer) throws -> [Kith.ImportResult] {
        try answer.text.split(separator: "\n").map {
            try Kith.decoder().decode(Kith.ImportResult.self, from: Data($0.utf8))
        }
    }

    /// Sends lines of new users. On a busy machine the database may be late for some lines, which get 503 and are sent
    /// again.
    private func sendAll(_ lines: [String], _ client: APIClient, as key: String) async throws -> [Kith.ImportResult] {
        var done: [Int: Kith.ImportResult] = [:]
        while done.count < lines.count {
            let left = lines.indices.filter { done[$0] == nil }
            let answer = try await send(left.map { lines[$0] }.joined(separator: "\n"), client, as: key)
            #expect(answer.status == 200)
            let results = try results(answer)
            #expect(results.map(\.line) == Array(1...left.count))
            for result in results where result.status != 503 { done[left[result.line - 1]] = result }
        }
        return lines.indices.compactMap { done[$0] }
    }

    @Test func `reports a result for each line, and an invalid line stops no other`() async throws {
        let (installation, _, client) = try shared.get()
        let id = UUID().uuidString
        let lines = """
            {"display_name":"One","external_id":"\(id)","phone":"+4915112345678"}
            {"display_name":"Two","colour":"blue","email":7}

            {"display_name":
            {"display_name":"Three","time_zone":"Mars/Olympus"}
            {"display_name":"Four","locale":"no locale"}
            {"display_name":"Uno","external_id":"\(id)"}\r
            ["Five"]
            {"display_name":"\\u0000"}
            {"display_name":"Six"}
            """
        let answer = try await send(lines, client, as: installation.acme.secretKey)
        #expect(answer.status == 200)
        #expect(answer.headers["content-type"] == "application/x-ndjson")
        let results = try results(answer)
        #expect(results.map(\.line) == [1, 2, 4, 5, 6, 7, 8, 9, 10])
        #expect(results.map(\.status) == [201, 422, 400, 422, 422, 200, 422, 400, 201])
        #expect(results[0].id == results[5].id)
        #expect(results[1].problem?.errors?.map(\.field) == ["colour", "email"])
        #expect(results[2].problem?.code == .invalidRequest)
        #expect(results[3].problem?.errors?.map(\.field) == ["time_zone"])
        #expect(results[4].problem?.code == .validationFailed)
        let one: Kith.User = try await client.get(
            "GET", "/v1/users/\(try #require(results[0].id))", as: installation.acme.secretKey)
        #expect(one.displayName == "Uno")
        #expect(one.phone == "+4915112345678")
    }

    @Test func `accepts ten thousand lines, and no more`() async throws {
        let (installation, _, client) = try shared.get()
        let prefix = UUID().uuidString
        let lines = (1...10_001).map { #"{"display_name":"User \#($0)","external_id":"\#(prefix)-\#($0)"}"# }
        let results = try await sendAll(Array(lines.dropLast()), client, as: installation.globex.secretKey)
        #expect(Set(results.compactMap(\.id)).count == 10_000)

        let many = try await send(lines.joined(separator: "\n"), client, as: installation.globex.secretKey)
        #expect(many.status == 413)
        #expect(many.detail == "An import takes at most 10000 lines.")
    }

    @Test func `refuses a line of more than 16 KiB, and names it`() async throws {
        let (installation, _, client) = try shared.get()
        let long = #"{"display_name":"\#(String(repeating: "x", count: 16 << 10))"}"#
        let answer = try await send(
            #"{"display_name":"One"}"# + "\n\n" + long, client, as: installation.acme.secretKey)
        let results = try results(answer)
        #expect(results.map(\.status) == [201, 413])
        #expect(results.last?.problem?.detail == "Line 3 is longer than 16384 bytes.")
    }

    @Test func `counts blank lines`() async throws {
        let (installation, _, client) = try shared.get()
        let blank = String(repeating: "\n", count: 10_001)
        let answer = try await send(blank, client, as: installation.acme.secretKey)
        #expect(answer.status == 413)
        #expect(answer.detail == "An import takes at most 10000 lines.")
    }

    @Test func `can be sent again, matched by external_id`() async throws {
        let (installation, _, client) = try shared.get()
        let prefix = UUID().uuidString
        let lines = (1...5000).map { #"{"display_name":"User \#($0)","external_id":"\#(prefix)-\#($0)"}"# }
        let first = try await sendAll(lines, client, as: installation.globex.secretKey)
        #expect(first.count == 5000)
        let again = try await sendAll(lines, client, as: installation.globex.secretKey)
        #expect(again.map(\.id) == first.map(\.id))
        #expect(Set(again.map(\.status)) == [200])
    }

    @Test func `with an Idempotency-Key takes effect once, as a whole`() async throws {
        let (installation, _, client) = try shared.get()
        func lines(_ count: Int) -> String {
            (1...count).map { #"{"display_name":"Nameless \#($0)"}"# }.joined(separator: "\n") + "\n{"
        }
        let key = ["Idempotency-Key": UUID().uuidString]
        let first = try await send(lines(999), client, as: installation.globex.secretKey, headers: key)
        let made = try results(first)
        #expect(made.count == 1000)
        #expect(made.dropLast().allSatisfy { $0.status == 201 })
        #expect(made.last?.status == 400)
        let again = try await send(lines(999), client, as: installation.globex.secretKey, headers: key)
        #expect(again.headers["idempotent-replayed"] == "true")
        #expect(again.headers["content-type"] == "application/x-ndjson")
        #expect(again.text == first.text)
        let other = try await send(lines(998), client, as: installation.globex.secretKey, headers: key)
        #expect(other.code == "idempotency_mismatch")
        let many = try await send(
            lines(1000), client, as: installation.globex.secretKey, headers: ["Idempotency-Key": UUID().uuidString])
        #expect(many.status == 413)
        #expect(many.detail == "With an Idempotency-Key an import takes at most 1000 lines: send several.")
    }

    @Test func `of the same people sent twice at the same time succeeds twice`() async throws {
        let (installation, _, client) = try shared.get()
        let prefix = UUID().uuidString
        let lines = (1...1000).map { #"{"display_name":"User \#($0)","external_id":"\#(prefix)-\#($0)"}"# }
        async let there = statuses(of: lines, client, as: installation.globex.secretKey)
        async let back = statuses(of: lines.reversed(), client, as: installation.globex.secretKey)
        let both = try await there + back
        #expect(both.sorted() == Array(repeating: 200, count: 1000) + Array(repeating: 201, count: 1000))
    }

    /// Imports `lines`, and sends those again that could not be done in time, as a client does on a busy machine.
    private func statuses(of lines: [String], _ client: APIClient, as key: String) async throws -> [Int] {
        var (left, done): ([String], [Int]) = (lines, [])
        for _ in 0..<20 where !left.isEmpty {
            let given = try await results(send(left.joined(separator: "\n"), client, as: key))
            done += given.filter { $0.status != 503 }.map(\.status)
            left = given.filter { $0.status == 503 }.map { left[$0.line - 1] }
        }
        return done
    }

    @Test func `stops at the tenant's quota`() async throws {
        let (installation, _, client) = try shared.get()
        let tenant = try installation.tenant("quota-\(UInt32.random(in: 0...9999))")
        try installation.session().execute(
            "update kith.tenants set user_quota = 3 where tenant_id = \(tenant.tenantID)")
        let lines = (1...5).map { #"{"display_name":"User \#($0)","external_id":"\#($0)"}"# }.joined(separator: "\n")
        #expect(
            try await results(send(lines, client, as: tenant.secretKey)).map(\.status) == [201, 201, 201, 507, 507])
        #expect(
            try await results(send(lines, client, as: tenant.secretKey)).map(\.status) == [200, 200, 200, 507, 507])
    }

    @Test func `accepts only JSON Lines, from the tenant's server`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let line = #"{"display_name":"One"}"#
        #expect(try await send(line, client, as: alice.token).code == "forbidden")
        let json = try await client.send("POST", "/v1/users:import", line, as: installation.acme.secretKey)
        #expect(json.code == "unsupported_media_type")
        #expect(json.detail == "Send the body as application/x-ndjson.")
        let empty = try await client.send("POST", "/v1/users:import", as: installation.acme.secretKey)
        #expect(empty.code == "invalid_request")
    }
}
