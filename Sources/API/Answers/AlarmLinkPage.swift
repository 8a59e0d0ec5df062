internal import HTTP
internal import KithCountries
internal import Pages
internal import Texts
internal import Web

/// The page of a link in a message about an alarm. It begins as the page of the alarm does that is behind a sign-in
/// (``AlarmSheet``), and shows nothing else of anybody: whoever holds the link may not be its reader.
struct AlarmLinkPage {
    /// The contents of the page while its link is good.
    struct Question {
        let sheet: AlarmSheet
        /// The first name of the person whom the alarm is about.
        let name: String
        let path: String
        /// The page of the alarm in the web client.
        let fullPage: String
        let form: FormToken
        /// When the page was asked for, in microseconds since 1970.
        let seenAt: Int64
        let brand: Brand?
        let emergencyNumber: String
        let taking: Taking
        /// The answer that ends the alarm, if the page asks whether it is meant.
        let ending: Ending?
        /// Why the form was refused.
        let notice: String?
        let status: HTTPStatus
    }

    /// Who looks after it.
    enum Taking {
        case nobody, me, other
        /// Nobody, and the reader has said that they can't.
        case declined
    }

    /// An answer that ends an alarm.
    struct Ending {
        /// The name of the outcome.
        let outcome: String
        /// Whether the answer came too soon for anybody to have read the question.
        let isAgain: Bool
    }

    private let words: Words
    private var texts: Texts { words.texts }

    init(_ words: Words) {
        self.words = words
    }

    func response(_ question: Question) -> HTTPResponse {
        var body: HTML = ""
        if let notice = question.notice { body += "<p class=\"notice\" role=\"alert\">\(notice)</p>\n" }
        body += question.sheet.top(words)
        body += question.ending.map { asking(question, $0) } ?? acts(question)
        return Page(
            status: question.status, title: question.sheet.state.text, body: body, brand: question.brand,
            tabIcon: Asset.alarmIcon.path,
            hasForm: true, language: texts.language
        ).response()
    }

    private func acts(_ question: Question) -> HTML {
        let name: [String: HTML] = ["name": "\(name: question.name)"]
        let take: HTML =
            switch question.taking {
            case .nobody, .declined: form(question, button("take", "\(texts("web.alarm.take"))", "button big"))
            case .me, .other: ""
            }
        let ends: HTML = """
            \(button("safe", words.html("web.alarm.safe", name), "plain first"))\
            \(button("help_called", "\(texts("web.alarm.help_called"))", "plain first"))
            """
        return """
            \(take)\
            \(question.sheet.ways(words, emergencyNumber: question.emergencyNumber))\
            \(form(question, "\(turns(question.taking))\(ends)"))
            <p><a href="\(question.fullPage)">\(texts("page.alarm.more"))</a></p>
            """
    }

    /// What changes who looks after it, besides taking it.
    private func turns(_ taking: Taking) -> HTML {
        switch taking {
        case .me:
            """
            \(button("take", "\(texts("web.alarm.longer"))", "plain"))\
            \(button("release", "\(texts("web.alarm.release"))", "plain"))
            """
        case .nobody: button("release", "\(texts("alarm.decline"))", "plain")
        case .declined: "<p>\(texts("alarm.declined"))</p>\n"
        case .other: ""
        }
    }

    /// Asks once more before the alarm ends (K11). The button that ends it is beside the place of the one that led
    /// here, and takes no pointer in the first moment.
    private func asking(_ question: Question, _ ending: Ending) -> HTML {
        let name: [String: HTML] = ["name": "\(name: question.name)"]
        let key = "web.alarm.end.\(ending.outcome)"
        let again: HTML =
            ending.isAgain ? "<p class=\"notice\" role=\"alert\">\(texts("web.alarm.own.end.again"))</p>\n" : ""
        return """
            \(again)<h2>\(words.html("\(key).title", name))</h2>
            <p>\(words.html("\(key).message", name))</p>
            <p><a class="button" href="\(question.path)">\(texts("button.cancel"))</a></p>
            \(form(
                question,
                """
                <input type="hidden" name="\(SecondThought.field)" value="\(String(question.seenAt))">
                \(button(ending.outcome, words.html("\(key).confirm", name), "plain second"))
                """))
            """
    }

    private func button(_ action: String, _ label: HTML, _ kind: HTML) -> HTML {
        "<p><button class=\"\(kind)\" name=\"action\" value=\"\(action)\">\(label)</button></p>\n"
    }

    private func form(_ question: Question, _ buttons: HTML) -> HTML {
        """
        <form method="post" action="\(question.path)">
        <input type="hidden" name="form" value="\(question.form.text)">
        <input type="hidden" name="seen" value="\(String(question.seenAt))">
        \(buttons)</form>

        """
    }

    /// The page after its reader has ended the alarm, and the link with it.
    func done(brand: Brand?) -> HTTPResponse {
        let text = texts("page.alarm.done")
        return Page(title: text, body: "<h1>\(text)</h1>\n", brand: brand, language: texts.language).response()
    }

    /// The page of a link that is no longer good, or that nobody knows. It says the same of all.
    static func over(brand: Brand?, _ texts: Texts) -> HTTPResponse {
        let text = texts("page.alarm.over")
        return Page(
            status: .notFound, title: text, body: "<h1>\(text)</h1>\n", brand: brand, language: texts.language
        ).response()
    }
}
