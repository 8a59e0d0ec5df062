-- The answers to an invitation to become a vault's nominee: who may give one, and what it does (N20, X30).

create or replace function internal.hold_invitation(
  p_id uuid, p_now timestamptz,
  out invitation kith.nominee_invitations, out nominee kith.nominees, out vault kith.vaults, out state text
) returns record
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  select * into invitation from kith.nominee_invitations where tenant_id = v_tenant and id = p_id;
  -- Lock both accounts, so that neither ends meanwhile: the owner is told of the answer.
  perform from kith.users
  where tenant_id = v_tenant
    and id in (v_user, (select owner_id from kith.vaults where tenant_id = v_tenant and id = invitation.vault_id))
  order by id
  for key share;
  if v_user is not null then
    perform internal.lock_account();
  end if;
  select * into vault from kith.vaults where tenant_id = v_tenant and id = invitation.vault_id for no key update;
  select * into nominee from kith.nominees where tenant_id = v_tenant and id = invitation.nominee_id for update;
  select * into invitation from kith.nominee_invitations where tenant_id = v_tenant and id = p_id for update;
  if invitation.end_reason = 'resent' then
    raise exception 'invitation_invalid' using errcode = 'KT404';
  end if;
  state := internal.nominee_invitation_state(invitation, nominee, vault, p_now);
end
$$;
comment on function internal.hold_invitation(uuid, timestamptz) is
  'Locks a nominee invitation with all rows that an answer changes, so that the second of two answers finds the result '
  'of the first. For definer procedures.';

create or replace function internal.require_pending(p_state text) returns void
  language plpgsql
  immutable
as $$
begin
  case p_state
    when 'pending' then null;
    when 'expired' then raise exception 'invitation_expired' using errcode = 'KT410';
    when 'revoked' then
      raise exception 'invitation_invalid'
        using errcode = 'KT404', detail = 'This invitation has been withdrawn. Please ask for a new one.';
    else raise exception 'invitation_used' using errcode = 'KT409';
  end case;
end
$$;
comment on function internal.require_pending(text) is
  'Raises invitation_expired, invitation_invalid or invitation_used if the state of an invitation or transfer is not '
  'pending.';

create or replace function internal.require_no_part(p_vault kith.vaults) returns void
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_vault uuid := p_vault.id;
begin
  if p_vault.owner_id = v_user then
    raise exception 'conflict' using errcode = 'KT409', detail = 'This is your own vault.';
  end if;
  if exists (
    select from kith.nominees
    where tenant_id = v_tenant and vault_id = v_vault and user_id = v_user and status <> 'revoked'
  ) then
    raise exception 'conflict' using errcode = 'KT409', detail = 'You are a nominee of this vault already.';
  end if;
end
$$;
comment on function internal.require_no_part(kith.vaults) is
  'Raises conflict if the current user owns the vault or is its nominee: nobody can be both, or a nominee twice. For '
  'definer procedures.';

create or replace function internal.accepted_nominee_json(
  p_nominee kith.nominees, p_vault kith.vaults, p_now timestamptz
)
  returns json
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_vault uuid := p_vault.id;
  v_owner uuid := p_vault.owner_id;
  v_session uuid;
begin
  select id into v_session
  from kith.vault_sessions
  where tenant_id = v_tenant and vault_id = v_vault and kind = 'shared' and locked_at is null and expires_at > p_now;
  return (
    select internal.nominee_json(p_nominee, v_session, null, false)::jsonb || jsonb_build_object(
      'kind', 'nominee',
      'state', 'accepted',
      'card', internal.invitation_card('nominee', 'accepted', p_vault.name),
      'vault', jsonb_build_object(
        'id', v_vault, 'name', p_vault.name,
        'owner', jsonb_build_object('id', v_owner, 'display_name', internal.name_of_anybody(owner.display_name))
      )
    )
    from kith.users as owner
    where owner.tenant_id = v_tenant and owner.id = v_owner
  );
end
$$;
comment on function internal.accepted_nominee_json(kith.nominees, kith.vaults, timestamptz) is
  'The answer to an acceptance: the nominee as they see themselves, the vault, and the card in its new state (N22). '
  'For definer procedures.';

