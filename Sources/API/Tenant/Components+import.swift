internal import JSON

/// The values that an app which has run elsewhere imports.
extension JSONComponent {
    /// A line of an import. Things that it names must be on an earlier line, or have been imported before.
    static let importItem = JSONComponent(
        name: "ImportItem",
        schema: .union(
            [
                .component(.importedUser), .component(.importedCode), .component(.importedConnection),
                .component(.importedVault), .component(.importedNominee), .component(.importedSubscription),
            ], tag: "kind"))

    private static let importedUser = JSONComponent(
        name: "ImportedUser",
        schema: .object([
            kind("user"),
            .init(
                "external_id", userID, required: true, "The tenant's own id, by which the line can be sent again.",
                example: "alice-1"),
            .init("display_name", .nullable(.string(.line, length: 1...100))),
            .init("phone", phone, phoneSummary),
            .init("email", .nullable(.string(.email, length: 3...254))),
            .init("time_zone", .string(.line, length: 1...64)),
            .init("locale", .string(.line, length: 2...35)),
            .init("created_at", .nullable(.string(.instant)), "When the account was made elsewhere."),
            .init(
                "sender_profile", .nullable(.component(.importedSenderProfile)),
                "Makes the user a sender. A profile that exists stays as it is."),
            .init(
                "receiver_profile", .nullable(.component(.importedReceiverProfile)),
                "Makes the user a receiver. A profile that exists stays as it is."),
        ]))

    private static let importedSenderProfile = JSONComponent(
        name: "ImportedSenderProfile",
        schema: .object([
            .init("ping_time", .string(.timeOfDay), required: true, "Local time in time_zone."),
            .init("time_zone", .nullable(.string(.line, length: 1...64)), "The default is the user's."),
            .init("grace_minutes", .nullable(.integer(5...719)), "The default is the tenant's."),
            .init("reminder_minutes", .nullable(.integer(1...718)), "The default is the tenant's."),
            .init("code", .nullable(.string(.code)), "The permanent code that people know.", example: .leftOut),
        ]))

    private static let importedReceiverProfile = JSONComponent(
        name: "ImportedReceiverProfile",
        schema: .object([
            .init("code", .nullable(.string(.code)), "The permanent code that people know.", example: .null)
        ]))

    private static let importedCode = JSONComponent(
        name: "ImportedCode",
        schema: .object([
            kind("code"), ofUser,
            .init("role", .component(.role), required: true, "The role that the user has by this code."),
            .init("code", .string(.code), required: true),
            .init(
                "expires_at", .nullable(.string(.instant)),
                "When the code expires. Without it, the code becomes the user's permanent one.", example: .null),
        ]))

    private static let importedConnection = JSONComponent(
        name: "ImportedConnection",
        schema: .object([
            kind("connection"),
            .init("sender", userID, required: true, "The external_id of the sender.", example: "alice-1"),
            .init("receiver", userID, required: true, "The external_id of the receiver.", example: "bob-1"),
            .init("status", .component(.connectionStatus), "The default is active."),
            .init("created_at", .nullable(.string(.instant)), "When the two first connected."),
            .init("code_owner", .component(.role), "Whose code made the connection. The default is receiver."),
            .init(
                "deleted_at", .nullable(.string(.instant)), "When a deleted connection was removed.", example: .null),
        ]))

    private static let importedVault = JSONComponent(
        name: "ImportedVault",
        schema: .object([
            kind("vault"),
            .init(
                "external_id", thingID, required: true, "The tenant's own id, by which the line can be sent again.",
                example: "vault-1"),
            .init("owner", userID, required: true, "The external_id of the owner.", example: "alice-1"),
            .init("name", Endpoint.vaultName, required: true, example: "Family papers"),
            .init("require_confirmation", .boolean),
            .init("full_may_open", .boolean),
            .init("created_at", .nullable(.string(.instant))),
        ]))

    private static let importedNominee = JSONComponent(
        name: "ImportedNominee",
        schema: .object([
            kind("nominee"),
            .init(
                "external_id", thingID, required: true, "The tenant's own id, by which the line can be sent again.",
                example: "nominee-1"),
            .init("vault", thingID, required: true, "The external_id of the vault.", example: "vault-1"),
            .init(
                "user", .nullable(userID), "The external_id of the nominee's user. Required for one who has accepted.",
                example: "bob-1"),
            .init("name", .string(.line, length: 1...100), required: true),
            .init("phone", phone, phoneSummary),
            .init("email", .nullable(.string(.email, length: 3...254))),
            .init(
                "status", .component(.nomineeStatus), "The default is pending. inactive, as apps had it, is revoked.",
                example: "accepted"),
            .init("access_level", .component(.accessLevel), "The default is view."),
            .init("invited_at", .nullable(.string(.instant))),
            .init("accepted_at", .nullable(.string(.instant))),
            .init("revoked_at", .nullable(.string(.instant)), example: .null),
        ]))

    private static let importedSubscription = JSONComponent(
        name: "ImportedSubscription",
        schema: .object([
            kind("subscription"), ofUser,
            .init("status", .component(.subscriptionStatus), required: true),
            .init("expires_at", .nullable(.string(.instant)), example: .null),
        ]))

    private static func kind(_ kind: String) -> JSONSchema.Property {
        .init("kind", .oneOf([kind]), required: true)
    }

    private static let ofUser = JSONSchema.Property(
        "user", userID, required: true, "The external_id of the user.", example: "bob-1")
    private static let userID = JSONSchema.string(.line, length: 1...200)
    private static let thingID = JSONSchema.string(.line, length: 1...255)
    private static let phone = JSONSchema.nullable(.string(.anything, length: 0...100))
    private static let phoneSummary =
        "In international format, or in the format of the tenant's default_region. Kith keeps it in E.164 form."
}
