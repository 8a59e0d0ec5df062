package import JSON
internal import KithCountries
internal import Pages
package import Problems
internal import Texts

/// The pages of the desk (K12): an organisation's staff work the alarms of their tenant in a browser, each under their
/// own name, without an account.
package struct DeskPage {
    /// The path of the list, and of the sign-in before it. That of an alarm is below it.
    package static let path = "/desk"

    let visit: Visit
    /// The name of the person who works here.
    private let person: String

    package init(_ visit: Visit, person: String) {
        self.visit = visit
        self.person = person
    }

    var words: Words { visit.words }

    /// What stands in the place of an alarm's id in the path of the page about the canary.
    package static let canary = "canary"

    package static func path(of alarm: String) -> String { "\(path)/\(alarm)" }

    /// The page that asks for a key and a name.
    package static func signIn(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        let title = words("web.desk.title")
        return ScreenPage(
            title: title, section: nil,
            body: """
                <h1>\(title)</h1>
                <p class="lead">\(words("web.desk.lead"))</p>
                \(visit.form(
                    """
                    \(visit.field(
                        "by", words("web.desk.name"), hint: words("web.desk.name_hint"),
                        attributes: "maxlength=\"100\" autocomplete=\"name\""))\
                    \(visit.field(
                        "secret", words("web.desk.key"), hint: words("web.desk.key_hint"),
                        attributes: "type=\"password\" autocomplete=\"off\" maxlength=\"200\" spellcheck=\"false\""))\
                    \(visit.button("begin", words("web.desk.begin")))
                    """))
                """)
    }

    /// The open alarms, those that nobody looks after first, and what has ended in this shift. The lists are pages of
    /// the API.
    package func list(
        open: [JSONValue], taken: [JSONValue], over: JSONValue, from began: String, until ends: String
    ) -> ScreenPage {
        let urgent = Self.urgent(open)
        let drills = (open + taken).flatMap(Self.alarms).filter { !$0.isReal }
        let ended = Self.alarms(over).filter { ($0.resolvedAt ?? "") >= began }
        let title = words("web.desk.title")
        let heading =
            urgent.isEmpty ? words("web.desk.none") : words("web.desk.open", ["count": .number(urgent.count)])
        var body: HTML = "\(sign(urgent))<h1>\(heading)</h1>\n"
        body += rows(urgent) + section("web.desk.taken", taken.flatMap(Self.alarms).filter(\.isReal))
        body += section("web.desk.drills", drills) + section("web.desk.ended", ended)
        if [open.last, taken.last].contains(where: { $0?["next_cursor"]?.string != nil }) {
            body += "<p class=\"panel warn\">\(words("web.desk.more"))</p>\n"
        }
        body += """
            <h2>\(words("web.desk.shift"))</h2>
            <p>\(words.html("web.desk.person", ["name": "\(name: person)", "until": "\(words.until(ends)) (UTC)"]))</p>
            <p><a class="inline" href="\(Self.path(of: Self.canary))">\(words("web.desk.canary"))</a></p>
            \(visit.form("\(visit.button("end-shift", words("web.desk.end"), .plain))"))
            """
        return ScreenPage(title: urgent.isEmpty ? title : heading, section: nil, body: live(body) + sound)
    }

    /// The mark that the module compares to make a sound: the alarms that nobody looks after.
    private func sign(_ urgent: [Alarm]) -> HTML {
        "<p id=\"desk\" data-open=\"\(urgent.map(\.id).joined(separator: " "))\" hidden></p>\n"
    }

    private var sound: HTML {
        """
        <p><button type="button" class="button plain" id="desk-sound" data-on="\(words("web.desk.sound_on"))" hidden>\(words("web.desk.sound"))</button></p>

        """
    }

    /// The real alarms that nobody looks after: calls for help first, and then the oldest.
    private static func urgent(_ pages: [JSONValue]) -> [Alarm] {
        pages.flatMap(alarms).filter(\.isReal).sorted { one, other in
            (one.kind == .help ? 0 : 1, one.openedAt) < (other.kind == .help ? 0 : 1, other.openedAt)
        }
    }

    private static func alarms(_ page: JSONValue) -> [Alarm] { page["items"]?.elements.map(Alarm.init) ?? [] }

    /// The words with the times of the place where the sender of an alarm is, as its sentences have them.
    private func words(at alarm: Alarm) -> Words {
        Words(words.texts, timeZone: alarm.timeZone ?? words.timeZone, now: words.now)
    }

    private func section(_ key: String, _ alarms: [Alarm]) -> HTML {
        alarms.isEmpty ? "" : "<h2>\(words(key))</h2>\n\(rows(alarms))"
    }

    private func rows(_ alarms: [Alarm]) -> HTML {
        var items: HTML = ""
        for alarm in alarms {
            items += """
                <li data-key="\(alarm.id)"><a class="somebody \(alarm.state.tone)" href="\(Self.path(of: alarm.id))">\(alarm.state.shape.html)<span>\
                <span class="name">\(alarm.state.text)</span><br>
                <span class="state \(alarm.state.tone)">\(alarm.state.detail ?? "")</span><br>
                <span class="quiet">\(words("web.alarm.began", ["moment": .words(words(at: alarm).moment(alarm.openedAt))]))</span></span></a></li>

                """
        }
        return "<ul class=\"rows\">\n\(items)</ul>\n"
    }

    /// One alarm: what has happened, what can be done, and the timeline. `open` are pages of the alarms that nobody
    /// looks after.
    package func alarm(_ facts: JSONValue, besides open: [JSONValue]) -> ScreenPage {
        let alarm = Alarm(facts)
        var there = visit
        there.words = words(at: alarm)
        let urgent = Self.urgent(open)
        let others = urgent.filter { $0.id != alarm.id }
        var body = sign(urgent)
        if !others.isEmpty {
            body += """
                <p class="panel bad"><a class="inline" href="\(Self.path)">\(words("web.desk.open", ["count": .number(others.count)]))</a></p>

                """
        }
        body += alarm.sheet.top(there.words)
        body += "<p class=\"quiet\">\(words.html("web.desk.zone", ["name": "\(name: alarm.sender)"]))</p>\n"
        if let outcome = Self.ending(visit), !alarm.isOver {
            body += asks(
                alarm, outcome, seenAt: facts["timeline"]?.elements.compactMap { $0["at"]?.string }.max() ?? "")
        } else {
            body += acts(alarm)
        }
        body += """
            <h2>\(words("web.alarm.who_knows"))</h2>
            <p>\(alarm.audience(visit))</p>
            <h2>\(words("web.alarm.timeline"))</h2>
            <ol class="rows" id="timeline">
            \(HTML.joined(alarm.lines.reversed().prefix(200).compactMap { $0.html(there) }))</ol>
            \(visit.back(Self.path, "\(words("web.desk.title"))"))
            """
        return ScreenPage(title: alarm.title, section: nil, body: live(body) + sound)
    }

    /// The outcome that the page asks about.
    private static func ending(_ visit: Visit) -> String? {
        let outcome = visit.typed("outcome") ?? visit.query["end"]
        return ["safe", "help_called"].contains(outcome) ? outcome : nil
    }

    private func acts(_ alarm: Alarm) -> HTML {
        var html: HTML = ""
        // A name that somebody around the sender has too is marked as the staff's.
        let holder = alarm.takenBy.flatMap { $0.isOfDesk ? $0.name : nil }
        let mine = holder == person || holder?.hasPrefix("\(person) (") == true
        if alarm.status == .open {
            html += visit.form("\(visit.button("take", words("web.alarm.take"), .main))")
        } else if let holder, !mine, alarm.status == .taken {
            html += visit.form(
                """
                \(visit.hidden("from", holder))\
                \(visit.button("take", words("web.desk.take_over", ["name": .name(holder)]), .usual))
                """)
        }
        if !alarm.isOver {
            let number = EmergencyNumber.of(
                zone: alarm.timeZone ?? "", phone: alarm.sheet.phone, region: visit.country)
            html += alarm.sheet.ways(words, emergencyNumber: number)
        }
        if !alarm.isOver {
            let page = Self.path(of: alarm.id)
            let name: [String: HTML] = ["name": "\(name: alarm.sender)"]
            html += """
                <div class="actions">
                <a class="button good" href="\(page)?end=safe"><span>\(words.html("web.alarm.safe", name))</span></a>
                <a class="button warn" href="\(page)?end=help_called">\(words("web.alarm.help_called"))</a>
                \(mine ? mineActs(holder ?? "") : "")</div>

                """
        } else if alarm.outcome == "safe" || alarm.outcome == "help_called" {
            html += """
                <details>
                <summary>\(words("web.alarm.reopen"))</summary>
                <p>\(words("web.alarm.reopen_text"))</p>
                \(visit.form("\(visit.button("reopen", words("web.alarm.reopen_confirm"), .destructive))"))\
                </details>

                """
        }
        return html + """
            \(visit.form(
                """
                \(visit.area("body", words("web.alarm.note"), limit: 500, hint: words("web.alarm.note_hint")))\
                \(visit.button("note", words("web.alarm.note_send"), .plain))
                """))
            """
    }

    /// The acts of somebody who looks after an alarm: they ask for more time, or give it back.
    private func mineActs(_ holder: String) -> HTML {
        let from = visit.hidden("from", holder)
        return visit.form("\(from)\(visit.button("take", words("web.alarm.longer"), .plain))")
            + visit.form("\(from)\(visit.undoing("reopen", words("web.alarm.release")))")
    }

    /// Asks once more before an alarm ends for everybody.
    private func asks(_ alarm: Alarm, _ outcome: String, seenAt: String) -> HTML {
        let name: [String: HTML] = ["name": "\(name: alarm.sender)"]
        let key = "web.alarm.end.\(outcome)"
        return """
            <h2>\(words.html("\(key).title", name))</h2>
            <p>\(words.html("\(key).message", name))</p>
            \(visit.form(
                """
                \(visit.hidden("outcome", outcome))\(visit.hidden("seen_at", seenAt))\
                \(visit.area("note", words("web.alarm.note_optional"), limit: 500))\
                \(visit.button("end", words.html("\(key).confirm", name), .main))
                """))
            \(visit.link(Self.path(of: alarm.id), words("button.cancel")))
            """
    }

    /// The part of the page that its module brings up to date.
    private func live(_ body: HTML) -> HTML { "<div id=\"page\" data-live=\"alarm\">\n\(body)</div>\n" }

    /// The call of a form's button, in the name of the person; nil for a button that the page does not have.
    ///
    /// - Throws: ``Problem`` `validation_failed` for a note without words.
    package func call(_ act: String, _ form: FormFields, alarm: String) throws(Problem) -> (
        call: APICall, notice: Notice
    )? {
        func send(_ verb: String, _ notice: String, _ body: (inout JSONWriter) -> Void = { _ in }) -> (APICall, Notice)
        {
            (
                .send(.post, "/v1/tenant/alarms/\(alarm)/\(verb)") { json in
                    json.field("by", person)
                    body(&json)
                }, Notice(notice)
            )
        }
        switch act {
        case "take":
            return send("take", "web.desk.took") { json in
                if let from = form.text("from") { json.field("from", from) }
            }
        case "reopen":
            return send("reopen", "web.alarm.reopened") { json in
                if let from = form.text("from") { json.field("from", from) }
            }
        case "note":
            guard let note = form.text("body") else { throw .invalid("body", words("web.alarm.note_empty")) }
            return send("notes", "web.alarm.noted") { $0.field("body", note) }
        case "end":
            guard let outcome = Self.ending(visit) else { return nil }
            return send("resolve", "web.alarm.end.done") { json in
                json.field("outcome", outcome)
                if let note = form.text("note") { json.field("note", note) }
                if let seenAt = form.text("seen_at") { json.field("seen_at", seenAt) }
            }
        default: return nil
        }
    }
}
