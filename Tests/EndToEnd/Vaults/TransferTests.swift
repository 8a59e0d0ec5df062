import Foundation
import KithClient
import Postgres
import TestThreads
import Testing

@Suite(.mayBlock) struct `A transfer` {
    private struct House {
        let installation: Installation
        let client: APIClient
        let alice: Person
        let bob: Person
        let vault: Kith.Vault

        var path: String { "/v1/vaults/\(vault.id)/transfer" }

        /// Alice, who owns a vault, and Bob.
        init() async throws {
            let (installation, _, client) = try shared.get()
            self.installation = installation
            self.client = client
            alice = try await Person.join(installation.acme, as: "Alice", client)
            bob = try await Person.join(installation.acme, as: "Bob", client)
            vault = try await alice.makeVault()
        }

        func offer(_ more: String = #","keep_access":true"#) async throws -> Kith.OfferedTransfer {
            try await alice.get("POST", path, #"{"name":"Bob"\#(more)}"#, status: 201)
        }

        func accept(_ transfer: Kith.OfferedTransfer) async throws -> APIClient.Answer {
            let path = "/v1/invitations/\(transfer.invitation.token)/accept"
            return try await client.patiently { try await bob.send("POST", path) }
        }

        /// Makes `phone` a verified contact of `person`.
        func verify(_ phone: String, of person: Person) throws {
            try installation.session().execute(
                "update kith.users set phone = '\(phone)', phone_verified_at = \(Day.sql) where id = '\(person.id)'")
        }
    }

