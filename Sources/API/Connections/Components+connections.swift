internal import JSON
internal import OpenAPI

extension JSONComponent {
    static let code = JSONComponent(
        name: "Code",
        schema: .object([
            .init("code", .string(.code), required: true),
            .init("role", .component(.role), required: true, "The role that the code's owner has."),
            .init("permanent", .boolean, required: true),
            .init("expires_at", .nullable(.string(.instant)), required: true),
        ]))

    static let codePreview = JSONComponent(
        name: "CodePreview",
        schema: .object([
            .init("role", .component(.role), required: true, "The role that the caller would have."),
            .init("counterpart", .component(.personPreview), required: true),
        ]))

    static let connection = JSONComponent(
        name: "Connection",
        schema: .object([
            .init("id", .string(.uuid), required: true),
            .init("role", .component(.role), required: true, "The caller's role in the connection."),
            .init("status", .component(.connectionStatus), required: true),
            .init(
                "state", .component(.state), required: true,
                """
                How things stand with the other side: an alarm, then a miss that nobody has answered, then what holds \
                today.
                """),
            .init(
                "consent_by", .nullable(.component(.consentSide)), required: true,
                "Whose consent a pending connection waits for.", example: .null),
            .init("counterpart", .component(.personName), required: true),
            .init(
                "alias", .nullable(.string(.line, length: 1...100)), required: true,
                "What I call the other side. Nobody else sees it."),
            .init("sender_id", .string(.uuid), required: true),
            .init("receiver_id", .string(.uuid), required: true),
            .init("created_at", .string(.instant), required: true),
            .init("updated_at", .string(.instant), required: true),
            .init("today_ping", .nullable(.component(.ping)), required: true),
            .init(
                "missed_ping", .nullable(.component(.ping)), required: true,
                "The newest missed ping of which the receiver was told and after which the sender has not checked in.",
                example: .null),
            .init(
                "missed_ping_resolution", .nullable(.component(.missedPingResolution)), required: true,
                """
                Who has ended the alarm of missed_ping, and what they said. The miss goes on until the sender checks \
                in. It changes with the event alarm.
                """,
                example: .null),
            .init("last_check_in_at", .nullable(.string(.instant)), required: true),
            .init(
                "last_check_in_note", .nullable(.string(.text, length: 1...500)), required: true,
                "The note of that check-in, if the sender shares it."),
            .init(
                "last_check_in_source", .nullable(.component(.checkInSource)), required: true,
                "How that check-in came."),
            .init(
                "share_activity", .nullable(.boolean), required: true,
                "Whether the receiver sees the newest activity of the sender's things. Null for the receiver.",
                example: .null),
            .init(
                "may_ask", .boolean, required: true, "Whether the receiver may ask \"Are you OK?\".", example: true),
            .init(
                "asked_until", .nullable(.string(.instant)), required: true,
                """
                Until when the sender has time to answer my open question "Are you OK?". Null for the sender, and \
                without one.
                """,
                example: .null),
            .init(
                "reachable_by", .nullable(.array(of: .component(.alarmChannel), count: 0...4)), required: true,
                """
                How the receiver can be told of an alarm, from quiet to loud; empty if nothing reaches them. Null for \
                the receiver, and where the app's own server sends the messages.
                """,
                example: .json(#"["push","sms"]"#)),
            .init(
                "test", .nullable(.component(.connectionTest)), required: true,
                "The sender's last test message to the receiver; null if there was none."),
            .init(
                "always_care_card", .boolean, required: true,
                "Whether the receiver sees the sender's care card and place without an alarm too."),
            .init(
                "last_sign", .nullable(.component(.lastSign)), required: true,
                """
                The newest activity of the sender's things, for the receiver of an active connection with whom the \
                sender shares it.
                """,
                example: .null),
            .init(
                "ping_time", .nullable(.string(.timeOfDay)), required: true,
                """
                When the sender is asked to check in, in time_zone. Null for the receiver of a connection that is \
                not active.
                """
            ),
            .init("time_zone", .nullable(.string(.line)), required: true, "The time zone of ping_time."),
            .init(
                "call", .nullable(.component(.senderCall)), required: true,
                "How the receiver can call the sender. Present beside a missed ping if the sender shares the number.",
                example: .null),
            .init("break", .nullable(.component(.break)), required: true, "The sender's current or upcoming break."),
            .init(
                "suspended_reason", .nullable(.oneOf(["subscription"])), required: true,
                "Why there are no pings even if the status is active: the receiver's subscription has lapsed."),
            .init("reactivated", .boolean, "Present if a removed connection was brought back.", example: .leftOut),
        ]))

    static let missedPingResolution = JSONComponent(
        name: "MissedPingResolution",
        schema: .object([
            .init("at", .string(.instant), required: true),
            .init("outcome", .component(.alarmOutcome), required: true, "safe or help_called.", example: .text("safe")),
            .init(
                "by", .nullable(.component(.alarmPerson)), required: true,
                "The receiver, or the person of the tenant's desk, who said so."),
        ]))

    static let connectionTest = JSONComponent(
        name: "ConnectionTest",
        schema: .object([
            .init("sent_at", .string(.instant), required: true),
            .init(
                "answered_at", .nullable(.string(.instant)), required: true,
                "When the receiver answered; null until they do."),
            .init(
                "reached", .nullable(.boolean), required: true,
                "Whether the receiver says that it reached them; null until they answer.", example: true),
        ]))

    static let senderCall = JSONComponent(
        name: "SenderCall",
        schema: .object([.init("phone", .string(.phone), required: true, "E.164.")]))

    static let invitationRecipient = JSONComponent(
        name: "InvitationRecipient",
        schema: .object([
            .init("n", .integer(1...1000), required: true, "The position in the list, from 1."),
            .init("name", .string(.line)),
            .init(
                "phone", .string(.anything), required: true,
                "E.164, or the text that was given if it is not a valid number."),
            .init("sms_url", .string(.anything, length: 0...10_000), "Opens the message in the phone's own app."),
            .init("status", .component(.recipientStatus), required: true),
            .init("error", .string(.line), "Why there is no message to this person.", example: .leftOut),
            .init(
                "connection_id", .string(.uuid),
                "Present once the owner of this phone number, which they have verified, has connected with me.",
                example: .leftOut),
        ]))

    /// A person to invite.
    static let newRecipient = JSONComponent(
        name: "NewRecipient",
        schema: .object([
            .init("name", .nullable(.string(.anything, length: 0...1000))),
            .init(
                "phone", .nullable(.string(.anything, length: 0...100)),
                """
                In international format, or in the format of my own country. Without a usable number or with an \
                unusable name, the person is reported as invalid, and the others are invited.
                """
            ),
        ]))

    static let connectionInvitation = JSONComponent(
        name: "ConnectionInvitation",
        schema: .object(
            invitationMembers + [
                .init(
                    "sms_url", .nullable(.string(.anything, length: 0...30_000)), required: true,
                    """
                    Opens one message to everybody who has not been sent one. They may see each other's numbers. \
                    Null for nobody, and for more than 30 people.
                    """
                ),
                .init(
                    "sms_url_ios", .nullable(.string(.anything, length: 0...30_000)), required: true,
                    "The same for iOS, which has a form of its own.",
                    example: "sms:/open?addresses=+4915112345678&body=Use%20code%20482915"),
                .init(
                    "recipients", .array(of: .component(.invitationRecipient), count: 1...1000), required: true),
            ]))

    static let connectionInvitationSummary = JSONComponent(
        name: "ConnectionInvitationSummary",
        schema: .object(
            invitationMembers + [
                .init("recipient_count", .integer(1...1000), required: true),
                .init(
                    "connected", .integer(0...1000), required: true,
                    "The number of recipients who have connected with me."),
                .init("statuses", .component(.recipientCounts), required: true, "The number of recipients by status."),
            ]))

    /// A status that no recipient has is left out.
    static let recipientCounts = JSONComponent(
        name: "RecipientCounts",
        schema: .object(
            recipientStatus.values.map {
                .init($0, .integer(1...1000), example: $0 == "sent" ? .number(1) : .leftOut)
            }))

    private static let invitationMembers: [JSONSchema.Property] = [
        .init("id", .string(.uuid), required: true),
        .init("message", .string(.line, length: 1...2000), required: true, "The message that every recipient gets."),
        .init("code", .string(.code), required: true, "My permanent code as a sender."),
        .init("url", .string(.line, length: 1...600), required: true, "The join link with the code."),
        .init("created_at", .string(.instant), required: true),
    ]
}
