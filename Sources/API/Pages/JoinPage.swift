internal import HTTP
internal import JSON
internal import Pages
internal import Problems

/// The page behind an invitation's link, for people who do not have the app yet (P18). It shows the link's code without looking it up:
/// nobody learns whether the code exists, and nothing counts as an attempt. A tenant can have it lead to the app's link at once (P38).
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
        return try JoinPage(request.http, tenant).response()
    }

    private let tenant: PageTenant
    private let code: String?
    private let host: String?

    /// Creates the page of a tenant.
    ///
    /// - Throws: ``Problem`` `not_found` without a tenant, or `tenant_suspended`.
    init(_ request: HTTPRequest, _ tenant: PageTenant?) throws(Problem) {
        guard let tenant else { throw Problem(.notFound, "There is no such page. Is the link complete?") }
        guard !tenant.isSuspended else { throw Problem(.tenantSuspended) }
        self.tenant = tenant
        code = Self.code(of: request)
        host = PageTenant.host(of: request)
    }

    /// The code in the request's query, if it is six digits.
    static func code(of request: HTTPRequest) -> String? {
        request.parameter("code").flatMap { TextFormat.code.accepts($0) ? $0 : nil }
    }

    func response() -> HTTPResponse {
        let brand = tenant.brandName
        var body: HTML = """
            <p class="brand">\(brand)</p>
            <h1>You’re invited to \(brand)</h1>
            <p>Someone wants to connect with you on \(brand): one “I’m safe” a day, so that nobody has to wonder.</p>
            <section class="panel" aria-labelledby="code">
            <h2 id="code">Your code</h2>

            """
        if let code {
            var digits: HTML = ""
            for digit in code { digits += "<span>\(String(digit))</span>" }
            body += "<p class=\"code\">\(digits)</p>\n"
        } else {
            body += "<p>Ask the person who invited you for their code of six digits.</p>\n"
        }
        body += """
            </section>
            <ol>
            <li>Install \(brand) on your phone\(tenant.appLink == nil ? ", from its app store" : "").</li>
            <li>Sign in.</li>
            <li>Enter the code.</li>
            </ol>

            """
        if let link = tenant.appLink { body += "<a class=\"button\" href=\"\(link)\">Get \(brand)</a>\n" }
        // A phone opens the app only for links to another host. A link to this host would lead to this page again.
        if host != Self.host(of: tenant.joinURL) {
            body += "<p>You have the app? <a href=\"\(tenant.joinURL)\">Open \(brand)</a></p>\n"
        }
        body +=
            "<p class=\"quiet\">Enter a code only if you know who sent it.</p>"
        return Page(title: "Join \(brand)", head: banner, body: body).response()
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
