import Foundation
import KithClient
import Postgres
import TestThreads
import Testing

@Suite(.mayBlock) struct `An invitation by token` {
    private struct House {
        let installation: Installation
        let client: APIClient
        let alice: Person
        let bob: Person
        let carol: Person
    }

    private func house() async throws -> House {
        let (installation, _, client) = try shared.get()
        return House(
            installation: installation, client: client,
            alice: try await Person.join(installation.acme, as: "Alice", client),
            bob: try await Person.join(installation.acme, as: "Bob", client),
            carol: try await Person.join(installation.acme, as: "Carol", client))
    }

    private func preview(_ house: House, _ nominee: Kith.InvitedNominee) async throws -> Kith.InvitationPreview {
        try await house.client.send("GET", "/v1/invitations/\(nominee.token)").decode()
    }

    @Test func `can be previewed by anyone who holds it, and accepted once`() async throws {
        let house = try await house()
        let vault = try await house.alice.makeVault()
        let nominee = try await house.alice.invite("Bob", to: vault, as: .edit, #","channel":"share""#)
        let seen = try await preview(house, nominee)
        #expect(seen.kind == .nominee)
        #expect(seen.vault.name == "Papers")
        #expect(seen.inviter.displayName == "Alice")
        #expect(seen.accessLevel == .edit)
        #expect(seen.state == .pending)
        #expect(seen.brandName == "PRUUF")
        #expect(seen.deepLink == nominee.invitation.deepLink)
        #expect(seen.card == nominee.invitation.card)
        let text = try await house.client.send("GET", "/v1/invitations/\(nominee.token)").text
        #expect(!text.contains(vault.id.text) && !text.contains(nominee.id.text), "the preview contains an id")

        let path = "/v1/invitations/\(nominee.token)"
        let accepted = try await house.bob.send("POST", "\(path)/accept")
        #expect(accepted.status == 200)
        let answer: Kith.AcceptedInvitation = try accepted.decode()
        #expect(answer.kind == .nominee && answer.status == .accepted && answer.id == nominee.id)
        #expect(answer.vault.id == vault.id && answer.vault.owner.displayName == "Alice")
        #expect(
            try await house.bob.send("POST", "\(path)/accept").body == accepted.body, "accepting again answers the same"
        )
        #expect(
            try await house.bob.send("POST", "/v1/invitations/\(nominee.token.uppercased())/accept").status == 200)
        let other = try await house.carol.send("POST", "\(path)/accept")
        #expect(other.status == 409 && other.code == "invitation_used")
        #expect(try await house.carol.send("POST", "\(path)/decline").code == "invitation_used")
        let told = try await house.alice.notifications().filter { $0.type == "nominee_accepted" }
        #expect(told.map(\.body) == ["Bob accepted your invitation to Papers."])
        let card = try await preview(house, nominee).card
        #expect(card.title == "✅ Vault Access Accepted" && card.subtitle == nil && card.state == .accepted)
        #expect(try await house.alice.send("DELETE", "/v1/vaults/\(vault.id)/nominees/\(nominee.id)").status == 204)
        #expect(try await preview(house, nominee).state == .revoked)
        #expect(try await house.bob.send("POST", "\(path)/accept").code == "invitation_invalid")
    }

    @Test func `can be declined without naming or binding anybody`() async throws {
        let house = try await house()
        let vault = try await house.alice.makeVault()
        let nominee = try await house.alice.invite("Bob", to: vault)
        let path = "/v1/invitations/\(nominee.token)"
        let declined: Kith.InvitationPreview = try await house.bob.get("POST", "\(path)/decline")
        #expect(declined.state == .declined)
        #expect(declined.card.title == "❌ Vault Invitation Declined")
        #expect(try await house.bob.send("POST", "\(path)/accept").code == "invitation_used")
        let row: Kith.Nominee = try await house.alice.get("GET", "/v1/vaults/\(vault.id)/nominees/\(nominee.id)")
        #expect(row.status == .revoked && row.revokeReason == "declined" && row.userID == nil)
        let told = try #require(try await house.alice.notifications().first)
        #expect(told.title == "Invitation Declined")
        #expect(told.body == "Bob declined your invitation to Papers.")
        #expect(try await house.bob.send("GET", "/v1/vaults/\(vault.id)").code == "not_found")
    }

    @Test func `is refused to the owner, a present nominee, another tenant, and for an unknown token`() async throws {
        let house = try await house()
        let vault = try await house.alice.makeVault()
        let nominee = try await house.alice.invite("Bob", to: vault)
        let mallory = try await Person.join(house.installation.globex, as: "Mallory", house.client)
        try await house.carol.becomeNominee(of: vault, by: house.alice)
        for verb in ["accept", "decline"] {
            let path = "/v1/invitations/\(nominee.token)/\(verb)"
            #expect(try await house.alice.send("POST", path).detail == "This is your own vault.")
            #expect(try await house.carol.send("POST", path).detail == "You are a nominee of this vault already.")
            #expect(try await mallory.send("POST", path).code == "invitation_invalid")
            let made = "/v1/invitations/\(UUID().text)/\(verb)"
            #expect(try await house.bob.send("POST", made).code == "invitation_invalid")
            #expect(try await house.bob.send("POST", "/v1/invitations/x/\(verb)").status == 422)
            #expect(try await house.client.send("POST", path).status == 401)
        }
        #expect(try await house.client.send("GET", "/v1/invitations/\(UUID().text)").status == 404)
        #expect(try await preview(house, nominee).state == .pending)
    }

    @Test func `expires`() async throws {
        let house = try await house()
        let nominee = try await house.alice.invite("Bob", to: try await house.alice.makeVault())
        _ = try house.installation.session().query(
            "update kith.nominee_invitations set expires_at = \(Day.sql) where nominee_id = $1",
            [.text(nominee.id.text)])
        #expect(try await preview(house, nominee).card.title == "⌛ Vault Invitation Expired")
        let answer = try await house.bob.send("POST", "/v1/invitations/\(nominee.token)/accept")
        #expect(answer.status == 410 && answer.code == "invitation_expired")
    }

    @Test func `waits for the owner if the vault requires confirmation or another contact was named`() async throws {
        let house = try await house()
        let careful = try await house.alice.makeVault(settings: #","require_confirmation":true"#)
        let named = try await house.alice.makeVault()
        for (vault, more) in [(careful, ""), (named, #","phone":"\#(SignInHouse.number())""#)] {
            let nominee = try await house.alice.invite("Bob", to: vault, as: .view, more)
            let answer = try await house.bob.accept(nominee)
            #expect(answer.status == .pending && answer.needsConfirmation == true)
            #expect(try await preview(house, nominee).needsConfirmation)
            for path in ["/nominees", "/nominees/\(nominee.id)"] {
                let refused = try await house.bob.send("GET", "/v1/vaults/\(vault.id)\(path)")
                #expect(refused.status == 403 && refused.code == "nominee_pending")
                #expect(refused.detail == "The vault's owner has not confirmed your access yet.")
            }
            try await house.alice.open(vault)
            #expect(try await house.bob.send("POST", "/v1/vaults/\(vault.id)/open").code == "nominee_pending")
            #expect(try await house.carol.send("POST", "/v1/invitations/\(nominee.token)/accept").status == 409)
            let path = "/v1/vaults/\(vault.id)/nominees/\(nominee.id)"
            let row: Kith.Nominee = try await house.alice.get("GET", path)
            #expect(row.needsConfirmation && row.userID == house.bob.id)
            let confirmed: Kith.Nominee = try await house.alice.get("POST", "\(path)/confirm")
            #expect(confirmed.status == .active, "the vault is open, so access begins at once")
            #expect(try await house.bob.send("POST", "/v1/vaults/\(vault.id)/open").status == 200)
        }
        let unanswered = try await house.alice.invite("Dave", to: named)
        let path = "/v1/vaults/\(named.id)/nominees/\(unanswered.id)/confirm"
        #expect(try await house.alice.send("POST", path).code == "invalid_transition")
    }

    @Test func `ends with its vault, and restoring the vault brings the nominee back but not the token`() async throws {
        let house = try await house()
        let vault = try await house.alice.makeVault()
        let nominee = try await house.alice.invite("Bob", to: vault)
        #expect(try await house.alice.send("DELETE", "/v1/vaults/\(vault.id)").status == 204)
        #expect(try await preview(house, nominee).state == .revoked)
        #expect(try await house.bob.send("POST", "/v1/invitations/\(nominee.token)/accept").status == 404)
        #expect(try await house.alice.send("POST", "/v1/vaults/\(vault.id)/restore").status == 200)
        #expect(try await house.bob.send("POST", "/v1/invitations/\(nominee.token)/accept").status == 404)
        let again: Kith.InvitedNominee = try await house.alice.get(
            "POST", "/v1/vaults/\(vault.id)/nominees/\(nominee.id)/resend")
        #expect(try await house.bob.accept(again).status == .accepted)
    }

    @Test func `from a suspended tenant is refused`() async throws {
        let house = try await house()
        let tenant = try house.installation.tenant("closed")
        let alice = try await Person.join(tenant, as: "Alice", house.client)
        let nominee = try await alice.invite("Bob", to: try await alice.makeVault())
        try house.installation.session().execute("select admin.suspend_tenant('closed', 'unpaid')")
        let answer = try await house.client.send("GET", "/v1/invitations/\(nominee.token)")
        #expect(answer.status == 403 && answer.code == "tenant_suspended")
    }

    @Test func `is accepted by only one of two people at the same time`() async throws {
        let house = try await house()
        for _ in 0..<10 {
            let vault = try await house.alice.makeVault()
            let nominee = try await house.alice.invite("Whoever", to: vault)
            let path = "/v1/invitations/\(nominee.token)/accept"
            async let one = house.client.patiently { try await house.bob.send("POST", path) }
            async let other = house.client.patiently { try await house.carol.send("POST", path) }
            let answers = try await [one, other].sorted { $0.status < $1.status }
            #expect(answers.map(\.status) == [200, 409])
            #expect(answers[1].code == "invitation_used")
            let list = try await house.alice.nominees(of: vault)
            #expect(list.items.map(\.status) == [.accepted])
        }
    }

    @Test func `gives no access if it is accepted while the nominee is revoked`() async throws {
        let house = try await house()
        for _ in 0..<10 {
            let vault = try await house.alice.makeVault()
            let nominee = try await house.alice.invite("Bob", to: vault)
            async let accept = house.client.patiently {
                try await house.bob.send("POST", "/v1/invitations/\(nominee.token)/accept")
            }
            async let revoke = house.client.patiently {
                try await house.alice.send("DELETE", "/v1/vaults/\(vault.id)/nominees/\(nominee.id)")
            }
            #expect(try await revoke.status == 204)
            #expect([200, 404].contains(try await accept.status))
            #expect(try await house.alice.nominees(of: vault).items.isEmpty)
            let list = try await house.alice.nominees(of: vault, "?status=revoked")
            #expect(list.items.map(\.status) == [.revoked])
            #expect([403, 404].contains(try await house.bob.send("GET", "/v1/vaults/\(vault.id)").status))
        }
    }

    @Test func `gives no access if it is accepted while the vault is deleted`() async throws {
        let house = try await house()
        for _ in 0..<10 {
            let vault = try await house.alice.makeVault()
            let nominee = try await house.alice.invite("Bob", to: vault)
            async let accept = house.client.patiently {
                try await house.bob.send("POST", "/v1/invitations/\(nominee.token)/accept")
            }
            async let delete = house.client.patiently { try await house.alice.send("DELETE", "/v1/vaults/\(vault.id)") }
            #expect(try await delete.status == 204)
            #expect([200, 404].contains(try await accept.status))
            #expect(try await house.bob.send("GET", "/v1/vaults/\(vault.id)").code == "not_found")
        }
    }

    @Test func `can be answered during every other call about the vault, without deadlock`() async throws {
        let house = try await house()
        let vault = try await house.alice.makeVault(settings: #","full_may_open":true"#)
        try await house.carol.becomeNominee(of: vault, by: house.alice, as: .full)
        try await house.alice.open(vault)
        let path = "/v1/vaults/\(vault.id)"
        /// Repeats one person's calls; the statuses of those that failed with a 5xx.
        @Sendable func storm(_ person: Person, _ calls: [(String, String, String?)]) async throws -> [Int] {
            var faults: [Int] = []
            for _ in 0..<12 {
                for (method, path, body) in calls {
                    let answer = try await person.client.patiently { try await person.send(method, path, body) }
                    if answer.status >= 500 { faults.append(answer.status) }
                }
            }
            return faults
        }
        let faults = try await withThrowingTaskGroup(of: [Int].self) { group in
            let invited = try await house.alice.invite("Bob", to: vault)
            let nominee = "\(path)/nominees/\(invited.id)"
            group.addTask {
                try await storm(house.alice, [("POST", "\(path)/open", nil), ("POST", "\(path)/lock", nil)])
            }
            group.addTask {
                try await storm(
                    house.alice,
                    [("POST", "\(path)/nominees", #"{"name":"New"}"#), ("PATCH", nominee, #"{"access_level":"edit"}"#)])
            }
            group.addTask { try await storm(house.alice, [("DELETE", path, nil), ("POST", "\(path)/restore", nil)]) }
            group.addTask {
                try await storm(
                    house.carol,
                    [
                        ("POST", "\(path)/open", nil), ("POST", "\(nominee)/resend", nil),
                        ("GET", "\(path)/nominees", nil),
                    ])
            }
            group.addTask {
                try await storm(
                    house.bob,
                    [
                        ("POST", "/v1/invitations/\(invited.token)/accept", nil),
                        ("POST", "/v1/invitations/\(invited.token)/decline", nil),
                        ("POST", "\(path)/activity", nil),
                    ])
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(faults == [])
        // On a busy machine a call may have waited too long and been repeated, so the database's log shows whether any
        // two deadlocked.
        #expect(try !house.installation.hasSeenDeadlock())
    }
}
