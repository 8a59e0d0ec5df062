import Foundation
import KithClient
import TestThreads
import Testing

@Suite(.mayBlock) struct `Nominees on the web` {
    @Test func `are invited by a link, accept it by the browser, chat, and are removed`() async throws {
        let (alice, bob) = (try await WebPerson.join("Alice"), try await WebPerson.join("Bob"))
        let vault = try await alice.person.makeVault("Papers")
        let name = "<b>Bob</b> بوب"
        try await alice.web.open("/vaults/\(vault.id.text)/nominees")
        #expect(alice.web.page.text.contains("Nobody is a nominee of this vault yet."))
        try await alice.web.open("/vaults/\(vault.id.text)/nominees/invite")
        for label in ["Recipient name (required)", "Phone number (optional)", "Email (optional)", "Send Invitation"] {
            #expect(alice.web.page.text.contains(label))
        }
        try await alice.web.press("invite", [("name", ""), ("phone", "12")])
        #expect(alice.web.page.status == 422)
        #expect(alice.web.page.html.contains(#"value="12""#))
        let form = try #require(alice.web.page.form(with: "invite"))
        var links: Set<String> = []
        for _ in 0..<2 {
            try await alice.web.send(form, "invite", [("name", name), ("phone", ""), ("access_level", "edit")])
            #expect(alice.web.page.heading == "The invitation for \(name) is ready to send")
            links.insert(
                try #require(alice.web.page.html.firstMatch(of: /readonly value="([^"]*\/i\/[^"]*)"/)).1.description)
        }
        #expect(links.count == 1, "a form sent twice invites once")
        // The link is given only once. No event of the act itself replaces it by the page of the address.
        #expect(!alice.web.page.html.contains("id=\"page\" data-live"))
        #expect(!alice.web.page.html.contains("<b>"))
        try await alice.web.press("outcome-sent")
        #expect(alice.web.page.heading == name)
        #expect(alice.web.page.text.contains("Invitation sent"))
        #expect(alice.web.page.text.contains("Pending Invitation sent, not yet accepted"))
        let link = try #require(links.first)
        let token = String(link.suffix(36))
        // The page of the link leads into the web client, and back after the sign-in.
        let visitor = WebVisitor(alice.house.client)
        try await visitor.open("/i/\(token)")
        let way = try #require(visitor.page.html.firstMatch(of: /href="(\/sign-in[^"]*)"/)).1.description.unescaped
        #expect(try await bob.web.open(way).path == "/invitations/\(token)")
        #expect(bob.web.page.text.contains("Alice invites you to Papers."))
        try await bob.web.press("accept")
        #expect(bob.web.page.path == "/vaults/\(vault.id.text)")
        #expect(bob.web.page.text.contains("You accepted the invitation"))
        #expect(try await alice.web.open("/vaults/\(vault.id.text)/nominees").text.contains("Accepted"))
        let path = try #require(alice.web.page.html.firstMatch(of: /href="(\/vaults\/[^"]*\/nominees\/[0-9a-f-]{36})"/))
            .1.description
        try await alice.web.open("\(path)/chat")
        try await alice.web.press("send", [("body", " ")])
        #expect(alice.web.page.status == 422)
        try await alice.web.press("send", [("body", "The papers are in <the> safe.\r\nالأوراق")])
        #expect(alice.web.page.html.contains("The papers are in &lt;the&gt; safe.\nالأوراق"))
        #expect(try await bob.web.open("/vaults/\(vault.id.text)").text.contains("1 unread"))
        // Neither a link on another site, nor a prefetch, nor a tab that nobody sees, nor a browser that says nothing
        // has read it.
        for headers in [
            ["Sec-Fetch-Site": "cross-site"], ["Sec-Purpose": "prefetch;prerender"], ["Sec-Fetch-Dest": "empty"],
            ["Sec-Fetch-Dest": "iframe"], ["Kith-Refresh": "unseen", "Sec-Fetch-Dest": "empty"],
        ] {
            try await bob.web.open("\(path)/chat", headers: headers)
            #expect(bob.web.page.form(with: "read") != nil, "\(headers)")
        }
        #expect(try await bob.web.open("/vaults/\(vault.id.text)").text.contains("1 unread"))
        #expect(try await bob.web.open("\(path)/chat").text.contains("The papers are in <the> safe."))
        #expect(bob.web.page.form(with: "read") == nil)
        #expect(!(try await bob.web.open("/vaults/\(vault.id.text)").text.contains("1 unread")))
        #expect(try await alice.web.open("\(path)/chat").text.contains("read"))
        // A button says it where the page itself cannot tell.
        try await alice.web.press("send", [("body", "They are there.")])
        try await bob.web.open("\(path)/chat", headers: ["Sec-Fetch-Site": "cross-site"])
        try await bob.web.press("read")
        #expect(bob.web.page.path == "\(path)/chat")
        #expect(!(try await bob.web.open("/vaults/\(vault.id.text)").text.contains("1 unread")))
        try await alice.web.open(path)
        try await alice.web.press("pause")
        #expect(alice.web.page.text.contains("Inactive Temporarily disabled"))
        #expect(
            try await bob.web.open("/vaults/\(vault.id.text)").text.contains("Your access to this vault is paused."))
        try await alice.web.open(path)
        try await alice.web.press("resume")
        try await alice.web.press("level", [("access_level", "full")])
        #expect(
            alice.web.page.text.contains("The access of ⁨\(name)⁩ has changed")
                || alice.web.page.text.contains("has changed"))
        // A full nominee manages others, but is offered none of the owner's acts.
        #expect(try await bob.web.open("/vaults/\(vault.id.text)/nominees/invite").status == 200)
        #expect(bob.web.page.html.contains(#"value="edit""#) && !bob.web.page.html.contains(#"value="full""#))
        try await alice.web.open("\(path)/remove")
        #expect(alice.web.page.text.contains("This will end the access of \(name) to Papers at once."))
        let remove = try #require(alice.web.page.form(with: "remove"))
        for _ in 0..<2 {
            try await alice.web.send(remove, "remove")
            #expect(alice.web.page.text.contains("The access has ended."))
        }
        #expect(try await bob.web.open("/vaults/\(vault.id.text)").status == 403)
        #expect(
            try await alice.web.open("/vaults/\(vault.id.text)/nominees?ended").text.contains(
                "Access permanently revoked"))
        let history = try await alice.web.open("/vaults/\(vault.id.text)/history")
        for event in ["Access ended", "Invitation accepted", "Nominee invited", "Vault created"] {
            #expect(history.text.contains(event))
        }
        #expect(!history.text.contains("web.history"))
        let table = try await alice.web.open("/vaults/\(vault.id.text)/history.csv")
        #expect(table.headers["content-type"]?.hasPrefix("text/csv") == true)
        #expect(table.html.contains("nominee.revoked"))
    }

    @Test(arguments: [false, true])
    func `leave a vault while they wait for confirmation, and while they are paused`(isPaused: Bool) async throws {
        let (alice, bob) = (try await WebPerson.join("Alice"), try await WebPerson.join("Bob"))
        let vault = try await alice.person.makeVault("Papers")
        let path = "/vaults/\(vault.id.text)"
        let confirms = #"{"require_confirmation":\#(!isPaused)}"#
        #expect(try await alice.person.send("PATCH", "/v1\(path)", confirms).status == 200)
        let nominee = try await alice.person.invite("Bob", to: vault)
        try await bob.person.accept(nominee)
        if isPaused {
            let pause = try await alice.person.send(
                "PATCH", "/v1\(path)/nominees/\(nominee.id.text)", #"{"status":"inactive"}"#)
            #expect(pause.status == 200, "\(pause.text)")
        }
        let link = try #require(try await bob.web.open(path).html.firstMatch(of: /href="([^"]*\/remove)"/)).1
        #expect(try await bob.web.open(String(link)).heading == "Leave This Vault?")
        try await bob.web.press("remove")
        #expect(bob.web.page.text.contains("You have left the vault."))
        #expect(try await bob.web.open(path).status == 403)
        // The page of somebody else's access is nobody's but the owner's.
        #expect(try await WebPerson.join("Mallory").web.open(String(link)).status == 404)
    }

    @Test func `are invited several at once, each with a result`() async throws {
        let alice = try await WebPerson.join("Alice")
        let vault = try await alice.person.makeVault("Papers")
        try await alice.web.open("/vaults/\(vault.id.text)/nominees/invite-several")
        try await alice.web.press("invite", [("people", "\r\n \r\n")])
        #expect(alice.web.page.status == 422)
        let people = "<Bob>, +49 151 12345678\r\n\r\nCarol; carol@example.com\r\nDave, 12\r\nعمر"
        let form = try #require(alice.web.page.form(with: "invite"))
        for _ in 0..<2 {
            try await alice.web.send(form, "invite", [("people", people), ("access_level", "edit")])
            #expect(alice.web.page.html.components(separatedBy: "/i/").count == 4)
            #expect(alice.web.page.html.contains("&lt;Bob&gt;"))
            #expect(alice.web.page.text.contains("Dave Not invited: "))
        }
        #expect(try await alice.person.nominees(of: vault).items.count == 3)
        try await alice.web.open("/vaults/\(vault.id.text)/nominees/invite-several")
        try await alice.web.press("invite", [("people", String(repeating: "x\n", count: 51))])
        #expect(alice.web.page.text.contains("At most 50 people at once."))
    }

    @Test func `get a new link, and invitations to a contact wait for its person`() async throws {
        let (alice, bob) = (try await WebPerson.join("Alice"), try await WebPerson.join("Bob"))
        let vault = try await alice.person.makeVault("Papers")
        try await alice.web.open("/vaults/\(vault.id.text)/nominees/invite")
        try await alice.web.press("invite", [("name", "Bob"), ("email", bob.email), ("access_level", "view")])
        try await alice.web.press("outcome-cancelled")
        let path = alice.web.page.path
        try await alice.web.press("resend")
        #expect(alice.web.page.html.contains("/i/"))
        #expect(try await bob.web.open("/vaults").text.contains("1 invitation to a vault waits for you"))
        try await bob.web.open("/vaults/invitations")
        #expect(bob.web.page.text.contains("Alice invites you to Papers."))
        #expect(bob.web.page.text.contains("Reads the documents while the vault is open."))
        let decline = try #require(bob.web.page.form(with: "decline"))
        for notice in ["You declined the invitation", "This form had been sent before, so nothing was done again."] {
            try await bob.web.send(decline, "decline")
            #expect(bob.web.page.text.contains(notice))
        }
        #expect(try await alice.web.open(path).text.contains("Access permanently revoked"))
    }

    @Test func `can become the owner, after two questions in words`() async throws {
        let (alice, bob) = (try await WebPerson.join("Alice"), try await WebPerson.join("Bob"))
        let vault = try await alice.person.makeVault("Papers")
        let nominee = try await alice.person.invite("Bob", to: vault)
        try await bob.person.accept(nominee)
        try await alice.web.open("/vaults/\(vault.id.text)/transfer")
        try await alice.web.press("first", [("nominee", ""), ("name", " ")])
        #expect(alice.web.page.status == 422)
        try await alice.web.press("first", [("nominee", nominee.id.text), ("name", ""), ("keep_access", "on")])
        #expect(alice.web.page.heading == "Transfer Papers?")
        #expect(alice.web.page.text.contains("You stay as a nominee with full access"))
        try await alice.web.press("second")
        #expect(alice.web.page.heading == "Are You Sure?")
        #expect(alice.web.page.text.contains("Once Bob accepts, you cannot take Papers back."))
        try await alice.web.press("offer")
        #expect(alice.web.page.heading == "The offer to Bob is ready to send")
        #expect(
            try await alice.web.open("/vaults/\(vault.id.text)").text.contains("You have offered this vault to Bob."))
        try await alice.web.open("/vaults/\(vault.id.text)/transfer")
        try await alice.web.press("cancel")
        #expect(alice.web.page.text.contains("The transfer is cancelled"))
        try await alice.web.open("/vaults/\(vault.id.text)/transfer")
        try await alice.web.press("first", [("nominee", nominee.id.text), ("name", ""), ("keep_access", "on")])
        try await alice.web.press("second")
        try await alice.web.press("offer")
        try await bob.web.open("/vaults/invitations")
        #expect(bob.web.page.text.contains("Alice offers you Papers. You become its owner."))
        try await bob.web.press("accept")
        #expect(bob.web.page.path == "/vaults/\(vault.id.text)")
        #expect(bob.web.page.form(with: "open") != nil, "the new owner can open it")
        #expect(try await alice.web.open("/vaults/\(vault.id.text)").text.contains("This vault is locked."))
    }

    @Test func `come by shares too, which can be changed and ended`() async throws {
        let alice = try await WebPerson.join("Alice")
        let vault = try await alice.person.makeVault("Papers")
        let share: Kith.Share = try await alice.person.get("PUT", "/v1/vaults/\(vault.id.text)/share", "{}")
        try await alice.web.open("/vaults/shares")
        #expect(alice.web.page.text.contains("Papers"))
        try await alice.web.press("permission", [("permission", "readOnly")])
        #expect(alice.web.page.text.contains("Saved."))
        try await alice.web.open("/vaults/shares/\(share.id.text)/end")
        try await alice.web.press("end")
        #expect(alice.web.page.text.contains("The share has ended."))
        #expect(alice.web.page.text.contains("None of your vaults is shared through another service."))
        #expect(try await alice.web.open("/vaults/shares/\(share.id.text)/end").status == 404)
    }
}
