-- Writes a tenant that another installation has exported (G08). The rows are not trusted: they may want to reach other
-- tenants, or what only operators may do. `kith tenant import` calls these as the owner. While rows are written, the
-- tenant is set, so the policies confine them to it, and it counts as deleted, so nobody else sees it.

create or replace function internal.begin_import(p_manifest jsonb, p_now timestamptz, p_tenant_id integer default null)
  returns jsonb
  language plpgsql
as $$
declare
  v_slug text := p_manifest ->> 'slug';
  v_import kith.tenant_imports;
  v_tenant kith.tenants := jsonb_populate_record(null::kith.tenants, p_manifest -> 'settings');
begin
  select import.* into v_import
  from kith.tenants as tenant
  left join kith.tenant_imports as import on import.tenant_id = tenant.tenant_id
  where tenant.slug = v_slug;
  if found then
    if v_import.manifest is distinct from p_manifest then
      raise exception 'conflict'
        using errcode = 'KT409', detail = format('There is a tenant %L already.', v_slug), hint = case
        when v_import.tenant_id is null then 'Delete and purge it first, if it is the same one.'
        else 'It is the unfinished import of another export: finish that one, or purge the tenant.'
      end;
    end if;
    return jsonb_build_object('tenant_id', v_import.tenant_id, 'files', v_import.files);
  end if;
  if p_manifest ->> 'schema' is distinct from internal.moved_schema() then
    raise exception 'conflict' using errcode = 'KT409', detail = 'The export is of another schema.',
      hint = format(
        'It was made by kith %s: install the same release here, and run kith migrate.', p_manifest ->> 'kith'
      );
  end if;
  perform internal.require_name('name', v_tenant.name), internal.require_name('brand_name', v_tenant.brand_name);
  if p_tenant_id is null then
    perform internal.refuse_in_member();
  end if;
  insert into kith.tenants (tenant_id, slug, name, brand_name, status, suspended_at, created_at, updated_at)
  values (
    coalesce(p_tenant_id, nextval('kith.tenant_ids')::integer), v_slug, v_tenant.name, v_tenant.brand_name,
    'suspended', least((p_manifest ->> 'suspended_at')::timestamptz, p_now),
    least((p_manifest ->> 'created_at')::timestamptz, p_now), p_now
  )
  returning * into v_tenant;
  perform internal.place_new_tenant(v_tenant.tenant_id, v_slug);
  perform internal.change_tenant(
    v_tenant.tenant_id, p_manifest -> 'settings', array(select jsonb_object_keys(internal.tenant_settings(v_tenant))),
    internal.operator(), p_now
  );
  -- The tenant's own rows of these come with the export.
  delete from kith.audit where tenant_id = v_tenant.tenant_id;
  delete from kith.retention_cuts where tenant_id = v_tenant.tenant_id;
  update kith.tenants set deleted_at = p_now where tenant_id = v_tenant.tenant_id;
  insert into kith.tenant_imports (tenant_id, began_at, manifest) values (v_tenant.tenant_id, p_now, p_manifest);
  perform internal.record_act(
    0, internal.operator(), 'tenant.import_begin', v_slug,
    jsonb_build_object('tenant_id', v_tenant.tenant_id, 'sha256', p_manifest -> 'sha256')
  );
  return jsonb_build_object('tenant_id', v_tenant.tenant_id, 'files', 0);
end
$$;
comment on function internal.begin_import(jsonb, timestamptz, integer) is
  'Creates the tenant of an export with its settings, as deleted. p_tenant_id is the number that admin.place_tenant '
  'gave it, if it has. Returns {tenant_id, files}: its number here, and how many files are there already. An '
  'interrupted import of the same export goes on.';

create or replace function internal.refuse_row(
  p_table text, p_key text[], p_insert text, p_rows json, p_now timestamptz
)
  returns void
  language plpgsql
as $$
declare
  v_row json;
