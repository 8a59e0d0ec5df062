-- A transfer of a vault's ownership (C07): pending ─the token's holder→ accepted, declined; ─the owner→ cancelled; ─time→ expired;
-- ─the vault's deletion→ vault_deleted. Every change of a transfer locks the vault's row, so the second of two concurrent acts finds the
-- result of the first.

create or replace function internal.transfer_json(p_transfer kith.transfers) returns json
  language sql
  stable
as $$
  select json_build_object(
    'id', (p_transfer).id,
    'name', (p_transfer).name,
    'phone', (p_transfer).phone,
    'email', (p_transfer).email,
    'keep_access', (p_transfer).keep_access,
    'status', (p_transfer).status,
    'created_at', internal.instant((p_transfer).created_at),
    'expires_at', internal.instant((p_transfer).expires_at)
  )
$$;
comment on function internal.transfer_json(kith.transfers) is 'A transfer as the vault''s owner sees it.';
revoke all on function internal.transfer_json(kith.transfers) from public;

create or replace function internal.lock_transfer(p_transfer_id uuid) returns kith.transfers
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_transfer kith.transfers;
begin
  select * into v_transfer from kith.transfers where tenant_id = v_tenant and id = p_transfer_id;
  -- Wait for a concurrent deletion of one of the accounts, or a block between them, so that its result is visible here.
  perform from kith.users
  where tenant_id = v_tenant and id in (v_transfer.owner_id, v_user)
  order by id
  for key share;
  if v_user is not null then
    perform internal.lock_account();
  end if;
  perform from kith.vaults where tenant_id = v_tenant and id = v_transfer.vault_id for no key update;
  select * into v_transfer from kith.transfers where tenant_id = v_tenant and id = p_transfer_id for update;
  if not found or internal.is_blocked(v_transfer.owner_id, v_user) then
    raise exception 'invitation_invalid' using errcode = 'KT404';
  end if;
  return v_transfer;
end
$$;
comment on function internal.lock_transfer(uuid) is
  'A transfer, locked with its vault, so that the second of two answers finds the result of the first. Raises invitation_invalid if one of the two users has blocked the other. For definer procedures.';
revoke all on function internal.lock_transfer(uuid) from public;

