extension LimitChapter {
    static let history = LimitChapter(
        name: "history",
        limits: [
            kept("pings and check-ins", "ping_retention_days"),
            kept("notifications", "notification_retention_days"),
            kept("deliveries of notifications, with the addresses that they went to", "delivery_retention_days"),
            kept("access histories of vaults", "history_retention_days"),
            kept("the audit", "audit_retention_days"),
            kept("feedback, resolved alarms, and ended requests for emergency access", "retention_days"),
            Limit(
                "events", "{0} days",
                [LimitReading("sql/retention/internal.retention.sql", "when 'events' then ([0-9]+)\n")], dropped),
        ])

    private static let dropped = "dropped with the day's partition"

    private static func kept(_ what: String, _ setting: String) -> Limit {
        Limit(what, "{0} days", [.setting(setting)], "deleted", changedBy: [.setting(setting)])
    }
}
