-- What each kind of operator may see and do: role × view × procedure. oscar acts, rita reads, anna acts for acme alone, gert reads globex alone,
-- and dora has pg_read_all_data without being an operator.
begin;
\ir people.sql
select plan(42);

select internal.create_operator('oscar', 'SCRAM-SHA-256$4096:AAAA$AAAA:AAAA', false, null, 'operator:boss', '2026-03-10T08:00Z') \g /dev/null
select internal.create_operator('rita', 'SCRAM-SHA-256$4096:AAAA$AAAA:AAAA', true, null, 'operator:boss', '2026-03-10T08:00Z') \g /dev/null
select internal.create_operator('anna', 'SCRAM-SHA-256$4096:AAAA$AAAA:AAAA', false, 'acme', 'operator:boss', '2026-03-10T08:00Z') \g /dev/null
select internal.create_operator('gert', 'SCRAM-SHA-256$4096:AAAA$AAAA:AAAA', true, 'globex', 'operator:boss', '2026-03-10T08:00Z') \g /dev/null
create role dora login;
grant pg_read_all_data to dora;

select is(
  (select string_agg(concat_ws(' ', login, may, tenant, state), '; ' order by login) from admin.operators),
  'anna acts acme live; gert reads globex live; oscar acts live; rita reads live', 'the view lists the logins'
);
select is(
  (select string_agg(distinct rolconnlimit::text, ' ') from pg_roles where rolname in ('oscar', 'rita', 'anna', 'gert')), '10',
  'no login can take all connections'
);
select throws_ok(
  $$ select internal.create_operator('oscar', 'x', false, null, 'operator:boss', now()) $$, 'KT409', 'conflict', 'a name belongs to one person'
);
select throws_ok(
  $$ select internal.create_operator('kith_api', 'x', false, null, 'operator:boss', now()) $$, 'KT422', 'validation_failed', 'a name of Kith''s own is refused'
);
select throws_ok(
  $$ select internal.create_operator('dora', 'x', false, null, 'operator:boss', now()) $$, 'KT409', 'conflict', 'a role that exists is not taken over'
);
select throws_ok(
  $$ select internal.create_operator('olga', 'x', false, 'nobody', 'operator:boss', now()) $$, 'KT404', 'not_found', 'a tenant must exist'
);
select throws_ok(
  $$ select internal.create_operator('x; drop table y', 'x', false, null, 'operator:boss', now()) $$, 'KT422', 'validation_failed', 'a name is no SQL'
);

-- Rows of both tenants for every view that shows any.
insert into kith.usage_hours (tenant_id, hour, caller, requests) select tests.tenant(slug), '2026-03-10T08:00Z', 'users', 5 from unnest(array['acme', 'globex']) as slug;
insert into kith.tenant_sizes select tests.tenant(slug), '2026-03-10', 5 from unnest(array['acme', 'globex']) as slug;
insert into kith.ping_gaps select tenant_id, '2026-03-10', id, '2026-03-10T12:00Z', false from kith.connections;

-- Which tenants a login sees in a view, or the error.
create function tests.seen(p_login text, p_view text) returns text
  language plpgsql
as $$
declare
  v_seen text;
  v_column text := (
    select attname from pg_attribute where attrelid = p_view::regclass and attname in ('tenant', 'slug') and attnum > 0 order by attname desc limit 1
  );
begin
  perform set_config('session_authorization', p_login, true);
  begin
    execute format(
      'select coalesce(string_agg(distinct %s, '' ''), ''nothing'') from (select * from %s limit 1000) as one',
      case when v_column is null then '''rows''' else format('coalesce(%I, ''-'')', v_column) end, p_view
    ) into v_seen;
  exception when others then
    v_seen := sqlstate;
  end;
  perform set_config('session_authorization', 'postgres', true);
  return v_seen;
end
$$;
create function tests.seen_by_views(p_login text) returns table (name text, seen text)
  language sql
as $$
  select oid::regclass::text, tests.seen(p_login, oid::regclass::text) from pg_class
  where relnamespace = 'admin'::regnamespace and relkind = 'v' order by 1
