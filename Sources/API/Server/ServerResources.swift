internal import HTTP
internal import OpenAPI
internal import Problems
internal import Synchronization

/// Facts about the server itself.
enum ServerResources {
    static func liveness(_: ResourceRequest, _: Services) async throws(Problem) -> HTTPResponse {
        Answer.jsonResponse(.ok, Array(#"{"status":"ok"}"#.utf8))
    }

    static func readiness(_: ResourceRequest, _ services: Services) async throws(Problem) -> HTTPResponse {
        try await services.readiness.response()
    }

    static func openAPI(_: ResourceRequest, _ services: Services) async throws(Problem) -> HTTPResponse {
        let version = services.version
        let text = documents.withLock { documents in
            let text = documents[version] ?? OpenAPIDocument.kith.text(version: version)
            documents[version] = text
            return text
        }
        return Answer.jsonResponse(.ok, text)
    }

    /// The OpenAPI document as JSON text, by the server's release. Made when it is first requested, because it takes
    /// some milliseconds.
    private static let documents = Mutex<[String: [UInt8]]>([:])

    static func reference(_: ResourceRequest, _: Services) async throws(Problem) -> HTTPResponse { referencePage }

    /// Made once, because it takes some milliseconds.
    private static let referencePage = ReferencePage(.kith).response()
}
