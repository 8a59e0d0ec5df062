-- A connection: pending ─consent→ active ⇄ paused; any of them ─remove→ deleted ─the same pair's code again→ active (or
-- pending). HTTP and operators share the rules in this file. The functions run as their caller, so a user's policies
-- apply to the user.

-- Cascade: also the functions that take its rows, below and in states.
drop view if exists internal.own_connections cascade;

create or replace function internal.reachable_by(p_connection uuid) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_receiver uuid;
begin
  -- If Kith sends nothing, the tenant's own server does.
  if not exists (select from kith.channel_credentials where tenant_id = v_tenant) then
    return null;
  end if;
  select receiver_id into v_receiver from kith.connections
  where tenant_id = v_tenant and id = p_connection and sender_id = kith.user_id();
  if not found then
    return null;
  end if;
  return (
    select coalesce(json_agg(way.channel order by way.n), '[]')
    from internal.ways_to_tell as way
    where way.tenant_id = v_tenant and way.user_id = v_receiver and way.has
  );
end
$$;
comment on function internal.reachable_by(uuid) is
  'How the receiver of a connection of the current user, who is its sender, can be told of an alarm '
  '(internal.ways_to_tell). Null where the tenant''s own server sends the messages, and to anybody else. Security '
  'definer, because nobody may read another user''s devices.';
grant execute on function internal.reachable_by(uuid) to kith_api;

create view internal.own_connections with (security_barrier) as
select
  connection.tenant_id,
  connection.id,
  -- Derive the role from the counterpart: each call of kith.user_id() in a query costs more.
  case counterpart.id when connection.receiver_id then 'sender' else 'receiver' end as role,
  connection.status,
  case
    when connection.status = 'pending'
      then case counterpart.id when connection.code_owner_id then 'counterpart' else 'me' end
  end
    as consent_by,
  counterpart.id as counterpart_id,
  counterpart.display_name as counterpart_name,
  case counterpart.id when connection.receiver_id then connection.alias_by_sender
    else connection.alias_by_receiver end as alias,
  connection.sender_id,
  connection.receiver_id,
  connection.created_at,
  connection.updated_at,
  sender.time_zone as sender_time_zone,
  sender.timed_at as sender_timed_at,
  connection.pings_stopped_at is not null as is_suspended,
  case
    when counterpart.id = connection.receiver_id or connection.status = 'active' then sender.break_from_on
  end as break_from_on,
  case
    when counterpart.id = connection.receiver_id or connection.status = 'active' then sender.break_until_on
  end as break_until_on,
  counterpart.id = connection.receiver_id or connection.status <> 'pending' as shows_pings,
  case
    when counterpart.id = connection.receiver_id or connection.status = 'active' then sender.last_check_in_at
  end as last_check_in_at,
  case
    when counterpart.id = connection.receiver_id
      or connection.status = 'active' and sender.last_check_in_at >= connection.activated_at
      then sender.last_note
  end as last_note,
  case
    when counterpart.id = connection.receiver_id or connection.status = 'active' then sender.ping_time
  end as ping_time,
  case
    when connection.status = 'active' and counterpart.id = connection.sender_id and sender.share_phone
      then counterpart.phone
  end
    as phone,
  case
    when counterpart.id = connection.receiver_id or connection.status = 'active' then sender.last_source
  end as last_source,
  case
    when counterpart.id = connection.receiver_id then connection.activity_shared_since is not null
  end as share_activity,
  connection.may_ask,
  connection.always_care_card,
  case
    when connection.activity_shared_since is not null and connection.status = 'active'
      and counterpart.id = connection.sender_id
      then (
      select json_build_object('at', internal.instant(thing.last_used_at), 'kind', thing.kind, 'name', thing.name)
      from kith.signs as thing
      where thing.tenant_id = connection.tenant_id and thing.user_id = connection.sender_id and thing.kind = 'activity'
        -- Neither from before it was shared, nor from a pause.
        and thing.last_used_at >= greatest(connection.activity_shared_since, connection.activated_at)
      order by thing.last_used_at desc, thing.id
      limit 1
    )
  end as last_sign,
  case
    when connection.tested_at >= connection.activated_at then json_build_object(
      'sent_at', internal.instant(connection.tested_at), 'answered_at', internal.instant(connection.test_answered_at),
      'reached', connection.test_reached
    )
  end as test,
  sender.last_check_in_at as answered_at,
  -- A function, so that only a sender pays for its plan.
  case when counterpart.id = connection.receiver_id then internal.reachable_by(connection.id) end as reachable_by,
  case
    when counterpart.id = connection.sender_id then (
      select ask.answer_by
      from kith.asks as ask
      where ask.tenant_id = connection.tenant_id and ask.sender_id = connection.sender_id
        and ask.receiver_id = connection.receiver_id and ask.ended_at is null
    )
  end as asked_until,
  -- No deadline is later than the end of the second day after its date, whatever the zone and the grace.
  case
    when sender.last_check_in_at is null
      or connection.missed_on >= (sender.last_check_in_at at time zone 'UTC')::date - 2
      then connection.missed_on
  end as missed_on
