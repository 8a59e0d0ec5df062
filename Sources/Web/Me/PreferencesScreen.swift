package import JSON
internal import Pages
package import Problems
internal import Texts

/// How the visitor is told of each kind of event: one of three choices, and behind them the channels of each type.
package struct PreferencesScreen: Screen {
    package static let path = "/me/notifications"

    private let stopsTexts: Bool
    private let preferences: [(type: String, channels: [String])]
    private let types: [NotificationType]
    /// On which channels an alarm reaches the visitor, then its repeats.
    private let alarmWays: [[String]]?

    /// What the API says of a type.
    private struct NotificationType {
        let name: String
        /// The channels that can be chosen for it.
        let channels: [String]
        let byDefault: [String]
        let canBeOff: Bool
        let isAlarm: Bool

        init(_ facts: JSONValue) {
            name = facts["type"]?.string ?? ""
            channels = facts["channels"]?.elements.compactMap(\.string) ?? []
            byDefault = facts["default_channels"]?.elements.compactMap(\.string) ?? []
            canBeOff = facts["can_be_off"]?.boolean ?? false
            isAlarm = facts["is_alarm"]?.boolean ?? true
        }
    }

    /// A choice for all types at once.
    private enum Loudness: String, CaseIterable {
        case loud, quiet, urgent

        func channels(of type: NotificationType) -> [String] {
            switch self {
            case .quiet: type.byDefault
            case _ where type.isAlarm: type.channels
            case .urgent where type.canBeOff: []
            case .loud, .urgent: type.byDefault
            }
        }
    }

    package static func calls(_ visit: Visit) -> [APICall] { [.get("/v1/me/notification-preferences")] }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        stopsTexts = answers[0]["texts_stopped_at"]?.string != nil
        preferences = (answers[0]["preferences"]?.elements ?? []).map { facts in
            (facts["type"]?.string ?? "", facts["channels"]?.elements.compactMap(\.string) ?? [])
        }
        types = (answers[0]["types"]?.elements ?? []).map(NotificationType.init)
        alarmWays = answers[0]["alarm_ways"].flatMap { ways in
            ways.kind == .array ? ways.elements.map { $0.elements.compactMap(\.string) } : nil
        }
    }

    /// The types by what they are about. Their texts say who is told of what.
    private static let groups: [(key: String, types: [String])] = [
        ("mine", ["ping_due", "ping_reminder", "receiver_unreachable", "subscription_lapsing"]),
        (
            "others",
            ["ping_completed", "ping_all_clear", "break_started", "break_ended", "sender_unreachable"]
        ),
        (
            "alarms",
            [
                "ping_missed", "help_requested", "alarm_repeat", "alarm_reopened", "alarm_taken", "alarm_check",
                "alarm_resolved",
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
                \(stopsTexts ? "<p class=\"state warn\">\(words("web.preferences.stopped"))</p>" as HTML : "")
                \(ways(words))\(choices(visit))\
                <details\(visit.refused?.act == "save" ? " open" : "" as HTML)>
                <summary>\(words("web.preferences.each"))</summary>
                <p>\(words("web.preferences.text"))</p>
                \(visit.form("\(fields)\(visit.button("save", words("web.save")))"))\
                </details>

                """)
    }

    /// On which ways an alarm reaches the visitor, whatever is chosen.
    private func ways(_ words: Words) -> HTML {
        func phrase(_ channels: [String]) -> HTML {
            words.list(channels.map { "\(words("web.preferences.way.\($0)"))" })
        }
        // Where the tenant's own server tells people, nothing is known of it here.
        guard let alarmWays else { return "" }
        guard let first = alarmWays.first else {
            return """
                <div class="panel bad">
                <p class="lead">\(words("web.preferences.unreached"))</p>
                <p><a class="inline" href="\(ContactsScreen.path)">\(words("web.me.contacts"))</a> \
                <a class="inline" href="\(DevicesScreen.path)">\(words("web.me.devices"))</a></p>
                </div>

                """
        }
        let later = alarmWays.dropFirst().map(phrase)
        let more: HTML = later.isEmpty ? "" : " \(words.html("web.preferences.later", ["ways": words.list(later)]))"
        return
            "<p class=\"panel info lead\">\(words.html("web.preferences.first", ["ways": phrase(first)]))\(more)</p>\n"
    }

    /// Three choices with a sentence each. Their form carries what the API takes for each type.
    private func choices(_ visit: Visit) -> HTML {
        let words = visit.words
        let chosen = Loudness.allCases.first { choice in
            types.allSatisfy { type in
                preferences.first { $0.type == type.name }?.channels ?? type.byDefault == choice.channels(of: type)
            }
        }
        var html: HTML = ""
        for choice in Loudness.allCases {
            let key = "web.preferences.\(choice.rawValue)"
            html += """
                <label class="check"><input type="radio" name="choice" value="\(choice.rawValue)" required\
                \(choice == chosen ? " checked" : "" as HTML)> <span>\(words(key))<br>
                <span class="quiet">\(words("\(key)_text"))</span></span></label>

                """
        }
        for type in types {
            for choice in Loudness.allCases where choice.channels(of: type) != type.byDefault {
                let channels = choice.channels(of: type).joined(separator: ",")
                html += visit.hidden("as.\(choice.rawValue)", "\(type.name) \(channels)")
            }
        }
        return """
            <h2>\(words("web.preferences.choose"))</h2>
            \(chosen == nil ? "<p>\(words("web.preferences.own"))</p>\n" as HTML : "")\
            \(visit.form("\(html)\(visit.button("choose", words("web.save")))"))
            """
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
            for channel in types.first(where: { $0.name == preference.type })?.channels ?? [] {
                html += visit.check(
                    "\(preference.type).\(channel)", "\(visit.words("web.channel.\(channel)"))",
                    isOn: preference.channels.contains(channel))
            }
            html += "</fieldset>\n"
        }
        return html
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        let chosen: [(type: String, channels: [String])]
        switch name {
        case "save":
            chosen = form.values("type").map { type in (type, Ways.all.filter { form.isOn("\(type).\($0)") }) }
        case "choose":
            guard let choice = Loudness(rawValue: form["choice"]) else {
                throw .invalid("choice", visit.words("web.preferences.choose"))
            }
            chosen = form.values("as.\(choice.rawValue)").map { line in
                let parts = line.split(separator: " ", omittingEmptySubsequences: false)
                return (String(parts[0]), parts.dropFirst().flatMap { $0.split(separator: ",") }.map(String.init))
            }
        default: return nil
        }
        return Act(
            .send(.put, "/v1/me/notification-preferences") { json in
                json.array("preferences", chosen) { json, preference in
                    json.object { json in
                        json.field("type", preference.type)
                        json.array("channels", preference.channels) { $0.string($1) }
                    }
                }
            }, to: name == "save" ? MeScreen.path : path, Notice("web.saved"))
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
