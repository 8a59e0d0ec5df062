import Foundation
import KithClient
import TestThreads
import Testing

@Suite(.mayBlock) struct `Emergency access on the web` {
    @Test func `is given, asked for, approved, entered and ended`() async throws {
        let (alice, bob) = (try await WebPerson.join("Alice"), try await WebPerson.join("Bob"))
        let vault = try await alice.person.makeVault("Papers")
        let nominee = try await alice.person.invite("Bob", to: vault)
        try await bob.person.accept(nominee)
        let settings = "/vaults/\(vault.id.text)/nominees/\(nominee.id.text)/emergency"
        try await alice.web.open(settings)
        let given: [(String, String)] = [
            ("after_missed_days", ""), ("wait_hours", "48"), ("grant_hours", "72"), ("access_level", "view"),
            ("sign_of_life", "check_in"), ("visible", "on"),
        ]
        let form = try #require(alice.web.page.form(with: "save"))
        // Neither a request nor silence would start it.
        let nothing = WebPage.Form(
            action: form.action, html: form.html, fields: form.fields.filter { $0.0 != "on_request" })
        try await alice.web.send(nothing, "save", given)
        #expect(alice.web.page.status == 422)
        #expect(alice.web.page.text.contains("Choose what starts it: a request, missed days, or both."))
        try await alice.web.open(settings)
        try await alice.web.press("save", given + [("on_request", "on")])
        #expect(alice.web.page.text.contains("Emergency access is set."))
        #expect(try await bob.web.open("/me/emergency").text.contains("Papers, owned by Alice"))
        #expect(bob.web.page.text.contains("After that, the owner has 2 days to say no."))
        try await bob.web.open("/vaults/\(vault.id.text)/emergency/ask")
        #expect(bob.web.page.text.contains("The owner of Papers is told at once and can say no."))
        let ask = try #require(bob.web.page.form(with: "ask"))
        for _ in 0..<2 {
            try await bob.web.send(ask, "ask", [("reason", "She is <ill>.")])
            #expect(bob.web.page.path == "/vaults/\(vault.id.text)/emergency")
        }
        #expect(bob.web.page.text.contains("You can enter Papers on"))
        try await bob.web.press("withdraw")
        #expect(bob.web.page.text.contains("You withdrew your request"))
        try await bob.web.open("/vaults/\(vault.id.text)/emergency/ask")
        try await bob.web.press("ask", [("reason", "She is <ill>.")])
        try await alice.web.open("/vaults/\(vault.id.text)/emergency")
        #expect(alice.web.page.text.contains("Bob asks for emergency access to Papers."))
        #expect(alice.web.page.html.contains("She is &lt;ill&gt;."))
        let approve = try #require(alice.web.page.html.firstMatch(of: /href="([^"]*\/approve)"/)).1.description
        // Nobody but the owner decides.
        #expect(try await bob.web.open(approve).status == 200)
        try await bob.web.press("approve")
        #expect(bob.web.page.status == 403)
        try await alice.web.open(approve)
        #expect(alice.web.page.heading == "Let Bob In Now?")
        try await alice.web.press("approve")
        #expect(alice.web.page.text.contains("They can enter until"))
        try await bob.web.open("/vaults/\(vault.id.text)/emergency")
        try await bob.web.press("enter")
        #expect(bob.web.page.text.contains("Open for you by emergency access"))
        try await alice.web.open("/vaults/\(vault.id.text)/emergency")
        let here = try #require(alice.web.page.form(with: "reject"))
        for notice in ["You said no to this request.", "This form had been sent before, so nothing was done"] {
            try await alice.web.send(here, "reject")
            #expect(alice.web.page.text.contains(notice))
        }
        #expect(!(try await bob.web.open("/vaults/\(vault.id.text)").text.contains("Open for you by emergency access")))
        try await alice.web.open("\(settings)/end")
        #expect(alice.web.page.text.contains("Bob can no longer get into Papers in an emergency."))
        try await alice.web.press("end")
        #expect(alice.web.page.text.contains("The emergency access has ended."))
        #expect(try await bob.web.open("/me/emergency").text.contains("You have given nobody emergency access."))
    }

