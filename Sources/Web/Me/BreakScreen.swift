package import JSON
internal import Pages
package import Problems
internal import Texts

/// The dates on which the visitor is not asked.
package struct BreakScreen: Screen {
    package static let path = "/me/break"

    private let from: String?
    private let until: String?
    /// The zone of the days, which is the sender profile's.
    private let zone: String?

    package static func calls(_ visit: Visit) -> [APICall] {
        [
            .get("/v1/me/break", mayFail: [.notFound]),
            .get("/v1/me/sender-profile", mayFail: [.notFound]),
        ]
    }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        from = answers[0]["from"]?.string
        until = answers[0]["until"]?.string
        zone = answers[1]["time_zone"]?.string
    }

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        let title = words("web.me.break")
        var body: HTML = "<h1>\(title)</h1>\n"
        if let from, let until {
            body += """
                <p class="panel lead">\(words("web.break.is", ["from": .words(words.date(from)), "until": .words(words.date(until))]))</p>

                """
        }
        body += "<p>\(words("web.break.text"))</p>\n"
        body += visit.form(
            """
            \(visit.field("from", words("web.break.from"), value: from ?? words.isoToday(in: zone), type: "date"))\
            \(visit.field("until", words("web.break.until"), value: until ?? "", type: "date"))\
            \(visit.button("save", words(from == nil ? "web.break.begin" : "web.save")))
            """)
        if from != nil { body += visit.form("\(visit.undoing("end", words("web.break.end")))") }
        return ScreenPage(title: title, section: .me, body: body)
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        switch name {
        case "save":
            return Act(
                .send(.put, path.api) { json in
                    json.field("from", form["from"])
                    json.field("until", form["until"])
                }, to: TodayScreen.path, Notice("web.break.saved"))
        case "end": return Act(.send(.delete, path.api), to: TodayScreen.path, Notice("web.break.ended"))
        default: return nil
        }
    }
}

/// The visitor's quiet hours, in which only urgent notifications are sent.
package struct QuietHoursScreen: Screen {
    package static let path = "/me/quiet-hours"

    private let from: String?
    private let until: String?

    package static func calls(_ visit: Visit) -> [APICall] { [.get(path.api, mayFail: [.notFound])] }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        from = answers[0]["from"]?.string
        until = answers[0]["until"]?.string
    }

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        let title = words("web.me.quiet_hours")
        var body: HTML = "<h1>\(title)</h1>\n<p>\(words("web.quiet_hours.text"))</p>\n"
        body += visit.form(
            """
            \(visit.field("from", words("web.quiet_hours.from"), value: from ?? "22:00", type: "time"))\
            \(visit.field("until", words("web.quiet_hours.until"), value: until ?? "07:00", type: "time"))\
            \(visit.button("save", words("web.save")))
            """)
        if from != nil { body += visit.form("\(visit.undoing("end", words("web.quiet_hours.end")))") }
        return ScreenPage(title: title, section: .me, body: body)
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        switch name {
        case "save":
            return Act(
                .send(.put, path.api) { json in
                    json.field("from", String(form["from"].prefix(5)))
                    json.field("until", String(form["until"].prefix(5)))
                }, to: MeScreen.path, Notice("web.saved"))
        case "end": return Act(.send(.delete, path.api), to: MeScreen.path, Notice("web.quiet_hours.ended"))
        default: return nil
        }
    }
}

extension String {
    /// The path of the API call that a page below `/me` shows and changes.
    fileprivate var api: String { "/v1\(self)" }
}
