import Counterparts
import Foundation
import KithClient
import Postgres
import TestThreads
import Testing

@Suite(.mayBlock) struct `Pushes` {
    @Test func `reach a phone and a browser, and link to the notification`() async throws {
        let installation = try Installation()
        let providers = try Providers()
        let (server, client) = try installation.serve()
        defer { server.signal(SIGTERM) }
        let apple = try Apple(providers.certificate)
        let browsers = try Browsers(providers.certificate)
        try installation.setChannel(installation.acme, "apns", apple.settings)
        try installation.setChannel(installation.acme, "web_push", ["subject": "mailto:ops@acme.example"])
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        try await alice.becomeSender()

        // The same steps as the app and the page take.
        let key: [String: String] = try await bob.get("GET", "/v1/me/web-push-key")
        let token = Apple.device("200 of=Bob")
        let endpoint = browsers.endpoint(try #require(key["public_key"]))
        for device in [
            #"{"platform":"ios","token":"\#(token)","environment":"sandbox"}"#,
            #"{"platform":"web","token":"\#(endpoint)","keys":\#(browsers.keys)}"#,
        ] {
            let answer = try await bob.send("PUT", "/v1/me/devices", device)
            #expect(answer.status == 200, "\(answer.text)")
        }
        let connection = try await alice.connect(bob.becomeReceiver().code)
        try installation.deliver(to: providers, apple.environment)

        let told = try #require(try await bob.notifications().first)
        #expect(told.type == "connection_request")
        let push = try #require(try apple.server.log.first)
        #expect(push["path"] as? String == "/3/device/\(token)")
        #expect(push["status"] as? Int == 200)
        let payload = try #require(push["payload"] as? [String: Any])
        let aps = try #require(payload["aps"] as? [String: Any])
        #expect(aps["alert"] as? [String: String] == ["title": told.title, "body": told.body])
        let message = try #require(try browsers.messages.first)
        #expect(message["status"] as? Int == 201)
        let content = try #require(message["payload"] as? [String: Any])
        #expect(content["title"] as? String == told.title)
        #expect(content["body"] as? String == told.body)
        for data in [payload["kith"], content["data"]] {
            let data = try #require(data as? [String: Any])
            #expect(data["notification_id"] as? String == told.id.uuidString.lowercased())
            #expect(data["type"] as? String == told.type)
            #expect(data["connection_id"] as? String == connection.id.uuidString.lowercased())
            let about = ["type": "connection", "id": connection.id.uuidString.lowercased()]
            #expect(data["about"] as? [String: String] == about)
        }
        #expect(try apple.server.log.count == 1)
        #expect(try browsers.messages.count == 1)
    }

    @Test func `to browsers that hang do not delay the tenant's other pushes`() async throws {
        let installation = try Installation()
        let providers = try Providers()
        let (server, client) = try installation.serve()
        defer { server.signal(SIGTERM) }
        let worker = try KithProcess(
            ["worker"], environment: installation.environment.merging(providers.environment) { $1 })
        defer { worker.signal(SIGKILL) }
        let browsers = try Browsers(providers.certificate)

        /// Sends Bob messages while Mallory's browsers hang; the number of hers that had timed out when his arrived.
        func timedOut(_ round: Int) async throws -> Int? {
            let tenant = try installation.tenant("hanging\(round)")
            try installation.setChannel(tenant, "web_push", ["subject": "mailto:ops@acme.example"])
            let bob = try await Person.join(tenant, as: "Bob", client)
            let mallory = try await Person.join(tenant, as: "Mallory", client)
            let key: [String: String] = try await bob.get("GET", "/v1/me/web-push-key")
            func register(_ person: Person, _ endpoint: String) async throws {
                let device = #"{"platform":"web","token":"\#(endpoint)","keys":\#(browsers.keys)}"#
                let answer = try await client.patiently { try await person.send("PUT", "/v1/me/devices", device) }
                #expect(answer.status == 200, "\(answer.text)")
            }
            func tell(_ person: Person, _ times: Int) throws {
                try installation.session().execute(
                    """
                    insert into kith.notifications (tenant_id, id, user_id, type, body, created_at)
                    select \(tenant.tenantID), internal.uuid7(\(Day.sql)), '\(person.id)', 'connection_request', 'Text', \(Day.sql)
                    from generate_series(1, \(times))
                    """)
            }
            let (before, hung) = (try browsers.server.log.count, try providers.sink.log.count)
            try await register(bob, browsers.endpoint(#require(key["public_key"])))
            for number in 0..<15 { try await register(mallory, "\(providers.url("/never"))?\(number)") }
            // Bob's push service is known to be quick.
            try tell(bob, 1)
            _ = try await browsers.server.waits { $0.count > before }
            try tell(mallory, 4)
            _ = try await providers.sink.waits { $0.count > hung }
            try tell(bob, 5)
            _ = try await browsers.server.waits { $0.count >= before + 6 }
            let ended = try installation.session().query(
                """
                select count(*) from kith.deliveries where tenant_id = $1::integer and channel = 'web_push' and \
                error = 'no answer in time'
                """,
                [.int(tenant.tenantID)])
            return ended.int(0, 0)
        }

        // If Bob's pushes had to wait for Mallory's, some of hers would time out in every round. On a busy machine that
        // can happen by chance.
        var rounds = 1
        while try await timedOut(rounds) != 0, rounds < 5 { rounds += 1 }
        #expect(rounds < 5, "Bob's waited for Mallory's to end")
        worker.signal(SIGTERM)
        #expect(worker.wait() == 0)
    }

    @Test func `end a browser subscription that the push service reports as gone`() async throws {
        let installation = try Installation()
        let providers = try Providers()
        let (server, client) = try installation.serve()
        defer { server.signal(SIGTERM) }
        let browsers = try Browsers(providers.certificate)
        try installation.setChannel(installation.acme, "web_push", ["subject": "mailto:ops@acme.example"])
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        try await alice.becomeSender()
        let key: [String: String] = try await bob.get("GET", "/v1/me/web-push-key")
        // This endpoint answers 410 to everything.
        let endpoint = browsers.endpoint(try #require(key["public_key"])) + "343130"
        let answer = try await bob.send(
            "PUT", "/v1/me/devices", #"{"platform":"web","token":"\#(endpoint)","keys":\#(browsers.keys)}"#)
        #expect(answer.status == 200, "\(answer.text)")
        try installation.session().execute("update kith.devices set last_seen_at = \(Day.sql) - interval '1 day'")
        _ = try await alice.connect(bob.becomeReceiver().code)
        try installation.deliver(to: providers)
        #expect(try browsers.messages.map { $0["status"] as? Int } == [410])
        let page: Kith.DevicePage = try await bob.get("GET", "/v1/me/devices")
        #expect(page.items.isEmpty)
        let status = try installation.session().query(
            "select delivery_status from kith.notifications where type = 'connection_request'")
        #expect(status.string(0, 0) == "failed")
    }
}
