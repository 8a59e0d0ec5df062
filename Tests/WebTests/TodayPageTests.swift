import JSON
import Pages
import Testing
import Web

@Suite struct `The first screen` {
    /// Missed on 8 March; Bob was told at 10:30:10.
    private static let miss = Facts.ping("missed", on: "2027-03-08", told: "2027-03-08T10:30:10.000000Z")
    private static let next = Facts.ping("scheduled", on: "2027-03-09")
    private static let lastCheckIn = "2027-03-07T09:10:00.000000Z"

    @Test func `says after midnight what was missed before it, until the sender checks in`() throws {
        let night = Reader(now: "2027-03-09T00:30:00Z")
        let alice = try night.today(
            Facts.sender(
                Facts.connection("Bob", ping: Self.next, missed: Self.miss, last: Self.lastCheckIn), date: "2027-03-09")
        )
        #expect(alice.contains("You missed the check-in on Monday, 8 March 2027."))
        #expect(alice.contains("Bob was told yesterday at 10:30. Check in now"))
        #expect(alice.contains("Last check-in on Sunday, 7 March 2027 at 09:10, by the app"))
        #expect(!alice.contains("You can say it now"))
        let bob = try night.today(
            Facts.receiver(
                Facts.connection("Alice", role: "receiver", ping: Self.next, missed: Self.miss, last: Self.lastCheckIn))
        )
        #expect(bob.contains("Has not checked in. The time was up yesterday at 10:30"))
        #expect(bob.contains("Last check-in on Sunday, 7 March 2027 at 09:10, by the app"))
        #expect(!bob.contains("Is asked"), "the next day is no news while the last one is open")
        let never = try night.today(
            Facts.receiver(Facts.connection("Alice", role: "receiver", ping: Self.next, missed: Self.miss)))
        #expect(never.contains("Has not checked in so far"))
    }

    @Test func `says who is being told of a miss, and who could not be reached`() throws {
        func told(_ telling: String) throws -> String {
            let miss = Facts.ping(
                "missed", on: "2027-03-08", told: "2027-03-08T10:30:10.000000Z", telling: telling)
            return try Reader().today(
                Facts.sender(Facts.connection("Bob", ping: Self.next, missed: miss), date: "2027-03-09"))
        }
        #expect(try told("told").contains("Bob was told yesterday at 10:30."))
        #expect(try told("being_told").contains("Bob is being told."))
        let unreached = try told("not_reached")
        #expect(unreached.contains("Bob could not be reached.") && !unreached.contains("was told"))
    }

    @Test func `keeps a note that a check-in carries within what the API takes`() {
        func note(_ text: String) -> String? { FormFields(pairs: [("note", text)]).note("note") }
        #expect(note("fell\u{0C}asleep\nat home") == "fellasleep\nat home")
        #expect(note(" \u{01} ") == nil && note("") == nil)
        #expect(note(String(repeating: "x", count: 501))?.count == 500)
    }

    @Test func `shows no earlier check-in as safety after a miss`() throws {
        // After a change of zone, today's ping is that of an earlier date.
        let done = Facts.ping(
            "completed_late", on: "2027-03-07", done: "2027-03-07T11:00:00.000000Z", told: "2027-03-07T10:30:10.000000Z"
        )
        let reader = Reader(now: "2027-03-08T10:40:00Z")
        let alice = try reader.today(
            Facts.sender(Facts.connection("Bob", ping: done, missed: Self.miss), date: "2027-03-07"))
        let bob = try reader.today(
            Facts.receiver(Facts.connection("Alice", role: "receiver", ping: done, missed: Self.miss)))
        #expect(!alice.contains("You’re safe") && alice.contains("You missed the check-in on Monday, 8 March 2027."))
        #expect(!bob.contains("Safe") && bob.contains("Has not checked in. The time was up at 10:30"))
        // A break or a pause hides no miss either.
        let pause = #"{"from":"2027-03-08","until":"2027-03-20"}"#
        let resting = try reader.today(
            Facts.sender(Facts.connection("Bob", missed: Self.miss, pause: pause), date: "2027-03-08", pause: pause))
        #expect(resting.contains("You missed today’s check-in.") && !resting.contains("You are on a break."))
        let watching = try reader.today(
            Facts.receiver(Facts.connection("Alice", role: "receiver", missed: Self.miss, pause: pause)))
        #expect(watching.contains("Has not checked in."))
        #expect(watching.contains("On a break until Saturday, 20 March 2027"))
    }

