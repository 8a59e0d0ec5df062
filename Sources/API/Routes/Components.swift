internal import Crypto
internal import Delivery

/// The values of the API, as the OpenAPI document names them.
extension JSONComponent {
    static let user = JSONComponent(
        name: "User",
        schema: .object([
            .init("id", .string(.uuid), required: true),
            .init(
                "external_id", .nullable(.string(.line)),
                "The tenant's own name for the user; for the tenant's server only."),
            .init("display_name", .nullable(.string(.line)), required: true),
            .init("phone", .nullable(.string(.phone)), required: true, "E.164."),
            .init("email", .nullable(.string(.email)), required: true),
            .init("phone_verified", .boolean, required: true, "Whether a code sent to it came back."),
            .init("email_verified", .boolean, required: true),
            .init(
                "pending_phone", .nullable(.string(.phone)), required: true,
                "What the user wants to have; it counts once the code sent to it came back."),
            .init("pending_email", .nullable(.string(.email)), required: true),
            .init("time_zone", .string(.line), required: true, "IANA name."),
            .init("locale", .string(.line), required: true),
            .init("created_at", .string(.instant), required: true),
        ]))

    static let tenant = JSONComponent(
        name: "Tenant",
        schema: .object(
            [
                .init("slug", .string(.line), required: true),
                .init("created_at", .string(.instant), required: true),
                .init("updated_at", .string(.instant), required: true),
                .init(
                    "universal_link_host", .nullable(.string(.line, length: 1...253)), required: true,
                    "The host under which the tenant's pages are shown; the operator's to change, as what follows."),
                .init("user_quota", .integer(1...100_000_000), required: true),
                .init("code_misses_per_hour", .integer(10...1_000_000), required: true),
                .init(
                    "vault_quota_mib", .integer(1...1_048_576), required: true, "MiB of documents that a vault holds."),
                .init("sms_enabled", .boolean, required: true, "Whether Kith sends text messages for the tenant."),
                .init("sms_codes_per_day", .integer(0...10_000_000), required: true),
                .init("sms_codes_per_country_per_day", .integer(0...10_000_000), required: true),
                .init("sms_codes_per_number_per_day", .integer(1...100), required: true),
                .init("sms_invitations_per_day", .integer(0...10_000_000), required: true),
                .init(
                    "sms_notifications_per_user_per_day", .integer(0...10_000), required: true,
                    "Text messages that one user gets in 24 hours of what respects quiet hours; what is more is in the app alone."
                ),
            ] + Endpoint.tenantSettings))

    static let accessToken = JSONComponent(
        name: "AccessToken",
        schema: .object([
            .init("access_token", .string(.line, length: 1...4096), required: true),
            .init("token_type", .oneOf(["Bearer"]), required: true),
            .init("expires_in", .integer(1...86400), required: true, "Seconds."),
        ]))

    static let signIn = JSONComponent(
        name: "SignIn",
        schema: .object([
            .init("access_token", .string(.line, length: 1...4096), required: true),
            .init("refresh_token", .string(.line), required: true, "Good for one use, and for 60 days."),
            .init("token_type", .oneOf(["Bearer"]), required: true),
            .init("expires_in", .integer(1...86400), required: true, "Seconds that the access token lives."),
            .init("user", .component(.user), required: true),
        ]))

    static let jwtKey = JSONComponent(
        name: "JWTKey",
        schema: .object([
            .init("id", .string(.uuid), required: true),
            .init("kid", .string(.line), required: true),
            .init("algorithm", .oneOf(SignatureAlgorithm.allCases.map(\.rawValue)), required: true),
            .init("issuer", .string(.line, length: 1...500), required: true),
            .init("audience", .string(.line, length: 1...500), required: true),
            .init("public_key", .nullable(.string(.text, length: 1...10000)), required: true, "Null for HS256."),
            .init("created_at", .string(.instant), required: true),
        ]))

