-- "I'm safe."
begin;
\ir people.sql
select plan(52);

-- A ping of alice-bob, scheduled as given, with 90 minutes of grace.
create function tests.ping(p_on date, p_status text, p_scheduled_at timestamptz, p_connection text default 'alice-bob') returns void
  language sql
as $$
  insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at, completed_at)
  select tests.tenant('acme'), p_on, connection.id, internal.uuid7(p_scheduled_at), connection.sender_id, connection.receiver_id, p_status,
    p_scheduled_at, p_scheduled_at + interval '90 minutes', case when p_status like 'completed%' then p_scheduled_at end
  from kith.connections as connection where connection.id = tests.id(p_connection);
  -- A missed one's receiver was alarmed, unless the connection is pending.
  insert into kith.notifications (tenant_id, id, user_id, type, title, body, data, created_at)
  select ping.tenant_id, internal.uuid7(ping.deadline_at), ping.receiver_id, 'ping_missed', '', '', jsonb_build_object('ping_id', ping.id, 'date', ping.ping_on), ping.deadline_at
  from kith.pings as ping
  join kith.connections as connection on connection.tenant_id = ping.tenant_id and connection.id = ping.connection_id and connection.status = 'active'
  where p_status = 'missed' and ping.ping_on = p_on and ping.connection_id = tests.id(p_connection)
$$;

create function tests.check_in(p_now timestamptz, p_note text default null) returns jsonb
  language plpgsql
as $$
declare
  v_answer jsonb;
begin
  perform tests.as_user('acme', 'alice');
  v_answer := api.check_in(p_note, p_now);
  perform tests.as_superuser();
  return v_answer;
end
$$;

create function tests.statuses() returns text[]
  language sql
as $$
  select array_agg(concat_ws(' ', to_char(ping_on, 'MM-DD'), status) order by ping_on, connection_id) from kith.pings where tenant_id = tests.tenant('acme')
$$;

create function tests.told() returns text[]
  language sql
as $$
  select array_agg(concat_ws(' ', notification.type, 'to', person.display_name, 'of', to_char((data ->> 'date')::date, 'MM-DD')) order by notification.created_at, type desc, data ->> 'date')
  from kith.notifications as notification
  join kith.users as person on person.tenant_id = notification.tenant_id and person.id = notification.user_id
  where notification.type <> 'ping_missed'
$$;

create function tests.afresh(p_previous_at timestamptz default null) returns void
  language sql
as $$
  delete from kith.pings;
  delete from kith.notifications;
  delete from kith.check_ins;
  update kith.sender_profiles set last_check_in_at = p_previous_at
$$;

-- The open ping.
select tests.ping('2026-03-02', 'due', '2026-03-02T09:00:00Z');
select is(tests.check_in('2026-03-02T09:05:00Z', 'All well') - 'pings', '{"completed": 1, "late": 0}', 'the open ping is completed');
select is(tests.statuses(), array['03-02 completed'], 'and says so');
select is((select completed_at from kith.pings), '2026-03-02T09:05:00Z', 'at the time the server received it');
select is((select array_agg((user_id, received_at, note)::text) from kith.check_ins), array[format('(%s,"2026-03-02 09:05:00+00","All well")', tests.id('alice'))],
  'the sign of life is kept with its note');
select is((select check_in_id from kith.pings), (select id from kith.check_ins), 'the ping names the check-in');
select is((select last_check_in_at from kith.sender_profiles where tenant_id = tests.tenant('acme') and user_id = tests.id('alice')), '2026-03-02T09:05:00Z',
  'the profile knows the last one');
select is(tests.told(), array['ping_completed to Bob of 03-02'], 'the receiver is told');
select is((select (title, body)::text from kith.notifications), '(Safe,"Alice checked in.")', 'in these words');
select is(
  (select data from kith.notifications),
  (select jsonb_build_object('connection_id', connection_id, 'ping_id', id, 'date', ping_on) from kith.pings),
  'with the ids of connection and ping'
);
select is(tests.check_in('2026-03-02T09:06:00Z'), '{"completed": 0, "late": 0, "pings": []}', 'again completes nothing');
select is(tests.told(), array['ping_completed to Bob of 03-02'], 'and tells nobody');
select is((select count(*) from kith.check_ins), 2::bigint, 'but is a sign of life of its own');
select tests.afresh();
select tests.ping('2026-03-02', 'due', '2026-03-02T09:00:00Z');
create temporary table answer as select tests.check_in('2026-03-02T09:05:00Z') as body;
select is((select body -> 'pings' from answer), (select jsonb_build_array(internal.ping_json(pings)) from kith.pings), 'the answer shows the pings as they are now');

