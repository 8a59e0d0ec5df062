create or replace function internal.set_aside_age(p_now timestamptz) returns integer
  language plpgsql
  stable
as $$
declare
  v_deleted integer[] := internal.deleted_tenants();
begin
  return (
    select coalesce(ceil(date_part('epoch', p_now - min(aside.first_at)))::integer, 0)
    from kith.set_aside as aside
    where aside.tenant_id <> all (v_deleted)
  );
end
$$;
comment on function internal.set_aside_age(timestamptz) is
  'For how many seconds the worker has been unable to process the oldest row that is set aside; 0 if there is none. '
  'Rows of deleted tenants do not count.';

create or replace function api.set_aside_metrics(p_now timestamptz) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_deleted integer[] := internal.deleted_tenants();
begin
  return (
    select coalesce(json_agg(json_build_object('loop', counted.loop, 'rows', counted.rows) order by counted.loop), '[]')
    from (
      select aside.loop, count(*) as rows
      from kith.set_aside as aside
      where aside.tenant_id <> all (v_deleted) and aside.first_at <= p_now
      group by aside.loop
    ) as counted
  );
end
$$;
comment on function api.set_aside_metrics(timestamptz) is
  'Returns how many rows each loop of the worker has set aside because it cannot process them: [{loop, rows}]. '
  'Security definer, because it counts over all tenants and reveals none.';
grant execute on function api.set_aside_metrics(timestamptz) to kith_api;
