import Foundation
import KithClient
import TestThreads
import Testing

@Suite(.mayBlock) struct `Signing in to the web client` {
    @Test func `leads by a code to where one wanted to go`() async throws {
        let house = try webHouse.get()
        let email = "\(UUID().uuidString.lowercased())@example.com"
        let web = WebVisitor(house.client)
        let first = try await web.open("/?t=acme")
        #expect(first.status == 200)
        #expect(first.heading == "One “I’m safe” a day")
        // Nobody becomes Alice by a click outside kith dev.
        #expect(!first.html.contains("Alice"))
        try await web.press("code", [("contact", " \(email) ")])
        #expect(web.page.heading == "Enter your code")
        #expect(web.page.html.contains(#"autocomplete="one-time-code""#))
        #expect(web.page.html.contains(#"inputmode="numeric""#))
        let code = try await house.newCode(to: email, after: 0)
        let wrong = code == "000000" ? "000001" : "000000"
        try await web.press("sign-in", [("code", wrong)])
        #expect(web.page.status == 401)
        #expect(web.page.text.contains("This code is wrong or has expired."))
        #expect(web.page.html.contains(#"aria-describedby="code-error""#))
        try await web.press("sign-in", [("code", "\(code.prefix(3)) \(code.suffix(3))")])
        #expect(web.page.path == "/today")
        #expect(web.page.heading == "Welcome")
        // The first page is for people who are not signed in.
        #expect(try await web.open("/").path == "/today")
        #expect(try await web.open("/sign-in?next=//evil.example").path == "/today")
    }

    /// A code works once, so the browser would show for a second press that it is wrong.
    @Test func `sends a code once in a browser, however often the button is pressed`() async throws {
        let house = try webHouse.get()
        let email = "\(UUID().uuidString.lowercased())@example.com"
        let browser = try Browser(everyHostIs: house.client.base)
        try browser.open(Browser.address("/sign-in?t=acme"))
        try browser.submit(["contact": email], button: "code")
        let code = try await house.newCode(to: email, after: 0)
        let areStopped: [Bool] = try browser.evaluate(
            """
            const [field, areStopped] = [document.querySelector('#code'), []];
            field.value = '\(code)';
            field.form.addEventListener('submit', (event) => areStopped.push(event.defaultPrevented));
            for (let press = 0; press < 2; press++) field.form.querySelector('button').click();
            return areStopped;
            """)
        #expect(areStopped == [false, true])
        try browser.wait("location.pathname === '/today'")
    }

    @Test func `sends one code, however often the form is sent`() async throws {
        let house = try webHouse.get()
        let email = "\(UUID().uuidString.lowercased())@example.com"
        let web = WebVisitor(house.client)
        try await web.open("/?t=acme")
        let form = try #require(web.page.form(with: "code"))
        try await web.send(form, "code", [("contact", email)])
        let first = try #require(web.page.form(with: "sign-in")).fields.first { $0.0 == "challenge" }?.1
        try await web.send(form, "code", [("contact", email)])
        #expect(try #require(web.page.form(with: "sign-in")).fields.first { $0.0 == "challenge" }?.1 == first)
        let again = try #require(web.page.form(with: "code"))
        // A form that another browser sends is another one.
        let other = WebVisitor(house.client)
        try await other.open("/?t=acme")
        let token = try #require(other.page.form(with: "code")).fields.first { $0.0 == "form" }?.1 ?? ""
        let key = form.fields.first { $0.0 == "key" }?.1 ?? ""
        try await other.send(form, "code", [("contact", email), ("form", token), ("key", key)])
        #expect(try #require(other.page.form(with: "sign-in")).fields.first { $0.0 == "challenge" }?.1 != first)
        // Whoever wants a new code gets one.
        try await web.send(again, "code")
        let last = try #require(web.page.form(with: "sign-in")).fields.first { $0.0 == "challenge" }?.1
        #expect(last != first)
        // Messages to one address leave in order, so all have come when the last one works.
        for count in 0..<3 { _ = try await house.newCode(to: email, after: count) }
        let code = try #require(try house.mailbox.items(for: email).last?.code)
        try await web.press("sign-in", [("code", code)])
        #expect(try house.mailbox.items(for: email).count == 3, "two forms of one browser, and one of another")
    }

