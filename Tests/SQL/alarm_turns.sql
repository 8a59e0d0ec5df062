-- No tenant waits for the alarms of another one: whose alarms the worker advances and whose notifications it plans next, how much it does in a
-- transaction, and what becomes of a row that takes longer than a statement may.
begin;
\ir people.sql
select plan(26);
-- Time stands still, so a slow machine does as much in a transaction.
create or replace function internal.spent() returns interval
  language sql
  return interval '0 seconds';

create function tests.run(p_call text, p_now timestamptz, p_batch integer) returns integer
  language plpgsql
as $$
declare
  v_done integer;
begin
  perform tests.as_role('kith_worker');
  execute format('select worker.%s', p_call) into v_done using p_now, p_batch;
  perform tests.as_superuser();
  return v_done;
end
$$;
create function tests.alarm_of(p_n integer) returns uuid
  language sql immutable
  return ('019cd000-0000-7000-8000-' || lpad(p_n::text, 12, '0'))::uuid;
-- Calls for help of invented senders, opened at 09:00, of which Bob, or Bob and Carol, are to be told again at 09:30.
create function tests.call_for_help(p_tenant text, p_from integer, p_to integer, p_receivers text[]) returns void
  language sql
as $$
  insert into kith.alarms (tenant_id, id, sender_id, kind, opened_at, counts_from, called_at, take_minutes, repeats_at, expires_at, next_at)
  select tests.tenant(p_tenant), tests.alarm_of(n), tests.alarm_of(n + 1000000), 'help', '2026-03-10T09:00Z', '2026-03-10T09:00Z', '2026-03-10T09:00Z', 30,
    array[timestamptz '2026-03-10T09:30Z'], '2026-03-17T09:00Z', timestamptz '2026-03-10T09:30Z' + n * interval '1 millisecond'
  from generate_series(p_from, p_to) as n;
  insert into kith.alarm_receivers (tenant_id, alarm_id, receiver_id, connection_id, tier, tell_at, told_at)
  select tests.tenant(p_tenant), tests.alarm_of(n), tests.id(receiver), tests.id('alice-bob'), 1, '2026-03-10T09:00Z', '2026-03-10T09:00Z'
  from generate_series(p_from, p_to) as n, unnest(p_receivers) as receiver;
$$;
create function tests.repeated(p_tenant text) returns bigint
  language sql stable
  return (select count(*) from kith.alarms where tenant_id = tests.tenant(p_tenant) and repeats_told = 1);

-- Alarms are advanced by tenants in turn, and each tenant's are committed by themselves.
select setval('kith.told_tenants', 0) \g /dev/null
select tests.call_for_help('acme', 1, 120, array['bob', 'carol']), tests.call_for_help('globex', 1001, 1001, array['globex-bob']) \g /dev/null
select is(
  (api.readiness('2026-03-10T09:36Z') ->> 'oldest_alarm_seconds'), '359', 'readiness says how late the oldest step of an alarm is'
);
select is(tests.run('tell_alarms($1, $2)', '2026-03-10T09:31Z', 30), 10, 'a batch is bounded by the people whom it tells');
select is(array[tests.repeated('acme'), tests.repeated('globex')], array[10, 0]::bigint[], 'and is of one tenant');
select is(tests.run('tell_alarms($1, $2)', '2026-03-10T09:31Z', 30), 1, 'the next one is of the next tenant');
select is(tests.repeated('globex'), 1::bigint, 'however many of the first one are older');
select is(tests.run('tell_alarms($1, $2)', '2026-03-10T09:31Z', 1), 1, 'an alarm with more people than a batch is told by itself');
select is(tests.run('tell_alarms($1, $2)', '2026-03-10T09:31Z', 100000), 50, 'no transaction advances more than 50');
select is((select last_value from kith.told_tenants), tests.tenant('acme')::bigint, 'where only one tenant has any, it has every turn');

-- A row whose processing is cancelled is found, and set aside in a transaction of its own.
create function tests.cancel() returns trigger
  language plpgsql
as $$
begin
  raise query_canceled;
end
$$;
create trigger cancel before insert on kith.alarm_entries for each row when (new.alarm_id = '019cd000-0000-7000-8000-000000000063')
  execute function tests.cancel();
create function tests.cancelled(p_call text, p_now timestamptz, p_batch integer) returns text
  language plpgsql
as $$
declare
  v_detail text;
begin
  return 'did ' || tests.run(p_call, p_now, p_batch);
exception when query_canceled then
  get stacked diagnostics v_detail = pg_exception_detail;
  perform tests.as_superuser();
  return v_detail;
