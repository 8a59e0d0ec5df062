create or replace function internal.import_vault(p_item jsonb, p_now timestamptz, out id uuid, out is_new boolean)
  returns record
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_external_id text := p_item ->> 'external_id';
  v_created_at timestamptz := internal.past_instant(p_item, 'created_at', p_now, p_now);
  v_owner kith.users;
  v_known_owner uuid;
begin
  perform internal.require_external_id(v_external_id);
  v_owner := internal.named_user(p_item, 'owner');
  select vault.id, vault.owner_id into id, v_known_owner
  from kith.vaults as vault
  where vault.tenant_id = v_tenant and vault.external_id = v_external_id;
  is_new := not found;
  if v_known_owner <> v_owner.id then
    raise exception 'conflict' using errcode = 'KT409',
      detail =
        'The vault with this external_id has another owner here. Leave the line out if the vault was transferred since '
        'it was imported; otherwise give each vault an external_id of its own.';
  elsif not is_new then
    return;
  elsif internal.is_forgotten('vault.forget', v_external_id) then
    raise exception 'conflict'
      using errcode = 'KT409', detail = 'This vault was deleted here. Leave the line out, and those of its nominees.';
  end if;
  if p_item ->> 'name' is null then
    perform internal.refuse_fields(internal.field_error('name', 'is required'));
  end if;
  perform internal.require_name('name', p_item ->> 'name');
  perform internal.require_room_for_vault_of(v_owner.id, p_now);
  id := internal.uuid7(v_created_at);
  insert into kith.vaults (
    tenant_id, id, owner_id, name, require_confirmation, full_may_open, created_at, updated_at, external_id
  )
  values (
    v_tenant, id, v_owner.id, p_item ->> 'name', coalesce((p_item ->> 'require_confirmation')::boolean, false),
    coalesce((p_item ->> 'full_may_open')::boolean, false), v_created_at, p_now, v_external_id
  );
  perform internal.record_history(id, null, 'vault.created', 'vault', id, '{"by": "import"}', p_now);
  perform internal.emit_event(v_tenant, v_owner.id, 'vault', id, null, null, p_now);
end
$$;
comment on function internal.import_vault(jsonb, timestamptz) is
  'A line {kind: vault, external_id, owner, name, require_confirmation?, full_may_open?, created_at?}: an empty, '
  'locked vault. A vault that exists stays as it is. One that exists with another owner, or that was deleted for good, '
  'is a conflict. For definer procedures.';

create or replace function internal.require_external_id(p_external_id text) returns void
  language plpgsql
  immutable
as $$
begin
  if p_external_id is null or char_length(p_external_id) not between 1 and 255 then
    perform internal.refuse_fields(
      internal.field_error('external_id', 'is required, with 1 to 255 characters, so that the line can be sent again')
    );
  end if;
end
$$;
comment on function internal.require_external_id(text)
  is 'Raises validation_failed unless a line of an import has an external_id.';

create or replace function internal.import_nominee(p_item jsonb, p_now timestamptz, out id uuid, out is_new boolean)
  returns record
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_new kith.nominees;
  v_vault kith.vaults;
  v_known_vault text;
begin
  perform internal.require_external_id(p_item ->> 'external_id');
  select nominee.id, vault.external_id into id, v_known_vault
  from kith.nominees as nominee
  join kith.vaults as vault on vault.tenant_id = v_tenant and vault.id = nominee.vault_id
  where nominee.tenant_id = v_tenant and nominee.external_id = p_item ->> 'external_id';
  is_new := not found;
  if not is_new and v_known_vault is distinct from p_item ->> 'vault' then
    raise exception 'conflict' using errcode = 'KT409',
      detail = 'This external_id is that of a nominee of another vault. Give each nominee an external_id of its own.';
  elsif not is_new then
    return;
  elsif internal.is_forgotten('nominee.forget', p_item ->> 'external_id') then
    raise exception 'conflict'
      using errcode = 'KT409', detail = 'This person''s account was deleted here. Leave the line out.';
  end if;
  select * into v_vault
  from kith.vaults as vault
  where vault.tenant_id = v_tenant and vault.external_id = p_item ->> 'vault' and vault.deleted_at is null
  for no key update;
  if not found then
    perform internal.refuse_fields(
      internal.field_error('vault', 'must be the external_id of a vault: import the vault first')
    );
  end if;
  v_new := internal.imported_nominee(p_item, v_vault, p_now);
  perform internal.refuse_imported_nominee(v_new, v_vault);
  perform internal.refuse_full_vault(v_vault.id, 1);
  insert into kith.nominees (
    tenant_id, id, vault_id, owner_id, user_id, name, phone, email, status, access_level, invited_at,
    invited_by_user_id, accepted_at, needs_confirmation, revoked_at, revoke_reason, updated_at, external_id
  )
  values (
    v_tenant, v_new.id, v_vault.id, v_vault.owner_id, v_new.user_id, v_new.name, v_new.phone, v_new.email, v_new.status,
    v_new.access_level, v_new.invited_at, v_vault.owner_id, v_new.accepted_at,
    v_new.needs_confirmation, v_new.revoked_at, case when v_new.status = 'revoked' then 'removed' end, p_now,
    p_item ->> 'external_id'
  );
  id := v_new.id;
  perform internal.emit_nominees(array[id], p_now);
  perform internal.record_history(
    v_vault.id, null, 'nominee.invited', 'nominee', id,
    jsonb_build_object('by', 'import', 'access_level', v_new.access_level), p_now
  );
