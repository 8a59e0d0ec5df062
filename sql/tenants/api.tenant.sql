create or replace function api.get_tenant() returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  perform internal.require_server();
  return (select internal.tenant_json(tenants) from kith.tenants where tenant_id = v_tenant);
end
$$;
comment on function api.get_tenant() is
  'Returns the settings of the calling server''s tenant. Security definer, because users may not read settings.';
grant execute on function api.get_tenant() to kith_api;

create or replace function api.update_tenant(p_body jsonb, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  perform internal.require_server();
  perform internal.count_acts('administration', 1, p_now);
  return internal.tenant_json(internal.change_tenant(
    v_tenant, p_body,
    array[
      'name', 'brand_name', 'brand_color', 'brand_mark', 'join_link', 'allowed_origins', 'app_ids', 'app_link',
      'sign_in_url', 'join_redirects', 'default_region', 'default_locale', 'requires_subscription', 'requires_consent',
      'sign_up_open', 'grace_minutes', 'reminder_minutes', 'subscription_grace_days',
      'session_maximum_minutes', 'invitation_days', 'link_scheme'
    ],
    internal.actor(), p_now
  ));
end
$$;
comment on function api.update_tenant(jsonb, timestamptz) is
  'Updates the given settings. Only the operator sets quotas, limits, retentions and the host of the pages: a tenant '
  'that could name any host would show its pages there, and a stolen key could destroy evidence. Security definer, '
  'because users may not read settings.';
grant execute on function api.update_tenant(jsonb, timestamptz) to kith_api;
