-- A break: planned ─its first day→ current ─its last day is over, or the sender comes back→ ended. The dates alone
-- decide its effect on pings. The worker only sends the notifications.

create or replace function internal.tell_of_break(
  p_break kith.breaks, p_type text, p_now timestamptz, p_except uuid[] default '{}'
) returns void
  language plpgsql
as $$
declare
  v_told kith.connections;
  v_tenth timestamptz;
begin
  if kith.user_id() is not null and p_type = 'break_started' then
    -- Limit the starts: an endless series would bury notifications that a receiver must not miss. All receivers were
    -- told the same, so one of them is checked. An end is never refused: otherwise the sender would stay on the break,
    -- without pings that can be missed.
    select * into v_told
    from kith.connections
    where tenant_id = p_break.tenant_id and sender_id = p_break.user_id and status = 'active'
    order by id
    limit 1;
    select created_at into v_tenth
    from kith.notifications
    where tenant_id = p_break.tenant_id and user_id = v_told.receiver_id
      and id >= internal.first_uuid7(p_now - interval '1 hour')
      and type = 'break_started' and data ->> 'connection_id' = v_told.id::text
    order by id desc
    offset 9 limit 1;
    if found then
      raise exception 'too_many_requests'
        using errcode = 'KT429', detail = 'Your break has begun or changed too often. Please wait an hour.',
          hint = greatest(1, ceil(extract(epoch from v_tenth + interval '1 hour' - p_now)))::integer::text;
    end if;
  end if;
  perform internal.notify(
    p_type, array_agg(connection.tenant_id), array_agg(connection.receiver_id),
    array_agg(
      jsonb_build_object(
        'connection_id', connection.id, 'user_id', p_break.user_id, 'from', p_break.from_on, 'until', p_break.until_on,
        'ends_at', internal.instant(p_break.ends_at)
      )
    ),
    p_now
  )
  from kith.connections as connection
  join kith.tenants as tenant on tenant.tenant_id = p_break.tenant_id and tenant.deleted_at is null
  where connection.tenant_id = p_break.tenant_id and connection.sender_id = p_break.user_id
    and connection.status = 'active' and connection.id <> all (p_except);
end
$$;
comment on function internal.tell_of_break(kith.breaks, text, timestamptz, uuid[]) is
  'Tells the receivers of a sender''s active connections that a break began or ended, except of the connections '
  'p_except. Raises too_many_requests if the current user has started or changed breaks 10 times within the hour. An '
  'end is never refused.';

create or replace function internal.resumed_connections(p_tenant_id integer, p_sender_id uuid) returns uuid[]
  language plpgsql
  stable
as $$
begin
  return array(
    select id from kith.connections
    where tenant_id = p_tenant_id and sender_id = p_sender_id and status = 'active' and tells_resumed
    order by id
  );
end
$$;
comment on function internal.resumed_connections(integer, uuid) is
  'The connections that a sender has resumed while no pings flow, so that their receivers have not been told yet.';

