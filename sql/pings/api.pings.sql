create or replace function api.list_pings(
  p_date date, p_from date, p_until date, p_role text, p_limit integer, p_cursor text, p_now timestamptz
) returns json
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  if p_from is not null or p_until is not null then
    if p_date is not null then
      perform internal.refuse_fields(internal.field_error('date', 'must be absent with from or until'));
    end if;
    return internal.pings_between(p_from, p_until, p_role, p_limit, p_cursor, p_now);
  end if;
  if p_cursor !~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
    perform internal.refuse_fields(internal.field_error('cursor', 'must be the next_cursor of a page of one date'));
  end if;
  return (
    -- A connection has one ping per date, so the connection is the cursor. It is older than its pings, which may be
    -- added during paging.
    select json_build_object(
      'items', coalesce(
        json_agg(internal.ping_json(page.ping) order by page.id) filter (where page.n <= p_limit), '[]'
      ),
      'next_cursor', case when count(*) > p_limit then (array_agg(page.id order by page.id))[p_limit] end
    )
    from (
      select own.id, ping.found as ping, row_number() over (order by own.id) as n
      from unnest(internal.listed_connections(p_role)) as own (id)
      -- Look-ups by the key, and of a ping by its sender too (sql/README.md).
      cross join lateral (
        select sender_id from kith.connections where tenant_id = v_tenant and connections.id = own.id offset 0
      ) as connection
      cross join lateral (
        -- The date is computed here: under the policies, an index takes no value from a function that is not leakproof.
        select coalesce(p_date, internal.local_date(p_now, time_zone)) as ping_on
        from kith.sender_profiles
        where tenant_id = v_tenant and user_id = connection.sender_id
        offset 0
      ) as day
      cross join lateral (
        select one as found
        from kith.pings as one
        where one.tenant_id = v_tenant and one.ping_on = day.ping_on
          and one.connection_id = own.id and one.sender_id = connection.sender_id
        offset 0
      ) as ping
      where own.id > coalesce(p_cursor::uuid, '00000000-0000-0000-0000-000000000000')
      order by own.id
      limit p_limit + 1
    ) as page
  );
end
$$;
comment on function api.list_pings(date, date, date, text, integer, text, timestamptz) is
  'Returns the caller''s pings of one date, in one role or both; without a date, of each sender''s local date. With '
  'p_from or p_until, returns the pings of that period (internal.pings_between). Leaves out deleted connections and '
  'shows pending ones only to the sender (P29).';
grant execute on function api.list_pings(date, date, date, text, integer, text, timestamptz) to kith_api;

create or replace function api.list_connection_pings(
  p_id uuid, p_from date, p_until date, p_limit integer, p_cursor date, p_now timestamptz
) returns json
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_connection record;
  v_until date;
  v_from date;
begin
  select connection.receiver_id = v_user and connection.status = 'pending' as is_hidden, connection.sender_id,
    sender.time_zone
  into v_connection
  from kith.connections as connection
  join kith.sender_profiles as sender on sender.tenant_id = v_tenant and sender.user_id = connection.sender_id
  where connection.tenant_id = v_tenant and connection.id = p_id
    and v_user in (connection.sender_id, connection.receiver_id)
    and connection.status <> 'deleted';
  if not found then
    perform internal.refuse_not_found();
  end if;

  -- Include tomorrow: a sender who flew west has a ping whose date has not begun in the new zone.
  v_until := coalesce(p_until, internal.local_date(p_now, v_connection.time_zone) + 1);
  v_from := coalesce(p_from, v_until - 31);
  if v_from > v_until then
    perform internal.refuse_fields(internal.field_error('from', 'must not be after until'));
  elsif v_until - v_from > 366 then
    perform internal.refuse_fields(internal.field_error('from', 'must be at most 366 days before until'));
  end if;
  if p_cursor is not null then
    v_until := least(v_until, p_cursor - 1);
  end if;

  return (
    select json_build_object(
      'items', coalesce(
        json_agg(internal.ping_json(page.ping) order by page.ping_on desc) filter (where page.n <= p_limit),
        '[]'
      ),
      'next_cursor', case when count(*) > p_limit then (array_agg(page.ping_on order by page.ping_on desc))[p_limit] end
    )
    from (
      -- Look up each date by itself, because the date precedes the connection in the key. A range would read the pings
      -- of the whole tenant.
      select day.ping_on, made.ping, row_number() over (order by day.ping_on desc) as n
      from (select v_until - n as ping_on from generate_series(0, v_until - v_from) as n) as day
      cross join lateral (
        select ping
        from kith.pings as ping
        where ping.tenant_id = v_tenant and ping.ping_on = day.ping_on and ping.connection_id = p_id
          and ping.sender_id = v_connection.sender_id
        offset 0
      ) as made
      where not v_connection.is_hidden
      limit p_limit + 1
    ) as page
  );
end
$$;
comment on function api.list_connection_pings(uuid, date, date, integer, date, timestamptz) is
  'Returns the pings of a connection, newest first: the last 31 days, or a period of up to 366 days. Both sides see '
  'them, but the receiver not while the connection is pending (P29). The cursor is a date.';
grant execute on function api.list_connection_pings(uuid, date, date, integer, date, timestamptz) to kith_api;
