internal import HTTP

/// A page that a browser shows by itself: no script, one style sheet inside, nothing loaded from anywhere.
struct Page {
    var status: HTTPStatus = .ok
    let title: String
    /// What goes into the head besides.
    var head: HTML = ""
    let body: HTML
    var style = PageStyle.plain
    /// Whether there is a form in it, which comes back here.
    var hasForm = false
    /// Seconds after which trying again makes sense.
    var retryAfter: Int?
    /// The methods that the address takes, where the page says that it does not take this one.
    var allow: [HTTPMethod] = []

    func response() -> HTTPResponse {
        let page: HTML = """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <title>\(title)</title>
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <meta name="format-detection" content="telephone=no">
            \(head)<style>\(style.sheet)</style>
            </head>
            <body>
            <main>
            \(body)
            </main>
            </body>
            </html>

            """
        var headers: HTTPHeaders = [
            "Content-Type": "\(MediaType.html.rawValue); charset=utf-8",
            // The style sheet by its hash, and nothing else: no script, no form that goes elsewhere, no frame around it.
            "Content-Security-Policy": """
            default-src 'none'; style-src '\(style.source)'; base-uri 'none'; \
            form-action '\(hasForm ? "self" : "none")'; \
            frame-ancestors 'none'
            """,
            "X-Content-Type-Options": "nosniff",
            // Addresses of pages hold codes and tokens: they are for nobody else, and for no search engine.
            "Referrer-Policy": "no-referrer",
            "X-Robots-Tag": "noindex, nofollow",
            "Cache-Control": "no-store",
        ]
        if let retryAfter { headers.add("Retry-After", String(retryAfter)) }
        if !allow.isEmpty { headers.add("Allow", allow.map(\.rawValue).joined(separator: ", ")) }
        return HTTPResponse(status, headers: headers, body: Array(page.text.utf8))
    }
}

extension Page {
    /// A refusal for a person to read.
    init(_ problem: Problem) {
        let entry = problem.code.entry
        self.init(
            status: entry.status, title: entry.title,
            body: "<h1>\(entry.title)</h1>\n<p>\(problem.detailForPerson ?? problem.detail ?? entry.detail)</p>",
            retryAfter: problem.retryAfter, allow: problem.allow)
    }
}
