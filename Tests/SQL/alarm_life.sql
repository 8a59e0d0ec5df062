-- An alarm from the miss to the end (K00-K05): whom it concerns, who may do what, and who is told.
begin;
\ir people.sql
\ir alarm_house.sql
select plan(62);

-- A miss opens an alarm.
select tests.miss('2026-03-02') \g /dev/null
select is(tests.alarm() ->> 'kind', 'missed', 'a miss opens an alarm');
select is(tests.alarm() ->> 'status', 'open', 'which is open');
select is(tests.told('ping_missed'), 'Alice, Bob, Carol', 'everybody is told at the deadline');
select is((select count(*) from kith.alarms), 1::bigint, 'one alarm, however many connections');
select is((select counts_from from kith.alarms), '2026-03-02T10:30Z', 'its minutes count from the deadline');
select is(tests.answer('select 1', 'mallory', $$api.list_alarms(null, null, 10, null, '2026-03-02T10:31Z') -> 'items'$$), '[]', 'a stranger sees none');
select is(tests.answer('select 1', 'mallory', format($$api.get_alarm(%L, '2026-03-02T10:31Z')$$, tests.alarm_id())), 'not_found', 'nor that there is one');
select is(tests.act('bob', 'get', '2026-03-02T10:31Z') ->> 'role', 'receiver', 'a receiver is one');
select is(tests.act('alice', 'get', '2026-03-02T10:31Z') ->> 'role', 'sender', 'the sender is one');
select is((tests.act('bob', 'get', '2026-03-02T10:31Z') -> 'sender')::jsonb, jsonb_build_object('id', tests.id('alice'), 'display_name', 'Alice'), 'it names the sender');
select is(tests.kinds('bob'), 'opened told told', 'the timeline says who was told');
select is(tests.act('bob', 'get', '2026-03-02T10:31Z') ->> 'next_at', '2026-03-02T11:00:00.000000Z', 'and when everybody is told again');

-- Take: the first wins.
delete from kith.notifications;
select is(tests.act('bob', 'take', '2026-03-02T10:32Z') ->> 'status', 'taken', 'Bob takes it');
select is(tests.act('bob', 'get', '2026-03-02T10:32Z') ->> 'taken_until', '2026-03-02T11:02:00.000000Z', 'for 30 minutes');
select is(tests.told('alarm_taken'), 'Alice, Carol', 'the others are told, and the sender');
select is(tests.body('carol', 'alarm_taken'), 'Another receiver is looking after it.', 'who do not know each other');
select is(tests.body('alice', 'alarm_taken'), 'Bob is looking after it.', 'the sender reads the name');
select is((tests.act('carol', 'take', '2026-03-02T10:33Z') -> 'taken_by')::text, '{"id" : null, "display_name" : "another receiver"}', 'the second is told that somebody has it');
select is(tests.act('carol', 'take', '2026-03-02T10:33Z') ->> 'problem', 'alarm_taken', 'and is refused');
select is(tests.act('bob', 'take', '2026-03-02T10:34Z') ->> 'taken_until', '2026-03-02T11:04:00.000000Z', 'taking it again begins the time anew');
select is(tests.told('alarm_taken'), 'Alice, Carol', 'and tells nobody anything');
select is(tests.refusal('bob', 'take', '2026-03-02T10:34Z', '{"minutes": 4}'), 'validation_failed', 'not for 4 minutes');
select is(tests.refusal('alice', 'take', '2026-03-02T10:34Z'), 'forbidden', 'the sender does not look after themselves');
select is(tests.refusal('mallory', 'take', '2026-03-02T10:34Z'), 'not_found', 'for a stranger there is no alarm');
delete from kith.notifications;
select tests.tell('2026-03-02T11:03Z') \g /dev/null
select is((select count(*) from kith.notifications), 0::bigint, 'while it is taken nobody is told more');
-- The taker is asked, and ten minutes later it is open again.
select tests.tell('2026-03-02T11:04Z') \g /dev/null
select is(tests.told('alarm_check'), 'Bob', 'the taker is asked');
select is(tests.body('bob', 'alarm_check'), 'Are you still looking after Alice? If you do not answer within ten minutes, the others are told that nobody is.', 'in these words');
select is(tests.act('carol', 'get', '2026-03-02T11:13:59Z') ->> 'status', 'taken', 'it stays taken for ten minutes');
select is(tests.act('carol', 'get', '2026-03-02T11:14Z') ->> 'status', 'open', 'and is open then, whenever the worker comes');
delete from kith.notifications;
select tests.tell('2026-03-02T11:14Z') \g /dev/null
select is(tests.told('alarm_reopened'), 'Alice, Bob, Carol', 'everybody is told');
select is(tests.body('carol', 'alarm_reopened'), 'Nobody is looking after Alice at the moment.', 'in these words');
select is(tests.told('alarm_repeat'), null, 'the repeat of 11:00 passed while it was taken');
select is(tests.act('bob', 'get', '2026-03-02T11:15Z') ->> 'next_at', '2026-03-02T12:30:00.000000Z', 'the next one comes at its instant');
select is(tests.act('carol', 'take', '2026-03-02T11:16Z') ->> 'status', 'taken', 'then somebody else can take it');
select is(tests.refusal('bob', 'release', '2026-03-02T11:16Z'), 'invalid_transition', 'only the taker gives it back');
delete from kith.notifications;
select is(tests.act('carol', 'release', '2026-03-02T11:17Z') ->> 'status', 'open', 'Carol gives it back');
select is(tests.told('alarm_reopened'), 'Alice, Bob, Carol', 'and everybody is told');
delete from kith.notifications;
select tests.tell('2026-03-02T12:30Z') \g /dev/null
select is(tests.told('alarm_repeat'), 'Bob, Carol', 'two hours after the deadline everybody is told again');
select is(tests.body('bob', 'alarm_repeat'), 'There is still no sign of Alice.', 'in these words');

