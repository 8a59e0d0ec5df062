internal import HTTP
internal import Identity
internal import Pages
internal import Postgres
internal import Problems
internal import Requests

/// Serves the mark of a tenant, which anybody may see. It is read anew for each request and kept by browsers alone: a
/// cache would hold the pictures of many tenants, which each browser asks for once.
enum BrandMarkFile {
    /// Answers the request for a mark. A page that was made before the picture changed gets the present one,
    /// marked so that no cache keeps it under the former address.
    ///
    /// - Throws: ``Problem`` `not_found` for a tenant without a mark and on the host of another tenant, or
    ///   `unavailable`.
    static func answer(_ request: HTTPRequest, _ mark: BrandMark, _ pool: PostgresPool) async throws(Problem)
        -> HTTPResponse
    {
        let values = [PageTenant.host(of: request).map(PostgresValue.text) ?? .null, .text(mark.tenant)]
        let result: PostgresResult
        do throws(PostgresError) {
            result = try await pool.query(statement, values, client: Caller.strangers)
        } catch {
            throw Problem(error)
        }
        guard result.rowCount > 0, let path = result.string(0, 0), let picture = result.bytes(0, 1) else {
            throw .unknownPath
        }
        return HTTPResponse(
            .ok,
            headers: [
                "Content-Type": BrandMark.type, "X-Content-Type-Options": "nosniff",
                // A browser that shows the picture alone gives it no rights of a page of this site.
                "Content-Security-Policy": "sandbox; default-src 'none'",
                "Cache-Control": path == mark.path ? "public, max-age=31536000, immutable" : "no-store",
            ], body: picture)
    }

    private static let statement = PostgresStatement(
        name: "brand_mark", sql: "select path, picture from api.brand_mark($1::text, $2::text)", hasBinaryResults: true)
}
