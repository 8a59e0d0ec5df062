-- The live stream. A server tails the feed once for all its streams; a stream that joins first catches up by itself.

create or replace function api.tail_events(p_from_xid text, p_from_id uuid, p_limit integer)
  returns table (
    horizon text, tenant_id integer, user_id uuid, xid text, id uuid, type text, subject_id uuid, parent_id uuid,
    ping_on date
  )
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
  -- Always read from a position in the index, however many rows precede it and whatever the planner's statistics say.
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_sort = off
as $$
declare
  v_horizon xid8 := internal.feed_horizon();
  v_xid xid8 := p_from_xid::xid8;
  v_id uuid := coalesce(p_from_id, '00000000-0000-0000-0000-000000000000');
  v_end xid8 := internal.feed_end(v_horizon);
begin
  if kith.tenant_id() is not null then
    raise exception 'forbidden' using errcode = 'KT403';
  end if;
  if v_xid is not null then
    -- The newest rows may have been deleted since. A position of a transaction that has not happened here is lost, and
    -- goes back.
    if v_xid <= v_horizon then
      v_end := greatest(v_end, v_xid);
    end if;
    return query
    select v_end::text, page.tenant_id, page.user_id, page.xid::text, page.id, page.type, page.subject_id,
      page.parent_id, page.ping_on
    from (
      (
        select event.tenant_id, event.user_id, event.xid, event.id, event.type, event.subject_id, event.parent_id,
          event.ping_on
        from kith.events as event
        where (event.xid, event.id) > (v_xid, v_id) and event.xid < v_horizon
          and event.type not in ('alarm_undelivered', 'api_key')
        order by event.xid, event.id
        limit p_limit
      )
      union all
      (
        select notification.tenant_id, notification.user_id, notification.xid, notification.id,
          'notification', notification.id, null, null
        from kith.notifications as notification
        where (notification.xid, notification.id) > (v_xid, v_id) and notification.xid < v_horizon
        order by notification.xid, notification.id
        limit p_limit
      )
    ) as page
    order by page.xid, page.id
    limit p_limit;
    if found then
      return;
    end if;
  end if;
  horizon := v_end::text;
  return next;
end
$$;
comment on function api.tail_events(text, uuid, integer) is
  'Returns the events of all tenants after a position, oldest first, and how far there are no others '
  '(internal.feed_end). If fewer than p_limit are returned, the next position is (horizon, null). Returns at least one '
  'row; without an event, or without a position, it has only the horizon. Security definer without a tenant, because '
  'each server makes one call for all its streams. It returns ids only, which are rendered under each user''s own '
  'policies. Raises forbidden when a tenant is set.';
grant execute on function api.tail_events(text, uuid, integer) to kith_api;

create or replace function api.render_events(p_now timestamptz, p_events jsonb) returns table (n integer, data text)
  language plpgsql
as $$
declare
  v_event record;
  v_place text;
  v_numbers bigint[];
  v_texts text[];
begin
  begin
    select array_agg(rendered.n), array_agg(rendered.data) into v_numbers, v_texts
    from internal.notification_events(p_events) as rendered;
    return query select rendered.n::integer, rendered.data from unnest(v_numbers, v_texts) as rendered (n, data);
  exception when others then
    -- One of them cannot be rendered. Below, each is rendered by itself.
    v_numbers := null;
  end;
  for v_event in
    select given.tenant_id, given.user_id, given.type, given.subject_id, given.parent_id, given.ping_on,
      given.n::integer
    from rows from (
      jsonb_to_recordset(p_events)
        as (tenant_id integer, user_id uuid, type text, subject_id uuid, parent_id uuid, ping_on date)
    ) with ordinality as given (tenant_id, user_id, type, subject_id, parent_id, ping_on, n)
    where v_numbers is null or given.type <> 'notification'
  loop
    if v_place is distinct from concat(v_event.tenant_id, v_event.user_id) then
      v_place := concat(v_event.tenant_id, v_event.user_id);
      perform set_config('kith.tenant_id', v_event.tenant_id::text, true),
        set_config('kith.user_id', v_event.user_id::text, true);
    end if;
    n := v_event.n;
    data := internal.told_event(v_event.type, v_event.subject_id, v_event.parent_id, v_event.ping_on, p_now);
    return next;
  end loop;
  perform set_config('kith.tenant_id', '', true), set_config('kith.user_id', '', true);
