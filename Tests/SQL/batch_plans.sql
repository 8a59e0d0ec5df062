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

-- How the plan of a prepared statement reads a table: the conditions by which it looks rows up in an index, or "a scan".
create function tests.looks_up(p_statement text, p_table text) returns text
  language plpgsql
as $$
declare
  v_plan json;
begin
  execute 'explain (format json) execute ' || p_statement into v_plan;
  return (
    select string_agg(distinct coalesce(node ->> 'Index Cond', 'a scan'), ', ')
    from jsonb_path_query(v_plan::jsonb, 'strict $.**') as node
    where jsonb_typeof(node) = 'object' and node ->> 'Relation Name' like p_table || '%'
  );
end
$$;
grant execute on function tests.looks_up(text, text) to kith_owner;

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
select is(
  tests.looks_up('results(''[]'')', 'deliveries'), '((tenant_id = result.tenant_id) AND (id = result.id))', 'each delivery of a batch is looked up by its id'
);
deallocate results;
prepare results(jsonb) as
  select from jsonb_to_recordset($1) as result (tenant_id integer, id uuid)
  join kith.deliveries as delivery on delivery.tenant_id = result.tenant_id and delivery.address = result.id::text;
select isnt(
  tests.looks_up('results(''[]'')', 'deliveries'), '((tenant_id = result.tenant_id) AND (id = result.id))', 'the check finds another way'
);

deallocate results;

-- As for internal.claim_overdue_pings: pings whose deadline is far away cost a call of the worker nothing.
prepare overdue(timestamptz) as
  select ping.sender_id
  from kith.pings as ping
  where ping.status = 'due' and case when ping.judge_at is null then ping.deadline_at else ping.judge_at end <= $1
  order by case when ping.judge_at is null then ping.deadline_at else ping.judge_at end, ping.tenant_id, ping.sender_id
  limit 1;
select matches(
  tests.looks_up('overdue(''2026-03-10T12:00Z'')', 'pings'), 'CASE WHEN .* <= ', 'pings are judged in the order of an index, up to the instant of judgement'
);

select * from finish();
rollback;
