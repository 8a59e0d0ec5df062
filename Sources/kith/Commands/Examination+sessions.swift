internal import Postgres

extension Examination {
    /// Reports transactions that hold up everybody's events, and whether operators can see and end them.
    mutating func examineTransactions(_ session: PostgresSession) {
        let missing = rows(
            session,
            """
            select format('kith_owner is no member of %s, so admin.long_transactions, admin.disk and admin.end_session do not work', role),
              format('kith psql --role postgres -c "grant %s to kith_owner"', role)
            from unnest(array['pg_monitor', 'pg_signal_backend']) as role where not pg_has_role('kith_owner', role, 'usage')
            """)
        for (what, remedy) in missing { note(what, remedy: remedy) }
        report(
            rows(
                session,
                """
                select format('%s has had a transaction open for %s (%s), and holds %s', coalesce(login, 'PostgreSQL'), age, state, holds),
                  case when remedy like 'select %' then format('kith psql -c "%s"', remedy) else remedy end
                from admin.long_transactions where holds is not null and age > interval '30 seconds' order by began_at
                """),
            none: "transactions: none holds events or vacuum back",
            more: "transactions that hold events or vacuum back",
            in: "admin.long_transactions")
    }

    /// Reports servers and workers that fell silent, and clocks that are off.
    mutating func examineInstances(_ session: PostgresSession) {
        report(
            rows(
                session,
                """
                select format('%s %s: %s, last heartbeat at %s, clock ahead by %s', component, instance, state, beat_at, clock_ahead), remedy
                from admin.instances
                where remedy is not null and (state = 'running' or beat_at > now() - interval '1 hour')
                order by state, beat_at desc
                """),
            none: "servers and workers: none fell silent in the last hour, and their clocks are right",
            more: "servers and workers that fell silent, or whose clocks are off", in: "admin.instances")
    }

    /// Reports the loops of workers whose pace an operator has changed.
    mutating func examinePaces(_ session: PostgresSession) {
        guard
            let found = try? session.query(
                "select format('%s: %s', instance, pace) from admin.loops where not is_usual order by 1")
        else { return }
        for row in 0..<found.rowCount { note("KITH_WORKER_LOOPS of worker \(found.string(row, 0) ?? "")") }
        if found.rowCount == 0 { note("the pace of the workers' loops is the usual one") }
    }

    /// Reports pings that nobody was asked for.
    mutating func examinePingsNotMade(_ session: PostgresSession) {
        let sql = "select (api.readiness(now()) ->> 'pings_not_made')::integer"
        guard let lost = count("pings that were not made", session, sql) else { return }
        note(
            "pings of the last 24 hours that were not made: \(lost)",
            remedy: lost == 0
                ? nil
                : """
                their senders were not asked, and nobody hears of a miss: kith psql -c 'select * from \
                admin.ping_gaps where not mended; select * from admin.ping_runs where skipped > 0'; whose they are: \
                select * from admin.pings_not_made('TENANT', 'DATE')
                """
        )
    }
}