end
$$;
comment on function api.render_events(timestamptz, jsonb) is
  'Renders events, each for its user and as of now. Takes [{tenant_id, user_id, type, subject_id, parent_id, ping_on}] '
  'and returns each one''s number n, from 1, and its text on one line, or null if the user may not see it. Sets the '
  'tenant and the user for each, so that their policies apply, except for notifications '
  '(internal.notification_events).';
grant execute on function api.render_events(timestamptz, jsonb) to kith_api;

create or replace function api.events_after(p_position text, p_limit integer, p_now timestamptz) returns json
  language plpgsql
  stable
as $$
declare
  v_horizon xid8 := internal.feed_horizon();
  v_end xid8 := internal.feed_end(v_horizon);
  v_from record;
  v_reset text;
  v_event record;
  v_items json[] := '{}';
  v_more boolean := false;
begin
  if p_position is not null then
    v_from := internal.read_position(p_position, p_now);
    v_reset := v_from.reset;
    if v_reset is null then
      if v_from.xid <= v_horizon then
        v_end := greatest(v_end, v_from.xid);
      end if;
      for v_event in
        select event.* from internal.own_events(v_from.xid, v_from.id, v_horizon, p_limit + 1, p_now) as event
      loop
        if cardinality(v_items) = p_limit then
          v_more := true;
          exit;
        end if;
        v_items := v_items || json_build_object(
          'position', internal.event_position(v_event.xid, v_event.id),
          'type', v_event.type,
          'data', internal.told_event(v_event.type, v_event.subject_id, v_event.parent_id, v_event.ping_on, p_now)
        );
      end loop;
    end if;
  end if;
  return json_build_object(
    'horizon', internal.horizon_position(v_end, p_now), 'reset', v_reset, 'items', array_to_json(v_items),
    'more', v_more
  );
end
$$;
comment on function api.events_after(text, integer, timestamptz) is
  'Returns the caller''s events after a position, oldest first and rendered (data is the text of an object): {horizon, '
  'reset, items: [{position, type, data}], more}. Without a position, returns only the horizon. reset is too_old or '
  'unknown if the following events are not known; then there are no items, and the client reloads everything.';
grant execute on function api.events_after(text, integer, timestamptz) to kith_api;

create or replace function api.ended_streams(p_streams jsonb) returns table (n integer)
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  if kith.tenant_id() is not null then
    raise exception 'forbidden' using errcode = 'KT403';
  end if;
  return query
  select given.n
  from jsonb_to_recordset(p_streams)
    as given (n integer, tenant_id integer, user_id uuid, session_id uuid, key_id text, issued_at bigint)
  left join kith.tenants as tenant on tenant.tenant_id = given.tenant_id
  left join kith.users as account on account.tenant_id = given.tenant_id and account.id = given.user_id
  left join kith.jwt_keys as key on key.tenant_id = given.tenant_id and key.id = nullif(given.key_id, '')::uuid
  left join kith.token_families as family
    on family.tenant_id = given.tenant_id and family.id = given.session_id and family.user_id = given.user_id
  where (
    tenant.status = 'active' and tenant.deleted_at is null
    and account.id is not null and account.deleted_at is null
    -- The web client's sign-in has no token.
    and (key.id is not null and key.revoked_at is null or given.key_id = '' and given.session_id is not null)
    and case
      when given.session_id is not null then family.id is not null and family.ended_at is null
      -- Tokens carry whole seconds, and an identity provider may have issued one before Kith knew the user.
      else not key.own and account.tokens_valid_from <= account.created_at
        or given.issued_at >= floor(extract(epoch from account.tokens_valid_from)) * 1000000
    end
  ) is not true;
end
$$;
comment on function api.ended_streams(jsonb) is
  'Returns which streams must end: of [{n, tenant_id, user_id, session_id, key_id, issued_at}], the n of those whose '
  'tenant is suspended, whose user was deleted or has signed out, or whose token''s key was revoked. session_id is the '
  'token''s sid, or null; key_id is as in api.token_key, and empty for a sign-in of the web client, which has no '
  'token; issued_at is in microseconds since 1970. Applies the rules of api.token_key and api.token_user to all '
  'streams at once. Security definer without a tenant, because streams belong to all tenants, and kith_api may not '
  'read keys and sign-ins. Raises forbidden when a tenant is set.';
grant execute on function api.ended_streams(jsonb) to kith_api;
