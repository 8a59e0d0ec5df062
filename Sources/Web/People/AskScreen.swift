package import JSON
internal import Pages
package import Problems
internal import Texts

/// Asks before a receiver asks a sender "Are you OK?" (K06): it rings on every channel, and an alarm follows if there
/// is no answer.
package struct AskScreen: Screen {
    package static let path = "/people/{id}/ask"

    private let other: Counterpart

    package static func calls(_ visit: Visit) -> [APICall] { [.get("/v1/connections/\(visit.id())")] }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        other = Counterpart(answers[0], visit.words)
        if other.isReceiver { throw Problem(.notFound) }
    }

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        let name: [String: HTML] = ["name": "\(name: other.name)"]
        let form: HTML =
            other.askedUntil.map { until -> HTML in
                "<p class=\"panel info\">\(words("web.ask.open_until", ["moment": .words(words.moment(until))]))</p>\n"
            } ?? visit.form("\(visit.button("ask", words("web.ask.confirm"), .main))")
        return ScreenPage(
            title: words("web.ask.title", ["name": .name(other.name)]), section: .people,
            body: """
                <h1>\(words.html("web.ask.title", name))</h1>
                <p class="lead">\(words.html("web.ask.message", name))</p>
                \(form)\
                \(visit.link(ConnectionScreen.path(of: other.id), words("button.cancel")))
                """)
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        guard name == "ask" else { return nil }
        let id = visit.id()
        return Act(.send(.post, "/v1/connections/\(id)/ask")) { answer in
            let until = answer?["answer_by"]?.string ?? ""
            return Destination(
                ConnectionScreen.path(of: id), Notice("web.ask.done", ["moment": .words(visit.words.moment(until))]))
        }
    }
}