    @Test func `names those who were told, and nobody else`() throws {
        let page = try Reader(now: "2027-03-08T11:00:00Z").today(
            Facts.sender(
                // Ben was told and then paused. Carl connected afterwards. Dora has not agreed yet. Emil has no
                // subscription.
                Facts.connection("Ben", status: "paused", ping: Self.miss, missed: Self.miss), Facts.connection("Carl"),
                Facts.connection("Dora", status: "pending", ping: Facts.ping("missed", on: "2027-03-08")),
                Facts.connection("Emil", isSuspended: true), date: "2027-03-08"))
        #expect(page.contains("You missed today’s check-in."))
        #expect(page.contains("Ben was told at 10:30."))
        #expect(!page.contains("Carl") && !page.contains("Dora"))
        #expect(page.contains("Emil is not told if you do not check in: the subscription has ended."))
    }

    @Test func `says that Kith is late where a question should have come`() throws {
        let reader = Reader(now: "2027-03-08T09:30:00Z")
        func today(_ ping: String, next: String) throws -> String {
            try reader.today(Facts.sender(Facts.connection("Bob", ping: ping), date: "2027-03-08", next: next))
        }
        let (past, ahead) = (#""2027-03-08T09:00:00.000000Z""#, #""2027-03-09T09:00:00.000000Z""#)
        let page = try today("null", next: past)
        #expect(page.contains("Kith is late with its question. "), "\(page)")
        #expect(page.contains("You should have been asked at 09:00") && page.contains("I’m safe"), "\(page)")
        #expect(!page.contains("Nothing is asked of you"))
        // A ping that was made and not announced waits for an answer all the same.
        let scheduled = try today(Facts.ping("scheduled", on: "2027-03-08"), next: past)
        #expect(scheduled.contains("Let your receivers know you’re safe."))
        #expect(try today("null", next: ahead).contains("Nothing is asked of you today."))
        let done = Facts.ping("completed", on: "2027-03-08", done: "2027-03-08T09:10:00.000000Z")
        #expect(try today(done, next: past).contains("You’re safe today."))
    }

    @Test func `asks for nothing that would tell nobody`() throws {
        let reader = Reader(now: "2027-03-08T09:30:00Z")
        let due = Facts.ping("due", on: "2027-03-08")
        let pending = try reader.today(
            Facts.sender(Facts.connection("Dora", status: "pending", ping: due), date: "2027-03-08"))
        #expect(pending.contains("Dora has not agreed yet. Until then nobody is told if you do not check in."))
        #expect(!pending.contains("will be told"))
        let lapsed = try reader.today(Facts.sender(Facts.connection("Ben", isSuspended: true), date: "2027-03-08"))
        #expect(lapsed.contains("Nobody is told now.") && !lapsed.contains("next time you are asked"))
        let mixed = try reader.today(
            Facts.sender(
                Facts.connection("Cleo", ping: due), Facts.connection("Ben", isSuspended: true), date: "2027-03-08"))
        #expect(mixed.contains("If you don’t: at 10:30 Cleo will be told") && mixed.contains("Ben is not told"))
        // Whoever pauses their only connection after a check-in reads of nobody who can see it.
        let done = Facts.ping("completed", on: "2027-03-08", done: "2027-03-08T09:10:00.000000Z")
        let paused = try reader.today(
            Facts.sender(Facts.connection("Ben", status: "paused", ping: done), date: "2027-03-08"))
        #expect(paused.contains("You checked in at 09:10.") && !paused.contains("can see it"))
    }

    /// K04.
    @Test func `names first whom the sender's plan tells first, and those after them as later`() throws {
        let (due, next) = (Facts.ping("due", on: "2027-03-08"), Facts.ping("scheduled", on: "2027-03-08"))
        func today(_ ping: String, _ tiers: String, isSuspended: Bool = false) throws -> String {
            try Reader(now: "2027-03-08T08:30:00Z").today(
                Facts.sender(
                    Facts.connection("Ben", id: "b", ping: ping, isSuspended: isSuspended),
                    Facts.connection("Cleo", id: "c", ping: ping), Facts.connection("Dora", id: "d", ping: ping),
                    date: "2027-03-08", plan: #"{"tiers":[\#(tiers)]}"#))
        }
        let tiers =
            #"{"after_minutes":5,"receivers":["b"]},{"after_minutes":30,"receivers":["c","d"]},{"after_minutes":60,"receivers":[]}"#
        let page = try today(due, tiers)
        #expect(page.contains("If you don’t: at 10:35 Ben will be told that you have not checked in."))
        #expect(page.contains("Cleo and Dora will be told later, unless"))
        #expect(try today(next, tiers).contains("If you do not answer, Ben will be told at 10:35. Cleo and Dora will"))
        // Where nobody of the first tier is told, the second does not wait for it.
        let second = try today(due, tiers, isSuspended: true)
        #expect(second.contains("at 10:35 Cleo and Dora will be told") && !second.contains("told later"))
        let single = try today(due, #"{"after_minutes":0,"receivers":["b","c","d"]}"#)
        #expect(single.contains("at 10:30 Ben, Cleo and Dora will be told") && !single.contains("told later"))
    }

    @Test func `says late only where somebody had been told of a miss`() throws {
        let reader = Reader(now: "2027-03-08T11:00:00Z")
        let early = Facts.ping("completed_late", on: "2027-03-08", done: "2027-03-08T10:30:03.000000Z")
        #expect(
            try reader.today(Facts.sender(Facts.connection("Bob", ping: early), date: "2027-03-08"))
                .contains("You checked in at 10:30. Bob can see it."))
        let untold = try reader.today(Facts.receiver(Facts.connection("Alice", role: "receiver", ping: early)))
        #expect(untold.contains("Safe: checked in at 10:30") && !untold.contains("late"))
        let told = Facts.ping(
            "completed_late", on: "2027-03-08", done: "2027-03-08T10:50:00.000000Z", told: "2027-03-08T10:30:10.000000Z"
        )
        #expect(
            try reader.today(Facts.sender(Facts.connection("Bob", ping: told), date: "2027-03-08"))
                .contains("You checked in late, at 10:50. Bob was told that you’re safe."))
        // J07: the tap was in time, and arrived later.
        let tapped = Facts.ping(
            "completed_late", on: "2027-03-08", done: "2027-03-08T09:10:00.000000Z", told: "2027-03-08T10:30:10.000000Z"
        )
        #expect(
            try reader.today(Facts.receiver(Facts.connection("Alice", role: "receiver", ping: tapped)))
                .contains("Safe: checked in at 09:10; it arrived later"))
        #expect(
            try reader.today(Facts.sender(Facts.connection("Bob", ping: tapped), date: "2027-03-08"))
                .contains("You checked in at 09:10; it arrived later."))
    }

