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
    /// The channels that can be chosen for each type.
    private let offered: [String: [String]]

    package static func calls(_ visit: Visit) -> [APICall] { [.get("/v1/me/notification-preferences")] }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        stopsTexts = answers[0]["texts_stopped_at"]?.string != nil
        preferences = Self.channels(answers[0]["preferences"])
        offered = Dictionary(Self.channels(answers[0]["types"])) { first, _ in first }
    }

    private static func channels(_ list: JSONValue?) -> [(type: String, channels: [String])] {
        (list?.elements ?? []).map { facts in
            (facts["type"]?.string ?? "", facts["channels"]?.elements.compactMap(\.string) ?? [])
        }
    }

    /// The types by what they are about. Their texts say who is told of what.
    private static let groups: [(key: String, types: [String])] = [
        ("mine", ["ping_due", "ping_reminder", "ping_missed", "receiver_unreachable", "subscription_lapsing"]),
        ("others", ["ping_completed", "ping_all_clear", "break_started", "break_ended", "sender_unreachable"]),
        (
            "alarms",
            [
                "help_requested", "alarm_repeat", "alarm_reopened", "alarm_taken", "alarm_check", "alarm_resolved",
                "ask", "ask_unanswered", "ask_answered",
            ]
        ),
        (
            "connections",
            [
                "connection_request", "connection_requested", "connection_accepted", "connection_paused",
                "connection_resumed", "connection_removed",
            ]
        ),
        (
            "vaults",
            [
                "vault_opened", "vault_locked", "nominee_invited", "nominee_changed", "nominee_revoked",
                "nominee_accepted", "nominee_declined", "transfer_requested", "transfer_accepted",
                "transfer_declined", "message_received",
            ]
        ),
        (
            "emergency",
            [
                "emergency_requested", "emergency_reminder", "emergency_approved", "emergency_opened",
                "emergency_rejected",
            ]
        ),
    ]

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        let title = words("web.me.preferences")
        var fields: HTML = ""
        for group in Self.groups {
            let shown = group.types.compactMap { type in preferences.first { $0.type == type } }
            fields += section("web.told.\(group.key)", shown, visit) { words("web.told.\(group.key).\($0)") }
        }
        let known = Set(Self.groups.flatMap(\.types))
        fields += section("web.told.more", preferences.filter { !known.contains($0.type) }, visit) {
            words("notification.\($0).title")
        }
        return ScreenPage(
            title: title, section: .me,
            body: """
                <h1>\(title)</h1>
                <p>\(words("web.preferences.text"))</p>
                \(stopsTexts ? "<p class=\"state warn\">\(words("web.preferences.stopped"))</p>" as HTML : "")
                \(visit.form("\(fields)\(visit.button("save", words("web.save")))"))
                """)
    }

    private func section(
        _ key: String, _ shown: [(type: String, channels: [String])], _ visit: Visit, name: (String) -> String
    ) -> HTML {
        guard !shown.isEmpty else { return "" }
        var html: HTML = "<h2>\(visit.words(key))</h2>\n"
        for preference in shown {
            html += """
                <fieldset class="channels">
                <legend>\(name(preference.type))</legend>
                \(visit.hidden("type", preference.type))
                """
            for channel in offered[preference.type] ?? [] {
                html += visit.check(
                    "\(preference.type).\(channel)", "\(visit.words("web.channel.\(channel)"))",
                    isOn: preference.channels.contains(channel))
            }
            html += "</fieldset>\n"
        }
        return html
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
    /// The key with which a browser subscribes; nil if the tenant sends no pushes to browsers.
    private let key: String?

    package static func calls(_ visit: Visit) -> [APICall] {
        [.get("/v1/me/devices"), .get("/v1/me/web-push-key", mayFail: [.notFound])]
    }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        devices = (answers[0]["items"]?.elements ?? []).map { facts in
            (facts["token"]?.string ?? "", facts["platform"]?.string ?? "", facts["last_seen_at"]?.string ?? "")
        }
        key = answers[1]["public_key"]?.string
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
        return ScreenPage(title: title, section: .me, body: body + "</ul>\n" + thisBrowser(visit))
    }

    /// The offer to get pushes in this browser. Only a module can subscribe: it shows the form, or the sentence that
    /// says why not.
    private func thisBrowser(_ visit: Visit) -> HTML {
        let words = visit.words
        var html: HTML = "<h2>\(words("web.devices.this"))</h2>\n"
        guard let key else { return html + "<p>\(words("web.devices.no_push"))</p>\n" }
        html += """
            <form method="post" action="\(Self.path)" data-push="\(key)" hidden>
            <input type="hidden" name="\(FormFields.token)" value="\(visit.token())">
            <input type="hidden" name="\(FormFields.key)" value="\(visit.newKey())">
            <input type="hidden" name="endpoint"><input type="hidden" name="p256dh"><input type="hidden" name="auth">
            <p>\(words("web.devices.subscribe_text"))</p>
            \(visit.button("subscribe", words("web.devices.subscribe")))
            </form>

            """
        for state in ["listed", "blocked", "install", "unsupported", "failed"] {
            // Without scripts there are no pushes either.
            let hidden: HTML = state == "unsupported" ? "" : " hidden"
            html += "<p class=\"panel\" data-push-says=\"\(state)\"\(hidden)>\(words("web.devices.\(state)"))</p>\n"
        }
        return html
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        switch name {
        case "subscribe":
            return Act(
                .send(.put, "/v1/me/devices") { json in
                    json.field("platform", "web")
                    json.field("token", form["endpoint"])
                    json.object("keys") { json in
                        json.field("p256dh", form["p256dh"])
                        json.field("auth", form["auth"])
                    }
                }, to: path, Notice("web.devices.subscribed"))
        case "remove" where !form["token"].isEmpty:
            return Act(
                .send(.delete, "/v1/me/devices/\(APICall.segment(form["token"]))"), to: path,
                Notice("web.devices.removed"))
        default: return nil
        }
    }
}

/// The people whom the visitor has blocked, and the vaults that they can still enter.
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
                    "\(visit.hidden("user", block.user))\(visit.undoing("unblock", words("web.blocks.unblock")))"
                ) + "</li>\n"
        }
        return ScreenPage(title: title, section: .me, body: body + "</ul>\n")
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        guard name == "unblock", TextFormat.uuid.accepts(form["user"]) else { return nil }
        return Act(.send(.delete, "/v1/me/blocks/\(form["user"])"), to: path, Notice("web.blocks.unblocked"))
    }
}
