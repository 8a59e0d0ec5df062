import Foundation
import KithClient
import TestThreads
import Testing

@Suite(.mayBlock) struct `The place of what a message is about` {
    @Test func `is its own page, for those whom it concerns`() async throws {
        let (alice, bob, connection) = try await WebPerson.pair()
        let vault = try await alice.person.makeVault("Papers")
        let nominee = try await alice.person.invite("Bob", to: vault)
        try await bob.person.accept(nominee)
        try await alice.person.giveEmergencyAccess(to: nominee, of: vault, #","visible":true"#)
        let request = try await bob.person.send(
            "POST", "/v1/vaults/\(vault.id)/emergency/requests", #"{"reason":"She is ill."}"#)
        let requestID = try #require(request.text.firstMatch(of: /"id" ?: ?"([0-9a-f-]{36})"/)).1
        let (root, person) = ("/vaults/\(vault.id.text)", "/vaults/\(vault.id.text)/nominees/\(nominee.id.text)")
        for (place, ofAlice, ofBob) in [
            ("nominee/\(nominee.id.text)", person, root),
            ("conversation/\(nominee.id.text)", "\(person)/chat", "\(person)/chat"),
            ("emergency_request/\(requestID)", "\(root)/emergency", "\(root)/emergency"),
            ("vault/\(vault.id.text)", root, root),
            ("connection/\(connection.id.text)", "/people/\(connection.id.text)", "/people/\(connection.id.text)"),
            ("invitation/\(nominee.id.text)", "/vaults/invitations", "/vaults/invitations"),
            ("ping/\(nominee.id.text)", "/today", "/today"), ("unheard_of/\(vault.id.text)", "/messages", "/messages"),
            ("nominee/x", "/messages", "/messages"),
        ] {
            #expect(try await alice.web.open("/go/\(place)").path == ofAlice, "\(place)")
            #expect(alice.web.page.status == 200)
            #expect(try await bob.web.open("/go/\(place)").path == ofBob, "\(place)")
        }
        // A stranger learns nothing, and somebody who is signed out comes back after the sign-in.
        let mallory = try await WebPerson.join("Mallory")
        for place in [
            "nominee/\(nominee.id.text)", "conversation/\(nominee.id.text)", "emergency_request/\(requestID)",
        ] {
            #expect(try await mallory.web.open("/go/\(place)").path == "/messages")
        }
        let web = WebVisitor(alice.house.client)
        try await web.open("/go/conversation/\(nominee.id.text)?t=acme")
        let before = try alice.house.mailbox.items(for: alice.email).count
        try await web.press("code", [("contact", alice.email)])
        try await web.press("sign-in", [("code", alice.house.newCode(to: alice.email, after: before))])
        #expect(web.page.path == "\(person)/chat")
        // After the end of the access nothing leads there.
        #expect(try await alice.person.send("DELETE", "/v1/vaults/\(vault.id)/nominees/\(nominee.id)").status == 204)
        #expect(try await bob.web.open("/go/conversation/\(nominee.id.text)").path == "/messages")
    }

    @Test func `of an offer is the offer, until the vault is somebody else's`() async throws {
        let (alice, bob) = (try await WebPerson.join("Alice"), try await WebPerson.join("Bob"))
        let vault = try await alice.person.makeVault("Papers")
        let offer = try await alice.person.send(
            "POST", "/v1/vaults/\(vault.id)/transfer", #"{"name":"Bob","keep_access":true}"#)
        let token = try #require(offer.text.firstMatch(of: /"token" ?: ?"([0-9a-f-]{36})"/)).1
        let accepted = try await bob.person.send("POST", "/v1/invitations/\(token)/accept")
        #expect(accepted.status == 200)
        try await alice.web.open("/messages")
        let open = try #require(alice.web.page.html.firstMatch(of: /value="(open:[^"]*:transfer:[^"]*)"/)?.1)
        try await alice.web.press(String(open))
        #expect(alice.web.page.path == "/vaults/\(vault.id.text)", "she keeps access to it")
    }
}
