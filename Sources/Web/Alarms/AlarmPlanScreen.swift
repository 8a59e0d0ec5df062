package import JSON
internal import Pages
package import Problems
internal import Texts

/// The visitor's plan (K04): who is told when, and how often, drawn as a timeline.
package struct AlarmPlanScreen: Screen {
    package static let path = "/me/plan"

    /// What an alarm can be split into.
    private static let tierNumbers = 1...3
    private static let waits = [0, 10, 15, 20, 30, 45, 60, 90, 120, 180, 240, 360, 480, 720]
    private static let repeats = [10, 15, 30, 60, 120, 240, 480, 720]
    /// The most repeats of a plan.
    private static let mostRepeats = 4

    private struct Tier {
        var minutes: Int
        var receivers: [String] = []
        var hasDesk = false
    }

    private let tiers: [Tier]
    private let repeatMinutes: [Int]
    private let takeMinutes: Int
    private let answerMinutes: Int
    private let areKnown: Bool
    private let receivers: [Counterpart]
    private let timeline: Timeline?

    package static func calls(_ visit: Visit) -> [APICall] {
        [
            .get("/v1/me/alarm-plan"), .get("/v1/connections?role=sender&limit=200"),
            .get("/v1/me/alarm-plan/rehearsal", mayFail: [.tooManyRequests]),
        ]
    }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        let plan = answers[0]
        tiers = (plan["tiers"]?.elements ?? []).map { tier in
            Tier(
                minutes: tier["after_minutes"]?.integer ?? 0,
                receivers: tier["receivers"]?.elements.compactMap(\.string) ?? [],
                hasDesk: tier["desk"]?.boolean ?? false)
        }
        repeatMinutes = plan["repeat_minutes"]?.elements.compactMap(\.integer) ?? []
        takeMinutes = plan["take_minutes"]?.integer ?? 30
        answerMinutes = plan["answer_minutes"]?.integer ?? 30
        areKnown = plan["receivers_know_each_other"]?.boolean ?? false
        receivers = (answers[1]["items"]?.elements.map { Counterpart($0, visit.words) } ?? []).filter {
            $0.status == "active" || $0.status == "paused"
        }
        timeline = Timeline(
            from: "", [], [], alarm: AlarmStep.all(answers[2]), visit.words)
    }

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        let title = words("web.plan.title")
        let drawing: HTML = timeline?.drawing(words) ?? ""
        let help: HTML =
            receivers.isEmpty
            ? """
            <p class="panel warn">\(words("web.plan.nobody"))</p>
            <a class="button" href="/people/invite">\(words("web.today.alone_link"))</a>

            """ : "\(visit.form("\(fields(visit))\(visit.button("save", words("web.save")))"))"
        return ScreenPage(
            title: title, section: .me,
            body: """
                <h1>\(title)</h1>
                <p class="lead">\(words("web.plan.lead"))</p>
                \(drawing)\
                \(visit.link(RehearsalScreen.path, words("web.plan.rehearse")))\
                \(help)\
                <h2>\(words("web.drill.title"))</h2>
                <p>\(words("web.drill.message"))</p>
                \(visit.link(DrillScreen.path, words("web.drill.open")))\
                \(visit.back(MeScreen.path, "\(words("web.nav.me"))"))
                """)
    }

    private func fields(_ visit: Visit) -> HTML {
        let words = visit.words
        var html: HTML = "<h2>\(words("web.plan.order"))</h2>\n"
        let groups = Self.tierNumbers.map { (value: String($0), label: words("web.plan.tier.\($0)")) }
        for other in receivers {
            let tier = tiers.firstIndex { $0.receivers.contains(other.id) } ?? 0
            html += visit.choice("tier.\(other.id)", other.name, groups, value: String(tier + 1))
        }
        if let error = visit.error(of: "tiers") {
            html += "<p class=\"error\" id=\"tiers-error\" role=\"alert\">\(error)</p>\n"
        }
        html += "<h2>\(words("web.plan.when"))</h2>\n"
        for number in Self.tierNumbers {
            let usual = [0, 30, 60][number - 1]
            let present = tiers.indices.contains(number - 1) ? tiers[number - 1].minutes : usual
            html += visit.choice(
                "after.\(number)", words("web.plan.after.\(number)"), Self.lengths(Self.waits, with: present, words),
                value: String(present))
        }
        html += "<p class=\"hint\">\(words("web.plan.after_hint"))</p>\n"
        html += "<fieldset>\n<legend>\(words("web.plan.repeats"))</legend>\n"
        for minutes in Set(Self.repeats + repeatMinutes).sorted() {
            html += visit.check(
                "repeat.\(minutes)", "\(Self.length(minutes, words))", isOn: repeatMinutes.contains(minutes))
        }
        if let error = visit.error(of: "repeat_minutes") {
            html += "<p class=\"error\" id=\"repeat_minutes-error\" role=\"alert\">\(error)</p>\n"
        }
        html += "</fieldset>\n"
        html += visit.check("known", "\(words("web.plan.known"))", isOn: areKnown)
        return html + more(visit)
    }

    /// What few people change.
    private func more(_ visit: Visit) -> HTML {
        let words = visit.words
        let desk = tiers.first(where: \.hasDesk)?.minutes
        let never = (value: "", label: words("web.plan.desk_never"))
        return """
            <details\(visit.refused == nil ? "" : " open" as HTML)>
            <summary>\(words("web.plan.more"))</summary>
            \(visit.choice(
                "take_minutes", words("web.plan.take"),
                Self.lengths([5, 10, 15, 20, 30, 45, 60, 90, 120], with: takeMinutes, words), value: String(takeMinutes)))\
            \(visit.choice(
                "answer_minutes", words("web.plan.answer"),
                Self.lengths([10, 15, 20, 30, 45, 60, 90, 120], with: answerMinutes, words), value: String(answerMinutes)))\
            \(visit.choice(
                "desk", words("web.plan.desk", ["brand": .name(visit.brand)]),
                [never] + Self.lengths(Self.waits, with: desk ?? 60, words), value: desk.map { String($0) } ?? ""))\
            </details>
            """
    }

    private static func length(_ minutes: Int, _ words: Words) -> String {
        if minutes == 0 { return words("web.plan.at_once") }
        return minutes.isMultiple(of: 60)
            ? words("duration.wait.hours", ["count": .number(minutes / 60)])
            : words("duration.left.minutes", ["count": .number(minutes)])
    }

    private static func lengths(_ usual: [Int], with present: Int, _ words: Words) -> [(value: String, label: String)] {
        Set(usual + [present]).sorted().map { (String($0), length($0, words)) }
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        guard name == "save" else { return nil }
        let tiers = try tiers(in: form, visit.words)
        let repeats = form.input.compactMap { field in
            field.name.hasPrefix("repeat.") ? Int(field.name.dropFirst("repeat.".count)) : nil
        }
        guard repeats.count <= mostRepeats else {
            throw .invalid("repeat_minutes", visit.words("web.plan.many_repeats"))
        }
        return Act(
            .send(.put, "/v1/me/alarm-plan") { json in
                json.array("tiers", tiers) { json, tier in
                    json.object { json in
                        json.field("after_minutes", tier.minutes)
                        json.array("receivers", tier.receivers) { $0.string($1) }
                        json.field("desk", tier.hasDesk)
                    }
                }
                json.field(
                    "repeat_minutes", json: "[\(repeats.sorted().map { String($0) }.joined(separator: ","))]".utf8)
                json.field("take_minutes", Int(form["take_minutes"]) ?? 30)
                json.field("answer_minutes", Int(form["answer_minutes"]) ?? 30)
                json.field("receivers_know_each_other", form.isOn("known"))
            }, to: path, Notice("web.plan.saved"))
    }

    /// The tiers that somebody is in, and the staff last.
    private static func tiers(in form: FormFields, _ words: Words) throws(Problem) -> [Tier] {
        var tiers: [Tier] = []
        for number in tierNumbers {
            let receivers = form.input.filter { $0.name.hasPrefix("tier.") && $0.value == String(number) }
                .map { String($0.name.dropFirst("tier.".count)) }.filter(PathID.accepts)
            if !receivers.isEmpty || number == 1 {
                tiers.append(Tier(minutes: Int(form["after.\(number)"]) ?? 0, receivers: receivers))
            }
        }
        if tiers.count > 1, tiers[0].receivers.isEmpty { throw .invalid("tiers", words("web.plan.nobody_first")) }
        guard zip(tiers, tiers.dropFirst()).allSatisfy({ $0.minutes < $1.minutes }) else {
            throw .invalid("tiers", words("web.plan.not_later"))
        }
        guard let desk = Int(form["desk"]) else { return tiers }
        let last = tiers.count - 1
        if desk == tiers[last].minutes {
            tiers[last].hasDesk = true
        } else if desk > tiers[last].minutes, tiers.count < tierNumbers.upperBound {
            tiers.append(Tier(minutes: desk, hasDesk: true))
        } else {
            throw .invalid("desk", words("web.plan.desk_last"))
        }
        return tiers
    }
}
