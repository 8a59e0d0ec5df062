create or replace function worker.report_set_aside(p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_failed json;
begin
  p_now := internal.present(p_now);
  -- What a loop has not come for since is gone, or somebody else has done it. Hourly and daily loops come later.
  delete from kith.set_aside as aside
  where aside.retry_at < p_now - case
    when aside.loop in ('make_partitions', 'drop_partitions', 'find_gaps', 'expire_rows') then interval '25 hours'
    else interval '15 minutes'
  end;
  with failed as (
    update kith.set_aside as aside
    set reported_at = p_now
    from (
      select one.tenant_id, one.loop, one.key from kith.set_aside as one
      where one.reported_at is null
      order by one.first_at
      limit 100
      for update skip locked
    ) as new
    where aside.tenant_id = new.tenant_id and aside.loop = new.loop and aside.key = new.key
    returning aside.*
  )
  select json_agg(json_build_object(
    'loop', failed.loop, 'tenant', coalesce(tenant.slug, ''), 'key', failed.key, 'sqlstate', failed.sqlstate,
    'place', failed.place, 'tries', failed.tries, 'retry_at', internal.instant(failed.retry_at)
  ) order by failed.first_at)
  into v_failed
  from failed
  left join kith.tenants as tenant on tenant.tenant_id = failed.tenant_id;
  return v_failed;
end
$$;
comment on function worker.report_set_aside(timestamptz) is
  'Returns the rows that loops have set aside since the last call, for the log: [{loop, tenant, key, sqlstate, place, '
  'tries, retry_at}], at most 100; null if there are none. A row that fails again is reported again. Forgets rows '
  'whose loop has not found them any more. Security definer, because the worker may not write the table directly.';
grant execute on function worker.report_set_aside(timestamptz) to kith_worker;
