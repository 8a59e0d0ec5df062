-- "Are you OK?" (K06), and alarms, where Kith itself was away, or where the question is overtaken.
begin;
\ir people.sql
\ir alarm_house.sql
select plan(55);
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
create function tests.as_alice(p_call text) returns void
  language plpgsql
as $$
begin
  perform tests.as_user('acme', 'alice');
  execute 'select ' || p_call;
  perform tests.as_superuser();
end
$$;
create function tests.alarms() returns bigint
  language sql
as $$
  select count(*) from kith.alarms where kind = 'unanswered'
$$;
create function tests.asked() returns bigint
  language sql
as $$
  select count(*) from kith.notifications where type = 'ask' and user_id = tests.id('alice')
$$;

-- An answer that was received in time has ten seconds to arrive.
savepoint fresh;
select tests.ask('bob', '2026-03-02T07:00Z') \g /dev/null
select tests.tell('2026-03-02T07:30:09Z') \g /dev/null
select tests.check_in('alice', '2026-03-02T07:29:59Z') \g /dev/null
select tests.tell('2026-03-02T07:31Z') \g /dev/null
select is(tests.alarms(), 0::bigint, 'a check-in that was received in time is an answer, though the database was late');
rollback to fresh;

-- An outage.
select tests.ask('bob', '2026-03-02T07:00Z') \g /dev/null
insert into kith.outages (component, began_at) values ('server', '2026-03-02T07:05Z');
select tests.tell('2026-03-02T07:31Z') \g /dev/null
select is(tests.alarms(), 0::bigint, 'nobody is alarmed while nobody could answer');
update kith.outages set ended_at = '2026-03-02T07:40Z';
select tests.tell('2026-03-02T07:41Z') \g /dev/null
select is(tests.asked(), 1::bigint, 'for 15 minutes after it, nothing happens');
select tests.tell('2026-03-02T07:55:01Z') \g /dev/null
select is(tests.alarms(), 0::bigint, 'then no alarm opens,');
select is(tests.asked(), 2::bigint, 'but she is asked again,');
select is((select answer_by from kith.asks), '2026-03-02T08:25:01Z', 'with the full time');
select tests.tell('2026-03-02T08:25:10Z') \g /dev/null
select is(tests.asked(), 2::bigint, 'once');
savepoint again;
select tests.tell('2026-03-02T08:25:11Z') \g /dev/null
select is(tests.alarms(), 1::bigint, 'without an answer to that an alarm opens');
rollback to again;
select tests.check_in('alice', '2026-03-02T08:20Z') \g /dev/null
select tests.tell('2026-03-02T08:26Z') \g /dev/null
select is(tests.alarms(), 0::bigint, 'with one it does not');
rollback to fresh;
insert into kith.outages (component, began_at, ended_at) values ('worker', '2026-03-02T06:59Z', '2026-03-02T08:00Z');
select tests.ask('bob', '2026-03-02T07:00Z') \g /dev/null
select tests.tell('2026-03-02T08:00:01Z') \g /dev/null
select is(tests.alarms(), 0::bigint, 'a question that the workers could not send opens no alarm');
select is(tests.asked(), 2::bigint, 'it is asked when they can');
rollback to fresh;

-- A deletion of the tenant.
select tests.ask('bob', '2026-03-02T07:00Z') \g /dev/null
select tests.as_role('kith_admin'), admin.delete_tenant('acme', 'a mistake', '2026-03-02T07:05Z'), tests.as_superuser() \g /dev/null
select tests.tell('2026-03-02T08:00Z') \g /dev/null
select tests.as_role('kith_admin'), admin.restore_tenant('acme', 'a mistake', '2026-03-02T09:00Z'), tests.as_superuser() \g /dev/null
select tests.tell('2026-03-02T09:00:01Z') \g /dev/null
select is(tests.alarms(), 0::bigint, 'nobody is alarmed because the tenant was deleted');
select is((select answer_by from kith.asks), '2026-03-02T09:30Z', 'she is asked again when it is back');
rollback to fresh;
select tests.miss('2026-03-02') \g /dev/null
select tests.as_role('kith_admin'), admin.delete_tenant('acme', 'a mistake', '2026-03-02T10:40Z'), tests.as_superuser() \g /dev/null
select tests.as_role('kith_admin'), admin.restore_tenant('acme', 'a mistake', '2026-03-04T09:00Z'), tests.as_superuser() \g /dev/null
select tests.tell('2026-03-04T09:00:01Z') \g /dev/null
select is(tests.told('alarm_repeat'), null, 'nor told that there is still no sign');
rollback to fresh;

