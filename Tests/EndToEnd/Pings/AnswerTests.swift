import Counterparts
import Crypto
import Foundation
import KithClient
import Postgres
import TestThreads
import Testing

/// Alice, whose ping is due at nine in Berlin on 10 March 2027, and Bob, who receives it. The server's clock shows noon
/// of the day before.
private struct House {
    let installation: Installation
    let providers: Providers
    let server: KithProcess
    let client: APIClient
    let alice: Person
    let bob: Person

    static let publicURL = "https://kith.example"
    static let due = "2027-03-10T08:01:30Z"
    static let phone = "+4915112345671"

    init(_ settings: [String: String] = [:]) async throws {
        installation = try Installation()
        providers = try Providers()
        (server, client) = try installation.serve(["KITH_PUBLIC_URL": Self.publicURL].merging(settings) { $1 })
        alice = try await Person.join(installation.acme, as: "Alice Example", client)
        bob = try await Person.join(installation.acme, as: "Bob", client)
        try await alice.becomeSender(at: "09:00", zone: "Europe/Berlin", grace: 90)
        _ = try await alice.connect(bob.becomeReceiver().code)
        try installation.session().execute(
            "update kith.notifications set delivery_status = 'dropped', planned_at = \(Day.sql)")
    }

    func give(_ person: Person, phone: String?, email: String? = nil) throws {
        _ = try installation.session().query(
            """
            update kith.users set
              phone = $2::text, phone_verified_at = case when $2::text is not null then \(Day.sql) end,
              email = $3::text, email_verified_at = case when $3::text is not null then \(Day.sql) end
            where id = $1::uuid
            """,
            [
                .text(person.id.uuidString), phone.map(PostgresValue.text) ?? .null,
                email.map(PostgresValue.text) ?? .null,
            ])
    }

