import Foundation
import KithClient
import TestThreads
import Testing

@Suite(.mayBlock) struct `People in the web client` {
    @Test func `are connected by a code, and both see it at once`() async throws {
        let (alice, bob) = (try await WebPerson.join("Alice"), try await WebPerson.join("Bob"))
        try await alice.person.becomeSender()
        let code = try await bob.person.becomeReceiver().code
        try await alice.web.open("/people/connect")
        #expect(alice.web.page.heading == "Enter a code")
        try await alice.web.press("connect", [("code", "\(code.prefix(3)) \(code.suffix(3))")])
        #expect(alice.web.page.text.contains("Connected to Bob"))
        #expect(alice.web.page.heading == "Bob")
        for (web, name, heading) in [(alice.web, "Bob", "Your Receivers"), (bob.web, "Alice", "Your Senders")] {
            let page = try await web.open("/people")
            #expect(page.text.contains(heading) && page.text.contains(name))
        }
    }

    @Test func `say why a code does not connect, in the words of the API`() async throws {
        let (alice, bob, _) = try await WebPerson.pair()
        let own = try await alice.person.becomeSender().code
        let theirs = try await bob.person.becomeReceiver().code
        func connect(_ code: String) async throws -> WebPage {
            try await alice.web.open("/people/connect")
            return try await alice.web.press("connect", [("code", code)])
        }
        for (code, text, isInline) in [
            ("12345", "Enter all 6 digits of the code.", true),
            ("000000", "Invalid code. Please check and try again.", true),
            (own, "You cannot connect to your own code.", false),
            (theirs, "You're already connected to this user.", false),
        ] {
            let page = try await connect(code)
            #expect(page.text.contains(text))
            // The seed shows a wrong code beside the field, and everything else as an alert.
            #expect(page.html.contains(#"<p class="error" id="code-error" role="alert">"#) == isInline)
            #expect(page.html.contains(#"<p class="alert" role="alert""#) == !isInline)
            #expect(page.html.contains(#"value="\#(code)""#), "what was typed is kept")
        }
        try await bob.web.open("/people/codes")
        try await bob.web.press("rotate")
        #expect(bob.web.page.text.contains("You have a new code."))
        let carol = try await WebPerson.join("Carol")
        try await carol.person.becomeSender()
        try await carol.web.open("/people/connect?code=\(theirs)")
        try await carol.web.press("connect")
        #expect(carol.web.page.status == 410)
        #expect(carol.web.page.text.contains("This invitation code has expired. Please ask for a new code."))
    }

    @Test func `become what a code asks for, and come back to it`() async throws {
        let (alice, bob) = (try await WebPerson.join("Alice"), try await WebPerson.join("Bob"))
        let code = try await alice.person.becomeSender().code
        try await bob.web.open("/people/connect")
        try await bob.web.press("connect", [("code", code)])
        #expect(bob.web.page.status == 409)
        let link = try #require(bob.web.page.html.firstMatch(of: /href="(\/me\/receiver\?[^"]*)"/)?.1)
        try await bob.web.open(String(link).unescaped)
        try await bob.web.press("save", [("time_zone", "Europe/Berlin")])
        #expect(bob.web.page.path == "/people/connect?code=\(code)")
        try await bob.web.press("connect")
        #expect(bob.web.page.text.contains("Connected to Alice"))
        #expect(bob.web.page.text.contains("There is time until 23:59"), "times are in the reader's zone")
    }

