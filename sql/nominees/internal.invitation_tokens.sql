-- Invitations by token: to become a vault's nominee or its owner. Whoever has the token may answer once. Only the token's hash is
-- stored.

create or replace function internal.invitation_token_hash(p_token uuid) returns bytea
  language sql
  stable
  parallel safe
as $$
  select sha256(convert_to(p_token::text, 'UTF8'))
$$;
comment on function internal.invitation_token_hash(uuid) is
  'The stored form of a token. A plain hash is enough, because a token has 122 random bits.';

create or replace function internal.invitation_card(p_kind text, p_state text, p_vault_name text) returns json
  language sql
  stable
  parallel safe
as $$
  select json_build_object(
    'title', case p_kind
      when 'nominee' then
        case p_state
          when 'pending' then '🔐 Vault Invitation'
          when 'accepted' then '✅ Vault Access Accepted'
          when 'declined' then '❌ Vault Invitation Declined'
          when 'expired' then '⌛ Vault Invitation Expired'
          else '🚫 Vault Access Revoked'
        end
      else
        case p_state
          when 'pending' then '🔐 Vault Transfer'
          when 'accepted' then '✅ Vault Transfer Accepted'
          when 'declined' then '❌ Vault Transfer Declined'
          when 'expired' then '⌛ Vault Transfer Expired'
          else '🚫 Vault Transfer Cancelled'
        end
    end,
    'subtitle', p_vault_name,
    'state', p_state
  )
$$;
comment on function internal.invitation_card(text, text, text) is
  'The message card of an invitation in its current state, so that the bubble in a conversation can be updated (N22).';

create or replace function internal.invitation_url(p_token uuid, p_host text, p_public_url text) returns text
  language sql
  stable
  parallel safe
as $$
  select coalesce('https://' || p_host, rtrim(p_public_url, '/')) || '/i/' || p_token
$$;
comment on function internal.invitation_url(uuid, text, text) is
  'The URL of an invitation''s page, on the tenant''s own host if it has one.';

create or replace function internal.invitation_deep_link(p_kind text, p_token uuid, p_scheme text, p_vault_name text) returns text
  language sql
  stable
  parallel safe
as $$
  select p_scheme || format('://%s/invite?token=%s&vault=%s&status=accepted', p_kind, p_token, internal.percent_encode(p_vault_name))
$$;
comment on function internal.invitation_deep_link(text, uuid, text, text) is
  'The link that opens the tenant''s app to accept (N19). Null if the tenant has not set a scheme. The server trusts nothing in it except '
  'the token.';

create or replace function internal.token_message(p_kind text, p_owner text, p_vault text, p_brand text, p_url text) returns text
  language sql
  stable
  parallel safe
as $$
  select format(
    case p_kind
      when 'nominee' then '%s invites you to the vault "%s" on %s. Open the invitation: %s'
      else '%s wants to make you the owner of the vault "%s" on %s. Open the offer: %s'
    end,
    internal.name_of_anybody(p_owner), p_vault, p_brand, p_url
  )
$$;
comment on function internal.token_message(text, text, text, text, text) is 'The text that accompanies an invitation by token (N16).';

create or replace function internal.token_invitation_json(
  p_kind text, p_token uuid, p_vault kith.vaults, p_expires_at timestamptz, p_public_url text
) returns json
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_owner uuid := p_vault.owner_id;
begin
  return (
    select json_build_object(
      'token', p_token,
      'url', link.url,
      'deep_link', internal.invitation_deep_link(p_kind, p_token, tenant.link_scheme, p_vault.name),
      'message', internal.token_message(p_kind, owner.display_name, p_vault.name, tenant.brand_name, link.url),
      'card', internal.invitation_card(p_kind, 'pending', p_vault.name),
      'expires_at', internal.instant(p_expires_at)
    )
    from kith.tenants as tenant
    join kith.users as owner on owner.tenant_id = tenant.tenant_id and owner.id = v_owner
    cross join lateral internal.invitation_url(p_token, tenant.universal_link_host, p_public_url) as link (url)
    where tenant.tenant_id = v_tenant
  );
end
$$;
comment on function internal.token_invitation_json(text, uuid, kith.vaults, timestamptz, text) is
  'A new invitation in every form in which it can be sent. The token cannot be retrieved again. For definer procedures.';