create or replace function internal.may_let_in(p_vault kith.vaults, p_inviter_id uuid, p_level text) returns boolean
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_vault uuid := p_vault.id;
begin
  -- Only the owner gives the level full (V11).
  return p_inviter_id is not distinct from p_vault.owner_id or p_level <> 'full' and exists (
    select from kith.nominees
    where tenant_id = v_tenant and vault_id = v_vault and user_id = p_inviter_id and status = 'accepted'
      and access_level = 'full'
  );
end
$$;
comment on function internal.may_let_in(kith.vaults, uuid, text) is
  'Whether an inviter may still admit nominees with a level to a vault: its owner, or, below full, a nominee with '
  'level full. Otherwise a revoked nominee or a former owner could return by an invitation that they had made. For '
  'definer procedures.';

create or replace function internal.accept_with_contact(p_nominee kith.nominees, p_vault kith.vaults, p_now timestamptz)
  returns kith.nominees
  language plpgsql
as $$
declare
  v_tenant integer := p_nominee.tenant_id;
  v_nominee kith.nominees := p_nominee;
  v_is_known boolean := internal.is_named_contact(p_nominee, p_nominee.user_id);
  v_enters boolean := p_nominee.needs_confirmation and not p_vault.require_confirmation
    and internal.may_let_in(p_vault, p_nominee.invited_by_user_id, p_nominee.access_level)
    and internal.same_contact(p_nominee.user_id, p_nominee.phone, p_nominee.email);
begin
  if internal.is_blocked(p_vault.owner_id, p_nominee.user_id)
    or not (v_enters or v_is_known and p_nominee.bound_by_link)
  then
    return v_nominee;
  end if;
  update kith.nominees
  set bound_by_link = bound_by_link and not v_is_known, needs_confirmation = needs_confirmation and not v_enters,
    status = case when v_enters then 'accepted' else status end,
    accepted_at = case when v_enters then p_now else accepted_at end, updated_at = p_now
  where tenant_id = v_tenant and id = p_nominee.id
  returning * into v_nominee;
  if v_enters then
    if v_nominee.invited_by_user_id = p_vault.owner_id
      or internal.emergency_settings_of(v_tenant, v_nominee.id) is not null
    then
      perform internal.return_to_quorum(v_nominee, p_now);
    end if;
    perform internal.record_history(
      p_vault.id, v_nominee.user_id, 'nominee.accepted', 'nominee', v_nominee.id, null, p_now
    );
    perform internal.tell_of_vault(
      p_vault.owner_id, 'nominee_accepted', p_vault, v_nominee.user_id,
      (
        select coalesce(display_name, v_nominee.name) from kith.users
        where tenant_id = v_tenant and id = v_nominee.user_id
      ),
      jsonb_build_object('nominee_id', v_nominee.id, 'needs_confirmation', internal.awaits_owner(v_nominee))
        || case when internal.awaits_owner(v_nominee) then '{"right": "sleeps"}' else '{}' end::jsonb,
      p_now
    );
  end if;
  perform internal.emit_nominees(array[v_nominee.id], p_now);
  return v_nominee;
end
$$;
comment on function internal.accept_with_contact(kith.nominees, kith.vaults, timestamptz) is
  'Completes an acceptance that lacked the contact of the invitation, once the user has verified it and accepts again '
  '(X30): they have access unless the vault requires the owner''s confirmation, and a contact that the owner named '
  'wakes a right that sleeps. The owner, who was told that somebody waits, is told that they have access now. For '
  'internal.accept_nominee_invitation, which has locked everything.';

create or replace function internal.accept_nominee_invitation(p_id uuid, p_now timestamptz) returns json
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_held record := internal.hold_invitation(p_id, p_now);
  v_vault kith.vaults := v_held.vault;
  v_nominee kith.nominees := v_held.nominee;
  v_name text;
  v_is_known boolean := internal.is_named_contact(v_nominee, v_user);
  v_waits boolean;
  v_right jsonb := internal.emergency_settings_of(v_tenant, v_nominee.id);
  v_sleeps boolean := not v_is_known and v_right is not null and v_right ->> 'ended_at' is null;
