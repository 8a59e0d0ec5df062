-- A nominee: pending ─accept→ accepted ⇄ inactive (paused by the owner); any of them ─revoke→ revoked, which is final.
-- A nominee who has accepted but needs confirmation stays pending and is bound to their user.

create or replace function internal.nominee_json(
  p_nominee kith.nominees, p_session_id uuid, p_invitation kith.nominee_invitations, p_is_managed boolean
) returns json
  language sql
  stable
as $$
  select json_build_object(
    'id', (p_nominee).id,
    'name', internal.name_of_anybody((p_nominee).name),
    'phone', case when p_is_managed then (p_nominee).phone end,
    'email', case when p_is_managed then (p_nominee).email end,
    'user_id', (p_nominee).user_id,
    'user', case
      when p_is_managed or (p_nominee).user_id = kith.user_id() then internal.person_json((p_nominee).user_id)
    end,
    'status', internal.nominee_status((p_nominee).status, p_session_id is not null),
    'access_level', (p_nominee).access_level,
    'needs_confirmation',
    case
      when (p_nominee).owner_id = kith.user_id() then internal.awaits_owner(p_nominee)
      else (p_nominee).needs_confirmation
    end,
    'invited_at', internal.instant((p_nominee).invited_at),
    'invited_by_user_id', (p_nominee).invited_by_user_id,
    'invited_by', internal.person_json((p_nominee).invited_by_user_id),
    'accepted_at', internal.instant((p_nominee).accepted_at),
    'is_currently_active', (p_nominee).status = 'accepted' and p_session_id is not null,
    'current_session_id', case (p_nominee).status when 'accepted' then p_session_id end,
    'last_active_at', internal.instant((p_nominee).last_active_at),
    'share_record_id', (p_nominee).share_record_id,
    'share_participant_id', (p_nominee).share_participant_id,
    'revoke_reason', (p_nominee).revoke_reason,
    'invitation_expires_at', internal.instant((p_invitation).expires_at),
    'invitation_outcome', (p_invitation).outcome,
    'emergency',
    case
      when (p_nominee).owner_id = kith.user_id()
        then internal.emergency_settings_of((p_nominee).tenant_id, (p_nominee).id)
    end,
    'unread_count', internal.unread_of_nominee((p_nominee).id)
  )
$$;
comment on function internal.nominee_json(kith.nominees, uuid, kith.nominee_invitations, boolean) is
  'A nominee in the API''s representation. p_session_id is the session that is open for the nominee or null, and alone '
  'decides whether the nominee is active (V08). p_invitation is the live invitation or null. unread_count is the '
  'current user''s. Only users who manage nominees see the contact details: somebody who accepted with a token meant '
  'for another person must not learn that person''s phone number. emergency is null for everybody except the owner, '
  'and only the owner learns that a right to emergency access awaits their confirmation.';

create or replace function internal.page_of_nominees(
  p_vault_id uuid, p_session_id uuid, p_is_managed boolean, p_only uuid, p_statuses text[], p_limit integer,
  p_cursor uuid, p_now timestamptz
) returns table (id uuid, item json)
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  return query
  select nominee.id,
    internal.nominee_json(nominee, inside.session_id, invitation::kith.nominee_invitations, p_is_managed)
  from kith.nominees as nominee
  cross join lateral (
    select coalesce(
      p_session_id,
      (
        select session.id from kith.vault_sessions as session
        where session.tenant_id = v_tenant and session.nominee_id = nominee.id and session.kind = 'emergency'
          and session.locked_at is null and session.expires_at > p_now
      )
    ) as session_id
  ) as inside
  -- Look up each invitation by its key, however few rows there were when the plan was made. A nominee bound to a user
  -- has no live invitation.
  left join lateral (
    select * from kith.nominee_invitations as live
    where live.tenant_id = v_tenant and live.nominee_id = nominee.id and live.ended_at is null
      and nominee.user_id is null
    limit 1
  ) as invitation on true
  where nominee.tenant_id = v_tenant and nominee.vault_id = p_vault_id
    and nominee.id > coalesce(p_cursor, '00000000-0000-0000-0000-000000000000')
    and (p_only is null or nominee.id = p_only)
    and case
      when p_statuses is not null
        then internal.nominee_status(nominee.status, inside.session_id is not null) = any (p_statuses)
      else p_only is not null or nominee.status <> 'revoked'
    end
  order by nominee.id
  limit p_limit;
