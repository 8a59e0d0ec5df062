create or replace function internal.listed_connections(p_role text) returns uuid[]
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  return array(
    select connection.id
    from kith.connections as connection
    where connection.tenant_id = v_tenant and connection.status <> 'deleted'
      and (
        connection.sender_id = v_user and p_role is distinct from 'receiver'
        or connection.receiver_id = v_user and p_role is distinct from 'sender' and connection.status <> 'pending'
      )
    order by connection.id
  );
end
$$;
comment on function internal.listed_connections(text) is
  'The connections of the current user, in one role or (null) in both, whose pings they may see (P29).';
grant execute on function internal.listed_connections(text) to kith_api;

create or replace function internal.pings_between(
  p_from date, p_until date, p_role text, p_limit integer, p_cursor text, p_now timestamptz
) returns json
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  -- It is tomorrow in no zone later than in UTC by more than 14 hours.
  v_until date := coalesce(p_until, least(p_from + 91, ((p_now + interval '14 hours') at time zone 'UTC')::date));
  v_from date := coalesce(p_from, v_until - 6);
  v_connections uuid[] := internal.listed_connections(p_role);
  v_senders uuid[] := array(
    select distinct connection.sender_id
    from kith.connections as connection
    where connection.tenant_id = v_tenant and connection.id = any (v_connections)
  );
  v_probes integer := 0;
  v_date date;
  v_after uuid;
  v_pings kith.pings[] := '{}';
begin
  if v_from > v_until then
    perform internal.refuse_fields(internal.field_error('from', 'must not be after until'));
  elsif v_until - v_from > 91 then
    perform internal.refuse_fields(
      internal.field_error('from', 'must be at most 91 days before until: a period has at most 92 days')
    );
  elsif p_cursor !~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
    perform internal.refuse_fields(internal.field_error('cursor', 'must be the next_cursor of a page of this period'));
  end if;
  v_date := least(v_until, split_part(p_cursor, '_', 1)::date);
  v_after := case when v_date = split_part(p_cursor, '_', 1)::date then split_part(p_cursor, '_', 2)::uuid end;
  -- One date in each statement, by the key. A page ends after 20,000 look-ups, so that a period with hardly any ping
  -- costs no more.
  while v_date >= v_from and cardinality(v_pings) <= p_limit and v_probes < 20000 loop
    v_pings := v_pings || array(
      select ping
      from kith.pings as ping
      where ping.tenant_id = v_tenant and ping.ping_on = v_date and ping.connection_id = any (v_connections)
        -- The sender too (sql/README.md).
        and ping.sender_id = any (v_senders)
        and (v_after is null or ping.connection_id > v_after)
      order by ping.connection_id
      limit p_limit + 1 - cardinality(v_pings)
    );
    v_probes := v_probes + cardinality(v_connections);
    v_after := null;
    v_date := v_date - 1;
  end loop;
  return json_build_object(
    'items', coalesce(
      (
        select json_agg(internal.ping_json(ping) order by ping.ping_on desc, ping.connection_id)
        from unnest(v_pings[:p_limit]) as ping
      ),
      '[]'
    ),
    'next_cursor', case
      when cardinality(v_pings) > p_limit then v_pings[p_limit].ping_on || '_' || v_pings[p_limit].connection_id
      when v_date >= v_from then v_date + 1 || '_ffffffff-ffff-ffff-ffff-ffffffffffff'
    end
  );
end
$$;
comment on function internal.pings_between(date, date, text, integer, text, timestamptz) is
  'A page of the current user''s pings of a period of up to 92 days, in one role or (null) in both, newest date first. '
  'Without p_from it is the week before p_until; without p_until it ends today, or after 92 days. The page of a user '
  'with many connections may have fewer pings than p_limit, and yet a next_cursor. For api.list_pings.';
grant execute on function internal.pings_between(date, date, text, integer, text, timestamptz) to kith_api;
