-- The vault that somebody is about to invite to: what an app hands to its extension in a messenger (N23).

create or replace function api.put_invitation_draft(p_body jsonb, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_vault uuid := p_body ->> 'vault_id';
  v_expires_at timestamptz := p_now + interval '10 minutes';
  v_access record;
begin
  perform internal.begin_act('change', p_now);
  v_access := internal.manage_vault(v_vault, p_now);
  perform internal.lock_account();
  insert into kith.drafts (tenant_id, user_id, vault_id, created_at, expires_at)
  values (v_tenant, v_user, v_vault, p_now, v_expires_at)
  on conflict (tenant_id, user_id) do update
  set vault_id = excluded.vault_id, created_at = excluded.created_at, expires_at = excluded.expires_at;
  return json_build_object(
    'vault', json_build_object('id', v_vault, 'name', (v_access.vault).name), 'expires_at', internal.instant(v_expires_at)
  );
end
$$;
comment on function api.put_invitation_draft(jsonb, timestamptz) is
  'Keeps for 10 minutes, in the place of what was kept before, to which vault the user who asks is about to invite: one to which they may. Definer: drafts are written and deleted by these procedures only.';
revoke all on function api.put_invitation_draft(jsonb, timestamptz) from public;
grant execute on function api.put_invitation_draft(jsonb, timestamptz) to kith_api;

create or replace function api.delete_invitation_draft() returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  perform internal.require_user();
  delete from kith.drafts where tenant_id = v_tenant and user_id = v_user;
  return null;
end
$$;
comment on function api.delete_invitation_draft() is
  'Forgets the draft of the user who asks, if there is one. Definer: nobody deletes through the API.';
revoke all on function api.delete_invitation_draft() from public;
grant execute on function api.delete_invitation_draft() to kith_api;

create or replace function api.take_invitation_draft(p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_id uuid;
  v_name text;
  v_is_fallback boolean;
begin
  perform internal.require_user();
  with taken as (
    delete from kith.drafts where tenant_id = v_tenant and user_id = v_user returning vault_id, expires_at
  )
  select vault.id, vault.name into v_id, v_name
  from taken
  join kith.vaults as vault on vault.tenant_id = v_tenant and vault.id = taken.vault_id and vault.deleted_at is null
  where taken.expires_at > p_now
    -- Who was thrown out meanwhile is not told what the vault is called today.
    and (
      vault.owner_id = v_user or exists (
        select from kith.nominees
        where tenant_id = v_tenant and vault_id = vault.id and user_id = v_user and status = 'accepted' and access_level = 'full'
      )
    );
  v_is_fallback := not found;
  if v_is_fallback then
    select id, name into v_id, v_name
    from kith.vaults
    where tenant_id = v_tenant and owner_id = v_user and deleted_at is null
    order by id
    limit 1;
    if not found then
      perform internal.refuse_not_found();
    end if;
  end if;
  return json_build_object('vault', json_build_object('id', v_id, 'name', v_name), 'fallback', v_is_fallback);
end
$$;
comment on function api.take_invitation_draft(timestamptz) is
  'Gives the draft of the user who asks, once; without one their oldest vault, marked as a fallback, and not_found where they own none. Definer: as put_invitation_draft.';
revoke all on function api.take_invitation_draft(timestamptz) from public;
grant execute on function api.take_invitation_draft(timestamptz) to kith_api;
