internal import HTTP
internal import JSON
internal import Problems

extension Endpoint {
    /// Webhooks, which send events to a tenant's server.
    static let webhooks: [Endpoint] = [
        Endpoint(
            operationID: "listWebhooks", method: .get, path: "/v1/tenant/webhooks", caller: .key(scope: .webhooks),
            work: .procedure(.read("api.list_webhooks")), summary: "List webhooks", area: "Tenant",
            answer: .list(of: .webhook)),
        Endpoint(
            operationID: "createWebhook", method: .post, path: "/v1/tenant/webhooks", caller: .key(scope: .webhooks),
            work: .handler(TenantWebhooks.add),
            summary: "Create a webhook",
            details:
                """
                Kith sends events to the URL: up to 100 in one request, in order, at least once, and signed \
                according to Standard Webhooks.
                """,
            area: "Tenant", bound: "\(Bound.administration) 10 webhooks.",
            body: .object([
                .init(
                    "url", .string(.line, length: 9...2000), required: true, "A URL that begins with https://.",
                    example: .text("https://api.example.com/kith")),
                .init(
                    "types", .array(of: .component(.eventType), count: 0...20),
                    "The event types to send. All types are sent if it is absent or empty."),
            ]),
            answer: .component(.newWebhook), success: .created, answerHoldsSecret: true, repeatRight: .sight,
            problems: [.quotaExceeded]),
        Endpoint(
            operationID: "deleteWebhook", method: .delete, path: "/v1/tenant/webhooks/{id}",
            caller: .key(scope: .webhooks),
            work: .procedure(.write("api.delete_webhook", .path("id", .uuid), .now)),
            summary: "Delete a webhook", area: "Tenant", bound: Bound.ending, success: .noContent, problems: [.notFound]
        ),
        Endpoint(
            operationID: "rotateWebhookSecret", method: .post, path: "/v1/tenant/webhooks/{id}/rotate",
            caller: .key(scope: .webhooks),
            work: .handler(TenantWebhooks.rotate, arguments: [.path("id", .uuid)]),
            summary: "Rotate a webhook's secret", details: "For one day, requests are also signed with the old secret.",
            area: "Tenant", bound: Bound.administration,
            answer: .component(.newWebhook), answerHoldsSecret: true, repeatRight: .sight,
            problems: [.notFound, .conflict]),
    ]
}
