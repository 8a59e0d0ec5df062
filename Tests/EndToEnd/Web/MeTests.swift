import Foundation
import KithClient
import TestThreads
import Testing

@Suite(.mayBlock) struct `The settings of the web client` {
    @Test func `make somebody new a sender in a few steps`() async throws {
        let house = try webHouse.get()
        let web = WebVisitor(house.client)
        web.languages = "de"
        try await web.signIn("\(UUID().uuidString.lowercased())@example.com", house)
        #expect(web.page.heading == "Willkommen")
        try await web.press("introduce", [("display_name", "Änne"), ("time_zone", "Europe/Berlin")])
        // The account has the language of the browser that made it.
        web.languages = nil
        try await web.open("/me/sender")
        #expect(web.page.html.contains(#"<html lang="de""#))
        try await web.press("save", [("ping_time", "11:30"), ("grace_minutes", "120")])
        #expect(web.page.path == "/today")
        #expect(web.page.heading == "Noch wird niemand benachrichtigt.")
        #expect(web.page.html.contains("Stand: 13:"), "times are in the person's zone")
        try await web.open("/me/sender")
        try await web.press("save", [("grace_minutes", "3")])
        #expect(web.page.status == 422)
        try await web.open("/me/sender")
        try await web.press("stop")
        #expect(web.page.path == "/me")
    }

    @Test func `refuse in the language of the person`() async throws {
        let (alice, _, connection) = try await WebPerson.pair()
        #expect(try await alice.person.send("PATCH", "/v1/me", #"{"locale":"de"}"#).status == 200)
        // The browser's language counts for nobody who has chosen one.
        alice.web.languages = "en"
        try await alice.web.open("/me/break")
        try await alice.web.press("save", [("from", Day.date(3)), ("until", Day.date(1))])
        #expect(alice.web.page.status == 422)
        #expect(!alice.web.page.text.contains("must") && alice.web.page.html.contains(#"<html lang="de""#))
        try await alice.web.open("/people/\(connection.id.text)/pause")
        let form = try #require(alice.web.page.form(with: "pause"))
        try await alice.web.send(form, "pause")
        try await alice.web.open("/people/\(connection.id.text)/pause")
        try await alice.web.press("pause")
        #expect(alice.web.page.status == 409)
        #expect(!alice.web.page.text.contains("Only an active connection"))
        try await alice.web.open("/people/connect")
        try await alice.web.press("connect", [("code", "12")])
        #expect(!alice.web.page.text.contains("Enter all"), "what the act says is German too")
    }

    @Test func `hold a break, quiet hours, a profile and channels`() async throws {
        let (alice, bob, _) = try await WebPerson.pair()
        try await alice.web.open("/me/break")
        try await alice.web.press("save", [("from", Day.date()), ("until", Day.date(3))])
        #expect(alice.web.page.text.contains("Your break is set."))
        #expect(alice.web.page.heading == "You are on a break.")
        #expect(try await bob.web.open("/today").text.contains("On a break until Friday, 12 March 2027"))
        try await alice.web.open("/me/break")
        try await alice.web.press("save", [("until", Day.date(200))])
        #expect(alice.web.page.status == 422)
        try await alice.web.open("/me/break")
        try await alice.web.press("end")
        #expect(alice.web.page.heading == "Let your receivers know you’re safe.")
        try await alice.web.open("/me/quiet-hours")
        try await alice.web.press("save", [("from", "21:30"), ("until", "06:00")])
        #expect(alice.web.page.text.contains("Saved."))
        #expect(try await alice.web.open("/me/quiet-hours").html.contains(#"value="21:30""#))
        try await alice.web.press("end")
        #expect(alice.web.page.text.contains("You have no quiet hours any more."))
        try await alice.web.open("/me/profile")
        try await alice.web.press(
            "save", [("display_name", "Alicia"), ("locale", "de"), ("time_zone", "Europe/Berlin")])
        #expect(alice.web.page.heading == "Alicia")
        #expect(alice.web.page.text.contains("Gespeichert."))
        try await bob.web.open("/me/notifications")
        #expect(bob.web.page.text.contains("Somebody has written to me"))
        #expect(bob.web.page.text.contains("Somebody asks if I'm OK") && !bob.web.page.text.contains("Alarm Open"))
        #expect(!bob.web.page.text.contains("notification.") && !bob.web.page.text.contains("web."))
        try await bob.web.press("save", [("ping_completed.push", "on")])
        #expect(bob.web.page.text.contains("Saved."))
        let preferences = try await bob.person.send("GET", "/v1/me/notification-preferences").text
        #expect(preferences.contains("ping_completed"))
    }

