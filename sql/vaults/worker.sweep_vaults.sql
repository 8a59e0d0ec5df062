create or replace function worker.sweep_vaults(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_vault kith.vaults;
  v_swept integer;
begin
  p_now := internal.present(p_now);
  select * into v_vault
  from kith.vaults
  where deleted_at <= p_now - interval '30 days'
  order by deleted_at
  limit 1
  for update skip locked;
  if not found then
    return 0;
  end if;
  -- The contents of a vault may be too much for one transaction.
  with old as materialized (
    select chunk.tenant_id, chunk.version_id, chunk.n
    from kith.document_versions as version
    join kith.document_chunks as chunk on chunk.tenant_id = version.tenant_id and chunk.version_id = version.id
    where version.tenant_id = v_vault.tenant_id and version.vault_id = v_vault.id
    limit p_batch
    -- Skip versions that sweep_uploads has locked.
    for key share of version skip locked
  )
  delete from kith.document_chunks as chunk
  using old
  where chunk.tenant_id = old.tenant_id and chunk.version_id = old.version_id and chunk.n = old.n;
  get diagnostics v_swept = row_count;
  if v_swept > 0 then
    return v_swept;
  end if;
  perform internal.forget_in_notifications(
    v_vault.tenant_id, internal.people_of_vaults(v_vault.tenant_id, array[v_vault.id]), v_vault.created_at, null, array[v_vault.id]
  );
  delete from kith.vaults where tenant_id = v_vault.tenant_id and id = v_vault.id;
  return 1;
end
$$;
comment on function worker.sweep_vaults(timestamptz, integer) is
  'Deletes one vault that was deleted 30 days ago, with everything that belongs to it: p_batch chunks of its documents per call, and the rest last. Notifications about the vault then name nobody. Returns how many rows it deleted. Security definer, because the worker may not read vaults.';
revoke all on function worker.sweep_vaults(timestamptz, integer) from public;
grant execute on function worker.sweep_vaults(timestamptz, integer) to kith_worker;
