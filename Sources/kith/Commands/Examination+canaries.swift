internal import Postgres

extension Examination {
    /// Reports canaries that have died: an alarm of their tenant may reach nobody on that channel.
    mutating func examineCanaries(_ session: PostgresSession) {
        let what = "channels that a canary watches"
        guard let watched = count(what, session, "select count(*)::integer from admin.canaries"), watched > 0 else {
            return note("canaries: none; nobody knows that a tenant's alarms arrive: kith canary set TENANT")
        }
        report(
            rows(
                session,
                """
                select format('canary of %s on %s: %s%s%s', tenant, channel,
                    case state when 'overdue' then format('overdue for %s', date_trunc('second', overdue)) else 'its newest run died' end,
                    case when missing_leg is not null then format(', not %s', case missing_leg when 'alarm' then 'alarmed' else missing_leg end) end,
                    ': ' || error),
                  format('kith canary show %s; the worker, the channel and whoever answers, in this order: deploy/README.md, The canary', tenant)
                from admin.canaries where state in ('overdue', 'died') order by tenant, channel
                """),
            none: "canaries: each of \(watched) is alive", more: "canaries that have died", in: "admin.canaries")
    }
}
