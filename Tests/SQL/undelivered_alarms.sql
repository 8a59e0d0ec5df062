-- Alarms that reached nobody: the operator is told until they are resolved.
begin;
\ir people.sql
select plan(19);
\set now '''2026-03-10T12:00:00Z'''

create function tests.letter(p_n integer) returns uuid
  language sql immutable
  return ('019cd79e-4600-7000-8000-' || lpad(p_n::text, 12, '0'))::uuid;
insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at)
values (
  tests.tenant('acme'), '2026-03-10', tests.id('alice-bob'), tests.letter(1), tests.id('alice'), tests.id('bob'), 'missed', '2026-03-10T10:00Z',
  '2026-03-10T11:30Z'
);
insert into kith.notifications (tenant_id, id, user_id, type, body, data, created_at, planned_at, delivery_status)
values (
  tests.tenant('acme'), tests.letter(2), tests.id('bob'), 'ping_missed', 'B',
  jsonb_build_object('connection_id', tests.id('alice-bob'), 'ping_id', tests.letter(1), 'date', '2026-03-10'), :now, :now, 'failed'
);
insert into kith.undelivered_alarms (tenant_id, notification_id, user_id, type, at)
values (tests.tenant('acme'), tests.letter(2), tests.id('bob'), 'ping_missed', :now);
insert into kith.webhooks (tenant_id, id, url, types, sealed_secrets, taken_xid, taken_at, next_attempt_at, created_at, updated_at)
select tests.tenant('acme'), tests.letter(n), 'https://acme.example', types::text[], '\x00', pg_current_xact_id(), :now, :now, :now, :now
from (values (1, '{ping}'), (2, '{}')) as hooks (n, types);
select tests.as_role('kith_worker');
select is(worker.alarm_operator('2026-03-10T12:04:59Z', 10), 1, 'an alarm is examined');
select is(worker.alarm_operator('2026-03-10T12:04:59Z', 10), 0, 'an alarm is not examined again at once');
select tests.as_superuser();
select is((select operators_at from kith.undelivered_alarms), null, 'a tenant''s webhook has five minutes before the operator is told');
select is((select examine_at from kith.undelivered_alarms), '2026-03-10T12:05:59Z', 'a new alarm is examined each minute');
update kith.webhooks set disabled_at = :now, disabled_reason = 'gone' where types = '{}';
select tests.as_role('kith_worker');
select is(worker.alarm_operator('2026-03-10T12:04:59Z', 10), 1, 'the operator is told at once if no webhook would accept the alarm');
select is(
  (select told -> 'alarms' -> 0 ->> 'id' from worker.tell_operator('2026-03-10T12:05:00Z') as told), tests.letter(2)::text, 'the report names the undelivered alarm'
);
select is(worker.operator_told('2026-03-10T12:05:10Z', (worker.tell_operator('2026-03-10T12:05:00Z') -> 'alarms')::jsonb), 1, 'the operator is recorded as told');
select is(worker.tell_operator('2026-03-10T12:06:00Z') ->> 'undelivered_alarms', '1', 'the operator is told until the alarm is resolved');
select tests.as_role('kith_admin');
select admin.resolve_alarm('acme', tests.letter(2), 'called Bob') \g /dev/null
select is((select count(*) from admin.undelivered_alarms), 0::bigint, 'resolving the alarm ends it');
select matches(
  (select detail from admin.story_of_notification('acme', tests.letter(2)) where what = 'resolved'), 'by operator:.*: called Bob$', 'and the story says by whom, and how'
);
select tests.as_role('kith_worker');
select is(worker.tell_operator('2026-03-10T12:07:00Z')::text, null, 'resolving the alarm ends the report to the outside address too');

-- Alarms that nobody resolves are examined less and less often.
select tests.as_superuser();
update kith.undelivered_alarms set resolved_at = null, operators_at = null, examine_at = '2026-03-10T22:30Z';
select tests.as_role('kith_worker');
select is(worker.alarm_operator('2026-03-10T22:00Z', 10), 1, 'an alarm is handed over between two examinations');
select tests.as_superuser();
select is(
  (select row(operators_at, resolved_at, examine_at)::text from kith.undelivered_alarms),
  row('2026-03-10T22:00Z'::timestamptz, null::timestamptz, '2026-03-10T23:00Z'::timestamptz)::text,
  'an alarm of ten hours is examined an hour later'
);
update kith.notifications set read_at = '2026-03-10T22:30Z';
select tests.as_role('kith_worker');
select is(worker.alarm_operator('2026-03-10T22:59Z', 10), 0, 'it is not examined before');
select is(worker.alarm_operator('2026-03-10T23:00Z', 10), 1, 'it is examined then');
select tests.as_superuser();
select is((select resolved_at from kith.undelivered_alarms), '2026-03-10T23:00Z', 'an alarm that was read ends at the next examination');
update kith.undelivered_alarms set resolved_at = null, operators_at = null;
select tests.as_role('kith_worker');
select is(worker.alarm_operator('2026-03-10T23:01Z', 10), 1, 'an alarm is examined before the operator gets it');
select tests.as_superuser();
select is(
  (select row(operators_at, resolved_at)::text from kith.undelivered_alarms),
  row(null::timestamptz, '2026-03-10T23:01Z'::timestamptz)::text, 'the operator gets no alarm that was read'
);

update kith.undelivered_alarms set at = '2026-03-01T12:00Z', examine_at = '2026-03-10T23:30Z', resolved_at = null, operators_at = null;
update kith.notifications set read_at = null;
select tests.as_role('kith_worker');
select worker.alarm_operator('2026-03-10T23:30Z', 10) \g /dev/null
select tests.as_superuser();
select is((select examine_at from kith.undelivered_alarms), '2026-03-11T00:30Z', 'an old alarm is examined each hour');

select * from finish();
rollback;
