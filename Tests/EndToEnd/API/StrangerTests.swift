import Crypto
import Foundation
import KithClient
import Postgres
import TestThreads
import Testing

@Suite(.mayBlock) struct `A stranger` {
    @Test func `with a missing or malformed credential gets 401`() async throws {
        let (_, _, client) = try shared.get()
        for credential in [nil, "", "x", "a.b.c", "kith_sk_wrong", String(repeating: "a", count: 5000)] {
            let answer = try await client.send("GET", "/v1/me", as: credential)
            #expect(answer.status == 401)
            #expect(answer.code == "unauthenticated")
            #expect(answer.headers["www-authenticate"] == "Bearer")
        }
        let long = try await client.send("GET", "/v1/me", as: String(repeating: "a", count: 8193))
        #expect(long.status == 401)
        #expect(long.text.contains("8,192"))
    }

    @Test func `with a valid credential needs the scheme Bearer, in any case`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        for scheme in ["Bearer", "bearer", "BEARER"] {
            let answer = try await client.send("GET", "/v1/me", headers: ["Authorization": "\(scheme) \(alice.token)"])
            #expect(answer.status == 200)
        }
        for scheme in ["Basic", "Bearer:", "Bearers", ""] {
            let answer = try await client.send("GET", "/v1/me", headers: ["Authorization": "\(scheme) \(alice.token)"])
            #expect(answer.status == 401, "\(scheme)")
            #expect(answer.detail.contains("Bearer <token>"), "\(scheme)")
        }
    }

    @Test func `of another tenant sees nothing and changes nothing`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        let mallory = try await Person.join(installation.globex, as: "Mallory", client)
        try await alice.becomeSender()
        try await mallory.becomeSender()
        let code = try await bob.becomeReceiver().code
        let connection = try await alice.connect(code)
        let path = "/v1/connections/\(connection.id)"
        for (method, path) in [
            ("GET", path), ("POST", "\(path)/pause"), ("POST", "\(path)/resume"), ("POST", "\(path)/consent"),
            ("DELETE", path), ("GET", "\(path)/pings"),
        ] {
            #expect(try await mallory.send(method, path).code == "not_found", "\(method) \(path)")
        }
        #expect(try await mallory.send("POST", "/v1/connections", #"{"code":"\#(code)"}"#).code == "invalid_code")
        let notification = try #require(try await bob.notifications().first)
        #expect(try await mallory.send("POST", "/v1/notifications/\(notification.id)/read").code == "not_found")
        for (method, path, body) in [
            ("GET", "/v1/users/\(alice.id)", nil), ("PATCH", "/v1/users/\(alice.id)", #"{"display_name":"X"}"#),
            ("POST", "/v1/tokens", #"{"user_id":"\#(alice.id)"}"#),
            ("PUT", "/v1/users/\(bob.id)/subscription", #"{"status":"expired"}"#),
        ] {
            let answer = try await client.send(method, path, body, as: installation.globex.secretKey)
            #expect(answer.code == "not_found", "\(method) \(path): \(answer.text)")
        }
        let still: Kith.Connection = try await alice.get("GET", path)
        #expect(still.status == .active)
    }

    @Test func `of the same tenant cannot see other people's connection`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        let carol = try await Person.join(installation.acme, as: "Carol", client)
        try await alice.becomeSender()
        let connection = try await alice.connect(bob.becomeReceiver().code)
        #expect(try await carol.send("GET", "/v1/connections/\(connection.id)").code == "not_found")
        #expect(try await carol.send("DELETE", "/v1/connections/\(connection.id)").code == "not_found")
    }

    @Test func `with a key on a user's call, or a token on the tenant server's call, gets 403`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        #expect(try await client.send("GET", "/v1/me", as: installation.acme.secretKey).code == "forbidden")
        #expect(try await alice.send("GET", "/v1/users").code == "forbidden")
        #expect(try await alice.send("GET", "/v1/tenant").code == "forbidden")
        let header = try await client.send("GET", "/v1/me", as: alice.token, headers: ["X-Kith-Tenant": "globex"])
        #expect(header.code == "invalid_request")
    }

    @Test func `with a forged, expired or foreign token gets 401`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let mallory = try await Person.join(installation.globex, as: "Mallory", client)
        let good = try #require(JWT(alice.token))
        let parts = alice.token.split(separator: ".").map(String.init)
        let foreign = mallory.token.split(separator: ".").map(String.init)
        func header(_ json: String) -> String { Base64URL.encode(json.utf8) }
        let own = try HMACKey(Array(repeating: 7, count: 32))
        var forged = good.claims
        let forgeries = try [
            // `alg` none, with the signature and without it
            "\(header(#"{"alg":"none","kid":"\#(good.keyID)"}"#)).\(parts[1]).",
            "\(header(#"{"alg":"none","kid":"\#(good.keyID)"}"#)).\(parts[1]).\(parts[2])",
            // signed by another tenant's valid key
            "\(foreign[0]).\(parts[1]).\(foreign[2])",
            "\(parts[0]).\(foreign[1]).\(parts[2])",
            // signed by the caller's own key, under the tenant's key id
            JWT.sign(good.claims, keyID: good.keyID, by: own),
            // under an unknown key id
            JWT.sign(good.claims, keyID: UUID().text, by: own),
            JWT.sign(good.claims, keyID: "../../etc/passwd", by: own),
        ]
        for token in forgeries {
            let answer = try await client.send("GET", "/v1/me", as: token)
            #expect(answer.status == 401, "\(token)")
        }
        // Signed by the real key, but with another tenant's `tid`, another audience, an expiry in the past, or an
        // unknown user.
        let key = try signingKey(installation, tenant: installation.acme, id: good.keyID)
        for change in [
            { $0.tid = installation.globex.tenantID }, { $0.tid = nil }, { $0.aud = ["globex"] }, { $0.iss = "other" },
            { $0.exp = 1000 }, { $0.sub = UUID().uuidString }, { $0.sub = mallory.id.text },
            { $0.sub = "' or 1=1" }, { $0.nbf = 4e9 },
        ] as [(inout JWT.Claims) -> Void] {
            forged = good.claims
            change(&forged)
            let answer = try await client.send("GET", "/v1/me", as: JWT.sign(forged, keyID: good.keyID, by: key))
            #expect(answer.status == 401, "\(forged)")
        }
        #expect(
            try await client.send("GET", "/v1/me", as: JWT.sign(good.claims, keyID: good.keyID, by: key)).status == 200)
    }

    @Test func `of a suspended tenant gets 403 once the servers notice`() async throws {
        let (installation, _, client) = try shared.get()
        let initech = try installation.tenant("initech")
        try installation.session().execute("select admin.suspend_tenant('initech', 'has not paid')")
        let answer = try await client.send("GET", "/v1/users", as: initech.secretKey)
        #expect(answer.status == 403)
        #expect(answer.code == "tenant_suspended")
    }

    /// Opens the tenant's signing key as the server does: it is stored wrapped by the master key.
    private func signingKey(_ installation: Installation, tenant: Installation.Tenant, id: String) throws -> HMACKey {
        let row = try installation.session().query(
            "select encode(wrapped_secret, 'hex') from kith.jwt_keys where id = $1::uuid", [.text(id)])
        let sealed = try #require(row.string(0, 0).flatMap(Hex.decode))
        let master = try MasterKey(text: installation.environment["KITH_MASTER_KEY"] ?? "")
        return try HMACKey(master.open(sealed, for: "jwt_keys/\(tenant.tenantID)/\(id)"))
    }
}