create or replace function internal.tell_of_break_end(p_break kith.breaks, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  -- One fact is told once: the receivers of these connections have heard of a pause.
  v_resumed uuid[] := internal.tell_of_late_resuming(
    p_break.tenant_id, internal.resumed_connections(p_break.tenant_id, p_break.user_id), p_now
  );
begin
  -- If nobody was told that it began, nobody is told that it ended.
  if p_break.told_until_on is not null then
    perform internal.tell_of_break(p_break, 'break_ended', p_now, v_resumed);
  end if;
end
$$;
comment on function internal.tell_of_break_end(kith.breaks, timestamptz) is
  'Tells the receivers that a break has ended, or that a connection is resumed that was resumed during the break. Call '
  'it when the profile is no longer on the break, with the connections of internal.resumed_connections locked.';

create or replace function internal.begin_break(p_break kith.breaks, p_now timestamptz) returns void
  language plpgsql
as $$
begin
  update kith.breaks set told_until_on = until_on where tenant_id = p_break.tenant_id and id = p_break.id;
  perform internal.tell_of_break(p_break, 'break_started', p_now);
end
$$;
comment on function internal.begin_break(kith.breaks, timestamptz) is
  'Tells the receivers that a break has begun, or that its last day has changed.';

create or replace function internal.day_begins_at(p_date date, p_zone text) returns timestamptz
  language sql
  immutable
  parallel safe
as $$
  select coalesce(internal.midnight(p_date, p_zone), internal.midnight(p_date + 1, p_zone))
$$;
comment on function internal.day_begins_at(date, text) is
  'The first instant of the date in the zone. If the zone skipped the date, the first instant of the next one (no zone '
  'has skipped two in a row).';

create or replace function internal.store_break(
  p_old kith.breaks, p_from_on date, p_until_on date, p_zone text, p_today date, p_continues boolean, p_now timestamptz
) returns kith.breaks
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_left_until date;
  v_new kith.breaks;
begin
  -- The elapsed days of the old break remain a break.
  v_left_until := least(p_old.until_on, p_today - 1, p_from_on - 1);
  v_new.from_on := p_from_on;
  v_new.until_on := p_until_on;
  if p_from_on is null or v_left_until >= p_old.from_on then
    if v_left_until >= p_old.from_on then
      update kith.breaks set until_on = v_left_until, ended_at = p_now, updated_at = p_now
      where tenant_id = v_tenant and id = p_old.id;
    else
      -- The old break has no elapsed day, so it is deleted. Otherwise starting and ending breaks repeatedly would grow
      -- the list without limit. With this rule there is at most one for each day.
      delete from kith.breaks where tenant_id = v_tenant and id = p_old.id;
    end if;
    v_new.id := internal.uuid7(p_now);
    if p_from_on is null and v_left_until >= p_old.from_on then
      v_new.from_on := p_old.from_on;
      v_new.until_on := v_left_until;
    end if;
  else
    v_new.id := coalesce(p_old.id, internal.uuid7(p_now));
  end if;
  if p_from_on is not null then
    insert into kith.breaks as break (
      tenant_id, id, user_id, from_on, until_on, starts_at, ends_at, told_until_on, created_at, updated_at
    )
    values (
      v_tenant, v_new.id, v_user, p_from_on, p_until_on, internal.day_begins_at(p_from_on, p_zone),
      internal.day_begins_at(p_until_on + 1, p_zone), case when p_continues then p_old.told_until_on end, p_now, p_now
    )
    on conflict (tenant_id, id) do update
    set from_on = excluded.from_on, until_on = excluded.until_on, starts_at = excluded.starts_at,
      ends_at = excluded.ends_at,
      told_until_on = excluded.told_until_on, updated_at = excluded.updated_at
    returning * into v_new;
  end if;
  return v_new;
end
$$;
comment on function internal.store_break(kith.breaks, date, date, text, date, boolean, timestamptz) is
  'Ends, shortens or deletes the current user''s open break p_old, which may be null, and stores the new one if '
  'p_from_on is not null. Returns the break that the profile has from now on: the new one, or the elapsed days of the '
  'old one. p_continues: the new break continues the old one, so the receivers already know. For '
  'internal.replace_break, which has locked the rows.';

create or replace function internal.replace_break(p_from_on date, p_until_on date, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_zone text;
  v_today date;
  v_old kith.breaks;
  v_new kith.breaks;
  v_continues boolean;
begin
  perform internal.require_user();
  perform from kith.connections
  where tenant_id = v_tenant and id = any (array(select unnest(internal.resumed_connections(v_tenant, v_user))))
  order by id
  for no key update;
  -- Locks the profile against procedures that create a ping by these dates (P13). Pings that are being generated must
  -- exist before they are cancelled.
  select time_zone into v_zone
  from kith.sender_profiles
  where tenant_id = v_tenant and user_id = v_user
  for no key update;
  perform internal.wait_for_generation(p_now);
  v_today := internal.local_date(p_now, v_zone);
  select * into v_old
  from kith.breaks
  where tenant_id = v_tenant and user_id = v_user and ended_at is null
  for no key update;
  -- A break that is over, but that the worker has not ended yet, does not count.
  if p_from_on is null and (v_old.until_on >= v_today) is not true then
    perform internal.refuse_not_found();
  end if;

  -- Extending or shortening a break does not end it in between.
  v_continues := v_old.told_until_on is not null and coalesce(p_from_on <= v_today, false);
  v_new := internal.store_break(v_old, p_from_on, p_until_on, v_zone, v_today, v_continues, p_now);
  update kith.sender_profiles
  set break_from_on = v_new.from_on, break_until_on = v_new.until_on, updated_at = p_now,
    timed_at = case
      when v_today between v_old.from_on and v_old.until_on
        and (v_today between v_new.from_on and v_new.until_on) is not true
        then p_now
      else timed_at
    end
  where tenant_id = v_tenant and user_id = v_user;

  if v_old.id is not null and not v_continues then
    perform internal.tell_of_break_end(v_old, p_now);
  end if;

  -- X23: cancels the open pings of these dates, including pings made in advance, and applies P13 to the dates that are
  -- no longer in a break.
  perform internal.settle_pings_of_sender(v_user, false, true, p_now);

  if v_new.starts_at <= p_now and v_new.told_until_on is distinct from v_new.until_on then
    perform internal.begin_break(v_new, p_now);
  end if;
  perform internal.emit_connections_of_sender(v_tenant, v_user, p_now);
  perform internal.emit_account(v_tenant, v_user, p_now);
end
$$;
comment on function internal.replace_break(date, date, timestamptz) is
  'Replaces the sender''s current or coming break with these dates. Without dates, ends it, or raises not_found. '
  'Cancels and restores pings accordingly (X23, P13), and tells the receivers at once what has begun or ended. The '
  'dates must have been validated. For definer procedures.';

create or replace function internal.retime_break(p_user_id uuid, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  update kith.breaks as break
  set starts_at = internal.day_begins_at(break.from_on, profile.time_zone),
    ends_at = internal.day_begins_at(break.until_on + 1, profile.time_zone), updated_at = p_now
  from kith.sender_profiles as profile
  where profile.tenant_id = v_tenant and profile.user_id = p_user_id
    and break.tenant_id = v_tenant and break.user_id = p_user_id and break.ended_at is null;
end
$$;
comment on function internal.retime_break(uuid, timestamptz) is
  'Moves the start and end instants of a sender''s open break to the profile''s time zone. Its dates stay. For definer '
  'procedures.';

create or replace function internal.break_json(p_profile kith.sender_profiles, p_now timestamptz) returns json
  language sql
  stable
as $$
  select case
    when (p_profile).break_until_on >= (p_now at time zone (p_profile).time_zone)::date
      then json_build_object('from', (p_profile).break_from_on, 'until', (p_profile).break_until_on)
  end
$$;
comment on function internal.break_json(kith.sender_profiles, timestamptz) is
  'The current or coming break of a sender profile. Null if there is none. For definer procedures.';

create or replace function internal.own_break(p_now timestamptz) returns json
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  return (
    select json_build_object('from', break_from_on, 'until', break_until_on)
    from kith.sender_profiles
    where tenant_id = v_tenant and user_id = v_user and ended_at is null
      and break_until_on >= internal.local_date(p_now, time_zone)
  );
end
$$;
comment on function internal.own_break(timestamptz)
  is 'The current user''s current or coming break. Null if there is none.';
grant execute on function internal.own_break(timestamptz) to kith_api;
