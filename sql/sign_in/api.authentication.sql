-- Authentication. authenticate_key, token_key and token_user run before a tenant is set, because they identify it by a
-- secret or a key, so they accept a null tenant. Each looks up one row and writes at most last_used_at, or when an
-- owner was last seen.

create or replace function api.authenticate_key(p_hash bytea, p_now timestamptz, p_is_use boolean) returns json
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
      'expires_at', (extract(epoch from key.expires_at) * 1000000)::bigint,
      'status', case when tenant.deleted_at is null then tenant.status else 'deleted' end,
      'wording', internal.wording(tenant)
    )
  into v_tenant, v_key, v_last_used_at, v_answer
  from kith.api_keys as key
  join kith.tenants as tenant on tenant.tenant_id = key.tenant_id
  where key.secret_hash = p_hash and key.revoked_at is null and (key.expires_at is null or key.expires_at > p_now);
  if found and p_is_use and (v_last_used_at is null or v_last_used_at < p_now - interval '1 minute') then
    -- Another server may be writing the same minute. Its value is good enough, so skip a locked row.
    update kith.api_keys set last_used_at = p_now
    where tenant_id = v_tenant and id = (
      select id from kith.api_keys where tenant_id = v_tenant and id = v_key for no key update skip locked
    );
  end if;
  return v_answer;
end
$$;
comment on function api.authenticate_key(bytea, timestamptz, boolean) is
  'Finds the tenant of an API key by the SHA-256 hash of the key: {tenant_id, slug, key_id, scopes, expires_at, '
  'status, wording}, or null if the key is unknown, expired or revoked. expires_at is in microseconds since 1970, or '
  'null for a key without an end. Unless p_is_use, it does not count as used: a page of the desk that brings itself up '
  'to date says nothing of whether somebody is there. Security definer, because the hash identifies the tenant.';
grant execute on function api.authenticate_key(bytea, timestamptz, boolean) to kith_api;

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
      -- Any tenant may register an audience of a shared issuer, so a token with several audiences would fit several
      -- tenants. It needs a slug then.
      and (
        tenant.slug = p_slug or cardinality(p_audiences) = 1
        or not exists (select from kith.shared_issuers as shared where shared.issuer = p_issuer)
      )
    -- Keys of several tenants match only if they were registered before issuers belonged to one tenant. Then the first
    -- tenant to claim the issuer wins, and later ones cannot change that.
    order by (tenant.slug = p_slug) desc nulls last, claimed.claimed_at nulls last, key.created_at, key.id
    limit 1
  );
end
$$;
comment on function api.token_key(text, text, text[], text) is
  'Returns the key that a token names by `kid`, `iss` and `aud`, with its tenant; null if it is unknown or revoked. A '
  'token of a shared issuer needs a single audience, unless the request gives the tenant''s slug. Secrets are wrapped, '
  'and useless without the master key. Security definer, because the token identifies the tenant.';
grant execute on function api.token_key(text, text, text[], text) to kith_api;

create or replace function api.token_user(
  p_tenant_id integer, p_subject text, p_own boolean, p_session_id text, p_now timestamptz
) returns json
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
    -- The subject of a token that Kith issued is a user's id. Anything else is an unknown user, not an error.
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
      'user_id', account.id,
      'tokens_valid_from', case
        -- The token of a sign-in needs no check: signing out everywhere ends the sign-in itself. An identity provider
        -- may have issued its token before Kith knew the user, so the value from the account's creation does not count.
        when p_own and p_session_id is null or not p_own and account.tokens_valid_from > account.created_at
          then (extract(epoch from account.tokens_valid_from) * 1000000)::bigint
      end,
      'notes_use', internal.is_seen(p_tenant_id, account.id, p_now),
      'locale', account.locale,
      'wording', internal.wording(tenant)
    )
    from kith.users as account
    join kith.tenants as tenant on tenant.tenant_id = account.tenant_id
    where account.tenant_id = p_tenant_id and account.id = v_id and account.deleted_at is null
      and not exists (select from internal.hidden_person(p_tenant_id, account.id))
  );
end
$$;
comment on function api.token_user(integer, text, boolean, text, timestamptz) is
  'Returns the user that a token''s `sub` names: by id in a token that Kith issued, by external_id in one from the '
  'tenant''s identity provider. tokens_valid_from is in microseconds since 1970, or null if there is no limit. '
  'notes_use says that the server must call api.note_use once it has accepted the token. locale and wording '
  '(internal.wording) decide the language of refusals. Returns null if the user is unknown, deleted or a canary''s, or '
  'if the sign-in that `sid` names has ended. A server asks this at most once a minute for each token. Security '
  'definer, because no user is known yet.';
grant execute on function api.token_user(integer, text, boolean, text, timestamptz) to kith_api;

create or replace function api.note_use(p_tenant_id integer, p_user_id uuid, p_now timestamptz) returns void
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform set_config('kith.tenant_id', p_tenant_id::text, true);
  perform internal.note_use(p_tenant_id, p_user_id, p_now);
  perform internal.leave_tenant();
end
$$;
comment on function api.note_use(integer, uuid, timestamptz) is
  'Records that a user has used the app, if they have chosen to let that count as a sign of life (E03). The server '
  'calls it after it has accepted a token for which api.token_user says so, at most once a minute. Security definer, '
  'because only this procedure writes signs of life for a use.';
grant execute on function api.note_use(integer, uuid, timestamptz) to kith_api;

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
  'Returns the key with which Kith signs the tenant''s access tokens: {key_id, slug, wrapped_secret}, or null if there '
  'is none yet. Security definer, because kith_api may not read keys.';
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
  -- A separate statement sees a key that a concurrent call has inserted.
  return api.signing_key(p_now);
end
$$;
comment on function api.add_signing_key(uuid, bytea, timestamptz) is
  'Adds the tenant''s signing key unless there is one, and returns the key that is there, as signing_key does. '
  'Concurrent calls get the same key. Security definer, because kith_api may not write keys.';
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
  select json_build_object(
    'user_id', account.id, 'tokens_valid_from', (extract(epoch from account.tokens_valid_from) * 1000000)::bigint,
    'host', tenant.universal_link_host
  ) into v_answer
  from kith.users as account
  join kith.tenants as tenant on tenant.tenant_id = account.tenant_id
  where account.tenant_id = v_tenant and account.id = p_user_id and account.deleted_at is null
    and not exists (select from internal.hidden_person(v_tenant, p_user_id));
  if not found then
    perform internal.refuse_not_found();
  end if;
  return v_answer;
end
$$;
comment on function api.token_subject(uuid) is
  'Returns the user for whom the tenant''s server requests a token or a sign-in link: {user_id, tokens_valid_from, '
  'host}, the second in microseconds since 1970, the third the host of the tenant''s pages, or null. Raises not_found '
  'if there is none, and for a canary''s account. Security definer, because the server may use all users of its '
  'tenant.';
grant execute on function api.token_subject(uuid) to kith_api;
