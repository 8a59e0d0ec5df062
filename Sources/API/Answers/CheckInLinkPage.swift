internal import HTTP
internal import KithCountries
internal import Pages
internal import Texts
internal import Web

/// The page of a check-in link: a first name, what has been done, and two buttons. It shows nobody else.
struct CheckInLinkPage {
    /// The contents of the page while its link is valid.
    struct Question {
        let path: String
        let form: FormToken
        let name: String?
        let brand: Brand?
        /// Whether a call for help of the person is open, which nothing on this page ends at once.
        let isCalling: Bool
        /// Whether a call for help would reach anybody.
        let isHeard: Bool
        /// What the visitor has to read before anything else; empty mostly.
        let first: HTML
        /// The sentence that confirms what the visitor has just done; nil before that.
        let message: HTML?
        /// Why the form was refused.
        let notice: String?
        let status: HTTPStatus
    }

    private let texts: Texts

    init(_ texts: Texts) {
        self.texts = texts
    }

    /// When the person checked in, a local time as `2026-03-09T09:02`; nil if they did not.
    func checkedIn(_ time: String?, thanks: Bool) -> HTML? {
        guard let time = LocalTime(page: time) else { return nil }
        return message("\(texts(thanks ? "sms.reply.checked_in" : "page.check_in.done", ["time": .time(time)]))")
    }

    /// How many people have been told that help is needed. Where nobody could be, it has the emergency number.
    func told(_ count: Int, number: String) -> HTML {
        guard count > 0 else {
            return "\(message("\(texts("sms.reply.nobody"))"))\(EmergencyNumber.call(number, texts))"
        }
        return message("\(texts("sms.reply.told", ["count": .number(count)]))")
    }

    private func message(_ text: HTML) -> HTML { "<p class=\"card\" role=\"status\">\(text)</p>\n" }

    func response(_ question: Question) -> HTTPResponse {
        let buttons: HTML =
            question.isCalling
            ? """
            <p><button class="button" name="action" value="help">\(texts("web.help.again"))</button></p>
            <p><button class="plain first" name="action" value="safe">\(texts("web.alarm.own.end"))</button></p>
            """
            : """
            <p><button class="button" name="action" value="safe">\(HTML(texts, "page.check_in.safe"))</button></p>
            <p><button class="plain" name="action" value="help">\(HTML(texts, "page.check_in.help"))</button></p>
            """
        let meaning: HTML =
            question.isCalling
            ? ""
            : "\n<p class=\"quiet\">\(HTML(texts, question.isHeard ? "page.check_in.help.meaning" : "web.help.nobody"))</p>"
        let heading: HTML
        let title: String
        if question.isCalling {
            title = texts("state.alarm.own.help")
            heading = "\(title)"
        } else if let name = question.name {
            title = texts("page.check_in.title", ["name": .name(name)])
            heading = HTML(texts, "page.check_in.title", ["name": "\(name: name)"])
        } else {
            title = texts("page.check_in.title.nameless")
            heading = "\(title)"
        }
        return response(question, title: title, heading: heading, "\(form(question, buttons))\(meaning)")
    }

    /// The page that asks once more before the person's own call for help ends (K13). The button that ends it is
    /// beside the place of the one that led here, and takes no pointer in the first moment.
    func ask(_ question: Question, askedAt: Int64, isAgain: Bool) -> HTTPResponse {
        let buttons: HTML = """
            <input type="hidden" name="\(SecondThought.field)" value="\(String(askedAt))">
            <p><button class="plain second" name="action" value="safe">\(texts("web.alarm.own.end.confirm"))</button></p>
            """
        let again: HTML = isAgain ? "<p class=\"notice\" role=\"alert\">\(texts("web.alarm.own.end.again"))</p>\n" : ""
        return response(
            question, title: texts("web.alarm.own.end.title"), heading: "\(texts("web.alarm.own.end.title"))",
            """
            \(again)<p>\(texts("web.alarm.own.end.message"))</p>
            <p><a class="button" href="\(question.path)">\(texts("web.alarm.own.end.cancel"))</a></p>
            \(form(question, buttons))
            """)
    }

    private func form(_ question: Question, _ buttons: HTML) -> HTML {
        """
        <form method="post" action="\(question.path)">
        <input type="hidden" name="form" value="\(question.form.text)">
        \(buttons)
        </form>
        """
    }

    private func response(_ question: Question, title: String, heading: HTML, _ content: HTML) -> HTTPResponse {
        var body = question.first
        if let notice = question.notice { body += "<p class=\"notice\" role=\"alert\">\(notice)</p>\n" }
        body += "<h1>\(heading)</h1>\n"
        if let message = question.message { body += message }
        return Page(
            status: question.status, title: title, body: body + content, brand: question.brand, hasForm: true,
            language: texts.language
        ).response()
    }

    /// The page of a link that has ended, or that nobody knows.
    func ended(brand: Brand?, first: HTML) -> HTTPResponse {
        let text = texts("page.old_link")
        return Page(
            status: .notFound, title: text, body: "\(first)<h1>\(text)</h1>\n", brand: brand, language: texts.language
        ).response()
    }
}
