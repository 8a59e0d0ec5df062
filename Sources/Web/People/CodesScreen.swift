package import JSON
internal import Pages
package import Problems
internal import Texts

/// The visitor's own codes, by which others connect with them: the permanent ones, and further ones that expire (P19).
package struct CodesScreen: Screen {
    package static let path = "/people/codes"
    package static var holdsSecret: Bool { true }

    private let codes: [Code]

    private struct Code {
        let code: String
        let role: String
        let isPermanent: Bool
        let expiresAt: String?
    }

    package static func calls(_ visit: Visit) -> [APICall] { [.get("/v1/me/codes")] }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        codes = (answers[0]["items"]?.elements ?? []).map { facts in
            Code(
                code: facts["code"]?.string ?? "", role: facts["role"]?.string ?? "",
                isPermanent: facts["permanent"]?.boolean ?? false, expiresAt: facts["expires_at"]?.string)
        }
    }

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        let title = words("web.codes.heading")
        var body: HTML = "<h1>\(title)</h1>\n"
        if codes.isEmpty { body += "<p>\(words("web.codes.none"))</p>\n" }
        for role in ["sender", "receiver"] {
            let own = codes.filter { $0.role == role }
            guard let permanent = own.first(where: \.isPermanent) else { continue }
            body += """
                <section aria-labelledby="\(role)">
                <h2 id="\(role)">\(words("web.codes.\(role)"))</h2>
                <div class="panel">
                <p>\(words("web.codes.\(role)_text"))</p>
                <p class="code">\(Self.digits(permanent.code))</p>
                </div>

                """
            let more = own.filter { !$0.isPermanent }
            if !more.isEmpty {
                body += "<h3>\(words("web.codes.extra"))</h3>\n<ul class=\"rows\">\n"
                for code in more {
                    let until = code.expiresAt.map(words.until) ?? ""
                    body +=
                        "<li><span class=\"name\">\(Self.digits(code.code))</span> \(words("web.codes.valid", ["until": .words(until)]))</li>\n"
                }
                body += "</ul>\n"
            }
            body += """
                <details>
                <summary>\(words("web.codes.more"))</summary>
                \(visit.form(
                    """
                    \(visit.hidden("role", role))\
                    \(visit.choice("days", words("web.codes.for"), Self.lives(words), value: "7"))\
                    \(visit.button("add", words("web.codes.add"), .plain))
                    """))
                <p>\(words("web.codes.rotate_text"))</p>
                \(visit.form("\(visit.hidden("role", role))\(visit.button("rotate", words("web.codes.rotate"), .destructive))"))
                </details>
                </section>

                """
        }
        return ScreenPage(title: title, section: .people, body: body)
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        let role = form["role"] == "receiver" ? "receiver" : "sender"
        switch name {
        case "rotate":
            return Act(
                .send(.post, "/v1/me/codes") { json in
                    json.field("role", role)
                    json.field("rotate", true)
                }, to: path, Notice("web.codes.rotated"))
        case "add":
            let days = min(max(Int(form["days"]) ?? 7, 1), 90)
            return Act(
                .send(.post, "/v1/me/codes") { json in
                    json.field("role", role)
                    json.field("expires_in_seconds", days * 86400)
                }, to: path, Notice("web.codes.added"))
        default: return nil
        }
    }

    private static func lives(_ words: Words) -> [(value: String, label: String)] {
        [1, 7, 30, 90].map { (String($0), words("duration.wait.days", ["count": .number($0)])) }
    }

    /// The code in two groups for the eye. Screen readers read six digits.
    private static func digits(_ code: String) -> HTML {
        """
        <span class="digits" dir="ltr">\(String(code.prefix(3)))<span \
        class="gap"></span>\(String(code.dropFirst(3)))</span>
        """
    }
}
