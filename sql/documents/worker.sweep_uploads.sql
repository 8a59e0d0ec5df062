create or replace function worker.sweep_uploads(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_versions integer;
  v_documents integer;
begin
  p_now := internal.present(p_now);
  -- The foreign key deletes the chunks of a version.
  with old as materialized (
    select tenant_id, id from kith.document_versions
    where state <> 'current' and coalesce(ended_at, created_at) < p_now - interval '1 hour'
    order by coalesce(ended_at, created_at) limit p_batch for update skip locked
  )
  delete from kith.document_versions as version
  using old
  where version.tenant_id = old.tenant_id and version.id = old.id;
  get diagnostics v_versions = row_count;

  with old as materialized (
    select tenant_id, id from kith.documents
    where deleted_at < p_now - interval '30 days'
    order by deleted_at limit p_batch for update skip locked
  ), versions as (
    delete from kith.document_versions as version
    using old
    where version.tenant_id = old.tenant_id and version.document_id = old.id
  )
  delete from kith.documents as document
  using old
  where document.tenant_id = old.tenant_id and document.id = old.id;
  get diagnostics v_documents = row_count;
  return v_versions + v_documents;
end
$$;
comment on function worker.sweep_uploads(timestamptz, integer) is
  'Deletes unfinished uploads and replaced contents after an hour, and documents 30 days after they were deleted. Handles at most p_batch of each; returns how many. Security definer, because the worker may not read them.';
revoke all on function worker.sweep_uploads(timestamptz, integer) from public;
grant execute on function worker.sweep_uploads(timestamptz, integer) to kith_worker;
