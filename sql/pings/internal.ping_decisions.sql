-- What becomes of a ping is decided here, whoever acts: what it is born as, whether it is asked, completed, judged,
-- moved or cancelled. docs/pings.md has the rules with a diagram. There is at most one ping for each connection and
-- local date of its sender. Apart from generation, only definer procedures write pings. Users see theirs, and change
-- them only by a check-in.

create or replace function internal.answered_status(p_at timestamptz, p_deadline_at timestamptz) returns text
  language sql
  immutable
  parallel safe
as $$
  select case when p_deadline_at > p_at then 'completed' else 'completed_late' end
$$;
comment on function internal.answered_status(timestamptz, timestamptz) is
  'What a sign of life at an instant makes of an open ping. The deadline is an edge (X34): at that very instant it is '
  'late.';

create or replace function internal.awaits_ping(
  p_status text, p_updated_at timestamptz, p_deleted_at timestamptz, p_deadline_at timestamptz
) returns boolean
  language sql
  immutable
  parallel safe
as $$
  select p_status in ('active', 'pending') or coalesce(p_deleted_at, p_updated_at) >= p_deadline_at
$$;
comment on function internal.awaits_ping(text, timestamptz, timestamptz, timestamptz) is
  'Whether an open ping with this deadline is still waited for, by its connection''s status, updated_at and '
  'deleted_at. A pause or a removal after the deadline cancels nothing (X34). One before it has cancelled the ping; '
  'what it has left is cancelled by the worker.';

create or replace function internal.announced_status(
  p_is_awaited boolean, p_sign_at timestamptz, p_deadline_at timestamptz
)
  returns text
  language sql
  immutable
  parallel safe
as $$
  select case
    when not p_is_awaited then 'cancelled'
    when p_sign_at is not null then internal.answered_status(p_sign_at, p_deadline_at)
    else 'due'
  end
$$;
comment on function internal.announced_status(boolean, timestamptz, timestamptz) is
  'What a scheduled ping becomes when its time has come. p_is_awaited is internal.awaits_ping, p_sign_at the sign of '
  'life that speaks for it, or null.';

create or replace function internal.judged_status(
  p_is_awaited boolean, p_sign_at timestamptz, p_deadline_at timestamptz
)
  returns text
  language sql
  immutable
  parallel safe
as $$
  select case
    when not p_is_awaited then 'cancelled'
    when p_sign_at is not null then internal.answered_status(p_sign_at, p_deadline_at)
    else 'missed'
  end
$$;
comment on function internal.judged_status(boolean, timestamptz, timestamptz) is
  'What a due ping becomes when its deadline has passed. A check-in before it completes the ping, and one after it, '
  'before anybody was told, makes it late and alarms nobody (X34).';

create or replace function internal.sign_for_ping(p_ping kith.pings) returns kith.check_ins
  language plpgsql
  stable
as $$
declare
  v_sign kith.check_ins;
begin
  select * into v_sign
  from kith.check_ins
  where tenant_id = p_ping.tenant_id and user_id = p_ping.sender_id
    and received_at >= p_ping.scheduled_at and received_at < p_ping.deadline_at
    -- What arrived more than a minute after the tap speaks for the tap only.
    and coalesce(tapped_at >= received_at - interval '60 seconds', true)
  order by received_at desc
  limit 1;
  if found then
    return v_sign;
  end if;
  select * into v_sign
  from kith.check_ins
  where tenant_id = p_ping.tenant_id and user_id = p_ping.sender_id
    and tapped_at >= p_ping.scheduled_at and tapped_at < p_ping.deadline_at
  order by tapped_at desc
  limit 1;
  if found then
    v_sign.received_at := v_sign.tapped_at;
    return v_sign;
  end if;
  -- Of more than 200 check-ins a day no row is kept, but they have their full effect.
  select last_check_in_at into v_sign.received_at
  from kith.sender_profiles
  where tenant_id = p_ping.tenant_id and user_id = p_ping.sender_id
    and last_check_in_at >= p_ping.scheduled_at and last_check_in_at < p_ping.deadline_at;
  if found then
    return v_sign;
  end if;
  -- An early check-in that has completed another ping of the date.
  select check_in_id, completed_at into v_sign.id, v_sign.received_at
  from kith.pings as sibling
  where sibling.tenant_id = p_ping.tenant_id and sibling.ping_on = p_ping.ping_on
    and sibling.sender_id = p_ping.sender_id and sibling.status = 'completed'
    and sibling.completed_at < sibling.scheduled_at and sibling.completed_at < p_ping.deadline_at
  order by sibling.completed_at desc
  limit 1;
  if v_sign.id is not null then
    select note, shares_note into v_sign.note, v_sign.shares_note
    from kith.check_ins
    where tenant_id = p_ping.tenant_id and id = v_sign.id;
  end if;
  return v_sign;