end
$$;
comment on function internal.page_of_nominees(uuid, uuid, boolean, uuid, text[], integer, uuid, timestamptz) is
  'The nominees of a vault after the cursor, oldest first, in one of p_statuses, or (null) in all but revoked; or only '
  'the nominee p_only, whatever the status. p_session_id is the shared session, or the nominee''s own; without one, '
  'only nominees with an emergency session that is open at p_now are active. The caller must have checked who may see '
  'them. For definer procedures.';

create or replace function internal.hold_vault(
  p_vault_id uuid, p_users uuid[], p_now timestamptz,
  out vault kith.vaults, out role text, out access_level text, out nominee kith.nominees,
  out session kith.vault_sessions
) returns record
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_access record;
begin
  -- Check first, so that a user who may not change the vault neither waits for its lock nor makes others wait.
  perform internal.manage_vault(p_vault_id, p_now);
  perform from kith.users where tenant_id = v_tenant and users.id = any (p_users || v_user)
  order by users.id for key share;
  perform internal.lock_account();
  perform internal.lock_vault_row(p_vault_id);
  -- Check again: the vault may have been locked, or changed owner, while this call waited for the row locks.
  v_access := internal.manage_vault(p_vault_id, p_now);
  vault := v_access.vault;
  role := v_access.role;
  access_level := v_access.access_level;
  nominee := v_access.nominee;
  session := v_access.session;
end
$$;
comment on function internal.hold_vault(uuid, uuid[], timestamptz) is
  'Like manage_vault, with the vault''s row locked, before its nominees change. Before that, locks the accounts of the '
  'current user and of p_users, who will be notified. For definer procedures.';

create or replace function internal.users_of_nominee(p_vault_id uuid, p_id uuid) returns uuid[]
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  return array(
    select user_id from kith.nominees
    where tenant_id = v_tenant and vault_id = p_vault_id and id = p_id and user_id is not null
  );
end
$$;
comment on function internal.users_of_nominee(uuid, uuid) is
  'The user of a nominee as an array of one, or an empty one, for internal.hold_vault: the account of a person who '
  'will be told is locked before the vault. Tell only these users: another may be bound until the vault is locked.';

create or replace function internal.hold_nominee(p_vault_id uuid, p_id uuid, p_role text) returns kith.nominees
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_nominee kith.nominees;
begin
  select * into v_nominee from kith.nominees
  where tenant_id = v_tenant and vault_id = p_vault_id and id = p_id for update;
  if not found then
    perform internal.refuse_not_found();
  end if;
  perform internal.require_owner_for_full(p_role, v_nominee.access_level);
  return v_nominee;
end
$$;
comment on function internal.hold_nominee(uuid, uuid, text) is
  'Locks and returns a nominee for a user who manages nominees and has the role p_role in the vault. Raises not_found, '
  'and forbidden if the user is a nominee and this nominee has level full. For definer procedures.';

create or replace function internal.require_owner_for_full(p_role text, p_level text) returns void
  language plpgsql
  immutable
as $$
begin
  if p_role <> 'owner' and p_level = 'full' then
    raise exception 'forbidden'
      using errcode = 'KT403', detail = 'Only the vault''s owner decides about nominees with full access.';
  end if;
end
$$;
comment on function internal.require_owner_for_full(text, text) is
  'Raises forbidden for everybody except the owner if p_level, a nominee''s level, is full (V11).';

create or replace function internal.invitations_wait(p_now timestamptz) returns integer
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_since timestamptz := p_now - interval '24 hours';
  v_first uuid := internal.first_uuid7(v_since);
