import Foundation
import KithClient
import Postgres
import TestThreads
import Testing

/// Alice, who sends to Bob and Carol, each with a browser.
struct AlarmStage {
    let alice: WebPerson
    let bob: WebPerson
    let carol: WebPerson
    let connections: (bob: String, carol: String)

    init(_ sender: String = "Alice") async throws {
        let pair = try await WebPerson.pair(sender, "Bob")
        (alice, bob) = (pair.sender, pair.receiver)
        carol = try await WebPerson.join("Carol")
        let other = try await alice.person.connect(carol.person.becomeReceiver().code)
        connections = (pair.connection.id.text, other.id.text)
        // Both can be reached by push, whether or not another test has set it up.
        for receiver in [bob, carol] {
            let device =
                #"{"platform":"web","token":"https://push.example/\#(UUID())","keys":{"p256dh":"\#(Self.point)","auth":"BTBZMqHH6r4Tts7J_aSIgg"}}"#
            #expect(try await receiver.person.send("PUT", "/v1/me/devices", device).status == 200)
        }
    }

    /// The public key of the example in RFC 8291 §5.
    private static let point = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"

    /// Records that Bob and Carol have read what they are told: they were reached, whatever becomes of the messages.
    func arrive() throws {
        let read = try alice.house.installation.session().query(
            """
            update kith.notifications set read_at = created_at
            where user_id in ('\(bob.person.id)', '\(carol.person.id)') and type = 'help_requested'
            returning id
            """, [])
        #expect(read.rowCount == 2)
    }

    /// Lets Alice end her call for help, some time after she was asked.
    func endCall(_ act: String) async throws {
        try await alice.web.open("/help/end")
        try await alice.web.press(act, [("asked", Self.longAgo)])
    }

    /// When a page asked whose reader has had no time to read it, for ten minutes from each use of this.
    static var justNow: String { "\(Int(Day.now.timeIntervalSince1970 + 600) * 1_000_000)" }

    /// When a page asked whose reader has had time to read it, as its form says.
    static var longAgo: String { "\(Int(Day.now.timeIntervalSince1970 - 10) * 1_000_000)" }

    /// Lets Alice call for help on her page; the path of the alarm.
    func help(_ note: String = "I fell") async throws -> String {
        try await alice.web.open("/help")
        try await alice.web.press("help", [("note", note)])
        return alice.web.page.path
    }
}

