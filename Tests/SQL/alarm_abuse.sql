-- What people may try with alarms, and what faults may do to them: each must come to nothing.
begin;
\ir people.sql
\ir alarm_house.sql
select plan(30);
insert into kith.channel_credentials (tenant_id, channel, summary, sealed, created_at, updated_at)
select tests.tenant('acme'), channel, '{}', '\x00', '2026-01-05T08:00Z', '2026-01-05T08:00Z' from unnest(array['sms', 'email', 'apns']) as channel;
insert into kith.devices (tenant_id, token, user_id, platform, environment, created_at, last_seen_at)
select tests.tenant('acme'), person || 's-phone', tests.id(person), 'ios', 'production', '2026-01-05T08:00Z', '2026-01-05T08:00Z'
from unnest(array['bob', 'carol', 'alice']) as person;
update kith.users set phone = '+491510000000' || right(id::text, 1), phone_verified_at = '2026-01-05T08:00Z'
where tenant_id = tests.tenant('acme') and display_name in ('Bob', 'Carol', 'Alice');

-- Whoever takes every alarm and does nothing holds up nobody for longer than the plan says.
select tests.miss('2026-03-02') \g /dev/null
select tests.act('bob', 'take', '2026-03-02T10:31Z', '{"minutes": 120}') \g /dev/null
select is(tests.act('carol', 'take', '2026-03-02T12:40:59Z') ->> 'problem', 'alarm_taken', 'a taker has it for two hours at most');
select is(tests.act('carol', 'take', '2026-03-02T12:41Z') ->> 'taken_by_me', 'true', 'then somebody else takes it, though no worker has come');
select is(tests.told('alarm_reopened'), 'Alice, Bob, Carol', 'and everybody learns that nobody had it');

-- A repeat takes the next louder channel; a worker that was away tells it once.
delete from kith.notifications;
select tests.act('carol', 'release', '2026-03-02T12:42Z') \g /dev/null
select is((select repeats_told from kith.alarms), 2, 'repeats that fell into the time are left out');
select tests.check_in('alice', '2026-03-02T12:43Z') \g /dev/null
delete from kith.notifications;
select tests.miss('2026-03-03') \g /dev/null
select tests.tell('2026-03-03T13:00Z') \g /dev/null
select is((select count(*) from kith.notifications where type = 'alarm_repeat' and user_id = tests.id('bob')), 1::bigint, 'two repeats that are past are told once');
select tests.plan_all('2026-03-03T13:00Z') \g /dev/null
select is(tests.channels('bob', 'ping_missed'), 'apns', 'the alarm itself came as Bob prefers');
select is(tests.channels('bob', 'alarm_repeat'), 'sms', 'the repeat is a text');
select tests.check_in('alice', '2026-03-03T13:01Z') \g /dev/null

-- A false word can be taken back by any other receiver, and hides no miss.
select tests.miss('2026-03-04') \g /dev/null
select tests.act('bob', 'resolve', '2026-03-04T10:31Z', '{"outcome": "safe"}') \g /dev/null
select is(tests.act('carol', 'reopen', '2026-03-04T10:32Z', '{"note": "She does not answer"}') ->> 'status', 'open', 'who knows better opens it again');
select is((select count(*) from kith.pings where ping_on = '2026-03-04' and status = 'missed'), 2::bigint, 'the pings are missed all the while');
select is((select last_check_in_at from kith.sender_profiles where user_id = tests.id('alice')) < '2026-03-04Z', true, 'and nobody''s word is a sign of life');
select tests.miss('2026-03-05') \g /dev/null
select is((select count(*) from kith.alarms where resolved_at is null), 1::bigint, 'the miss of a new day joins the one that was opened again');
select tests.act('bob', 'resolve', '2026-03-05T10:31Z', '{"outcome": "safe"}') \g /dev/null
select tests.miss('2026-03-06') \g /dev/null
select is((select count(*) from kith.alarms where resolved_at is null and opened_at >= '2026-03-06'), 1::bigint, 'after a word that it is over, the next miss opens a new one');
select tests.check_in('alice', '2026-03-06T10:40Z') \g /dev/null
select is((select count(*) from kith.alarms where resolved_at is null), 0::bigint, 'which a check-in ends');