    @Test func `ends by the check-ins that its owner chooses`() async throws {
        let (alice, bob, _) = try await WebPerson.pair()
        let vault = try await alice.person.makeVault("Papers")
        let nominee = try await alice.person.invite("Bob", to: vault)
        try await bob.person.accept(nominee)
        let path = "/vaults/\(vault.id.text)/nominees/\(nominee.id.text)/emergency"
        try await alice.web.open(path)
        let form = try #require(alice.web.page.form(with: "save"))
        // At first a thing alone, which can report without anybody, is no sign of life.
        #expect(form.fields.filter { $0.0.hasPrefix("source.") }.count == 5)
        #expect(!form.fields.contains { $0.0 == "source.sign" })
        let given: [(String, String)] = [("after_missed_days", "3"), ("wait_hours", "48"), ("grant_hours", "72")]
        let none = WebPage.Form(
            action: form.action, html: form.html, fields: form.fields.filter { !$0.0.hasPrefix("source.") })
        try await alice.web.send(none, "save", given)
        #expect(alice.web.page.status == 422)
        #expect(alice.web.page.text.contains("Choose at least one."))
        try await alice.web.send(none, "save", given + [("source.app", "on"), ("source.voice", "on")])
        #expect(alice.web.page.text.contains("Emergency access is set."))
        // The page shows what is set, and saving it again keeps it.
        try await alice.web.open(path)
        try await alice.web.press("save")
        let settings = try await alice.person.send("GET", "/v1\(path)").text
        #expect(settings.contains(/"sources" ?: ?\[ ?"app", ?"voice" ?\]/), "\(settings)")
        let rehearsal = try await alice.web.open("/me/emergency/rehearsal").text
        #expect(rehearsal.contains("What stops it"))
        #expect(rehearsal.contains("A check-in by the app or by phone call ends the wait."))
        #expect(
            rehearsal.contains(
                """
                One through this website, by the link in a message, by text message or by a button or sensor only \
                reminds you
                """
            ))
        try await alice.web.open(path)
        let stays = try #require(alice.web.page.form(with: "save"))
        let without = WebPage.Form(
            action: stays.action, html: stays.html, fields: stays.fields.filter { $0.0 != "reject_on_check_in" })
        try await alice.web.send(without, "save")
        #expect(
            try await alice.web.open("/me/emergency/rehearsal").text.contains("No check-in ends the wait by itself."))
    }

    @Test func `is answered on every page by whoever is well, and by nobody else`() async throws {
        let (alice, bob) = (try await WebPerson.join("Alice"), try await WebPerson.join("Bob"))
        let vault = try await alice.person.makeVault("Papers")
        let nominee = try await alice.person.invite("Bob", to: vault)
        try await bob.person.accept(nominee)
        try await alice.person.giveEmergencyAccess(to: nominee, of: vault, #","visible":true"#)
        try await bob.person.askForEmergencyAccess(to: vault, #"{"reason":"She is ill."}"#)
        for path in ["/me", "/messages", "/people"] {
            #expect(try await alice.web.open(path).form(with: "here") != nil, "\(path)")
        }
        let form = try #require(alice.web.page.form(with: "here"))
        func field(_ name: String) -> String { form.fields.first { $0.0 == name }?.1 ?? "" }
        // What the fields name stands in the path of a call, so only ids do.
        let vaultID = field("vault")
        for (vault, request) in [
            ("\(vaultID)/lock?x=", field("request")), ("../../me", field("request")), (vaultID, "x/approve#"),
            (vaultID, ""), (vaultID, UUID().uuidString),
        ] {
            try await alice.web.send(form, "here", [("vault", vault), ("request", request)])
            #expect(alice.web.page.status == 404, "\(vault) \(request)")
            #expect(try await alice.web.open("/me").form(with: "here") != nil)
        }
        // Bob cannot say it for her with a form of his own.
        try await bob.web.open("/me")
        let token = try #require(bob.web.page.forms.first?.fields.first { $0.0 == "form" }?.1)
        try await bob.web.send(form, "here", [("form", token)])
        #expect(bob.web.page.status == 403 || bob.web.page.status == 404)
        #expect(try await alice.web.open("/me").form(with: "here") != nil)
        for _ in 0..<2 {
            try await alice.web.send(form, "here")
            #expect(alice.web.page.path == "/today")
        }
        #expect(try await alice.web.open("/me").form(with: "here") == nil)
        #expect(!(try await bob.web.open("/me/emergency").text.contains("You can enter Papers on")))
    }

    @Test func `sees its owner alive when they use the pages, and not when a page uses itself`() async throws {
        let (alice, bob) = (try await WebPerson.join("Alice"), try await WebPerson.join("Bob"))
        let vault = try await alice.person.makeVault("Papers")
        let nominee = try await alice.person.invite("Bob", to: vault)
        try await bob.person.accept(nominee)
        let right = "/v1/vaults/\(vault.id.text)/nominees/\(nominee.id.text)/emergency"
        let terms = #"{"wait_hours":24,"access_level":"view","on_request":true,"sign_of_life":"any_use"}"#
        #expect(try await alice.person.send("PUT", right, terms).status == 200)
        let requests = "/v1/vaults/\(vault.id.text)/emergency/requests"
        let made: Kith.EmergencyRequest = try await bob.person.get("POST", requests, "{}", status: 201)
        func status() async throws -> String {
            struct Found: Decodable { let status: String }
            let found: Found = try await bob.person.get("GET", "\(requests)/\(made.id.text)")
            return found.status
        }
        // A browser that has signed in by a form, and has not yet opened anything.
        let other = WebVisitor(alice.house.client)
        try await other.signIn(alice.email, alice.house, opens: false)
        for (path, headers) in [
            ("/live/session", ["Sec-Fetch-Site": "same-origin"]), ("/today", ["Kith-Refresh": "1"]),
            ("/today", ["Sec-Purpose": "prefetch"]), ("/today", ["Purpose": "prefetch"]),
            ("/today", ["Sec-Fetch-Dest": "image"]),
            ("/worker.js", [:]), ("/offline", [:]),
        ] {
            _ = try await other.fetch(path, headers: headers)
            #expect(try await status() == "waiting", "\(path) \(headers)")
        }
        let cookies = (other.cookies.map { "\($0.key)=\($0.value)" } + ["kith_unasked=1"]).joined(separator: "; ")
        #expect(try await other.client.exchange("GET", "/today", headers: ["Cookie": cookies]).status == 200)
        #expect(try await status() == "waiting", "a page that loads itself anew")
        try await other.open("/vaults")
        #expect(try await status() == "rejected")
    }

    @Test func `can need several who ask`() async throws {
        let alice = try await WebPerson.join("Alice")
        let vault = try await alice.person.makeVault("Papers")
        try await alice.web.open("/vaults/\(vault.id.text)/emergency/quorum")
        #expect(alice.web.page.text.contains("Give at least two nominees emergency access first."))
        var nominees: [Kith.InvitedNominee] = []
        for name in ["Bob", "Carol", "<Dave>"] {
            let nominee = try await alice.person.invite(name, to: vault)
            try await alice.person.giveEmergencyAccess(to: nominee, of: vault)
            nominees.append(nominee)
        }
        try await alice.web.open("/vaults/\(vault.id.text)/emergency/quorum")
        #expect(alice.web.page.html.contains("&lt;Dave&gt;"))
        try await alice.web.press("save", [("nominee", nominees[0].id.text), ("required", "2")])
        #expect(alice.web.page.status == 422)
        #expect(alice.web.page.text.contains("Choose at least two people."))
        try await alice.web.open("/vaults/\(vault.id.text)/emergency/quorum")
        try await alice.web.press("save", nominees.map { ("nominee", $0.id.text) } + [("required", "2")])
        #expect(alice.web.page.text.contains("Saved."))
        let quorum: Kith.EmergencyQuorum = try await alice.person.get(
            "GET", "/v1/vaults/\(vault.id.text)/emergency/quorum")
        #expect(quorum.required == 2 && quorum.nominees.count == 3)
        try await alice.web.open("/vaults/\(vault.id.text)/emergency/quorum")
        try await alice.web.press("remove")
        #expect(alice.web.page.text.contains("Each of them can ask alone now."))
    }

    @Test func `is rehearsed as a timeline, with a table that says the same`() async throws {
        let (alice, _, _) = try await WebPerson.pair()
        #expect(
            try await alice.web.open("/me/emergency/rehearsal").text.contains("Nothing would follow in your vaults"))
        let vault = try await alice.person.makeVault("Papers")
        let name = "<script>alert(1)</script>"
        for (index, name) in [name, "Dave"].enumerated() {
            let bob = try await WebPerson.join("Bob")
            let nominee = try await alice.person.invite(name, to: vault)
            try await bob.person.accept(nominee)
            try await alice.person.giveEmergencyAccess(
                to: nominee, of: vault, waitHours: 24 * (7 - 3 * index), onRequest: false,
                #","after_missed_days":\#(3 + index)"#)
        }
        for days in ["", "?days=30", "?days=nonsense"] {
            let page = try await alice.web.open("/me/emergency/rehearsal\(days)")
            #expect(page.status == 200)
            #expect(page.html.contains("<svg class=\"timeline\" role=\"img\""))
            #expect(!page.html.contains("<script>") && !page.html.contains("style="))
            #expect(page.html.components(separatedBy: "<rect class=\"wait\" x=").count >= 4)
            #expect(page.html.components(separatedBy: "<rect class=\"grant\" x=").count >= 4)
            // What is drawn is in the table too.
            #expect(page.text.contains("Step by step"))
            #expect(page.text.components(separatedBy: "can enter Papers now").count >= 3)
        }
        let bytes = try await alice.web.compressedBytes(of: "/me/emergency/rehearsal")
        #expect(bytes <= 14 << 10)
    }
}
