-- The keys of a tenant, as its own server manages them with a key of the scope all. These functions are security
-- definers because kith_api may neither read nor write keys. A key cannot end itself, so a live key with the scope all
-- remains whatever the server ends.

create or replace function api.list_api_keys(p_now timestamptz) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  perform internal.require_server();
  perform internal.require_all_key(p_now);
  return (
    select json_build_object(
      'items', coalesce(json_agg(internal.api_key_json(key, p_now) order by key.id), '[]'), 'next_cursor', null
    )
    from kith.api_keys as key
    where key.tenant_id = v_tenant and key.revoked_at is null
  );
end
$$;
comment on function api.list_api_keys(timestamptz) is
  'Returns the tenant''s keys without their secrets, oldest first. is_live is false for a key that has expired; keys '
  'that were ended are left out. Security definer, because kith_api may not read keys.';
grant execute on function api.list_api_keys(timestamptz) to kith_api;

create or replace function api.create_api_key(p_body jsonb, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_made record;
begin
  perform internal.require_server();
  perform internal.count_acts('administration', 1, p_now);
  perform from kith.tenants where tenant_id = v_tenant for no key update;
  perform internal.require_all_key(p_now);
  v_made := internal.new_api_key(
    v_tenant, p_body ->> 'name', array(select jsonb_array_elements_text(p_body -> 'scopes')),
    (p_body ->> 'expires_at')::timestamptz, p_now
  );
  perform internal.record_new_key(v_made.key, internal.actor());
  -- Append as text, because jsonb would change the order of the keys.
  return (
    left(internal.api_key_json(v_made.key, p_now)::text, -1) || ', "secret_key" : ' || to_json(v_made.secret) || '}'
  )::json;
end
$$;
comment on function api.create_api_key(jsonb, timestamptz) is
  'Creates a key: {name, scopes, expires_at?}, with its secret_key, which is shown only here. A tenant has at most 50 '
  'live keys. Security definer, because kith_api may not write keys.';
grant execute on function api.create_api_key(jsonb, timestamptz) to kith_api;

create or replace function api.delete_api_key(p_id uuid, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_key kith.api_keys;
begin
  perform internal.require_server();
  -- Hold the tenant before the check: of two keys that end each other at the same time, one is refused.
  perform from kith.tenants where tenant_id = v_tenant for no key update;
  if internal.require_all_key(p_now) = p_id then
    raise exception 'conflict' using errcode = 'KT409',
      detail = 'A key cannot end itself. Create another key with the scope all, and end this one with it.';
  end if;
  v_key := internal.end_api_key(v_tenant, p_id, p_now);
  perform internal.record_act(
    v_tenant, internal.actor(), 'api_key.end', p_id::text, jsonb_build_object('name', v_key.name)
  );
  return null;
end
$$;
comment on function api.delete_api_key(uuid, timestamptz) is
  'Ends a key. Within a minute, no server accepts it. Raises conflict for the key of the request itself: otherwise a '
  'tenant could lock itself out by mistake. Security definer, because kith_api may not write keys.';
grant execute on function api.delete_api_key(uuid, timestamptz) to kith_api;
