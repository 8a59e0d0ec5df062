-- A connection: pending ─consent→ active ⇄ paused; any of them ─remove→ deleted ─the same pair's code again→ active (or pending). HTTP
-- and operators share the rules in this file. The functions run as their caller, so a user's policies apply to the user.

drop view if exists internal.own_connections cascade; -- also drops the functions below that take its rows
create view internal.own_connections with (security_barrier) as
select
  connection.tenant_id,
  connection.id,
  -- Derive the role from the counterpart: each call of kith.user_id() in a query costs more.
  case counterpart.id when connection.receiver_id then 'sender' else 'receiver' end as role,
  connection.status,
  counterpart.id as counterpart_id,
  counterpart.display_name as counterpart_name,
  connection.sender_id,
  connection.receiver_id,
  connection.created_at,
  connection.updated_at,
  sender.time_zone as sender_time_zone,
  sender.timed_at as sender_timed_at,
  connection.pings_stopped_at is not null as is_suspended,
  case when counterpart.id = connection.receiver_id or connection.status = 'active' then sender.break_from_on end as break_from_on,
  case when counterpart.id = connection.receiver_id or connection.status = 'active' then sender.break_until_on end as break_until_on,
  counterpart.id = connection.receiver_id or connection.status <> 'pending' as shows_pings,
  case
    when counterpart.id = connection.receiver_id or connection.status = 'active' then sender.last_check_in_at
  end as last_check_in_at
from kith.connections as connection
join kith.users as counterpart
  on counterpart.tenant_id = connection.tenant_id
  and counterpart.id = case connection.sender_id when kith.user_id() then connection.receiver_id else connection.sender_id end
join kith.sender_profiles as sender
  on sender.tenant_id = connection.tenant_id and sender.user_id = connection.sender_id
where connection.tenant_id = kith.tenant_id()
  and (connection.sender_id = kith.user_id() or connection.receiver_id = kith.user_id())
  and connection.status <> 'deleted';
comment on view internal.own_connections is
  'The connections of the current user, without deleted ones, with what each side may know of the other. Nobody needs to read another user''s account for a name. The view runs as the owner, so its own condition acts as the policy. Policies on users that look into connections cost three times as much for each row, and a distributed database refuses them.';
comment on column internal.own_connections.shows_pings is 'While a connection is pending, its pings are shown to the sender only (P29).';
comment on column internal.own_connections.last_check_in_at is
  'Always for the sender; for the receiver only while the connection is active.';
comment on column internal.own_connections.break_from_on is 'Shown under the same condition as last_check_in_at. The break may be over.';
comment on column internal.own_connections.is_suspended is 'No pings are generated, because the receiver''s subscription has lapsed (X28).';
grant select on internal.own_connections to kith_api;

create or replace function internal.today_ping(p_connection internal.own_connections, p_now timestamptz) returns kith.pings
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_id uuid := p_connection.id;
  v_date date := (p_now at time zone p_connection.sender_time_zone)::date;
  v_today kith.pings;
  v_other kith.pings;
begin
  if not p_connection.shows_pings then
    return null;
  end if;
  -- Read one date at a time, by equality: a cached plan then opens only the partition of that date and uses the whole index.
  select * into v_today from kith.pings where tenant_id = v_tenant and ping_on = v_date and connection_id = v_id;
  -- A ping at 23:58 is open until 01:28 of the next date, and a change of zone leaves an open ping on a date beside today's.
  -- Yesterday's deadline was about a day before today's. Once that has passed, no other ping can be open.
  if v_today.status is distinct from 'due'
    and (v_today.id is null or v_today.deadline_at > p_now + interval '22 hours' or p_connection.sender_timed_at > p_now - interval '2 days')
  then
    select * into v_other
    from kith.pings
    where tenant_id = v_tenant and ping_on = v_date - 1 and connection_id = v_id and status = 'due';
    if not found then
      select * into v_other
      from kith.pings
      where tenant_id = v_tenant and ping_on = v_date + 1 and connection_id = v_id and status = 'due';
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
revoke all on function internal.today_ping(internal.own_connections, timestamptz) from public;
grant execute on function internal.today_ping(internal.own_connections, timestamptz) to kith_api;

create or replace function internal.connection_json(
  p_connection internal.own_connections, p_today_ping kith.pings, p_now timestamptz
) returns json
  language sql
  stable
as $$
  select json_build_object(
    'id', (p_connection).id,
    'role', (p_connection).role,
    'status', (p_connection).status,
    'counterpart', json_build_object(
      'id', (p_connection).counterpart_id,
      'display_name',
        internal.counterpart_name((p_connection).counterpart_name, internal.opposite_role((p_connection).role))
    ),
    'sender_id', (p_connection).sender_id,
    'receiver_id', (p_connection).receiver_id,
    'created_at', internal.instant((p_connection).created_at),
    'updated_at', internal.instant((p_connection).updated_at),
    'today_ping', case when (p_today_ping).id is not null then internal.ping_json(p_today_ping) end,
    'last_check_in_at', internal.instant((p_connection).last_check_in_at),
    'break', case
      when (p_connection).break_until_on is not null
        and (p_connection).break_until_on >= (p_now at time zone (p_connection).sender_time_zone)::date
        then json_build_object('from', (p_connection).break_from_on, 'until', (p_connection).break_until_on)
    end,
    'suspended_reason', case when (p_connection).is_suspended then 'subscription' end
  )
