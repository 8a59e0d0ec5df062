internal import JSON

/// Vaults, their sessions, documents and history.
extension JSONComponent {
    static let vault = JSONComponent(
        name: "Vault",
        schema: .object([
            .init("id", .string(.uuid), required: true),
            .init("name", Endpoint.vaultName, required: true, example: "Family papers"),
            .init("role", .component(.vaultRole), required: true, "The caller's role."),
            .init(
                "access_level", .component(.accessLevel), required: true, "The caller's level. An owner's is full."
            ),
            .init(
                "status", .nullable(.component(.nomineeStatus)), required: true,
                "The caller's status as a nominee; active while the vault is open. Null for the owner.", example: .null),
            .init(
                "nominee_id", .nullable(.string(.uuid)), required: true,
                "The caller's id as a nominee. Null for the owner.", example: .null),
            .init("owner", .component(.personName), required: true),
            .init("require_confirmation", .boolean, required: true),
            .init("full_may_open", .boolean, required: true),
            .init(
                "session", .nullable(.component(.vaultSession)), required: true,
                "The open session. Null while the vault is locked."
            ),
            .init("counts", .component(.vaultCounts), required: true),
            .init(
                "pending_transfer", .nullable(.component(.pendingTransfer)), required: true,
                "The pending offer of the vault to somebody. For its owner only.", example: .null),
            .init("created_at", .string(.instant), required: true),
            .init("updated_at", .string(.instant), required: true),
            .init("deleted_at", .nullable(.string(.instant)), required: true, example: .null),
        ]))

    static let vaultCounts = JSONComponent(
        name: "VaultCounts",
        schema: .object([
            .init(
                "nominees", .nullable(.component(.nomineeCounts)), required: true,
                "Null unless the caller manages the vault's nominees."),
            .init(
                "documents", .nullable(.integer(0...10_000)), required: true,
                "The number of documents that are not deleted. Null for a nominee while the vault is locked.",
                example: 3),
            .init(
                "unread", .integer(0...1_000_000_000), required: true,
                "The number of unread messages to the caller in the vault's conversations."),
        ]))

    /// Revoked nominees are not counted.
    static let nomineeCounts = JSONComponent(
        name: "NomineeCounts",
        schema: .object(
            ["pending", "accepted", "active", "inactive"].map {
                .init($0, .integer(0...1000), required: true, example: $0 == "accepted" ? .number(1) : nil)
            }))

    static let pendingTransfer = JSONComponent(
        name: "PendingTransfer",
        schema: .object([
            .init("id", .string(.uuid), required: true),
            .init("name", .string(.line), required: true, "The recipient's name, as the owner gave it."),
            .init(
                "nominee_id", .nullable(.string(.uuid)), required: true,
                "The nominee to whom the vault is offered, if it is one."),
            .init("created_at", .string(.instant), required: true),
            .init("expires_at", .string(.instant), required: true),
        ]))

    static let personName = JSONComponent(
        name: "PersonName",
        schema: .object([
            .init("id", .string(.uuid), required: true),
            .init(
                "display_name", .string(.line), required: true, "Someone if the user has no name or no longer exists."),
        ]))

    /// A person in a preview, who has no id there.
    static let personPreview = JSONComponent(
        name: "PersonPreview",
        schema: .object([.init("display_name", .string(.line), required: true)]))

    static let vaultName = JSONComponent(
        name: "VaultName",
        schema: .object([
            .init("id", .string(.uuid), required: true),
            .init("name", Endpoint.vaultName, required: true, example: "Family papers"),
        ]))

    static let vaultSession = JSONComponent(
        name: "VaultSession",
        schema: .object([
            .init("id", .string(.uuid), required: true),
            .init("vault_id", .string(.uuid), required: true),
            .init(
                "kind", .component(.sessionKind), required: true,
                "An emergency session is for one nominee only, beside the shared one."),
            .init(
                "request_id", .nullable(.string(.uuid)), required: true,
                "The request for emergency access that the session belongs to. Null for a shared session.",
                example: .null),
            .init("unlocked_by", .string(.uuid), required: true, "The id of the person in unlocked_by_user."),
            .init("unlocked_by_user", .component(.personName), required: true, "The user who opened the vault."),
            .init("opened_at", .string(.instant), required: true),
            .init(
                "expires_at", .string(.instant), required: true,
                """
                When the session ends by itself: 30 minutes after the last activity, to the minute. An emergency \
                session ends when the grant ends.
                """
            ),
            .init(
                "latest_expires_at", .string(.instant), required: true,
                "When the session ends, however active people are."),
            .init(
                "inside", .array(of: .component(.personName), count: 0...50), required: true,
                """
                The people who have entered and still have access, in the order in which they came. A nominee who \
                does not manage others sees only themselves, the owner and the person who opened the vault.
                """
            ),
            .init("locked_at", .nullable(.string(.instant)), required: true, example: .null),
            .init(
                "locked_by", .nullable(.string(.uuid)), required: true,
                "The user who locked the vault. Null if the session ended by itself.", example: .null),
            .init(
                "locked_by_user", .nullable(.component(.personName)), required: true,
                "The user who locked the vault. Null if the session ended by itself.", example: .null),
            .init(
                "lock_reason",
                .nullable(.component(.lockReason)), required: true, example: .null),
        ]))

    static let document = JSONComponent(
        name: "Document",
        schema: .object([
            .init("id", .string(.uuid), required: true),
            .init("vault_id", .string(.uuid), required: true),
            .init(
                "version_id", .string(.uuid), required: true,
                "The version of the content. In quotes, it is the content's ETag."),
            .init("name", .string(.line, length: Endpoint.documentName), required: true, example: "Will.pdf"),
            .init(
                "content_type", .string(.line, length: 3...255), required: true,
                "The type that was sent with the content.",
                example: "application/pdf"),
            .init("size", .integer(0...DocumentVersion.maximumSize), required: true, "In bytes.", example: 48_211),
            .init(
                "sha256", .string(.opaque, length: 64...64), required: true,
                "The SHA-256 hash of the content, in hexadecimal.",
                example: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"),
            .init("created_at", .string(.instant), required: true),
            .init("created_by", .component(.personName), required: true),
            .init("updated_at", .string(.instant), required: true),
            .init("updated_by", .component(.personName), required: true, "The user who last changed the document."),
            .init("deleted_at", .nullable(.string(.instant)), required: true, example: .null),
            .init("deleted_by", .nullable(.component(.personName)), required: true, example: .null),
        ]))

    static let vaultEvent = JSONComponent(
        name: "VaultEvent",
        schema: .object([
            .init("id", .string(.uuid), required: true),
            .init("at", .string(.instant), required: true),
            .init(
                "actor", .nullable(.component(.personName)), required: true,
                "The user who did it. Null if it happened by itself."),
            .init("action", .component(.vaultAction), required: true, example: "vault.opened"),
            .init("subject", .component(.vaultEventSubject), required: true),
            .init("detail", .anyObject, required: true, example: .json("{}")),
        ]))

    /// The person or thing that an event in a vault's history is about.
    static let vaultEventSubject = JSONComponent(
        name: "VaultEventSubject",
        schema: .object([
            .init("type", .component(.vaultEventSubjectType), required: true),
            .init("id", .string(.uuid), required: true),
            .init("name", .nullable(.string(.line, length: 1...255)), required: true, "The current name."),
        ]))
}
