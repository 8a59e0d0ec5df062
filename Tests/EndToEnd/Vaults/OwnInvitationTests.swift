import Foundation
import KithClient
import TestThreads
import Testing

@Suite(.mayBlock) struct `An invitation that names a verified contact` {
    private struct House {
        let alice: Person
        let bob: Person
        let phone: String
        let others: [Person]

        /// Alice, and Bob, who has verified a phone number; strangers in both tenants.
        init() async throws {
            let (installation, _, client) = try shared.get()
            alice = try await Person.join(installation.acme, as: "Alice", client)
            bob = try await Person.join(installation.acme, as: "Bob", client)
            phone = SignInHouse.number()
            try bob.verify(phone, in: installation)
            others = [
                try await Person.join(installation.acme, as: "Carol", client),
                try await Person.join(installation.globex, as: "Mallory", client),
            ]
            // Somebody in another tenant has verified the same number.
            try others[1].verify(phone, in: installation)
        }

        func waiting(for person: Person) async throws -> [Kith.OwnInvitation] {
            let page: Kith.OwnInvitationPage = try await person.get("GET", "/v1/me/invitations")
            return page.items
        }
    }

    @Test func `waits for its person, who accepts it by its id, and for nobody else`() async throws {
        let house = try await House()
        let vault = try await house.alice.makeVault()
        let nominee = try await house.alice.invite("Bob", to: vault, as: .edit, #","phone":"\#(house.phone)""#)
        _ = try await house.alice.invite("Bob", to: vault)
        let found = try #require(try await house.waiting(for: house.bob).first)
        #expect(try await house.waiting(for: house.bob).count == 1, "an invitation by name alone needs its token")
        #expect(found.id == nominee.id)
        #expect(found.kind == .nominee)
        #expect(found.vault.id == vault.id && found.vault.name == "Papers")
        #expect(found.inviter.displayName == "Alice")
        #expect(found.accessLevel == .edit)
        #expect(found.expiresAt == nominee.invitation.expiresAt)
        #expect(found.card == nominee.card)
        for stranger in house.others + [house.alice] {
            #expect(try await house.waiting(for: stranger).isEmpty)
            for verb in ["accept", "decline"] {
                let refused = try await stranger.send("POST", "/v1/me/invitations/\(found.id)/\(verb)")
                #expect(refused.code == "not_found")
            }
        }
        for _ in 0..<2 {
            let accepted: Kith.AcceptedInvitation = try await house.bob.get(
                "POST", "/v1/me/invitations/\(found.id)/accept")
            #expect(accepted.status == .accepted)
            #expect(accepted.needsConfirmation == false)
            #expect(accepted.state == .accepted)
            #expect(accepted.card.title == "✅ Vault Access Accepted")
        }
        #expect(try await house.waiting(for: house.bob).isEmpty)
        let seen: Kith.Vault = try await house.bob.get("GET", "/v1/vaults/\(vault.id)")
        #expect(seen.accessLevel == .edit)
        #expect(seen.nomineeID == nominee.id)
        let told = try await house.alice.notifications().first
        #expect(told?.body == "Bob accepted your invitation to Papers.")
    }

    @Test func `can be declined by its id, as can the offer of a vault`() async throws {
        let house = try await House()
        let vault = try await house.alice.makeVault()
        let other = try await house.alice.makeVault("Photos")
        _ = try await house.alice.invite("Bob", to: vault, as: .view, #","phone":"\#(house.phone)""#)
        let offer: Kith.OfferedTransfer = try await house.alice.get(
            "POST", "/v1/vaults/\(other.id)/transfer", #"{"name":"Bob","phone":"\#(house.phone)","keep_access":true}"#,
            status: 201)
        let waiting = try await house.waiting(for: house.bob)
        #expect(waiting.map(\.kind) == [.transfer, .nominee])
        #expect(waiting.first?.id == offer.id)
        #expect(waiting.first?.accessLevel == .full)
        for invitation in waiting {
            let path = "/v1/me/invitations/\(invitation.id)"
            let declined: Kith.DeclinedInvitation = try await house.bob.get("POST", path + "/decline")
            #expect(declined.id == invitation.id)
            #expect(declined.kind == invitation.kind)
            #expect(declined.state == .declined)
            #expect(declined.card.subtitle == nil)
        }
        #expect(try await house.waiting(for: house.bob).isEmpty)
        #expect(try await house.alice.send("GET", "/v1/vaults/\(other.id)/transfer").code == "not_found")
        #expect(
            try await house.alice.notifications().prefix(2).map(\.body) == [
                "Bob declined your invitation to Papers.", "Bob does not want to become the owner of Photos.",
            ])
    }

    @Test func `comes in pages, and no longer once the person has blocked its sender`() async throws {
        let house = try await House()
        for name in ["One", "Two", "Three"] {
            let vault = try await house.alice.makeVault(name)
            _ = try await house.alice.invite("Bob", to: vault, as: .view, #","phone":"\#(house.phone)""#)
        }
        let first: Kith.OwnInvitationPage = try await house.bob.get("GET", "/v1/me/invitations?limit=2")
        #expect(first.items.map(\.vault.name) == ["Three", "Two"])
        let cursor = try #require(first.nextCursor)
        let last: Kith.OwnInvitationPage = try await house.bob.get("GET", "/v1/me/invitations?limit=2&cursor=\(cursor)")
        #expect(last.items.map(\.vault.name) == ["One"])
        #expect(last.nextCursor == nil)
        // Somebody can be blocked once there was a connection.
        try await house.alice.becomeSender()
        _ = try await house.alice.connect(house.bob.becomeReceiver().code)
        let _: Kith.Block = try await house.bob.get("PUT", "/v1/me/blocks/\(house.alice.id)")
        #expect(try await house.waiting(for: house.bob).isEmpty)
    }
}
