create or replace function internal.device_json(p_device kith.devices) returns json
  language sql
  stable
as $$
  select json_build_object(
    'platform', (p_device).platform,
    'token', (p_device).token,
    'environment', (p_device).environment,
    'created_at', internal.instant((p_device).created_at),
    'last_seen_at', internal.instant((p_device).last_seen_at)
  )
$$;
comment on function internal.device_json(kith.devices) is
  'A device in the API''s representation, without the keys of a web push subscription.';

create or replace function internal.devices_json() returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  perform internal.require_user();
  return (
    select coalesce(json_agg(internal.device_json(devices) order by last_seen_at desc, token), '[]')
    from kith.devices
    where tenant_id = v_tenant and user_id = v_user
  );
end
$$;
comment on function internal.devices_json() is
  'The current user''s devices, most recently seen first. Definer: nobody may read the keys of a web push '
  'subscription, which are in the row.';
grant execute on function internal.devices_json() to kith_api;
