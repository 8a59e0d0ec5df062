import Foundation
import KithClient
import KithServer
import Postgres
import TestThreads
import Testing

/// An installation whose worker delivers codes into a file.
private let paged = Result { () throws -> SignInHouse in try SignInHouse() }

@Suite(.mayBlock) struct `The page of an invitation` {
    private struct Stage {
        let house: SignInHouse
        let alice: Person
        let vault: Kith.Vault
        let nominee: Kith.InvitedNominee
        let page: InvitationPageClient
    }

    private func stage(
        _ vaultName: String = "Papers", settings: String = "", invitee: String = "", owner: String = "Alice"
    ) async throws -> Stage {
        let house = try paged.get()
        let alice = try await Person.join(house.installation.acme, as: owner, house.client)
        let vault = try await alice.makeVault(vaultName, settings: settings)
        let nominee = try await alice.invite("Bob", to: vault, as: .edit, invitee)
        let token = nominee.invitation.token
        return Stage(
            house: house, alice: alice, vault: vault, nominee: nominee,
            page: InvitationPageClient(client: house.client, token: token))
    }

    private func row(_ stage: Stage) async throws -> Kith.Nominee {
        try await stage.alice.get("GET", "/v1/vaults/\(stage.vault.id)/nominees/\(stage.nominee.id)")
    }

    /// Asks for a code on the page and waits until it arrives.
    private func code(_ stage: Stage, to contact: String) async throws -> String {
        let before = try stage.house.mailbox.items(for: contact).count
        let answer = try await stage.page.submit(["action": "code", "contact": contact])
        #expect(answer.status == 200)
        #expect(answer.text.contains("Enter your code"))
        return try await stage.house.newCode(to: contact, after: before)
    }

    @Test func `shows the inviter, the vault and a link into the app, and changes nothing`() async throws {
        let stage = try await stage()
        let first = try await stage.page.open()
        #expect(first.status == 200)
        #expect(first.text.contains("<h1><bdi>Alice</bdi> invites you to “<bdi>Papers</bdi>”</h1>"))
        #expect(first.text.contains("🔐 Vault Invitation"))
        #expect(first.text.contains("read, add and replace documents"))
        let link = try #require(stage.nominee.invitation.deepLink?.replacing("&", with: "&amp;"))
        #expect(first.text.contains(#"<a class="button" href="\#(link)">Open in PRUUF</a>"#))
        // The token of the form is masked anew in each answer, so that the length of a compressed page does not tell
        // it.
        let token = /name="form" value="[0-9a-f]+"/
        let second = try await stage.page.open()
        #expect(second.text != first.text)
        #expect(second.text.replacing(token, with: "") == first.text.replacing(token, with: ""))
        #expect(try await stage.house.client.send("HEAD", stage.page.path).status == 200)
        #expect(try await row(stage).status == .pending)
    }

