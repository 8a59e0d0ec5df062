import Foundation
import Glibc
import LocalPostgres
import Postgres
import TestThreads
import Testing

/// The page that says to anybody whether Kith watches (G11), and its feed.
@Suite(.mayBlock) struct `The status page` {
    private func page(
        _ client: APIClient, _ path: String, _ headers: [String: String] = [:]
    ) async throws -> (status: Int, text: String) {
        let answer = try await client.exchange("GET", path, headers: headers)
        return (answer.status, answer.text.replacing(/<style>.*<\/style>/, with: "").replacing(/<[^>]*>/, with: ""))
    }

    @Test func `says of a tenant and of all whether check-ins are taken, noticed and told, and since when`()
        async throws
    {
        let installation = try Installation(offset: nil)
        let (server, client) = try installation.serve()
        defer { server.signal(SIGKILL) }
        let worker = try KithProcess(["worker"], environment: installation.environment)
        defer { worker.signal(SIGKILL) }
        let session = try installation.session()
        let patched = try await client.send(
            "PATCH", "/v1/tenant", #"{"brand_name":"Safe & Söund"}"#, as: installation.acme.secretKey)
        #expect(patched.status == 200)
        try await eventually {
            try await page(client, "/status?t=acme").text.contains("Missed check-ins have been noticed without")
        }
        let acme = try await page(client, "/status?t=acme")
        #expect(acme.status == 200)
        #expect(acme.text.contains("Safe &amp; Söund is working."), "\(acme.text)")
        #expect(acme.text.contains("Check-ins have been taken without an interruption since"))
        #expect(acme.text.contains("were noticed without an interruption."))
        #expect(try await page(client, "/status").text.contains("Kith is working."))
        #expect(try await page(client, "/status?t=nobody").status == 404)
        #expect(
            try await page(client, "/status?t=acme", ["Accept-Language": "de"]).text.contains(
                "Meldungen werden seit"))

        // An interruption, and what was done about it.
        try session.execute(
            """
            insert into kith.outages (component, began_at, ended_at)
            values ('server', now() - interval '2 hours', now() - interval '1 hour');
            insert into kith.channel_credentials (tenant_id, channel, summary, sealed, created_at, updated_at, error, refused_since)
            values (\(installation.acme.tenantID), 'sms', '{}', '\\x01', now(), now(), '<b>401</b> of account 4711', now() - interval '1 hour')
            """)
        try await eventually {
            try await page(client, "/status?t=acme").text.contains("Check-ins could not be taken.")
        }
        let after = try await page(client, "/status?t=acme").text
        #expect(after.contains("is working, but not everything is on time."), "\(after)")
        #expect(
            after.contains("got at least 15 minutes afterwards."))
        #expect(after.contains("Text messages: not sent right now, because the provider accepts none."))
        #expect(!after.contains("4711"))
        try await eventually {
            try await page(client, "/status").text.contains("Text messages: not on time for some apps right now.")
        }
        #expect(!(try await page(client, "/status?t=globex").text.contains("Text messages")))

        // The feed.
        let feed = try await client.exchange("GET", "/status.atom?t=acme")
        #expect(feed.headers["content-type"] == "application/atom+xml; charset=utf-8")
        let entry = #"<id>[^<]*/status\?t=acme#server-[0-9T:.-]*Z</id>\n<title>Check-ins could not be taken.</title>"#
        #expect(try feed.text.matches(of: Regex(entry)).count == 1, "\(feed.text)")
        #expect(feed.text.contains("<title>Is Safe &amp; Söund working?</title>"))
        let file = FileManager.default.temporaryDirectory.appending(path: "kith-feed-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(feed.text.utf8).write(to: file)
        let parsed = try Tool.run(
            URL(filePath: "/usr/bin/env"),
            ["python3", "-c", "import sys, xml.etree.ElementTree as tree; tree.parse(sys.argv[1])", file.path])
        #expect(parsed.status == 0, "\(parsed.output)")
    }