-- Before, at and after.
select tests.afresh();
select tests.ping('2026-03-02', 'scheduled', '2026-03-02T09:00:00Z');
select is(tests.check_in('2026-03-02T09:00:00Z') ->> 'completed', '1', 'a ping that nobody has announced yet is completed in its time');
select tests.afresh();
select tests.ping('2026-03-02', 'scheduled', '2026-03-02T09:00:00Z');
select is(tests.check_in('2026-03-02T06:00:00Z') ->> 'completed', '1', 'today''s is completed early');
select is(tests.told(), array['ping_completed to Bob of 03-02'], 'and the receiver told');
select tests.afresh();
select tests.ping('2026-03-03', 'scheduled', '2026-03-03T09:00:00Z');
select is(tests.check_in('2026-03-02T23:59:00Z') ->> 'completed', '0', 'tomorrow''s is not');
select tests.afresh();
select tests.ping('2026-03-02', 'due', '2026-03-02T09:00:00Z');
select is(tests.check_in('2026-03-02T10:29:59.999Z') - 'pings', '{"completed": 1, "late": 0}', 'a moment before the deadline it is in time');
select tests.afresh();
select tests.ping('2026-03-02', 'due', '2026-03-02T09:00:00Z');
select is(tests.check_in('2026-03-02T10:30:00Z') - 'pings', '{"completed": 0, "late": 1}', 'at the deadline it is late, though nobody was alarmed yet');
select is(tests.statuses() || tests.told(), array['03-02 completed_late', 'ping_all_clear to Bob of 03-02'], 'and the receiver hears all clear');

-- Over midnight: 23:58 with 90 minutes.
select tests.afresh();
update kith.sender_profiles set ping_time = '23:58' where tenant_id = tests.tenant('acme');
select tests.ping('2026-03-02', 'due', '2026-03-02T23:58:00Z'), tests.ping('2026-03-03', 'scheduled', '2026-03-03T23:58:00Z') \g /dev/null
select is(tests.check_in('2026-03-03T00:05:00Z') - 'pings', '{"completed": 1, "late": 0}', 'yesterday''s open ping is completed');
select is(tests.statuses(), array['03-02 completed', '03-03 scheduled'], 'and tonight''s is not, because one was open');
select is(tests.check_in('2026-03-03T00:06:00Z') ->> 'completed', '0', 'a second tap does not answer tonight''s either');
select is(tests.check_in('2026-03-03T12:00:00Z') ->> 'completed', '1', 'at noon it does, early');
select tests.afresh();
select tests.ping('2026-03-02', 'due', '2026-03-02T23:58:00Z'), tests.ping('2026-03-03', 'due', '2026-03-03T00:30:00Z') \g /dev/null
select is(tests.check_in('2026-03-03T00:45:00Z') ->> 'completed', '2', 'two dates can be open at once');
select is(tests.told(), array['ping_completed to Bob of 03-02', 'ping_completed to Bob of 03-03'], 'and the receiver hears of both');
select tests.afresh();
select tests.ping('2026-03-02', 'due', '2026-03-02T23:00:00Z'), tests.ping('2026-03-03', 'scheduled', '2026-03-03T23:00:00Z') \g /dev/null
select is(tests.check_in('2026-03-03T00:30:05Z') - 'pings', '{"completed": 1, "late": 1}', 'one that came too late for yesterday''s is early for tonight''s');
select is(tests.statuses(), array['03-02 completed_late', '03-03 completed'], 'whether yesterday''s was judged missed yet or not');
update kith.sender_profiles set ping_time = '09:00' where tenant_id = tests.tenant('acme');

-- Missed ones.
select tests.afresh();
select tests.ping('2026-03-02', 'missed', '2026-03-02T09:00:00Z');
select is(tests.check_in('2026-03-02T11:00:00Z') - 'pings', '{"completed": 0, "late": 1}', 'a missed ping is completed late');
select is(tests.told(), array['ping_all_clear to Bob of 03-02'], 'the receiver hears all clear');
select is((select (title, body)::text from kith.notifications where type = 'ping_all_clear'), '("All Clear","Alice checked in late. They''re safe.")', 'in these words');
select is(tests.check_in('2026-03-02T11:01:00Z') ->> 'late', '0', 'once');
select tests.afresh();
select tests.ping('2026-03-02', 'missed', '2026-03-02T09:00:00Z');
select is(tests.check_in('2026-03-02T10:29:59Z') - 'pings', '{"completed": 1, "late": 0}',
  'a check-in that was received in time counts, though the database came to it after the miss');
