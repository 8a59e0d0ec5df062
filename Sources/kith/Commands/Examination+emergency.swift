internal import Postgres

extension Examination {
    /// Reports the waits for emergency access, those that an operator holds, and grants of which people were told late.
    /// No grant is ever late or early, and a query checks the latter.
    mutating func examineEmergencies(_ session: PostgresSession) {
        let open =
            "select count(*)::integer from admin.emergency_requests where ended_at is null and status = 'waiting'"
        let held = "select count(*)::integer from admin.emergency_requests where ended_at is null and held"
        if let waiting = count("waits for emergency access", session, open),
            let holds = count("holds of emergency access", session, held)
        {
            note("emergency access: \(waiting) waits, \(holds) of the requests are held by an operator")
        }
        report(
            rows(
                session,
                """
                select format('emergency request %s of %s let somebody in before its grant or past its end', id, tenant),
                  format('kith psql -c "select admin.hold_emergency(''%s'', ''%s'', ''early'')", and report a fault of Kith', tenant, id)
                from admin.emergency_requests
                where early and (ended_at is null or ended_at > now() - interval '30 days')
                order by requested_at desc
                """),
            none: "emergency access: nobody was let in early", more: "requests that let somebody in early",
            in: "admin.emergency_requests where early")
        report(
            rows(
                session,
                """
                select format('emergency request %s of %s: people were told of the grant %s late', id, tenant, told_late),
                  'let a worker run at all times: kith worker'
                from admin.emergency_requests where told_late > interval '5 minutes' and grants_at > now() - interval '7 days'
                  and (ended_at is null or ended_at > now() - interval '7 days')
                union all
                select format('emergency request %s of %s: people have not been told of the grant of %s', id, tenant, grants_at),
                  'start a worker: kith worker'
                from admin.emergency_requests
                where ended_at is null and told_late is null and status = 'granted' and grants_at < now() - interval '5 minutes'
                order by 1
                """),
            none: "emergency access: people were told of every grant of the last 7 days in time",
            more: "grants of which people were told late", in: "admin.emergency_requests")
        report(
            rows(
                session,
                """
                select format('emergency request %s of %s stands still: no notice has reached the owner since %s', id, tenant, undelivered_since),
                  format('reach the owner in another way, or repair the channel: kith psql -c "select * from admin.story_of_emergency(%L, %L)"', tenant, id)
                from admin.emergency_requests where undelivered_since is not null and ended_at is null
                order by undelivered_since
                """),
            none: "emergency access: notices reach every owner", more: "waits whose owners cannot be reached",
            in: "admin.emergency_requests where undelivered_since is not null")
    }
}
