create or replace function admin.soft_delete_vault(
  p_tenant text, p_vault uuid, p_reason text, p_now timestamptz default now()
)
  returns text
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := internal.enter_tenant(p_tenant);
  v_vault kith.vaults;
begin
  perform internal.require_present(p_now);
  select * into v_vault from kith.vaults where tenant_id = v_tenant and id = p_vault;
  if not found then
    perform internal.refuse_unknown(p_tenant, format('vault %s', p_vault), 'admin.vaults');
  elsif v_vault.deleted_at is not null then
    raise exception 'invalid_transition' using errcode = 'KT409',
      detail = format(
        'The vault was deleted at %s, by %s.', internal.shown_instant(v_vault.deleted_at), v_vault.deleted_by
      );
  end if;
  perform internal.delete_vault(p_vault, internal.operator(), p_now);
  perform internal.record_act(
    v_tenant, internal.operator(), 'vault.delete', p_vault::text, jsonb_build_object('reason', p_reason)
  );
  perform internal.leave_tenant();
  return format(
    'the vault is closed to everybody until %s: select admin.restore_vault(%L, %L, ''why''); then it is deleted',
    internal.shown_instant(p_now + interval '30 days'), p_tenant, p_vault
  );
end
$$;
comment on function admin.soft_delete_vault(text, uuid, text, timestamptz) is
  'Deletes a vault as its owner would: it locks. For 30 days an operator can restore it (admin.restore_vault), and the '
  'owner cannot. The reason is kept in the audit and must not contain names. Returns what follows.';
grant execute on function admin.soft_delete_vault(text, uuid, text, timestamptz) to kith_admin;

create or replace function admin.restore_vault(
  p_tenant text, p_vault uuid, p_reason text, p_now timestamptz default now()
)
  returns text
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := internal.enter_tenant(p_tenant);
begin
  perform internal.require_present(p_now);
  if not exists (
    select from kith.vaults where tenant_id = v_tenant and id = p_vault and deleted_at > p_now - interval '30 days'
  )
  then
    raise exception 'not_found'
      using errcode = 'KT404',
      detail = format('The tenant %s has no vault %s that was deleted within 30 days.', p_tenant, p_vault),
      hint =
        'A vault that is there needs no restoring. A vault that was erased, or deleted more than 30 days ago, cannot '
        'be restored.';
  end if;
  perform internal.restore_vault(p_vault, p_now);
  perform internal.record_act(
    v_tenant, internal.operator(), 'vault.restore', p_vault::text, jsonb_build_object('reason', p_reason)
  );
  perform internal.leave_tenant();
  return 'the vault is back with its nominees; whoever had opened it must open it again';
end
$$;
comment on function admin.restore_vault(text, uuid, text, timestamptz) is
  'Restores a vault that its owner or an operator deleted in the last 30 days, with its nominees. Its tokens stay '
  'invalid. Refused if its owner has 200 others. Returns what follows.';
grant execute on function admin.restore_vault(text, uuid, text, timestamptz) to kith_admin;

create or replace function admin.revoke_nominee(
  p_tenant text, p_nominee uuid, p_reason text, p_now timestamptz default now()
)
  returns text
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := internal.enter_tenant(p_tenant);
begin
  perform internal.require_present(p_now);
  perform internal.lock_vault_row((select vault_id from kith.nominees where tenant_id = v_tenant and id = p_nominee));
  if (select status from kith.nominees where tenant_id = v_tenant and id = p_nominee) = 'revoked' then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'This nominee has been revoked already.';
  end if;
  perform internal.end_nominee(p_nominee, 'support', p_now);
  perform internal.record_act(
    v_tenant, internal.operator(), 'nominee.revoke', p_nominee::text, jsonb_build_object('reason', p_reason)
  );
  perform internal.leave_tenant();
  return 'the nominee has no access from now on, and hears of it if they have an account';
end
$$;
comment on function admin.revoke_nominee(text, uuid, text, timestamptz) is
  'Revokes a nominee as the owner would. Access ends at that instant, and the nominee is told. The reason is kept in '
  'the audit and must not contain names. Returns what follows.';
grant execute on function admin.revoke_nominee(text, uuid, text, timestamptz) to kith_admin;
