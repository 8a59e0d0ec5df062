create or replace function worker.find_gaps(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
  -- Access by key, as in the worker's other loops. Other joins would read a month of pings.
  set enable_hashjoin = off
  set enable_mergejoin = off
as $$
declare
  v_found integer;
begin
  p_now := internal.present(p_now);
  if not pg_try_advisory_xact_lock(hashtext('worker.find_gaps')) then
    return 0;
  end if;
  perform internal.analyze_grown_tables();

  perform internal.restart_runs(p_now);
  with bare as materialized (
    select connection.* from internal.connections_without_ping(p_now) as connection
  ), missing as materialized (
    select bare.*, time.scheduled_at,
      time.scheduled_at + make_interval(mins => bare.grace_minutes - bare.reminder_minutes) as remind_at,
      time.scheduled_at + make_interval(mins => bare.grace_minutes) as deadline_at
    from bare
    cross join lateral (
      select internal.local_instant(bare.ping_on, bare.ping_time, bare.time_zone) as scheduled_at offset 0
    ) as time
    -- Besides a break and a lapsed subscription, a missing ping has a valid reason if the sender connected, resumed or changed the
    -- time after the deadline, or if the run came too late and has counted the ping as skipped.
    where bare.wanted_at < time.scheduled_at + make_interval(mins => bare.grace_minutes)
      and not (bare.skipped > 0 and bare.finished_at >= time.scheduled_at + make_interval(mins => bare.grace_minutes))
      and not exists (
        select from kith.ping_gaps as gap
        where gap.tenant_id = bare.tenant_id and gap.ping_on = bare.ping_on and gap.connection_id = bare.id
      )
    limit p_batch
  ), mended as (
    -- Insert it as scheduled even if its time has passed, so that announce_due_pings tells the sender.
    insert into kith.pings
      (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, remind_at, deadline_at)
    select tenant_id, ping_on, id, internal.uuid7(p_now), sender_id, receiver_id, 'scheduled', scheduled_at, remind_at,
      deadline_at
    from missing
    where deadline_at > p_now
    on conflict do nothing
  )
  insert into kith.ping_gaps (tenant_id, ping_on, connection_id, found_at, mended)
  select tenant_id, ping_on, id, p_now, deadline_at > p_now
  from missing
  on conflict do nothing;
  get diagnostics v_found = row_count;
  return v_found;
end
$$;
comment on function worker.find_gaps(timestamptz, integer) is
  'The hourly check (X25): finds live connections that have no ping for their sender''s local date without a valid reason. Creates the ping if its deadline is ahead, records each gap, and restarts broken chains of runs. Returns how many gaps it found, at most p_batch.';
revoke all on function worker.find_gaps(timestamptz, integer) from public;
grant execute on function worker.find_gaps(timestamptz, integer) to kith_worker;

create or replace function internal.restart_runs(p_now timestamptz) returns void
  language plpgsql
as $$
begin
  -- A zone without a next run would have no pings at all, and nothing would appear late.
  insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at)
  select used.tenant_id, used.time_zone, today.ping_on, internal.midnight(today.ping_on, used.time_zone)
  from (select distinct tenant_id, time_zone from kith.sender_profiles) as used
  cross join lateral (select internal.local_date(p_now, used.time_zone) as ping_on offset 0) as today
  where not exists (
    select from kith.ping_runs as run
    where run.tenant_id = used.tenant_id and run.time_zone = used.time_zone and run.ping_on >= today.ping_on
  )
  on conflict do nothing;
end
$$;
comment on function internal.restart_runs(timestamptz) is
  'Restarts the chains of runs that are broken: of time zones in use without a run for today or later. For worker.find_gaps.';
revoke all on function internal.restart_runs(timestamptz) from public;
grant execute on function internal.restart_runs(timestamptz) to kith_worker;

create or replace function internal.connections_without_ping(p_now timestamptz)
  returns table (
    tenant_id integer, time_zone text, ping_on date, skipped bigint, finished_at timestamptz, id uuid, sender_id uuid, receiver_id uuid,
    ping_time time, grace_minutes integer, reminder_minutes integer, wanted_at timestamptz
  )
  language sql
  stable
as $$
  select run.tenant_id, run.time_zone, run.ping_on, run.skipped, run.finished_at, connection.id, connection.sender_id,
    connection.receiver_id, sender.ping_time, sender.grace_minutes, sender.reminder_minutes,
    greatest(connection.activated_at, sender.timed_at) as wanted_at
  from kith.ping_runs as run
  join kith.tenants as tenant on tenant.tenant_id = run.tenant_id and tenant.deleted_at is null
  join kith.sender_profiles as sender on sender.tenant_id = run.tenant_id and sender.time_zone = run.time_zone
  join kith.connections as connection
    on connection.tenant_id = sender.tenant_id and connection.sender_id = sender.user_id
    and connection.status in ('active', 'pending') and connection.pings_stopped_at is null
  where run.starts_at > p_now - interval '2 days' and run.starts_at <= p_now
    and run.ping_on = internal.local_date(p_now, run.time_zone)
    and (run.ping_on between sender.break_from_on and sender.break_until_on) is not true
    -- Senders that the run has not reached yet are late, which readiness reports. They are not gaps.
    and (run.finished_at is not null or sender.user_id <= run.cursor_sender_id)
    and not exists (
      select from kith.pings as ping
      where ping.tenant_id = run.tenant_id and ping.ping_on = run.ping_on and ping.connection_id = connection.id
    )
$$;
comment on function internal.connections_without_ping(timestamptz) is
  'The live connections that have no ping for their sender''s local date, although the run has passed their sender, who is not on a break. Returns a table, which the planner can inline. For worker.find_gaps.';
revoke all on function internal.connections_without_ping(timestamptz) from public;
grant execute on function internal.connections_without_ping(timestamptz) to kith_worker;
