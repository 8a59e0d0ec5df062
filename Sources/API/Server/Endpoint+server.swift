internal import HTTP
internal import JSON
internal import Problems

extension Endpoint {
    /// Calls about the server itself.
    static let server: [Endpoint] = [
        Endpoint(
            operationID: "getLiveness", method: .get, path: "/livez", caller: .open,
            work: .resource(ServerResources.liveness),
            summary: "Check that the process answers",
            area: "Server", answer: .component(.liveness), isRateLimited: false),
        Endpoint(
            operationID: "getReadiness", method: .get, path: "/readyz", caller: .open,
            work: .resource(ServerResources.readiness),
            summary: "Check that the server is ready", details: "The answer also says how late the worker is.",
            area: "Server",
            answer: .component(.readiness), problems: [.unavailable]),
        Endpoint(
            operationID: "getOpenApiDocument", method: .get, path: "/openapi.json", caller: .open,
            work: .resource(ServerResources.openAPI),
            summary: "Get this document",
            area: "Server", answer: .component(.openAPIDocument)),
        Endpoint(
            operationID: "getReferencePage", method: .get, path: "/docs", caller: .open,
            work: .resource(ServerResources.reference),
            summary: "Show this document as a page",
            area: "Server", answer: .string(.anything, length: 0...10_000_000), answerType: .html),
    ]
}
