-- What /readyz reports about waiting work.
begin;
\ir people.sql
select plan(17);

create function tests.readiness(p_now timestamptz) returns jsonb
  language plpgsql
as $$
declare
  v_answer jsonb;
begin
  perform tests.as_role('kith_api');
  v_answer := api.readiness(p_now);
  perform tests.as_superuser();
  return v_answer;
end
$$;

delete from kith.ping_runs; delete from kith.pings; delete from kith.heartbeats;
select is(tests.readiness('2026-03-02T12:00:00Z') - 'partitions_ahead_days' - 'schema_version',
  '{"oldest_run_seconds": 0, "oldest_due_seconds": 0, "oldest_miss_seconds": 0, "oldest_break_seconds": 0, "oldest_alarm_seconds": 0, "oldest_unplanned_seconds": 0, "oldest_delivery_seconds": 0, "oldest_set_aside_seconds": 0, "unconfirmed_restore": 0, "pings_not_made": 0, "undelivered_alarms": 0, "failing_webhooks": 0, "worker_beat_seconds": null}', 'nothing is waiting, and no worker has been seen');
insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at) values
  (tests.tenant('acme'), 'UTC', '2026-03-02', '2026-03-02T00:00:00Z'), (tests.tenant('acme'), 'UTC', '2026-03-03', '2026-03-03T00:00:00Z');
select is(tests.readiness('2026-03-02T00:01:30.5Z') -> 'oldest_run_seconds', '90', 'readiness gives the age of the oldest run');
insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at)
values (tests.tenant('acme'), '2026-03-02', tests.id('alice-bob'), internal.uuid7('2026-03-02Z'), tests.id('alice'), tests.id('bob'), 'scheduled',
  '2026-03-02T09:00:00Z', '2026-03-02T10:30:00Z');
select is(tests.readiness('2026-03-02T09:02:00Z') -> 'oldest_due_seconds', '120', 'readiness gives the age of the oldest ping that should be due');
update kith.pings set status = 'due';
select is(tests.readiness('2026-03-02T10:30:09Z') -> 'oldest_miss_seconds', '0', 'no miss is late within 10 seconds of the deadline');
select is(tests.readiness('2026-03-02T10:31:00Z') -> 'oldest_miss_seconds', '60', 'readiness gives the age of the oldest ping that should be missed');
insert into kith.breaks (tenant_id, id, user_id, from_on, until_on, starts_at, ends_at, created_at, updated_at)
values (tests.tenant('acme'), internal.uuid7('2026-03-01Z'), tests.id('alice'), '2026-03-02', '2026-03-03', '2026-03-02T00:00:00Z', '2026-03-04T00:00:00Z',
  '2026-03-01Z', '2026-03-01Z');
select is(tests.readiness('2026-03-01T23:59:59Z') -> 'oldest_break_seconds', '0', 'a future break is not late');
select is(tests.readiness('2026-03-02T00:01:00Z') -> 'oldest_break_seconds', '60', 'a break whose beginning was not announced is late');
update kith.breaks set told_until_on = until_on;
select is(tests.readiness('2026-03-03T23:59:59Z') -> 'oldest_break_seconds', '0', 'an announced break is not late');
select is(tests.readiness('2026-03-04T00:00:30Z') -> 'oldest_break_seconds', '30', 'a break whose end was not announced is late');
insert into kith.heartbeats (component, instance, started_at, beat_at) values ('worker', 'w1', '2026-03-02Z', '2026-03-02T10:00:00Z'), ('worker', 'w2', '2026-03-02Z', '2026-03-02T10:00:30Z');
select is(tests.readiness('2026-03-02T10:01:00Z') -> 'worker_beat_seconds', '30', 'readiness gives the age of the newest heartbeat of any worker');
select cmp_ok((tests.readiness('2026-03-02T10:01:00Z') -> 'partitions_ahead_days')::integer, '>=', 60, 'partitions are made two months ahead');
select ok(tests.readiness('2026-03-02T10:01:00Z') ? 'schema_version', 'readiness gives the schema version');

insert into kith.ping_gaps (tenant_id, ping_on, connection_id, found_at, mended) values
  (tests.tenant('acme'), '2026-03-01', tests.id('alice-bob'), '2026-03-01T13:00Z', false),
  (tests.tenant('globex'), '2026-03-01', tests.id('globex-alice-bob'), '2026-03-01T13:00Z', true);
update kith.ping_runs set skipped = 7, starts_at = '2026-03-01T00:00Z', finished_at = '2026-03-01T15:00Z' where ping_on = '2026-03-02';
select is(tests.readiness('2026-03-01T12:59Z') -> 'pings_not_made', '0', 'nothing is lost before it is found');
select is(tests.readiness('2026-03-01T16:00Z') -> 'pings_not_made', '8', 'readiness counts gaps that were found too late, and pings that a late run skipped');
select is(tests.readiness('2026-03-02T14:00Z') -> 'pings_not_made', '7', 'for a day each');
select matches(
  (select string_agg(what || ' -> ' || remedy, '; ') from internal.obstacles('2026-03-01T16:00Z')), 'never made: 8 -> select \* from admin.ping_gaps',
  'the overview says so, and where they are'
);

insert into kith.webhooks (
  tenant_id, id, url, sealed_secrets, taken_xid, taken_at, attempts, next_attempt_at, disabled_at, disabled_reason, created_at, updated_at
)
select tests.tenant('acme'), internal.uuid7('2026-03-02Z'), 'https://acme.example/' || n, '', '1', '2026-03-02Z', attempts, '2026-03-02Z',
  case when n = 3 then '2026-03-02Z'::timestamptz end, case when n = 3 then 'gone' end, '2026-03-02Z', '2026-03-02Z'
from (values (1, 0), (2, 4), (3, 4)) as webhook (n, attempts);
select is(tests.readiness('2026-03-02T12:00:00Z') -> 'failing_webhooks', '1', 'a failing webhook is counted, and a disabled one is not');

select * from finish();
rollback;
