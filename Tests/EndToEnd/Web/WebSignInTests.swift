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
