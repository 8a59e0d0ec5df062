import Foundation
import Postgres
import TestThreads
import Testing

/// Provokes each type of event, reads it from a stream and from a webhook's body, and checks it against the document.
@Suite(.mayBlock) struct `The document of events` {
    private let installation: Installation
    private let server: KithProcess
    private let client: APIClient

    init() throws {
        installation = try Installation()
        (server, client) = try installation.serve()
    }

    /// The types that a component of the document distinguishes.
    private func documented(_ component: String) async throws -> Set<String> {
        let document = try await OpenAPI(client).document
        let mapping = document["components"]?["schemas"]?[component]?["discriminator"]?["mapping"]
        return Set(try #require(mapping).object.keys)
    }

    /// The types that the database can render; it raises an error for any other.
    private func emitted() throws -> Set<String> {
        let source = try installation.session().query(
            """
            select prosrc from pg_proc where oid = 'internal.event_json(text, uuid, uuid, date, \
            timestamptz)'::regprocedure
            """
        )
        let cases = try #require(source.string(0, 0)).matches(of: /\n    when '([a-z_]+)' then/).map { String($0.1) }
        #expect(cases.contains("connection"))
        return Set(cases)
    }

    @Test func `lists every event type that the database can emit`() async throws {
        let types = try emitted()
        #expect(try await documented("WebhookEvent") == types.union(["reset"]))
        #expect(
            try await documented("StreamEvent") == types.union(["reset"]).subtracting(["alarm_undelivered", "api_key"]))
    }

