internal import JSON

extension JSONComponent {
    /// A key set (RFC 7517).
    static let jwkSet = JSONComponent(
        name: "JWKSet", schema: .object([.init("keys", .array(of: .anyObject, count: 1...100), required: true)]))

    static let jwtKey = JSONComponent(
        name: "JWTKey",
        schema: .object([
            .init("id", .string(.uuid), required: true),
            .init("kid", .string(.line), required: true),
            .init("algorithm", .component(.signatureAlgorithm), required: true),
            .init("issuer", .string(.line, length: 1...500), required: true),
            .init("audience", .string(.line, length: 1...500), required: true),
            .init("public_key", .nullable(.string(.text, length: 1...10000)), required: true, "Null for HS256."),
            .init("created_at", .string(.instant), required: true),
        ]))
}
