internal import HTTP
internal import JSON
internal import Problems

extension Endpoint {
    /// The secret keys with which a tenant's server calls.
    static let apiKeys: [Endpoint] = [
        Endpoint(
            operationID: "listApiKeys", method: .get, path: "/v1/tenant/api-keys", caller: .key(scope: .all),
            work: .procedure(.read("api.list_api_keys", .now)), summary: "List the tenant's secret keys",
            details: "The secrets themselves are not returned, and keys that were ended are left out.", area: "Tenant",
            answer: .list(of: .apiKey)),
        Endpoint(
            operationID: "createApiKey", method: .post, path: "/v1/tenant/api-keys", caller: .key(scope: .all),
            work: .procedure(.write("api.create_api_key", .body, .now)), summary: "Create a secret key",
            details:
                """
                The answer is the only one that has the key itself. Some scopes reach further than their calls. \
                users sets the contacts of users, and whoever reads what is sent there can sign in by a one-time \
                code; the contacts of a user who has verified one it changes only together with tokens. tokens is \
                every user. settings registers the keys of the identity provider, whose tokens are any user's, and \
                sets the channels, which carry one-time codes. webhooks receives all events. read sees all of these \
                but secrets.
                """,
            area: "Tenant",
            bound: "\(Bound.administration) 50 live keys.",
            body: .object([
                .init(
                    "name", .string(.line, length: 1...80), required: true, "What the key is for.", example: "Billing"),
                .init(
                    "scopes", .array(of: .component(.keyScope), count: 1...6), required: true,
                    """
                    What the key may do: users has everything under /v1/users and imports, tokens mints access \
                    tokens, settings has the settings, the keys of the identity provider and the channels, webhooks \
                    has the webhooks, read makes every GET except those of keys and of alarms, and all does \
                    everything.
                    """
                ),
                .init(
                    "expires_at", .nullable(.string(.instant)),
                    "When the key stops working, at most ten years ahead. It has no end by default.", example: .leftOut),
            ]),
            answer: .component(.newAPIKey), success: .created, answerHoldsSecret: true, repeatRight: .sight,
            problems: [.quotaExceeded]),
        Endpoint(
            operationID: "deleteApiKey", method: .delete, path: "/v1/tenant/api-keys/{id}", caller: .key(scope: .all),
            work: .procedure(.write("api.delete_api_key", .path("id", .uuid), .now)), summary: "End a secret key",
            details: "Within a minute, no server accepts it. A key cannot end itself.", area: "Tenant",
            bound: Bound.ending, success: .noContent, endedSignIns: .key, problems: [.notFound, .conflict]),
    ]
}
