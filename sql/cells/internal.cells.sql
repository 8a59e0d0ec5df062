-- The map of cells (decision 51). The directory has it; another cell knows only its directory.

create or replace function internal.database_identity(out cluster text, out database oid) returns record
  language plpgsql
  stable
as $$
begin
  select system_identifier::text into cluster from pg_catalog.pg_control_system();
  select oid into database from pg_catalog.pg_database where datname = current_database();
end
$$;
comment on function internal.database_identity() is
  'What distinguishes this database from every other one: the system identifier of its server, and its oid there.';

create or replace function internal.emptiest_cell() returns text
  language plpgsql
  stable
as $$
begin
  return (
    select cell.name
    from kith.cells as cell
    where cell.is_open
    order by (select count(*) from kith.tenant_cells as placed where placed.cell = cell.name), cell.added_at, cell.name
    limit 1
  );
end
$$;
comment on function internal.emptiest_cell()
  is 'The open cell with the fewest tenants; of several the one that was added first. Null if none is open.';

create or replace function internal.cell_map(p_version bigint) returns json
  language plpgsql
  stable
as $$
declare
  v_map kith.cell_map;
  v_since bigint;
begin
  select * into v_map from kith.cell_map;
  if not found or v_map.version = p_version then
    return null;
  end if;
  -- A larger version is that of a directory that was restored from a back-up since.
  v_since := case when p_version between v_map.whole_since and v_map.version then p_version else -1 end;
  return json_build_object(
    'version', v_map.version,
    'is_whole', v_since = -1,
    'is_moving', exists (select from kith.tenant_moves where step in ('hold', 'switch')),
    'cells', (
      select json_agg(json_build_object(
        'name', cell.name, 'address', cell.address, 'cluster', cell.cluster, 'database', cell.database::bigint
      ) order by cell.address is not null, cell.name)
      from kith.cells as cell
    ),
    'tenants', (
      select coalesce(json_agg(json_build_array(placed.tenant_id, placed.slug, placed.cell)), '[]')
      from kith.tenant_cells as placed
      where placed.version > v_since
    )
  );
end
$$;
comment on function internal.cell_map(bigint) is
  'The map since a version: {version, is_whole, is_moving, cells: [{name, address, cluster, database}], tenants: '
  '[[number, slug, cell]]}. The cells are always complete, the directory first; the tenants are those that changed, or '
  'all of them. is_moving: a tenant is about to change its cell. Null if nothing has changed, and in an installation '
  'with one database.';

create or replace function internal.cell_identity() returns json
  language plpgsql
  stable
as $$
declare
  v_identity record := internal.database_identity();
begin
  return json_build_object(
    'cluster', v_identity.cluster, 'database', v_identity.database::bigint,
    'name', (select name from kith.cell_directory)
  );
end
$$;
comment on function internal.cell_identity()
  is 'Which cell this database is: {cluster, database, name}. name is null in the directory.';

create or replace function internal.require_no_tenant() returns void
  language plpgsql
as $$
begin
  if kith.tenant_id() is not null then
    raise exception 'forbidden' using errcode = 'KT403';
  end if;
end
$$;
comment on function internal.require_no_tenant() is
  'Raises forbidden to a request. For procedures that servers call for all tenants.';
