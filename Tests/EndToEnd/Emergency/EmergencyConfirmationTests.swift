import Foundation
import KithClient
import KithServer
import TestThreads
import Testing

@Suite(.mayBlock) struct `Whom emergency access means` {
    /// Alice's vault, which is open, with Carol as a nominee with level full. Bob has a second account.
    private struct House {
        let installation: Installation
        let client: APIClient
        let alice: Person
        let bob: Person
        let second: Person
        let carol: Person
        let vault: Kith.Vault

        func path(_ nominee: Kith.InvitedNominee) -> String { "/v1/vaults/\(vault.id)/nominees/\(nominee.id)" }
        func ask(_ person: Person) async throws -> APIClient.Answer {
            try await person.send("POST", "/v1/vaults/\(vault.id)/emergency/requests", "{}")
        }
    }

    private static let right = #","emergency":{"wait_hours":48,"access_level":"view","on_request":true,"visible":true}"#

    private func house() async throws -> House {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let carol = try await Person.join(installation.acme, as: "Carol", client)
        let vault = try await alice.makeVault()
        try await carol.becomeNominee(of: vault, by: alice, as: .full)
        try await alice.open(vault)
        return House(
            installation: installation, client: client, alice: alice,
            bob: try await Person.join(installation.acme, as: "Bob", client),
            second: try await Person.join(installation.acme, as: "Bob's other account", client), carol: carol,
            vault: vault)
    }

    @Test func `a link alone gives no emergency access, and the owner's confirmation does`() async throws {
        let house = try await house()
        let invited = try await house.alice.invite("Bob", to: house.vault, as: .view, Self.right)
        try await house.second.accept(invited)
        #expect(try await house.ask(house.second).code == "nominee_pending")
        #expect(try await house.second.send("GET", house.path(invited) + "/emergency").code == "not_found")
        let seen: Kith.Nominee = try await house.alice.get("GET", house.path(invited))
        #expect(seen.needsConfirmation && seen.user?.displayName == "Bob's other account")
        let own: Kith.Nominee = try await house.second.get("GET", house.path(invited))
        #expect(!own.needsConfirmation)
        let told = try await house.alice.notifications().first { $0.type == "nominee_accepted" }
        #expect(
            told?.body
                == """
                Bob's other account accepted your invitation to Papers. They have no emergency access until you \
                confirm that it is them.
                """
        )

        let confirmed: Kith.Nominee = try await house.alice.get("POST", house.path(invited) + "/confirm")
        #expect(!confirmed.needsConfirmation)
        #expect(try await house.ask(house.second).status == 201)
    }

    @Test func `a verified contact that the owner named is a confirmation, and another nominee's is none`() async throws
    {
        let house = try await house()
        let (named, theirs) = ("+493012340771", "+493012340772")
        try house.bob.verify(named, in: house.installation)
        try house.second.verify(theirs, in: house.installation)
        let invited = try await house.alice.invite(
            "Bob", to: house.vault, as: .view, #","phone":"\#(named)""# + Self.right)
        try await house.bob.accept(invited)
        #expect(try await house.ask(house.bob).status == 201)

        let other = try await house.carol.invite("Dave", to: house.vault, as: .view, #","phone":"\#(theirs)""#)
        try await house.alice.giveEmergencyAccess(to: other, of: house.vault)
        try await house.second.accept(other)
        #expect(try await house.ask(house.second).code == "forbidden")
    }

    @Test func `nobody but the owner moves an invitation on which emergency access hangs`() async throws {
        let house = try await house()
        let invited = try await house.alice.invite("Bob", to: house.vault, as: .view, Self.right)
        for (method, path) in [("POST", "/resend"), ("DELETE", "")] {
            let answer = try await house.carol.send(method, house.path(invited) + path)
            #expect(answer.status == 403 && answer.code == "forbidden", "\(method) \(path): \(answer.text)")
            #expect(answer.text.contains("Only the vault's owner"), "\(answer.text)")
        }
        let _: Kith.InvitedNominee = try await house.alice.get("POST", house.path(invited) + "/resend")
        #expect(
            try await house.second.send("POST", "/v1/invitations/\(invited.token)/accept").code == "invitation_invalid")
    }

    @Test func `a block by the owner ends what waits, and its end brings nothing back`() async throws {
        let house = try await house()
        let nominee = try await house.bob.becomeNominee(of: house.vault, by: house.alice)
        try await house.alice.giveEmergencyAccess(to: nominee, of: house.vault)
        let request = try await house.bob.askForEmergencyAccess(to: house.vault)
        let block = "/v1/me/blocks/\(house.bob.id)"
        #expect((200...299).contains(try await house.alice.send("PUT", block).status))
        let seen = try await house.bob.emergencyRequest(request)
        #expect(seen.status == .rejected && seen.endedAt != nil)
        #expect(try await house.bob.emergencyNotices() == ["Alice said no to your emergency access to Papers."])
        #expect(
            try await house.alice.send(
                "PUT", house.path(nominee) + "/emergency", #"{"wait_hours":1,"access_level":"view","on_request":true}"#
            )
            .code == "conflict")
        #expect(try await house.alice.send("DELETE", block).status == 204)
        #expect(try await house.ask(house.bob).code == "forbidden")
        try await house.alice.giveEmergencyAccess(to: nominee, of: house.vault)
        #expect(try await house.ask(house.bob).status == 201)
    }

    @Test func `an owner hears that a nominee who waits has left`() async throws {
        let house = try await house()
        let nominee = try await house.bob.becomeNominee(of: house.vault, by: house.alice)
        try await house.alice.giveEmergencyAccess(to: nominee, of: house.vault)
        try await house.bob.askForEmergencyAccess(to: house.vault)
        #expect(try await house.bob.send("DELETE", house.path(nominee)).status == 204)
        #expect(try await house.alice.emergencyNotices().first == "Somebody's emergency access to Papers has ended.")
    }

    @Test func `a preview of an answered invitation has neither terms nor names`() async throws {
        let house = try await house()
        let invited = try await house.alice.invite("Bob", to: house.vault, as: .view, Self.right)
        try await house.bob.accept(invited)
        let preview: Kith.InvitationPreview = try await house.client.send("GET", "/v1/invitations/\(invited.token)")
            .decode()
        #expect(
            preview.state == .accepted && preview.emergency == nil && preview.accessLevel == nil
                && preview.vault.name == nil)
        #expect(preview.inviter.displayName == "Someone" && preview.card.subtitle == nil)
    }
}
