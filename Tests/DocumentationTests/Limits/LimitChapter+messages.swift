extension LimitChapter {
    static let messages = LimitChapter(
        name: "messages",
        limits: [
            Limit(
                "notifications by SMS to one user, except those that break through quiet hours",
                "{0} in 24 hours; failed texts do not count", [.setting("sms_notifications_per_user_per_day")],
                "further ones use only the other channels; `admin.dropped_deliveries` counts them",
                changedBy: [.setting("sms_notifications_per_user_per_day")]),
            Limit(
                "webhooks of one tenant", "{0}",
                [LimitReading("sql/webhooks/api.webhooks.sql", "select count\\(\\*\\) >= ([0-9]+) from")],
                "{quota_exceeded}", bounds: ["{0} webhooks."]),
            Limit(
                "days for which an app or a webhook can resume the events that it missed", "{0}",
                [LimitReading("sql/events/internal.events.sql", "p_now - interval '([0-9]+) days' then 'too_old'")],
                "the event `reset`: load everything again"),
            Limit(
                "signed calls to one inbound address, to which a tenant's provider forwards answers",
                "{0} a second, {1} at once, on each server", rate("inboundLimit"), "{too_many_requests}",
                changedBy: [.variable("KITH_INBOUND_LIMIT")], refusedIn: limiters),
        ])

    /// The two numbers of a rate of `APIConfiguration`.
    static func rate(_ name: String) -> [LimitReading] {
        [
            LimitReading(rates, "\(name) = Limit\\(rate: ([0-9_]+),"),
            LimitReading(rates, "\(name) = Limit\\(rate: [0-9_]+, burst: ([0-9_]+)\\)"),
        ]
    }
}