    @Test func `allows a browser only to show it and submit its forms`() async throws {
        let stage = try await stage()
        let answer = try await stage.house.client.send("GET", stage.page.path)
        let policy = try #require(answer.headers["content-security-policy"])
        #expect(policy.hasPrefix("default-src 'none'; style-src 'sha256-"))
        for rule in ["base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'"] {
            #expect(policy.contains(rule))
        }
        #expect(!policy.contains("unsafe"))
        #expect(answer.headers["referrer-policy"] == "no-referrer")
        #expect(answer.headers["x-robots-tag"] == "noindex, nofollow")
        #expect(answer.headers["cache-control"] == "no-store")
        #expect(
            !answer.text.contains("<script") && !answer.text.contains(" style=") && !answer.text.contains(" onclick"))
        let cookie = try #require(answer.headers["set-cookie"])
        #expect(
            cookie.wholeMatch(of: /kith_form=[0-9a-f]{32}; Path=\/i\/; Max-Age=3600; HttpOnly; SameSite=Strict/) != nil)
        let (server, secure) = try stage.house.installation.serve(["KITH_PUBLIC_URL": "https://kith.example"])
        defer { server.signal(SIGTERM) }
        #expect(try await secure.send("GET", stage.page.path).headers["set-cookie"]?.hasSuffix("; Secure") == true)
    }

    @Test func `accepts for anyone with a valid code, which signs them up`() async throws {
        let stage = try await stage()
        let phone = SignInHouse.number()
        let code = try await code(stage, to: phone)
        let wrong = try await stage.page.submit(
            ["action": "accept", "contact": phone, "code": code == "000000" ? "000001" : "000000"])
        #expect(wrong.status == 400)
        #expect(wrong.text.contains("This code is wrong or has expired."))
        #expect(wrong.text.contains(#"value="\#(phone)""#), "the contact need not be typed again")
        let form = try await stage.page.formToken()
        let half = code.index(code.startIndex, offsetBy: 3)
        let accepted = try await stage.page.submit([
            "action": "accept", "contact": phone, "code": " \(code[..<half]) \(code[half...])", "form": form,
        ])
        #expect(accepted.status == 200)
        #expect(accepted.text.contains("<h1>✅ Vault Access Accepted</h1>"))
        #expect(!accepted.text.contains("<form"))
        let row = try await row(stage)
        #expect(row.status == .accepted)
        // A later sign-in with the same number is the nominee.
        let signIn = try await stage.house.signIn(phone)
        #expect(signIn.user.id == row.userID)
        let seen: Kith.Vault = try await stage.house.client.get(
            "GET", "/v1/vaults/\(stage.vault.id)", as: signIn.accessToken)
        #expect(seen.accessLevel == .edit)
        let told = try #require(try await stage.alice.notifications().first { $0.type == "nominee_accepted" })
        #expect(
            told.body == "Bob accepted your invitation to Papers.",
            "a user without a name has the name that the owner gave")
        // Submitting the form again shows the outcome.
        let twice = try await stage.page.submit(["action": "accept", "contact": phone, "code": code, "form": form])
        #expect(twice.status == 200 && twice.text.contains("✅ Vault Access Accepted"))
    }

    @Test func `accepts by e-mail too, and waits for the owner if required`() async throws {
        let stage = try await stage(settings: #","require_confirmation":true"#)
        let address = "bob.\(UUID().uuidString.prefix(8))@example.org"
        let answer = try await stage.page.submit([
            "action": "accept", "contact": address, "code": try await code(stage, to: address),
        ])
        #expect(answer.status == 200)
        #expect(answer.text.contains("<h1>Waiting for confirmation</h1>"))
        #expect(try await row(stage).needsConfirmation)
        #expect(try await stage.page.open().text == answer.text)
    }

    @Test func `declines without a sign-in`() async throws {
        let stage = try await stage()
        let answer = try await stage.page.submit(["action": "decline"])
        #expect(answer.status == 200)
        #expect(answer.text.contains("<h1>❌ Vault Invitation Declined</h1>"))
        let row = try await row(stage)
        #expect(row.status == .revoked && row.revokeReason == "declined")
    }

    @Test func `refuses forms from any other page`() async throws {
        let stage = try await stage()
        let form = try await stage.page.formToken()
        let other = try await self.stage()
        for (fields, cookie) in [
            (["action": "decline", "form": ""], nil),
            (["action": "decline", "form": String(repeating: "0", count: 64)], nil),
            (["action": "decline", "form": try await other.page.formToken()], nil),
            (["action": "decline", "form": form], "kith_form=" + String(repeating: "5b", count: 16)),
            (["action": "decline", "form": form], "kith_form=5a"), (["action": "decline", "form": form], "other=1"),
        ] {
            let answer = try await stage.page.submit(fields, cookie: cookie)
            #expect(answer.status == 403, "\(fields) \(cookie ?? "")")
            #expect(answer.text.contains("Please try again."))
        }
        #expect(try await stage.page.submit(["action": "steal"]).status == 400)
        #expect(try await stage.page.submit([:]).status == 400)
        #expect(try await row(stage).status == .pending)
        let json = try await stage.house.client.send("POST", stage.page.path, "{}")
        #expect(json.status == 415)
        let long = try await stage.page.submit(["action": "code", "contact": String(repeating: "1", count: 8 << 10)])
        #expect(long.status == 413)
    }

    @Test(arguments: ["", "   ", "bob", "@", "a b@example.org", "12", "+49", "<script>alert(1)</script>", "\u{0}"])
    func `explains the expected contact format for an invalid one`(contact: String) async throws {
        let stage = try await stage()
        let answer = try await stage.page.submit(["action": "code", "contact": contact])
        #expect(answer.status == 400)
        #expect(answer.text.contains("Enter an e-mail address, or a phone number"))
        #expect(!answer.text.contains("<script"))
        #expect(try await stage.page.submit(["action": "accept", "contact": contact, "code": "123456"]).status == 400)
    }

    @Test func `reads a number in the format of the tenant's country`() async throws {
        let house = try paged.get()
        let tenant = try house.installation.tenant("regional")
        _ = try await house.client.send("PATCH", "/v1/tenant", #"{"default_region":"DE"}"#, as: tenant.secretKey)
        let alice = try await Person.join(tenant, as: "Alice", house.client)
        let nominee = try await alice.invite("Bob", to: try await alice.makeVault())
        let page = InvitationPageClient(client: house.client, token: nominee.invitation.token)
        let number = SignInHouse.number()
        let answer = try await page.submit(["action": "code", "contact": "0" + number.dropFirst(3)])
        #expect(answer.text.contains("<strong><bdi>\(number)</bdi></strong>"))
    }

    @Test func `escapes names`() async throws {
        let stage = try await stage(#"<b>\"A&B\"</b>"#, owner: "<i>Alice</i>")
        let text = try await stage.page.open().text
        #expect(
            text.contains(
                "<bdi>&lt;i&gt;Alice&lt;/i&gt;</bdi> invites you to “<bdi>&lt;b&gt;&quot;A&amp;B&quot;&lt;/b&gt;</bdi>”"
            ))
        #expect(!text.contains("<b>") && !text.contains("<i>"))
    }

    @Test func `shows the state of an invitation that can no longer be answered`() async throws {
        let stage = try await stage()
        let path = "/v1/vaults/\(stage.vault.id)/nominees/\(stage.nominee.id)"
        _ = try stage.house.installation.session().query(
            "update kith.nominee_invitations set expires_at = \(Day.sql) where nominee_id = $1",
            [.text(stage.nominee.id.text)])
        let expired = try await stage.page.open()
        #expect(expired.status == 200 && expired.text.contains("<h1>⌛ Vault Invitation Expired</h1>"))
        #expect(try await stage.alice.send("DELETE", path).status == 204)
        let revoked = try await stage.page.open()
        #expect(revoked.text.contains("<h1>🚫 Vault Access Revoked</h1>") && !revoked.text.contains("<form"))
        for path in ["/i/\(UUID().text)", "/i/x", "/i/%00"] {
            let answer = try await stage.house.client.exchange("GET", path)
            #expect(answer.status == 404, "\(path)")
        }
        let unknown = try await stage.house.client.send("GET", "/i/\(UUID().text)")
        #expect(unknown.text.contains("<h1>Invalid Invitation</h1>"))
    }

    @Test func `transfers a vault to the invited recipient, and to nobody else`() async throws {
        let house = try paged.get()
        let alice = try await Person.join(house.installation.acme, as: "Alice", house.client)
        let vault = try await alice.makeVault()
        let phone = SignInHouse.number()
        func offer() async throws -> Stage {
            let made: JSON = try await alice.get(
                "POST", "/v1/vaults/\(vault.id)/transfer",
                #"{"name":"Bob","phone":"\#(phone)","keep_access":true}"#, status: 201)
            let token = try #require(made["invitation"]?["token"]?.string.flatMap { UUID(uuidString: $0) })
            return Stage(
                house: house, alice: alice, vault: vault, nominee: try await alice.invite("Unused", to: vault),
                page: InvitationPageClient(client: house.client, token: token))
        }
        var stage = try await offer()
        #expect(try await stage.page.submit(["action": "decline"]).text.contains("<h1>❌ Vault Transfer Declined</h1>"))
        stage = try await offer()
        #expect(
            try await stage.page.open().text.contains(
                "<h1><bdi>Alice</bdi> wants to make you the owner of “<bdi>Papers</bdi>”</h1>"))
        let other = SignInHouse.number()
        let refused = try await stage.page.submit([
            "action": "accept", "contact": other, "code": try await code(stage, to: other),
        ])
        #expect(refused.status == 403)
        #expect(refused.text.contains("by phone number or e-mail address"))
        let accepted = try await stage.page.submit([
            "action": "accept", "contact": phone, "code": try await code(stage, to: phone),
        ])
        #expect(accepted.status == 200 && accepted.text.contains("<h1>✅ Vault Transfer Accepted</h1>"))
        let seen: Kith.Vault = try await alice.get("GET", "/v1/vaults/\(vault.id)")
        #expect(seen.role == .nominee && seen.accessLevel == .full)
        #expect(seen.owner.id == (try await house.signIn(phone).user.id))
    }

    @Test func `limits how often a network address may ask for codes`() async throws {
        let stage = try await stage()
        let (server, client) = try stage.house.installation.serve(["KITH_SIGN_IN_LIMIT": "1/2"])
        defer { server.signal(SIGTERM) }
        let page = InvitationPageClient(client: client, token: stage.page.token)
        let form = try await page.formToken()
        // However slow the machine is, the test asks more than once a second now and then.
        var statuses: [Int] = []
        while statuses.count < 100 && !statuses.contains(429) {
            statuses.append(
                try await page.submit(["action": "code", "contact": SignInHouse.number(), "form": form]).status)
        }
        #expect(statuses.prefix(2) == [200, 200])
        #expect(statuses.last == 429)
    }

    @Test func `in a browser leads from the link to the vault without an app or scripts, on every screen`() async throws
    {
        let stage = try await stage("Nachlaßunterlagenverwahrungsmappe", owner: "Großtante Ällice")
        let browser = try Browser(everyHostIs: stage.house.client.base)
        let address = "http://kith.example\(stage.page.path)"
        for (width, isPhone) in [(320, true), (390, true), (1280, false)] {
            for isDark in [false, true] {
                try browser.resize(width: width, height: 800, isPhone: isPhone, isDark: isDark)
                try browser.open(address)
                try check(browser, "\(width) \(isDark)")
            }
        }
        let phone = SignInHouse.number()
        try browser.resize(width: 390, height: 800, isPhone: true, isDark: false)
        try browser.open(address)
        try browser.submit(["contact": phone], button: "code")
        #expect(try browser.evaluate("return document.querySelector('h1').innerText") == "Enter your code")
        try check(browser, "code")
        let code = try await stage.house.newCode(to: phone, after: 0)
        try browser.submit(["code": code == "000000" ? "000001" : "000000"], button: "accept")
        #expect(try browser.evaluate("return document.querySelector('[role=alert]').innerText.length > 0"))
        try check(browser, "wrong code")
        try browser.submit(["code": code], button: "accept")
        #expect(try browser.evaluate("return document.querySelector('h1').innerText") == "✅ Vault Access Accepted")
        try check(browser, "accepted")
        #expect(try await row(stage).status == .accepted)
    }

    /// Checks the page in the browser for accessibility and layout.
    private func check(_ browser: Browser, _ place: String) throws {
        // The browser reports the answer to a wrong code as an error.
        let console = try browser.console().filter { !$0.contains("status of 400") }
        #expect(console == [], "a content security policy is violated, or a resource is missing")
        #expect(try browser.evaluate("return document.scripts.length", as: Int.self) == 0)
        #expect(try browser.evaluate("return document.querySelectorAll('h1').length", as: Int.self) == 1)
        let contrast: Double = try browser.evaluate(Browser.lowestContrast)
        #expect(contrast >= 7, "\(place)")
        // On one screen size only: axe-core's result is the same on the others.
        if !place.hasPrefix("390") && !place.hasPrefix("1280") { #expect(try browser.barriers() == [], "\(place)") }
        let isLabelled: Bool = try browser.evaluate(
            "return [...document.querySelectorAll('input:not([type=hidden])')].every(input => input.labels.length == 1)"
        )
        #expect(isLabelled, "\(place)")
        let areLargeEnough: Bool = try browser.evaluate(
            """
            return [...document.querySelectorAll('a.button, button, summary, input:not([type=hidden])')]
              .filter(element => element.offsetParent).every(element => element.offsetHeight >= 44)
            """)
        #expect(areLargeEnough, "\(place)")
        for size in ["100%", "200%"] {
            let overflow: Int = try browser.evaluate(
                """
                document.documentElement.style.fontSize = '\(size)';
                return document.documentElement.scrollWidth - document.documentElement.clientWidth
                """)
            #expect(overflow == 0, "\(place) at \(size)")
        }
    }
}
