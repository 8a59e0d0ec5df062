import Foundation
import KithClient
import Postgres
import TestThreads
import Testing

@Suite(.mayBlock) struct `A nominee` {
    /// A vault of Alice's, and people who have no access to it yet.
    private struct House {
        let alice: Person
        let bob: Person
        let carol: Person
        let vault: Kith.Vault
        var path: String { "/v1/vaults/\(vault.id)/nominees" }
    }

    private func house(settings: String = "") async throws -> House {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        return House(
            alice: alice, bob: try await Person.join(installation.acme, as: "Bob", client),
            carol: try await Person.join(installation.acme, as: "Carol", client),
            vault: try await alice.makeVault(settings: settings))
    }

    @Test func `can be invited by name alone and gets an invitation in every form`() async throws {
        let house = try await house()
        let nominee: Kith.InvitedNominee = try await house.alice.get(
            "POST", house.path, #"{"name":"Bob"}"#, status: 201)
        #expect(nominee.status == .pending)
        #expect(nominee.accessLevel == .view)
        #expect(nominee.userID == nil)
        #expect(nominee.invitedByUserID == house.alice.id)
        let invitation = nominee.invitation
        let token = invitation.token.text
        #expect(invitation.url.hasSuffix("/i/\(token)"))
        #expect(
            invitation.url.hasPrefix("http://127.0.0.1:0/"),
            "the URL comes from the operator's settings, not from the client's Host header")
        #expect(invitation.deepLink == "khandoba://nominee/invite?token=\(token)&vault=Papers&status=accepted")
        #expect(
            invitation.message
                == "Alice invites you to the vault \"Papers\" on PRUUF. Open the invitation: \(invitation.url)")
        let card = invitation.card
        #expect(card.title == "🔐 Vault Invitation" && card.subtitle == "Papers" && card.state == .pending)
        #expect(abs(invitation.expiresAt.timeIntervalSince(Day.now) - 7 * 86400) < 60)
        let answer = try await house.alice.send("GET", "\(house.path)/\(nominee.id)")
        #expect(try answer.decode(Kith.Nominee.self).invitationExpiresAt == invitation.expiresAt)
        #expect(!answer.text.contains(invitation.token.text), "the token is shown once")
    }

    @Test func `invited alone is answered like one of several, too`() async throws {
        let house = try await house()
        let answer = try await house.alice.send("POST", house.path, #"{"name":"Bob","channel":"airdrop"}"#)
        let nominee: Kith.InvitedNominee = try answer.decode()
        #expect(nominee.state == .pending)
        #expect(nominee.card.title == "🔐 Vault Invitation")
        #expect(nominee.invitedBy?.displayName == "Alice")
        #expect(nominee.user == nil)
        let results = try answer.decode(Kith.NomineeInvitations.self).items
        #expect(results.map(\.status) == [201])
        #expect(results.first?.nominee == nominee)
        let refused = try await house.alice.send("POST", house.path, #"{"name":"Bob","phone":"12"}"#)
        #expect(refused.status == 422)
    }

    @Test func `can be invited with others in one call, each with a result`() async throws {
        let house = try await house()
        let answer = try await house.alice.send(
            "POST", house.path,
            #"""
            {"nominees":[{"name":"Bob","phone":"+49 151 12345678","access_level":"edit","channel":"messages"},
            {"name":"Zoë ‏\"שלום\" 🗝️","email":"zoe@example.org"},{"name":"Dave","phone":"12"},{"name":""},
            {"access_level":"view"},{"name":"Erin","emergency":{}},{"name":"Frank","access_level":"owner"},
            {"name":"\#(String(repeating: "x", count: 1000))"},{"name":"Gina","access_level":"full"}]}
            """#)
        #expect(answer.status == 201)
        let results = try answer.decode(Kith.NomineeInvitations.self).items
        #expect(results.map(\.status) == [201, 201, 422, 422, 422, 422, 422, 422, 201])
        #expect(results[0].nominee?.phone == "+4915112345678")
        #expect(results[1].nominee?.name == "Zoë ‏\"שלום\" 🗝️")
        #expect(
            results.map { $0.problem?.errors?.map(\.field) ?? [] }
                == [
                    [], [], ["phone"], ["name"], ["name"],
                    ["emergency.wait_hours", "emergency.access_level", "emergency.on_request"], ["access_level"],
                    ["name"], [],
                ])
        #expect(results[2].problem?.errors?.first?.message == "Begin with + and the country code, like +49.")
        let list = try await house.alice.nominees(of: house.vault)
        #expect(list.items.map(\.id) == results.compactMap(\.nominee?.id), "the list keeps the given order")
        #expect(Set(results.compactMap(\.nominee?.token)).count == 3)
    }

    @Test(
        arguments: [
            ("{}", ["name"]), (#"{"name":" "}"#, ["name"]), (#"{"name":1,"colour":"blue"}"#, ["colour", "name"]),
            (#"{"name":"Bob","phone":"call me"}"#, ["phone"]), (#"{"name":"Bob","email":"bob"}"#, ["email"]),
            (#"{"name":"Bob","access_level":"owner"}"#, ["access_level"]),
            (#"{"name":"Bob","channel":"pigeon"}"#, ["channel"]),
            (
                #"{"name":"Bob","emergency":{"wait_hours":0,"access_level":"full"}}"#,
                ["emergency.access_level", "emergency.on_request", "emergency.wait_hours"]
            ),
            (#"{"nominees":[]}"#, ["nominees"]), (#"{"nominees":["Bob"]}"#, ["nominees[0]"]),
            (#"{"nominees":[{"name":"Bob"}],"name":"Dave","channel":"link"}"#, ["channel", "name"]),
        ])
    func `with invalid fields is refused, naming each field`(body: String, fields: [String]) async throws {
        let house = try await house()
        let answer = try await house.alice.send("POST", house.path, body)
        #expect(answer.status == 422)
        #expect(try answer.decode(Kith.Problem.self).errors?.map(\.field).sorted() == fields, "\(answer.text)")
        #expect(try await house.alice.nominees(of: house.vault).items.isEmpty)
    }

    @Test func `is active exactly while the vault is open`() async throws {
        let house = try await house()
        let nominee = try await house.bob.becomeNominee(of: house.vault, by: house.alice)
        var list = try await house.alice.nominees(of: house.vault)
        #expect(list.owner.id == house.alice.id && list.owner.displayName == "Alice")
        #expect(list.items.map(\.status) == [.accepted])
        #expect(list.history == nil, "not asked for")
        list = try await house.alice.nominees(of: house.vault, "?include=history")
        #expect(list.history?.map(\.action) == [.nomineeAccepted, .nomineeInvited, .vaultCreated])
        let session = try await house.alice.open(house.vault)
        list = try await house.bob.nominees(of: house.vault, "?include=history")
        #expect(list.items.map(\.status) == [.active])
        #expect(list.items.first?.isCurrentlyActive == true)
        #expect(list.items.first?.currentSessionID == session.id)
        #expect(list.history == nil)
        // A nominee who accepts while the vault is open has access at once.
        let late = try await house.alice.invite("Carol", to: house.vault)
        let accepted = try await house.carol.accept(late)
        #expect(accepted.status == .active)
        #expect(accepted.currentSessionID == session.id)
        #expect(try await house.alice.nominees(of: house.vault, "?status=active").items.count == 2)
        #expect(try await house.alice.send("POST", "/v1/vaults/\(house.vault.id)/lock").status == 200)
        let locked: Kith.Nominee = try await house.alice.get("GET", "\(house.path)/\(nominee.id)")
        #expect(locked.status == .accepted && !locked.isCurrentlyActive && locked.currentSessionID == nil)
    }

    @Test func `with level full manages lower-level nominees while the vault is open`() async throws {
        let house = try await house()
        try await house.carol.becomeNominee(of: house.vault, by: house.alice, as: .full)
        let other = try await house.alice.invite("Other", to: house.vault, as: .full, #","phone":"+4915112345678""#)
        let locked = try await house.carol.send("POST", house.path, #"{"name":"Bob"}"#)
        #expect(locked.status == 423)
        #expect(try await house.carol.nominees(of: house.vault).items.count == 1)
        try await house.alice.open(house.vault)
        #expect(try await house.carol.nominees(of: house.vault).items.map(\.phone) == [nil, "+4915112345678"])
        let bob = try await house.carol.invite("Bob", to: house.vault, as: .edit)
        #expect(bob.invitedByUserID == house.carol.id)
        let over = try await house.carol.send("POST", house.path, #"{"name":"Dave","access_level":"full"}"#)
        #expect(over.status == 403)
        #expect(over.detail == "Only the vault's owner decides about nominees with full access.")
        try await house.bob.accept(bob)
        #expect(try await house.bob.send("POST", house.path, #"{"name":"Dave"}"#).code == "forbidden")
        #expect(try await house.bob.send("DELETE", "\(house.path)/\(other.id)").code == "forbidden")
        #expect(try await house.carol.send("DELETE", "\(house.path)/\(other.id)").code == "forbidden")
        let change = #"{"access_level":"full"}"#
        for person in [house.bob, house.carol] {
            #expect(try await person.send("PATCH", "\(house.path)/\(bob.id)", change).code == "forbidden")
            #expect(try await person.send("POST", "\(house.path)/\(bob.id)/confirm").code == "forbidden")
        }
        let _: Kith.InvitedNominee = try await house.carol.get(
            "POST", "\(house.path)/\(try await house.carol.invite("Erin", to: house.vault).id)/resend")
        #expect(try await house.carol.send("DELETE", "\(house.path)/\(bob.id)").status == 204)
        #expect(try await house.bob.send("GET", "/v1/vaults/\(house.vault.id)").code == "nominee_revoked")
        #expect(try await house.bob.notifications().first?.body == "Your access to Papers has ended.")
    }

    @Test func `can be paused, resumed, given another level, and can leave`() async throws {
        let house = try await house()
        let nominee = try await house.bob.becomeNominee(of: house.vault, by: house.alice)
        let path = "\(house.path)/\(nominee.id)"
        let paused: Kith.Nominee = try await house.alice.get(
            "PATCH", path, #"{"status":"inactive","access_level":"full"}"#)
        #expect(paused.status == .inactive && paused.accessLevel == .full)
        #expect(try await house.bob.send("GET", path).code == "nominee_inactive")
        #expect(try await house.bob.send("POST", "/v1/vaults/\(house.vault.id)/open").code == "nominee_inactive")
        let resumed: Kith.Nominee = try await house.alice.get("PATCH", path, #"{"status":"accepted"}"#)
        #expect(resumed.status == .accepted)
        let own: Kith.Nominee = try await house.bob.get("GET", path)
        #expect(own.accessLevel == .full)
        for body in [
            #"{"status":"active"}"#, #"{"status":"revoked"}"#, #"{"emergency":{}}"#, #"{"access_level":null}"#,
        ] {
            #expect(try await house.alice.send("PATCH", path, body).status == 422, "\(body)")
        }
        #expect(try await house.bob.send("DELETE", path).status == 204)
        #expect(try await house.bob.send("DELETE", path).code == "nominee_revoked")
        let left: Kith.Nominee = try await house.alice.get("GET", path)
        #expect(left.status == .revoked && left.revokeReason == "left")
        #expect(try await house.alice.send("DELETE", path).status == 204)
        #expect(try await house.alice.send("PATCH", path, #"{"status":"accepted"}"#).code == "invalid_transition")
        // Inviting the person again creates a new row and restores their access.
        let again = try await house.alice.invite("Bob", to: house.vault)
        #expect(again.id != nominee.id)
        #expect(try await house.bob.accept(again).status == .accepted)
    }

    @Test func `is told of a changed access once, and the owner of what a nominee does to the vault`() async throws {
        let house = try await house(settings: #","full_may_open":true"#)
        let nominee = try await house.bob.becomeNominee(of: house.vault, by: house.alice)
        let path = "\(house.path)/\(nominee.id)"
        func told() async throws -> [Kith.Notification] {
            try await house.bob.notifications().filter { $0.type == "nominee_changed" }
        }
        for _ in 0..<2 {
            let changed: Kith.Nominee = try await house.alice.get("PATCH", path, #"{"access_level":"full"}"#)
            #expect(changed.accessLevel == .full)
            #expect(changed.user?.displayName == "Bob")
        }
        #expect(try await told().map(\.body) == ["Alice changed your access to Papers."])
        #expect(try await told().first?.title == "Access Changed")
        for status in ["inactive", "accepted"] {
            let _: Kith.Nominee = try await house.alice.get("PATCH", path, #"{"status":"\#(status)"}"#)
        }
        #expect(try await told().count == 3)
        try await house.bob.open(house.vault)
        #expect(try await house.bob.send("POST", "/v1/vaults/\(house.vault.id)/lock").status == 200)
        #expect(
            try await house.alice.notifications().prefix(2).map(\.body) == ["Bob locked Papers.", "Bob opened Papers."])
    }

    @Test func `can be sent a new invitation five times a day, which ends the old token`() async throws {
        let house = try await house()
        var nominee = try await house.alice.invite("Bob", to: house.vault)
        for _ in 0..<5 {
            let old = nominee.token
            nominee = try await house.alice.get("POST", "\(house.path)/\(nominee.id)/resend", #"{"channel":"mail"}"#)
            #expect(try await house.bob.send("GET", "/v1/invitations/\(old)").code == "invitation_invalid")
            #expect(try await house.bob.send("POST", "/v1/invitations/\(old)/accept").code == "invitation_invalid")
        }
        let refused = try await house.alice.send("POST", "\(house.path)/\(nominee.id)/resend")
        #expect(refused.status == 429)
        #expect((86_300...86_400).contains(refused.headers["retry-after"].flatMap { Int($0) } ?? 0))
        try await house.bob.accept(nominee)
        #expect(
            try await house.alice.send("POST", "\(house.path)/\(nominee.id)/resend").code == "invalid_transition")
    }

    @Test func `is listed by one or several statuses, and once revoked only on request`() async throws {
        let house = try await house()
        try await house.bob.becomeNominee(of: house.vault, by: house.alice)
        let gone = try await house.carol.becomeNominee(of: house.vault, by: house.alice)
        _ = try await house.alice.invite("Dave", to: house.vault)
        #expect(try await house.alice.send("DELETE", "\(house.path)/\(gone.id)").status == 204)
        for (query, statuses) in [
            ("", [.accepted, .pending]), ("?status=pending", [.pending]), ("?status=revoked", [.revoked]),
            ("?status=pending,accepted,revoked", [.accepted, .revoked, .pending]),
            ("?status=pending&status=accepted", [.accepted, .pending]), ("?status=active,inactive", []),
        ] as [(String, [Kith.NomineeStatus])] {
            #expect(try await house.alice.nominees(of: house.vault, query).items.map(\.status) == statuses, "\(query)")
        }
        for query in ["?status=", "?status=pending,", "?status=pending;accepted", "?status=king", "?status=%7B%7D"] {
            let refused = try await house.alice.send("GET", house.path + query)
            #expect(refused.status == 422, "\(query)")
            #expect(try refused.decode(Kith.Problem.self).errors?.map(\.field) == ["status"], "\(query)")
        }
    }

    @Test func `has an invitation whose delivery outcome can be reported`() async throws {
        let house = try await house()
        let nominee = try await house.alice.invite("Bob", to: house.vault)
        let path = "\(house.path)/\(nominee.id)/invitation"
        for outcome in ["cancelled", "failed", "unavailable", "sent", "sent"] {
            let said: Kith.Nominee = try await house.alice.get("PATCH", path, #"{"outcome":"\#(outcome)"}"#)
            #expect(said.invitationOutcome?.rawValue == outcome)
        }
        #expect(try await house.alice.send("PATCH", path, #"{"outcome":"failed"}"#).code == "invalid_transition")
        #expect(try await house.alice.send("PATCH", path, #"{"outcome":"read"}"#).code == "validation_failed")
        #expect(try await house.alice.send("PATCH", path, "{}").code == "validation_failed")
    }

    @Test func `is notified in the app if the owner names their verified contact`() async throws {
        let house = try await house()
        let (installation, _, _) = try shared.get()
        let phone = SignInHouse.number()
        _ = try installation.session().query(
            "update kith.users set phone = $1, phone_verified_at = \(Day.sql) where id = $2",
            [.text(phone), .text(house.bob.id.text)])
        _ = try await house.alice.invite("Bob", to: house.vault, as: .view, #","phone":"\#(phone)""#)
        let told = try #require(try await house.bob.notifications().first)
        #expect(told.type == "nominee_invited")
        #expect(told.title == "Vault Invitation")
        #expect(told.body == "Alice invites you to “Papers”.")
        _ = try installation.session().query(
            "insert into kith.blocks select tenant_id, id, $1, \(Day.sql) from kith.users where id = $2",
            [.text(house.alice.id.text), .text(house.bob.id.text)])
        _ = try await house.alice.invite("Bob", to: house.vault, as: .view, #","phone":"\#(phone)""#)
        #expect(try await house.bob.notifications().count == 1)
    }

    @Test func `belongs to one vault, and strangers find neither`() async throws {
        let house = try await house()
        let (installation, _, client) = try shared.get()
        let nominee = try await house.alice.invite("Bob", to: house.vault)
        let mallory = try await Person.join(installation.globex, as: "Mallory", client)
        let path = "\(house.path)/\(nominee.id)"
        for stranger in [mallory, house.carol] {
            for (method, path, body) in [
                ("GET", house.path, nil), ("POST", house.path, #"{"name":"X"}"#), ("GET", path, nil),
                ("PATCH", path, #"{"access_level":"full"}"#), ("DELETE", path, nil), ("POST", "\(path)/resend", "{}"),
                ("POST", "\(path)/confirm", "{}"), ("PATCH", "\(path)/invitation", #"{"outcome":"sent"}"#),
                ("PUT", "/v1/drafts/nominee-invitation", #"{"vault_id":"\#(house.vault.id)"}"#),
            ] {
                let answer = try await stranger.send(method, path, body)
                #expect(answer.status == 404 && answer.code == "not_found", "\(method) \(path): \(answer.text)")
            }
        }
        let other = try await house.alice.makeVault("Other")
        #expect(try await house.alice.send("GET", "/v1/vaults/\(other.id)/nominees/\(nominee.id)").status == 404)
        #expect(try await house.alice.send("DELETE", "/v1/vaults/\(other.id)/nominees/\(nominee.id)").status == 404)
        #expect(try await client.send("GET", house.path, as: installation.acme.secretKey).status == 403)
        #expect(try await client.send("GET", house.path).status == 401)
    }

    @Test func `is invited once for one Idempotency-Key`() async throws {
        let house = try await house()
        func post() async throws -> APIClient.Answer {
            try await house.alice.client.send(
                "POST", house.path, #"{"name":"Bob"}"#, as: house.alice.token, headers: ["Idempotency-Key": "once"])
        }
        let first = try await post()
        #expect(try await post().body == first.body)
        #expect(try await house.alice.nominees(of: house.vault).items.count == 1)
    }

    @Test func `can be invited from an app extension to the vault that the app handed to it`() async throws {
        let house = try await house()
        let path = "/v1/drafts/nominee-invitation"
        #expect(try await house.bob.send("POST", "\(path)/take").code == "not_found")
        let second = try await house.alice.makeVault("Second")
        let draft: Kith.InvitationDraft = try await house.alice.get("PUT", path, #"{"vault_id":"\#(second.id)"}"#)
        #expect(draft.vault.name == "Second")
        let taken: Kith.TakenDraft = try await house.alice.get("POST", "\(path)/take")
        #expect(taken.vault.id == second.id)
        #expect(taken.fallback == false)
        let next: Kith.TakenDraft = try await house.alice.get("POST", "\(path)/take")
        #expect(next.vault.id == house.vault.id)
        #expect(next.fallback == true)
        let _: Kith.InvitationDraft = try await house.alice.get("PUT", path, #"{"vault_id":"\#(second.id)"}"#)
        #expect(try await house.alice.send("DELETE", path).status == 204)
        let last: Kith.TakenDraft = try await house.alice.get("POST", "\(path)/take")
        #expect(last.fallback == true)
        #expect(try await house.alice.send("PUT", path, #"{"vault_id":"x"}"#).code == "validation_failed")
    }
}
