internal import JSON

/// The secret keys of a tenant's server.
extension JSONComponent {
    static let apiKey = JSONComponent(name: "APIKey", schema: .object(apiKeyMembers))
    static let newAPIKey = JSONComponent(
        name: "NewAPIKey",
        schema: .object(
            apiKeyMembers + [
                .init(
                    "secret_key", .string(.opaque, length: 1...200), required: true, "It is shown only once.",
                    example: "kith_sk_1_6d1f0b7e2a9c4d53b8e7f1a20c9d4e5b3a7f6c1d2e8b4095a1c3d7e9f0b2a486")
            ]))

    static let keyScope = enumeration("KeyScope", KeyScope.allCases.map(\.rawValue))

    private static let apiKeyMembers: [JSONSchema.Property] = [
        .init("id", .string(.uuid), required: true),
        .init("name", .string(.line, length: 1...80), required: true, example: "Billing"),
        .init("scopes", .array(of: .component(.keyScope), count: 1...6), required: true),
        .init(
            "expires_at", .nullable(.string(.instant)), required: true,
            "When the key stops working. Null if it has no end.", example: .null),
        .init("is_live", .boolean, required: true, "False once the key has expired.", example: true),
        .init(
            "last_used_at", .nullable(.string(.instant)), required: true,
            "When the key was last used, to the minute. Null if never.", example: .null),
        .init("created_at", .string(.instant), required: true),
    ]
}