    @Test func `are offered the channels that the API takes for each type, and lose none by saving`() async throws {
        let alice = try await WebPerson.join("Alice")
        let path = "/v1/me/notification-preferences"
        func settings() async throws -> Kith.NotificationSettings { try await alice.person.get("GET", path) }
        func takes(_ type: Kith.NotificationType, _ channels: String) async throws -> Bool {
            let body = #"{"preferences":[{"type":"\#(type.type)","channels":[\#(channels)]}]}"#
            return try await alice.person.send("PUT", path, body).status == 200
        }
        let types = try await settings().types
        #expect(types.count > 30)
        let page = try await alice.web.open("/me/notifications").html
        for type in types {
            #expect(try await takes(type, #""push","email","sms""#), "\(type)")
            #expect(try await takes(type, #""voice""#) == type.channels.contains(.voice), "\(type)")
            #expect(try await takes(type, "") == type.canBeOff, "\(type)")
            for channel in [Kith.NotificationChannel.push, .email, .sms, .voice] {
                #expect(
                    page.contains("name=\"\(type.type).\(channel.rawValue)\"") == type.channels.contains(channel),
                    "\(type)")
            }
        }
        let all = types.map { type in
            let channels = type.channels.map { #""\#($0.rawValue)""# }.joined(separator: ",")
            return #"{"type":"\#(type.type)","channels":[\#(channels)]}"#
        }
        let body = #"{"preferences":[\#(all.joined(separator: ","))]}"#
        #expect(try await alice.person.send("PUT", path, body).status == 200)
        let before = try await settings()
        #expect(before.preferences.map(\.channels) == before.types.map(\.channels))
        try await alice.web.open("/me/notifications")
        try await alice.web.press("save")
        #expect(alice.web.page.text.contains("Saved."))
        #expect(try await settings() == before)
    }

