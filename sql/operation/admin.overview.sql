-- One call answers an operator's first questions. `kith top` shows the answers.

create or replace function internal.at_most(p_count bigint) returns json
  language sql
  stable
  parallel safe
as $$
  select json_build_object('count', least(p_count, 100000), 'is_more', p_count > 100000)
$$;
comment on function internal.at_most(bigint) is 'A count that stopped at 100,001, as {count, is_more}.';

create or replace function internal.ping_counts(p_now timestamptz) returns json
  language plpgsql
  stable
as $$
begin
  return (
    select json_build_object(
      'next_hour', (
        select internal.at_most(count(*))
        from (
          select from kith.pings where status = 'scheduled' and scheduled_at > p_now and scheduled_at <= p_now + interval '1 hour' limit 100001
        ) as counted
      ),
      'due', (select internal.at_most(count(*)) from (select from kith.pings where status = 'due' limit 100001) as counted),
      'late', (
        select internal.at_most(count(*))
        from (select from kith.pings where status = 'due' and coalesce(judge_at, deadline_at) <= p_now - interval '10 seconds' limit 100001) as counted
      ),
      'missed_today', (
        select internal.at_most(count(*))
        from (
          select from kith.pings
          -- The dates leave out all but one or two partitions.
          where status = 'missed' and deadline_at > p_now - interval '24 hours' and ping_on between p_now::date - 3 and p_now::date + 2
          limit 100001
        ) as counted
      )
    )
  );
end
$$;
comment on function internal.ping_counts(timestamptz) is
  'How many pings come within an hour, are due, should have been judged, and were missed in 24 hours, over all tenants; each count stops '
  'at 100,001 rows.';

create or replace function internal.obstacles(p_now timestamptz) returns table (n integer, what text, remedy text)
  language sql
  stable
as $$
  (
    select 1, format('no %s of ours has run since %s', outage.component, internal.shown_instant(outage.began_at)), 'start it'
    from kith.outages as outage where outage.ended_at is null limit 2
  )
  union all
  (
    select 2, format('connections that the hourly check found without a ping: %s', found), 'select * from admin.ping_gaps'
    from kith.gap_checks where found > 0
  )
  union all
  (
    select 2, format('the hourly check for missing pings was last done at %s', internal.shown_instant(coalesce(finished_at, began_at))),
      'read the worker''s log'
    -- Before the first check, its times are infinitely long ago.
    from kith.gap_checks where began_at > '1970-01-01Z' and coalesce(finished_at, began_at) < p_now - interval '3 hours'
  )
  union all
  (
    select 3, format('%s: an alarm reached nobody, for %s', tenant.slug, date_trunc('second', p_now - alarm.at)), 'select * from admin.undelivered_alarms'
    from kith.undelivered_alarms as alarm join kith.tenants as tenant on tenant.tenant_id = alarm.tenant_id
    where alarm.resolved_at is null order by alarm.at limit 3
  )
  union all
  (
    select 4, format('%s: %s is paused: %s', coalesce(tenant.slug, 'all tenants'), pause.channel, pause.reason), 'select admin.resume_channel(…)'
    from kith.channel_pauses as pause left join kith.tenants as tenant on tenant.tenant_id = pause.tenant_id
    order by pause.paused_at limit 3
  )
  union all
  (
    select 5, format('%s: %s is refused: %s', tenant.slug, credentials.channel, credentials.error), 'select * from admin.channels'
    from kith.channel_credentials as credentials join kith.tenants as tenant on tenant.tenant_id = credentials.tenant_id
    where credentials.error is not null order by credentials.checked_at limit 3
  )
  union all
  (
    select 6, format('%s: a webhook fails, after %s attempts: %s', tenant.slug, webhook.attempts, webhook.last_error), 'select * from admin.webhooks'
    from kith.webhooks as webhook join kith.tenants as tenant on tenant.tenant_id = webhook.tenant_id
    where webhook.attempts > 0 and webhook.disabled_at is null order by webhook.attempts desc limit 3
  )
$$;
comment on function internal.obstacles(timestamptz) is
  'What stands in the way, the most important first: an outage, connections without a ping, an hourly check that is overdue, alarms that '
  'reached nobody, paused channels, refused credentials and failing webhooks; at most 3 of each.';

create or replace function admin.overview(p_now timestamptz default now()) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform internal.require_present(p_now);
  perform internal.leave_tenant();
  return json_build_object(
    'ages', api.readiness(p_now),
    'pings', internal.ping_counts(p_now),
    'channels', api.delivery_metrics(p_now),
    'tenants', (
      select coalesce(json_agg(waiting order by waiting.deliveries desc), '[]')
      from (
        select tenant.slug as tenant, queued.deliveries, floor(date_part('epoch', p_now - queued.oldest_at))::bigint as oldest_seconds
        from (
          select tenant_id, count(*) as deliveries, min(next_attempt_at) as oldest_at
          from (
            select tenant_id, next_attempt_at from kith.deliveries
            where status in ('queued', 'sending') and next_attempt_at <= p_now and attempts >= 0
            limit 100000
          ) as due
          group by tenant_id
        ) as queued
        join kith.tenants as tenant on tenant.tenant_id = queued.tenant_id
        order by queued.deliveries desc
        limit 5
      ) as waiting
    ),
    'instances', (
      select coalesce(json_agg(beat order by beat.component, beat.instance), '[]')
      from (
        select component, instance, floor(date_part('epoch', p_now - beat_at))::bigint as beat_seconds,
          floor(date_part('epoch', p_now - started_at))::bigint as up_seconds
        from kith.heartbeats where beat_at > p_now - interval '10 minutes' order by beat_at desc limit 20
      ) as beat
    ),
    'obstacles', (select coalesce(json_agg(json_build_object('what', what, 'remedy', remedy) order by n), '[]') from internal.obstacles(p_now))
  );
end
$$;
comment on function admin.overview(timestamptz) is
  'What an operator asks first, as JSON: how late the worker is, the pings of today, the channels, the tenants whose messages wait, the '
  'running servers and workers, and what stands in the way. Its cost is bounded: counts stop at 100,001 rows. kith top shows it.';
grant execute on function admin.overview(timestamptz) to kith_admin;
