extension LimitChapter {
    static let checkInsAndAlarms = LimitChapter(
        name: "check-ins and alarms",
        limits: [
            Limit(
                "check-ins of one user that are stored with their notes", "{0} in 24 hours",
                [LimitReading("sql/check_ins/api.check_in.sql", "select count\\(\\*\\) < ([0-9]+)\n")],
                "none: every check-in counts, but beyond the limit its row is not stored",
                bounds: ["The notes of {0} check-ins per user are kept in 24 hours."]),
            Limit(
                "characters of a note", "{0}",
                [LimitReading("sql/schema.sql", "CONSTRAINT notes_are_short CHECK .* <= ([0-9]+)\\)\\)\\);")],
                "{validation_failed}; that of a call for help is cut", refusedIn: refusals),
            Limit(
                "reminders of one sender's ping", "{0}",
                [LimitReading("sql/schema.sql", "CONSTRAINT reminders_are_few CHECK .* <= ([0-9]+)\\)\\)\\)\\);")],
                "{validation_failed}", refusedIn: refusals),
            Limit(
                "things of one user", "{0}",
                [LimitReading("sql/things/api.signs.sql", "count\\(\\*\\) >= ([0-9]+) ")], "{quota_exceeded}",
                bounds: ["{0} things per user."]),
            Limit(
                "reports of one thing (`/s/…`) that has reported to this server before; they do not count by address",
                "{0} a second, {1} at once, on each server",
                [
                    LimitReading(rates, "thingLimit = Limit\\(rate: ([0-9_]+),"),
                    LimitReading(rates, "thingLimit = Limit\\(rate: [0-9_]+, burst: ([0-9_]+)\\)"),
                ], "{too_many_requests}", refusedIn: limiters),
            Limit(
                "answers by SMS to one phone number", "{0} in 24 hours; what can be answered, at most once an hour",
                [LimitReading("sql/answers/internal.answers.sql", "known\\.answers < ([0-9]+) ")],
                "none: what the person said counts, but it is not answered"),
            Limit(
                "tiers of one sender's plan", "{0}",
                [.most("alarm_plans_tiers_are_few", of: "cardinality(after_minutes)")], "{validation_failed}",
                refusedIn: refusals),
            Limit(
                "repeats of one alarm that a plan has", "{0}",
                [.most("alarm_plans_repeats_are_few", of: "cardinality(repeat_minutes)")], "{validation_failed}",
                refusedIn: refusals),
            Limit(
                "questions \"Are you OK?\" on one connection", "{0} in 24 hours, one at a time",
                [LimitReading("sql/alarms/api.asks.sql", "having count\\(\\*\\) = ([0-9]+);")],
                "{too_many_requests}; {invalid_transition} while one is open",
                bounds: ["{0} questions per connection in 24 hours, and one at a time."]),
            .aDay(
                """
                notes of one user in alarms; to take or end one is never refused, and giving back and opening again count for \
                themselves
                """, "alarm", bounds: ["{0} acts in alarms per user per UTC day."]),
            Limit(
                "giving back and opening again, by one user in one alarm", "{0} in 24 hours",
                [LimitReading(acts, "having count\\(\\*\\) = ([0-9]+);")], "{too_many_requests}",
                bounds: [
                    "{0} times per user and alarm in 24 hours, with giving it back.",
                    "{0} times per user and alarm in 24 hours, with opening it again.",
                ]),
            Limit(
                "notes in one alarm", "{0} of each person, {1} of the desk",
                [
                    LimitReading(acts, "case when p_user is null then [0-9]+ else ([0-9]+) end"),
                    LimitReading(acts, "case when p_user is null then ([0-9]+) else [0-9]+ end"),
                ], "{quota_exceeded}", bounds: ["{0} notes per user and alarm."]),
            Limit(
                "notes of one alarm that its taker still has it", "{0}",
                [LimitReading(acts, "count\\(\\*\\) < ([0-9]+) from kith\\.alarm_entries")],
                "none: the time counts, but it is not noted",
                bounds: ["{0} notes per alarm that its taker still has it. It is never refused."]),
            Limit(
                "drills of one user", "one in {0} days",
                [LimitReading("sql/alarms/api.alarm_drill.sql", "p_now - interval '([0-9]+) days'")],
                "{too_many_requests}", bounds: ["One drill per user in {0} days."]),
            Limit(
                "calls for help by one user that are told each",
                """
                {0} in 24 hours, and the first word of each further one; what follows in an open alarm, with the newest note, \
                once in 10 minutes to each receiver
                """, [mostCalls], "none: a call is never refused",
                bounds: [
                    """
                    Beyond {0} calls in 24 hours, the first word of a call still goes to everybody; further calls in an open \
                    alarm are told to each receiver at most once in 10 minutes, and texts and calls go to a number at most once \
                    in 10 minutes.
                    """
                ]),
            Limit(
                "calls for help of one sender by text and call to one number",
                """
                {0} in 24 hours, then at most one in 10 minutes, and of a further word only where nothing else reaches the \
                receiver
                """, [mostCalls],
                "none: the first word of a call that is still open is sent when the 10 minutes are over"),
            Limit(
                "size of one care card", "{0} sections, {1} KiB in all",
                [
                    LimitReading(
                        "Sources/API/Alarms/Components+alarms.swift",
                        "\\.array\\(of: \\.component\\(\\.careSection\\), count: 0\\.\\.\\.([0-9]+)\\)"),
                    LimitReading("Sources/API/Alarms/CareCards.swift", "maximumSize = ([0-9_ <]+)\n", unit: 1024),
                ], "{validation_failed}", refusedIn: refusals),
            .aDay(
                "care cards that one user sees", "card",
                "{0} in a UTC day; within 15 minutes in one alarm they count once"),
        ])

    private static let acts = "sql/alarms/internal.alarm_acts.sql"
    private static let mostCalls = LimitReading("sql/alarms/internal.help_calls.sql", "  select ([0-9]+)\n\\$\\$")
}
