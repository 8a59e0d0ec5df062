-- Rules that hold for every table and function, including those added later.
begin;
\ir people.sql
select plan(35);

create view tests.tables as
select class.oid, class.oid::regclass::text as name, class.relname, class.relrowsecurity, class.relforcerowsecurity, class.relispartition
from pg_class as class
where class.relnamespace = 'kith'::regnamespace and class.relkind in ('r', 'p');

create view tests.functions as
select proc.oid, proc.oid::regprocedure::text as name, namespace.nspname as schema, proc.proname, proc.prosrc, proc.prosecdef, proc.proconfig,
  proc.proacl, proc.provolatile, language.lanname as language, proc.proargnames, proc.pronargs, proc.proargtypes, proc.prorettype
from pg_proc as proc
join pg_namespace as namespace on namespace.oid = proc.pronamespace
join pg_language as language on language.oid = proc.prolang
where namespace.nspname in ('kith', 'internal', 'api', 'worker', 'admin');

select is_empty(
  $$ select name from tests.tables where not relrowsecurity or not relforcerowsecurity $$,
  'row-level security is enabled and forced on every table and partition'
);
select is_empty(
  $$
    select name from tests.tables
    where not relispartition and relname not in ('heartbeats', 'outages', 'incarnations', 'delivery_totals', 'event_readers', 'shared_issuers', 'gap_checks', 'operators', 'operator_reads', 'disk_samples', 'cells', 'cell_map', 'cell_directory') and not exists (
      select from pg_attribute
      where attrelid = tables.oid and attname = 'tenant_id' and atttypid = 'integer'::regtype and attnotnull
    )
  $$,
  'every table has a tenant_id, except the thirteen that belong to the installation'
);
select is_empty(
  $$
    select indexrelid::regclass
    from pg_index
    join tests.tables on tables.oid = indrelid
    where indisunique and not relispartition and relname not in ('heartbeats', 'outages', 'incarnations', 'delivery_totals', 'event_readers', 'shared_issuers', 'gap_checks', 'operators', 'operator_reads', 'disk_samples', 'cells', 'cell_map', 'cell_directory', 'tenants') and indexrelid not in ('kith.jwt_issuers_are_one_tenants'::regclass, 'kith.tenant_cells_slug_is_one_tenants'::regclass)
      and indkey[0] <> (select attnum from pg_attribute where attrelid = indrelid and attname = 'tenant_id')
  $$,
  'tenant_id is the first column of every unique key, as a distributed database requires; only issuer ownership and slugs are unique across tenants'
);
select is_empty(
  $$
    select conname
    from pg_constraint
    join tests.tables on tables.oid = conrelid
    where contype = 'f' and conkey[1] <> (select attnum from pg_attribute where attrelid = conrelid and attname = 'tenant_id')
  $$,
  'tenant_id is the first column of every foreign key, so that no row references another tenant'
);
select is_empty(
  $$ select tgrelid::regclass from pg_trigger join tests.tables on tables.oid = tgrelid where not tgisinternal $$,
  'no table has a trigger'
);
select is_empty(
  $$
    select name from tests.tables
    where not relispartition and relname not in ('heartbeats', 'outages', 'incarnations', 'delivery_totals', 'event_readers', 'shared_issuers', 'gap_checks', 'operators', 'operator_reads', 'disk_samples', 'cells', 'cell_map', 'cell_directory') and not exists (
      select from pg_policy
      where polrelid = tables.oid and not polpermissive and polroles = array['kith_api'::regrole::oid]
        and pg_get_expr(polqual, polrelid) = '(tenant_id = kith.tenant_id())'
        and pg_get_expr(polwithcheck, polrelid) = '(tenant_id = kith.tenant_id())'
    )
  $$,
  'every tenant table has the restrictive policy that confines a request to its tenant by a plain comparison'
);
select is_empty(
  $$
    select name from tests.tables
    where not relispartition and not exists (
      select from pg_policy where polrelid = tables.oid and polpermissive and polroles = array['kith_owner'::regrole::oid]
    )
  $$,
  'every table has a permissive policy for the owner, without which a definer function silently changes nothing'
);
select is_empty(
  $$ select polname from pg_policy join tests.tables on tables.oid = polrelid where polroles = array[0::oid] $$,
  'every policy names its role'
);
select is_empty(
  $$
    select polname from pg_policy join tests.tables on tables.oid = polrelid
    where polname !~ ' ' or obj_description(pg_policy.oid, 'pg_policy') is null
  $$,
  'every policy has a sentence as its name, and a comment'
);
select is_empty(
  $$ select name from tests.tables where not relispartition and obj_description(oid, 'pg_class') is null $$,
  'every table has a comment'
);
select is_empty(
  $$
    select grantee || ' ' || privilege_type || ' ' || table_name
    from information_schema.role_table_grants
    where table_schema in ('kith', 'internal', 'admin') and (
      grantee = 'PUBLIC' or privilege_type in ('DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER') and grantee in ('kith_api', 'kith_admin', 'kith_reader')
      or grantee in ('kith_admin', 'kith_reader') and privilege_type <> 'SELECT'
    )
  $$,
  'the API''s roles cannot delete or truncate, operators only read, and public has no privileges'
);
select is_empty(
  $$ select name from tests.functions where obj_description(oid, 'pg_proc') is null $$,
  'every function has a comment'
);
select is_empty(
  $$
    select class.oid::regclass || '.' || attname
    from pg_class as class
    join pg_attribute on attrelid = class.oid and attnum > 0 and not attisdropped
    where class.relnamespace = 'admin'::regnamespace and col_description(class.oid, attnum) is null
  $$,
  'every column that an operator sees has a comment'
);
select is_empty(
  $$ select name from tests.functions where schema = 'admin' and 'p_slug' = any (proargnames) and proname <> 'create_tenant' $$,
  'operators'' procedures name the tenant p_tenant; p_slug is the name of a tenant to be created'
);
select is_empty(
  $$ select name from tests.functions where schema = 'admin' and 'p_now' = any (proargnames) and prosrc !~ 'begin\s+perform internal.require_present\(p_now\);' $$,
  'operators'' procedures accept no time but the present'
);
select is_empty(
  $$ select name from tests.functions where has_function_privilege('public', oid, 'execute') $$,
  'public cannot execute any function'
);
select ok(
  not has_database_privilege('public', current_database(), 'TEMP'), 'public cannot create temporary objects'
);
select is_empty(
  $$ select name from tests.functions where prosecdef and (proconfig is null or 'search_path=pg_catalog, pg_temp' <> all (proconfig)) $$,
  'every definer function searches pg_catalog first and pg_temp last'
);
select is_empty(
  $$ select name from tests.functions where schema = 'api' and not prosecdef and proconfig is not null $$,
  'no API procedure that runs as its caller has a SET clause, which would cost every request'
);
select is_empty(
  $$ select name from tests.functions where schema in ('api', 'worker', 'admin') and language <> 'plpgsql' $$,
  'every procedure is plpgsql, so that its plans are cached'
);
create function tests.is_inlined(p_function oid) returns boolean
  language plpgsql
