import Foundation
import KithClient
import TestThreads
import Testing

@Suite(.mayBlock) struct `Emergency access` {
    /// Alice's vault, with Bob as its nominee.
    private struct House {
        let alice: Person
        let bob: Person
        let vault: Kith.Vault
        let nominee: Kith.InvitedNominee

        var path: String { "/v1/vaults/\(vault.id)/nominees/\(nominee.id)/emergency" }
    }

    private func house() async throws -> House {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        let vault = try await alice.makeVault()
        return House(alice: alice, bob: bob, vault: vault, nominee: try await bob.becomeNominee(of: vault, by: alice))
    }

    @Test func `is off until the owner gives it, and shown to the nominee only if the owner says so`() async throws {
        let house = try await house()
        for person in [house.alice, house.bob] { #expect(try await person.send("GET", house.path).code == "not_found") }
        #expect(
            try await house.bob.send("POST", "/v1/vaults/\(house.vault.id)/emergency/requests", "{}").code
                == "forbidden")
        let given = try await house.alice.giveEmergencyAccess(
            to: house.nominee, of: house.vault, waitHours: 168, level: .edit)
        #expect(given.waitHours == 168 && given.accessLevel == .edit && given.grantHours == 72 && given.onRequest)
        #expect(given.afterMissedDays == nil && given.rejectOnCheckIn == true && given.signOfLife == .checkIn)
        #expect(given.visible == false && given.endedAt == nil && given.updatedAt != nil)
        #expect(try await house.bob.send("GET", house.path).code == "not_found")
        #expect(
            try await house.bob.send("PUT", house.path, #"{"wait_hours":1,"access_level":"edit","on_request":true}"#)
                .code == "forbidden")

        try await house.alice.giveEmergencyAccess(
            to: house.nominee, of: house.vault, waitHours: 48, #","visible":true,"after_missed_days":5"#)
        let seen: Kith.EmergencySettings = try await house.bob.get("GET", house.path)
        #expect(seen.waitHours == 48 && seen.accessLevel == .view && seen.onRequest)
        #expect(seen.visible == nil && seen.signOfLife == nil && seen.rejectOnCheckIn == nil)

        #expect(try await house.alice.send("DELETE", house.path).status == 204)
        #expect(try await house.alice.send("GET", house.path).code == "not_found")
    }

    @Test(arguments: [
        (#"{"wait_hours":0,"access_level":"view","on_request":true}"#, "wait_hours"),
        (#"{"wait_hours":2161,"access_level":"view","on_request":true}"#, "wait_hours"),
        (#"{"wait_hours":1,"access_level":"full","on_request":true}"#, "access_level"),
        (#"{"wait_hours":1,"access_level":"view","on_request":true,"grant_hours":721}"#, "grant_hours"),
        (#"{"wait_hours":1,"access_level":"view","on_request":true,"after_missed_days":1}"#, "after_missed_days"),
        (#"{"wait_hours":1,"access_level":"view","on_request":true,"after_missed_days":31}"#, "after_missed_days"),
        (#"{"wait_hours":1,"access_level":"view","on_request":false}"#, "on_request"),
    ])
    func `out of bounds is refused, naming the field`(body: String, field: String) async throws {
        let house = try await house()
        let answer = try await house.alice.send("PUT", house.path, body)
        #expect(answer.status == 422)
        #expect(try answer.decode(Kith.Problem.self).errors?.map(\.field) == [field], "\(answer.text)")
        #expect(try await house.alice.send("GET", house.path).code == "not_found")
    }

    @Test func `comes with an invitation, whose preview and page show it only if the owner does`() async throws {
        let (_, _, client) = try shared.get()
        let house = try await house()
        for isShown in [true, false] {
            let invited = try await house.alice.invite(
                "Carol", to: house.vault, as: .view,
                #","emergency":{"wait_hours":48,"access_level":"edit","on_request":true,"visible":\#(isShown)}"#)
            let preview: Kith.InvitationPreview = try await client.send("GET", "/v1/invitations/\(invited.token)")
                .decode()
            #expect(preview.emergency?.waitHours == (isShown ? 48 : nil))
            let page = try await client.send("GET", "/i/\(invited.token)")
            #expect(page.text.contains("get in 2 days later") == isShown)
            let path = "/v1/vaults/\(house.vault.id)/nominees/\(invited.id)"
            let settings: Kith.EmergencySettings = try await house.alice.get("GET", "\(path)/emergency")
            #expect(settings.waitHours == 48 && settings.visible == isShown)
            let seen: Kith.Nominee = try await house.alice.get("GET", path)
            #expect(seen.emergency == settings)
            let changed: Kith.Nominee = try await house.alice.get("PATCH", path, #"{"emergency":null}"#)
            #expect(changed.emergency == nil)
            #expect(try await house.alice.send("GET", "\(path)/emergency").code == "not_found")
        }
    }

    @Test func `waits for as many nominees as the quorum requires`() async throws {
        let (installation, _, client) = try shared.get()
        let house = try await house()
        let carol = try await Person.join(installation.acme, as: "Carol", client)
        let other = try await carol.becomeNominee(of: house.vault, by: house.alice)
        for nominee in [house.nominee, other] {
            try await house.alice.giveEmergencyAccess(to: nominee, of: house.vault)
        }
        let path = "/v1/vaults/\(house.vault.id)/emergency/quorum"
        #expect(try await house.alice.send("GET", path).code == "not_found")
        let body = #"{"required":2,"nominees":["\#(house.nominee.id.text)","\#(other.id.text)"]}"#
        let quorum: Kith.EmergencyQuorum = try await house.alice.get("PUT", path, body)
        #expect(quorum.required == 2 && Set(quorum.nominees) == [house.nominee.id, other.id])
        #expect(try await house.bob.send("PUT", path, body).code == "forbidden")

        let first = try await house.bob.askForEmergencyAccess(to: house.vault)
        #expect(first.status == .gathering && first.grantsAt == nil && first.required == 2)
        let second = try await carol.askForEmergencyAccess(to: house.vault)
        #expect(second.status == .waiting)
        let waiting = try await house.bob.emergencyRequest(first)
        #expect(waiting.status == .waiting)
        #expect(waiting.asked.count == 1, "a nominee does not see who else asked")
        #expect(try await house.alice.emergencyRequest(first).asked.count == 2)
        let others = "/v1/vaults/\(house.vault.id)/emergency/requests/\(first.id)"
        #expect(try await carol.send("GET", others).code == "not_found")

        #expect(try await carol.decide("withdraw", second).status == .withdrawn)
        #expect(try await house.bob.emergencyRequest(first).status == .gathering)
        #expect(try await house.alice.send("DELETE", path).status == 204)
    }

    @Test func `that is approved and then rejected ends at that instant, and cuts off a download`() async throws {
        let (installation, _, client) = try shared.get()
        let archive = try await Archive(installation, client)
        let made = try await archive.add(bytes(25 << 20))
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        let nominee = try await bob.becomeNominee(of: archive.vault, by: archive.alice)
        #expect(try await archive.alice.send("POST", "/v1/vaults/\(archive.vault.id)/lock").status == 200)
        try await archive.alice.giveEmergencyAccess(to: nominee, of: archive.vault)
        let request = try await bob.askForEmergencyAccess(to: archive.vault)
        #expect(try await bob.send("POST", "/v1/vaults/\(archive.vault.id)/emergency/requests", "{}").status == 409)
        #expect(try await archive.alice.decide("approve", request).status == .granted)
        let entered = try await bob.enterInEmergency(archive.vault)
        #expect(entered.status == 200)
        #expect(try entered.decode(Kith.VaultSession.self).kind == .emergency)
        let seen: Kith.Vault = try await archive.alice.get("GET", "/v1/vaults/\(archive.vault.id)")
        #expect(seen.session == nil, "the shared session stays locked")

        let connection = try RawConnection(client)
        try connection.request("GET", archive.path(made) + "/content", as: bob.token)
        connection.read(1 << 20)
        #expect(connection.text.hasPrefix("HTTP/1.1 200"))
        #expect(try await archive.alice.decide("reject", request).status == .rejected)
        #expect(!connection.read(25 << 20))
        #expect(connection.received.count < 2 << 20)
        #expect(try await archive.content(made, as: bob).code == "vault_locked")
        #expect(try await bob.enterInEmergency(archive.vault).status != 200)
        #expect(try await bob.emergencyRequest(request).status == .rejected)
        // Asking again takes 24 hours.
        let again = try await bob.send("POST", "/v1/vaults/\(archive.vault.id)/emergency/requests", "{}")
        #expect(again.code == "too_many_requests" && again.headers["retry-after"] != nil)
    }
}
