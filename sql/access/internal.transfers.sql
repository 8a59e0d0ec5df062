-- A transfer of a vault's ownership (C07): pending ─the token's holder→ accepted, declined; ─the owner→ cancelled;
-- ─time→ expired; ─the vault's deletion→ vault_deleted. Every change of a transfer locks the vault's row, so the second
-- of two concurrent acts finds the result of the first.

create or replace function internal.transfer_json(p_transfer kith.transfers) returns json
  language plpgsql
  stable
as $$
declare
  v_tenant integer := p_transfer.tenant_id;
  v_id uuid := p_transfer.id;
begin
  return (
    select json_build_object(
      'id', v_id,
      'name', internal.transfer_name(p_transfer),
      'phone', p_transfer.phone,
      'email', p_transfer.email,
      'nominee_id', p_transfer.nominee_id,
      'keep_access', p_transfer.keep_access,
      'status', p_transfer.status,
      'created_at', internal.instant(p_transfer.created_at),
      'expires_at', internal.instant(p_transfer.expires_at),
      'channel', offer.channel,
      'invitation_outcome', offer.outcome
    )
    from kith.transfer_invitations as offer
    where offer.tenant_id = v_tenant and offer.transfer_id = v_id and offer.replaced_at is null
  );
end
$$;
comment on function internal.transfer_json(kith.transfers)
  is 'A transfer as the vault''s owner sees it. For definer procedures.';

create or replace function internal.issue_transfer_invitation(
  p_transfer kith.transfers, p_channel text, p_now timestamptz
)
  returns uuid
  language plpgsql
as $$
declare
  v_token uuid := gen_random_uuid();
begin
  insert into kith.transfer_invitations (tenant_id, id, transfer_id, owner_id, token_hash, channel, created_at)
  values (
    p_transfer.tenant_id, internal.uuid7(p_now), p_transfer.id, p_transfer.owner_id,
    internal.invitation_token_hash(v_token), p_channel, p_now
  );
  return v_token;
end
$$;
comment on function internal.issue_transfer_invitation(kith.transfers, text, timestamptz) is
  'Issues a new token for a transfer that has no live one, and returns it. For definer procedures.';

create or replace function internal.offered_transfer_json(
  p_transfer kith.transfers, p_vault kith.vaults, p_token uuid, p_public_url text
) returns json
  language sql
  stable
as $$
  select internal.transfer_json(p_transfer)::jsonb || jsonb_build_object(
    'state', 'pending',
    'card', internal.invitation_card('transfer', 'pending', (p_vault).name),
    'invitation', internal.token_invitation_json('transfer', p_token, p_vault, (p_transfer).expires_at, p_public_url)
  )
$$;
comment on function internal.offered_transfer_json(kith.transfers, kith.vaults, uuid, text) is
  'A transfer that was just offered or sent again, with the invitation, and its state and card as in every answer to '
  'it (N22). No other answer contains the token. For definer procedures.';

create or replace function internal.transfer_recipient(
  p_vault_id uuid, p_body jsonb, out name text, out phone text, out email text, out nominee_id uuid, out user_id uuid
) returns record
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_nominee kith.nominees;
begin
  nominee_id := (p_body ->> 'nominee_id')::uuid;
  name := p_body ->> 'name';
  phone := p_body ->> 'phone';
  email := p_body ->> 'email';
  if nominee_id is null and name is null then
    perform internal.refuse_fields(internal.field_error('name', 'is required unless nominee_id is given'));
  elsif nominee_id is not null and coalesce(name, phone, email) is not null then
    perform internal.refuse_fields(internal.field_error('nominee_id', 'must not come with a name, phone or email'));
  elsif nominee_id is null then
    user_id := internal.user_of_verified_contact(phone, email);
    return;
  end if;
  select * into v_nominee
  from kith.nominees as chosen
  where chosen.tenant_id = v_tenant and chosen.vault_id = p_vault_id and chosen.id = (p_body ->> 'nominee_id')::uuid
    and chosen.status <> 'revoked';
  if not found then
    perform internal.refuse_fields(internal.field_error('nominee_id', 'must be a nominee of this vault'));
  elsif v_nominee.user_id is null or v_nominee.status = 'pending' then
    raise exception 'invalid_transition'
      using errcode = 'KT409', detail = 'This nominee has not accepted yet. Offer the vault by name instead.';
  end if;
  user_id := v_nominee.user_id;
end
$$;
comment on function internal.transfer_recipient(uuid, jsonb) is
  'Whom an offer names: {name, phone?, email?}, or {nominee_id} of a nominee who has accepted. user_id is who will be '
  'told. The caller must own the vault. For definer procedures.';

create or replace function internal.pending_transfer(p_vault_id uuid, p_now timestamptz) returns kith.transfers
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_transfer kith.transfers;
begin
  select * into v_transfer
  from kith.transfers
  where tenant_id = v_tenant and vault_id = p_vault_id and status = 'pending' and expires_at > p_now;
  if not found then
    perform internal.refuse_not_found();
  end if;
  return v_transfer;
