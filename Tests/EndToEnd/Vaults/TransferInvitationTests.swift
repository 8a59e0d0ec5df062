import Foundation
import KithClient
import TestThreads
import Testing

@Suite(.mayBlock) struct `The invitation to a transfer` {
    private struct House {
        let installation: Installation
        let client: APIClient
        let alice: Person
        let bob: Person
        let carol: Person
        let vault: Kith.Vault

        var path: String { "/v1/vaults/\(vault.id)/transfer" }

        /// Alice, who owns a vault, and others.
        init() async throws {
            let (installation, _, client) = try shared.get()
            self.installation = installation
            self.client = client
            alice = try await Person.join(installation.acme, as: "Alice", client)
            bob = try await Person.join(installation.acme, as: "Bob", client)
            carol = try await Person.join(installation.acme, as: "Carol", client)
            vault = try await alice.makeVault()
        }

        func resend(_ body: String = "{}") async throws -> Kith.OfferedTransfer {
            try await alice.get("POST", path + "/resend", body)
        }
    }

    @Test func `to a nominee is sent again, has an outcome, and is accepted by that nominee alone`() async throws {
        let house = try await House()
        let (alice, bob, carol) = (house.alice, house.bob, house.carol)
        let nominee = try await bob.becomeNominee(of: house.vault, by: alice)
        try await carol.becomeNominee(of: house.vault, by: alice)
        let invited = try await alice.invite("Dave", to: house.vault)
        func body(_ id: UUID) -> String { #"{"nominee_id":"\#(id)","keep_access":true,"channel":"messages"}"# }
        #expect(try await alice.send("POST", house.path, body(invited.id)).code == "invalid_transition")
        let offered: Kith.OfferedTransfer = try await alice.get("POST", house.path, body(nominee.id), status: 201)
        #expect(offered.nomineeID == nominee.id)
        #expect(offered.name == "Somebody")
        #expect(offered.channel == .messages)
        #expect(offered.state == .pending)
        #expect(offered.card.title == "🔐 Vault Transfer")
        let seen: Kith.Vault = try await alice.get("GET", "/v1/vaults/\(house.vault.id)")
        #expect(seen.pendingTransfer?.id == offered.id)
        #expect(seen.pendingTransfer?.nomineeID == nominee.id)
        let bobs: Kith.Vault = try await bob.get("GET", "/v1/vaults/\(house.vault.id)")
        #expect(bobs.pendingTransfer == nil)
        #expect(bobs.nomineeID == nominee.id)

        let said: Kith.Transfer = try await alice.get("PATCH", house.path + "/invitation", #"{"outcome":"cancelled"}"#)
        #expect(said.invitationOutcome == .cancelled)
        let resent = try await house.resend()
        #expect(resent.id == offered.id)
        #expect(resent.channel == .messages)
        #expect(resent.invitationOutcome == nil)
        #expect(resent.card == offered.card)
        let old = offered.invitation.token.text
        let new = resent.invitation.token.text
        #expect(new != old)
        #expect(try await bob.send("POST", "/v1/invitations/\(old)/accept").code == "invitation_invalid")
        let sent: Kith.Transfer = try await alice.get("PATCH", house.path + "/invitation", #"{"outcome":"sent"}"#)
        #expect(sent.invitationOutcome == .sent)
        let late = try await alice.send("PATCH", house.path + "/invitation", #"{"outcome":"failed"}"#)
        #expect(late.code == "invalid_transition")
        let usage: Kith.ShareUsage = try await alice.get("GET", "/v1/shares/usage")
        #expect(
            usage.items.filter { $0.channel == .messages }.compactMap(\.outcome).map(\.rawValue).sorted() == [
                "cancelled", "sent",
            ])

        #expect(try await carol.send("POST", "/v1/invitations/\(new)/accept").code == "forbidden")
        let accepted: Kith.AcceptedInvitation = try await bob.get("POST", "/v1/invitations/\(new)/accept")
        #expect(accepted.state == .accepted)
        #expect(accepted.card.title == "✅ Vault Transfer Accepted")
        let mine: Kith.Vault = try await bob.get("GET", "/v1/vaults/\(house.vault.id)")
        #expect(mine.role == .owner)
        #expect(mine.pendingTransfer == nil)
        let actions = "transfer.requested,transfer.resent,transfer.accepted"
        let history: Kith.VaultEventPage = try await bob.get(
            "GET", "/v1/vaults/\(house.vault.id)/history?action=\(actions)")
        #expect(history.items.map(\.action) == [.transferAccepted, .transferResent, .transferRequested])
    }

    @Test func `is sent again five times a day`() async throws {
        let house = try await House()
        #expect(try await house.alice.send("POST", house.path + "/resend", "{}").code == "not_found")
        let _: Kith.Transfer = try await house.alice.get(
            "POST", house.path, #"{"name":"Bob","keep_access":false}"#, status: 201)
        for channel in ["mail", "share", "link", "airdrop", "other"] {
            #expect(try await house.resend(#"{"channel":"\#(channel)"}"#).channel.rawValue == channel)
        }
        let refused = try await house.alice.send("POST", house.path + "/resend", "{}")
        #expect(refused.code == "too_many_requests")
        #expect((86_300...86_400).contains(refused.headers["retry-after"].flatMap { Int($0) } ?? 0))
    }

    @Test func `is sent again and reported by the owner alone`() async throws {
        let house = try await House()
        let mallory = try await Person.join(house.installation.globex, as: "Mallory", house.client)
        try await house.bob.becomeNominee(of: house.vault, by: house.alice, as: .full)
        let _: Kith.Transfer = try await house.alice.get(
            "POST", house.path, #"{"name":"Carol","keep_access":false}"#, status: 201)
        for (method, path, body) in [
            ("POST", house.path + "/resend", "{}"), ("PATCH", house.path + "/invitation", #"{"outcome":"sent"}"#),
        ] {
            #expect(try await house.bob.send(method, path, body).code == "forbidden", "\(path)")
            for stranger in [house.carol, mallory] {
                #expect(try await stranger.send(method, path, body).code == "not_found", "\(path)")
            }
        }
    }
}