begin
  return (
    select greatest(1, ceil(extract(epoch from invited_at - v_since)))::integer
    from kith.nominees
    where tenant_id = v_tenant and invited_by_user_id = v_user and id >= v_first and invited_at > v_since
      and share_participant_id is null
    order by id desc
    offset 199 limit 1
  );
end
$$;
comment on function internal.invitations_wait(timestamptz) is
  'Null if the current user may invite one more nominee now, otherwise the seconds to wait. The limit is 200 in 24 '
  'hours, over all vaults. For definer procedures that have locked the account.';

create or replace function internal.refuse_full_vault(p_vault_id uuid, p_more integer) returns void
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  if (
    select count(*) + p_more > 1000 from kith.nominees
    where tenant_id = v_tenant and vault_id = p_vault_id and status <> 'revoked'
  ) then
    raise exception 'quota_exceeded'
      using errcode = 'KT507', detail = 'A vault has at most 1,000 nominees. Revoke one who no longer needs access.';
  end if;
  if (
    select count(*) + p_more > 5000
    from (select from kith.nominees where tenant_id = v_tenant and vault_id = p_vault_id limit 5000) as ever
  ) then
    raise exception 'quota_exceeded'
      using errcode = 'KT507', detail = 'A vault has at most 5,000 nominees in its time, revoked ones included.';
  end if;
end
$$;
comment on function internal.refuse_full_vault(uuid, integer) is
  'Raises quota_exceeded if p_more further nominees would exceed a vault''s limits: 1,000 who are not revoked, and '
  '5,000 over its lifetime, which bounds the list. The vault must be locked. For definer procedures.';

create or replace function internal.tell_of_invitation(p_nominee kith.nominees, p_vault kith.vaults, p_now timestamptz)
  returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_known uuid := internal.user_of_verified_contact(p_nominee.phone, p_nominee.email);
  v_owner_name text;
begin
  -- Send no notification if one of the two has blocked the other (X22), if the person already is a nominee, or after
  -- three notifications in a day. Repeated invitations to one address would harass its owner, and would take measurably
  -- longer if the address belongs to a user.
  if v_known <> p_vault.owner_id and not internal.is_blocked(v_known, p_vault.owner_id)
    and not internal.is_blocked(v_known, v_user)
    and not exists (
      select from kith.nominees
      where tenant_id = v_tenant and vault_id = p_vault.id and user_id = v_known and status <> 'revoked'
    )
    and (
      select count(*) <= 3
      from kith.nominees
      where tenant_id = v_tenant and invited_by_user_id = v_user
        and id >= internal.first_uuid7(p_now - interval '24 hours')
        and share_participant_id is null
        and (phone = p_nominee.phone or email_normalized = internal.normalized_email(p_nominee.email))
    )
  then
    select display_name into v_owner_name from kith.users where tenant_id = v_tenant and id = p_vault.owner_id;
    perform internal.tell_of_vault(
      v_known, 'nominee_invited', p_vault, p_vault.owner_id, v_owner_name,
      jsonb_build_object('nominee_id', p_nominee.id, 'expires_at', (
        select internal.instant(expires_at) from kith.nominee_invitations
        where tenant_id = v_tenant and nominee_id = p_nominee.id and ended_at is null
      )), p_now
    );
  end if;
end
$$;
comment on function internal.tell_of_invitation(kith.nominees, kith.vaults, timestamptz) is
  'Notifies the user who has the contact of an invited nominee verified, if there is one. For internal.add_nominee.';

create or replace function internal.invited_nominee_json(
  p_nominee kith.nominees, p_vault kith.vaults, p_token uuid, p_public_url text
) returns json
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_id uuid := p_nominee.id;
begin
  return (
    select internal.nominee_json(p_nominee, null, invitation, true)::jsonb || jsonb_build_object(
      'state', 'pending',
      'card', internal.invitation_card('nominee', 'pending', p_vault.name),
      'invitation', internal.token_invitation_json('nominee', p_token, p_vault, invitation.expires_at, p_public_url)
    )
    from kith.nominee_invitations as invitation
    where invitation.tenant_id = v_tenant and invitation.nominee_id = v_id and invitation.ended_at is null
  );
