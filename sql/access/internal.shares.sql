create or replace function internal.end_share(p_share kith.shares, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_nominees uuid[] := array(
    select nominee_id from kith.share_participants where tenant_id = v_tenant and share_id = p_share.id
  );
begin
  perform internal.end_nominees(
    array(
      select id from kith.nominees
      where tenant_id = v_tenant and id = any (v_nominees) and user_id is null and status <> 'revoked'
      order by id
      for no key update
    ),
    'share', p_now
  );
  update kith.nominees set share_record_id = null, share_participant_id = null, updated_at = p_now
  where tenant_id = v_tenant and id = any (v_nominees) and status <> 'revoked';
  perform internal.emit_nominees(v_nominees, p_now);
  delete from kith.share_participants where tenant_id = v_tenant and share_id = p_share.id;
  update kith.shares set ended_at = p_now, updated_at = p_now where tenant_id = v_tenant and id = p_share.id;
  perform internal.record_history(p_share.vault_id, p_share.owner_id, 'share.ended', 'share', p_share.id, null, p_now);
  perform internal.emit_event(v_tenant, p_share.owner_id, 'vault', p_share.vault_id, null, null, p_now);
end
$$;
comment on function internal.end_share(kith.shares, timestamptz) is
  'Ends a share. Its nominees are revoked, except those who have also accepted an invitation: they keep their access '
  'without the share (C04). The caller must have locked the vault.';