from kith.connections as connection
-- One look-up for each row. The policies make both tables seem to have few rows, so the planner would join all of one
-- with all of the other where the statistics say that most connections belong to the oldest senders. OFFSET keeps these
-- queries apart from the joins.
cross join lateral (
  select id, display_name, phone
  from kith.users
  where tenant_id = connection.tenant_id
    and id = case connection.sender_id when kith.user_id() then connection.receiver_id else connection.sender_id end
  offset 0
) as counterpart
cross join lateral (
  select time_zone, timed_at, break_from_on, break_until_on, last_check_in_at, last_note, last_source, ping_time,
    share_phone
  from kith.sender_profiles
  where tenant_id = connection.tenant_id and user_id = connection.sender_id
  offset 0
) as sender
where connection.tenant_id = kith.tenant_id()
  and (connection.sender_id = kith.user_id() or connection.receiver_id = kith.user_id())
  and connection.status <> 'deleted';
comment on view internal.own_connections is
  'The connections of the current user, without deleted ones, with what each side may know of the other. Nobody needs '
  'to read another user''s account for a name. The view runs as the owner, so its own condition acts as the policy. '
  'Policies on users that look into connections cost three times as much for each row, and a distributed database '
  'refuses them.';
comment on column internal.own_connections.alias is 'What the current user calls the other side (P37).';
comment on column internal.own_connections.consent_by
  is 'Whose consent a pending connection waits for: me or counterpart (P29).';
comment on column internal.own_connections.shows_pings
  is 'While a connection is pending, its pings are shown to the sender only (P29).';
comment on column internal.own_connections.last_check_in_at is
  'Always for the sender; for the receiver only while the connection is active.';
comment on column internal.own_connections.last_note is
  'The note of that check-in, if the sender shares it (P40). Always for the sender; for the receiver only if they were '
  'an active receiver at that time.';
comment on column internal.own_connections.ping_time is
  'The time of the pings in sender_time_zone. Shown under the same condition as last_check_in_at.';
comment on column internal.own_connections.phone is
  'The sender''s phone number, for the receiver of an active connection whom the sender allows to call.';
comment on column internal.own_connections.last_source is
  'How that check-in came (J05). Shown under the same condition as last_check_in_at.';
comment on column internal.own_connections.share_activity is
  'Whether the sender shares the activity of their things with the receiver (J04); null for the receiver.';
comment on column internal.own_connections.last_sign is
  'The newest activity that a thing of the sender has reported since the sender shares it with the receiver, and since '
  'the connection is active (J04). For the receiver.';
comment on column internal.own_connections.test is
  'The last test message of the sender since the connection is active (I07), and whether the receiver says that it '
  'reached them: {sent_at, answered_at, reached}. Null without one.';
comment on column internal.own_connections.answered_at is
  'The moment for which the sender''s newest check-in speaks, whatever the status. It ends alarms, and is in no '
  'answer.';
comment on column internal.own_connections.reachable_by is
  'How the receiver can be told of an alarm (internal.ways_to_tell). Null for the receiver, and where the tenant''s '
  'own server sends the messages.';
comment on column internal.own_connections.asked_until is
  'Until when the sender has time to answer the open question of the receiver (K06). Null for the sender, and without '
  'one.';
comment on column internal.own_connections.missed_on is
  'The date of the newest miss of which the receiver was told, unless a later check-in has surely answered it.';
comment on column internal.own_connections.break_from_on
  is 'Shown under the same condition as last_check_in_at. The break may be over.';
comment on column internal.own_connections.is_suspended
  is 'No pings are generated, because the receiver''s subscription has lapsed (X28).';
grant select on internal.own_connections to kith_api;

create or replace function internal.may_have_other_ping(
  p_status text, p_deadline_at timestamptz, p_timed_at timestamptz, p_now timestamptz
) returns boolean
  language sql
  stable
  parallel safe
as $$
  -- A ping at 23:58 is open until 01:28 of the next date, and a change of zone leaves an open ping on a date beside
  -- today's. Yesterday's deadline was about a day before today's. Once that has passed, no other ping can be open.
  select p_status is distinct from 'due'
    and (p_status is null or p_deadline_at > p_now + interval '22 hours' or p_timed_at > p_now - interval '2 days')
$$;
comment on function internal.may_have_other_ping(text, timestamptz, timestamptz, timestamptz) is
  'Whether a ping of the date before or after today''s may be open, by the status and deadline of today''s ping (null '
  'if there is none) and the instant when the sender last changed the times.';
