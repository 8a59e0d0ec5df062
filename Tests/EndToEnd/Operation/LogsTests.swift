import Foundation
import KithClient
import Postgres
import TestThreads
import Testing

@Suite(.mayBlock) struct `Explaining an id` {
    private func explain(_ arguments: [String], _ environment: [String: String]) throws -> (
        status: Int32, output: String, errors: String
    ) {
        try KithProcess.run(["logs", "explain"] + arguments, environment: environment)
    }

    /// The environment of an operator who has logs and no database.
    private static let alone = ["KITH_HOME": "/nonexistent"]

    /// A file with these lines, which ends with the test's process.
    private func log(_ lines: String...) throws -> String {
        let file = FileManager.default.temporaryDirectory.appending(path: "kith-\(UUID().text).log")
        try (lines.joined(separator: "\n") + "\n").write(to: file, atomically: true, encoding: .utf8)
        return file.path
    }

    @Test func `shows in order what servers, workers and PostgreSQL logged of a request, and nothing of others`() throws
    {
        let server = try log(
            #"{"time":"2027-03-09T12:00:03Z","level":"error","message":"a download was cut off","request_id":"r-1","reason":"chunk 2"}"#,
            #"{"time":"2027-03-09T12:00:01Z","level":"warning","message":"a request was slow","request_id":"r-1","milliseconds":"1203"}"#,
            #"{"time":"2027-03-09T12:00:01Z","level":"error","message":"another request","request_id":"r-10"}"#,
            #"{"time":"2027-03-09T12:00:01Z","level":"error","message":"another field","request_id":"r-10","reason":"of r-1"}"#
        )
        let journal = try log(
            #"{"_SYSTEMD_UNIT":"kith-worker@1.service","MESSAGE":"{\"time\":\"2027-03-09T12:00:02Z\",\"level\":\"info\",\"message\":\"r-1 is over\"}"}"#,
            #"{"_SYSTEMD_UNIT":"kith-worker@1.service","MESSAGE":"Stopped r-1"}"#)
        // As PostgreSQL writes it with log_destination = jsonlog.
        let postgres = try log(
            #"{"timestamp":"2027-03-09 12:00:01.900 UTC","pid":77,"error_severity":"LOG","message":"duration: 1200 ms","application_name":"r-1"}"#,
            #"{"timestamp":"2027-03-09 12:00:01.100 UTC","pid":77,"error_severity":"LOG","message":"process 77 still waiting","application_name":"r-1"}"#,
            #"{"timestamp":"2027-03-09 12:00:01.000 UTC","pid":78,"error_severity":"LOG","message":"duration: 2 ms","application_name":"r-10"}"#
        )
        let shown = try explain(["r-1", server, journal, postgres], Self.alone)
        #expect(shown.status == 0, "\(shown.errors)")
        #expect(
            shown.output.split(separator: "\n").filter { !$0.hasPrefix("      ") && $0.hasPrefix("    ") } == [
                "    process 77 still waiting", "    duration: 1200 ms", "    a request was slow", "    r-1 is over",
                "    a download was cut off",
            ])
        for line in [
            "2027-03-09T12:00:01.100Z PostgreSQL LOG\n", "2027-03-09T12:00:02Z kith-worker@1 info\n",
            "      milliseconds: 1203\n", "      reason: chunk 2\n", "      pid: 77\n",
        ] {
            #expect(shown.output.contains(line), "\(line): \(shown.output)")
        }
        let piped = try Tool.run(
            URL(filePath: "/bin/sh"),
            ["-c", "'\(KithProcess.executable.path)' logs explain r-10 < '\(server)'"], environment: Self.alone)
        #expect(piped.output.contains("another request") && !piped.output.contains("a request was slow"))
    }

