internal import HTTP
internal import JSON
internal import Problems

/// Tells Apple's devices which apps open the links of a host (Apple, "Supporting associated domains").
enum AppSiteAssociation {
    /// The paths that the apps open: the join page, invitations by token, and what an e-mail is about.
    private static let paths = ["/join", "/i/*", "/open"]

    /// Answers `GET /.well-known/apple-app-site-association`.
    static func answer(_ request: ResourceRequest, _ services: Services) async throws(Problem) -> HTTPResponse {
        try response(of: await PageTenant.of(request.http, services.pool, publicURL: services.publicURL))
    }

    /// The file for a tenant.
    ///
    /// - Throws: ``Problem`` `not_found` if there is no tenant, or if it has no apps.
    private static func response(of tenant: PageTenant?) throws(Problem) -> HTTPResponse {
        guard let tenant, !tenant.appIDs.isEmpty else { throw Problem(.notFound) }
        var json = JSONWriter()
        json.object { json in
            json.object("applinks") { json in
                json.array("details", [tenant.appIDs]) { json, apps in
                    json.object { json in
                        json.array("appIDs", apps) { $0.string($1) }
                        json.array("components", paths) { json, path in json.object { $0.field("/", path) } }
                    }
                }
            }
            json.object("webcredentials") { json in json.array("apps", tenant.appIDs) { $0.string($1) } }
        }
        return HTTPResponse(
            .ok, headers: ["Content-Type": "application/json", "Cache-Control": "public, max-age=3600"],
            body: json.bytes)
    }
}
