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
          select from kith.pings as ping
          where status = 'scheduled' and scheduled_at > p_now and scheduled_at <= p_now + interval '1 hour'
            and not exists (select from internal.hidden_person(ping.tenant_id, ping.sender_id))
          limit 100001
        ) as counted
      ),
      'due', (select internal.at_most(count(*)) from (
          select from kith.pings as ping
          where status = 'due' and not exists (select from internal.hidden_person(ping.tenant_id, ping.sender_id))
          limit 100001
        ) as counted),
      'late', (
        select internal.at_most(count(*))
        from (
          select from kith.pings as ping
          where status = 'due'
            and case when judge_at is null then deadline_at else judge_at end <= p_now - interval '10 seconds'
            and not exists (select from internal.hidden_person(ping.tenant_id, ping.sender_id))
          limit 100001
        ) as counted
      ),
      'missed_today', (
        select internal.at_most(count(*))
        from (
          select from kith.pings as ping
          -- The dates leave out all but one or two partitions.
          where status = 'missed' and deadline_at > p_now - interval '24 hours'
            and ping_on between p_now::date - 3 and p_now::date + 2
            and not exists (select from internal.hidden_person(ping.tenant_id, ping.sender_id))
          limit 100001
        ) as counted
      )
    )
  );
end
$$;
comment on function internal.ping_counts(timestamptz) is
  'How many pings come within an hour, are due, should have been judged, and were missed in 24 hours, over all tenants '
  'and without canaries; each count stops at 100,001 rows.';

create or replace function internal.obstacles_of_messages(p_now timestamptz)
  returns table (n integer, what text, remedy text)
  language sql
  stable
as $$
  (
    select 3,
      format(
        '%s: messages of alarms that reached nobody: %s, the first %s ago', tenant.slug, count(*),
        greatest(date_trunc('second', p_now - min(alarm.at)), interval '0')
      ),
      format('select * from admin.undelivered_alarms where tenant = %L order by at', tenant.slug)
    from kith.undelivered_alarms as alarm join kith.tenants as tenant on tenant.tenant_id = alarm.tenant_id
    where alarm.resolved_at is null group by tenant.slug order by min(alarm.at) limit 3
  )
  union all
  (
    select 4, format('%s: %s is paused: %s', coalesce(tenant.slug, 'all tenants'), pause.channel, pause.reason),
      format('select admin.resume_channel(%L, %L)', pause.channel, tenant.slug)
    from kith.channel_pauses as pause left join kith.tenants as tenant on tenant.tenant_id = pause.tenant_id
    order by pause.paused_at limit 3
  )
  union all
  (
    select 5, format(
      '%s: %s is refused since %s: %s', tenant.slug, credentials.channel,
      date_trunc('second', credentials.refused_since), credentials.error
    ),
      format('kith tenant channel test %s %s ADDRESS', tenant.slug, credentials.channel)
    from kith.channel_credentials as credentials join kith.tenants as tenant on tenant.tenant_id = credentials.tenant_id
    where credentials.error is not null order by credentials.refused_since limit 3
  )
  union all
  (
    select 5, format(
      '%s: all %s messages by %s of the last hour have failed: %s', tenant.slug, failing.messages, failing.channel,
      failing.error
    ),
      format('select * from admin.failing_channels where tenant = %L', tenant.slug)
    from internal.failing_channels(internal.first_uuid7(p_now - interval '1 hour')) as failing
    join kith.tenants as tenant on tenant.tenant_id = failing.tenant_id
    order by failing.messages desc limit 3
  )
  union all
  (
    select 6, format('%s: a webhook fails, after %s attempts: %s', tenant.slug, webhook.attempts, webhook.last_error),
      format('select * from admin.webhooks where tenant = %L', tenant.slug)
    from kith.webhooks as webhook join kith.tenants as tenant on tenant.tenant_id = webhook.tenant_id
    where webhook.attempts > 0 and webhook.disabled_at is null
      and not exists (select from internal.hidden_endpoint(webhook.tenant_id, webhook.id))
    order by webhook.attempts desc limit 3
  )
$$;
comment on function internal.obstacles_of_messages(timestamptz) is
  'The obstacles that concern messages: alarms that reached nobody, paused channels, refused credentials, channels of '
  'which all messages fail, and failing webhooks.';

create or replace function internal.obstacles_of_rows(p_now timestamptz)
  returns table (n integer, what text, remedy text)
  language sql
  stable
as $$
  (
    select 3, format(
      '%s: %s does not process %s since %s', tenant.slug, aside.loop, aside.key, internal.shown_instant(aside.first_at)
    ),
      'select * from admin.set_aside'
    from kith.set_aside as aside left join kith.tenants as tenant on tenant.tenant_id = aside.tenant_id
    where tenant.deleted_at is null
    order by aside.first_at limit 3
  )
  union all
  (
    select 3, format(
      '%s: its move to another cell stands still since %s', tenant.slug, internal.shown_instant(moving.changed_at)
    ), 'kith doctor has the command'
    from kith.moving_tenants as moving join kith.tenants as tenant on tenant.tenant_id = moving.tenant_id
    where moving.state in ('leaving', 'arriving') and moving.changed_at < p_now - interval '1 hour'
    order by moving.changed_at limit 3
  )
