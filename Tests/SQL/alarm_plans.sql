-- Plans with tiers and repeats (K04), a new day's miss (K00), questions (K06) and drills (K10).
begin;
\ir people.sql
\ir alarm_house.sql
select plan(82);
create function tests.plan(p_body jsonb) returns text
  language plpgsql
as $$
begin
  perform tests.as_user('acme', 'alice');
  perform api.put_alarm_plan(p_body, '2026-03-01T08:00Z');
  perform tests.as_superuser();
  return 'set';
exception when others then
  perform tests.as_superuser();
  return sqlerrm;
end
$$;
create function tests.ask(p_person text, p_now timestamptz) returns text
  language plpgsql
as $$
declare
  v_answer json;
begin
  perform tests.as_user('acme', p_person);
  v_answer := api.ask_sender(tests.id('alice-bob'), p_now);
  perform tests.as_superuser();
  return v_answer ->> 'answer_by';
exception when others then
  perform tests.as_superuser();
  return sqlerrm;
end
$$;
create function tests.drill(p_now timestamptz) returns text
  language plpgsql
as $$
declare
  v_answer json;
begin
  perform tests.as_user('acme', 'alice');
  v_answer := api.drill_alarm(p_now);
  perform tests.as_superuser();
  return v_answer ->> 'kind';
exception when others then
  perform tests.as_superuser();
  return sqlerrm;
end
$$;

-- What a plan may be.
select is(tests.answer('select 1', 'alice', $$ api.get_alarm_plan()::jsonb - 'tiers' $$),
  '{"take_minutes": 30, "answer_minutes": 30, "repeat_minutes": [30, 120], "receivers_know_each_other": false}', 'the default');