end
$$;
comment on function internal.invited_nominee_json(kith.nominees, kith.vaults, uuid, text) is
  'A nominee who was just invited or invited again, with the invitation, and its state and card as in every answer to '
  'it (N22). No other answer contains the token. For definer procedures.';

create or replace function internal.managed_nominee_json(p_nominee kith.nominees, p_session_id uuid, p_now timestamptz)
  returns json
  language plpgsql
  stable
as $$
begin
  return (
    select page.item
    from internal.page_of_nominees(p_nominee.vault_id, p_session_id, true, p_nominee.id, null, 1, null, p_now) as page
  );
end
$$;
comment on function internal.managed_nominee_json(kith.nominees, uuid, timestamptz) is
  'A nominee''s current state, for users who manage nominees. For definer procedures.';

create or replace function internal.set_level(
  p_vault kith.vaults, p_nominee_ids uuid[], p_level text, p_by text, p_locked uuid[], p_now timestamptz
) returns void
  language plpgsql
as $$
declare
  v_tenant integer := p_vault.tenant_id;
  v_vault uuid := p_vault.id;
  v_changed kith.nominees[];
  v_ids uuid[];
begin
  with changed as (
    update kith.nominees as nominee
    set access_level = p_level, updated_at = p_now
    where nominee.tenant_id = v_tenant and nominee.vault_id = v_vault and nominee.id = any (p_nominee_ids)
      and nominee.access_level <> p_level and nominee.status <> 'revoked'
    returning nominee
  )
  select array_agg(changed.nominee order by (changed.nominee).id),
    array_agg((changed.nominee).id order by (changed.nominee).id)
  into v_changed, v_ids
  from changed;
  if v_ids is null then
    return;
  end if;
  perform internal.emit_nominees(v_ids, p_now);
  perform internal.record_histories(
    v_vault, kith.user_id(), 'nominee.changed', 'nominee', v_ids,
    jsonb_strip_nulls(jsonb_build_object('access_level', p_level, 'by', p_by)), p_now
  );
  perform internal.tell_of_change(changed, p_locked, p_vault, p_now)
  from unnest(v_changed) as changed
  where changed.user_id is not null;
end
$$;
comment on function internal.set_level(kith.vaults, uuid[], text, text, uuid[], timestamptz) is
  'Gives nominees of a vault another level: every change of a level goes through here, whether the owner or their '
  'sharing service makes it (p_by: share; null otherwise). It is in the history, on the screens, and told to whoever '
  'is bound (N24, internal.tell_of_change with p_locked). Nominees who have the level already, and revoked ones, do '
  'not change. Works on many at once, because a share can have 1,000. For definer procedures that have locked the '
  'vault and the nominees.';

create or replace function internal.end_offers(p_vault kith.vaults, p_nominee_ids uuid[], p_now timestamptz)
  returns void
  language plpgsql
as $$
declare
  v_tenant integer := p_vault.tenant_id;
  v_vault uuid := p_vault.id;
  v_transfer uuid;
begin
  update kith.transfers set status = 'cancelled', ended_at = p_now
  where tenant_id = v_tenant and vault_id = v_vault and status = 'pending' and nominee_id = any (p_nominee_ids)
  returning id into v_transfer;
  if found then
    perform internal.record_history(v_vault, kith.user_id(), 'transfer.cancelled', 'transfer', v_transfer, null, p_now);
    perform internal.emit_event(v_tenant, p_vault.owner_id, 'vault', v_vault, null, null, p_now);
    perform internal.emit_offers(array[v_transfer], p_now);
  end if;
end
$$;
comment on function internal.end_offers(kith.vaults, uuid[], timestamptz) is
  'Cancels the pending transfer of a vault if it is offered to one of these nominees, who lose their access, for good '
  'or for a time, and emits an event to the owner. For internal.end_nominees and api.update_nominee.';
