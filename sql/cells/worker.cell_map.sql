create or replace function worker.cell_map(p_version bigint) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  return internal.cell_map(p_version);
end
$$;
comment on function worker.cell_map(bigint) is
  'internal.cell_map for workers, which work in every cell. Security definer, because kith_worker may not read the '
  'tables.';
grant execute on function worker.cell_map(bigint) to kith_worker;

create or replace function worker.cell_identity() returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  return internal.cell_identity();
end
$$;
comment on function worker.cell_identity() is
  'internal.cell_identity for workers, which compare it with the map before they work in a cell. Security definer, '
  'because kith_worker may not read the table.';
grant execute on function worker.cell_identity() to kith_worker;
