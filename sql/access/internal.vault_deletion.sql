-- Deletes a vault for good: after 30 days, or with its owner's account. The history stays, with ids only, until its
-- monthly partition is dropped.

create or replace function internal.nominees_of_person(p_user_id uuid, p_phone text, p_email text) returns uuid[]
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_email text := internal.normalized_email(p_email);
begin
  -- A query for each, so that each uses its own index.
  return array(
    select id from kith.nominees where tenant_id = v_tenant and user_id = p_user_id
    union
    select (data ->> 'nominee_id')::uuid
    from kith.notifications
    where tenant_id = v_tenant and person_id = p_user_id and type = 'nominee_declined'
    union
    select id from kith.nominees where tenant_id = v_tenant and phone = p_phone
    union
    select id from kith.nominees where tenant_id = v_tenant and email_normalized = v_email
  );
end
$$;
comment on function internal.nominees_of_person(uuid, text, text) is
  'The nominees that are bound to this user, that somebody has named with one of these contacts, or as whom the user '
  'has declined, which only the notification of it knows.';

create or replace function internal.transfers_of_person(p_user_id uuid, p_phone text, p_email text) returns uuid[]
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_email text := internal.normalized_email(p_email);
begin
  return array(
    select id from kith.transfers where tenant_id = v_tenant and owner_id = p_user_id
    union
    select (data ->> 'transfer_id')::uuid
    from kith.notifications
    where tenant_id = v_tenant and person_id = p_user_id and type = 'transfer_declined'
    union
    select id from kith.transfers where tenant_id = v_tenant and accepted_by = p_user_id
    union
    select id from kith.transfers where tenant_id = v_tenant and phone = p_phone
    union
    select id from kith.transfers where tenant_id = v_tenant and email_normalized = v_email
  );
end
$$;
comment on function internal.transfers_of_person(uuid, text, text) is
  'The transfers that this user has offered, accepted or declined, or that were offered to one of these contacts.';

create or replace function internal.forget_in_notifications(
  p_user_id uuid, p_vaults uuid[], p_nominees uuid[], p_transfers uuid[]
) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  -- The notification's own columns name the person and the vault. Nominees, invitations and transfers may be gone long
  -- before.
  v_named uuid[] := array(
    select id from kith.notifications where tenant_id = v_tenant and person_id = p_user_id
    union
    select id from kith.notifications where tenant_id = v_tenant and vault_id = any (p_vaults)
    union
    -- Somebody declined who had no account then, and the contact that was invited is the user's now.
    select notification.id
    from kith.nominees as nominee
    join kith.notifications as notification
      on notification.tenant_id = v_tenant and notification.vault_id = nominee.vault_id
        and notification.person_id is null
        and notification.person_name is not null and notification.data ->> 'nominee_id' = nominee.id::text
    where nominee.tenant_id = v_tenant and nominee.id = any (p_nominees)
    union
    select notification.id
    from kith.transfers as transfer
    join kith.notifications as notification
      on notification.tenant_id = v_tenant and notification.vault_id = transfer.vault_id
        and notification.person_id is null
        and notification.person_name is not null and notification.data ->> 'transfer_id' = transfer.id::text
    where transfer.tenant_id = v_tenant and transfer.id = any (p_transfers)
  );
begin
  -- Lock the user's own notifications too, which are deleted later, all in one order: two users may have named each
  -- other in notifications, share no vault any more, and delete their accounts at once. A worker may be reporting
  -- deliveries of any of them.
  perform from kith.notifications
  where tenant_id = v_tenant and id = any (
    v_named || array(select id from kith.notifications where tenant_id = v_tenant and user_id = p_user_id)
  )
  order by id
  for update;
  perform internal.forget_in_rows(v_tenant, v_named, p_user_id, p_vaults);
end
$$;
comment on function internal.forget_in_notifications(uuid, uuid[], uuid[], uuid[]) is
  'Removes a user''s name, what they wrote, and the names of their vaults (p_vaults) from other users'' notifications '
  'about vaults. p_nominees and p_transfers name the user by a contact. For internal.delete_user.';

