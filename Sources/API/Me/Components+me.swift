internal import Delivery
internal import JSON

extension JSONComponent {
    static let senderProfile = JSONComponent(
        name: "SenderProfile",
        schema: .object([
            .init("ping_time", .string(.timeOfDay), required: true, "Local time in time_zone."),
            .init("time_zone", .string(.line), required: true),
            .init(
                "has_own_time_zone", .boolean, required: true,
                "Whether time_zone differs from the account's. If not, it follows the account's."),
            .init("grace_minutes", .integer(5...719), required: true),
            .init("reminder_minutes", .integer(1...718), required: true, "The minutes of the last reminder."),
            .init(
                "reminders", .array(of: .component(.reminder), count: 1...4), required: true,
                "My reminders before the deadline, the earliest first. Quiet hours leave out all but the last one."),
            .init(
                "share_phone", .boolean, required: true,
                "Whether receivers see my phone number beside a missed ping and in my alarms."),
            .init("code", .string(.code), required: true, "The user's permanent code as a sender."),
            .init("created_at", .string(.instant), required: true),
            .init("updated_at", .string(.instant), required: true),
        ]))

    static let reminder = JSONComponent(
        name: "Reminder",
        schema: .object([
            .init(
                "before_minutes", .integer(1...718), required: true,
                "The minutes between the reminder and the deadline; less than grace_minutes.", example: 60),
            .init(
                "channels", .array(of: .component(.notificationChannel), count: 1...4),
                "The channels of this reminder. Left out: those that I have chosen for ping_reminder."),
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
            .init(
                "vaults", .array(of: .component(.blockVault), count: 0...200), required: true,
                "My vaults to which the user still has access. A block does not end it: revoke the nominee."),
        ]))

    private static let blockVault = JSONComponent(
        name: "BlockVault",
        schema: .object([
            .init("id", .string(.uuid), required: true),
            .init("name", Endpoint.vaultName, required: true, example: "Family papers"),
            .init("nominee_id", .string(.uuid), required: true),
            .init("status", .component(.nomineeStatus), required: true),
            .init("access_level", .component(.accessLevel), required: true),
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

    /// The preferences, and what else decides about my messages.
    static let notificationSettings = JSONComponent(
        name: "NotificationSettings",
        schema: .object([
            .init(
                "preferences", .array(of: .component(.notificationPreference), count: 0...100), required: true),
            .init(
                "types", .array(of: .component(.notificationType), count: 0...100), required: true,
                "What I can choose for each type of notification, in the same order."),
            .init(
                "alarm_ways",
                .nullable(.array(of: .array(of: .component(.notificationChannel), count: 1...4), count: 0...5)),
                required: true,
                """
                On which channels of mine an alarm reaches me: first those of the alarm itself, then those of each \
                repeat, which is louder. Empty if Kith cannot reach me. Null where the tenant's own server tells me.
                """,
                example: .json("[[\"push\",\"email\"],[\"sms\"]]")),
            .init(
                "texts_stopped_at", .nullable(.string(.instant)), required: true,
                """
                Since when my phone gets no text messages, sign-in codes included, because it answered STOP. Null if \
                it does. Answering START ends it.
                """
            ),
        ]))

    static let notificationPreference = JSONComponent(
        name: "NotificationPreference",
        schema: .object([
            .init("type", .string(.line), required: true),
            .init(
                "channels", .array(of: .component(.notificationChannel), count: 0...4), required: true,
                "Some of those that NotificationType has for the type."),
        ]))

    static let notificationType = JSONComponent(
        name: "NotificationType",
        schema: .object([
            .init("type", .string(.line), required: true),
            .init(
                "channels", .array(of: .component(.notificationChannel), count: 1...4), required: true,
                "The channels that can be chosen. voice is among them for questions and alarms."),
            .init(
                "default_channels", .array(of: .component(.notificationChannel), count: 1...4), required: true,
                "The channels without a choice."),
            .init(
                "is_alarm", .boolean, required: true,
                "Whether it is about somebody who may need help, so that it must reach me somehow."),
            .init(
                "can_be_off", .boolean, required: true,
                "Whether no channel may be chosen. A type that goes through quiet hours keeps one."),
        ]))
}
