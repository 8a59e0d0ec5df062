-- The providers that send a tenant's messages, as the tenant's server manages them. These functions are security
-- definers because kith_api may neither read nor write credentials.

create or replace function api.list_channels(p_public_url text) returns json
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
      'items', coalesce(json_agg(internal.channel_json(channel_credentials, p_public_url) order by channel), '[]'),
      'next_cursor', null
    )
    from kith.channel_credentials
    where tenant_id = v_tenant
  );
end
$$;
comment on function api.list_channels(text) is
  'Returns the channels on which the tenant sends messages, with their providers and without secrets. Security '
  'definer, because kith_api may not read credentials.';
grant execute on function api.list_channels(text) to kith_api;

create or replace function api.sealed_channel(p_channel text) returns json
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
    select json_build_object('sealed', encode(sealed, 'hex'))
    from kith.channel_credentials
    where tenant_id = v_tenant and channel = p_channel
  );
end
$$;
comment on function api.sealed_channel(text) is
  'Returns the sealed credentials of a channel to the server only, which keeps the parts that must survive a change, '
  'such as the key to which browsers have subscribed; null if there are none. Security definer, because kith_api may '
  'not read credentials.';
grant execute on function api.sealed_channel(text) to kith_api;

create or replace function api.put_channel(
  p_channel text, p_summary jsonb, p_sealed bytea, p_public_url text, p_now timestamptz
)
  returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  perform internal.require_server();
  perform internal.count_acts('administration', 1, p_now);
  return internal.channel_json(
    internal.set_channel(v_tenant, p_channel, p_summary, p_sealed, internal.actor(), p_now), p_public_url
  );
end
$$;
comment on function api.put_channel(text, jsonb, bytea, text, timestamptz) is
  'Sets the provider that sends the tenant''s messages on a channel. The server has validated and sealed the settings; '
  'p_summary is the part that may be shown. Security definer, because kith_api may not write credentials.';
grant execute on function api.put_channel(text, jsonb, bytea, text, timestamptz) to kith_api;

create or replace function api.delete_channel(p_channel text, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  perform internal.require_server();
  perform internal.delete_channel(v_tenant, p_channel, internal.actor(), p_now);
  return null;
end
$$;
comment on function api.delete_channel(text, timestamptz) is
  'Deletes a channel''s credentials. The channel sends nothing until new ones are set. Security definer, because '
  'kith_api may not write credentials.';
grant execute on function api.delete_channel(text, timestamptz) to kith_api;

create or replace function api.web_push_key() returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_key text;
begin
  perform internal.require_user();
  select summary ->> 'public_key' into v_key from kith.channel_credentials
  where tenant_id = v_tenant and channel = 'web_push';
  if v_key is null then
    perform internal.refuse_not_found();
  end if;
  return json_build_object('public_key', v_key);
end
$$;
comment on function api.web_push_key() is
  'Returns the key with which the tenant signs pushes to browsers (RFC 8292), which a browser needs to subscribe. '
  'Raises not_found if the tenant has none. Security definer, because kith_api may not read credentials.';
grant execute on function api.web_push_key() to kith_api;
