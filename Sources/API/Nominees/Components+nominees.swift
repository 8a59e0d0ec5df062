internal import JSON
internal import Problems

/// Nominees and their invitations.
extension JSONComponent {
    static let nominee = JSONComponent(name: "Nominee", schema: .object(nomineeMembers))

    /// A nominee in an event. It names the vault, which is otherwise in the path.
    static let vaultNominee = JSONComponent(
        name: "VaultNominee",
        schema: .object(nomineeMembers + [.init("vault_id", .string(.uuid), required: true)]))

    static let invitedNominee = JSONComponent(
        name: "InvitedNominee", schema: .object(nomineeMembers + stateAndCard + [invitation]))

    static let nomineeInvitations = JSONComponent(
        name: "NomineeInvitations",
        schema: .object(
            optional(nomineeMembers + stateAndCard + [invitation]) + [
                .init(
                    "items", .array(of: .component(.inviteeResult), count: 1...100), required: true,
                    """
                    One result for each person, in the order of the request. If one person was invited alone, the \
                    other members repeat the nominee.
                    """
                )
            ]))

    static let tokenInvitation = JSONComponent(
        name: "TokenInvitation",
        schema: .object([
            .init("token", .string(.uuid), required: true, "Shown only once. It can be answered once."),
            .init(
                "url", .string(.line, length: 1...600), required: true, "A page that needs no app.",
                example: .text("https://example.com/i/7c0f1d52-3b9e-4a86-9d27-5e81f0c4b6a3")),
            .init("deep_link", deepLink, required: true, "Opens the app. Null if the tenant has no link_scheme."),
            .init(
                "message", .string(.line, length: 1...2000), required: true, "A text to send the link with.",
                example: .text(
                    """
                    Alice invites you to the vault "Family papers" on Acme. Open the invitation: \
                    https://example.com/i/7c0f1d52-3b9e-4a86-9d27-5e81f0c4b6a3
                    """
                )),
            .init("card", .component(.invitationCard), required: true),
            .init("expires_at", .string(.instant), required: true),
        ]))

    static let invitationCard = JSONComponent(
        name: "InvitationCard",
        schema: .object([
            .init("title", .string(.line), required: true, example: .text("🔐 Vault Invitation")),
            .init(
                "subtitle", .nullable(Endpoint.vaultName), required: true,
                """
                The vault's name. Null if the invitation was declined, expired or revoked, or if the vault has a new \
                owner.
                """,
                example: "Family papers"
            ),
            .init("state", .component(.invitationState), required: true, example: .text("pending")),
        ]))

    static let inviteeResult = JSONComponent(
        name: "InviteeResult",
        schema: .object([
            .init(
                "status", .integer(201...599), required: true,
                "The status that inviting this person alone would have answered."),
            .init("nominee", .component(.invitedNominee), "Present if the person was invited."),
            .init("problem", .component(.problem), "Present if the person was not invited.", example: .leftOut),
        ]))

    static let invitationPreview = JSONComponent(
        name: "InvitationPreview",
        schema: .object([
            .init("kind", .component(.invitationKind), required: true),
            .init(
                "vault", .component(.vaultPreview), required: true,
                """
                The name is null unless the invitation waits for an answer; the card has the vault's name once it is \
                accepted.
                """
            ),
            .init(
                "inviter", .component(.personPreview), required: true,
                "Someone unless the invitation waits for an answer."),
            .init(
                "access_level", .nullable(.component(.accessLevel)), required: true,
                "Null unless the invitation waits for an answer."),
            .init(
                "state", .component(.invitationState), required: true,
                "Also revoked if the access that it gave has ended.", example: .text("pending")),
            .init(
                "needs_confirmation", .boolean, required: true,
                "Whether the invitation was accepted and the vault's owner has yet to confirm it."),
            .init(
                "emergency", .nullable(.component(.emergencyTerms)), required: true,
                """
                The emergency access that comes with the invitation. Null if there is none, if the owner does not \
                show it, and once the invitation is answered.
                """,
                example: .null),
            .init("expires_at", .string(.instant), required: true),
            .init("brand_name", .string(.line), required: true),
            .init("app_link", .nullable(.string(.line, length: 1...500)), required: true),
            .init("deep_link", deepLink, required: true),
            .init("card", .component(.invitationCard), required: true),
        ]))

    static let acceptedInvitation = JSONComponent(
        name: "AcceptedInvitation",
        schema: .object(
            [
                .init("kind", .component(.invitationKind), required: true),
                .init("state", .component(.invitationState), required: true, example: .text("accepted")),
                card,
                .init("vault", .component(.acceptedVault), required: true),
                .init("status", .component(.nomineeStatus), required: true, "For a transfer it is accepted."),
                // Present for a nominee invitation only: accepting a transfer makes an owner, not a nominee.
            ] + optional(nomineeMembers.filter { $0.name != "status" })))

