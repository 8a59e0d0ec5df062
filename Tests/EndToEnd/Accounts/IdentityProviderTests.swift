import Crypto
import Foundation
import KithClient
import KithServer
import Postgres
import TestThreads
import Testing

@Suite(.mayBlock) struct `A tenant's own identity provider` {
    /// Registers a provider's PEM key under an issuer of its own.
    private func register(
        _ provider: IdentityProvider, _ tenant: Installation.Tenant, issuer: String, audience: String = "app"
    ) async throws -> Kith.JWTKey {
        let (_, _, client) = try shared.get()
        let page: Kith.JWTKeyPage = try await client.get(
            "POST", "/v1/tenant/jwt-keys",
            #"{"issuer":"\#(issuer)","audience":"\#(audience)","kid":"\#(provider.kid)","public_key":"\#(provider.escapedPEM)"}"#,
            as: tenant.secretKey, status: 201)
        return try #require(page.items.first)
    }

    private func user(_ name: String, _ tenant: Installation.Tenant) async throws -> (user: Kith.User, subject: String)
    {
        let (_, _, client) = try shared.get()
        let subject = "\(name)-\(UUID().uuidString)"
        let user: Kith.User = try await client.get(
            "POST", "/v1/users", #"{"display_name":"\#(name)","external_id":"\#(subject)"}"#, as: tenant.secretKey,
            status: 201)
        return (user, subject)
    }

