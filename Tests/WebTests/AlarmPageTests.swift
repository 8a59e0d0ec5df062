import JSON
import Pages
import Testing
import Web

@Suite struct `The page of an alarm` {
    /// A line about somebody whom the reader knows, or, without a name, about another receiver.
    private static func line(
        _ kind: String, _ name: String? = nil, at minute: String = "10:30", by channel: String? = nil
    ) -> String {
        let id = name.map { "\"\($0)\"" } ?? "null"
        let way = channel.map { "\"channel\":\"\($0)\"," } ?? ""
        return """
            {"at":"2027-03-09T\(minute):11.000000Z","kind":"\(kind)",\(way)\
            "person":{"id":\(id),"display_name":"\(name ?? "another receiver")"}}
            """
    }

    private func page(told: Int, _ lines: String...) throws -> String {
        try Reader(now: "2027-03-09T10:40:00Z").alarm(
            """
            {"id":"a1","kind":"missed","status":"open","role":"sender","sender":{"id":"Alice","display_name":"Alice"},
            "opened_at":"2027-03-09T10:30:10.000000Z","told":\(told),"timeline":[\(lines.joined(separator: ","))]}
            """)
    }

    @Test func `says first to a receiver what has happened, and how to reach the sender`() throws {
        func page(_ more: String, kind: String = "missed", lines: String = "") throws -> HTML {
            let facts = """
                {"id":"a1","kind":"\(kind)","status":"open","role":"receiver","sender":{"id":"a","display_name":"Alice"},
                "state":\(Facts.state(kind, "alarm", "Alice has not checked in.", "Nobody looks after it.")),\(more)
                "opened_at":"2027-03-09T10:30:10.000000Z","told":2,"timeline":[\(lines)]}
                """
            let visit = try Reader(now: "2027-03-09T10:40:00Z").visit("/alarms/a1")
            return try AlarmScreen([JSONDocument(Array(facts.utf8)).root], visit).page(visit).body
        }
        let known = try page(
            """
            "call":{"phone":"+4915112345671"},"last_check_in_at":"2027-03-08T09:02:00.000000Z",
            "last_check_in_source":"sms","last_sign":{"at":"2027-03-09T07:00:00.000000Z","name":"Kettle"},
            """)
        #expect(known.readable.contains("Alice has not checked in. Nobody looks after it. Began at 10:30"))
        #expect(known.readable.contains("Last check-in yesterday at 09:02, by text message"), "\(known.readable)")
        #expect(known.readable.contains("Kettle") && known.text.contains("href=\"tel:+4915112345671\""))
        #expect(known.text.contains("href=\"tel:112\"") && known.text.contains("value=\"decline\""))
        let bare = try page(#""declined_by_me":true,"#)
        #expect(bare.readable.contains("Alice has not shared a phone number here."))
        #expect(bare.readable.contains("You have said that you can’t.") && !bare.text.contains("value=\"decline\""))
        let call = #"{"at":"2027-03-09T10:30:10.000000Z","kind":"help","note":"I fell"}"#
        #expect(try page("", kind: "help", lines: call).readable.contains("Alice wrote: I fell"))
        #expect(try !page("", kind: "drill").text.contains("tel:"), "nobody is called in a drill")
    }

    @Test func `calls for help although nobody knows at the moment who will be told`() throws {
        let visit = try Reader().visit(HelpScreen.path)
        let page = try HelpScreen([JSONDocument(Array("null".utf8)).root], visit).page(visit).body
        #expect(page.readable.contains("we tell everybody who sees your check-ins at once"))
        #expect(page.text.contains("value=\"help\""))
    }

    @Test func `lets people sign out although their account cannot be read at the moment`() throws {
        let visit = try Reader().visit(MeScreen.path)
        let page = try MeScreen([JSONDocument(Array("null".utf8)).root], visit).page(visit).body
        #expect(page.text.contains("value=\"sign-out\""))
    }

    @Test func `calls nobody told whom no message has reached`() throws {
        let waiting = try page(told: 1, Self.line("being_told", "Bob"))
        #expect(waiting.contains("Nobody has been reached so far."))
        #expect(waiting.contains("Is being told: Bob") && !waiting.contains("Told so far"))
        let failed = try page(told: 1, Self.line("told", "Bob"), Self.line("not_reached", "Carol"))
        #expect(failed.contains("Told so far: Bob.") && failed.contains("Could not be reached: Carol"))
        let called = try page(
            told: 1, Self.line("not_reached", "Carol", by: "voice"), Self.line("told", "Carol", by: "sms"))
        #expect(called.contains("No answer to a call: Carol") && called.contains("Told so far: Carol."), "\(called)")
        // Others whom the reader does not know share one line of the timeline, and are counted one by one.
        let others = try page(
            told: 4, Self.line("told", "Bob"), Self.line("being_told"), Self.line("being_told"), Self.line("told"))
        #expect(others.contains("Told so far: Bob and 1 other person."), "\(others)")
        // Those whom nothing reaches are not among those whom the API counts as told.
        let lost = try page(told: 2, Self.line("told", "Bob"), Self.line("told"), Self.line("not_reached"))
        #expect(lost.contains("Told so far: Bob and 1 other person."), "\(lost)")
        // The first message has reached Bob, and the second has not yet.
        let again = try page(told: 1, Self.line("told", "Bob"), Self.line("being_told", "Bob", at: "11:00"))
        #expect(again.contains("Told so far: Bob."))
    }
}
