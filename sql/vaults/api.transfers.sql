-- Transfer of a vault's ownership (C07). These functions are security definers because they notify the recipient, and kith_api may not
-- write notifications.

create or replace function api.create_transfer(p_vault_id uuid, p_body jsonb, p_public_url text, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_vault kith.vaults;
  v_transfer kith.transfers;
  v_recipient uuid;
  v_token uuid := gen_random_uuid();
  v_wait integer;
begin
  perform internal.require_user();
  perform internal.require_name('name', p_body ->> 'name');
  v_recipient := internal.user_of_verified_contact(p_body ->> 'phone', p_body ->> 'email');
  perform from kith.users where tenant_id = v_tenant and id = v_recipient for key share;
  v_vault := internal.own_vault(p_vault_id, p_now);
  if internal.same_contact(v_user, p_body ->> 'phone', null) then
    perform internal.refuse_fields(internal.field_error('phone', 'is your own'));
  end if;
  if internal.same_contact(v_user, null, p_body ->> 'email') then
    perform internal.refuse_fields(internal.field_error('email', 'is your own'));
  end if;
  update kith.transfers set status = 'expired', ended_at = expires_at
  where tenant_id = v_tenant and vault_id = p_vault_id and status = 'pending' and expires_at <= p_now;
  if exists (select from kith.transfers where tenant_id = v_tenant and vault_id = p_vault_id and status = 'pending') then
    raise exception 'conflict'
      using errcode = 'KT409', detail = 'This vault is offered to somebody already. Cancel that transfer first.';
  end if;
  v_wait := internal.transfer_wait(p_vault_id, p_now);
  if v_wait is not null then
    return json_build_object(
      'problem', 'too_many_requests', 'detail', 'A vault can be offered 10 times a day. Please try again later.', 'retry_after', v_wait
    );
  end if;
  insert into kith.transfers (
    tenant_id, id, vault_id, owner_id, name, phone, email, keep_access, token_hash, status, created_at, expires_at
  )
  select v_tenant, internal.uuid7(p_now), p_vault_id, v_user, p_body ->> 'name', p_body ->> 'phone', p_body ->> 'email',
    (p_body ->> 'keep_access')::boolean, internal.invitation_token_hash(v_token), 'pending', p_now,
    p_now + tenant.invitation_days * interval '1 day'
  from kith.tenants as tenant
  where tenant.tenant_id = v_tenant
  returning * into v_transfer;
  perform internal.record_history(p_vault_id, v_user, 'transfer.requested', 'transfer', v_transfer.id, null, p_now);
  perform internal.tell_of_offer(v_transfer, v_vault, v_recipient, p_now);
  return internal.transfer_json(v_transfer)::jsonb || jsonb_build_object(
    'invitation', internal.token_invitation_json('transfer', v_token, v_vault, v_transfer.expires_at, p_public_url)
  );
end
$$;
comment on function api.create_transfer(uuid, jsonb, text, timestamptz) is
  'Offers one of the caller''s vaults to another person: {name, phone?, email?, keep_access}. The answer contains the token, which is shown only once. Raises conflict if a transfer is pending; an expired one is closed first.';
revoke all on function api.create_transfer(uuid, jsonb, text, timestamptz) from public;
grant execute on function api.create_transfer(uuid, jsonb, text, timestamptz) to kith_api;

create or replace function api.get_transfer(p_vault_id uuid, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_transfer kith.transfers;
begin
  perform internal.require_user();
  perform internal.require_owner(p_vault_id, p_now);
  select * into v_transfer
  from kith.transfers
  where tenant_id = v_tenant and vault_id = p_vault_id and status = 'pending' and expires_at > p_now;
  if not found then
    perform internal.refuse_not_found();
  end if;
  return internal.transfer_json(v_transfer);
end
$$;
comment on function api.get_transfer(uuid, timestamptz) is
  'Returns the pending transfer of one of the caller''s vaults. Security definer, because the row contains the hash of the token.';
revoke all on function api.get_transfer(uuid, timestamptz) from public;
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
  return null;
end
$$;
comment on function api.cancel_transfer(uuid, timestamptz) is
  'Cancels the pending transfer of a vault and invalidates its token. If it is accepted at the same instant, only one of the two succeeds.';
revoke all on function api.cancel_transfer(uuid, timestamptz) from public;
grant execute on function api.cancel_transfer(uuid, timestamptz) to kith_api;
