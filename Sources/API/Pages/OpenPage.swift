internal import HTTP
internal import JSON
internal import Pages
internal import Problems
internal import Texts
internal import Web

/// The page behind the link of an e-mail about something that its reader answers in the app (E02), for devices on which
/// no app opens the link. It shows nothing about the notification and changes nothing, so a mail scanner that follows
/// the link does no harm.
struct OpenPage {
    /// The query parameters. `type` and `id` are for the app, and lead to the same place in the web client.
    static let parameters: [Argument] = [
        .query("type", .text(.line), "The type of what the notification is about."),
        .query("id", .text(.uuid), "Its id."),
        .query("t", .text(.line), "The tenant's slug, if the host belongs to no tenant."),
    ]

    /// Answers `GET /open`.
    static func answer(_ request: ResourceRequest, _ services: Services) async throws(Problem) -> HTTPResponse {
        let tenant = try await PageTenant.of(request.http, services.pool, publicURL: services.publicURL)
        let texts = await services.answerTexts.texts(for: request.http, tenant?.wording)
        return try OpenPage(request.http, tenant, texts).response()
    }

    private let tenant: PageTenant
    private let texts: Texts
    /// The page of the web client about the same.
    private let place: String

    /// Creates the page of a tenant.
    ///
    /// - Throws: ``Problem`` `not_found` without a tenant, or `tenant_suspended`.
    private init(_ request: HTTPRequest, _ tenant: PageTenant?, _ texts: Texts) throws(Problem) {
        guard let tenant else { throw PageTenant.unknown }
        guard !tenant.isSuspended else { throw Problem(.tenantSuspended) }
        self.tenant = tenant
        self.texts = texts
        place = Place.address(of: request.parameter("type") ?? "", request.parameter("id") ?? "")
    }

    private func response() -> HTTPResponse {
        let brand: [String: HTML] = ["brand": "\(tenant.brand.name)"]
        var body: HTML = """
            <h1>\(HTML(texts, "page.open_app", brand))</h1>
            <p>\(HTML(texts, "page.open.text", brand))</p>

            """
        if let link = tenant.appLink {
            body += "<a class=\"button\" href=\"\(link)\">\(HTML(texts, "page.get_app", brand))</a>\n"
        }
        let browser = SignInPage.address(next: place, tenant: tenant.slug)
        body += "<p><a href=\"\(browser)\">\(HTML(texts, "page.open.browser"))</a></p>\n"
        let title = texts("page.open_app", ["brand": .name(tenant.brand.name)])
        return Page(title: title, body: body, brand: tenant.brand, language: texts.language).response()
    }
}
