-- Who is calling? These find a tenant by a secret or a key id before any tenant is set: the only definers that do not refuse
-- a null tenant. Each answers about exactly one row and writes nothing but last_used_at.

create or replace function api.authenticate_key(p_hash bytea, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer;
  v_key uuid;
  v_last_used_at timestamptz;
  v_answer json;
begin
  select key.tenant_id, key.id, key.last_used_at,
    json_build_object(
      'tenant_id', tenant.tenant_id,
      'slug', tenant.slug,
      'key_id', key.id,
      'scopes', key.scopes,
      'status', case when tenant.deleted_at is null then tenant.status else 'deleted' end
    )
  into v_tenant, v_key, v_last_used_at, v_answer
  from kith.api_keys as key
  join kith.tenants as tenant on tenant.tenant_id = key.tenant_id
  where key.secret_hash = p_hash and key.revoked_at is null and (key.expires_at is null or key.expires_at > p_now);
  if found and (v_last_used_at is null or v_last_used_at < p_now - interval '1 minute') then
    -- Another server may be writing the same minute just now: its word is enough, and nobody waits.
    update kith.api_keys set last_used_at = p_now
    where tenant_id = v_tenant and id = (
      select id from kith.api_keys where tenant_id = v_tenant and id = v_key for no key update skip locked
    );
  end if;
  return v_answer;
end
$$;
comment on function api.authenticate_key(bytea, timestamptz) is
  'The tenant of an API key, by the SHA-256 of the key: {tenant_id, slug, key_id, scopes, status}, or null when unknown, expired or revoked. Definer: the hash finds the tenant.';
revoke all on function api.authenticate_key(bytea, timestamptz) from public;
grant execute on function api.authenticate_key(bytea, timestamptz) to kith_api;

create or replace function api.token_key(p_kid text, p_issuer text, p_audiences text[], p_slug text) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    select json_build_object(
      'key_id', key.id,
      'tenant_id', tenant.tenant_id,
      'slug', tenant.slug,
      'status', case when tenant.deleted_at is null then tenant.status else 'deleted' end,
      'algorithm', key.algorithm,
      'own', key.own,
      'issuer', key.issuer,
      'audience', key.audience,
      'wrapped_secret', translate(encode(key.wrapped_secret, 'base64'), e'\n', ''),
      'public_key', key.public_key
    )
    from kith.jwt_keys as key
    join kith.tenants as tenant on tenant.tenant_id = key.tenant_id
    left join kith.jwt_issuers as claimed
      on claimed.tenant_id = key.tenant_id and claimed.issuer = key.issuer and claimed.audience = key.audience
    where key.kid = p_kid and key.issuer = p_issuer and key.audience = any (p_audiences) and key.revoked_at is null
      -- Of a shared issuer anybody may register an audience, so a token for several could be made out to be anybody's.
      and (
        tenant.slug = p_slug or cardinality(p_audiences) = 1
        or not exists (select from kith.shared_issuers as shared where shared.issuer = p_issuer)
      )
    -- Several tenants' keys fit only where they were registered before issuers were one tenant's: then it is that of who was first, and
    -- nobody who came later has changed that.
    order by (tenant.slug = p_slug) desc nulls last, claimed.claimed_at nulls last, key.created_at, key.id
    limit 1
  );
end
$$;
comment on function api.token_key(text, text, text[], text) is
  'The key that a token names by `kid`, `iss` and `aud`, with its tenant; null when unknown or revoked. A token of a shared issuer has one audience, or comes with the tenant''s slug. Secrets are wrapped: without the master key they are nothing. Definer: the token finds the tenant.';
revoke all on function api.token_key(text, text, text[], text) from public;
grant execute on function api.token_key(text, text, text[], text) to kith_api;

create or replace function api.token_user(p_tenant_id integer, p_subject text, p_own boolean, p_session_id text) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_uuid constant text := '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$';
  v_id uuid;
