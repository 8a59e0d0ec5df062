-- Transfer of a vault's ownership (C07). These functions are security definers because they notify the recipient, and
-- kith_api may not write notifications.

create or replace function api.create_transfer(p_vault_id uuid, p_body jsonb, p_public_url text, p_now timestamptz)
  returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_vault kith.vaults;
  v_named record;
  v_transfer kith.transfers;
  v_token uuid;
  v_wait integer;
begin
  perform internal.require_user();
  perform internal.require_name('name', p_body ->> 'name');
  perform internal.require_owner(p_vault_id, p_now);
  v_named := internal.transfer_recipient(p_vault_id, p_body);
  perform from kith.users where tenant_id = v_tenant and id = v_named.user_id for key share;
  v_vault := internal.own_vault(p_vault_id, p_now);
  -- The nominee may have ended while this call waited for the lock.
  v_named := internal.transfer_recipient(p_vault_id, p_body);
  if internal.same_contact(v_user, v_named.phone, null) then
    perform internal.refuse_fields(internal.field_error('phone', 'is your own'));
  end if;
  if internal.same_contact(v_user, null, v_named.email) then
    perform internal.refuse_fields(internal.field_error('email', 'is your own'));
  end if;
  update kith.transfers set status = 'expired', ended_at = expires_at
  where tenant_id = v_tenant and vault_id = p_vault_id and status = 'pending' and expires_at <= p_now;
  if exists (
    select from kith.transfers where tenant_id = v_tenant and vault_id = p_vault_id and status = 'pending'
  )
  then
    raise exception 'conflict'
      using errcode = 'KT409', detail = 'This vault is offered to somebody already. Cancel that transfer first.';
  end if;
  v_wait := internal.transfer_wait(p_vault_id, p_now);
  if v_wait is not null then
    return json_build_object(
      'problem', 'too_many_requests', 'detail', 'A vault can be offered 10 times a day. Please try again later.',
      'retry_after', v_wait
    );
  end if;
  insert into kith.transfers (
    tenant_id, id, vault_id, owner_id, name, phone, email, nominee_id, keep_access, status, created_at, expires_at
  )
  select v_tenant, internal.uuid7(p_now), p_vault_id, v_user, v_named.name, v_named.phone, v_named.email,
    v_named.nominee_id,
    (p_body ->> 'keep_access')::boolean, 'pending', p_now, p_now + tenant.invitation_days * interval '1 day'
  from kith.tenants as tenant
  where tenant.tenant_id = v_tenant
  returning * into v_transfer;
  perform internal.record_history(p_vault_id, v_user, 'transfer.requested', 'transfer', v_transfer.id, null, p_now);
  perform internal.emit_event(v_tenant, v_user, 'vault', p_vault_id, null, null, p_now);
  perform internal.emit_offers(array[v_transfer.id], p_now);
  perform internal.tell_of_offer(v_transfer, v_vault, v_named.user_id, p_now);
  v_token := internal.issue_transfer_invitation(v_transfer, coalesce(p_body ->> 'channel', 'link'), p_now);
  return internal.offered_transfer_json(v_transfer, v_vault, v_token, p_public_url);
end
$$;
comment on function api.create_transfer(uuid, jsonb, text, timestamptz) is
  'Offers one of the caller''s vaults to another person: {name, phone?, email?, keep_access, channel?}, or '
  '{nominee_id, keep_access, channel?} to a nominee who has accepted. The answer contains the token, which is shown '
  'only once. Raises conflict if a transfer is pending; an expired one is closed first.';
grant execute on function api.create_transfer(uuid, jsonb, text, timestamptz) to kith_api;

create or replace function api.resend_transfer(p_vault_id uuid, p_channel text, p_public_url text, p_now timestamptz)
  returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_since timestamptz := p_now - interval '24 hours';
  v_vault kith.vaults;
  v_transfer kith.transfers;
  v_last text;
  v_fifth timestamptz;
  v_token uuid;