-- A question that reaches nobody.
select tests.ask('bob', '2026-03-02T07:00Z') \g /dev/null
update kith.notifications set planned_at = '2026-03-02T07:00:01Z', delivery_status = 'dropped' where type = 'ask';
select tests.tell('2026-03-02T07:30:10Z') \g /dev/null
select is(
  tests.body('bob', 'ask_unanswered'), 'Alice was asked if they''re OK and has not answered. The question may not have reached them.',
  'the receivers read that it may not have reached her'
);
rollback to fresh;
select tests.ask('bob', '2026-03-02T07:00Z') \g /dev/null
update kith.notifications set planned_at = '2026-03-02T07:00:01Z', delivery_status = 'failed' where type = 'ask';
select tests.tell('2026-03-02T07:30:10Z') \g /dev/null
select is(tests.alarms(), 0::bigint, 'what no channel has taken');
select is(tests.asked(), 2::bigint, 'is tried once more');
update kith.notifications set planned_at = '2026-03-02T07:30:11Z', delivery_status = 'failed' where type = 'ask';
select tests.tell('2026-03-02T08:00:20Z') \g /dev/null
select is(tests.alarms(), 1::bigint, 'then an alarm opens');
rollback to fresh;
select tests.ask('bob', '2026-03-02T07:00Z') \g /dev/null
update kith.notifications set planned_at = '2026-03-02T07:00:01Z', delivery_status = 'sent' where type = 'ask';
select tests.tell('2026-03-02T07:30:10Z') \g /dev/null
select is(tests.body('bob', 'ask_unanswered'), 'Alice was asked if they''re OK and has not answered.', 'after one that was sent, they read just that');
rollback to fresh;

-- A question that is overtaken.
select tests.ask('bob', '2026-03-02T07:00Z') \g /dev/null
select tests.as_alice(format('api.pause_connection(%L, %L)', tests.id('alice-bob'), '2026-03-02T07:10Z')) \g /dev/null
select tests.tell('2026-03-02T07:31Z') \g /dev/null
select is(tests.alarms(), 0::bigint, 'a pause ends the question of that receiver');
rollback to fresh;
select tests.ask('bob', '2026-03-02T07:00Z') \g /dev/null
select tests.as_alice(format('api.update_connection(%L, %L, %L)', tests.id('alice-bob'), '{"may_ask": true}', '2026-03-02T07:10Z')) \g /dev/null
select is((select count(*) from kith.asks where ended_at is null), 1::bigint, 'a sender who lets them ask on ends nothing');
select tests.as_alice(format('api.update_connection(%L, %L, %L)', tests.id('alice-bob'), '{"may_ask": false}', '2026-03-02T07:10Z')) \g /dev/null
select tests.tell('2026-03-02T07:31Z') \g /dev/null
select is(tests.alarms(), 0::bigint, 'one who no longer wants to be asked does');
rollback to fresh;
select tests.ask('bob', '2026-03-02T10:15Z') \g /dev/null
select tests.miss('2026-03-02') \g /dev/null
select tests.act('bob', 'resolve', '2026-03-02T10:40Z', '{"outcome": "safe"}') \g /dev/null
select tests.tell('2026-03-02T10:46Z') \g /dev/null
select is(tests.alarms(), 0::bigint, 'whoever has reached her has the answer');
rollback to fresh;
select tests.ask('bob', '2026-03-02T07:00Z') \g /dev/null
select tests.help('alice', '2026-03-02T07:05Z') \g /dev/null
select tests.act('alice', 'resolve', '2026-03-02T07:10Z', '{"outcome": "false_alarm"}') \g /dev/null
select tests.tell('2026-03-02T07:31Z') \g /dev/null
select is(tests.alarms(), 0::bigint, 'a false alarm of her own is an answer');
rollback to fresh;
select tests.ask('bob', '2026-03-02T07:00Z') \g /dev/null
select tests.as_alice('api.drill_alarm(''2026-03-02T07:05Z'')') \g /dev/null
select tests.act('bob', 'resolve', '2026-03-02T07:06Z', '{"outcome": "safe"}') \g /dev/null
select tests.tell('2026-03-02T07:31Z') \g /dev/null
select is(tests.alarms(), 1::bigint, 'the end of a drill is none');
rollback to fresh;
select tests.ask('bob', '2026-03-02T07:00Z') \g /dev/null
update kith.connections set status = 'paused' where sender_id = tests.id('alice');
select tests.tell('2026-03-02T07:31Z') \g /dev/null
select is((select count(*) from kith.alarms), 0::bigint, 'no alarm opens of which nobody learns');
select is((select is_answered from kith.asks), false, 'the question ends');
rollback to fresh;

