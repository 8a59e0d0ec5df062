internal import HTTP
internal import OpenAPI
internal import Problems

/// Facts about the server itself.
enum ServerResources {
    static func liveness(_: ResourceRequest, _: Services) async throws(Problem) -> HTTPResponse {
        Answer.jsonResponse(.ok, Array(#"{"status":"ok"}"#.utf8))
    }

    static func readiness(_: ResourceRequest, _ services: Services) async throws(Problem) -> HTTPResponse {
        try await services.readiness.response()
    }

    static func openAPI(_: ResourceRequest, _ services: Services) async throws(Problem) -> HTTPResponse {
        Answer.jsonResponse(.ok, services.openAPI)
    }

    static func reference(_: ResourceRequest, _: Services) async throws(Problem) -> HTTPResponse { referencePage }

    /// Made once, because it takes some milliseconds.
    private static let referencePage = ReferencePage(.kith).response()
}
