internal import HTTP
internal import JSON
internal import Pages
internal import Problems

/// The page behind the link of an e-mail about something that its reader answers in the app (E02), for devices on which
/// no app opens the link. It shows nothing about the notification and changes nothing, so a mail scanner that follows
/// the link does no harm.
struct OpenPage {
    /// The query parameters. Only the app reads `type` and `id`.
    static let parameters: [Argument] = [
        .query("type", .text(.line), "The type of what the notification is about."),
        .query("id", .text(.uuid), "Its id."),
        .query("t", .text(.line), "The tenant's slug, if the host belongs to no tenant."),
    ]

    /// Answers `GET /open`.
    static func answer(_ request: ResourceRequest, _ services: Services) async throws(Problem) -> HTTPResponse {
        let tenant = try await PageTenant.of(request.http, services.pool, publicURL: services.publicURL)
        return try OpenPage(tenant).response()
    }

    private let tenant: PageTenant

    /// Creates the page of a tenant.
    ///
    /// - Throws: ``Problem`` `not_found` without a tenant, or `tenant_suspended`.
    private init(_ tenant: PageTenant?) throws(Problem) {
        guard let tenant else { throw Problem(.notFound, "There is no such page. Is the link complete?") }
        guard !tenant.isSuspended else { throw Problem(.tenantSuspended) }
        self.tenant = tenant
    }

    private func response() -> HTTPResponse {
        let brand = tenant.brandName
        var body: HTML = """
            <p class="brand">\(brand)</p>
            <h1>Open \(brand)</h1>
            <p>Open \(brand) on your phone and sign in. What we wrote to you about is there, and you can answer it.</p>

            """
        if let link = tenant.appLink { body += "<a class=\"button\" href=\"\(link)\">Get \(brand)</a>\n" }
        return Page(title: "Open \(brand)", body: body).response()
    }
}
