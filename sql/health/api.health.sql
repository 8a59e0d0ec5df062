create or replace function api.beat(p_instance text, p_started_at timestamptz, p_version text, p_now timestamptz)
  returns bigint
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform internal.record_beat(
    'server', p_instance, p_started_at, p_version, internal.clock_ahead(p_now), internal.beat_instant(p_now)
  );
  return extract(epoch from clock_timestamp()) * 1000000;
end
$$;
comment on function api.beat(text, timestamptz, text, timestamptz) is
  'Records a server''s heartbeat: check-ins can be taken (api.probe_check_ins). To be called about every 5 seconds. '
  'p_now is what the server''s machine shows. Returns the time of the database, in microseconds since 1970, by which '
  'the server sets its clock. Security definer, because servers may not write heartbeats directly.';
grant execute on function api.beat(text, timestamptz, text, timestamptz) to kith_api;

create or replace function api.end_beat(p_instance text, p_now timestamptz) returns void
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform internal.record_stop('server', p_instance, internal.present(p_now));
end
$$;
comment on function api.end_beat(text, timestamptz) is
  'Records that this server has stopped, so that operators do not look for it. Security definer, because servers may '
  'not write heartbeats directly.';
grant execute on function api.end_beat(text, timestamptz) to kith_api;

create or replace function api.probe_check_ins() returns void
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  -- These are the tables that a check-in writes, in the lock mode that it needs. The statement fails if they are locked
  -- against writes.
  lock table only kith.check_ins, only kith.pings, only kith.notifications, only kith.events in row exclusive mode;
end
$$;
comment on function api.probe_check_ins() is
  'Takes the locks of a check-in without writing, and so fails when check-ins are blocked. A server calls it before '
  'each heartbeat, on the connections that check-ins use. Security definer, because it belongs to no tenant.';
grant execute on function api.probe_check_ins() to kith_api;

create or replace function internal.alarm_age(p_now timestamptz) returns integer
  language plpgsql
  stable
as $$
declare
  v_rests boolean := internal.rests_for_outage(p_now);
  v_deleted integer[] := internal.deleted_tenants();
begin
  return coalesce(floor(date_part('epoch', p_now - least(
    (
      select alarm.next_at
      from kith.alarms as alarm
      where alarm.next_at <= p_now and (not v_rests or alarm.kind = 'help' and alarm.taken_at is null)
        and alarm.tenant_id <> all (v_deleted)
      order by alarm.next_at
      limit 1
    ),
    (
      select ask.answer_by + internal.judging_delay()
      from kith.asks as ask
      where not v_rests and ask.ended_at is null and ask.answer_by <= p_now - internal.judging_delay()
        and ask.tenant_id <> all (v_deleted)
      order by ask.answer_by
      limit 1
    )
  )))::integer, 0);
end
$$;
comment on function internal.alarm_age(timestamptz) is
  'For how many seconds the oldest step of an alarm, or end of a question, has been due: a tier, a repeat, a taker who '
  'must be asked, the desk. 0 if nothing is, or if it rests because of an outage. For api.readiness.';

create or replace function internal.unplanned_age(p_now timestamptz) returns integer
  language plpgsql
  stable
as $$
declare
  v_oldest timestamptz := (
    select min(case when deliver_at is null then created_at else deliver_at end)
    from kith.notifications
    where planned_at is null and not internal.is_of_alarm(type)
      and case when deliver_at is null then created_at else deliver_at end <= p_now
  );
  v_tenant integer;
begin
  foreach v_tenant in array internal.urgent_tenants(p_now) loop
    v_oldest := least(v_oldest, (
      select min(case when deliver_at is null then created_at else deliver_at end)
      from kith.notifications
      where tenant_id = v_tenant and planned_at is null and internal.is_of_alarm(type)
    ));
  end loop;
  return coalesce(floor(date_part('epoch', p_now - v_oldest))::integer, 0);
end
$$;
comment on function internal.unplanned_age(timestamptz) is
  'For how many seconds the oldest notification whose time has come has not been planned. For api.readiness.';

create or replace function api.readiness(p_now timestamptz) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
  -- Shorter than the server waits for the answer, so that it can tell a locked table from a database that does not
  -- answer.
  set lock_timeout = '500ms'
