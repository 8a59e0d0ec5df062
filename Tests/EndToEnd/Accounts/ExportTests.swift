import Foundation
import KithClient
import Postgres
import TestThreads
import Testing

@Suite(.mayBlock) struct `An export` {
    @Test func `contains everything about a person, as a file`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        try await alice.becomeSender()
        let connection = try await alice.connect(bob.becomeReceiver().code)
        let _: Kith.Connection = try await alice.get("PATCH", "/v1/connections/\(connection.id)", #"{"alias":"Dad"}"#)
        let asked = try await bob.send("POST", "/v1/connections/\(connection.id)/ask")
        #expect(asked.status == 201, "\(asked.text)")
        let _: Kith.CheckIn = try await alice.get("POST", "/v1/pings/check-in", #"{"note":"All \"well\", [really]"}"#)
        let called = try await alice.send("POST", "/v1/alarms", #"{"note":"I fell"}"#)
        #expect(called.status == 201, "\(called.text)")
        let _: Kith.Device = try await alice.get(
            "PUT", "/v1/me/devices", #"{"platform":"ios","token":"\#(alice.id.digits)"}"#)

        let card = #"{"sections":[{"title":"Keys","body":"Under the third stone."}]}"#
        #expect(try await alice.send("PUT", "/v1/me/care-card", card).status == 200)
        let vault = try await alice.makeVault()
        let nominee = try await bob.becomeNominee(of: vault, by: alice)
        let _: Kith.Message = try await bob.get(
            "POST", "/v1/vaults/\(vault.id)/nominees/\(nominee.id)/messages", #"{"body":"Hello, owner"}"#, status: 201)

        let answer = try await alice.send("GET", "/v1/me/export")
        #expect(answer.status == 200)
        #expect(answer.headers["content-type"] == "application/json")
        #expect(answer.headers["content-disposition"] == #"attachment; filename="kith-export.json""#)
        let document = try #require(try JSONSerialization.jsonObject(with: answer.body) as? [String: Any])
        #expect(
            Set(document.keys) == [
                "account", "connections", "pings", "check_ins", "alarms", "questions", "notifications",
                "connection_invitations", "vaults", "nominees", "messages", "vault_history", "documents", "shares",
                "transfers", "emergency_rights", "emergency_quorums", "emergency_requests", "feedback",
                "care_card",
            ])
        let sections = (document["care_card"] as? [String: Any])?["sections"] as? [[String: String]]
        #expect(sections?.first?["body"] == "Under the third stone.")
        let account = try #require(document["account"] as? [String: Any])
        #expect((account["profile"] as? [String: Any])?["display_name"] as? String == "Alice")
        #expect((account["devices"] as? [[String: Any]])?.first?["token"] as? String == alice.id.digits)
        let connections = try #require(document["connections"] as? [[String: Any]])
        #expect(connections.first?["id"] as? String == connection.id.text)
        #expect((connections.first?["counterpart"] as? [String: Any])?["display_name"] as? String == "Bob")
        #expect(connections.first?["alias"] as? String == "Dad")
        #expect((document["pings"] as? [Any])?.count == 1)
        #expect((document["check_ins"] as? [[String: Any]])?.first?["note"] as? String == #"All "well", [really]"#)
        #expect((document["check_ins"] as? [[String: Any]])?.first?["shares_note"] as? Bool == false)
        let questions = try #require(document["questions"] as? [[String: Any]])
        #expect(questions.map { $0["role"] as? String } == ["sender"])
        #expect(questions.first?["answered"] as? Bool == true)
        let alarms = try #require(document["alarms"] as? [[String: Any]])
        #expect(alarms.map { $0["kind"] as? String } == ["help"])
        let timeline = try #require(alarms.first?["timeline"] as? [[String: Any]])
        #expect(timeline.contains { $0["note"] as? String == "I fell" })

        #expect((document["vaults"] as? [[String: Any]])?.first?["name"] as? String == "Papers")
        #expect((document["nominees"] as? [[String: Any]])?.first?["status"] as? String == "accepted")
        #expect((document["messages"] as? [[String: Any]])?.first?["body"] as? String == "Hello, owner")
        #expect(
            (document["vault_history"] as? [[String: Any]])?.map { $0["action"] as? String } == [
                "vault.created", "nominee.invited", "nominee.accepted",
            ])

        let head = try await alice.send("HEAD", "/v1/me/export")
        #expect(head.status == 200)
        #expect(head.body.isEmpty)
        let others = try await bob.send("GET", "/v1/me/export")
        #expect(!others.text.contains("really"))
        #expect(!others.text.contains("Dad"))
        #expect(try await client.send("GET", "/v1/me/export", as: installation.acme.secretKey).code == "forbidden")
    }

    @Test func `of a long history is streamed through the server without being kept in memory`() async throws {
        let (installation, _, _) = try shared.get()
        let (server, client) = try installation.serve()
        defer { server.signal(SIGTERM) }
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        // 100 years of check-ins with long notes: 20 MB.
        let count = 36_500
        try installation.session().execute(
            """
            insert into kith.check_ins (tenant_id, id, user_id, received_at, note, created_at)
            select \(installation.acme.tenantID), gen_random_uuid(), '\(alice.id)', \(Day.sql) - n * interval '1 day',
              n || repeat(' note', 99), \(Day.sql)
            from generate_series(1, \(count)) as n
            """)
        _ = try await alice.send("GET", "/v1/me")
        let before = try Self.peakMemory(of: server)
        let answer = try await alice.send("GET", "/v1/me/export")
        #expect(answer.body.count > 20_000_000)
        let document = try #require(try JSONSerialization.jsonObject(with: answer.body) as? [String: Any])
        let notes = (document["check_ins"] as? [[String: Any]])?.compactMap { $0["note"] as? String } ?? []
        #expect(notes.count == count)
        #expect(Set(notes).count == count)
        // The allowance: pages of some 300 KB, read by libpq and written once more.
        #expect(try Self.peakMemory(of: server) - before < 8 << 10)
    }

    @Test func `breaks off, and does not end as if it were complete, when the account ends meanwhile`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        // 20 MB, more than the buffers between server and client hold.
        try installation.session().execute(
            """
            insert into kith.check_ins (tenant_id, id, user_id, received_at, note, created_at)
            select \(installation.acme.tenantID), gen_random_uuid(), '\(alice.id)', \(Day.sql) - n * interval '1 day',
              n || repeat(' note', 99), \(Day.sql)
            from generate_series(1, 36500) as n
            """)
        let connection = try RawConnection(client)
        try connection.request("GET", "/v1/me/export", as: alice.token)
        #expect(connection.read(100_000))
        #expect(connection.text.hasPrefix("HTTP/1.1 200 "))
        #expect(connection.text.contains("\r\nTransfer-Encoding: chunked\r\n"))
        try installation.session().execute("update kith.users set deleted_at = \(Day.sql) where id = '\(alice.id)'")
        #expect(!connection.read(100 << 20))
        #expect(connection.received.count < 20_000_000)
        // Without the last chunk, the client knows that the rest is missing (RFC 9112 §8).
        #expect(!connection.text.hasSuffix("0\r\n\r\n"))
    }

    @Test func `runs at most twice at a time for one person`() async throws {
        // This test needs its own installation because it locks a table.
        let installation = try Installation()
        let (server, client) = try installation.serve()
        defer { server.signal(SIGTERM) }
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        let holder = try installation.session()
        let watch = try installation.session()
        let waiting = "select from pg_stat_activity where wait_event_type = 'Lock' and query like '%api.export_me(%'"
        /// Starts two exports for Alice at once, then a third and one for Bob; nil if the first two did not overlap.
        func meet() async throws -> (twice: [APIClient.Answer], third: APIClient.Answer, other: APIClient.Answer)? {
            try holder.execute("begin; lock kith.breaks in access exclusive mode")
            async let first = alice.send("GET", "/v1/me/export")
            async let second = alice.send("GET", "/v1/me/export")
            var third: APIClient.Answer?
            for _ in 0..<100 where third == nil {
                try await Task.sleep(for: .milliseconds(10))
                if try watch.query(waiting).rowCount == 2 { third = try await alice.send("GET", "/v1/me/export") }
            }
            async let other = bob.send("GET", "/v1/me/export")
            try holder.execute("rollback")
            let (twice, last) = (try await [first, second], try await other)
            return third.map { (twice, $0, last) }
        }
        // Nobody waits for a lock longer than 2 seconds: on a busy machine that is not always enough for the exports to
        // overlap.
        var met = try await meet()
        for _ in 0..<20 where met?.twice.allSatisfy({ $0.status == 200 }) != true { met = try await meet() }
        #expect(met?.twice.map(\.status) == [200, 200])
        #expect(met?.third.code == "too_many_requests")
        #expect(met?.third.headers["retry-after"] == "30")
        #expect(met?.other.status == 200)
        // A finished export, an unread one and an aborted one each release their place.
        for _ in 0..<4 {
            #expect(try await alice.send("HEAD", "/v1/me/export").status == 200)
            #expect(try await alice.send("GET", "/v1/me/export").status == 200)
        }
    }

    /// The process's peak memory, in KiB.
    private static func peakMemory(of process: KithProcess) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(process.processID)/status", encoding: .utf8)
        return try #require(status.firstMatch(of: /VmHWM:\s+([0-9]+) kB/).flatMap { Int($0.1) })
    }
}
