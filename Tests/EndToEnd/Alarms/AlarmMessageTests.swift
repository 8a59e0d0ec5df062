import Counterparts
import Foundation
import KithClient
import Postgres
import TestThreads
import Testing

/// Acting in an alarm from its message, without an app (K11). The rules are tested in Tests/SQL/alarm_answers.sql.
@Suite(.mayBlock, .serialized) struct `A receiver without an app` {
    /// Alice, who calls for help, and Bob and Carol, who are told by text messages. The server's clock shows noon of a
    /// day in 2027.
    private struct House {
        static let publicURL = "https://kith.example"
        static let phones = ["bob": "+4915112345672", "carol": "+4915112345673"]
        let installation: Installation
        let providers: Providers
        let server: KithProcess
        let client: APIClient
        let alice: Person
        let bob: Person
        let carol: Person

        init() async throws {
            installation = try Installation()
            providers = try Providers()
            (server, client) = try installation.serve(["KITH_PUBLIC_URL": Self.publicURL])
            alice = try await Person.join(installation.acme, as: "Alice Example", client)
            bob = try await Person.join(installation.acme, as: "Bob", client)
            carol = try await Person.join(installation.acme, as: "Carol", client)
            try await alice.becomeSender()
            _ = try await alice.connect(bob.becomeReceiver().code)
            _ = try await alice.connect(carol.becomeReceiver().code)
            let session = try installation.session()
            try session.execute("update kith.notifications set delivery_status = 'dropped', planned_at = \(Day.sql)")
            for (person, phone) in [(bob, "bob"), (carol, "carol")] {
                try session.execute(
                    """
                    update kith.users set phone = '\(Self.phones[phone] ?? "")', phone_verified_at = \(Day.sql)
                    where id = '\(person.id.text)'
                    """)
                let chosen = try await person.send(
                    "PUT", "/v1/me/notification-preferences",
                    #"{"preferences":[{"type":"help_requested","channels":["sms"]}]}"#)
                #expect(chosen.status == 200, "\(chosen.text)")
            }
        }

        func help() async throws -> String {
            let answer = try await alice.send("POST", "/v1/alarms", "{}")
            try #require(answer.status == 201, "\(answer.text)")
            return try #require(try answer.decode([String: JSON].self)["id"]?.string)
        }

        func deliver() throws {
            try installation.deliver(to: providers, at: Day.instant(90), ["KITH_PUBLIC_URL": Self.publicURL])
        }

        func alarm(_ id: String) async throws -> [String: JSON] {
            try await alice.send("GET", "/v1/alarms/\(id)").decode([String: JSON].self)
        }

        /// Sets the tenant's SMS channel with signed answers; the path of their address.
        func takeTexts() async throws -> String {
            let answer = try await client.send(
                "PUT", "/v1/tenant/channels/sms",
                #"{"url":"\#(providers.url("/status/200"))","from":"Kith","inbound":{"signature":"bearer","secret":"secret-of-16-bytes"}}"#,
                as: installation.acme.secretKey)
            let url = try answer.decode([String: JSON].self)["settings"]?["inbound"]?["url"]?.string
            return String(try #require(url, "\(answer.text)").dropFirst(Self.publicURL.count))
        }
    }

    private func press(_ action: String, _ path: String, form: String?, _ client: APIClient) async throws
        -> APIClient.Answer
    {
        try await client.send(
            "POST", path, (form.map { "form=\($0)&" } ?? "") + "action=\(action)",
            headers: ["Content-Type": "application/x-www-form-urlencoded"])
    }

    private func form(_ page: APIClient.Answer) throws -> String {
        String(try #require(page.text.firstMatch(of: /name="form" value="([0-9a-f]+)"/)).1)
    }

    @Test func `takes and ends an alarm by the link in the message, which does nothing by being followed`() async throws
    {
        let house = try await House()
        try house.installation.sendTexts(of: house.installation.acme, to: house.providers.url("/status/200"))
        let mark =
            "iVBORw0KGgoAAAANSUhEUgAAAEAAAABAAQAAAACCEkxzAAAAD0lEQVR42mNgGAWjgHwAAAJAAAHgTR1EAAAAAElFTkSuQmCC"
        for setting in ["brand_color=#7a1f5c", "brand_mark=\(mark)"] {
            try house.installation.set(house.installation.acme, setting)
        }
        let id = try await house.help()
        try house.deliver()
        let texts = try house.providers.sink.log.compactMap(TextMessage.init).map(\.text)
        let paths = Set(
            texts.compactMap { text in
                text.firstMatch(of: /https:\/\/kith\.example(\/a\/[0-9]+-[A-Za-z0-9_-]{16})/).map { String($0.1) }
            })
        #expect(paths.count == 2, "each receiver has a link: \(texts)")
        #expect(texts.allSatisfy { $0.contains(": Alice Example needs help. Call them now.") }, "\(texts)")
        #expect(texts.allSatisfy { $0.contains(" To look after it, tap https://") }, "\(texts)")
        let (path, other) = (try #require(paths.sorted().first), try #require(paths.sorted().last))

        let page = try await house.client.send("GET", path)
        #expect(page.status == 200)
        #expect(page.text.contains("Alice needs help.") && page.text.contains("Nobody is looking after Alice yet."))
        #expect(page.text.contains("href=\"tel:112\"") && page.text.contains("href=\"/alarms/\(id)\""))
        #expect(page.text.contains("Alice") && !page.text.contains("Example"), "\(page.text)")
        #expect(!page.text.contains("<script") && !page.text.contains("Bob") && !page.text.contains("Carol"))
        #expect(page.headers["cache-control"] == "no-store" && page.headers["referrer-policy"] == "no-referrer")
        #expect(page.text.utf8.count <= 14 << 10)
        let picture = "<p class=\"brand\"><img src=\"/assets/mark-acme-64-da19be659d261a30.png\""
        #expect(page.text.contains(picture) && page.text.contains("--accent:#7a1f5c"))
        // The tab shows the alarm, and not the mark.
        #expect(page.text.contains("<link rel=\"icon\" href=\"/assets/icon-alarm-"))
        #expect(try await house.client.exchange("HEAD", path).status == 200)
        for agent in ["WhatsApp/2.23", "facebookexternalhit/1.1"] {
            #expect(try await house.client.send("GET", path, headers: ["User-Agent": agent]).status == 200)
        }
        let foreign = try form(try await house.client.send("GET", other))
        for stolen in [nil, "00", foreign] {
            #expect(try await press("safe", path, form: stolen, house.client).status == 403)
        }
        #expect(try await press("dance", path, form: try form(page), house.client).status == 400)
        #expect(try await house.alarm(id)["status"]?.string == "open", "nothing has happened yet")

        let taken = try await press("take", path, form: try form(page), house.client)
        #expect(taken.status == 200 && taken.text.contains("You are looking after Alice, until "), "\(taken.text)")
        #expect(try await house.alarm(id)["status"]?.string == "taken")
        // The page speaks the language of the message, whatever the browser prefers.
        #expect(
            try await house.client.send("GET", path, headers: ["Accept-Language": "de"]).headers["content-language"]
                == "en")
        try house.installation.session().execute("update kith.users set locale = 'de'")
        let german = try await house.client.send("GET", other)
        #expect(german.text.contains("eine andere Kontaktperson."), "\(german.text)")
        try house.installation.session().execute("update kith.users set locale = 'en'")
        #expect(!german.text.contains("value=\"take\""))
        // Whoever can't says so, and a second press finds it said.
        for _ in 1...2 {
            let given = try await press("release", path, form: try form(page), house.client)
            #expect(given.text.contains("You have said that you can’t."), "\(given.text)")
        }
        #expect(try await house.alarm(id)["status"]?.string == "open")
        #expect(try await press("take", path, form: try form(page), house.client).status == 200)
        // A page from before the sender has called again ends nothing.
        let seen = try #require(german.text.firstMatch(of: /name="seen" value="([0-9]+)"/)).1
        #expect(try await house.alice.send("POST", "/v1/alarms", #"{"note":"It burns"}"#).status < 300)
        #expect(try await house.client.send("GET", path).text.contains("<q><bdi>It burns</bdi></q>"))
        let asked = "asked=\(AlarmStage.longAgo)"
        let refused = try await press("safe", other, form: "\(foreign)&seen=\(seen)&\(asked)", house.client)
        #expect(refused.status == 409 && refused.text.contains("called for help again"), "\(refused.text)")
        #expect(try await house.alarm(id)["outcome"]?.string == nil)
        #expect(try await press("safe", other, form: foreign, house.client).text.contains("name=\"asked\""))
        #expect(try await house.alarm(id)["outcome"]?.string == nil)
        let done = try await press("safe", other, form: "\(foreign)&\(asked)", house.client)
        #expect(
            done.text.contains("Thank you. Everybody who was told hears of it now.") && !done.text.contains("Alice"))
        #expect(try await house.alarm(id)["outcome"]?.string == "safe")
        let last = path.last == "A" ? "B" : "A"
        // The receiver who ended the alarm sees the same answer again.
        let again = try await house.client.send("GET", other)
        #expect(again.status == 200 && again.text.contains("Thank you. Everybody who was told hears of it now."))
        for dead in [path, path.dropLast() + last] {
            let over = try await house.client.send("GET", dead)
            #expect(over.status == 404)
            #expect(over.text.contains("This link is no longer valid: the alarm is over"))
            #expect(over.text.contains(picture) == over.text.contains("PRUUF"), "a link that nobody knows has no brand")
            #expect(!over.text.contains("Alice"))
        }
    }

    @Test func `answers by "1" and "2", and a provider's repeat does nothing`() async throws {
        let house = try await House()
        let path = try await house.takeTexts()
        let id = try await house.help()
        try house.deliver()
        let texts = try house.providers.sink.log.compactMap(TextMessage.init).map(\.text)
        #expect(
            texts.contains { $0.contains("Reply 1 = I'm looking after it, 2 = reached, all well, or tap https://") })
        func say(_ text: String, _ number: String, id: String) async throws {
            let answer = try await house.client.send(
                "POST", path, "From=\(number.replacing("+", with: "%2B"))&Body=\(text)&MessageSid=\(id)",
                headers: [
                    "Content-Type": "application/x-www-form-urlencoded", "Authorization": "Bearer secret-of-16-bytes",
                ])
            #expect(answer.status == 204, "\(answer.text)")
        }
        let (bob, carol) = (House.phones["bob"] ?? "", House.phones["carol"] ?? "")
        try await say("1", bob, id: "SM1")
        try await say("1", bob, id: "SM1")
        #expect(try await house.alarm(id)["taken_by"]?["display_name"]?.string == "Bob")
        try await say("1", carol, id: "SM2")
        let stranger = "+4915112345699"
        try await say("2", stranger, id: "SM3")
        #expect(try await house.alarm(id)["taken_by"]?["display_name"]?.string == "Bob")
        let kinds = try await house.alarm(id)["timeline"]?.array.compactMap { $0["kind"]?.string } ?? []
        #expect(kinds.filter { $0 == "taken" || $0 == "still_on_it" } == ["taken"])
        try await say("2", carol, id: "SM4")
        #expect(try await house.alarm(id)["outcome"]?.string == "safe")
        let replies = try house.installation.session().query(
            """
            select internal.named_reply(tenant_id, address, body) from kith.deliveries where purpose = 'answer'
            order by created_at, id
            """)
        #expect(
            (0..<replies.rowCount).compactMap { replies.string($0, 0) } == [
                "Thank you. You are looking after Alice Example. The others are being told.",
                "Another receiver is looking after it.",
                "Thank you. Everybody who was told is now told that Alice Example is safe.",
            ])
    }

