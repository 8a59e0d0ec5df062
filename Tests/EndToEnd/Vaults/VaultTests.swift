import Foundation
import KithClient
import Postgres
import TestThreads
import Testing

@Suite(.mayBlock) struct `A vault` {
    /// Makes `person` an accepted nominee.
    private func nominate(
        _ person: Person, to vault: Kith.Vault, as level: Kith.AccessLevel, _ installation: Installation
    ) throws {
        _ = try installation.session().query(
            """
            insert into kith.nominees (
              tenant_id, id, vault_id, owner_id, user_id, name, status, access_level, invited_at, accepted_at, updated_at
            )
            values ($1, gen_random_uuid(), $2, $3, $4, 'Somebody', 'accepted', $5, \(Day.sql), \(Day.sql), \(Day.sql))
            """,
            [
                .int(installation.acme.tenantID), .text(vault.id.text), .text(vault.owner.id.text),
                .text(person.id.text), .text(level.rawValue),
            ])
    }

    @Test func `can be created, opened, entered, locked, deleted and restored`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        let made: Kith.Vault = try await alice.get("POST", "/v1/vaults", #"{"name":"Papers"}"#, status: 201)
        #expect(made.role == .owner)
        #expect(made.session == nil)
        #expect(made.owner.displayName == "Alice")
        let path = "/v1/vaults/\(made.id)"
        #expect(try await bob.send("GET", path).code == "not_found")
        try nominate(bob, to: made, as: .view, installation)

        let refused = try await bob.send("POST", path + "/open", "{}")
        #expect(refused.status == 423)
        #expect(refused.code == "vault_locked")
        #expect(refused.detail == "This vault is locked. You can enter while its owner has it open.")
        let opened: Kith.VaultSession = try await alice.get("POST", path + "/open", "{}", status: 201)
        #expect(opened.unlockedBy == alice.id)
        let entered: Kith.VaultSession = try await bob.get("POST", path + "/open", "{}")
        #expect(entered.id == opened.id)
        let seen: Kith.Vault = try await bob.get("GET", path)
        #expect(seen.status == .active)
        #expect(seen.accessLevel == .view)
        #expect(seen.session?.id == opened.id)
        let kept: Kith.VaultSession = try await bob.get("POST", path + "/activity", "{}")
        #expect(kept.id == opened.id)

        #expect(try await bob.send("POST", path + "/lock", "{}").code == "forbidden")
        #expect(try await bob.send("PATCH", path, #"{"name":"Mine"}"#).code == "forbidden")
        #expect(try await bob.send("DELETE", path).code == "forbidden")
        #expect(try await bob.send("GET", path + "/history").code == "forbidden")
        let locked: Kith.VaultSession = try await alice.get("POST", path + "/lock", "{}")
        #expect(locked.lockReason == .manual)
        #expect(locked.lockedBy == alice.id)
        let past: Kith.VaultEventPage = try await alice.get("GET", path + "/history")
        #expect(past.items.map(\.action).prefix(3) == [.vaultLocked, .vaultJoined, .vaultOpened])
        #expect(try await alice.send("POST", path + "/activity", "{}").detail == "This vault is locked. Open it first.")
        #expect(
            try await bob.notifications().map(\.body) == [
                "Papers is locked.", "Alice opened Papers. You can enter now.",
            ])

        let changed: Kith.Vault = try await alice.get("PATCH", path, #"{"name":"Our “papers” 🗝️","full_may_open":true}"#)
        #expect(changed.name == "Our “papers” 🗝️")
        #expect(changed.fullMayOpen)
        #expect(try await alice.send("DELETE", path).status == 204)
        #expect(try await alice.send("GET", path).code == "not_found")
        #expect(try await bob.send("GET", path).code == "not_found")
        let deleted: Kith.VaultPage = try await alice.get("GET", "/v1/vaults?deleted=true")
        #expect(deleted.items.map(\.id) == [made.id])
        #expect(try await bob.send("POST", path + "/restore", "{}").code == "not_found")
        let restored: Kith.Vault = try await alice.get("POST", path + "/restore", "{}")
        #expect(restored.deletedAt == nil)
        #expect(try await alice.send("POST", path + "/restore", "{}").code == "invalid_transition")
        let all: Kith.VaultPage = try await bob.get("GET", "/v1/vaults")
        #expect(all.items.map(\.id) == [made.id])
    }

