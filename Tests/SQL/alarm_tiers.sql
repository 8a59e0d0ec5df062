-- No tier waits for nobody, nobody is told once and never again, and no question outlives its reason (K00, K03, K04, K06).
begin;
\ir people.sql
\ir alarm_house.sql
select plan(46);
create function tests.ask(p_person text, p_now timestamptz) returns text
  language sql
as $$
  select tests.does(
    p_person, format('api.ask_sender(%L, %L) ->> ''answer_by''', case p_person when 'bob' then tests.id('alice-bob') else '0c000000-0000-7000-8000-000000000002' end, p_now)
  )
$$;
-- Bob, and some minutes later Carol.
create function tests.tiers(p_first integer, p_second integer, p_more jsonb default '{}') returns text
  language sql
as $$
  select tests.does('alice', format('api.put_alarm_plan(%L, %L)', jsonb_build_object('tiers', jsonb_build_array(
    jsonb_build_object('after_minutes', p_first, 'receivers', jsonb_build_array(tests.id('alice-bob'))),
    jsonb_build_object('after_minutes', p_second, 'receivers', jsonb_build_array('0c000000-0000-7000-8000-000000000002'))
  )) || p_more, '2026-03-01T08:00Z'))
$$;
create function tests.at(p_type text, p_person text) returns text
  language sql
as $$
  select string_agg(to_char(created_at, 'HH24:MI'), ' ' order by id) from kith.notifications where type = p_type and user_id = tests.id(p_person)
$$;
create function tests.rehearsed(p_kind text) returns text
  language plpgsql
as $$
declare
  v_steps json;