    @Test func `answers while the database is away, from what the server knew, and says so`() async throws {
        let installation = try Installation(offset: nil)
        let (server, client) = try installation.serve()
        defer { server.signal(SIGKILL) }
        try installation.session().execute(
            "insert into kith.outages (component, began_at, ended_at) values ('worker', now() - interval '3 hours', now() - interval '2 hours')"
        )
        #expect(try await page(client, "/status?t=acme").text.contains("Missed check-ins were not noticed."))
        #expect(try await page(client, "/status").status == 200)
        kill(try #require(installation.postgres.server.processID), SIGKILL)
        try await eventually { try await page(client, "/status?t=acme").text.contains("cannot reach its database") }
        for path in ["/status?t=acme", "/status", "/status?t=globex"] {
            let away = try await page(client, path)
            #expect(away.status == 200)
            #expect(away.text.contains("is not working right now."), "\(path) \(away.text)")
            #expect(away.text.contains("Check-ins cannot be taken right now."))
            #expect(away.text.contains("Nobody can tell right now whether missed check-ins are noticed."))
            #expect(away.text.contains("Missed check-ins were not noticed."), "the interruptions that were known stand")
        }
        let feed = try await client.exchange("GET", "/status.atom?t=acme")
        #expect(feed.status == 200)
        #expect(feed.text.contains("<subtitle>The server cannot reach its database right now."))
        try installation.postgres.server.start()
        try await eventually { try await !page(client, "/status?t=acme").text.contains("cannot reach its database") }
    }

    @Test func `says since when no worker runs, before anybody has recorded it`() async throws {
        let installation = try Installation(offset: nil)
        let (server, client) = try installation.serve()
        defer { server.signal(SIGKILL) }
        let session = try installation.session()
        let worker = try KithProcess(["worker"], environment: installation.environment)
        try await eventually { try await page(client, "/status?t=acme").text.contains("have been noticed without") }
        worker.signal(SIGKILL)
        _ = worker.wait()
        // Two minutes pass.
        try session.execute(
            "update kith.heartbeats set beat_at = now() - interval '2 minutes' where component = 'worker'")
        for path in ["/status?t=acme", "/status"] {
            try await eventually {
                let text = try await page(client, path).text
                return text.contains("is not working right now.") && text.contains("have not been noticed since")
                    && text.contains("Missed check-ins were not noticed. While this lasts, nobody is told")
            }
        }
        // A row of another tenant that waits for something else is no miss that is late.
        let again = try KithProcess(["worker"], environment: installation.environment)
        defer { again.signal(SIGKILL) }
        try await eventually { try await page(client, "/status?t=acme").text.contains("are noticed again from") }
    }

    @Test func `is the tenant's of its address, whoever is signed in`() async throws {
        let alice = try await WebPerson.join("Alice")
        for headers in [[:], ["Cookie": alice.web.cookieField]] {
            let all = try await alice.house.client.exchange("GET", "/status", headers: headers)
            #expect(all.text.contains("Kith is "), "\(all.text)")
            let other = try await alice.house.client.exchange("GET", "/status?t=globex", headers: headers)
            #expect(other.status == 200)
            #expect(try await alice.house.client.exchange("GET", "/status?t=nobody", headers: headers).status == 404)
        }
    }

    @Test func `is linked where somebody wonders, and not beside an alarm`() async throws {
        let (_, _, client) = try shared.get()
        let link = #"<a class="inline" href="/status?t=acme">Is it working?</a>"#
        #expect(try await client.exchange("GET", "/sign-in?t=acme").text.contains(link))
        let alice = try await WebPerson.join("Alice")
        try await alice.web.open("/me")
        #expect(alice.web.page.html.contains(#"<a href="/status?t=acme">Is it working?</a>"#))
        #expect(try await alice.person.send("POST", "/v1/alarms", "{}").status == 201)
        try await alice.web.open("/me")
        #expect(!alice.web.page.html.contains("/status?t=acme"))
    }

    /// Repeats a question until the answer is yes.
    private func eventually(
        _ question: () async throws -> Bool, _ location: SourceLocation = #_sourceLocation
    ) async throws {
        for _ in 0..<600 {
            if try await question() { return }
            try await Task.sleep(for: .milliseconds(100))
        }
        Issue.record("it never happened", sourceLocation: location)
    }
}
