/// The API's values, as named schemas of the OpenAPI document.
extension JSONComponent {
    static let user = JSONComponent(
        name: "User",
        schema: .object([
            .init("id", .string(.uuid), required: true),
            .init(
                "external_id", .nullable(.string(.line)),
                "The tenant's own id for the user. Only the tenant's server sees it."),
            .init("display_name", .nullable(.string(.line)), required: true),
            .init("phone", .nullable(.string(.phone)), required: true, "E.164."),
            .init("email", .nullable(.string(.email)), required: true),
            .init("phone_verified", .boolean, required: true, "Whether the user has confirmed it with a code."),
            .init("email_verified", .boolean, required: true),
            .init(
                "pending_phone", .nullable(.string(.phone)), required: true,
                "The new contact that the user has asked for. It takes effect once the code sent to it is verified."),
            .init("pending_email", .nullable(.string(.email)), required: true),
            .init("time_zone", .string(.line), required: true, "An IANA time zone name."),
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
                    "The host that serves the tenant's pages. Only the operator can change it and the following limits."
                ),
                .init("user_quota", .integer(1...100_000_000), required: true),
                .init("code_misses_per_hour", .integer(10...1_000_000), required: true),
                .init(
                    "vault_quota_mib", .integer(1...1_048_576), required: true,
                    "The size of documents that a vault can hold, in MiB."),
                .init("sms_enabled", .boolean, required: true, "Whether Kith sends text messages for the tenant."),
                .init("sms_codes_per_day", .integer(0...10_000_000), required: true),
                .init("sms_codes_per_country_per_day", .integer(0...10_000_000), required: true),
                .init("sms_codes_per_number_per_day", .integer(1...100), required: true),
                .init("sms_invitations_per_day", .integer(0...10_000_000), required: true),
                .init(
                    "sms_notifications_per_user_per_day", .integer(0...10_000), required: true,
                    "The most text messages that one user gets in 24 hours, of those that respect quiet hours. Further ones appear in the app only."
                ),
            ] + Endpoint.tenantSettings))

    static let accessToken = JSONComponent(
        name: "AccessToken",
        schema: .object([
            .init("access_token", .string(.line, length: 1...4096), required: true),
            .init("token_type", .oneOf(["Bearer"]), required: true),
            .init("expires_in", .integer(1...86400), required: true, "Lifetime in seconds."),
        ]))

    static let signIn = JSONComponent(
        name: "SignIn",
        schema: .object([
            .init("access_token", .string(.line, length: 1...4096), required: true),
            .init("refresh_token", .string(.line), required: true, "Valid for one use, and for 60 days."),
            .init("token_type", .oneOf(["Bearer"]), required: true),
            .init("expires_in", .integer(1...86400), required: true, "Lifetime of the access token in seconds."),
            .init("user", .component(.user), required: true),
        ]))

    static let oneTimeCodeChallenge = JSONComponent(
        name: "OneTimeCodeChallenge",
        schema: .object([.init("challenge_id", .string(.uuid), required: true, "Send it back with the code.")]))

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

    static let channel = JSONComponent(
        name: "Channel",
        schema: .object([
            .init("channel", .component(.channelName), required: true),
            .init(
                "settings", .anyObject, required: true, "The settings, without secrets.",
                example: .json(#"{"team_id":"ABCDE12345","key_id":"KEY1234567","topic":"com.example.app"}"#)),
            .init("created_at", .string(.instant), required: true),
            .init("updated_at", .string(.instant), required: true),
            .init(
                "checked_at", .nullable(.string(.instant)), required: true,
                "When the provider last accepted a message, or refused the credentials."),
            .init(
                "error", .nullable(.string(.line, length: 1...2000)), required: true,
                "Why the provider refused the credentials.",
                example: .null),
        ]))

    static let senderProfile = JSONComponent(
        name: "SenderProfile",
        schema: .object([
            .init("ping_time", .string(.timeOfDay), required: true, "Local time in time_zone."),
            .init("time_zone", .string(.line), required: true),
            .init("grace_minutes", .integer(5...719), required: true),
            .init("reminder_minutes", .integer(1...718), required: true),
            .init("code", .string(.code), required: true, "The user's permanent code as a sender."),
            .init("created_at", .string(.instant), required: true),
            .init("updated_at", .string(.instant), required: true),
        ]))

    static let receiverProfile = JSONComponent(
        name: "ReceiverProfile",
        schema: .object([
            .init("code", .string(.code), required: true, "The user's permanent code as a receiver."),
            .init("subscription_status", .component(.subscriptionStatus), required: true),
            .init("subscription_expires_at", .nullable(.string(.instant)), required: true),
            .init(
                "pings_stop_at", .nullable(.string(.instant)), required: true,
                "When pings to this receiver stop, or stopped, because the subscription lapsed."),
            .init("created_at", .string(.instant), required: true),
            .init("updated_at", .string(.instant), required: true),
        ]))

    static let subscription = JSONComponent(
        name: "Subscription",
        schema: .object([
            .init("status", .component(.subscriptionStatus), required: true),
            .init("expires_at", .nullable(.string(.instant)), required: true),
        ]))

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

    static let device = JSONComponent(
        name: "Device",
        schema: .object([
            .init("platform", .component(.devicePlatform), required: true),
            .init("token", .string(.opaque, length: 1...TextFormat.longestOpaque), required: true),
            .init("environment", .component(.deviceEnvironment), required: true),
            .init("created_at", .string(.instant), required: true),
            .init("last_seen_at", .string(.instant), required: true),
        ]))

    /// The keys of a Web Push subscription.
    static let webPushKeys = JSONComponent(
        name: "WebPushKeys",
        schema: .object([
            .init("p256dh", .string(.opaque), required: true), .init("auth", .string(.opaque), required: true),
        ]))

    /// The tenant's key for Web Push.
    static let webPushKey = JSONComponent(
        name: "WebPushKey",
        schema: .object([
            .init(
                "public_key", .string(.opaque), required: true, "The applicationServerKey.",
                example:
                    "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8")
        ]))

    static let block = JSONComponent(
        name: "Block",
        schema: .object([
            .init("user", .component(.personName), required: true),
            .init("created_at", .string(.instant), required: true),
        ]))

    static let quietHours = JSONComponent(
        name: "QuietHours",
        schema: .object([
            .init("from", .string(.timeOfDay), required: true, "Local time in the account's time zone."),
            .init("until", .string(.timeOfDay), required: true, "On the next day if it is earlier than from."),
        ]))

    static let notificationPreferences = JSONComponent(
        name: "NotificationPreferences",
        schema: .object([
            .init(
                "preferences", .array(of: .component(.notificationPreference), count: 0...100), required: true)
        ]))

    static let notificationPreference = JSONComponent(
        name: "NotificationPreference",
        schema: .object([
            .init("type", .string(.line), required: true),
            .init(
                "channels", .array(of: .component(.notificationChannel), count: 0...3), required: true),
        ]))

    static let importResult = JSONComponent(
        name: "ImportResult",
        schema: .object([
            .init("line", .integer(1...10_000_000), required: true, "The line of the request, counted from 1."),
            .init(
                "status", .integer(200...599), required: true, "The status that this user alone would have answered."),
            .init("id", .string(.uuid), "The user's id, if the user exists."),
            .init("problem", .component(.problem), "Present if the line was refused.", example: .leftOut),
        ]))

    static let ping = JSONComponent(
        name: "Ping",
        schema: .object([
            .init("id", .string(.uuid), required: true),
            .init("connection_id", .string(.uuid), required: true),
            .init("date", .string(.date), required: true, "The sender's local date."),
            .init("status", .component(.pingStatus), required: true),
            .init("scheduled_at", .string(.instant), required: true),
            .init("deadline_at", .string(.instant), required: true),
            .init("completed_at", .nullable(.string(.instant)), required: true),
        ]))

    static let `break` = JSONComponent(
        name: "Break",
        schema: .object([
            .init("from", .string(.date), required: true, "The first local date without a ping."),
            .init("until", .string(.date), required: true, "The last local date without a ping."),
        ]))

    static let connection = JSONComponent(
        name: "Connection",
        schema: .object([
            .init("id", .string(.uuid), required: true),
            .init("role", .component(.role), required: true, "The caller's role in the connection."),
            .init("status", .component(.connectionStatus), required: true),
            .init("counterpart", .component(.personName), required: true),
            .init("sender_id", .string(.uuid), required: true),
            .init("receiver_id", .string(.uuid), required: true),
            .init("created_at", .string(.instant), required: true),
            .init("updated_at", .string(.instant), required: true),
            .init("today_ping", .nullable(.component(.ping)), required: true),
            .init("last_check_in_at", .nullable(.string(.instant)), required: true),
            .init("break", .nullable(.component(.break)), required: true, "The sender's current or upcoming break."),
            .init(
                "suspended_reason", .nullable(.oneOf(["subscription"])), required: true,
                "Why there are no pings even if the status is active: the receiver's subscription has lapsed."),
            .init("reactivated", .boolean, "Present if a removed connection was brought back.", example: .leftOut),
        ]))

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
        ]))

    /// A person to invite.
    static let newRecipient = JSONComponent(
        name: "NewRecipient",
        schema: .object([
            .init("name", .nullable(.string(.line, length: 1...100))),
            .init(
                "phone", .string(.anything, length: 0...100), required: true,
                "In international format, or in the format of my own country."),
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

    static let dashboard = JSONComponent(
        name: "Dashboard",
        schema: .object([
            .init("role", .component(.role), required: true),
            .init("date", .string(.date), required: true),
            .init("items", .array(of: .component(.connection), count: 0...100_000), required: true),
            .init("open_pings", .integer(0...1_000_000), required: true),
            .init(
                "deadline_at", .nullable(.string(.instant)), required: true, "The earliest deadline of the open pings."),
        ]))

    static let checkIn = JSONComponent(
        name: "CheckIn",
        schema: .object([
            .init("completed", .integer(0...1_000_000), required: true, "The number of pings completed in time."),
            .init("late", .integer(0...1_000_000), required: true, "The number of missed pings completed late."),
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
            .init("delivery_status", .component(.deliveryStatus), required: true),
            .init("read_at", .nullable(.string(.instant)), required: true),
        ]))
}

extension JSONSchema {
    /// The schema of one page of a list, named after its items.
    static func list(of component: JSONComponent, and more: [Property] = []) -> JSONSchema {
        .component(
            JSONComponent(
                name: component.name + "Page",
                schema: .object(
                    [
                        .init("items", .array(of: .component(component), count: 0...200), required: true),
                        .init("next_cursor", .nullable(.string(.line)), required: true, "Null on the last page."),
                    ] + more)))
    }
}
