internal import HTTP
internal import JSON
internal import KithCountries
internal import Pages
internal import Problems
internal import Texts
internal import Web

/// The files that a browser caches so that the site opens without a network. They are the same for everybody with the
/// same tenant, language and emergency number, which are in the address as `t`, `l` and `e`.
struct OfflineFiles {
    private let services: Services
    private let request: HTTPRequest

    init(_ services: Services, _ request: HTTPRequest) {
        self.services = services
        self.request = request
    }

    /// The service worker. Browsers do not cache it, so that they notice a new version.
    static let worker = HTTPResponse(
        .ok,
        headers: [
            "Content-Type": Asset.worker.type, "X-Content-Type-Options": "nosniff", "Cache-Control": "no-cache",
            // The worker loads modules and reads the session. It creates no elements from strings.
            "Content-Security-Policy": "default-src 'none'; script-src 'self'; connect-src 'self'",
        ], body: Asset.worker.content)

    /// The page that is shown without a network.
    func page() async throws(Problem) -> HTTPResponse {
        let tenant = try await tenant()
        let words = await words(of: tenant)
        var visit = Visit(
            path: OfflinePage.path, parameters: [], query: FormFields(), now: request.receivedAt, words: words,
            brand: tenant.brandName, tenant: tenant.slug, person: nil, token: { "" }, newKey: { "" })
        visit.brandColor = tenant.brandColor
        visit.isOffline = true
        visit.offlineNumber = request.parameter("e").flatMap(EmergencyNumber.known)
        return Layout(visit).response(OfflinePage.page(visit))
    }

    /// The manifest of the tenant's app (W3C Web Application Manifest).
    func manifest() async throws(Problem) -> HTTPResponse {
        let tenant = try await tenant()
        let words = await words(of: tenant)
        var json = JSONWriter()
        json.object { json in
            json.field("id", "/")
            json.field("name", tenant.brandName)
            json.field("short_name", tenant.brandName)
            json.field("start_url", Site.home)
            json.field("scope", "/")
            json.field("display", "standalone")
            json.field("lang", words.language)
            json.field("dir", words.direction)
            json.field("background_color", "#ffffff")
            json.field("theme_color", tenant.brandColor?.text ?? "#0842a0")
            let icons = [
                (tenant.brandColor.map(Asset.icon(of:)) ?? Asset.icon, "any"), (Asset.icon(192), "192x192"),
                (Asset.icon(512), "512x512"),
            ]
            json.array("icons", icons) { json, icon in
                json.object { json in
                    json.field("src", icon.0.path)
                    json.field("type", icon.0.type)
                    json.field("sizes", icon.1)
                    // The pictures fill their square, so that a phone may cut them to its own shape.
                    if icon.0.type == "image/png" { json.field("purpose", "any maskable") }
                }
            }
        }
        return HTTPResponse(
            .ok,
            headers: [
                "Content-Type": "application/manifest+json", "Cache-Control": "public, max-age=3600",
                "X-Content-Type-Options": "nosniff",
            ], body: json.bytes)
    }

    private func words(of tenant: PageTenant) async -> Words {
        let texts = await services.answerTexts.pageTexts(tenant.wording)
        return Words(
            texts.texts(in: request.parameter("l"), else: request), timeZone: "UTC", now: request.receivedAt)
    }

    private func tenant() async throws(Problem) -> PageTenant {
        guard let tenant = try await PageTenant.of(request, services.pool, publicURL: services.publicURL) else {
            throw .unknownPath
        }
        return tenant
    }
}
