internal import HTTP
internal import Identity
internal import JSON
internal import Problems
internal import Requests

extension Endpoint {
    /// The keys of a tenant's own identity provider.
    static let jwtKeys: [Endpoint] = [
        Endpoint(
            operationID: "listJwtKeys", method: .get, path: "/v1/tenant/jwt-keys", caller: .key(scope: .settings),
            work: .procedure(.read("api.list_jwt_keys")), summary: "List the keys of the tenant's identity provider",
            area: "Tenant", answer: .list(of: .jwtKey)),
        Endpoint(
            operationID: "addJwtKeys", method: .post, path: "/v1/tenant/jwt-keys", caller: .key(scope: .settings),
            work: .handler(ProviderKeys.add),
            summary: "Add keys of the tenant's identity provider",
            details: "The identity provider can then sign access tokens. The body has one key in PEM, or a key set.",
            area: "Tenant", bound: "\(Bound.administration) 100 keys.",
            body: .object([
                .init(
                    "issuer", .string(.line, length: 1...500), required: true,
                    "The iss of the tokens. An issuer and audience together belong to one tenant only."),
                .init(
                    "audience", .string(.line, length: 1...500), required: true,
                    "The aud of the tokens, or one of its values."),
                .init("public_key", .string(.text, length: 1...10000), "A public key in PEM."),
                .init("kid", .string(.line, length: 1...200), "Required with public_key: the kid of the tokens."),
                .init(
                    "algorithm", .component(.publicKeyAlgorithm),
                    "Only with public_key. The default follows from the key."),
                .init(
                    "jwks", .component(.jwkSet),
                    "A key set (RFC 7517), instead of public_key. Keys for other uses than signing are ignored.",
                    example: .leftOut),
            ]),
            answer: .list(of: .jwtKey), success: .created, repeatRight: .sight, problems: [.conflict, .quotaExceeded]),
        Endpoint(
            operationID: "revokeJwtKey", method: .delete, path: "/v1/tenant/jwt-keys/{id}",
            caller: .key(scope: .settings),
            work: .procedure(.write("api.revoke_jwt_key", .path("id", .uuid), .now)),
            summary: "Revoke a key of the tenant's identity provider",
            details: "Within a minute, tokens signed with the key are no longer accepted.", area: "Tenant",
            bound: Bound.ending,
            success: .noContent,
            problems: [.notFound]),
    ]
}

extension ProviderKeys {
    /// Answers `POST /v1/tenant/jwt-keys`.
    static func add(_ request: HandledRequest, _ services: Services) async throws(Problem) -> HTTPResponse {
        try await ProviderKeys(statements: request.statements, masterKey: services.masterKey).add(request)
    }
}
