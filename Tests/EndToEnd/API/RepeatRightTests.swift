import Foundation
import KithClient
import KithServer
import Postgres
import TestThreads
import Testing

/// A kept answer is given again only while the right that made it stands (A07).
@Suite(.mayBlock) struct `The repeat of a POST` {
    /// Alice's open vault, with Bob at level full and Carol at level edit, and Alice's connection to Bob.
    final class House: Sendable {
        let installation: Installation
        let client: APIClient
        let (alice, bob, carol): (Person, Person, Person)
        let (vault, full, edit): (Kith.Vault, Kith.InvitedNominee, Kith.InvitedNominee)
        let connection: Kith.Connection
        let document: Kith.Document

        init() async throws {
            let (installation, _, client) = try shared.get()
            self.installation = installation
            self.client = client
            alice = try await Person.join(installation.acme, as: "Alice", client)
            bob = try await Person.join(installation.acme, as: "Bob", client)
            carol = try await Person.join(installation.acme, as: "Carol", client)
            vault = try await alice.makeVault("Secret Papers")
            full = try await bob.becomeNominee(of: vault, by: alice, as: .full)
            edit = try await carol.becomeNominee(of: vault, by: alice, as: .edit)
            try await alice.open(vault)
            try await alice.becomeSender()
            connection = try await alice.connect(try await bob.becomeReceiver().code)
            document = try await client.send(
                "POST", "/v1/vaults/\(vault.id)/documents?name=Secret%20Will", content: Data("x".utf8),
                type: "text/plain", as: alice.token
            ).decode()
        }

        var path: String { "/v1/vaults/\(vault.id)" }

        /// Changes Bob's row.
        func change(_ body: String) async throws {
            #expect(try await alice.send("PATCH", "\(path)/nominees/\(full.id)", body).status == 200)
        }

        func lock() async throws {
            #expect(try await alice.send("POST", "\(path)/lock").status == 200)
        }

        func delete(_ path: String) async throws {
            #expect(try await alice.send("DELETE", path).status == 204)
        }

        func revoke(_ nominee: Kith.InvitedNominee) async throws {
            try await delete("\(path)/nominees/\(nominee.id)")
        }

        /// Carol becomes the owner, and Alice keeps access.
        func transfer() async throws {
            let offered: Kith.OfferedTransfer = try await alice.get(
                "POST", "\(path)/transfer", #"{"nominee_id":"\#(edit.id)","keep_access":true}"#, status: 201)
            let token = offered.invitation.token
            let answer = try await client.patiently { try await carol.send("POST", "/v1/invitations/\(token)/accept") }
            #expect(answer.status == 200)
        }
    }

    /// One call, and what takes its right away.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let caller: @Sendable (House) -> Person
        let path: @Sendable (House) -> String
        let body: String
        let prepare: @Sendable (House) async throws -> Void
        let lose: @Sendable (House) async throws -> Void

        init(
            _ name: String, by caller: @escaping @Sendable (House) -> Person,
            _ path: @escaping @Sendable (House) -> String, _ body: String = "{}",
            after prepare: @escaping @Sendable (House) async throws -> Void = { _ in },
            _ lose: @escaping @Sendable (House) async throws -> Void
        ) {
            testDescription = name
            self.caller = caller
            self.path = path
            self.body = body
            self.prepare = prepare
            self.lose = lose
        }
    }

    private static let invitation = #"{"name":"Dora","phone":"+4915112345678","email":"dora@example.com"}"#