begin
  perform tests.as_user('acme', 'alice');
  v_steps := api.rehearse_alarm_plan('2026-03-02T06:00Z') -> 'steps';
  perform tests.as_superuser();
  return (
    select string_agg(concat_ws(' ', substr(step ->> 'at', 12, 5), step #>> '{person,display_name}'), ', ' order by n)
    from json_array_elements(v_steps) with ordinality as steps (step, n)
    where step ->> 'kind' = p_kind
  );
end
$$;

-- A tier that has nobody delays nothing.
savepoint tiers;
select tests.tiers(15, 120) \g /dev/null
select tests.does('bob', format($$api.remove_connection(%L, '2026-03-01T09:00Z')$$, tests.id('alice-bob'))) \g /dev/null
select is(tests.rehearsed('told'), '10:45 Carol', 'a rehearsal leaves out a tier without receivers');
select tests.miss('2026-03-02') \g /dev/null
select is(tests.told('ping_missed'), 'Alice', 'the first tier has its minutes');
select tests.tell('2026-03-02T10:45Z') \g /dev/null
select is(tests.at('ping_missed', 'carol'), '10:45', 'and the second is told in place of an empty first one');
rollback to tiers;
select tests.does('alice', format($$api.put_alarm_plan('{"tiers": [{"after_minutes": 0, "receivers": ["%s"]}, {"after_minutes": 720, "desk": true}]}'::jsonb, '2026-03-01T08:00Z')$$, tests.id('alice-bob'))) \g /dev/null
select is(tests.rehearsed('told'), '10:30 Bob, 10:30 Carol', 'whoever stands in no tier is not told with the desk alone');
select is(tests.rehearsed('desk_told'), null, 'where there is no desk, none is promised');
savepoint no_desk;
select tests.employ_desk('2026-03-01T08:00Z') \g /dev/null
select is(tests.rehearsed('desk_told'), '22:30', 'where there is one, it is told');
rollback to no_desk;
select tests.miss('2026-03-02') \g /dev/null
select is(tests.told('ping_missed'), 'Alice, Bob, Carol', 'but with the last tier before it');
rollback to tiers;
select tests.tiers(0, 120) \g /dev/null
update kith.alarm_plans set desk_tier = 2;
select tests.employ_desk('2026-03-01T08:00Z') \g /dev/null
select tests.does('alice', format($$api.pause_connection(%L, '2026-03-01T09:00Z')$$, tests.id('alice-bob'))) \g /dev/null
select tests.miss('2026-03-02') \g /dev/null
select is(tests.told('ping_missed'), 'Alice, Carol', 'a paused tier delays nothing');
select tests.tell('2026-03-02T10:30:10Z') \g /dev/null
select is((select desk_told_at from kith.alarms), '2026-03-02T10:30:10Z', 'neither the desk');
rollback to tiers;
select tests.tiers(0, 60) \g /dev/null
select tests.does('bob', format($$api.remove_connection(%L, '2026-03-01T09:00Z')$$, tests.id('alice-bob'))) \g /dev/null
select tests.does('alice', $$api.drill_alarm('2026-03-02T08:00Z')$$) \g /dev/null
select is(tests.told('ping_missed'), 'Carol', 'a drill runs as the alarm would');
rollback to tiers;
-- Told, and gone.
select tests.tiers(0, 120) \g /dev/null
select tests.miss('2026-03-02') \g /dev/null
select tests.act('bob', 'take', '2026-03-02T10:35Z') \g /dev/null
select tests.does('bob', format($$api.remove_connection(%L, '2026-03-02T10:40Z')$$, tests.id('alice-bob'))) \g /dev/null
select tests.tell('2026-03-02T10:41Z') \g /dev/null
select is(tests.at('ping_missed', 'carol'), '10:41', 'when the last who was told leaves, the next tier is told at once');
rollback to tiers;
select tests.does('alice', $$api.put_alarm_plan('{"tiers": [{"after_minutes": 0}, {"after_minutes": 240, "desk": true}]}'::jsonb, '2026-03-01T08:00Z')$$) \g /dev/null
select tests.employ_desk('2026-03-01T08:00Z') \g /dev/null
select tests.does('bob', format($$api.remove_connection(%L, '2026-03-01T10:40Z')$$, tests.id('alice-bob'))) \g /dev/null
select tests.miss('2026-03-02') \g /dev/null
select tests.does('carol', $$api.remove_connection('0c000000-0000-7000-8000-000000000002', '2026-03-02T10:40Z')$$) \g /dev/null
select tests.tell('2026-03-02T10:41Z') \g /dev/null
select is((select desk_told_at from kith.alarms), '2026-03-02T10:41Z', 'where there is no tier, the desk is');
select is(tests.alarm('2026-03-02T10:41Z') ->> 'status', 'open', 'for which it stays open');
rollback to tiers;
-- An alarm that concerns nobody is over.
update kith.connections set status = 'deleted', deleted_at = '2026-03-01Z' where receiver_id = tests.id('carol');
select tests.miss('2026-03-02') \g /dev/null
select tests.does('bob', format($$api.remove_connection(%L, '2026-03-02T10:40Z')$$, tests.id('alice-bob'))) \g /dev/null
select is(tests.alarm('2026-03-02T10:41Z') ->> 'outcome', 'expired', 'an alarm in which nobody is left is over');
select tests.does('alice', $$api.create_connection('333333', '2026-03-02T10:45Z')$$) \g /dev/null
select is(tests.ask('carol', '2026-03-02T10:46Z'), '2026-03-02T11:16:00.000000Z', 'a new receiver can ask');
select tests.miss('2026-03-03') \g /dev/null
select is((select count(*) from kith.alarms), 2::bigint, 'and the next miss has an alarm of its own');
rollback to tiers;

-- Repeats.
select tests.tiers(0, 120) \g /dev/null
select is(tests.rehearsed('repeated'), '11:00 Bob, 12:30 Bob, 13:00 Bob, 13:00 Carol, 14:30 Bob, 14:30 Carol', 'a rehearsal has repeats for the last tier');
select tests.miss('2026-03-02') \g /dev/null
select tests.tell('2026-03-02T10:31Z'), tests.tell('2026-03-02T11:00Z'), tests.tell('2026-03-02T12:30Z'), tests.tell('2026-03-02T13:00Z'), tests.tell('2026-03-02T14:30Z'),
  tests.tell('2026-03-02T23:00Z') \g /dev/null
select is(tests.at('alarm_repeat', 'bob'), '11:00 12:30 13:00 14:30', 'whoever was told first is told again to the end');
select is(tests.at('alarm_repeat', 'carol'), '13:00 14:30', 'and so is the last tier');
select is((select array_agg(data ->> 'repeat' order by id) from kith.notifications where type = 'alarm_repeat' and user_id = tests.id('bob')), array['1', '2', '3', '4'], 'each time louder');
rollback to tiers;
select tests.tiers(180, 240) \g /dev/null
select tests.miss('2026-03-02') \g /dev/null
select tests.tell('2026-03-02T11:00Z'), tests.tell('2026-03-02T12:30Z'), tests.tell('2026-03-02T13:30Z'), tests.tell('2026-03-02T14:00Z') \g /dev/null
select is(tests.at('alarm_repeat', 'bob'), '14:00', 'so does a first tier that is late');
rollback to tiers;
select tests.tiers(0, 120, '{"repeat_minutes": []}') \g /dev/null
select tests.miss('2026-03-02') \g /dev/null
select tests.tell('2026-03-02T12:30Z'), tests.tell('2026-03-02T23:00Z') \g /dev/null
select is(tests.told('alarm_repeat'), null, 'a plan without repeats has none');
rollback to tiers;
select tests.miss('2026-03-02') \g /dev/null
select tests.act('bob', 'take', '2026-03-02T10:31Z', '{"minutes": 120}') \g /dev/null
select tests.tell('2026-03-02T12:31Z'), tests.tell('2026-03-02T12:41Z'), tests.tell('2026-03-02T13:11Z'), tests.tell('2026-03-02T14:41Z') \g /dev/null
select is(tests.at('alarm_repeat', 'carol'), '13:11 14:41', 'an alarm that is open again does not fall silent');
select tests.act('bob', 'take', '2026-03-02T15:00Z') \g /dev/null
select tests.act('bob', 'release', '2026-03-02T15:10Z') \g /dev/null
select is(tests.alarm('2026-03-02T15:11Z') ->> 'next_at', '2026-03-02T15:10:00.000000Z', 'nor one that was given back');
select tests.tell('2026-03-02T15:10Z') \g /dev/null
select is(tests.alarm('2026-03-02T15:11Z') ->> 'next_at', '2026-03-02T15:40:00.000000Z', 'half an hour later all are told again');
select tests.act('bob', 'resolve', '2026-03-02T20:00Z', '{"outcome": "safe"}') \g /dev/null
select tests.act('carol', 'reopen', '2026-03-02T21:00Z') \g /dev/null
select tests.tell('2026-03-02T21:00Z') \g /dev/null
select is(tests.alarm('2026-03-02T21:01Z') ->> 'next_at', '2026-03-02T21:30:00.000000Z', 'nor one that somebody has opened again');
select is((select cardinality(repeats_at) <= 4 from kith.alarms), true, 'the repeats stay few');
rollback to tiers;
select tests.miss('2026-03-02') \g /dev/null
select tests.tell('2026-03-02T11:00Z'), tests.tell('2026-03-02T12:30Z') \g /dev/null
select tests.miss('2026-03-03') \g /dev/null
select is(tests.alarm('2026-03-03T10:31Z') ->> 'next_at', '2026-03-03T11:00:10.000000Z', 'the second day is told again too');
rollback to tiers;

-- Questions that events have overtaken.
select tests.ask('bob', '2026-03-02T10:15Z') \g /dev/null
select tests.miss('2026-03-02') \g /dev/null
select tests.act('carol', 'resolve', '2026-03-02T10:40Z', '{"outcome": "safe"}') \g /dev/null
select tests.tell('2026-03-02T10:45:10Z') \g /dev/null
select is(tests.told('ask_unanswered'), null, 'whoever hears how the sender is has their answer');
rollback to tiers;
select tests.ask('bob', '2026-03-02T07:00Z') \g /dev/null
select tests.help('alice', '2026-03-02T07:05Z') \g /dev/null
select tests.act('alice', 'resolve', '2026-03-02T07:10Z', '{"outcome": "false_alarm"}') \g /dev/null
select tests.tell('2026-03-02T07:30:10Z') \g /dev/null
select is(tests.told('ask_unanswered'), null, 'a false alarm is an answer');
rollback to tiers;
select tests.ask('bob', '2026-03-02T07:00Z') \g /dev/null
select tests.does('alice', $$api.drill_alarm('2026-03-02T07:05Z')$$) \g /dev/null
select tests.act('bob', 'resolve', '2026-03-02T07:10Z', '{"outcome": "safe"}') \g /dev/null
select tests.tell('2026-03-02T07:30:10Z') \g /dev/null
select is(tests.told('ask_unanswered'), 'Bob, Carol', 'the end of a drill is none');
rollback to tiers;
select tests.ask('bob', '2026-03-02T06:00Z') \g /dev/null
select tests.does('alice', format($$api.update_connection(%L, '{"may_ask": true}', '2026-03-02T06:04Z')$$, tests.id('alice-bob'))) \g /dev/null
select is((select ended_at from kith.asks), null, 'who may ask goes on asking');
select tests.does('alice', format($$api.update_connection(%L, '{"may_ask": false}', '2026-03-02T06:05Z')$$, tests.id('alice-bob'))) \g /dev/null
select tests.tell('2026-03-02T06:30:10Z') \g /dev/null
select is(tests.told('ask_unanswered'), null, 'a sender who does not want to be asked any more is not alarmed about');
rollback to tiers;
select tests.ask('bob', '2026-03-02T06:00Z') \g /dev/null
select tests.does('alice', format($$api.pause_connection(%L, '2026-03-02T06:05Z')$$, tests.id('alice-bob'))) \g /dev/null
select tests.tell('2026-03-02T06:30:10Z') \g /dev/null
select is(tests.told('ask_unanswered'), null, 'nor one who has paused');
rollback to tiers;
select tests.ask('bob', '2026-03-02T06:00Z') \g /dev/null
update kith.connections set status = 'paused' where sender_id = tests.id('alice');
select tests.tell('2026-03-02T06:30:10Z') \g /dev/null
select is((select count(*) from kith.alarms), 0::bigint, 'an alarm that would concern nobody does not open');
rollback to tiers;

-- A question beside an alarm in which the asker has no part.
select tests.tiers(0, 120) \g /dev/null
select tests.miss('2026-03-02') \g /dev/null
select is(tests.ask('bob', '2026-03-02T10:31Z'), 'invalid_transition', 'whoever has a part in an alarm need not ask');
select is(tests.ask('carol', '2026-03-02T10:31Z'), '2026-03-02T11:01:00.000000Z', 'whoever has none can, and does not learn of it');
select tests.act('bob', 'take', '2026-03-02T10:35Z', '{"minutes": 120}') \g /dev/null
select tests.tell('2026-03-02T11:01:10Z') \g /dev/null
select is(tests.told('ask_unanswered'), 'Carol', 'and hears that there is no answer, while somebody has taken it too');
select is(tests.act('carol', 'get', '2026-03-02T11:02Z') ->> 'status', 'taken', 'then they have a part');
select is((select count(*) from kith.alarms), 1::bigint, 'in the one alarm');
select tests.check_in('alice', '2026-03-02T11:05Z') \g /dev/null
select is(tests.told('ping_all_clear'), 'Bob, Carol', 'and get the all-clear');
rollback to tiers;
select tests.tiers(0, 120) \g /dev/null
select tests.miss('2026-03-02') \g /dev/null
select tests.ask('carol', '2026-03-02T10:31Z') \g /dev/null
select tests.act('bob', 'resolve', '2026-03-02T10:40Z', '{"outcome": "safe"}') \g /dev/null
select tests.tell('2026-03-02T11:01:10Z') \g /dev/null
select is(tests.told('ask_unanswered'), 'Bob, Carol', 'somebody''s word ends no question of whoever does not hear it');
rollback to tiers;
select tests.ask('carol', '2026-03-02T10:15Z') \g /dev/null
select tests.miss('2026-03-02') \g /dev/null
select tests.tell('2026-03-02T10:45:10Z') \g /dev/null
select is(tests.told('ask_unanswered'), null, 'whoever has been told of the alarm is not told of the question');
select is((select array_agg(is_answered) from kith.asks), array[false], 'which ends');
rollback to tiers;
-- Nobody waits in an alarm that has ended.
select tests.tiers(0, 120) \g /dev/null
select tests.miss('2026-03-02') \g /dev/null
select tests.does('bob', format($$api.remove_connection(%L, '2026-03-02T10:40Z')$$, tests.id('alice-bob'))) \g /dev/null
select tests.does('carol', $$api.remove_connection('0c000000-0000-7000-8000-000000000002', '2026-03-02T10:40:30Z')$$) \g /dev/null
select is(tests.alarm('2026-03-02T10:41Z') ->> 'outcome', 'expired', 'when the next tier leaves too, it is over');
select tests.tell('2026-03-02T13:00Z') \g /dev/null
select is((select count(*) from kith.notifications where created_at > '2026-03-02T10:41Z'), 0::bigint, 'and tells nobody more');
select * from finish();
rollback;
