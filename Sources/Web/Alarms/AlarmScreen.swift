package import JSON
internal import KithCountries
internal import Pages
package import Problems
internal import Texts

/// The page of an alarm, which is the same for its sender and everybody who was told: who knows, who goes, and what
/// each of them can do.
package struct AlarmScreen: Screen {
    package static let path = "/alarms/{id}"

    /// The most lines of the timeline that the page shows at first.
    private static let mostLines = 30

    private let alarm: Alarm

    /// The path of the page of an alarm.
    package static func path(of id: String) -> String { "/alarms/\(id)" }

    package static func calls(_ visit: Visit) -> [APICall] { [.get("/v1/alarms/\(visit.id())")] }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        alarm = Alarm(answers[0])
    }

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        var body = alarm.sheet.top(words)
        // Not where the visitor has just called for help, or begun a drill.
        let comesLast = alarm.isMine && (alarm.kind == .help || !alarm.isReal)
        if alarm.isMine {
            body += unreached(visit) + (comesLast ? "" : sendersActs(visit))
        } else {
            body += receiversActs(visit)
        }
        body += """
            <h2>\(words("web.alarm.who_knows"))</h2>
            <p>\(alarm.audience(visit))</p>
            \(answers(visit))\(notes(visit))\(timeline(visit))\(comesLast ? sendersActs(visit) : "")\
            \(visit.back(alarm.isMine ? TodayScreen.path : AlarmsScreen.path, "\(words(alarm.isMine ? "web.nav.today" : "web.alarms.title"))"))
            """
        return ScreenPage(title: alarm.title, section: alarm.isMine ? .today : .people, body: body)
    }

    /// What somebody who was told can do. The one thing that is missing comes first.
    private func receiversActs(_ visit: Visit) -> HTML {
        let words = visit.words
        let name: HTML = "\(name: alarm.sender)"
        var html: HTML = ""
        if alarm.status == .open {
            html += visit.form(
                """
                <button class="button main big" name="\(FormFields.act)" value="take">\(words("web.alarm.take"))</button>
                <p class="hint">\(words("web.alarm.take_hint"))</p>
                """)
        }
        if !alarm.isOver { html += alarm.sheet.ways(words, emergencyNumber: visit.emergencyNumber) + card(words) }
        if alarm.isTakenByMe {
            html += """
                <div class="actions">
                <a class="button good" href="\(alarm.path)/end?outcome=safe"><span>\(words.html("web.alarm.safe", ["name": name]))</span></a>
                <a class="button warn" href="\(alarm.path)/end?outcome=help_called">\(words("web.alarm.help_called"))</a>
                \(visit.form("\(visit.button("take", words("web.alarm.longer"), .plain))"))\
                \(visit.form("\(visit.undoing("release", words("web.alarm.release")))"))</div>
                <p class="hint">\(words("web.alarm.release_hint"))</p>

                """
        } else if !alarm.isOver {
            html += """
                <div class="actions">
                <a class="button plain" href="\(alarm.path)/end?outcome=safe"><span>\(words.html("web.alarm.safe", ["name": name]))</span></a>
                <a class="button plain" href="\(alarm.path)/end?outcome=help_called">\(words("web.alarm.help_called"))</a>
                \(declining(visit))</div>

                """
        }
        if alarm.canReopen {
            html += """
                <details>
                <summary>\(words("web.alarm.reopen"))</summary>
                <p>\(words("web.alarm.reopen_text"))</p>
                \(visit.form(
                    """
                    \(visit.area("note", words("web.alarm.note_optional"), limit: 500))\
                    \(visit.button("reopen", words("web.alarm.reopen_confirm"), .destructive))
                    """))\
                </details>

                """
        }
        return html
    }

    /// The way to say that one can't look after an alarm that nobody has taken.
    private func declining(_ visit: Visit) -> HTML {
        guard alarm.status == .open else { return "" }
        return alarm.isDeclinedByMe
            ? "<p class=\"quiet\">\(visit.words("alarm.declined"))</p>\n"
            : visit.form("\(visit.button("decline", visit.words("alarm.decline"), .plain))")
    }

    /// The way to the care card or the place, for whoever goes there.
    private func card(_ words: Words) -> HTML {
        guard alarm.isReal, alarm.hasCareCard || alarm.hasPlace else { return "" }
        let label = words(alarm.hasCareCard ? "web.alarm.card" : "web.alarm.place")
        return "<a class=\"button plain\" href=\"\(alarm.path)/card\">\(label)</a>\n"
    }

    /// Whom to call while nobody has been reached, who must not wait for somebody.
    private func unreached(_ visit: Visit) -> HTML {
        guard alarm.isReal, !alarm.isOver, alarm.reached == 0, alarm.takenBy == nil else { return "" }
        let key = alarm.told == 0 ? "alarm.nobody_told" : "web.alarm.own.unreached"
        return "<p class=\"panel bad lead\">\(visit.words(key))</p>\n\(EmergencyNumber.link(visit))"
    }

    /// What ends the alarm of the visitor.
    private func sendersActs(_ visit: Visit) -> HTML {
        guard !alarm.isOver else { return "" }
        let words = visit.words
        guard alarm.isReal else {
            return visit.form("\(visit.undoing("false-alarm", words("web.drill.end")))")
        }
        return alarm.kind == .help ? EndCallScreen.link(visit) : OwnAlarm.safe(visit)
    }

    /// Who has answered a drill, and how fast: what the sender held it for.
    private func answers(_ visit: Visit) -> HTML {
        guard alarm.isMine, !alarm.isReal else { return "" }
        let words = visit.words
        var seen: Set<String> = []
        var rows: HTML = ""
        for line in alarm.lines where line.kind == "taken" || line.kind == "seen" {
            guard let person = line.person, seen.insert(person.id ?? person.name).inserted,
                let from = words.seconds(until: alarm.openedAt), let at = words.seconds(until: line.at)
            else { continue }
            let minutes = (at - from) / 60
            let length =
                minutes < 1 ? words("web.drill.at_once") : words("duration.left.minutes", ["count": .number(minutes)])
            rows +=
                "<li>\(words.html("web.drill.answer", ["name": person.html(visit), "length": "\(length)"]))</li>\n"
        }
        let list: HTML = seen.isEmpty ? "<p>\(words("web.drill.nobody"))</p>\n" : "<ul>\n\(rows)</ul>\n"
        return "<h2>\(words("web.drill.answered"))</h2>\n\(list)"
    }

    /// The form for a note to everybody, which is also the way to ask others to come along.
    private func notes(_ visit: Visit) -> HTML {
        let words = visit.words
        return """
            <details\(visit.refused?.act == "note" ? " open" : "" as HTML)>
            <summary>\(words("web.alarm.write"))</summary>
            \(visit.form(
                """
                \(visit.area("body", words("web.alarm.note"), limit: 500, hint: words(alarm.isMine ? "web.alarm.note_hint_own" : "web.alarm.note_hint")))\
                \(visit.button("note", words("web.alarm.note_send"), .plain))
                """))
            </details>

            """
    }

    private func timeline(_ visit: Visit) -> HTML {
        let words = visit.words
        let isWhole = visit.query.isOn("all")
        let known = alarm.lines.reversed().compactMap { $0.html(visit) }
        let shown = isWhole ? known : Array(known.prefix(Self.mostLines))
        var html: HTML = """
            <h2>\(words("web.alarm.timeline"))</h2>
            <ol class="rows" id="timeline">
            \(HTML.joined(shown))</ol>

            """
        if shown.count < known.count {
            html += "<p><a class=\"inline\" href=\"\(alarm.path)?all=1\">\(words("web.list.more"))</a></p>\n"
        }
        return html
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        let call = "/v1/alarms/\(visit.id())"
        let page = path(of: visit.id())
        func send(
            _ verb: String, _ notice: String, to next: String? = nil, _ body: (inout JSONWriter) -> Void = { _ in }
        ) -> Act {
            Act(.send(.post, "\(call)/\(verb)", body)) { answer in
                Destination(next ?? page, Notice(notice, ["name": .name(answer.map { Alarm($0).sender } ?? "")]))
            }
        }
        switch name {
        case "take": return send("take", "web.alarm.taken")
        // The alarm's page has the button that takes it again, perhaps where this one was.
        case "release": return send("release", "web.alarm.released", to: AlarmsScreen.path)
        case "decline": return send("release", "alarm.declined")
        case "reopen":
            return send("reopen", "web.alarm.reopened") { json in
                if let note = form.text("note") { json.field("note", note) }
            }
        case "note":
            guard let note = form.text("body") else { throw .invalid("body", visit.words("web.alarm.note_empty")) }
            return send("notes", "web.alarm.noted") { $0.field("body", note) }
        case "false-alarm":
            return send("resolve", "web.alarm.false_done") { $0.field("outcome", "false_alarm") }
        default: return nil
        }
    }
}