    @Test func `lists the webhook requests, with their signature headers`() async throws {
        let call = try await OpenAPI(client).document["webhooks"]?["events"]?["post"]
        let schema = call?["requestBody"]?["content"]?["application/json"]?["schema"]?["$ref"]
        #expect(schema == "#/components/schemas/WebhookBatch")
        #expect(
            call?["parameters"]?.array.compactMap { $0["name"]?.string } == [
                "webhook-id", "webhook-timestamp", "webhook-signature",
            ])
    }

    @Test func `matches every type of event that streams and webhooks deliver`() async throws {
        let hook = try await client.send(
            "POST", "/v1/tenant/webhooks", #"{"url":"https://acme.example/events"}"#, as: installation.acme.secretKey)
        #expect(hook.status == 201)
        let pair = try await Pair(installation.acme, client)
        let stream = try await pair.bob.listen()
        try await happen(pair)
        try installation.session().execute(
            """
            select set_config('kith.tenant_id', '1', false);
            select internal.emit_event(tenant_id, user_id, 'alarm_undelivered', id, null, null, \(Day.sql)) from kith.notifications limit 1;
            select set_config('kith.tenant_id', '', false);
            select admin.create_api_key('acme', 'support', '{tokens}', null, \(Day.sql))
            """)

        let types = try await documented("StreamEvent")
        var streamed: Set<String> = []
        while streamed.count < types.count - 1 {
            streamed.insert(try #require(try await stream.next()).type)
        }
        streamed.insert(try #require(try await pair.bob.listen(after: "1-3").next()).type)
        #expect(streamed == types)

        var sent: Set<String> = []
        try installation.session().execute("update kith.webhooks set taken_at = \(Day.sql) - interval '8 days'")
        var more = true
        while more {
            let rows = try installation.session().query(
                """
                select tenant_id, id, body from worker.claim_webhooks(\(Day.sql) + interval '1 second', 1, 1, '{}', \
                '{}', 'test')
                """
            )
            more = rows.rowCount == 1
            guard more else { break }
            let body = try JSON(Data((rows.string(0, 2) ?? "").utf8))
            await DocumentedAnswers.shared.check(webhook: body, of: client)
            sent.formUnion(body["data"]?["events"]?.array.compactMap { $0["type"]?.string } ?? [])
            _ = try installation.session().query(
                """
                select worker.finish_webhook(\(Day.sql) + interval '1 second', 'test', $1::integer, $2::uuid, \
                'sent', null, null)
                """,
                [.text(rows.string(0, 0) ?? ""), .text(rows.string(0, 1) ?? "")])
        }
        #expect(try await sent == documented("WebhookEvent"))
    }

    /// Causes an event of each type for Bob: about a resource that exists, one that is deleted, and one to which his
    /// access is revoked.
    private func happen(_ pair: Pair) async throws {
        let (alice, bob) = (pair.alice, pair.bob)
        func act(_ person: Person, _ method: String, _ path: String, _ body: String? = nil) async throws -> JSON {
            let answer = try await person.send(method, path, body)
            #expect((200...299).contains(answer.status), "\(method) \(path): \(answer.text)")
            return answer.body.isEmpty ? .null : try JSON(answer.body)
        }
        _ = try await act(alice, "POST", "/v1/pings/check-in", "{}")
        _ = try await act(alice, "POST", "/v1/alarms", #"{"note":"I fell"}"#)
        let vault = try #require(try await act(alice, "POST", "/v1/vaults", #"{"name":"Papers"}"#)["id"]?.string)
        for id in [vault, try #require(try await act(alice, "POST", "/v1/vaults", #"{"name":"Old"}"#)["id"]?.string)] {
            let nominee = try await act(
                alice, "POST", "/v1/vaults/\(id)/nominees", #"{"name":"Bob","access_level":"full"}"#)
            let token = try #require(nominee["invitation"]?["token"]?.string)
            _ = try await act(bob, "POST", "/v1/invitations/\(token)/accept")
            let number = try #require(nominee["id"]?.string)
            _ = try await act(alice, "POST", "/v1/vaults/\(id)/open")
            _ = try await act(bob, "POST", "/v1/vaults/\(id)/open")
            let added = try await client.send(
                "POST", "/v1/vaults/\(id)/documents?name=Will", content: Data("All to Bob".utf8), type: "text/plain",
                as: alice.token)
            #expect(added.status == 201, "\(added.text)")
            let messages = "/v1/vaults/\(id)/nominees/\(number)/messages"
            _ = try await act(alice, "POST", messages, #"{"body":"The papers are in."}"#)
            _ = try await act(bob, "POST", "\(messages)/read")
            _ = try await act(
                alice, "PUT", "/v1/vaults/\(id)/nominees/\(number)/emergency",
                #"{"wait_hours":24,"access_level":"view","on_request":true}"#)
            _ = try await act(bob, "POST", "/v1/vaults/\(id)/emergency/requests", "{}")
            _ = try await act(alice, "PATCH", "/v1/vaults/\(id)", #"{"name":"Another name"}"#)
            // His access to the first vault is revoked; the second vault is deleted.
            guard id == vault else {
                _ = try await act(alice, "DELETE", "/v1/vaults/\(id)")
                continue
            }
            _ = try await act(alice, "POST", "/v1/vaults/\(id)/lock")
            _ = try await act(alice, "DELETE", "/v1/vaults/\(id)/nominees/\(number)")
        }
        // An invitation to his address waits for him, and another is withdrawn.
        try installation.session().execute(
            """
            update kith.users set email = 'bob@example.com', email_verified_at = \(Day.sql) where id = \
            '\(bob.id.text)'
            """
        )
        let third = try #require(try await act(alice, "POST", "/v1/vaults", #"{"name":"Third"}"#)["id"]?.string)
        for name in ["Bob", "Robert"] {
            let invited = try await act(
                alice, "POST", "/v1/vaults/\(third)/nominees", #"{"name":"\#(name)","email":"bob@example.com"}"#)
            guard name == "Robert" else { continue }
            let number = try #require(invited["id"]?.string)
            _ = try await act(alice, "DELETE", "/v1/vaults/\(third)/nominees/\(number)")
        }
        _ = try await act(bob, "PUT", "/v1/me/quiet-hours", #"{"from":"22:00","until":"07:00"}"#)
        _ = try await act(bob, "POST", "/v1/notifications/read-all")
        _ = try await act(alice, "DELETE", "/v1/connections/\(pair.connection.text)")
    }
}