    @Test func `gets the links of both alarms if an answer could mean either`() async throws {
        let house = try await House()
        let path = try await house.takeTexts()
        let other = try await Person.join(house.installation.acme, as: "Dora", house.client)
        try await other.becomeSender()
        _ = try await other.connect(house.bob.becomeReceiver().code)
        let first = try await house.help()
        let second = try await other.send("POST", "/v1/alarms", "{}").decode([String: JSON].self)["id"]?.string
        try house.deliver()
        let answer = try await house.client.send(
            "POST", path, "From=%2B4915112345672&Body=2&MessageSid=SM1",
            headers: [
                "Content-Type": "application/x-www-form-urlencoded", "Authorization": "Bearer secret-of-16-bytes",
            ])
        #expect(answer.status == 204)
        #expect(try await house.alarm(first)["status"]?.string == "open")
        #expect(
            try await other.send("GET", "/v1/alarms/\(second ?? "")").decode([String: JSON].self)["status"]?.string
                == "open")
        try house.deliver()
        let reply = try #require(
            try house.providers.sink.log.compactMap(TextMessage.init).map(\.text).last {
                $0.hasPrefix("Your answer can mean")
            })
        let links = reply.matches(of: /(Alice|Dora) yet: https:\/\/kith\.example(\/a\/[0-9]+-[A-Za-z0-9_-]{16})/)
        #expect(Set(links.map { String($0.1) }) == ["Alice", "Dora"], "\(reply)")
        for link in links {
            let page = try await house.client.send("GET", String(link.2))
            #expect(page.status == 200 && page.text.contains(String(link.1)), "\(page.text)")
        }
    }
}

