package import JSON
internal import Pages
package import Problems
internal import Texts

/// Asks once more before the visitor ends their own call for help (K13). Every page leads here instead of ending it,
/// and so does a check-in of a page from before the call. The buttons that end it are beside the place of the link
/// that led here, take no pointer in the first moment, and do nothing for a form that is sent sooner than anybody can
/// have read the question.
package struct EndCallScreen: Screen {
    package static let path = "/help/end"

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {}

    package func page(_ visit: Visit) -> ScreenPage { Self.question(visit) }

    /// The question, which a check-in of a page from before the call gets too. It carries the note of that check-in.
    static func question(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        guard let call = visit.person?.ownCall else {
            return ScreenPage(
                title: words("state.alarm.own.over"), section: .today,
                body: """
                    <h1>\(words("state.alarm.own.over"))</h1>
                    \(visit.link(TodayScreen.path, words("web.nav.today"), .usual))
                    """)
        }
        let title = words("web.alarm.own.end.title")
        let again: HTML =
            visit.step?.isOn(SecondThought.field) != true
            ? "" : "<p class=\"alert\" role=\"alert\">\(words("web.alarm.own.end.again"))</p>\n"
        var note: HTML = ""
        if let text = visit.step?.note("note") {
            note += visit.hidden("note", text)
            if visit.step?.isOn("share_note") == true { note += visit.hidden("share_note", "on") }
        }
        return ScreenPage(
            title: title, section: .today,
            body: """
                <h1>\(title)</h1>
                \(again)<p class="lead">\(words("web.alarm.own.end.message"))</p>
                \(visit.link(TodayScreen.path, words("web.alarm.own.end.cancel"), .usual))\
                <div data-key="\(call.id)">
                \(visit.form(
                    """
                    \(visit.hidden("call", call.id))\(visit.hidden(SecondThought.field, String(visit.now)))\(note)\
                    <p><button class="button plain second deliberate" name="\(FormFields.act)" value="end">\(words("web.alarm.own.end.confirm"))</button></p>
                    <p class="hint">\(words("web.alarm.false_text"))</p>
                    <p><button class="button plain second deliberate" name="\(FormFields.act)" value="false-alarm">\(words("web.alarm.false"))</button></p>
                    """, to: Self.path))
                </div>
                """)
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        guard name == "end" || name == "false-alarm" else { return nil }
        guard SecondThought.asked(form[SecondThought.field], at: visit.now) != nil else { return .step }
        // A question about an earlier call does not end this one.
        if let call = visit.person?.ownCall, form["call"] != call.id { return .step }
        if name == "end" {
            return Act(
                .send(.post, "/v1/pings/check-in") { TodayScreen.write(form, to: &$0) }, to: TodayScreen.path,
                Notice("web.alarm.own.end.done"))
        }
        guard let call = visit.person?.ownCall else {
            throw Problem(.conflict, visit.words("state.alarm.own.over"))
        }
        return Act(
            .send(.post, "/v1/alarms/\(call.id)/resolve") { $0.field("outcome", "false_alarm") },
            to: AlarmScreen.path(of: call.id), Notice("web.alarm.false_done"))
    }

    /// The way here, which ends nothing. It is narrower than the page, so that the buttons here can stand beside it.
    static func link(_ visit: Visit) -> HTML {
        """
        <p class="apart"><a class="button plain first" href="\(path)">\(visit.words("web.alarm.own.end"))</a></p>

        """
    }
}