end
$$;
comment on function internal.import_nominee(jsonb, timestamptz) is
  'A line {kind: nominee, external_id, vault, user?, name, phone?, email?, status?, access_level?, invited_at?, '
  'accepted_at?, revoked_at?}. Neither the nominee nor the owner is notified, and no invitation is issued: the owner '
  'can send one to a pending nominee. A nominee who exists stays as they are. One of another vault, and one whose '
  'account was deleted here (A04), is a conflict. One who has accepted awaits the owner''s confirmation if the vault '
  'requires it. For definer procedures.';

create or replace function internal.imported_nominee(p_item jsonb, p_vault kith.vaults, p_now timestamptz)
  returns kith.nominees
  language plpgsql
as $$
declare
  v_known constant text[] := array['pending', 'accepted', 'active', 'inactive', 'revoked'];
  v_status text := coalesce(p_item ->> 'status', 'pending');
  v_new kith.nominees;
  v_errors jsonb := internal.name_error('name', p_item ->> 'name');
begin
  -- An old inactive nominee is one who was removed (N11). active was accepted while the vault was open.
  v_new.status := case v_status when 'inactive' then 'revoked' when 'active' then 'accepted' else v_status end;
  v_new.access_level := coalesce(p_item ->> 'access_level', 'view');
  v_new.name := p_item ->> 'name';
  v_new.phone := p_item ->> 'phone';
  v_new.email := p_item ->> 'email';
  if v_new.name is null then
    v_errors := internal.field_error('name', 'is required');
  end if;
  if v_status <> all (v_known) then
    v_errors := v_errors || internal.field_error('status', 'must be one of ' || array_to_string(v_known, ', '));
  end if;
  if v_new.access_level not in ('view', 'edit', 'full') then
    v_errors := v_errors || internal.field_error('access_level', 'must be view, edit or full');
  end if;
  if p_item ->> 'user' is not null and v_new.status <> 'pending' then
    v_new.user_id := (internal.named_user(p_item, 'user')).id;
  elsif v_new.status = 'accepted' then
    v_errors := v_errors || internal.field_error('user', 'is required for a nominee who has accepted');
  end if;
  if v_new.user_id = p_vault.owner_id then
    v_errors := v_errors || internal.field_error('user', 'must not be the vault''s owner');
  end if;
  perform internal.refuse_fields(v_errors);
  v_new.invited_at := internal.past_instant(p_item, 'invited_at', p_now, p_now);
  v_new.id := internal.uuid7(v_new.invited_at);
  v_new.needs_confirmation := v_new.status = 'accepted' and p_vault.require_confirmation;
  if v_new.needs_confirmation then
    v_new.status := 'pending';
  elsif v_new.user_id is not null then
    v_new.accepted_at := internal.past_instant(p_item, 'accepted_at', v_new.invited_at, p_now);
  end if;
  v_new.revoked_at := case
    when v_new.status = 'revoked' then internal.past_instant(p_item, 'revoked_at', p_now, p_now)
  end;
  return v_new;
end
$$;
comment on function internal.imported_nominee(jsonb, kith.vaults, timestamptz) is
  'The nominee whom a line describes, checked. Writes nothing. A user is bound only if the line says that they '
  'accepted. For internal.import_nominee.';

create or replace function internal.refuse_imported_nominee(p_new kith.nominees, p_vault kith.vaults) returns void
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_vault uuid := p_vault.id;
  v_user uuid := p_new.user_id;
  v_detail text;
begin
  case
    when p_vault.transferred_at is not null then
      v_detail := 'The vault was transferred here. Leave the nominee out: the new owner can invite them.';
    when p_new.status = 'revoked' then
      return;
    when internal.is_blocked(p_vault.owner_id, v_user) then
      v_detail := 'The vault''s owner or this user has blocked the other here. Leave the nominee out.';
    when exists (
      select from kith.nominees
      where tenant_id = v_tenant and vault_id = v_vault and user_id = v_user and status <> 'revoked'
    ) then
      v_detail := 'This user is a nominee of the vault already.';
    when exists (
      select from kith.nominees where tenant_id = v_tenant and vault_id = v_vault and user_id = v_user
    ) then
      v_detail :=
        'This user was a nominee of the vault until their access was revoked. Leave the nominee out: the owner can '
        'invite them again.';
    else
      return;
  end case;
  raise exception 'conflict' using errcode = 'KT409', detail = v_detail;
end
$$;
comment on function internal.refuse_imported_nominee(kith.nominees, kith.vaults) is
  'Raises conflict for a nominee whom an import would let in against what people have done here since: a transfer of '
  'the vault, a block, or the end of that user''s access. For internal.import_nominee.';