    @Test func `pause, resume, name and remove a connection after questions in the words of the seed`() async throws {
        let (alice, bob, connection) = try await WebPerson.pair()
        let path = "/people/\(connection.id.text)"
        try await alice.web.open("\(path)/pause")
        #expect(alice.web.page.heading == "Pause Connection?")
        #expect(
            alice.web.page.text.contains(
                """
                Pings will not be generated for this connection until you resume it. Bob will be notified. Until then, \
                Bob is NOT told if you don’t check in.
                """))
        let question = try #require(alice.web.page.form(with: "pause"))
        for text in ["The connection with Bob is paused", "nothing was done again. The page shows how things are now."]
        {
            try await alice.web.send(question, "pause")
            #expect(alice.web.page.path == path)
            #expect(alice.web.page.text.contains(text))
        }
        #expect(alice.web.page.text.contains("Paused: is NOT told if you do not check in"))
        #expect(!alice.web.page.text.contains("Is told if you do not check in"))
        #expect(try await bob.web.open("/today").text.contains("Paused"))
        try await alice.web.open(path)
        try await alice.web.press("resume")
        #expect(alice.web.page.text.contains("The connection with Bob is active"))
        // An old form says nothing that is no longer so.
        try await alice.web.send(question, "pause")
        #expect(
            !alice.web.page.text.contains("paused") && alice.web.page.text.contains("Is told if you do not check in."))
        try await alice.web.press("alias", [("alias", "My <i>neighbour</i>")])
        #expect(alice.web.page.heading == "My <i>neighbour</i>")
        try await bob.web.open("\(path)/remove")
        #expect(
            bob.web.page.text.contains(
                """
                This will remove Alice from your senders list. They will be notified. You can reconnect later if \
                they invite you again. You are no longer told if Alice does not check in.
                """
            ))
        let removal = try #require(bob.web.page.form(with: "remove"))
        for _ in 0..<2 {
            try await bob.web.send(removal, "remove")
            #expect(bob.web.page.path == "/people")
            #expect(bob.web.page.text.contains("The connection with Alice is removed"))
        }
        #expect(try await bob.web.open(path).status == 404)
        #expect(try await bob.web.open("/people/nobody").status == 404)
        // A form about what is gone is not to be sent again for ever.
        try await alice.web.send(question, "pause")
        #expect(alice.web.page.status == 404)
        #expect(!alice.web.page.text.contains("again") && alice.web.page.text.contains("Go to Today"))
    }

    @Test func `block somebody, who is not told`() async throws {
        let (alice, bob, connection) = try await WebPerson.pair()
        try await alice.web.open("/people/\(connection.id.text)/block")
        try await alice.web.press("block")
        #expect(alice.web.page.text.contains("Bob is blocked."))
        #expect(!(try await bob.web.open("/people").text.contains("Alice")))
        try await alice.web.open("/me/blocks")
        #expect(alice.web.page.text.contains("Bob"))
        try await alice.web.press("unblock")
        #expect(alice.web.page.text.contains("You have blocked nobody."))
    }

    @Test func `invite by text, and say what became of it`() async throws {
        let alice = try await WebPerson.join("Alice")
        let code = try await alice.person.becomeSender().code
        try await alice.web.open("/people/invite")
        try await alice.web.press("invite", [("numbers", "Bob +49 151 1234567\r\n0049-151-7654321\r\nnothing")])
        #expect(alice.web.page.path.hasPrefix("/people/invite/"))
        #expect(
            alice.web.page.text.contains(
                """
                Alice wants to send you daily pings on PRUUF to let you know they're safe. Download the app and use \
                code \(code) to connect: https://pruuf.app/join
                """
            ))
        #expect(alice.web.page.text.contains("Bob") && alice.web.page.html.contains("href=\"sms:+491511234567"))
        try await alice.web.press("sent")
        #expect(alice.web.page.text.contains("Invitation sent"))
        try await alice.web.press("cancelled")
        #expect(alice.web.page.text.contains("Invitation not sent"))
        try await alice.web.open("/people/invite")
        #expect(alice.web.page.text.contains("3 people"))
        try await alice.web.press("invite", [("numbers", " ")])
        #expect(alice.web.page.text.contains("Enter at least one phone number."))
    }

    @Test func `ask for consent where the tenant requires it`() async throws {
        let house = try webHouse.get()
        let set = try await house.client.send(
            "PATCH", "/v1/tenant", #"{"requires_consent":true}"#, as: house.installation.globex.secretKey)
        #expect(set.status == 200)
        let alice = try await WebPerson.join("Alice", tenant: "globex")
        let bob = try await WebPerson.join("Bob", tenant: "globex")
        let code = try await alice.person.becomeSender().code
        try await bob.person.becomeReceiver()
        try await bob.web.open("/people/connect")
        try await bob.web.press("connect", [("code", code)])
        #expect(bob.web.page.text.contains("Waits for their consent"))
        try await alice.web.open("/today")
        #expect(alice.web.page.text.contains("Bob wants to receive your daily check-ins"))
        let link = try #require(alice.web.page.html.firstMatch(of: /href="(\/people\/[0-9a-f-]{36})"/)?.1)
        try await alice.web.open(String(link))
        #expect(alice.web.page.text.contains("Refuse"))
        try await alice.web.press("consent")
        #expect(alice.web.page.text.contains("Connected to Bob"))
        #expect(try await bob.web.open("/people").text.contains("Alice"))
    }
}
