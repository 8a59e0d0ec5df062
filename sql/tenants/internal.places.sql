create or replace function internal.place_new_tenant(p_tenant_id integer, p_slug text) returns void
  language plpgsql
as $$
declare
  v_directory text;
begin
  select name into v_directory from kith.cells where address is null;
  if not found then
    return;
  end if;
  if exists (select from kith.tenant_cells where tenant_id = p_tenant_id and slug = p_slug) then
    return;
  end if;
  insert into kith.tenant_cells (tenant_id, slug, cell, version)
  values (p_tenant_id, p_slug, v_directory, internal.next_map_version(false));
end
$$;
comment on function internal.place_new_tenant(integer, text) is
  'Enters a tenant that is created in the directory''s own database into the map, unless admin.place_tenant has. Does '
  'nothing if there is one database.';

create or replace function internal.refuse_in_member() returns void
  language plpgsql
as $$
declare
  v_name text;
begin
  select name into v_name from kith.cell_directory;
  if found then
    raise exception 'conflict' using errcode = 'KT409',
      detail = format('This database is the cell %s of an installation, whose directory numbers the tenants.', v_name),
      hint = 'Run the command with the URL of the directory, or create the tenant with kith tenant create --cell.';
  end if;
end
$$;
comment on function internal.refuse_in_member() is
  'Raises conflict in a cell that is not the directory. There, a number taken from the cell''s own sequence would be '
  'another tenant''s.';

create or replace function internal.unplace_tenant(p_tenant_id integer) returns void
  language plpgsql
as $$
declare
  v_slug text;
begin
  if not exists (select from kith.tenant_cells where tenant_id = p_tenant_id) then
    return;
  end if;
  perform internal.next_map_version(true);
  delete from kith.tenant_cells where tenant_id = p_tenant_id returning slug into v_slug;
  if found then
    perform internal.record_act(
      0, internal.operator(), 'tenant.unplace', v_slug, jsonb_build_object('tenant_id', p_tenant_id)
    );
  end if;
end
$$;
comment on function internal.unplace_tenant(integer) is 'Removes a purged tenant from the map, if there is one.';

create or replace function internal.next_map_version(p_removes boolean) returns bigint
  language plpgsql
as $$
declare
  v_version bigint;
begin
  insert into kith.cell_map as map (version, whole_since) values (1, 0)
  on conflict (only_row) do update
  set version = map.version + 1, whole_since = case when p_removes then map.version + 1 else map.whole_since end
  returning map.version into v_version;
  return v_version;
end
$$;
comment on function internal.next_map_version(boolean) is
  'Begins a change of the map and returns its version. Changes take turns until they commit. p_removes says that a row '
  'will be deleted.';
