import Foundation
import KithClient
import KithServer
import Postgres
import TestThreads
import Testing

/// A tenant that leaves one installation for another, which has another master key.
private struct Move {
    let source: Installation
    let target: Installation
    let leaver: Installation.Tenant
    let folder = FileManager.default.temporaryDirectory.appending(path: "kith-move-\(UUID().uuidString)")

    init() throws {
        source = try Installation(offset: nil)
        target = try Installation(offset: nil)
        leaver = try source.tenant("leaver")
        // The tenant's number is another one there.
        _ = try target.tenant("earlier")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, digits) in [("key", "ab"), ("other", "cd")] {
            try Data(String(repeating: digits, count: 32).utf8).write(to: file(name))
        }
    }

    func end() {
        try? FileManager.default.removeItem(at: folder)
    }

    /// The master key of the target.
    static let master = ["KITH_MASTER_KEY": String(repeating: "6b", count: 32)]

    func file(_ name: String) -> URL { folder.appending(path: name) }

    /// Begins an export.
    func exporting(_ arguments: [String] = [], key: String = "key", to name: String = "export") throws -> KithProcess {
        try KithProcess(
            ["tenant", "export", "leaver", file(name).path, "--key", file(key).path] + arguments,
            environment: source.home)
    }

    /// Begins an import.
    func loading(key: String = "key", from name: String = "export") throws -> KithProcess {
        try KithProcess(
            ["tenant", "import", file(name).path, "--key", file(key).path],
            environment: target.home.merging(Move.master) { $1 })
    }

    func export(_ arguments: String..., key: String = "key", to name: String = "export") throws -> Outcome {
        Outcome(of: try exporting(arguments, key: key, to: name))
    }

    func load(key: String = "key", from name: String = "export") throws -> Outcome {
        Outcome(of: try loading(key: key, from: name))
    }

    /// Deletes the tenant, as if a day ago.
    func leave() throws {
        let deleted = try KithProcess.run(
            ["tenant", "delete", "leaver", "--reason", "moves"], environment: source.home)
        #expect(deleted.status == 0, "\(deleted.errors)")
        try source.session().execute(
            """
            update kith.tenants set deleted_at = now() - interval '1 day', suspended_at = now() - interval '1 day'
            where slug = 'leaver'
            """)
    }

    /// Changes a file of the export, and back after `body`.
    func changing(_ name: String, _ change: (Data) -> Data?, _ body: () throws -> Void) throws {
        let path = file("export").appending(path: name)
        let content = try Data(contentsOf: path)
        if let changed = change(content) {
            try changed.write(to: path)
        } else {
            try FileManager.default.removeItem(at: path)
        }
        try body()
        try content.write(to: path)
    }

    struct Outcome {
        let status: Int32
        let output: String
        let errors: String

        /// Waits for a command's end.
        init(of command: KithProcess) {
            (status, output, errors) = (command.wait(), command.standardOutput, command.standardError)
        }
    }
}

