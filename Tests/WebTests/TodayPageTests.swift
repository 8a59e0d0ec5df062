import HTTP
import JSON
import Pages
import Testing
import Web

@Suite struct `The first screen` {
    /// Missed on 8 March; Bob was told at 10:30:10.
    private static let miss = Facts.ping("missed", on: "2027-03-08", told: "2027-03-08T10:30:10.000000Z")

    private static func home(_ state: String) throws -> HTML {
        let visit = try Reader().visit(TodayScreen.path)
        let facts = Facts.sender(Facts.connection("Bob"), state: state)
        return try TodayScreen([JSONDocument(Array(facts.utf8)).root], visit).page(visit).body
    }

    @Test func `says the day in the words of the API, and asks where it waits for an answer`() throws {
        for (kind, tone) in [("waiting", "calm"), ("waiting", "waiting"), ("missed", "alarm"), ("late", "waiting")] {
            let page = try Self.home(Facts.state(kind, tone, "One sentence.", "What follows."))
            #expect(page.text.contains("<h1>One sentence.</h1>") && page.text.contains("lead\">What follows.</p>"))
            #expect(page.text.contains("class=\"button main big\""), "\(kind)")
            #expect(page.text.contains("day bad") == (tone == "alarm"), "\(page.text)")
        }
        let safe = try Self.home(Facts.state("safe", "calm", "You have checked in for today.", "You checked in."))
        #expect(safe.text.contains("day good") && !safe.text.contains("button main big"))
        #expect(safe.readable.contains("Say it once more"))
        let rest = try Self.home(Facts.state("break", "calm", "You are on a break."))
        #expect(rest.text.contains("href=\"/me/break\"") && !rest.text.contains("button main big"))
    }

