import Foundation
import Postgres
import Synchronization
import TestThreads
import Testing

@Suite(.mayBlock) struct `The trace of a request` {
    /// Whether a call that was sent has been answered.
    private final class Call: Sendable {
        let isAnswered = Mutex(false)
    }

    /// PostgreSQL's log, which stands beside its data directory.
    private func log(_ session: PostgresSession) throws -> [Substring] {
        let data = try #require(try session.query("select current_setting('data_directory')").string(0, 0))
        let file = URL(fileURLWithPath: data).deletingLastPathComponent().appendingPathComponent("postgres.log")
        return String(decoding: try Data(contentsOf: file), as: UTF8.self).split(separator: "\n")
    }

    @Test func `leads from a line of PostgreSQL's log, and from a session that waits, to the request`() async throws {
        let installation = try Installation()
        let server = try KithProcess(
            ["serve"], environment: installation.environment.merging(["KITH_LOG": "json"]) { $1 })
        let listening = try server.waitForLog(#""variable":"KITH_LISTEN""#)
        let address = try #require(listening.firstMatch(of: /"address":"([0-9.:]+)"/)).1
        let client = APIClient(base: try #require(URL(string: "http://\(address)")))
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let session = try installation.session()
        for setting in ["log_min_duration_statement = 0", "log_lock_waits = on"] {
            try session.execute("alter system set \(setting)")
        }
        try session.execute("select pg_reload_conf()")
        // The longest id: PostgreSQL's name of a program has one byte less.
        let long = String(repeating: "long-id.", count: 8)
        #expect(
            try await client.send("GET", "/v1/me", as: alice.token, headers: ["X-Request-Id": long]).status == 200)
        #expect(
            try log(session).contains {
                $0.contains("\(long.dropLast()) LOG:  duration: ") && $0.contains("execute api.get_me")
            })

        let holder = try installation.session()
        try holder.execute("begin; select from kith.users where id = '\(alice.id.text)' for update;")
        let call = Call()
        var name: String?
        // Sent again if the machine was too busy to see it wait.
        while name == nil {
            call.isAnswered.withLock { $0 = false }
            let answer = Task { [token = alice.token] in
                defer { call.isAnswered.withLock { $0 = true } }
                return try await client.exchange(
                    "PATCH", "/v1/me", #"{"display_name":"Alicia"}"#, as: token,
                    headers: ["X-Request-Id": "waits"])
            }
            while name == nil, !call.isAnswered.withLock({ $0 }) {
                name = try session.query(
                    "select max(application_name) from pg_stat_activity where wait_event_type = 'Lock'"
                ).string(0, 0)
                try await Task.sleep(for: .milliseconds(5))
            }
            #expect(try await answer.value.status == 503)
        }
        #expect(name == "waits")
        try holder.execute("rollback")
        #expect(try log(session).contains { $0.contains(/\ waits LOG: +process [0-9]+ still waiting for/) })
        _ = try server.waitForLog("a request was slow")
        let log = FileManager.default.temporaryDirectory.appending(path: "kith-\(UUID().text).log")
        try server.standardError.write(to: log, atomically: true, encoding: .utf8)
        let story = try KithProcess.run(["logs", "explain", "waits", log.path], environment: installation.environment)
        #expect(
            story.output.contains(
                /a request was slow\n +tenant: acme\n +caller: user\n +method: PATCH\n +endpoint: \/v1\/me\n +status: 503\n +milliseconds: [0-9]{4,}\n/
            ),
            "\(story.output) \(story.errors)")
        #expect(
            try session.query("select from pg_stat_activity where application_name = 'waits'").rowCount == 0,
            "between requests a session has its own name")
    }
}