    @Test func `refuses invalid names, naming the field`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        for name in [
            String(repeating: "x", count: 1000), "", " ", "a\\u0000b", "line\\nbreak", "\u{202E}back\u{202C}",
            "\u{200B}",
        ] {
            let answer = try await alice.send("POST", "/v1/vaults", #"{"name":"\#(name)"}"#)
            #expect([400, 422].contains(answer.status), "\(name.prefix(20)): \(answer.text)")
        }
        for name in ["👩‍👩‍👧‍👦", "O'Brien \\\"quoted\\\"", String(repeating: "ä", count: 200)] {
            let made = try await alice.send("POST", "/v1/vaults", #"{"name":"\#(name)"}"#)
            #expect(made.status == 201, "\(made.text)")
        }
    }

    @Test func `is opened once, however many callers try at the same time`() async throws {
        let (installation, _, client) = try shared.get()
        let second = try installation.serve()
        defer { second.process.signal(SIGKILL) }
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        for _ in 0..<3 {
            let vault: Kith.Vault = try await alice.get("POST", "/v1/vaults", #"{"name":"Papers"}"#, status: 201)
            let answers = try await withThrowingTaskGroup(of: APIClient.Answer.self) { group in
                for n in 0..<100 {
                    group.addTask {
                        let server = n.isMultiple(of: 2) ? client : second.client
                        return try await server.patiently {
                            try await server.send("POST", "/v1/vaults/\(vault.id)/open", "{}", as: alice.token)
                        }
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            // If the first answer came too late, the vault was opened all the same.
            #expect(answers.count { $0.status == 201 } <= 1)
            #expect(answers.allSatisfy { [200, 201].contains($0.status) })
            let sessions = try answers.map { try $0.decode(Kith.VaultSession.self).id }
            #expect(Set(sessions).count == 1)
        }
    }

    @Test func `locks itself to the second even if no worker runs`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        let vault: Kith.Vault = try await alice.get("POST", "/v1/vaults", #"{"name":"Papers"}"#, status: 201)
        try nominate(bob, to: vault, as: .view, installation)
        let opened: Kith.VaultSession = try await alice.get("POST", "/v1/vaults/\(vault.id)/open", "{}", status: 201)
        let session = try installation.session()
        let set = try session.query(
            """
            update kith.vault_sessions set expires_at = \(Day.sql) + interval '1500 milliseconds' where id = $1
            returning extract(epoch from expires_at)::float8
            """, [.text(opened.id.text)])
        let end = try #require(set.string(0, 0).flatMap(Double.init))
        while true {
            let asked = Day.now.timeIntervalSince1970
            let seen: Kith.Vault = try await bob.get("GET", "/v1/vaults/\(vault.id)")
            let answered = Day.now.timeIntervalSince1970
            if answered < end { #expect(seen.status == .active) }
            if asked > end {
                #expect(seen.status == .accepted)
                #expect(seen.session == nil)
                break
            }
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(try await alice.send("POST", "/v1/vaults/\(vault.id)/activity", "{}").status == 423)
        // The next opening records the expiry that no worker has recorded.
        let _: Kith.VaultSession = try await alice.get("POST", "/v1/vaults/\(vault.id)/open", "{}", status: 201)
        let old = try session.query(
            "select lock_reason from kith.vault_sessions where id = $1", [.text(opened.id.text)])
        #expect(old.string(0, 0) == "expired")
    }

    @Test func `shows its owner the whole history, also as CSV`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: #"=1+1 "Alice""#.replacing("\"", with: "\\\""), client)
        let vault: Kith.Vault = try await alice.get("POST", "/v1/vaults", #"{"name":"Papers, \"old\""}"#, status: 201)
        let path = "/v1/vaults/\(vault.id)/history"
        for _ in 0..<95 {
            _ = try await alice.send("POST", "/v1/vaults/\(vault.id)/open", "{}")
            _ = try await alice.send("POST", "/v1/vaults/\(vault.id)/lock", "{}")
        }
        var cursor = ""
        var events: [Kith.VaultEvent] = []
        repeat {
            let page: Kith.VaultEventPage = try await alice.get("GET", path + "?limit=50" + cursor)
            events += page.items
            cursor = page.nextCursor.map { "&cursor=\($0)" } ?? ""
        } while !cursor.isEmpty
        #expect(events.count == 191)
        #expect(events.last?.action == .vaultCreated)
        #expect(events.last?.subject.name == #"Papers, "old""#)
        #expect(Set(events.map(\.id)).count == 191)
        #expect(events == events.sorted { $0.id.text > $1.id.text })

        let table = try await client.exchange("GET", path, as: alice.token, headers: ["Accept": "text/csv"])
        #expect(table.headers["content-type"]?.hasPrefix("text/csv") == true)
        let lines = table.text.split(separator: "\r\n")
        #expect(lines.count == 192)
        #expect(lines.first == #""at","actor_id","actor","action","subject_type","subject_id","subject","detail""#)
        // A leading quote keeps a spreadsheet from reading a name as a formula.
        #expect(lines.last?.contains(#""'=1+1 ""Alice""""#) == true)
        #expect(lines.last?.contains(#""Papers, ""old""""#) == true)
        #expect(try await client.exchange("GET", path, as: alice.token, headers: ["Accept": "image/png"]).status == 406)
        let mallory = try await Person.join(installation.acme, as: "Mallory", client)
        let refused = try await client.exchange("GET", path, as: mallory.token, headers: ["Accept": "text/csv"])
        #expect(refused.status == 404)
    }
}