    /// An invitation or an offer that waits for the caller.
    static let ownInvitation = JSONComponent(
        name: "OwnInvitation",
        schema: .object([
            .init(
                "id", .string(.uuid), required: true,
                "The id to answer with. It is the nominee's or the transfer's."),
            .init("kind", .component(.invitationKind), required: true),
            .init("state", .component(.invitationState), required: true, example: .text("pending")),
            .init("vault", .component(.vaultName), required: true),
            .init("inviter", .component(.personName), required: true, "The vault's owner."),
            .init(
                "access_level", .component(.accessLevel), required: true,
                "The level after accepting. For a transfer it is full."),
            .init("created_at", .string(.instant), required: true),
            .init("expires_at", .string(.instant), required: true),
            card,
        ]))

    static let declinedInvitation = JSONComponent(
        name: "DeclinedInvitation",
        schema: .object([
            .init("id", .string(.uuid), required: true),
            .init("kind", .component(.invitationKind), required: true),
            .init("state", .component(.invitationState), required: true, example: .text("declined")),
            card,
        ]))

    static let vaultPreview = JSONComponent(
        name: "VaultPreview",
        schema: .object([.init("name", .nullable(Endpoint.vaultName), required: true, example: "Family papers")]))

    static let acceptedVault = JSONComponent(
        name: "AcceptedVault",
        schema: .object([
            .init("id", .string(.uuid), required: true),
            .init("name", Endpoint.vaultName, required: true, example: "Family papers"),
            .init("owner", .component(.personName), required: true),
        ]))

    /// One of several people to invite.
    static let invitee = JSONComponent(
        name: "Invitee",
        schema: .object(
            Endpoint.invitee.map {
                .init($0.name, $0.schema, required: $0.name == "name", $0.summary, example: $0.example)
            }))

    static let invitationDraft = JSONComponent(
        name: "InvitationDraft",
        schema: .object([
            .init("vault", .component(.vaultName), required: true),
            .init("expires_at", .string(.instant), required: true),
        ]))

    static let takenDraft = JSONComponent(
        name: "TakenDraft",
        schema: .object([
            .init("vault", .component(.vaultName), required: true),
            .init(
                "fallback", .boolean, required: true,
                "Whether there was no draft and this is the caller's oldest vault instead."),
        ]))

    private static let card = JSONSchema.Property("card", .component(.invitationCard), required: true)

    /// The members that every answer about an invitation has, so that its bubble in a conversation can be updated.
    static let stateAndCard: [JSONSchema.Property] = [
        .init("state", .component(.invitationState), required: true, example: .text("pending")), card,
    ]

    private static let invitation = JSONSchema.Property(
        "invitation", .component(.tokenInvitation), required: true, "Present in this answer only.")

    private static func optional(_ members: [JSONSchema.Property]) -> [JSONSchema.Property] {
        members.map { .init($0.name, $0.schema, $0.summary, example: $0.example) }
    }

    /// A vault's name of 200 characters can take 2,400 characters when percent-encoded.
    private static let deepLink = JSONSchema.nullable(.string(.line, length: 1...3000))

    private static let nomineeMembers: [JSONSchema.Property] = [
        .init("id", .string(.uuid), required: true),
        .init("name", .string(.line), required: true, "Someone if the account has ended."),
        .init(
            "phone", .nullable(.string(.phone)), required: true,
            "Null unless the caller manages the vault's nominees."),
        .init("email", .nullable(.string(.email)), required: true),
        .init("user_id", .nullable(.string(.uuid)), required: true, "The user who accepted; null until then."),
        .init(
            "user", .nullable(.component(.personName)), required: true,
            """
            The user who accepted; null until then, and unless the caller manages the vault's nominees or is this \
            nominee.
            """
        ),
        .init(
            "status", .component(.nomineeStatus), required: true,
            "active means accepted while the vault is open.",
            example: .text("pending")),
        .init("access_level", .component(.accessLevel), required: true),
        .init(
            "needs_confirmation", .boolean, required: true,
            """
            Whether the nominee has accepted and waits for the owner's confirmation: before they have any access, \
            or, for the owner only, before their emergency access counts, because only a link says who they are.
            """
        ),
        .init("invited_at", .string(.instant), required: true),
        .init(
            "invited_by_user_id", .nullable(.string(.uuid)), required: true,
            "The id of the person in invited_by."),
        .init("invited_by", .nullable(.component(.personName)), required: true),
        .init("accepted_at", .nullable(.string(.instant)), required: true, example: .null),
        .init("is_currently_active", .boolean, required: true),
        .init("current_session_id", .nullable(.string(.uuid)), required: true, example: .null),
        .init("last_active_at", .nullable(.string(.instant)), required: true, "Rounded to the minute.", example: .null),
        .init("share_record_id", .nullable(.string(.line, length: 1...255)), required: true, example: .null),
        .init("share_participant_id", .nullable(.string(.line, length: 1...255)), required: true, example: .null),
        .init("revoke_reason", .nullable(.string(.line)), required: true, example: .null),
        .init(
            "invitation_expires_at", .nullable(.string(.instant)), required: true,
            "Null if no invitation is waiting for an answer."),
        .init(
            "invitation_outcome", .nullable(.component(.invitationOutcome)), required: true, example: .null),
        .init(
            "emergency", .nullable(.component(.emergencySettings)), required: true,
            "The nominee's emergency access. Null if there is none, and for everybody but the vault's owner.",
            example: .null),
        .init(
            "unread_count", .integer(0...1_000_000_000), required: true,
            "The number of unread messages to the caller in the conversation with this nominee.", example: 0),
    ]
}
