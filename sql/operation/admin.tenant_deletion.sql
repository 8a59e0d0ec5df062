-- The end of a tenant (G08): it is deleted softly first, and purged later. Security definers, because kith_admin may
-- only read.

create or replace function admin.delete_tenant(p_tenant text, p_reason text, p_now timestamptz default now())
  returns void
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := internal.enter_tenant(p_tenant);
begin
  perform internal.require_present(p_now);
  if coalesce(p_reason, '') !~ '\S' then
    perform internal.refuse_fields(internal.field_error('p_reason', 'must give a reason, which the audit keeps'));
  end if;
  update kith.tenants
  set deleted_at = p_now, status = 'suspended', suspended_at = coalesce(suspended_at, p_now), updated_at = p_now
  where tenant_id = v_tenant;
  perform internal.record_act(
    v_tenant, internal.operator(), 'tenant.delete', p_tenant, jsonb_build_object('reason', p_reason)
  );
  perform internal.leave_tenant();
end
$$;
comment on function admin.delete_tenant(text, text, timestamptz) is
  'Deletes a tenant softly: within 60 s, its API calls are refused, and the worker does nothing for it. Every row '
  'stays until admin.purge_tenant. admin.restore_tenant reverts it.';
grant execute on function admin.delete_tenant(text, text, timestamptz) to kith_admin;

create or replace function admin.restore_tenant(p_tenant text, p_reason text, p_now timestamptz default now())
  returns void
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer;
begin
  perform internal.require_present(p_now);
  perform internal.require_whole_installation();
  perform internal.leave_tenant();
  if coalesce(p_reason, '') !~ '\S' then
    perform internal.refuse_fields(internal.field_error('p_reason', 'must give a reason, which the audit keeps'));
  end if;
  update kith.tenants as tenant set deleted_at = null, updated_at = p_now
  where slug = p_tenant and deleted_at is not null
    and not exists (select from kith.tenant_purges as purge where purge.tenant_id = tenant.tenant_id)
    and not exists (select from kith.tenant_imports as import where import.tenant_id = tenant.tenant_id)
  returning tenant_id into v_tenant;
  if not found then
    raise exception 'invalid_transition' using errcode = 'KT409',
      detail = format('There is no deleted tenant %L that is neither being purged nor imported.', p_tenant),
      hint = 'What became of it: kith audit with its slug; which are deleted: select tenant, what from admin.holds;';
  end if;
  perform internal.resume_alarms(v_tenant, p_now);
  perform internal.enter_tenant(p_tenant);
  -- The worker has cancelled the pings whose time came meanwhile. Those that can still be answered come back.
  perform internal.settle_pings(
    array(
      select distinct ping.connection_id
      from kith.pings as ping
      where ping.tenant_id = v_tenant and ping.status = 'cancelled' and ping.deadline_at > p_now
        and ping.ping_on >= (p_now at time zone 'UTC')::date - 2
        and ping.ping_on <= (p_now at time zone 'UTC')::date + 2
    ),
    false, false, p_now
  );
  perform internal.record_act(
    v_tenant, internal.operator(), 'tenant.restore', p_tenant, jsonb_build_object('reason', p_reason)
  );
  perform internal.leave_tenant();
end
$$;
comment on function admin.restore_tenant(text, text, timestamptz) is
  'Reverts admin.delete_tenant. Pings whose time came meanwhile, and whose deadline is ahead, come back. The tenant '
  'stays suspended until admin.resume_tenant.';
grant execute on function admin.restore_tenant(text, text, timestamptz) to kith_admin;

create or replace function internal.rows_of_tenant(p_tenant_id integer) returns table (name text, rows bigint)
  language plpgsql
  stable
as $$
declare
  v_column record;
begin
  for v_column in
    select class.relname, attribute.attname
    from pg_catalog.pg_class as class
    join pg_catalog.pg_attribute as attribute
      on attribute.attrelid = class.oid and attribute.attname ~ 'tenant_id$' and not attribute.attisdropped
    where class.relnamespace = 'kith'::regnamespace and class.relkind in ('r', 'p') and not class.relispartition
    order by class.relname
  loop
    execute format('select count(*) from kith.%I where %I = $1', v_column.relname, v_column.attname) into rows
      using p_tenant_id;
    name := v_column.relname;
    return next;
  end loop;
end
$$;
comment on function internal.rows_of_tenant(integer) is
  'How many rows of each table name a tenant, by tenant_id or by a column whose name ends so. ';

create or replace function admin.begin_purge(p_tenant text, p_confirm text, p_now timestamptz default now())
  returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant kith.tenants;
