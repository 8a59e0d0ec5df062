-- Connections as the API answers them.

create or replace function internal.connection_json(
  p_connection internal.own_connections, p_today_ping kith.pings, p_missed_ping kith.pings, p_sight jsonb,
  p_now timestamptz
) returns json
  language plpgsql
  stable
as $$
declare
  v_today json := case when p_today_ping.id is not null then internal.ping_json(p_today_ping) end;
  -- Mostly the miss is of today.
  v_missed json := case
    when p_missed_ping.id = p_today_ping.id then v_today when p_missed_ping.id is not null
      then internal.ping_json(p_missed_ping)
  end;
  v_resolution json := case when p_missed_ping.id is not null then internal.resolution_of_miss(p_missed_ping) end;
begin
  return json_build_object(
    'id', p_connection.id,
    'role', p_connection.role,
    'status', p_connection.status,
    'state', internal.connection_state(
      p_connection, p_today_ping, p_missed_ping, v_missed ->> 'telling', v_resolution, p_sight, p_now
    ),
    'consent_by', p_connection.consent_by,
    'counterpart', json_build_object(
      'id', p_connection.counterpart_id,
      'display_name',
        internal.counterpart_name(p_connection.counterpart_name, internal.opposite_role(p_connection.role))
    ),
    'alias', p_connection.alias,
    'sender_id', p_connection.sender_id,
    'receiver_id', p_connection.receiver_id,
    'created_at', internal.instant(p_connection.created_at),
    'updated_at', internal.instant(p_connection.updated_at),
    'today_ping', v_today,
    'missed_ping', v_missed,
    'missed_ping_resolution', v_resolution,
    'last_check_in_at', internal.instant(p_connection.last_check_in_at),
    'last_check_in_note', p_connection.last_note,
    'last_check_in_source', p_connection.last_source,
    'share_activity', p_connection.share_activity,
    'may_ask', p_connection.may_ask,
    'asked_until', internal.instant(p_connection.asked_until),
    'reachable_by', p_connection.reachable_by,
    'test', p_connection.test,
    'always_care_card', p_connection.always_care_card,
    'last_sign', p_connection.last_sign,
    'ping_time', to_char(p_connection.ping_time, 'HH24:MI'),
    'time_zone', case when p_connection.ping_time is not null then p_connection.sender_time_zone end,
    'call', case
      when (p_today_ping.status = 'missed' or p_missed_ping.id is not null) and p_connection.phone is not null
        then json_build_object('phone', p_connection.phone)
    end,
    'break', case
      when p_connection.break_until_on is not null
        and p_connection.break_until_on >= (p_now at time zone p_connection.sender_time_zone)::date
        then json_build_object('from', p_connection.break_from_on, 'until', p_connection.break_until_on)
    end,
    'suspended_reason', case when p_connection.is_suspended then 'subscription' end
  );
end
$$;
comment on function internal.connection_json(internal.own_connections, kith.pings, kith.pings, jsonb, timestamptz) is
  'A connection as one side sees it, with what it says now (internal.connection_state; p_sight is internal.own_sight), '
  'today''s ping, the missed ping that the sender has not answered, the sender''s time and current or coming break, '
  'and, beside a missed ping, the ways in which the receiver can call the sender; each or null.';
grant execute
  on function internal.connection_json(
    internal.own_connections, kith.pings, kith.pings, jsonb, timestamptz
  ) to kith_api;

create or replace function internal.page_of_connections(
  p_role text, p_status text, p_limit integer, p_cursor uuid, p_now timestamptz
)
  returns table (id uuid, body json, ping kith.pings)
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_sight jsonb;
  v_connection internal.own_connections;
  v_missed kith.pings;
begin
  -- A loop, because joining a year of partitions for three dates costs more than asking for one.
  for v_connection in
    select own.*
    -- OFFSET, because a planner that believes in few connections would read the tenant's by their ids, until it has
    -- found a page.
    from (select * from internal.own_connections as mine where mine.tenant_id = v_tenant offset 0) as own
    where (p_role is null or own.role = p_role) and (p_status is null or own.status = p_status)
      and own.id > coalesce(p_cursor, '00000000-0000-0000-0000-000000000000')
    order by own.id
    limit p_limit
  loop
    id := v_connection.id;
    v_sight := coalesce(v_sight, internal.own_sight(p_now, null));
    ping := internal.today_ping(v_connection, p_now);
    v_missed := internal.missed_ping(v_connection, ping);
    -- Of variables, as in internal.connection_for_reader.
    body := internal.connection_json(v_connection, ping, v_missed, v_sight, p_now);
    return next;
  end loop;
end
$$;
comment on function internal.page_of_connections(text, text, integer, uuid, timestamptz) is
  'The connections of the current user after the cursor, oldest first, in one role or (null) in both, of one status or '
  '(null) of all. Reads all of the user''s connections, at most 10,000 in each role. A null limit returns all of them.';
grant execute on function internal.page_of_connections(text, text, integer, uuid, timestamptz) to kith_api;

create or replace function internal.connection_for_reader(p_id uuid, p_now timestamptz) returns json
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_connection internal.own_connections;
  v_ping kith.pings;
  v_missed kith.pings;
begin
  select * into v_connection from internal.own_connections where tenant_id = v_tenant and id = p_id;
  if not found then
    return null;
  end if;
  -- A row that a statement selects is taken apart for each use.
  v_ping := internal.today_ping(v_connection, p_now);
  v_missed := internal.missed_ping(v_connection, v_ping);
  return internal.connection_json(v_connection, v_ping, v_missed, internal.sight_on(v_connection, p_now), p_now);
end
$$;
comment on function internal.connection_for_reader(uuid, timestamptz) is
  'A connection of the current user, with today''s ping. Null for another user''s connection and for a deleted one.';
grant execute on function internal.connection_for_reader(uuid, timestamptz) to kith_api;