-- A drill at night wakes nobody, and uses no channel that the person did not choose. A miss does.
insert into kith.quiet_hours (tenant_id, user_id, starts_at, ends_at, updated_at)
values (tests.tenant('acme'), tests.id('bob'), '09:00', '23:00', '2026-03-01T00:00Z');
delete from kith.notifications;
delete from kith.deliveries;
select tests.as_user('acme', 'alice') \g /dev/null
select api.drill_alarm('2026-03-07T12:00Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select tests.tell('2026-03-07T12:30Z') \g /dev/null
select tests.plan_all('2026-03-07T12:31Z') \g /dev/null
select is((select min(next_attempt_at) from kith.deliveries where channel = 'apns' and address = 'bobs-phone'), '2026-03-07T23:00Z', 'a drill waits for the end of quiet hours');
select is(tests.channels('bob', 'alarm_repeat'), 'apns', 'its repeat is no louder');
select is((select count(*) from kith.notifications where escalates_at is not null), 0::bigint, 'and no operator hears that it did not arrive');
select tests.miss('2026-03-08') \g /dev/null
select tests.plan_all('2026-03-08T10:31Z') \g /dev/null
select is((select min(next_attempt_at) from kith.deliveries where channel = 'apns' and address = 'bobs-phone' and created_at > '2026-03-08'), '2026-03-08T10:30:10Z', 'a miss does not wait, and neither does the end of the drill');
select tests.check_in('alice', '2026-03-08T10:40Z') \g /dev/null

-- A flood of calls for help whose messages went out: each is told, but without texts of a further one from the eleventh on.
delete from kith.notifications;
delete from kith.deliveries;
select tests.help('alice', '2026-03-09T08:00Z'::timestamptz + n * interval '1 minute'), tests.check_in('alice', '2026-03-09T08:00:30Z'::timestamptz + n * interval '1 minute')
from generate_series(1, 10) as n \g /dev/null
delete from kith.notifications;
select is(tests.help('alice', '2026-03-09T09:00Z') ->> 'told', '2', 'the eleventh call is told');
insert into kith.notification_preferences (tenant_id, user_id, type, channels, updated_at)
values (tests.tenant('acme'), tests.id('carol'), 'help_requested', '{push,sms}', '2026-03-01T00:00Z');
select tests.plan_all('2026-03-09T09:00Z') \g /dev/null
select is(tests.channels('carol', 'help_requested'), 'apns sms', 'by text too: nothing of the ten was sent');
select is((select count(*) from kith.alarms where sender_id = tests.id('alice') and called_at >= '2026-03-09'), 11::bigint, 'and each has its alarm');
select tests.check_in('alice', '2026-03-09T09:01Z') \g /dev/null

-- "Are you OK?" from somebody who is blocked, removed or paused.
select is(tests.asks('bob', '2026-03-10T06:00Z'), 'asked', 'a receiver asks');
select tests.plan_all('2026-03-10T06:00Z') \g /dev/null
select is(tests.channels('alice', 'ask'), 'apns sms', 'on every channel that the sender has');
select tests.as_user('acme', 'alice') \g /dev/null
select api.put_block(tests.id('bob'), '2026-03-10T06:01Z') \g /dev/null
select tests.as_superuser() \g /dev/null
delete from kith.notifications;
select tests.tell('2026-03-10T06:30Z') \g /dev/null
select is((select count(*) from kith.alarms where kind = 'unanswered'), 0::bigint, 'a question of somebody who is blocked since opens no alarm');
select is(tests.asks('bob', '2026-03-10T07:00Z'), 'not_found', 'and they ask nothing more');

-- After an outage of Kith the minutes count from the judgement.
insert into kith.outages (component, began_at, ended_at) values ('server', '2026-03-11T10:20Z', '2026-03-11T10:50Z');
insert into kith.alarm_plans (tenant_id, user_id, after_minutes, repeat_minutes, take_minutes, answer_minutes, receivers_know_each_other, updated_at)
values (tests.tenant('acme'), tests.id('alice'), '{0}', '{30}', 30, 30, false, '2026-03-01T08:00Z');
select tests.miss('2026-03-11', '11:05:10') \g /dev/null
select is((select counts_from from kith.alarms where id = tests.alarm_id()), '2026-03-11T11:05:10Z', 'our outage makes no repeat come earlier');
select is((select repeats_at from kith.alarms where id = tests.alarm_id())::timestamptz[], array['2026-03-11T11:35:10Z']::timestamptz[], 'than the plan says');
select tests.check_in('alice', '2026-03-11T11:10Z') \g /dev/null

-- Emergency access looks at no alarm.
select is_empty(
  $$ select proname::text from pg_proc where pronamespace = 'internal'::regnamespace and proname ~ '(emergenc|silen|missed_row|owner_returns)' and prosrc ~ 'kith\.alarms' $$,
  'no rule of emergency access reads alarms'
);
select is_empty(
  $$ select proname::text from pg_proc where proname in ('take_alarm', 'resolve_alarm', 'reopen_alarm', 'end_take', 'resolve_row', 'expire_alarm') and prosrc ~ '(kith\.pings|check_ins|signs_of_life|emergenc)' $$,
  'and no act in an alarm changes a ping or a sign of life'
);
-- Another tenant.
select is((select count(*) from kith.alarms where tenant_id <> tests.tenant('acme')), 0::bigint, 'nothing of this has touched another tenant');
select tests.as_user('globex', 'globex-bob') \g /dev/null
select is(api.list_alarms(null, null, 10, null, '2026-03-11T12:00Z')::text, '{"items" : [], "next_cursor" : null}', 'whose people see none of it');
select tests.as_superuser() \g /dev/null
select * from finish();
rollback;
