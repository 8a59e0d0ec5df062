internal import Pages
internal import Texts

/// The page of a link by which the tenant's server signs somebody in. It shows whom, and signs in when the person
/// confirms: somebody else may have sent them the link.
package struct SignInLinkPage {
    /// The path of the page, up to the link's token.
    package static let path = "/sign-in/link/"

    private let visit: Visit
    private var words: Words { visit.words }

    package init(_ visit: Visit) {
        self.visit = visit
    }

    /// The address of the page of the link with a token. `tenant` is the slug of a tenant without a host of its own.
    package static func address(_ token: String, next: String?, tenant: String?) -> String {
        var query: [String] = []
        if let next { query.append("next=\(APICall.segment(next))") }
        if let tenant { query.append("t=\(APICall.segment(tenant))") }
        return path + token + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
    }

    /// The page that asks whether to continue as the person of that name. `next` is the page after the sign-in, and
    /// `replaces` says that somebody else is signed in.
    package func question(name: String?, next: String?, replaces: Bool) -> ScreenPage {
        let heading = name.map { words("web.link_in.heading", ["name": .name($0)]) } ?? words("web.sign_in.heading")
        let label = name.map { words("web.link_in.continue", ["name": .name($0)]) } ?? words("web.sign_in.sign_in")
        var carried: HTML = ""
        if let next { carried += visit.hidden("next", next) }
        if let tenant = visit.tenant { carried += visit.hidden("t", tenant) }
        let warning: HTML = replaces ? "<p class=\"panel warn\">\(words("web.link_in.replaces"))</p>\n" : ""
        return ScreenPage(
            title: heading,
            body: """
                <h1>\(heading)</h1>
                <p class="lead">\(words("web.link_in.text"))</p>
                \(warning)<form method="post" action="\(visit.path)">
                <input type="hidden" name="\(FormFields.token)" value="\(visit.token())">
                \(carried)\(visit.button("continue", label, .main))
                </form>

                """)
    }

    /// The page of a link that is good for nothing any more.
    package func expired(next: String?, ownSignIn: String?) -> ScreenPage {
        let heading = words("web.link_in.expired")
        var ways: HTML = ""
        if let ownSignIn {
            ways += """
                <p><a class="button" href="\(SignInPage.ownAddress(ownSignIn, next: next))" rel="noreferrer">\
                \(words("web.sign_in.own", ["brand": .name(visit.brand)]))</a></p>

                """
        }
        return ScreenPage(
            title: heading,
            body: """
                <h1>\(heading)</h1>
                <p>\(words("web.link_in.expired_text"))</p>
                \(ways)<p><a class="inline" href="\(SignInPage.address(next: next, tenant: visit.tenant))">\
                \(words("web.link_in.by_code"))</a></p>

                """)
    }
}
