internal import HTTP

extension Endpoint {
    /// Webhooks, which send events to a tenant's server.
    static let webhooks: [Endpoint] = [
        Endpoint(
            method: .get, path: "/v1/tenant/webhooks", caller: .key(scope: "tenant"),
            work: .procedure(.read("api.list_webhooks")), summary: "List the endpoints for events", area: "Tenant",
            answer: .list(of: .webhook)),
        Endpoint(
            method: .post, path: "/v1/tenant/webhooks", caller: .key(scope: "tenant"), work: .handler(.addWebhook),
            summary:
                "Have events sent to an address: up to 100 a request, in order, at least once, signed as Standard Webhooks has it",
            area: "Tenant",
            body: .object([
                .init(
                    "url", .string(.line, length: 9...2000), required: true, "A URL that begins with https://.",
                    example: .text("https://api.example.com/kith")),
                .init(
                    "types", .array(of: .oneOf(EventType.selectable.map(\.rawValue)), count: 0...20),
                    "The event types to send. All types are sent if it is absent or empty."),
            ]),
            answer: .component(.newWebhook), success: .created, answerHoldsSecret: true, problems: [.quotaExceeded]),
        Endpoint(
            method: .delete, path: "/v1/tenant/webhooks/{id}", caller: .key(scope: "tenant"),
            work: .procedure(.write("api.delete_webhook", .path("id", .uuid), .now)),
            summary: "Send no more events to an endpoint", area: "Tenant", success: .noContent, problems: [.notFound]),
        Endpoint(
            method: .post, path: "/v1/tenant/webhooks/{id}/rotate", caller: .key(scope: "tenant"),
            work: .handler(.rotateWebhook, arguments: [.path("id", .uuid)]),
            summary: "Give an endpoint a new secret; requests are signed with the old one too for a day",
            area: "Tenant",
            answer: .component(.newWebhook), answerHoldsSecret: true, problems: [.notFound, .conflict]),
    ]
}
