-- A person's reads never read the pings of the tenant, nor the events of another one, whatever the statistics say (sql/README.md, plans).
begin;
\ir people.sql
select plan(9);
select tests.as_superuser();
delete from kith.pings;

-- A tenant with 3,000 senders, each with ten days of pings, and one whose miss of the first day nobody has answered.
insert into kith.users (tenant_id, id, display_name, time_zone, locale, tokens_valid_from, created_at, updated_at)
select tests.tenant('acme'), internal.uuid7('2026-01-05Z'), 'x', 'UTC', 'en', '2026-01-05Z', '2026-01-05Z', '2026-01-05Z' from generate_series(1, 3000);
insert into kith.connections (tenant_id, id, sender_id, receiver_id, status, code_owner_id, activated_at, created_at, updated_at)
select tests.tenant('acme'), gen_random_uuid(), id, tests.id('mallory'), 'active', id, '2026-01-05Z', '2026-01-05Z', '2026-01-05Z'
from kith.users where display_name = 'x';
insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at, completed_at, alarmed_at)
select tenant_id, day::date, id, gen_random_uuid(), sender_id, receiver_id, case when id = tests.id('alice-bob') then 'missed' else 'completed' end,
  day + interval '9 hours', day + interval '10 hours 30 minutes', case when id <> tests.id('alice-bob') then day + interval '9 hours' end,
  case when id = tests.id('alice-bob') then day + interval '10 hours 31 minutes' end
from kith.connections
cross join generate_series('2026-03-01Z'::timestamptz, '2026-03-10Z', '1 day') as day
where tenant_id = tests.tenant('acme') and (id <> tests.id('alice-bob') or day = '2026-03-01Z');
update kith.connections set missed_on = '2026-03-01' where id = tests.id('alice-bob');
-- The newest events of the feed are another tenant's.
insert into kith.events (tenant_id, id, user_id, type, xid)
select tests.tenant('globex'), internal.uuid7('2026-03-10Z'), gen_random_uuid(), 'me', '100' from generate_series(1, 3000);

create function tests.buffers(p_call text) returns integer
  language plpgsql
as $$
declare
  v_plan json;
begin
  perform tests.as_user('acme', 'bob');
  -- As the role kith_api has them.
  set local plan_cache_mode = 'force_generic_plan';
  set local enable_seqscan = off;
  execute 'select ' || p_call;
  execute 'explain (analyze, buffers, format json) select ' || p_call into v_plan;
  perform tests.as_superuser();
  return (v_plan #>> '{0,Plan,Shared Hit Blocks}')::integer + (v_plan #>> '{0,Plan,Shared Read Blocks}')::integer;
end
$$;
create function tests.costs(p_state text, p_calls integer) returns setof text
  language plpgsql
as $$
declare
  v_call record;
  v_buffers integer;
begin
  discard plans;
  for v_call in
    select * from (values
      (1, 'a connection', $q$ api.get_connection(tests.id('alice-bob'), '2026-03-10T12:00Z') $q$, 250),
      (2, 'a list', $q$ api.list_connections('receiver', null, 50, null, '2026-03-10T12:00Z') $q$, 250),
      (3, 'a dashboard', $q$ api.get_dashboard('receiver', 'missed', 50, null, '2026-03-10T12:00Z') $q$, 250),
      (4, 'the first screen', $q$ api.home('2026-03-10T12:00Z') $q$, 250)
    ) as calls (n, name, call, most) where n <= p_calls order by n
  loop
    v_buffers := tests.buffers(v_call.call);
    return next ok(v_buffers <= v_call.most, format('%s with an unanswered miss reads %s pages, %s', v_call.name, case when v_buffers <= v_call.most then 'few' else v_buffers::text end, p_state));
  end loop;
end
$$;
select tests.costs('while the tables were never analysed', 1);
analyze kith.pings; analyze kith.connections;
select tests.costs('while they are analysed', 4);
create temporary table kept as select * from kith.pings;
delete from kith.pings;
analyze kith.pings;
insert into kith.pings select * from kept;
select tests.costs('while they were analysed empty', 4);
select * from finish();
