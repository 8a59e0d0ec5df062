-- Invitations by token: to become a vault's nominee or its owner. Whoever has the token may answer once. Only the
-- token's hash is stored.

create or replace function internal.invitation_token_hash(p_token uuid) returns bytea
  language sql
  stable
  parallel safe
as $$
  select sha256(convert_to(p_token::text, 'UTF8'))
$$;
comment on function internal.invitation_token_hash(uuid) is
  'The stored form of a token. A plain hash is enough, because a token has 122 random bits.';

create or replace function internal.name_of_vault(p_name text) returns text
  language sql
  immutable
  parallel safe
as $$
  select case when p_name is not null then coalesce(internal.shown_name(p_name), 'a vault') end
$$;
comment on function internal.name_of_vault(text) is
  'The name of a vault as strangers read it, "a vault" if it holds an address. Null for null.';

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
    'subtitle', internal.name_of_vault(p_vault_name),
    'state', p_state
  )
$$;
comment on function internal.invitation_card(text, text, text) is
  'The message card of an invitation in its current state, so that the bubble in a conversation can be updated (N22). '
  'Once it is answered, it names no vault.';

create or replace function internal.invitation_url(p_token uuid, p_host text, p_public_url text) returns text
  language sql
  stable
  parallel safe
as $$
  select coalesce('https://' || p_host, rtrim(p_public_url, '/')) || '/i/' || p_token
$$;
comment on function internal.invitation_url(uuid, text, text) is
  'The URL of an invitation''s page, on the tenant''s own host if it has one.';

create or replace function internal.invitation_deep_link(p_kind text, p_token uuid, p_scheme text, p_vault_name text)
  returns text
  language sql
  stable
  parallel safe
as $$
  select p_scheme
    || format(
      '://%s/invite?token=%s&vault=%s&status=accepted', p_kind, p_token,
      internal.percent_encode(internal.name_of_vault(p_vault_name))
    )
$$;
comment on function internal.invitation_deep_link(text, uuid, text, text) is
  'The link that opens the tenant''s app to accept (N19). Null if the tenant has not set a scheme. The server trusts '
  'nothing in it except the token.';

create or replace function internal.token_message(p_kind text, p_owner text, p_vault text, p_brand text, p_url text)
  returns text
  language sql
  stable
  parallel safe
as $$
  select format(
    case p_kind
      when 'nominee' then '%s invites you to %s on %s. Open the invitation: %s'
      else '%s wants to make you the owner of %s on %s. Open the offer: %s'
    end,
    internal.name_of_anybody(internal.shown_name(p_owner)),
    coalesce('the vault "' || internal.shown_name(p_vault) || '"', 'a vault'), p_brand, p_url
  )
$$;
comment on function internal.token_message(
  text, text, text, text, text
) is 'The text that accompanies an invitation by token (N16).';

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
      'message', internal.token_message(
        p_kind, owner.display_name, p_vault.name, internal.shown_brand(tenant), link.url
      ),
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
  'A new invitation in every form in which it can be sent. The token cannot be retrieved again. For definer '
  'procedures.';

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
  select v_tenant, internal.uuid7(p_now), p_nominee.vault_id, p_nominee.id, p_nominee.owner_id,
    internal.invitation_token_hash(token), p_channel, p_now, p_now + make_interval(days => tenant.invitation_days)
  from kith.tenants as tenant
  where tenant.tenant_id = v_tenant
  returning made.expires_at into expires_at;
end
$$;
comment on function internal.issue_invitation(kith.nominees, text, timestamptz) is
  'Issues a new token for a nominee who has no live one. For definer procedures.';

create or replace function internal.find_invitation(p_token uuid, out tenant integer, out kind text, out id uuid)
  returns record
  language plpgsql
  stable
as $$
declare
  v_hash bytea := internal.invitation_token_hash(p_token);
begin
  -- The only statement without a tenant condition: the hash finds the row. If a tenant is set, the owner's policies
  -- confine it to that tenant.
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
  'Finds what a token is for: {tenant, kind, id} of a nominee invitation or a transfer. Raises invitation_invalid for '
  'an unknown token, one of another tenant than the current one, and one that a resend has replaced. For definer '
  'procedures.';

create or replace function internal.nominee_invitation_state(
  p_invitation kith.nominee_invitations, p_nominee kith.nominees, p_vault kith.vaults, p_now timestamptz
) returns text
  language sql
  stable
as $$
  select case
    when (p_invitation).end_reason = 'declined' then 'declined'
    when (p_nominee).status = 'revoked' or (p_vault).deleted_at is not null
      or (p_invitation).end_reason in ('revoked', 'vault_deleted')
      then 'revoked'
    when (p_invitation).end_reason = 'accepted' then 'accepted'
    when (p_invitation).expires_at <= p_now then 'expired'
    else 'pending'
  end
$$;
comment on function internal.nominee_invitation_state(
  kith.nominee_invitations, kith.nominees, kith.vaults, timestamptz
) is
  'The state of an invitation: pending, accepted, declined, expired or revoked. An accepted invitation also becomes '
  'revoked when the access ends later.';

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
  -- A token that no longer opens anything reveals neither the vault's name nor its owner.
  if v_state = 'pending' then
    v_name := internal.name_of_vault(v_vault.name);
    select display_name into v_inviter
    from kith.users
    where tenant_id = v_tenant
      and id = case v_found.kind when 'transfer' then v_transfer.owner_id else v_vault.owner_id end;
  end if;
  return jsonb_build_object(
    'kind', v_found.kind,
    'vault', jsonb_build_object('name', v_name),
    'inviter', jsonb_build_object('display_name', internal.name_of_anybody(internal.shown_name(v_inviter))),
    'access_level',
    case when v_state = 'pending' then case v_found.kind when 'nominee' then v_nominee.access_level else 'full' end end,
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
  'What the holder of a token sees before answering. Afterwards, and once it has expired, it has only the state and '
  'the card: anybody may have the link, and who was invited to what, with which rights, is nobody''s business then. It '
  'contains no contact details and no ids. Finds the tenant by the token and sets it. Raises invitation_invalid and '
  'tenant_suspended. For definer procedures.';
