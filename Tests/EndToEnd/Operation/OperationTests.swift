import Foundation
import Glibc
import KithClient
import LocalPostgres
import Postgres
import TestThreads
import Testing

@Suite(.mayBlock) struct `A running server` {
    @Test(arguments: [1, 3])
    func `has a thread for each loop, however many requests it answers at once`(loops: Int) async throws {
        let installation = try Installation()
        let (server, client) = try installation.serve(["KITH_LOOPS": "\(loops)"])
        defer { server.signal(SIGTERM) }
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<500 { group.addTask { try await alice.send("GET", "/v1/me").status } }
            return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }
        #expect(statuses == [200])
        #expect(try FileManager.default.contentsOfDirectory(atPath: "/proc/\(server.processID)/task").count == loops)
    }

    @Test func `divides its database connections among its loops, and counts the requests of all`() async throws {
        let installation = try Installation()
        let (server, client) = try installation.serve(["KITH_LOOPS": "3"])
        defer { server.signal(SIGTERM) }
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        for _ in 0..<50 {
            let connection = try RawConnection(client)
            try connection.request("GET", "/v1/me", as: alice.token)
            #expect(connection.read(12))
        }
        let line = try server.waitForLog("variable=KITH_METRICS_LISTEN")
        let address = try #require(line.firstMatch(of: /address=([0-9.:]+)/)?.1)
        let watcher = APIClient(base: try #require(URL(string: "http://\(address)")))
        var metrics = try await watcher.send("GET", "/metrics").text
        #expect(metrics.contains(#"kith_http_requests_total{method="GET",path="/v1/me",status="2xx"} 50"#))
        // Two on each loop to each database, once all are open.
        while !metrics.contains("kith_postgres_connections{lane=\"reads\"} \(6 * Installation.cells)\n") {
            metrics = try await watcher.send("GET", "/metrics").text
        }
        #expect(metrics.contains("kith_postgres_connections{lane=\"heartbeat\"} \(Installation.cells)\n"))
    }

    @Test func `limits requests per user, with Retry-After`() async throws {
        let installation = try Installation()
        let (server, client) = try installation.serve(["KITH_USER_LIMIT": "1/3"])
        defer { server.signal(SIGTERM) }
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        // However slow the machine is, the test asks more than once a second.
        var refused: APIClient.Answer?
        for number in 0..<100 where refused == nil {
            // Without the comparison with the OpenAPI document, for which tests that run at once wait for each other.
            let answer = try await client.exchange("GET", "/v1/me", as: alice.token)
            if number < 3 { #expect(answer.status == 200) }
            if answer.status != 200 { refused = answer }
        }
        #expect(refused?.status == 429)
        #expect(refused?.code == "too_many_requests")
        #expect(refused?.headers["retry-after"] == "1")
        #expect(try await bob.send("GET", "/v1/me").status == 200)
        // Her call for help is none of these.
        for _ in 0..<3 {
            #expect(try await [200, 201].contains(client.exchange("POST", "/v1/alarms", "{}", as: alice.token).status))
        }
    }

    @Test func `limits requests per address, and trusts X-Forwarded-For only from a trusted proxy`() async throws {
        let installation = try Installation()
        let limit = ["KITH_ADDRESS_LIMIT": "1/3"]
        let (direct, client) = try installation.serve(limit)
        defer { direct.signal(SIGTERM) }
        func status(_ client: APIClient, _ number: Int) async throws -> Int {
            try await client.exchange("GET", "/v1/me", headers: ["X-Forwarded-For": "203.0.113.\(number)"]).status
        }
        // The client's readiness checks count as well, so the first request may be refused already. If so, one passes
        // within a second.
        var ofDirect: Set<Int> = []
        for number in 0..<250 where ofDirect.count < 2 {
            ofDirect.insert(try await status(client, number))
            if ofDirect == [429] { try await Task.sleep(for: .milliseconds(50)) }
        }
        #expect(ofDirect == [401, 429])
        let (behind, proxied) = try installation.serve(limit.merging(["KITH_TRUSTED_PROXIES": "127.0.0.0/8"]) { $1 })
        defer { behind.signal(SIGTERM) }
        for number in 0..<100 {
            #expect(try await status(proxied, number) == 401)
        }
    }

    @Test func `publishes metrics without a series per tenant`() async throws {
        let installation = try Installation()
        let (server, client) = try installation.serve()
        defer { server.signal(SIGTERM) }
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        _ = try await alice.send("GET", "/v1/me")
        let line = try server.waitForLog("variable=KITH_METRICS_LISTEN")
        let address = try #require(line.firstMatch(of: /address=([0-9.:]+)/)?.1)
        let metrics = try await APIClient(base: try #require(URL(string: "http://\(address)"))).send("GET", "/metrics")
        #expect(metrics.status == 200)
        #expect(metrics.text.contains(#"kith_http_requests_total{method="GET",path="/v1/me",status="2xx"} 1"#))
        // The version is the same on the command line, in the log's first line, in the metrics and in the OpenAPI
        // document.
        let version = try KithProcess.run(["--version"], environment: [:]).output
        let name = version.dropFirst("kith ".count).dropLast()
        #expect(version.firstMatch(of: /^kith \d+\.\d+\.\d+(\+[0-9a-f]{12})?\n$/) != nil, "\(version)")
        #expect(metrics.text.contains("kith_build_info{version=\"\(name)\"} 1\n"))
        let document: JSON = try await client.send("GET", "/openapi.json").decode()
        #expect(document["info"]?["version"]?.string == String(name))
        #expect(try server.waitForLog("starting the server").contains("version=\(name)"))
        #expect(metrics.text.contains("kith_database_up 1"))
        #expect(metrics.text.contains("kith_oldest_miss_seconds 0"))
        #expect(metrics.text.contains("kith_undelivered_alarms 0"))
        #expect(metrics.text.contains("kith_failing_webhooks 0"))
        for channel in ["apns", "email", "sms", "web_push"] {
            #expect(metrics.text.contains("kith_deliveries_total{channel=\"\(channel)\",outcome=\"sent\"} 0"))
            #expect(metrics.text.contains("kith_delivery_attempts_total{channel=\"\(channel)\"} 0"))
            #expect(metrics.text.contains("kith_deliveries_waiting{channel=\"\(channel)\"} 0"))
            #expect(metrics.text.contains("kith_delivery_oldest_seconds{channel=\"\(channel)\"} 0"))
        }
        #expect(!metrics.text.contains("acme"))
        #expect(try await client.send("GET", "/metrics").status == 404)
    }

    @Test func `logs no token, key or name`() async throws {
        let installation = try Installation()
        let (server, client) = try installation.serve()
        let alice = try await Person.join(installation.acme, as: "Alice Wonder", client)
        _ = try await alice.send("GET", "/v1/me?token=\(alice.token)")
        _ = try await client.send("GET", "/v1/me", as: "kith_sk_something")
        server.signal(SIGTERM)
        server.wait()
        for secret in [alice.token, installation.acme.secretKey, "kith_sk_something", "Alice"] {
            #expect(!server.standardError.contains(secret))
        }
    }
}

@Suite(.mayBlock) struct `An operator in psql` {
    @Test func `sees every tenant and makes changes through audited procedures`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        try await alice.becomeSender()
        let connection = try await alice.connect(bob.becomeReceiver().code)
        func psql(_ sql: String, role: String = "kith_admin") throws -> (status: Int32, output: String, errors: String)
        {
            try KithProcess.run(
                ["psql", "--role", role, "-AtX", "-v", "ON_ERROR_STOP=1", "-c", sql],
                environment: installation.home)
        }
        #expect(
            try psql("select slug from admin.tenants where slug in ('acme', 'globex') order by slug").output
                == "acme\nglobex\n")

        let id = connection.id.uuidString
        #expect(
            try psql("select admin.soft_delete_connection('acme', '\(id)', 'asked by phone', \(Day.sql))").status == 0)
        for person in [alice, bob] {
            #expect(try await person.notifications().first?.body == "This connection was removed by support")
        }
        #expect(try await alice.send("GET", "/v1/connections?role=sender").text.contains(#""items" : []"#))
        #expect(
            try psql("select admin.reactivate_connection('acme', '\(id)', 'asked by phone', \(Day.sql))").status == 0)
        let back: Kith.Connection = try await alice.get("GET", "/v1/connections/\(id)")
        #expect(back.status == .active)
        #expect(
            try psql(
                "select count(*) from kith.audit where subject like '%\(id.lowercased())%' and actor like 'operator:%'"
            ).output == "2\n")

        // Changes outside the procedures are refused, and so are procedures for rows that do not exist.
        #expect(try psql("update kith.connections set status = 'deleted'").status != 0)
        #expect(try psql("delete from kith.audit").status != 0)
        #expect(try psql("select admin.soft_delete_connection('globex', '\(id)', 'wrong tenant')").status != 0)
        #expect(try psql("select count(*) from kith.users", role: "kith_api").output == "0\n")
        #expect(try psql("select admin.suspend_tenant('acme', 'x')", role: "kith_api").status != 0)
        #expect(try psql("select wrapped_secret from kith.jwt_keys", role: "kith_api").status != 0)
    }
}
