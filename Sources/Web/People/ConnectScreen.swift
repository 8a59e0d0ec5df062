package import JSON
internal import Pages
package import Problems
internal import Texts

/// The entry of a code, which connects the visitor with its owner (seed 004, US-5.1).
package struct ConnectScreen: Screen {
    package static let path = "/people/connect"

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {}

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        let title = words("web.people.enter_code")
        let problem = visit.refused?.problem
        // The seed shows a wrong code beside the field, and everything else as an alert.
        let isInline = problem?.code == .invalidCode || problem?.errors.isEmpty == false
        let error = problem.flatMap { problem in
            isInline ? visit.error(of: "code") ?? problem.text(in: words) : nil
        }
        let described: HTML = error == nil ? "" : " aria-invalid=\"true\" aria-describedby=\"code-error\""
        var body: HTML = """
            <h1>\(title)</h1>
            <p>\(words("web.connect.text"))</p>

            """
        body += visit.form(
            """
            <label for="code">\(words("connect.code.label"))</label>
            <input class="code-field" id="code" name="code" value="\(visit.typed("code") ?? visit.query["code"])" required \
            maxlength="20" inputmode="numeric" autocomplete="one-time-code" autofocus\(described)>
            \(error.map { "<p class=\"error\" id=\"code-error\" role=\"alert\">\($0)</p>\n" as HTML } ?? "")\
            \(name(visit))\
            \(visit.button("connect", words("connect.button")))
            """)
        if problem?.code == .profileRequired { body += profiles(visit) }
        body += "<p class=\"quiet\">\(words("web.connect.caution"))</p>\n"
        return ScreenPage(title: title, section: .people, showsProblem: isInline, body: body)
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        guard name == "connect" else { return nil }
        // People type spaces and hyphens too.
        let code = form["code"].filter { !$0.isWhitespace && $0 != "-" }
        guard TextFormat.code.accepts(code) else { throw .invalid("code", visit.words("connect.code.incomplete")) }
        var act = Act(.send(.post, "/v1/connections") { $0.field("code", code) }) { answer in
            let other = answer.map { Counterpart($0, visit.words) }
            return Destination(
                other.map { ConnectionScreen.path(of: $0.id) } ?? PeopleScreen.path,
                Notice("connect.done", ["name": .name(other?.name ?? "")]))
        }
        if let name = form.text("display_name") {
            act.first = .send(.patch, "/v1/me") { $0.field("display_name", name) }
        }
        return act
    }

    /// The name of somebody who has none yet, such as after a sign-in by the link of an invitation. The other side
    /// would not know who they are.
    private func name(_ visit: Visit) -> HTML {
        guard visit.person?.displayName.isEmpty == true else { return "" }
        return visit.field(
            "display_name", visit.words("web.profile.name"), hint: visit.words("web.profile.name_hint"),
            attributes: "maxlength=\"100\" autocomplete=\"name\"")
    }

    /// The links to both profiles, one of which the code requires.
    private func profiles(_ visit: Visit) -> HTML {
        let code = visit.typed("code") ?? ""
        let next = "?next=\(Self.path)%3Fcode=\(code.filter(\.isASCII).filter(\.isNumber))"
        return """
            <div class="actions">
            <a class="button plain" href="/me/receiver\(next)">\(visit.words("web.welcome.receiver"))</a>
            <a class="button plain" href="/me/sender\(next)">\(visit.words("web.welcome.sender"))</a>
            </div>

            """
    }
}
