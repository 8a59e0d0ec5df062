internal import HTTP
internal import JSON
internal import Pages
internal import Problems
internal import Texts
internal import Web

/// The page behind an invitation's link, for people who do not have the app yet (P18). It shows the link's code without
/// looking it up: nobody learns whether the code exists, and nothing counts as an attempt. A tenant can have it lead to
/// the app's link at once (P38).
struct JoinPage {
    /// The query parameters.
    static let parameters: [Argument] = [
        .query("code", .text(.code), "The code to show."),
        .query("t", .text(.line), "The tenant's slug, if the host belongs to no tenant."),
    ]

    /// Answers `GET /join`.
    static func answer(_ request: ResourceRequest, _ services: Services) async throws(Problem) -> HTTPResponse {
        let tenant = try await PageTenant.of(request.http, services.pool, publicURL: services.publicURL)
        if let address = tenant?.redirectURL {
            return HTTPResponse(.found, headers: ["Location": address, "Cache-Control": "no-store"])
        }
        let texts = await services.answerTexts.texts(for: request.http, tenant?.wording)
        return try JoinPage(request.http, tenant, texts).response()
    }

    private let tenant: PageTenant
    private let code: String?
    private let host: String?
    private let texts: Texts

    /// Creates the page of a tenant.
    ///
    /// - Throws: ``Problem`` `not_found` without a tenant, or `tenant_suspended`.
    init(_ request: HTTPRequest, _ tenant: PageTenant?, _ texts: Texts) throws(Problem) {
        guard let tenant else { throw PageTenant.unknown }
        guard !tenant.isSuspended else { throw Problem(.tenantSuspended) }
        self.tenant = tenant
        self.texts = texts
        code = Self.code(of: request)
        host = PageTenant.host(of: request)
    }

    /// The code in the request's query, if it is six digits.
    static func code(of request: HTTPRequest) -> String? {
        request.parameter("code").flatMap { TextFormat.code.accepts($0) ? $0 : nil }
    }

    func response() -> HTTPResponse {
        let brand: [String: HTML] = ["brand": "\(tenant.brand.name)"]
        var body: HTML = """
            <h1>\(HTML(texts, "page.join.heading", brand))</h1>
            <p>\(HTML(texts, "page.join.intro", brand))</p>
            <section class="panel" aria-labelledby="code">
            <h2 id="code">\(HTML(texts, "page.join.code"))</h2>

            """
        if let code {
            var digits: HTML = ""
            for digit in code { digits += "<span>\(String(digit))</span>" }
            body += "<p class=\"code\">\(digits)</p>\n"
        } else {
            body += "<p>\(HTML(texts, "page.join.no_code"))</p>\n"
        }
        let install = tenant.appLink == nil ? "page.join.step.install_from_store" : "page.join.step.install"
        body += """
            </section>
            <ol>
            <li>\(HTML(texts, install, brand))</li>
            <li>\(HTML(texts, "page.join.step.sign_in"))</li>
            <li>\(HTML(texts, "page.join.step.code"))</li>
            </ol>

            """
        if let link = tenant.appLink {
            body += "<a class=\"button\" href=\"\(link)\">\(HTML(texts, "page.get_app", brand))</a>\n"
        }
        // A phone opens the app only for links to another host. A link to this host would lead to this page again.
        if host != Self.host(of: tenant.joinURL) {
            let link: HTML = "<a href=\"\(tenant.joinURL)\">\(HTML(texts, "page.open_app", brand))</a>"
            body += "<p>\(HTML(texts, "page.join.have_app", ["link": link]))</p>\n"
        }
        let connect = code.map { "\(ConnectScreen.path)?code=\($0)" } ?? ConnectScreen.path
        let browser = SignInPage.address(next: connect, tenant: tenant.slug)
        body += "<p><a href=\"\(browser)\">\(HTML(texts, "page.join.browser"))</a></p>\n"
        body += "<p class=\"quiet\">\(HTML(texts, "page.join.caution"))</p>"
        let title = texts("page.join.title", ["brand": .name(tenant.brand.name)])
        return Page(
            title: title, head: banner, body: body, brand: tenant.brand, language: texts.language
        ).response()
    }

    /// Safari's banner that opens the app, for apps in the App Store.
    private var banner: HTML {
        guard let link = tenant.appLink, Self.host(of: link) == "apps.apple.com",
            let id = link.split(whereSeparator: { "/?#".contains($0) }).first(where: Self.isStoreID)?.dropFirst(2)
        else { return "" }
        let content = "app-id=\(id), app-argument=\(tenant.joinURL)"
        return "<meta name=\"apple-itunes-app\" content=\"\(content)\">\n"
    }

    private static func isStoreID(_ segment: Substring) -> Bool {
        segment.count > 2 && segment.hasPrefix("id") && segment.dropFirst(2).utf8.allSatisfy { (48...57).contains($0) }
    }

    /// The host of a URL that the tenant has set.
    private static func host(of address: String) -> String? {
        guard let start = address.firstRange(of: "://")?.upperBound else { return nil }
        return address[start...].prefix { !"/?#:".contains($0) }.lowercased()
    }
}
