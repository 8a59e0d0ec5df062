internal import Postgres

extension Examination {
    /// Checks whether messages leave Kith, and through which providers.
    mutating func examineDelivery(_ session: PostgresSession, _ configuration: Configuration) {
        let waiting =
            (try? session.query("select coalesce(sum(deliveries), 0)::integer from admin.delivery_backlog").int(0, 0))
            ?? 0
        let means = configuration.delivery ?? .channels
        note(
            "delivery: \(means == .none ? "none" : "configured"), \(waiting) messages wait",
            mend: means == .none && waiting > 0
                ? "nothing sends them: set KITH_DELIVERY for the worker (channels, console, or file:PATH)" : nil)
        examineAlarms(session)
        examineChannels(session, means)
        examineWebhooks(session)
    }

    private mutating func examineAlarms(_ session: PostgresSession) {
        let alarms =
            (try? session.query("select count(*)::integer from admin.undelivered_alarms").int(0, 0)) ?? 0
        note(
            "alarms that reached nobody: \(alarms)",
            mend: alarms == 0
                ? nil
                : "kith psql -c 'select * from admin.undelivered_alarms', reach these people, and end each: admin.resolve_alarm"
        )
    }

    private mutating func examineChannels(_ session: PostgresSession, _ means: Configuration.DeliveryMeans) {
        let wrong = rows(
            session,
            """
            select format('%s of %s is paused: %s', pause.channel, coalesce(tenant.slug, 'every tenant'), pause.reason),
              format('kith psql -c "select admin.resume_channel(''%s'', %s)"', pause.channel, coalesce(quote_literal(tenant.slug), 'null'))
            from kith.channel_pauses as pause left join kith.tenants as tenant on tenant.tenant_id = pause.tenant_id
            union all
            select format('%s of %s: %s', channel, tenant, error),
              format('kith tenant channel test %s %s ADDRESS; kith tenant channel set %1$s %2$s FILE', tenant, channel)
            from admin.channels where error is not null
            order by 1
            """)
        var missing: [(String, String)] = []
        if means == .channels {
            missing = rows(
                session,
                """
                select format('%s of %s: %s messages wait, and the tenant has no credentials', backlog.channel, backlog.tenant, sum(deliveries)),
                  format('kith tenant channel set %s %s FILE', backlog.tenant, backlog.channel)
                from admin.delivery_backlog as backlog
                where not exists (
                  select from admin.channels as channel
                  where channel.tenant = backlog.tenant and channel.channel = backlog.channel and channel.settings is not null
                )
                group by backlog.tenant, backlog.channel order by backlog.tenant, backlog.channel
                """)
        }
        report(
            wrong + missing, none: "channels: none is paused, and no provider refuses",
            more: "channels that are paused, refused or without credentials", in: "admin.channels")
    }

    private mutating func examineWebhooks(_ session: PostgresSession) {
        report(
            rows(
                session,
                """
                select format('webhook %s of %s is %s: %s', url, tenant, state, coalesce(disabled_reason, last_error, '')),
                  case state
                    when 'disabled' then format('when its server is fixed: kith psql -c "select admin.enable_webhook(''%s'', ''%s'', ''fixed'')"', tenant, id)
                    else 'look at the tenant''s server'
                  end
                from admin.webhooks where state = 'disabled' or state = 'failing' and lag > interval '1 hour'
                order by lag desc nulls last, tenant, url
                """),
            none: "webhooks: every endpoint accepts its events", more: "webhooks that are disabled or an hour behind",
            in: "admin.webhooks")
    }

    /// Runs a query for problems. Each row is a problem and its remedy.
    private func rows(_ session: PostgresSession, _ sql: String) -> [(String, String)] {
        guard let found = try? session.query(sql) else { return [] }
        return (0..<found.rowCount).map { (found.string($0, 0) ?? "", found.string($0, 1) ?? "") }
    }
}
