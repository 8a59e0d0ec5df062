extension LimitChapter {
    static let emergencyAccess = LimitChapter(
        name: "emergency access",
        limits: [
            Limit(
                "waiting period", "{0} hour to {1} hours",
                [
                    LimitReading(
                        "sql/schema.sql", "CONSTRAINT emergency_settings_wait_in_bounds CHECK .*wait_hours >= ([0-9]+)"),
                    .most("emergency_settings_wait_in_bounds", of: "wait_hours"),
                ], "{validation_failed}", refusedIn: refusals),
            Limit(
                "duration of a grant", "{0} hour to {1} hours",
                [
                    LimitReading(
                        "sql/schema.sql",
                        "CONSTRAINT emergency_settings_grant_in_bounds CHECK .*grant_hours >= ([0-9]+)"),
                    .most("emergency_settings_grant_in_bounds", of: "grant_hours"),
                ], "{validation_failed}", refusedIn: refusals),
            Limit(
                "missed days in a row that start a wait", "{0} to {1}",
                [
                    LimitReading(
                        "sql/schema.sql",
                        "CONSTRAINT emergency_settings_days_in_bounds CHECK .*after_missed_days >= ([0-9]+)"),
                    .most("emergency_settings_days_in_bounds", of: "after_missed_days"),
                ], "{validation_failed}", refusedIn: refusals),
            Limit(
                "nominees of one quorum", "{0}",
                [.most("emergency_quorums_can_be_reached", of: "cardinality(nominee_ids)")],
                "{validation_failed}", refusedIn: refusals),
            .aDay(
                "changes of emergency access (who has it, also in an invitation, and quorums) by one user", "right",
                bounds: ["{0} changes of emergency access per user per UTC day."]),
            .aDay("requests by one user", "asking", bounds: ["{0} requests per user per UTC day"]),
            Limit(
                "requests to one vault by one nominee",
                "one open, {0} in 24 hours, and none for 24 hours after a rejection",
                [LimitReading(requestRules, "past\\.cause = 'request'\\)\\)\\[([0-9]+)\\] as third_at")],
                "{too_many_requests}; {invalid_transition} while one is open",
                bounds: ["per nominee one open request by asking, and three in 24 hours."]),
            Limit(
                "withdrawals of requests to one vault by one nominee", "{0} in {1} days",
                [
                    LimitReading(requestRules, "past\\.end_reason = 'withdrawn'\\)\\)\\[([0-9]+)\\] as withdrawn_at"),
                    LimitReading(requestRules, "v_past\\.withdrawn_at > p_now - interval '([0-9]+) days'"),
                ], "{too_many_requests}"),
            Limit(
                "rejections of requests to one vault by one nominee", "{0} in {1} days",
                [
                    LimitReading(endings, "and ([0-9]+) <= \\("),
                    LimitReading(endings, "past\\.ended_at > p_at - interval '([0-9]+) days'"),
                ], "{forbidden} until the owner gives the access anew", refusedIn: requestRules),
            .aDay(
                """
                approvals of requests, and entries, by one user; a rejection, a withdrawal or the end of a right is never \
                refused
                """, "emergency", bounds: ["{0} approvals and entries by emergency access per user per UTC day."]),
            .aDay(
                "rehearsals of emergency access, or of a plan for alarms, by one user", "rehearsal",
                bounds: ["{0} rehearsals per user per UTC day."]),
        ])

    private static let requestRules = "sql/emergency/internal.emergency_requests.sql"
    private static let endings = "sql/emergency/internal.emergency_endings.sql"
    static let refusals = "sql/foundation/internal.refusals.sql"
}
