internal import HTTP
internal import JSON
internal import Postgres
internal import Problems

/// Lets scripts from a tenant's web origins call the API from a browser (Fetch Standard, "CORS protocol").
///
/// Browsers send no credentials to this API on their own, so an allowed origin gains nothing without a token. The check
/// keeps answers from the scripts of pages that are not the tenant's.
///
/// Confined to the event loop's thread: only that loop's API server uses it.
final class CrossOrigin {
    private static let requestHeaders = [
        "Authorization", "Content-Type", "Idempotency-Key", "If-Match", "If-None-Match", "If-Range", "Last-Event-ID",
        "Range",
        "X-Kith-Tenant", "X-Request-Id",
    ].joined(separator: ", ")
    private static let responseHeaders = [
        "Accept-Ranges", "Content-Disposition", "Content-Range", "ETag", "Idempotent-Replayed", "Retry-After",
        "X-Request-Id",
    ].joined(separator: ", ")

    private let pool: PostgresPool
    private var origins = AllowedOrigins()

    init(pool: PostgresPool) {
        self.pool = pool
    }

    /// Answers a preflight request for a path with `methods`.
    ///
    /// - Throws: ``Problem`` `forbidden` for an origin that no tenant allows, or `method_not_allowed` if `request` is
    ///   not a preflight request.
    func preflight(_ request: HTTPRequest, methods: [HTTPMethod]) async throws(Problem) -> HTTPResponse {
        guard request.method == .options, request.header("Access-Control-Request-Method") != nil,
            let origin = request.header("Origin")
        else { throw .methodNotAllowed(methods) }
        guard try await isAllowed(origin, by: nil, at: request.receivedAt) else {
            throw Problem(.forbidden, "No tenant allows requests from the origin of this page.")
        }
        return HTTPResponse(
            .noContent,
            headers: [
                "Access-Control-Allow-Methods": methods.map(\.rawValue).joined(separator: ", "),
                "Access-Control-Allow-Headers": Self.requestHeaders,
                "Access-Control-Max-Age": String(AllowedOrigins.life),
            ])
    }

    /// Adds the headers that let the requesting page read the response, if the tenant allows the page's origin. While
    /// the tenant is unknown, any tenant's permission is enough.
    func open(_ response: inout HTTPResponse, to request: HTTPRequest, tenantID: Int?) async {
        guard let origin = request.header("Origin") else { return }
        response.headers.add("Vary", "Origin")
        // If the database cannot be reached, the response already says so.
        guard (try? await isAllowed(origin, by: tenantID, at: request.receivedAt)) == true else { return }
        response.headers.add("Access-Control-Allow-Origin", origin)
        response.headers.add("Access-Control-Expose-Headers", Self.responseHeaders)
    }

    private func isAllowed(_ origin: String, by tenantID: Int?, at now: Int64) async throws(Problem) -> Bool {
        if origins.mustBeRead(for: origin, by: tenantID, at: now) { try await read(at: now) }
        return origins.allow(origin, by: tenantID)
    }

    private func read(at now: Int64) async throws(Problem) {
        // Other requests continue with the known origins meanwhile, and so do all of them if the database cannot be
        // reached.
        let isFirst = origins.readAt == nil
        if !isFirst { origins.readAt = now }
        let began = ContinuousClock.now
        do throws(PostgresError) {
            guard let answer = try await pool.query(Self.statement, []).bytes(0, 0) else { return }
            origins.take((try? JSONDocument(answer))?.root, took: ContinuousClock.now - began)
            origins.readAt = now
        } catch {
            if isFirst { throw Problem(error) }
        }
    }

    private static let statement = PostgresStatement(name: "allowed_origins", sql: "select api.allowed_origins()")
}