end
$$;
comment on function internal.sign_for_ping(kith.pings) is
  'X32: the sign of life that speaks for a ping although the ping was made, or its time came, afterwards: the newest '
  'check-in in its window (scheduled_at <= t < deadline_at), or an early one that has completed another ping of its '
  'date. received_at is the moment for which it speaks (J07). Null if there is none.';

create or replace function internal.born_ping(
  p_ping kith.pings, p_connection kith.connections, p_is_asked boolean, p_is_held_back boolean, p_now timestamptz
) returns kith.pings
  language plpgsql
  stable
as $$
declare
  v_ping kith.pings := p_ping;
  v_sign kith.check_ins;
begin
  v_ping.status := 'scheduled';
  v_ping.asked_at := null;
  v_ping.judge_at := null;
  if p_is_held_back then
    v_ping.status := 'cancelled';
    v_ping.remind_at := null;
    return v_ping;
  end if;
  v_sign := internal.sign_for_ping(v_ping);
  if v_sign.received_at is not null then
    v_ping.status := internal.answered_status(v_sign.received_at, v_ping.deadline_at);
    v_ping.completed_at := v_sign.received_at;
    v_ping.check_in_id := v_sign.id;
    v_ping.remind_at := null;
    v_ping.note := case
      when v_sign.shares_note and p_connection.status = 'active' and v_sign.received_at >= p_connection.activated_at
        then v_sign.note
    end;
  elsif p_is_asked and v_ping.scheduled_at <= p_now then
    v_ping.status := 'due';
    v_ping.asked_at := p_now;
  end if;
  return v_ping;
end
$$;
comment on function internal.born_ping(kith.pings, kith.connections, boolean, boolean, timestamptz) is
  'What a ping with these times begins as, or begins again as: completed if a sign of life speaks for it (X32); due if '
  'its time has come and the sender is at the screen (p_is_asked); otherwise scheduled, and then the worker asks the '
  'sender. p_is_held_back: it waits, cancelled, for another ping of the connection to be completed or judged (X33).';

create or replace function internal.settled_ping(
  p_old kith.pings, p_planned kith.pings, p_connection kith.connections, p_profile kith.sender_profiles, p_today date,
  p_is_left_over boolean, p_is_held_back boolean, p_is_retimed boolean, p_is_asked boolean, p_now timestamptz
) returns kith.pings
  language plpgsql
  stable
as $$
declare
  v_ping kith.pings := p_old;
  v_flows boolean := p_connection.status in ('active', 'pending');
  v_grace interval := make_interval(mins => p_profile.grace_minutes);
  v_is_on_break boolean := coalesce(p_old.ping_on between p_profile.break_from_on and p_profile.break_until_on, false);
  v_leaves_for_break boolean := p_is_left_over
    and coalesce(p_today between p_profile.break_from_on and p_profile.break_until_on, false);
