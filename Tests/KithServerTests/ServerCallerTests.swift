import Foundation
import Testing

@testable import KithServer

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite struct `The calls of a tenant's server` {
    /// A server whose requests `answer` answers, and the requests so far.
    private final class Kitchen: Sendable {
        let requests = Locked<[URLRequest]>([])

        func server(_ answer: @escaping @Sendable (Int) throws -> KithAnswer) throws -> KithServer {
            let url = try #require(URL(string: "https://kith.example.com/"))
            let exchange = HTTPExchange(
                server: url, tenant: "acme", namesTenant: true, policy: RetryPolicy(tries: 3, base: 0.001))
            return KithServer(
                caller: ServerCaller(exchange: exchange, key: "kith_sk_1") { request in
                    let number = self.requests.withLock { requests in
                        requests.append(request)
                        return requests.count
                    }
                    return try answer(number)
                })
        }

        func values(of field: String) -> [String?] {
            requests.withLock { $0 }.map { $0.value(forHTTPHeaderField: field) }
        }
    }

    private static func json(_ text: String, status: Int = 200, type: String = "application/json") -> KithAnswer {
        KithAnswer(status: status, headers: ["content-type": type], body: Data(text.utf8))
    }

    @Test func `carry the secret key, and name the tenant that it must belong to`() async throws {
        let kitchen = Kitchen()
        let server = try kitchen.server { _ in Self.json(#"{"items":[],"next_cursor":null}"#) }
        #expect(try await server.listUsers(limit: 5).items == [])
        #expect(kitchen.values(of: "Authorization") == ["Bearer kith_sk_1"])
        #expect(kitchen.values(of: "X-Kith-Tenant") == ["acme"])
        let request = try #require(kitchen.requests.withLock { $0 }.first)
        #expect(request.url?.absoluteString == "https://kith.example.com/v1/users?limit=5")
    }

    @Test func `that need no key send none`() async throws {
        let kitchen = Kitchen()
        let server = try kitchen.server { _ in Self.json(#"{"status":"ok"}"#) }
        _ = try await server.getLiveness()
        #expect(kitchen.values(of: "Authorization") == [nil])
        #expect(kitchen.values(of: "X-Kith-Tenant") == [nil])
    }

    @Test func `are repeated with one key`() async throws {
        let kitchen = Kitchen()
        let server = try kitchen.server { number in
            if number == 1 { throw URLError(.timedOut) }
            if number == 2 {
                return Self.json(
                    #"{"code":"internal_error","detail":"No.","retryable":true}"#, status: 503,
                    type: "application/problem+json")
            }
            return Self.json(#"{"id":"019aa5c4-2d31-7a90-b6c2-5e1f0a9d8b74","status":"deleted"}"#, status: 201)
        }
        let webhook = Kith.CreateWebhookRequest(url: "https://acme.example/events")
        // The answer is no webhook, which this library says.
        await #expect(throws: KithProblem.self) { try await server.createWebhook(webhook) }
        let keys = kitchen.values(of: "Idempotency-Key")
        #expect(keys.count == 3)
        #expect(Set(keys).count == 1)
        #expect(keys.first != .some(nil))
    }

    @Test func `end with the refusal`() async throws {
        let kitchen = Kitchen()
        let server = try kitchen.server { _ in
            Self.json(
                #"{"code":"unauthenticated","detail":"No.","retryable":false}"#, status: 401,
                type: "application/problem+json")
        }
        await #expect { try await server.getTenant() } throws: { error in
            (error as? KithProblem)?.status == 401
        }
        // There is no other key to try.
        #expect(kitchen.requests.withLock { $0.count } == 1)
    }

    @Test func `read a list to its end`() async throws {
        let kitchen = Kitchen()
        let server = try kitchen.server { number in
            Self.json(#"{"items":[],"next_cursor":\#(number < 3 ? "\"more\"" : "null")}"#)
        }
        for try await _ in server.users {}
        #expect(kitchen.requests.withLock { $0.count } == 3)
        for try await _ in server.alarms {}
        for try await _ in server.feedback {}
        let paths = kitchen.requests.withLock { $0 }.map { $0.url?.path }
        #expect(paths.suffix(2) == ["/v1/tenant/alarms", "/v1/feedback"])
    }
}
