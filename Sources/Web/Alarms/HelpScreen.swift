package import JSON
internal import Pages
package import Problems
internal import Texts

/// "I need help" (K05), with a question before it: what happens, who is told, and a button that does nothing in the
/// first moment, so that a second tap that was meant for the page before cannot call for help.
package struct HelpScreen: Screen {
    package static let path = "/help"

    /// Those who are told; nil if that cannot be had now, which keeps nobody from calling.
    private let receivers: [Contact]?

    package static func calls(_ visit: Visit) -> [APICall] {
        [.get("/v1/connections?role=sender&limit=200", mayFail: [.tooManyRequests, .unavailable])]
    }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        guard let items = answers[0]["items"] else {
            receivers = nil
            return
        }
        let all = items.elements.map { Contact($0, visit.words) }
        let active = all.filter { $0.status == "active" }
        receivers = active.isEmpty ? all.filter { $0.status == "paused" } : active
    }

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        let title = words("web.help.title")
        return ScreenPage(
            title: title, section: .today,
            body: """
                <h1>\(title)</h1>
                <p class="lead">\(meaning(words))</p>
                \(visit.form(
                    """
                    <button class="button main big urgent deliberate" name="\(FormFields.act)" value="help">\(words("web.help.confirm"))</button>
                    <p class="panel bad lead">\(words("web.help.danger"))</p>
                    <details\(visit.refused == nil ? "" : " open" as HTML)>
                    <summary>\(words("web.help.words"))</summary>
                    \(visit.area("note", words("web.help.note"), limit: 500, hint: words("web.help.note_hint")))\
                    \(visit.button("help", words("web.help.confirm"), .destructive))
                    </details>
                    """))\
                \(visit.link(TodayScreen.path, words("web.help.cancel")))
                """)
    }

    /// What the button does, and who is told.
    private func meaning(_ words: Words) -> HTML {
        guard let receivers else { return "\(words("web.help.meaning_all"))" }
        guard !receivers.isEmpty else { return "\(words("web.help.nobody"))" }
        let shown = receivers.prefix(3).map { contact -> HTML in "\(name: contact.name)" }
        let others = receivers.count - shown.count
        let more: [HTML] = others > 0 ? ["\(words("web.today.others", ["count": .number(others)]))"] : []
        return words.html("web.help.meaning", ["names": words.list(shown + more)])
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        // A form that was cut off may lack its button, and the page has no other.
        guard name == "help" || name.isEmpty else { return nil }
        var act = Act(
            .send(.post, "/v1/alarms") { json in
                if let note = form.text("note") { json.field("note", note) }
            }
        ) { answer in
            let alarm = answer.map(Alarm.init)
            let told = alarm?.told ?? 0
            let notice =
                told > 0 ? Notice("web.help.done", ["count": .number(told)]) : Notice("alarm.nobody_told")
            return Destination(alarm.map(\.path) ?? AlarmsScreen.path, notice)
        }
        // Whoever calls again the next morning, by an old form too, needs help now. A second tap adds nothing.
        act.actsAnew = true
        return act
    }
}