    @Test func `takes a phone number as it is dialled in the country that is chosen by its name`() async throws {
        let house = try webHouse.get()
        let web = WebVisitor(house.client)
        web.languages = "de-AT,de;q=0.9"
        try await web.open("/?t=acme")
        #expect(web.page.html.contains(#"<option value="AT" selected>Österreich (+43)</option>"#))
        let number = SignInHouse.number()
        try await web.press("code", [("contact", "0\(number.dropFirst(3))"), ("country", "DE")])
        #expect(web.page.text.contains(number), "\(web.page.text)")
        try await web.open("/?t=acme")
        try await web.press("code", [("contact", "0\(number.dropFirst(3))"), ("country", "")])
        #expect(web.page.status == 422)
        try await web.press("code", [("contact", "0\(number.dropFirst(3))"), ("country", "ZZ")])
        #expect(web.page.status == 422)
    }

    @Test func `comes back from the links of invitations and messages with what they carry`() async throws {
        let house = try webHouse.get()
        let (alice, _, connection) = try await WebPerson.pair()
        let code = try await alice.person.becomeSender().code
        let join = try await house.client.exchange("GET", "/join?code=\(code)&t=acme")
        let way = try #require(join.text.firstMatch(of: /<a href="(\/sign-in\?[^"]*)"/)).1.description.unescaped
        // Somebody new, who has neither an account nor a name.
        let email = "\(UUID().uuidString.lowercased())@example.com"
        let web = WebVisitor(house.client)
        try await web.open(way)
        try await web.press("code", [("contact", email)])
        try await web.press("sign-in", [("code", house.newCode(to: email, after: 0))])
        #expect(web.page.path == "/people/connect?code=\(code)")
        let filled = try #require(web.page.form(with: "connect")).fields
        #expect(filled.contains { $0 == ("code", code) })
        try await web.press("connect", [("display_name", "Dora")])
        #expect(web.page.status == 409, "\(web.page.text)")
        let receiver = try #require(web.page.html.firstMatch(of: /href="(\/me\/receiver\?[^"]*)"/)).1.description
            .unescaped
        try await web.open(receiver)
        try await web.press("save", [("time_zone", "Europe/Berlin")])
        #expect(web.page.path == "/people/connect?code=\(code)")
        try await web.press("connect")
        #expect(web.page.path.hasPrefix("/people/"))
        #expect(web.page.heading == "Alice")
        #expect(try await alice.web.open("/people").text.contains("Dora"))
        let open = try await house.client.exchange(
            "GET", "/open?type=connection&id=\(connection.id.text)&t=acme")
        let link = try #require(open.text.firstMatch(of: /<a href="(\/sign-in\?[^"]*)"/)).1.description.unescaped
        #expect(try await alice.web.open(link).path == "/people/\(connection.id.text)")
        for junk in ["type=connection", "type=%22%3E&id=\(connection.id.text)", "type=//evil.example&id=x", "id=1"] {
            let page = try await house.client.exchange("GET", "/open?\(junk)&t=acme")
            guard page.status == 200 else { continue }
            let link = try #require(page.text.firstMatch(of: /<a href="(\/sign-in\?[^"]*)"/)).1.description.unescaped
            #expect(try await alice.web.open(link).path == "/messages", "\(junk)")
        }
    }

    @Test func `keeps the session in a cookie that no script and no other site sees`() async throws {
        let house = try webHouse.get()
        let page = try await house.client.exchange("GET", "/?t=acme")
        let plain = try #require(page.headers["set-cookie"])
        #expect(plain.hasPrefix("kith_form=") && plain.contains("HttpOnly") && plain.contains("SameSite=Lax"))
        // On any other host than this machine the cookies require TLS.
        let named = try await house.client.exchange("GET", "/?t=acme", headers: ["Host": "kith.example"])
        let secure = try #require(named.headers["set-cookie"])
        #expect(secure.hasPrefix("__Host-kith_form=") && secure.contains("; Secure") && secure.contains("Path=/;"))
        #expect(page.headers["cache-control"] == "no-store")
        let policy = try #require(page.headers["content-security-policy"])
        #expect(policy.contains("default-src 'none'") && !policy.contains("unsafe"))
        let alice = try await WebPerson.join("Alice")
        let cookie = alice.web.cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
        let call = try await house.client.send("GET", "/v1/me", headers: ["Cookie": cookie])
        #expect(call.status == 401)
    }

