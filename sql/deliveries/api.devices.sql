create or replace function api.list_devices() returns json
  language plpgsql
  stable
as $$
begin
  return json_build_object('items', internal.devices_json(), 'next_cursor', null);
end
$$;
comment on function api.list_devices() is
  'Returns the caller''s devices, last seen first. There are at most 20, so they fit on one page.';
grant execute on function api.list_devices() to kith_api;

create or replace function api.put_device(p_body jsonb, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_known kith.devices;
  v_device kith.devices;
begin
  perform internal.begin_act('change', p_now);
  perform internal.lock_account();
  select * into v_known from kith.devices where tenant_id = v_tenant and token = p_body ->> 'token';
  if p_body ->> 'platform' = 'ios' and p_body ? 'keys' then
    perform internal.refuse_fields(internal.field_error('keys', 'must be absent: only web push has them'));
  end if;
  -- A browser's push must be encrypted with these keys; nothing is sent unencrypted.
  if p_body ->> 'platform' = 'web' and not p_body ? 'keys' then
    perform internal.refuse_fields(internal.field_error('keys', 'is required for web push'));
  end if;
  if p_body ->> 'platform' = 'web' and p_body ->> 'token' !~ '^https://[^/]' then
    perform internal.refuse_fields(internal.field_error('token', 'must be the https address of the subscription'));
  end if;
  insert into kith.devices as device
    (tenant_id, token, user_id, platform, environment, public_key, auth_secret, created_at, last_seen_at)
  values (
    v_tenant, p_body ->> 'token', v_user, p_body ->> 'platform', coalesce(p_body ->> 'environment', 'production'),
    p_body -> 'keys' ->> 'p256dh', p_body -> 'keys' ->> 'auth', p_now, p_now
  )
  on conflict (tenant_id, token) do update
  set user_id = excluded.user_id, platform = excluded.platform, environment = excluded.environment,
    public_key = excluded.public_key, auth_secret = excluded.auth_secret, last_seen_at = excluded.last_seen_at,
    created_at = case device.user_id when excluded.user_id then device.created_at else excluded.created_at end
  returning * into v_device;
  delete from kith.devices
  where tenant_id = v_tenant and token in (
    select token from kith.devices
    where tenant_id = v_tenant and user_id = v_user
    order by last_seen_at desc, (token = v_device.token) desc, token
    offset 20
  );
  -- An app registers its device whenever it starts. Only another list of devices is news, also to whom the phone
  -- belonged before.
  if v_known.user_id is distinct from v_user then
    perform internal.emit_account(v_tenant, person.user_id, p_now)
    from unnest(array[v_user, v_known.user_id]) as person (user_id)
    where person.user_id is not null;
  end if;
  return internal.device_json(v_device);
end
$$;
comment on function api.put_device(jsonb, timestamptz) is
  'Registers a device for the caller, or updates when it was last seen: {platform, token, environment?, keys?}. Beyond '
  '20 devices, deletes the one that was last seen longest ago. Security definer, because the token may still belong to '
  'another user of the tenant, the phone''s former owner.';
grant execute on function api.put_device(jsonb, timestamptz) to kith_api;

-- It had no clock, and so emitted no event.
create or replace function api.delete_device(p_token text, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  perform internal.require_user();
  delete from kith.devices where tenant_id = v_tenant and token = p_token and user_id = v_user;
  if not found then
    perform internal.refuse_not_found();
  end if;
  perform internal.emit_account(v_tenant, v_user, p_now);
  return null;
end
$$;
comment on function api.delete_device(text, timestamptz) is
  'Deletes one of the caller''s devices. Raises not_found for a device of another user. Security definer, because '
  'kith_api may not delete rows.';
grant execute on function api.delete_device(text, timestamptz) to kith_api;
