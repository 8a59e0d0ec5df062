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
            brand: tenant.brand.name, tenant: tenant.slug, person: nil, token: { "" }, newKey: { "" })
        visit.brandColor = tenant.brand.color
        visit.brandMark = tenant.brand.mark
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
            json.field("name", tenant.brand.name)
            json.field("short_name", tenant.brand.name)
            json.field("start_url", Site.home)
            json.field("scope", "/")
            json.field("display", "standalone")
            json.field("lang", words.language)
            json.field("dir", words.direction)
            json.field("background_color", "#ffffff")
            json.field("theme_color", tenant.brand.color?.text ?? "#0842a0")
            json.array("icons", Self.icons(of: tenant.brand)) { json, icon in
                json.object { json in
                    json.field("src", icon.path)
                    json.field("type", icon.type)
                    json.field("sizes", icon.sizes)
                    if icon.isMaskable { json.field("purpose", "any maskable") }
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

    /// An icon of a manifest.
    private struct Icon {
        let path: String
        let type: String
        let sizes: String
        /// Whether the picture fills its square with nothing but ground at its edges, so that a phone may cut it to its
        /// own shape.
        var isMaskable = false
    }

    /// The icons of a brand: its mark, or else Kith's own in its colour. Browsers install no app without an icon of 144
    /// pixels, so a smaller mark has Kith's pictures beside it.
    private static func icons(of brand: Brand) -> [Icon] {
        let own = [192, 512].map { side in
            Icon(path: Asset.icon(side).path, type: Asset.icon(side).type, sizes: "\(side)x\(side)", isMaskable: true)
        }
        guard let mark = brand.mark else {
            let drawing = brand.color.map(Asset.icon(of:)) ?? Asset.icon
            return [Icon(path: drawing.path, type: drawing.type, sizes: "any")] + own
        }
        let icon = Icon(path: mark.path, type: BrandMark.type, sizes: "\(mark.side)x\(mark.side)")
        return mark.side < 144 ? [icon] + own : [icon]
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