$$;
comment on function internal.obstacles_of_rows(timestamptz)
  is 'The obstacles that concern some rows: those that the worker has set aside, and tenants whose move stands still.';

create or replace function internal.obstacles(p_now timestamptz) returns table (n integer, what text, remedy text)
  language sql
  stable
as $$
  (
    select 1, 'nobody is told anything: the database was restored or copied, and nobody has confirmed it',
      'deploy/README.md, Back-up and restore: admin.confirm_restore'
    where internal.awaits_confirmation()
  )
  union all
  (
    select 1, format('no %s of ours has run since %s', outage.component, internal.shown_instant(outage.began_at)),
      'start it'
    from kith.outages as outage where outage.ended_at is null limit 2
  )
  union all
  (
    select 1, format(
      '%s has had a transaction open for %s (%s), and holds %s', coalesce(open.login, 'PostgreSQL'), open.age,
      open.state, open.holds
    ),
      open.remedy
    from internal.transactions(p_now, interval '30 seconds') as open
    where open.holds is not null order by open.holds not like 'the feed%', open.began_at limit 3
  )
  union all
  (
    select 2, format('pings of the last 24 hours that were never made: %s', lost.pings),
      'select * from admin.ping_gaps; select * from admin.ping_runs where skipped > 0'
    from (select internal.pings_not_made(p_now) as pings) as lost where lost.pings > 0
  )
  union all
  (
    select 2, format('connections that the hourly check found without a ping: %s', found),
      'select * from admin.ping_gaps'
    from kith.gap_checks where found > 0
  )
  union all
  (
    select 2, format(
      'the hourly check for missing pings was last done at %s', internal.shown_instant(coalesce(finished_at, began_at))
    ),
      'read the worker''s log'
    -- Before the first check, its times are infinitely long ago.
    from kith.gap_checks where began_at > '1970-01-01Z' and coalesce(finished_at, began_at) < p_now - interval '3 hours'
  )
  union all
  (
    select 2, format(
      'the clock of the %s %s is %s %s the database''s', beat.component, beat.instance,
      make_interval(secs => abs(beat.clock_ahead_ms) / 1000),
      case when beat.clock_ahead_ms > 0 then 'ahead of' else 'behind' end
    ), format('synchronize the clock of %s: timedatectl timesync-status', split_part(beat.instance, ':', 1))
    from kith.heartbeats as beat
    where beat.stopped_at is null and beat.beat_at > p_now - interval '10 minutes' and abs(beat.clock_ahead_ms) > 2000
    order by abs(beat.clock_ahead_ms) desc limit 3
  )
  union all
  select n, what, remedy from internal.obstacles_of_rows(p_now)
  union all
  select n, what, remedy from internal.obstacles_of_messages(p_now)
$$;
comment on function internal.obstacles(timestamptz) is
  'What stands in the way, the most important first: a restore that nobody has confirmed, an outage, a transaction '
  'that holds the feed back, pings that were not made, connections without a ping, an hourly check that is overdue, '
  'clocks that are off, rows that are set aside, moves that stand still, by tenant the messages of alarms that reached '
  'nobody, paused channels, refused credentials, channels of which all messages fail, and failing webhooks; at most 3 '
  'of each.';

drop view if exists admin.instances;
create view admin.instances with (security_barrier, security_invoker) as
select heartbeat.component, heartbeat.instance, heartbeat.version,
  case
    when heartbeat.stopped_at is not null then 'stopped' when heartbeat.beat_at < now() - interval '1 minute'
      then 'silent' else 'running'
  end as state,
  heartbeat.started_at, heartbeat.beat_at, heartbeat.stopped_at,
  make_interval(secs => heartbeat.clock_ahead_ms / 1000.0) as clock_ahead,
  case
    when heartbeat.stopped_at is not null then null
    when heartbeat.beat_at < now() - interval '1 minute'
      then format(
        'journalctl -u ''kith-%s@*'' on %s', case heartbeat.component when 'server' then 'serve' else 'worker' end,
        split_part(heartbeat.instance, ':', 1)
      )
    when abs(heartbeat.clock_ahead_ms) > 2000
      then format('synchronize the clock of %s: timedatectl timesync-status', split_part(heartbeat.instance, ':', 1))
  end as remedy
from kith.heartbeats as heartbeat
where heartbeat.beat_at > now() - interval '1 day';
comment on view admin.instances is
  'The servers and workers of the last day: which release each has, whether it runs, and how far its clock is off. '
  'select * from admin.instances where state <> ''stopped''.';
comment on column admin.instances.component is 'server or worker.';
comment on column admin.instances.instance is 'The machine and the process id.';
comment on column admin.instances.version
  is 'Its release and commit. Several at once are an upgrade that was not finished.';
