internal import Pages
internal import Texts

/// The pages that sign somebody in by a code: the first asks for a phone number or an e-mail address, the second for
/// the code sent there.
package struct SignInPage {
    /// The path of both pages.
    package static let path = "/sign-in"

    /// The data that the pages pass on until somebody is signed in.
    package struct Errand: Sendable {
        /// The page after the sign-in: a path of this site.
        package let next: String?
        /// The form that waits, as the browser sent it to ``next``; nil if none does.
        package let form: String?

        package init(next: String?, form: String?) {
            self.next = next.flatMap { Self.isLocal($0) ? $0 : nil }
            self.form = form
        }

        /// Whether `path` leads to a page of this site, and to no other: browsers read `//host` and `/\host` as other
        /// sites.
        package static func isLocal(_ path: String) -> Bool {
            path.utf8.first == UInt8(ascii: "/") && path.utf8.count <= 2000
                && path.utf8.dropFirst().first != UInt8(ascii: "/")
                && path.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }
        }
    }

    private let visit: Visit
    private let errand: Errand
    /// The tenant's own page for signing in.
    private let ownSignIn: String?
    private var words: Words { visit.words }

    package init(_ visit: Visit, _ errand: Errand, ownSignIn: String? = nil) {
        self.visit = visit
        self.errand = errand
        self.ownSignIn = ownSignIn
    }

    /// The page that asks where to send a code. With an introduction it is the first page of the site.
    package func contact(isFirst: Bool = false) -> ScreenPage {
        let heading = isFirst ? words("web.front.heading") : words("web.sign_in.heading")
        var body: HTML = "\(help)<h1>\(heading)</h1>\n"
        if isFirst { body += "<p class=\"lead\">\(words("web.front.lead"))</p>\n" }
        if errand.form != nil, !isForHelp { body += "<p class=\"panel warn\">\(words("web.sign_in.form_waits"))</p>\n" }
        if errand.next?.hasSuffix("?\(FileFields.again)") == true {
            body += "<p class=\"panel warn\">\(words("web.sign_in.files_wait"))</p>\n"
        }
        body += demo
        if isFirst { body += "<h2>\(words("web.sign_in.heading"))</h2>\n" }
        body += own
        body += form(
            """
            \(visit.field(
                "contact", words("web.sign_in.contact"), hint: words("web.sign_in.contact_any"),
                attributes: "autocomplete=\"username\" autocapitalize=\"none\" spellcheck=\"false\" maxlength=\"254\""))\
            \(Countries.choice(visit))\
            \(visit.button("code", words("web.sign_in.send")))
            """)
        body += "<p class=\"quiet\">\(words("web.sign_in.privacy"))</p>\n"
        let status = Site.status(of: visit.tenant)
        body += "<p><a class=\"inline\" href=\"\(status)\">\(words("page.status.link"))</a></p>\n"
        return ScreenPage(title: heading, body: body)
    }

    /// The page that asks for the code of `challenge`, which was sent to `contact`.
    package func code(contact: String, challenge: String, problem: String?) -> ScreenPage {
        let heading = words("web.sign_in.code_heading")
        var error: HTML = ""
        if let problem { error = "<p class=\"error\" id=\"code-error\" role=\"alert\">\(problem)</p>\n" }
        let described: HTML = problem == nil ? "" : " aria-invalid=\"true\" aria-describedby=\"code-error\""
        let body: HTML = """
            \(help)<h1>\(heading)</h1>
            <p>\(words.html("web.sign_in.code_sent", ["contact": "<strong>\(name: contact)</strong>"]))</p>
            \(form(
                """
                <input type="hidden" name="contact" value="\(contact)">
                <input type="hidden" name="challenge" value="\(challenge)">
                <label for="code">\(words("web.sign_in.code"))</label>
                <input class="code-field" id="code" name="code" required maxlength="12" inputmode="numeric" \
                autocomplete="one-time-code"\(described) autofocus>
                \(error)\(visit.button("sign-in", words("web.sign_in.sign_in")))
                """))
            <details>
            <summary>\(words("web.sign_in.no_code"))</summary>
            <p>\(words("web.sign_in.no_code_help"))</p>
            \(form(
                """
                <input type="hidden" name="contact" value="\(contact)">
                \(visit.button("code", words("web.sign_in.send_again"), .plain))
                """))
            </details>
            <p><a class="inline" href="\(Self.address(next: errand.next, tenant: visit.tenant))">\(words("web.sign_in.other_contact"))</a></p>

            """
        return ScreenPage(title: heading, showsProblem: problem != nil, body: body)
    }

    /// Whether somebody wanted to call for help, and their sign-in has ended.
    private var isForHelp: Bool { errand.next.map { $0.prefix { $0 != "?" } } == HelpScreen.path[...] }

    /// The first words to whoever wanted to call for help.
    private var help: HTML { isForHelp ? HelpScreen.notTold(visit) : "" }

    /// The address of the sign-in that leads back to `next`.
    package static func address(next: String?, tenant: String?) -> String {
        var query: [String] = []
        if let next, Errand.isLocal(next) { query.append("next=\(APICall.segment(next))") }
        if let tenant { query.append("t=\(APICall.segment(tenant))") }
        return path + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
    }

    /// The address of the tenant's own sign-in that leads back to `next`.
    static func ownAddress(_ own: String, next: String?) -> String {
        guard let next else { return own }
        return own + (own.contains("?") ? "&" : "?") + "next=\(APICall.segment(next))"
    }

    /// The way to the tenant's own sign-in, which leads back by a sign-in link.
    private var own: HTML {
        guard let ownSignIn else { return "" }
        let loses: HTML =
            errand.form == nil ? "" : "<p class=\"quiet\">\(words("web.sign_in.own_loses"))</p>\n"
        return """
            \(loses)<p><a class="button" href="\(Self.ownAddress(ownSignIn, next: errand.next))" rel="noreferrer">\
            \(words("web.sign_in.own", ["brand": .name(visit.brand)]))</a></p>
            <p>\(words("web.sign_in.or_code"))</p>

            """
    }

    /// The buttons of `kith dev` that sign in one of the demo's people.
    private var demo: HTML {
        guard !visit.demoPeople.isEmpty else { return "" }
        var buttons: HTML = ""
        for person in visit.demoPeople {
            buttons += """
                <button class="button plain" name="person" value="\(person)">\
                \(words("web.demo.be", ["name": .name(person)]))</button>

                """
        }
        return """
            <section class="panel" aria-labelledby="demo">
            <h2 id="demo">\(words("web.demo.title"))</h2>
            <p>\(words("web.demo.text"))</p>
            \(form(
                """
                <input type="hidden" name="\(FormFields.act)" value="demo">
                \(buttons)
                """))
            </section>

            """
    }

    private func form(_ content: HTML) -> HTML {
        var carried: HTML = ""
        if let next = errand.next { carried += visit.hidden("next", next) }
        if let form = errand.form { carried += visit.hidden("waiting", form) }
        if let tenant = visit.tenant { carried += visit.hidden("t", tenant) }
        return """
            <form method="post" action="\(Self.path)">
            <input type="hidden" name="\(FormFields.token)" value="\(visit.token())">
            <input type="hidden" name="\(FormFields.key)" value="\(visit.newKey())">
            \(carried)\(content)
            </form>

            """
    }

    /// `text` as a value in a query.
    package static func encoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        return String(
            decoding: text.utf8.flatMap { byte -> [UInt8] in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                    UInt8(ascii: "/"):
                    [byte]
                default: [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
                }
            }, as: UTF8.self)
    }
}