as $$
declare
  v_call text;
  v_line text;
begin
  -- Columns of a subquery that the planner keeps apart, so that it does not compute the call with constants.
  select case when proc.proretset
      then format('select found.* from (select %s offset 0) as given cross join lateral %s(%s) as found', columns, proc.name, arguments)
      else format('select %s(%s) from (select %s offset 0) as given', proc.name, arguments, columns)
    end
  into v_call
  from (
    select called.oid::regproc as name, called.proretset,
      (select coalesce(string_agg('given.a' || n, ', ' order by n), '') from unnest(called.proargtypes::oid[]) with ordinality as of (type, n)) as arguments,
      (
        select coalesce(string_agg(format('null::%s as a%s', format_type(type, null), n), ', ' order by n), '')
        from unnest(called.proargtypes::oid[]) with ordinality as of (type, n)
      ) as columns
    from pg_proc as called
    where called.oid = p_function
  ) as proc;
  for v_line in execute 'explain (verbose, costs off) ' || v_call loop
    if strpos(v_line, p_function::regproc || '(') > 0 or v_line ~ 'Function Scan' and strpos(v_line, p_function::regproc::text) > 0 then
      return false;
    end if;
  end loop;
  return true;
end
$$;
select is_empty(
  $$
    with written_in_sql as materialized (select oid, name from tests.functions where language = 'sql')
    select name from written_in_sql where not tests.is_inlined(oid)
  $$,
  'the planner inlines every SQL function, because any other is parsed and planned once in each transaction'
);
select is_empty(
  $$ select name from tests.functions where schema = 'api' and prosrc ~* '\mexecute\M' $$,
  'no API procedure runs dynamic SQL'
);
select is_empty(
  $$ select name from tests.functions where prosrc ~ 'insert into kith\.notifications' and proname not in ('notify', 'answer_check_in', 'answer_timely_check_in') $$,
  'internal.notify writes every notification, except those of a check-in'
);
select is_empty(
  -- The three are lists: of top-level domains, which a program writes, and of what may be left of a person.
  $$
    select name from tests.functions
    where cardinality(string_to_array(prosrc, e'\n')) > 80 and proname not in (
      'is_top_level_domain', 'kinds_of_traces', 'kinds_of_traces_in_vaults'
    )
  $$,
  'no function is longer than a screen'
);
select is_empty(
  $$
    select name from tests.functions
    where schema in ('api', 'worker', 'admin', 'internal') and proname not in ('beat', 'beat_instant', 'clock_ahead', 'present', 'record_act', 'note_read', 'spent', 'transaction_lasts') and name not like 'internal.require_present(%'
      -- kith.now() is the time that a caller has passed.
      and replace(prosrc, 'kith.now()', '') ~* '\m(now|clock_timestamp|statement_timestamp|transaction_timestamp)\s*\(|\mcurrent_(timestamp|date)\M'
  $$,
  'no function reads the clock, except to check the clock of a server, a worker or an operator to date audit entries and to end a batch in time; callers pass the time'
);
select is_empty(
  $$
    select name from tests.functions
    where schema = 'api' and prorettype <> 'json'::regtype
      and proname not in ('beat', 'end_beat', 'record_usage', 'probe_check_ins', 'note_use', 'require_caller', 'require_caller_while_suspended', 'read_chunk', 'brand_mark', 'tail_events', 'render_events', 'ended_streams')
  $$,
  'every procedure that a route calls returns json; the exceptions are not called by routes, or return bytes'
);