create or replace function internal.issue_invitation(
  p_nominee kith.nominees, p_channel text, p_now timestamptz, out token uuid, out expires_at timestamptz
) returns record
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  token := gen_random_uuid();
  insert into kith.nominee_invitations as made (
    tenant_id, id, vault_id, nominee_id, owner_id, token_hash, channel, created_at, expires_at
  )
  select v_tenant, internal.uuid7(p_now), p_nominee.vault_id, p_nominee.id, p_nominee.owner_id, internal.invitation_token_hash(token),
    p_channel, p_now, p_now + make_interval(days => tenant.invitation_days)
  from kith.tenants as tenant
  where tenant.tenant_id = v_tenant
  returning made.expires_at into expires_at;
end
$$;
comment on function internal.issue_invitation(kith.nominees, text, timestamptz) is
  'Issues a new token for a nominee who has no live one. For definer procedures.';

create or replace function internal.find_invitation(p_token uuid, out tenant integer, out kind text, out id uuid) returns record
  language plpgsql
  stable
as $$
declare
  v_hash bytea := internal.invitation_token_hash(p_token);
begin
  -- The only statement without a tenant condition: the hash finds the row. If a tenant is set, the owner's policies confine it to that
  -- tenant.
  select found.tenant_id, found.kind, found.id into tenant, kind, id
  from (
    select invitation.tenant_id, 'nominee' as kind, invitation.id
    from kith.nominee_invitations as invitation
    where invitation.token_hash = v_hash and coalesce(invitation.end_reason <> 'resent', true)
    union all
    select offer.tenant_id, 'transfer', offer.transfer_id
    from kith.transfer_invitations as offer
    where offer.token_hash = v_hash and offer.replaced_at is null
  ) as found;
  if kind is null then
    raise exception 'invitation_invalid' using errcode = 'KT404';
  end if;
end
$$;
comment on function internal.find_invitation(uuid) is
  'Finds what a token is for: {tenant, kind, id} of a nominee invitation or a transfer. Raises invitation_invalid for an unknown token, '
  'one of another tenant than the current one, and one that a resend has replaced. For definer procedures.';

create or replace function internal.nominee_invitation_state(
  p_invitation kith.nominee_invitations, p_nominee kith.nominees, p_vault kith.vaults, p_now timestamptz
) returns text
  language sql
  stable
as $$
  select case
    when (p_invitation).end_reason = 'declined' then 'declined'
    when (p_nominee).status = 'revoked' or (p_vault).deleted_at is not null or (p_invitation).end_reason in ('revoked', 'vault_deleted')
      then 'revoked'
    when (p_invitation).end_reason = 'accepted' then 'accepted'
    when (p_invitation).expires_at <= p_now then 'expired'
    else 'pending'
  end
$$;
comment on function internal.nominee_invitation_state(kith.nominee_invitations, kith.nominees, kith.vaults, timestamptz) is
  'The state of an invitation: pending, accepted, declined, expired or revoked. An accepted invitation also becomes revoked when the '
  'access ends later.';

create or replace function internal.transfer_state(p_transfer kith.transfers, p_now timestamptz) returns text
  language sql
  stable
as $$
  select case
    when (p_transfer).status in ('cancelled', 'vault_deleted') then 'revoked'
    when (p_transfer).status = 'pending' and (p_transfer).expires_at <= p_now then 'expired'
    else (p_transfer).status
  end
$$;
comment on function internal.transfer_state(kith.transfers, timestamptz) is
  'The state of a transfer: pending, accepted, declined, expired or revoked.';

create or replace function internal.invitation_preview(p_token uuid, p_now timestamptz) returns jsonb
  language plpgsql
as $$
declare
  v_found record := internal.find_invitation(p_token);
  v_tenant integer := v_found.tenant;
  v_id uuid := v_found.id;
  v_settings kith.tenants;
  v_invitation kith.nominee_invitations;
  v_nominee kith.nominees;
  v_transfer kith.transfers;
  v_vault kith.vaults;
  v_inviter text;
  v_state text;
  v_name text;