    @Test func `shows hostile text harmlessly, in 80 columns`() throws {
        let hostile = try log(
            #"{"time":"2027-03-09T12:00:01Z","level":"error","message":"\#(String(repeating: "words ", count: 40))","request_id":"r-1","reason":"\u001b[2J\u202Eeciov\r\n\#(String(repeating: "x", count: 300))","\u001b]0;title\u0007":"y"}"#
        )
        let shown = try explain(["r-1", hostile], Self.alone)
        #expect(shown.status == 0, "\(shown.errors)")
        #expect(shown.output.contains("      reason: ?[2J?eciov\n"), "\(shown.output)")
        #expect(shown.output.contains("      ?]0;title?: y\n"), "\(shown.output)")
        #expect(shown.output.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(shown.output)")
        #expect(shown.output.unicodeScalars.allSatisfy { $0 == "\n" || (32..<127).contains($0.value) })
        #expect(shown.output.count { $0 == "x" } == 300, "nothing is cut off")
    }

    @Test func `refuses what it cannot read`() throws {
        let text = try log(
            #"{"time":"2027-03-09T12:00:01Z","level":"error","message":"it failed","request_id":"r-1"}"#,
            "2027-03-09T12:00:01Z info listening address=127.0.0.1:8080", "", #"{"request_id":"r-1""#)
        let folder = FileManager.default.temporaryDirectory.path
        for (arguments, status, error) in [
            (
                ["r-1", text], 65,
                "\(text): line 2 is not JSON (and 1 more): set KITH_LOG=json, or use journalctl -o json"
            ),
            (["r-2", text], 65, "\(text): line 2 is not JSON: set KITH_LOG=json, or use journalctl -o json"),
            (["r-1", "/nonexistent"], 66, "/nonexistent cannot be read: No such file or directory"),
            (["r-1", folder], 66, "\(folder) cannot be read: Is a directory"),
            (["r-1"], 66, "nothing is known of r-1: it is in none of the 0 lines of the logs"),
            ([UUID().text], 66, "nothing is known of "),
            (["r 1", text], 64, "the ID must be 1 to 64 of the characters A-Z a-z 0-9 . _ -, as in X-Request-Id"),
            ([], 64, "missing the ID"),
            (["r-1", "--since", "yesterday"], 64, "unknown argument --since"),
        ] as [([String], Int32, String)] {
            let refused = try explain(arguments, Self.alone)
            #expect(refused.status == status, "\(arguments): \(refused.errors)")
            #expect(refused.errors.hasPrefix("kith: \(error)"), "\(arguments): \(refused.errors)")
            #expect(refused.errors.count { $0 == "\n" } == 1, "\(refused.errors)")
            #expect(refused.output.contains("it failed") == (arguments == ["r-1", text]), "\(refused.output)")
        }
        #expect(try KithProcess.run(["logs", "show"], environment: Self.alone).status == 64)
    }

    @Test func `tells what the database knows of a ping and of a notification`() async throws {
        let (installation, _, client) = try shared.get()
        let pair = try await Pair(installation.acme, client)
        let session = try installation.session()
        let ping = try session.query(
            "select id::text, ping_on::text from kith.pings where connection_id = $1::uuid",
            [.text(pair.connection.text)])
        let id = try #require(ping.string(0, 0))
        let story = try explain([id], installation.environment)
        #expect(story.status == 0, "\(story.errors)")
        let heading = "ping \(id) of the tenant acme, connection \(pair.connection.text), \(ping.string(0, 1) ?? "")"
        #expect(story.output.replacing("\n", with: " ").hasPrefix(heading), "\(story.output)")
        #expect(story.output.contains(/[0-9T:-]+Z time of the ping\n/), "\(story.output)")
        #expect(story.output.hasSuffix("now\n    the ping is due\n"), "\(story.output)")
        #expect(story.output.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(story.output)")

        let told = try #require(try await pair.bob.notifications().first)
        let notification = try explain([told.id.text.uppercased()], installation.environment)
        #expect(notification.status == 0, "\(notification.errors)")
        #expect(
            notification.output.hasPrefix("notification \(told.id.text) of the tenant acme\n"), "\(notification.output)"
        )
        let unknown = try explain([pair.alice.id.text], installation.environment)
        #expect(unknown.status == 66)

        var environment = installation.environment
        environment["KITH_DATABASE_URL"] = "postgresql://127.0.0.1:1/kith"
        let silent = try explain([id], environment)
        #expect(silent.status == 1 && silent.errors.contains("Connection refused"), "\(silent.errors)")
    }
}