select is_empty(
  $$ select oid::regprocedure from pg_proc where pronamespace in ('api'::regnamespace, 'worker'::regnamespace) and pronargdefaults > 0 $$,
  'no procedure of the server or the worker has a default for a parameter, so the server always gives it the time'
);

create table kith.lost (tenant_id integer);
select throws_like(
  $$ select internal.protect_table('kith.lost') $$, '%tenant_id of kith.lost must be not null%', 'a table whose tenant_id may be null is refused'
);

-- Values that no rule could have written are refused.
select is_empty(
  $$
    select attribute.attrelid::regclass, attribute.attname
    from pg_attribute as attribute
    join tests.tables on tables.oid = attribute.attrelid and not relispartition
    where attribute.attnum > 0 and not attribute.attisdropped
      and attribute.atttypid in ('timestamptz'::regtype, 'date'::regtype, 'time'::regtype)
  $$,
  'every instant, date and time of day has the type with its bounds, so that no batch stumbles over infinity'
);
select set_eq(
  $$
    select contypid::regtype::text from pg_constraint
    where contypid <> 0 and pg_get_constraintdef(oid) ~ '>= ''1900-01-01' and pg_get_constraintdef(oid) ~ '< ''10001-01-01' and convalidated
  $$,
  array['kith.instant', 'kith.calendar_date'],
  'and both have the same bounds'
);
-- PostgreSQL reads, plans and compiles the checks of a table again for each statement that writes a row of it.
select is_empty(
  $$
    select conrelid::regclass, sum(length(conbin::text))
    from pg_constraint
    where contype = 'c' and conrelid in (
      'kith.sender_profiles'::regclass, 'kith.check_ins'::regclass, 'kith.pings'::regclass, 'kith.notifications'::regclass,
      'kith.events'::regclass, 'kith.deliveries'::regclass, 'kith.connections'::regclass, 'kith.alarm_entries'::regclass,
      'kith.alarm_receivers'::regclass
    )
    group by conrelid
    having sum(length(conbin::text)) > 8000
  $$,
  'the tables that calls write all the time have few checks of their own: what concerns one column is in its domain'
);
select is_empty(
  $$
    select attribute.attrelid::regclass, attribute.attname
    from pg_attribute as attribute
    join tests.tables on tables.oid = attribute.attrelid
    where attribute.attnum > 0 and not attribute.attisdropped
      and internal.base_type(attribute.atttypid)::text ~ '^(interval|timestamp without|.*range|.*float|double|real|numeric|json)($| )'
  $$,
  'no column has a type for which there is no such constraint'
);
select is_empty(
  $$
    select attribute.attrelid::regclass, attribute.attname
    from pg_attribute as attribute
    join internal.moved_tables() as moved on attribute.attrelid = format('kith.%I', moved.name)::regclass and attribute.attname = any (moved.columns)
    where internal.base_type(attribute.atttypid) = 'text'::regtype and not exists (
      select from pg_constraint
      where contypid = atttypid and pg_get_constraintdef(oid) ~ 'char_length\(VALUE\) |\yVALUE = ANY'
    ) and not exists (
      select from pg_constraint
      where conrelid = attrelid and contype = 'c' and attribute.attnum = any (conkey)
        -- Its length, its known values, or a pattern that fixes its length.
        and pg_get_constraintdef(oid) ~ format('char_length\(%1$s\) |char_length\(%1$s\)\)|\y%1$s = ANY|\y%1$s ~ ''\^([^*+]|\\\+)*\$''', attname)
    )
  $$,
  'every text that an import brings in has a bound'
);
select is_empty(
  $$
    select attribute.attrelid::regclass, attribute.attname
    from pg_attribute as attribute
    join internal.moved_tables() as moved on attribute.attrelid = format('kith.%I', moved.name)::regclass and attribute.attname = any (moved.columns)
    where internal.base_type(attribute.atttypid) = 'jsonb'::regtype and not exists (
      select from pg_constraint
      where contypid = atttypid and pg_get_constraintdef(oid) ~ 'jsonb_typeof\(VALUE\) = ''(object|array)'
    ) and not exists (
      select from pg_constraint
      where conrelid = attrelid and contype = 'c' and pg_get_constraintdef(oid) ~ format('jsonb_typeof\(%s\) = ''(object|array)''', attname)
    )
  $$,
  'and every JSON value is an object or an array, as its readers expect'
);

-- A policy holds back what is not leakproof until its own condition is met, so such an expression never is an index condition.
select is_empty(
  $$
    select indexrelid::regclass
    from pg_index
    join pg_class as relation on relation.oid = indrelid
    where relation.relrowsecurity and not relation.relispartition and pg_get_indexdef(indexrelid) ~* 'using.*(coalesce|greatest|least|nullif) ?\('
  $$,
  'no index of a table with policies has an expression that a policy keeps from being an index condition'
);

select * from finish();
rollback;