end
$$;
comment on function internal.pending_transfer(uuid, timestamptz) is
  'The pending transfer of a vault whose owner the caller has checked. Raises not_found if there is none, or if it has '
  'expired. For definer procedures.';

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
  'A transfer, locked with its vault, so that the second of two answers finds the result of the first. Raises '
  'invitation_invalid if one of the two users has blocked the other. For definer procedures.';

create or replace function internal.move_vault(p_vault kith.vaults, p_to uuid, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_vault uuid := p_vault.id;
begin
  update kith.vaults set owner_id = p_to, transferred_at = p_now, updated_at = p_now
  where tenant_id = v_tenant and id = v_vault;
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
  'Makes a user the owner of a locked vault and of every row that carries the owner for the policies, except messages: '
  'the new owner may not read the former owner''s conversations.';

create or replace function internal.accepted_transfer_json(p_vault_id uuid) returns json
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  return (
    select json_build_object(
      'kind', 'transfer',
      'status', 'accepted',
      'state', 'accepted',
      'card', internal.invitation_card('transfer', 'accepted', vault.name),
      'vault', json_build_object(
        'id', vault.id, 'name', vault.name,
        'owner', json_build_object('id', owner.id, 'display_name', internal.name_of_anybody(owner.display_name))
      )
    )
    from kith.vaults as vault
    join kith.users as owner on owner.tenant_id = v_tenant and owner.id = vault.owner_id
    where vault.tenant_id = v_tenant and vault.id = p_vault_id
  );
end
$$;
comment on function internal.accepted_transfer_json(uuid) is
  'The answer to an acceptance: the vault, and the card in its new state (N22). For definer procedures.';

create or replace function internal.accept_transfer(p_transfer_id uuid, p_now timestamptz) returns json
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_transfer kith.transfers := internal.lock_transfer(p_transfer_id);
  v_vault kith.vaults;
  v_nominee uuid;
begin
  if v_transfer.status = 'accepted' and v_transfer.accepted_by = v_user then
    return internal.accepted_transfer_json(v_transfer.vault_id);
  end if;
  perform internal.require_pending(internal.transfer_state(v_transfer, p_now));
  perform internal.require_recipient(v_transfer);
  perform internal.require_room_for_vault(p_now);
  select * into v_vault from kith.vaults where tenant_id = v_tenant and id = v_transfer.vault_id;
  perform internal.end_rights_of_vault(v_vault, 'transferred', v_user, p_now);
  perform internal.close_session(v_vault.id, 'transferred', v_user, p_now);
  for v_nominee in
    select id from kith.nominees
    where tenant_id = v_tenant and vault_id = v_vault.id and user_id = v_user and status <> 'revoked'
    order by id
  loop
    perform internal.end_nominee(v_nominee, 'transferred', p_now);
  end loop;
  if v_transfer.keep_access then
    perform internal.refuse_full_vault(v_vault.id, 1);
  end if;
  perform internal.move_vault(v_vault, v_user, p_now);
  if v_transfer.keep_access then
    perform internal.keep_former_owner(v_transfer, p_now);
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
  perform internal.emit_event(v_tenant, owner_id, 'vault', v_vault.id, null, null, p_now)
  from unnest(array[v_transfer.owner_id, v_user]) as owners (owner_id);
  perform internal.emit_offers(array[p_transfer_id], p_now);
  return internal.accepted_transfer_json(v_vault.id);
end
$$;
comment on function internal.accept_transfer(uuid, timestamptz) is
  'Makes the current user the owner of the vault, in one transaction: the vault is locked, all rights to emergency '
  'access end, the new owner''s nominee rows end, and the former owner becomes a full nominee or leaves. A repeat by '
  'the same user changes nothing; by another user it raises invitation_used. If the transfer names a phone or e-mail, '
  'the user must have verified that contact, otherwise it raises forbidden. A user who already has 200 vaults gets '
  'quota_exceeded. For definer procedures that have found the token.';

create or replace function internal.offered_to(p_transfer kith.transfers, p_by uuid) returns uuid
  language plpgsql
  stable
as $$
declare
  v_tenant integer := p_transfer.tenant_id;
  v_nominee uuid := p_transfer.nominee_id;
begin
  return coalesce(
    (select user_id from kith.nominees where tenant_id = v_tenant and id = v_nominee),
    internal.named_user(p_transfer.phone, p_transfer.email), p_by
  );
end
$$;
comment on function internal.offered_to(kith.transfers, uuid) is
  'The user whom the name in the offer of a vault means: the nominee, the user who has the contact, or else p_by, who '
  'answers it. For kith.notifications.person_id.';

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
  perform internal.emit_event(v_tenant, v_transfer.owner_id, 'vault', v_vault.id, null, null, p_now);
  perform internal.emit_offers(array[p_transfer_id], p_now);
  perform internal.tell_of_vault(
    v_transfer.owner_id, 'transfer_declined', v_vault, null, internal.transfer_name(v_transfer),
    jsonb_build_object('transfer_id', p_transfer_id), p_now, internal.offered_to(v_transfer, v_user)
  );
end
$$;
comment on function internal.decline_transfer(uuid, timestamptz) is
  'Declines a transfer without binding or naming anybody, and tells the owner. A repeat changes nothing. A person '
  'without an account can decline too, because only the token counts. For definer procedures that have found the '
  'token.';

create or replace function internal.transfer_wait(p_vault_id uuid, p_now timestamptz) returns integer
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_waits_until timestamptz;
begin
  select created_at + interval '24 hours' into v_waits_until
  from kith.transfers
  where tenant_id = v_tenant and owner_id = v_user and vault_id = p_vault_id
    and created_at > p_now - interval '24 hours'
  order by created_at desc
  offset 9
  limit 1;
  return case
    when v_waits_until is not null then greatest(1, ceil(extract(epoch from v_waits_until - p_now)))::integer
  end;
end
$$;
comment on function internal.transfer_wait(uuid, timestamptz) is
  'Null if the current user may offer the vault now, otherwise the seconds to wait. A vault can be offered 10 times in '
  '24 hours, because the recipient is told each time. For definer procedures that have locked the vault.';

create or replace function internal.tell_of_offer(
  p_transfer kith.transfers, p_vault kith.vaults, p_recipient_id uuid, p_now timestamptz
) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  -- Also limit how often one recipient is told, over all vaults of the owner.
  if p_recipient_id is not null and not internal.is_blocked(v_user, p_recipient_id) and (
    select count(*) <= 10
    from kith.transfers
    where tenant_id = v_tenant and owner_id = v_user and created_at > p_now - interval '24 hours'
      and (
        phone = p_transfer.phone or email_normalized = p_transfer.email_normalized or nominee_id = p_transfer.nominee_id
      )
  ) then
    perform internal.tell_of_vault(
      p_recipient_id, 'transfer_requested', p_vault, v_user,
      (select display_name from kith.users where tenant_id = v_tenant and id = v_user),
      jsonb_build_object('transfer_id', p_transfer.id, 'expires_at', internal.instant(p_transfer.expires_at)), p_now
    );
  end if;
end
$$;
comment on function internal.tell_of_offer(kith.transfers, kith.vaults, uuid, timestamptz) is
  'Notifies the user to whom the current user offers a vault, if there is one who has not blocked them, at most 10 '
  'times in 24 hours. For definer procedures.';

create or replace function internal.require_recipient(p_transfer kith.transfers) returns void
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_nominee uuid := p_transfer.nominee_id;
begin
  if p_transfer.owner_id = v_user then
    raise exception 'conflict' using errcode = 'KT409', detail = 'This is your own vault.';
  end if;
  if v_nominee is not null and not exists (
    select from kith.nominees where tenant_id = v_tenant and id = v_nominee and user_id = v_user and status <> 'revoked'
  ) then
    raise exception 'forbidden'
      using errcode = 'KT403', detail = 'This vault is offered to one of its nominees. Sign in as that person.';
  end if;
  if coalesce(p_transfer.phone, p_transfer.email) is not null
    and not internal.same_contact(v_user, p_transfer.phone, p_transfer.email)
  then
    raise exception 'forbidden'
      using errcode = 'KT403',
        detail =
          'This vault is offered to somebody by phone number or e-mail address. Confirm yours in your profile, and try '
          'again.';
  end if;
end
$$;
comment on function internal.require_recipient(kith.transfers) is
  'Raises conflict if the current user owns the vault, and forbidden if it is offered to another nominee or to a '
  'contact that they have not verified.';

create or replace function internal.keep_former_owner(p_transfer kith.transfers, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_name text;
  v_nominee uuid;
begin
  select left(internal.name_of_anybody(display_name), 100) into v_name
  from kith.users
  where tenant_id = v_tenant and id = p_transfer.owner_id;
  insert into kith.nominees (
    tenant_id, id, vault_id, owner_id, user_id, name, status, access_level, invited_at, invited_by_user_id, accepted_at,
    needs_confirmation, updated_at
  )
  values (
    v_tenant, internal.uuid7(p_now), p_transfer.vault_id, v_user, p_transfer.owner_id, v_name,
    'accepted', 'full', p_now, v_user, p_now, false, p_now
  )
  returning id into v_nominee;
  perform internal.emit_nominees(array[v_nominee], p_now);
end
$$;
comment on function internal.keep_former_owner(kith.transfers, timestamptz) is
  'Makes the former owner of a vault a full nominee of the current user, its new owner. For internal.accept_transfer.';