create or replace function internal.erase_vault(p_vault_id uuid, p_by text, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  perform internal.emit_own_nominees(p_vault_id, p_now);
  -- Without the key nobody can ever read the contents. Deleting them takes long, so the sweep does it.
  delete from kith.vault_keys where tenant_id = v_tenant and vault_id = p_vault_id;
  delete from kith.shares where tenant_id = v_tenant and vault_id = p_vault_id;
  delete from kith.transfers where tenant_id = v_tenant and vault_id = p_vault_id;
  delete from kith.drafts where tenant_id = v_tenant and vault_id = p_vault_id;
  delete from kith.emergency_quorums where tenant_id = v_tenant and vault_id = p_vault_id;
  -- Their invitations, messages, rights and requests are deleted with them.
  delete from kith.nominees where tenant_id = v_tenant and vault_id = p_vault_id;
  delete from kith.vault_sessions where tenant_id = v_tenant and vault_id = p_vault_id;
  delete from kith.documents where tenant_id = v_tenant and vault_id = p_vault_id;
  perform internal.forget_imported_vault(vault, p_by)
  from kith.vaults as vault
  where vault.tenant_id = v_tenant and vault.id = p_vault_id;
  update kith.vaults
  set name = 'Erased', external_id = null, deleted_at = p_now - interval '30 days', deleted_by = p_by,
    updated_at = p_now
  where tenant_id = v_tenant and id = p_vault_id;
end
$$;
comment on function internal.erase_vault(uuid, text, timestamptz) is
  'Deletes a vault at once, with its key and all personal data. The row stays, beyond restoring, until '
  'worker.sweep_vaults has deleted the contents that nobody can decrypt any more. The caller must have locked the '
  'vault.';

create or replace function internal.refuse_shared_vaults(p_user_id uuid) returns void
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_by_operator boolean := coalesce(kith.caller(), kith.user_id()::text) is null;
  v_names text;
begin
  -- Users and the tenant's server see the names. An operator sees the ids, as elsewhere, because PostgreSQL logs what
  -- they are refused.
  select string_agg(
      case when v_by_operator then 'vault ' || vault.id else format('"%s"', vault.name) end, ', '
      order by vault.id
    ) into v_names
  from kith.vaults as vault
  where vault.tenant_id = v_tenant and vault.owner_id = p_user_id and vault.deleted_at is null
    and exists (
      select from kith.nominees
      where tenant_id = v_tenant and vault_id = vault.id and status in ('accepted', 'inactive') and user_id is not null
    );
  if v_names is not null then
    raise exception 'conflict'
      using errcode = 'KT409',
        detail = format(
          'Other people have access to %s. Transfer what they are to keep, or ask for vaults=delete.', v_names
        ),
        hint = case
          when v_by_operator then 'Ask the person first: p_delete_vaults => true deletes these vaults.'
          else ''
        end;
  end if;
end
$$;
comment on function internal.refuse_shared_vaults(uuid) is
  'Raises conflict if a user owns vaults to which others have accepted an invitation, paused ones included, and names '
  'the vaults; an operator gets their ids (A04). For definer procedures that have locked the account, so that nobody '
  'accepts meanwhile.';

-- It had no clock, and so emitted no event.
create or replace function internal.forget_conversations(p_user_id uuid, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  -- Every message belongs to a conversation, which keeps its two sides whatever has become of the vault since.
  delete from kith.messages
  where tenant_id = v_tenant and nominee_id = any (array(
      select nominee_id from kith.conversations where tenant_id = v_tenant and owner_id = p_user_id
      union
      select nominee_id from kith.conversations where tenant_id = v_tenant and nominee_user_id = p_user_id
    ))
    and p_user_id in (owner_id, nominee_user_id);
  insert into kith.events (tenant_id, id, user_id, type, subject_id, parent_id)
  select v_tenant, internal.uuid7(p_now), nominee_user_id, 'conversation', nominee_id, vault_id
  from kith.conversations where tenant_id = v_tenant and owner_id = p_user_id
  union all
  select v_tenant, internal.uuid7(p_now), owner_id, 'conversation', nominee_id, vault_id
  from kith.conversations where tenant_id = v_tenant and nominee_user_id = p_user_id;
  delete from kith.conversations where tenant_id = v_tenant and owner_id = p_user_id;
  delete from kith.conversations where tenant_id = v_tenant and nominee_user_id = p_user_id;
end
$$;
comment on function internal.forget_conversations(uuid, timestamptz) is
  'Deletes both sides of a user''s conversations in vaults, and takes them off the other sides'' screens. For '
  'internal.leave_vaults.';

create or replace function internal.lock_sessions_of(p_user_id uuid, p_nominees uuid[], p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_session kith.vault_sessions;
begin
  for v_session in
    select session.*
    from kith.nominees as own
    join kith.vault_sessions as session
      on session.tenant_id = v_tenant and session.vault_id = own.vault_id and session.unlocked_by = p_user_id
        and session.locked_at is null
    where own.tenant_id = v_tenant and own.id = any (p_nominees) and own.user_id = p_user_id and own.status <> 'revoked'
    order by session.id
  loop
    perform internal.end_session(v_session, 'manual', p_user_id, p_now);
  end loop;
end
$$;
comment on function internal.lock_sessions_of(uuid, uuid[], timestamptz) is
  'Locks the sessions that a leaving user has opened in other users'' vaults, and tells the people there. For '
  'internal.forget_vaults. The caller must have locked the vaults.';

create or replace function internal.leave_vaults(
  p_user_id uuid, p_nominees uuid[], p_transfers uuid[], p_now timestamptz
)
  returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_nominee kith.nominees;
  v_vault kith.vaults;
begin
  for v_nominee in
    select * from kith.nominees
    where tenant_id = v_tenant and id = any (p_nominees) and status <> 'revoked'
      and (user_id = p_user_id or user_id is null)
    order by id
    for update
  loop
    perform internal.end_nominee(v_nominee.id, 'account_deleted', p_now);
    select * into v_vault from kith.vaults
    where tenant_id = v_tenant and id = v_nominee.vault_id and deleted_at is null;
    if found and v_nominee.user_id is not null then
      perform internal.tell_of_vault(
        v_vault.owner_id, 'nominee_revoked', v_vault, p_user_id, null,
        jsonb_build_object('nominee_id', v_nominee.id, 'to', 'owner'), p_now
      );
    end if;
  end loop;
  -- The sharing service repeats its list. Without the row the next synchronization would take them for somebody new.
  update kith.share_participants as participant
  set participant_id = internal.forgotten_participant(nominee.vault_id, participant.participant_id),
    removed_at = coalesce(removed_at, p_now), updated_at = p_now
  from kith.nominees as nominee
  where nominee.tenant_id = v_tenant and nominee.id = any (p_nominees)
    and (nominee.user_id = p_user_id or nominee.user_id is null)
    and participant.tenant_id = v_tenant and participant.nominee_id = nominee.id
    and not internal.is_forgotten_participant(participant.participant_id);
  -- An import that is sent again must not bring them back.
  perform internal.record_act(
    v_tenant, 'user:' || p_user_id, 'nominee.forget', internal.forgotten_subject(imported.external_id), null
  )
  from kith.nominees as imported
  where imported.tenant_id = v_tenant and imported.id = any (p_nominees) and imported.external_id is not null;
  -- Another user who accepted an invitation sent to one of the contacts stays, without the contact.
  update kith.nominees
  set name = case when user_id is distinct from p_user_id and user_id is not null then name end, phone = null,
    email = null, external_id = null, share_record_id = null, share_participant_id = null, updated_at = p_now
  where tenant_id = v_tenant and id = any (p_nominees);
  perform internal.emit_event(v_tenant, offer.owner_id, 'vault', offer.vault_id, null, null, p_now)
  from kith.transfers as offer
  where offer.tenant_id = v_tenant and offer.id = any (p_transfers) and offer.status = 'pending';
  update kith.transfers
  set status = case status when 'pending' then 'cancelled' else status end, ended_at = coalesce(ended_at, p_now),
    name = null, phone = null, email = null
  where tenant_id = v_tenant and id = any (p_transfers);
  update kith.emergency_requests set reason = null
  where tenant_id = v_tenant and nominee_id = any (p_nominees) and user_id = p_user_id and reason is not null;
  perform internal.forget_conversations(p_user_id, p_now);
  delete from kith.drafts where tenant_id = v_tenant and user_id = p_user_id;
end
$$;
comment on function internal.leave_vaults(uuid, uuid[], uuid[], timestamptz) is
  'Removes a user from other users'' vaults. p_nominees and p_transfers are those bound to the user, or naming one of '
  'their contacts. Tells the owners, and deletes both sides of the conversations. The caller must have locked the '
  'vaults.';

create or replace function internal.forget_vaults(p_user_id uuid, p_phone text, p_email text, p_now timestamptz)
  returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_owned uuid[] := array(select id from kith.vaults where tenant_id = v_tenant and owner_id = p_user_id);
  v_nominees uuid[] := internal.nominees_of_person(p_user_id, p_phone, p_email);
  v_transfers uuid[] := internal.transfers_of_person(p_user_id, p_phone, p_email);
  v_vaults uuid[];
  v_vault kith.vaults;
  v_nominee uuid;
begin
  v_vaults := v_owned || array(
    select vault_id from kith.nominees where tenant_id = v_tenant and id = any (v_nominees)
    union
    select vault_id from kith.transfers where tenant_id = v_tenant and id = any (v_transfers)
  );
  perform from kith.vaults where tenant_id = v_tenant and id = any (v_vaults) order by id for no key update;
  perform internal.end_emergencies_of_owner(v_tenant, p_user_id, 'account_deleted', null, p_now);
  perform internal.lock_sessions_of(p_user_id, v_nominees, p_now);
  for v_vault in select * from kith.vaults where tenant_id = v_tenant and id = any (v_owned) order by id loop
    if v_vault.deleted_at is null then
      -- The vault's name is deleted with its owner.
      v_vault.name := 'a vault';
      for v_nominee in
        select user_id from kith.nominees
        where tenant_id = v_tenant and vault_id = v_vault.id and status <> 'revoked' and user_id is not null
        order by user_id
      loop
        perform internal.tell_of_vault(v_nominee, 'nominee_revoked', v_vault, null, null, null, p_now);
      end loop;
      perform internal.tell_of_withdrawal(v_vault, p_now);
    end if;
    perform internal.erase_vault(v_vault.id, 'user:' || p_user_id, p_now);
  end loop;
  perform internal.leave_vaults(p_user_id, v_nominees, v_transfers, p_now);
  -- Last, so that it includes what has just been told.
  perform internal.forget_in_notifications(p_user_id, v_owned, v_nominees, v_transfers);
end
$$;
comment on function internal.forget_vaults(uuid, text, text, timestamptz) is
  'Removes a deleted account''s traces in vaults. The user''s own vaults are erased and everybody with access is told; '
  'the user leaves other users'' vaults. Notifications no longer name the user. The caller must have locked the '
  'account, and passes only a phone and e-mail that no other user has.';
