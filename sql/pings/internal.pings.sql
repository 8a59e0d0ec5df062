-- The life of a ping: docs/architecture.md has the diagram of its states. There is at most one ping for each connection and local date
-- of its sender. Apart from generation, only definer procedures write pings. Users see theirs, and change them only by a check-in.

create or replace function internal.ping_json(p_ping kith.pings) returns json
  language sql
  stable
  parallel safe
as $$
  select json_build_object(
    'id', (p_ping).id,
    'connection_id', (p_ping).connection_id,
    'date', (p_ping).ping_on,
    'status', (p_ping).status,
    'scheduled_at', internal.instant((p_ping).scheduled_at),
    'deadline_at', internal.instant((p_ping).deadline_at),
    'completed_at', internal.instant((p_ping).completed_at),
    'note', (p_ping).note
  )
$$;
comment on function internal.ping_json(kith.pings) is 'A ping in the API''s representation.';
revoke all on function internal.ping_json(kith.pings) from public;
grant execute on function internal.ping_json(kith.pings) to kith_api;

create or replace function internal.plan_run(p_time_zone text, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_today date := internal.local_date(p_now, p_time_zone);
begin
  if v_tenant is null then
    raise exception 'unauthenticated' using errcode = 'KT401';
  end if;
  insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at)
  values (v_tenant, p_time_zone, v_today, internal.midnight(v_today, p_time_zone))
  on conflict do nothing;
end
$$;
comment on function internal.plan_run(text, timestamptz) is
  'Starts the chain of daily runs for a time zone that a tenant uses for the first time. Each run plans the next when it finishes. For definer procedures.';
revoke all on function internal.plan_run(text, timestamptz) from public;

