-- The values that stay sealed under the master key: token-signing keys, vault keys, credentials for tenants' providers,
-- and webhook signing secrets. Everything else that is sealed lives for a day at most.

create or replace function internal.sealed_samples() returns table (kind text, tenant_id integer, id text, sealed bytea)
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
  (
    select 'jwt_keys', key.tenant_id, key.id::text, key.wrapped_secret from kith.jwt_keys as key
    where key.wrapped_secret is not null order by key.created_at limit 1
  )
  union
  (
    select 'jwt_keys', key.tenant_id, key.id::text, key.wrapped_secret from kith.jwt_keys as key
    where key.wrapped_secret is not null order by key.created_at desc limit 1
  )
  union
  (
    select 'vault_keys', key.tenant_id, key.vault_id::text, key.wrapped_key from kith.vault_keys as key
    order by key.created_at limit 1
  )
  union
  (
    select 'vault_keys', key.tenant_id, key.vault_id::text, key.wrapped_key from kith.vault_keys as key
    order by key.created_at desc limit 1
  )
  union
  (
    select 'channel_credentials', credentials.tenant_id, credentials.channel, credentials.sealed
    from kith.channel_credentials as credentials
    order by credentials.updated_at limit 1
  )
  union
  (
    select 'channel_credentials', credentials.tenant_id, credentials.channel, credentials.sealed
    from kith.channel_credentials as credentials
    order by credentials.updated_at desc limit 1
  )
  union
  (
    select 'webhooks', webhook.tenant_id, webhook.id::text, webhook.sealed_secrets from kith.webhooks as webhook
    order by webhook.created_at limit 1
  )
  union
  (
    select 'webhooks', webhook.tenant_id, webhook.id::text, webhook.sealed_secrets from kith.webhooks as webhook
    order by webhook.created_at desc limit 1
  );
end
$$;
comment on function internal.sealed_samples() is
  'The oldest and the newest sealed key of each kind, of any tenant. A server tries its master key on them when it '
  'starts. Definer, because nobody may read keys. It has no tenant, because a starting server knows none; if one is '
  'set, it raises forbidden.';
grant execute on function internal.sealed_samples() to kith_api, kith_worker;

create or replace function internal.sealed_keys(p_kind text, p_tenant_id integer, p_id text, p_limit integer)
  returns table (tenant_id integer, id text, sealed bytea)
  language plpgsql
  stable
as $$
begin
  if p_kind = 'jwt_keys' then
    return query
    select key.tenant_id, key.id::text, key.wrapped_secret from kith.jwt_keys as key
    where (key.tenant_id, key.id) > (p_tenant_id, p_id::uuid) and key.wrapped_secret is not null
    order by key.tenant_id, key.id limit p_limit;
  elsif p_kind = 'channel_credentials' then
    return query
    select credentials.tenant_id, credentials.channel, credentials.sealed from kith.channel_credentials as credentials
    where (credentials.tenant_id, credentials.channel) > (p_tenant_id, p_id)
    order by credentials.tenant_id, credentials.channel limit p_limit;
  elsif p_kind = 'webhooks' then
    return query
    select webhook.tenant_id, webhook.id::text, webhook.sealed_secrets from kith.webhooks as webhook
    where (webhook.tenant_id, webhook.id) > (p_tenant_id, p_id::uuid)
    order by webhook.tenant_id, webhook.id limit p_limit;
  elsif p_kind = 'care_cards' then
    return query
    select card.tenant_id, card.user_id::text, card.sealed_key from kith.care_cards as card
    where (card.tenant_id, card.user_id) > (p_tenant_id, p_id::uuid)
    order by card.tenant_id, card.user_id limit p_limit;
  elsif p_kind = 'places' then
    return query
    select place.tenant_id, place.user_id::text, place.sealed_key from kith.places as place
    where (place.tenant_id, place.user_id) > (p_tenant_id, p_id::uuid)
    order by place.tenant_id, place.user_id limit p_limit;
  else
    return query
    select key.tenant_id, key.vault_id::text, key.wrapped_key from kith.vault_keys as key
    where (key.tenant_id, key.vault_id) > (p_tenant_id, p_id::uuid)
    order by key.tenant_id, key.vault_id limit p_limit;
  end if;
end
$$;
comment on function internal.sealed_keys(text, integer, text, integer) is
  'The next sealed keys of a kind (jwt_keys, vault_keys, channel_credentials, webhooks, care_cards, places) after the '
  'given one, across tenants. For the rotation of the master key, as the owner.';

create or replace function internal.reseal_key(p_kind text, p_tenant_id integer, p_id text, p_old bytea, p_new bytea)
  returns void
  language plpgsql
as $$
begin
  if p_kind = 'jwt_keys' then
    update kith.jwt_keys set wrapped_secret = p_new
    where tenant_id = p_tenant_id and id = p_id::uuid and wrapped_secret = p_old;
  elsif p_kind = 'channel_credentials' then
    update kith.channel_credentials set sealed = p_new
    where tenant_id = p_tenant_id and channel = p_id and sealed = p_old;
  elsif p_kind = 'webhooks' then
    update kith.webhooks set sealed_secrets = p_new
    where tenant_id = p_tenant_id and id = p_id::uuid and sealed_secrets = p_old;
  elsif p_kind = 'care_cards' then
    update kith.care_cards set sealed_key = p_new
    where tenant_id = p_tenant_id and user_id = p_id::uuid and sealed_key = p_old;
  elsif p_kind = 'places' then
    update kith.places set sealed_key = p_new
    where tenant_id = p_tenant_id and user_id = p_id::uuid and sealed_key = p_old;
  else
    update kith.vault_keys set wrapped_key = p_new
    where tenant_id = p_tenant_id and vault_id = p_id::uuid and wrapped_key = p_old;
  end if;
end
$$;
comment on function internal.reseal_key(text, integer, text, bytea, bytea) is
  'Replaces a sealed key by its newly sealed form. Does nothing if another process has replaced it meanwhile.';