begin
  select * into v_settings from kith.tenants where tenant_id = v_tenant;
  if v_settings.status <> 'active' or v_settings.deleted_at is not null then
    raise exception 'tenant_suspended' using errcode = 'KT403';
  end if;
  perform set_config('kith.tenant_id', v_tenant::text, true);
  if v_found.kind = 'nominee' then
    select * into v_invitation from kith.nominee_invitations where tenant_id = v_tenant and id = v_id;
    select * into v_nominee from kith.nominees where tenant_id = v_tenant and id = v_invitation.nominee_id;
    select * into v_vault from kith.vaults where tenant_id = v_tenant and id = v_invitation.vault_id;
    v_state := internal.nominee_invitation_state(v_invitation, v_nominee, v_vault, p_now);
  else
    select * into v_transfer from kith.transfers where tenant_id = v_tenant and id = v_id;
    select * into v_vault from kith.vaults where tenant_id = v_tenant and id = v_transfer.vault_id;
    v_state := internal.transfer_state(v_transfer, p_now);
  end if;
  -- A token that no longer opens anything reveals neither the vault's current name nor its owner.
  if v_state = 'pending' or v_state = 'accepted' and (v_found.kind = 'nominee' or v_vault.owner_id = v_transfer.accepted_by) then
    v_name := v_vault.name;
  end if;
  if v_state = 'pending' then
    select display_name into v_inviter
    from kith.users
    where tenant_id = v_tenant and id = case v_found.kind when 'transfer' then v_transfer.owner_id else v_vault.owner_id end;
  end if;
  return jsonb_build_object(
    'kind', v_found.kind,
    'vault', jsonb_build_object('name', case v_state when 'pending' then v_name end),
    'inviter', jsonb_build_object('display_name', internal.name_of_anybody(v_inviter)),
    'access_level', case when v_state = 'pending' then case v_found.kind when 'nominee' then v_nominee.access_level else 'full' end end,
    'state', v_state,
    'needs_confirmation', coalesce(v_nominee.needs_confirmation, false),
    'emergency', case v_state when 'pending' then internal.visible_emergency(v_tenant, v_nominee.id) end,
    'expires_at', internal.instant(coalesce(v_invitation.expires_at, v_transfer.expires_at)),
    'brand_name', v_settings.brand_name,
    'app_link', v_settings.app_link,
    'deep_link', internal.invitation_deep_link(v_found.kind, p_token, v_settings.link_scheme, v_name),
    'card', internal.invitation_card(v_found.kind, v_state, v_name)
  );
end
$$;
comment on function internal.invitation_preview(uuid, timestamptz) is
  'What the holder of a token sees before answering. Afterwards, and once it has expired, it has only the state and the card: anybody may '
  'have the link, and who was invited to what, with which rights, is nobody''s business then. It contains no contact details and no ids. '
  'Finds the tenant by the token and sets it. Raises invitation_invalid and tenant_suspended. For definer procedures.';

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
  where tenant_id = v_tenant and id in (v_user, (select owner_id from kith.vaults where tenant_id = v_tenant and id = invitation.vault_id))
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
  'Locks a nominee invitation with all rows that an answer changes, so that the second of two answers finds the result of the first. For '
  'definer procedures.';

create or replace function internal.require_pending(p_state text) returns void
  language plpgsql
  immutable
as $$
begin
  case p_state
    when 'pending' then null;
    when 'expired' then raise exception 'invitation_expired' using errcode = 'KT410';
    when 'revoked' then
      raise exception 'invitation_invalid' using errcode = 'KT404', detail = 'This invitation has been withdrawn. Please ask for a new one.';
    else raise exception 'invitation_used' using errcode = 'KT409';
  end case;
end
$$;
comment on function internal.require_pending(text) is
  'Raises invitation_expired, invitation_invalid or invitation_used if the state of an invitation or transfer is not pending.';

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
    select from kith.nominees where tenant_id = v_tenant and vault_id = v_vault and user_id = v_user and status <> 'revoked'
  ) then
    raise exception 'conflict' using errcode = 'KT409', detail = 'You are a nominee of this vault already.';
  end if;
end
$$;
comment on function internal.require_no_part(kith.vaults) is
  'Raises conflict if the current user owns the vault or is its nominee: nobody can be both, or a nominee twice. For definer procedures.';

create or replace function internal.accepted_nominee_json(p_nominee kith.nominees, p_vault kith.vaults, p_now timestamptz) returns json
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
  'The answer to an acceptance: the nominee as they see themselves, the vault, and the card in its new state (N22). For definer '
  'procedures.';

create or replace function internal.may_let_in(p_vault kith.vaults, p_inviter_id uuid) returns boolean
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_vault uuid := p_vault.id;
begin
  return p_inviter_id is not distinct from p_vault.owner_id or exists (
    select from kith.nominees
    where tenant_id = v_tenant and vault_id = v_vault and user_id = p_inviter_id and status = 'accepted' and access_level = 'full'
  );