    @Test func `shows a break from its first day on`() throws {
        let pause = #"{"from":"2027-03-20","until":"2027-03-25"}"#
        let connection = Facts.connection("Alice", role: "receiver", pause: pause, zone: "Pacific/Auckland")
        let before = try Reader(now: "2027-03-19T10:00:00Z").today(Facts.receiver(connection))
        #expect(!before.contains("On a break") && before.contains("Nothing is expected today"))
        // It is the 20th in Auckland.
        #expect(
            try Reader(now: "2027-03-19T12:00:00Z").today(Facts.receiver(connection)).contains(
                "On a break until Thursday, 25 March 2027"))
    }

    @Test func `says in the reader's zone when the next question comes`() throws {
        let done = Facts.ping("completed", on: "2027-03-08", done: "2027-03-08T09:10:00.000000Z")
        let home = Facts.sender(
            Facts.connection("Bob", ping: done), date: "2027-03-08",
            profile: #""time_zone":"America/Los_Angeles","ping_time":"20:00""#)
        let berlin = Reader(now: "2027-03-08T12:00:00Z", zone: "Europe/Berlin")
        // 9 March 20:00 in Los Angeles.
        #expect(try berlin.today(home).contains("All is quiet until Wednesday, 10 March 2027 at 05:00"))
        let own = Facts.sender(
            Facts.connection("Bob", ping: done), date: "2027-03-08",
            profile: #""time_zone":"Europe/Berlin","ping_time":"09:00""#)
        #expect(try berlin.today(own).contains("All is quiet until tomorrow at 09:00."))
    }

    @Test func `has plural forms for names`() throws {
        let due = Facts.ping("due", on: "2027-03-08")
        let ben = Facts.connection("Ben", ping: due), cleo = Facts.connection("Cleo", ping: due)
        var reader = Reader(now: "2027-03-08T09:30:00Z", language: "de")
        #expect(try reader.today(Facts.sender(ben, date: "2027-03-08")).contains("erfährt Ben, dass"))
        #expect(try reader.today(Facts.sender(ben, cleo, date: "2027-03-08")).contains("erfahren Ben und Cleo, dass"))
        reader.language = "de-informal"
        #expect(
            try reader.today(Facts.sender(ben, cleo, date: "2027-03-08")).contains("erfahren Ben und Cleo, dass du"))
        reader.language = "en"
        let two = try reader.today(
            Facts.sender(
                Facts.connection("Ben", missed: Self.miss), Facts.connection("Cleo", missed: Self.miss),
                date: "2027-03-08"))
        #expect(two.contains("Ben and Cleo were told at 10:30."))
    }
}