-- Resolve, reopen.
select is(tests.refusal('bob', 'resolve', '2026-03-02T12:31Z', '{"outcome": "false_alarm"}'), 'forbidden', 'only the sender says that it was a false alarm');
select is(tests.refusal('alice', 'resolve', '2026-03-02T12:31Z', '{"outcome": "safe"}'), 'forbidden', 'and nothing else');
delete from kith.notifications;
select is(tests.act('bob', 'resolve', '2026-03-02T12:32Z', '{"outcome": "safe", "note": "She slept"}') ->> 'outcome', 'safe', 'Bob has reached her');
select is(tests.told('alarm_resolved'), 'Alice, Carol', 'the others are told, and the sender');
select is(tests.body('carol', 'alarm_resolved'), 'Another receiver reached Alice: they''re safe.', 'in these words');
select is(tests.body('alice', 'alarm_resolved'), 'Bob told the others that you''re safe.', 'the sender reads who said so');
select is((select array_agg(distinct status) from kith.pings where sender_id = tests.id('alice')), array['missed'], 'nobody''s word hides the miss');
select is(tests.refusal('bob', 'resolve', '2026-03-02T12:33Z', '{"outcome": "safe"}'), 'invalid_transition', 'what is over is not resolved again');
select is(tests.refusal('bob', 'take', '2026-03-02T12:33Z'), 'invalid_transition', 'nor taken');
select is(tests.refusal('alice', 'reopen', '2026-03-02T12:33Z'), 'forbidden', 'the sender opens nothing again');
select is(tests.act('carol', 'reopen', '2026-03-02T12:34Z') ->> 'status', 'open', 'any receiver does');
select is(tests.refusal('carol', 'reopen', '2026-03-02T12:34Z'), 'invalid_transition', 'once');
select is(tests.act('bob', 'notes', '2026-03-02T12:35Z', '{"body": "I drive there"}') #>> '{timeline,-1,note}', 'I drive there', 'a note stands in the timeline');

-- A check-in ends it, and brings everybody one all-clear.
delete from kith.notifications;
select tests.check_in('alice', '2026-03-02T12:40Z') \g /dev/null
select is(tests.alarm() ->> 'outcome', 'checked_in', 'a check-in ends it');
select is(tests.told('ping_all_clear'), 'Bob, Carol', 'everybody who was told gets the all-clear, once');
select is(tests.body('carol', 'ping_all_clear'), 'Alice checked in late. They''re safe.', 'in the words of C');
select is(tests.refusal('carol', 'reopen', '2026-03-02T12:41Z'), 'invalid_transition', 'then nobody opens it again');
select is(tests.kinds('carol'), 'opened told told taken still_on_it asked lapsed taken released repeated resolved reopened noted checked_in', 'the timeline has it all');
select is((select array_agg(distinct user_id::text || type) from kith.events where type = 'alarm' and subject_id = tests.alarm_id()),
  array[tests.id('bob') || 'alarm', tests.id('alice') || 'alarm', tests.id('carol') || 'alarm'], 'all of it shows on three screens, and on no other');
select tests.tell('2026-03-20T00:00Z') \g /dev/null
select is(tests.alarm() ->> 'outcome', 'checked_in', 'and time changes nothing more');
select is((select next_at from kith.alarms), null, 'nothing is left to do');

-- An end that was written before a newer call for help (K03, K05).
select tests.as_user('acme', 'alice') \g /dev/null
select api.call_for_help('I fell', null, 'app', '2026-03-21T10:00Z') \g /dev/null
select api.call_for_help('It burns', null, 'app', '2026-03-21T10:05Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select is(
  tests.refusal('bob', 'resolve', '2026-03-21T10:06Z', '{"outcome": "safe", "seen_at": "2026-03-21T10:04Z"}'), 'invalid_transition',
  'nobody ends an alarm by a page from before the sender called again'
);
select is(
  tests.act('bob', 'resolve', '2026-03-21T10:07Z', '{"outcome": "safe", "seen_at": "2026-03-21T10:05Z"}') ->> 'outcome', 'safe', 'but whoever has read the call does'
);
select * from finish();
rollback;
