-- "I need help" (K05), and what ends an alarm besides the acts of those who were told: a check-in, a late tap, leaving.
begin;
\ir people.sql
\ir alarm_house.sql
select plan(51);

-- Help, told to everybody at once.
select is(tests.help('alice', '2026-03-02T07:00Z', 'I fell') ->> 'kind', 'help', 'a call for help is an alarm');
select is(
  (select array_agg(distinct internal.alarm_change(subject_id, parent_id)) from kith.events where type = 'alarm'), array['opened'],
  'events say that it opened, also with a note'
);
select is(tests.told('help_requested'), 'Bob, Carol', 'everybody is told');
select is(tests.body('bob', 'help_requested'), 'Alice needs help. Call them now.', 'in these words');
select is(tests.act('bob', 'get', '2026-03-02T07:01Z') #>> '{timeline,-1,note}', 'I fell', 'they read the note');
select is((tests.help('alice', '2026-03-02T07:01Z') ->> 'id')::uuid, tests.alarm_id(), 'a second tap is the same alarm');
select is((select count(*) from kith.notifications), 2::bigint, 'and adds nothing');
select is(tests.alarm() ->> 'told', '2', 'two have been told');
delete from kith.notifications;
select is(tests.act('bob', 'resolve', '2026-03-02T07:02Z', '{"outcome": "help_called"}') ->> 'outcome', 'help_called', 'Bob calls for help');
select is(tests.body('alice', 'alarm_resolved'), 'Bob has called help for you.', 'she reads it');
select is(tests.act('carol', 'reopen', '2026-03-02T07:03Z') ->> 'status', 'open', 'it can be opened again');
delete from kith.notifications;
select is(tests.act('alice', 'resolve', '2026-03-02T07:04Z', '{"outcome": "false_alarm"}') ->> 'outcome', 'false_alarm', 'a false alarm');
select is(tests.told('alarm_resolved'), 'Bob, Carol', 'is told to everybody');
select is(tests.body('carol', 'alarm_resolved'), 'Alice says it was a false alarm.', 'in these words');
select is(tests.refusal('bob', 'reopen', '2026-03-02T07:05Z'), 'invalid_transition', 'and is not opened again');
delete from kith.notifications;
select is(tests.help('alice', '2026-03-02T07:10Z') ->> 'status', 'open', 'she calls again');
select is(tests.check_in('alice', '2026-03-02T07:11Z') ->> 'completed', '0', '"I''m safe"');
select is(tests.alarm() ->> 'outcome', 'checked_in', 'ends it');
select is(tests.body('bob', 'ping_all_clear'), 'Alice checked in. They''re safe.', 'in words that do not say late');
select is((select count(*) from kith.notifications where type = 'ping_all_clear'), 2::bigint, 'once to each');

-- It is never refused, and beyond ten a day calling and ending in turn is one alarm.
select tests.help('alice', '2026-03-02T08:00Z'::timestamptz + n * interval '1 second'),
  tests.act('alice', 'resolve', '2026-03-02T08:00Z'::timestamptz + n * interval '1 second', '{"outcome": "false_alarm"}')
from generate_series(1, 8) as n \g /dev/null
select is((select count(*) from kith.alarms where sender_id = tests.id('alice')), 10::bigint, 'ten calls are an alarm each');
delete from kith.notifications;
select is(tests.help('alice', '2026-03-02T08:10Z') ->> 'status', 'open', 'the eleventh is not refused');
select is(tests.told('help_requested'), 'Bob, Carol', 'and is told to everybody');
select is((select count(*) from kith.alarms where sender_id = tests.id('alice')), 10::bigint, 'it goes on with the call that has just ended');
select tests.check_in('alice', '2026-03-02T08:11Z') \g /dev/null

-- Nobody to tell.
select is(tests.help('mallory', '2026-03-02T08:20Z') ->> 'advice', 'Nobody could be told. Call your local emergency number.', 'who has nobody reads what to do');
select is(tests.alarm() ->> 'told', '0', 'and that nobody was told');
select is(tests.help('bob', '2026-03-02T08:21Z') ->> 'status', 'open', 'nobody needs a sender''s profile');
select is(tests.check_in('bob', '2026-03-02T08:22Z') ->> 'completed', '0', 'who says that they are safe');
select is(tests.alarm() ->> 'outcome', 'checked_in', 'ends it too');
update kith.connections set status = 'paused' where sender_id = tests.id('alice');
select is(tests.help('alice', '2026-03-02T08:30Z') ->> 'told', '2', 'where there are only paused connections, they are told');
select tests.check_in('alice', '2026-03-02T08:31Z') \g /dev/null
select is(tests.alarm() ->> 'outcome', 'checked_in', 'and hear of the end');
update kith.connections set status = 'active' where sender_id = tests.id('alice');

-- Help during a missed alarm.
select tests.miss('2026-03-03') \g /dev/null
select tests.act('bob', 'take', '2026-03-03T10:31Z') \g /dev/null
delete from kith.notifications;
select is(tests.help('alice', '2026-03-03T10:40Z') ->> 'kind', 'help', 'the missed alarm becomes a call for help');
select is(tests.alarm('2026-03-03T10:41Z') ->> 'status', 'taken', 'and stays taken');
select is(tests.told('help_requested'), 'Bob, Carol', 'everybody is told');
select is((select array_agg(repeat) from kith.alarms, unnest(repeats_at) as repeat where id = tests.alarm_id()), array['2026-03-03T11:10Z', '2026-03-03T12:40Z']::timestamptz[], 'the repeats begin anew');

-- A tap that arrives late.
select tests.check_in('alice', '2026-03-03T10:50Z', '2026-03-03T10:35Z') \g /dev/null
select is(tests.alarm('2026-03-03T10:51Z') ->> 'status', 'taken', 'a tap from before the call for help does not end it');
select tests.check_in('alice', '2026-03-03T10:55Z', '2026-03-03T10:45Z') \g /dev/null
select is(tests.alarm() ->> 'outcome', 'checked_in', 'one after it does');
select tests.miss('2026-03-04') \g /dev/null
select tests.miss('2026-03-05') \g /dev/null
select tests.check_in('alice', '2026-03-05T11:00Z', '2026-03-04T09:30Z') \g /dev/null
select is(tests.alarm('2026-03-05T11:00Z') ->> 'status', 'open', 'a tap of yesterday does not end the alarm of today');
select tests.check_in('alice', '2026-03-05T11:10Z', '2026-03-05T09:30Z') \g /dev/null
select is(tests.alarm() ->> 'outcome', 'checked_in', 'a tap of today does');

-- Leaving.
select tests.miss('2026-03-06') \g /dev/null
select tests.act('bob', 'take', '2026-03-06T10:31Z') \g /dev/null
delete from kith.notifications;
delete from kith.events;
select tests.as_user('acme', 'bob') \g /dev/null
select api.remove_connection(tests.id('alice-bob'), '2026-03-06T10:40Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select is(tests.alarm('2026-03-06T10:41Z') ->> 'status', 'open', 'when the taker leaves, it is open again');
select is(tests.told('alarm_reopened'), 'Alice, Carol', 'those who remain are told, and the sender');
select is(tests.refusal('bob', 'get', '2026-03-06T10:41Z'), 'not_found', 'for whoever left there is no alarm');
select is((select count(*) from kith.events where type = 'alarm' and user_id = tests.id('bob') and subject_id = tests.alarm_id()), 1::bigint, 'their screen shows that');
select tests.as_user('acme', 'alice') \g /dev/null
select api.put_block(tests.id('carol'), '2026-03-06T10:50Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select is(tests.refusal('carol', 'get', '2026-03-06T10:51Z'), 'not_found', 'nor for whom the sender has blocked');
delete from kith.notifications;
select tests.tell('2026-03-06T13:00Z') \g /dev/null
select is((select count(*) from kith.notifications), 0::bigint, 'nobody is left to be told');
select is(tests.alarm('2026-03-06T13:00Z') ->> 'outcome', 'expired', 'it concerns nobody, and is over');
select is((select resolved_at from kith.alarms where id = tests.alarm_id()), '2026-03-06T10:50Z', 'since the last one left');

-- A suspension of the tenant refuses none of it (A02).
update kith.connections set status = 'active', deleted_at = null, deleted_by = null where sender_id = tests.id('alice');
delete from kith.blocks;
update kith.tenants set status = 'suspended', suspended_at = '2026-03-14T00:00Z' where slug = 'acme';
select is(tests.help('alice', '2026-03-14T08:00Z') ->> 'told', '2', 'whoever is in a suspended tenant can call for help');
select is(tests.act('bob', 'take', '2026-03-14T08:01Z') ->> 'status', 'taken', 'take an alarm');
select is(tests.act('bob', 'resolve', '2026-03-14T08:02Z', '{"outcome": "safe"}') ->> 'outcome', 'safe', 'and end it');
select is(tests.act('carol', 'reopen', '2026-03-14T08:03Z') ->> 'status', 'open', 'and open it again');
select * from finish();
rollback;
