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
        body += "<form method=\"post\" action=\"\(question.path)\">\n"
        body += "<input type=\"hidden\" name=\"form\" value=\"\(question.form.text)\">\n"
        body += "<input type=\"hidden\" name=\"seen\" value=\"\(String(question.seenAt))\">\n"
        if let take = take(question.taking) {
            body += "<p><button class=\"button\" name=\"action\" value=\"take\">\(texts(take))</button></p>\n"
        }
        body += """
            <p><button class="plain" name="action" value="safe">\(texts("alarm.safe"))</button></p>
            </form>
            <p class="quiet">\(texts("alarm.safe.meaning"))</p>
            """
        return Page(
            status: question.status, title: texts(key, ["name": .name(question.name)]), body: body, hasForm: true,
            language: texts.language
        ).response()
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
