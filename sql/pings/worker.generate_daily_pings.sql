create or replace function worker.generate_daily_pings(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
  -- Replanning for each run would cost a small tenant more than its pings do.
  set plan_cache_mode = 'force_generic_plan'
as $$
declare
  c_first_id constant uuid := '00000000-0000-0000-0000-000000000000';
  c_last_id constant uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  -- The first 7 bytes of a version 7 UUID (time and version), followed by one byte of the date, because one call may make several
  -- dates. The other 8 bytes come from the connection's id, which is as random and costs nothing.
  v_id_time bytea := substring(uuid_send(internal.uuid7(p_now)) for 7);
  v_id_prefix bytea;
  v_room integer := p_batch;
  v_done integer := 0;
  v_tenant integer := 0;
  v_zone text := '';
  v_date date := '-infinity';
  v_midnight timestamptz := '-infinity';
  v_cursor uuid;
  v_is_deleted boolean;
  v_from uuid;
  v_until uuid;
  v_is_plain boolean;
  v_is_last boolean;
  v_next_date date;
  v_next_midnight timestamptz;
  v_created bigint;
  v_skipped bigint;
begin
  -- If a crash undoes the commit, it undoes the cursor together with the pings, and they are made again. So do not wait for the disk.
  perform set_config('synchronous_commit', 'off', true);
  perform internal.analyze_grown_tables();

  -- Count each run as one ping, so that a batch over many small tenants also ends.
  while v_room > 0 loop
    -- Continue after the last run. Otherwise each search would walk again over the runs that this transaction has finished.
    select run.tenant_id, run.time_zone, run.ping_on, run.starts_at, run.cursor_sender_id, tenant.deleted_at is not null
    into v_tenant, v_zone, v_date, v_midnight, v_cursor, v_is_deleted
    from kith.ping_runs as run
    join kith.tenants as tenant on tenant.tenant_id = run.tenant_id
    where run.finished_at is null and run.starts_at <= p_now
      and (run.starts_at, run.tenant_id, run.time_zone, run.ping_on) > (v_midnight, v_tenant, v_zone, v_date)
    order by run.starts_at, run.tenant_id, run.time_zone, run.ping_on
    limit 1
    for update of run skip locked;
    exit when not found;

    -- The next date that exists in the zone.
    v_next_date := v_date;
    loop
      v_next_date := v_next_date + 1;
      v_next_midnight := internal.midnight(v_next_date, v_zone);
      exit when v_next_midnight is not null;
    end loop;

    v_created := 0;
    v_skipped := 0;
    v_id_prefix := v_id_time || substring(int4send(v_date - date '2000-01-01') from 4);
    if v_is_deleted then
      v_is_last := true;
    else
      v_from := coalesce(v_cursor, c_first_id);
      select profile.user_id into v_until
      from kith.sender_profiles as profile
      where profile.tenant_id = v_tenant and profile.time_zone = v_zone and profile.user_id > v_from
      order by profile.user_id
      offset v_room - 1 limit 1;
      v_is_last := v_until is null;
      v_until := coalesce(v_until, c_last_id);

      -- The common case, a million times a day: the clocks do not change on that date, and no deadline has passed yet (no grace is
      -- shorter than 5 minutes). Then local times are plain arithmetic, and nobody is skipped.
      v_is_plain := v_next_date = v_date + 1 and v_next_midnight = v_midnight + interval '24 hours';
      if v_is_plain and p_now >= v_midnight + interval '5 minutes' then
        v_is_plain := not exists (
          select from kith.sender_profiles as profile
          where profile.tenant_id = v_tenant and profile.time_zone = v_zone
            and profile.user_id > v_from and profile.user_id <= v_until
            and v_midnight + profile.ping_time + make_interval(mins => profile.grace_minutes) <= p_now
        );
      end if;

      if v_is_plain then
        begin
          insert into kith.pings
            (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, remind_at, deadline_at)
          select v_tenant, v_date, connection.id,
            encode(overlay(uuid_send(connection.id) placing v_id_prefix from 1 for 8), 'hex')::uuid,
            connection.sender_id, connection.receiver_id, 'scheduled', v_midnight + profile.ping_time,
            v_midnight + profile.ping_time + make_interval(mins => profile.grace_minutes - profile.reminder_minutes),
            v_midnight + profile.ping_time + make_interval(mins => profile.grace_minutes)
          from kith.sender_profiles as profile
          join kith.connections as connection
            on connection.tenant_id = v_tenant and connection.sender_id = profile.user_id
            and connection.status in ('active', 'pending') and connection.pings_stopped_at is null
          where profile.tenant_id = v_tenant and profile.time_zone = v_zone
            and profile.user_id > v_from and profile.user_id <= v_until
            and (v_date between profile.break_from_on and profile.break_until_on) is not true;
          get diagnostics v_created = row_count;
        exception when unique_violation then
          -- Someone has connected, resumed or changed their times since midnight, and P13 has made the ping. Checking for that
          -- in each row (`on conflict`) would cost a tenth of the whole.
          v_is_plain := false;
        end;
      end if;

      if not v_is_plain then
        with planned as materialized (
          select connection.id, connection.sender_id, connection.receiver_id, time.scheduled_at,
            time.scheduled_at + make_interval(mins => profile.grace_minutes - profile.reminder_minutes) as remind_at,
            time.scheduled_at + make_interval(mins => profile.grace_minutes) as deadline_at,
            greatest(profile.timed_at, connection.activated_at) as wanted_at
          from kith.sender_profiles as profile
          cross join lateral (
            select internal.local_instant(v_date, profile.ping_time, v_zone) as scheduled_at offset 0
          ) as time
          join kith.connections as connection
            on connection.tenant_id = v_tenant and connection.sender_id = profile.user_id
            and connection.status in ('active', 'pending') and connection.pings_stopped_at is null
          where profile.tenant_id = v_tenant and profile.time_zone = v_zone
            and profile.user_id > v_from and profile.user_id <= v_until
            and (v_date between profile.break_from_on and profile.break_until_on) is not true
        ), made as (
          insert into kith.pings
            (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, remind_at, deadline_at)
          select v_tenant, v_date, planned.id, internal.uuid7(p_now), planned.sender_id, planned.receiver_id, 'scheduled',
            planned.scheduled_at, planned.remind_at, planned.deadline_at
          from planned
          where planned.deadline_at > p_now
          on conflict do nothing
          returning 1
        )
        -- Count as skipped only pings that are late through our fault, not those of people who connected or changed their times
        -- after the deadline.
        select (select count(*) from made), (
          select count(*)
          from planned
          where planned.deadline_at <= p_now and planned.wanted_at < planned.deadline_at
            and not exists (
              select from kith.pings as ping
              where ping.tenant_id = v_tenant and ping.ping_on = v_date and ping.connection_id = planned.id
            )
        )
        into v_created, v_skipped;
      end if;
    end if;

    update kith.ping_runs
    set cursor_sender_id = case when v_is_last then cursor_sender_id else v_until end,
      created = created + v_created,
      skipped = skipped + v_skipped,
      finished_at = case when v_is_last then p_now end
    where tenant_id = v_tenant and time_zone = v_zone and ping_on = v_date;

    if v_is_last then
      insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at)
      values (v_tenant, v_zone, v_next_date, v_next_midnight)
      on conflict do nothing;
    end if;

    v_room := v_room - v_created - 1;
    v_done := v_done + v_created + 1;
  end loop;
  -- These may be the first pings in a month's partition. The procedure that announces them needs its statistics.
  if v_done > 0 then
    perform internal.analyze_grown_tables();
  end if;
  return v_done;
end
$$;
comment on function worker.generate_daily_pings(timestamptz, integer) is
  'Generates one batch of daily pings (P28): continues the runs that are due with their next senders, up to p_batch. Senders on a break get none, nor do connections whose pings stopped with the receiver''s subscription. Call it until it returns 0; several workers may do so at once. A crash repeats nothing and loses nothing, because the run''s cursor moves in the transaction that inserts the pings. Returns the pings made plus the runs advanced.';
revoke all on function worker.generate_daily_pings(timestamptz, integer) from public;
grant execute on function worker.generate_daily_pings(timestamptz, integer) to kith_worker;
