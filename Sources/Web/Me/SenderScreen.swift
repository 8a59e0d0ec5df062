package import JSON
internal import Pages
package import Problems
internal import Texts

/// When the visitor is asked every day, and how long they have to answer. Saving makes them a sender.
package struct SenderScreen: Screen {
    package static let path = "/me/sender"

    private let profile: JSONValue
    private let zone: String?

    package static func calls(_ visit: Visit) -> [APICall] {
        [.get("/v1/me/sender-profile", mayFail: [.notFound]), .get("/v1/me")]
    }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        profile = answers[0]
        let account = answers[1]["time_zone"]?.string
        // A new account has UTC, which is hardly ever the person's own zone.
        zone = profile["time_zone"]?.string ?? (account == "UTC" ? nil : account)
    }

    private var isSender: Bool { profile.kind == .object }

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        let title = words("sender.title")
        var body: HTML = "<h1>\(title)</h1>\n<p>\(words("web.sender.text"))</p>\n"
        body += visit.form(
            """
            \(visit.hidden("next", visit.typed("next") ?? visit.query["next"]))\
            \(visit.field(
                "ping_time", words("web.sender.time"), value: profile["ping_time"]?.string ?? "09:00", type: "time"))\
            \(TimeZones.choice(visit, value: zone))\
            \(ownZone(visit))\
            \(visit.choice(
                "grace_minutes", words("web.sender.grace"), Self.lengths([15, 30, 60, 90, 120, 180, 240, 360, 480], with: grace, words),
                value: String(grace)))\
            <p class="hint">\(words("web.sender.grace_hint"))</p>
            \(visit.choice(
                "reminder_minutes", words("web.sender.reminder"), Self.lengths([5, 10, 15, 30, 45, 60], with: reminder, words),
                value: String(reminder)))\
            \(visit.check("share_phone", "\(words("web.sender.share_phone"))", isOn: profile["share_phone"]?.boolean ?? false))\
            \(visit.button("save", words(isSender ? "web.save" : "web.sender.begin")))
            """)
        if isSender {
            body += visit.link(RemindersScreen.path, words("web.reminders.open"))
            body += """
                <details>
                <summary>\(words("web.sender.stop"))</summary>
                <p>\(words("web.sender.stop_text"))</p>
                \(visit.form("\(visit.undoing("stop", words("web.sender.stop"), .destructive))"))
                </details>

                """
        }
        return ScreenPage(title: title, section: .me, body: body)
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        switch name {
        case "save":
            let zone = try TimeZones.zone(of: form["time_zone"], visit)
            let hasOwnZone = form.isOn("own_zone")
            return Act(
                .send(.put, "/v1/me/sender-profile") { json in
                    json.field("ping_time", String(form["ping_time"].prefix(5)))
                    if hasOwnZone {
                        json.field("time_zone", zone)
                    } else {
                        // The profile follows the account's zone, in which all pages show times.
                        json.field("time_zone", json: "null".utf8)
                        json.field("account_time_zone", zone)
                    }
                    json.field("grace_minutes", Int(form["grace_minutes"]) ?? 0)
                    json.field("reminder_minutes", Int(form["reminder_minutes"]) ?? 0)
                    json.field("share_phone", form.isOn("share_phone"))
                }, to: form.localPath("next") ?? TodayScreen.path, Notice("sender.saved"))
        case "stop":
            return Act(.send(.delete, "/v1/me/sender-profile"), to: MeScreen.path, Notice("web.sender.stopped"))
        default: return nil
        }
    }

    /// What keeps the zone of a profile apart from that of the account, as an app may have set it. The account then
    /// keeps its own.
    private func ownZone(_ visit: Visit) -> HTML {
        guard profile["has_own_time_zone"]?.boolean == true else { return "" }
        return "<p class=\"hint\">\(visit.words("web.sender.own_zone"))</p>\n\(visit.hidden("own_zone", "on"))"
    }

    private var grace: Int { profile["grace_minutes"]?.integer ?? 90 }
    private var reminder: Int { profile["reminder_minutes"]?.integer ?? 15 }

    /// The durations to choose from, including the current one.
    private static func lengths(_ usual: [Int], with present: Int, _ words: Words) -> [(value: String, label: String)] {
        Set(usual + [present]).sorted().map { minutes in
            let label =
                minutes.isMultiple(of: 60)
                ? words("duration.wait.hours", ["count": .number(minutes / 60)])
                : words("duration.left.minutes", ["count": .number(minutes)])
            return (String(minutes), label)
        }
    }
}

/// Explains the role of a receiver. Agreeing makes the visitor one.
package struct ReceiverScreen: Screen {
    package static let path = "/me/receiver"

    private let profile: JSONValue
    private let needsZone: Bool

    package static func calls(_ visit: Visit) -> [APICall] {
        [.get("/v1/me/receiver-profile", mayFail: [.notFound]), .get("/v1/me")]
    }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        profile = answers[0]
        needsZone = answers[1]["time_zone"]?.string == "UTC"
    }

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        let title = words("web.receiver.heading")
        var body: HTML = "<h1>\(title)</h1>\n"
        guard profile.kind == .object else {
            body += """
                <p class="lead">\(words("web.receiver.text"))</p>
                \(visit.form(
                    """
                    \(visit.hidden("next", visit.typed("next") ?? visit.query["next"]))\
                    \(needsZone ? TimeZones.choice(visit, value: nil) : "")\
                    \(visit.button("save", words("web.receiver.begin")))
                    """))
                """
            return ScreenPage(title: title, section: .me, body: body)
        }
        body += """
            <p>\(words("web.receiver.is"))</p>
            <a class="button plain" href="\(CodesScreen.path)">\(words("web.people.codes"))</a>

            """
        if let stop = profile["pings_stop_at"]?.string {
            body +=
                "<p class=\"panel warn\">\(words("web.receiver.lapses", ["moment": .words(words.moment(stop))]))</p>\n"
        }
        body += """
            <details>
            <summary>\(words("web.receiver.stop"))</summary>
            <p>\(words("web.receiver.stop_text"))</p>
            \(visit.form("\(visit.undoing("stop", words("web.receiver.stop"), .destructive))"))
            </details>

            """
        return ScreenPage(title: title, section: .me, body: body)
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        switch name {
        case "save":
            var act = Act(
                .send(.put, "/v1/me/receiver-profile"), to: form.localPath("next") ?? PeopleScreen.path,
                Notice("web.receiver.saved"))
            if let text = form.text("time_zone") {
                let zone = try TimeZones.zone(of: text, visit)
                act.first = .send(.patch, "/v1/me") { $0.field("time_zone", zone) }
            }
            return act
        case "stop":
            return Act(.send(.delete, "/v1/me/receiver-profile"), to: MeScreen.path, Notice("web.receiver.stopped"))
        default: return nil
        }
    }
}