-- Alarms rest while the servers are away.
select tests.miss('2026-03-02') \g /dev/null
insert into kith.outages (component, began_at) values ('server', '2026-03-02T10:35Z');
select tests.tell('2026-03-02T11:00Z') \g /dev/null
select is(tests.told('alarm_repeat'), null, 'while nobody can check in, nobody reads that there is no sign');
update kith.outages set ended_at = '2026-03-02T11:10Z';
select tests.tell('2026-03-02T11:24Z') \g /dev/null
select is(tests.told('alarm_repeat'), null, 'nor within 15 minutes after it');
select tests.tell('2026-03-02T11:25:01Z') \g /dev/null
select is(tests.told('alarm_repeat'), 'Bob, Carol', 'then they are told');
rollback to fresh;
select tests.help('alice', '2026-03-02T10:00Z') \g /dev/null
insert into kith.outages (component, began_at) values ('server', '2026-03-02T10:05Z');
select tests.tell('2026-03-02T10:30Z') \g /dev/null
select is(tests.told('alarm_repeat'), 'Bob, Carol', 'a call for help goes on');
rollback to fresh;

-- A taker loses an alarm only after they were asked.
select tests.miss('2026-03-02') \g /dev/null
select tests.act('bob', 'take', '2026-03-02T10:32Z') \g /dev/null
select tests.tell('2026-03-02T11:20Z') \g /dev/null
select is(tests.told('alarm_check'), 'Bob', 'a worker that comes late asks first');
select is(tests.told('alarm_reopened'), null, 'and tells nobody that nobody has it');
select is(tests.alarm('2026-03-02T11:29:59Z') ->> 'status', 'taken', 'the taker has ten minutes from then');
select is(tests.alarm('2026-03-02T11:30Z') ->> 'status', 'open', 'and no longer');
select tests.tell('2026-03-02T11:30Z') \g /dev/null
select is(tests.told('alarm_reopened'), 'Alice, Bob, Carol', 'then everybody is told');
rollback to fresh;

-- The receiver who asked hears the answer at once, and sees until when the sender has time to answer.
create function tests.asked_until(p_person text, p_now timestamptz) returns text
  language plpgsql
as $$
declare
  v_answer json;
begin
  perform tests.as_user('acme', p_person);
  v_answer := api.get_connection(tests.id('alice-bob'), p_now);
  perform tests.as_superuser();
  return v_answer ->> 'asked_until';
end
$$;
savepoint asking;
select tests.asks('bob', '2026-03-02T06:00Z') \g /dev/null
select is(tests.asked_until('bob', '2026-03-02T06:01Z'), '2026-03-02T06:30:00.000000Z', 'whoever asks sees until when the sender has time');
select is(tests.asked_until('alice', '2026-03-02T06:01Z'), null, 'the sender has the question itself');
select is(tests.asks('bob', '2026-03-02T06:01Z'), 'invalid_transition', 'nobody asks twice at a time');
select tests.check_in('alice', '2026-03-02T06:10Z') \g /dev/null
select is(tests.told('ask_answered'), 'Bob', 'a check-in is told to whoever asked');
select is(tests.body('bob', 'ask_answered'), 'Alice answered: they''re safe.', 'in these words');
select is((select count(*) from kith.notifications where user_id = tests.id('bob')), 1::bigint, 'once');
select is(tests.asked_until('bob', '2026-03-02T06:11Z'), null, 'and the question is closed');
select is(tests.asks('bob', '2026-03-02T06:12Z'), 'asked', 'Bob may ask again');
rollback to asking;
select tests.asks('bob', '2026-03-02T06:00Z') \g /dev/null
select tests.as_user('acme', 'alice') \g /dev/null
select api.check_in(null, false, '2026-03-02T05:50Z', 'app', '2026-03-02T06:10Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select is(tests.told('ask_answered'), null, 'a tap from before the question answers nothing');
rollback to asking;
-- A ping of the same person, due and missed.
insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at, asked_at)
values (tests.tenant('acme'), '2026-03-02', tests.id('alice-bob'), internal.uuid7('2026-03-02T09:00Z'), tests.id('alice'), tests.id('bob'), 'due',
  '2026-03-02T09:00Z', '2026-03-02T10:30Z', '2026-03-02T09:00Z');