begin
  perform internal.begin_act('invitation', p_now);
  v_vault := internal.own_vault(p_vault_id, p_now);
  v_transfer := internal.pending_transfer(p_vault_id, p_now);
  -- The first invitation does not count, because it was not resent.
  select created_at into v_fifth
  from kith.transfer_invitations
  where tenant_id = v_tenant and transfer_id = v_transfer.id and created_at > greatest(v_since, v_transfer.created_at)
  order by id desc
  offset 4 limit 1;
  if v_fifth is not null then
    return json_build_object(
      'problem', 'too_many_requests', 'detail',
      'An invitation can be sent again five times a day. Please try again later.',
      'retry_after', greatest(1, ceil(extract(epoch from v_fifth - v_since)))::integer
    );
  end if;
  update kith.transfers set expires_at = p_now + tenant.invitation_days * interval '1 day'
  from kith.tenants as tenant
  where transfers.tenant_id = v_tenant and transfers.id = v_transfer.id and tenant.tenant_id = v_tenant
  returning transfers.* into v_transfer;
  update kith.transfer_invitations set replaced_at = p_now
  where tenant_id = v_tenant and transfer_id = v_transfer.id and replaced_at is null
  returning channel into v_last;
  v_token := internal.issue_transfer_invitation(v_transfer, coalesce(p_channel, v_last), p_now);
  perform internal.record_history(
    p_vault_id, kith.user_id(), 'transfer.resent', 'transfer', v_transfer.id, null, p_now
  );
  perform internal.emit_event(v_tenant, kith.user_id(), 'vault', p_vault_id, null, null, p_now);
  perform internal.emit_offers(array[v_transfer.id], p_now);
  return internal.offered_transfer_json(v_transfer, v_vault, v_token, p_public_url);
end
$$;
comment on function api.resend_transfer(uuid, text, text, timestamptz) is
  'Issues a new token for the pending transfer of one of the caller''s vaults, and invalidates the old one (C08). It '
  'can be resent five times in 24 hours. The offer then lasts as long as a new one. Security definer, because only '
  'these procedures write invitations.';
grant execute on function api.resend_transfer(uuid, text, text, timestamptz) to kith_api;

create or replace function api.report_transfer_invitation(p_vault_id uuid, p_outcome text, p_now timestamptz)
  returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_transfer kith.transfers;
  v_invitation kith.transfer_invitations;
begin
  perform internal.begin_act('change', p_now);
  perform internal.own_vault(p_vault_id, p_now);
  v_transfer := internal.pending_transfer(p_vault_id, p_now);
  select * into v_invitation
  from kith.transfer_invitations
  where tenant_id = v_tenant and transfer_id = v_transfer.id and replaced_at is null
  for update;
  if v_invitation.outcome = 'sent' and p_outcome <> 'sent' then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'This invitation has been sent.';
  end if;
  update kith.transfer_invitations set outcome = p_outcome, outcome_at = p_now
  where tenant_id = v_tenant and id = v_invitation.id and outcome is distinct from p_outcome;
  if found then
    perform internal.emit_event(v_tenant, kith.user_id(), 'vault', p_vault_id, null, null, p_now);
  end if;
  return internal.transfer_json(v_transfer);
end
$$;
comment on function api.report_transfer_invitation(uuid, text, timestamptz) is
  'Records what became of the invitation to the pending transfer in the message composer: sent, cancelled, failed or '
  'unavailable (N17). Repeating an outcome changes nothing, and sent is final. Security definer, because only these '
  'procedures write invitations.';
grant execute on function api.report_transfer_invitation(uuid, text, timestamptz) to kith_api;

create or replace function api.get_transfer(p_vault_id uuid, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform internal.require_user();
  perform internal.require_owner(p_vault_id, p_now);
  return internal.transfer_json(internal.pending_transfer(p_vault_id, p_now));
end
$$;
comment on function api.get_transfer(uuid, timestamptz) is
  'Returns the pending transfer of one of the caller''s vaults. Security definer, because the channel stands beside '
  'the hash of the token.';
grant execute on function api.get_transfer(uuid, timestamptz) to kith_api;

create or replace function api.cancel_transfer(p_vault_id uuid, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_transfer uuid;
begin
  perform internal.require_user();
  perform internal.own_vault(p_vault_id, p_now);
  update kith.transfers set status = 'cancelled', ended_at = p_now
  where tenant_id = v_tenant and vault_id = p_vault_id and status = 'pending' and expires_at > p_now
  returning id into v_transfer;
  if not found then
    perform internal.refuse_not_found();
  end if;
  perform internal.record_history(p_vault_id, v_user, 'transfer.cancelled', 'transfer', v_transfer, null, p_now);
  perform internal.emit_event(v_tenant, v_user, 'vault', p_vault_id, null, null, p_now);
  perform internal.emit_offers(array[v_transfer], p_now);
  return null;
end
$$;
comment on function api.cancel_transfer(uuid, timestamptz) is
  'Cancels the pending transfer of a vault and invalidates its token. If it is accepted at the same instant, only one '
  'of the two succeeds.';
grant execute on function api.cancel_transfer(uuid, timestamptz) to kith_api;
