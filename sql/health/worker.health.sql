create or replace function worker.health(p_now timestamptz) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  return api.readiness(p_now);
end
$$;
comment on function worker.health(timestamptz) is
  'Returns the same ages as /readyz, for the heartbeat to the external address. Security definer, because it counts '
  'over all tenants and reveals none.';
grant execute on function worker.health(timestamptz) to kith_worker;