$$;
grant execute on all functions in schema tests to public;

select is_empty(
  $$ select * from tests.seen_by_views('oscar') where seen ~ '^[0-9A-Z]{5}$' $$, 'who acts sees every view'
);
select is_empty(
  $$ select * from tests.seen_by_views('rita') where seen ~ '^[0-9A-Z]{5}$' $$, 'who reads sees every view'
);
select results_eq(
  $$ select * from tests.seen_by_views('rita') $$, $$ select * from tests.seen_by_views('oscar') $$, 'and the same in each'
);
select results_eq(
  $$ select name from tests.seen_by_views('anna') where seen like '%globex%' $$, $$ select 'x' where false $$, 'who acts for acme sees globex in no view'
);
select results_eq(
  $$ select name from tests.seen_by_views('gert') where seen like '%acme%' $$, $$ select 'x' where false $$, 'who reads globex sees acme in no view'
);
select set_eq(
  $$ select name, seen from tests.seen_by_views('anna') where name in ('admin.tenants', 'admin.usage', 'admin.tenant_sizes', 'admin.ping_gaps', 'admin.long_transactions', 'admin.disk', 'admin.operators', 'admin.outages') $$,
  $$
    values ('admin.tenants', 'acme'), ('admin.usage', 'acme'), ('admin.tenant_sizes', 'acme'), ('admin.ping_gaps', 'acme'),
      ('admin.long_transactions', 'KT403'), ('admin.disk', 'KT403'), ('admin.operators', 'nothing'), ('admin.outages', 'nothing')
  $$,
  'of one tenant there are its rows, and of the installation none'
);
select is_empty(
  $$ select * from tests.seen_by_views('dora') where seen not in ('KT403', '42501', 'nothing') $$,
  'who may read all data without being an operator gets nothing out of any view'
);
select is(tests.seen('dora', 'kith.users'), 'KT403', 'and by every table, instead of reading no rows');

-- The tables themselves.
create function tests.tables_seen(p_login text, p_tenant integer) returns bigint
  language plpgsql
as $$
declare
  v_table record;
  v_rows bigint;
  v_all bigint := 0;
begin
  perform set_config('session_authorization', p_login, true);
  for v_table in
    select class.oid::regclass as name from pg_class as class
    join pg_attribute on attrelid = class.oid and attname = 'tenant_id' and not attisdropped
    where class.relnamespace = 'kith'::regnamespace and class.relkind in ('r', 'p') and has_column_privilege(class.oid, attnum, 'select')
  loop
    execute format('select count(*) from %s where tenant_id = $1', v_table.name) into v_rows using p_tenant;
    v_all := v_all + v_rows;
  end loop;
  perform set_config('session_authorization', 'postgres', true);
  return v_all;
end
$$;
select cmp_ok(tests.tables_seen('anna', tests.tenant('acme')), '>', 5::bigint, 'an operator of acme reads acme''s rows in the tables');
select is(tests.tables_seen('anna', tests.tenant('globex')), 0::bigint, 'and none of globex');
select is(tests.tables_seen('gert', tests.tenant('acme')), 0::bigint, 'nor does an operator of globex read acme''s');

-- Settings do not move anybody.
set local session authorization anna;
select set_config('kith.tenant_id', tests.tenant('globex')::text, true) \g /dev/null
select is((select string_agg(slug, ' ') from admin.tenants), 'acme', 'a setting shows no other tenant');
select throws_ok($$ set local role kith_owner $$, '42501', null, 'nobody becomes the owner');
select set_config('kith.tenant_id', '', true) \g /dev/null
select lives_ok($$ select admin.set_tenant('acme', '{"requires_consent": true}') $$, 'who acts for acme changes it');
select throws_ok($$ select admin.set_tenant('globex', '{"requires_consent": true}') $$, 'KT404', 'not_found', 'globex does not exist for them');
select throws_ok($$ select admin.story_of_user('globex', tests.id('globex-bob'), '2026-03-10') $$, 'KT404', 'not_found', 'nor do its stories');
select throws_ok($$ select admin.overview() $$, 'KT403', 'forbidden', 'nor is the installation theirs');
set local session authorization rita;
select throws_ok($$ select admin.set_tenant('acme', '{"requires_consent": true}') $$, '42501', null, 'who reads changes nothing');
select lives_ok($$ select admin.overview() $$, 'but sees the overview');
set local session authorization default;

