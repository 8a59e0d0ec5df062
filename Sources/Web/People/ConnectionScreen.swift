package import JSON
internal import Pages
package import Problems
internal import Texts

/// One connection: the state of the other side, and the visitor's actions (seed 004, US-5.3 and US-5.4).
package struct ConnectionScreen: Screen {
    package static let path = "/people/{id}"

    private let other: Counterpart
    private let days: [Counterpart.Ping]

    static func path(of id: String) -> String { "/people/\(id)" }

    package static func calls(_ visit: Visit) -> [APICall] {
        let id = visit.parameters[0]
        return [.get("/v1/connections/\(id)"), .get("/v1/connections/\(id)/pings?limit=14")]
    }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        other = Counterpart(answers[0], visit.words)
        days = answers[1]["items"]?.elements.compactMap { Counterpart.Ping($0, visit.words) } ?? []
    }

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        // Whoever is not told reads so in the lines, and not the opposite above them.
        let isTold = other.isTold && other.pause == nil
        let role: HTML =
            isTold
            ? "<p>\(words(other.isReceiver ? "web.connection.is_receiver" : "web.connection.is_sender"))</p>\n" : ""
        let last: HTML = other.lastCheckIn(words).map { "<p class=\"quiet\">\($0)</p>\n" } ?? ""
        let reached: HTML =
            other.isReceiver
            ? "<p class=\"quiet\">\(words("web.people.reached_by", ["ways": .words(other.reached(words))]))</p>\n" : ""
        var body: HTML = """
            <h1>\(name: other.name)</h1>
            <div class="panel \(other.state.tone) lead">
            <p class="somebody \(other.state.tone)">\(other.state.shape.html)<span>\(other.lines)</span></p>
            \(role)\(reached)\
            \(other.came(words).map { "<p class=\"quiet\">\($0)</p>\n" as HTML } ?? "")\
            \(other.activity(words).map { "<p>\($0)</p>\n" as HTML } ?? "")</div>
            \(last)
            """
        if other.missed != nil, !other.isReceiver {
            body += "<p class=\"lead\">\(words.html("web.connection.alarm", ["name": "\(name: other.name)"]))</p>\n"
        }
        if let phone = other.phone {
            body += """
                <a class="button" href="tel:\(phone)"><span>\(words.html("web.people.call", ["name": "\(name: other.name)"]))</span></a>

                """
        }
        if other.status == "pending", other.consentBy == "me" { body += consent(visit) }
        body += asking(visit) + ReachTest.html(other, visit)
        // The acts that end a connection stand last, because somebody who has just connected needs the others first.
        let parts = sharing(visit) + alias(visit) + history(words)
        body += other.status == "paused" ? actions(visit) + parts : parts + actions(visit)
        return ScreenPage(title: other.name, section: .people, body: body)
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        let id = visit.parameters[0]
        let page = path(of: id)
        func done(_ key: String) -> (JSONValue?) -> Destination {
            { answer in
                Destination(page, Notice(key, ["name": .name(answer.map { Counterpart($0, visit.words) }?.name ?? "")]))
            }
        }
        switch name {
        case "resume":
            return Act(
                .send(.post, "/v1/connections/\(id)/resume"), doneBefore: [], then: done("connection.resume.done"))
        case "consent":
            return Act(.send(.post, "/v1/connections/\(id)/consent"), doneBefore: [], then: done("connect.done"))
        case "alias":
            return Act(
                .send(.patch, "/v1/connections/\(id)") { json in
                    if let alias = form.text("alias") {
                        json.field("alias", alias)
                    } else {
                        json.field("alias", json: "null".utf8)
                    }
                }, to: page, Notice("web.saved"))
        case "share":
            return Act(
                .send(.patch, "/v1/connections/\(id)") { json in
                    json.field("share_activity", form.isOn("share_activity"))
                    json.field("may_ask", form.isOn("may_ask"))
                    json.field("always_care_card", form.isOn("always_care_card"))
                }, to: page, Notice("web.saved"))
        default: return ReachTest.act(name, form, on: id)
        }
    }

    /// What the sender lets this receiver see and do (J04, K06, K07).
    private func sharing(_ visit: Visit) -> HTML {
        guard other.isReceiver, let shares = other.sharesActivity else { return "" }
        let words = visit.words
        func label(_ key: String) -> HTML { words.html("web.connection.\(key)", ["name": "\(name: other.name)"]) }
        return """
            <h2>\(words("web.connection.share"))</h2>
            \(visit.form(
                """
                \(visit.check("share_activity", label("share_activity"), isOn: shares))\
                \(visit.check("may_ask", label("may_ask"), isOn: other.mayAsk))\
                \(visit.check("always_care_card", label("always_care_card"), isOn: other.alwaysShowsCard))\
                <p class="hint">\(words("web.connection.card_hint")) <a href="\(CareCardScreen.path)">\(words("web.card.title"))</a></p>
                \(visit.button("share", words("web.connection.share_save"), .plain))
                """))
            """
    }

    /// What a receiver can do who worries about the sender.
    private func asking(_ visit: Visit) -> HTML {
        guard !other.isReceiver, other.status == "active" else { return "" }
        let page = Self.path(of: other.id)
        var html: HTML = ""
        if let until = other.askedUntil {
            html +=
                "<p class=\"panel info\">\(visit.words("web.ask.open_until", ["moment": .words(visit.words.moment(until))]))</p>\n"
        } else if other.mayAsk {
            html += visit.link("\(page)/ask", visit.words("web.ask.open"))
        }
        if other.alwaysShowsCard { html += visit.link("\(page)/card", visit.words("web.alarm.card")) }
        return html
    }

    private func consent(_ visit: Visit) -> HTML {
        let words = visit.words
        let key = other.isReceiver ? "web.connection.consent_receiver" : "web.connection.consent_sender"
        return """
            <p>\(words.html(key, ["name": "\(name: other.name)"]))</p>
            \(visit.form("\(visit.button("consent", words("web.connection.consent")))"))
            <a class="button plain" href="\(Self.path(of: other.id))/remove">\(words("web.connection.refuse"))</a>

            """
    }

    private func actions(_ visit: Visit) -> HTML {
        let words = visit.words
        let page = Self.path(of: other.id)
        var items: HTML = ""
        if other.isReceiver, other.status == "active" {
            items += "<a class=\"button warn\" href=\"\(page)/pause\">\(words("connection.pause.action"))</a>\n"
        }
        if other.isReceiver, other.status == "paused" {
            items += visit.form(
                "<button class=\"button good deliberate\" name=\"act\" value=\"resume\">\(words("connection.resume.action"))</button>\n"
            )
        }
        let ends: HTML = """
            <a class="button destructive" href="\(page)/remove">\(words("connection.remove.action"))</a>
            <a class="button destructive" href="\(page)/block">\(words("web.block.action"))</a>

            """
        // In an alarm nobody should meet the end of the connection first.
        guard other.missed == nil else {
            let rest: HTML =
                "<details>\n<summary>\(words("web.connection.more_actions"))</summary>\n<div class=\"actions\">\n\(items)\(ends)</div>\n</details>\n"
            return rest
        }
        return "<h2>\(words("web.connection.actions"))</h2>\n<div class=\"actions\">\n\(items)\(ends)</div>\n"
    }

    /// The visitor's own name for the other side (P37).
    private func alias(_ visit: Visit) -> HTML {
        let words = visit.words
        return """
            <h2>\(words("web.connection.alias"))</h2>
            \(visit.form(
                """
                \(visit.field(
                    "alias", words("web.connection.alias_label"), value: other.alias ?? "",
                    hint: words("web.connection.alias_hint", ["name": .name(other.displayName)]), isRequired: false,
                    attributes: "maxlength=\"100\" autocomplete=\"off\""))\
                \(visit.button("alias", words("web.connection.alias_save"), .plain))
                """))
            """
    }

    private func history(_ words: Words) -> HTML {
        guard !days.isEmpty else { return "" }
        var rows: HTML = ""
        for day in days {
            let at = day.completedAt.map { " · \(words.time($0, beside: day.date))" } ?? ""
            let status = day.outcome == "arrived_later" ? "completed" : day.outcome
            rows += """
                <tr><th scope="row">\(words.date(day.date))</th>\
                <td><span class="state \(day.tone)">\(words("ping.status.\(status)"))</span>\(at)</td></tr>

                """
        }
        return """
            <h2>\(words("web.connection.days"))</h2>
            <table>
            <tbody>
            \(rows)</tbody>
            </table>

            """
    }
}