@Suite struct `The page of a connection` {
    @Test func `says of a receiver what they know, never that they are safe or missing`() throws {
        let reader = Reader(now: "2027-03-08T11:00:00Z")
        let told = "2027-03-08T10:30:10.000000Z"
        for (ping, text) in [
            (
                Facts.ping("completed", on: "2027-03-08", done: "2027-03-08T09:10:00.000000Z"),
                "Can see that you checked in at 09:10"
            ),
            (
                Facts.ping("due", on: "2027-03-08", until: "2027-03-08T12:00:00.000000Z"),
                "Is told at 12:00 if you have not checked in by then"
            ),
            (
                Facts.ping("completed_late", on: "2027-03-08", done: "2027-03-08T10:50:00.000000Z", told: told),
                "Was told that you checked in late, at 10:50"
            ),
        ] {
            let page = try reader.connection(Facts.connection("Petra", ping: ping))
            #expect(page.contains(text) && !page.contains("Safe") && !page.contains("Has not checked in"))
        }
        let miss = Facts.ping("missed", on: "2027-03-08", told: told)
        let missed = try reader.connection(Facts.connection("Petra", ping: miss, missed: miss))
        #expect(missed.contains("Was told at 10:30 that you had not checked in"))
    }

    @Test func `promises no alarm that would not come`() throws {
        let reader = Reader(now: "2027-03-08T08:00:00Z")
        for facts in [
            Facts.connection("Alice", role: "receiver", status: "paused"),
            Facts.connection("Alice", role: "receiver", isSuspended: true),
        ] {
            let page = try reader.connection(facts)
            #expect(page.contains("you are NOT told") || page.contains("You are NOT told"))
            #expect(!page.contains("You are told if they do not check in."))
        }
        #expect(
            try reader.connection(Facts.connection("Alice", role: "receiver")).contains(
                "You are told if they do not check in."))
    }

    @Test func `says first in an alarm what to do`() throws {
        let miss = Facts.ping("missed", on: "2027-03-08", told: "2027-03-08T10:30:10.000000Z")
        let page = try Reader(now: "2027-03-08T11:00:00Z").connection(
            Facts.connection("Alice", role: "receiver", ping: miss, missed: miss))
        let advice = try #require(page.firstRange(of: "Call Alice, or ask somebody to go and see."))
        let end = try #require(page.firstRange(of: "Remove Connection"))
        #expect(advice.lowerBound < end.lowerBound)
        #expect(page.contains("Other things you can do"))
    }

    @Test func `shows the date of a check-in that came on another day`() throws {
        let day = Facts.ping(
            "completed_late", on: "2027-03-07", done: "2027-03-08T07:00:00.000000Z", told: "2027-03-07T10:30:10.000000Z"
        )
        let page = try Reader().connection(Facts.connection("Alice", role: "receiver"), days: day)
        #expect(page.contains("Checked In Late · 8 March 2027, 07:00"))
        let same = Facts.ping("completed", on: "2027-03-07", done: "2027-03-07T09:10:00.000000Z")
        #expect(
            try Reader().connection(Facts.connection("Alice", role: "receiver"), days: same).contains(
                "Checked In · 09:10"))
    }
}

@Suite struct `A page about people in danger` {
    /// Missed on 8 March; Bob was told at 10:30:10.
    private static let miss = Facts.ping("missed", on: "2027-03-08", told: "2027-03-08T10:30:10.000000Z")

