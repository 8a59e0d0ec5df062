create or replace function internal.dashboard_key(p_order text, p_id uuid, p_status text, p_deadline_at timestamptz)
  returns text
  language sql
  stable
  parallel safe
as $$
  select case p_order
    -- Only operators that are immutable, so that the planner inlines the function.
    when 'missed' then
      case p_status when 'missed' then '0' when 'due' then '1' when 'scheduled' then '2' when 'completed_late' then '3'
        when 'completed' then '4' else '5' end
        || '_' || coalesce((extract(epoch from p_deadline_at - timestamptz 'epoch') * 1000000)::bigint, 0) || '_'
        || p_id
    else p_id::text
  end
$$;
comment on function internal.dashboard_key(text, uuid, text, timestamptz) is
  'The place of a connection in a dashboard, in the collation "C", and the cursor after it. By ''missed'', those with '
  'a missed ping come first, the longest ago at the top, then those whose ping is due, scheduled, completed late, '
  'completed, and those without an open ping. Otherwise the oldest connection comes first.';
grant execute on function internal.dashboard_key(text, uuid, text, timestamptz) to kith_api;

create or replace function internal.dashboard_zone(p_role text) returns text
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_zone text;
begin
  if p_role = 'sender' then
    select time_zone into v_zone from kith.sender_profiles where tenant_id = v_tenant and user_id = v_user;
  end if;
  return coalesce(v_zone, (select time_zone from kith.users where tenant_id = v_tenant and id = v_user));
end
$$;
comment on function internal.dashboard_zone(text) is
  'The time zone of the date that the current user''s dashboard shows: of the sender profile in the role of a sender, '
  'or else of the account.';
grant execute on function internal.dashboard_zone(text) to kith_api;

create or replace function internal.dashboard_json(
  p_role text, p_zone text, p_order text, p_limit integer, p_cursor text, p_connections internal.own_connections[],
  p_pings kith.pings[], p_missed kith.pings[], p_sight jsonb, p_now timestamptz
) returns json
  language plpgsql
  stable
as $$
begin
  return (
    with seen as materialized (
      select own, ping, missed,
        -- A miss of yesterday comes first too, as long as nobody has answered it. A ping whose time has come is due
        -- before the worker says so, so that it does not move past the cursor between two pages.
        internal.dashboard_key(
          p_order, own.id,
          coalesce(
            missed.status,
            case when ping.status = 'scheduled' and ping.scheduled_at <= p_now then 'due' else ping.status end
          ),
          coalesce(missed.deadline_at, ping.deadline_at)
        ) as key,
        ping.status, ping.deadline_at,
        ping.status in ('scheduled', 'due') and ping.scheduled_at <= p_now and ping.deadline_at > p_now as is_open
      from unnest(p_connections) as own
      left join unnest(p_pings) as ping on ping.connection_id = own.id
      left join unnest(p_missed) as missed on missed.connection_id = own.id
    ), page as (
      select seen.own, seen.ping, seen.missed, seen.key, row_number() over (order by seen.key collate "C") as n
      from seen
      where p_cursor is null or seen.key collate "C" > p_cursor
      order by n
      limit p_limit + 1
    )
    select json_build_object(
      'role', p_role,
      'date', (p_now at time zone p_zone)::date,
      'items', coalesce(
        (
          select json_agg(internal.connection_json(page.own, page.ping, page.missed, p_sight, p_now) order by page.n)
          from page
          where p_limit is null or page.n <= p_limit
        ),
        '[]'
      ),
      'next_cursor',
      (select page.key from page where page.n = p_limit and exists (select from page as more where more.n > p_limit)),
      'open_pings', count(*) filter (where seen.is_open),
      'deadline_at', internal.instant(coalesce(
        min(seen.deadline_at) filter (where seen.is_open),
        min(seen.deadline_at) filter (where seen.status = 'scheduled')
      ))
    )
    from seen
  );
end
$$;
comment on function internal.dashboard_json(
  text, text, text, integer, text, internal.own_connections[], kith.pings[], kith.pings[], jsonb, timestamptz
) is
  'A page of the current user''s dashboard in one role (P36), by p_order ''missed'' or ''connection'', after a cursor '
  'of the same order: of all their connections in that role, today''s pings and the misses that nobody has answered. '
  'open_pings and deadline_at concern all connections. A null limit returns all of them.';
grant execute on function internal.dashboard_json(
  text, text, text, integer, text, internal.own_connections[], kith.pings[], kith.pings[], jsonb, timestamptz
) to kith_api;

create or replace function internal.own_connections_as(p_role text) returns internal.own_connections[]
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  return array(select own from internal.own_connections as own where own.tenant_id = v_tenant and own.role = p_role);
end
$$;
comment on function internal.own_connections_as(text) is 'All connections of the current user in a role, in any order.';
grant execute on function internal.own_connections_as(text) to kith_api;
