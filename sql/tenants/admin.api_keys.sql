-- Operators' procedures about the keys of tenants' servers. An operator may end a tenant's last key, since an operator
-- can make another.

create or replace function admin.rotate_api_key(
  p_tenant text, p_old_keys_end_after interval default '24 hours', p_now timestamptz default now()
) returns table (tenant_id integer, slug text, secret_key text, old_keys_end_at timestamptz)
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_made record;
begin
  perform internal.require_present(p_now);
  tenant_id := internal.enter_tenant(p_tenant);
  slug := p_tenant;
  old_keys_end_at := p_now + p_old_keys_end_after;
  update kith.api_keys as key set expires_at = old_keys_end_at
  where key.tenant_id = rotate_api_key.tenant_id and key.revoked_at is null and 'all' = any (key.scopes)
    and (key.expires_at is null or key.expires_at > old_keys_end_at);
  v_made := internal.new_api_key(tenant_id, 'rotated', '{all}', null, p_now);
  secret_key := v_made.secret;
  perform internal.record_act(
    tenant_id, internal.operator(), 'api_key.rotate', (v_made.key).id::text,
    jsonb_build_object('old_keys_end_at', internal.instant(old_keys_end_at))
  );
  perform internal.tell_of_key(v_made.key, p_now);
  perform internal.leave_tenant();
  return next;
end
$$;
comment on function admin.rotate_api_key(text, interval, timestamptz) is
  'Creates a new API key with the scope all, which is shown only here, and tells the tenant''s webhooks. The earlier '
  'keys with the scope all end after 24 hours, or after the interval given, at old_keys_end_at; ''0'' ends them at '
  'once. Keys with fewer scopes stay: admin.end_api_key ends one of those.';
grant execute on function admin.rotate_api_key(text, interval, timestamptz) to kith_admin;

create or replace function admin.create_api_key(
  p_tenant text, p_name text, p_scopes text[] default '{all}', p_expires_at timestamptz default null,
  p_now timestamptz default now()
) returns table (id uuid, name text, scopes text[], expires_at timestamptz, secret_key text)
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_made record;
begin
  perform internal.require_present(p_now);
  v_made := internal.new_api_key(internal.enter_tenant(p_tenant), p_name, p_scopes, p_expires_at, p_now);
  id := (v_made.key).id;
  name := (v_made.key).name;
  scopes := (v_made.key).scopes;
  expires_at := (v_made.key).expires_at;
  secret_key := v_made.secret;
  perform internal.record_new_key(v_made.key, internal.operator());
  perform internal.tell_of_key(v_made.key, p_now);
  perform internal.leave_tenant();
  return next;
end
$$;
comment on function admin.create_api_key(text, text, text[], timestamptz, timestamptz) is
  'Creates an API key with the scopes given, which is shown only here, and tells the tenant''s webhooks: select * from '
  'admin.create_api_key(''acme'', ''billing'', ''{users,read}'', now() + interval ''1 year'').';
grant execute on function admin.create_api_key(text, text, text[], timestamptz, timestamptz) to kith_admin;

create or replace function admin.end_api_key(p_tenant text, p_key uuid, p_reason text, p_now timestamptz default now())
  returns void
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer;
  v_key kith.api_keys;
begin
  perform internal.require_present(p_now);
  v_tenant := internal.enter_tenant(p_tenant);
  perform from kith.tenants where tenant_id = v_tenant for no key update;
  select * into v_key from kith.api_keys where tenant_id = v_tenant and id = p_key;
  if not found or not internal.key_is_live(v_key, p_now) then
    perform internal.refuse_unknown(p_tenant, format('live key %s', p_key), 'admin.api_keys');
  end if;
  perform internal.end_api_key(v_tenant, p_key, p_now);
  perform internal.record_act(
    v_tenant, internal.operator(), 'api_key.end', p_key::text,
    jsonb_build_object('name', v_key.name, 'reason', p_reason)
  );
  perform internal.leave_tenant();
end
$$;
comment on function admin.end_api_key(text, uuid, text, timestamptz) is
  'Ends an API key, even the tenant''s last one. Within a minute, no server accepts it: select '
  'admin.end_api_key(''acme'', ''…'', ''leaked'').';
grant execute on function admin.end_api_key(text, uuid, text, timestamptz) to kith_admin;
