create or replace function worker.sweep_uploads(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  p_now := internal.present(p_now);
  -- The foreign key deletes the chunks of a version.
  return internal.work_off('sweep_uploads.delete', array(
    select version
    from kith.document_versions as version
    where version.state <> 'current'
      and case
        when version.ended_at is null then version.created_at
        else version.ended_at
      end < p_now - interval '1 hour'
      and not exists (select from internal.shut_out('sweep_uploads', version.tenant_id, version.id::text, p_now))
    order by case when version.ended_at is null then version.created_at else version.ended_at end
    limit p_batch
    for update of version skip locked
  ), null, p_now) + internal.work_off('sweep_uploads.delete', array(
    select document
    from kith.documents as document
    where document.deleted_at < p_now - interval '30 days'
      and not exists (select from internal.shut_out('sweep_uploads', document.tenant_id, document.id::text, p_now))
    order by document.deleted_at
    limit p_batch
    for update of document skip locked
  ), null, p_now);
end
$$;
comment on function worker.sweep_uploads(timestamptz, integer) is
  'Deletes unfinished uploads and replaced contents after an hour, and documents 30 days after they were deleted. '
  'Handles at most p_batch of each; returns how many. Security definer, because the worker may not read them.';
grant execute on function worker.sweep_uploads(timestamptz, integer) to kith_worker;
