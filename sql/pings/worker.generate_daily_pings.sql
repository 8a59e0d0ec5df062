create or replace function worker.generate_daily_pings(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
  -- Replanning for each run would cost a small tenant more than its pings do.
  set plan_cache_mode = 'force_generic_plan'
  -- Access by key, as in the worker's other loops. Other joins would read all connections of the tenant.
  set enable_hashjoin = off
  set enable_mergejoin = off
  set enable_material = off
as $$
declare
  v_done integer;
begin
  p_now := internal.present(p_now);
  -- Do not wait for the disk: a crash loses cursor and pings together, and they are made again.
  perform set_config('synchronous_commit', 'off', true);
  perform internal.analyze_grown_tables(p_now);

  v_done := internal.work_off(
    'generate_daily_pings.sender', internal.claim_late_senders(p_batch, p_now), null, p_now,
    'internal.generate_for_senders($1, $3)'
  );
  begin
    v_done := v_done + internal.generate_runs(
      p_batch, exists (
        select from kith.set_aside as aside where aside.loop = 'generate_daily_pings' and aside.retry_at <= p_now
      ), p_now
    );
  exception when others then
    if not internal.is_of_data(sqlstate) then
      raise;
    end if;
    v_done := v_done + internal.generate_runs(p_batch, true, p_now);
  end;
  -- These may be the first pings in a month's partition. The procedure that announces them needs its statistics.
  if v_done > 0 then
    perform internal.analyze_grown_tables(p_now);
  end if;
  return v_done;
end
$$;
comment on function worker.generate_daily_pings(timestamptz, integer) is
  'Generates one batch of daily pings (P28): continues the runs that are due with their next senders, up to p_batch. '
  'Senders on a break get none, nor do connections whose pings stopped with the receiver''s subscription. Call it '
  'until it returns 0; several workers may do so at once. A crash repeats nothing and loses nothing, because the '
  'run''s cursor moves in the transaction that inserts the pings. Returns the pings made plus the runs advanced.';
grant execute on function worker.generate_daily_pings(timestamptz, integer) to kith_worker;

create or replace function internal.generate_runs(p_batch integer, p_is_careful boolean, p_now timestamptz)
  returns integer
  language plpgsql
as $$
declare
  v_room integer := p_batch;
  v_done integer := 0;
  v_made integer;
  v_run kith.ping_runs;
begin
  -- Count each run as one ping, so that a batch over many small tenants also ends.
  while v_room > 0 loop
    v_run := internal.next_run(v_run, p_now);
    exit when v_run.tenant_id is null;
    v_made := case
      when p_is_careful then internal.work_off(
        'generate_daily_pings.run', array[v_run], v_room::text, p_now,
        'internal.generate_carefully($1[1], $2::integer, $3)'
      )
      else internal.generate_run(v_run, v_room, p_now)
    end;
    v_room := v_room - v_made - 1;
    v_done := v_done + v_made + 1;
  end loop;
  return v_done;
end
$$;
comment on function internal.generate_runs(integer, boolean, timestamptz) is
  'Continues the runs that are due, up to p_batch. If p_is_careful, each run has a subtransaction of its own, and what '
  'fails is set aside. Returns the pings made plus the runs advanced. For worker.generate_daily_pings.';
grant execute on function internal.generate_runs(integer, boolean, timestamptz) to kith_worker;

create or replace function internal.generate_run(p_run kith.ping_runs, p_room integer, p_now timestamptz)
  returns integer
  language plpgsql
as $$
declare
  v_part record;
begin
  select * into v_part from internal.generate_part(p_run, p_room, p_now);
  perform internal.advance_run(p_run, v_part.until, v_part.created, v_part.skipped, p_now);
  return v_part.created;
end
$$;
comment on function internal.generate_run(kith.ping_runs, integer, timestamptz) is
  'Makes the pings of the next p_room senders of a run, and moves its cursor. Returns how many it made. For '
  'internal.generate_runs.';
grant execute on function internal.generate_run(kith.ping_runs, integer, timestamptz) to kith_worker;

create or replace function internal.generate_carefully(p_run kith.ping_runs, p_room integer, p_now timestamptz)
  returns integer
  language plpgsql
as $$
declare
  v_room integer := p_room;
  v_sender uuid;
  v_table text;
  v_constraint text;
  v_context text;
begin
  loop
    begin
      return internal.generate_run(p_run, v_room, p_now);
    exception when others then
      if not internal.is_of_data(sqlstate) then
        raise;
      end if;
      get stacked diagnostics v_table = table_name, v_constraint = constraint_name, v_context = pg_exception_context;
      if v_room = 1 then
        select profile.user_id into strict v_sender
        from kith.sender_profiles as profile
        where profile.tenant_id = p_run.tenant_id and profile.time_zone = p_run.time_zone
          and profile.user_id > coalesce(p_run.cursor_sender_id, '00000000-0000-0000-0000-000000000000')
        order by profile.user_id
        limit 1;
        perform internal.put_aside(
          'generate_daily_pings', p_run.tenant_id, concat_ws(' ', v_sender, p_run.ping_on, p_run.time_zone), sqlstate,
          internal.error_place(v_table, v_constraint, v_context), p_now
        );
      end if;
    end;
    if v_room = 1 then
      perform internal.advance_run(p_run, v_sender, 0, 0, p_now);
      return 0;
    end if;
    v_room := v_room / 2;
  end loop;
end
$$;
comment on function internal.generate_carefully(kith.ping_runs, integer, timestamptz) is
  'internal.generate_run, but with fewer senders if that fails, and past the next sender if not even that one''s pings '
  'can be made. That sender is set aside (internal.claim_late_senders). Returns how many pings it made.';
grant execute on function internal.generate_carefully(kith.ping_runs, integer, timestamptz) to kith_worker;

create or replace function internal.claim_late_senders(p_batch integer, p_now timestamptz) returns jsonb[]
  language plpgsql
as $$
begin
  return array(
    select jsonb_build_object('tenant_id', aside.tenant_id, 'unit', aside.key)
    from kith.set_aside as aside
    where aside.loop = 'generate_daily_pings' and aside.retry_at <= p_now
      and aside.key like '________-____-____-____-____________ %'
    order by aside.retry_at
    limit p_batch
  );
end
$$;
comment on function internal.claim_late_senders(integer, timestamptz) is
  'The senders whose pings of a date could not be made when their run passed them, and must be tried again: at most '
  'p_batch. Their key is the sender, the date and the time zone. For worker.generate_daily_pings.';
grant execute on function internal.claim_late_senders(integer, timestamptz) to kith_worker;

create or replace function internal.generate_for_senders(p_units jsonb[], p_now timestamptz) returns integer
  language plpgsql
as $$
declare
  v_unit record;
  v_run kith.ping_runs;
  v_made integer := 0;
begin
  for v_unit in
    select (unit ->> 'tenant_id')::integer as tenant_id, split_part(unit ->> 'unit', ' ', 1)::uuid as sender_id,
      split_part(unit ->> 'unit', ' ', 2)::date as ping_on, split_part(unit ->> 'unit', ' ', 3) as time_zone
    from unnest(p_units) as unit
  loop
    select run.* into v_run
    from kith.ping_runs as run
    join kith.tenants as tenant on tenant.tenant_id = run.tenant_id and tenant.deleted_at is null
    where run.tenant_id = v_unit.tenant_id and run.time_zone = v_unit.time_zone and run.ping_on = v_unit.ping_on;
    continue when not found;
    v_made := v_made + (
      select inserted.created
      from internal.insert_pings(
        v_run, coalesce(
          (
            select profile.user_id
            from kith.sender_profiles as profile
            where profile.tenant_id = v_unit.tenant_id and profile.time_zone = v_unit.time_zone
              and profile.user_id < v_unit.sender_id
            order by profile.user_id desc
            limit 1
          ), '00000000-0000-0000-0000-000000000000'
        ), v_unit.sender_id, p_now
      ) as inserted
    );
  end loop;
  return v_made;
end
$$;
comment on function internal.generate_for_senders(jsonb[], timestamptz) is
  'Makes the pings that internal.claim_late_senders names, where their deadline is ahead. Returns how many. For '
  'worker.generate_daily_pings.';
grant execute on function internal.generate_for_senders(jsonb[], timestamptz) to kith_worker;

create or replace function internal.next_run(p_after kith.ping_runs, p_now timestamptz) returns kith.ping_runs
  language plpgsql
as $$
declare
  v_run kith.ping_runs;
begin
  -- Continue after the last run. Otherwise each search would walk again over the runs that this transaction has
  -- finished.
  select * into v_run
  from kith.ping_runs as run
  where run.finished_at is null and run.starts_at <= p_now
    and (run.starts_at, run.tenant_id, run.time_zone, run.ping_on) > (
      coalesce(p_after.starts_at, '-infinity'), coalesce(p_after.tenant_id, 0), coalesce(p_after.time_zone, ''),
      coalesce(p_after.ping_on, '-infinity')
    )
    and not exists (
      select from internal.shut_out(
        'generate_daily_pings', run.tenant_id, concat_ws(' ', run.time_zone, to_jsonb(run.ping_on) #>> '{}'), p_now
      )
    )
  order by run.starts_at, run.tenant_id, run.time_zone, run.ping_on
  limit 1
  for update of run skip locked;
  return v_run;
end
$$;
comment on function internal.next_run(kith.ping_runs, timestamptz) is
  'Locks the run that is due after p_after, or the first one if p_after is null. Null if there is none. For '
  'worker.generate_daily_pings.';
grant execute on function internal.next_run(kith.ping_runs, timestamptz) to kith_worker;

create or replace function internal.generate_part(
  p_run kith.ping_runs, p_room integer, p_now timestamptz, out created bigint, out skipped bigint, out until uuid
)
  language plpgsql
as $$
declare
  v_from uuid := coalesce(p_run.cursor_sender_id, '00000000-0000-0000-0000-000000000000');
  v_until uuid;
begin
  skipped := 0;
  if exists (select from kith.tenants where tenant_id = p_run.tenant_id and deleted_at is not null) then
    created := 0;
    return;
  end if;
  select profile.user_id into until
  from kith.sender_profiles as profile
  where profile.tenant_id = p_run.tenant_id and profile.time_zone = p_run.time_zone and profile.user_id > v_from
  order by profile.user_id
  offset p_room - 1 limit 1;
  v_until := coalesce(until, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
  if internal.is_plain_day(p_run, v_from, v_until, p_now) then
    created := internal.insert_plain_pings(p_run, v_from, v_until, p_now);
  end if;
  if created is null then
    select inserted.created, inserted.skipped into created, skipped
    from internal.insert_pings(p_run, v_from, v_until, p_now) as inserted;
  end if;
end
$$;
comment on function internal.generate_part(kith.ping_runs, integer, timestamptz) is
  'Makes the pings of the next p_room senders of a run. Returns how many it made, how many it skipped because they are '
  'late, and the last of the senders, or null if the run is complete. For worker.generate_daily_pings.';
grant execute on function internal.generate_part(kith.ping_runs, integer, timestamptz) to kith_worker;

create or replace function internal.is_plain_day(p_run kith.ping_runs, p_from uuid, p_until uuid, p_now timestamptz)
  returns boolean
  language plpgsql
as $$
begin
  return internal.midnight(
    p_run.ping_on + 1, p_run.time_zone
  ) is not distinct from p_run.starts_at + interval '24 hours'
    and (
      -- No grace is shorter than 5 minutes.
      p_now < p_run.starts_at + interval '5 minutes'
      or not exists (
        select from kith.sender_profiles as profile
        where profile.tenant_id = p_run.tenant_id and profile.time_zone = p_run.time_zone
          and profile.user_id > p_from and profile.user_id <= p_until
          and p_run.starts_at + profile.ping_time + make_interval(mins => profile.grace_minutes) <= p_now
      )
    );
end
$$;
comment on function internal.is_plain_day(kith.ping_runs, uuid, uuid, timestamptz) is
  'Whether the clocks do not change on the run''s date and no deadline of the given senders has passed yet. Then local '
  'times are plain arithmetic, and nobody is skipped. For worker.generate_daily_pings.';
grant execute on function internal.is_plain_day(kith.ping_runs, uuid, uuid, timestamptz) to kith_worker;

create or replace function internal.insert_plain_pings(
  p_run kith.ping_runs, p_from uuid, p_until uuid, p_now timestamptz
)
  returns bigint
  language plpgsql
as $$
declare
  v_tenant integer := p_run.tenant_id;
  v_zone text := p_run.time_zone;
  v_date date := p_run.ping_on;
  v_midnight timestamptz := p_run.starts_at;
  -- The first 7 bytes of a version 7 UUID (time and version), followed by one byte of the date, because one call may
  -- make several dates. The other 8 bytes come from the connection's id, which is as random and costs nothing.
  v_id_prefix bytea := substring(uuid_send(internal.uuid7(p_now)) for 7)
    || substring(int4send(v_date - date '2000-01-01') from 4);
  v_created bigint;
begin
  insert into kith.pings
    (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, remind_at, deadline_at)
  select v_tenant, v_date, connection.id,
    encode(overlay(uuid_send(connection.id) placing v_id_prefix from 1 for 8), 'hex')::uuid,
    connection.sender_id, connection.receiver_id, 'scheduled', v_midnight + profile.ping_time,
    v_midnight + profile.ping_time + make_interval(
      mins => profile.grace_minutes - coalesce(profile.first_reminder_minutes, profile.reminder_minutes)
    ),
    v_midnight + profile.ping_time + make_interval(mins => profile.grace_minutes)
  from kith.sender_profiles as profile
  cross join lateral (
    select one.id, one.sender_id, one.receiver_id
    from kith.connections as one
    where one.tenant_id = v_tenant and one.sender_id = profile.user_id
      and one.status in ('active', 'pending') and one.pings_stopped_at is null
    -- OFFSET, because a planner that believes in few connections would begin with all of the tenant's.
    offset 0
  ) as connection
  where profile.tenant_id = v_tenant and profile.time_zone = v_zone
    and profile.user_id > p_from and profile.user_id <= p_until
    and (v_date between profile.break_from_on and profile.break_until_on) is not true;
  get diagnostics v_created = row_count;
  return v_created;
exception when unique_violation then
  -- Someone has connected, resumed or changed their times since midnight, and P13 has made the ping. Checking for that
  -- in each row (`on conflict`) would cost a tenth of the whole.
  return null;
end
$$;
comment on function internal.insert_plain_pings(kith.ping_runs, uuid, uuid, timestamptz) is
  'Makes the pings of the given senders on a plain day: the common case, a million times a day. Returns how many, or '
  'null if some of them exist already; then it has made none. For worker.generate_daily_pings.';
grant execute on function internal.insert_plain_pings(kith.ping_runs, uuid, uuid, timestamptz) to kith_worker;

create or replace function internal.insert_pings(
  p_run kith.ping_runs, p_from uuid, p_until uuid, p_now timestamptz, out created bigint, out skipped bigint
)
  language plpgsql
as $$
declare
  v_tenant integer := p_run.tenant_id;
  v_zone text := p_run.time_zone;
  v_date date := p_run.ping_on;
begin
  with planned as materialized (
    select connection.id, connection.sender_id, connection.receiver_id, time.scheduled_at,
      time.scheduled_at + make_interval(
        mins => profile.grace_minutes - coalesce(profile.first_reminder_minutes, profile.reminder_minutes)
      ) as remind_at,
      time.scheduled_at + make_interval(mins => profile.grace_minutes) as deadline_at,
      greatest(profile.timed_at, connection.activated_at) as wanted_at
    from kith.sender_profiles as profile
    cross join lateral (
      select internal.local_instant(v_date, profile.ping_time, v_zone) as scheduled_at offset 0
    ) as time
    cross join lateral (
      select one.id, one.sender_id, one.receiver_id, one.activated_at
      from kith.connections as one
      where one.tenant_id = v_tenant and one.sender_id = profile.user_id
        and one.status in ('active', 'pending') and one.pings_stopped_at is null
      offset 0
    ) as connection
    where profile.tenant_id = v_tenant and profile.time_zone = v_zone
      and profile.user_id > p_from and profile.user_id <= p_until
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
  -- Count as skipped only pings that are late through our fault, not those of people who connected or changed their
  -- times after the deadline.
  select (select count(*) from made), (
    select count(*)
    from planned
    where planned.deadline_at <= p_now and planned.wanted_at < planned.deadline_at
      and not exists (
        select from kith.pings as ping
        where ping.tenant_id = v_tenant and ping.ping_on = v_date and ping.connection_id = planned.id
          and ping.sender_id = planned.sender_id
      )
  )
  into created, skipped;
end
$$;
comment on function internal.insert_pings(kith.ping_runs, uuid, uuid, timestamptz) is
  'Makes the pings of the given senders that do not exist yet, on any day. Returns how many it made, and how many it '
  'skipped because their deadline has passed. For worker.generate_daily_pings.';
grant execute on function internal.insert_pings(kith.ping_runs, uuid, uuid, timestamptz) to kith_worker;

create or replace function internal.advance_run(
  p_run kith.ping_runs, p_until uuid, p_created bigint, p_skipped bigint, p_now timestamptz
) returns void
  language plpgsql
as $$
declare
  v_next_date date := p_run.ping_on;
  v_next_midnight timestamptz;
begin
  update kith.ping_runs
  set cursor_sender_id = coalesce(p_until, cursor_sender_id),
    created = created + p_created,
    skipped = skipped + p_skipped,
    finished_at = case when p_until is null then p_now end
  where tenant_id = p_run.tenant_id and time_zone = p_run.time_zone and ping_on = p_run.ping_on;
  if p_until is null then
    -- The next date that exists in the zone.
    loop
      v_next_date := v_next_date + 1;
      v_next_midnight := internal.midnight(v_next_date, p_run.time_zone);
      exit when v_next_midnight is not null;
    end loop;
    insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at)
    values (p_run.tenant_id, p_run.time_zone, v_next_date, v_next_midnight)
    on conflict do nothing;
  end if;
end
$$;
comment on function internal.advance_run(kith.ping_runs, uuid, bigint, bigint, timestamptz) is
  'Moves the cursor of a run to p_until or, if that is null, finishes the run and plans the next one. For '
  'worker.generate_daily_pings.';
grant execute on function internal.advance_run(kith.ping_runs, uuid, bigint, bigint, timestamptz) to kith_worker;
