import Foundation
import KithClient
import TestThreads
import Testing

/// Scripts on a tenant's web origins may call the API from a browser (A02).
@Suite(.mayBlock) struct `A page of another origin` {
    private static let page = "https://app.example.com"

    /// A server on which acme allows the page's origin and globex does not.
    private func server() async throws -> (Installation, APIClient, KithProcess) {
        let installation = try Installation()
        let (process, client) = try installation.serve()
        let changed = try await client.send(
            "PATCH", "/v1/tenant", #"{"allowed_origins":["\#(Self.page)"]}"#, as: installation.acme.secretKey)
        #expect(changed.status == 200, "\(changed.text)")
        return (installation, client, process)
    }

    @Test func `is allowed by the tenant that lists its origin, and by no other`() async throws {
        let (installation, client, process) = try await server()
        defer { process.signal(SIGTERM) }
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let mallory = try await Person.join(installation.globex, as: "Mallory", client)
        let own = try await client.send("GET", "/v1/me", as: alice.token, headers: ["Origin": Self.page])
        #expect(own.status == 200)
        #expect(own.headers["access-control-allow-origin"] == Self.page)
        #expect(own.headers["access-control-expose-headers"]?.contains("Retry-After") == true)
        #expect(own.headers["vary"] == "Origin")
        let others = try await client.send("GET", "/v1/me", as: mallory.token, headers: ["Origin": Self.page])
        #expect(others.status == 200)
        #expect(others.headers["access-control-allow-origin"] == nil)
        let stranger = try await client.send(
            "GET", "/v1/me", as: alice.token, headers: ["Origin": "https://evil.example"])
        #expect(stranger.headers["access-control-allow-origin"] == nil)
        let refused = try await client.send("GET", "/v1/me", as: "nonsense", headers: ["Origin": Self.page])
        #expect(refused.status == 401)
        #expect(refused.headers["access-control-allow-origin"] == Self.page, "a page must be able to read why")
        let none = try await client.send("GET", "/v1/me", as: alice.token)
        #expect(none.headers["access-control-allow-origin"] == nil)
    }

    @Test func `may send a preflight request`() async throws {
        let (installation, client, process) = try await server()
        // The database stops when the installation is released.
        defer { withExtendedLifetime(installation) { process.signal(SIGTERM) } }
        let question = ["Origin": Self.page, "Access-Control-Request-Method": "POST"]
        let answer = try await client.send("OPTIONS", "/v1/pings/check-in", headers: question)
        #expect(answer.status == 204)
        #expect(answer.headers["access-control-allow-origin"] == Self.page)
        #expect(answer.headers["access-control-allow-methods"] == "POST")
        #expect(answer.headers["access-control-allow-headers"]?.contains("Idempotency-Key") == true)
        #expect(answer.headers["access-control-max-age"] == "60")
        let stranger = try await client.send(
            "OPTIONS", "/v1/me", headers: ["Origin": "https://evil.example", "Access-Control-Request-Method": "GET"])
        #expect(stranger.code == "forbidden")
        #expect(stranger.headers["access-control-allow-origin"] == nil)
        let nowhere = try await client.send("OPTIONS", "/v1/nowhere", headers: question)
        #expect(nowhere.status == 404)
        let plain = try await client.send("OPTIONS", "/v1/me")
        #expect(plain.status == 405)
        #expect(plain.headers["allow"]?.contains("PATCH") == true)
    }

    @Test(arguments: ["https://app.example.com/", "app.example.com", "*", "https://a b", "ftp://x.example"])
    func `is not allowed by a setting that is not an origin`(text: String) async throws {
        let (installation, _, client) = try shared.get()
        let answer = try await client.send(
            "PATCH", "/v1/tenant", #"{"allowed_origins":["\#(text)"]}"#, as: installation.globex.secretKey)
        #expect(answer.status == 422)
        #expect(answer.text.contains("allowed_origins"))
    }
}
