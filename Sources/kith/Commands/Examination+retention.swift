internal import Postgres

extension Examination {
    /// Reports rows and partitions that are past their retention by more than two days and still there.
    mutating func examineRetention(_ session: PostgresSession) {
        report(
            rows(
                session,
                """
                select format('%s of %s: rows past their retention are deleted %s late', kind, tenant, justify_hours(date_trunc('hour', behind))),
                  'start a worker (kith worker), or look at its log'
                from admin.retention where behind > interval '2 days'
                union all
                select format('the partition %s could be dropped since %s', partition, drops_on),
                  case
                    when owed then 'it has rows that are still owed: look for what waits in admin.undelivered_alarms, admin.delivery_backlog and admin.emergency_requests'
                    else 'start a worker (kith worker), or end what holds it: kith psql -c ''select * from admin.long_transactions'''
                  end
                from admin.partitions where drops_on < current_date - 2
                order by 1
                """),
            none: "retention: nothing is kept for longer than its tenant wants", more: "what is kept for too long",
            in: """
                admin.retention where behind > '2 days'; select * from admin.partitions where drops_on < current_date - 2
                """)
    }
}
