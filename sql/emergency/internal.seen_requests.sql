create or replace function internal.seen_emergency_request(p_vault_id uuid, p_id uuid, p_now timestamptz) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_request kith.emergency_requests;
begin
  perform internal.require_user();
  select request.* into v_request
  from kith.emergency_requests as request
  join kith.vaults as vault on vault.tenant_id = v_tenant and vault.id = request.vault_id and vault.deleted_at is null
  join kith.nominees as nominee on nominee.tenant_id = v_tenant and nominee.id = request.nominee_id
  where request.tenant_id = v_tenant and request.vault_id = p_vault_id and request.id = p_id
    and (
      request.owner_id = v_user and vault.owner_id = v_user
      or request.user_id = v_user and nominee.user_id = v_user and nominee.status = 'accepted'
        and internal.nominee_knows(request, p_now)
    );
  if not found then
    return null;
  end if;
  return internal.emergency_json(v_request, p_now, v_request.owner_id = v_user);
end
$$;
comment on function internal.seen_emergency_request(uuid, uuid, timestamptz) is
  'A request for emergency access as the vault''s owner or its own nominee sees it. Null for everybody else, and for a '
  'nominee who must not know of it. Definer: the policies do not show a nominee what the owner has made visible.';
grant execute on function internal.seen_emergency_request(uuid, uuid, timestamptz) to kith_api;
