-- The right to emergency access (E01). These functions are security definers because only they write rights, and
-- because they show a nominee what the owner has made visible.

create or replace function api.get_emergency_settings(p_vault_id uuid, p_nominee_id uuid, p_now timestamptz)
  returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_access record;
  v_settings jsonb;
begin
  perform internal.require_user();
  v_access := internal.vault_access(p_vault_id, p_now);
  if v_access.role = 'owner' then
    select internal.emergency_settings_json(settings) into v_settings
    from kith.emergency_settings as settings
    where settings.tenant_id = v_tenant and settings.vault_id = p_vault_id and settings.nominee_id = p_nominee_id;
  elsif p_nominee_id = (v_access.nominee).id then
    v_settings := internal.visible_emergency(v_tenant, p_nominee_id);
  end if;
  if v_settings is null then
    perform internal.refuse_not_found();
  end if;
  return v_settings;
end
$$;
comment on function api.get_emergency_settings(uuid, uuid, timestamptz) is
  'Returns the right of a nominee to emergency access: all of it to the owner, its terms to the nominee if the owner '
  'shows them. Raises not_found otherwise, whether there is an invisible right or none. Security definer, because the '
  'policies show rights to owners only.';
grant execute on function api.get_emergency_settings(uuid, uuid, timestamptz) to kith_api;

create or replace function api.set_emergency_settings(
  p_vault_id uuid, p_nominee_id uuid, p_body jsonb, p_now timestamptz
)
  returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_nominee kith.nominees;
begin
  perform internal.begin_act('right', p_now);
  perform internal.require_owner(p_vault_id, p_now);
  perform internal.hold_vault(p_vault_id, internal.users_of_nominee(p_vault_id, p_nominee_id), p_now);
  perform internal.require_owner(p_vault_id, p_now);
  v_nominee := internal.hold_nominee(p_vault_id, p_nominee_id, 'owner');
  if v_nominee.status = 'revoked' then
    raise exception 'invalid_transition'
      using errcode = 'KT409', detail = 'This nominee is revoked. Invite the person again.';
  end if;
  perform internal.give_emergency(v_nominee, p_body, '', p_now);
  return internal.emergency_settings_of(v_tenant, p_nominee_id);
end
$$;
comment on function api.set_emergency_settings(uuid, uuid, jsonb, timestamptz) is
  'Gives a nominee the right to emergency access, replaces it, or renews it, for the owner only. It has no effect '
  'before the nominee has accepted, and while their access is paused. A wait that has begun keeps its terms. Security '
  'definer, because only these procedures write rights.';
grant execute on function api.set_emergency_settings(uuid, uuid, jsonb, timestamptz) to kith_api;

create or replace function api.remove_emergency_settings(p_vault_id uuid, p_nominee_id uuid, p_now timestamptz)
  returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_nominee kith.nominees;
begin
  perform internal.require_user();
  perform internal.require_owner(p_vault_id, p_now);
  perform internal.hold_vault(p_vault_id, internal.users_of_nominee(p_vault_id, p_nominee_id), p_now);
  perform internal.require_owner(p_vault_id, p_now);
  v_nominee := internal.hold_nominee(p_vault_id, p_nominee_id, 'owner');
  perform internal.take_emergency(v_nominee, p_now);
  return null;
end
$$;
comment on function api.remove_emergency_settings(uuid, uuid, timestamptz) is
  'Takes the right to emergency access from a nominee, for the owner only. A wait or grant that has come of it ends at '
  'this instant. Repeating the call changes nothing. Security definer, as set_emergency_settings.';
grant execute on function api.remove_emergency_settings(uuid, uuid, timestamptz) to kith_api;
