-- What somebody inside may try with alarms: a receiver who wants that nobody hears, or somebody who is blocked. Each must come to nothing.
begin;
\ir people.sql
\ir alarm_house.sql
select plan(68);
-- Why a person's newest notification of a type would not be sent.
create function tests.pointless(p_person text, p_type text) returns text
  language sql
as $$
  select coalesce(pointless.reason, 'is sent')
  from kith.notifications as note
  cross join lateral internal.pointless(note.tenant_id, note.user_id, note.type, note.data, note.read_at) as pointless
  where note.user_id = tests.id(p_person) and note.type = p_type
  order by note.id desc
  limit 1
$$;
create function tests.desk_reopens(p_now timestamptz) returns text
  language plpgsql
as $$
declare
  v_id uuid := tests.alarm_id();
  v_answer json;
begin
  perform tests.as_server('acme');
  v_answer := api.reopen_tenant_alarm(v_id, 'Dana', 'Nobody has seen her', null, p_now);
  perform tests.as_superuser();
  return v_answer ->> 'status';
exception when others then
  perform tests.as_superuser();
  return sqlerrm;
end
$$;
insert into kith.channel_credentials (tenant_id, channel, summary, sealed, created_at, updated_at)
select tests.tenant('acme'), channel, '{}', '\x00', '2026-01-05T08:00Z', '2026-01-05T08:00Z' from unnest(array['sms', 'voice', 'apns']) as channel;
insert into kith.devices (tenant_id, token, user_id, platform, environment, created_at, last_seen_at)
select tests.tenant('acme'), person || 's-phone', tests.id(person), 'ios', 'production', '2026-01-05T08:00Z', '2026-01-05T08:00Z'
from unnest(array['bob', 'alice']) as person;
-- Carol has no app: only text messages reach her.
update kith.users set phone = '+4915100000003', phone_verified_at = '2026-01-05T08:00Z' where id = tests.id('carol');

-- A false "safe" within seconds of a call for help.
select tests.help('alice', '2026-03-02T08:00Z', 'I fell') \g /dev/null
select tests.act('bob', 'resolve', '2026-03-02T08:00:02Z', '{"outcome": "safe"}') \g /dev/null
select is(tests.pointless('carol', 'help_requested'), 'is sent', 'a receiver''s word does not keep a call for help from the others');
select tests.plan_all('2026-03-02T08:00:05Z') \g /dev/null
select is(tests.channels('carol', 'help_requested'), 'sms', 'who hears of it');
select is(tests.channels('carol', 'alarm_resolved'), 'sms', 'and of the word, where the call came');
select is(tests.act('carol', 'reopen', '2026-03-02T08:01Z') ->> 'status', 'open', 'and opens it again');
select is(tests.pointless('bob', 'alarm_reopened'), 'is sent', 'which is told');
select tests.act('bob', 'take', '2026-03-02T08:01:01Z') \g /dev/null
select is(tests.pointless('carol', 'alarm_reopened'), 'is sent', 'though the one who said so takes it at once');
select tests.act('bob', 'resolve', '2026-03-02T08:01:02Z', '{"outcome": "safe"}') \g /dev/null
select is(tests.pointless('carol', 'alarm_reopened'), 'is sent', 'or says so again');
select tests.act('carol', 'reopen', '2026-03-02T08:02Z') \g /dev/null
select tests.act('bob', 'take', '2026-03-02T08:02:01Z') \g /dev/null
select tests.act('bob', 'release', '2026-03-02T08:02:02Z') \g /dev/null
select tests.act('bob', 'take', '2026-03-02T08:02:03Z') \g /dev/null
select is(tests.pointless('carol', 'alarm_reopened'), 'somebody looks after it', 'what contradicts nobody needs no sending once somebody looks after it');
select tests.check_in('alice', '2026-03-02T08:03Z') \g /dev/null
select is(tests.pointless('carol', 'help_requested'), 'the alarm is over', 'the sender''s own word ends it');
delete from kith.notifications;
select tests.help('alice', '2026-03-02T08:10Z') \g /dev/null
select tests.act('alice', 'resolve', '2026-03-02T08:10:01Z', '{"outcome": "false_alarm"}') \g /dev/null
select is(tests.pointless('carol', 'help_requested'), null, 'after their false alarm there is no such word');
insert into kith.notification_preferences (tenant_id, user_id, type, channels, updated_at)
values (tests.tenant('acme'), tests.id('carol'), 'alarm_resolved', '{}', '2026-03-01T00:00Z');
delete from kith.deliveries;
select tests.plan_all('2026-03-02T08:10:05Z') \g /dev/null
select is(tests.channels('carol', 'alarm_resolved'), null, 'whoever has turned off the end hears nothing of it');
delete from kith.notification_preferences;