@Suite(.mayBlock) struct `Alarms on the web` {
    @Test func `are called after a question, taken by one, given back, and ended by "I'm safe"`() async throws {
        let stage = try await AlarmStage("Alice <b>A</b>")
        let (alice, bob, carol) = (stage.alice.web, stage.bob.web, stage.carol.web)
        #expect(try await alice.open("/today").html.contains("href=\"/help\""))
        #expect(try await alice.open("/help").heading == "Do you need help?")
        #expect(alice.page.text.contains("we tell Bob and Carol at once, by day and by night."))
        #expect(alice.page.text.contains("call your local emergency number first"))
        let path = try await stage.help("I fell in the <bath>")
        #expect(path.hasPrefix("/alarms/"))
        #expect(alice.page.text.contains("2 people are being told that you need help."))
        #expect(alice.page.heading == "You have called for help.")
        #expect(alice.page.text.contains("Nobody has said yet that they are looking after you."))
        try stage.arrive()
        #expect(try await alice.open(path).text.contains("Told so far: Bob and Carol."))

        // Every page of those who were told says it, and leads there.
        for page in ["/people", "/me", "/messages", "/vaults", "/today"] {
            #expect(try await bob.open(page).text.contains("Alice <b>A</b> needs help"), "\(page)")
            #expect(bob.page.html.contains("href=\"\(path)\""))
            #expect(!bob.page.html.contains("<b>A"))
        }
        try await bob.open(path)
        #expect(bob.page.heading == "Alice <b>A</b> needs help.")
        #expect(bob.page.text.contains("Nobody is looking after Alice <b>A</b> yet."))
        // What she wrote stands at the top and in the timeline.
        #expect(bob.page.html.components(separatedBy: "<q><bdi>I fell in the &lt;bath&gt;</bdi></q>").count == 3)
        #expect(bob.page.text.contains("Told so far: you and 1 other person."), "\(bob.page.text)")
        #expect(!bob.page.text.contains("Carol"))
        let take = try #require(bob.page.form(with: "take"))
        let late = try #require(try await carol.open(path).form(with: "take"))
        try await bob.send(take, "take")
        #expect(bob.page.text.contains("Thank you. The others are told that you are looking after Alice"))
        #expect(bob.page.text.contains("Then we ask whether you still are."))
        // A form that is sent twice takes it once.
        try await bob.send(take, "take")
        #expect(bob.page.text.contains("This form had been sent before"))
        try await carol.send(late, "take")
        #expect(carol.page.status == 409)
        #expect(carol.page.text.contains("Somebody else is looking after it."))
        #expect(carol.page.text.contains("another receiver"))
        #expect(carol.page.form(with: "take") == nil && carol.page.form(with: "release") == nil)
        #expect(try await alice.open("/today").text.contains(/Somebody is looking after you, since [0-9:]+: Bob\./))

        // Bob gives it back, Carol takes it, writes and ends it, and Bob opens it again.
        try await bob.open(path)
        try await bob.press("release")
        #expect(bob.page.text.contains("The others are asked again"))
        // Not on the page whose button would take it again.
        #expect(bob.page.path == "/alarms" && bob.page.form(with: "take") == nil)
        try await carol.open(path)
        try await carol.press("take")
        try await carol.press("note", [("body", " ")])
        #expect(carol.page.status == 422 && carol.page.text.contains("Write something first."))
        try await carol.press("note", [("body", "I drive there. Who has a key?")])
        #expect(try await bob.open(path).text.contains("I drive there. Who has a key?"))
        try await carol.open("\(path)/end?outcome=safe")
        #expect(carol.page.heading == "Is Alice <b>A</b> safe?")
        let end = try #require(carol.page.form(with: "end"))
        try await carol.send(end, "end", [("note", "She sits in the garden")])
        #expect(carol.page.heading == "The alarm about Alice <b>A</b> is over.")
        #expect(try await bob.open("/me").text.contains("needs help") == false)
        try await bob.open(path)
        #expect(bob.page.text.contains("was reached and is safe"))
        try await bob.press("reopen", [("note", "That was her sister")])
        #expect(bob.page.text.contains("The alarm is open again."))
        #expect(try await alice.open("/today").heading == "You have called for help.")
        #expect(alice.page.form(with: "safe") == nil && alice.page.html.contains("first\" href=\"/help/end\""))
        try await stage.endCall("end")
        #expect(alice.page.text.contains("Your call for help is over."))
        #expect(try await bob.open(path).text.contains("checked in"))
        #expect(bob.page.form(with: "reopen") == nil)
        #expect(try await bob.open("/alarms").text.contains("Over"))
        #expect(!(try await bob.open("/people").text.contains("needs help")))
    }

    @Test func `are false alarms if the sender says so, and nothing is called twice`() async throws {
        let stage = try await AlarmStage()
        try await stage.alice.web.open("/help")
        let form = try #require(stage.alice.web.page.form(with: "help"))
        for _ in 0..<2 { try await stage.alice.web.send(form, "help") }
        let path = stage.alice.web.page.path
        let told = try await stage.bob.person.notifications().filter { $0.type == "help_requested" }
        #expect(told.count == 1)
        #expect(try await stage.alice.web.open("/today").text.contains("Call for help once more"))
        #expect(try await stage.alice.web.open(path).form(with: "false-alarm") == nil)
        try await stage.endCall("false-alarm")
        #expect(stage.alice.web.page.path == path && stage.alice.web.page.heading == "Your alarm is over.")
        #expect(try await stage.bob.web.open(path).text.contains("Alice says it was a false alarm"))
        // The same form calls anew: whoever sends it now needs help now.
        try await stage.alice.web.send(form, "help")
        #expect(stage.alice.web.page.path != path && stage.alice.web.page.path.hasPrefix("/alarms/"))
    }