    @Test func `lets nobody keep a person out of the browser that they have used before`() async throws {
        let alice = try await WebPerson.join("Alice")
        try await alice.web.open("/me")
        try await alice.web.press("sign-out")
        #expect(alice.web.cookies["kith_device"]?.isEmpty == false)
        #expect(alice.web.cookies["kith"] == "acme.", "nobody is signed in")
        // A stranger uses up the tries of the address for this hour.
        for _ in 0..<12 {
            _ = try await alice.house.client.send(
                "POST", "/v1/auth/otp/verify", #"{"email":"\#(alice.email)","code":"000000"}"#,
                headers: ["X-Kith-Tenant": "acme"])
        }
        try await alice.web.open("/sign-in?t=acme")
        let before = try alice.house.mailbox.items(for: alice.email).count
        try await alice.web.press("code", [("contact", alice.email)])
        try await alice.web.press(
            "sign-in", [("code", alice.house.newCode(to: alice.email, after: before))])
        #expect(alice.web.page.path == "/today")
        // After a sign-out everywhere the browser proves nothing.
        try await alice.web.open("/me")
        try await alice.web.press("sign-out-everywhere")
        #expect(alice.web.cookies["kith_device"] == nil)
    }

    @Test func `carries no text of strangers in addresses`() async throws {
        let house = try webHouse.get()
        for text in ["a%26next=//evil.example", "%E2%80%AE", "a%0D%0Ab"] {
            let answer = try await house.client.exchange("GET", "/today?t=\(text)")
            #expect(answer.headers["location"]?.hasPrefix("/sign-in?next=%2Ftoday") == true)
            #expect(answer.headers["location"]?.contains("t=a") == false)
            // The address that was asked for is one value: nothing in it becomes a parameter or a host of its own.
            #expect(answer.headers["location"]?.contains("&") == false)
            let isEncoded = answer.headers["location"]?.contains("%2526next%3D%2F%2Fevil")
            #expect(answer.headers["location"]?.contains("evil") == isEncoded)
        }
    }

    @Test func `returns to a local path and to no other site`() async throws {
        let house = try webHouse.get()
        let alice = try await WebPerson.join("Alice")
        for (next, leads) in [
            ("/today?x=1", "/today?x=1"), ("//evil.example", "/today"), ("https://evil.example", "/today"),
            ("/\\evil.example", "/today"),
        ] {
            let web = WebVisitor(house.client)
            try await web.open("/sign-in?t=acme&next=\(next.formEncoded)")
            let before = try house.mailbox.items(for: alice.email).count
            try await web.press("code", [("contact", alice.email)])
            try await web.press("sign-in", [("code", house.newCode(to: alice.email, after: before))])
            #expect(web.page.path == leads)
        }
    }

    @Test func `speaks the language of the browser`() async throws {
        let house = try webHouse.get()
        let web = WebVisitor(house.client)
        web.languages = "de-AT,de;q=0.9"
        try await web.open("/?t=acme")
        #expect(web.page.html.contains(#"<html lang="de" dir="ltr">"#))
        #expect(web.page.text.contains("Code zusenden"))
        try await web.press("code", [("contact", "nobody")])
        #expect(web.page.status == 422)
        #expect(web.page.text.contains("Bitte geben Sie eine E-Mail-Adresse ein"))
        #expect(web.page.html.contains(#"value="nobody""#), "what was typed is kept")
    }

    @Test func `speaks the tenant's language and words where nobody says otherwise`() async throws {
        let house = try webHouse.get()
        let tenant = try house.installation.tenant("eigenwort")
        try house.installation.set(tenant, "default_locale=de")
        let words = #"{"web.sign_in.send":"Schickt mir den Code","web.frame.skip":"Zur Mitte"}"#
        #expect(try await house.client.send("PUT", "/v1/tenant/texts/de", words, as: tenant.secretKey).status == 200)
        let email = "\(UUID().uuidString.lowercased())@example.com"
        let web = WebVisitor(house.client, tenant: "eigenwort")
        try await web.open("/sign-in?t=eigenwort")
        #expect(web.page.text.contains("Schickt mir den Code"))
        try await web.press("code", [("contact", email)])
        _ = try await house.newCode(to: email, after: 0)
        let message = try #require(house.mailbox.items(for: email).last)
        #expect(message.subject == "Ihr Code für PRUUF")
        try await web.press("sign-in", [("code", house.newCode(to: email, after: 0))])
        try await web.open("/today")
        #expect(web.page.html.contains(#"<html lang="de" dir="ltr">"#))
        #expect(web.page.html.contains("Zur Mitte"))
        web.languages = "en"
        try await web.open("/offline?t=eigenwort&l=de")
        #expect(
            web.page.html.contains(#"<html lang="de" dir="ltr">"#), "a page kept for a language is in that language")
    }

    @Test func `has no page for a tenant that does not exist`() async throws {
        let house = try webHouse.get()
        #expect(try await WebVisitor(house.client).open("/?t=nobody").status == 404)
        #expect(try await WebVisitor(house.client).open("/sign-in").status == 404)
    }
}
