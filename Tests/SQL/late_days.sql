-- A check-in after the deadline: whom it tells what, and for which day it speaks.
begin;
\ir people.sql
\ir alarm_house.sql
select plan(15);
create function tests.pings() returns text
  language sql
as $$
  select string_agg(distinct to_char(ping_on, 'DD ') || status, ', ') from kith.pings where tenant_id = tests.tenant('acme')
$$;
create function tests.evenings() returns void
  language sql
as $$
  update kith.sender_profiles set ping_time = '21:00' where user_id = tests.id('alice');
  insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at, asked_at)
  select tenant_id, day, id, internal.uuid7(day + interval '21 hours'), sender_id, receiver_id, case day when '2026-03-02' then 'due' else 'scheduled' end,
    day + interval '21 hours', day + interval '22 hours 30 minutes', case day when '2026-03-02' then day + interval '21 hours' end
  from kith.connections
  cross join unnest(array['2026-03-02', '2026-03-03']::date[]) as day
  where sender_id = tests.id('alice')
$$;

-- A later tier that was not told yet.
select tests.as_user('acme', 'alice') \g /dev/null
select api.put_alarm_plan(
  format(
    '{"tiers": [{"after_minutes": 0, "receivers": ["%s"]}, {"after_minutes": 60, "receivers": ["0c000000-0000-7000-8000-000000000002"]}]}',
    tests.id('alice-bob')
  )::jsonb, '2026-03-01T08:00Z'
) \g /dev/null
select tests.as_superuser() \g /dev/null
savepoint planned;
select tests.miss('2026-03-02') \g /dev/null
select tests.check_in('alice', '2026-03-02T11:00Z') \g /dev/null
select is(tests.told('ping_all_clear'), 'Bob', 'who was alarmed gets the all-clear');
select is(tests.told('ping_completed'), 'Carol', 'who was not yet learns of the check-in');
select is(tests.body('carol', 'ping_completed'), 'Alice checked in.', 'as of any other');
rollback to planned;
select tests.miss('2026-03-02') \g /dev/null
select tests.tell('2026-03-02T11:30Z') \g /dev/null
select tests.check_in('alice', '2026-03-02T11:35Z') \g /dev/null
select is(tests.told('ping_all_clear') || coalesce(tests.told('ping_completed'), ''), 'Bob, Carol', 'each is told once');
rollback to planned;
select tests.miss('2026-03-02') \g /dev/null
select tests.check_in('alice', '2026-03-02T11:00Z', '2026-03-02T10:00:00.000000Z') \g /dev/null
select is(tests.body('carol', 'ping_completed'), 'Alice checked in at 10:00; it arrived later.', 'a tap that arrived late says so');
rollback to planned;
select tests.miss('2026-03-02') \g /dev/null
update kith.connections set status = 'paused' where receiver_id = tests.id('carol') and sender_id = tests.id('alice');
select tests.check_in('alice', '2026-03-02T11:00Z') \g /dev/null
select is(tests.told('ping_completed'), null, 'on a paused connection nobody is told');
rollback to planned;
select tests.miss('2026-03-02') \g /dev/null
select tests.act('bob', 'resolve', '2026-03-02T10:40Z', '{"outcome": "safe"}') \g /dev/null
select tests.check_in('alice', '2026-03-02T12:00Z') \g /dev/null
select is(
  tests.told('ping_all_clear') || coalesce(tests.told('ping_completed'), ''), 'Bob, Carol',
  'after somebody has ended the alarm, of which the later tier heard, everybody gets the all-clear'
);
rollback to planned;

-- Half an hour after midnight, she answers for the evening before.
delete from kith.alarm_plan_receivers;
delete from kith.alarm_plans;
savepoint fresh;
select tests.evenings() \g /dev/null
select tests.run('miss_pings', '2026-03-02T22:30:10Z') \g /dev/null
select is(tests.pings(), '02 missed, 03 scheduled', 'an evening was missed');
savepoint missed;
select is((tests.check_in('alice', '2026-03-03T00:30Z') ->> 'completed')::integer, 0, 'a check-in after midnight completes no ping early');
select is(tests.pings(), '02 completed_late, 03 scheduled', 'it speaks for the evening before');
select is(tests.told('ping_all_clear'), 'Bob, Carol', 'of which everybody learns');
rollback to missed;
select tests.check_in('alice', '2026-03-03T20:00Z') \g /dev/null
select is(tests.pings(), '02 completed_late, 03 completed', 'one that is nearer to the coming ping speaks for both');
rollback to missed;
select tests.check_in('alice', '2026-03-03T09:44Z') \g /dev/null
select is(tests.pings(), '02 completed_late, 03 scheduled', 'up to the middle between them');
rollback to missed;
select tests.check_in('alice', '2026-03-03T09:45Z') \g /dev/null
select is(tests.pings(), '02 completed_late, 03 completed', 'it speaks for the one, then for both');
rollback to fresh;
select tests.evenings() \g /dev/null
select tests.check_in('alice', '2026-03-02T22:40Z') \g /dev/null
select tests.check_in('alice', '2026-03-03T00:30Z') \g /dev/null
select is(tests.pings(), '02 completed_late, 03 completed', 'another check-in of the new date completes its ping, as any early one does');
select * from finish();
rollback;
