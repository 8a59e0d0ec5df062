create or replace function internal.put_user(p_body jsonb, p_now timestamptz, out body json, out is_new boolean)
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user kith.users;
  v_id uuid;
begin
  v_user.tenant_id := v_tenant;
  v_user.id := internal.uuid7(p_now);
  v_user.external_id := p_body ->> 'external_id';
  v_user.phone := p_body ->> 'phone';
  v_user.email := p_body ->> 'email';
  v_user.tokens_valid_from := p_now;
  v_user.created_at := p_now;
  v_user.updated_at := p_now;
  v_user := internal.user_with(v_user, p_body);
  insert into kith.users (
    tenant_id, id, external_id, display_name, phone, email, time_zone, locale, tokens_valid_from, created_at, updated_at
  )
  values (
    v_tenant, v_user.id, v_user.external_id, v_user.display_name, v_user.phone, v_user.email, v_user.time_zone,
    v_user.locale, p_now, p_now, p_now
  )
  on conflict (tenant_id, external_id) do nothing;
  is_new := found;
  if is_new then
    perform internal.record_act(v_tenant, internal.actor(), 'user.create', v_user.id::text, null);
    body := internal.user_json_for_server(v_user);
  else
    select id into v_id from kith.users where tenant_id = v_tenant and external_id = v_user.external_id;
    body := api.update_user(v_id, p_body, p_now);
  end if;
end
$$;
comment on function internal.put_user(jsonb, timestamptz) is
  'Creates a user for the tenant''s server, or updates the one with the same external_id. The caller counts a new '
  'user. For definer procedures.';