@Suite(.mayBlock) struct `A tenant that moves to another installation` {
    @Test func `takes everything along, whose secrets open there`() async throws {
        let move = try Move()
        defer { move.end() }
        let (server, client) = try move.source.serve()
        defer { server.signal(SIGTERM) }
        let archive = try await Archive(move.source, client, move.leaver)
        let bob = try await Person.join(move.leaver, as: "Bob", client)
        try await archive.alice.becomeSender()
        let card = #"{"sections":[{"title":"Keys","body":"Under the third stone."}]}"#
        #expect(try await archive.alice.send("PUT", "/v1/me/care-card", card).status == 200)
        let connection = try await archive.alice.connect(bob.becomeReceiver().code).id
        let will = Data((0..<600_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        let document = try await archive.add(will)
        try move.source.setChannel(move.leaver, "sms", ["url": "https://sms.example.com/send", "from": "Kith"])
        let webhook = try await client.send(
            "POST", "/v1/tenant/webhooks", #"{"url":"https://example.com/kith","types":["ping"]}"#,
            as: move.leaver.secretKey)
        #expect(webhook.status == 201, "\(webhook.text)")
        try move.prepare(connection, archive.alice, bob)
        let canary = try KithProcess.run(
            ["canary", "set", "leaver", "--every", "1h", "--webhook", "https://example.com/canary"],
            environment: move.source.environment)
        #expect(canary.status == 0, "\(canary.errors)")
        let users = try move.source.session().query("select users from admin.tenants where slug = 'leaver'").int(0, 0)
        let refreshToken = try move.signIn(archive.alice)

        #expect(try move.export().status == 1)
        #expect(try move.export().errors.contains("Delete it first: kith tenant delete leaver"))
        try move.leave()
        // A worker drops what waits for a deleted tenant.
        try move.source.work()
        let exported = try move.export()
        #expect(exported.status == 0, "\(exported.errors)")
        #expect(exported.output.contains(/^exported leaver: [0-9]+ rows, [0-9]+ bytes, SHA-256 [0-9a-f]{64}\n$/))
        let imported = try move.load()
        #expect(imported.status == 0, "\(imported.errors)")
        #expect(imported.output.dropFirst("imported".count) == exported.output.dropFirst("exported".count))

        let (other, there) = try move.target.serve(Move.master)
        defer { other.signal(SIGTERM) }
        // The tenant's server keeps its key, and Kith signs with a new one.
        let token = try await move.token(there, archive.alice.id)
        #expect(try await there.send("GET", "/v1/me", as: archive.alice.token).status == 401)
        // Apps stay signed in.
        let refreshed = try await there.send("POST", "/v1/auth/refresh", #"{"refresh_token":"\#(refreshToken)"}"#)
        #expect(refreshed.status == 200, "\(refreshed.text)")
        let alice = Person(id: archive.alice.id, token: token, client: there)
        let connections: Kith.ConnectionPage = try await alice.get("GET", "/v1/connections")
        #expect(connections.items.map(\.id) == [connection])
        let moved: Kith.OwnCareCard = try await alice.get("GET", "/v1/me/care-card")
        #expect(moved.sections.map(\.body) == ["Under the third stone."])
        try await alice.open(archive.vault)
        let read = try await there.send("GET", archive.path(document) + "/content", as: alice.token)
        #expect(read.body == will)
        let channels = try KithProcess.run(
            ["tenant", "channel", "test", "leaver", "sms", "+4915100000001"],
            environment: move.target.environment.merging(Move.master) { $1 })
        #expect(!channels.errors.contains("KITH_MASTER_KEY"), "\(channels.errors)")
        let secrets: KeyRotation = try await there.get(
            "POST", "/v1/tenant/webhooks/\(webhook.decode(Identified.self).id.text)/rotate", "{}",
            as: move.leaver.secretKey)
        #expect(secrets.secret.hasPrefix("whsec_"))
        let statuses = try move.statuses()
        #expect(statuses == ["cancelled"])
        #expect(try move.unplanned() > 0)
        let worked = try KithProcess.run(
            ["worker", "--once"], environment: move.target.environment.merging(Move.master) { $1 })
        #expect(worked.status == 0, "\(worked.errors)")
        // The canary goes on at its hours, although the tenant's number is another one, and counts as nobody.
        let session = try move.target.session()
        let counted = try session.query("select users from admin.tenants where slug = 'leaver'")
        #expect(counted.int(0, 0) == users)
        let slot = try session.query(
            """
            select internal.instant(internal.canary_slot(minute, every_hours, now()) + interval '1 hour') from kith.canaries
            """)
        try move.target.work(at: slot.string(0, 0))
        let run = try session.query("select channel, outcome from admin.canary_runs where asked_at is not null")
        #expect(run.string(0, 0) == "webhook" && run.string(0, 1) == "under way", "\(run.rowCount)")
        // Those of yesterday and today.
        #expect(try move.finishedRuns() >= 2)
        #expect(try move.again() == 1)
    }

    @Test func `is neither exported nor imported by mistake`() async throws {
        let move = try Move()
        defer { move.end() }
        let (server, client) = try move.source.serve()
        defer { server.signal(SIGTERM) }
        let archive = try await Archive(move.source, client, move.leaver)
        _ = try await archive.add(Data("a will".utf8))
        for wrong in [
            ["export"], ["export", "leaver"], ["export", "leaver", "x"], ["import"], ["import", "x"],
            ["import", "x", "--key", "k", "--live"], ["export", "leaver", "x", "--key", "k", "more"],
        ] {
            let refused = try KithProcess.run(["tenant"] + wrong, environment: move.source.environment)
            #expect(refused.status == 64, "\(wrong): \(refused.errors)")
        }
        #expect(try move.export("--live", key: "missing").status == 66)
        try Data("no key".utf8).write(to: move.file("bad"))
        #expect(try move.export("--live", key: "bad").errors.contains("64 hexadecimal digits"))
        let full = try move.export("--live", to: ".")
        #expect(full.status == 73)
        #expect(full.errors.contains("give an empty folder"), "\(full.errors)")
        let absent = try KithProcess.run(
            ["tenant", "export", "nobody", move.file("x").path, "--key", move.file("key").path],
            environment: move.source.environment)
        #expect(absent.errors.contains("There is no tenant 'nobody'"), "\(absent.errors)")
        #expect(try move.load().errors.contains("has no finished export"))

        try move.leave()
        try move.source.session().execute("update kith.tenants set deleted_at = now() where slug = 'leaver'")
        #expect(try move.export().errors.contains("less than 5 minutes ago"))
        let copied = try move.export("--live")
        #expect(copied.status == 0, "\(copied.errors)")
        #expect(try move.export("--live").errors.contains("has a finished export already"))

        let wrongKey = try move.load(key: "other")
        #expect(wrongKey.status == 65)
        #expect(wrongKey.errors.contains("--key is not the key of this export"), "\(wrongKey.errors)")
        try move.changing("manifest.json", { $0 + Data(" ".utf8) }) {
            let refused = try move.load()
            #expect(refused.status == 65)
        }
        try move.changing("users.000001.rows", { _ in nil }) {
            let refused = try move.load()
            #expect(refused.status == 66)
            #expect(refused.errors.contains("users.000001.rows is missing"), "\(refused.errors)")
        }
        // A worker does nothing to what is there already.
        let worked = try KithProcess.run(
            ["worker", "--once"], environment: move.target.environment.merging(Move.master) { $1 })
        #expect(worked.status == 0, "\(worked.errors)")
        // Until it is finished, an import can neither be used nor brought back, and only the same export goes on.
        let (other, there) = try move.target.serve(Move.master)
        defer { other.signal(SIGTERM) }
        #expect(try await there.send("GET", "/v1/tenant", as: move.leaver.secretKey).status == 403)
        let brought = try KithProcess.run(
            ["tenant", "restore", "leaver", "--reason", "impatient"], environment: move.target.environment)
        #expect(brought.errors.contains("neither being purged nor imported"), "\(brought.errors)")
        let second = try move.export("--live", to: "second")
        #expect(second.status == 0, "\(second.errors)")
        #expect(try move.load(from: "second").errors.contains("unfinished import of another export"))
        try move.changing("vaults.000001.rows", { Data($0.dropLast(3)) + Data("xx\n".utf8) }) {
            let refused = try move.load()
            #expect(refused.status == 65)
            #expect(refused.errors.contains("vaults.000001.rows is not as it was exported"), "\(refused.errors)")
        }
        try move.interrupt("third")
        #expect(try move.export("--live", to: "third").status == 0)
        #expect(try move.load().status == 0)
        let list = try KithProcess.run(["tenant", "list"], environment: move.target.environment)
        #expect(list.output.contains(/slug=leaver .*status=deleted/))
        let twice = try move.load()
        #expect(twice.status == 1)
        #expect(twice.errors.contains("There is a tenant 'leaver' already"), "\(twice.errors)")
    }

    @Test func `goes on after its export and its import were killed`() async throws {
        let move = try Move()
        defer { move.end() }
        let (server, client) = try move.source.serve()
        defer { server.signal(SIGTERM) }
        let archive = try await Archive(move.source, client, move.leaver)
        let document = try await archive.add(Data("a will".utf8))
        try move.leave()
        try move.exporting().killWhenItReaches("document_chunks") { try move.source.session() }
        #expect(try move.load().status == 66)
        let exported = try move.export()
        #expect(exported.status == 0, "\(exported.errors)")
        try move.loading().killWhenItReaches("document_chunks") { try move.target.session() }
        #expect(try move.files() > 0)
        let imported = try move.load()
        #expect(imported.status == 0, "\(imported.errors)")

        let (other, there) = try move.target.serve(Move.master)
        defer { other.signal(SIGTERM) }
        let alice = try await Person(id: archive.alice.id, token: move.token(there, archive.alice.id), client: there)
        try await alice.open(archive.vault)
        #expect(try await there.send("GET", archive.path(document) + "/content", as: alice.token).text == "a will")
    }
}

/// What the answers of the test have.
private struct Identified: Decodable { let id: UUID }
private struct KeyRotation: Decodable { let secret: String }

extension Move {
    /// Makes two open pings: one whose deadline passed before the tenant left, and one whose deadline passes on the
    /// way. The worker of the source cancels both when the tenant is deleted, and only the first is part of the export.
    fileprivate func prepare(_ connection: UUID, _ sender: Person, _ receiver: Person) throws {
        try source.session().execute(
            """
            insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at)
            select \(leaver.tenantID), date '2026-01-01' + n, '\(connection)', gen_random_uuid(), '\(sender.id)', '\(receiver.id)', 'due',
              now() - interval '9 days', now() - n * interval '12 hours'
            from unnest(array[1, 3]) as n
            """)
    }

    /// How many notifications the worker is still to plan after the move.
    fileprivate func unplanned() throws -> Int {
        let rows = try target.session().query(
            """
            select count(*) from kith.notifications
            where planned_at is null and tenant_id = (select tenant_id from kith.tenants where slug = 'leaver')
            """)
        return rows.int(0, 0) ?? 0
    }

    /// How many runs that make pings have finished after the move.
    fileprivate func finishedRuns() throws -> Int {
        let rows = try target.session().query(
            """
            select count(*) from kith.ping_runs
            where finished_at is not null and tenant_id = (select tenant_id from kith.tenants where slug = 'leaver')
            """)
        return rows.int(0, 0) ?? 0
    }

    /// Signs a person in as if by a code, and returns the refresh token.
    fileprivate func signIn(_ person: Person) throws -> String {
        let token = "kith_rt_\(UUID().text)"
        try source.session().execute(
            """
            with family as (
              insert into kith.token_families (tenant_id, id, user_id, created_at, refreshed_at, expires_at)
              values (\(leaver.tenantID), gen_random_uuid(), '\(person.id)', now(), now(), now() + interval '60 days')
              returning *
            )
            insert into kith.refresh_tokens (tenant_id, id, family_id, secret_hash, created_at, expires_at)
            select tenant_id, gen_random_uuid(), id, sha256('\(token)'), created_at, expires_at from family
            """)
        return token
    }

    /// Leaves in a folder what an interrupted export leaves: some of the files, whole. The document is only there then.
    fileprivate func interrupt(_ name: String) throws {
        let all = try FileManager.default.contentsOfDirectory(atPath: file("export").path)
        let document = try #require(all.first { $0.hasPrefix("document_chunks.") })
        try FileManager.default.createDirectory(at: file(name), withIntermediateDirectories: true)
        try Data("leaver".utf8).write(to: file(name).appending(path: "unfinished"))
        try FileManager.default.copyItem(
            at: file("export").appending(path: document), to: file(name).appending(path: document))
        try source.session().execute(
            "delete from kith.document_chunks where tenant_id = \(leaver.tenantID)")
    }

    /// The statuses of those pings after the move.
    fileprivate func statuses() throws -> [String] {
        let rows = try target.session().query(
            """
            select ping.status from kith.pings as ping
            join kith.tenants as tenant using (tenant_id)
            where tenant.slug = 'leaver' and ping.ping_on < '2026-02-01' order by ping.ping_on
            """)
        return (0..<rows.rowCount).compactMap { rows.string($0, 0) }
    }

    /// How many files an unfinished import has written.
    fileprivate func files() throws -> Int {
        try target.session().query("select files from kith.tenant_imports").int(0, 0) ?? 0
    }

    /// A token of a person after the move, which the tenant's server gets.
    fileprivate func token(_ client: APIClient, _ user: UUID) async throws -> String {
        let token: Kith.AccessToken = try await client.get(
            "POST", "/v1/tokens", #"{"user_id":"\#(user)"}"#, as: leaver.secretKey, status: 201)
        return token.accessToken
    }

    /// The result of an import of what is there already.
    fileprivate func again() throws -> Int32 { try load().status }
}
