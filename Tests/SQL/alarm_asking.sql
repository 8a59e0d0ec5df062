-- "Are you OK?" (K06), and alarms, where Kith itself was away, or where the question is overtaken.
begin;
\ir people.sql
\ir alarm_house.sql
select plan(36);
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
select * from finish();
rollback;