    static let channel = JSONComponent(
        name: "Channel",
        schema: .object([
            .init("channel", .oneOf(ChannelSettings.channels), required: true),
            .init(
                "settings", .anyObject, required: true, "As they were set, without secrets.",
                example: .json(#"{"team_id":"ABCDE12345","key_id":"KEY1234567","topic":"com.example.app"}"#)),
            .init("created_at", .string(.instant), required: true),
            .init("updated_at", .string(.instant), required: true),
            .init(
                "checked_at", .nullable(.string(.instant)), required: true,
                "When the provider last took a message, or refused the credentials."),
            .init(
                "error", .nullable(.string(.line, length: 1...2000)), required: true, "Why it refused them.",
                example: .null),
        ]))

    static let senderProfile = JSONComponent(
        name: "SenderProfile",
        schema: .object([
            .init("ping_time", .string(.timeOfDay), required: true, "Local to time_zone."),
            .init("time_zone", .string(.line), required: true),
            .init("grace_minutes", .integer(5...719), required: true),
            .init("reminder_minutes", .integer(1...718), required: true),
            .init("code", .string(.code), required: true, "The permanent code as a sender."),
            .init("created_at", .string(.instant), required: true),
            .init("updated_at", .string(.instant), required: true),
        ]))

    static let receiverProfile = JSONComponent(
        name: "ReceiverProfile",
        schema: .object([
            .init("code", .string(.code), required: true, "The permanent code as a receiver."),
            .init("subscription_status", .oneOf(Endpoint.subscriptionStatuses), required: true),
            .init("subscription_expires_at", .nullable(.string(.instant)), required: true),
            .init(
                "pings_stop_at", .nullable(.string(.instant)), required: true,
                "When pings to this receiver stop or stopped, because the subscription has lapsed."),
            .init("created_at", .string(.instant), required: true),
            .init("updated_at", .string(.instant), required: true),
        ]))

    static let code = JSONComponent(
        name: "Code",
        schema: .object([
            .init("code", .string(.code), required: true),
            .init("role", .oneOf(Endpoint.roles), required: true, "The role in which its owner has it."),
            .init("permanent", .boolean, required: true),
            .init("expires_at", .nullable(.string(.instant)), required: true),
        ]))

    static let codePreview = JSONComponent(
        name: "CodePreview",
        schema: .object([
            .init("role", .oneOf(Endpoint.roles), required: true, "The role that the caller would take."),
            .init(
                "counterpart", .object([.init("display_name", .string(.line), required: true)]), required: true),
        ]))

    static let device = JSONComponent(
        name: "Device",
        schema: .object([
            .init("platform", .oneOf(Endpoint.platforms), required: true),
            .init("token", .string(.opaque, length: 1...TextFormat.longestOpaque), required: true),
            .init("environment", .oneOf(Endpoint.environments), required: true),
            .init("created_at", .string(.instant), required: true),
            .init("last_seen_at", .string(.instant), required: true),
        ]))

    static let block = JSONComponent(
        name: "Block",
        schema: .object([
            .init(
                "user",
                .object([
                    .init("id", .string(.uuid), required: true),
                    .init("display_name", .string(.line), required: true),
                ]), required: true),
            .init("created_at", .string(.instant), required: true),
        ]))

    static let quietHours = JSONComponent(
        name: "QuietHours",
        schema: .object([
            .init("from", .string(.timeOfDay), required: true, "Local to the account's time zone."),
            .init("until", .string(.timeOfDay), required: true, "The next day's where it is earlier than from."),
        ]))

    static let notificationPreferences = JSONComponent(
        name: "NotificationPreferences",
        schema: .object([
            .init(
                "preferences",
                .array(
                    of: .object([
                        .init("type", .string(.line), required: true),
                        .init("channels", .array(of: .oneOf(Endpoint.channels), count: 0...3), required: true),
                    ]), count: 0...100), required: true)
        ]))

    static let importResult = JSONComponent(
        name: "ImportResult",
        schema: .object([
            .init("line", .integer(1...10_000_000), required: true, "Of the request, from 1."),
            .init("status", .integer(200...599), required: true, "As if the user had been put alone."),
            .init("id", .string(.uuid), "The user's, where it is there."),
            .init("problem", .component(.problem), "Where it was refused.", example: .leftOut),
        ]))

    static let ping = JSONComponent(
        name: "Ping",
        schema: .object([
            .init("id", .string(.uuid), required: true),
            .init("connection_id", .string(.uuid), required: true),
            .init("date", .string(.date), required: true, "The sender's local date."),
            .init(
                "status", .oneOf(["scheduled", "due", "completed", "missed", "completed_late", "cancelled"]),
                required: true),
            .init("scheduled_at", .string(.instant), required: true),
            .init("deadline_at", .string(.instant), required: true),
            .init("completed_at", .nullable(.string(.instant)), required: true),
        ]))

    static let `break` = JSONComponent(
        name: "Break",
        schema: .object([
            .init("from", .string(.date), required: true, "The first local date without a ping."),
            .init("until", .string(.date), required: true, "The last one."),
        ]))

    static let connection = JSONComponent(
        name: "Connection",
        schema: .object([
            .init("id", .string(.uuid), required: true),
            .init("role", .oneOf(Endpoint.roles), required: true, "The caller's role in it."),
            .init("status", .oneOf(["pending", "active", "paused", "deleted"]), required: true),
            .init(
                "counterpart",
                .object([
                    .init("id", .string(.uuid), required: true),
                    .init("display_name", .string(.line), required: true),
                ]), required: true),
            .init("sender_id", .string(.uuid), required: true),
            .init("receiver_id", .string(.uuid), required: true),
            .init("created_at", .string(.instant), required: true),
            .init("updated_at", .string(.instant), required: true),
            .init("today_ping", .nullable(.component(.ping)), required: true),
            .init("last_check_in_at", .nullable(.string(.instant)), required: true),
            .init("break", .nullable(.component(.break)), required: true, "The sender's current or coming one."),
            .init(
                "suspended_reason", .nullable(.oneOf(["subscription"])), required: true,
                "Why there are no pings although the status may be active: the receiver's subscription has lapsed."),
            .init("reactivated", .boolean, "Only where a removed connection came back.", example: .leftOut),
        ]))

    static let invitationRecipient = JSONComponent(
        name: "InvitationRecipient",
        schema: .object([
            .init("n", .integer(1...1000), required: true, "The place in the list, from 1."),
            .init("name", .string(.line)),
            .init("phone", .string(.anything), required: true, "E.164; as it was given where it is unusable."),
            .init("sms_url", .string(.anything, length: 0...10_000), "Opens the message in the phone's own app."),
            .init("status", .oneOf(Endpoint.recipientStatuses), required: true),
            .init("error", .string(.line), "Why there is no message to this person.", example: .leftOut),
        ]))

    static let connectionInvitation = JSONComponent(
        name: "ConnectionInvitation",
        schema: .object(
            invitationMembers + [
                .init(
                    "recipients", .array(of: .component(.invitationRecipient), count: 1...1000), required: true)
            ]))

    static let connectionInvitationSummary = JSONComponent(
        name: "ConnectionInvitationSummary",
        schema: .object(
            invitationMembers + [
                .init("recipient_count", .integer(1...1000), required: true),
                .init("statuses", .anyObject, required: true, "How many recipients stand how."),
            ]))

    private static let invitationMembers: [JSONSchema.Property] = [
        .init("id", .string(.uuid), required: true),
        .init("message", .string(.line, length: 1...2000), required: true, "What everybody invited gets to read."),
        .init("code", .string(.code), required: true, "My permanent code as a sender."),
        .init("url", .string(.line, length: 1...600), required: true, "The join link with the code."),
        .init("created_at", .string(.instant), required: true),
    ]

    static let dashboard = JSONComponent(
        name: "Dashboard",
        schema: .object([
            .init("role", .oneOf(Endpoint.roles), required: true),
            .init("date", .string(.date), required: true),
            .init("items", .array(of: .component(.connection), count: 0...100_000), required: true),
            .init("open_pings", .integer(0...1_000_000), required: true),
            .init(
                "deadline_at", .nullable(.string(.instant)), required: true, "The first deadline among the open pings."),
        ]))

    static let checkIn = JSONComponent(
        name: "CheckIn",
        schema: .object([
            .init("completed", .integer(0...1_000_000), required: true, "Pings completed in time."),
            .init("late", .integer(0...1_000_000), required: true, "Missed pings completed late."),
            .init("pings", .array(of: .component(.ping), count: 0...1_000_000), required: true),
        ]))

    static let notification = JSONComponent(
        name: "Notification",
        schema: .object([
            .init("id", .string(.uuid), required: true),
            .init("type", .string(.line), required: true),
            .init("title", .string(.line), required: true),
            .init("body", .string(.text, length: 0...2000), required: true),
            .init("data", .anyObject, required: true),
            .init("created_at", .string(.instant), required: true),
            .init("sent_at", .nullable(.string(.instant)), required: true),
            .init("delivery_status", .oneOf(["queued", "sent", "failed", "dropped"]), required: true),
            .init("read_at", .nullable(.string(.instant)), required: true),
        ]))
}

extension JSONSchema {
    /// A page of a list.
    static func list(of component: JSONComponent, and more: [Property] = []) -> JSONSchema {
        .object(
            [
                .init("items", .array(of: .component(component), count: 0...200), required: true),
                .init("next_cursor", .nullable(.string(.line)), required: true, "Null on the last page."),
            ] + more)
    }
}
