create or replace function internal.enter_tenant(p_slug text) returns integer
  language plpgsql
as $$
declare
  v_tenant integer;
  v_deleted_at timestamptz;
  v_cell text;
begin
  select tenant_id into v_tenant from kith.tenants where slug = p_slug and deleted_at is null;
  if not found and internal.bound_tenant() is null then
    select deleted_at into v_deleted_at from kith.tenants where slug = p_slug;
  end if;
  if v_deleted_at is not null then
    raise exception 'not_found'
      using errcode = 'KT404',
      detail = format('The tenant %L was deleted at %s.', p_slug, internal.shown_instant(v_deleted_at)),
      hint = 'What goes on with it: select what, remedy from admin.holds;';
  end if;
  -- Another tenant does not exist for an operator who sees only one.
  if v_tenant is null or v_tenant <> coalesce(internal.bound_tenant(), v_tenant) then
    v_cell := (
      select placed.cell from kith.tenant_cells as placed join kith.cells as cell on cell.name = placed.cell
      where placed.slug = p_slug and cell.address is not null
        and placed.tenant_id = coalesce(internal.bound_tenant(), placed.tenant_id)
    );
    if v_cell is not null then
      raise exception 'not_found'
        using errcode = 'KT404', detail = format('The tenant %L lives in the cell %s.', p_slug, v_cell),
        hint = format('Ask there: kith psql --cell %s', v_cell);
    end if;
    raise exception 'not_found' using errcode = 'KT404', detail = format('There is no tenant %L.', p_slug),
      hint = coalesce(
        'Your login sees the tenant ' || internal.bound_slug() || ' alone.',
        'Look it up: select slug from admin.tenants;' || internal.other_cells()
      );
  end if;
  perform set_config('kith.tenant_id', v_tenant::text, true), set_config('kith.user_id', '', true);
  return v_tenant;
end
$$;
comment on function internal.enter_tenant(text) is
  'Sets the tenant in an operator''s procedure. From then on the owner''s policies confine it to that tenant, as they '
  'do a request.';

create or replace function internal.other_cells() returns text
  language plpgsql
  stable
as $$
declare
  v_name text := (select name from kith.cell_directory);
begin
  if v_name is not null then
    return format(
      ' This is the cell %s alone; which cell has a tenant, the directory knows: admin.tenant_cells.', v_name
    );
  elsif exists (select from kith.cells where address is not null) then
    return (
      select format(' This is the cell %s alone; for the others: kith psql --cell NAME (%s).',
        min(name) filter (where address is null),
        string_agg(name, ', ' order by name) filter (where address is not null))
      from kith.cells
    );
  end if;
  return '';
end
$$;
comment on function internal.other_cells() is
  'In an installation with several databases: a sentence for operators that names this cell and says how to ask the '
  'others, with a space in front. Empty in one with one database.';

create or replace function internal.bound_slug() returns text
  language plpgsql
  stable
as $$
begin
  return (select slug from kith.tenants where tenant_id = internal.bound_tenant());
end
$$;
comment on function internal.bound_slug() is
  'The slug of the only tenant that the operator who logged in sees, for the words of refusals; null for all, and for '
  'a tenant that is gone or lives in another cell.';

create or replace function internal.require_whole_installation() returns void
  language plpgsql
as $$
begin
  if internal.bound_tenant() is not null then
    raise exception 'forbidden' using errcode = 'KT403',
      detail = format(
        'Your login sees the tenant %s alone, and this concerns the whole installation.',
        coalesce(internal.bound_slug(), 'that is gone')
      ),
      hint = coalesce(
        format('Where the procedure has a tenant, name it: p_tenant => %L. Otherwise ask', internal.bound_slug()), 'Ask'
      )
        || ' an operator whose login has no tenant: kith operator list.';
  end if;
end
$$;
comment on function internal.require_whole_installation() is
  'Raises forbidden to an operator whose login is bound to a tenant (kith.operators). Each procedure of schema admin '
  'that enters no tenant begins with it.';

create or replace function internal.leave_tenant() returns void
  language plpgsql
as $$
begin
  perform set_config('kith.tenant_id', '', true), set_config('kith.user_id', '', true);
end
$$;
comment on function internal.leave_tenant() is 'Reverts enter_tenant for the rest of an operator''s transaction.';
