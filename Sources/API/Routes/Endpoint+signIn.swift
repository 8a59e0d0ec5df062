internal import Crypto
internal import HTTP

extension Endpoint {
    /// Signing in by one-time code, and the keys of a tenant's own identity provider.
    static let signIn: [Endpoint] = [
        Endpoint(
            operationID: "requestOneTimeCode", method: .post, path: "/v1/auth/otp", caller: .tenant,
            work: .handler(.requestCode),
            summary: "Request a one-time code",
            details:
                "Kith sends the code by SMS or e-mail. The answer is the same whether or not the address belongs to an account.",
            area: "Sign-in",
            body: .object([
                phone, email,
                .init(
                    "refresh_token", .string(.line, length: 1...200),
                    "The newest refresh token of this device's last sign-in to the same account, if it has one. Other people's requests then do not count towards its limits. The code can only be used with its challenge_id.",
                    example: .leftOut),
            ]),
            answer: .component(.oneTimeCodeChallenge), success: .accepted, problems: [.notFound]),
        Endpoint(
            operationID: "signIn", method: .post, path: "/v1/auth/otp/verify", caller: .tenant, work: .handler(.signIn),
            summary: "Sign in with a one-time code", area: "Sign-in",
            body: .object([
                phone, email, code,
                .init(
                    "challenge_id", .string(.uuid),
                    "The challenge_id that the request for the code answered. With it, nobody else can use up the code's five attempts. Without it, all wrong attempts for the address count together, up to ten per hour.",
                    example: .leftOut),
            ]),
            answer: .component(.signIn), problems: [.otpInvalid, .notFound, .quotaExceeded]),
        Endpoint(
            operationID: "refreshTokens", method: .post, path: "/v1/auth/refresh", caller: .open,
            work: .handler(.refresh),
            summary: "Exchange a refresh token for new tokens",
            details: "The answer has a new refresh token and a new access token.", area: "Sign-in",
            body: .object([.init("refresh_token", .string(.line, length: 1...200), required: true)]),
            answer: .component(.signIn), problems: [.unauthenticated]),
        Endpoint(
            operationID: "signOut", method: .post, path: "/v1/auth/sign-out", caller: .user, work: .handler(.signOut),
            summary: "Sign out",
            details:
                "Ends the sign-in of the access token, or every sign-in with everywhere. A token that the tenant's server or identity provider issued belongs to no sign-in; it ends only with everywhere.",
            area: "Sign-in", body: .object([.init("everywhere", .boolean)]), success: .noContent,
            endedSignIns: .asked),
        Endpoint(
            operationID: "listJwtKeys", method: .get, path: "/v1/tenant/jwt-keys", caller: .key(scope: "tenant"),
            work: .procedure(.read("api.list_jwt_keys")), summary: "List the keys of the tenant's identity provider",
            area: "Tenant", answer: .list(of: .jwtKey)),
        Endpoint(
            operationID: "addJwtKeys", method: .post, path: "/v1/tenant/jwt-keys", caller: .key(scope: "tenant"),
            work: .handler(.addKeys),
            summary: "Add keys of the tenant's identity provider",
            details: "The identity provider can then sign access tokens. The body has one key in PEM, or a key set.",
            area: "Tenant",
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
            answer: .list(of: .jwtKey), success: .created, problems: [.conflict, .quotaExceeded]),
        Endpoint(
            operationID: "revokeJwtKey", method: .delete, path: "/v1/tenant/jwt-keys/{id}",
            caller: .key(scope: "tenant"),
            work: .procedure(.write("api.revoke_jwt_key", .path("id", .uuid), .now)),
            summary: "Revoke a key of the tenant's identity provider",
            details: "Within a minute, tokens signed with the key are no longer accepted.", area: "Tenant",
            success: .noContent,
            problems: [.notFound]),
    ]

    /// A contact and the code that was sent to it.
    static let contactAndCode = JSONSchema.object([phone, email, code])

    private static let code = JSONSchema.Property("code", .string(.code), required: true)

    private static let phone = JSONSchema.Property("phone", .string(.phone), "Required unless email is given.")
    private static let email = JSONSchema.Property(
        "email", .string(.email, length: 3...254), "Required unless phone is given.", example: .leftOut)
}