    @Test func `makes the recipient the owner, and the old owner a full nominee if that was chosen`() async throws {
        let house = try await House()
        let (alice, bob) = (house.alice, house.bob)
        let carol = try await Person.join(house.installation.acme, as: "Carol", house.client)
        try await bob.becomeNominee(of: house.vault, by: alice, as: .edit)
        try await carol.becomeNominee(of: house.vault, by: alice)
        let invited: Kith.InvitedNominee = try await alice.get(
            "POST", "/v1/vaults/\(house.vault.id)/nominees", #"{"name":"Dave"}"#, status: 201)
        try await alice.open(house.vault)
        let will = try await house.client.send(
            "POST", "/v1/vaults/\(house.vault.id)/documents?name=Will", content: Data("All to Bob".utf8),
            type: "text/plain", as: alice.token)
        let document = "/v1/vaults/\(house.vault.id)/documents/\(try will.decode(Kith.Document.self).id)"
        #expect(try await alice.send("GET", house.path).code == "not_found")
        let transfer = try await house.offer()
        #expect(transfer.status == "pending")
        let invitation = transfer.invitation
        #expect(invitation.url.hasSuffix("/i/\(invitation.token.text)"))
        #expect(invitation.deepLink?.hasPrefix("khandoba://") == true)
        #expect(invitation.message.contains(invitation.url))
        #expect(invitation.card.subtitle == "Papers")
        let second = try await alice.send("POST", house.path, #"{"name":"Carol","keep_access":false}"#)
        #expect(second.code == "conflict")
        let pending = try await alice.send("GET", house.path)
        #expect(try pending.decode(Kith.Transfer.self).id == transfer.id)
        #expect(!pending.text.contains(invitation.token.text), "the token is shown once")
        let preview: Kith.InvitationPreview = try await house.client.send("GET", "/v1/invitations/\(invitation.token)")
            .decode()
        #expect(preview.kind == .transfer)
        #expect(preview.state == .pending)
        #expect(preview.inviter.displayName == "Alice")

        for _ in 0..<2 {
            let answer = try await house.accept(transfer)
            #expect(answer.status == 200, "\(answer.text)")
            let accepted: Kith.AcceptedInvitation = try answer.decode()
            #expect(accepted.kind == .transfer)
            #expect(accepted.vault.owner.id == bob.id)
        }
        let other = try await carol.send("POST", "/v1/invitations/\(invitation.token)/accept")
        #expect(other.code == "invitation_used")
        let mine: Kith.Vault = try await bob.get("GET", "/v1/vaults/\(house.vault.id)")
        #expect(mine.role == .owner)
        #expect(mine.session == nil)
        #expect(try await bob.send("GET", document + "/content").code == "vault_locked")
        try await bob.open(house.vault)
        #expect(try await bob.send("GET", document + "/content").text == "All to Bob")
        #expect(try await bob.send("DELETE", document).status == 204)
        let old: Kith.Vault = try await alice.get("GET", "/v1/vaults/\(house.vault.id)")
        #expect(old.role == .nominee)
        #expect(old.accessLevel == .full)
        #expect(old.owner.displayName == "Bob")
        let nominees = try await bob.nominees(of: house.vault, "?status=active,revoked").items
        #expect(nominees.filter { $0.userID == bob.id }.map(\.status) == [.revoked])
        #expect(nominees.filter { $0.userID == carol.id }.map(\.status) == [.active])
        #expect(try await alice.notifications().contains { $0.body == "Bob is now the owner of Papers." })
        // An invitation sent before the transfer is still valid.
        let dave = try await Person.join(house.installation.acme, as: "Dave", house.client)
        let token = invited.invitation.token
        let entered: Kith.AcceptedInvitation = try await dave.get("POST", "/v1/invitations/\(token)/accept")
        #expect(entered.vault.owner.id == bob.id)
        #expect(try await bob.notifications().first?.body == "Dave accepted your invitation to Papers.")
        #expect(try await alice.send("DELETE", "/v1/vaults/\(house.vault.id)").code == "forbidden")
    }

    @Test func `lets the old owner leave if that was chosen`() async throws {
        let house = try await House()
        #expect(try await house.accept(house.offer(#","keep_access":false"#)).status == 200)
        #expect(try await house.alice.send("GET", "/v1/vaults/\(house.vault.id)").code == "not_found")
    }

    @Test func `can be cancelled or declined, and expires`() async throws {
        let house = try await House()
        let cancelled = try await house.offer()
        #expect(try await house.alice.send("DELETE", house.path).status == 204)
        #expect(try await house.alice.send("DELETE", house.path).code == "not_found")
        #expect(try await house.accept(cancelled).code == "invitation_invalid")
        let late = try await house.offer()
        try house.installation.session().execute(
            "update kith.transfers set expires_at = \(Day.sql) - interval '1 second' where id = '\(late.id)'")
        #expect(try await house.accept(late).code == "invitation_expired")
        #expect(try await house.alice.send("GET", house.path).code == "not_found")
        #expect(try await house.alice.send("DELETE", house.path).code == "not_found")
        let declined = try await house.offer()
        let token = declined.invitation.token
        let preview: Kith.InvitationPreview = try await house.bob.get("POST", "/v1/invitations/\(token)/decline")
        #expect(preview.state == .declined)
        #expect(try await house.accept(declined).code == "invitation_used")
        #expect(
            try await house.alice.notifications().first?.body == "Bob does not want to become the owner of Papers.")
        let gone = try await house.offer()
        #expect(try await house.alice.send("DELETE", "/v1/vaults/\(house.vault.id)").status == 204)
        #expect(try await house.accept(gone).code == "invitation_invalid")
    }

    @Test func `that names a contact is only for the user who has verified it`() async throws {
        let house = try await House()
        let phone = SignInHouse.number()
        let transfer = try await house.offer(#","keep_access":true,"phone":"\#(phone)""#)
        #expect(transfer.phone == phone)
        let refused = try await house.accept(transfer)
        #expect(refused.code == "forbidden")
        #expect(refused.detail.contains("Confirm yours"))
        try house.verify(phone, of: house.bob)
        #expect(try await house.accept(transfer).status == 200)
        // A user whose verified contact is named in the offer is notified of it.
        let carol = try await Person.join(house.installation.acme, as: "Carol", house.client)
        let number = SignInHouse.number()
        try house.verify(number, of: carol)
        let _: Kith.Transfer = try await house.bob.get(
            "POST", house.path, #"{"name":"Carol","phone":"\#(number)","keep_access":false}"#, status: 201)
        #expect(try await carol.notifications().map(\.body) == ["Bob wants to make you the owner of “Papers”."])
    }

    @Test func `can be offered by the owner alone`() async throws {
        let house = try await House()
        let mallory = try await Person.join(house.installation.acme, as: "Mallory", house.client)
        let stranger = try await Person.join(house.installation.globex, as: "Mallory", house.client)
        try await house.bob.becomeNominee(of: house.vault, by: house.alice, as: .full)
        let transfer = try await house.offer()
        let body = #"{"name":"Me","keep_access":false}"#
        for (method, body) in [("POST", body), ("GET", nil), ("DELETE", nil)] as [(String, String?)] {
            #expect(try await house.bob.send(method, house.path, body).code == "forbidden")
            #expect(try await mallory.send(method, house.path, body).code == "not_found")
            #expect(try await stranger.send(method, house.path, body).code == "not_found")
        }
        let token = transfer.invitation.token
        #expect(try await house.alice.send("POST", "/v1/invitations/\(token)/accept").code == "conflict")
        #expect(try await house.alice.send("POST", "/v1/invitations/\(token)/decline").code == "conflict")
        #expect(try await stranger.send("POST", "/v1/invitations/\(token)/accept").code == "invitation_invalid")
    }

    @Test func `refuses invalid input, naming each field`() async throws {
        let house = try await House()
        let phone = SignInHouse.number()
        try house.verify(phone, of: house.alice)
        for (body, fields) in [
            ("{}", ["keep_access"]), (#"{"keep_access":true}"#, ["name"]),
            (#"{"name":"","keep_access":true}"#, ["name"]),
            (#"{"name":"B","keep_access":true,"channel":"pigeon"}"#, ["channel"]),
            (#"{"name":"B","keep_access":true,"nominee_id":"\#(UUID())"}"#, ["nominee_id"]),
            (#"{"keep_access":true,"nominee_id":"\#(UUID())"}"#, ["nominee_id"]),
            (#"{"name":"\#(String(repeating: "x", count: 101))","keep_access":1}"#, ["keep_access", "name"]),
            (#"{"name":"B","keep_access":true,"phone":"0151 1234567"}"#, ["phone"]),
            (#"{"name":"B","keep_access":true,"email":"nobody"}"#, ["email"]),
            (#"{"name":"B","keep_access":true,"phone":"\#(phone)"}"#, ["phone"]),
            (#"{"name":"B","keep_access":true,"owner":"me"}"#, ["owner"]),
        ] {
            let answer = try await house.alice.send("POST", house.path, body)
            #expect(answer.code == "validation_failed", "\(body)")
            #expect(try answer.decode(Kith.Problem.self).errors?.map(\.field).sorted() == fields, "\(answer.text)")
        }
    }

    /// Runs `act` while Bob accepts; the status of each.
    private func meet(
        _ house: House, keepAccess: Bool = true, _ act: @escaping @Sendable (Person) async throws -> APIClient.Answer
    ) async throws -> (accepting: Int, acting: Int) {
        let transfer = try await house.offer(#","keep_access":\#(keepAccess)"#)
        async let accepted = house.accept(transfer)
        async let acted = house.client.patiently { try await act(house.alice) }
        return (try await accepted.status, try await acted.status)
    }

    @Test func `accepted while the vault is opened or locked leaves it locked and with the new owner`() async throws {
        for verb in ["open", "lock", "open", "lock", "open", "lock"] {
            let house = try await House()
            if verb == "lock" { try await house.alice.open(house.vault) }
            let path = "/v1/vaults/\(house.vault.id)/\(verb)"
            let outcome = try await meet(house) { try await $0.send("POST", path, "{}") }
            #expect(outcome.accepting == 200)
            #expect([200, 201, 423].contains(outcome.acting))
            let seen: Kith.Vault = try await house.bob.get("GET", "/v1/vaults/\(house.vault.id)")
            #expect(seen.role == .owner)
            #expect(seen.session == nil)
        }
    }

    @Test func `accepted while it is cancelled or the vault is deleted does one or the other completely`() async throws
    {
        for what in ["transfer", "vault", "transfer", "vault", "transfer", "vault"] {
            let house = try await House()
            let path = what == "vault" ? "/v1/vaults/\(house.vault.id)" : house.path
            let outcome = try await meet(house) { try await $0.send("DELETE", path) }
            if outcome.accepting == 200 {
                #expect([403, 404].contains(outcome.acting))
                let seen: Kith.Vault = try await house.bob.get("GET", "/v1/vaults/\(house.vault.id)")
                #expect(seen.role == .owner)
            } else {
                #expect(outcome == (404, 204))
                #expect(try await house.bob.send("GET", "/v1/vaults/\(house.vault.id)").status == 404)
            }
        }
    }

    @Test func `accepted while the recipient is revoked as a nominee makes them the owner all the same`() async throws {
        for _ in 0..<5 {
            let house = try await House()
            let nominee = try await house.bob.becomeNominee(of: house.vault, by: house.alice)
            let path = "/v1/vaults/\(house.vault.id)/nominees/\(nominee.id)"
            let outcome = try await meet(house) { try await $0.send("DELETE", path) }
            #expect(outcome.accepting == 200)
            #expect([204, 423].contains(outcome.acting), "\(outcome.acting)")
            let nominees = try await house.bob.nominees(of: house.vault, "?status=accepted,revoked").items
            #expect(nominees.filter { $0.userID == house.bob.id }.map(\.status) == [.revoked])
            #expect(nominees.filter { $0.userID == house.alice.id }.map(\.status) == [.accepted])
        }
    }

    @Test func `is accepted by only one of two people at the same time`() async throws {
        for _ in 0..<5 {
            let house = try await House()
            let carol = try await Person.join(house.installation.acme, as: "Carol", house.client)
            let transfer = try await house.offer()
            let token = transfer.invitation.token
            async let first = house.accept(transfer)
            async let second = house.client.patiently {
                try await carol.send("POST", "/v1/invitations/\(token)/accept")
            }
            let outcomes = [try await first, try await second]
            #expect(outcomes.map(\.status).sorted() == [200, 409])
            #expect(outcomes.first { $0.status == 409 }?.code == "invitation_used")
            let seen: Kith.Vault = try await house.alice.get("GET", "/v1/vaults/\(house.vault.id)")
            #expect(seen.role == .nominee)
        }
    }

    @Test func `does not conflict with the deletion of either account`() async throws {
        for n in 0..<6 {
            let house = try await House()
            let leaver = n.isMultiple(of: 2) ? house.alice : house.bob
            let transfer = try await house.offer()
            async let accepted = house.accept(transfer)
            async let deleted = house.client.patiently { try await leaver.send("DELETE", "/v1/me?vaults=delete") }
            #expect(try await deleted.status == 204)
            #expect([200, 401, 404].contains(try await accepted.status))
            let left = try house.installation.session().query(
                """
                select from kith.vaults as vault join kith.users as owner on owner.id = vault.owner_id
                where vault.id = $1::uuid and vault.deleted_at is null and owner.deleted_at is not null
                """, [.text(house.vault.id.uuidString)])
            #expect(left.rowCount == 0)
        }
    }
}
