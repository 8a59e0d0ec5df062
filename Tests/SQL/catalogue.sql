-- What must hold for every table and function there is, also for the one that somebody adds tomorrow.
begin;
\ir people.sql
select plan(24);

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
  'row-level security is enabled and forced on every table and every partition'
);
select is_empty(
  $$
    select name from tests.tables
    where not relispartition and relname not in ('heartbeats', 'outages', 'delivery_totals', 'event_readers', 'shared_issuers') and not exists (
      select from pg_attribute
      where attrelid = tables.oid and attname = 'tenant_id' and atttypid = 'integer'::regtype and attnotnull
    )
  $$,
  'every table but the installation''s own five has a tenant_id'
);
select is_empty(
  $$
    select indexrelid::regclass
    from pg_index
    join tests.tables on tables.oid = indrelid
    where indisunique and not relispartition and relname not in ('heartbeats', 'outages', 'delivery_totals', 'event_readers', 'shared_issuers', 'tenants') and indexrelid <> 'kith.jwt_issuers_are_one_tenants'::regclass
      and indkey[0] <> (select attnum from pg_attribute where attrelid = indrelid and attname = 'tenant_id')
  $$,
  'tenant_id comes first in every unique key, as a distributed engine wants it; only who owns an issuer is decided among all tenants'
);
select is_empty(
  $$
    select conname
    from pg_constraint
    join tests.tables on tables.oid = conrelid
    where contype = 'f' and conkey[1] <> (select attnum from pg_attribute where attrelid = conrelid and attname = 'tenant_id')
  $$,
  'tenant_id comes first in every foreign key: no row points into another tenant'
);
select is_empty(
  $$ select tgrelid::regclass from pg_trigger join tests.tables on tables.oid = tgrelid where not tgisinternal $$,
  'no table has a trigger'
);
select is_empty(
  $$
    select name from tests.tables
    where not relispartition and relname not in ('heartbeats', 'outages', 'delivery_totals', 'event_readers', 'shared_issuers') and not exists (
      select from pg_policy
      where polrelid = tables.oid and not polpermissive and polroles = array['kith_api'::regrole::oid]
        and pg_get_expr(polqual, polrelid) = '(tenant_id = kith.tenant_id())'
        and pg_get_expr(polwithcheck, polrelid) = '(tenant_id = kith.tenant_id())'
    )
  $$,
  'every tenant''s table has the restrictive policy that keeps a request within its tenant, by a plain comparison'
);
select is_empty(
  $$
    select name from tests.tables
    where not relispartition and not exists (
      select from pg_policy where polrelid = tables.oid and polpermissive and polroles = array['kith_owner'::regrole::oid]
    )
  $$,
  'every table has a permissive policy for the owner: a definer without one changes nothing and says nothing'
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
  'every policy has a sentence for a name, and a comment'
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
      grantee = 'PUBLIC' or privilege_type in ('DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER') and grantee in ('kith_api', 'kith_admin')
      or grantee = 'kith_admin' and privilege_type <> 'SELECT'
    )
  $$,
  'nobody may delete or truncate through the API, an operator only reads, and the public has nothing'
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
  'an operator''s procedures all call the tenant p_tenant; p_slug is what one that is made will be called'
);
select is_empty(
  $$ select name from tests.functions where schema = 'admin' and 'p_now' = any (proargnames) and prosrc !~ 'begin\s+perform internal.require_present\(p_now\);' $$,
  'an operator''s procedures take no other time than the present'
);
select is_empty(
  $$ select name from tests.functions where has_function_privilege('public', oid, 'execute') $$,
  'no function may be executed by the public'
);
select ok(
  not has_database_privilege('public', current_database(), 'TEMP'), 'the public may not make temporary objects'
);
select is_empty(
  $$ select name from tests.functions where prosecdef and (proconfig is null or 'search_path=pg_catalog, pg_temp' <> all (proconfig)) $$,
  'every definer searches pg_catalog first and pg_temp last'
);
select is_empty(
  $$ select name from tests.functions where schema = 'api' and not prosecdef and proconfig is not null $$,
  'no procedure of the API that runs as its caller has a SET clause: it would cost every request'
);
select is_empty(
  $$ select name from tests.functions where schema in ('api', 'worker', 'admin') and language <> 'plpgsql' $$,
  'every procedure is plpgsql: its plans are kept'
);
select is_empty(
  $$ select name from tests.functions where schema = 'api' and prosrc ~* '\mexecute\M' $$,
  'no procedure of the API runs dynamic SQL'
);
select is_empty(
  $$
    select name from tests.functions
    where schema in ('api', 'worker', 'admin', 'internal') and proname not in ('beat', 'record_act') and name not like 'internal.require_present(%' and prosrc ~* '\m(now|clock_timestamp|statement_timestamp|transaction_timestamp)\s*\(|\mcurrent_(timestamp|date)\M'
  $$,
  'no function reads the clock, but for those that look whether a server''s and an operator''s is right, and the audit, which nobody may date: the time is what the caller says'
);
select is_empty(
  $$
    select name from tests.functions
    where schema = 'api' and prorettype <> 'json'::regtype
      and proname not in ('beat', 'probe_check_ins', 'require_caller', 'read_chunk', 'tail_events', 'render_events', 'ended_streams')
  $$,
  'every procedure that a route calls answers json; the server''s own heartbeat, its probe and its stream are none, nor is what it puts before a call, and a document''s chunk is bytes that JSON would double'
);

select is_empty(
  $$ select oid::regprocedure from pg_proc where pronamespace in ('api'::regnamespace, 'worker'::regnamespace) and pronargdefaults > 0 $$,
  'no procedure of the server or the worker has a default for a parameter, so the server always gives it the time'
);

select * from finish();
rollback;
