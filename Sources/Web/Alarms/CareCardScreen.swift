package import JSON
internal import Pages
package import Problems
internal import Texts

/// The visitor's own care card (K07): what somebody who goes to look should know, who may see it, and who has.
package struct CareCardScreen: Screen {
    package static let path = "/me/card"
    package static let holdsSecret = true

    /// The most sections of a card.
    private static let mostSections = 8
    /// The most characters of a section.
    private static let longestSection = 2000
    /// What is offered, by the keys of the texts.
    private static let offered = ["address", "keys", "doctor", "medicines", "pets"]

    private let card: CareCard
    private let views: [(at: String, name: String)]
    private let receivers: [Counterpart]

    package static func calls(_ visit: Visit) -> [APICall] {
        [.get("/v1/me/care-card"), .get("/v1/connections?role=sender&limit=200")]
    }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        card = CareCard(answers[0])
        views = (answers[0]["views"]?.elements ?? []).map {
            ($0["at"]?.string ?? "", $0["person"]?["display_name"]?.string ?? "")
        }
        receivers = (answers[1]["items"]?.elements.map { Counterpart($0, visit.words) } ?? []).filter {
            $0.status == "active" || $0.status == "paused"
        }
    }

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        let title = words("web.card.title")
        var body: HTML = """
            <h1>\(title)</h1>
            <p class="lead">\(words("web.card.lead"))</p>
            \(visit.form("\(fields(visit))\(visit.button("save", words("web.save")))"))
            """
        if let place = card.place {
            body += "<h2>\(words("web.card.own_place"))</h2>\n"
            body += CareCard.place(place, words, name: visit.person?.displayName ?? "")
        }
        body += """
            <h2>\(words("web.card.who"))</h2>
            <p>\(words("web.card.who_text"))</p>
            \(readers(visit))\
            <h2>\(words("web.card.views"))</h2>
            \(history(words))
            """
        if !card.sections.isEmpty || card.place != nil {
            body += """
                <details>
                <summary>\(words("web.card.delete"))</summary>
                <p>\(words("web.card.delete_text"))</p>
                \(visit.form("\(visit.button("delete", words("web.card.delete"), .destructive))"))
                </details>

                """
        }
        return ScreenPage(title: title, section: .me, body: body + visit.back(MeScreen.path, "\(words("web.nav.me"))"))
    }

    /// A text for each section that there is, those that are offered, and one with a title of the person's own.
    private func fields(_ visit: Visit) -> HTML {
        let words = visit.words
        var titles = card.sections.map(\.title)
        for key in Self.offered where titles.count < Self.mostSections {
            let title = words("web.card.section.\(key)")
            if !titles.contains(title) { titles.append(title) }
        }
        var html: HTML = ""
        for (index, present) in titles.enumerated() {
            // A refused form keeps the title of each of its texts, whatever the card has now.
            let title = visit.typed("title.\(index)") ?? present
            let given = card.sections.indices.contains(index) ? card.sections[index].body : ""
            html += visit.hidden("title.\(index)", title)
            html += visit.area("body.\(index)", title, value: given, limit: Self.longestSection)
        }
        for index in titles.count..<min(Self.mostSections, titles.count + 1) {
            html += """
                <fieldset>
                <legend>\(words("web.card.section.own"))</legend>
                \(visit.field(
                    "title.\(index)", words("web.card.section_title"), isRequired: false,
                    attributes: "maxlength=\"80\" autocomplete=\"off\""))\
                \(visit.area("body.\(index)", words("web.card.section_body"), limit: Self.longestSection))\
                </fieldset>

                """
        }
        if let error = visit.error(of: "sections") {
            html += "<p class=\"error\" id=\"sections-error\" role=\"alert\">\(error)</p>\n"
        }
        return html
    }

    /// Who sees the card when. Each person's page has the choice.
    private func readers(_ visit: Visit) -> HTML {
        guard !receivers.isEmpty else { return "<p>\(visit.words("web.card.nobody"))</p>\n" }
        let rows = receivers.map { other -> HTML in
            visit.item(
                ConnectionScreen.path(of: other.id), "\(name: other.name)",
                "<br>\n<span class=\"quiet\">\(visit.words(other.alwaysShowsCard ? "web.card.always" : "web.card.in_alarm"))</span>"
            )
        }
        return "<ul class=\"rows\">\n\(HTML.joined(rows))</ul>\n"
    }

    private func history(_ words: Words) -> HTML {
        guard !views.isEmpty else { return "<p>\(words("web.card.no_views"))</p>\n" }
        let rows = views.prefix(20).map { view -> HTML in
            "<li>\(words.html("web.card.view", ["name": "\(name: view.name)", "moment": "\(words.moment(view.at))"]))</li>\n"
        }
        return "<ul>\n\(HTML.joined(rows))</ul>\n"
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        switch name {
        case "save":
            var sections: [(title: String, body: String)] = []
            for index in 0..<mostSections {
                guard let body = form.text("body.\(index)") else { continue }
                guard let title = form.text("title.\(index)") else {
                    throw .invalid("title.\(index)", visit.words("web.card.title_missing"))
                }
                sections.append((title, body))
            }
            return Act(
                .send(.put, "/v1/me/care-card") { json in
                    json.array("sections", sections) { json, section in
                        json.object { json in
                            json.field("title", section.title)
                            json.field("body", section.body)
                        }
                    }
                }, to: path, Notice("web.saved"))
        case "delete": return Act(.send(.delete, "/v1/me/care-card"), to: path, Notice("web.card.deleted"))
        default: return nil
        }
    }
}