    @Test func `calls nobody safe while an alarm about them stands, whatever they have pressed`() throws {
        func alarm(_ kind: String, _ sender: String = "u1") -> String {
            """
            {"id":"a1","kind":"\(kind)","status":"open","role":"receiver","sender":{"id":"\(sender)","display_name":"Bob"},
            "opened_at":"2027-03-09T10:00:00.000000Z"}
            """
        }
        // Before the call, and a thing that was pressed during it.
        for done in ["2027-03-09T09:02:00.000000Z", "2027-03-09T10:05:00.000000Z"] {
            let bob = Facts.connection(
                "Bob", role: "receiver", ping: Facts.ping("completed", on: "2027-03-09", done: done), last: done)
            func page(_ alarms: String) throws -> String {
                try Reader(now: "2027-03-09T10:10:00Z", alarms: alarms).today(Facts.receiver(bob))
            }
            #expect(try page("").contains("Safe: checked in at"))
            for kind in ["help", "unanswered", "missed"] {
                #expect(!(try page(alarm(kind)).contains("Safe")), "\(kind)")
                #expect(try page(alarm(kind)).contains("Last check-in at \(done.dropFirst(11).prefix(5))"))
            }
            #expect(try page(alarm("help")).contains("Needs help: called for it at 10:00"))
            #expect(try page(alarm("unanswered")).contains("Has not answered. The alarm began at 10:00"))
            // Neither a drill nor an alarm about somebody else.
            for other in [alarm("drill"), alarm("help", "u2")] { #expect(try page(other).contains("Safe: checked in")) }
            // Of which the reader is told later, or never.
            func untold(_ sender: String) throws -> String {
                try Reader(now: "2027-03-09T10:10:00Z", doubted: "\"\(sender)\"").today(Facts.receiver(bob))
            }
            #expect(!(try untold("u1").contains("Safe")))
            #expect(try untold("u1").contains("Last check-in at \(done.dropFirst(11).prefix(5))"))
            #expect(try untold("u2").contains("Safe: checked in"))
        }
    }

    @Test func `calls nobody safe while a newer question of the visitor's, or to the visitor, stands open`() throws {
        let reader = Reader(now: "2027-03-09T10:10:00Z")
        let done = "2027-03-09T09:02:00.000000Z"
        func bob(_ role: String) -> String {
            Facts.connection("Bob", role: role, ping: Facts.ping("completed", on: "2027-03-09", done: done), last: done)
        }
        let asked = bob("receiver").replacing(
            "\"time_zone\"", with: "\"asked_until\":\"2027-03-09T10:40:00.000000Z\",\"time_zone\"")
        for page in [try reader.today(Facts.receiver(asked)), try reader.connection(asked)] {
            #expect(!page.contains("Safe") && page.contains("Last check-in at 09:02"), "\(page)")
        }
        let visit = try reader.visit(TodayScreen.path)
        let facts = try JSONDocument(Array(Facts.receiver(asked).utf8)).root
        #expect(!(try TodayScreen([facts], visit).page(visit).body.text.contains("state good")))
        #expect(try reader.today(Facts.receiver(bob("receiver"))).contains("Safe: checked in"))

        var asks = reader
        asks.asks = """
            {"id":"q1","receiver":{"display_name":"Bob"},"answer_by":"2027-03-09T10:40:00.000000Z"}
            """
        let own = Facts.sender(bob("sender"), date: "2027-03-09")
        #expect(try reader.today(own).contains("You’re safe today. "))
        let page = try asks.today(own)
        #expect(page.contains("You checked in at 09:02"), "\(page)")
        #expect(!page.contains("You’re safe") && !page.contains("All is quiet"), "\(page)")
        let nothing = Facts.sender(Facts.connection("Bob"), date: "2027-03-09")
        #expect(try reader.today(nothing).contains("Nothing is asked of you today."))
        #expect(!(try asks.today(nothing).contains("Nothing is asked of you today.")))
    }

    @Test func `calls nobody locked out whose emergency access is granted`() throws {
        func page(_ requests: String) throws -> String {
            let vault = """
                {"id":"v1","name":"Papers","role":"nominee","access_level":"view","status":"accepted","nominee_id":"n1",
                "owner":{"display_name":"Alice"},"session":null}
                """
            let answers = try [vault, "null", requests].map { try JSONDocument(Array($0.utf8)).root }
            let visit = try Reader(now: "2027-03-09T10:10:00Z").visit("/vaults/v1")
            return try VaultScreen(answers, visit).page(visit).body.readable
        }
        func request(_ status: String, held: Bool = false) -> String {
            """
            {"items":[{"id":"r1","vault_id":"v1","vault":{"name":"Papers"},"status":"\(status)","held":\(held),
            "requested_at":"2027-03-01T10:00:00.000000Z","ends_at":"2027-03-12T10:00:00.000000Z"}]}
            """
        }
        #expect(try page(request("granted")).contains("You can enter Papers now, until "))
        #expect(try page(request("granted")).contains("Enter Now"))
        #expect(!(try page(request("granted")).contains("locked")))
        for other in ["null", #"{"items":[]}"#, request("waiting"), request("granted", held: true)] {
            #expect(try page(other).contains("This vault is locked."), "\(other)")
        }
    }

    @Test(
        arguments: [
            ("Europe/Berlin", nil, "112"), ("UTC", nil, "112"), ("America/Chicago", "+4915112345678", "911"),
            ("UTC", "+447700900123", "999"), ("UTC", "+12025550123", "911"), ("Pacific/Auckland", nil, "111"),
            ("Africa/Nairobi", "+254712345678", "999"), ("Africa/Nairobi", "+251911234567", "112"),
            ("Mars/Olympus", "garbage", "112"),
        ] as [(String, String?, String)])
    func `names the emergency number of where its reader is`(zone: String, phone: String?, number: String) throws {
        let visit = try Reader(zone: zone, phone: phone).visit(HelpScreen.path)
        let page = try HelpScreen([JSONDocument(Array("null".utf8)).root], visit).page(visit).body.text
        #expect(page.contains("href=\"tel:\(number)\""), "\(page)")
    }

    @Test func `says that Kith is late where it is, and until when it waits`() throws {
        func with(_ judged: String?, _ side: String) -> String {
            let ping = Facts.ping("due", on: "2027-03-09", from: "03:36", until: "2027-03-09T05:06:00.000000Z")
            let late = judged.map { "\"judge_at\":\"2027-03-09T\($0):00.000000Z\"," } ?? ""
            return Facts.connection("Bob", role: side, ping: ping.replacing("\"note\"", with: "\(late)\"note\""))
        }
        let now = Reader(now: "2027-03-09T05:07:00Z")
        let bob = try now.today(Facts.receiver(with(nil, "receiver")))
        #expect(bob.contains("The time was up at 05:06. Kith is late: nobody has been told yet"), "\(bob)")
        #expect(!bob.contains("There is time until"))
        let waits = try now.today(Facts.receiver(with("05:21", "receiver")))
        #expect(waits.contains("Kith was late, so there is time until 05:21"))
        let before = try Reader(now: "2027-03-09T05:00:00Z").today(Facts.receiver(with(nil, "receiver")))
        #expect(before.contains("There is time until 05:06"))
        let alice = try now.today(Facts.sender(with(nil, "sender"), date: "2027-03-09"))
        #expect(alice.contains("The time is up. Bob will be told soon that you have not checked in"), "\(alice)")
        let longer = try now.today(Facts.sender(with("05:21", "sender"), date: "2027-03-09"))
        #expect(longer.contains("If you don’t: at 05:21 Bob will be told"), "\(longer)")
    }

    @Test func `says that Kith is late where the pings of the day were not made`() throws {
        let bob = Facts.connection("Bob", role: "receiver", zone: "Europe/Berlin")
        func page(_ zones: String, _ connection: String) throws -> String {
            try Reader(lateZones: zones).today(Facts.receiver(connection))
        }
        #expect(try page("", bob).contains("Nothing is expected today"))
        #expect(try page(#""Asia/Tokyo""#, bob).contains("Nothing is expected today"))
        let late = try page(#""Asia/Tokyo","Europe/Berlin""#, bob)
        #expect(late.contains("Kith is late: nobody has been asked yet today"), "\(late)")
        #expect(!late.contains("Nothing is expected"))
        let paused = Facts.connection("Bob", role: "receiver", status: "paused", zone: "Europe/Berlin")
        #expect(!(try page(#""Europe/Berlin""#, paused).contains("Kith is late")))
        let own = try Reader(lateZones: #""UTC""#).connection(Facts.connection("Bob"))
        #expect(own.contains("Kith is late: you have not been asked yet today"), "\(own)")
    }

    @Test func `says beside a miss that goes on who has said that they are safe, and when`() throws {
        func with(_ outcome: String, _ by: String, _ role: String) -> String {
            let said = """
                "missed_ping_resolution":{"at":"2027-03-09T07:30:00.000000Z","outcome":"\(outcome)","by":\(by)},"missed_ping"
                """
            return Facts.connection("Bob", role: role, missed: Self.miss).replacing("\"missed_ping\"", with: said)
        }
        let carol = #"{"id":"u9","display_name":"Carol"}"#
        let bob = try Reader().today(Facts.receiver(with("safe", carol, "receiver")))
        #expect(bob.contains("Has not checked in."), "\(bob)")
        #expect(bob.contains("Carol said at 07:30 that they are safe. There is no check-in yet"))
        let help = try Reader().today(Facts.receiver(with("help_called", carol, "receiver")))
        #expect(help.contains("Carol called the emergency number at 07:30."))
        let unknown = try Reader().today(Facts.receiver(with("safe", "null", "receiver")))
        #expect(unknown.contains("1 other person said at 07:30"))
        let alice = try Reader().today(Facts.sender(with("safe", carol, "sender"), date: "2027-03-09"))
        let own = "Carol said at 07:30 that you are safe. Your own check-in is still missing."
        #expect(alice.contains(own), "\(alice)")
        let alone = try Reader().today(Facts.receiver(Facts.connection("Bob", role: "receiver", missed: Self.miss)))
        #expect(!alone.contains("said"))
    }

    @Test func `promises no alarm of receivers whom nothing reaches`() throws {
        func with(_ ways: String) -> String {
            let ping = Facts.ping("due", on: "2027-03-09", from: "07:00")
            return Facts.connection("Karl", role: "sender", ping: ping).replacing(
                "\"time_zone\"", with: "\"reachable_by\":\(ways),\"time_zone\"")
        }
        let lost = try Reader().today(Facts.sender(with("[]"), date: "2027-03-09"))
        #expect(lost.contains("Karl can’t be reached here."), "\(lost)")
        #expect(!lost.contains("will be told"))
        for ways in ["null", #"["sms"]"#] {
            let told = try Reader().today(Facts.sender(with(ways), date: "2027-03-09"))
            #expect(told.contains("at 10:30 Karl will be told"), "\(told)")
        }
        func help(_ ways: String) throws -> String {
            let visit = try Reader().visit(HelpScreen.path)
            let items = #"{"items":[\#(with(ways))]}"#
            return try HelpScreen([JSONDocument(Array(items.utf8)).root], visit).page(visit).body.readable
        }
        // A paused receiver is told if nobody else can be reached.
        func both(_ ways: String) throws -> String {
            let visit = try Reader().visit(HelpScreen.path)
            let paused = with(#"["sms"]"#).replacing("Karl", with: "Pia").replacing("\"active\"", with: "\"paused\"")
            return try HelpScreen(
                [JSONDocument(Array(#"{"items":[\#(with(ways)),\#(paused)]}"#.utf8)).root], visit
            ).page(visit).body.readable
        }
        #expect(try both("[]").contains("we tell Pia at once"))
        #expect(try both("[]").contains("Karl can’t be reached"))
        #expect(try !both(#"["push"]"#).contains("Pia"))
        #expect(try help("[]").contains("There is nobody here yet whom we could tell."))
        #expect(try help("[]").contains("Karl can’t be reached"))
        #expect(try help(#"["push"]"#).contains("we tell Karl at once"))
    }

    @Test func `says first that nobody was told to whoever sent the form of somebody else`() throws {
        var visit = try Reader().visit(HelpScreen.path)
        visit.isAnswer = true
        let page = try HelpScreen([JSONDocument(Array("null".utf8)).root], visit).page(visit).body.readable
        #expect(page.trimmingPrefix(while: \.isWhitespace).hasPrefix("Nobody has been told"), "\(page)")
    }

    @Test func `offers no second question while one is open`() throws {
        let open = Facts.connection("Bob", role: "receiver").replacing(
            "\"time_zone\"", with: "\"asked_until\":\"2027-03-09T08:30:00.000000Z\",\"time_zone\"")
        let page = try Reader().connection(open)
        #expect(page.contains("You have asked whether they are OK. If no answer comes, an alarm opens at 08:30."))
        #expect(!page.contains("Ask: “Are you OK?”"))
        #expect(try Reader().connection(Facts.connection("Bob", role: "receiver")).contains("Ask: “Are you OK?”"))
    }
}
