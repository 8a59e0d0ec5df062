-- What an operator who sees one tenant might learn of another one from PostgreSQL itself: explain analyze counts the rows that an index finds and
-- a policy hides, so it tells whether a value exists. gert reads globex alone. Bob of acme has a telephone.
begin;
\ir people.sql
select plan(9);

select internal.create_operator('gert', 'SCRAM-SHA-256$4096:AAAA$AAAA:AAAA', true, 'globex', 'operator:boss', '2026-03-10T08:00Z') \g /dev/null
select internal.create_operator('anna', 'SCRAM-SHA-256$4096:AAAA$AAAA:AAAA', false, 'globex', 'operator:boss', '2026-03-10T08:00Z') \g /dev/null
select internal.create_operator('rita', 'SCRAM-SHA-256$4096:AAAA$AAAA:AAAA', true, null, 'operator:boss', '2026-03-10T08:00Z') \g /dev/null
update kith.users set phone = '+4915112345678' where id = tests.id('bob');

-- How many rows the plan of a statement has read and not returned, for a login with a role.
create function tests.rows_removed(p_login text, p_role text, p_condition text) returns integer
  language plpgsql
as $$
declare
  v_plan jsonb;
begin
  perform set_config('session_authorization', p_login, true), set_config('role', p_role, true);
  perform set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true);
  execute 'explain (analyze, format json) select from kith.users where phone is not null and deleted_at is null and ' || p_condition into v_plan;
  perform set_config('role', 'none', true), set_config('session_authorization', 'postgres', true);
  return (
    select coalesce(sum(found.removed), 0) from (
      select (jsonb_path_query(v_plan, '$.**."Rows Removed by Filter"'))::integer as removed
      union all
      select (jsonb_path_query(v_plan, '$.**."Rows Removed by Index Recheck"'))::integer
    ) as found
  );
end
$$;
grant execute on all functions in schema tests to public;

select is(tests.rows_removed(login, role, condition), 0, format('%s as %s learns nothing by %s', login, role, condition))
from (values
  ('gert', 'none', 'tenant_id = 2000000001 and phone = ''+4915112345678'''),
  ('gert', 'none', 'tenant_id = 2000000001 and phone >= ''+49151'' and phone < ''+49152'''),
  ('gert', 'none', 'tenant_id between 2000000001 and 2000000002 and phone >= ''+49151'''),
  ('gert', 'kith_reader', 'tenant_id = 2000000001 and phone = ''+4915112345678'''),
  ('anna', 'none', 'tenant_id = 2000000001 and phone = ''+4915112345678'''),
  ('anna', 'kith_admin', 'tenant_id = 2000000001 and phone >= ''+49151''')
) as attempts (login, role, condition);

set local session authorization gert;
set local role kith_reader;
select is((select count(*) from kith.users), 2::bigint, 'a bound login that has changed its role sees its tenant');
set local role none;
select is((select count(*) from kith.users), 2::bigint, 'under its own name it sees its tenant');
set local session authorization rita;
set local role kith_reader;
select is((select count(distinct tenant_id) from kith.users), 2::bigint, 'whoever sees all tenants may change the role');
set local session authorization default;

select * from finish();
rollback;