-- Each procedure: who may call it. A new one is named here.
select set_eq(
  $$ select proname::text from pg_proc where pronamespace = 'admin'::regnamespace and has_function_privilege('rita', oid, 'execute') $$,
  array['busiest', 'delayed', 'find_user', 'overview', 'pings_not_made', 'story_of_alarm', 'story_of_emergency', 'story_of_notification', 'story_of_ping', 'story_of_user', 'verify_erasure'],
  'who only reads may call exactly these'
);
select is_empty(
  $$ select proname from pg_proc where pronamespace = 'admin'::regnamespace and not has_function_privilege('oscar', oid, 'execute') $$,
  'who acts may call each'
);
select is_empty(
  $$
    select proname from pg_proc
    where pronamespace = 'admin'::regnamespace and proname <> 'busiest' and prosrc !~ 'internal\.(enter_tenant\(|require_whole_installation\(\))'
  $$,
  'each enters a tenant that the login sees, or is for those who see all'
);
select is_empty(
  $$
    select proname from pg_proc
    where pronamespace = 'admin'::regnamespace and (has_function_privilege('dora', oid, 'execute') or has_function_privilege('kith_api', oid, 'execute'))
  $$,
  'and nobody else calls any'
);

-- What a bound operator may not set for their tenant.
set local session authorization anna;
select throws_ok($$ select admin.set_tenant('acme', '{"user_quota": 1000000}') $$, 'KT403', 'forbidden', 'a bound operator raises no quota of their tenant');
select throws_ok($$ select admin.set_tenant('acme', '{"sms_enabled": true}') $$, 'KT403', 'forbidden', 'nor what costs money');
select throws_ok(
  $$ select admin.set_tenant('acme', '{"universal_link_host": "victim.example"}') $$, 'KT403', 'forbidden', 'nor the host for which phones fill codes in'
);
select throws_ok(
  $$ select admin.raise_quota('acme', tests.id('bob'), 'change', 6000, now() + interval '1 day', 'why') $$, 'KT403', 'forbidden', 'nor anybody''s limit'
);
select lives_ok($$ select admin.set_tenant('acme', '{"grace_minutes": 60}') $$, 'they change what the tenant decides');
set local session authorization oscar;
select lives_ok($$ select admin.set_tenant('acme', '{"user_quota": 1000000}') $$, 'who sees the whole installation raises it');
set local session authorization default;

-- The end.
select internal.end_operator('anna', 'operator:boss', '2026-03-11T08:00Z') \g /dev/null
select throws_like(
  $$ select internal.end_operator('nobody', 'operator:boss', '2026-03-11T08:01Z') $$, 'not_found', 'nobody who is no operator is ended'
);
select throws_ok(
  $$ select internal.end_operator('anna', 'operator:boss', '2026-03-11T08:01Z') $$, 'KT409', 'invalid_transition', 'an operator ends once, and the refusal says so'
);
select ok(
  not (select rolcanlogin from pg_roles where rolname = 'anna') and not pg_has_role('anna', 'kith_reader', 'member'), 'an ended operator cannot log in, nor read'
);
select throws_ok(
  $$ select internal.create_operator('anna', 'x', false, null, 'operator:boss', now()) $$, 'KT409', 'conflict', 'and nobody else gets the name'
);
-- Somebody lets an ended login in again by hand.
grant kith_admin to anna;
select is(tests.seen('anna', 'admin.tenants'), 'nothing', 'one that has ended sees nothing, although its role has rights again');
revoke kith_admin from anna;
-- A login that is bound, and whose row was lost.
delete from kith.operators where login = 'gert';
select is(tests.seen('gert', 'admin.tenants'), 'nothing', 'a bound login without a row sees nothing, and not everything');

select * from finish();
rollback;