/// Asks before somebody who was told ends an alarm for everybody.
package struct EndAlarmScreen: Screen {
    package static let path = "/alarms/{id}/end"

    private let alarm: Alarm
    /// The newest line of the timeline that the page is from.
    private let seenAt: String

    package static func calls(_ visit: Visit) -> [APICall] { [.get("/v1/alarms/\(visit.id())")] }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        alarm = Alarm(answers[0])
        // Instants of the API sort as texts.
        seenAt = answers[0]["timeline"]?.elements.compactMap { $0["at"]?.string }.max() ?? ""
        // The sender ends an alarm by a check-in.
        if alarm.isMine { throw Problem(.notFound) }
    }

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        let outcome = Self.outcome(visit.typed("outcome") ?? visit.query["outcome"])
        let name: [String: HTML] = ["name": "\(name: alarm.sender)"]
        let key = "web.alarm.end.\(outcome)"
        // What the sender called last: whoever ends the alarm has read it.
        let call: HTML =
            alarm.isOver
            ? ""
            : alarm.sheet.call.map {
                "<p class=\"panel\">\(words.html("web.alarm.wrote", name)) <q>\(name: $0)</q></p>\n"
            } ?? ""
        let form: HTML =
            alarm.isOver
            ? "<p class=\"panel \(alarm.state.tone) lead\">\(alarm.state.detail ?? "")</p>\n"
            : visit.form(
                """
                \(visit.hidden("outcome", outcome))\(visit.hidden("seen_at", seenAt))\
                \(visit.area("note", words("web.alarm.note_optional"), limit: 500))\
                \(visit.button("end", words.html("\(key).confirm", name), .main))
                """)
        return ScreenPage(
            title: words("\(key).title", ["name": .name(alarm.sender)]), section: .people,
            body: """
                <h1>\(words.html("\(key).title", name))</h1>
                <p class="lead">\(words.html("\(key).message", name))</p>
                \(call)\(form)\
                \(visit.link(alarm.path, words("button.cancel")))
                """)
    }

    private static func outcome(_ text: String) -> String { text == "help_called" ? text : "safe" }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        guard name == "end" else { return nil }
        let outcome = outcome(form["outcome"])
        return Act(
            .send(.post, "/v1/alarms/\(visit.id())/resolve") { json in
                json.field("outcome", outcome)
                if let note = form.text("note") { json.field("note", note) }
                if let seenAt = form.text("seen_at") { json.field("seen_at", seenAt) }
            }, to: AlarmScreen.path(of: visit.id()), Notice("web.alarm.end.done"))
    }
}
