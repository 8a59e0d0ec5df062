package import JSON
internal import Pages
package import Problems
internal import Texts

/// A nominee's emergency access, as its owner sets it.
package struct EmergencySettingsScreen: Screen {
    package static let path = "/vaults/{id}/nominees/{n}/emergency"

    private let vault: VaultFacts
    private let nominee: NomineeFacts
    private let right: EmergencyRight
    private let isGiven: Bool

    package static func calls(_ visit: Visit) -> [APICall] {
        NomineeScreen.calls(visit) + [
            .get("/v1/vaults/\(visit.id())/nominees/\(visit.id(1))/emergency", mayFail: [.notFound])
        ]
    }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        vault = VaultFacts(answers[0])
        guard vault.isOwner else { throw Problem(.forbidden) }
        nominee = NomineeFacts(answers[1])
        isGiven = answers[2].kind == .object
        right = EmergencyRight(answers[2])
    }

    private var address: String { "\(vault.path)/nominees/\(nominee.id)" }

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        let names: [String: HTML] = ["name": "\(name: nominee.name)", "vault": vault.title]
        let title = words("emergency.settings.title", ["name": .name(nominee.name)])
        func hours(_ name: String, _ common: [Int], _ value: Int) -> HTML {
            visit.choice(
                name, words("web.emergency.\(name)"),
                Set(common + [value]).sorted().map { (String($0), words.duration(hours: $0)) }, value: String(value))
        }
        let days = Set([2, 3, 4, 5, 7, 10, 14, 21, 30] + (right.missedDays.map { [$0] } ?? [])).sorted()
        let dayOptions =
            [("", words("web.emergency.never"))]
            + days.map { (String($0), words("emergency.settings.after_missed_days", ["count": .number($0)])) }
        let form: HTML = """
            \(visit.check("on_request", words.html("emergency.settings.on_request", names), isOn: right.onRequest))\
            \(visit.choice(
                "after_missed_days", words("web.emergency.after_missed_days"), dayOptions,
                value: right.missedDays.map(String.init) ?? ""))\
            \(hours("wait_hours", [1, 6, 12, 24, 48, 72, 168, 336, 720, 1440, 2160], right.waitHours))\
            \(hours("grant_hours", [1, 6, 12, 24, 48, 72, 168, 336, 720], right.grantHours))\
            \(visit.radios(
                "access_level", words("web.emergency.level"), AccessLevels.emergency.map { ($0, words("access.\($0)"), words("web.emergency.may.\($0)")) },
                value: right.level))\
            \(visit.radios(
                "sign_of_life", words("web.emergency.sign_of_life"),
                ["check_in", "any_use"].map { ($0, words("web.emergency.sign.\($0)"), "") }, value: right.signOfLife))\
            \(visit.check(
                "reject_on_check_in", "\(words("web.emergency.reject_on_check_in"))", isOn: right.endsOnCheckIn))\
            \(sources(visit))\
            \(visit.check("visible", words.html("web.emergency.visible", names), isOn: right.isVisible))\
            \(visit.button("save", words("web.save")))
            """
        let ended: HTML =
            right.endedAt == nil ? "" : "<p class=\"panel warn\">\(words("web.emergency.used_up"))</p>\n"
        let end: HTML =
            isGiven ? visit.link("\(address)/emergency/end", words("emergency.settings.end"), .destructive) : ""
        return ScreenPage(
            title: title, section: .vaults,
            body: """
                <h1>\(words.html("emergency.settings.title", names))</h1>
                <p class="lead">\(words.html("web.emergency.settings_lead", names))</p>
                \(ended)\(visit.form(form))\(end)\(visit.back(address, "\(name: nominee.name)"))
                """)
    }

    /// The choice of what counts as a sign of life (J05).
    private func sources(_ visit: Visit) -> HTML {
        let words = visit.words
        var boxes: HTML = """
            <fieldset>
            <legend>\(words("web.emergency.sources"))</legend>
            <p class="hint">\(words("web.emergency.sources_hint"))</p>

            """
        for source in CheckInSources.all {
            boxes += visit.check(
                "source.\(source)", "\(words("web.emergency.source.\(source)"))", isOn: right.sources.contains(source))
        }
        if let error = visit.error(of: "sources") {
            boxes += "<p class=\"error\" id=\"sources-error\" role=\"alert\">\(error)</p>\n"
        }
        return boxes + "</fieldset>\n"
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        guard name == "save" else { return nil }
        guard form.isOn("on_request") || form.text("after_missed_days") != nil else {
            throw .invalid("after_missed_days", visit.words("emergency.settings.nothing"))
        }
        let sources = CheckInSources.all.filter { form.isOn("source.\($0)") }
        guard !sources.isEmpty else { throw .invalid("sources", visit.words("web.emergency.sources_none")) }
        return Act(
            .send(.put, "/v1/vaults/\(visit.id())/nominees/\(visit.id(1))/emergency") { json in
                json.field("wait_hours", Int(form["wait_hours"]) ?? 0)
                json.field("grant_hours", Int(form["grant_hours"]) ?? 0)
                json.field("access_level", form["access_level"])
                json.field("on_request", form.isOn("on_request"))
                if let days = Int(form["after_missed_days"]) { json.field("after_missed_days", days) }
                json.field("reject_on_check_in", form.isOn("reject_on_check_in"))
                json.field("sign_of_life", form["sign_of_life"])
                json.array("sources", sources) { $0.string($1) }
                // Whoever may ask has to see that they may.
                json.field("visible", form.isOn("visible") || form.isOn("on_request"))
            }, to: "/vaults/\(visit.id())/nominees/\(visit.id(1))", Notice("web.emergency.saved"))
    }
}