as $$
begin
  return json_build_object(
    'oldest_run_seconds', (
      select coalesce(floor(date_part('epoch', p_now - min(starts_at)))::integer, 0)
      from kith.ping_runs
      where finished_at is null and starts_at <= p_now
    ),
    'oldest_due_seconds', (
      select coalesce(floor(date_part('epoch', p_now - min(scheduled_at)))::integer, 0)
      from kith.pings
      where status = 'scheduled' and scheduled_at <= p_now
    ),
    'oldest_miss_seconds', (
      select coalesce(
        floor(date_part('epoch', p_now - min(case when judge_at is null then deadline_at else judge_at end)))::integer,
        0
      )
      from kith.pings
      where status = 'due'
        and case when judge_at is null then deadline_at else judge_at end <= p_now - interval '10 seconds'
    ),
    'oldest_break_seconds', (
      select coalesce(floor(date_part('epoch', p_now - min(at)))::integer, 0)
      from (
        select min(ends_at) as at from kith.breaks where ended_at is null and ends_at <= p_now
        union all
        select min(starts_at)
        from kith.breaks
        where ended_at is null and told_until_on is distinct from until_on and starts_at <= p_now and ends_at > p_now
      ) as turn
    ),
    'oldest_alarm_seconds', internal.alarm_age(p_now),
    'oldest_unplanned_seconds', internal.unplanned_age(p_now),
    'oldest_delivery_seconds', (
      select coalesce(max(floor(date_part('epoch', p_now - waiting.oldest_at))::integer), 0)
      from internal.waiting_deliveries(p_now) as waiting
    ),
    'oldest_set_aside_seconds', internal.set_aside_age(p_now),
    'unconfirmed_restore', case when internal.awaits_confirmation() then 1 else 0 end,
    'pings_not_made', internal.pings_not_made(p_now),
    'undelivered_alarms', (
      select count(*) from kith.undelivered_alarms where resolved_at is null and webhook_told_at is null
    ),
    'failing_webhooks', (
      select count(*) from kith.webhooks as endpoint
      where endpoint.attempts > 0 and endpoint.disabled_at is null
        and not exists (select from internal.hidden_endpoint(endpoint.tenant_id, endpoint.id))
    ),
    'worker_beat_seconds', (
      select floor(date_part('epoch', p_now - max(beat_at)))::integer
      from kith.heartbeats
      where component = 'worker'
    ),
    'partitions_ahead_days', internal.partitions_ahead(p_now),
    'schema_version', (select max(number) from internal.migrations)
  );
end
$$;
comment on function api.readiness(timestamptz) is
  'Returns the ages in seconds of the oldest run, due ping, miss, beginning or end of a break, step of an alarm, '
  'notification to be planned, and delivery that are overdue, and of the oldest row that a loop of the worker has set '
  'aside. An age is 0 if nothing waits, or if it waits on purpose: for the end of quiet hours, or while a channel is '
  'paused. Also returns whether a restore waits to be confirmed (1), so that nobody is told anything, how many pings '
  'were never made in the last 24 hours, how many alarms reached nobody, how many tenant endpoints failed at their '
  'last request, the age of the worker''s last heartbeat (null if there is none), for how many days there are '
  'partitions of every kind, and the newest migration. It waits at most half a second for a lock. It concerns the '
  'installation, not a tenant. Security definer, because it counts over all tenants and reveals none.';
grant execute on function api.readiness(timestamptz) to kith_api;

create or replace function api.delivery_metrics(p_now timestamptz) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    select json_agg(
      json_build_object(
        'channel', known.channel,
        'sent', coalesce(totals.sent, 0),
        'failed', coalesce(totals.failed, 0),
        'dropped', coalesce(totals.dropped, 0),
        'attempts', coalesce(totals.sent + totals.failed + totals.retried, 0),
        'oldest_seconds', coalesce(floor(date_part('epoch', p_now - waiting.oldest_at))::integer, 0),
        'waiting', (
          select count(*) from kith.deliveries as delivery
          where delivery.channel = known.channel and delivery.status in ('queued', 'sending') and delivery.attempts >= 0
        )
      )
      order by known.channel
    )
    from internal.channels() as known
    left join (
      select channel, sum(sent)::bigint as sent, sum(failed)::bigint as failed, sum(dropped)::bigint as dropped,
        sum(retried)::bigint as retried
      from kith.delivery_totals
      group by channel
    ) as totals on totals.channel = known.channel
    left join internal.waiting_deliveries(p_now) as waiting on waiting.channel = known.channel
  );
end
$$;
comment on function api.delivery_metrics(timestamptz) is
  'Returns, for each channel, the results of deliveries over all tenants since the installation began, how many are '
  'waiting, and how long the oldest of those that could be sent has waited. Security definer, because it counts over '
  'all tenants and reveals none.';
grant execute on function api.delivery_metrics(timestamptz) to kith_api;
