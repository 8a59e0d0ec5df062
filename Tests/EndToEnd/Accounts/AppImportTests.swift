import Foundation
import KithClient
import KithServer
import Postgres
import TestThreads
import Testing

@Suite(.mayBlock) struct `An import of an app` {
    private static let app = """
        {"kind":"user","external_id":"sam","display_name":"Sam","phone":"0151 12345678","created_at":"2024-01-01T09:00:00Z","sender_profile":{"ping_time":"22:00","time_zone":"Europe/Berlin","code":"731954"}}
        {"kind":"user","external_id":"rita","display_name":"Rita","email":"rita@example.com","receiver_profile":{"code":"246813"}}
        {"kind":"user","external_id":"olga","display_name":"Olga"}
        {"kind":"code","user":"rita","role":"receiver","code":"135790","expires_at":"2027-06-01T00:00:00Z"}
        {"kind":"connection","sender":"sam","receiver":"rita","status":"active","created_at":"2024-05-01T09:00:00Z"}
        {"kind":"vault","external_id":"v-1","owner":"olga","name":"Papers","created_at":"2024-06-01T09:00:00Z"}
        {"kind":"nominee","external_id":"n-1","vault":"v-1","user":"rita","name":"Rita","phone":"+49 151 22345678","status":"accepted","access_level":"edit"}
        {"kind":"subscription","user":"rita","status":"active"}
        """