/// Where a person is, with a check-in or a call for help (K08).
@Suite(.mayBlock) struct `A place` {
    private func seen(_ pair: Pair, _ alarm: String) async throws -> JSON? {
        try await pair.bob.send("GET", "/v1/alarms/\(alarm)/care-card").decode([String: JSON].self)["location"]
    }

    @Test func `is seen by those who were told, while there is an alarm, and sealed in the database`() async throws {
        let (installation, server, client) = try shared.get()
        let pair = try await Pair(installation.acme, client)
        let at = Day.now.formatted(.iso8601)
        let place = #"{"latitude":52.516312,"longitude":-13.377712,"accuracy_meters":12.5,"at":"\#(at)"}"#
        let checkIn = try await pair.alice.send("POST", "/v1/pings/check-in", #"{"location":\#(place)}"#)
        #expect(checkIn.status == 200, "\(checkIn.text)")
        let own = try await pair.alice.send("GET", "/v1/me/care-card").decode([String: JSON].self)
        #expect(own["location"]?["latitude"]?.number == 52.516312)
        let called = try await pair.alice.send(
            "POST", "/v1/alarms", #"{"location":\#(place.replacing("52.516312", with: "48.137"))}"#)
        #expect(called.status == 201 && !called.text.contains("48.137"), "\(called.text)")
        let id = try #require(try called.decode([String: JSON].self)["id"]?.string)
        let shown = try await seen(pair, id)
        #expect(shown?["latitude"]?.number == 48.137 && shown?["longitude"]?.number == -13.377712)
        #expect(shown?["accuracy_meters"]?.number == 12.5 && shown?["at"]?.string == at)
        let timeline = try await pair.alice.send("GET", "/v1/alarms/\(id)").decode([String: JSON].self)["timeline"]
        #expect(timeline?.array.contains { $0["kind"]?.string == "card_viewed" } == true, "the sender sees each view")

        // A place that arrives late does not replace a newer one.
        let old = (Day.now - 3600).formatted(.iso8601)
        let late = place.replacing(at, with: old).replacing("52.516312", with: "1.5")
        #expect(try await pair.alice.send("POST", "/v1/alarms", #"{"location":\#(late)}"#).status == 200)
        #expect(try await seen(pair, id)?["latitude"]?.number == 48.137)
        _ = try await pair.alice.send("POST", "/v1/pings/check-in", "{}")
        #expect(try await pair.bob.send("GET", "/v1/alarms/\(id)/care-card").code == "forbidden", "the alarm is over")

        let stored = try installation.session().query(
            """
            select count(*) filter (where position('48.137'::bytea in sealed_place) > 0)::integer, count(*)::integer,
              (select count(*)::integer from kith.idempotency_keys where row_to_json(idempotency_keys)::text like '%48.137%'),
              (select count(*)::integer from kith.events where row_to_json(events)::text like '%48.137%'),
              (select count(*)::integer from kith.notifications where data::text like '%48.137%'),
              (select count(*)::integer from kith.check_ins where row_to_json(check_ins)::text like '%48.137%')
            from kith.places where user_id = '\(pair.alice.id.text)'
            """)
        #expect((0..<6).map { stored.int(0, $0) } == [0, 1, 0, 0, 0, 0])
        #expect(!server.standardError.contains("48.137"))
    }

    @Test(arguments: [
        (#""latitude":91,"longitude":0"#, "location.latitude"),
        (#""latitude":-90.5,"longitude":0"#, "location.latitude"),
        (#""latitude":0,"longitude":180.01"#, "location.longitude"),
        (#""latitude":"1","longitude":0"#, "location.latitude"),
        (#""latitude":1e400,"longitude":0"#, "out of range"), (#""longitude":0"#, "location.latitude"),
        (#""latitude":0,"longitude":0,"accuracy_meters":-1"#, "location.accuracy_meters"),
        (#""latitude":0,"longitude":0,"street":"x""#, "location.street"),
    ])
    func `that is none is refused, but never a call for help`(members: String, field: String) async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let at = Day.now.formatted(.iso8601)
        let body = #"{"location":{\#(members),"at":"\#(at)"}}"#
        let answer = try await alice.send("POST", "/v1/pings/check-in", body)
        #expect((400..<500).contains(answer.status), "\(answer.text)")
        #expect(answer.text.contains(field), "\(answer.text)")
        let help = try await alice.send("POST", "/v1/alarms", body)
        #expect(help.status < 300, "nothing refuses a call for help: \(help.text)")
    }

    @Test func `with a wrong time keeps nobody from calling for help`() async throws {
        let (installation, _, client) = try shared.get()
        for (seconds, isKept) in [(3600.0, true), (-8 * 86_400, false)] {
            let alice = try await Person.join(installation.acme, as: "Alice", client)
            let at = (Day.now + seconds).formatted(.iso8601)
            for (path, status) in [("/v1/alarms", 201), ("/v1/pings/check-in", 200)] {
                let answer = try await alice.send(
                    "POST", path, #"{"location":{"latitude":1.5,"longitude":0,"at":"\#(at)"}}"#)
                #expect(answer.status == status, "\(answer.text)")
            }
            let own = try await alice.send("GET", "/v1/me/care-card").decode([String: JSON].self)
            #expect((own["location"]?["latitude"]?.number == 1.5) == isKept)
        }
    }
}
