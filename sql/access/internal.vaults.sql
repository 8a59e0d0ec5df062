create or replace function internal.delete_vault(p_vault_id uuid, p_by text, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_vault kith.vaults := internal.lock_vault_row(p_vault_id);
  v_session kith.vault_sessions;
begin
  perform internal.end_emergencies_of_vault(v_tenant, p_vault_id, 'vault_deleted', kith.user_id(), p_now);
  for v_session in
    select * from kith.vault_sessions where tenant_id = v_tenant and vault_id = p_vault_id and locked_at is null
    order by id for update
  loop
    perform internal.end_session(v_session, 'vault_deleted', kith.user_id(), p_now);
  end loop;
  perform internal.emit_waiting(p_vault_id, p_now);
  -- A nominee comes back with the vault. An invitation does not.
  perform internal.tell_of_withdrawal(v_vault, p_now);
  update kith.transfers set status = 'vault_deleted', ended_at = p_now
  where tenant_id = v_tenant and vault_id = p_vault_id and status = 'pending';
  update kith.nominee_invitations set ended_at = p_now, end_reason = 'vault_deleted'
  where tenant_id = v_tenant and vault_id = p_vault_id and ended_at is null;
  update kith.vaults set deleted_at = p_now, deleted_by = p_by, updated_at = p_now
  where tenant_id = v_tenant and id = p_vault_id;
  perform internal.emit_event(v_tenant, v_vault.owner_id, 'vault', p_vault_id, null, null, p_now);
  perform internal.emit_own_nominees(p_vault_id, p_now);
  perform internal.record_history(p_vault_id, kith.user_id(), 'vault.deleted', 'vault', p_vault_id, null, p_now);
end
$$;
comment on function internal.delete_vault(uuid, text, timestamptz) is
  'Soft-deletes a vault: it locks, its nominees no longer see it, its tokens are void, and requests for emergency '
  'access end (N05, E07). restore_vault can bring it back for 30 days. For definer procedures.';
