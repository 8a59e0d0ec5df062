internal import Postgres

extension Examination {
    /// Reports a database that was restored or copied and that nobody has confirmed, and what the lost time of the last
    /// restore means.
    mutating func examineRestores(_ session: PostgresSession) {
        report(
            rows(
                session,
                """
                select format('the database was restored to %s, or copied then: nobody is told anything until that is confirmed',
                    internal.instant(coalesce(
                      (select restored_to from admin.incarnations where is_current), (select max(beat_at) from kith.heartbeats)
                    ))),
                  'deploy/README.md, Back-up and restore: kith psql -c "select * from admin.confirm_restore(''UNTIL WHEN THE PREVIOUS ONE SERVED'', '
                    || 'SIGN EVERYBODY OUT: true OR false, ''REASON'')", or, if it has everything, '
                    || 'kith psql -c "select admin.confirm_nothing_lost(''REASON'')"'
                where internal.awaits_confirmation()
                """),
            none: "restores: none waits to be confirmed", more: "restores that wait to be confirmed",
            in: "admin.incarnations")
        let lost = rows(
            session,
            """
            select format('restores: what happened from %s to %s is lost', internal.instant(restored_to), internal.instant(served_until)),
              'acts of that time have not happened: repeat what must not come back, such as ended keys, deleted accounts, and removed '
                || 'nominees (deploy/README.md, Back-up and restore)'
            from admin.incarnations where served_until > now() - interval '30 days' order by served_until desc limit 1
            """)
        for (what, meaning) in lost { note("\(what); \(meaning)") }
    }
}
