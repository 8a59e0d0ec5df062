package import JSON
internal import Pages
package import Problems
internal import Texts

/// Asks before an account is deleted. If others have access to the visitor's vaults, the visitor must agree to their
/// deletion too.
package struct DeleteAccountScreen: Screen {
    package static let path = "/me/delete"

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {}

    package func page(_ visit: Visit) -> ScreenPage {
        guard visit.refused?.problem?.code == .conflict else {
            return Question("account.delete", act: "delete", cancel: MeScreen.path, section: .me).page(visit)
        }
        var page = Question(
            "account.delete", message: "web.delete.vaults", act: "delete-with-vaults", cancel: MeScreen.path,
            section: .me
        ).page(visit)
        // The refusal is worded for programs.
        page.showsProblem = true
        return page
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        let query: String
        switch name {
        case "delete": query = ""
        case "delete-with-vaults": query = "?vaults=delete"
        default: return nil
        }
        var act = Act(.send(.delete, "/v1/me\(query)"), to: "/", Notice("web.delete.done"))
        act.endsSession = true
        return act
    }
}

/// The visitor's feedback on the app.
package struct FeedbackScreen: Screen {
    package static let path = "/me/feedback"

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {}

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        let title = words("feedback.title")
        let topics = ["app", "invitation", "share"].map { (value: $0, label: words("feedback.topic.\($0)")) }
        var ratings: HTML = ""
        for rating in (1...5).reversed() {
            let mark: HTML = visit.typed("rating") == String(rating) ? " checked" : ""
            ratings += """
                <label class="check"><input type="radio" name="rating" value="\(String(rating))" required\(mark)> \
                <span>\(words("feedback.rating", ["count": .number(rating)]))</span></label>

                """
        }
        return ScreenPage(
            title: title, section: .me,
            body: """
                <h1>\(title)</h1>
                \(visit.form(
                    """
                    \(visit.choice("topic", words("web.feedback.topic"), topics, value: "app"))\
                    <fieldset>
                    <legend>\(words("web.feedback.rating"))</legend>
                    \(ratings)</fieldset>
                    \(visit.area("text", words("web.feedback.text"), limit: 2000))\
                    \(visit.button("send", words("feedback.send")))
                    """))
                """)
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        guard name == "send" else { return nil }
        guard let rating = Int(form["rating"]) else { throw .invalid("rating", visit.words("feedback.rating.missing")) }
        return Act(
            .send(.post, "/v1/feedback") { json in
                json.field("topic", form["topic"])
                json.field("rating", rating)
                if let text = form.text("text") { json.field("text", text) }
            }, to: MeScreen.path, Notice("feedback.sent"))
    }
}
