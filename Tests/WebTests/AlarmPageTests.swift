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
