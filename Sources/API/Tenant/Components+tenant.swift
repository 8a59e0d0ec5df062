internal import JSON

extension JSONComponent {
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
                .init(
                    "sms_enabled", .boolean, required: true,
                    """
                    Whether the operator lets the tenant's users have invitations to connect sent by text message \
                    (P17). Codes and notifications do not depend on it.
                    """
                ),
                .init("sms_codes_per_day", .integer(0...10_000_000), required: true),
                .init("sms_codes_per_country_per_day", .integer(0...10_000_000), required: true),
                .init("sms_codes_per_number_per_day", .integer(1...100), required: true),
                .init("sms_invitations_per_day", .integer(0...10_000_000), required: true),
                .init(
                    "sms_notifications_per_user_per_day", .integer(0...10_000), required: true,
                    """
                    The most text messages that one user gets in 24 hours, of those that respect quiet hours. \
                    Further ones appear in the app only.
                    """
                ),
                .init(
                    "retention_days", .integer(30...3650), required: true,
                    "How many days feedback and ended requests for emergency access are kept."),
                .init(
                    "ping_retention_days", .integer(90...3650), required: true,
                    "How many days pings and check-ins are kept."),
                .init("notification_retention_days", .integer(90...3650), required: true),
                .init(
                    "history_retention_days", .integer(365...3650), required: true,
                    "How many days the access history of vaults is kept."),
                .init("audit_retention_days", .integer(365...3650), required: true),
                .init(
                    "delivery_retention_days", .integer(7...365), required: true,
                    """
                    How many days messages that were sent or given up are kept, with the addresses that they went \
                    to.
                    """),
                .init(
                    "brand_mark", .nullable(.string(.opaque)), required: true,
                    "The path of the picture beside the brand's name, which anybody may read; null if there is none.",
                    example: "/assets/mark-acme-256-1f0c6b7a9d2e4c58.png"),
            ] + Endpoint.tenantSettings))

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
                "When the provider last accepted a message, or a try last failed."),
            .init(
                "error", .nullable(.string(.line, length: 1...2000)), required: true,
                """
                Why the last try failed: what the provider answered, or why it could not be reached. Null once it \
                accepts a message again.
                """,
                example: .null),
        ]))
}
