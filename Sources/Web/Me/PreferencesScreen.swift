package import JSON
internal import Pages
package import Problems
internal import Texts

/// The channels on which the visitor is told of each kind of event.
package struct PreferencesScreen: Screen {
    package static let path = "/me/notifications"

    private static let channels = ["push", "email", "sms", "voice"]
    private let stopsTexts: Bool
    private let preferences: [(type: String, channels: [String])]

    package static func calls(_ visit: Visit) -> [APICall] { [.get("/v1/me/notification-preferences")] }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        stopsTexts = answers[0]["texts_stopped_at"]?.string != nil
        preferences = (answers[0]["preferences"]?.elements ?? []).map { facts in
            (facts["type"]?.string ?? "", facts["channels"]?.elements.compactMap(\.string) ?? [])
        }
    }

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        let title = words("web.me.preferences")
        var head: HTML = "<th scope=\"col\">\(words("web.preferences.about"))</th>"
        for channel in Self.channels { head += "<th scope=\"col\">\(words("web.channel.\(channel)"))</th>" }
        var rows: HTML = ""
        for preference in preferences {
            let title = words("notification.\(preference.type).title")
            rows += "<tr><th scope=\"row\">\(visit.hidden("type", preference.type))\(title)</th>"
            for channel in Self.channels {
                guard Self.offers(channel, for: preference.type) else {
                    rows += "<td></td>"
                    continue
                }
                let label: HTML = "<span class=\"hidden\">\(title): \(words("web.channel.\(channel)"))</span>"
                rows += """
                    <td>\(visit.check(
                        "\(preference.type).\(channel)", label, isOn: preference.channels.contains(channel)))</td>
                    """
            }
            rows += "</tr>\n"
        }
        let fields: HTML =
            "<table class=\"matrix\">\n<thead><tr>\(head)</tr></thead>\n<tbody>\n\(rows)</tbody>\n</table>\n"
        return ScreenPage(
            title: title, section: .me,
            body: """
                <h1>\(title)</h1>
                <p>\(words("web.preferences.text"))</p>
                \(stopsTexts ? "<p class=\"state warn\">\(words("web.preferences.stopped"))</p>" as HTML : "")
                \(visit.form("\(fields)\(visit.button("save", words("web.save")))"))
                """)
    }

    /// Nobody is called about anything but what asks them something, and alarms.
    private static func offers(_ channel: String, for type: String) -> Bool {
        channel != "voice" || ["ping_due", "ping_reminder", "ping_missed"].contains(type)
            || type.hasPrefix("emergency_")
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        guard name == "save" else { return nil }
        return Act(
            .send(.put, "/v1/me/notification-preferences") { json in
                json.array("preferences", form.values("type")) { json, type in
                    json.object { json in
                        json.field("type", type)
                        json.array("channels", channels.filter { form.isOn("\(type).\($0)") }) { $0.string($1) }
                    }
                }
            }, to: MeScreen.path, Notice("web.saved"))
    }
}

/// The devices to which pushes go.
package struct DevicesScreen: Screen {
    package static let path = "/me/devices"

    private let devices: [(token: String, platform: String, seenAt: String)]

    package static func calls(_ visit: Visit) -> [APICall] { [.get("/v1/me/devices")] }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        devices = (answers[0]["items"]?.elements ?? []).map { facts in
            (facts["token"]?.string ?? "", facts["platform"]?.string ?? "", facts["last_seen_at"]?.string ?? "")
        }
    }

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        let title = words("web.me.devices")
        var body: HTML = "<h1>\(title)</h1>\n<p>\(words("web.devices.text"))</p>\n"
        if devices.isEmpty { body += "<p>\(words("web.devices.none"))</p>\n" }
        body += "<ul class=\"rows\">\n"
        for device in devices {
            body += """
                <li><p><span class="name">\(words("web.devices.\(device.platform)"))</span><br>
                \(words("web.devices.seen", ["moment": .words(words.moment(device.seenAt))]))</p>
                \(visit.form("\(visit.hidden("token", device.token))\(visit.button("remove", words("web.devices.remove"), .plain))"))
                </li>

                """
        }
        return ScreenPage(title: title, section: .me, body: body + "</ul>\n")
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        guard name == "remove", !form["token"].isEmpty else { return nil }
        return Act(
            .send(.delete, "/v1/me/devices/\(APICall.segment(form["token"]))"), to: path, Notice("web.devices.removed"))
    }
}

/// The people whom the visitor has blocked, and the vaults that those can still enter.
package struct BlocksScreen: Screen {
    package static let path = "/me/blocks"

    private let blocks: [(user: String, name: String, vaults: [(id: String, name: String)])]

    package static func calls(_ visit: Visit) -> [APICall] { [.get("/v1/me/blocks?limit=200")] }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        blocks = (answers[0]["items"]?.elements ?? []).map { facts in
            (
                facts["user"]?["id"]?.string ?? "", facts["user"]?["display_name"]?.string ?? "",
                (facts["vaults"]?.elements ?? []).map { ($0["id"]?.string ?? "", $0["name"]?.string ?? "") }
            )
        }
    }

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        let title = words("web.me.blocks")
        var body: HTML = "<h1>\(title)</h1>\n"
        if blocks.isEmpty { body += "<p>\(words("web.blocks.none"))</p>\n" }
        body += "<ul class=\"rows\">\n"
        for block in blocks {
            body += "<li><p class=\"name\">\(name: block.name)</p>\n"
            for vault in block.vaults {
                body += """
                    <p class="state warn">\(words.html(
                        "web.blocks.vault",
                        ["vault": "<a href=\"/vaults/\(vault.id)/nominees\">\(name: vault.name)</a>"]))</p>

                    """
            }
            body +=
                visit.form(
                    "\(visit.hidden("user", block.user))\(visit.button("unblock", words("web.blocks.unblock"), .plain))"
                ) + "</li>\n"
        }
        return ScreenPage(title: title, section: .me, body: body + "</ul>\n")
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        guard name == "unblock", TextFormat.uuid.accepts(form["user"]) else { return nil }
        return Act(.send(.delete, "/v1/me/blocks/\(form["user"])"), to: path, Notice("web.blocks.unblocked"))
    }
}
