-- Operators' procedures in a cell that is not the directory, and those that create a tenant there (decision 51).

create or replace function admin.join_directory(
  p_name text, p_cluster text, p_database bigint, p_now timestamptz default now()
) returns void
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_directory kith.cell_directory;
begin
  perform internal.require_present(p_now);
  perform internal.require_whole_installation();
  perform internal.leave_tenant();
  -- A tenant that is being created meanwhile would have a number of this database's own.
  lock table kith.tenants in share row exclusive mode;
  select * into v_directory from kith.cell_directory;
  if found and (
    v_directory.name, v_directory.cluster, v_directory.database::bigint
  ) = (p_name, p_cluster, p_database)
  then
    return;
  elsif found then
    raise exception 'conflict' using errcode = 'KT409',
      detail = format('That database is already the cell %s%s.', v_directory.name, case
        when (v_directory.cluster, v_directory.database::bigint) = (p_cluster, p_database)
          then '' else ' of another installation'
      end);
  elsif exists (select from kith.cells) then
    raise exception 'conflict'
      using errcode = 'KT409', detail = 'That database is itself the directory of an installation with several cells.';
  elsif exists (select from kith.tenants) then
    raise exception 'conflict'
      using errcode = 'KT409', detail = 'That database has tenants, whose numbers are other tenants'' here.',
      hint = 'Add an empty one, and move them with kith tenant export and import.';
  end if;
  insert into kith.cell_directory (name, cluster, database, joined_at)
  values (p_name, p_cluster, p_database::oid, p_now);
  perform internal.record_act(0, internal.operator(), 'cell.join', p_name, null);
end
$$;
comment on function admin.join_directory(text, text, bigint, timestamptz) is
  'Makes this database a cell of the directory with the given identity. Refused if it has tenants or belongs to '
  'another directory. From then on, only kith tenant create creates tenants here.';
grant execute on function admin.join_directory(text, text, bigint, timestamptz) to kith_admin;

create or replace function admin.leave_directory(p_name text, p_now timestamptz default now()) returns void
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform internal.require_present(p_now);
  perform internal.require_whole_installation();
  perform internal.leave_tenant();
  lock table kith.tenants in share row exclusive mode;
  if exists (select from kith.tenants) then
    raise exception 'conflict'
      using errcode = 'KT409', detail = format('The database of the cell %s has tenants.', p_name),
      hint = 'Purge deleted ones: kith tenant purge.';
  end if;
  delete from kith.cell_directory where name = p_name;
  if found then
    perform internal.record_act(0, internal.operator(), 'cell.leave', p_name, null);
  end if;
end
$$;
comment on function admin.leave_directory(text, timestamptz) is
  'Makes this empty database one of its own again: select admin.leave_directory(''east''). kith cell remove calls it.';
grant execute on function admin.leave_directory(text, timestamptz) to kith_admin;

create or replace function admin.place_tenant(p_tenant text, p_cell text, p_now timestamptz default now())
  returns table (tenant_id integer, cell text)
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_version bigint;
begin
  perform internal.require_present(p_now);
  perform internal.require_whole_installation();
  perform internal.leave_tenant();
  -- Before the cells are read, so that none of them is removed meanwhile.
  v_version := internal.next_map_version(false);
  select placed.tenant_id, placed.cell into tenant_id, cell from kith.tenant_cells as placed
  where placed.slug = p_tenant;
  if found then
    if cell <> coalesce(p_cell, cell) then
      raise exception 'conflict'
        using errcode = 'KT409', detail = format('There is a tenant %L already, in the cell %s.', p_tenant, cell),
        hint = format('If its creation was interrupted: kith tenant create %s --name N --cell %s', p_tenant, cell);
    end if;
    return next;
    return;
  end if;
  cell := coalesce(p_cell, internal.emptiest_cell());
  if cell is null then
    raise exception 'conflict'
      using errcode = 'KT409', detail = 'No cell is open for new tenants.',
      hint = 'kith cell open NAME, or kith cell add.';
  elsif not (internal.require_cell(cell)).is_open then
    raise exception 'conflict' using errcode = 'KT409', detail = format('The cell %s is closed for new tenants.', cell),
      hint = format('kith cell open %s', cell);
  end if;
  tenant_id := nextval('kith.tenant_ids');
  insert into kith.tenant_cells (tenant_id, slug, cell, version)
  values (place_tenant.tenant_id, p_tenant, place_tenant.cell, v_version);
  return next;
end
$$;
comment on function admin.place_tenant(text, text, timestamptz) is
  'Gives a new tenant its number and its cell, in the directory: p_cell, or the emptiest open one. Called again for a '
  'tenant whose creation was interrupted, it returns the same ones. The tenant is then created in the cell with '
  'admin.create_placed_tenant.';
grant execute on function admin.place_tenant(text, text, timestamptz) to kith_admin;

create or replace function admin.create_placed_tenant(
  p_tenant_id integer, p_tenant text, p_name text, p_now timestamptz default now()
)
  returns table (tenant_id integer, slug text, secret_key text)
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform internal.require_present(p_now);
  perform internal.require_whole_installation();
  perform internal.leave_tenant();
  if not exists (select from kith.cell_directory)
    and not exists (
      select from kith.tenant_cells as placed where placed.tenant_id = p_tenant_id and placed.slug = p_tenant
    )
  then
    raise exception 'conflict' using errcode = 'KT409', detail = 'The directory has not given this tenant its number.',
      hint = 'Use kith tenant create.';
  end if;
  return query select * from internal.create_tenant(p_tenant_id, p_tenant, p_name, p_now);
end
$$;
comment on function admin.create_placed_tenant(integer, text, text, timestamptz) is
  'Creates a tenant with the number that admin.place_tenant gave it, in its cell. Otherwise as admin.create_tenant. '
  'kith tenant create calls both.';
grant execute on function admin.create_placed_tenant(integer, text, text, timestamptz) to kith_admin;

create or replace function admin.unplace_tenant(p_tenant_id integer, p_now timestamptz default now()) returns void
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform internal.require_present(p_now);
  perform internal.require_whole_installation();
  perform internal.leave_tenant();
  if exists (select from kith.tenants as tenant where tenant.tenant_id = p_tenant_id) then
    raise exception 'conflict'
      using errcode = 'KT409', detail = 'The tenant lives in this database.', hint = 'kith tenant purge';
  end if;
  perform internal.unplace_tenant(p_tenant_id);
end
$$;
comment on function admin.unplace_tenant(integer, timestamptz) is
  'Removes a tenant that another cell has purged from the map, in the directory. kith tenant purge calls it.';
grant execute on function admin.unplace_tenant(integer, timestamptz) to kith_admin;
