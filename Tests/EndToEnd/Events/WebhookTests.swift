import Counterparts
import Crypto
import Delivery
import Foundation
import KithClient
import KithServer
import Postgres
import TestThreads
import Testing

/// The webhooks of a tenant of its own, since a tenant may have only ten.
@Suite(.mayBlock) struct `Webhooks` {
    private struct House {
        let installation: Installation
        let client: APIClient
        let tenant: Installation.Tenant

        init() throws {
            let (installation, _, client) = try shared.get()
            self.installation = installation
            self.client = client
            tenant = try installation.tenant("hooks-\(UUID().uuidString.prefix(8).lowercased())")
        }

        func send(
            _ method: String, _ path: String = "", _ body: String? = nil, headers: [String: String] = [:]
        ) async throws -> APIClient.Answer {
            try await client.patiently {
                try await client.send(
                    method, "/v1/tenant/webhooks\(path)", body, as: tenant.secretKey, headers: headers)
            }
        }

        func add(_ url: String = "https://acme.example/events", types: String = "[]") async throws -> Kith.NewWebhook {
            let answer = try await send("POST", "", #"{"url":"\#(url)","types":\#(types)}"#)
            #expect(answer.status == 201, "\(answer.text)")
            return try answer.decode()
        }

        /// The secrets that a worker would sign with now.
        func secrets(_ webhook: Kith.NewWebhook) throws -> [String] {
            let row = try installation.session().query(
                "select encode(sealed_secrets, 'hex') from kith.webhooks where id = $1::uuid", [.text(webhook.id.text)])
            let sealed = try #require(row.string(0, 0).flatMap(Hex.decode))
            let key = try MasterKey(text: #require(installation.environment["KITH_MASTER_KEY"]))
            let secrets = try WebhookSecrets(sealed, tenant: tenant.tenantID, id: webhook.id.text, with: key)
            return secrets.valid(at: Int64(Day.now.timeIntervalSince1970 * 1_000_000)).map(\.text)
        }
    }

    @Test func `can be added, listed and deleted`() async throws {
        let house = try House()
        let all = try await house.add()
        let some = try await house.add("https://acme.example/more", types: #"["ping","session"]"#)
        #expect(all.types == [])
        #expect(all.status == .enabled)
        #expect(all.lastSuccessAt == nil)
        let listed: Kith.WebhookPage = try await house.send("GET").decode()
        #expect(listed.items.map(\.id) == [all.id, some.id])
        #expect(listed.items.map(\.types) == [[], [.ping, .session]])
        #expect(try await house.send("DELETE", "/\(all.id)").status == 204)
        #expect(try await house.send("DELETE", "/\(all.id)").code == "not_found")
        let left: Kith.WebhookPage = try await house.send("GET").decode()
        #expect(left.items.map(\.id) == [some.id])
    }

    @Test func `have a secret that is shown once and stored sealed`() async throws {
        let house = try House()
        let webhook = try await house.add()
        let secret = webhook.secret
        #expect(secret.hasPrefix("whsec_"))
        #expect(try house.secrets(webhook) == [secret])
        #expect(try await !house.send("GET").text.contains(secret))
        let row = try house.installation.session().query(
            """
            select position('\(secret.dropFirst(6))' in encode(sealed_secrets, 'escape')) from kith.webhooks where \
            id = $1::uuid
            """,
            [.text(webhook.id.text)])
        #expect(row.int(0, 0) == 0)
    }

    @Test func `get a new secret, and keep the old one for a while`() async throws {
        let house = try House()
        let webhook = try await house.add()
        let rotated: Kith.NewWebhook = try await house.send("POST", "/\(webhook.id)/rotate").decode()
        #expect(rotated.id == webhook.id)
        #expect(rotated.secret != webhook.secret)
        #expect(try house.secrets(webhook) == [rotated.secret, webhook.secret])
        // The id's case must not matter: the sealed secret is bound to it.
        let again = try await house.send("POST", "/\(webhook.id.uuidString.uppercased())/rotate")
        #expect(again.status == 200, "\(again.text)")
        #expect(try house.secrets(webhook).count == 2)
    }

    @Test func `are added once for one Idempotency-Key`() async throws {
        let house = try House()
        let headers = ["Idempotency-Key": UUID().uuidString]
        let body = #"{"url":"https://acme.example/events"}"#
        let first: Kith.NewWebhook = try await house.send("POST", "", body, headers: headers).decode()
        let second: Kith.NewWebhook = try await house.send("POST", "", body, headers: headers).decode()
        #expect(first.secret == second.secret)
        let listed: Kith.WebhookPage = try await house.send("GET").decode()
        #expect(listed.items.count == 1)
    }

    @Test func `are limited to ten`() async throws {
        let house = try House()
        for _ in 0..<10 { _ = try await house.add() }
        let answer = try await house.send("POST", "", #"{"url":"https://acme.example/events"}"#)
        #expect(answer.status == 507)
        #expect(answer.code == "quota_exceeded")
    }

    @Test(
        arguments: [
            (#"{}"#, "url"), (#"{"url":"http://acme.example/events"}"#, "url"),
            (#"{"url":"acme.example/events"}"#, "url"),
            (#"{"url":"https:///events"}"#, "url"), (#"{"url":"https://a:b@acme.example/"}"#, "url"),
            (#"{"url":"https://acme.example:0/"}"#, "url"), (#"{"url":"https://acme.example:99999/"}"#, "url"),
            (#"{"url":"https:/acme.example/"}"#, "url"), (#"{"url":"https://@acme.example/"}"#, "url"),
            (#"{"url":"https://acme.example/#x"}"#, "url"), (#"{"url":"https://acme.example/a b"}"#, "url"),
            (#"{"url":"ftp://acme.example/"}"#, "url"), (#"{"url":7}"#, "url"),
            (#"{"url":"https://acme.example/","types":["fax"]}"#, "types[0]"),
            (#"{"url":"https://acme.example/","types":"ping"}"#, "types"),
            (#"{"url":"https://acme.example/","secret":"x"}"#, "secret"),
        ])
    func `require an address that can be called`(body: String, field: String) async throws {
        let (installation, _, client) = try shared.get()
        let answer = try await client.send("POST", "/v1/tenant/webhooks", body, as: installation.globex.secretKey)
        let problem: Kith.Problem = try answer.decode()
        #expect(problem.code == .validationFailed)
        #expect(problem.errors?.map(\.field) == [field], "\(answer.text)")
    }

    @Test func `belong to one tenant, and only its server can manage them`() async throws {
        let house = try House()
        let webhook = try await house.add()
        let alice = try await Person.join(house.tenant, as: "Alice", house.client)
        for (method, path, body) in [
            ("GET", "", nil), ("POST", "", #"{"url":"https://acme.example/events"}"#),
            ("DELETE", "/\(webhook.id)", nil),
            ("POST", "/\(webhook.id)/rotate", nil),
        ] as [(String, String, String?)] {
            let path = "/v1/tenant/webhooks\(path)"
            #expect(try await alice.send(method, path, body).code == "forbidden", "\(method) \(path)")
            #expect(try await house.client.send(method, path, body).status == 401, "\(method) \(path)")
        }
        let mallory = house.installation.globex.secretKey
        for (method, path) in [("DELETE", "/\(webhook.id)"), ("POST", "/\(webhook.id)/rotate")] {
            let answer = try await house.client.send(method, "/v1/tenant/webhooks\(path)", as: mallory)
            #expect(answer.code == "not_found", "\(method): \(answer.text)")
        }
        #expect(try house.secrets(webhook) == [webhook.secret])
    }

    @Test func `receive the events of their tenant's users`() async throws {
        let house = try House()
        let webhook = try await house.add()
        let other = try await Person.join(house.installation.globex, as: "Mallory", house.client)
        try await other.becomeReceiver()
        let alice = try await Person.join(house.tenant, as: "Alice", house.client)
        let bob = try await Person.join(house.tenant, as: "Bob", house.client)
        try await alice.becomeSender()
        let connection = try await alice.connect(bob.becomeReceiver().code)

        struct Body: Decodable {
            struct Content: Decodable { let events: [Event] }
            struct Event: Decodable {
                struct Subject: Decodable {
                    let id: UUID
                    let role: String?
                }
                let id: String
                let type: String
                let userID: UUID
                let createdAt: Date
                let data: Subject

                private enum CodingKeys: String, CodingKey {
                    case id, type, data
                    case userID = "user_id"
                    case createdAt = "created_at"
                }
            }
            let type: String
            let data: Content
        }
        // A claim stops at the oldest transaction in progress, which may be another test's.
        let session = try house.installation.session()
        let written = try session.query("select pg_current_xact_id()").string(0, 0)
        while try session.query("select internal.feed_horizon() <= $1::xid8", [.text(written ?? "")]).bool(0, 0) == true
        {
            try await Task.sleep(for: .milliseconds(5))
        }
        let rows = try session.query(
            "select body from worker.claim_webhooks(\(Day.sql), 1000, 10, '{}', '{}', 'test') where id = $1::uuid",
            [.text(webhook.id.text)])
        try #require(rows.rowCount == 1)
        let body = try Kith.decoder().decode(Body.self, from: Data((rows.string(0, 0) ?? "").utf8))
        #expect(body.type == "events")
        await DocumentedAnswers.shared.check(
            webhook: try JSON(Data((rows.string(0, 0) ?? "").utf8)), of: house.client)
        let shown = body.data.events.filter { $0.type == "connection" }
        #expect(Set(shown.map(\.userID)) == [alice.id, bob.id])
        #expect(shown.allSatisfy { $0.data.id == connection.id })
        // Each event shows the connection as its user sees it.
        #expect(shown.first { $0.userID == alice.id }?.data.role == "sender")
        #expect(shown.first { $0.userID == bob.id }?.data.role == "receiver")
        #expect(body.data.events.contains { $0.type == "notification" && $0.userID == bob.id })
        #expect(body.data.events.contains { $0.type == "ping" })
    }

    @Test func `that hang do not delay other tenants', however many they are`() async throws {
        let installation = try Installation()
        let providers = try Providers()
        let (server, client) = try installation.serve()
        defer { server.signal(SIGTERM) }
        func add(_ tenant: Installation.Tenant, _ path: String) async throws {
            let body = #"{"url":"\#(providers.url(path))"}"#
            let answer = try await client.patiently {
                try await client.send("POST", "/v1/tenant/webhooks", body, as: tenant.secretKey)
            }
            #expect(answer.status == 201, "\(answer.text)")
        }
        var tenants: [Installation.Tenant] = []
        for number in 1...5 {
            let tenant = try installation.tenant("slow-\(number)")
            for _ in 0..<10 { try await add(tenant, "/never") }
            tenants.append(tenant)
        }
        try await add(installation.acme, "/status/200")
        // The hanging webhooks have been due for longer.
        for tenant in tenants + [installation.acme] {
            _ = try await Person.join(tenant, as: "Alice", client).becomeReceiver()
            try installation.session().execute(
                """
                select internal.emit_event(tenant_id, id, 'connection', id, null, null, \(Day.sql)) from kith.users
                where tenant_id = \(tenant.tenantID)
                """)
        }
        try installation.session().execute(
            """
            update kith.webhooks set next_attempt_at = \(Day.sql) - interval '1 minute', has_news = true
            where tenant_id <> \(installation.acme.tenantID)
            """)
        let worker = try KithProcess(
            ["worker"], environment: installation.environment.merging(providers.environment) { $1 })
        defer { worker.signal(SIGKILL) }
        _ = try await providers.sink.waits { log in log.contains { $0["path"] as? String == "/status/200" } }
        let hanging = try installation.session().query(
            "select sum(attempts) from kith.webhooks where tenant_id <> $1::integer", [.int(installation.acme.tenantID)]
        )
        #expect(hanging.int(0, 0) == 0, "acme's webhook did not wait for any of them to end")
        worker.signal(SIGTERM)
        #expect(worker.wait() == 0)
    }

    @Test func `keep their secrets when the master key is rotated`() async throws {
        let installation = try Installation()
        let (server, client) = try installation.serve()
        let webhook: Kith.NewWebhook = try await client.get(
            "POST", "/v1/tenant/webhooks", #"{"url":"https://acme.example/events"}"#, as: installation.acme.secretKey,
            status: 201)
        server.signal(SIGTERM)
        server.wait()
        let old = try #require(installation.environment["KITH_MASTER_KEY"])
        let new = String(repeating: "c3", count: 32)
        let rotated = try KithProcess.run(
            ["keys", "rotate"],
            environment: installation.environment.merging(["KITH_MASTER_KEY": "\(new),\(old)"]) { $1 })
        #expect(rotated.status == 0, "\(rotated.errors)")
        let row = try installation.session().query("select encode(sealed_secrets, 'hex') from kith.webhooks")
        let sealed = try #require(row.string(0, 0).flatMap(Hex.decode))
        let secrets = try WebhookSecrets(
            sealed, tenant: installation.acme.tenantID, id: webhook.id.text, with: MasterKey(text: new))
        #expect(secrets.newest == webhook.secret)
        // A server with another master key reports it and serves nobody.
        let refusal = try installation.refusal(of: ["serve"])
        #expect(refusal.contains("it does not open webhooks"), "\(refusal)")
    }
}
