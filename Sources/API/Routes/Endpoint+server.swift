internal import HTTP

extension Endpoint {
    /// Calls about the server itself.
    static let server: [Endpoint] = [
        Endpoint(
            operationID: "getLiveness", method: .get, path: "/livez", caller: .open, work: .liveness,
            summary: "Check that the process answers",
            area: "Server", answer: .component(.liveness)),
        Endpoint(
            operationID: "getReadiness", method: .get, path: "/readyz", caller: .open, work: .readiness,
            summary: "Check that the server is ready", details: "The answer also says how late the worker is.",
            area: "Server",
            answer: .component(.readiness), problems: [.unavailable]),
        Endpoint(
            operationID: "getOpenApiDocument", method: .get, path: "/openapi.json", caller: .open, work: .openAPI,
            summary: "Get this document",
            area: "Server", answer: .component(.openAPIDocument)),
        Endpoint(
            operationID: "getReferencePage", method: .get, path: "/docs", caller: .open, work: .reference,
            summary: "Show this document as a page",
            area: "Server", answer: .string(.anything, length: 0...10_000_000), answerType: .html),
    ]

    /// All served calls, in the order of the documentation.
    static let all: [Endpoint] =
        signIn + users + tenantChannels + webhooks + me + settings + breaks + connections + invitations + pings
        + events + vaults
        + documents
        + nominees
        + shares + transfers + messages + pages + server
}