    @Test func `choose with one tap how loudly they are told, and read what that means`() async throws {
        let alice = try await WebPerson.join("Alice")
        func channels() async throws -> [String: [Kith.NotificationChannel]] {
            let path = "/v1/me/notification-preferences"
            let settings: Kith.NotificationSettings = try await alice.person.get("GET", path)
            return Dictionary(settings.preferences.map { ($0.type, $0.channels) }) { first, _ in first }
        }
        let usual = try await channels()
        try await alice.web.open("/me/notifications")
        #expect(alice.web.page.text.contains("No message reaches you."))
        for (choice, miss, safe, due) in [
            ("loud", [.push, .email, .sms, .voice], [.push], [.push]),
            ("urgent", [.push, .email, .sms, .voice], [], [.push]), ("quiet", [.push, .email], [.push], [.push]),
        ] as [(String, [Kith.NotificationChannel], [Kith.NotificationChannel], [Kith.NotificationChannel])] {
            try await alice.web.press("choose", [("choice", choice)])
            #expect(alice.web.page.text.contains("Saved."))
            #expect(alice.web.page.html.contains("value=\"\(choice)\" required checked"), "\(choice)")
            let chosen = try await channels()
            #expect(chosen["ping_missed"] == miss && chosen["ping_completed"] == safe && chosen["ping_due"] == due)
        }
        #expect(try await channels() == usual)
        _ = try await alice.person.send(
            "PUT", "/v1/me/notification-preferences",
            #"{"preferences":[{"type":"ping_completed","channels":["sms"]}]}"#)
        try await alice.web.open("/me/notifications")
        #expect(alice.web.page.text.contains("You have chosen one by one"))
        try await alice.web.press("choose", [("choice", "whatever")])
        #expect(alice.web.page.status == 422)
        #expect(try await channels()["ping_completed"] == [.sms])
    }

    @Test func `have a check-in with a time zone of its own, which saving leaves to it`() async throws {
        let alice = try await WebPerson.join("Alice")
        #expect(try await alice.person.send("PATCH", "/v1/me", #"{"time_zone":"Europe/Berlin"}"#).status == 200)
        try await alice.person.becomeSender(zone: "America/New_York")
        try await alice.web.open("/me/sender")
        #expect(alice.web.page.text.contains("Your check-in keeps its own time zone."))
        try await alice.web.press("save", [("ping_time", "08:30")])
        let profile: Kith.SenderProfile = try await alice.person.get("GET", "/v1/me/sender-profile")
        #expect(profile.pingTime == "08:30" && profile.timeZone == "America/New_York")
        let user: Kith.User = try await alice.person.get("GET", "/v1/me")
        #expect(user.timeZone == "Europe/Berlin")
    }

    @Test func `choose where they live by a city that they type, or by their country`() async throws {
        let alice = try await WebPerson.join("Alice")
        let web = alice.web
        func zone() async throws -> String { (try await alice.person.get("GET", "/v1/me") as Kith.User).timeZone }
        try await web.open("/me/profile")
        #expect(web.page.html.contains("<option value=\"Oslo, Norway\">"))
        #expect(!web.page.html.contains("Riyadh, Antarctica"))
        for (typed, expected) in [
            ("oslo", "Europe/Berlin"), ("New York, United States", "America/New_York"),
            ("são paulo", "America/Sao_Paulo"),
            ("japan", "Asia/Tokyo"), ("America/Los_Angeles", "America/Los_Angeles"), ("UTC", "UTC"), ("", "UTC"),
        ] {
            try await web.open("/me/profile")
            try await web.press("save", [("time_zone", typed)])
            #expect(try await zone() == expected, "\(typed)")
        }
        for (typed, said) in [
            ("Hamburg", "We don’t know this place."), ("united states", "There are several time zones."),
        ] {
            try await web.open("/me/profile")
            try await web.press("save", [("time_zone", typed)])
            #expect(web.page.status == 422 && web.page.text.contains(said), "\(typed)")
            #expect(try await zone() == "UTC")
        }
        #expect(web.page.html.contains("aria-invalid"))
        try await web.open("/me/profile")
        try await web.press("save", [("time_zone", "Copenhagen"), ("locale", "de")])
        // Whoever lives elsewhere in the zone reads that it is theirs, too.
        try await web.open("/me/profile")
        #expect(web.page.html.contains("value=\"Berlin, Deutschland\""))
        #expect(web.page.text.contains("Dieselbe Zeit wie in: Dänemark, Norwegen"))
        try await web.press("save", [("time_zone", "Österreich")])
        #expect(try await zone() == "Europe/Vienna")
        #expect(try await web.compressedBytes(of: "/me/profile") <= 14 << 10)
    }

    @Test func `change an address by the code sent there`() async throws {
        let alice = try await WebPerson.join("Alice")
        let email = "\(UUID().uuidString.lowercased())@example.com"
        try await alice.web.open("/me/contacts")
        let form = try #require(alice.web.page.form(with: "change-email"))
        try await alice.web.send(form, "change-email", [("email", email)])
        #expect(alice.web.page.text.contains("We have sent a code of six digits to \(email)"))
        // Whoever presses the button twice gets one code.
        try await alice.web.send(form, "change-email", [("email", email)])
        let code = try await alice.house.newCode(to: email, after: 0)
        try await alice.web.press("verify-email", [("code", code == "000000" ? "000001" : "000000")])
        #expect(alice.web.page.text.contains("This code is wrong or has expired."))
        try await alice.web.press("verify-email", [("code", code)])
        #expect(alice.web.page.text.contains("Your new contact is confirmed."))
        #expect(try alice.house.mailbox.items(for: email).count == 1)
        #expect(alice.web.page.text.contains(email))
        try await alice.web.press("change-phone", [("phone", "12")])
        #expect(alice.web.page.status == 422)
    }

    @Test func `sign out here and everywhere, after which no page shows anything`() async throws {
        let (alice, _, _) = try await WebPerson.pair()
        let second = WebVisitor(alice.house.client)
        try await second.signIn(alice.email, alice.house)
        try await alice.web.open("/me")
        let form = try #require(alice.web.page.form(with: "sign-out"))
        #expect(alice.web.page.headers["cache-control"] == "no-store")
        try await alice.web.press("sign-out")
        #expect(alice.web.page.text.contains("You are signed out."))
        #expect(alice.web.cookies["kith"] == "acme.")
        #expect(try await alice.web.open("/today?t=acme").path.hasPrefix("/sign-in?next="))
        try await alice.web.send(form, "sign-out")
        #expect(alice.web.page.status == 404 || alice.web.page.status == 401)
        try await second.open("/me")
        try await second.press("sign-out-everywhere")
        #expect(try await second.open("/today?t=acme").heading == "Sign in")
    }

    @Test func `give the person's data as a file, and end the account`() async throws {
        let alice = try await WebPerson.join("Alice")
        let page = try await alice.web.open("/me/export")
        #expect(page.headers["content-disposition"]?.hasPrefix("attachment") == true)
        #expect(page.html.contains(alice.email))
        let vault = try await alice.person.makeVault("Papers")
        let bob = try await WebPerson.join("Bob")
        let nominee = try await alice.person.invite("Bob", to: vault, as: .view)
        let token = nominee.invitation.token
        #expect(try await bob.person.send("POST", "/v1/invitations/\(token.text)/accept").status == 200)
        try await alice.web.open("/me/delete")
        #expect(alice.web.page.heading == "Delete Account?")
        try await alice.web.press("delete")
        #expect(alice.web.page.status == 409)
        #expect(alice.web.page.text.contains("the vaults and all documents in them are deleted too."))
        try await alice.web.press("delete-with-vaults")
        #expect(alice.web.page.text.contains("Your account is deleted."))
    }

    @Test func `take feedback, and list what one was told`() async throws {
        let (alice, bob, _) = try await WebPerson.pair()
        try await alice.web.open("/me/feedback")
        try await alice.web.press("send", [("text", "Good")])
        #expect(alice.web.page.text.contains("Choose 1 to 5 stars."))
        try await alice.web.press("send", [("rating", "5"), ("text", "Good")])
        #expect(alice.web.page.text.contains("Thank you. Your feedback has been sent."))
        try await bob.web.open("/messages")
        #expect(bob.web.page.text.contains("Alice is now sending you pings"))
        #expect(bob.web.page.html.contains("1 unread"))
        let open = try #require(bob.web.page.html.firstMatch(of: /value="(open:[^"]*)"/)?.1)
        try await bob.web.press(String(open))
        #expect(bob.web.page.path.hasPrefix("/people/"))
        try await bob.web.open("/messages")
        #expect(!bob.web.page.html.contains("1 unread"))
        _ = try await alice.person.send("POST", "/v1/pings/check-in", "{}")
        try await bob.web.open("/messages")
        try await bob.web.press("read-all")
        #expect(bob.web.page.text.contains("All notices are marked as read."))
    }
}
