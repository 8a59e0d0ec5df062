internal import Postgres

extension Examination {
    /// Checks whether messages leave Kith, and through which providers.
    mutating func examineDelivery(_ session: PostgresSession, _ configuration: Configuration) {
        let means = configuration.delivery ?? .channels
        let backlog = "select coalesce(sum(deliveries), 0)::integer from admin.delivery_backlog"
        if let waiting = count("waiting messages", session, backlog) {
            note(
                "delivery: \(means == .none ? "none" : "configured"), \(waiting) messages wait",
                remedy: means == .none && waiting > 0
                    ? "nothing sends them: set KITH_DELIVERY for the worker (channels, console, or file:PATH)" : nil)
        }
        examineAlarms(session)
        examineSetAside(session)
        examineChannels(session, means)
        examineWebhooks(session)
    }

    private mutating func examineAlarms(_ session: PostgresSession) {
        let unresolved = "select count(*)::integer from kith.undelivered_alarms where resolved_at is null"
        let what = "messages of alarms that reached their person on no channel"
        guard let alarms = count(what, session, unresolved) else { return }
        note(
            alarms == 0 ? "\(what): 0" : "\(what): \(alarms), whether or not others know of these alarms",
            remedy: alarms == 0
                ? nil
                : """
                kith psql -c 'select * from admin.undelivered_alarms order by at', reach these people, and end each with the \
                statement in its column remedy
                """
        )
    }

    /// Reports what the worker cannot process. An alarm among it reaches nobody.
    private mutating func examineSetAside(_ session: PostgresSession) {
        report(
            rows(
                session,
                """
                select format('%s cannot process %s of %s: %s in %s, since %s', loop, key, coalesce(tenant, 'the installation'), sqlstate, place,
                    internal.instant(since)),
                  case when loop in ('miss_pings', 'tell_alarms', 'plan_deliveries', 'claim_deliveries', 'tell_emergencies', 'alarm_operator')
                      then 'somebody may wait for this alarm: look who it is, and tell them; ' else ''
                    end || format('when the row is mended: kith psql -c "select admin.retry_set_aside(%L, %L, ''mended'')"', loop, key)
                from admin.set_aside order by since
                """),
            none: "worker: no row is set aside", more: "rows that the worker cannot process", in: "admin.set_aside")
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
            union all
            select format('%s of %s: all %s messages of the last hour have failed: %s', channel, tenant, messages, error),
              format('kith psql -c "%s"', next)
            from admin.failing_channels
            union all
            select format('voice of %s: inbound without callback_field, so calls offer no keys', tenant),
              format('add callback_field to its settings: kith tenant channel set %s voice FILE', tenant)
            from admin.channels where channel = 'voice' and settings ? 'inbound' and not settings ? 'callback_field'
            union all
            select format('voice of %s: %s keys of the last week belong to no call of Kith', tenant, sum(count)),
              'let the provider report each key to the address that it gets with the call (callback_field)'
            from admin.inbound
            where outcome = 'unknown_call' and counted_on > (now() at time zone 'UTC')::date - 7
            group by tenant
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
            more: "channels that are paused, refused, failing or without credentials", in: "admin.channels")
    }

    private mutating func examineWebhooks(_ session: PostgresSession) {
        report(
            rows(
                session,
                """
                select format('webhook %s of %s is %s: %s%s', url, tenant, state, coalesce(disabled_reason, last_error, ''),
                    case state when 'failing' then format(', after %s attempts; next try at %s', attempts, internal.instant(next_attempt_at)) end),
                  case state
                    when 'disabled' then format('when its server is fixed: kith psql -c "select admin.enable_webhook(''%s'', ''%s'', ''fixed'')"', tenant, id)
                    else 'look at the tenant''s server'
                  end
                from admin.webhooks where state = 'disabled' or state = 'failing' and lag > interval '1 hour'
                order by lag desc nulls last, tenant, url
                """),
            none: "webhooks: none is disabled, and none is an hour behind",
            more: "webhooks that are disabled or an hour behind", in: "admin.webhooks")
    }

    /// Runs a query for problems. Each row is a problem and its remedy. A query that fails is a problem too.
    func rows(_ session: PostgresSession, _ sql: String) -> [(String, String)] {
        do throws(PostgresError) {
            let found = try session.query(sql)
            return (0..<found.rowCount).map { (found.string($0, 0) ?? "", found.string($0, 1) ?? "") }
        } catch {
            return [("a check could not be made: \(error)", Self.remedy(for: error))]
        }
    }

    /// Runs a query that returns one number. If it fails, notes that `what` could not be counted, and returns nil.
    mutating func count(_ what: String, _ session: PostgresSession, _ sql: String) -> Int? {
        do throws(PostgresError) {
            return try session.query(sql).int(0, 0)
        } catch {
            note("\(what) could not be counted: \(error)", remedy: Self.remedy(for: error))
            return nil
        }
    }

    /// The command that helps after a query has failed.
    static func remedy(for error: PostgresError) -> String {
        guard error.sqlState == .lockNotAvailable else {
            return "check the role in KITH_OWNER_DATABASE_URL, as deploy/README.md says"
        }
        return """
            end the transaction that locks the table: kith psql -c 'select pid, login, holds, remedy from \
            admin.long_transactions order by began_at'
            """
    }
}