begin
  -- A result stands, and after the deadline nothing changes a ping but a check-in and the judgement (X34).
  if p_old.status not in ('scheduled', 'due', 'cancelled')
    or p_old.status <> 'cancelled' and p_old.deadline_at <= p_now
  then
    return p_old;
  end if;
  if not v_flows or v_is_on_break or v_leaves_for_break then
    v_ping.remind_at := null;
    v_ping.status := case when p_old.status is not null then 'cancelled' end;
    return v_ping;
  end if;

  if p_old.status = 'due' or p_old.status = 'scheduled' and p_old.scheduled_at <= p_now then
    -- Its time has come, so it stays. A new grace moves the deadline, but never into the past.
    if p_is_retimed and p_old.scheduled_at + v_grace > p_now and p_old.scheduled_at + v_grace <> p_old.deadline_at then
      v_ping.deadline_at := p_old.scheduled_at + v_grace;
      v_ping.judge_at := case when p_old.judge_at is not null then greatest(p_old.judge_at, v_ping.deadline_at) end;
      v_ping.remind_at := internal.next_reminder_at(
        coalesce(v_ping.judge_at, v_ping.deadline_at),
        internal.reminders(p_profile.reminders, p_profile.reminder_minutes), p_now
      );
    end if;
    if p_old.status = 'due' and p_old.asked_at is null and p_connection.status = 'active' then
      -- It has begun on a pending connection, and nobody has asked the sender.
      v_ping.status := case when p_is_asked then 'due' else 'scheduled' end;
      v_ping.asked_at := case when p_is_asked then p_now end;
    end if;
    return v_ping;
  end if;
  if p_old.status = 'scheduled' then
    if p_old.ping_on < p_today or p_is_held_back then
      v_ping.status := 'cancelled';
      v_ping.remind_at := null;
      return v_ping;
    elsif (p_planned.scheduled_at, p_planned.deadline_at) is not distinct from (p_old.scheduled_at, p_old.deadline_at)
      and not p_is_retimed
    then
      return p_old;
    end if;
  end if;

  -- It is new, it was cancelled, or its time is ahead. P13: only if the deadline is.
  if p_planned.deadline_at is null
    or p_connection.pings_stopped_at is not null and coalesce(p_old.status, 'cancelled') = 'cancelled'
  then
    return p_old;
  end if;
  v_ping.scheduled_at := p_planned.scheduled_at;
  v_ping.remind_at := p_planned.remind_at;
  v_ping.deadline_at := p_planned.deadline_at;
  return internal.born_ping(v_ping, p_connection, p_is_asked, p_is_held_back, p_now);
end
$$;
comment on function internal.settled_ping(
  kith.pings, kith.pings, kith.connections, kith.sender_profiles, date, boolean, boolean, boolean, boolean, timestamptz
) is
  'What a ping has to be now, by its connection and the sender''s profile: kept, moved, cancelled, brought back or '
  'born. p_old is the ping as it is, with a null status if there is none yet, p_planned its times by the profile, null '
  'if that deadline has passed. p_is_left_over: it is open since before a change of zone or time. p_is_held_back: '
  'another one is. p_is_retimed: the zone, the time or the grace has just changed. docs/pings.md tells the rules.';

create or replace function internal.considered_pings(
  p_connection kith.connections, p_profile kith.sender_profiles, p_made kith.pings[], p_now timestamptz
)
  returns kith.pings[]
  language plpgsql
  stable
as $$
declare
  v_today date := internal.local_date(p_now, p_profile.time_zone);
  v_pings kith.pings[] := coalesce(p_made, '{}');
  v_new kith.pings;
begin
  v_new.tenant_id := p_connection.tenant_id;
  v_new.connection_id := p_connection.id;
  v_new.sender_id := p_connection.sender_id;
  v_new.receiver_id := p_connection.receiver_id;
  v_new.ping_on := v_today;
  if not exists (select from unnest(v_pings) as made where made.ping_on = v_today) then
    v_pings := v_pings || v_new;
  end if;
  -- If the request was received just before midnight and runs just after it, the run of the new date has already passed
  -- this sender.
  if not exists (select from unnest(v_pings) as made where made.ping_on = v_today + 1) and exists (
    select from kith.ping_runs
    where tenant_id = p_connection.tenant_id and time_zone = p_profile.time_zone and ping_on = v_today + 1
      and (finished_at is not null or cursor_sender_id >= p_profile.user_id)
  ) then
    v_new.ping_on := v_today + 1;
    v_pings := v_pings || v_new;
  end if;
  return v_pings;
end
$$;
comment on function internal.considered_pings(kith.connections, kith.sender_profiles, kith.pings[], timestamptz) is
  'The pings of a connection on which internal.settled_ping decides: those that are there (p_made), and those that may '
  'have to be made, with a null status: today''s, and just before midnight tomorrow''s.';

create or replace function internal.settled_pings(
  p_connection kith.connections, p_profile kith.sender_profiles, p_made kith.pings[], p_is_retimed boolean,
  p_is_asked boolean, p_now timestamptz
) returns kith.pings[]
  language plpgsql
  stable
as $$
declare
  v_today date := internal.local_date(p_now, p_profile.time_zone);
  v_left_on date;
  v_old kith.pings;
  v_planned kith.pings;
  v_new kith.pings;
  v_changed kith.pings[] := '{}';
