-- The worker looks up the rows of a batch, however many months there are.
begin;
\ir people.sql
select plan(3);

do $$ begin
  for v_quarter in 0..10 loop
    perform internal.make_partitions('2026-03-10T12:00Z'::timestamptz - v_quarter * interval '3 months', 100);
  end loop;
end $$;
insert into kith.deliveries (tenant_id, id, channel, purpose, address, body, next_attempt_at, expires_at, created_at)
select tests.tenant('acme'), internal.uuid7('2026-03-10T12:00Z'), 'sms', 'invitation', '+15550000001', 'T', '2026-03-10T12:00Z', '2026-03-11T12:00Z',
  '2026-03-10T12:00Z'
from generate_series(1, 3000);
analyze kith.deliveries;

create function tests.scans() returns text
  language plpgsql
as $$
declare
  v_plan json;
begin
  execute 'explain (format json) execute results(''[]'')' into v_plan;
  return (
    select string_agg(distinct node ->> 'Node Type', ', ')
    from jsonb_path_query(v_plan::jsonb, 'strict $.**') as node
    where jsonb_typeof(node) = 'object' and node ->> 'Relation Name' like 'deliveries%'
      and coalesce(node ->> 'Index Cond', '') !~ '\mid = '
  );
end
$$;
grant execute on function tests.scans() to kith_owner;

-- As for worker.finish_deliveries.
set local plan_cache_mode = force_generic_plan;
set local enable_hashjoin = off;
set local enable_mergejoin = off;
set local enable_material = off;
set local enable_seqscan = off;
set local role kith_owner;
prepare results(jsonb) as
  select from jsonb_to_recordset($1) as result (tenant_id integer, id uuid)
  join kith.deliveries as delivery
    on delivery.tenant_id = result.tenant_id and delivery.id = result.id and delivery.notification_id is null;
select is(tests.scans(), null, 'each delivery of a batch is looked up by its id');
deallocate results;
prepare results(jsonb) as
  select from jsonb_to_recordset($1) as result (tenant_id integer, id uuid)
  join kith.deliveries as delivery on delivery.tenant_id = result.tenant_id and delivery.address = result.id::text;
select isnt(tests.scans(), null, 'the check finds a scan');

deallocate results;

-- As for internal.claim_overdue_pings: pings whose deadline is far away cost a call of the worker nothing.
reset role;
create function tests.condition() returns text
  language plpgsql
as $$
declare
  v_plan json;
begin
  execute 'explain (format json) execute overdue(''2026-03-10T12:00Z'')' into v_plan;
  return (
    select string_agg(distinct node ->> 'Index Cond', ', ')
    from jsonb_path_query(v_plan::jsonb, 'strict $.**') as node
    where jsonb_typeof(node) = 'object' and node ->> 'Relation Name' like 'pings%'
  );
end
$$;
grant execute on function tests.condition() to kith_owner;
set local role kith_owner;
prepare overdue(timestamptz) as
  select ping.sender_id
  from kith.pings as ping
  where ping.status = 'due' and case when ping.judge_at is null then ping.deadline_at else ping.judge_at end <= $1
  order by case when ping.judge_at is null then ping.deadline_at else ping.judge_at end, ping.tenant_id, ping.sender_id
  limit 1;
select matches(tests.condition(), 'CASE WHEN .* <= ', 'pings are judged in the order of an index, up to the instant of judgement');

select * from finish();
rollback;
