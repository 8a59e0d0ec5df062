-- Invitation drafts: the vault to which a user is about to invite, handed from an app to its extension in a messenger
-- (N23).

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
    'vault', json_build_object('id', v_vault, 'name', (v_access.vault).name),
    'expires_at', internal.instant(v_expires_at)
  );
end
$$;
comment on function api.put_invitation_draft(jsonb, timestamptz) is
  'Keeps for 10 minutes to which vault the caller is about to invite, in place of an earlier draft. The caller must be '
  'allowed to invite there. Security definer, because only these procedures write and delete drafts.';
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
  'Deletes the caller''s draft, if there is one. Security definer, because kith_api may not delete rows.';
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
    -- A user who has lost access meanwhile must not learn the vault's present name.
    and (
      vault.owner_id = v_user or exists (
        select from kith.nominees
        where tenant_id = v_tenant and vault_id = vault.id and user_id = v_user and status = 'accepted'
          and access_level = 'full'
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
  'Returns and deletes the caller''s draft. Without one, returns their oldest vault, marked as a fallback, or raises '
  'not_found if they own none. Security definer, as put_invitation_draft.';
grant execute on function api.take_invitation_draft(timestamptz) to kith_api;
