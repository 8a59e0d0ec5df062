internal import HTTP
internal import Pages
internal import Texts

/// The page of a check-in link: a first name, what has been done, and two buttons. It shows nobody else.
struct CheckInLinkPage {
    /// The contents of the page while its link is valid.
    struct Question {
        let path: String
        let form: FormToken
        let name: String?
        let brand: String
        /// The sentence that confirms what the visitor has just done; nil before that.
        let message: String?
        /// Why the form was refused.
        let notice: String?
        let status: HTTPStatus
    }

    private let texts: Texts

    init(_ texts: Texts) {
        self.texts = texts
    }

    /// When the person checked in, a local time as `2026-03-09T09:02`; nil if they did not.
    func checkedIn(_ time: String?, thanks: Bool) -> String? {
        guard let time = LocalTime(page: time) else { return nil }
        return texts(thanks ? "sms.reply.checked_in" : "page.check_in.done", ["time": .time(time)])
    }

    /// How many people have been told that help is needed.
    func told(_ count: Int) -> String {
        count == 0 ? texts("sms.reply.nobody") : texts("sms.reply.told", ["count": .number(count)])
    }

    func response(_ question: Question) -> HTTPResponse {
        let title =
            question.name.map { texts("page.check_in.title", ["name": .name($0)]) }
            ?? texts("page.check_in.title.nameless")
        let heading: HTML =
            question.name.map { HTML(texts, "page.check_in.title", ["name": "\(name: $0)"]) }
            ?? HTML(texts, "page.check_in.title.nameless")
        var body: HTML = "<p class=\"brand\">\(question.brand)</p>\n"
        if let notice = question.notice { body += "<p class=\"notice\" role=\"alert\">\(notice)</p>\n" }
        body += "<h1>\(heading)</h1>\n"
        if let message = question.message { body += "<p class=\"card\" role=\"status\">\(message)</p>\n" }
        body += """
            <form method="post" action="\(question.path)">
            <input type="hidden" name="form" value="\(question.form.text)">
            <p><button class="button" name="action" value="safe">\(HTML(texts, "page.check_in.safe"))</button></p>
            <p><button class="plain" name="action" value="help">\(HTML(texts, "page.check_in.help"))</button></p>
            </form>
            <p class="quiet">\(HTML(texts, "page.check_in.help.meaning"))</p>
            """
        return Page(status: question.status, title: title, body: body, hasForm: true, language: texts.language)
            .response()
    }

    /// The page of a link that has ended, or that nobody knows.
    func ended(brand: String?) -> HTTPResponse {
        let text = texts("page.old_link")
        var body: HTML = ""
        if let brand { body += "<p class=\"brand\">\(brand)</p>\n" }
        body += "<h1>\(text)</h1>\n"
        return Page(status: .notFound, title: text, body: body, language: texts.language).response()
    }
}