begin
  -- An open ping of another date whose time the profile no longer knows: the sender has changed zone or time since it
  -- came. One that is past its deadline holds nothing back.
  select made.ping_on into v_left_on
  from unnest(p_made) as made
  where made.ping_on <> v_today and made.deadline_at > p_now
    and (made.status = 'due' or made.status = 'scheduled' and made.scheduled_at <= p_now)
    and made.scheduled_at is distinct from internal.local_instant(
      made.ping_on, p_profile.ping_time, p_profile.time_zone
    )
  order by made.ping_on
  limit 1;
  foreach v_old in array internal.considered_pings(p_connection, p_profile, p_made, p_now) loop
    v_planned := null;
    -- Yesterday's comes back too: a ping at 23:58 with 90 minutes of grace is open until 01:28.
    if v_old.ping_on >= v_today - 1 then
      select planned.scheduled_at, planned.remind_at, planned.deadline_at
      into v_planned.scheduled_at, v_planned.remind_at, v_planned.deadline_at
      from internal.planned_pings(
        array[v_old.ping_on], p_profile.time_zone, p_profile.ping_time, p_profile.grace_minutes,
        internal.reminders(p_profile.reminders, p_profile.reminder_minutes), p_now
      ) as planned;
    end if;
    v_new := internal.settled_ping(
      v_old, v_planned, p_connection, p_profile, v_today, coalesce(v_left_on = v_old.ping_on, false),
      coalesce(
        v_left_on <> v_old.ping_on
          and not (v_today between p_profile.break_from_on and p_profile.break_until_on) is true, false
      ),
      p_is_retimed, p_is_asked, p_now
    );
    if v_new.status is not null and v_new is distinct from v_old then
      v_new.id := coalesce(v_new.id, internal.uuid7(p_now));
      v_changed := v_changed || v_new;
    end if;
  end loop;
  return v_changed;
end
$$;
comment on function internal.settled_pings(
  kith.connections, kith.sender_profiles, kith.pings[], boolean, boolean, timestamptz
) is
  'The pings of a connection that have to change, as they have to be. p_made are those of the dates around today. '
  'Writes nothing. For internal.settle_pings.';

create or replace function internal.senders_of(p_connections uuid[]) returns uuid[]
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  return array(
    select distinct connection.sender_id
    from unnest(p_connections) as own (id)
    -- A look-up for each, whatever the planner knows.
    cross join lateral (
      select sender_id from kith.connections where tenant_id = v_tenant and connections.id = own.id offset 0
    ) as connection
  );
end
$$;
comment on function internal.senders_of(uuid[]) is
  'The senders of some connections, each once, in any order. For internal.settle_pings.';

create or replace function internal.settle_pings(
  p_connections uuid[], p_is_retimed boolean, p_is_asked boolean, p_now timestamptz
)
  returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_day date := (p_now at time zone 'UTC')::date;
  v_pings kith.pings[];
  v_senders uuid[] := internal.senders_of(p_connections);
begin
  if v_tenant is null then
    raise exception 'unauthenticated' using errcode = 'KT401';
  end if;
  -- Locks the profiles against a change of the times or a break by another session, which would not see the pings that
  -- this session is about to make.
  perform from kith.sender_profiles as profile
  where profile.tenant_id = v_tenant and profile.user_id = any (array(
    select sender_id from kith.connections
    where tenant_id = v_tenant and id = any (p_connections) and status in ('active', 'pending')
  ))
  order by profile.user_id
  for share;
  perform internal.wait_for_generation(p_now);
  -- No zone is further than 14 hours from UTC and no grace is longer than 12 hours.
  with made as materialized (
    select ping
    from kith.pings as ping
    where ping.tenant_id = v_tenant and ping.ping_on in (v_day - 2, v_day - 1, v_day, v_day + 1, v_day + 2)
      and ping.connection_id = any (p_connections)
      -- The sender too (sql/README.md).
      and ping.sender_id = any (v_senders)
    order by ping.ping_on, ping.connection_id
    for no key update
  ), made_of as materialized (
    select (made.ping).connection_id, array_agg(made.ping) as pings from made group by 1
  ), changed as (
    insert into kith.pings as ping
    select (settled).*
    from (select distinct id from unnest(p_connections) as id) as own
    -- Look-ups by the keys, whatever the planner knows.
    cross join lateral (
      select one as found from kith.connections as one where one.tenant_id = v_tenant and one.id = own.id offset 0
    ) as connection
    cross join lateral (
      select p from kith.sender_profiles as p
      where p.tenant_id = v_tenant and p.user_id = (connection.found).sender_id offset 0
    ) as profile (found)
    left join made_of on made_of.connection_id = own.id
    cross join lateral unnest(
      internal.settled_pings(connection.found, profile.found, made_of.pings, p_is_retimed, p_is_asked, p_now)
    ) as settled
    on conflict (tenant_id, ping_on, connection_id) do update
    set status = excluded.status, scheduled_at = excluded.scheduled_at, remind_at = excluded.remind_at,
      deadline_at = excluded.deadline_at, completed_at = excluded.completed_at, check_in_id = excluded.check_in_id,
      note = excluded.note, asked_at = excluded.asked_at, judge_at = excluded.judge_at
    where ping.status in ('scheduled', 'due', 'cancelled')
    returning ping
  )
  select array_agg(changed.ping) into v_pings from changed;
  perform internal.emit_pings(v_pings, p_now);