    @Test(arguments: [SignatureAlgorithm.es256, .rs256, .edDSA])
    func `signs tokens whose subject is the user's external id`(algorithm: SignatureAlgorithm) async throws {
        let (installation, _, client) = try shared.get()
        let issuer = "https://\(UUID().uuidString).example"
        let provider = IdentityProvider(algorithm)
        // The token is refused until the provider is registered.
        let (alice, subject) = try await user("Alice", installation.acme)
        let early = provider.token(for: subject, issuer: issuer, audience: "early")
        #expect(try await client.send("GET", "/v1/me", as: early).status == 401)
        let key = try await register(provider, installation.acme, issuer: issuer)
        #expect(key.algorithm.rawValue == algorithm.rawValue)
        #expect(key.publicKey == provider.pem)

        let token = provider.token(for: subject, issuer: issuer, audience: "app")
        let me: Kith.User = try await client.get("GET", "/v1/me", as: token)
        #expect(me.id == alice.id)

        let now = Int(Day.now.timeIntervalSince1970)
        func status(_ claims: String, header: String? = nil) async throws -> Int {
            try await client.send("GET", "/v1/me", as: provider.token(claims, header: header)).status
        }
        let good = #""iss":"\#(issuer)","aud":"app","sub":"\#(subject)""#
        // A token without `iat` is accepted if it expires within a day.
        #expect(try await status("{\(good),\"exp\":\(now + 3600)}") == 200)
        #expect(try await status("{\(good),\"exp\":\(now + 90000)}") == 401)
        #expect(try await status("{\(good),\"exp\":\(now - 1)}") == 401)
        #expect(try await status("{\(good),\"exp\":\(now + 3600),\"nbf\":\(now + 60)}") == 401)
        #expect(try await status("{\(good)}") == 401)
        for claims in [
            #""iss":"https://other.example","aud":"app","sub":"\#(subject)""#,
            #""iss":"\#(issuer)","aud":"other","sub":"\#(subject)""#, #""iss":"\#(issuer)","aud":"app","sub":"nobody""#,
            #""iss":"kith","aud":"acme","sub":"\#(alice.id)","tid":\#(installation.acme.tenantID)"#,
        ] {
            #expect(try await status("{\(claims),\"iat\":\(now),\"exp\":\(now + 3600)}") == 401, "\(claims)")
        }
        // The algorithm in the header is never trusted.
        for other in ["none", "HS256", "ES256", "RS256", "EdDSA"] where other != algorithm.rawValue {
            let header = #"{"alg":"\#(other)","kid":"\#(provider.kid)"}"#
            #expect(try await status("{\(good),\"exp\":\(now + 3600)}", header: header) == 401, "\(other)")
        }
        // An HMAC made with the public key as its secret is refused.
        let parts = token.split(separator: ".")
        let head = Base64URL.encode(#"{"alg":"HS256","kid":"\#(provider.kid)"}"#.utf8)
        let code = try HMACKey(Array(provider.pem.utf8)).authenticationCode(for: "\(head).\(parts[1])".utf8)
        let confused = "\(head).\(parts[1]).\(Base64URL.encode(code))"
        #expect(try await client.send("GET", "/v1/me", as: confused).status == 401)
        // Another key under the same `kid`.
        let forger = IdentityProvider(algorithm, kid: provider.kid)
        let forged = forger.token(for: subject, issuer: issuer, audience: "app")
        #expect(try await client.send("GET", "/v1/me", as: forged).status == 401)
    }

    @Test func `may include a shared secret in its key set`() async throws {
        let (installation, _, client) = try shared.get()
        let issuer = "https://\(UUID().uuidString).example"
        let secret = randomBytes(32)
        let set = #"""
            {"issuer":"\#(issuer)","audience":"app","jwks":{"keys":[
              {"kty":"oct","kid":"s-1","alg":"HS256","k":"\#(Base64URL.encode(secret))"},
              {"kty":"OKP","crv":"Ed25519","kid":"e-1","use":"sig","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"},
              {"kty":"RSA","kid":"enc","use":"enc","alg":"RSA-OAEP","n":"AQAB","e":"AQAB"}]}}
            """#
        let page: Kith.JWTKeyPage = try await client.get(
            "POST", "/v1/tenant/jwt-keys", set, as: installation.acme.secretKey, status: 201)
        #expect(page.items.map(\.kid) == ["s-1", "e-1"])
        #expect(page.items.map(\.algorithm) == [.hs256, .edDSA])
        #expect(page.items.first?.publicKey == nil)
        let (alice, subject) = try await user("Alice", installation.acme)
        let now = Day.now.timeIntervalSince1970
        let claims = JWT.Claims(iss: issuer, aud: ["app"], sub: subject, tid: nil, iat: now, exp: now + 600)
        let token = try JWT.sign(claims, keyID: "s-1", by: HMACKey(secret))
        let me: Kith.User = try await client.get("GET", "/v1/me", as: token)
        #expect(me.id == alice.id)
        // The stored secret is sealed.
        let stored = try installation.session().query(
            "select encode(wrapped_secret, 'hex') from kith.jwt_keys where kid = 's-1' and issuer = $1", [.text(issuer)]
        )
        #expect(stored.string(0, 0)?.contains(Hex.encode(secret)) == false)
    }

    @Test func `is listed, and its tokens are refused once its key is deleted`() async throws {
        let (installation, _, client) = try shared.get()
        let issuer = "https://\(UUID().uuidString).example"
        let provider = IdentityProvider(.es256)
        let key = try await register(provider, installation.acme, issuer: issuer)
        let again = try await register(provider, installation.acme, issuer: issuer)
        #expect(again.id == key.id)
        let list: Kith.JWTKeyPage = try await client.get("GET", "/v1/tenant/jwt-keys", as: installation.acme.secretKey)
        #expect(list.items.contains { $0.id == key.id })
        let foreign: Kith.JWTKeyPage = try await client.get(
            "GET", "/v1/tenant/jwt-keys", as: installation.globex.secretKey)
        #expect(!foreign.items.contains { $0.id == key.id })
        let path = "/v1/tenant/jwt-keys/\(key.id)"
        #expect(try await client.send("DELETE", path, as: installation.globex.secretKey).code == "not_found")
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        #expect(try await alice.send("DELETE", path).code == "forbidden")
        #expect(try await alice.send("GET", "/v1/tenant/jwt-keys").code == "forbidden")
        #expect(try await client.send("DELETE", path, as: installation.acme.secretKey).status == 204)
        #expect(try await client.send("DELETE", path, as: installation.acme.secretKey).code == "not_found")
        let (_, subject) = try await user("Bob", installation.acme)
        let token = provider.token(for: subject, issuer: issuer, audience: "app")
        #expect(try await client.send("GET", "/v1/me", as: token).status == 401)
    }

    /// A database from before issuers were unique to a tenant may hold this state.
    @Test func `registered by two tenants uses the tenant that the client names, else the first`() async throws {
        let (installation, _, client) = try shared.get()
        let issuer = "https://\(UUID().uuidString).example"
        let provider = IdentityProvider(.edDSA)
        _ = try await register(provider, installation.acme, issuer: issuer)
        _ = try installation.session().query(
            """
            insert into kith.jwt_keys (tenant_id, id, kid, algorithm, own, issuer, audience, public_key, created_at)
            select $1::integer, gen_random_uuid(), kid, algorithm, own, issuer, audience, public_key, created_at
            from kith.jwt_keys where issuer = $2
            """, [.int(installation.globex.tenantID), .text(issuer)])
        let subject = "both-\(UUID().uuidString)"
        var ids: [String: UUID] = [:]
        for tenant in [installation.acme, installation.globex] {
            let user: Kith.User = try await client.get(
                "POST", "/v1/users", #"{"display_name":"\#(tenant.slug)","external_id":"\#(subject)"}"#,
                as: tenant.secretKey, status: 201)
            ids[tenant.slug] = user.id
        }
        let token = provider.token(for: subject, issuer: issuer, audience: "app")
        for slug in ["globex", "acme"] {
            let answer = try await client.send("GET", "/v1/me", as: token, headers: ["X-Kith-Tenant": slug])
            #expect(try answer.decode(Kith.User.self).id == ids[slug])
        }
        let me: Kith.User = try await client.get("GET", "/v1/me", as: token)
        #expect(me.id == ids["acme"])
        let other = try await client.send("GET", "/v1/me", as: token, headers: ["X-Kith-Tenant": "nobody"])
        #expect(other.code == "invalid_request")
    }

    @Test func `cannot be registered by a second tenant, which would gain its users`() async throws {
        let (installation, _, client) = try shared.get()
        let issuer = "https://\(UUID().uuidString).example"
        let provider = IdentityProvider(.es256)
        // Two tenants register it at the same time: only one succeeds.
        func body(_ provider: IdentityProvider) -> String {
            let key = #""kid":"\#(provider.kid)","public_key":"\#(provider.escapedPEM)""#
            return #"{"issuer":"\#(issuer)","audience":"app",\#(key)}"#
        }
        let same = body(provider)
        let tenants = [installation.acme, installation.globex]
        let answers = try await withThrowingTaskGroup(of: (Int, APIClient.Answer).self) { group in
            for (index, tenant) in tenants.enumerated() {
                group.addTask {
                    (index, try await client.send("POST", "/v1/tenant/jwt-keys", same, as: tenant.secretKey))
                }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        let winner = try #require(answers.first { $0.value.status == 201 })
        let (owner, second) = (tenants[winner.key], tenants[1 - winner.key])
        let refusal = try #require(answers[1 - winner.key])
        #expect(refusal.code == "conflict")
        #expect(refusal.text.contains("ask the operator"))
        let again = try await client.send(
            "POST", "/v1/tenant/jwt-keys", body(IdentityProvider(.es256)), as: second.secretKey)
        #expect(again.code == "conflict")
        // An additional audience of the same tokens does not help the second tenant: the tokens would be ambiguous.
        let besides = try await client.send(
            "POST", "/v1/tenant/jwt-keys", same.replacing(#""app""#, with: #""userinfo""#), as: second.secretKey)
        #expect(besides.code == "conflict")

        let (alice, subject) = try await user("Alice", owner)
        let now = Int(Day.now.timeIntervalSince1970)
        let token = provider.token(
            #"{"iss":"\#(issuer)","aud":["app","userinfo"],"sub":"\#(subject)","iat":\#(now),"exp":\#(now + 600)}"#)
        let me: Kith.User = try await client.get("GET", "/v1/me", as: token)
        #expect(me.id == alice.id)
        let other = try await client.send("GET", "/v1/me", as: token, headers: ["X-Kith-Tenant": second.slug])
        #expect(other.code == "invalid_request")

        let page: Kith.JWTKeyPage = try await client.get("GET", "/v1/tenant/jwt-keys", as: owner.secretKey)
        let key = try #require(page.items.first { $0.issuer == issuer })
        #expect(
            try await client.send("DELETE", "/v1/tenant/jwt-keys/\(key.id)", as: owner.secretKey).status == 204)
        _ = try await register(provider, second, issuer: issuer)
    }

    @Test func `must issue a newer token after its user signed out everywhere`() async throws {
        let (installation, _, client) = try shared.get()
        let issuer = "https://\(UUID().uuidString).example"
        let provider = IdentityProvider(.es256)
        _ = try await register(provider, installation.acme, issuer: issuer)
        let (_, subject) = try await user("Alice", installation.acme)
        let now = Int(Day.now.timeIntervalSince1970)
        func token(_ claims: String) -> String {
            provider.token(#"{"iss":"\#(issuer)","aud":"app","sub":"\#(subject)",\#(claims)}"#)
        }
        // Issued before the account was created here: the provider knew the person first.
        let old = token("\"iat\":\(now - 600),\"exp\":\(now + 600)")
        #expect(try await client.send("GET", "/v1/me", as: old).status == 200)
        #expect(
            try await client.send("POST", "/v1/auth/sign-out", #"{"everywhere":true}"#, as: old).status == 204)
        #expect(try await client.send("GET", "/v1/me", as: old).status == 401)
        #expect(try await client.send("GET", "/v1/me", as: token("\"exp\":\(now + 600)")).status == 401)
        let later = Int(Day.now.timeIntervalSince1970) + 2
        let new = token("\"iat\":\(later),\"exp\":\(later + 600)")
        #expect(try await client.send("GET", "/v1/me", as: new).status == 200)
    }

    @Test(
        arguments: [
            (#"{"issuer":"i","audience":"a"}"#, "public_key"),
            (#"{"issuer":"i","audience":"a","public_key":"x","kid":"k"}"#, "public_key"),
            (#"{"issuer":"i","audience":"a","public_key":"PEM"}"#, "kid"),
            (#"{"issuer":"kith","audience":"a","public_key":"PEM","kid":"k"}"#, "issuer"),
            (#"{"issuer":"i","audience":"a","public_key":"PEM","kid":"k","algorithm":"RS256"}"#, "algorithm"),
            (#"{"issuer":"i","audience":"a","public_key":"PEM","kid":"k","algorithm":"HS256"}"#, "algorithm"),
            (#"{"issuer":"i","audience":"a","public_key":"PEM","kid":"k","jwks":{"keys":[{}]}}"#, "jwks"),
            (#"{"audience":"a","public_key":"PEM","kid":"k"}"#, "issuer"),
            (#"{"issuer":"i","audience":"a","jwks":{"keys":[]}}"#, "jwks.keys"),
            (#"{"issuer":"i","audience":"a","jwks":{"keys":[{"use":"enc"}]}}"#, "jwks.keys"),
            (#"{"issuer":"i","audience":"a","jwks":{"keys":[{"kty":"EC"}]}}"#, "jwks.keys[0].kid"),
            (#"{"issuer":"i","audience":"a","jwks":{"keys":[{"kty":"oct","kid":"k","k":"AAAA"}]}}"#, "jwks.keys[0].k"),
            (#"{"issuer":"i","audience":"a","kid":"k","jwks":{"keys":[{}]}}"#, "kid"),
            // 43 digits whose last has a bit that belongs to no byte; padding; the other alphabet.
            (
                #"{"issuer":"i","audience":"a","jwks":{"keys":[{"kty":"oct","kid":"k","k":"\#(String(repeating: "A", count: 42))B"}]}}"#,
                "jwks.keys[0].k"
            ),
            (
                #"{"issuer":"i","audience":"a","jwks":{"keys":[{"kty":"oct","kid":"k","k":"\#(String(repeating: "A", count: 43))="}]}}"#,
                "jwks.keys[0].k"
            ),
            (
                #"{"issuer":"i","audience":"a","jwks":{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"k","x":"\#(String(repeating: "+", count: 43))"}]}}"#,
                "jwks.keys[0].x"
            ),
        ])
    func `cannot be registered with an unusable key`(body: String, field: String) async throws {
        let (installation, _, client) = try shared.get()
        let pem = IdentityProvider(.es256).escapedPEM
        let answer = try await client.send(
            "POST", "/v1/tenant/jwt-keys", body.replacing("PEM", with: pem), as: installation.acme.secretKey)
        #expect(answer.status == 422, "\(answer.text)")
        let problem: Kith.Problem = try answer.decode()
        #expect(problem.errors?.map(\.field).contains(field) == true, "\(answer.text)")
    }

    @Test func `cannot be registered with a short RSA key or a kid that is already in use`() async throws {
        let (installation, _, client) = try shared.get()
        let issuer = "https://\(UUID().uuidString).example"
        func add(_ provider: IdentityProvider) async throws -> APIClient.Answer {
            try await client.send(
                "POST", "/v1/tenant/jwt-keys",
                #"{"issuer":"\#(issuer)","audience":"a","kid":"k","public_key":"\#(provider.escapedPEM)"}"#,
                as: installation.acme.secretKey)
        }
        let short = try await add(IdentityProvider(.rs256, bits: 1024))
        #expect(short.code == "validation_failed")
        #expect(short.text.contains("2048"))
        #expect(try await add(IdentityProvider(.es256)).status == 201)
        let taken = try await add(IdentityProvider(.es256))
        #expect(taken.status == 409)
        #expect(taken.code == "conflict")
    }
}