end
$$;
select tests.cancelled('tell_alarms($1, $2)', '2026-03-10T09:31Z', 100) as cancelled \gset
select is(
  :'cancelled'::jsonb - 'place', jsonb_build_object('loop', 'tell_alarms', 'tenant_id', tests.tenant('acme'), 'key', tests.alarm_of(63)),
  'a cancelled statement names the alarm that it was advancing'
);
select matches(:'cancelled'::jsonb ->> 'place', '^tests\.cancel', 'and where');
select tests.call_for_help('globex', 1002, 1002, array['globex-bob']) \g /dev/null
select is(tests.run('tell_alarms($1, $2)', '2026-03-10T09:31Z', 100), 1, 'another tenant''s alarm does not wait for it');
select tests.as_role('kith_worker') \g /dev/null
select worker.set_aside_cancelled('2026-03-10T09:31Z', :'cancelled'::jsonb) \g /dev/null
select tests.as_superuser() \g /dev/null
select is(
  (select sqlstate || ' ' || retry_at from kith.set_aside where loop = 'tell_alarms' and key = tests.alarm_of(63)::text), '57014 2026-03-10 09:32:00+00',
  'it is set aside for a minute'
);
select is(tests.cancelled('tell_alarms($1, $2)', '2026-03-10T09:31Z', 1000), 'did 50', 'and the others are told');
select is(tests.cancelled('tell_alarms($1, $2)', '2026-03-10T09:31Z', 1000), 'did 8', 'to the last');
select is(tests.run('tell_alarms($1, $2)', '2026-03-10T09:31Z', 1000), 0, 'then nothing is left');
drop trigger cancel on kith.alarm_entries;
select is(tests.run('tell_alarms($1, $2)', '2026-03-10T09:33Z', 1000), 1, 'it is tried again');
select is((select count(*) from kith.set_aside), 0::bigint, 'and no longer set aside once it has passed');

-- A batch of many rows that do not fan out names none: the worker takes half of it.
create trigger cancel before update on kith.pings for each row execute function tests.cancel();
insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at)
select tests.tenant('acme'), ping_on, tests.id('alice-bob'), internal.uuid7(ping_on), tests.id('alice'), tests.id('bob'), 'scheduled', ping_on + interval '9 hours',
  ping_on + interval '10 hours'
from (values (date '2026-03-09'), ('2026-03-10')) as day (ping_on);
select is(tests.cancelled('announce_due_pings($1, $2)', '2026-03-10T09:31Z', 10), '', 'a cancelled batch of two rows names none');
select is(
  tests.cancelled('announce_due_pings($1, $2)', '2026-03-10T09:31Z', 1)::jsonb ->> 'loop', 'announce_due_pings', 'a batch of one row names that row'
);
drop trigger cancel on kith.pings;

-- Messages about an alarm are planned first, and the tenants take turns.
delete from kith.notifications;
create function tests.notify(p_tenant text, p_person text, p_type text, p_many integer) returns void
  language sql
as $$
  insert into kith.notifications (tenant_id, id, user_id, type, body, data, created_at)
  select tests.tenant(p_tenant), internal.uuid7('2026-03-10T09:00Z'), tests.id(p_person), p_type, 'Body',
    jsonb_build_object('connection_id', tests.id('alice-bob'), 'user_id', tests.id('alice'), 'alarm_id', tests.alarm_of(1), 'kind', 'help'),
    '2026-03-10T09:00Z'
  from generate_series(1, p_many)
$$;
create function tests.unplanned(p_tenant text, p_type text) returns bigint
  language sql stable
  return (select count(*) from kith.notifications where tenant_id = tests.tenant(p_tenant) and type = p_type and planned_at is null);
select tests.notify('acme', 'bob', 'help_requested', 60), tests.notify('globex', 'globex-bob', 'help_requested', 2),
  tests.notify('globex', 'globex-bob', 'ping_due', 3) \g /dev/null
select setval('kith.planned_tenants', 0) \g /dev/null
select is(tests.run('plan_alarms($1, $2, true)', '2026-03-10T09:31Z', 10), 7, 'each tenant with something urgent has a share');
select is(array[tests.unplanned('acme', 'help_requested'), tests.unplanned('globex', 'help_requested')], array[55, 0]::bigint[], 'of the batch');
select is(tests.run('plan_alarms($1, $2, true)', '2026-03-10T09:31Z', 10), 10, 'and the whole batch where nobody else has anything');
select is(tests.run('plan_deliveries($1, $2, true)', '2026-03-10T09:31Z', 4), 6, 'what is not urgent has its own share of the other loop''s batch');
select is(tests.unplanned('globex', 'ping_due'), 1::bigint, 'whatever of another tenant is urgent');

-- The indexes that this stands on.
create function tests.explained(p_query text) returns text
  language plpgsql
as $$
declare
  v_line text;
  v_all text := '';
begin
  set local enable_seqscan = off;
  for v_line in execute 'explain ' || p_query loop
    v_all := v_all || v_line || e'\n';
  end loop;
  return v_all;
end
$$;
select is_empty(
  $$
    select type from internal.notification_types() as known
    where internal.is_of_alarm(known.type) <> (
      select pg_get_expr(indpred, indrelid) like '%''' || known.type || '''%' from pg_index where indexrelid = 'kith.notifications_urgent'::regclass
    ) or internal.is_of_alarm(known.type) <> (
      select pg_get_expr(indpred, indrelid) like '%''' || known.type || '''%' from pg_index where indexrelid = 'kith.notifications_unplanned'::regclass
    )
  $$,
  'both indexes of unplanned notifications have the types of internal.is_of_alarm'
);
select matches(
  tests.explained($$
    select created_at from kith.notifications as note
    where tenant_id = 1 and user_id = '0c000000-0000-7000-8000-000000000002' and id >= '0c000000-0000-7000-8000-000000000002'
      and data ? 'alarm_id' and data ->> 'alarm_id' = '0c000000-0000-7000-8000-000000000002' and internal.is_alarm(type)
    order by id desc limit 1
  $$),
  'Index Cond: [^\n]*alarm_id', 'when somebody was last told of an alarm is found by the alarm'
);
select * from finish();
rollback;