    /// A tenant of its own: in another one, somebody may have got these codes.
    private func tenant(_ slug: String) async throws -> (Installation, Installation.Tenant, APIClient) {
        let (installation, _, client) = try shared.get()
        let tenant = try installation.tenant(slug)
        let region = try await client.send("PATCH", "/v1/tenant", #"{"default_region":"DE"}"#, as: tenant.secretKey)
        #expect(region.status == 200)
        return (installation, tenant, client)
    }

    private func send(
        _ lines: String, _ client: APIClient, as key: String, headers: [String: String] = [:]
    ) async throws -> [Kith.ImportResult] {
        let answer = try await client.patiently {
            try await client.send(
                "POST", "/v1/tenant/import", lines, as: key,
                headers: ["Content-Type": "application/x-ndjson"].merging(headers) { $1 })
        }
        guard answer.status == 200 else { throw KithProcess.Failure(description: answer.text) }
        return try answer.text.split(separator: "\n").map {
            try Kith.decoder().decode(Kith.ImportResult.self, from: Data($0.utf8))
        }
    }

    private func person(_ id: UUID?, _ client: APIClient, _ tenant: Installation.Tenant) async throws -> Person {
        let id = try #require(id)
        let token: Kith.AccessToken = try await client.get(
            "POST", "/v1/tokens", #"{"user_id":"\#(id)"}"#, as: tenant.secretKey, status: 201)
        return Person(id: id, token: token.accessToken, client: client)
    }

    @Test func `brings everybody with what they had, tells nobody, and can be sent again`() async throws {
        let (installation, tenant, client) = try await tenant("moving")
        let first = try await send(Self.app, client, as: tenant.secretKey)
        #expect(first.map(\.status) == [201, 201, 201, 201, 201, 201, 201, 200], "\(first.compactMap(\.problem))")
        let again = try await send(Self.app, client, as: tenant.secretKey)
        #expect(again.map(\.status) == Array(repeating: 200, count: 8), "\(again.compactMap(\.problem))")
        #expect(again.map(\.id) == first.map(\.id))
        let told = try installation.session().query(
            """
            select (select count(*) from kith.notifications where tenant_id = $1::integer)
              + (select count(*) from kith.deliveries where tenant_id = $1::integer)
            """, [.int(tenant.tenantID)])
        #expect(told.int(0, 0) == 0)

        let sam = try await person(first[0].id, client, tenant)
        let rita = try await person(first[1].id, client, tenant)
        let olga = try await person(first[2].id, client, tenant)
        let home: Kith.Home = try await sam.get("GET", "/v1/home")
        #expect(home.me.phone == "+4915112345678" && home.sender?.profile.code == "731954")
        #expect(home.sender?.profile.timeZone == "Europe/Berlin" && home.receiver == nil)
        let connection = try #require(home.sender?.dashboard.items.first)
        #expect(connection.id == first[4].id && connection.status == .active)
        #expect(connection.counterpart.displayName == "Rita" && connection.todayPing != nil)
        #expect(connection.createdAt.formatted(.iso8601) == "2024-05-01T09:00:00Z")
        let vaults: Kith.VaultPage = try await rita.get("GET", "/v1/vaults")
        let vault = try #require(vaults.items.first)
        #expect(vaults.items.count == 1 && vault.id == first[5].id)
        #expect(vault.role == .nominee && vault.accessLevel == .edit)
        let nominee = try #require(try await olga.nominees(of: vault).items.first)
        #expect(nominee.id == first[6].id)
        #expect(nominee.phone == "+4915122345678" && nominee.status == .accepted)
        let profile: Kith.ReceiverProfile = try await rita.get("GET", "/v1/me/receiver-profile")
        #expect(profile.code == "246813" && profile.subscriptionStatus == .active)

        // The codes that people know keep working.
        let tom = try await Person.join(tenant, as: "Tom", client)
        try await tom.becomeReceiver()
        #expect(try await tom.connect("731954").counterpart.displayName == "Sam")
        try await tom.becomeSender()
        #expect(try await tom.connect("135790").counterpart.displayName == "Rita")
    }

    @Test func `reports each refused line by its field, and takes the others`() async throws {
        let (_, tenant, client) = try await tenant("staying")
        let results = try await send(
            """
            {"kind":"user","external_id":"a","display_name":"Ada","sender_profile":{"ping_time":"09:00"}}
            {"kind":"boat","external_id":"b"}
            {"kind":"user","external_id":"c","phone":"12"}
            {"kind":"user","display_name":"Nameless"}
            {"kind":"connection","sender":"a","receiver":"nobody"}
            {"kind":"connection","sender":"a","receiver":"a","colour":"blue"}
            {"kind":"code","user":"a","role":"sender","code":"12345"}
            {"kind":"vault","external_id":"v","owner":"a"}
            {"kind":"nominee","external_id":"n","vault":"v","name":"Ben","phone":"+4930"}
            {"kind":"user","external_id":"d","sender_profile":{"time_zone":"UTC"}}
            {"kind":"user","external_id":"e","display_name":"Eva"}
            {"kind":"connection"
            """, client, as: tenant.secretKey)
        #expect(results.map(\.status) == [201, 422, 422, 422, 422, 422, 422, 422, 422, 422, 201, 400])
        #expect(
            results.map { $0.problem?.errors?.map(\.field) ?? [] } == [
                [], ["kind"], ["phone"], ["external_id"], ["receiver"], ["colour"], ["code"], ["name"], ["phone"],
                ["sender_profile.ping_time"], [], [],
            ])
    }

    @Test func `with an Idempotency-Key takes effect once, as a whole`() async throws {
        let (_, tenant, client) = try await tenant("once")
        let key = ["Idempotency-Key": UUID().uuidString]
        let first = try await send(Self.app, client, as: tenant.secretKey, headers: key)
        let again = try await send(Self.app, client, as: tenant.secretKey, headers: key)
        // A second run would answer 200.
        #expect(again.map(\.status) == first.map(\.status) && again.map(\.id) == first.map(\.id))
        let other = try await client.send(
            "POST", "/v1/tenant/import", #"{"kind":"user","external_id":"x"}"#, as: tenant.secretKey,
            headers: key.merging(["Content-Type": "application/x-ndjson"]) { $1 })
        #expect(other.code == "idempotency_mismatch")
    }

    @Test func `concerns the tenant of the key alone`() async throws {
        let (_, tenant, client) = try await tenant("apart")
        _ = try await send(Self.app, client, as: tenant.secretKey)
        let (_, rival, _) = try await self.tenant("rival")
        let line = #"{"kind":"connection","sender":"sam","receiver":"rita"}"#
        let stolen = try await send(line, client, as: rival.secretKey)
        #expect(stolen.map(\.status) == [422])
        // The other tenant can have the same ids and the same codes.
        #expect(try await send(Self.app, client, as: rival.secretKey).map(\.status).filter { $0 >= 400 } == [])
        let alice = try await Person.join(tenant, as: "Alice", client)
        let refused = try await client.send(
            "POST", "/v1/tenant/import", line, as: alice.token, headers: ["Content-Type": "application/x-ndjson"])
        #expect(refused.code == "forbidden")
    }
}

@Suite(.mayBlock) struct `The users of a tenant` {
    @Test func `are found by phone number, by e-mail address and by external id`() async throws {
        let (installation, _, client) = try shared.get()
        let tenant = try installation.tenant("findable")
        func add(_ body: String) async throws -> Kith.User {
            try await client.get("POST", "/v1/users", body, as: tenant.secretKey, status: 201)
        }
        func found(_ query: String, as key: String? = nil) async throws -> [UUID] {
            let page: Kith.UserPage = try await client.get("GET", "/v1/users?\(query)", as: key ?? tenant.secretKey)
            return page.items.map(\.id)
        }
        let number = SignInHouse.number()
        let encoded = number.replacing("+", with: "%2B")
        let alice = try await add(
            #"{"display_name":"Alice","phone":"\#(number)","email":"Alice@Example.com","external_id":"a/1"}"#)
        let bob = try await add(#"{"display_name":"Bob","phone":"\#(number)"}"#)
        _ = try await add(#"{"display_name":"Carol"}"#)
        // Nobody has verified the number, so several can have it.
        #expect(try await found("phone=\(encoded)") == [alice.id, bob.id])
        #expect(try await found("phone=\(encoded)&limit=1") == [alice.id])
        #expect(try await found("email=alice@example.com") == [alice.id])
        #expect(try await found("phone=\(encoded)&email=alice@example.com") == [alice.id])
        #expect(try await found("external_id=a/1") == [alice.id])
        #expect(try await found("external_id=a/1&email=bob@example.com") == [])
        #expect(try await found("phone=%2B4915100000000") == [])
        #expect(try await found("phone=\(encoded)", as: installation.globex.secretKey) == [])
        for query in ["phone=0151", "phone=", "email=alice", "phone=\(number)&colour=blue"] {
            let answer = try await client.send("GET", "/v1/users?\(query)", as: tenant.secretKey)
            #expect(answer.code == "validation_failed", "\(query)")
        }
    }
}