comment on column admin.instances.state is
  'running; silent: no heartbeat for a minute, because it crashed, hangs, or cannot take check-ins; stopped: it ended '
  'by itself.';
comment on column admin.instances.started_at is 'When it started.';
comment on column admin.instances.beat_at is 'Its last heartbeat.';
comment on column admin.instances.stopped_at is 'When it ended by itself.';
comment on column admin.instances.clock_ahead is
  'How far its clock was ahead of the database''s at the last heartbeat, less the time that the heartbeat took.';
comment on column admin.instances.remedy is 'What to do about it; null if nothing.';
grant select on admin.instances to kith_reader;

create or replace function internal.tenants_at_work(p_now timestamptz)
  returns table (
    n bigint, tenant text, due bigint, alarms bigint, unreached bigint, deliveries bigint, oldest_seconds bigint,
    of bigint
  )
  language sql
  stable
as $$
  with counted as (
    select due.tenant_id, 1 as due, 0 as alarms, 0 as unreached, 0 as deliveries, null::timestamptz as oldest_at
    from (
      select ping.tenant_id from kith.pings as ping
      where ping.status = 'due' and not exists (select from internal.hidden_person(ping.tenant_id, ping.sender_id))
      limit 100000
    ) as due
    union all
    select open.tenant_id, 0, 1, 0, 0, null
    from (
      select alarm.tenant_id from kith.alarms as alarm
      where alarm.resolved_at is null and alarm.expires_at > p_now and alarm.kind <> 'drill'
        and not exists (select from internal.hidden_person(alarm.tenant_id, alarm.sender_id))
      limit 100000
    ) as open
    union all
    select missed.tenant_id, 0, 0, 1, 0, null
    from (
      select alarm.tenant_id from kith.undelivered_alarms as alarm where alarm.resolved_at is null limit 100000
    ) as missed
    union all
    select waiting.tenant_id, 0, 0, 0, 1, waiting.next_attempt_at
    from (
      select delivery.tenant_id, delivery.next_attempt_at from kith.deliveries as delivery
      where delivery.status in ('queued', 'sending') and delivery.next_attempt_at <= p_now and delivery.attempts >= 0
        and not exists (select from internal.hidden_message(delivery.tenant_id, delivery.notification_id))
      limit 100000
    ) as waiting
  )
  select row_number() over (
      order by sum(counted.unreached) desc, sum(counted.deliveries) desc, sum(counted.alarms) desc,
        sum(counted.due) desc, tenant.slug
    ), tenant.slug, sum(counted.due), sum(counted.alarms), sum(counted.unreached), sum(counted.deliveries),
    floor(date_part('epoch', p_now - min(counted.oldest_at)))::bigint, count(*) over ()
  from counted
  join kith.tenants as tenant on tenant.tenant_id = counted.tenant_id and tenant.deleted_at is null
  group by tenant.slug
  order by 1
  limit 10
$$;
comment on function internal.tenants_at_work(timestamptz) is
  'The tenants that have something to watch now, those with messages that reached nobody first: due pings, open alarms '
  'without drills, messages of alarms that reached nobody, and messages that wait, with the age of the oldest; at most '
  '10, of how many. Canaries and deleted tenants have no part in it. Each count has 100,000 rows at most. For '
  'admin.overview.';

create or replace function admin.overview(p_now timestamptz default now()) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform internal.require_present(p_now);
  perform internal.require_whole_installation();
  perform internal.leave_tenant();
  return json_build_object(
    'ages', api.readiness(p_now),
    'pings', internal.ping_counts(p_now),
    'alarms', api.alarm_metrics(p_now)::jsonb
    || jsonb_build_object('untold', (select count(*) from internal.untold_alarms(p_now))),
    'channels', api.delivery_metrics(p_now),
    'tenants', (select coalesce(json_agg(busy order by busy.n), '[]') from internal.tenants_at_work(p_now) as busy),
    'instances', (
      select coalesce(json_agg(beat order by beat.component, beat.instance), '[]')
      from (
        select component, instance, floor(date_part('epoch', p_now - beat_at))::bigint as beat_seconds,
          floor(date_part('epoch', p_now - started_at))::bigint as up_seconds, version, clock_ahead_ms,
          array(
            select known.pace from internal.paces(loops) as known
            where not known.is_usual and beat_at > p_now - interval '1 minute' order by known.loop
          ) as paces
        from kith.heartbeats
        where beat_at > p_now - interval '10 minutes' and stopped_at is null order by beat_at desc limit 20
      ) as beat
    ),
    'obstacles',
    (
      select coalesce(json_agg(json_build_object('what', what, 'remedy', remedy) order by n), '[]')
      from internal.obstacles(p_now)
    )
  );
end
$$;
comment on function admin.overview(timestamptz) is
  'What an operator asks first, as JSON: how late the worker is, the pings of today, the open alarms, the channels, a '
  'line for each tenant that has something to watch, the running servers and workers, and what stands in the way. Its '
  'cost is bounded: counts stop at 100,001 rows. kith top shows it.';
grant execute on function admin.overview(timestamptz) to kith_reader;
