extension LimitChapter {
    static let connections = LimitChapter(
        name: "connections",
        limits: [
            Limit(
                "connections of one user in one role, including removed ones", "{0}",
                [
                    LimitReading(
                        "sql/connections/internal.connections.sql", "offset ([0-9]+) limit 1\n    \\);", adding: 1)
                ],
                "{quota_exceeded}", refusedIn: "sql/connecting/api.connections.sql",
                bounds: ["{0} connections per user and role, including removed ones."]),
            Limit(
                "six-digit codes of one tenant, including those that ended in the last {1} days",
                "{0}; every sender and every receiver has one",
                [codeSpace, keptCodes, LimitReading(codes, "for v_try in 1 \\.\\. ([0-9]+) loop")],
                """
                {quota_exceeded} if {2} random codes in a row are taken. `admin.code_space` and `kith doctor` warn when half \
                are given out.
                """),
            Limit(
                "codes of one user, including those that ended in the last {1} days", "{0}",
                [LimitReading(codes, "select count\\(\\*\\) >= ([0-9]+)\n"), keptCodes], "{quota_exceeded}",
                bounds: ["{0} codes per user. Ended codes count for {1} days."]),
            Limit(
                "codes tried by one user",
                "{0} misses or {1} attempts an hour; a refused attempt counts as a miss",
                [
                    LimitReading(
                        codes, "outcome <> 'found'\n        order by attempted_at desc offset ([0-9]+) limit 1",
                        adding: 1),
                    LimitReading(
                        codes, "attempted_at > v_since\n        order by attempted_at desc offset ([0-9]+) limit 1",
                        adding: 1),
                ], "{too_many_requests}", bounds: ["{1} attempts per user per hour, {0} of which may miss."]),
            Limit(
                "missed codes in one tenant", "{0} an hour", [.setting("code_misses_per_hour")],
                "{too_many_requests}, but only for accounts younger than a day",
                changedBy: [.setting("code_misses_per_hour")], refusedIn: codes),
            Limit(
                "people invited by one user in one call", "{0}",
                [
                    LimitReading(
                        "Sources/API/Connections/Endpoint+invitations.swift",
                        "\\.array\\(of: \\.component\\(\\.newRecipient\\), count: 1\\.\\.\\.([0-9]+)\\)")
                ], "{validation_failed}", refusedIn: refusals),
            Limit(
                "people invited by one user", "{0} in 24 hours",
                [LimitReading("sql/connections/internal.invitations.sql", "p_recipients > ([0-9]+);")],
                "{too_many_requests}", refusedIn: "sql/connections/internal.invitations.sql",
                bounds: ["{0} people invited per user in 24 hours."]),
            Limit(
                "invitations by SMS of one tenant", "{0} in a UTC day", [.setting("sms_invitations_per_day")],
                "{too_many_requests}", changedBy: [.setting("sms_invitations_per_day")],
                refusedIn: "sql/connections/internal.invitations.sql"),
            Limit(
                "invitations by SMS to one number", "{0} in 24 hours", [.code("invitations_to_number_a_day")],
                "nothing is sent, and the app offers the text to the sender"),
            Limit(
                "pauses and resumes of one connection", "{0} an hour",
                [
                    LimitReading(
                        "sql/notifications/internal.notify_connection.sql", "offset ([0-9]+) limit 1", adding: 1)
                ],
                "{too_many_requests}", bounds: ["{0} times per connection per hour."]),
            Limit(
                "breaks that one user begins or changes", "{0} an hour",
                [LimitReading("sql/pings/internal.breaks.sql", "offset ([0-9]+) limit 1", adding: 1)],
                "{too_many_requests}", bounds: ["{0} breaks begun or changed per hour."]),
            Limit(
                "days of a break", "{0}",
                [
                    LimitReading(
                        "sql/schema.sql", "CONSTRAINT breaks_are_at_most_90_days CHECK \\(\\(\\(.* < ([0-9]+)\\)\\)")
                ],
                "{validation_failed}", refusedIn: refusals),
            Limit(
                "test messages of one connection", "{0} in 24 hours, one an hour",
                [LimitReading("sql/connecting/api.connection_tests.sql", "having count\\(\\*\\) = ([0-9]+);")],
                "{too_many_requests}", bounds: ["{0} per connection in 24 hours, one an hour."]),
        ])

    private static let codes = "sql/connections/internal.codes.sql"
    private static let codeSpace = LimitReading(codes, "::bit\\(48\\)::bigint % ([0-9]+)\\)::text")
    private static let keptCodes = LimitReading(codes, "p_rotated_at\\) < p_now - interval '([0-9]+) days'")
}
