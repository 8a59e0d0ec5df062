package import JSON
internal import Pages
package import Problems
internal import Texts

/// What happens if the visitor falls silent, first to those who are told and then in their vaults, drawn as one
/// timeline, with a table that says the same. Nothing is written.
package struct RehearsalScreen: Screen {
    package static let path = "/me/emergency/rehearsal"

    private let from: String
    private let steps: [RehearsalStep]
    /// The steps of the plan, if the silence begins now.
    private let alarm: [AlarmStep]
    private let timeline: Timeline?
    /// The rights that silence can start, each of which has its own terms.
    private let rights: [EmergencyRight]

    package static func calls(_ visit: Visit) -> [APICall] {
        let days = Int(visit.query["days"]) ?? 0
        let from = (1...90).contains(days) ? "&from=\(visit.words.instant(daysAhead: days))" : ""
        return [.get("/v1/me/emergency/rehearsal?limit=300\(from)"), .get("/v1/me/emergency")]
            + (from.isEmpty ? [.get("/v1/me/alarm-plan/rehearsal", mayFail: [.tooManyRequests])] : [])
    }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        from = answers[0]["from"]?.string ?? ""
        steps = answers[0]["steps"]?.elements.map(RehearsalStep.init) ?? []
        rights = answers[1]["as_owner"]?["rights"]?.elements.map(EmergencyRight.init) ?? []
        alarm = answers.count > 2 ? AlarmStep.all(answers[2]) : []
        timeline = Timeline(from: from, steps, rights, alarm: alarm, visit.words)
    }

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        let title = words("web.rehearsal.title")
        var body: HTML = """
            <h1>\(title)</h1>
            <p class="lead">\(words("web.rehearsal.lead"))</p>

            """
        if let timeline {
            body += timeline.drawing(words) + stops(words) + table(words)
        }
        if steps.isEmpty { body += "<p class=\"panel\">\(words("web.rehearsal.nothing"))</p>\n" }
        let days = visit.query["days"]
        var options: HTML = ""
        for count in [0, 7, 14, 30, 60, 90] {
            let label =
                count == 0
                ? words("web.rehearsal.now") : words("web.rehearsal.in_days", ["count": .number(count)])
            let mark: HTML = days == String(count) ? " selected" : ""
            options += "<option value=\"\(String(count))\"\(mark)>\(label)</option>\n"
        }
        body += """
            <form action="\(Self.path)">
            <label for="days">\(words("web.rehearsal.when"))</label>
            <select id="days" name="days">
            \(options)</select>
            <button class="button plain">\(words("web.rehearsal.again"))</button>
            </form>
            \(visit.link(AlarmPlanScreen.path, words("web.plan.title")))\
            \(visit.back(EmergencyOverviewScreen.path, "\(words("emergency.title"))"))
            """
        return ScreenPage(title: title, section: .vaults, body: body)
    }

    /// What ends a wait (J05). Rights with the same terms are said once.
    private func stops(_ words: Words) -> HTML {
        let terms = rights.filter { $0.endedAt == nil }.map { (right: $0, text: Self.ending(of: $0, words)) }
        guard let first = terms.first else { return "" }
        var html: HTML = "<h2>\(words("web.rehearsal.stops"))</h2>\n"
        guard terms.contains(where: { $0.text != first.text }) else { return html + "<p>\(first.text)</p>\n" }
        html += "<ul>\n"
        for (right, text) in terms {
            html +=
                "<li>"
                + words.html(
                    "web.rehearsal.stops_for",
                    ["name": "\(name: right.nominee)", "vault": "\(name: right.vault)", "text": "\(text)"]) + "</li>\n"
        }
        return html + "</ul>\n"
    }

    private static func ending(of right: EmergencyRight, _ words: Words) -> String {
        guard right.endsOnCheckIn else { return words("web.rehearsal.stops_never") }
        func list(_ sources: [String]) -> TextValue {
            .words(words.alternatives(sources.compactMap { words.source($0) }))
        }
        let counting = CheckInSources.all.filter(right.sources.contains)
        let rest = CheckInSources.all.filter { !right.sources.contains($0) }
        let key = right.signOfLife == "any_use" ? "web.rehearsal.stops_by_use" : "web.rehearsal.stops_by"
        let text = words(key, ["sources": list(counting)])
        return rest.isEmpty ? text : text + " " + words("web.rehearsal.stops_not", ["sources": list(rest)])
    }

    /// The most steps of what repeats that the page lists.
    private static let mostRepeated = 60

    /// The steps in words, up to the end of what the timeline shows. What follows repeats for as long as the silence
    /// lasts, as do the reminders of each day, so they stand apart.
    private func table(_ words: Words) -> HTML {
        let firstDay = steps.first { $0.kind == .missed }?.at ?? from
        let end = timeline?.end ?? ""
        // The plan says of its day who is told when.
        let over = alarm.last?.at ?? ""
        let others = steps.filter { !(!alarm.isEmpty && $0.isDaily && $0.kind != .reminder && $0.at <= over) }
        let main = others.filter { $0.at <= end && (!$0.isDaily || $0.at <= max(firstDay, over)) }
        let rest = others.filter { $0.at > end || $0.isDaily && $0.at > max(firstDay, over) }.map { Row($0) }
        let first = (alarm.map { Row(at: $0.at, text: $0.html(words)) } + main.map { Row($0) }).sorted { $0.at < $1.at }
        var html: HTML = "<h2>\(words("web.rehearsal.table"))</h2>\n\(Self.rows(first, words))"
        if !rest.isEmpty {
            html += """
                <details>
                <summary>\(words("web.rehearsal.repeats", ["count": .number(rest.count)]))</summary>
                \(Self.rows(Array(rest.prefix(Self.mostRepeated)), words))</details>

                """
        }
        return html
    }

    /// A row of the table.
    private struct Row {
        let at: String
        let text: HTML

        init(at: String, text: HTML) {
            self.at = at
            self.text = text
        }

        init(_ step: RehearsalStep) { self.init(at: step.at, text: "\(step.text)") }
    }

    /// A table with a heading for each day.
    private static func rows(_ steps: [Row], _ words: Words) -> HTML {
        var rows: HTML = ""
        var day = ""
        for step in steps {
            let date = words.date(ofInstant: step.at)
            if date != day {
                rows +=
                    "\(day.isEmpty ? "" : "</tbody>\n" as HTML)<tbody>\n<tr><th colspan=\"2\" scope=\"rowgroup\">\(date)</th></tr>\n"
                day = date
            }
            rows += "<tr><td>\(words.time(step.at))</td><td>\(step.text)</td></tr>\n"
        }
        return """
            <table>
            <thead class="hidden"><tr><th scope="col">\(words("web.rehearsal.at"))</th>\
            <th scope="col">\(words("web.rehearsal.what"))</th></tr></thead>
            \(rows)\(day.isEmpty ? "" : "</tbody>\n" as HTML)</table>

            """
    }
}

/// An instant of a rehearsal, and what happens then.
struct RehearsalStep {
    enum Kind: String {
        case due = "ping_due"
        case reminder = "ping_reminder"
        case missed = "ping_missed"
        case told = "receiver_told"
        case wait = "wait_begins"
        case notice
        case grant
        case end = "grant_ends"
        case sleeping = "right_sleeps"
    }

    let at: String
    /// Nil for a kind that this page does not know.
    let kind: Kind?
    let vaultID: String?
    let nomineeID: String?
    let text: String

    init(_ facts: JSONValue) {
        at = facts["at"]?.string ?? ""
        kind = facts["kind"]?.string.flatMap(Kind.init)
        vaultID = facts["vault_id"]?.string
        nomineeID = facts["nominee_id"]?.string
        text = facts["text"]?.string ?? ""
    }

    /// Whether it belongs to the pings, which go on every day.
    var isDaily: Bool { kind == .due || kind == .reminder || kind == .missed || kind == .told }
}