    static let cases: [Case] = [
        Case("an invitation by a full nominee who is lowered", by: \.bob, nominees, invitation) {
            try await $0.change(#"{"access_level":"view"}"#)
        },
        Case("an invitation by a full nominee who is paused", by: \.bob, nominees, invitation) {
            try await $0.change(#"{"status":"inactive"}"#)
        },
        Case("an invitation by a full nominee, then the lock", by: \.bob, nominees, invitation) {
            try await $0.lock()
        },
        Case("an invitation by an owner who gives the vault away", by: \.alice, nominees, invitation) {
            try await $0.transfer()
        },
        Case("a document's restoring, then the lock", by: \.bob, restoring, after: deleteDocument) {
            try await $0.lock()
        },
        Case(
            "a document's restoring, then its deletion", by: \.alice, restoring, after: deleteDocument, deleteDocument),
        Case("an opening, then the revocation", by: \.bob, { "\($0.path)/open" }) { try await $0.revoke($0.full) },
        Case("an opening, then the lock", by: \.bob, { "\($0.path)/open" }) { try await $0.lock() },
        Case("an activity, then the lock", by: \.alice, { "\($0.path)/activity" }) { try await $0.lock() },
        Case("a locking by a full nominee who is lowered", by: \.bob, { "\($0.path)/lock" }) {
            try await $0.change(#"{"access_level":"edit"}"#)
        },
        Case(
            "a message, then the pause", by: \.bob, { "\($0.path)/nominees/\($0.full.id)/messages" },
            #"{"body":"Secret"}"#
        ) {
            try await $0.change(#"{"status":"inactive"}"#)
        },
        Case("a vault's creation, then another owner", by: \.alice, { _ in "/v1/vaults" }, #"{"name":"Secret"}"#) {
            try $0.installation.session().execute(
                "update kith.vaults set owner_id = '\($0.carol.id)' where owner_id = '\($0.alice.id)'")
        },
        Case("a vault's creation, then its deletion", by: \.alice, { _ in "/v1/vaults" }, #"{"name":"Secret"}"#) {
            let vaults: Kith.VaultPage = try await $0.alice.get("GET", "/v1/vaults")
            for vault in vaults.items { try await $0.delete("/v1/vaults/\(vault.id)") }
        },
        Case(
            "a vault's restoring, then its deletion", by: \.alice, { "\($0.path)/restore" }, after: deleteVault,
            deleteVault),
        Case(
            "an offer, then its acceptance", by: \.alice, { "\($0.path)/transfer" },
            #"{"name":"Carol","phone":"+4915112345679","keep_access":true}"#
        ) {
            try await $0.delete("\($0.path)/transfer")
            try await $0.transfer()
        },
        Case("a confirmation, then the transfer", by: \.alice, { "\($0.path)/nominees/\($0.full.id)/confirm" }) {
            try await $0.transfer()
        },
        Case(
            "a request for emergency access, then the revocation", by: \.carol, { "\($0.path)/emergency/requests" },
            after: { _ = try await $0.alice.giveEmergencyAccess(to: $0.edit, of: $0.vault) }
        ) {
            try await $0.revoke($0.edit)
        },
        Case("a pause, then the removal", by: \.alice, { "/v1/connections/\($0.connection.id)/pause" }) {
            try await $0.delete("/v1/connections/\($0.connection.id)")
        },
        Case("a pause, then the block", by: \.alice, { "/v1/connections/\($0.connection.id)/pause" }) {
            let answer = try await $0.bob.send("PUT", "/v1/me/blocks/\($0.alice.id)")
            #expect((200..<300).contains(answer.status))
        },
        Case("a code, then the end of the profile", by: \.alice, { _ in "/v1/me/codes" }, #"{"role":"sender"}"#) {
            try await $0.delete("/v1/me/sender-profile")
        },
        Case(
            "an invitation to connect, then the end of the profile", by: \.alice, { _ in "/v1/connection-invitations" },
            #"{"recipients":[{"name":"Dora","phone":"+4915112345678"}]}"#
        ) {
            try await $0.delete("/v1/me/sender-profile")
        },
    ]

    private static let nominees: @Sendable (House) -> String = { "\($0.path)/nominees" }
    private static let restoring: @Sendable (House) -> String = { "\($0.path)/documents/\($0.document.id)/restore" }
    private static let deleteDocument: @Sendable (House) async throws -> Void = {
        try await $0.delete("\($0.path)/documents/\($0.document.id)")
    }
    private static let deleteVault: @Sendable (House) async throws -> Void = { try await $0.delete($0.path) }

    @Test(arguments: cases)
    func `gets the answer while the right stands, and 404 without a name afterwards`(one: Case) async throws {
        let house = try await House()
        try await one.prepare(house)
        func post() async throws -> APIClient.Answer {
            try await house.client.send(
                "POST", one.path(house), one.body, as: one.caller(house).token, headers: ["Idempotency-Key": "r-1"])
        }
        let first = try await post()
        #expect((200..<300).contains(first.status), "\(first.text)")
        let second = try await post()
        #expect(second.body == first.body)
        #expect(second.headers["idempotent-replayed"] == "true")
        try await one.lose(house)
        let third = try await post()
        #expect(third.status == 404, "\(third.text)")
        #expect(third.code == "not_found")
        #expect(third.headers["idempotent-replayed"] == nil)
        for text in ["Secret", "Dora", "+4915112345678", "token"] { #expect(!third.text.contains(text)) }
    }

    @Test func `gets the answer again when the right has come back`() async throws {
        let house = try await House()
        func invite() async throws -> APIClient.Answer {
            try await house.client.send(
                "POST", "\(house.path)/nominees", Self.invitation, as: house.bob.token,
                headers: ["Idempotency-Key": "r-2"])
        }
        let first = try await invite()
        try await house.lock()
        #expect(try await invite().status == 404)
        try await house.alice.open(house.vault)
        #expect(try await invite().body == first.body)
    }

    @Test func `with a secret key that has ended gets nothing`() async throws {
        let house = try await House()
        let key: Kith.NewAPIKey = try await house.client.get(
            "POST", "/v1/tenant/api-keys", #"{"name":"Billing","scopes":["users"]}"#,
            as: house.installation.acme.secretKey, status: 201)
        let secret = key.secretKey
        func create() async throws -> APIClient.Answer {
            try await house.client.send(
                "POST", "/v1/users", #"{"display_name":"Dora"}"#, as: secret, headers: ["Idempotency-Key": "r-3"])
        }
        #expect(try await create().status == 201)
        // By another server, which does not tell this one.
        try house.installation.session().execute(
            "update kith.api_keys set revoked_at = \(Day.sql) where id = '\(key.id)'")
        let third = try await create()
        #expect([401, 404].contains(third.status))
        #expect(!third.text.contains("Dora"))
    }
}