end
$$;
comment on function internal.settle_pings(uuid[], boolean, boolean, timestamptz) is
  'Makes the pings of some connections what they have to be now (internal.settled_ping). Every act that may change '
  'pings ends here: connecting, consent, resuming, a profile that comes back, pause and removal, breaks, a new zone, '
  'time or grace, an import, and the end of a ping that was left over. Doing it twice changes nothing. p_is_retimed: '
  'the sender''s times have just changed. p_is_asked: the sender is at the screen. For definer procedures.';

create or replace function internal.bring_ping(p_connection_id uuid, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_sender uuid;
begin
  if v_tenant is null then
    raise exception 'unauthenticated' using errcode = 'KT401';
  end if;
  select sender_id into v_sender
  from kith.connections
  where tenant_id = v_tenant and id = p_connection_id and (v_user is null or v_user in (sender_id, receiver_id));
  if found then
    perform internal.settle_pings(array[p_connection_id], false, v_user is not distinct from v_sender, p_now);
  end if;
end
$$;
comment on function internal.bring_ping(uuid, timestamptz) is
  'P13: creates or restores today''s ping of a connection that has just become live. If anybody but the sender causes '
  'the ping, the worker tells the sender that it is due. For definer procedures.';

create or replace function internal.cancel_pings_of(p_connections uuid[], p_now timestamptz) returns void
  language plpgsql
as $$
begin
  perform internal.settle_pings(p_connections, false, false, p_now);
end
$$;
comment on function internal.cancel_pings_of(uuid[], timestamptz) is
  'X23: cancels the open pings of connections that were just paused or removed, if their deadline is ahead. Nobody can '
  'silence a live connection with it. For definer procedures.';

create or replace function internal.cancel_pings(p_connection_id uuid, p_now timestamptz) returns void
  language plpgsql
as $$
begin
  perform internal.cancel_pings_of(array[p_connection_id], p_now);
end
$$;
comment on function internal.cancel_pings(uuid, timestamptz)
  is 'internal.cancel_pings_of for one connection. For definer procedures.';

create or replace function internal.settle_pings_of_sender(
  p_user_id uuid, p_is_retimed boolean, p_is_asked boolean, p_now timestamptz
)
  returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  perform internal.settle_pings(
    array(
      select id from kith.connections
      where tenant_id = v_tenant and sender_id = p_user_id and status in ('active', 'pending')
    ),
    p_is_retimed, p_is_asked, p_now
  );
end
$$;
comment on function internal.settle_pings_of_sender(uuid, boolean, boolean, timestamptz) is
  'internal.settle_pings for all live connections of a sender. For definer procedures.';

create or replace function internal.retime_pings(p_user_id uuid, p_now timestamptz) returns void
  language plpgsql
as $$
begin
  -- Nobody was asked for a ping that a move brings, wherever the request came from: the worker asks.
  perform internal.settle_pings_of_sender(p_user_id, true, false, p_now);
end
$$;
comment on function internal.retime_pings(uuid, timestamptz) is
  'X25, X33: after a change of zone, time or grace, each connection has one open ping at most, that of the new local '
  'date, unless one is due already. For definer procedures.';

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

create or replace function internal.left_pings(p_pings kith.pings[], p_now timestamptz) returns kith.pings[]
  language plpgsql
  stable
as $$
begin
  return array(
    select ping
    from unnest(p_pings) as ping
    join kith.sender_profiles as profile on profile.tenant_id = ping.tenant_id and profile.user_id = ping.sender_id
    where profile.timed_at > ping.scheduled_at and ping.ping_on <> internal.local_date(p_now, profile.time_zone)
  );
end
$$;
comment on function internal.left_pings(kith.pings[], timestamptz) is
  'Those of some pings that were open when their sender changed zone or time, and are not of the present local date: '
  'when one is completed or judged, the ping of that date follows (X33).';
