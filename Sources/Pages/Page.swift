package import HTTP
package import Problems
package import Texts

/// An HTML page without scripts. Its style sheet is inline, and it loads nothing but the mark of its tenant.
package struct Page {
    /// The path of the page that says whether the server watches.
    package static let statusPath = "/status"

    package var status: HTTPStatus = .ok
    package let title: String
    /// Additional content of the head.
    package var head: HTML = ""
    package let body: HTML
    /// The brand at the top of the page; nil for none.
    package let brand: Brand?
    /// The path of the icon that a page with a mark has in the tab; nil for the mark.
    package var tabIcon: String?
    package let style: PageStyle
    /// Whether the page has a form that submits to this server.
    package var hasForm = false
    /// The value of `Retry-After` in seconds.
    package var retryAfter: Int?
    /// The methods that the path allows, for a 405 page.
    package var allow: [HTTPMethod] = []
    /// The language of the page.
    package let language: TextLanguage

    /// Creates a page.
    package init(
        status: HTTPStatus = .ok, title: String, head: HTML = "", body: HTML, brand: Brand? = nil,
        tabIcon: String? = nil, style: PageStyle? = nil, hasForm: Bool = false, retryAfter: Int? = nil,
        allow: [HTTPMethod] = [],
        language: TextLanguage = Texts.english.language
    ) {
        self.language = language
        self.status = status
        self.title = title
        self.head = head
        self.body = body
        self.brand = brand
        self.tabIcon = tabIcon
        self.style = style ?? .plain(brand?.color)
        self.hasForm = hasForm
        self.retryAfter = retryAfter
        self.allow = allow
    }

    /// Where pictures may be loaded, a browser would ask for an icon that does not exist.
    private var icon: HTML {
        guard let mark = brand?.mark else { return "" }
        return "<link rel=\"icon\" href=\"\(tabIcon ?? mark.path)\">\n"
    }

    package func response() -> HTTPResponse {
        let page: HTML = """
            <!doctype html>
            <html lang="\(language.tag)" dir="\(language.direction.rawValue)">
            <head>
            <meta charset="utf-8">
            <title>\(title)</title>
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <meta name="format-detection" content="telephone=no">
            \(icon)\(head)<style>\(style.sheet)</style>
            </head>
            <body>
            <main>
            \(brand?.line ?? "")\(body)
            </main>
            </body>
            </html>

            """
        var headers: HTTPHeaders = [
            "Content-Type": "\(MediaType.html.rawValue); charset=utf-8",
            // Allows the style sheet by its hash and the mark, and nothing else: no script, no form to another site, no
            // frame around the page.
            "Content-Security-Policy": """
            default-src 'none'; style-src '\(style.source)';\(brand?.mark == nil ? "" : " img-src 'self';") base-uri 'none'; \
            form-action '\(hasForm ? "self" : "none")'; \
            frame-ancestors 'none'
            """,
            "X-Content-Type-Options": "nosniff",
            // URLs of pages contain codes and tokens, which must not reach other sites or search engines.
            "Referrer-Policy": "no-referrer",
            "X-Robots-Tag": "noindex, nofollow",
            "Cache-Control": "no-store",
            "Content-Language": language.tag,
            "Vary": "Accept-Language",
        ]
        if let retryAfter { headers.add("Retry-After", String(retryAfter)) }
        if !allow.isEmpty { headers.add("Allow", allow.map(\.rawValue).joined(separator: ", ")) }
        return HTTPResponse(status, headers: headers, body: Array(page.text.utf8))
    }
}

extension Page {
    /// A page that shows a problem to a person. `first` stands above it.
    package init(_ problem: Problem, _ texts: Texts = .english, first: HTML = "") {
        let (title, detail) = problem.words(forPerson: texts)
        let wayOn: HTML =
            switch problem.code {
            // Whoever is signed in is led on from there.
            case .notFound: "\n<p><a href=\"/\">\(texts("web.problem.first_page"))</a></p>"
            case .unavailable: "\n<p><a href=\"\(Self.statusPath)\">\(texts("page.status.link"))</a></p>"
            default: ""
            }
        self.init(
            status: problem.code.entry.status, title: title,
            body: "\(first)<h1>\(title)</h1>\n<p>\(detail)</p>\(wayOn)",
            retryAfter: problem.retryAfter, allow: problem.allow, language: texts.language)
    }
}
