internal import Delivery
internal import JSON

/// Shares, transfers and messages of vaults.
extension JSONComponent {
    static let share = JSONComponent(
        name: "Share",
        schema: .object([
            .init("id", .string(.uuid), required: true),
            .init("vault", .component(.vaultName), required: true),
            .init(
                "record_name", .string(.opaque, length: 1...255), required: true,
                "The name of the vault's record in the sharing service.",
                example: recordName),
            .init(
                "url", .nullable(.string(.line, length: 9...2000)), required: true,
                example: "https://share.example.com/0f8Kq2"),
            .init(
                "permission", .component(.sharePermission), required: true,
                "The highest permission that the share gives."),
            .init(
                "participant_count", .integer(0...1_000_000), required: true,
                "The number of participants, not counting removed ones."),
            .init("created_at", .string(.instant), required: true),
            .init("updated_at", .string(.instant), required: true),
        ]))

    /// An example of the default record name.
    static let recordName: JSONExample = "CD_Vault_019AA5C3-1B20-7C55-A4E1-08D7F92B6C13"

    static let shareSynchronisation = JSONComponent(
        name: "ShareSynchronisation",
        schema: .object([
            .init(
                "created", .integer(0...1000), required: true,
                "New nominees, including those that had been removed and came back."),
            .init("updated", .integer(0...1000), required: true),
            .init("revoked", .integer(0...1000), required: true),
            .init("unchanged", .integer(0...1000), required: true),
        ]))

    static let shareUsage = JSONComponent(
        name: "ShareUsage",
        schema: .object([
            .init("items", .array(of: .component(.invitationCount), count: 0...10_000), required: true),
            .init("total", .integer(0...1_000_000_000), required: true),
        ]))

    static let invitationCount = JSONComponent(
        name: "InvitationCount",
        schema: .object([
            .init("channel", .component(.invitationChannel), required: true),
            .init(
                "outcome", .nullable(.component(.invitationOutcome)), required: true,
                "Null if no outcome was reported."),
            .init("count", .integer(1...1_000_000_000), required: true),
        ]))

    static let shareParticipant = JSONComponent(
        name: "ShareParticipant",
        schema: .object([
            .init(
                "id", .string(.opaque, length: 1...255), required: true,
                "The participant's id in the sharing service.",
                example: "_8f3c1d0a72e94b65"),
            .init("acceptance_status", .component(.participantAcceptanceStatus), required: true),
            .init(
                "permission", .component(.participantPermission), required: true,
                "Sets a new nominee's level to view or edit. It never raises the level of an existing one."
            ),
            .init(
                "role", .component(.participantRole), required: true, "Participants with role owner are ignored."),
            .init(
                "name", .nullable(.string(.anything)),
                "The name in the sharing service. Unreadable names, phone numbers and e-mail addresses are ignored."
            ),
            .init("phone", .nullable(.string(.reportedPhone))),
            .init("email", .nullable(.string(.anything, length: 0...254)), example: "bob@example.com"),
        ]))

    static let transfer = JSONComponent(name: "Transfer", schema: .object(transferMembers))

    static let offeredTransfer = JSONComponent(
        name: "OfferedTransfer",
        schema: .object(
            transferMembers + stateAndCard + [
                .init(
                    "invitation", .component(.tokenInvitation), required: true,
                    "For the recipient. The token is shown only once.")
            ]))

    private static let transferMembers: [JSONSchema.Property] = [
        .init("id", .string(.uuid), required: true),
        .init("name", .string(.line), required: true, "The recipient's name."),
        .init("phone", .nullable(.string(.phone)), required: true),
        .init("email", .nullable(.string(.email)), required: true),
        .init(
            "nominee_id", .nullable(.string(.uuid)), required: true,
            "The nominee to whom the vault is offered, if it is one.", example: .null),
        .init(
            "keep_access", .boolean, required: true,
            "Whether the previous owner becomes a nominee with access level full."),
        .init("status", .oneOf(["pending"]), required: true, "A transfer that has ended is no longer returned."),
        .init("created_at", .string(.instant), required: true),
        .init("expires_at", .string(.instant), required: true),
        .init("channel", .component(.invitationChannel), required: true, "How the invitation was last sent."),
        .init(
            "invitation_outcome", .nullable(.component(.invitationOutcome)), required: true,
            "The reported outcome of the last invitation.", example: .null),
    ]

    static let message = JSONComponent(name: "Message", schema: .object(messageMembers))

    /// A message in an event. It names the vault and the nominee, which are otherwise in the path.
    static let vaultMessage = JSONComponent(
        name: "VaultMessage",
        schema: .object(
            messageMembers + [
                .init("vault_id", .string(.uuid), required: true), .init("nominee_id", .string(.uuid), required: true),
            ]))

    private static let messageMembers: [JSONSchema.Property] = [
        .init("id", .string(.uuid), required: true),
        .init("from", .component(.personName), required: true),
        .init("body", .string(.text, length: 1...4000), required: true, example: "The papers are in."),
        .init("created_at", .string(.instant), required: true),
        .init("read_at", .nullable(.string(.instant)), required: true, "When the other side read it."),
    ]

    /// The caller's conversation with a vault's owner, or as an owner with one of the vault's nominees.
    static let conversation = JSONComponent(name: "Conversation", schema: .object(conversationMembers))

    /// A conversation in an event. Its id is the nominee's.
    static let identifiedConversation = JSONComponent(
        name: "IdentifiedConversation",
        schema: .object([.init("id", .string(.uuid), required: true, "The nominee's id.")] + conversationMembers))

    private static let conversationMembers: [JSONSchema.Property] = [
        .init(
            "nominee_id", .string(.uuid), required: true,
            "The nominee who takes part. With the vault, it leads to the messages."),
        .init("role", .component(.vaultRole), required: true, "The caller's role in the vault."),
        .init("vault", .component(.vaultName), required: true),
        .init("counterpart", .component(.personName), required: true),
        .init(
            "unread_count", .integer(0...1_000_000_000), required: true,
            "The number of unread messages to the caller."),
        .init(
            "read_until", .nullable(.string(.uuid)), required: true,
            "The newest of the caller's messages that the counterpart has read."),
        .init("last_message", .component(.message), required: true),
    ]
}