$$;
comment on function internal.connection_json(internal.own_connections, kith.pings, timestamptz) is
  'A connection as one side sees it, with today''s ping and the sender''s current or coming break, each or null.';
revoke all on function internal.connection_json(internal.own_connections, kith.pings, timestamptz) from public;
grant execute on function internal.connection_json(internal.own_connections, kith.pings, timestamptz) to kith_api;

create or replace function internal.page_of_connections(p_role text, p_limit integer, p_cursor uuid, p_now timestamptz)
  returns table (id uuid, body json, ping kith.pings)
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_connection internal.own_connections;
begin
  -- A loop, because a distributed database refuses a function that reads tables and is called for each row of a query. Joining a year
  -- of partitions for three dates also costs more than asking for one.
  for v_connection in
    select *
    from internal.own_connections as own
    where own.tenant_id = v_tenant and (p_role is null or own.role = p_role)
      and own.id > coalesce(p_cursor, '00000000-0000-0000-0000-000000000000')
    order by own.id
    limit p_limit
  loop
    id := v_connection.id;
    ping := internal.today_ping(v_connection, p_now);
    body := internal.connection_json(v_connection, ping, p_now);
    return next;
  end loop;
end
$$;
comment on function internal.page_of_connections(text, integer, uuid, timestamptz) is
  'The connections of the current user after the cursor, oldest first, in one role or (null) in both. A null limit returns all of them. About 20 µs each.';
revoke all on function internal.page_of_connections(text, integer, uuid, timestamptz) from public;
grant execute on function internal.page_of_connections(text, integer, uuid, timestamptz) to kith_api;

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
  'A connection of the current user, locked so that its transitions happen one after the other. Raises not_found for another user''s connection and for a deleted one.';
revoke all on function internal.own_connection(uuid) from public;

create or replace function internal.has_full_list(p_role text, p_user_id uuid) returns boolean
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  if p_role = 'sender' then
    return exists (select from kith.connections where tenant_id = v_tenant and sender_id = p_user_id offset 9999 limit 1);
  end if;
  return exists (select from kith.connections where tenant_id = v_tenant and receiver_id = p_user_id offset 9999 limit 1);
end
$$;
comment on function internal.has_full_list(text, uuid) is
  'Whether a user has 10,000 connections in a role, including removed ones. The limit exists because a dashboard reads all of them and a break notifies all of them. Reads at most 10,000 index entries. For definer procedures.';
revoke all on function internal.has_full_list(text, uuid) from public;

create or replace function internal.begin_connection(
  p_sender_id uuid, p_receiver_id uuid, p_code_owner_id uuid, p_now timestamptz,
  out connection_id uuid, out reactivated boolean
) returns record
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_status text;
begin
  select case when requires_consent then 'pending' else 'active' end into v_status
  from kith.tenants
  where tenant_id = v_tenant;
  update kith.connections
  set status = v_status, code_owner_id = p_code_owner_id, activated_at = p_now, updated_at = p_now, deleted_at = null,
    deleted_by = null
  where tenant_id = v_tenant and sender_id = p_sender_id and receiver_id = p_receiver_id and status = 'deleted'
  returning id into connection_id;
  reactivated := found;
  if not reactivated then
    connection_id := internal.uuid7(p_now);
    begin
      insert into kith.connections (
        tenant_id, id, sender_id, receiver_id, status, code_owner_id, activated_at, created_at, updated_at
      )
      values (v_tenant, connection_id, p_sender_id, p_receiver_id, v_status, p_code_owner_id, p_now, p_now, p_now);
    exception when unique_violation then
      -- Already connected, perhaps just now by the other side's request (P27).
      connection_id := null;
      return;
    end;
  end if;
  perform internal.bring_ping(connection_id, p_now);
  perform internal.emit_connection(connection_id, p_now);
  perform internal.notify_connection(connection_id, 'connection_request', p_now);
end
$$;
comment on function internal.begin_connection(uuid, uuid, uuid, timestamptz) is
  'Connects a sender and a receiver, or revives their deleted row, and creates today''s ping and the notification. connection_id is null if they are already connected. Of two concurrent calls, one succeeds. For definer procedures.';
revoke all on function internal.begin_connection(uuid, uuid, uuid, timestamptz) from public;

create or replace function internal.close_connection(p_id uuid, p_by text, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  update kith.connections
  set status = 'deleted', deleted_at = p_now, deleted_by = p_by, updated_at = p_now
  where tenant_id = v_tenant and id = p_id and status <> 'deleted';
  if not found then
    perform internal.refuse_not_found();
  end if;
  perform internal.cancel_pings(p_id, p_now);
  perform internal.emit_connection(p_id, p_now);
end
$$;
comment on function internal.close_connection(uuid, text, timestamptz) is
  'Soft-deletes a connection without a notification, whatever its status (X22). Cancels its open pings and keeps the history. Raises not_found if it is already deleted.';
revoke all on function internal.close_connection(uuid, text, timestamptz) from public;

create or replace function internal.end_connection(p_id uuid, p_by text, p_now timestamptz) returns void
  language plpgsql
as $$
begin
  perform internal.close_connection(p_id, p_by, p_now);
  perform internal.notify_connection(p_id, 'connection_removed', p_now);
end
$$;
comment on function internal.end_connection(uuid, text, timestamptz) is
  'Removes a connection (P23, P24) and tells the other side, or both sides if an operator removes it. Raises not_found if it is already deleted.';
revoke all on function internal.end_connection(uuid, text, timestamptz) from public;
