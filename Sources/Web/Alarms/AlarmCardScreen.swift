package import JSON
internal import Pages
package import Problems
internal import Texts

/// A care card and a place, as somebody sees them who may go and look (K07, K08).
struct CareCard {
    let sections: [(title: String, body: String)]
    let place: (latitude: Double, longitude: Double, accuracy: Int?, at: String)?

    init(_ facts: JSONValue?) {
        sections = (facts?["sections"]?.elements ?? []).map { ($0["title"]?.string ?? "", $0["body"]?.string ?? "") }
        if let latitude = facts?["location"]?["latitude"]?.number,
            let longitude = facts?["location"]?["longitude"]?.number
        {
            let accuracy = facts?["location"]?["accuracy_meters"]?.number.map { Int($0.rounded()) }
            place = (latitude, longitude, accuracy, facts?["location"]?["at"]?.string ?? "")
        } else {
            place = nil
        }
    }

    func html(_ words: Words, name: String) -> HTML {
        var html: HTML = ""
        if sections.isEmpty, place == nil { html += "<p class=\"panel\">\(words("web.card.nothing"))</p>\n" }
        if !sections.isEmpty {
            html += "<dl>\n"
            for section in sections {
                html += "<dt>\(name: section.title)</dt>\n<dd class=\"lines\">\(name: section.body)</dd>\n"
            }
            html += "</dl>\n"
        }
        if let place { html += Self.place(place, words, name: name) }
        return html
    }

    /// The place, with a link to a map that anybody can open. The reader decides whether to follow it.
    static func place(
        _ place: (latitude: Double, longitude: Double, accuracy: Int?, at: String), _ words: Words, name: String
    ) -> HTML {
        func degrees(_ number: Double) -> String { "\((number * 100_000).rounded() / 100_000)" }
        let (latitude, longitude) = (degrees(place.latitude), degrees(place.longitude))
        let moment: [String: HTML] = [
            "name": "\(name: name)", "moment": "\(words.moment(place.at))", "meters": "\(String(place.accuracy ?? 0))",
        ]
        let key = place.accuracy == nil ? "web.card.place" : "web.card.place_about"
        return """
            <p class="panel info">\(words.html(key, moment))<br>
            <span class="digits">\(latitude), \(longitude)</span></p>
            <a class="button" rel="noreferrer" href="https://www.openstreetmap.org/?mlat=\(latitude)&amp;mlon=\(longitude)#map=17/\(latitude)/\(longitude)">\
            \(words("web.card.map"))</a>
            <p class="hint">\(words("web.card.map_hint"))</p>

            """
    }

    /// The page that asks before the card is shown, because its owner reads that somebody looked.
    static func question(_ visit: Visit, name: String, back: String) -> ScreenPage {
        let words = visit.words
        let names: [String: HTML] = ["name": "\(name: name)"]
        return ScreenPage(
            title: words("web.card.of", ["name": .name(name)]), section: .people,
            body: """
                <h1>\(words.html("web.card.of", names))</h1>
                <p class="lead">\(words.html("web.card.seen_by_owner", names))</p>
                \(visit.form("\(visit.hidden("name", name))\(visit.button("show", words("web.card.show"), .main))"))\
                \(visit.link(back, words("button.cancel")))
                """)
    }

    /// The page with the card, which answers the form: its address shows the question.
    static func answer(_ facts: JSONValue?, _ visit: Visit, name: String, back: String) -> ScreenPage {
        let words = visit.words
        return ScreenPage(
            title: words("web.card.of", ["name": .name(name)]), section: .people,
            body: """
                <h1>\(words.html("web.card.of", ["name": "\(name: name)"]))</h1>
                \(CareCard(facts).html(words, name: name))\
                \(visit.link(back, words("web.card.back"), .usual))
                """)
    }
}

/// The care card of the sender of an alarm. Each view stands in the timeline, so the page asks first.
package struct AlarmCardScreen: Screen {
    package static let path = "/alarms/{id}/card"
    package static let holdsSecret = true

    private let alarm: Alarm

    package static func calls(_ visit: Visit) -> [APICall] { [.get("/v1/alarms/\(visit.id())")] }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        alarm = Alarm(answers[0])
        if alarm.isMine { throw Problem(.notFound) }
    }

    package func page(_ visit: Visit) -> ScreenPage {
        CareCard.question(visit, name: alarm.sender, back: alarm.path)
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        guard name == "show" else { return nil }
        let id = visit.id()
        return Act(.get("/v1/alarms/\(id)/care-card")) { answer, visit in
            CareCard.answer(answer, visit, name: form["name"], back: AlarmScreen.path(of: id))
        }
    }
}

/// The care card of a sender who always allows the visitor to see it.
package struct ContactCardScreen: Screen {
    package static let path = "/people/{id}/card"
    package static let holdsSecret = true

    private let other: Counterpart

    package static func calls(_ visit: Visit) -> [APICall] { [.get("/v1/connections/\(visit.id())")] }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        other = Counterpart(answers[0], visit.words)
        if other.isReceiver || !other.alwaysShowsCard { throw Problem(.notFound) }
    }

    package func page(_ visit: Visit) -> ScreenPage {
        CareCard.question(visit, name: other.name, back: ConnectionScreen.path(of: other.id))
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        guard name == "show" else { return nil }
        let id = visit.id()
        return Act(.get("/v1/connections/\(id)/care-card")) { answer, visit in
            CareCard.answer(answer, visit, name: form["name"], back: ConnectionScreen.path(of: id))
        }
    }
}