/// Asks before a nominee's emergency access is taken away.
package struct EndEmergencyScreen: Screen {
    package static let path = "/vaults/{id}/nominees/{n}/emergency/end"

    private let vault: VaultFacts
    private let nominee: NomineeFacts

    package static func calls(_ visit: Visit) -> [APICall] { NomineeScreen.calls(visit) }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        vault = VaultFacts(answers[0])
        nominee = NomineeFacts(answers[1])
    }

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        let title = words("emergency.settings.end.title")
        return ScreenPage(
            title: title, section: .vaults,
            body: visit.question(
                "\(title)",
                words.html("emergency.settings.end.message", ["name": "\(name: nominee.name)", "vault": vault.title]),
                act: "end", confirm: words("emergency.settings.end.confirm"),
                cancel: "\(vault.path)/nominees/\(nominee.id)/emergency"))
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        guard name == "end" else { return nil }
        return Act(
            .send(.delete, "/v1/vaults/\(visit.id())/nominees/\(visit.id(1))/emergency"),
            to: "/vaults/\(visit.id())/nominees/\(visit.id(1))", Notice("web.emergency.ended"))
    }
}

/// The quorum: how many of which nominees must ask before the wait begins.
package struct QuorumScreen: Screen {
    package static let path = "/vaults/{id}/emergency/quorum"

    private let vault: VaultFacts
    private let nominees: [NomineeFacts]
    private let required: Int
    private let chosen: Set<String>
    private let isSet: Bool

    package static func calls(_ visit: Visit) -> [APICall] {
        [
            .get("/v1/vaults/\(visit.id())"), .get("/v1/vaults/\(visit.id())/nominees?limit=200"),
            .get("/v1/vaults/\(visit.id())/emergency/quorum", mayFail: [.notFound]),
        ]
    }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        vault = VaultFacts(answers[0])
        guard vault.isOwner else { throw Problem(.forbidden) }
        isSet = answers[2].kind == .object
        required = answers[2]["required"]?.integer ?? 2
        let chosen = Set(answers[2]["nominees"]?.elements.compactMap(\.string) ?? [])
        self.chosen = chosen
        nominees =
            answers[1]["items"]?.elements.map(NomineeFacts.init).filter {
                $0.hasEmergencyAccess || chosen.contains($0.id)
            } ?? []
    }

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        let title = words("web.quorum.title")
        var body: HTML = "<h1>\(title)</h1>\n<p class=\"lead\">\(words("web.quorum.lead"))</p>\n"
        if nominees.count < 2 {
            body += "<p class=\"panel\">\(words("web.quorum.too_few"))</p>\n"
        } else {
            let marked = visit.refused.map { Set($0.fields.values("nominee")) } ?? chosen
            var boxes: HTML = "<fieldset>\n<legend>\(words("web.quorum.who"))</legend>\n"
            for nominee in nominees {
                let mark: HTML = marked.contains(nominee.id) ? " checked" : ""
                boxes += """
                    <label class="check"><input type="checkbox" name="nominee" value="\(nominee.id)"\(mark)> \
                    <span>\(name: nominee.name)</span></label>

                    """
            }
            if let error = visit.error(of: "nominees") { boxes += "<p class=\"error\" role=\"alert\">\(error)</p>\n" }
            boxes += "</fieldset>\n"
            body += visit.form(
                """
                \(boxes)\
                \(visit.choice(
                    "required", words("web.quorum.how_many"),
                    (2...max(2, min(20, nominees.count))).map { (String($0), String($0)) }, value: String(required)))\
                \(visit.button("save", words("web.save")))
                """)
        }
        if isSet { body += visit.form("\(visit.button("remove", words("web.quorum.remove"), .destructive))") }
        return ScreenPage(
            title: title, section: .vaults,
            body: body + visit.back("\(vault.path)/emergency", "\(words("emergency.title"))"))
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        let call = "/v1/vaults/\(visit.id())/emergency/quorum"
        let path = "/vaults/\(visit.id())/emergency"
        switch name {
        case "save":
            let nominees = form.values("nominee").map(PathID.of)
            guard nominees.count >= 2 else { throw .invalid("nominees", visit.words("web.quorum.choose_two")) }
            return Act(
                .send(.put, call) { json in
                    json.field("required", Int(form["required"]) ?? 2)
                    json.array("nominees", nominees) { $0.string($1) }
                }, to: path, Notice("web.saved"))
        case "remove": return Act(.send(.delete, call), to: path, Notice("web.quorum.removed"))
        default: return nil
        }
    }
}
