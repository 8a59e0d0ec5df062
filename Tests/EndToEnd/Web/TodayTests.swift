import Foundation
import KithClient
import TestThreads
import Testing

@Suite(.mayBlock) struct `Today` {
    @Test func `shows one button, what happens without it, and afterwards what it did`() async throws {
        let (alice, bob, _) = try await WebPerson.pair()
        #expect(
            try await alice.web.open("/today").text.contains("Bob can’t be reached here.")
        )
        try bob.getPushes()
        try await alice.web.open("/today")
        #expect(alice.web.page.heading == "Let your receivers know you’re safe.")
        #expect(alice.web.page.text.contains("If you don’t, Bob will be told at 22:59 that you have not checked in."))
        #expect(alice.web.page.text.contains("Heute") == false)
        #expect(try await bob.web.open("/today").text.contains("Not yet checked in. There is time until 22:59"))
        try await alice.web.press("safe", [("note", "Off to the <b>lake</b>"), ("share_note", "on")])
        #expect(alice.web.page.path == "/today")
        #expect(alice.web.page.text.contains("Thank you. You have checked in."))
        #expect(alice.web.page.heading == "You have checked in for today.")
        #expect(alice.web.page.text.contains("You will not be asked again until tomorrow at 11:00."))
        #expect(!(try await alice.web.open("/today").text.contains("Thank you")), "a page says it once")
        try await bob.web.open("/today")
        #expect(bob.web.page.text.contains("Safe: checked in at 12:"))
        #expect(bob.web.page.html.contains("Off to the &lt;b&gt;lake&lt;/b&gt;"))
    }

    @Test func `names hostile people harmlessly`() async throws {
        let (alice, bob, _) = try await WebPerson.pair(
            "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)> عمر")
        for web in [alice.web, bob.web] {
            try await web.open("/today")
            #expect(!web.page.html.contains("<script>") && !web.page.html.contains("<img"))
        }
        // Isolated, so that it does not turn the words around it.
        #expect(
            alice.web.page.html.contains("\u{2068}&quot;&gt;&lt;img src=x onerror=alert(1)&gt; عمر\u{2069}"))
    }

    @Test func `does once what is sent twice`() async throws {
        let (alice, bob, _) = try await WebPerson.pair()
        try await alice.web.open("/today")
        let form = try #require(alice.web.page.form(with: "safe"))
        for _ in 0..<2 {
            try await alice.web.send(form, "safe", [("note", "once")])
            #expect(alice.web.page.path == "/today")
            #expect(alice.web.page.text.contains("Thank you."))
        }
        let told = try await bob.person.notifications()
        #expect(told.filter { $0.type == "ping_completed" }.count == 1)
    }

    @Test func `makes a check-in each time its form is sent, however old the form is`() async throws {
        let (alice, _, connection) = try await WebPerson.pair()
        let path = "/v1/connections/\(connection.id.text)"
        try await alice.web.open("/today")
        let form = try #require(alice.web.page.form(with: "safe"))
        try await alice.web.send(form, "safe")
        let first: Kith.Connection = try await alice.person.get("GET", path)
        // With other words the same form is no other request either. Receivers see the note only if it is shared (P40).
        try await alice.web.send(form, "safe", [("note", "again"), ("share_note", "on")])
        #expect(alice.web.page.status == 200 && alice.web.page.text.contains("Thank you."))
        let second: Kith.Connection = try await alice.person.get("GET", path)
        #expect(try #require(second.lastCheckInAt) > #require(first.lastCheckInAt))
        #expect(second.lastCheckInNote == "again")
    }

    @Test func `speaks of no keys when an edited form is sent again`() async throws {
        let (alice, _, connection) = try await WebPerson.pair()
        try await alice.web.open("/people/\(connection.id.text)")
        try await alice.web.open("/vaults/new")
        let form = try #require(alice.web.page.form(with: "create"))
        try await alice.web.send(form, "create", [("name", "Papers")])
        try await alice.web.send(form, "create", [("name", "Other papers")])
        #expect(alice.web.page.status == 409)
        #expect(alice.web.page.text.contains("This form had been sent before with something else in it."))
        #expect(!alice.web.page.html.contains("Idempotency"))
        // It can then be sent as it is.
        try await alice.web.press("create")
        #expect(alice.web.page.heading.contains("Other papers"))
    }

    @Test func `refuses a form of another site`() async throws {
        let (alice, _, _) = try await WebPerson.pair()
        try await alice.web.open("/today")
        let form = try #require(alice.web.page.form(with: "safe"))
        for headers in [
            ["Sec-Fetch-Site": "cross-site"], ["Sec-Fetch-Site": "same-site"], ["Origin": "https://evil.example"],
            ["Origin": "null"],
        ] {
            #expect(try await alice.web.send(form, "safe", headers: headers).status == 403)
        }
        #expect(try await alice.web.open("/today").heading == "Let your receivers know you’re safe.")
        // The token of somebody else's page is no token here, and what they typed is theirs.
        let (mallory, _, _) = try await WebPerson.pair("Mallory")
        try await mallory.web.open("/today")
        let token = try #require(mallory.web.page.form(with: "safe")?.fields.first { $0.0 == "form" })
        try await alice.web.send(form, "safe", [token, ("note", "kept & safe")])
        #expect(alice.web.page.status == 403)
        #expect(alice.web.page.text.contains("Nothing was done."))
        #expect(!alice.web.page.html.contains("kept &amp; safe"))
        try await alice.web.press("safe")
        #expect(alice.web.page.text.contains("Thank you."))
    }

    @Test func `keeps a form whose sign-in has ended until one has signed in again`() async throws {
        let (alice, _, _) = try await WebPerson.pair()
        try await alice.web.open("/today")
        let form = try #require(alice.web.page.form(with: "safe"))
        let out = try await alice.person.send("POST", "/v1/auth/sign-out", #"{"everywhere":true}"#)
        #expect(out.status == 204)
        try await alice.web.send(form, "safe", [("note", "from last night")])
        #expect(alice.web.page.status == 401)
        #expect(alice.web.page.text.contains("What you typed is kept"))
        let before = try alice.house.mailbox.items(for: alice.email).count
        try await alice.web.press("code", [("contact", alice.email)])
        try await alice.web.press("sign-in", [("code", alice.house.newCode(to: alice.email, after: before))])
        #expect(alice.web.page.text.contains("Please send it again."))
        #expect(alice.web.page.html.contains("from last night"))
        try await alice.web.press("safe")
        #expect(alice.web.page.text.contains("Thank you."))
    }

    @Test func `says first that nobody was told to whoever calls for help after their sign-in has ended`() async throws
    {
        let (alice, bob, _) = try await WebPerson.pair()
        let form = try #require(try await alice.web.open("/help").form(with: "help"))
        _ = try await alice.person.send("POST", "/v1/auth/sign-out", #"{"everywhere":true}"#)
        func saysSo(sourceLocation: SourceLocation = #_sourceLocation) {
            let html = alice.web.page.html
            let beforeHeading = html.components(separatedBy: "<h1")[0]
            #expect(
                beforeHeading.contains("Nobody has been told that you need help."), "\(html)",
                sourceLocation: sourceLocation)
            #expect(beforeHeading.contains("href=\"tel:112\""), sourceLocation: sourceLocation)
            #expect(!html.contains("What you typed is kept"), sourceLocation: sourceLocation)
        }
        // As somebody who opens the page, and as somebody who sends the form.
        try await alice.web.open("/help")
        saysSo()
        #expect(try await alice.web.send(form, "help", [("note", "I fell")]).status == 401)
        saysSo()
        let before = try alice.house.mailbox.items(for: alice.email).count
        try await alice.web.press("code", [("contact", alice.email)])
        saysSo()
        try await alice.web.press("sign-in", [("code", alice.house.newCode(to: alice.email, after: before))])
        saysSo()
        #expect(alice.web.page.html.contains("I fell"))
        #expect(try await bob.person.notifications().allSatisfy { $0.type != "help_requested" })
        try await alice.web.press("help")
        #expect(alice.web.page.heading == "You have called for help.")
    }

    @Test func `fits into its budget of bytes`() async throws {
        let (alice, _, _) = try await WebPerson.pair()
        let page = try await alice.web.open("/today")
        let style = try #require(page.html.firstMatch(of: /href="(\/assets\/kith-[0-9a-f]{16}\.css)"/)?.1)
        for (path, most) in [("/today", 14 << 10), (String(style), 16 << 10)] {
            let answer = try await alice.house.client.exchange(
                "GET", path,
                headers: [
                    "Accept-Encoding": "gzip",
                    "Cookie": alice.web.cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; "),
                ])
            #expect(answer.status == 200)
            #expect(answer.headers["content-encoding"] == "gzip")
            #expect(answer.body.count <= most, "\(path) has \(answer.body.count) bytes")
        }
        let file = try await alice.house.client.exchange("GET", String(style))
        #expect(file.headers["cache-control"] == "public, max-age=31536000, immutable")
    }
}
