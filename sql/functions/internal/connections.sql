-- A connection: pending ─consent→ active ⇄ paused; any of them ─remove→ deleted ─the same pair's code again→ active (or pending).
-- What HTTP and an operator do alike is here; these run as their caller, so a user's policies hold for the user.

drop view if exists internal.own_connections cascade; -- with the functions below that take its rows
create view internal.own_connections with (security_barrier) as
select
  connection.tenant_id,
  connection.id,
  -- Who the other side is says who I am: kith.user_id() itself costs more each time it stands in a query.
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
  'The connections of the user who asks, deleted ones left out, with what each side may know of the other: nobody needs to read another''s account for a name. The view runs as the owner, so its own condition is the policy here; policies of users that look into connections cost three times as much for each row, and a distributed database refuses them.';
comment on column internal.own_connections.shows_pings is 'While a connection is pending, its pings are shown to the sender only (P29).';
comment on column internal.own_connections.last_check_in_at is 'For the receiver, while the connection is active only.';
comment on column internal.own_connections.break_from_on is 'As last_check_in_at; the break may be over.';
comment on column internal.own_connections.is_suspended is 'No pings, because the receiver''s subscription has lapsed (X28).';
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
  -- One date at a time, by equality: a kept plan opens only the partition of that date, and always uses the whole index.
  select * into v_today from kith.pings where tenant_id = v_tenant and ping_on = v_date and connection_id = v_id;
  -- One of 23:58 is open until 01:28 of the next date; and a change of zone leaves an open ping on a date beside today's.
  -- Yesterday's deadline was about a day before today's: past that there is nothing to look for.
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
  'Today''s ping of a connection: the open one, else the one of the sender''s local date, else null.';
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
  -- A loop, because a function that reads tables must not be called for each row of a query (a distributed database refuses
  -- that), and joining a year of partitions for three dates costs more than asking for one.
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
  'The connections of the user who asks, in one role or (null) in both, oldest first, after the cursor; all of them where the limit is null. About 20 µs each.';
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
  'A connection of the user who asks, locked, so that transitions of it happen one after the other; raises not_found for a stranger''s and a deleted one.';
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
  'Whether a user has 10,000 connections in a role, removed ones included: each is read with the others for a dashboard, and told of a break. At most as many entries of an index are read. For definer procedures.';
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
      -- Connected already, perhaps at this very moment by somebody else's request (P27).
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
  'Connects a sender and a receiver, or revives the deleted row they have, with today''s ping and the notification; connection_id is null when they are connected already. Of two at the same time one gets it.';
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
  'Removes a connection softly and without a word, whatever its status (X22): its open pings are cancelled, the history stays. Raises not_found when it is deleted already.';
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
  'Removes a connection (P23, P24) and tells the other side; by an operator, both. Raises not_found when it is deleted already.';
revoke all on function internal.end_connection(uuid, text, timestamptz) from public;
