-- The keys of a tenant's own identity provider, as the tenant's server manages them. These functions are security
-- definers because kith_api may neither read nor write keys.

create or replace function api.list_jwt_keys() returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  perform internal.require_server();
  return (
    select json_build_object(
      'items', coalesce(json_agg(internal.jwt_key_json(jwt_keys) order by id), '[]'), 'next_cursor', null
    )
    from kith.jwt_keys
    where tenant_id = v_tenant and not own and revoked_at is null
  );
end
$$;
comment on function api.list_jwt_keys() is
  'Returns the live keys of the tenant''s identity provider, oldest first. Security definer, because kith_api may not '
  'read keys.';
grant execute on function api.list_jwt_keys() to kith_api;

create or replace function api.add_jwt_keys(p_keys jsonb, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_key kith.jwt_keys;
  v_added kith.jwt_keys;
  v_items json[] := '{}';
begin
  perform internal.require_server();
  perform internal.count_acts('administration', 1, p_now);
  -- Serialize the calls of a tenant, so that the count holds.
  perform from kith.tenants where tenant_id = v_tenant for no key update;
  perform internal.claim_issuers(p_keys, p_now);
  for v_key in select * from jsonb_populate_recordset(null::kith.jwt_keys, p_keys) loop
    -- Adding a known key again returns it, because clients send whole key sets, most of which are known.
    insert into kith.jwt_keys as known (
      tenant_id, id, kid, algorithm, own, issuer, audience, wrapped_secret, public_key, created_at
    )
    values (
      v_tenant, v_key.id, v_key.kid, v_key.algorithm, false, v_key.issuer, v_key.audience, v_key.wrapped_secret,
      v_key.public_key, p_now
    )
    on conflict (tenant_id, kid, issuer, audience) where revoked_at is null do update set kid = excluded.kid
    where known.public_key = excluded.public_key and known.algorithm = excluded.algorithm
    returning * into v_added;
    if not found then
      raise exception 'conflict' using errcode = 'KT409',
        detail = format(
          'There is another key with the kid %s for this issuer and audience. Delete it first.', v_key.kid
        );
    end if;
    -- A known key keeps its own id.
    if v_added.id = v_key.id then
      perform internal.record_act(
        v_tenant, internal.actor(), 'jwt_key.create', v_added.id::text,
        jsonb_build_object(
          'kid', v_added.kid, 'algorithm', v_added.algorithm, 'issuer', v_added.issuer, 'audience', v_added.audience
        )
      );
    end if;
    v_items := v_items || internal.jwt_key_json(v_added);
  end loop;
  if (select count(*) > 100 from kith.jwt_keys where tenant_id = v_tenant and not own and revoked_at is null) then
    raise exception 'quota_exceeded'
      using errcode = 'KT507', detail = 'A tenant can have 100 keys. Delete old ones first.';
  end if;
  return json_build_object('items', array_to_json(v_items), 'next_cursor', null);
end
$$;
comment on function api.add_jwt_keys(jsonb, timestamptz) is
  'Adds keys with which the tenant''s identity provider signs access tokens: an array of {id, kid, algorithm, issuer, '
  'audience, public_key or wrapped_secret}, validated by the server. An issuer and audience belong to one tenant; a '
  'second one gets conflict. Security definer, because kith_api may not write keys.';
grant execute on function api.add_jwt_keys(jsonb, timestamptz) to kith_api;

create or replace function api.revoke_jwt_key(p_id uuid, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  perform internal.require_server();
  -- Serialize with api.add_jwt_keys: a claim must not be released while a key is added for it.
  perform from kith.tenants where tenant_id = v_tenant for no key update;
  update kith.jwt_keys set revoked_at = p_now
  where tenant_id = v_tenant and id = p_id and not own and revoked_at is null;
  if not found then
    perform internal.refuse_not_found();
  end if;
  perform internal.release_issuers();
  perform internal.record_act(v_tenant, internal.actor(), 'jwt_key.revoke', p_id::text, null);
  return null;
end
$$;
comment on function api.revoke_jwt_key(uuid, timestamptz) is
  'Revokes a key of the tenant''s identity provider. Within a minute, no server accepts its tokens. Security definer, '
  'because kith_api may not write keys.';
grant execute on function api.revoke_jwt_key(uuid, timestamptz) to kith_api;
