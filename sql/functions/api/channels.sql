-- By which providers a tenant's messages leave, as the tenant's server says. Definers: credentials are nobody's to read or write.

create or replace function api.list_channels() returns json
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
    select json_build_object('items', coalesce(json_agg(internal.channel_json(channel_credentials) order by channel), '[]'), 'next_cursor', null)
    from kith.channel_credentials
    where tenant_id = v_tenant
  );
end
$$;
comment on function api.list_channels() is
  'The channels on which the tenant''s messages leave, and by whom, without secrets. Definer: credentials are nobody''s to read.';
revoke all on function api.list_channels() from public;
grant execute on function api.list_channels() to kith_api;

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
  'The sealed credentials of a channel, for the server alone, which keeps of them what must outlive a change: browsers have subscribed to a key. null without. Definer: credentials are nobody''s to read.';
revoke all on function api.sealed_channel(text) from public;
grant execute on function api.sealed_channel(text) to kith_api;

create or replace function api.put_channel(p_channel text, p_summary jsonb, p_sealed bytea, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  perform internal.require_server();
  perform internal.count_acts('administration', 1, p_now);
  return internal.channel_json(internal.set_channel(v_tenant, p_channel, p_summary, p_sealed, internal.actor(), p_now));
end
$$;
comment on function api.put_channel(text, jsonb, bytea, timestamptz) is
  'Says by which provider the tenant''s messages leave on a channel: the server has checked the settings and sealed them, p_summary is what may be shown. Definer: credentials are nobody''s to write.';
revoke all on function api.put_channel(text, jsonb, bytea, timestamptz) from public;
grant execute on function api.put_channel(text, jsonb, bytea, timestamptz) to kith_api;

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
  'Forgets by which provider the tenant''s messages leave on a channel: from now on they do not. Definer: credentials are nobody''s to write.';
revoke all on function api.delete_channel(text, timestamptz) from public;
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
  select summary ->> 'public_key' into v_key from kith.channel_credentials where tenant_id = v_tenant and channel = 'web_push';
  if v_key is null then
    perform internal.refuse_not_found();
  end if;
  return json_build_object('public_key', v_key);
end
$$;
comment on function api.web_push_key() is
  'The key with which the tenant signs pushes to browsers (RFC 8292), which a browser wants to know when it subscribes; not_found where the tenant has none. Definer: credentials are nobody''s to read.';
revoke all on function api.web_push_key() from public;
grant execute on function api.web_push_key() to kith_api;
