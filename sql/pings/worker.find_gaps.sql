create or replace function worker.find_gaps(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
  -- Replanning for each zone would cost a small tenant more than its senders do.
  set plan_cache_mode = 'force_generic_plan'
  -- Access by key, as in the worker's other loops. Other joins would read a month of pings.
  set enable_hashjoin = off
  set enable_mergejoin = off
  set enable_material = off
as $$
declare
  v_check kith.gap_checks;
  v_senders jsonb[];
  v_checked integer;
begin
  p_now := internal.present(p_now);
  v_check := internal.claim_gap_check(p_now);
  if v_check.began_at is null then
    return 0;
  end if;

  v_senders := array(
    select jsonb_build_object('tenant_id', profile.tenant_id, 'unit', profile.user_id, 'time_zone', profile.time_zone)
    from kith.sender_profiles as profile
    where (profile.tenant_id, profile.time_zone, profile.user_id)
      > (v_check.checked_tenant_id, v_check.checked_time_zone, v_check.checked_sender_id)
    order by profile.tenant_id, profile.time_zone, profile.user_id
    limit p_batch
  );
  v_checked := cardinality(v_senders);
  v_check.found := v_check.found + internal.work_off(
    'find_gaps', v_senders, null, p_now, 'internal.check_senders($1, $3)'
  );
  if v_checked > 0 then
    v_check.checked_tenant_id := v_senders[v_checked] ->> 'tenant_id';
    v_check.checked_time_zone := v_senders[v_checked] ->> 'time_zone';
    v_check.checked_sender_id := v_senders[v_checked] ->> 'unit';
  end if;

  update kith.gap_checks
  set began_at = v_check.began_at, finished_at = case when v_checked < p_batch then p_now end,
    checked_tenant_id = v_check.checked_tenant_id, checked_time_zone = v_check.checked_time_zone,
    checked_sender_id = v_check.checked_sender_id, found = v_check.found;
  return v_checked;
end
$$;
comment on function worker.find_gaps(timestamptz, integer) is
  'The hourly check (X25): finds live connections that have no ping for their sender''s local date without a valid '
  'reason. Creates the ping if its deadline is ahead, records each gap, and restarts broken chains of runs. A call '
  'checks the next p_batch senders and returns how many there were: 0 if the check was done less than an hour ago, or '
  'another worker is doing it.';
grant execute on function worker.find_gaps(timestamptz, integer) to kith_worker;

create or replace function internal.check_senders(p_senders jsonb[], p_now timestamptz) returns integer
  language plpgsql
as $$
declare
  v_part record;
  v_found integer := 0;
begin
  for v_part in
    select sender.tenant_id, sender.time_zone, (array_agg(sender.user_id order by sender.user_id))[1] as first_id,
      (array_agg(sender.user_id order by sender.user_id desc))[1] as last_id
    from (
      select (one ->> 'tenant_id')::integer as tenant_id, one ->> 'time_zone' as time_zone,
        (one ->> 'unit')::uuid as user_id
      from unnest(p_senders) as one
    ) as sender
    where not (
      (select internal.shuts_out('find_gaps', p_now))
      and exists (select from internal.shut_out('find_gaps', sender.tenant_id, sender.user_id::text, p_now))
    )
    group by sender.tenant_id, sender.time_zone
    order by sender.tenant_id, sender.time_zone
  loop
    perform internal.restart_run(v_part.tenant_id, v_part.time_zone, p_now);
    v_found := v_found + internal.mend_gaps(v_part.tenant_id, v_part.time_zone, v_part.first_id, v_part.last_id, p_now);
  end loop;
  return v_found;
end
$$;
comment on function internal.check_senders(jsonb[], timestamptz) is
  'Checks the given senders, [{tenant_id, unit: the sender, time_zone}], who follow one another in the order of '
  'tenant, time zone and id. Returns how many gaps it recorded. For worker.find_gaps.';
grant execute on function internal.check_senders(jsonb[], timestamptz) to kith_worker;

create or replace function internal.claim_gap_check(p_now timestamptz) returns kith.gap_checks
  language plpgsql
as $$
declare
  v_check kith.gap_checks;
begin
  select * into v_check from kith.gap_checks for update skip locked;
  if v_check.finished_at is null then
    return v_check;
  end if;
  -- A clock that was set back must not stop the check.
  if p_now >= v_check.began_at and p_now < v_check.began_at + interval '1 hour' then
    return null;
  end if;
  perform internal.analyze_grown_tables(p_now);
  return row (true, p_now, null, 0, '', '00000000-0000-0000-0000-000000000000', 0)::kith.gap_checks;
end
$$;
comment on function internal.claim_gap_check(timestamptz) is
  'Locks the hourly check that is in progress or due. Null if there is none, or if another worker has locked it. For '
  'worker.find_gaps.';
grant execute on function internal.claim_gap_check(timestamptz) to kith_worker;

create or replace function internal.restart_run(p_tenant integer, p_zone text, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_today date := internal.local_date(p_now, p_zone);
begin
  -- A zone without a next run would have no pings at all, and nothing would appear late.
  if not exists (
    select from kith.ping_runs as run
    where run.tenant_id = p_tenant and run.time_zone = p_zone and run.ping_on >= v_today
  ) then
    insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at)
    values (p_tenant, p_zone, v_today, internal.midnight(v_today, p_zone))
    on conflict do nothing;
  end if;
end
$$;
comment on function internal.restart_run(integer, text, timestamptz) is
  'Restarts the chain of runs of a time zone in use if it is broken: without a run for today or later. For '
  'worker.find_gaps.';
grant execute on function internal.restart_run(integer, text, timestamptz) to kith_worker;

create or replace function internal.unasked_connections(
  p_tenant integer, p_zone text, p_first uuid, p_last uuid, p_on date, p_now timestamptz
)
  returns table (id uuid, sender_id uuid)
  language sql
  stable
as $$
  select connection.id, sender.user_id
  from kith.sender_profiles as sender
  cross join lateral (
    select array(
      select ping.connection_id
      from kith.pings as ping
      where ping.tenant_id = p_tenant and ping.ping_on = p_on and ping.sender_id = sender.user_id
    ) as connections
    offset 0
  ) as asked
  cross join lateral (
    select one.id
    from kith.connections as one
    where one.tenant_id = p_tenant and one.sender_id = sender.user_id and one.status in ('active', 'pending')
      and one.pings_stopped_at is null
    offset 0
  ) as connection
  where sender.tenant_id = p_tenant and sender.time_zone = p_zone and sender.user_id between p_first and p_last
    and (p_on between sender.break_from_on and sender.break_until_on) is not true
    and not (
      (select internal.shuts_out('find_gaps', p_now))
      and exists (select from internal.shut_out('find_gaps', p_tenant, sender.user_id::text, p_now))
    )
    and connection.id <> all (asked.connections)
$$;
comment on function internal.unasked_connections(integer, text, uuid, uuid, date, timestamptz) is
  'The live connections of the senders of a zone, from p_first to p_last, that have no ping for a date, which nearly '
  'every connection has. Returns a table, which the planner can inline. For internal.mend_gaps.';
grant execute on function internal.unasked_connections(integer, text, uuid, uuid, date, timestamptz) to kith_worker;

create or replace function internal.mend_gaps(
  p_tenant integer, p_zone text, p_first uuid, p_last uuid, p_now timestamptz
)
  returns bigint
  language plpgsql
as $$
declare
  v_today date := internal.local_date(p_now, p_zone);
  v_run kith.ping_runs;
  v_found bigint;
begin
  select run.* into v_run
  from kith.ping_runs as run
  join kith.tenants as tenant on tenant.tenant_id = run.tenant_id and tenant.deleted_at is null
  where run.tenant_id = p_tenant and run.time_zone = p_zone and run.ping_on = v_today and run.starts_at <= p_now;
  -- Senders that the run has not reached yet are late, which readiness reports. They are not gaps.
  if v_run.finished_at is null and (p_last <= v_run.cursor_sender_id) is not true then
    p_last := v_run.cursor_sender_id;
  end if;

  with bare as materialized (
    select unasked.* from internal.unasked_connections(p_tenant, p_zone, p_first, p_last, v_today, p_now) as unasked
  ), missing as materialized (
    select connection.id, connection.sender_id, connection.receiver_id, time.scheduled_at,
      time.deadline_at - make_interval(
        mins => coalesce(sender.first_reminder_minutes, sender.reminder_minutes)
      ) as remind_at,
      time.deadline_at
    from bare
    cross join lateral (
      select one.id, one.sender_id, one.receiver_id, one.activated_at
      from kith.connections as one
      where one.tenant_id = p_tenant and one.id = bare.id and one.sender_id = bare.sender_id
      offset 0
    ) as connection
    cross join lateral (
      select one.ping_time, one.grace_minutes, one.reminder_minutes, one.first_reminder_minutes, one.timed_at
      from kith.sender_profiles as one
      where one.tenant_id = p_tenant and one.user_id = bare.sender_id
      offset 0
    ) as sender
    cross join lateral (
      select scheduled_at, scheduled_at + make_interval(mins => sender.grace_minutes) as deadline_at
      from internal.local_instant(v_today, sender.ping_time, p_zone) as scheduled_at
      offset 0
    ) as time
    -- Besides a break and a lapsed subscription, a missing ping has a valid reason if the sender connected, resumed or
    -- changed the time after the deadline, or if the run came too late and has counted the ping as skipped.
    where greatest(connection.activated_at, sender.timed_at) < time.deadline_at
      and not (v_run.skipped > 0 and v_run.finished_at >= time.deadline_at)
  ), mended as (
    -- Insert it as scheduled even if its time has passed, so that announce_due_pings tells the sender.
    insert into kith.pings
      (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, remind_at, deadline_at)
    select p_tenant, v_today, id, internal.uuid7(p_now), sender_id, receiver_id, 'scheduled', scheduled_at, remind_at,
      deadline_at
    from missing
    where deadline_at > p_now
    on conflict do nothing
  )
  insert into kith.ping_gaps (tenant_id, ping_on, connection_id, found_at, mended)
  select p_tenant, v_today, id, p_now, deadline_at > p_now
  from missing
  on conflict do nothing;
  get diagnostics v_found = row_count;
  return v_found;
end
$$;
comment on function internal.mend_gaps(integer, text, uuid, uuid, timestamptz) is
  'Records each live connection of the given senders that has no ping for their local date without a valid reason, '
  'although the day''s run has passed them. Makes the ping if its deadline is ahead. Returns how many gaps it '
  'recorded. For worker.find_gaps.';
grant execute on function internal.mend_gaps(integer, text, uuid, uuid, timestamptz) to kith_worker;
