internal import HTTP

extension Endpoint {
    /// Calls about the server itself.
    static let server: [Endpoint] = [
        Endpoint(
            method: .get, path: "/livez", caller: .open, work: .liveness, summary: "Whether the process answers",
            area: "Server", answer: .object([.init("status", .oneOf(["ok"]), required: true)])),
        Endpoint(
            method: .get, path: "/readyz", caller: .open, work: .readiness,
            summary: "Whether requests can be served, and how late the worker is", area: "Server",
            answer: .component(.readiness), problems: [.unavailable]),
        Endpoint(
            method: .get, path: "/openapi.json", caller: .open, work: .openAPI, summary: "This document",
            area: "Server", answer: .anyObject),
        Endpoint(
            method: .get, path: "/docs", caller: .open, work: .reference, summary: "This document, to read",
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
