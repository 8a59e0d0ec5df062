import Foundation
import KithClient
import TestThreads
import Testing

@Suite(.mayBlock) struct `A share` {
    private func participants(_ list: [String]) -> String { #"{"participants":[\#(list.joined(separator: ","))]}"# }

    private func participant(
        _ id: String, _ acceptance: String, _ permission: String = "readOnly", role: String = "privateUser",
        more: String = ""
    ) -> String {
        #"{"id":"\#(id)","acceptance_status":"\#(acceptance)","permission":"\#(permission)","role":"\#(role)"\#(more)}"#
    }

    @Test func `is created once, synchronised, changed and ended by the vault's owner`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        let vault = try await alice.makeVault()
        let path = "/v1/vaults/\(vault.id)/share"
        #expect(try await alice.send("GET", path).code == "not_found")
        #expect(try await alice.send("PUT", path + "/participants", participants([])).code == "not_found")
        let made: Kith.Share = try await alice.get("PUT", path, "{}")
        #expect(made.recordName == "CD_Vault_\(vault.id.uuidString)")
        #expect(made.vault.name == "Papers")
        let again: Kith.Share = try await alice.get("PUT", path, "{}")
        #expect(again == made)
        let seen: Kith.Share = try await alice.get("GET", path)
        #expect(seen == made)

        let counts: Kith.ShareSynchronisation = try await alice.get(
            "PUT", path + "/participants",
            participants([
                participant("p1", "pending", more: #","name":"Bob","phone":"+4915112345678","email":null"#),
                participant("p2", "accepted", "readWrite"), participant("me", "accepted", role: "owner"),
            ]))
        #expect(counts == counted(2, 0, 0, 0))
        let nominees = try await alice.nominees(of: vault).items
        #expect(nominees.count == 2)
        let first = try #require(nominees.first { $0.shareParticipantID == "p1" })
        #expect(first.status == .pending)
        #expect(first.accessLevel == .view)
        #expect(first.userID == nil)
        #expect(first.shareRecordID == made.recordName)
        #expect(nominees.first { $0.shareParticipantID == "p2" }?.status == .accepted)

        // An invitation token works even if the share does not know its holder.
        let token: Kith.InvitedNominee = try await alice.get(
            "POST", "/v1/vaults/\(vault.id)/nominees/\(first.id)/resend", "{}")
        let accepted: Kith.AcceptedInvitation = try await bob.get(
            "POST", "/v1/invitations/\(token.invitation.token)/accept")
        #expect(accepted.needsConfirmation == true)
        let _: Kith.Nominee = try await alice.get("POST", "/v1/vaults/\(vault.id)/nominees/\(first.id)/confirm")
        let removed: Kith.ShareSynchronisation = try await alice.get(
            "PUT", path + "/participants", participants([participant("p2", "removed")]))
        #expect(removed == counted(0, 0, 1, 0))
        let bobs: Kith.Vault = try await bob.get("GET", "/v1/vaults/\(vault.id)")
        #expect(bobs.status == .accepted)

        let listed: Kith.SharePage = try await alice.get("GET", "/v1/shares")
        #expect(listed.items.map(\.id) == [made.id])
        #expect(listed.items.first?.participantCount == 1)
        let usage: Kith.ShareUsage = try await alice.get("GET", "/v1/shares/usage")
        #expect(usage.total == 1)
        #expect(usage.items.first?.channel.rawValue == "link")
        let changed: Kith.Share = try await alice.get("PATCH", "/v1/shares/\(made.id)", #"{"permission":"readOnly"}"#)
        #expect(changed.permission == .readOnly)

        #expect(try await alice.send("DELETE", "/v1/shares/\(made.id)").status == 204)
        #expect(try await alice.send("DELETE", "/v1/shares/\(made.id)").code == "not_found")
        #expect(try await alice.send("GET", path).code == "not_found")
        let kept: Kith.Vault = try await bob.get("GET", "/v1/vaults/\(vault.id)")
        #expect(kept.status == .accepted)
        let next: Kith.Share = try await alice.get(
            "PUT", path, #"{"record_name":"other","url":"https://share.example/1"}"#)
        #expect(next.id != made.id)
        #expect(next.url == "https://share.example/1")
        #expect(try await alice.send("DELETE", path).status == 204)
        #expect(try await alice.send("DELETE", path).code == "not_found")
    }

    @Test func `whose record is missing is made anew, with the same people`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        let mallory = try await Person.join(installation.globex, as: "Mallory", client)
        let vault = try await alice.makeVault()
        let path = "/v1/vaults/\(vault.id)/share"
        let people = participants([participant("p1", "accepted"), participant("p2", "accepted")])
        let lost: Kith.Share = try await alice.get("PUT", path, "{}")
        let _: Kith.ShareSynchronisation = try await alice.get("PUT", path + "/participants", people)
        let before = try await alice.nominees(of: vault).items
        try await bob.becomeNominee(of: vault, by: alice, as: .full)
        for person in [bob, mallory] {
            #expect(try await person.send("POST", "/v1/shares/\(lost.id)/missing").code == "not_found")
        }
        for _ in 0..<2 {
            #expect(try await alice.send("POST", "/v1/shares/\(lost.id)/missing").status == 204)
            #expect(try await alice.send("GET", path).code == "not_found")
        }
        #expect(try await alice.nominees(of: vault).items.map(\.status) == [.accepted, .accepted, .accepted])
        let made: Kith.Share = try await alice.get("PUT", path, "{}")
        #expect(made.id != lost.id)
        #expect(made.participantCount == 2)
        let again: Kith.ShareSynchronisation = try await alice.get("PUT", path + "/participants", people)
        #expect(again == counted(0, 0, 0, 2))
        let after = try await alice.nominees(of: vault).items
        #expect(after.prefix(2).map(\.id) == before.map(\.id))
        // A late report about the old share changes nothing.
        #expect(try await alice.send("POST", "/v1/shares/\(lost.id)/missing").status == 204)
        let seen: Kith.Share = try await alice.get("GET", path)
        #expect(seen.id == made.id)
        let history: Kith.VaultEventPage = try await alice.get(
            "GET", "/v1/vaults/\(vault.id)/history?action=share.missing,share.created")
        #expect(history.items.map(\.action) == [.shareCreated, .shareMissing, .shareCreated])
    }

    private func counted(_ created: Int, _ updated: Int, _ revoked: Int, _ unchanged: Int) -> Kith.ShareSynchronisation
    {
        let json = #"{"created":\#(created),"updated":\#(updated),"revoked":\#(revoked),"unchanged":\#(unchanged)}"#
        guard let counts = try? Kith.decoder().decode(Kith.ShareSynchronisation.self, from: Data(json.utf8)) else {
            preconditionFailure("these are not counts: \(json)")
        }
        return counts
    }

    @Test func `synchronised twenty times at once has one nominee for each participant`() async throws {
        let (installation, _, client) = try shared.get()
        let second = try installation.serve()
        defer { second.process.signal(SIGTERM) }
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let vault = try await alice.makeVault()
        let _: Kith.Share = try await alice.get("PUT", "/v1/vaults/\(vault.id)/share", "{}")
        let body = participants((0..<10).map { participant("p\($0)", "accepted") })
        let answers = try await withThrowingTaskGroup(of: APIClient.Answer.self) { group in
            for n in 0..<20 {
                group.addTask {
                    let server = n.isMultiple(of: 2) ? client : second.client
                    return try await server.patiently {
                        try await server.send(
                            "PUT", "/v1/vaults/\(vault.id)/share/participants", body, as: alice.token)
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let counts = try answers.map { try $0.decode(Kith.ShareSynchronisation.self) }
        #expect(counts.map(\.created).reduce(0, +) == 10)
        #expect(counts.map(\.unchanged).reduce(0, +) == 190)
        #expect(try await alice.nominees(of: vault).items.count == 10)
    }

    @Test func `accepts a thousand participants at once`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let vault = try await alice.makeVault()
        let path = "/v1/vaults/\(vault.id)/share"
        let _: Kith.Share = try await alice.get("PUT", path, "{}")
        func body(_ count: Int) -> String { participants((0..<count).map { participant("p\($0)", "accepted") }) }
        let made: Kith.ShareSynchronisation = try await alice.get("PUT", path + "/participants", body(1000))
        // If the first answer came too late, the repeat reports them as unchanged.
        #expect(made.created + made.unchanged == 1000)
        let again: Kith.ShareSynchronisation = try await alice.get("PUT", path + "/participants", body(1000))
        #expect(again == counted(0, 0, 0, 1000))
        #expect(try await alice.send("PUT", path + "/participants", body(1001)).code == "validation_failed")
        let more = try await alice.send(
            "PUT", path + "/participants", participants([participant("more", "accepted")]))
        #expect(more.code == "quota_exceeded")
        // As many participants can be removed at once, within the time limit.
        #expect(try await alice.send("DELETE", path).status == 204)
        #expect(try await alice.nominees(of: vault, "?status=accepted").items.isEmpty)
    }

    @Test func `is visible to and changed by its owner alone`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let vault = try await alice.makeVault()
        let share: Kith.Share = try await alice.get("PUT", "/v1/vaults/\(vault.id)/share", "{}")
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        try await bob.becomeNominee(of: vault, by: alice, as: .full)
        let mallory = try await Person.join(installation.acme, as: "Mallory", client)
        let stranger = try await Person.join(installation.globex, as: "Mallory", client)
        let path = "/v1/vaults/\(vault.id)/share"
        for (method, path, body) in [
            ("GET", path, nil), ("PUT", path, "{}"), ("DELETE", path, nil),
            ("PUT", path + "/participants", participants([])),
        ] {
            #expect(try await bob.send(method, path, body).code == "forbidden", "\(method) \(path)")
            for person in [mallory, stranger] {
                #expect(try await person.send(method, path, body).code == "not_found", "\(method) \(path)")
            }
        }
        for person in [bob, mallory, stranger] {
            let byID = "/v1/shares/\(share.id)"
            #expect(try await person.send("PATCH", byID, #"{"permission":"readOnly"}"#).code == "not_found")
            #expect(try await person.send("DELETE", byID).code == "not_found")
            let list: Kith.SharePage = try await person.get("GET", "/v1/shares")
            #expect(list.items.isEmpty)
        }
    }

    @Test func `refuses invalid input, naming each field`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let vault = try await alice.makeVault()
        let path = "/v1/vaults/\(vault.id)/share"
        let share: Kith.Share = try await alice.get("PUT", path, "{}")
        func fields(_ answer: APIClient.Answer) throws -> [String] {
            #expect(answer.status == 422, "\(answer.text)")
            return try answer.decode(Kith.Problem.self).errors?.map(\.field).sorted() ?? []
        }
        for (body, field) in [
            (#"{"url":"http://share.example"}"#, "url"), (#"{"url":"https://share example"}"#, "url"),
            (#"{"record_name":""}"#, "record_name"), (#"{"record_name":"a b"}"#, "record_name"),
            (#"{"record_name":"\#(String(repeating: "x", count: 256))"}"#, "record_name"), (#"{"name":"x"}"#, "name"),
        ] {
            #expect(try fields(await alice.send("PUT", path, body)) == [field], "\(body)")
        }
        let twice = participants([
            participant("p", "pending"), participant("q", "pending"), participant("p", "removed"),
        ])
        #expect(try fields(await alice.send("PUT", path + "/participants", twice)) == ["participants[2].id"])
        let wrong = participants([
            #"{"id":"p","acceptance_status":"maybe","permission":"all","role":"king","phone":1,"email":[],"age":1}"#
        ])
        #expect(
            try fields(await alice.send("PUT", path + "/participants", wrong)) == [
                "participants[0].acceptance_status", "participants[0].age", "participants[0].email",
                "participants[0].permission", "participants[0].phone", "participants[0].role",
            ])
        #expect(try fields(await alice.send("PATCH", "/v1/shares/\(share.id)", "{}")) == ["permission"])
        #expect(
            try fields(await alice.send("PATCH", "/v1/shares/\(share.id)", #"{"permission":"none"}"#)) == ["permission"]
        )
    }
}
