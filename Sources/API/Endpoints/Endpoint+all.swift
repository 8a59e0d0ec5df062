internal import OpenAPI

extension Endpoint {
    /// All that is served: the calls and the pages of the web client.
    static let served = all + site

    /// All calls, in the order of the documentation.
    static let all: [Endpoint] = [
        signIn, jwtKeys, users, apiKeys, imports, tenantChannels, tenantTexts, webhooks, home, me, settings, breaks,
        connections, invitations, pings, signs, alarms, desk, notifications, events, vaults, documents, nominees,
        shares, transfers,
        emergency, messages, feedback, pages, server,
    ].flatMap(\.self)
}

extension OpenAPIDocument {
    /// The document of all served calls.
    static let kith = OpenAPIDocument(operations: Endpoint.all.map(\.operation), webhookBatch: .webhookBatch)
}