grant execute on function internal.may_have_other_ping(text, timestamptz, timestamptz, timestamptz) to kith_api;

create or replace function internal.today_ping(p_connection internal.own_connections, p_now timestamptz)
  returns kith.pings
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_id uuid := p_connection.id;
  -- The sender too (sql/README.md).
  v_sender uuid := p_connection.sender_id;
  v_date date := (p_now at time zone p_connection.sender_time_zone)::date;
  v_today kith.pings;
  v_other kith.pings;
begin
  if not p_connection.shows_pings then
    return null;
  end if;
  -- Read one date at a time, by equality: a cached plan then opens only the partition of that date and uses the whole
  -- index. It locks every partition that it holds, so internal.current_pings_since keeps the old ones out of it.
  select * into v_today
  from kith.pings
  where tenant_id = v_tenant and ping_on = v_date and connection_id = v_id and sender_id = v_sender
    and ping_on >= internal.current_pings_since();
  if internal.may_have_other_ping(v_today.status, v_today.deadline_at, p_connection.sender_timed_at, p_now) then
    select * into v_other
    from kith.pings
    where tenant_id = v_tenant and ping_on = v_date - 1 and connection_id = v_id and sender_id = v_sender
      and status = 'due' and ping_on >= internal.current_pings_since();
    if not found then
      select * into v_other
      from kith.pings
      where tenant_id = v_tenant and ping_on = v_date + 1 and connection_id = v_id and sender_id = v_sender
        and status = 'due' and ping_on >= internal.current_pings_since();
    end if;
    if found then
      return v_other;
    end if;
  end if;
  return v_today;
end
$$;
comment on function internal.today_ping(internal.own_connections, timestamptz) is
  'Today''s ping of a connection: the open one, otherwise the one of the sender''s local date, otherwise null.';
grant execute on function internal.today_ping(internal.own_connections, timestamptz) to kith_api;

create or replace function internal.is_unanswered(p_ping kith.pings, p_answered_at timestamptz) returns boolean
  language sql
  immutable
  parallel safe
as $$
  select (p_ping).status = 'missed' and (p_ping).alarmed_at is not null
    and coalesce((p_ping).deadline_at > p_answered_at, true)
$$;
comment on function internal.is_unanswered(kith.pings, timestamptz) is
  'Whether a receiver was told that a ping was missed, and its sender has given no sign of life since (X38), the '
  'newest at p_answered_at.';
grant execute on function internal.is_unanswered(kith.pings, timestamptz) to kith_api;

create or replace function internal.missed_pings(p_connections internal.own_connections[]) returns kith.pings[]
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_own record;
  v_ping kith.pings;
  v_missed kith.pings[] := '{}';
begin
  for v_own in
    select own.id, own.sender_id, own.missed_on, own.answered_at from unnest(p_connections) as own
    where own.shows_pings and own.missed_on is not null
  loop
    -- The sender too (sql/README.md).
    select * into v_ping
    from kith.pings
    where tenant_id = v_tenant and ping_on = v_own.missed_on and connection_id = v_own.id
      and sender_id = v_own.sender_id;
    if internal.is_unanswered(v_ping, v_own.answered_at) then
      v_missed := v_missed || v_ping;
    end if;
  end loop;
  return v_missed;
end
$$;
comment on function internal.missed_pings(internal.own_connections[]) is
  'The missed pings of which the receiver was told, and after which the sender has given no sign of life (X38): the '
  'newest of each connection, in any order. Each connection remembers its date, so that only those are read: nearly '
  'always none.';
grant execute on function internal.missed_pings(internal.own_connections[]) to kith_api;

create or replace function internal.missed_ping(p_connection internal.own_connections, p_today kith.pings)
  returns kith.pings
  language plpgsql
  stable
as $$
begin
  if p_connection.missed_on is null then
    return null;
  end if;
  -- Mostly the miss is of today.
  if p_today.ping_on = p_connection.missed_on then
    return case when internal.is_unanswered(p_today, p_connection.answered_at) then p_today end;
  end if;
  return (internal.missed_pings(array[p_connection]))[1];
end
$$;
comment on function internal.missed_ping(internal.own_connections, kith.pings) is
  'internal.missed_pings for one connection, whose ping of today is known (internal.today_ping).';
grant execute on function internal.missed_ping(internal.own_connections, kith.pings) to kith_api;

create or replace function internal.pings_on(p_date date, p_connections uuid[], p_senders uuid[]) returns kith.pings[]
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  return array(
    select ping.found
    from unnest(p_connections, p_senders) as own (id, sender_id)
    -- A look-up for each connection, as in internal.missed_pings. With `= any`, the planner would take the date alone
    -- where it believes in one row.
    cross join lateral (
      select one as found
      from kith.pings as one
      where one.tenant_id = v_tenant and one.ping_on = p_date and one.connection_id = own.id
        and one.sender_id = own.sender_id and one.ping_on >= internal.current_pings_since()
      offset 0
    ) as ping
  );
