import Crypto
import Foundation
import KithClient
import KithServer
import Postgres

/// The tenant's server, which makes users while the tenant moves.
actor WriteLoad {
    private let tenant: Installation.Tenant
    private let client: APIClient
    private var isOver = false
    private(set) var done: [String] = []
    private(set) var refused: [String] = []

    init(_ tenant: Installation.Tenant, _ client: APIClient) {
        self.tenant = tenant
        self.client = client
    }

    func during<Value: Sendable>(_ body: @Sendable @escaping () throws -> Value) async throws -> Value {
        let writers = (0..<3).map { writer in Task { try await write(as: writer) } }
        while done.count < 10 { try await Task.sleep(for: .milliseconds(10)) }
        let value = try await Task.detached { try body() }.value
        let before = done.count
        while done.count < before + 10 { try await Task.sleep(for: .milliseconds(10)) }
        isOver = true
        for writer in writers { try await writer.value }
        return value
    }

    private func write(as writer: Int) async throws {
        var number = 0
        while !isOver {
            number += 1
            let name = "load \(writer) \(number)"
            let answer = try await client.exchange(
                "POST", "/v1/users", #"{"display_name":"\#(name)"}"#, as: tenant.secretKey)
            if answer.status == 201 { done.append(name) } else { refused.append("\(answer.status) \(answer.text)") }
        }
    }
}

/// What identifies the people of the tenant acme, their server and its pages.
actor MovedCredentials {
    private let client: APIClient
    private let key: String
    let alice: Person
    private let providersToken: String
    private var refreshToken: String
    /// A key from before there were numbers in keys.
    private let oldKey = "kith_sk_from_before"

    init(_ house: CellHouse, _ client: APIClient) async throws {
        let acme = house.installation.acme
        self.client = client
        key = acme.secretKey
        alice = try await Person.join(acme, as: "Alice", client)
        refreshToken = "kith_rt_\(acme.tenantID)_of_alice"
        try house.installation.session().execute(
            """
            insert into kith.api_keys (tenant_id, id, name, secret_hash, created_at)
            values (\(acme.tenantID), gen_random_uuid(), 'old', sha256('\(oldKey)'), now());
            with family as (
              insert into kith.token_families (tenant_id, id, user_id, created_at, refreshed_at, expires_at)
              values (\(acme.tenantID), gen_random_uuid(), '\(alice.id)', now(), now(), now() + interval '60 days')
              returning *
            )
            insert into kith.refresh_tokens (tenant_id, id, family_id, secret_hash, created_at, expires_at)
            select tenant_id, gen_random_uuid(), id, sha256('\(refreshToken)'), created_at, expires_at from family
            """)
        let provider = IdentityProvider(.es256)
        let added = try await client.exchange(
            "POST", "/v1/tenant/jwt-keys",
            #"{"issuer":"https://id.acme.example","audience":"acme-app","kid":"\#(provider.kid)","public_key":"\#(provider.escapedPEM)"}"#,
            as: key)
        let made = try await client.exchange(
            "POST", "/v1/users", #"{"display_name":"Ida","external_id":"ida"}"#, as: key)
        guard added.status < 300, made.status == 201 else { throw KithProcess.Failure(description: added.text) }
        let now = Int(Date().timeIntervalSince1970)
        providersToken = provider.token(
            #"{"iss":"https://id.acme.example","aud":["acme-app"],"sub":"ida","iat":\#(now),"exp":\#(now + 3600)}"#)
        // Servers read every few seconds which issuers and hosts lead to a tenant.
        for _ in 0..<100 where try await answers().contains(where: { $0.status != 200 }) {
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    /// The server's answers to each of them.
    func answers() async throws -> [APIClient.Answer] {
        let refreshed = try await client.exchange(
            "POST", "/v1/auth/refresh", #"{"refresh_token":"\#(refreshToken)"}"#)
        if refreshed.status == 200 { refreshToken = try refreshed.decode(Kith.SignIn.self).refreshToken }
        return [
            refreshed,
            try await client.exchange("GET", "/v1/me", as: alice.token),
            try await client.exchange("GET", "/v1/connections", as: alice.token),
            try await client.exchange("PATCH", "/v1/me", #"{"display_name":"Alice"}"#, as: alice.token),
            try await client.exchange("GET", "/v1/me", as: providersToken),
            try await client.exchange("GET", "/v1/tenant", as: key),
            try await client.exchange("GET", "/v1/tenant", as: oldKey),
            try await client.exchange("GET", "/join?t=acme&code=123456", headers: ["Accept": "text/html"]),
            try await client.exchange(
                "GET", "/join?code=123456", headers: ["Accept": "text/html", "Host": "acme.example"]),
        ]
    }
}