begin
  for v_row in select line from json_array_elements(p_rows) as line loop
    begin
      execute p_insert using kith.tenant_id(), json_build_array(v_row), p_now;
    exception when others then
      raise exception 'conflict' using errcode = 'KT409', detail = format(
        'The export cannot be trusted: row %s of %s: %s.',
        (
          select string_agg(coalesce(v_row ->> name, 'null'), ' ' order by position)
          from unnest(p_key) with ordinality as part (name, position)
        ),
        p_table, sqlerrm
      );
    end;
  end loop;
end
$$;
comment on function internal.refuse_row(text, text[], text, json, timestamptz) is
  'Finds the first of the rows that cannot be written, and raises conflict with its table, its key and the reason. For '
  'internal.import_rows, whose statement it repeats row by row.';

create or replace function internal.import_rows(p_table text, p_rows json, p_now timestamptz) returns integer
  language plpgsql
as $$
declare
  v_table record;
  v_strange text;
  v_insert text;
  v_imported integer;
begin
  if kith.tenant_id() is null then
    raise exception 'forbidden' using errcode = 'KT403', detail = 'No tenant is set.';
  end if;
  select * into v_table from internal.moved_tables() as tables where tables.name = p_table;
  if not found then
    raise exception 'invalid_request'
      using errcode = 'KT400', detail = format('The export cannot be trusted: %s is no table of an export.', p_table);
  end if;
  select name into v_strange from json_array_elements(p_rows) as line, json_object_keys(line) as name
  where name <> all (v_table.columns) limit 1;
  if found then
    raise exception 'invalid_request'
      using errcode = 'KT400',
      detail = format('The export cannot be trusted: a row of %s has a column %L.', p_table, v_strange);
  end if;
  v_insert := format(
    'insert into kith.%I (tenant_id, %s%s) select $1, %2$s%4$s from json_populate_recordset(null::kith.%1$I, $2)',
    p_table, (select string_agg(format('%I', name), ', ') from unnest(v_table.columns) as name),
    (
      select string_agg(format(', %I', computed.key), '' order by computed.key)
      from jsonb_each_text(v_table.computed) as computed
    ),
    (
      select string_agg(', ' || computed.value, '' order by computed.key)
      from jsonb_each_text(v_table.computed) as computed
    )
  );
  begin
    execute v_insert using kith.tenant_id(), p_rows, p_now;
    get diagnostics v_imported = row_count;
  exception when others then
    -- What the row holds is wrong, and not the database.
    if left(sqlstate, 2) in ('22', '23') then
      perform internal.refuse_row(p_table, v_table.key, v_insert, p_rows, p_now);
    end if;
    raise;
  end;
  return v_imported;
end
$$;
comment on function internal.import_rows(text, json, timestamptz) is
  'Writes rows of an export into the tenant that is set. Its number never comes from the export. A row with an unknown '
  'column is refused, and so is one that violates a constraint. The refusal names the row.';

create or replace function internal.finish_file(p_tenant_id integer, p_number integer) returns void
  language plpgsql
as $$
begin
  update kith.tenant_imports set files = p_number where tenant_id = p_tenant_id and files = p_number - 1;
  if not found then
    raise exception 'conflict'
      using errcode = 'KT409', detail = format('Another import has written file %s meanwhile.', p_number),
      hint = 'Run it again when the other one has ended.';
  end if;
end
$$;
comment on function internal.finish_file(integer, integer) is
  'Notes that the export''s file with this number, from 1 on, is written, in the transaction that writes it. Two '
  'imports at once do not write a file twice.';