select tests.asks('bob', '2026-03-02T09:10Z'), tests.check_in('alice', '2026-03-02T09:20Z') \g /dev/null
select is(
  (select string_agg(type, ' ') from kith.notifications where user_id = tests.id('bob')), 'ask_answered', 'a check-in that completes a ping too is told once'
);
rollback to asking;
select tests.asks('bob', '2026-03-02T10:20Z'), tests.miss('2026-03-02'), tests.check_in('alice', '2026-03-02T10:40Z') \g /dev/null
select is(
  (select string_agg(type, ' ' order by id) from kith.notifications where user_id = tests.id('bob')), 'ping_missed ping_all_clear',
  'and after a miss as the all-clear'
);
rollback to asking;
select tests.asks('bob', '2026-03-02T06:00Z') \g /dev/null
select tests.tell('2026-03-02T06:30:10Z') \g /dev/null
select tests.check_in('alice', '2026-03-02T06:40Z') \g /dev/null
select is(tests.told('ask_answered'), null, 'where the question had become an alarm');
select is(tests.told('ping_all_clear'), 'Bob, Carol', 'everybody reads the all-clear alone');
rollback to asking;
select tests.asks('bob', '2026-03-02T06:00Z'), tests.help('alice', '2026-03-02T06:05Z') \g /dev/null
select tests.as_user('acme', 'alice') \g /dev/null
select api.check_in(null, false, null, 'sign', '2026-03-02T06:10Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select is(tests.told('ask_answered'), null, 'while a call for help goes on, nobody reads that all is well');
rollback to asking;
insert into kith.channel_credentials (tenant_id, channel, summary, sealed, created_at, updated_at)
values (tests.tenant('acme'), 'sms', '{}', '\x00', '2026-01-05T08:00Z', '2026-01-05T08:00Z');
update kith.users set phone = '+4915100000002', phone_verified_at = '2026-01-05T08:00Z' where id = tests.id('bob');
insert into kith.quiet_hours (tenant_id, user_id, starts_at, ends_at, updated_at) values (tests.tenant('acme'), tests.id('bob'), '00:00', '08:00', '2026-03-01Z');
select tests.asks('bob', '2026-03-02T06:00Z'), tests.check_in('alice', '2026-03-02T06:10Z'), tests.plan_all('2026-03-02T06:10Z') \g /dev/null
select is(tests.channels('bob', 'ask_answered'), 'sms', 'it reaches whoever has only a phone');
select is((select next_attempt_at from kith.deliveries where channel = 'sms'), '2026-03-02T06:10Z', 'at once');

-- How a receiver can be told, for their sender (C3).
create function tests.reachable_by(p_person text) returns text
  language plpgsql
as $$
declare
  v_answer json;
begin
  perform tests.as_user('acme', p_person);
  v_answer := api.get_connection(tests.id('alice-bob'), '2026-03-02T06:00Z');
  perform tests.as_superuser();
  return v_answer ->> 'reachable_by';
end
$$;
select is(tests.reachable_by('alice'), '["sms"]', 'a sender reads how a receiver can be told');
insert into kith.text_numbers (tenant_id, phone, stopped_at, answers_since, updated_at)
values (tests.tenant('acme'), '+4915100000002', '2026-03-01Z', '2026-03-01Z', '2026-03-01Z');
select is(tests.reachable_by('alice'), '[]', 'and that nothing reaches somebody who said STOP');
select is(tests.reachable_by('bob'), null, 'which is the sender''s to know');
select * from finish();
rollback;
