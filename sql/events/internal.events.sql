-- The feed of changes that a user's screen shows. It merges two tables, kith.events, which holds only ids, and
-- kith.notifications, in the order of (xid, id). Each change writes its events in the same transaction
-- (internal.emitted_events.sql), so that none is lost. A reader stops at the oldest transaction still in progress, so
-- that no event is added behind it later. An event is rendered when it is read. If two changes of an object are read in
-- the wrong order, both events therefore show the later state, and nothing that was deleted is shown.

create or replace function internal.event_position(p_xid xid8, p_id uuid) returns text
  language sql
  stable
  parallel safe
as $$
  select concat_ws('-', internal.uuid7_ms(p_id), p_xid, p_id)
$$;
comment on function internal.event_position(xid8, uuid) is
  'An event''s position in the feed as clients know it: its milliseconds since 1970, its transaction and its id.';
grant execute on function internal.event_position(xid8, uuid) to kith_api;

create or replace function internal.feed_horizon() returns xid8
  language sql
  stable
  parallel safe
as $$
  select pg_snapshot_xmin(pg_current_snapshot())
$$;
comment on function internal.feed_horizon() is
  'The oldest transaction still in progress. All transactions below it have ended, so nothing is added below it.';
grant execute on function internal.feed_horizon() to kith_api;

create or replace function internal.feed_end(p_horizon xid8) returns xid8
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
  -- Always the last row of an index.
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_sort = off
  -- The heartbeats have no such index, and the price of the scan that is "off" would have each call compiled.
  set jit = off
as $$
declare
  v_tenant text := current_setting('kith.tenant_id', true);
  v_end xid8;
begin
  -- Of all tenants. Within one, the policies would have the newest rows of the others read and left out, one by one.
  perform set_config('kith.tenant_id', '', true);
  -- A database in which nothing has happened is read from PostgreSQL's first transaction.
  select least(p_horizon, coalesce((max(newest.xid::text::bigint) + 1)::text, '3')::xid8) into v_end
  from (
    (select event.xid from kith.events as event where event.xid < p_horizon order by event.xid desc limit 1)
    union all
    (
      select notification.xid from kith.notifications as notification where notification.xid < p_horizon
      order by notification.xid desc limit 1
    )
    union all
    select heartbeat.xid from kith.heartbeats as heartbeat where heartbeat.xid < p_horizon
  ) as newest;
  perform set_config('kith.tenant_id', coalesce(v_tenant, ''), true);
  return v_end;
end
$$;
comment on function internal.feed_end(xid8) is
  'The position of a reader who has read everything below the horizon: after the newest transaction that has written '
  'an event or a heartbeat. The horizon itself is no position to keep. After a crash, PostgreSQL gives the numbers of '
  'transactions that had written nothing durable to others, whose events such a reader would miss. Definer, because it '
  'reads all tenants'' events. It returns none of them.';
grant execute on function internal.feed_end(xid8) to kith_api;

create or replace function internal.horizon_position(p_horizon xid8, p_now timestamptz) returns text
  language sql
  stable
  parallel safe
as $$
  select concat_ws('-', (extract(epoch from p_now) * 1000)::bigint, p_horizon)
$$;
comment on function internal.horizon_position(xid8, timestamptz) is
  'The position in the feed after everything that transactions below p_horizon have written.';
grant execute on function internal.horizon_position(xid8, timestamptz) to kith_api;

create or replace function internal.read_position(
  p_position text, p_now timestamptz, out xid xid8, out id uuid, out reset text
) returns record
  language plpgsql
  stable
as $$
declare
  v_parts text[] := regexp_match(
    p_position, '^([0-9]{1,15})-([0-9]{1,19})(?:-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}))?$'
  );
begin
  if v_parts is null then
    perform internal.refuse_fields(internal.field_error('last_event_id', 'must be the id of an event'));
  end if;
  xid := v_parts[2]::xid8;
  id := coalesce(v_parts[3], '00000000-0000-0000-0000-000000000000');
  reset := case
    when to_timestamp(v_parts[1]::bigint / 1000.0) < p_now - interval '7 days' then 'too_old'
    -- The position comes from another database, or from one that was restored to an earlier time.
    when xid > pg_snapshot_xmax(pg_current_snapshot()) then 'unknown'
    -- Since the restore, the database may have come past this transaction with others.
    when internal.was_lost(to_timestamp(v_parts[1]::bigint / 1000.0)) then 'unknown'
    -- The tenant came from another cell since. The clock of a server may be some seconds fast.
    when exists (
      select from kith.moving_tenants as moved
      where moved.tenant_id = kith.tenant_id()
        and (
          moved.state = 'arriving' or moved.came_at > to_timestamp(v_parts[1]::bigint / 1000.0) - interval '5 seconds'
        )
    ) then 'unknown'
  end;
end
$$;
comment on function internal.read_position(text, timestamptz) is
  'Parses a position in the feed as clients know it; events with a greater (xid, id) follow it. reset is set if nobody '
  'can tell what followed: too_old after 7 days, unknown if the transaction has not happened in this database, is lost '
  'since a restore, or is from before the tenant came from another cell. Raises validation_failed for anything else.';
grant execute on function internal.read_position(text, timestamptz) to kith_api;

create or replace function internal.gone_json(p_type text, p_subject_id uuid, p_parent_id uuid) returns json
  language sql
  stable
  parallel safe
as $$
  select json_strip_nulls(json_build_object(
    'id', p_subject_id,
    'connection_id', case p_type when 'ping' then p_parent_id end,
    'vault_id',
    case when p_type in ('nominee', 'session', 'document', 'emergency_request', 'conversation') then p_parent_id end,
    'nominee_id', case p_type when 'message' then p_parent_id end,
    'status', 'deleted'
  ))
$$;
comment on function internal.gone_json(text, uuid, uuid) is
  'What an event says of an object that is gone or no longer visible to the user: {id, status: deleted} with its '
  'connection, vault or nominee.';
grant execute on function internal.gone_json(text, uuid, uuid) to kith_api;

create or replace function internal.was_lost(p_at timestamptz) returns boolean
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  return exists (
    select from kith.incarnations
    where p_at > restored_to and p_at <= noticed_at and (served_until is not null or confirmed_at is null)
  );
end
$$;
comment on function internal.was_lost(timestamptz) is
  'Whether something that happened at p_at is lost, because the database was restored to an earlier instant. Security '
  'definer, because incarnations belong to no tenant.';
grant execute on function internal.was_lost(timestamptz) to kith_api;
