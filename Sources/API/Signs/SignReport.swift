internal import Crypto
internal import HTTP
internal import JSON
internal import Postgres
internal import Problems
internal import Requests

/// A report of a person's thing to its secret address (J04).
struct SignReport {
    /// The path's parameters.
    static let parameters: [Argument] = [.path("token", .opaque)]

    private static let report = ProcedureCall(
        "api.report_sign", ["integer", "bytea", "boolean", "timestamptz"], lane: .writes)

    /// Answers `POST /s/{token}`.
    ///
    /// - Throws: ``Problem`` `not_found` for an unknown or ended address.
    static func post(_ request: ResourceRequest, _ services: Services) async throws(Problem) -> HTTPResponse {
        try await answer(request, services, isGet: false)
    }

    /// Answers `GET /s/{token}`.
    ///
    /// - Throws: ``Problem`` `not_found` for an unknown or ended address, and `method_not_allowed` where the owner does not allow a GET, or
    ///   for a HEAD or a prefetch, which nobody means as a report.
    static func get(_ request: ResourceRequest, _ services: Services) async throws(Problem) -> HTTPResponse {
        guard request.http.method == .get, !isPrefetch(request.http) else { throw notByGet }
        return try await answer(request, services, isGet: true)
    }

    private static func answer(
        _ request: ResourceRequest, _ services: Services, isGet: Bool
    ) async throws(Problem) -> HTTPResponse {
        guard let token = SignToken(request.path[0]) else { throw Problem(.notFound) }
        let now = request.http.receivedAt
        let name = MergedReports.Name(hash: token.hash, isGet: isGet)
        if !services.shared.reports.isMerged(name, at: now) {
            let statements = Statements(
                pool: services.pool, client: Caller.strangers, request: request.http.id, transaction: nil)
            let facts = try await statements.facts(
                report, as: nil, [.text(String(token.tenantID)), .bytea(token.hash), .bool(isGet), .instant(now)])
            guard let seconds = facts?.root["merged_seconds"]?.integer else { throw notByGet }
            services.shared.reports.merge(name, for: seconds, at: now)
        }
        return HTTPResponse(
            .ok,
            headers: [
                "Content-Type": "\(MediaType.text.rawValue); charset=utf-8", "Cache-Control": "no-store",
                "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
                "X-Robots-Tag": "noindex, nofollow",
            ], body: Array("OK\n".utf8))
    }

    /// Whether a browser only loads the address in advance (Fetch Standard, `Sec-Purpose`).
    private static func isPrefetch(_ request: HTTPRequest) -> Bool {
        (request.header("Sec-Purpose") ?? request.header("Purpose"))?.lowercased().contains("prefetch") ?? false
    }

    private static var notByGet: Problem {
        var problem = Problem(.methodNotAllowed, "This address takes a POST.")
        problem.allow = [.post]
        return problem
    }
}
