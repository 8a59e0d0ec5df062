internal import Postgres

extension Examination {
    /// Reports the alarms of which nobody knows: the people who should look were not told, and neither was the tenant's
    /// desk. Of those that one person knows, others may not: `examineAlarms` counts their messages.
    mutating func examineUntoldAlarms(_ session: PostgresSession) {
        report(
            rows(
                session,
                """
                select format('alarm %s of %s (%s, user %s) is known to nobody, since %s', id, tenant, kind, sender_id, internal.instant(opened_at)),
                  format('reach this person, or tell the tenant; if the worker is behind: kith worker; when it is over: kith psql -c "select admin.end_alarm(%L, %L, ''reached'')"', tenant, id)
                from internal.untold_alarms(now())
                """),
            none: "open alarms: each has reached one of its people, or the tenant's desk",
            more: "alarms that nobody knows of", in: "internal.untold_alarms(now())")
    }
}
