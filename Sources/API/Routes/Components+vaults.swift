/// Vaults and what belongs to them.
extension JSONComponent {
    static let vault = JSONComponent(
        name: "Vault",
        schema: .object([
            .init("id", .string(.uuid), required: true),
            .init("name", Endpoint.vaultName, required: true, example: "Family papers"),
            .init("role", .oneOf(["owner", "nominee"]), required: true, "Mine."),
            .init("access_level", .oneOf(Endpoint.accessLevels), required: true, "Mine; an owner's is full."),
            .init(
                "status", .nullable(.oneOf(["pending", "accepted", "active", "inactive"])), required: true,
                "Mine as a nominee: active while the vault is open; null for its owner.", example: .null),
            .init("owner", .component(.personName), required: true),
            .init("require_confirmation", .boolean, required: true),
            .init("full_may_open", .boolean, required: true),
            .init(
                "session", .nullable(.component(.vaultSession)), required: true,
                "The open one; null while it is locked."
            ),
            .init("created_at", .string(.instant), required: true),
            .init("updated_at", .string(.instant), required: true),
            .init("deleted_at", .nullable(.string(.instant)), required: true, example: .null),
        ]))

    static let personName = JSONComponent(
        name: "PersonName",
        schema: .object([
            .init("id", .string(.uuid), required: true),
            .init("display_name", .string(.line), required: true, "Someone where there is none, or no longer."),
        ]))

    static let vaultSession = JSONComponent(
        name: "VaultSession",
        schema: .object([
            .init("id", .string(.uuid), required: true),
            .init("vault_id", .string(.uuid), required: true),
            .init("unlocked_by", .string(.uuid), required: true, "The user who opened it."),
            .init("opened_at", .string(.instant), required: true),
            .init(
                "expires_at", .string(.instant), required: true,
                "When it ends by itself: 30 minutes after the last activity, to the minute."),
            .init("locked_at", .nullable(.string(.instant)), required: true, example: .null),
            .init(
                "locked_by", .nullable(.string(.uuid)), required: true,
                "The user who locked it; null where it ended by itself.", example: .null),
            .init(
                "lock_reason",
                .nullable(
                    .oneOf(["manual", "expired", "owner_revoked", "transferred", "vault_deleted", "emergency_ended"])),
                required: true, example: .null),
        ]))

    static let document = JSONComponent(
        name: "Document",
        schema: .object([
            .init("id", .string(.uuid), required: true),
            .init("vault_id", .string(.uuid), required: true),
            .init("version_id", .string(.uuid), required: true, "Of the content: its ETag is this in quotes."),
            .init("name", .string(.line, length: Endpoint.documentName), required: true, example: "Will.pdf"),
            .init(
                "content_type", .string(.line, length: 3...255), required: true, "As it was sent.",
                example: "application/pdf"),
            .init("size", .integer(0...DocumentVersion.maximumSize), required: true, "Bytes.", example: 48_211),
            .init(
                "sha256", .string(.opaque, length: 64...64), required: true, "Of the content, in hexadecimal.",
                example: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"),
            .init("created_at", .string(.instant), required: true),
            .init("updated_at", .string(.instant), required: true),
            .init("deleted_at", .nullable(.string(.instant)), required: true, example: .null),
        ]))

    static let vaultEvent = JSONComponent(
        name: "VaultEvent",
        schema: .object([
            .init("id", .string(.uuid), required: true),
            .init("at", .string(.instant), required: true),
            .init(
                "actor", .nullable(.component(.personName)), required: true,
                "Who did it; null for what happened by itself."),
            .init("action", .string(.line), required: true, example: "vault.opened"),
            .init(
                "subject",
                .object([
                    .init(
                        "type", .oneOf(["vault", "session", "document", "nominee", "transfer", "share"]), required: true
                    ),
                    .init("id", .string(.uuid), required: true),
                    .init("name", .nullable(.string(.line, length: 1...255)), required: true, "As it is today."),
                ]), required: true),
            .init("detail", .anyObject, required: true, example: .json("{}")),
        ]))
}