begin
  -- The same person accepts again: the first answer may have been lost.
  if v_held.state = 'accepted' and v_nominee.user_id = v_user then
    v_nominee := internal.accept_with_contact(v_nominee, v_vault, p_now);
    return internal.accepted_nominee_json(v_nominee, v_vault, p_now);
  end if;
  if internal.is_blocked(v_vault.owner_id, v_user) then
    raise exception 'invitation_invalid' using errcode = 'KT404';
  end if;
  perform internal.require_pending(v_held.state);
  perform internal.require_no_part(v_vault);
  v_waits := v_vault.require_confirmation
    or not internal.may_let_in(v_vault, v_nominee.invited_by_user_id, v_nominee.access_level)
    or coalesce(v_nominee.phone, v_nominee.email) is not null
      and not internal.same_contact(v_user, v_nominee.phone, v_nominee.email);
  update kith.nominees
  set user_id = v_user, bound_at = p_now, bound_by_link = not v_is_known, needs_confirmation = v_waits,
    updated_at = p_now,
    status = case when v_waits then 'pending' when status = 'inactive' then 'inactive' else 'accepted' end,
    accepted_at = case when not v_waits then coalesce(accepted_at, p_now) end
  where tenant_id = v_tenant and id = v_nominee.id
  returning * into v_nominee;
  update kith.nominee_invitations set ended_at = p_now, end_reason = 'accepted'
  where tenant_id = v_tenant and id = p_id;
  if v_nominee.invited_by_user_id = v_vault.owner_id or v_right is not null then
    perform internal.return_to_quorum(v_nominee, p_now);
  end if;
  perform internal.emit_nominees(array[v_nominee.id], p_now);
  perform internal.emit_invitations(array[v_nominee.id], p_now);
  perform internal.record_history(
    v_vault.id, v_user, case when v_waits then 'nominee.bound' else 'nominee.accepted' end, 'nominee', v_nominee.id,
    null, p_now
  );
  select coalesce(display_name, v_nominee.name) into v_name from kith.users where tenant_id = v_tenant and id = v_user;
  perform internal.tell_of_vault(
    v_vault.owner_id, 'nominee_accepted', v_vault, v_user, v_name,
    jsonb_build_object('nominee_id', v_nominee.id, 'needs_confirmation', v_waits or v_sleeps)
      || case when v_sleeps then '{"right": "sleeps"}' else '{}' end::jsonb,
    p_now
  );
  return internal.accepted_nominee_json(v_nominee, v_vault, p_now);
end
$$;
comment on function internal.accept_nominee_invitation(uuid, timestamptz) is
  'Binds the current user to the nominee of an invitation (N20). A repeat by the same user returns the same answer, '
  'unless they have verified the invitation''s contact meanwhile (internal.accept_with_contact). The nominee waits for '
  'the owner''s confirmation (X30) if the vault requires it, if the invitation named a contact that the user has not '
  'verified, or if the inviter may no longer invite. A right to emergency access sleeps until the owner confirms who '
  'it is, unless they named a contact that the user has verified. The owner is told who accepted. If either of the two '
  'has blocked the other, raises invitation_invalid (X22). For definer procedures.';

create or replace function internal.decline_nominee_invitation(p_id uuid, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_held record := internal.hold_invitation(p_id, p_now);
  v_vault kith.vaults := v_held.vault;
begin
  if v_held.state = 'declined' then
    return;
  end if;
  perform internal.require_pending(v_held.state);
  perform internal.require_no_part(v_vault);
  perform internal.end_nominee((v_held.nominee).id, 'declined', p_now);
  perform internal.tell_of_vault(
    v_vault.owner_id, 'nominee_declined', v_vault, null, (v_held.nominee).name,
    jsonb_build_object('nominee_id', (v_held.nominee).id), p_now,
    coalesce(internal.named_user((v_held.nominee).phone, (v_held.nominee).email), kith.user_id())
  );
end
$$;
comment on function internal.decline_nominee_invitation(uuid, timestamptz) is
  'Declines an invitation: the nominee is revoked without being bound to a user or named, and the owner is told. A '
  'repeat changes nothing. A person without an account can decline too, because only the token counts. For definer '
  'procedures.';
