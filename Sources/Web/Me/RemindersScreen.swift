package import JSON
internal import Pages
package import Problems
internal import Texts

/// The visitor's reminders (J06): up to four, each with its channels, and a picture of the time between the question
/// and the deadline.
package struct RemindersScreen: Screen {
    package static let path = "/me/reminders"

    /// The most reminders of a sender.
    private static let most = 4
    private static let usual = [5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 240, 360]

    private struct Reminder {
        let minutes: Int
        let channels: [String]
    }

    private let profile: JSONValue
    private let reminders: [Reminder]

    package static func calls(_ visit: Visit) -> [APICall] {
        [.get("/v1/me/sender-profile", mayFail: [.notFound])]
    }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        profile = answers[0]
        reminders = (profile["reminders"]?.elements ?? []).map { reminder in
            Reminder(
                minutes: reminder["before_minutes"]?.integer ?? 0,
                channels: reminder["channels"]?.elements.compactMap(\.string) ?? [])
        }
    }

    private var grace: Int { profile["grace_minutes"]?.integer ?? 90 }
    private var pingTime: String { profile["ping_time"]?.string ?? "" }

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        let title = words("web.reminders.title")
        guard profile.kind == .object else {
            return ScreenPage(
                title: title, section: .me,
                body: """
                    <h1>\(title)</h1>
                    <p class="lead">\(words("web.reminders.no_sender"))</p>
                    \(visit.link(SenderScreen.path, words("web.welcome.sender"), .usual))
                    """)
        }
        var fields: HTML = ""
        for number in 0..<Self.most { fields += reminder(number, visit) }
        return ScreenPage(
            title: title, section: .me,
            body: """
                <h1>\(title)</h1>
                <p class="lead">\(words("web.reminders.lead", ["time": .words(pingTime), "until": .words(time(0))]))</p>
                \(picture(words))\(table(words))\
                <h2>\(words("web.reminders.change"))</h2>
                \(visit.form("\(fields)<p class=\"hint\">\(words("web.reminders.hint"))</p>\n\(visit.button("save", words("web.save")))"))\
                \(visit.link(SenderScreen.path, words("web.reminders.times")))\
                \(visit.back(MeScreen.path, "\(words("web.nav.me"))"))
                """)
    }

    private func reminder(_ number: Int, _ visit: Visit) -> HTML {
        let words = visit.words
        let present = reminders.indices.contains(number) ? reminders[number] : nil
        let lengths = Set(Self.usual.filter { $0 < grace } + (present.map { [$0.minutes] } ?? [])).sorted(by: >)
        let none: [(value: String, label: String)] = number == 0 ? [] : [("", words("web.reminders.none"))]
        let options = none + lengths.map { (String($0), label($0, words)) }
        var html: HTML = """
            <fieldset>
            <legend>\(words("web.reminders.number", ["number": .number(number + 1)]))</legend>
            \(visit.choice("before.\(number)", words("web.reminders.before"), options, value: present.map { String($0.minutes) } ?? ""))
            """
        html += "<div class=\"channels\" role=\"group\" aria-label=\"\(words("web.reminders.channels"))\">\n"
        for channel in Ways.all {
            html += visit.check(
                "\(channel).\(number)", "\(words("web.channel.\(channel)"))",
                isOn: present?.channels.contains(channel) ?? false)
        }
        return html + "</div>\n</fieldset>\n"
    }

    private func label(_ minutes: Int, _ words: Words) -> String {
        words("web.reminders.at", ["time": .words(time(minutes)), "length": .words(Self.length(minutes, words))])
    }

    private static func length(_ minutes: Int, _ words: Words) -> String {
        minutes.isMultiple(of: 60)
            ? words("duration.wait.hours", ["count": .number(minutes / 60)])
            : words("duration.left.minutes", ["count": .number(minutes)])
    }

    /// The time of day some minutes before the deadline, as the clock shows it on a day without a change of the clocks.
    private func time(_ minutesBefore: Int) -> String {
        let parts = pingTime.split(separator: ":").compactMap { Int($0) }
        guard parts.count == 2 else { return "" }
        let minute = (parts[0] * 60 + parts[1] + grace - minutesBefore) % 1440
        func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(digits(minute / 60)):\(digits(minute % 60))"
    }

    private func ways(_ reminder: Reminder, _ words: Words) -> String {
        reminder.channels.isEmpty
            ? words("web.reminders.usual_channels")
            : reminder.channels.map { words("web.channel.\($0)") }.joined(separator: ", ")
    }

    /// The line from the question to the deadline, with a mark for each reminder.
    private func picture(_ words: Words) -> HTML {
        let isMirrored = words.direction == "rtl"
        func x(_ minutesBefore: Int) -> String {
            let part = 3 + 94 * Double(grace - min(max(minutesBefore, 0), grace)) / Double(max(grace, 1))
            return "\(((isMirrored ? 100 - part : part) * 10).rounded() / 10)%"
        }
        var marks: HTML = ""
        for reminder in reminders {
            marks +=
                """
                <line class="told" x1="\(x(reminder.minutes))" x2="\(x(reminder.minutes))" y1="1.7em" \
                y2="3.1em"/>\n
                """
        }
        return """
            <figure class="timeline-figure">
            <svg class="timeline" role="img" aria-labelledby="evening-title" width="100%" height="3.6em">
            <title id="evening-title">\(words("web.reminders.picture"))</title>
            <text x="\(x(grace))" y="1.1em" text-anchor="start">\(pingTime)</text>
            <text x="\(x(0))" y="1.1em" text-anchor="end">\(time(0))</text>
            <line class="axis" x1="3%" x2="97%" y1="2.4em" y2="2.4em"/>
            <circle class="asked" cx="\(x(grace))" cy="2.4em" r=".4em"/>
            \(marks)<circle class="missed" cx="\(x(0))" cy="2.4em" r=".4em"/>
            </svg>
            <figcaption>
            <ul class="signs">
            <li><svg class="timeline sign" aria-hidden="true" width="2em" height="1.2em"><circle class="asked" cx="1em" cy=".6em" r=".4em"/></svg> \
            \(words("web.reminders.sign.asked"))</li>
            <li><svg class="timeline sign" aria-hidden="true" width="2em" height="1.2em"><line class="told" x1="1em" x2="1em" y1="0" y2="1.2em"/></svg> \
            \(words("web.reminders.sign.reminder"))</li>
            <li><svg class="timeline sign" aria-hidden="true" width="2em" height="1.2em"><circle class="missed" cx="1em" cy=".6em" r=".4em"/></svg> \
            \(words("web.reminders.sign.deadline"))</li>
            </ul>
            </figcaption>
            </figure>

            """
    }

    private func table(_ words: Words) -> HTML {
        var rows: HTML = "<tr><td>\(pingTime)</td><td>\(words("web.reminders.sign.asked"))</td></tr>\n"
        for reminder in reminders {
            rows += """
                <tr><td>\(time(reminder.minutes))</td>\
                <td>\(words("web.reminders.row", ["channels": .words(ways(reminder, words))]))</td></tr>

                """
        }
        rows += "<tr><td>\(time(0))</td><td>\(words("web.reminders.deadline_row"))</td></tr>\n"
        return """
            <table>
            <thead class="hidden"><tr><th scope="col">\(words("web.rehearsal.at"))</th>\
            <th scope="col">\(words("web.rehearsal.what"))</th></tr></thead>
            <tbody>
            \(rows)</tbody>
            </table>

            """
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        guard name == "save" else { return nil }
        var reminders: [Reminder] = []
        for number in 0..<most {
            guard let minutes = Int(form["before.\(number)"]) else { continue }
            guard !reminders.contains(where: { $0.minutes == minutes }) else {
                throw .invalid("before.\(number)", visit.words("web.reminders.twice"))
            }
            reminders.append(
                Reminder(minutes: minutes, channels: Ways.all.filter { form.isOn("\($0).\(number)") }))
        }
        guard !reminders.isEmpty else { throw .invalid("before.0", visit.words("web.reminders.at_least_one")) }
        return Act(
            .send(.put, "/v1/me/sender-profile") { json in
                json.array("reminders", reminders) { json, reminder in
                    json.object { json in
                        json.field("before_minutes", reminder.minutes)
                        if !reminder.channels.isEmpty {
                            json.array("channels", reminder.channels) { $0.string($1) }
                        }
                    }
                }
            }, to: path, Notice("web.saved"))
    }
}
