-- Operators' procedures for the cells of an installation (decision 51). `kith cell` calls them, some in the directory
-- and some in the cell.

drop view if exists admin.cells;
create view admin.cells with (security_barrier, security_invoker) as
select cell.name, coalesce(cell.address, 'the directory') as address, cell.is_open, count(placed.tenant_id) as tenants,
  cell.added_at
from kith.cells as cell
left join kith.tenant_cells as placed on placed.cell = cell.name
group by cell.name, cell.address, cell.is_open, cell.added_at;
comment on view admin.cells is
  'The databases of this installation: select * from admin.cells order by name. Empty in an installation with one '
  'database, and in a cell that is not the directory.';
comment on column admin.cells.name is 'The cell''s name, for kith psql --cell NAME.';
comment on column admin.cells.address is 'The URL of the cell, which has no user and no password.';
comment on column admin.cells.is_open is 'Whether new tenants may be created there.';
comment on column admin.cells.tenants is 'How many tenants of the installation live there.';
comment on column admin.cells.added_at is 'When the cell was added.';
grant select on admin.cells to kith_reader;

drop view if exists admin.tenant_cells;
create view admin.tenant_cells with (security_barrier, security_invoker) as
select placed.slug as tenant, placed.tenant_id, placed.cell
from kith.tenant_cells as placed;
comment on view admin.tenant_cells is
  'The cell of each tenant: select cell from admin.tenant_cells where tenant = ''acme''. Empty in an installation with '
  'one database.';
comment on column admin.tenant_cells.tenant is 'The tenant''s slug.';
comment on column admin.tenant_cells.tenant_id is 'The tenant''s number, the same in every cell.';
comment on column admin.tenant_cells.cell is 'The name of the cell in which the tenant lives.';
grant select on admin.tenant_cells to kith_reader;

create or replace function admin.add_cell(
  p_name text, p_address text, p_cluster text, p_database bigint, p_directory_name text, p_now timestamptz default now()
) returns void
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_here record := internal.database_identity();
  v_other text;
begin
  perform internal.require_present(p_now);
  perform internal.require_whole_installation();
  perform internal.leave_tenant();
  perform internal.refuse_in_member();
  if p_cluster = v_here.cluster and p_database = v_here.database::bigint then
    raise exception 'conflict'
      using errcode = 'KT409', detail = 'The address leads to this database, the directory itself.';
  end if;
  perform internal.begin_map(p_directory_name, p_now);
  select name into v_other from kith.cells
  where cluster = p_cluster and database::bigint = p_database and name <> p_name;
  if found then
    raise exception 'conflict'
      using errcode = 'KT409', detail = format('The address leads to the database of the cell %s.', v_other);
  end if;
  if exists (select from kith.cells where name = p_name) then
    raise exception 'conflict' using errcode = 'KT409', detail = format('There is a cell %s already.', p_name),
      hint = 'kith cell list shows the cells.';
  end if;
  insert into kith.cells (name, address, cluster, database, added_at)
  values (p_name, p_address, p_cluster, p_database::oid, p_now);
  perform internal.record_act(0, internal.operator(), 'cell.add', p_name, jsonb_build_object('address', p_address));
exception when check_violation then
  raise exception 'invalid_request' using errcode = 'KT400',
    detail =
      'The name of a cell has small letters, digits and hyphens, begins with a letter, and has at most 31 characters.';
end
$$;
comment on function admin.add_cell(text, text, text, bigint, text, timestamptz) is
  'Enters a cell into the map, in the directory. With the first cell the directory gets the name p_directory_name, and '
  'its tenants are entered. kith cell add calls it once it has examined the database at the address.';
grant execute on function admin.add_cell(text, text, text, bigint, text, timestamptz) to kith_admin;

create or replace function internal.begin_map(p_name text, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_version bigint;
begin
  -- A tenant that is being created meanwhile would be missing in the map, so wait for it.
  lock table kith.tenants in share row exclusive mode;
  v_version := internal.next_map_version(false);
  if exists (select from kith.cells) then
    return;
  end if;
  insert into kith.cells (name, cluster, database, added_at)
  select p_name, here.cluster, here.database, p_now from internal.database_identity() as here;
  insert into kith.tenant_cells (tenant_id, slug, cell, version) select tenant_id, slug, p_name, v_version
  from kith.tenants;
end
$$;
comment on function internal.begin_map(text, timestamptz) is
  'Begins a change of the list of cells. Before the first one, it enters this database as the directory, and all '
  'tenants.';

create or replace function admin.open_cell(p_name text, p_is_open boolean, p_now timestamptz default now()) returns void
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform internal.require_present(p_now);
  perform internal.require_whole_installation();
  perform internal.leave_tenant();
  update kith.cells set is_open = p_is_open where name = p_name and is_open <> p_is_open;
  if not found then
    perform internal.require_cell(p_name);
    raise exception 'invalid_transition' using errcode = 'KT409',
      detail = format('The cell %s is %s already.', p_name, case when p_is_open then 'open' else 'closed' end);
  end if;
  perform internal.record_act(
    0, internal.operator(), case when p_is_open then 'cell.open' else 'cell.close' end, p_name, null
  );
end
$$;
comment on function admin.open_cell(text, boolean, timestamptz) is
  'Opens a cell for new tenants, or closes it: select admin.open_cell(''east'', false). Tenants that live there stay.';
grant execute on function admin.open_cell(text, boolean, timestamptz) to kith_admin;

create or replace function internal.require_cell(p_name text) returns kith.cells
  language plpgsql
  stable
as $$
declare
  v_cell kith.cells;
begin
  select * into v_cell from kith.cells where name = p_name;
  if not found then
    raise exception 'not_found' using errcode = 'KT404', detail = format('There is no cell %L.', p_name),
      hint = 'kith cell list shows the cells.';
  end if;
  return v_cell;
end
$$;
comment on function internal.require_cell(text) is 'The cell with this name. Raises not_found if there is none.';

create or replace function admin.remove_cell(p_name text, p_now timestamptz default now()) returns void
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_cell kith.cells;
  v_tenants bigint;
begin
  perform internal.require_present(p_now);
  perform internal.require_whole_installation();
  perform internal.leave_tenant();
  v_cell := internal.require_cell(p_name);
  -- The lock of the version keeps a tenant from being placed there until the commit.
  perform internal.next_map_version(true);
  if v_cell.address is null then
    raise exception 'conflict' using errcode = 'KT409', detail = format('The cell %s is the directory.', p_name);
  end if;
  select count(*) into v_tenants from kith.tenant_cells where cell = p_name;
  if v_tenants > 0 then
    raise exception 'conflict'
      using errcode = 'KT409', detail = format('The cell %s has %s tenants.', p_name, v_tenants),
      hint = format('select tenant from admin.tenant_cells where cell = %L', p_name);
  elsif exists (select from kith.tenant_moves where p_name in (source, target)) then
    raise exception 'conflict'
      using errcode = 'KT409', detail = format('A tenant is being moved from or to the cell %s.', p_name),
      hint = 'kith tenant move goes on with it, and --abort takes it back: select * from kith.tenant_moves';
  end if;
  delete from kith.cells where name = p_name;
  perform internal.record_act(0, internal.operator(), 'cell.remove', p_name, null);
end
$$;
comment on function admin.remove_cell(text, timestamptz) is
  'Removes a cell without tenants from the map, in the directory: select admin.remove_cell(''east''). Its database '
  'stays.';
grant execute on function admin.remove_cell(text, timestamptz) to kith_admin;