-- Somebody holds an alarm.
delete from kith.notifications;
select tests.help('alice', '2026-03-03T08:00Z') \g /dev/null
select tests.act('bob', 'take', '2026-03-03T08:01Z', '{"minutes": 120}') \g /dev/null
select tests.act('bob', 'take', '2026-03-03T09:01Z', '{"minutes": 120}') \g /dev/null
select is((select taken_until from kith.alarms where id = tests.alarm_id()), '2026-03-03T10:01Z', 'renewals do not add up to more than two hours');
select is((select count(*) from kith.notifications where type = 'alarm_taken' and user_id = tests.id('carol')), 1::bigint, 'within which nobody is told again');
select tests.act('bob', 'take', '2026-03-03T10:01Z') \g /dev/null
select is((select count(*) from kith.notifications where type = 'alarm_taken' and user_id = tests.id('carol')), 2::bigint, 'after them, everybody is');
select is(tests.act('carol', 'take', '2026-03-03T10:02Z') ->> 'problem', 'alarm_taken', 'the first still wins');
select is(tests.act('carol', 'reopen', '2026-03-03T10:03Z', '{"note": "He is not there"}') ->> 'status', 'open', 'but anybody who was told opens it again');
select is(tests.act('alice', 'get', '2026-03-03T10:03Z') #>> '{timeline,-1,note}', 'He is not there', 'with a note');
select is(tests.pointless('bob', 'alarm_reopened'), 'is sent', 'which is told, whoever takes it next');
select is(tests.act('carol', 'take', '2026-03-03T10:04Z') ->> 'taken_by_me', 'true', 'and looks after it herself');
select is(tests.desk_reopens('2026-03-03T10:05Z'), 'open', 'the desk opens one that is taken');
select is(tests.act('bob', 'get', '2026-03-03T10:05Z') #>> '{timeline,-1,person,desk}', 'true', 'as the desk, whatever the person is called');
select tests.act('bob', 'resolve', '2026-03-03T10:06Z', '{"outcome": "safe"}') \g /dev/null
select is(tests.desk_reopens('2026-03-03T10:07Z'), 'open', 'or that somebody has ended');
select is(tests.desk_reopens('2026-03-03T10:07Z'), 'invalid_transition', 'not an open one');
select is((select count(*) from kith.audit where action = 'alarm.reopen'), 2::bigint, 'the audit has it');
select tests.check_in('alice', '2026-03-03T10:08Z') \g /dev/null

-- A taker in the first tier, who renews and renews.
select tests.employ_desk('2026-03-01T08:00Z') \g /dev/null
insert into kith.alarm_plans (tenant_id, user_id, after_minutes, desk_tier, repeat_minutes, take_minutes, answer_minutes, receivers_know_each_other, updated_at)
values (tests.tenant('acme'), tests.id('alice'), '{0,20,30}', 3, '{}', 30, 30, true, '2026-03-01T08:00Z');
insert into kith.alarm_plan_receivers (tenant_id, user_id, connection_id, tier)
values (tests.tenant('acme'), tests.id('alice'), tests.id('alice-bob'), 1),
  (tests.tenant('acme'), tests.id('alice'), '0c000000-0000-7000-8000-000000000002', 2);
delete from kith.notifications;
select tests.miss('2026-03-04') \g /dev/null
select tests.act('bob', 'take', '2026-03-04T10:31Z', '{"minutes": 120}') \g /dev/null
select tests.act('bob', 'take', '2026-03-04T12:35Z', '{"minutes": 120}') \g /dev/null
select tests.tell('2026-03-04T12:49:59Z') \g /dev/null
select is(tests.told('ping_missed'), 'Alice, Bob', 'a take holds back the next tier');
select tests.tell('2026-03-04T12:50Z') \g /dev/null
select is(tests.told('ping_missed'), 'Alice, Bob, Carol', 'for two hours at most');
select is((select desk_told_at from kith.alarms where id = tests.alarm_id()), null, 'the desk too');
select tests.act('bob', 'take', '2026-03-04T12:51Z', '{"minutes": 120}') \g /dev/null
select tests.tell('2026-03-04T13:00Z') \g /dev/null
select is((select desk_told_at from kith.alarms where id = tests.alarm_id()), '2026-03-04T13:00Z', 'then it is told');
select tests.check_in('alice', '2026-03-04T13:01Z') \g /dev/null

-- The word of one receiver of the first tier about a miss.
delete from kith.notifications;
select tests.miss('2026-03-05') \g /dev/null
select tests.act('bob', 'resolve', '2026-03-05T10:31Z', '{"outcome": "safe", "note": "All fine"}') \g /dev/null
select is(tests.body('carol', 'alarm_resolved'), 'Bob reached Alice: they''re safe. There was no check-in.', 'reaches the later tiers, with what is known');
select is(tests.act('carol', 'get', '2026-03-05T10:32Z') ->> 'outcome', 'safe', 'they see the alarm');
select is((select desk_told_at from kith.alarms where id = tests.alarm_id()), '2026-03-05T10:31Z', 'the desk is told');
select is(tests.act('carol', 'reopen', '2026-03-05T10:33Z') ->> 'status', 'open', 'and whoever knows better opens it again');
select tests.act('carol', 'resolve', '2026-03-05T10:34Z', '{"outcome": "help_called"}') \g /dev/null
select is((select count(*) from kith.notifications where user_id = tests.id('carol') and type = 'alarm_resolved'), 1::bigint, 'nobody is told twice that they were not told');
select tests.check_in('alice', '2026-03-05T10:35Z') \g /dev/null
update kith.alarm_plans set receivers_know_each_other = false;
delete from kith.notifications;
select tests.miss('2026-03-06') \g /dev/null
select tests.act('bob', 'resolve', '2026-03-06T10:31Z', '{"outcome": "help_called"}') \g /dev/null
select is(tests.body('carol', 'alarm_resolved'), 'Another receiver has called help for Alice. There was no check-in.', 'without the name where they do not know each other');
select tests.check_in('alice', '2026-03-06T10:35Z') \g /dev/null
delete from kith.alarm_plans;

-- False words do not use up the calls that are loud.
delete from kith.notifications;
select tests.help('alice', '2026-03-07T08:00Z'::timestamptz + n * interval '1 minute'),
  tests.act('bob', 'resolve', '2026-03-07T08:00:30Z'::timestamptz + n * interval '1 minute', '{"outcome": "safe"}')
from generate_series(1, 12) as n \g /dev/null
select is((select count(*) from kith.notifications where type = 'help_requested' and user_id = tests.id('carol') and not data ? 'further'), 12::bigint, 'of a dozen calls that somebody else ended, each is a first word');

-- Giving back and opening again without end.
delete from kith.notifications;
select tests.help('alice', '2026-03-09T08:00Z') \g /dev/null
select tests.act('bob', 'take', '2026-03-09T08:00Z'::timestamptz + n * interval '1 minute'),
  tests.act('bob', 'release', '2026-03-09T08:00:30Z'::timestamptz + n * interval '1 minute')
from generate_series(1, 10) as n \g /dev/null
select is(tests.act('bob', 'take', '2026-03-09T08:20Z') ->> 'status', 'taken', 'taking is never refused');
select is(tests.refusal('bob', 'release', '2026-03-09T08:21Z'), 'too_many_requests', 'giving back is, after ten times');
select is(tests.act('carol', 'reopen', '2026-03-09T08:22Z') ->> 'status', 'open', 'others are not concerned');
select tests.act('bob', 'resolve', '2026-03-09T08:23Z', '{"outcome": "safe"}') \g /dev/null
select is(tests.refusal('bob', 'reopen', '2026-03-09T08:24Z'), 'too_many_requests', 'nor does he open it again');
select is(tests.act('carol', 'reopen', '2026-03-09T08:25Z') ->> 'status', 'open', 'others do');
insert into kith.act_counts (tenant_id, actor_id, act, counted_on, acts)
values (tests.tenant('acme'), tests.id('bob'), 'alarm', '2026-03-09', 200)
on conflict (tenant_id, actor_id, act) do update set counted_on = excluded.counted_on, acts = 200;
select is(tests.refusal('bob', 'notes', '2026-03-09T08:26Z', '{"body": "x"}'), 'too_many_requests', 'whoever has used up the acts of a day');
savepoint used_up;
delete from kith.alarm_entries where user_id = tests.id('bob') and kind = 'released';
select tests.act('bob', 'take', '2026-03-09T08:26Z') \g /dev/null
select is(tests.act('bob', 'release', '2026-03-09T08:26:30Z') ->> 'status', 'open', 'gives an alarm back');
select tests.act('carol', 'resolve', '2026-03-09T08:26:40Z', '{"outcome": "safe"}') \g /dev/null
select is(tests.act('bob', 'reopen', '2026-03-09T08:26:50Z') ->> 'status', 'open', 'opens one again');
rollback to used_up;
select is(tests.act('bob', 'take', '2026-03-09T08:27Z') ->> 'status', 'taken', 'takes all the same');
insert into kith.care_cards (tenant_id, user_id, sealed_key, sealed_card, updated_at)
values (tests.tenant('acme'), tests.id('alice'), '\x00', '\x0b', '2026-03-01T08:00Z');
select is(tests.card('bob', '2026-03-09T08:28Z'), '0b', 'and sees the care card');
select tests.act('bob', 'take', '2026-03-09T08:28Z'::timestamptz + n * interval '1 second') from generate_series(1, 60) as n \g /dev/null
select is((select count(*) from kith.alarm_entries where alarm_id = tests.alarm_id() and kind = 'still_on_it'), 50::bigint, 'saying so again and again fills no timeline');

-- Notes are not shared: whoever writes all that they can leaves room for everybody.
savepoint notes;
select tests.act('bob', 'notes', '2026-03-10T07:00Z'::timestamptz + n * interval '1 second', format('{"body": "Note %s"}', n)::jsonb) from generate_series(1, 100) as n \g /dev/null
select is(tests.refusal('bob', 'notes', '2026-03-10T07:02Z', '{"body": "x"}'), 'quota_exceeded', 'one receiver has 100 notes in an alarm');
select is(tests.refusal('carol', 'notes', '2026-03-10T07:01Z', '{"body": "I drive there"}') like 'done%', true, 'another one has their own');
select is(tests.refusal('alice', 'notes', '2026-03-10T07:01Z', '{"body": "The door is open"}') like 'done%', true, 'and so has the sender');
select tests.alarm_id() as noted \gset
select tests.as_server('acme') \g /dev/null
select is(api.note_tenant_alarm(:'noted', 'Dana', 'On our way', '2026-03-10T07:01Z') ->> 'status', 'open', 'and the desk');
select tests.as_superuser() \g /dev/null
insert into kith.alarm_entries (tenant_id, alarm_id, id, at, kind, user_id, note)
select tests.tenant('acme'), tests.alarm_id(), internal.uuid7('2026-03-10T07:02Z'), '2026-03-10T07:02Z', 'noted', tests.id('bob'), 'Flood ' || n
from generate_series(1, 600) as n;
select is(tests.act('carol', 'get', '2026-03-10T07:03Z')::text ~ 'The door is open', true, 'nobody writes the others out of the timeline');
rollback to notes;

-- A reader does not see what people wrote whom the reader has blocked.
select tests.act('bob', 'notes', '2026-03-10T08:00Z', '{"body": "I know where you are"}') \g /dev/null
select is(tests.act('carol', 'get', '2026-03-10T08:01Z')::text ~ 'I know where', true, 'a note');
insert into kith.blocks (tenant_id, user_id, blocked_id, created_at) values (tests.tenant('acme'), tests.id('carol'), tests.id('bob'), '2026-03-10T08:01Z');
select is(tests.act('carol', 'get', '2026-03-10T08:01Z')::text ~ 'I know where', false, 'is not for whoever has blocked its writer');
select is(tests.act('alice', 'get', '2026-03-10T08:01Z')::text ~ 'I know where', true, 'but for others');
delete from kith.blocks;

-- A thing does not end a call for help.
select tests.as_user('acme', 'alice') \g /dev/null
select api.check_in(null, false, null, 'sign', '2026-03-10T08:05Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select is(tests.alarm('2026-03-10T08:06Z') ->> 'status', 'open', 'a thing does not end a call for help');
savepoint pressed;
select tests.miss('2026-03-10') \g /dev/null
select tests.as_user('acme', 'alice') \g /dev/null
select api.check_in(null, false, null, 'sign', '2026-03-10T11:00Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select is(tests.told('ping_all_clear'), null, 'nor is anything clear by it, while the call is open');
rollback to pressed;
select tests.act('bob', 'resolve', '2026-03-10T08:07Z', '{"outcome": "safe"}') \g /dev/null
select is(tests.act('carol', 'reopen', '2026-03-10T08:08Z') ->> 'status', 'open', 'nor does it keep one closed');
select tests.check_in('alice', '2026-03-10T08:10Z') \g /dev/null
select is(tests.alarm('2026-03-10T08:10Z') ->> 'outcome', 'checked_in', 'the person''s own hand does');
select is(tests.refusal('bob', 'notes', '2026-03-17T08:09:59Z', '{"body": "x"}') like 'done%', true, 'a note after the end');
select is(tests.refusal('bob', 'notes', '2026-03-17T08:10Z', '{"body": "x"}'), 'invalid_transition', 'for a week');

-- "Are you OK?" opens no care card to whoever asks alone.
insert into kith.alarm_plans (tenant_id, user_id, after_minutes, repeat_minutes, take_minutes, answer_minutes, receivers_know_each_other, updated_at)
values (tests.tenant('acme'), tests.id('alice'), '{0,20}', '{}', 30, 30, false, '2026-03-01T08:00Z');
insert into kith.alarm_plan_receivers (tenant_id, user_id, connection_id, tier)
values (tests.tenant('acme'), tests.id('alice'), tests.id('alice-bob'), 1);
select is(tests.asks('bob', '2026-03-18T02:00Z'), 'asked', 'Bob asks at night');
select tests.tell('2026-03-18T02:30:10Z') \g /dev/null
select is(tests.alarm('2026-03-18T02:31Z') ->> 'kind', 'unanswered', 'and gets no answer');
select is(tests.card('bob', '2026-03-18T02:31Z'), 'forbidden', 'he learns nothing by it');
update kith.connections set always_care_card = true where id = tests.id('alice-bob');
select is(tests.card('bob', '2026-03-18T02:32Z'), '0b', 'unless the sender always allows it');
update kith.connections set always_care_card = false where id = tests.id('alice-bob');
insert into kith.alarm_receivers (tenant_id, alarm_id, receiver_id, connection_id, tier, tell_at, told_at)
values (tests.tenant('acme'), tests.alarm_id(), tests.id('carol'), '0c000000-0000-7000-8000-000000000002', 1, '2026-03-18T02:30Z', '2026-03-18T02:30Z');
select is(tests.card('bob', '2026-03-18T02:33Z'), '0b', 'or somebody else knows of it too');
select tests.check_in('alice', '2026-03-18T02:40Z') \g /dev/null

-- Somebody who is blocked long after.
select tests.as_user('acme', 'alice') \g /dev/null
select api.update_connection(tests.id('alice-bob'), '{"may_ask": false}', '2026-05-01T08:00Z') \g /dev/null
select api.put_block(tests.id('bob'), '2026-05-01T08:00Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select is((select count(*) from kith.alarm_receivers where receiver_id = tests.id('bob') and left_at is null), 0::bigint, 'loses old alarms too');
select is(tests.refusal('bob', 'get', '2026-05-01T08:01Z'), 'not_found', 'and reads none');
delete from kith.blocks;
select set_config('kith.tenant_id', tests.tenant('acme')::text, true) \g /dev/null
select internal.begin_connection(tests.id('alice'), tests.id('bob'), tests.id('bob'), '2026-05-02T08:00Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select is((select may_ask from kith.connections where id = tests.id('alice-bob')), false, 'whoever was forbidden to ask, and leaves and comes back, may not ask');
select * from finish();
rollback;
