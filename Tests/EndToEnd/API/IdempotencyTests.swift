import Foundation
import KithClient
import Postgres
import Synchronization
import TestThreads
import Testing

/// A POST that is repeated with its `Idempotency-Key` takes effect once (A07).
@Suite(.mayBlock) struct `A repeated POST` {
    /// Alice, a sender, whose check-ins are counted.
    private func alice(_ installation: Installation, _ client: APIClient) async throws -> Person {
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        try await alice.becomeSender()
        return alice
    }

    private func checkIns(of person: Person, in installation: Installation) throws -> Int? {
        try installation.session().query(
            "select count(*) from kith.check_ins where user_id = $1::uuid", [.text(person.id.uuidString)]
        ).int(0, 0)
    }

    private func checkIn(
        _ person: Person, _ key: String, _ body: String = "{}", through client: APIClient
    ) async throws -> APIClient.Answer {
        try await client.send(
            "POST", "/v1/pings/check-in", body, as: person.token, headers: ["Idempotency-Key": key])
    }

    @Test func `gets the same answer and changes nothing`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await alice(installation, client)
        let first = try await checkIn(alice, "a-1", through: client)
        let second = try await checkIn(alice, "a-1", through: client)
        #expect(first.status == 200)
        #expect(first.headers["idempotent-replayed"] == nil)
        #expect(second.status == 200)
        #expect(second.body == first.body)
        #expect(second.headers["idempotent-replayed"] == "true")
        #expect(second.headers["content-type"] == "application/json")
        #expect(try checkIns(of: alice, in: installation) == 1)
        _ = try await checkIn(alice, "a-2", through: client)
        #expect(try checkIns(of: alice, in: installation) == 2)
    }

    @Test func `is no longer replayed once its caller may not see the resource`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await alice(installation, client)
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        let vault = try await alice.makeVault("The Secret Name")
        let nominee = try await alice.invite("Bob", to: vault)
        func accept() async throws -> APIClient.Answer {
            try await client.send(
                "POST", "/v1/invitations/\(nominee.token)/accept", as: bob.token, headers: ["Idempotency-Key": "c-1"])
        }
        let first = try await accept()
        #expect(first.status == 200)
        #expect(first.text.contains("The Secret Name"))
        #expect(try await accept().body == first.body)
        #expect(try await alice.send("DELETE", "/v1/vaults/\(vault.id)/nominees/\(nominee.id)").status == 204)
        let repeated = try await accept()
        #expect(repeated.code == "not_found")
        #expect(!repeated.text.contains("Secret"))

        // No replayed answer names a person whose account has ended.
        let code = try await bob.becomeReceiver().code
        func connect() async throws -> APIClient.Answer {
            try await client.send(
                "POST", "/v1/connections", #"{"code":"\#(code)"}"#, as: alice.token, headers: ["Idempotency-Key": "c-2"]
            )
        }
        #expect(try await connect().text.contains("Bob"))
        #expect(try await bob.send("DELETE", "/v1/me").status == 204)
        let afterwards = try await connect()
        #expect(!afterwards.text.contains("Bob"))
    }

    @Test func `with another body is refused`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await alice(installation, client)
        _ = try await checkIn(alice, "b-1", #"{"note":"one"}"#, through: client)
        let other = try await checkIn(alice, "b-1", #"{"note":"two"}"#, through: client)
        #expect(other.status == 422)
        #expect(other.code == "idempotency_mismatch")
        #expect(try checkIns(of: alice, in: installation) == 1)
    }

    @Test func `from another caller is a request of its own`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await alice(installation, client)
        let carol = try await self.alice(installation, client)
        let mallory = try await Person.join(installation.globex, as: "Mallory", client)
        try await mallory.becomeSender()
        for person in [alice, carol, mallory] {
            let answer = try await checkIn(person, "c-1", through: client)
            #expect(answer.headers["idempotent-replayed"] == nil)
            #expect(try checkIns(of: person, in: installation) == 1)
        }
    }

    @Test(arguments: ["", "with space", "ümlaut", String(repeating: "k", count: 256)])
    func `with an invalid key is refused and changes nothing`(key: String) async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await alice(installation, client)
        let answer = try await checkIn(alice, key, through: client)
        // Some clients do not send an empty field; then the request has no key.
        #expect(key.isEmpty || answer.code == "invalid_request", "\(answer.text)")
        #expect(try checkIns(of: alice, in: installation) == (answer.status == 200 ? 1 : 0))
    }

    @Test func `replays a refusal that was committed, and retries one that was not`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await alice(installation, client)
        let key = ["Idempotency-Key": "d-1"]
        let body = #"{"code":"000000"}"#
        let first = try await client.send("POST", "/v1/connections", body, as: alice.token, headers: key)
        #expect(first.code == "invalid_code")
        let second = try await client.send("POST", "/v1/connections", body, as: alice.token, headers: key)
        #expect(second.code == "invalid_code")
        #expect(second.headers["content-type"] == "application/problem+json")
        let attempts = try installation.session().query(
            "select count(*) from kith.code_attempts where user_id = $1::uuid", [.text(alice.id.uuidString)])
        #expect(attempts.int(0, 0) == 1)

        let pair = try await Pair(installation.acme, client)
        let path = "/v1/connections/\(pair.connection.text)"
        func resume() async throws -> APIClient.Answer {
            try await client.send(
                "POST", "\(path)/resume", as: pair.alice.token, headers: ["Idempotency-Key": "d-2"])
        }
        #expect(try await resume().code == "invalid_transition")
        #expect(try await pair.alice.send("POST", "\(path)/pause").status == 200)
        #expect(try await resume().status == 200)
    }

    @Test func `returns the same secret token for ten minutes`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await alice(installation, client)
        let body = #"{"user_id":"\#(alice.id)","ttl_seconds":77}"#
        let key = ["Idempotency-Key": "e-\(alice.id)"]
        let first = try await client.send("POST", "/v1/tokens", body, as: installation.acme.secretKey, headers: key)
        try await Task.sleep(for: .seconds(1.1))
        let second = try await client.send("POST", "/v1/tokens", body, as: installation.acme.secretKey, headers: key)
        #expect(first.status == 201)
        #expect(second.status == 201)
        #expect(second.body == first.body)
        let kept = try installation.session().query(
            """
            select extract(epoch from expires_at - created_at)::int, position($2::bytea in sealed_answer) from \
            kith.idempotency_keys where key = $1
            """,
            [.text("e-\(alice.id)"), .bytea(Array("access_token".utf8))])
        #expect(kept.int(0, 0) == 600)
        #expect(kept.int(0, 1) == 0, "the answer is encrypted")
    }

    @Test func `takes effect once when fifty copies arrive at two servers at the same time`() async throws {
        let (installation, _, client) = try shared.get()
        let (second, other) = try installation.serve()
        defer { second.signal(SIGTERM) }
        let alice = try await alice(installation, client)
        let answers = try await withThrowingTaskGroup(of: APIClient.Answer.self) { group in
            for number in 0..<50 {
                group.addTask {
                    try await client.patiently {
                        try await checkIn(alice, "f-1", through: number.isMultiple(of: 2) ? client : other)
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.map(\.status) == Array(repeating: 200, count: 50))
        #expect(Set(answers.map(\.body)).count == 1)
        // If the first answer came too late, it is a replay like the others.
        #expect(answers.count { $0.headers["idempotent-replayed"] == nil } <= 1)
        #expect(try checkIns(of: alice, in: installation) == 1)
    }

    /// Returns when commits have begun to wait for a standby, a little after the settings were reloaded.
    private static func waitsForStandby(_ installation: Installation) async throws {
        let watch = try installation.session()
        while true {
            let session = try installation.session()
            let process = session.backendPID
            let isOver = Atomic(false)
            nonisolated(unsafe) let probe = session
            Thread {
                try? probe.execute("create table internal.probe (); drop table internal.probe")
                isOver.store(true, ordering: .releasing)
            }.start()
            let waits = "select from pg_stat_activity where pid = \(process) and wait_event = 'SyncRep'"
            while !isOver.load(ordering: .acquiring) {
                if try watch.query(waits).rowCount > 0 {
                    try watch.execute("select pg_cancel_backend(\(process))")
                    return
                }
                try await Task.sleep(for: .milliseconds(10))
            }
        }
    }

    @Test func `takes effect once even if the server dies between commit and answer`() async throws {
        let installation = try Installation(fsync: true)
        var (server, client) = try installation.serve()
        let people = try await withThrowingTaskGroup(of: Person.self) { [client] group in
            // As many concurrent transactions as one tenant may have.
            for _ in 0..<4 { group.addTask { try await alice(installation, client) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        // A commit that waits for an absent standby takes effect, but nobody is told.
        let session = try installation.session()
        try session.execute("alter system set synchronous_standby_names = 'nobody'")
        try session.execute("select pg_reload_conf()")
        try await Self.waitsForStandby(installation)
        let acknowledged = await withTaskGroup(of: Bool.self) { [client, server] group in
            for person in people {
                // On a busy machine the server may still have time to answer that the database is late.
                group.addTask { (try? await checkIn(person, "g-1", through: client))?.status == 200 }
            }
            let waiting = "select count(*) from pg_stat_activity where wait_event = 'SyncRep' and query = 'commit'"
            while (try? session.query(waiting).int(0, 0)) != people.count {
                try? await Task.sleep(for: .milliseconds(10))
            }
            server.signal(SIGKILL)
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(acknowledged == 0)
        try session.execute("alter system reset synchronous_standby_names")
        try session.execute("select pg_reload_conf()")
        server.wait()
        (server, client) = try installation.serve()
        defer { server.signal(SIGKILL) }
        var replayed = 0
        for person in people {
            let answer = try await client.patiently { [client] in try await checkIn(person, "g-1", through: client) }
            #expect(answer.status == 200)
            if answer.headers["idempotent-replayed"] != nil { replayed += 1 }
            #expect(try checkIns(of: person, in: installation) == 1)
        }
        #expect(replayed == people.count, "commits without an answer were replayed, not repeated")
    }

    @Test func `takes effect again when the kept answer has expired and the worker has deleted it`() async throws {
        let installation = try Installation()
        let (server, client) = try installation.serve()
        defer { server.signal(SIGTERM) }
        let alice = try await alice(installation, client)
        _ = try await checkIn(alice, "h-1", through: client)
        try installation.session().execute("update kith.idempotency_keys set expires_at = \(Day.sql)")
        _ = try await checkIn(alice, "h-1", through: client)
        #expect(try checkIns(of: alice, in: installation) == 2)
        try installation.session().execute("update kith.idempotency_keys set expires_at = \(Day.sql)")
        try installation.work()
        #expect(try installation.session().query("select count(*) from kith.idempotency_keys").int(0, 0) == 0)
    }
}