end
$$;
comment on function internal.may_let_in(kith.vaults, uuid) is
  'Whether an inviter may still admit nominees to a vault: its owner, or a nominee with level full. Otherwise a revoked nominee or a '
  'former owner could return by an invitation that they had made. For definer procedures.';

create or replace function internal.accept_with_contact(p_nominee kith.nominees, p_vault kith.vaults, p_now timestamptz) returns kith.nominees
  language plpgsql
as $$
declare
  v_tenant integer := p_nominee.tenant_id;
  v_nominee kith.nominees := p_nominee;
  v_is_known boolean := internal.is_named_contact(p_nominee, p_nominee.user_id);
  v_enters boolean := p_nominee.needs_confirmation and not p_vault.require_confirmation
    and internal.may_let_in(p_vault, p_nominee.invited_by_user_id) and internal.same_contact(p_nominee.user_id, p_nominee.phone, p_nominee.email);
begin
  if internal.is_blocked(p_vault.owner_id, p_nominee.user_id) or not (v_enters or v_is_known and p_nominee.bound_by_link) then
    return v_nominee;
  end if;
  update kith.nominees
  set bound_by_link = bound_by_link and not v_is_known, needs_confirmation = needs_confirmation and not v_enters,
    status = case when v_enters then 'accepted' else status end, accepted_at = case when v_enters then p_now else accepted_at end,
    updated_at = p_now
  where tenant_id = v_tenant and id = p_nominee.id
  returning * into v_nominee;
  if v_enters then
    if v_nominee.invited_by_user_id = p_vault.owner_id or internal.emergency_settings_of(v_tenant, v_nominee.id) is not null then
      perform internal.return_to_quorum(v_nominee, p_now);
    end if;
    perform internal.record_history(p_vault.id, v_nominee.user_id, 'nominee.accepted', 'nominee', v_nominee.id, null, p_now);
    perform internal.tell_of_vault(
      p_vault.owner_id, 'nominee_accepted', p_vault, v_nominee.user_id,
      (select coalesce(display_name, v_nominee.name) from kith.users where tenant_id = v_tenant and id = v_nominee.user_id),
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
  'Completes an acceptance that lacked the contact of the invitation, once the user has verified it and accepts again (X30): they have '
  'access unless the vault requires the owner''s confirmation, and a contact that the owner named wakes a right that sleeps. The owner, '
  'who was told that somebody waits, is told that they have access now. For internal.accept_nominee_invitation, which has locked '
  'everything.';

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
    or not internal.may_let_in(v_vault, v_nominee.invited_by_user_id)
    or coalesce(v_nominee.phone, v_nominee.email) is not null
      and not internal.same_contact(v_user, v_nominee.phone, v_nominee.email);
  update kith.nominees
  set user_id = v_user, bound_at = p_now, bound_by_link = not v_is_known, needs_confirmation = v_waits, updated_at = p_now,
    status = case when v_waits then 'pending' when status = 'inactive' then 'inactive' else 'accepted' end,
    accepted_at = case when not v_waits then coalesce(accepted_at, p_now) end
  where tenant_id = v_tenant and id = v_nominee.id
  returning * into v_nominee;
  update kith.nominee_invitations set ended_at = p_now, end_reason = 'accepted' where tenant_id = v_tenant and id = p_id;
  if v_nominee.invited_by_user_id = v_vault.owner_id or v_right is not null then
    perform internal.return_to_quorum(v_nominee, p_now);
  end if;
  perform internal.emit_nominees(array[v_nominee.id], p_now);
  perform internal.emit_invitations(array[v_nominee.id], p_now);
  perform internal.record_history(
    v_vault.id, v_user, case when v_waits then 'nominee.bound' else 'nominee.accepted' end, 'nominee', v_nominee.id, null, p_now
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
  'Binds the current user to the nominee of an invitation (N20). A repeat by the same user returns the same answer, unless they have '
  'verified the invitation''s contact meanwhile (internal.accept_with_contact). The nominee waits for the owner''s confirmation (X30) if '
  'the vault requires it, if the invitation named a contact that the user has not verified, or if the inviter may no longer invite. A '
  'right to emergency access sleeps until the owner confirms who it is, unless they named a contact that the user has verified. The owner '
  'is told who accepted. If either of the two has blocked the other, raises invitation_invalid (X22). For definer procedures.';

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
  'Declines an invitation: the nominee is revoked without being bound to a user or named, and the owner is told. A repeat changes nothing. '
  'A person without an account can decline too, because only the token counts. For definer procedures.';
