import Foundation
import KithClient
import KithServer
import Postgres
import TestThreads
import Testing

@Suite(.mayBlock) struct `Account deletion` {
    @Test func `ends the user's connections, tells the other sides, and voids the user's credentials`() async throws {
        let (installation, _, client) = try shared.get()
        let (second, other) = try installation.serve()
        defer { second.signal(SIGTERM) }
        let alice = try await Person.join(installation.acme, as: "Alice Ampersand", client)
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        try await alice.becomeSender()
        let connection = try await alice.connect(bob.becomeReceiver().code)
        let _: Kith.CheckIn = try await alice.get("POST", "/v1/pings/check-in", #"{"note":"All well"}"#)
        // Another server has cached the token too, and accepts it for up to a minute.
        let elsewhere = Person(id: alice.id, token: alice.token, client: other)
        #expect(try await elsewhere.send("GET", "/v1/me").status == 200)

        #expect(try await alice.send("DELETE", "/v1/me").status == 204)

        #expect(try await alice.send("GET", "/v1/me").status == 401)
        #expect(try await alice.send("DELETE", "/v1/me").status == 401)
        #expect(try await elsewhere.send("GET", "/v1/me").code == "not_found")
        #expect(try await elsewhere.send("GET", "/v1/me/export").status == 401)
        #expect(
            try await elsewhere.send("PUT", "/v1/me/devices", #"{"platform":"ios","token":"x"}"#).status == 401)
        #expect(try await elsewhere.send("PUT", "/v1/me/receiver-profile", "{}").status == 401)
        #expect(
            try await elsewhere.send("PATCH", "/v1/me", #"{"display_name":"Back"}"#).status == 401)

        #expect(
            try await bob.notifications().map(\.body) == [
                "Someone has removed you as a receiver", "Someone checked in.", "Someone is now sending you pings",
            ])
        #expect(try await bob.send("GET", "/v1/connections/\(connection.id)").code == "not_found")
        #expect(
            try await client.send("GET", "/v1/users/\(alice.id)", as: installation.acme.secretKey).code == "not_found")
        let token = try await client.send(
            "POST", "/v1/tokens", #"{"user_id":"\#(alice.id)"}"#, as: installation.acme.secretKey)
        #expect(token.code == "not_found")
    }

    @Test func `works the same through the tenant's server, for its own users only`() async throws {
        let (installation, _, client) = try shared.get()
        let externalID = UUID().uuidString
        let body = #"{"display_name":"Alice","external_id":"\#(externalID)"}"#
        let key = installation.acme.secretKey
        let alice: Kith.User = try await client.get("POST", "/v1/users", body, as: key, status: 201)
        let path = "/v1/users/\(alice.id)"
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        #expect(try await bob.send("DELETE", path).code == "forbidden")
        #expect(try await client.send("DELETE", path, as: installation.globex.secretKey).code == "not_found")
        let token: Kith.AccessToken = try await client.get(
            "POST", "/v1/tokens", #"{"user_id":"\#(alice.id)"}"#, as: key, status: 201)
        #expect(try await client.send("GET", "/v1/me", as: token.accessToken).status == 200)
        #expect(try await client.send("DELETE", path, as: key).status == 204)
        // The server that deleted the account stops accepting the token at once.
        #expect(try await client.send("GET", "/v1/me", as: token.accessToken).status == 401)
        #expect(try await client.send("DELETE", path, as: key).code == "not_found")
        let successor: Kith.User = try await client.get("POST", "/v1/users", body, as: key, status: 201)
        #expect(successor.id != alice.id)
    }

    @Test func `leaves no connection behind that is made at the same moment`() async throws {
        let (installation, _, client) = try shared.get()
        for _ in 0..<10 {
            let alice = try await Person.join(installation.acme, as: "Alice", client)
            let bob = try await Person.join(installation.acme, as: "Bob", client)
            try await alice.becomeSender()
            let code = try await bob.becomeReceiver().code
            async let connected = client.patiently {
                try await alice.send("POST", "/v1/connections", #"{"code":"\#(code)"}"#)
            }
            async let deleted = client.patiently { try await bob.send("DELETE", "/v1/me") }
            #expect(try await deleted.status == 204)
            #expect([201, 404, 410].contains(try await connected.status))
            let left: Kith.ConnectionPage = try await alice.get("GET", "/v1/connections")
            #expect(left.items.isEmpty)
        }
    }

    @Test func `deletes vaults that others can access only if the caller asks for that`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        let vault = try await alice.makeVault("Alice’s papers")
        _ = try await alice.makeVault("Only mine")
        let nominee = try await bob.becomeNominee(of: vault, by: alice)
        try await alice.open(vault)
        let messages = "/v1/vaults/\(vault.id)/nominees/\(nominee.id)/messages"
        let _: Kith.Message = try await alice.get(
            "POST", messages, #"{"body":"Dear Bob, the key is under the mat"}"#, status: 201)

        let refused = try await alice.send("DELETE", "/v1/me")
        #expect(refused.code == "conflict")
        #expect(refused.detail.contains("\"Alice’s papers\""))
        #expect(!refused.detail.contains("Only mine"))
        #expect(try await alice.send("DELETE", "/v1/me?vaults=keep").code == "validation_failed")
        let path = "/v1/users/\(alice.id)"
        let byServer = try await client.send("DELETE", path, as: installation.acme.secretKey)
        #expect(byServer.code == "conflict")
        let kept: Kith.Vault = try await bob.get("GET", "/v1/vaults/\(vault.id)")
        #expect(kept.status == .active)

        #expect(try await client.send("DELETE", path + "?vaults=delete", as: installation.acme.secretKey).status == 204)
        #expect(try await bob.send("GET", "/v1/vaults/\(vault.id)").code == "not_found")
        #expect(
            try await bob.notifications().map { "\($0.title): \($0.body)" } == [
                "Access Ended: Your access to a vault has ended.", "Someone: This message was deleted.",
                "Vault Open: Someone opened a vault. You can enter now.",
            ])
        let left = try installation.session().query(
            """
            select from kith.vault_keys where vault_id = $1::uuid union all select from kith.documents where vault_id = $1::uuid
            """, [.text(vault.id.uuidString)])
        #expect(left.rowCount == 0)
        // The worker does the slow part.
        let worker = try installation.session()
        while try worker.query("select worker.sweep_vaults(\(Day.sql), 200)").int(0, 0) ?? 0 > 0 {}
        let rows = try worker.query(
            "select from kith.vaults where owner_id = $1::uuid", [.text(alice.id.uuidString)])
        #expect(rows.rowCount == 0)
    }

    @Test func `leaves other people's vaults in place and tells their owners`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let bob = try await Person.join(installation.acme, as: "Bob Ampersand", client)
        let vault = try await alice.makeVault()
        let nominee = try await bob.becomeNominee(of: vault, by: alice, as: .full)
        let _: Kith.Vault = try await alice.get("PATCH", "/v1/vaults/\(vault.id)", #"{"full_may_open":true}"#)
        try await bob.open(vault)
        let messages = "/v1/vaults/\(vault.id)/nominees/\(nominee.id)/messages"
        let _: Kith.Message = try await bob.get("POST", messages, #"{"body":"I am Bob Ampersand"}"#, status: 201)
        #expect(try await bob.send("DELETE", "/v1/me").status == 204)

        let seen: Kith.Vault = try await alice.get("GET", "/v1/vaults/\(vault.id)")
        #expect(seen.session == nil)
        let left: Kith.Nominee = try await alice.get("GET", "/v1/vaults/\(vault.id)/nominees/\(nominee.id)")
        #expect(left.status == .revoked)
        #expect(left.name == "Someone")
        #expect(left.revokeReason == "account_deleted")
        let conversation: Kith.MessagePage = try await alice.get("GET", messages)
        #expect(conversation.items.isEmpty)
        // Those of the deletion itself come in any order.
        #expect(
            try await alice.notifications().map { "\($0.title): \($0.body)" }.sorted() == [
                "Access Ended: Someone no longer has access to Papers.",
                "Invitation Accepted: Someone accepted your invitation to Papers.",
                "Someone: This message was deleted.", "Vault Locked: Someone locked Papers.",
                "Vault Open: Someone opened Papers.",
            ])
        let history: Kith.VaultEventPage = try await alice.get("GET", "/v1/vaults/\(vault.id)/history")
        #expect(history.items.contains { $0.actor?.displayName == "Someone" && $0.action == .vaultOpened })
        #expect(try await !alice.send("GET", "/v1/vaults/\(vault.id)/history").text.contains("Ampersand"))
    }
}
