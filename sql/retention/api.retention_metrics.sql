create or replace function api.retention_metrics(p_now timestamptz) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    select json_build_object(
      'oldest_pass_seconds', passes.oldest_seconds,
      'unfinished_passes', passes.unfinished,
      'deleted_rows', passes.deleted,
      'waiting_partitions', waiting.partitions,
      'waiting_rows', waiting.rows
    )
    from (
      -- A pass begins for each tenant and kind once a day. A tenant that has never had one counts since it was created.
      select coalesce(floor(date_part('epoch', p_now - min(pass.began_at)))::integer, 0) as oldest_seconds,
        count(*) filter (where pass.finished_at is null and not pass.is_first) as unfinished,
        coalesce(sum(pass.deleted), 0)::bigint as deleted
      from (
        select began_at, finished_at, deleted, false as is_first from kith.retention_passes
        union all
        select tenant.created_at, null, 0, true
        from kith.tenants as tenant
        where not exists (select from kith.retention_passes as one where one.tenant_id = tenant.tenant_id)
      ) as pass
    ) as passes
    cross join (
      select count(*) as partitions, coalesce(sum(greatest(class.reltuples, 0)), 0)::bigint as rows
      from unnest(array['pings', 'notifications', 'deliveries', 'history', 'audit', 'events']) as kinds (kind)
      cross join lateral (select internal.whole_days(kinds.kind, p_now) as days) as whole
      join internal.partitions() as partition
        on partition.kind = kinds.kind and partition.until <= p_now - make_interval(days => whole.days)
      join pg_catalog.pg_class as class on class.relnamespace = 'kith'::regnamespace and class.relname = partition.name
      where not internal.holds_owed(partition.kind, partition.since, partition.until)
    ) as waiting
  );
end
$$;
comment on function api.retention_metrics(timestamptz) is
  'Returns how the worker keeps up with deleting what is old: the seconds since the oldest pass began (each tenant and '
  'kind has one a day), how many passes are not finished, how many rows the last and present ones have deleted, and '
  'how many partitions, with how many rows by the statistics, are old enough to be dropped and hold nothing that is '
  'owed. Rows that a pass has still to delete are not counted: that would read them all. Security definer, because it '
  'counts over all tenants and reveals none.';
grant execute on function api.retention_metrics(timestamptz) to kith_api;
