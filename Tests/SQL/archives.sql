-- Exports and imports of a tenant, for the tests of moves, included after people.sql: `tests.archive` writes acme as `kith tenant export`
-- does, and `tests.restore` reads it into a new tenant as `kith tenant import` does, without files and without resealing.
-- Run by itself, outside a transaction, this file must leave nothing behind.
select now() = statement_timestamp() as alone \gset
\if :alone
  \echo 1..0 # SKIP what the tests of moves use
  \q
\endif

create temporary table archived (tab text not null, level integer not null, number integer not null, line jsonb not null);
create temporary table archive_manifest (content jsonb not null);

-- Keys of an API and tokens are one tenant's only, so the new tenant gets others.
create function tests.other_hash(p_line jsonb) returns jsonb
  language sql
as $$
  select p_line || coalesce(
    (select jsonb_object_agg(key, '\x' || encode(sha256(decode(substr(value, 3), 'hex')), 'hex'))
      from jsonb_each_text(p_line) where key in ('secret_hash', 'token_hash')), '{}'
  )
$$;

create function tests.archive(p_is_copy boolean, p_now timestamptz) returns integer
  language plpgsql
as $$
declare
  v_table record;
begin
  truncate archived, archive_manifest;
  insert into archive_manifest values (
    internal.leaving_tenant('acme', p_is_copy, p_now) || '{"slug": "restored", "kith": "0.1.0", "sha256": "x"}'
  );
  for v_table in select name, level, sealed from internal.moved_tables() loop
    execute format(
      'insert into archived select %L, %s, row_number() over (), tests.other_hash(line::jsonb || jsonb_strip_nulls(jsonb_build_object(%L, ''\x'' || encode(decode(sealed, ''base64''), ''hex'')))) from (%s) as read',
      v_table.name, v_table.level, coalesce(v_table.sealed, '-'), internal.export_query(tests.tenant('acme'), v_table.name, null)
    );
  end loop;
  return (select count(*) from archived);
end
$$;

create function tests.begin_restore(p_now timestamptz) returns integer
  language plpgsql
as $$
declare
  v_tenant integer := (select internal.begin_import(content, p_now) ->> 'tenant_id' from archive_manifest);
begin
  perform set_config('kith.tenant_id', v_tenant::text, true);
  perform internal.import_rows(tab, json_agg(line order by number), p_now) from archived group by tab, level order by level, tab;
  return v_tenant;
end
$$;

-- The tables of a tenant whose lines are not those of the archive.
create function tests.changed_tables(p_tenant_id integer) returns setof text
  language plpgsql
as $$
declare
  v_table record;
  v_differ boolean;
begin
  for v_table in select name, sealed from internal.moved_tables() order by level, name loop
    execute format(
      'select array(select line::jsonb from (%s) as read) is distinct from array(select line - %L from archived where tab = %L order by number)',
      internal.export_query(p_tenant_id, v_table.name, null), coalesce(v_table.sealed, '-'), v_table.name
    ) into v_differ;
    if v_differ then
      return next v_table.name;
    end if;
  end loop;
end
$$;
