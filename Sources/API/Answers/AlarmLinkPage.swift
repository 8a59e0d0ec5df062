internal import HTTP
internal import Pages
internal import Texts

/// The page of a link in a message about an alarm: who needs help, who looks after it, and two buttons. It shows
/// nothing else of anybody.
struct AlarmLinkPage {
    /// The contents of the page while its link is good.
    struct Question {
        /// The name of the alarm's kind: missed, help, unanswered or drill.
        let kind: String
        let path: String
        let form: FormToken
        /// When the page was asked for, in microseconds since 1970.
        let seenAt: Int64
        let name: String
        let brand: String
        let openedAt: LocalTime?
        let taking: Taking
        /// Whether it asks before the alarm ends.
        let asks: Asking
        /// Why the form was refused.
        let notice: String?
        let status: HTTPStatus
    }

    /// Who looks after it.
    enum Taking {
        case nobody
        case me(until: LocalTime?)
        /// Somebody else; without a name if the reader does not know them.
        case other(String?)
    }

    /// Whether the page asks if the person is safe before it ends the alarm.
    enum Asking {
        case nothing, once
        /// The answer came too soon for anybody to have read the question.
        case again
    }

    private let texts: Texts

    init(_ texts: Texts) {
        self.texts = texts
    }

    func response(_ question: Question) -> HTTPResponse {
        let key = "alarm.kind.\(question.kind)"
        let heading = HTML(texts, key, ["name": "\(name: question.name)"])
        var body = brand(question.brand)
        if let notice = question.notice { body += "<p class=\"notice\" role=\"alert\">\(notice)</p>\n" }
        body += "<h1>\(heading)</h1>\n"
        if question.kind == "drill" { body += "<p><strong>\(texts("alarm.kind.drill.meaning"))</strong></p>\n" }
        if let openedAt = question.openedAt {
            body += "<p class=\"quiet\">\(texts("page.alarm.since", ["time": .dateTime(openedAt)]))</p>\n"
        }
        body += "<p class=\"card\" role=\"status\">\(state(question.taking))</p>\n"
        body += question.asks == .nothing ? acts(question) : asking(question)
        return Page(
            status: question.status, title: texts(key, ["name": .name(question.name)]), body: body, hasForm: true,
            language: texts.language
        ).response()
    }

    private func acts(_ question: Question) -> HTML {
        var buttons: HTML = ""
        if let take = take(question.taking) {
            buttons += "<p><button class=\"button\" name=\"action\" value=\"take\">\(texts(take))</button></p>\n"
        }
        buttons += "<p><button class=\"plain first\" name=\"action\" value=\"safe\">\(texts("alarm.safe"))</button></p>"
        return form(question, buttons)
    }

    /// Asks once more before the alarm ends (K11). The button that ends it is beside the place of the one that led
    /// here, and takes no pointer in the first moment.
    private func asking(_ question: Question) -> HTML {
        let again: HTML =
            question.asks == .again
            ? "<p class=\"notice\" role=\"alert\">\(texts("web.alarm.own.end.again"))</p>\n" : ""
        return """
            \(again)<h2>\(HTML(texts, "alarm.safe.title", ["name": "\(name: question.name)"]))</h2>
            <p>\(HTML(texts, "web.alarm.end.safe.message", ["name": "\(name: question.name)"]))</p>
            <p><a class="button" href="\(question.path)">\(texts("button.cancel"))</a></p>
            \(form(
                question,
                """
                <input type="hidden" name="\(SecondThought.field)" value="\(String(question.seenAt))">
                <p><button class="plain second" name="action" value="safe">\(texts("alarm.safe"))</button></p>
                """))
            """
    }

    private func form(_ question: Question, _ buttons: HTML) -> HTML {
        """
        <form method="post" action="\(question.path)">
        <input type="hidden" name="form" value="\(question.form.text)">
        <input type="hidden" name="seen" value="\(String(question.seenAt))">
        \(buttons)
        </form>
        """
    }

    /// The page after its reader has said that the person is safe: the alarm is over, and the link with it.
    func done(brand name: String) -> HTTPResponse {
        let text = texts("page.alarm.done")
        return Page(title: text, body: brand(name) + "<h1>\(text)</h1>\n", language: texts.language).response()
    }

    /// The page of a link that is no longer good, or that nobody knows. It says the same of all.
    func over(brand name: String?) -> HTTPResponse {
        let text = texts("page.alarm.over")
        return Page(
            status: .notFound, title: text, body: brand(name) + "<h1>\(text)</h1>\n", language: texts.language
        ).response()
    }

    private func brand(_ name: String?) -> HTML { name.map { "<p class=\"brand\">\($0)</p>\n" } ?? "" }

    private func state(_ taking: Taking) -> HTML {
        switch taking {
        case .nobody, .me(until: nil): HTML(texts, "alarm.open")
        case .me(until: let time?): "\(texts("alarm.taken.me", ["time": .time(time)]))"
        case .other(nil): HTML(texts, "notification.alarm_taken.another")
        case .other(let name?): HTML(texts, "notification.alarm_taken.receiver", ["name": "\(name: name)"])
        }
    }

    /// The text of the button that takes the alarm; nil while somebody else has it.
    private func take(_ taking: Taking) -> String? {
        switch taking {
        case .nobody: "alarm.take"
        case .me: "alarm.take.again"
        case .other: nil
        }
    }
}