    @Test func `says to somebody new what is left to do, and how each receiver is reached (I07)`() throws {
        func page(_ steps: String, _ ways: String = #"["push","sms"]"#) throws -> String {
            let bob = Facts.connection("Bob").replacing("\"time_zone\"", with: "\"reachable_by\":\(ways),\"time_zone\"")
            let home = Facts.sender(bob, state: Facts.state("waiting", "calm", "One sentence."))
            return try Reader().today(home.dropLast() + #","first_steps":\#(steps)}"#)
        }
        let left = try page(#"{"heard":true,"reached":false,"zone":true,"number":false,"care_card":null}"#)
        #expect(left.contains("First steps") && left.contains("Bob: Push, Text"), "\(left)")
        #expect(left.contains("No message reaches you yet.") && left.contains("Share it, so that they can call you"))
        #expect(!left.contains("Choose it, so that all times are right.") && !left.contains("care card"))
        let alone = try page(#"{"heard":false,"reached":true,"zone":true,"number":true,"care_card":true}"#, "[]")
        #expect(alone.contains("Nobody can be told yet.") && alone.contains("Bob: not at all"))
        #expect(try !page("null").contains("First steps"))
    }

    @Test func `shows each kind by a shape of its own, and never one that it does not know as safe`() throws {
        let pictures = Set(Shape.allCases.map(\.html.text))
        #expect(pictures.count == Shape.allCases.count)
        #expect(Shape(kind: "late") == .waiting && Shape(kind: "break") == .pause)
        #expect(Shape(kind: "splendid") == .unknown && Shape(kind: "SAFE") == .unknown)
        for kind in ["safe", "waiting", "missed", "break", "unknown"] {
            let page = try Self.home(Facts.state(kind, "calm", "One sentence."))
            #expect(page.text.contains(Shape(kind: kind).html.text), "\(kind)")
        }
    }

    @Test func `names an alarm that nobody looks after in the tab of every page`() throws {
        func document(takenBy taker: String) throws -> String {
            let state = Facts.state("help", "alarm", "Bob needs help.")
            let alarms = #"{"id":"a1","kind":"help","role":"receiver","taken_by":\#(taker),"state":\#(state)}"#
            let visit = try Reader(alarms: alarms).visit(PeopleScreen.path)
            let response = Layout(visit).response(ScreenPage(title: "People", section: .people, body: ""))
            guard case .bytes(let bytes) = response.body else { return "" }
            return String(decoding: bytes, as: UTF8.self)
        }
        let open = try document(takenBy: "null")
        #expect(open.contains("<title>Bob needs help. · People · Kith</title>"))
        #expect(open.contains("href=\"\(Asset.alarmIcon.path)\""))
        let taken = try document(takenBy: #"{"id":"u2","display_name":"Carol"}"#)
        #expect(taken.contains("<title>People · Kith</title>") && taken.contains("href=\"\(Asset.icon.path)\""))
    }

    @Test func `calls safe only what the API calls safe`() throws {
        for state in [
            Facts.state("celebrating", "calm", "Something new."), Facts.state("unknown", "unknown", "Something new."),
            Facts.state("celebrating", "joyful", "Something new."), "null", "{}",
        ] {
            let own = try Self.home(state)
            #expect(!own.text.contains("good"), "\(own.text)")
            let visit = try Reader().visit(TodayScreen.path)
            let facts = Facts.receiver(Facts.connection("Bob", role: "receiver", state: state))
            let seen = try TodayScreen([JSONDocument(Array(facts.utf8)).root], visit).page(visit).body
            #expect(!seen.text.contains("good") && !seen.readable.contains("Safe"), "\(seen.text)")
        }
    }

    @Test func `asks again soon while a message about a miss has not left`() throws {
        for (telling, waits) in [("told", false), ("being_told", true), ("not_reached", false)] {
            let miss = Facts.ping(
                "missed", on: "2027-03-08", told: "2027-03-08T10:30:10.000000Z", telling: telling)
            let visit = try Reader().visit(TodayScreen.path)
            let facts = Facts.sender(
                Facts.connection("Bob", missed: miss), state: Facts.state("missed", "alarm", "Missed.", "Bob."))
            let page = try TodayScreen([JSONDocument(Array(facts.utf8)).root], visit).page(visit).body
            #expect(page.text.contains("data-waits") == waits, "\(telling)")
        }
    }

    @Test func `says when the last check-in was, unless the day is about it`() throws {
        let waiting = Facts.state("waiting", "waiting", "Let your receivers know you’re safe.")
        let last = "2027-03-07T09:10:00.000000Z"
        let alice = try Reader(now: "2027-03-09T00:30:00Z").today(
            Facts.sender(Facts.connection("Bob", last: last), state: waiting))
        #expect(alice.contains("Last check-in on Sunday, 7 March 2027 at 09:10, by the app"))
        let safe = try Reader().today(
            Facts.sender(
                Facts.connection("Bob", last: last),
                state: Facts.state("safe", "calm", "You have checked in for today.", "So.")))
        #expect(!safe.contains("Last check-in"))
        let bob = try Reader(now: "2027-03-09T00:30:00Z").today(
            Facts.receiver(Facts.connection("Alice", role: "receiver", missed: Self.miss, last: last)))
        #expect(bob.contains("Last check-in on Sunday, 7 March 2027 at 09:10, by the app"))
        let never = try Reader().today(
            Facts.receiver(Facts.connection("Alice", role: "receiver", missed: Self.miss)))
        #expect(never.contains("Has not checked in so far"))
    }

    @Test func `keeps a note that a check-in carries within what the API takes`() {
        func note(_ text: String) -> String? { FormFields(pairs: [("note", text)]).note("note") }
        #expect(note("fell\u{0C}asleep\nat home") == "fellasleep\nat home")
        #expect(note(" \u{01} ") == nil && note("") == nil)
        #expect(note(String(repeating: "x", count: 501))?.count == 500)
    }
}

@Suite struct `The page of a connection` {
    @Test func `says how things stand in the words of the API`() throws {
        let page = try Reader().connection(
            Facts.connection(
                "Alice", role: "receiver", state: Facts.state("missed", "alarm", "Has not checked in.", "Bob said so."))
        )
        #expect(page.contains("Has not checked in. Bob said so."), "\(page)")
    }

    @Test func `promises no alarm that would not come`() throws {
        let reader = Reader(now: "2027-03-08T08:00:00Z")
        for facts in [
            Facts.connection("Alice", role: "receiver", status: "paused"),
            Facts.connection("Alice", role: "receiver", isSuspended: true),
        ] {
            let page = try reader.connection(facts)
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
            "requested_at":"2027-03-01T10:00:00.000000Z","grants_at":"2027-03-12T10:00:00.000000Z","ends_at":"2027-03-12T10:00:00.000000Z"}]}
            """
        }
        #expect(try page(request("granted")).contains("You can enter Papers now, until "))
        #expect(try page(request("granted")).contains("Enter Now"))
        #expect(!(try page(request("granted")).contains("locked")))
        for other in ["null", #"{"items":[]}"#, request("ended")] {
            #expect(try page(other).contains("This vault is locked."), "\(other)")
        }
        // Why it is locked, and until when.
        let waiting = try page(request("waiting"))
        #expect(
            waiting.contains("Locked")
                && waiting.contains("You can enter Papers on 12 March 2027, 10:00 unless its owner says no."))
        let held = try page(request("granted", held: true))
        #expect(held.contains("Locked") && !held.contains("You can enter Papers now") && !held.contains("Enter Now"))
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

    @Test func `promises no call to receivers whom nothing reaches`() throws {
        func with(_ ways: String) -> String {
            Facts.connection("Karl").replacing("\"time_zone\"", with: "\"reachable_by\":\(ways),\"time_zone\"")
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
        #expect(try help("[]").contains("We can’t reach Karl. If you need help, call 112."))
        #expect(try help("[]").contains("Try to tell them all the same"))
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
