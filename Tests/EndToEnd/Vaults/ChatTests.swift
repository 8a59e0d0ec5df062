import Foundation
import KithClient
import Postgres
import TestThreads
import Testing

@Suite(.mayBlock) struct `A conversation` {
    private func say(_ text: String) -> String { #"{"body":"\#(text)"}"# }

    @Test func `between a vault's owner and a nominee counts unread messages`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        let vault = try await alice.makeVault()
        let nominee = try await bob.becomeNominee(of: vault, by: alice)
        let path = "/v1/vaults/\(vault.id)/nominees/\(nominee.id)/messages"
        let text = #"Hello \"Bob\" 👩‍👩‍👧‍👦\nאבג \u202Eback\u202C"#
        let sent: Kith.Message = try await alice.get("POST", path, say(text), status: 201)
        #expect(sent.from.displayName == "Alice")
        #expect(sent.body == "Hello \"Bob\" 👩‍👩‍👧‍👦\nאבג \u{202E}back\u{202C}")
        #expect(sent.readAt == nil)
        let told = try #require(try await bob.notifications().first)
        #expect(told.type == "message_received")
        #expect(told.title == "Alice")
        #expect(told.body == sent.body)
        let unread: Kith.MessagePage = try await bob.get("GET", path)
        #expect(unread.unreadCount == 1)
        #expect(unread.items == [sent])
        let reply: Kith.Message = try await bob.get("POST", path, say("Thank you"), status: 201)
        #expect(try await bob.send("POST", path + "/read").status == 204)
        #expect(try await bob.send("POST", path + "/read").status == 204)
        let seen: Kith.MessagePage = try await alice.get("GET", path)
        #expect(seen.items.map(\.id) == [reply.id, sent.id])
        #expect(seen.items.last?.readAt != nil)
        #expect(seen.unreadCount == 1)

        var cursor = ""
        var all: [Kith.Message] = []
        for n in 0..<5 { let _: Kith.Message = try await bob.get("POST", path, say("\(n)"), status: 201) }
        repeat {
            let page: Kith.MessagePage = try await alice.get("GET", path + "?limit=3" + cursor)
            all += page.items
            cursor = page.nextCursor.map { "&cursor=\($0)" } ?? ""
        } while !cursor.isEmpty
        #expect(all.map(\.body) == ["4", "3", "2", "1", "0", "Thank you", sent.body])
    }

    @Test func `is visible only to its two people and ends with the nominee's access`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        let carol = try await Person.join(installation.acme, as: "Carol", client)
        let mallory = try await Person.join(installation.globex, as: "Mallory", client)
        let vault = try await alice.makeVault()
        let nominee = try await bob.becomeNominee(of: vault, by: alice)
        try await carol.becomeNominee(of: vault, by: alice, as: .full)
        let path = "/v1/vaults/\(vault.id)/nominees/\(nominee.id)/messages"
        let _: Kith.Message = try await alice.get("POST", path, say("For you"), status: 201)
        for person in [carol, mallory] {
            #expect(try await person.send("GET", path).code == "not_found")
            #expect(try await person.send("POST", path, say("x")).code == "not_found")
            #expect(try await person.send("POST", path + "/read").code == "not_found")
        }
        let nobody = "/v1/vaults/\(vault.id)/nominees/\(UUID())/messages"
        #expect(try await alice.send("POST", nobody, say("x")).code == "not_found")
        let _: Kith.Nominee = try await alice.get(
            "PATCH", "/v1/vaults/\(vault.id)/nominees/\(nominee.id)", #"{"status":"inactive"}"#)
        #expect(try await bob.send("GET", path).code == "nominee_inactive")
        #expect(try await bob.send("POST", path, say("x")).code == "nominee_inactive")
        #expect(try await alice.send("POST", path, say("x")).code == "invalid_transition")
        #expect(try await alice.send("DELETE", "/v1/vaults/\(vault.id)/nominees/\(nominee.id)").status == 204)
        #expect(try await bob.send("POST", path, say("x")).code == "nominee_revoked")
        #expect(try await alice.send("POST", path, say("x")).code == "invalid_transition")
        let kept: Kith.MessagePage = try await alice.get("GET", path)
        #expect(kept.items.count == 1)
        let invited: Kith.InvitedNominee = try await alice.get(
            "POST", "/v1/vaults/\(vault.id)/nominees", #"{"name":"Dave"}"#, status: 201)
        let pending = "/v1/vaults/\(vault.id)/nominees/\(invited.id)/messages"
        #expect(try await alice.send("POST", pending, say("x")).code == "invalid_transition")
    }

    @Test func `ends when one of the two blocks the other`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        let vault = try await alice.makeVault()
        let nominee = try await bob.becomeNominee(of: vault, by: alice)
        let path = "/v1/vaults/\(vault.id)/nominees/\(nominee.id)/messages"
        let _: Kith.Block = try await bob.get("PUT", "/v1/me/blocks/\(alice.id)")
        for person in [alice, bob] {
            let refused = try await person.send("POST", path, say("x"))
            #expect(refused.code == "forbidden")
            #expect(refused.detail == "You cannot write to this person.")
        }
        #expect(try await bob.send("DELETE", "/v1/me/blocks/\(alice.id)").status == 204)
        let _: Kith.Message = try await alice.get("POST", path, say("Again"), status: 201)
    }

    @Test func `keeps an open vault open and accepts 30 messages a minute`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        let vault = try await alice.makeVault()
        let nominee = try await bob.becomeNominee(of: vault, by: alice)
        let path = "/v1/vaults/\(vault.id)/nominees/\(nominee.id)/messages"
        let opened = try await alice.open(vault)
        try installation.session().execute(
            """
            update kith.vault_sessions
            set last_activity_at = last_activity_at - interval '10 minutes', expires_at = expires_at - interval '10 minutes'
            where id = '\(opened.id)'
            """)
        let _: Kith.MessagePage = try await bob.get("GET", path)
        let seen: Kith.Vault = try await alice.get("GET", "/v1/vaults/\(vault.id)")
        #expect(try #require(seen.session).expiresAt >= opened.expiresAt)
        var answers: [Int] = []
        for n in 0..<31 { answers.append(try await bob.send("POST", path, say("\(n)")).status) }
        #expect(answers == Array(repeating: 201, count: 30) + [429])
        let late = try await bob.send("POST", path, say("x"))
        #expect(late.code == "too_many_requests")
        #expect((1...60).contains(Int(late.headers["retry-after"] ?? "") ?? 0))
        let _: Kith.Message = try await alice.get("POST", path, say("I still can"), status: 201)
    }

    @Test func `accepts text and nothing else`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        let vault = try await alice.makeVault()
        let nominee = try await bob.becomeNominee(of: vault, by: alice)
        let path = "/v1/vaults/\(vault.id)/nominees/\(nominee.id)/messages"
        for body in [
            "{}", say(""), say("  "), say(String(repeating: "x", count: 4001)), #"{"body":1}"#, #"{"body":null}"#,
            #"{"body":"x","to":"y"}"#,
        ] {
            #expect(try await alice.send("POST", path, body).code == "validation_failed", "\(body.prefix(40))")
        }
        #expect(try await alice.send("POST", path, say(#"a\u0000b"#)).status == 400)
        let long: Kith.Message = try await alice.get(
            "POST", path, say(String(repeating: "é", count: 4000)), status: 201)
        #expect(long.body.count == 4000)
        #expect(try await bob.notifications().first?.body.count == 120)
    }
}