begin
  if p_own then
    -- The subject of a token of ours is a user's id; anything else is nobody, not an error.
    if p_subject !~ v_uuid or p_session_id !~ v_uuid then
      return null;
    end if;
    v_id := p_subject::uuid;
    if p_session_id is not null then
      perform from kith.token_families
      where tenant_id = p_tenant_id and id = p_session_id::uuid and user_id = v_id and ended_at is null;
      if not found then
        return null;
      end if;
    end if;
  else
    select id into v_id from kith.users where tenant_id = p_tenant_id and external_id = p_subject;
  end if;
  return (
    select json_build_object(
      'user_id', id,
      'tokens_valid_from', case
        -- A sign-in ends by itself and by signing out everywhere; an identity provider may have issued the token before we knew its user.
        when p_own and p_session_id is null or not p_own and tokens_valid_from > created_at
          then (extract(epoch from tokens_valid_from) * 1000000)::bigint
      end
    )
    from kith.users
    where tenant_id = p_tenant_id and id = v_id and deleted_at is null
  );
end
$$;
comment on function api.token_user(integer, text, boolean, text) is
  'The user whom a token''s `sub` names: an id in a token of ours, an external_id in one of the tenant''s. tokens_valid_from in microseconds since 1970, null where any will do. Null for nobody, for the deleted, and where the sign-in that `sid` names has ended. Definer: no user is known yet.';
revoke all on function api.token_user(integer, text, boolean, text) from public;
grant execute on function api.token_user(integer, text, boolean, text) to kith_api;

create or replace function api.signing_key(p_now timestamptz) returns json
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
      'key_id', key.id,
      'slug', tenant.slug,
      'wrapped_secret', translate(encode(key.wrapped_secret, 'base64'), e'\n', '')
    )
    from kith.jwt_keys as key
    join kith.tenants as tenant on tenant.tenant_id = key.tenant_id
    where key.tenant_id = v_tenant and key.own and key.revoked_at is null
  );
end
$$;
comment on function api.signing_key(timestamptz) is
  'The key with which Kith signs the tenant''s access tokens: {key_id, slug, wrapped_secret}, or null when none was made yet. Definer: keys are nobody''s to read.';
revoke all on function api.signing_key(timestamptz) from public;
grant execute on function api.signing_key(timestamptz) to kith_api;

create or replace function api.add_signing_key(p_id uuid, p_wrapped_secret bytea, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  perform internal.require_server();
  insert into kith.jwt_keys (tenant_id, id, kid, algorithm, own, issuer, audience, wrapped_secret, created_at)
  select v_tenant, p_id, p_id::text, 'HS256', true, 'kith', slug, p_wrapped_secret, p_now
  from kith.tenants
  where tenant_id = v_tenant
  on conflict (tenant_id) where own and revoked_at is null do nothing;
  if found then
    perform internal.record_act(v_tenant, internal.actor(), 'jwt_key.create', p_id::text, null);
  end if;
  -- A statement of its own: it sees the key of whoever was first.
  return api.signing_key(p_now);
end
$$;
comment on function api.add_signing_key(uuid, bytea, timestamptz) is
  'Makes the tenant''s signing key unless there is one, and answers whichever is there, as signing_key: of two at the same time both get the same. Definer: keys are nobody''s to write.';
revoke all on function api.add_signing_key(uuid, bytea, timestamptz) from public;
grant execute on function api.add_signing_key(uuid, bytea, timestamptz) to kith_api;

create or replace function api.token_subject(p_user_id uuid) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_answer json;
begin
  perform internal.require_server();
  select json_build_object('user_id', id) into v_answer
  from kith.users
  where tenant_id = v_tenant and id = p_user_id and deleted_at is null;
  if not found then
    perform internal.refuse_not_found();
  end if;
  return v_answer;
end
$$;
comment on function api.token_subject(uuid) is
  'The user for whom the tenant''s server wants a token: {user_id}, or not_found. Definer: the server sees all its users.';
revoke all on function api.token_subject(uuid) from public;
grant execute on function api.token_subject(uuid) to kith_api;
