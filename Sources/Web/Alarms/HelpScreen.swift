package import JSON
internal import KithCountries
internal import Pages
package import Problems
internal import Texts

/// "I need help" (K05), with a question before it: what happens, who is told, and a button that does nothing in the
/// first moment, so that a second tap that was meant for the page before cannot call for help.
package struct HelpScreen: Screen {
    package static let path = "/help"

    /// Those who are told; nil if that cannot be had now, which keeps nobody from calling.
    private let receivers: [Counterpart]?

    package static func calls(_ visit: Visit) -> [APICall] {
        [.get("/v1/connections?role=sender&limit=200", mayFail: [.tooManyRequests, .unavailable])]
    }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        guard let items = answers[0]["items"] else {
            receivers = nil
            return
        }
        let all = items.elements.map { Counterpart($0, visit.words) }
        // As internal.connections_to_help chooses them.
        let active = all.filter { $0.status == "active" }
        let isHeard = active.contains(where: \.isReachable)
        receivers = isHeard ? active : active + all.filter { $0.status == "paused" }
    }

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        let title = words("web.help.title")
        let button: HTML = """
            <button class="button main big urgent deliberate" name="\(FormFields.act)" value="help">\(words("web.help.confirm"))</button>

            """
        // Where nobody can be reached, the number that helps stands first, and a try to tell them behind it.
        let call: HTML =
            isHeard
            ? """
            \(button)<p class="panel bad lead">\(words("web.help.danger"))</p>
            \(EmergencyNumber.link(visit))
            """
            : """
            \(EmergencyNumber.call(visit.emergencyNumber, words.texts, "button main big urgent"))\
            \(visit.undoing("help", words(receivers?.isEmpty == true ? "web.help.confirm" : "web.help.anyway"), .destructive))
            """
        return ScreenPage(
            title: title, section: .today, showsProblem: true,
            body: """
                \(Self.isUnsent(visit) ? Self.notTold(visit) : "")\(called(visit))\
                <h1>\(title)</h1>
                <p class="lead">\(meaning(visit))</p>
                \(visit.form(
                    """
                    \(call)<details\(visit.refused == nil ? "" : " open" as HTML)>
                    <summary>\(words("web.help.words"))</summary>
                    \(visit.area("note", words("web.help.note"), limit: 500, hint: words("web.help.note_hint")))\
                    \(visit.button("help", words("web.help.confirm"), .destructive))
                    </details>
                    """))\
                \(visit.link(TodayScreen.path, words("web.help.cancel")))
                """)
    }

    /// The parameter with which the browser's worker leads here where it could not send the form of this screen.
    private static let unsent = "unsent"

    /// Whether the visitor has called for help and nobody has been told: the form was refused, also as one of a page of
    /// somebody else, or it never left the device. Where only the answer was lost, there is the call.
    private static func isUnsent(_ visit: Visit) -> Bool {
        (visit.isAnswer || visit.query.isOn(unsent)) && visit.person?.ownCall == nil
    }

    /// The first words to somebody who may believe that they have called for help and have not: nobody knows, whom to
    /// call instead, and that nothing is sent by itself (K13).
    static func notTold(_ visit: Visit) -> HTML {
        """
        <div class="panel bad" role="alert">
        <p class="lead"><strong>\(visit.words("web.help.unsent"))</strong></p>
        \(EmergencyNumber.link(visit))\
        \(visit.refused?.problem.map { "<p>\($0.text(in: visit.words))</p>\n" as HTML } ?? "")\
        <p>\(visit.words("web.help.unsent_text"))</p>
        </div>

        """
    }

    /// The way to the call that is open already.
    private func called(_ visit: Visit) -> HTML {
        guard let call = visit.person?.ownCall else { return "" }
        return """
            <p class="panel info"><strong>\(visit.words("state.alarm.own.help"))</strong><br>
            <a class="inline" href="\(AlarmScreen.path(of: call.id))">\(visit.words("web.alarm.own.open"))</a></p>

            """
    }

    /// Whether somebody can be told, as far as that is known.
    private var isHeard: Bool { receivers?.contains(where: \.isReachable) ?? true }

    /// What the button does, and who is told.
    private func meaning(_ visit: Visit) -> HTML {
        let words = visit.words
        guard let receivers else { return "\(words("web.help.meaning_all"))" }
        let unreachable = receivers.filter { !$0.isReachable }
        let lost: HTML =
            unreachable.isEmpty
            ? ""
            : words.html(
                "state.day.unreachable", ["names": words.list(unreachable.map { "\(name: $0.name)" })],
                count: unreachable.count)
        let heard = receivers.filter(\.isReachable)
        guard !heard.isEmpty else {
            guard !unreachable.isEmpty else { return "\(words("web.help.nobody"))" }
            let names = words.list(unreachable.map { "\(name: $0.name)" })
            return words.html(
                "web.help.unreachable", ["names": names, "number": "\(visit.emergencyNumber)"], count: unreachable.count
            )
        }
        let shown = heard.prefix(3).map { other -> HTML in "\(name: other.name)" }
        let others = heard.count - shown.count
        let more: [HTML] = others > 0 ? ["\(words("state.more", ["count": .number(others)]))"] : []
        let meaning = words.html("web.help.meaning", ["names": words.list(shown + more)])
        return unreachable.isEmpty ? meaning : "\(meaning) \(lost)"
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
