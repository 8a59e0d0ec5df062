create or replace function internal.analyze_grown_tables() returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_name name;
  v_analyzed integer := 0;
begin
  -- reltuples is -1 until somebody has looked. What has rows by then is guessed to have ten pages of them, and a sender's pings
  -- of a day are looked for in the index of everybody's: quadratic, and autovacuum comes minutes later. The same holds for what has
  -- grown since: a plan that was kept from when there was next to nothing goes through all of it, until somebody looks again.
  for v_name in
    select relname
    from pg_catalog.pg_class
    where relnamespace = 'kith'::regnamespace and relkind = 'r' and pg_relation_size(oid) > 0
      and (reltuples < 0 or pg_relation_size(oid) > (8 * relpages + 32) * current_setting('block_size')::bigint)
  loop
    execute format('analyze (skip_locked) kith.%I', v_name);
    v_analyzed := v_analyzed + 1;
  end loop;
  return v_analyzed;
end
$$;
comment on function internal.analyze_grown_tables() is
  'Gathers statistics of the tables that have rows and never had any, or have grown to more than eight times what was known: a month''s first day, an import, a minute in which everybody is told something, a restored back-up. Returns how many. Definer: only the owner may analyze a table.';
revoke all on function internal.analyze_grown_tables() from public;
grant execute on function internal.analyze_grown_tables() to kith_worker;

create or replace function internal.analyze_grown_users() returns void
  language plpgsql
as $$
begin
  -- Where there are a handful, one index is as good as another, and each user of a first import would be looked for among all of
  -- the tenant's: quadratic, and autovacuum comes a minute later.
  if (
    select pg_relation_size(oid) > 8 * greatest(relpages, 1) * current_setting('block_size')::bigint
    from pg_catalog.pg_class
    where oid = 'kith.users'::regclass
  ) then
    analyze (skip_locked) kith.users;
  end if;
end
$$;
comment on function internal.analyze_grown_users() is
  'Gathers statistics of users when there are eight times as many as were known of. For definers: only the owner may analyze a table.';
revoke all on function internal.analyze_grown_users() from public;