create or replace function internal.wait_for_generation(p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  -- Includes the runs of the coming minute, which may have begun by the time this transaction commits.
  perform from kith.ping_runs
  where finished_at is null and starts_at <= p_now + interval '1 minute' and tenant_id = v_tenant
  order by starts_at, tenant_id, time_zone, ping_on
  for share;
end
$$;
comment on function internal.wait_for_generation(timestamptz) is
  'Waits for the batch of the tenant''s pings that is being generated, and holds back the next batch until this transaction ends. A running batch uses the old connections and times. Wait until its pings exist, then change them.';
revoke all on function internal.wait_for_generation(timestamptz) from public;

create or replace function internal.dates_to_bring(
  p_connection_id uuid, p_sender_id uuid, p_time_zone text, p_now timestamptz
) returns date[]
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_today date := internal.local_date(p_now, p_time_zone);
  v_dates date[] := array[v_today];
begin
  -- If the request was received just before midnight and runs just after it, the run of the new date has already passed this sender.
  if exists (
    select from kith.ping_runs
    where tenant_id = v_tenant and time_zone = p_time_zone and ping_on = v_today + 1
      and (finished_at is not null or cursor_sender_id >= p_sender_id)
  ) then
    v_dates := v_dates || (v_today + 1);
  end if;
  -- Include yesterday's ping if one was cancelled: a ping at 23:58 with 90 minutes of grace is open until 01:28.
  if exists (
    select from kith.pings
    where tenant_id = v_tenant and ping_on = v_today - 1 and connection_id = p_connection_id and status = 'cancelled'
  ) then
    v_dates := v_dates || (v_today - 1);
  end if;
  return v_dates;
end
$$;
comment on function internal.dates_to_bring(uuid, uuid, text, timestamptz) is
  'The dates of which a connection that has just become live may need a ping: today, and tomorrow or yesterday around midnight. For internal.bring_ping.';
revoke all on function internal.dates_to_bring(uuid, uuid, text, timestamptz) from public;

create or replace function internal.bring_ping(p_connection_id uuid, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_connection record;
  v_pings kith.pings[];
begin
  if v_tenant is null then
    raise exception 'unauthenticated' using errcode = 'KT401';
  end if;
  -- Locks the profile against a change of the times or a break by another session, which would not see the ping that this session is
  -- about to make.
  select connection.sender_id, connection.receiver_id, profile.time_zone, profile.ping_time, profile.grace_minutes,
    profile.reminder_minutes, profile.break_from_on, profile.break_until_on
  into v_connection
  from kith.connections as connection
  join kith.sender_profiles as profile on profile.tenant_id = connection.tenant_id and profile.user_id = connection.sender_id
  where connection.tenant_id = v_tenant and connection.id = p_connection_id and connection.status in ('active', 'pending')
    and connection.pings_stopped_at is null
    and (v_user is null or v_user in (connection.sender_id, connection.receiver_id))
  for share of profile;
  if not found then
    return;
  end if;
  perform internal.wait_for_generation(p_now);

  with changed as (
    insert into kith.pings as ping
      (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, remind_at, deadline_at)
    select v_tenant, planned.ping_on, p_connection_id, internal.uuid7(p_now), v_connection.sender_id, v_connection.receiver_id,
      -- The worker does not announce a ping that begins as due. That is right for a sender who is at the screen. If somebody else
      -- causes the ping, it begins as scheduled, and the worker announces it.
      case when v_user = v_connection.sender_id then planned.status else 'scheduled' end,
      planned.scheduled_at, planned.remind_at, planned.deadline_at
    from internal.planned_pings(
      internal.dates_to_bring(p_connection_id, v_connection.sender_id, v_connection.time_zone, p_now), v_connection.time_zone,
      v_connection.ping_time, v_connection.grace_minutes, v_connection.reminder_minutes, p_now
    ) as planned
    where (planned.ping_on between v_connection.break_from_on and v_connection.break_until_on) is not true
    on conflict (tenant_id, ping_on, connection_id) do update
    set status = excluded.status, scheduled_at = excluded.scheduled_at, remind_at = excluded.remind_at,
      deadline_at = excluded.deadline_at
    where ping.status in ('cancelled', 'scheduled')
    returning ping
  )
  select array_agg(changed.ping) into v_pings from changed;
  perform internal.emit_pings(v_pings, p_now);
end
$$;
comment on function internal.bring_ping(uuid, timestamptz) is
  'P13: creates or restores today''s ping of a live connection if its deadline is ahead, unless the sender is on a break or the receiver''s subscription has stopped pings. If anybody but the sender causes the ping, the worker tells the sender that it is due. For definer procedures.';
revoke all on function internal.bring_ping(uuid, timestamptz) from public;

create or replace function internal.planned_pings(
  p_dates date[], p_time_zone text, p_ping_time time, p_grace_minutes integer, p_reminder_minutes integer, p_now timestamptz
) returns table (ping_on date, status text, scheduled_at timestamptz, remind_at timestamptz, deadline_at timestamptz)
  language plpgsql
  stable
as $$
begin
  foreach ping_on in array p_dates loop
    scheduled_at := internal.local_instant(ping_on, p_ping_time, p_time_zone);
    deadline_at := scheduled_at + make_interval(mins => p_grace_minutes);
    remind_at := deadline_at - make_interval(mins => p_reminder_minutes);
    status := case when scheduled_at <= p_now then 'due' else 'scheduled' end;
    if remind_at <= p_now then
      remind_at := null;
    end if;
    if deadline_at > p_now then
      return next;
    end if;
  end loop;
end
$$;
comment on function internal.planned_pings(date[], text, time, integer, integer, timestamptz) is
  'The times of a sender''s pings on the given dates, each with its initial status. Leaves out dates whose deadline has passed.';
revoke all on function internal.planned_pings(date[], text, time, integer, integer, timestamptz) from public;
grant execute on function internal.planned_pings(date[], text, time, integer, integer, timestamptz) to kith_worker;

create or replace function internal.cancel_pings_of(p_connections uuid[], p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_day date := (p_now at time zone 'UTC')::date;
  v_ended uuid[];
  v_changed kith.pings[];
  v_pings kith.pings[] := '{}';
begin
  if v_tenant is null then
    raise exception 'unauthenticated' using errcode = 'KT401';
  end if;
  -- Refuse to cancel the pings of a live connection: nobody can silence one.
  v_ended := array(
    select id from kith.connections where tenant_id = v_tenant and id = any (p_connections) and status not in ('active', 'pending')
  );
  if v_ended = '{}' then
    return;
  end if;
  perform internal.wait_for_generation(p_now);
  for v_n in -2 .. 1 loop
    with changed as (
      update kith.pings as ping
      set status = 'cancelled', remind_at = null
      where ping.tenant_id = v_tenant and ping.ping_on = v_day + v_n and ping.connection_id = any (v_ended)
        and ping.status in ('scheduled', 'due')
      returning ping
    )
    select array_agg(changed.ping) into v_changed from changed;
    v_pings := v_pings || v_changed;
  end loop;
  perform internal.emit_pings(v_pings, p_now);
end
$$;
comment on function internal.cancel_pings_of(uuid[], timestamptz) is
  'X23: cancels the open pings of connections that were just paused or removed. Leaves out live connections. The worker cancels older pings when it reaches them. For definer procedures.';
revoke all on function internal.cancel_pings_of(uuid[], timestamptz) from public;

create or replace function internal.cancel_pings(p_connection_id uuid, p_now timestamptz) returns void
  language plpgsql
as $$
begin
  perform internal.cancel_pings_of(array[p_connection_id], p_now);
end
$$;
comment on function internal.cancel_pings(uuid, timestamptz) is 'internal.cancel_pings_of for one connection. For definer procedures.';
revoke all on function internal.cancel_pings(uuid, timestamptz) from public;

create or replace function internal.retime_pings(p_user_id uuid, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_profile record;
  v_today date;
  v_pings kith.pings[];
begin
  if v_tenant is null then
    raise exception 'unauthenticated' using errcode = 'KT401';
  end if;
  perform internal.wait_for_generation(p_now);
  select time_zone, ping_time, grace_minutes, reminder_minutes, break_from_on, break_until_on into v_profile
  from kith.sender_profiles
  where tenant_id = v_tenant and user_id = p_user_id;
  if not found then
    return;
  end if;

  v_today := internal.local_date(p_now, v_profile.time_zone);
  -- Tomorrow's ping is moved too. For a sender who flew west, the old zone had already reached that date, and the ping would come a
  -- day early.
  with changed as (
    insert into kith.pings as ping
      (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, remind_at, deadline_at)
    select v_tenant, planned.ping_on, connection.id, internal.uuid7(p_now), p_user_id, connection.receiver_id,
      planned.status, planned.scheduled_at, planned.remind_at, planned.deadline_at
    from internal.planned_pings(
      array[v_today, v_today + 1], v_profile.time_zone, v_profile.ping_time, v_profile.grace_minutes,
      v_profile.reminder_minutes, p_now
    ) as planned
    cross join kith.connections as connection
    where connection.tenant_id = v_tenant and connection.sender_id = p_user_id and connection.status in ('active', 'pending')
      and connection.pings_stopped_at is null
      and (planned.ping_on between v_profile.break_from_on and v_profile.break_until_on) is not true
      and (
        planned.ping_on = v_today
        or exists (
          select from kith.pings as made
          where made.tenant_id = v_tenant and made.ping_on = v_today + 1 and made.connection_id = connection.id
        )
      )
    on conflict (tenant_id, ping_on, connection_id) do update
    set status = excluded.status, scheduled_at = excluded.scheduled_at, remind_at = excluded.remind_at,
      deadline_at = excluded.deadline_at
    where ping.status in ('scheduled', 'cancelled')
    returning ping
  )
  select array_agg(changed.ping) into v_pings from changed;
  perform internal.emit_pings(v_pings, p_now);
end
$$;
comment on function internal.retime_pings(uuid, timestamptz) is
  'X25: after a change of zone, time, grace or break, moves a sender''s pings that are scheduled or cancelled to the new times, and creates a missing ping of the new local date. Both apply only if the new deadline is ahead. No day falls between two zones. For definer procedures.';
revoke all on function internal.retime_pings(uuid, timestamptz) from public;

create or replace function internal.retime_sender(p_user_id uuid, p_now timestamptz) returns void
  language plpgsql
as $$
begin
  perform internal.retime_break(p_user_id, p_now);
  perform internal.retime_pings(p_user_id, p_now);
end
$$;
comment on function internal.retime_sender(uuid, timestamptz) is
  'Moves a sender''s open break and pings to the times and the zone that the profile has now. For definer procedures.';
revoke all on function internal.retime_sender(uuid, timestamptz) from public;
