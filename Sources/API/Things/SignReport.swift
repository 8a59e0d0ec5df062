internal import Crypto
internal import HTTP
internal import JSON
internal import Postgres
internal import Problems
internal import Requests

/// A report of a person's thing to its secret address (J04).
struct SignReport {
    static let path = "/s/{token}"

    /// The path's parameters.
    static let parameters: [Argument] = [.path("token", .opaque)]

    private static let report = ProcedureCall(
        "api.report_sign", ["integer", "bytea", "boolean", "timestamptz"], lane: .writes)

    /// Answers `POST /s/{token}`.
    ///
    /// - Throws: ``Problem`` `not_found` for an unknown or ended address, and `invalid_transition` for a stuck button.
    static func post(_ request: ResourceRequest, _ services: Services) async throws(Problem) -> HTTPResponse {
        try await answer(request, services, isGet: false)
    }

    /// Answers `GET /s/{token}`.
    ///
    /// - Throws: ``Problem`` `not_found` for an unknown or ended address, `invalid_transition` for a stuck button, and
    ///   `method_not_allowed` where the owner does not allow a GET, or for a HEAD, a prefetch, the preview of a link,
    ///   or
    ///   an image of a page, which nobody means as a report.
    static func get(_ request: ResourceRequest, _ services: Services) async throws(Problem) -> HTTPResponse {
        let use = request.http.header("Sec-Fetch-Dest") ?? "document"
        guard request.http.method == .get, !request.http.isSpeculative, !request.http.isByPreviewAgent,
            ["document", "empty"].contains(use)
        else { throw notByGet }
        return try await answer(request, services, isGet: true)
    }

    /// The hash of the token of the thing that reports; nil for another request, or for what cannot be a token.
    static func thing(_ match: RouteMatch<PreparedRoute>) -> [UInt8]? {
        guard case .found(let route, let parameters) = match, route.endpoint.isForThings else { return nil }
        return SignToken(parameters[0])?.hash
    }

    private static func answer(
        _ request: ResourceRequest, _ services: Services, isGet: Bool
    ) async throws(Problem) -> HTTPResponse {
        guard let token = SignToken(request.path[0]) else { throw Problem(.notFound) }
        let statements = Statements(
            pool: services.pool, client: Caller.strangers, request: request.http.id, transaction: nil)
        let facts: JSONDocument?
        do throws(Problem) {
            facts = try await statements.facts(
                report, as: nil,
                [.text(String(token.tenantID)), .bytea(token.hash), .bool(isGet), .instant(request.http.receivedAt)])
        } catch {
            if error.code == .notFound { services.shared.rates.learn(token.hash, exists: false) }
            throw error
        }
        services.shared.rates.learn(token.hash, exists: true)
        guard facts?.root["is_known"]?.boolean == true else { throw notByGet }
        // The person must not believe that this press counted.
        guard facts?.root["is_stuck"]?.boolean != true else { throw stuck }
        return HTTPResponse(
            .ok,
            headers: [
                "Content-Type": "\(MediaType.text.rawValue); charset=utf-8", "Cache-Control": "no-store",
                "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
                "X-Robots-Tag": "noindex, nofollow",
            ], body: Array("OK\n".utf8))
    }

    private static var stuck: Problem {
        // Not 429: a client that waits and repeats the report would check in somebody who is not there.
        Problem(
            .invalidTransition,
            """
            This button has reported more than twenty times without six hours of silence, so it counts as stuck: its \
            reports are no check-ins. Check in another way.
            """)
    }

    private static var notByGet: Problem {
        var problem = Problem(.methodNotAllowed, "This address takes a POST.")
        problem.allow = [.post]
        return problem
    }
}