create or replace function internal.refuse_import(p_tenant_id integer, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_slug text;
begin
  perform internal.leave_tenant();
  delete from kith.tenant_imports where tenant_id = p_tenant_id;
  if not found then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'This tenant is not being imported.';
  end if;
  insert into kith.tenant_purges (tenant_id, began_at) values (p_tenant_id, p_now);
  select slug into strict v_slug from kith.tenants where tenant_id = p_tenant_id;
  perform internal.record_act(
    0, internal.operator(), 'tenant.import_refuse', v_slug, jsonb_build_object('tenant_id', p_tenant_id)
  );
end
$$;
comment on function internal.refuse_import(integer, timestamptz) is
  'Ends an import that cannot be trusted and begins its purge. The caller calls admin.purge_tenant until nothing is '
  'left; if it is interrupted, kith tenant purge goes on. Nobody has seen the tenant, so there is nothing to wait for.';

create or replace function internal.recall_misses(p_tenant_id integer) returns void
  language plpgsql
as $$
begin
  update kith.connections as connection
  set missed_on = newest.ping_on
  from (
    select distinct on (ping.connection_id) ping.connection_id, ping.ping_on
    from kith.pings as ping
    where ping.tenant_id = p_tenant_id and ping.status = 'missed' and ping.alarmed_at is not null
    order by ping.connection_id, ping.deadline_at desc
  ) as newest
  where connection.tenant_id = p_tenant_id and connection.id = newest.connection_id
    and connection.missed_on is distinct from newest.ping_on;
end
$$;
comment on function internal.recall_misses(integer) is
  'Sets the date of the newest miss of each connection of an import from its pings, as internal.remember_misses has '
  'set it in the source: an export that leaves it out would hide a miss that nobody has answered (X38). For '
  'internal.finish_import.';

create or replace function internal.finish_import(p_tenant_id integer, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant kith.tenants;
  v_manifest jsonb;
  v_objection text;
begin
  perform internal.leave_tenant();
  v_objection := internal.import_objection(p_tenant_id, p_now);
  if v_objection is not null then
    raise exception 'conflict'
      using errcode = 'KT409', detail = format('The export cannot be trusted: %s.', v_objection);
  end if;
  delete from kith.tenant_imports where tenant_id = p_tenant_id returning manifest into strict v_manifest;
  update kith.tenants set deleted_at = null where tenant_id = p_tenant_id returning * into v_tenant;
  perform internal.enter_tenant(v_tenant.slug);
  perform internal.claim_issuers(
    coalesce(jsonb_agg(jsonb_build_object('issuer', issuer, 'audience', audience)), '[]'), p_now
  )
  from kith.jwt_keys where tenant_id = p_tenant_id and revoked_at is null;
  perform internal.refresh_tenant_texts(p_tenant_id, internal.default_locale(v_tenant));
  insert into kith.tenant_usage (tenant_id, users)
  select p_tenant_id, count(*) from kith.users as known
  where known.tenant_id = p_tenant_id and known.deleted_at is null
    and not exists (select from internal.hidden_person(p_tenant_id, known.id));
  -- The notifications that the import has kept back from the worker.
  update kith.notifications
  set planned_at = nullif(planned_at, internal.kept_back()),
    escalates_at = case when escalates_at = internal.kept_back() and planned_at < internal.kept_back() then p_now end
  where tenant_id = p_tenant_id and (planned_at = internal.kept_back() or escalates_at = internal.kept_back());
  perform internal.resume_alarms(p_tenant_id, p_now);
  perform internal.recall_misses(p_tenant_id);
  delete from kith.ping_runs where tenant_id = p_tenant_id;
  -- Makes the open pings again: of today, and of yesterday where a deadline is after midnight. Those whose deadline
  -- passed on the way are skipped, so nobody is alarmed because of them.
  perform internal.plan_run(zones.time_zone, at)
  from (select distinct time_zone from kith.sender_profiles where tenant_id = p_tenant_id) as zones
  cross join unnest(array[p_now - interval '1 day', p_now]) as at;
  perform internal.end_suspension(p_tenant_id, v_tenant.suspended_at, p_now);
  if (v_manifest -> 'is_copy')::boolean then
    update kith.tenants set deleted_at = p_now, status = 'suspended', suspended_at = p_now
    where tenant_id = p_tenant_id;
  end if;
  perform internal.record_act(
    p_tenant_id, internal.operator(), 'tenant.import', v_tenant.slug,
    jsonb_build_object('sha256', v_manifest -> 'sha256', 'exported_at', v_manifest -> 'exported_at')
  );
  perform internal.leave_tenant();
end
$$;
comment on function internal.finish_import(integer, timestamptz) is
  'Activates an imported tenant, whose rows the caller has verified. The time on the way counts as a suspension: waits '
  'for emergency access stood still, and pings whose deadline passed are not made. A copy stays deleted, since its '
  'original may still be active: admin.restore_tenant brings it back. Raises conflict if the export cannot be trusted.';