end
$$;
comment on function internal.pings_on(date, uuid[], uuid[]) is
  'The pings of some connections of one date, in any order. p_senders has the sender of each connection. For '
  'internal.today_pings.';
grant execute on function internal.pings_on(date, uuid[], uuid[]) to kith_api;

create or replace function internal.today_pings(p_connections internal.own_connections[], p_now timestamptz)
  returns kith.pings[]
  language plpgsql
  stable
as $$
declare
  v_dates date[];
  v_ids uuid[];
  v_senders uuid[];
  v_today kith.pings[] := '{}';
  v_others kith.pings[] := '{}';
  v_ping kith.pings;
begin
  -- For so few, the statements below cost more than a look-up for each.
  if cardinality(p_connections) <= 4 then
    for v_n in 1 .. cardinality(p_connections) loop
      v_ping := internal.today_ping(p_connections[v_n], p_now);
      if v_ping.id is not null then
        v_today := v_today || v_ping;
      end if;
    end loop;
    return v_today;
  end if;
  -- The senders are in a few zones, so this reads two dates, or three. Each is read as internal.today_ping reads it.
  v_dates := array(
    select distinct (p_now at time zone used.zone)::date
    from (select distinct sender_time_zone from unnest(p_connections)) as used (zone)
  );
  for v_n in 1 .. cardinality(v_dates) loop
    select array_agg(own.id), array_agg(own.sender_id) into v_ids, v_senders
    from unnest(p_connections) as own
    where own.shows_pings
      and (cardinality(v_dates) = 1 or (p_now at time zone own.sender_time_zone)::date = v_dates[v_n]);
    v_today := v_today || internal.pings_on(v_dates[v_n], v_ids, v_senders);
  end loop;
  for v_n in 1 .. cardinality(v_dates) loop
    select array_agg(own.id), array_agg(own.sender_id) into v_ids, v_senders
    from unnest(p_connections) as own
    left join unnest(v_today) as today on today.connection_id = own.id
    where own.shows_pings
      and (cardinality(v_dates) = 1 or (p_now at time zone own.sender_time_zone)::date = v_dates[v_n])
      and internal.may_have_other_ping(today.status, today.deadline_at, own.sender_timed_at, p_now);
    continue when v_ids is null;
    v_others := v_others || array(
      select other
      from unnest(
        internal.pings_on(v_dates[v_n] - 1, v_ids, v_senders) || internal.pings_on(v_dates[v_n] + 1, v_ids, v_senders)
      ) as other
      where other.status = 'due'
    );
  end loop;
  if v_others = '{}' then
    return v_today;
  end if;
  -- Yesterday's comes before tomorrow's, and both come before today's.
  return array(
    select distinct on (ping.connection_id) ping
    from (
      select other, 0 as n from unnest(v_others) as other
      union all
      select today, 1 from unnest(v_today) as today
    ) as found (ping_row, n)
    cross join lateral (select (found.ping_row).*) as ping
    order by ping.connection_id, found.n, ping.ping_on
  );
end
$$;
comment on function internal.today_pings(internal.own_connections[], timestamptz) is
  'Today''s pings of connections, as internal.today_ping finds each, at most one for each connection, in any order. A '
  'look-up for each of up to four connections, and a few statements for more.';
grant execute on function internal.today_pings(internal.own_connections[], timestamptz) to kith_api;

create or replace function internal.own_connection(p_id uuid) returns kith.connections
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_connection kith.connections;
begin
  perform internal.require_user();
  select * into v_connection
  from kith.connections
  where tenant_id = v_tenant and id = p_id and v_user in (sender_id, receiver_id) and status <> 'deleted'
  for no key update;
  if not found then
    perform internal.refuse_not_found();
  end if;
  return v_connection;
end
$$;
comment on function internal.own_connection(uuid) is
  'A connection of the current user, locked so that its transitions happen one after the other. Raises not_found for '
  'another user''s connection and for a deleted one.';

create or replace function internal.has_full_list(p_role text, p_user_id uuid) returns boolean
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  if p_role = 'sender' then
    return exists (
      select from kith.connections where tenant_id = v_tenant and sender_id = p_user_id offset 9999 limit 1
    );
  end if;
  return exists (
    select from kith.connections where tenant_id = v_tenant and receiver_id = p_user_id offset 9999 limit 1
  );
end
$$;
comment on function internal.has_full_list(text, uuid) is
  'Whether a user has 10,000 connections in a role, including removed ones. The limit exists because a dashboard reads '
  'all of them and a break notifies all of them. Reads at most 10,000 index entries. For definer procedures.';
