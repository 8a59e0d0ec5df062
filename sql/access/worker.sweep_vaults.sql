create or replace function worker.sweep_vaults(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  p_now := internal.present(p_now);
  return internal.work_off('sweep_vaults', array(
    select vault
    from kith.vaults as vault
    where vault.deleted_at <= p_now - interval '30 days'
      and not exists (select from internal.shut_out('sweep_vaults', vault.tenant_id, vault.id::text, p_now))
    order by vault.deleted_at
    limit 1
    for update of vault skip locked
  ), p_batch::text, p_now, 'internal.sweep_vault($1[1], $2::integer)');
end
$$;
comment on function worker.sweep_vaults(timestamptz, integer) is
  'Deletes one vault that was deleted 30 days ago, with everything that belongs to it: p_batch chunks of its documents '
  'per call, then its name in p_batch notifications per call, and the rest last. Returns how many rows it deleted or '
  'changed. Security definer, because the worker may not read vaults.';
grant execute on function worker.sweep_vaults(timestamptz, integer) to kith_worker;

create or replace function internal.sweep_vault(p_vault kith.vaults, p_batch integer) returns integer
  language plpgsql
as $$
declare
  v_swept integer;
begin
  -- The contents of a vault may be too much for one transaction.
  with old as materialized (
    select chunk.tenant_id, chunk.version_id, chunk.n
    from kith.document_versions as version
    join kith.document_chunks as chunk on chunk.tenant_id = version.tenant_id and chunk.version_id = version.id
    where version.tenant_id = p_vault.tenant_id and version.vault_id = p_vault.id
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
  if internal.forget_vault_name(p_vault.tenant_id, p_vault.id, p_batch) = p_batch then
    return p_batch;
  end if;
  perform internal.forget_imported_vault(p_vault, 'kith');
  delete from kith.vaults where tenant_id = p_vault.tenant_id and id = p_vault.id;
  return 1;
end
$$;
comment on function internal.sweep_vault(kith.vaults, integer) is
  'Deletes p_batch chunks of the documents of a vault or, if there are none, removes its name from p_batch '
  'notifications or, if there are none, deletes the vault, and records that no import may bring it back. Returns how '
  'many rows it deleted or changed. For worker.sweep_vaults, which has locked the vault.';