    func prefer(_ channels: String, for type: String = "ping_due") async throws {
        let answer = try await alice.send(
            "PUT", "/v1/me/notification-preferences",
            #"{"preferences":[{"type":"\#(type)","channels":[\#(channels)]}]}"#)
        #expect(answer.status == 200, "\(answer.text)")
    }

    func deliver(at instant: String) throws {
        try installation.deliver(to: providers, at: instant, ["KITH_PUBLIC_URL": Self.publicURL])
    }

    /// Sets the tenant's SMS channel with `inbound`; the path of the address for answers.
    func takeTexts(_ inbound: [String: Any]) async throws -> String {
        let body = try JSONSerialization.data(withJSONObject: [
            "url": providers.url("/status/200"), "from": "Kith", "inbound": inbound,
        ])
        let answer = try await client.send(
            "PUT", "/v1/tenant/channels/sms", String(decoding: body, as: UTF8.self), as: installation.acme.secretKey)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(!answer.text.contains("secret-of-16-bytes"))
        let settings = try answer.decode([String: JSON].self)["settings"]?["inbound"]
        let url = try #require(settings?["url"]?.string)
        #expect(url.hasPrefix("\(Self.publicURL)/v1/inbound/sms/\(installation.acme.tenantID)-"))
        return String(url.dropFirst(Self.publicURL.count))
    }

    /// How Alice's check-ins came.
    func sources() throws -> [String] {
        let rows = try installation.session().query(
            "select source from kith.check_ins where user_id = $1::uuid order by received_at",
            [.text(alice.id.uuidString)])
        return (0..<rows.rowCount).compactMap { rows.string($0, 0) }
    }

    func answers() throws -> [String] {
        let rows = try installation.session().query(
            "select body from kith.deliveries where purpose = 'answer' order by created_at, id", [])
        return (0..<rows.rowCount).compactMap { rows.string($0, 0) }
    }
}

@Suite(.mayBlock, .serialized) struct `A link in a message` {
    private func link(in text: String) throws -> String {
        String(try #require(text.firstMatch(of: /https:\/\/kith\.example(\/c\/[0-9]+-[A-Za-z0-9_-]{16})/)).1)
    }

    private func form(_ page: APIClient.Answer) throws -> String {
        String(try #require(page.text.firstMatch(of: /name="form" value="([0-9a-f]+)"/)).1)
    }

    private func press(
        _ action: String, _ path: String, form: String?, _ client: APIClient
    ) async throws -> APIClient.Answer {
        let fields = (form.map { "form=\($0)&" } ?? "") + "action=\(action)"
        return try await client.send(
            "POST", path, fields, headers: ["Content-Type": "application/x-www-form-urlencoded"])
    }

    /// A house in which Alice has got a text message with her link.
    private func house() async throws -> House {
        let house = try await House()
        try house.give(house.alice, phone: House.phone)
        try house.give(house.bob, phone: "+4915112345672")
        try await house.prefer(#""sms""#)
        try house.installation.sendTexts(of: house.installation.acme, to: house.providers.url("/status/200"))
        try house.deliver(at: House.due)
        return house
    }

    @Test func `checks in without a sign-in, once it is pressed and not by being followed`() async throws {
        let house = try await house()
        let texts = try house.providers.sink.log.compactMap(TextMessage.init)
        let text = try #require(texts.last?.text)
        #expect(text.hasPrefix("PRUUF: Are you safe, Alice? Tap https://kith.example/c/"))
        #expect(text.utf8.count <= 160, "one segment")
        let path = try link(in: text)

        // What follows links changes nothing.
        let page = try await house.client.send("GET", path)
        #expect(page.status == 200)
        #expect(page.text.contains("Are you safe,") && page.text.contains("Alice"))
        #expect(!page.text.contains("Example") && !page.text.contains("Bob") && !page.text.contains("<script"))
        #expect(page.text.utf8.count <= 14 << 10)
        #expect(page.headers["cache-control"] == "no-store")
        #expect(page.headers["referrer-policy"] == "no-referrer")
        #expect(try await house.client.exchange("HEAD", path).status == 200)
        for agent in ["WhatsApp/2.23", "facebookexternalhit/1.1", "Mozilla/5.0 (compatible; Google-Safety)"] {
            #expect(try await house.client.send("GET", path, headers: ["User-Agent": agent]).status == 200)
        }
        #expect(try await press("safe", path, form: nil, house.client).status == 403)
        #expect(try await press("safe", path, form: "00", house.client).status == 403)
        // The page speaks the language of the message, whatever the browser prefers.
        #expect(
            try await house.client.send("GET", path, headers: ["Accept-Language": "de"]).text.contains("Are you safe,"))
        try house.installation.session().execute("update kith.users set locale = 'de'")
        let german = try await house.client.send("GET", path)
        #expect(german.text.contains("Geht es Ihnen gut"))
        #expect(german.headers["content-language"] == "de")
        try house.installation.session().execute("update kith.users set locale = 'en'")
        // The token of another link's page is none of this one's.
        #expect(try house.sources() == [])

        let done = try await press("safe", path, form: try form(page), house.client)
        #expect(done.status == 200)
        #expect(done.text.contains("Thank you. You checked in at "))
        #expect(try house.sources() == ["link"])
        let again = try await press("safe", path, form: try form(page), house.client)
        #expect(again.status == 200)
        #expect(try house.sources() == ["link"])
        #expect(try await house.client.send("GET", path).text.contains("You checked in at "))
        #expect(try await press("dance", path, form: try form(page), house.client).status == 400)
        let json = try await house.client.send("POST", path, "{}", headers: ["Content-Type": "application/json"])
        #expect(json.status == 415)

        // Help.
        let help = try await press("help", path, form: try form(page), house.client)
        #expect(help.text.contains("1 person is being told that you need help."), "\(help.text)")

        // A link that nobody knows, and an old one.
        let last = path.last == "A" ? "B" : "A"
        let unknown = try await house.client.send("GET", path.dropLast() + last)
        #expect(unknown.status == 404)
        #expect(unknown.text.contains("This link is no longer valid. Use the link in your newest message."))
        try house.installation.session().execute("update kith.check_in_links set ping_on = '2027-03-01'")
        let old = try await house.client.send("GET", path)
        #expect(old.status == 404)
        #expect(old.text.contains("This link is no longer valid. Use the link in your newest message."))
        #expect(!old.text.contains("Alice"))
        #expect(try await press("safe", path, form: try form(page), house.client).status == 404)
        #expect(try house.sources() == ["link"])
    }

    @Test func `has the brand of its tenant, also when it has ended`() async throws {
        let house = try await house()
        let path = try link(in: try #require(house.providers.sink.log.compactMap(TextMessage.init).last?.text))
        let mark =
            "iVBORw0KGgoAAAANSUhEUgAAAEAAAABAAQAAAACCEkxzAAAAD0lEQVR42mNgGAWjgHwAAAJAAAHgTR1EAAAAAElFTkSuQmCC"
        for setting in ["brand_color=#7a1f5c", "brand_mark=\(mark)"] {
            try house.installation.set(house.installation.acme, setting)
        }
        let page = try await house.client.send("GET", path)
        try house.installation.session().execute("update kith.check_in_links set ping_on = '2027-03-01'")
        let old = try await house.client.send("GET", path)
        #expect(page.status == 200 && old.status == 404)
        for answer in [page, old] {
            #expect(answer.text.contains("<p class=\"brand\"><img src=\"/assets/mark-acme-64-da19be659d261a30.png\""))
            #expect(answer.text.contains("--accent:#7a1f5c"))
            #expect(answer.text.utf8.count <= 14 << 10)
        }
    }

    @Test func `says first that nobody was told where a call for help does nothing`() async throws {
        let house = try await house()
        let path = try link(in: try #require(house.providers.sink.log.compactMap(TextMessage.init).last?.text))
        let page = try await house.client.send("GET", path)
        let form = try form(page)
        func first(
            _ action: String, _ path: String, form: String?, number: String?,
            sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
            let text = try await press(action, path, form: form, house.client).text
            let before = text.components(separatedBy: "<h1")[0]
            #expect(
                before.contains("Nobody has been told that you need help.") == (number != nil), "\(text)",
                sourceLocation: sourceLocation)
            if let number {
                #expect(before.contains("href=\"tel:\(number)\""), "\(text)", sourceLocation: sourceLocation)
            }
        }
        try house.installation.session().execute("update kith.users set time_zone = 'America/Chicago'")
        try await first("help", path, form: "00", number: "911")
        try await first("help", path, form: nil, number: "911")
        try await first("safe", path, form: "00", number: nil)
        let unknown = path.dropLast() + (path.last == "A" ? "B" : "A")
        try await first("help", String(unknown), form: form, number: "112")
        try await first("help", "/c/x", form: form, number: "112")
        try house.installation.session().execute("update kith.check_in_links set ping_on = '2027-03-01'")
        try await first("help", path, form: form, number: "911")
        try await first("safe", path, form: form, number: nil)
        #expect(!(try await house.client.send("GET", path).text.contains("Nobody has been told")))
        #expect(try await !house.alice.send("GET", "/v1/alarms?status=open").text.contains("\"id\""))
    }

    @Test func `promises no help where nobody would be told, and has the emergency number`() async throws {
        let house = try await house()
        let path = try link(in: try #require(house.providers.sink.log.compactMap(TextMessage.init).last?.text))
        let told = "everybody who sees your check-ins is told at once"
        #expect(try await house.client.send("GET", path).text.contains(told))
        try house.give(house.bob, phone: nil)
        try house.installation.session().execute("delete from kith.devices")
        let page = try await house.client.send("GET", path)
        #expect(!page.text.contains(told))
        #expect(
            page.text.contains(
                "There is nobody here yet whom we could tell. If you need help, call the emergency number."),
            "\(page.text)")
        let help = try await press("help", path, form: try form(page), house.client)
        #expect(help.text.contains("Nobody could be told.") && help.text.contains("href=\"tel:112\""), "\(help.text)")
    }

    @Test(arguments: Browser.sizes)
    func `ends a call for help after one more question, and nothing at the place of a first tap`(
        width: Int, height: Int
    ) async throws {
        let house = try await house()
        let text = try #require(house.providers.sink.log.compactMap(TextMessage.init).last?.text)
        let path = try link(in: text)
        let old = try form(try await house.client.send("GET", path))
        let browser = try Browser(everyHostIs: house.client.base)
        try browser.resize(width: width, height: height, isPhone: width < 500, isDark: false)
        func open() async throws -> Int {
            try await house.alice.send("GET", "/v1/alarms?status=open").text.components(separatedBy: "\"id\"").count
        }
        try browser.open("http://kith.example\(path)")
        let none = try await open()
        let call = try browser.place(of: "button[value=help]")
        try browser.tap(call)
        try browser.wait("document.body.innerText.includes('is being told')")
        #expect(try browser.meets(call, "button[value=safe]") == [])
        #expect(try browser.text("h1") == "You have called for help.")
        let calling = try await open()
        #expect(calling > none)
        // A page from before the call asks too.
        let asked = try await press("safe", path, form: old, house.client)
        #expect(asked.text.contains("Do you no longer need help?"))
        let way = try browser.place(of: "button[value=safe]")
        try browser.tap(way)
        try browser.wait("document.querySelector('[name=asked]')")
        #expect(try browser.place(of: "button[value=safe]")[0] >= way[2])
        try browser.tap(way)
        #expect(try await open() == calling)
        // The tap may have met the link that leads back.
        try browser.open("http://kith.example\(path)")
        try browser.tap(try browser.place(of: "button[value=safe]"))
        try browser.wait("document.querySelector('[name=asked]')")
        let tooSoon = "asked=\(AlarmStage.justNow)&form=\(old)&action=safe"
        let fast = try await house.client.send(
            "POST", path, tooSoon, headers: ["Content-Type": "application/x-www-form-urlencoded"])
        #expect(fast.text.contains("That was too fast to be sure."))
        #expect(try await open() == calling)
        #expect(try house.sources() == [])
        let _: Bool = try browser.evaluate(
            "document.querySelector('[name=asked]').value = '1'; return true")
        try browser.wait("getComputedStyle(document.querySelector('.second')).pointerEvents === 'auto'")
        // The question is older than the call, which nobody has been asked about.
        try browser.tap(try browser.place(of: "button[value=safe]"))
        try browser.wait("document.querySelector('[name=asked]').value !== '1'")
        #expect(try await open() == calling)
        try house.installation.session().execute(
            "update kith.alarms set called_at = called_at - interval '1 hour', opened_at = opened_at - interval '1 hour'"
        )
        let _: Bool = try browser.evaluate(
            "document.querySelector('[name=asked]').value = '\(AlarmStage.longAgo)'; return true")
        try browser.wait("getComputedStyle(document.querySelector('.second')).pointerEvents === 'auto'")
        try browser.tap(try browser.place(of: "button[value=safe]"))
        try browser.wait("document.body.innerText.includes('You checked in at')")
        #expect(try await open() == none)
        #expect(try house.sources() == ["link"])
    }
}

@Suite(.mayBlock, .serialized) struct `An answer that a provider forwards` {
    private static let form = ["Content-Type": "application/x-www-form-urlencoded"]

    private func count(_ house: House, _ outcome: String) throws -> Int {
        try house.installation.session().query(
            "select coalesce(sum(count), 0)::integer from kith.inbound_counts where outcome = $1", [.text(outcome)]
        ).int(0, 0) ?? 0
    }

    @Test func `checks in by a bearer secret, in a form and in JSON, and a repeat does nothing`() async throws {
        let house = try await House()
        try house.give(house.alice, phone: House.phone)
        try house.give(house.bob, phone: "+4915112345672")
        let path = try await house.takeTexts([
            "signature": "bearer", "secret": "secret-of-16-bytes", "from_field": "sender.number", "text_field": "text",
            "id_field": "id",
        ])
        let signed = ["Authorization": "Bearer secret-of-16-bytes"]
        func send(_ body: String, _ headers: [String: String]) async throws -> Int? {
            try await house.client.send("POST", path, body, headers: headers).status
        }
        let json = signed.merging(["Content-Type": "application/json"]) { $1 }
        let body = #"{"id":"m1","sender":{"number":"4915112345671"},"text":"  Ok! "}"#
        #expect(try await send(body, json) == 204)
        #expect(try await send(body, json) == 204)
        #expect(try house.sources() == ["sms"])
        #expect(try house.answers().count == 1)
        #expect(try count(house, "repeated") == 1)
        #expect(try await send(body.replacing("m1", with: "m2").replacing("671", with: "999"), json) == 204)
        #expect(try count(house, "unknown_number") == 1)
        #expect(try await send(body.replacing("m1", with: "m3").replacing("Ok!", with: "not ok"), json) == 204)
        #expect(try house.sources() == ["sms"])
        #expect(try house.answers().last == "Reply OK if you are safe, or SOS if you need help.")
        #expect(try await send(body.replacing("m1", with: "m4").replacing("Ok!", with: "SOS"), json) == 204)
        #expect(
            try house.answers().last
                == "1 person is being told that you need help. If you are in danger, call your local emergency number.")

        // Bad calls change nothing.
        #expect(try await send(body.replacing("m1", with: "m5"), ["Content-Type": "application/json"]) == 401)
        #expect(try await send(body, json.merging(["Authorization": "Bearer another-of-16-bytes"]) { $1 }) == 401)
        #expect(try await send(body, json.merging(["Authorization": "secret-of-16-bytes"]) { $1 }) == 401)
        #expect(try await send("[1]", json) == 400)
        #expect(try await send("{", json) == 400)
        #expect(try await send(#"{"id":"m6","text":"OK"}"#, json) == 400)
        #expect(try await send(String(repeating: "x", count: 20_000), json) == 413)
        let other = path.dropLast() + (path.last == "0" ? "1" : "0")
        #expect(try await house.client.send("POST", String(other), body, headers: json).status == 404)
        #expect(try await house.client.send("POST", "/v1/inbound/sms/x", body, headers: json).status == 404)
        #expect(try house.sources() == ["sms"])
    }

    @Test func `by an HMAC is refused when it is old, altered or for another body`() async throws {
        let house = try await House()
        try house.give(house.alice, phone: House.phone)
        let path = try await house.takeTexts([
            "signature": "hmac_sha256", "secret": "secret-of-16-bytes", "signature_header": "X-Sign",
            "timestamp_header": "X-Time",
        ])
        func send(_ body: String, at seconds: Int, signing: String? = nil) async throws -> Int? {
            let code = try hmac(
                .sha256, key: Array("secret-of-16-bytes".utf8), message: Array("\(seconds).\(signing ?? body)".utf8))
            return try await house.client.send(
                "POST", path, body,
                headers: Self.form.merging(["X-Sign": Hex.encode(code), "X-Time": String(seconds)]) { $1 }
            ).status
        }
        let now = Int(Day.now.timeIntervalSince1970)
        let body = "From=%2B4915112345671&Body=%F0%9F%91%8D%F0%9F%8F%BD&MessageSid=SM1"
        #expect(try await send(body, at: now - 400) == 401)
        #expect(try await send(body, at: now + 400) == 401)
        #expect(try await send(body, at: now, signing: body + " ") == 401)
        #expect(try house.sources() == [])
        #expect(try await send(body, at: now - 200) == 204)
        #expect(try house.sources() == ["sms"])
    }

    @Test func `is refused without the provider's id, by which a repeat is known`() async throws {
        let house = try await House()
        try house.give(house.alice, phone: House.phone)
        let path = try await house.takeTexts(["signature": "bearer", "secret": "secret-of-16-bytes"])
        let answer = try await house.client.send(
            "POST", path, "From=%2B4915112345671&Body=OK",
            headers: Self.form.merging(["Authorization": "Bearer secret-of-16-bytes"]) { $1 })
        #expect(answer.status == 400 && answer.text.contains("MessageSid"), "\(answer.text)")
        #expect(try house.sources() == [])
    }

    @Test func `is refused by the address's own limit, and no unsigned flood uses that up`() async throws {
        let house = try await House(["KITH_INBOUND_LIMIT": "1/3"])
        try house.give(house.alice, phone: House.phone)
        let path = try await house.takeTexts(["signature": "bearer", "secret": "secret-of-16-bytes"])
        func send(_ n: Int, _ secret: String) async throws -> Int? {
            try await house.client.send(
                "POST", path, "From=%2B4915112345671&Body=OK&MessageSid=\(n)",
                headers: Self.form.merging(["Authorization": "Bearer \(secret)"]) { $1 }
            ).status
        }
        for n in 0..<20 { #expect(try await send(n, "another-of-16-bytes") == 401) }
        var statuses: [Int?] = []
        for n in 100..<108 { statuses.append(try await send(n, "secret-of-16-bytes")) }
        #expect(statuses.prefix(3) == [204, 204, 204])
        #expect(statuses.contains(429))
        #expect(try await house.alice.send("POST", "/v1/pings/check-in", "{}").status == 200)
    }

    @Test func `in Twilio's protocol checks in by text and by a key, and a machine is no person`() async throws {
        let house = try await House()
        let installation = house.installation
        let twilio = try Counterpart(
            "twilio",
            [
                "--certificate", house.providers.certificate.pathWithKey, "--server", house.client.base.absoluteString,
                "--token", "0123456789abcdef0123456789abcdef",
            ])
        let account = "https://localhost:\(twilio.port)/2010-04-01/Accounts/AC1"
        let inbound = ["signature": "twilio", "secret": "0123456789abcdef0123456789abcdef"]
        try installation.setChannel(
            installation.acme, "sms",
            [
                "url": "\(account)/Messages.json", "from": "+15005550006", "to_field": "To", "from_field": "From",
                "text_field": "Body", "id_field": "sid", "username": "AC1",
                "password": "0123456789abcdef0123456789abcdef", "inbound": inbound,
            ])
        try installation.setChannel(
            installation.acme, "voice",
            [
                "url": "\(account)/Calls.json", "from": "+15005550006", "to_field": "To", "from_field": "From",
                "text_field": "Text", "callback_field": "Url", "id_field": "sid", "username": "AC1",
                "password": "0123456789abcdef0123456789abcdef", "inbound": inbound,
            ])
        try house.give(house.alice, phone: House.phone)
        let token = try installation.session().query(
            "select inbound_token from kith.channel_credentials where channel = 'sms'", []
        ).string(0, 0)
        func say(_ text: String, id: String) async throws {
            let body = try JSONSerialization.data(withJSONObject: [
                "url": "\(House.publicURL)/v1/inbound/sms/\(token ?? "")", "from": House.phone, "text": text, "id": id,
            ])
            let put = try Tool.run(
                URL(filePath: "/usr/bin/curl"),
                [
                    "-sS", "-X", "PUT", "--cacert", house.providers.certificate.path, "--data-binary",
                    String(decoding: body, as: UTF8.self), "https://localhost:\(twilio.port)/text",
                ])
            #expect(put.output.contains("204"), "\(put.output)")
        }
        try await say("Ok 👍🏽", id: "SM100")
        try await say("Ok 👍🏽", id: "SM100")
        #expect(try house.sources() == ["sms"])

        // A machine answers, then somebody who presses 1.
        try await house.prefer(#""voice""#)
        try installation.session().execute(
            "delete from kith.check_ins; update kith.sender_profiles set last_check_in_at = null")
        try house.give(house.alice, phone: "+4915112345670")
        try house.deliver(at: House.due)
        let calls = try await twilio.waits {
            $0.contains { ($0["fields"] as? [String: String])?["CallStatus"] == "completed" }
        }
        #expect(try house.sources() == [])
        #expect(
            calls.contains { ($0["body"] as? String)?.contains("<Gather") == true } == false,
            "a machine is asked nothing")
        // So the question goes out as a text message too.
        try house.deliver(at: "2027-03-10T08:02:00Z")
        _ = try await twilio.waits {
            $0.contains { (($0["fields"] as? [String: String])?["Body"] ?? "").contains("OK") && $0["path"] != nil }
        }
        // Nobody answers the next call, which Twilio tells the address for its state.
        try house.give(house.alice, phone: "+4915112345679")
        try house.deliver(at: "2027-03-10T08:11:31Z")
        let unheard = try await twilio.waits {
            $0.contains { ($0["fields"] as? [String: String])?["CallStatus"] == "no-answer" }
        }
        #expect(unheard.last?["status"] as? Int == 200)
        let errors = try installation.session().query(
            "select string_agg(error, ', ' order by error) from kith.deliveries where channel = 'voice'", []
        ).string(0, 0)
        #expect(errors == "a machine answered, nobody answered")
        // The next call goes to the number that she has by then.
        try house.give(house.alice, phone: House.phone)
        try house.deliver(at: "2027-03-10T08:21:32Z")
        _ = try await twilio.waits { log in
            log.contains { ($0["fields"] as? [String: String])?["Digits"] == "1" && $0["status"] as? Int == 200 }
        }
        let said = try twilio.log.compactMap { $0["body"] as? String }
        #expect(said.contains { $0.contains("This is PRUUF. Press 1 if you are safe. Press 2 if you need help.") })
        #expect(said.contains { $0.contains("Thank you. You checked in at ") })
        #expect(try house.sources() == ["voice"])

        // The address knows no other signature.
        let forged = try await house.client.send(
            "POST", "/v1/inbound/sms/\(token ?? "")", "From=%2B4915112345671&Body=OK&MessageSid=SM9",
            headers: Self.form.merging(["X-Twilio-Signature": "AAAA"]) { $1 })
        #expect(forged.status == 401)
        let test = try KithProcess.run(
            ["tenant", "channel", "test", "acme", "voice", House.phone],
            environment: installation.environment.merging(house.providers.environment) { $1 }
                .merging(["KITH_PUBLIC_URL": House.publicURL]) { $1 })
        #expect(test.status == 0, "\(test.errors)")
        _ = try await twilio.waits { $0.contains { ($0["body"] as? String)?.contains("This is a test call.") == true } }
    }
}