begin
  perform internal.require_present(p_now);
  perform internal.require_whole_installation();
  perform internal.leave_tenant();
  select * into v_tenant from kith.tenants where slug = p_tenant for update;
  if not found then
    raise exception 'not_found' using errcode = 'KT404', detail = format('There is no tenant %L.', p_tenant);
  end if;
  if p_confirm is distinct from p_tenant then
    raise exception 'invalid_request'
      using errcode = 'KT400', detail = 'The confirmation is not the slug of the tenant.';
  end if;
  if v_tenant.deleted_at is null then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = format('%L is not deleted.', p_tenant),
      hint = format('Delete it first: kith tenant delete %s --reason R', p_tenant);
  end if;
  -- A server may know the tenant as it was for a minute, and a request may still write.
  if v_tenant.deleted_at > p_now - interval '5 minutes' then
    raise exception 'invalid_transition' using errcode = 'KT409',
      detail = format('%L was deleted less than 5 minutes ago, and a server may still write for it.', p_tenant),
      hint = format('Try again at %s.', internal.shown_instant(v_tenant.deleted_at + interval '5 minutes'));
  end if;
  insert into kith.tenant_purges (tenant_id, began_at) values (v_tenant.tenant_id, p_now) on conflict do nothing;
  if found then
    perform internal.record_act(0, internal.operator(), 'tenant.purge_begin', p_tenant, jsonb_build_object(
      'tenant_id', v_tenant.tenant_id,
      -- The tenant's own audit goes with it.
      'deleted', (
        select jsonb_build_object('at', internal.instant(act.at), 'by', act.actor, 'reason', act.detail ->> 'reason')
        from kith.audit as act
        where act.tenant_id = v_tenant.tenant_id and act.subject = p_tenant and act.action = 'tenant.delete'
        order by act.id desc limit 1
      )
    ));
  end if;
  return json_build_object(
    'tenant_id', v_tenant.tenant_id, 'rows', (select sum(rows) from internal.rows_of_tenant(v_tenant.tenant_id))
  );
end
$$;
comment on function admin.begin_purge(text, text, timestamptz) is
  'Begins to purge a tenant that was deleted at least 5 minutes ago. p_confirm is the slug again. Returns {tenant_id, '
  'rows}. From then on, it cannot be restored. Calling it again continues.';
grant execute on function admin.begin_purge(text, text, timestamptz) to kith_admin;

create or replace function admin.purge_tenant(p_tenant_id integer, p_batch integer, p_now timestamptz default now())
  returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_slug text;
  v_table record;
  v_deleted integer;
  -- A copy that a restore of the directory has left: the map places the tenant in another cell, where it stays.
  v_is_copy boolean := exists (
    select from kith.tenant_cells as placed join kith.cells as cell on cell.name = placed.cell
    where placed.tenant_id = p_tenant_id and cell.address is not null
  );
begin
  perform internal.require_present(p_now);
  perform internal.require_whole_installation();
  perform internal.leave_tenant();
  -- Two purges at once take turns.
  select tenant.slug into v_slug
  from kith.tenants as tenant
  where tenant.tenant_id = p_tenant_id
    and exists (select from kith.tenant_purges as purge where purge.tenant_id = p_tenant_id)
  for update;
  if not found then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'No purge of this tenant has begun.';
  end if;
  for v_table in
    select tables.name, tables.key from internal.tenant_tables() as tables
    where tables.name not in ('tenants', 'tenant_purges', 'tenant_cells') order by tables.level desc, tables.name
  loop
    v_deleted := internal.purge_batch(p_tenant_id, v_table.name, v_table.key, greatest(p_batch, 1));
    if v_deleted > 0 then
      return json_build_object('is_done', false, 'table', v_table.name, 'deleted', v_deleted);
    end if;
  end loop;
  delete from kith.tenant_purges where tenant_id = p_tenant_id;
  -- The cursors of an outage's notices and of the hourly check go back to the end of the tenant before.
  update kith.outages set told_tenant_id = p_tenant_id - 1, told_sender_id = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
  where told_tenant_id = p_tenant_id;
  update kith.gap_checks set checked_tenant_id = p_tenant_id - 1, checked_time_zone = '~',
    checked_sender_id = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
  where checked_tenant_id = p_tenant_id;
  delete from internal.languages where locale like '%@' || p_tenant_id;
  -- Its operators see no tenant from now on.
  update kith.operators set only_tenant_id = -1 where only_tenant_id = p_tenant_id and not v_is_copy;
  delete from kith.tenants where tenant_id = p_tenant_id;
  if not v_is_copy then
    perform internal.unplace_tenant(p_tenant_id);
  end if;
  select * into v_table from internal.rows_of_tenant(p_tenant_id) as found
  where found.rows > 0 and not (v_is_copy and found.name in ('tenant_cells', 'operators')) limit 1;
  if found then
    raise exception 'conflict'
      using errcode = 'KT409', detail = format('%s rows of %s still name the tenant.', v_table.rows, v_table.name),
      hint = 'Run it again.';
  end if;
  perform internal.record_act(
    0, internal.operator(), 'tenant.purge', v_slug, jsonb_build_object('tenant_id', p_tenant_id)
  );
  return json_build_object(
    'is_done', true, 'table', 'tenants', 'deleted', 1,
    'tables', (select count(*) from internal.rows_of_tenant(p_tenant_id))
  );
end
$$;
comment on function admin.purge_tenant(integer, integer, timestamptz) is
  'Deletes at most p_batch rows of a tenant whose purge has begun, and at the end the tenant itself. Returns {is_done, '
  'table, deleted}. The last call counts the rows of every table that name the tenant, and does nothing if there are '
  'any. Of a tenant that the map places in another cell, its place in the map and its operators stay.';
grant execute on function admin.purge_tenant(integer, integer, timestamptz) to kith_admin;
