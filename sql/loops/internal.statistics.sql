create or replace function internal.analyze_grown_tables(p_now timestamptz) returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_name name;
  v_analyzed integer := 0;
begin
  -- reltuples is -1 until the table is first analyzed. Until then the planner assumes ten pages of rows, and searches
  -- the index of all senders' pings for one sender's pings of a day. That is quadratic, and autovacuum comes minutes
  -- later. Tables that have grown since have the same problem: a plan cached while a table was nearly empty scans all
  -- of it until the table is analyzed again.
  for v_name in
    select relname
    from pg_catalog.pg_class
    where relnamespace = 'kith'::regnamespace and relkind = 'r' and pg_relation_size(oid) > 0
      and (reltuples < 0 or pg_relation_size(oid) > (8 * relpages + 32) * current_setting('block_size')::bigint)
      and not exists (select from internal.shut_out('analyze_tables', 0, relname::text, p_now))
  loop
    -- It computes the expressions of the indexes.
    v_analyzed := v_analyzed + internal.work_off(
      'analyze_tables', array[jsonb_build_object('unit', v_name)], null, p_now, 'internal.analyze_table($1[1])'
    );
  end loop;
  return v_analyzed;
end
$$;
comment on function internal.analyze_grown_tables(timestamptz) is
  'Analyzes the tables that have rows but no statistics, or have grown to more than eight times their known size, as '
  'on a month''s first day, or after an import, a mass notification or a restore. Returns how many. Definer: only the '
  'owner may analyze a table.';
grant execute on function internal.analyze_grown_tables(timestamptz) to kith_worker;

create or replace function internal.analyze_table(p_unit jsonb) returns integer
  language plpgsql
as $$
begin
  execute format('analyze (skip_locked) kith.%I', p_unit ->> 'unit');
  return 1;
end
$$;
comment on function internal.analyze_table(jsonb)
  is 'Analyzes a table, {"unit": its name}. For internal.analyze_grown_tables.';

create or replace function internal.analyze_grown(p_tables name[]) returns void
  language plpgsql
as $$
declare
  v_name name;
begin
  -- While the statistics show only a few rows, the planner takes any index, and each row of a first import would be
  -- searched among all of the tenant's. That is quadratic, and autovacuum comes a minute later.
  for v_name in
    select relname
    from pg_catalog.pg_class
    where relnamespace = 'kith'::regnamespace and relname = any (p_tables)
      and pg_relation_size(oid) > 8 * greatest(relpages, 1) * current_setting('block_size')::bigint
  loop
    execute format('analyze (skip_locked) kith.%I', v_name);
  end loop;
end
$$;
comment on function internal.analyze_grown(name[]) is
  'Analyzes those of the tables that have grown to more than eight times their known size. For definer procedures: '
  'only the owner may analyze a table.';