select is(tests.answer('select 1', 'alice', $$ api.get_alarm_plan() #>> '{tiers,0,after_minutes}' $$), '0', 'tells everybody at the deadline');
select is(tests.answer('select 1', 'alice', $$ json_array_length(api.get_alarm_plan() #> '{tiers,0,receivers}') $$), '2', 'who are all receivers');
select is(tests.answer('select 1', 'alice', $$ api.home('2026-03-01T08:00Z') #>> '{sender,plan}' $$), 'nothing', 'which the first screen does not show');
select is(tests.plan('{"tiers": [{"after_minutes": 30}, {"after_minutes": 30}]}'), 'validation_failed', 'tiers ascend');
select is(tests.plan('{"tiers": [{"after_minutes": 0, "desk": true}, {"after_minutes": 30}]}'), 'validation_failed', 'the desk is in the last one');
select is(tests.plan(jsonb_build_object('tiers', jsonb_build_array(jsonb_build_object('after_minutes', 0, 'receivers', array[tests.id('alice-bob'), tests.id('alice-bob')])))),
  'validation_failed', 'a receiver stands in one tier');
select isnt(
  tests.answer('select 1', 'alice', format(
    $$ api.put_alarm_plan(jsonb_build_object('tiers', jsonb_build_array(jsonb_build_object('after_minutes', 0, 'receivers', array[%L]))), '2026-03-02T09:00Z') $$,
    upper(tests.id('alice-bob')::text)
  )), 'validation_failed', 'ids in capitals are the same ids'
);
select is(tests.plan(jsonb_build_object('tiers', jsonb_build_array(jsonb_build_object('after_minutes', 0, 'receivers', array[tests.id('globex-alice-bob')])))),
  'validation_failed', 'and is the sender''s own');
select is(tests.plan('{"repeat_minutes": [30, 30]}'), 'validation_failed', 'repeats are distinct');

-- Bob at the deadline, Carol 20 minutes later, then the desk.
select is(
  tests.plan(jsonb_build_object('tiers', jsonb_build_array(
    jsonb_build_object('after_minutes', 0, 'receivers', array[tests.id('alice-bob')]), jsonb_build_object('after_minutes', 20),
    jsonb_build_object('after_minutes', 45, 'receivers', '[]'::jsonb, 'desk', true)
  ), 'repeat_minutes', array[30, 60], 'receivers_know_each_other', true)),
  'set', 'a plan with three tiers'
);
select is(tests.answer('select 1', 'alice', $$ api.home('2026-03-01T08:00Z') #>> '{sender,plan,tiers,1,after_minutes}' $$), '20', 'which the first screen shows');
select is(tests.answer('select 1', 'alice', $$ json_array_length(api.get_alarm_plan() #> '{tiers,1,receivers}') $$), '1', 'whoever stands in no tier is told with the last that is not the desk''s alone');
select is(
  tests.plan(jsonb_build_object('tiers', jsonb_build_array(
    jsonb_build_object('after_minutes', 0, 'receivers', array[tests.id('alice-bob')]),
    jsonb_build_object('after_minutes', 20, 'receivers', array['0c000000-0000-7000-8000-000000000002']), jsonb_build_object('after_minutes', 45, 'desk', true)
  ), 'repeat_minutes', array[30, 60], 'receivers_know_each_other', true)),
  'set', 'Carol in the second'
);
select tests.employ_desk('2026-03-01T08:00Z') \g /dev/null
select tests.miss('2026-03-02', '10:35') \g /dev/null
select is(tests.told('ping_missed'), 'Alice, Bob', 'the first tier is told');
select is(tests.refusal('carol', 'get', '2026-03-02T10:36Z'), 'not_found', 'for the second there is no alarm yet');
select is((select array_agg(alarmed_at is null order by connection_id) from kith.pings), array[false, true], 'nor an all-clear to come');
select tests.tell('2026-03-02T10:49:59Z') \g /dev/null
select is(tests.told('ping_missed'), 'Alice, Bob', 'not before its minutes have passed');
select tests.tell('2026-03-02T10:50Z') \g /dev/null
select is(tests.told('ping_missed'), 'Alice, Bob, Carol', 'which count from the deadline, however late the worker was');
select is(tests.body('carol', 'ping_missed'), 'Alice has not checked in today.', 'it is told as the first');
select is(tests.act('carol', 'get', '2026-03-02T10:51Z') ->> 'status', 'open', 'then there is an alarm');
select tests.tell('2026-03-02T11:00Z') \g /dev/null
select is(tests.told('alarm_repeat'), 'Bob, Carol', 'everybody who was told is told again');
select is((select desk_told_at from kith.alarms), null, 'the desk is not told yet');
select tests.tell('2026-03-02T11:15Z') \g /dev/null
select is((select desk_told_at from kith.alarms), '2026-03-02T11:15Z', 'then it is');
select is(tests.act('bob', 'take', '2026-03-02T11:16Z') ->> 'status', 'taken', 'Bob takes it');
select is(tests.body('carol', 'alarm_taken'), 'Bob is looking after it.', 'receivers who may know each other read the name');
select is(tests.act('carol', 'take', '2026-03-02T11:17Z') #>> '{taken_by,display_name}', 'Bob', 'in the refusal too');
select tests.check_in('alice', '2026-03-02T11:20Z') \g /dev/null
select is((select count(*) from kith.notifications where type = 'ping_all_clear'), 2::bigint, 'a check-in brings each of them one all-clear');

-- An early end: who was not told of the miss hears of the check-in alone.
delete from kith.notifications;
select tests.miss('2026-03-03') \g /dev/null
select tests.check_in('alice', '2026-03-03T10:40Z') \g /dev/null
select is((select string_agg(distinct person.display_name, ', ') from kith.notifications join kith.users as person on person.id = user_id where type in ('ping_missed', 'ping_all_clear')),
  'Alice, Bob', 'whoever was not told of an alarm hears nothing of its end');
select tests.tell('2026-03-03T11:30Z') \g /dev/null
select is((select string_agg(type, ' ') from kith.notifications where user_id = tests.id('carol')), 'ping_completed', 'nor later: she reads that Alice has checked in');

-- A new day's miss joins the taken alarm.
select tests.plan('{}') \g /dev/null
select tests.miss('2026-03-04') \g /dev/null
select tests.act('bob', 'take', '2026-03-04T10:31Z', '{"minutes": 120}') \g /dev/null
select tests.act('bob', 'take', '2026-03-04T12:30Z', '{"minutes": 120}') \g /dev/null
update kith.alarms set taken_at = '2026-03-05T10:00Z', taken_until = '2026-03-05T12:00Z', next_at = '2026-03-05T12:00Z' where id = tests.alarm_id();
delete from kith.notifications;
select tests.miss('2026-03-05') \g /dev/null
select is((select count(*) from kith.alarms where resolved_at is null), 1::bigint, 'the miss of a new day joins the alarm');
select is(tests.alarm('2026-03-05T10:31Z') ->> 'status', 'taken', 'which stays taken');
select is(tests.told('ping_missed'), 'Alice, Bob, Carol', 'those who were told are told once more');
select is(tests.kinds('bob') like '% missed', true, 'the timeline says so');
savepoint joined;
select is(
  tests.refusal('bob', 'resolve', '2026-03-05T10:35Z', '{"outcome": "safe", "seen_at": "2026-03-04T12:30Z"}'), 'invalid_transition',
  'a word from a page of before is not about it'
);
select is(
  tests.act('bob', 'resolve', '2026-03-05T10:35Z', '{"outcome": "safe", "seen_at": "2026-03-05T10:30:10Z"}') ->> 'outcome', 'safe', 'one from a page that shows it is'
);
rollback to joined;
delete from kith.notifications;
select tests.check_in('alice', '2026-03-05T10:40Z') \g /dev/null
select is((select count(*) from kith.notifications where type = 'ping_all_clear'), 2::bigint, 'one all-clear for both days');

-- "Are you OK?"
delete from kith.notifications;
select is(tests.ask('alice', '2026-03-06T06:00Z'), 'forbidden', 'only the receiver asks');
select is(tests.ask('mallory', '2026-03-06T06:00Z'), 'not_found', 'and no stranger');
select is(tests.ask('bob', '2026-03-06T06:00Z'), '2026-03-06T06:30:00.000000Z', 'Bob asks');
select is(tests.body('alice', 'ask'), 'Bob is asking if you''re OK. Check in by 06:30, or an alarm is raised.', 'Alice is told');
select is(tests.ask('bob', '2026-03-06T06:01Z'), 'invalid_transition', 'one question at a time');
select tests.check_in('alice', '2026-03-06T06:05Z') \g /dev/null
select is((select is_answered from kith.asks), true, 'a check-in answers it');
select tests.tell('2026-03-06T06:30Z') \g /dev/null
select is((select count(*) from kith.alarms where kind = 'unanswered'), 0::bigint, 'and no alarm opens');
select is(tests.ask('bob', '2026-03-06T07:00Z'), '2026-03-06T07:30:00.000000Z', 'he asks again');
select tests.check_in('alice', '2026-03-06T07:10Z', '2026-03-06T06:59Z') \g /dev/null
select is((select count(*) from kith.asks where ended_at is null), 1::bigint, 'a tap from before the question is no answer');
select tests.tell('2026-03-06T07:29:59Z') \g /dev/null
select is(tests.told('ask_unanswered'), null, 'nothing happens before its time');
select tests.tell('2026-03-06T07:30:10Z') \g /dev/null
select is(tests.alarm('2026-03-06T07:31Z') ->> 'kind', 'unanswered', 'without an answer an alarm opens');
select is(tests.told('ask_unanswered'), 'Bob, Carol', 'to the tier of whoever asked and those before it');
select is(tests.body('bob', 'ask_unanswered'), 'Alice was asked if they''re OK and has not answered.', 'in these words');
select is(tests.ask('bob', '2026-03-06T07:31Z'), 'invalid_transition', 'while there is an alarm nobody asks');
select tests.check_in('alice', '2026-03-06T07:40Z') \g /dev/null
select is(tests.body('carol', 'ping_all_clear'), 'Alice checked in. They''re safe.', 'a check-in ends it');
select is(tests.ask('bob', '2026-03-06T08:00Z'), '2026-03-06T08:30:00.000000Z', 'a third question');
select tests.check_in('alice', '2026-03-06T08:01Z') \g /dev/null
select is(tests.ask('bob', '2026-03-06T09:00Z'), 'too_many_requests', 'not a fourth within 24 hours');
update kith.connections set may_ask = false where id = tests.id('alice-bob');
select is(tests.ask('bob', '2026-03-08T09:00Z'), 'forbidden', 'nor where the sender does not want it');
update kith.connections set may_ask = true where id = tests.id('alice-bob');
-- Only the first tier hears of a question by it.
select tests.plan(jsonb_build_object('tiers', jsonb_build_array(
  jsonb_build_object('after_minutes', 0, 'receivers', array[tests.id('alice-bob')]), jsonb_build_object('after_minutes', 20)))) \g /dev/null
select tests.ask('bob', '2026-03-08T10:00Z') \g /dev/null
delete from kith.notifications;
select tests.tell('2026-03-08T10:30:10Z') \g /dev/null
select is(tests.told('ask_unanswered'), 'Bob', 'a later tier is not told of a question of an earlier one');
select tests.check_in('alice', '2026-03-08T10:40Z') \g /dev/null

-- A drill.
delete from kith.notifications;
select is(tests.drill('2026-03-08T12:00Z'), 'drill', 'a drill');
select is(tests.body('bob', 'ping_missed'), 'This is a drill: Alice has not checked in today.', 'says what it is');
select is(tests.told('ping_missed'), 'Bob', 'it runs through the plan');
select tests.tell('2026-03-08T12:20Z') \g /dev/null
select is(tests.told('ping_missed'), 'Bob, Carol', 'with its tiers');
select tests.check_in('alice', '2026-03-08T12:25Z') \g /dev/null
select is(tests.alarm('2026-03-08T12:26Z') ->> 'status', 'open', 'a check-in leaves it alone');
select is(tests.act('bob', 'take', '2026-03-08T12:26Z') ->> 'status', 'taken', 'receivers practise');
select is(tests.body('carol', 'alarm_taken'), 'This is a drill: Another receiver is looking after it.', 'and read that it is a drill');
select tests.miss('2026-03-09') \g /dev/null
select is((select string_agg(kind, ' ' order by kind) from kith.alarms where resolved_at is null), 'missed', 'a real miss opens an alarm of its own, and ends the drill');
select is(tests.drill('2026-03-09T10:50Z'), 'invalid_transition', 'no drill while there is an alarm');
select tests.check_in('alice', '2026-03-09T11:00Z') \g /dev/null
select is(tests.drill('2026-03-15T11:59Z'), 'too_many_requests', 'nor a second one within a week');
select is(tests.drill('2026-03-15T12:00Z'), 'drill', 'a week later there is another');
savepoint drills;
select is(tests.does('bob', $$api.drill_alarm('2026-03-16T06:00Z')$$), 'profile_required', 'nobody holds a drill who is no sender (K10)');
update kith.sender_profiles set ended_at = '2026-03-15T13:00Z' where user_id = tests.id('alice');
select is(tests.drill('2026-03-25T12:00Z'), 'profile_required', 'nor whoever is none any more');
update kith.sender_profiles set ended_at = null where user_id = tests.id('alice');
update kith.connections set status = 'paused' where sender_id = tests.id('alice');
select is(tests.drill('2026-03-25T12:00Z'), 'drill', 'a drill of whoever has nobody to tell');
update kith.connections set status = 'active' where sender_id = tests.id('alice');
select is(tests.drill('2026-03-25T13:00Z'), 'drill', 'does not use up the week');
select is(tests.drill('2026-03-25T14:00Z'), 'too_many_requests', 'one that told somebody does');
rollback to drills;

-- A rehearsal by the same rules.
select is(
  (select string_agg(concat_ws(' ', to_char(at, 'DD HH24:MI'), kind, person_name, text), '; ' order by at, n, person_name)
   from internal.rehearsed_alarm_steps(tests.tenant('acme'), tests.id('alice'), '2026-03-16T06:00Z')),
  null, 'without a tenant nothing is rehearsed'
);
select tests.as_user('acme', 'alice') \g /dev/null
select is(
  (select string_agg(concat_ws(' ', substr(step ->> 'at', 9, 8), step ->> 'kind', step #>> '{person,display_name}', step ->> 'text'), '; ' order by n)
   from json_array_elements(api.rehearse_alarm_plan('2026-03-16T06:00Z') -> 'steps') with ordinality as steps (step, n)),
  '16T09:00 ping_due Let your receivers know you''re safe.; 16T10:15 ping_reminder 15 minutes left to check in.; 16T10:30 ping_missed You missed today''s check-in. Check in now to let your receivers know you''re safe.; '
    || '16T10:30 told Bob Alice has not checked in today.; 16T10:50 told Carol Alice has not checked in today.; '
    || '16T11:00 repeated Bob There is still no sign of Alice.; 16T11:00 repeated Carol There is still no sign of Alice.; '
    || '16T12:30 repeated Bob There is still no sign of Alice.; 16T12:30 repeated Carol There is still no sign of Alice.',
  'a rehearsal lists who would be told when'
);
select tests.as_superuser() \g /dev/null
-- The channels of the sender stand there, too.
create function tests.rehearsed(p_kind text) returns text
  language plpgsql
as $$
declare
  v_channels text;
begin
  perform tests.as_user('acme', 'alice');
  select string_agg(distinct coalesce(step ->> 'channel', 'none'), ' ') into v_channels
  from json_array_elements(api.rehearse_alarm_plan('2026-03-16T06:00Z') -> 'steps') as step
  where step ->> 'kind' = p_kind;
  perform tests.as_superuser();
  return v_channels;
end
$$;
update kith.users set email_verified_at = null, phone = '+4915100000001', phone_verified_at = '2026-01-05T08:00Z' where id = tests.id('alice');
select is(tests.rehearsed('ping_due'), 'sms', 'who has only a phone is asked by text');
insert into kith.notification_preferences (tenant_id, user_id, type, channels, updated_at)
values (tests.tenant('acme'), tests.id('alice'), 'ping_due', '{voice}', '2026-01-05T08:00Z'), (tests.tenant('acme'), tests.id('alice'), 'ping_reminder', '{}', '2026-01-05T08:00Z');
select is(tests.rehearsed('ping_due'), 'voice', 'or by a call');
select is(tests.rehearsed('ping_reminder'), 'none', 'a type that is turned off has no channel');
update kith.sender_profiles set reminders = '[{"before_minutes": 30, "channels": ["sms"]}]', first_reminder_minutes = 30, reminder_minutes = 30
where user_id = tests.id('alice');
select is(tests.rehearsed('ping_reminder'), 'sms', 'a reminder has channels of its own');
-- Louder channels of a receiver with a text number and calls, who chose for repeats what they do not have (C1).
savepoint louder;
insert into kith.channel_credentials (tenant_id, channel, summary, sealed, created_at, updated_at)
select tests.tenant('acme'), channel, '{}', '\x00', '2026-01-05T08:00Z', '2026-01-05T08:00Z' from unnest(array['sms', 'voice', 'apns']) as channel;
delete from kith.devices;
update kith.users set email = null, email_verified_at = null, phone = '+491510000000' || right(id::text, 1), phone_verified_at = '2026-01-05T08:00Z'
where id in (tests.id('bob'), tests.id('carol'));
insert into kith.notification_preferences (tenant_id, user_id, type, channels, updated_at)
select tests.tenant('acme'), tests.id(person), 'alarm_repeat', '{push}', '2026-01-05T08:00Z' from unnest(array['bob', 'carol']) as person;
select is(tests.rehearsed('repeated'), 'voice', 'a repeat takes what its reader has, if they have nothing that they chose');
select is(tests.rehearsed('told'), 'sms', 'and so does the alarm, but calls come last');
insert into kith.text_numbers (tenant_id, phone, stopped_at, answers_since, updated_at)
select tests.tenant('acme'), phone, '2026-03-01Z', '2026-03-01Z', '2026-03-01Z' from kith.users where id in (tests.id('bob'), tests.id('carol'));
delete from kith.channel_credentials where channel = 'voice';
select is(tests.rehearsed('told'), 'none', 'whoever said STOP and has nothing else is told by nothing');
rollback to louder;
-- A deadline after midnight.
update kith.sender_profiles set ping_time = '23:30', grace_minutes = 60 where user_id = tests.id('alice');
select tests.as_user('acme', 'alice') \g /dev/null
select is(
  (select string_agg(concat_ws(' ', substr(step ->> 'at', 9, 8), step ->> 'kind', step ->> 'text'), '; ' order by n)
   from json_array_elements(api.rehearse_alarm_plan('2026-03-16T06:00Z') -> 'steps') with ordinality as steps (step, n)
   where n < 5 and step ->> 'kind' <> 'ping_due'),
  '17T00:00 ping_reminder 30 minutes left to check in.; 17T00:30 ping_missed You missed the check-in on 16 March 2026. Check in now to let your receivers know you''re safe.; '
    || '17T00:30 told Alice did not check in on 16 March 2026.',
  'what is missed after midnight has a date'
);
select tests.as_superuser() \g /dev/null
select * from finish();
rollback;
