import Foundation
import KithClient
import TestThreads
import Testing

@Suite(.mayBlock) struct `A vault in a list` {
    @Test func `has the counts that its person may see, and says who is inside`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        let carol = try await Person.join(installation.acme, as: "Carol", client)
        let vault = try await alice.makeVault()
        let own = try await bob.makeVault("Photos")
        try await bob.becomeNominee(of: vault, by: alice)
        try await carol.becomeNominee(of: vault, by: alice, as: .full)
        _ = try await alice.invite("Dave", to: vault)
        func seen(by person: Person) async throws -> Kith.Vault {
            let page: Kith.VaultPage = try await person.get("GET", "/v1/vaults")
            return try #require(page.items.first { $0.id == vault.id })
        }
        let locked = try await seen(by: alice)
        #expect(locked.counts.nominees?.pending == 1)
        #expect(locked.counts.nominees?.accepted == 2)
        #expect(locked.counts.nominees?.active == 0)
        #expect(locked.counts.documents == 0)
        for nominee in [bob, carol] {
            let counts = try await seen(by: nominee).counts
            #expect(counts.nominees == nil && counts.documents == nil)
        }
        try await alice.open(vault)
        let added = try await client.send(
            "POST", "/v1/vaults/\(vault.id)/documents?name=Will", content: Data("All to Bob".utf8), type: "text/plain",
            as: alice.token)
        let document: Kith.Document = try added.decode()
        #expect(document.createdBy.displayName == "Alice")
        #expect(document.updatedBy.displayName == "Alice")
        #expect(document.deletedBy == nil)
        try await carol.open(vault)
        try await bob.open(vault)
        let open = try await seen(by: alice)
        #expect(open.counts.nominees?.active == 2)
        #expect(open.counts.documents == 1)
        let session = try #require(open.session)
        #expect(session.inside.map(\.displayName) == ["Alice", "Carol", "Bob"])
        #expect(session.unlockedByUser.displayName == "Alice")
        #expect(session.latestExpiresAt > session.expiresAt)
        #expect(try await seen(by: carol).counts.nominees?.active == 2)
        let bobs = try await seen(by: bob)
        #expect(bobs.counts.nominees == nil)
        #expect(bobs.counts.documents == 1)
        #expect(bobs.session?.inside.map(\.displayName) == ["Alice", "Bob"])
        let ended: Kith.VaultSession = try await carol.get("POST", "/v1/vaults/\(vault.id)/lock")
        #expect(ended.lockedByUser?.displayName == "Carol")
        #expect(ended.inside.isEmpty)

        for (role, id) in [("owner", own.id), ("nominee", vault.id)] {
            let page: Kith.VaultPage = try await bob.get("GET", "/v1/vaults?role=\(role)")
            #expect(page.items.map(\.id) == [id])
        }
        #expect(try await bob.send("GET", "/v1/vaults?role=king").code == "validation_failed")
    }

    @Test func `has a history that is read by action and time, also as CSV`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let vault = try await alice.makeVault()
        let path = "/v1/vaults/\(vault.id)/history"
        for _ in 0..<2 {
            try await alice.open(vault)
            let _: Kith.VaultSession = try await alice.get("POST", "/v1/vaults/\(vault.id)/lock")
        }
        func actions(_ query: String) async throws -> [String] {
            let page: Kith.VaultEventPage = try await alice.get("GET", path + query)
            return page.items.map(\.action.rawValue)
        }
        #expect(try await actions("?action=vault.opened") == ["vault.opened", "vault.opened"])
        #expect(
            try await actions("?action=vault.created,vault.locked") == [
                "vault.locked", "vault.locked", "vault.created",
            ])
        #expect(try await actions("?from=\(Day.instant(3600))").isEmpty)
        #expect(try await actions("?until=\(Day.instant(-3600))").isEmpty)
        #expect(try await actions("?from=\(Day.instant(-3600))&until=\(Day.instant(3600))").count == 5)
        let table = try await client.exchange(
            "GET", path + "?action=vault.locked", as: alice.token, headers: ["Accept": "text/csv"])
        let lines = table.text.split(separator: "\r\n")
        #expect(lines.count == 3)
        #expect(lines.dropFirst().allSatisfy { $0.contains(#""vault.locked""#) })
        for query in ["?action=vault.eaten", "?from=yesterday", "?until=2027-03-09"] {
            #expect(try await alice.send("GET", path + query).code == "validation_failed", "\(query)")
        }
    }
}
