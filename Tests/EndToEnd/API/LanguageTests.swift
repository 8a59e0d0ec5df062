import Foundation
import KithClient
import KithServer
import TestThreads
import Testing

@Suite(.mayBlock) struct `The language of an answer` {
    private static let invalidCode = "Diesen Code gibt es nicht. Bitte prüfen Sie ihn und versuchen Sie es noch einmal."

    @Test func `is the one that the request prefers, else the user's, else English, and never changes the code`()
        async throws
    {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        func refusal(_ person: Person, _ language: String?) async throws -> APIClient.Answer {
            try await client.send(
                "GET", "/v1/notifications/\(UUID().uuidString)", as: person.token,
                headers: language.map { ["Accept-Language": $0] } ?? [:])
        }
        for (language, detail, used) in [
            (nil, "There is no such path; /openapi.json lists them.", "en"),
            ("de-AT", "There is no such path; /openapi.json lists them.", "en"),
        ] as [(String?, String, String)] {
            let answer = try await refusal(alice, language)
            #expect(answer.detail == detail, "what only developers read is English")
            #expect(answer.headers["content-language"] == used)
        }
        func wrong(_ person: Person, _ language: String?) async throws -> APIClient.Answer {
            try await client.send(
                "POST", "/v1/vaults/\(UUID().uuidString)/open", as: person.token,
                headers: language.map { ["Accept-Language": $0] } ?? [:])
        }
        for (language, title, used) in [
            (nil, "Not Found", "en"), ("de-AT, en;q=0.5", "Nicht gefunden", "de"), ("fr", "Not Found", "en"),
            ("en;q=0.3, de;q=0.2", "Not Found", "en"), ("de;q=0", "Not Found", "en"),
            (String(repeating: "de, ", count: 1000), "Not Found", "en"),
        ] as [(String?, String, String)] {
            let answer = try await wrong(alice, language)
            #expect(answer.status == 404 && answer.code == "not_found")
            #expect(answer.text.contains(#""title":"\#(title)""#), "\(language ?? "-"): \(answer.text)")
            #expect(answer.headers["content-language"] == used)
            #expect(answer.headers["vary"]?.contains("Accept-Language") == true)
        }
        let carol = try await Person.join(installation.acme, as: "Carol", client)
        _ = try await carol.send("PATCH", "/v1/me", #"{"locale":"de-informal"}"#)
        // A token is trusted for a minute, with the language of its user; a new one is not known yet.
        let token: Kith.AccessToken = try await client.get(
            "POST", "/v1/tokens", #"{"user_id":"\#(carol.id)","ttl_seconds":300}"#, as: installation.acme.secretKey,
            status: 201)
        let again = Person(id: carol.id, token: token.accessToken, client: client)
        let own = try await wrong(again, nil)
        #expect(own.headers["content-language"] == "de-informal")
        #expect(try await wrong(again, "en").headers["content-language"] == "en")
    }

    @Test func `has the messages about fields, and the tenant's own words`() async throws {
        let (installation, _, client) = try shared.get()
        let tenant = try installation.tenant("wortreich", host: "wortreich.example")
        let set = try await client.send(
            "PATCH", "/v1/tenant", #"{"default_locale":"de-CH","brand_name":"Wortreich"}"#, as: tenant.secretKey)
        #expect(set.status == 200, "\(set.text)")
        let alice = try await Person.join(tenant, as: "Alice", client)
        let me: Kith.User = try await alice.get("GET", "/v1/me")
        #expect(me.locale == "de-CH", "a new user's language is the tenant's")
        let refused = try await alice.send("PATCH", "/v1/me", #"{"display_name":"\u202EAlice"}"#)
        #expect(refused.text.contains("muss ein sichtbares Zeichen haben"), "\(refused.text)")
        _ = try await alice.becomeReceiver()
        let code = try await alice.send("POST", "/v1/connections", #"{"code":"000000"}"#)
        #expect(code.code == "profile_required" || code.detail == Self.invalidCode, "\(code.text)")

        let path = "/v1/tenant/texts/de"
        let all = try await client.send("GET", path, as: tenant.secretKey)
        #expect(
            all.text.contains(#"{"key":"check_in.button","placeholders":[],"default":"Mir geht es gut","text":null}"#))
        let wrong = try await client.send(
            "PUT", path, #"{"page.join.heading":"Willkommen","page.join.code":"Code"}"#, as: tenant.secretKey)
        #expect(wrong.status == 422)
        #expect(wrong.text.contains(#"{"field":"page.join.heading","message":"must have the placeholder {brand}"}"#))
        let right = try await client.send(
            "PUT", path, #"{"page.join.heading":"Willkommen bei {brand} & Söhnen"}"#, as: tenant.secretKey)
        #expect(right.status == 200, "\(right.text)")
        #expect(right.text.contains(#""text":"Willkommen bei {brand} & Söhnen""#))
        func page(_ language: String) async throws -> String {
            try await client.send(
                "GET", "/join", headers: ["Host": "wortreich.example", "Accept-Language": language]
            ).text
        }
        #expect(try await page("fr").contains("<h1>Willkommen bei Wortreich &amp; Söhnen</h1>"))
        #expect(try await page("de-informal").contains("<h1>Willkommen bei Wortreich &amp; Söhnen</h1>") == false)
        #expect(try await page("en").contains("<h1>You’re invited to Wortreich</h1>"))
        #expect(try await client.send("DELETE", path, as: tenant.secretKey).status == 204)
        #expect(try await page("de").contains("<h1>Sie sind zu Wortreich eingeladen</h1>"))
        #expect(try await client.send("GET", "/v1/tenant/texts/xx", as: tenant.secretKey).code == "not_found")
        #expect(try await client.send("GET", path, as: alice.token).code == "forbidden")
    }

    @Test func `can be worded by an operator, who is refused by the same rules`() async throws {
        let (installation, _, _) = try shared.get()
        _ = try installation.tenant("gewortet")
        let file = FileManager.default.temporaryDirectory.appending(path: "kith-texts-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: file) }
        func kith(_ arguments: String..., texts: String? = nil) throws -> (
            status: Int32, output: String, errors: String
        ) {
            if let texts { try texts.write(to: file, atomically: true, encoding: .utf8) }
            return try KithProcess.run(["tenant", "texts"] + arguments, environment: installation.environment)
        }
        let set = try kith("set", "gewortet", "de", file.path, texts: #"{"check_in.button":"Alles gut"}"#)
        #expect(set.output == "replaced 1 texts of gewortet in de\n", "\(set.errors)")
        #expect(try kith("list", "gewortet").output.hasPrefix(#"locale=de key=check_in.button text="Alles gut""#))
        let refused = try kith("set", "gewortet", "de", file.path, texts: #"{"check_in.buton":"Alles gut"}"#)
        #expect(refused.status == 65 && refused.errors == "kith: check_in.buton is not the key of a text\n")
        #expect(try kith("reset", "gewortet", "de").status == 0)
        #expect(try kith("list", "gewortet").output == "")
    }

    @Test(arguments: [("en", "Ask the person"), ("de", "Fragen Sie die Person"), ("de-informal", "Frag die Person")])
    func `shows on the open pages, whole on a phone`(language: String, words: String) async throws {
        let (_, _, client) = try shared.get()
        let answer = try await client.send("GET", "/join?t=acme", headers: ["Accept-Language": language])
        #expect(answer.text.contains(words))
        #expect(answer.text.contains(#"<html lang="\#(language)" dir="ltr">"#))
        #expect(answer.headers["content-language"] == language)
        #expect(answer.headers["vary"]?.contains("Accept-Language") == true)
        let browser = try Browser(everyHostIs: client.base, language: language)
        try browser.resize(width: 320, height: 800, isPhone: true, isDark: false)
        for (name, path) in [
            ("join", "/join?t=acme&code=012345"), ("open", "/open?t=acme"), ("missing", "/nowhere"),
        ] {
            try browser.open("http://pages.example\(path)")
            #expect(try browser.evaluate("return document.documentElement.lang") == language, "\(path)")
            let overflow: Int = try browser.evaluate(
                "return document.documentElement.scrollWidth - document.documentElement.clientWidth")
            #expect(overflow == 0, "\(path)")
            try browser.keepScreenshot("\(name)-\(language)")
        }
    }
}