create or replace function internal.move_vault(p_vault kith.vaults, p_to uuid, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_vault uuid := p_vault.id;
begin
  update kith.vaults set owner_id = p_to, updated_at = p_now where tenant_id = v_tenant and id = v_vault;
  perform from kith.nominees where tenant_id = v_tenant and vault_id = v_vault order by id for no key update;
  update kith.nominees set owner_id = p_to where tenant_id = v_tenant and vault_id = v_vault;
  update kith.vault_sessions set owner_id = p_to where tenant_id = v_tenant and vault_id = v_vault;
  update kith.nominee_invitations set owner_id = p_to where tenant_id = v_tenant and vault_id = v_vault;
  update kith.documents set owner_id = p_to where tenant_id = v_tenant and vault_id = v_vault;
  update kith.shares set owner_id = p_to where tenant_id = v_tenant and vault_id = v_vault;
  delete from kith.drafts where tenant_id = v_tenant and vault_id = v_vault;
  perform internal.emit_own_nominees(v_vault, p_now);
end
$$;
comment on function internal.move_vault(kith.vaults, uuid, timestamptz) is
  'Makes a user the owner of a locked vault and of every row that carries the owner for the policies, except messages: the new owner may not read the former owner''s conversations.';
revoke all on function internal.move_vault(kith.vaults, uuid, timestamptz) from public;

create or replace function internal.accept_transfer(p_transfer_id uuid, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_transfer kith.transfers := internal.lock_transfer(p_transfer_id);
  v_vault kith.vaults;
  v_name text;
  v_nominee uuid;
begin
  if v_transfer.status = 'accepted' and v_transfer.accepted_by = v_user then
    return;
  end if;
  perform internal.require_pending(internal.transfer_state(v_transfer, p_now));
  if v_transfer.owner_id = v_user then
    raise exception 'conflict' using errcode = 'KT409', detail = 'This is your own vault.';
  end if;
  if coalesce(v_transfer.phone, v_transfer.email) is not null
    and not internal.same_contact(v_user, v_transfer.phone, v_transfer.email)
  then
    raise exception 'forbidden'
      using errcode = 'KT403',
        detail = 'This vault is offered to somebody by phone number or e-mail address. Confirm yours in your profile, and try again.';
  end if;
  perform internal.require_room_for_vault(p_now);
  select * into v_vault from kith.vaults where tenant_id = v_tenant and id = v_transfer.vault_id;
  perform internal.close_session(v_vault.id, 'transferred', v_user, p_now);
  for v_nominee in
    select id from kith.nominees
    where tenant_id = v_tenant and vault_id = v_vault.id and user_id = v_user and status <> 'revoked'
    order by id
  loop
    perform internal.end_nominee(v_nominee, 'transferred', p_now);
  end loop;
  perform internal.move_vault(v_vault, v_user, p_now);
  if v_transfer.keep_access then
    select left(internal.name_of_anybody(display_name), 100) into v_name
    from kith.users
    where tenant_id = v_tenant and id = v_transfer.owner_id;
    insert into kith.nominees (
      tenant_id, id, vault_id, owner_id, user_id, name, status, access_level, invited_at, invited_by_user_id, accepted_at,
      needs_confirmation, updated_at
    )
    values (
      v_tenant, internal.uuid7(p_now), v_vault.id, v_user, v_transfer.owner_id, v_name, 'accepted', 'full', p_now, v_user, p_now,
      false, p_now
    )
    returning id into v_nominee;
    perform internal.emit_nominees(array[v_nominee], p_now);
  end if;
  update kith.transfers set status = 'accepted', ended_at = p_now, accepted_by = v_user
  where tenant_id = v_tenant and id = p_transfer_id;
  perform internal.record_history(
    v_vault.id, v_user, 'transfer.accepted', 'transfer', p_transfer_id,
    jsonb_build_object('from', v_transfer.owner_id, 'keep_access', v_transfer.keep_access), p_now
  );
  perform internal.tell_of_vault(
    v_transfer.owner_id, 'transfer_accepted', v_vault, v_user,
    (select display_name from kith.users where tenant_id = v_tenant and id = v_user),
    jsonb_build_object('transfer_id', p_transfer_id), p_now
  );
end
$$;
comment on function internal.accept_transfer(uuid, timestamptz) is
  'Makes the current user the owner of the vault, in one transaction: the vault is locked, the new owner''s nominee rows end, and the former owner becomes a full nominee or leaves. A repeat by the same user changes nothing; by another user it raises invitation_used. If the transfer names a phone or e-mail, the user must have verified that contact, otherwise it raises forbidden. A user who already has 200 vaults gets quota_exceeded. For definer procedures that have found the token.';
revoke all on function internal.accept_transfer(uuid, timestamptz) from public;

create or replace function internal.decline_transfer(p_transfer_id uuid, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_transfer kith.transfers := internal.lock_transfer(p_transfer_id);
  v_vault kith.vaults;
begin
  if v_transfer.status = 'declined' then
    return;
  end if;
  perform internal.require_pending(internal.transfer_state(v_transfer, p_now));
  if v_transfer.owner_id = v_user then
    raise exception 'conflict' using errcode = 'KT409', detail = 'This is your own vault.';
  end if;
  update kith.transfers set status = 'declined', ended_at = p_now
  where tenant_id = v_tenant and id = p_transfer_id;
  select * into v_vault from kith.vaults where tenant_id = v_tenant and id = v_transfer.vault_id;
  -- The history does not name a user who declines, as with an invitation.
  perform internal.record_history(v_vault.id, null, 'transfer.declined', 'transfer', p_transfer_id, null, p_now);
  perform internal.tell_of_vault(
    v_transfer.owner_id, 'transfer_declined', v_vault, null, v_transfer.name,
    jsonb_build_object('transfer_id', p_transfer_id), p_now
  );
end
$$;
comment on function internal.decline_transfer(uuid, timestamptz) is
  'Declines a transfer without binding or naming anybody, and tells the owner. A repeat changes nothing. A person without an account can decline too, because only the token counts. For definer procedures that have found the token.';
revoke all on function internal.decline_transfer(uuid, timestamptz) from public;