select is(tests.told(), array['ping_all_clear to Bob of 03-02'], 'and clears the alarm');
select tests.afresh();
select tests.ping('2026-03-02', 'missed', '2026-03-02T09:00:00Z');
update kith.connections set status = 'paused' where id = tests.id('alice-bob');
select tests.check_in('2026-03-02T11:00:00Z') \g /dev/null
select is(tests.told(), array['ping_all_clear to Bob of 03-02'], 'who was alarmed hears all clear, paused or not');
update kith.connections set status = 'pending' where id = tests.id('alice-bob');
select tests.afresh();
select tests.ping('2026-03-02', 'missed', '2026-03-02T09:00:00Z');
update kith.connections set status = 'active' where id = tests.id('alice-bob');
select tests.check_in('2026-03-02T11:00:00Z') \g /dev/null
select is(tests.told(), null, 'who was not alarmed hears nothing');
select tests.afresh();
select tests.ping('2026-03-02', 'missed', '2026-03-02T09:00:00Z');
update kith.connections set status = 'deleted', deleted_at = '2026-03-02T10:40:00Z' where id = tests.id('alice-bob');
select is(tests.check_in('2026-03-02T11:00:00Z') ->> 'late', '0', 'a removed connection''s ping stays missed');
update kith.connections set status = 'active', deleted_at = null where id = tests.id('alice-bob');
select tests.afresh('2026-03-02T10:45:00Z');
select tests.ping('2026-03-02', 'missed', '2026-03-02T09:00:00Z');
select is(tests.check_in('2026-03-02T11:00:00Z') ->> 'late', '0', 'not when a check-in has come since its deadline');
select tests.afresh();
select tests.ping('2026-03-01', 'missed', '2026-03-01T09:00:00Z'), tests.ping('2026-03-02', 'missed', '2026-03-02T09:00:00Z') \g /dev/null
select is(tests.check_in('2026-03-02T20:00:00Z') ->> 'late', '1', 'of several missed ones one is completed late');
select is(tests.statuses(), array['03-01 missed', '03-02 completed_late'], 'the newest');
select tests.afresh();
select tests.ping('2026-03-01', 'missed', '2026-03-01T09:00:00Z'), tests.ping('2026-03-02', 'due', '2026-03-02T09:00:00Z') \g /dev/null
select is(tests.check_in('2026-03-02T09:10:00Z') - 'pings', '{"completed": 1, "late": 1}', 'yesterday''s miss is cleared by today''s check-in in time');
select is(tests.statuses() || tests.told(), array['03-01 completed_late', '03-02 completed', 'ping_completed to Bob of 03-02', 'ping_all_clear to Bob of 03-01'],
  'and the receiver hears both');
select tests.afresh();
select tests.ping(day::date, 'missed', day + interval '9 hours') from generate_series(timestamptz '2026-02-01Z', '2026-02-10Z', '1 day') as day \g /dev/null
select is(tests.check_in('2026-03-02T20:00:00Z') ->> 'late', '1', 'after weeks away it is the newest of all');
select is((select array_agg(ping_on) from kith.pings where status = 'completed_late'), array[date '2026-02-10'], 'wherever that is');
select tests.afresh('2026-02-20T00:00:00Z');
select tests.ping(day::date, 'missed', day + interval '9 hours') from generate_series(timestamptz '2026-02-01Z', '2026-02-10Z', '1 day') as day \g /dev/null
select is(tests.check_in('2026-03-02T20:00:00Z') ->> 'late', '0', 'unless a check-in has come since');

-- Connections that nobody is to hear of.
select tests.afresh();
update kith.connections set status = 'pending' where id = tests.id('alice-bob');
select tests.ping('2026-03-02', 'due', '2026-03-02T09:00:00Z');
select is(tests.check_in('2026-03-02T09:05:00Z') ->> 'completed', '1', 'the ping of a pending connection is completed');
select is(tests.told(), null, 'and its receiver hears nothing (P29)');
update kith.connections set status = 'active' where id = tests.id('alice-bob');
select tests.afresh();
select tests.ping('2026-03-02', 'cancelled', '2026-03-02T09:00:00Z');
select is(tests.check_in('2026-03-02T09:05:00Z') ->> 'completed', '0', 'a cancelled ping stays cancelled');

-- Out of order, and strangers.
select tests.afresh('2026-03-02T12:00:00Z');
select tests.check_in('2026-03-02T11:59:00Z') \g /dev/null
select is((select last_check_in_at from kith.sender_profiles where user_id = tests.id('alice')), '2026-03-02T12:00:00Z', 'the last check-in never goes back');
select tests.afresh();
select tests.ping('2026-03-02', 'due', '2026-03-02T09:00:00Z');
select tests.as_user('acme', 'mallory');
select is((api.check_in(null, '2026-03-02T09:05:00Z')::jsonb) ->> 'completed', '0', 'a stranger''s check-in completes nothing of Alice''s');
select tests.as_user('acme', 'bob');
select throws_ok($$select api.check_in(null, '2026-03-02T09:05:00Z')$$, 'KT409', 'profile_required', 'who is no sender needs the profile first');
select tests.as_superuser();
select is(tests.statuses() || tests.told(), array['03-02 due'], 'and Alice''s ping is as it was');

select * from finish();
rollback;