    @Test func `that are one's own call for help end after one more question, and not by a double tap or an old page`()
        async throws
    {
        let stage = try await AlarmStage()
        let alice = stage.alice.web
        let old = try #require(try await alice.open("/today").form(with: "safe"))
        let path = try await stage.help()
        func isOpen() async throws -> Bool {
            let alarm = try await stage.alice.person.send("GET", "/v1\(path)")
            return alarm.text.contains(/"status" ?: ?"open"/)
        }
        // No page has a button that ends it at once, not even beside the question of somebody else.
        let ask = try await stage.bob.person.send("POST", "/v1/connections/\(stage.connections.bob)/ask", "{}")
        for page in [path, "/today", "/me", "/people"] {
            try await alice.open(page)
            #expect(
                alice.page.form(with: "safe") == nil && alice.page.form(with: "end") == nil, "\(page) \(ask.status)")
        }
        // The page from before the call asks, and keeps its note.
        try await alice.send(old, "safe", [("note", "All is well again"), ("share_note", "on")])
        #expect(alice.page.heading == "Do you no longer need help?")
        #expect(try await isOpen())
        // A tap that comes too soon to have read the question changes nothing.
        try await alice.press("end", [("asked", AlarmStage.justNow)])
        #expect(alice.page.text.contains("That was too fast to be sure. Nothing has changed."))
        for act in ["end", "false-alarm"] {
            let form = try #require(try await alice.open("/help/end").form(with: act))
            for asked in ["", "now", "99999999999999999", "-1"] {
                try await alice.send(form, act, [("asked", asked)])
                #expect(alice.page.heading == "Do you no longer need help?" && alice.page.status == 200, "\(asked)")
            }
        }
        #expect(try await isOpen())
        // A check-in that was kept on the device is held, and one from before the call is no more than a sign of life.
        func keep(_ tapped: Date, _ key: String) async throws -> Int {
            let fields = [("tapped_at", tapped.ISO8601Format()), ("for", stage.alice.person.id.text), ("key", key)]
            return try await alice.send(old, "safe", fields).status
        }
        #expect(try await keep(Day.now.addingTimeInterval(1), "00000000000000aa") == 412)
        #expect(try await keep(Day.now.addingTimeInterval(-3600), "00000000000000ab") == 200)
        #expect(try await isOpen())
        // The API's own check-in and the confirmed question end it.
        try await alice.send(old, "safe", [("note", "All is well again"), ("share_note", "on")])
        let question = try #require(alice.page.form(with: "end"))
        try await alice.send(question, "end", [("asked", AlarmStage.longAgo)])
        #expect(alice.page.path == "/today" && alice.page.text.contains("Your call for help is over."))
        #expect(try await stage.bob.web.open("/people").text.contains("All is well again"))
        #expect(try await alice.open("/help/end").heading == "Your alarm is over.")
        let again = try await stage.help()
        // The question about an earlier call does not end this one.
        try await alice.send(question, "end", [("asked", AlarmStage.longAgo), ("key", "00000000000000ac")])
        #expect(alice.page.heading == "Do you no longer need help?")
        #expect(try await stage.alice.person.send("GET", "/v1\(again)").text.contains(/"status" ?: ?"open"/))
        #expect(try await stage.alice.person.send("POST", "/v1/pings/check-in", "{}").status == 200)
        #expect(try await alice.open(again).heading == "Your alarm is over.")
    }

    @Test func `are not ended by a page from before the sender called again, and show the newest call first`()
        async throws
    {
        let stage = try await AlarmStage()
        let path = try await stage.help("I fell")
        try await stage.bob.web.open("\(path)/end?outcome=safe")
        #expect(stage.bob.web.page.text.contains("I fell"))
        let old = try #require(stage.bob.web.page.form(with: "end"))
        #expect(try await stage.help("It burns") == path)
        try await stage.bob.web.send(old, "end")
        #expect(stage.bob.web.page.status == 409)
        #expect(
            stage.bob.web.page.text.contains(
                "They have called for help again, or missed another check-in, since you read"))
        #expect(stage.bob.web.page.text.contains("It burns"))
        #expect(try await stage.alice.web.open("/today").heading == "You have called for help.")
        try await stage.bob.web.press("end")
        #expect(stage.bob.web.page.heading == "The alarm about Alice is over.")
    }

    @Test func `are called by a form that is too long, and by one that lacks its end`() async throws {
        let stage = try await AlarmStage()
        try await stage.alice.web.open("/help")
        let form = try #require(stage.alice.web.page.form(with: "help"))
        // The button's field comes after the note, so it is cut off.
        try await stage.alice.web.send(form, "help", [("note", String(repeating: "ü", count: 20_000))])
        #expect(stage.alice.web.page.heading == "You have called for help.")
        let told = try await stage.bob.person.notifications().filter { $0.type == "help_requested" }
        #expect(told.count == 1)
        // Nobody else's page can send it.
        try await stage.alice.web.open("/help")
        try await stage.alice.web.send(form, "help", [("form", "guessed")])
        #expect(stage.alice.web.page.status == 403)
    }

    @Test func `say what to do where nobody can be told`() async throws {
        let alice = try await WebPerson.join("Alice")
        try await alice.person.becomeSender()
        #expect(
            try await alice.web.open("/help").text.contains(
                "There is nobody here yet whom we could tell. If you need help, call the emergency number."))
        try await alice.web.press("help")
        #expect(alice.web.page.text.contains("Nobody could be told. Call your local emergency number."))
        #expect(alice.web.page.heading == "You have called for help.")
    }

    @Test func `show nothing to strangers, and nothing more to whoever is removed or blocked`() async throws {
        let stage = try await AlarmStage()
        let card = #"{"sections":[{"title":"Keys","body":"Under the third stone."}]}"#
        #expect(try await stage.alice.person.send("PUT", "/v1/me/care-card", card).status == 200)
        let vault = try await stage.alice.person.makeVault("Secret papers")
        let path = try await stage.help()
        let mallory = try await WebPerson.join("Mallory")
        for page in [path, "\(path)/end", "\(path)/card"] {
            #expect(try await mallory.web.open(page).status == 404, "\(page)")
            #expect(!mallory.web.page.text.contains("Alice"))
        }
        #expect(!(try await mallory.web.open("/today").text.contains("needs help")))
        // Those who were told learn nothing of vaults (E09).
        for page in [path, "/alarms", "/today"] {
            let html = try await stage.bob.web.open(page).html
            #expect(!html.contains("Secret papers") && !html.contains(vault.id.text), "\(page)")
        }
        try await stage.bob.web.open("\(path)/card")
        let show = try #require(stage.bob.web.page.form(with: "show"))
        #expect(!stage.bob.web.page.html.contains("third stone"))
        try await stage.bob.web.send(show, "show")
        #expect(stage.bob.web.page.text.contains("Under the third stone."))
        #expect(stage.bob.web.page.headers["content-encoding"] == nil)
        #expect(try await stage.alice.web.open(path).text.contains("Looked at the care card: Bob"))
        try await stage.carol.web.open("\(path)/card")
        let carols = try #require(stage.carol.web.page.form(with: "show"))
        // Bob is removed and Carol is blocked. The forms that they have open do nothing more.
        let take = try #require(try await stage.bob.web.open(path).form(with: "take"))
        #expect(
            try await stage.alice.person.send("DELETE", "/v1/connections/\(stage.connections.bob)").status == 204)
        let block = try await stage.alice.person.send("PUT", "/v1/me/blocks/\(stage.carol.person.id.text)", "{}")
        #expect((200..<300).contains(block.status))
        try await stage.bob.web.send(take, "take")
        #expect(stage.bob.web.page.status == 404)
        try await stage.bob.web.send(show, "show")
        #expect(stage.bob.web.page.status == 404 && !stage.bob.web.page.html.contains("third stone"))
        try await stage.carol.web.send(carols, "show")
        #expect(stage.carol.web.page.status == 404 && !stage.carol.web.page.html.contains("third stone"))
        for web in [stage.bob.web, stage.carol.web] {
            #expect(try await web.open(path).status == 404)
            #expect(!(try await web.open("/alarms").text.contains("Alice")))
            #expect(!(try await web.open("/me").text.contains("needs help")))
        }
    }

    @Test func `let receivers call where the sender shares their number, but in no drill, and not when they are over`()
        async throws
    {
        let stage = try await AlarmStage()
        let number = SignInHouse.number()
        let house = stage.alice.house
        let known = try await house.client.send(
            "PATCH", "/v1/users/\(stage.alice.person.id.text)", #"{"phone":"\#(number)"}"#,
            as: house.installation.acme.secretKey)
        #expect(known.status == 200, "\(known.text)")
        func share(_ shares: Bool) async throws {
            let profile = #"{"ping_time":"11:00","share_phone":\#(shares)}"#
            #expect(try await stage.alice.person.send("PUT", "/v1/me/sender-profile", profile).status == 200)
        }
        try await stage.alice.web.open("/me/drill")
        try await share(true)
        try await stage.alice.web.press("drill")
        #expect(!(try await stage.bob.web.open(stage.alice.web.page.path).html.contains("tel:")))
        let path = try await stage.help()
        #expect(try await stage.bob.web.open(path).html.contains("href=\"tel:\(number)\""))
        try await share(false)
        #expect(!(try await stage.bob.web.open(path).html.contains("tel:\(number)")))
        try await share(true)
        try await stage.bob.web.open("\(path)/end?outcome=help_called")
        try await stage.bob.web.press("end")
        #expect(!(try await stage.bob.web.open(path).html.contains("tel:")))
    }

    @Test func `are led to by their notifications`() async throws {
        let stage = try await AlarmStage()
        let path = try await stage.help()
        let id = String(path.dropFirst("/alarms/".count))
        #expect(try await stage.bob.web.open("/go/alarm/\(id)").path == path)
        try await stage.bob.web.open("/messages")
        let open = try #require(stage.bob.web.page.html.firstMatch(of: /value="(open:[^"]*:alarm:[^"]*)"/)?.1)
        try await stage.bob.web.press(String(open))
        #expect(stage.bob.web.page.path == path)

        // A missed ping too leads its receiver to the alarm as long as it is there, and its sender to the button.
        let ping = "019cd6c2-8c00-7000-8000-000000000001"
        let session = try stage.alice.house.installation.session()
        try session.execute(
            """
            insert into kith.notifications (tenant_id, id, user_id, type, data, created_at, planned_at)
            select tenant_id, internal.uuid7(created_at), user_id, 'ping_missed', data || '{"ping_id":"\(ping)","date":"2026-01-01"}',
              created_at, created_at
            from kith.notifications where type = 'help_requested' and data ->> 'alarm_id' = '\(id)'
            """)
        #expect(try await stage.bob.web.open("/go/ping/\(ping)").path == path)
        #expect(try await stage.alice.web.open("/go/ping/\(ping)").path == "/today")
        try await stage.bob.web.open("/messages")
        let missed = try #require(stage.bob.web.page.html.firstMatch(of: /value="(open:[^"]*:ping:[^"]*)"/)?.1)
        try await stage.bob.web.press(String(missed))
        #expect(stage.bob.web.page.path == path)
        try session.execute("delete from kith.alarms where id = '\(id)'")
        #expect(try await stage.bob.web.open("/go/ping/\(ping)").path == "/today")
    }

    @Test func `begin with a question, which a check-in on any page answers`() async throws {
        let stage = try await AlarmStage()
        let person = "/people/\(stage.connections.bob)"
        #expect(try await stage.bob.web.open(person).html.contains("\(person)/ask"))
        try await stage.bob.web.open("\(person)/ask")
        let ask = try #require(stage.bob.web.page.form(with: "ask"))
        try await stage.bob.web.send(ask, "ask")
        #expect(
            stage.bob.web.page.text.contains("The question is on its way. If no answer comes, an alarm opens at 12:"))
        try await stage.bob.web.open("\(person)/ask")
        #expect(
            stage.bob.web.page.text.contains(
                "You have asked whether they are OK. If no answer comes, an alarm opens at 12:"))
        #expect(stage.bob.web.page.form(with: "ask") == nil)
        // The page from before the question still has its form.
        try await stage.bob.web.send(ask, "ask")
        #expect(stage.bob.web.page.text.contains("This form had been sent before, so nothing was done again."))
        for page in ["/me", "/people", "/today"] {
            #expect(try await stage.alice.web.open(page).text.contains("Bob asks: are you OK?"), "\(page)")
        }
        try await stage.alice.web.open("/people")
        try await stage.alice.web.press("safe")
        #expect(stage.alice.web.page.path == "/today")
        #expect(!(try await stage.alice.web.open("/me").text.contains("are you OK?")))
        // Alice does not want to be asked, and Bob may always see her card.
        try await stage.alice.web.open(person)
        let form = try #require(stage.alice.web.page.form(with: "share"))
        let unset = WebPage.Form(
            action: form.action, html: form.html, fields: form.fields.filter { $0.0 != "may_ask" })
        try await stage.alice.web.send(unset, "share", [("always_care_card", "on")])
        #expect(!(try await stage.bob.web.open(person).html.contains("\(person)/ask")))
        try await stage.bob.web.open("\(person)/card")
        try await stage.bob.web.press("show")
        #expect(stage.bob.web.page.text.contains("Nothing has been written down here."))
        #expect(try await stage.alice.web.open("/me/card").text.contains(/Bob, at 12:[0-9]{2}/))
        #expect(try await stage.carol.web.open("/people/\(stage.connections.carol)/card").status == 404)
    }

    @Test func `are tried out by a drill that changes nothing else`() async throws {
        let stage = try await AlarmStage()
        try await stage.alice.web.open("/me/drill")
        let form = try #require(stage.alice.web.page.form(with: "drill"))
        try await stage.alice.web.send(form, "drill")
        let path = stage.alice.web.page.path
        #expect(stage.alice.web.page.heading == "Your drill.")
        #expect(stage.alice.web.page.text.contains("The drill has begun. 2 people are told now."))
        try await stage.alice.web.send(form, "drill")
        #expect(stage.alice.web.page.text.contains("This form had been sent before"))
        try await stage.alice.web.open("/me/drill")
        try await stage.alice.web.press("drill")
        #expect(stage.alice.web.page.status == 429)
        #expect(stage.alice.web.page.text.contains("You can hold a drill once a week."))
        #expect(try await stage.bob.web.open("/today").text.contains("Drill: Alice tries out the alarm"))
        #expect(try await stage.bob.web.open(path).text.contains("This is a drill. Nobody is in danger."))
        #expect(!stage.bob.web.page.html.contains("\(path)/card"))
        try await stage.bob.web.press("take")
        #expect(try await stage.alice.web.open(path).text.contains("Looks after it: Bob"))
        #expect(stage.alice.web.page.text.contains("Bob, after less than a minute"))
        try await stage.alice.web.press("false-alarm")
        #expect(!(try await stage.bob.web.open("/today").text.contains("Drill:")))
    }

    @Test func `fit into the budget of bytes`() async throws {
        let stage = try await AlarmStage()
        let path = try await stage.help()
        for n in 1...60 {
            let note = #"{"body":"Note \#(n) of \#(UUID()), as long as notes of worried people are now and then."}"#
            #expect(try await stage.bob.person.send("POST", "/v1\(path)/notes", note).status == 200)
        }
        #expect(try await stage.bob.web.compressedBytes(of: path) <= 14 << 10)
        #expect(try await stage.bob.web.open(path).html.contains("\(path)?all=1"))
        #expect(try await stage.bob.web.open("\(path)?all=1").text.contains("Note 1 of"))
        for page in ["/me/plan", "/me/reminders", "/help", "/alarms"] {
            #expect(try await stage.alice.web.compressedBytes(of: page) <= 14 << 10, "\(page)")
        }
    }
}
