-- Check-ins: "I'm safe."
begin;
\ir people.sql
select plan(61);

-- Inserts a ping of alice-bob, scheduled as given, with 90 minutes of grace.
create function tests.ping(p_on date, p_status text, p_scheduled_at timestamptz, p_connection text default 'alice-bob') returns void
  language sql
as $$
  insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at, completed_at, alarmed_at)
  select tests.tenant('acme'), p_on, connection.id, internal.uuid7(p_scheduled_at), connection.sender_id, connection.receiver_id, p_status,
    p_scheduled_at, p_scheduled_at + interval '90 minutes', case when p_status like 'completed%' then p_scheduled_at end,
    -- A missed ping alarmed its receiver, unless the connection is pending.
    case when p_status = 'missed' and connection.status = 'active' then p_scheduled_at + interval '90 minutes 10 seconds' end
  from kith.connections as connection where connection.id = tests.id(p_connection);
$$;

create function tests.check_in(p_now timestamptz, p_note text default null) returns jsonb
  language plpgsql
as $$
declare
  v_answer jsonb;
begin
  perform tests.as_user('acme', 'alice');
  v_answer := api.check_in(p_note, false, null, 'app', p_now);
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
select is(tests.check_in('2026-03-02T09:05:00Z', 'All well') - 'pings', '{"completed": 1, "late": 0}', 'a check-in completes the open ping');
select is(tests.statuses(), array['03-02 completed'], 'the status is completed');
select is((select completed_at from kith.pings), '2026-03-02T09:05:00Z', 'the ping is completed at the time when the server received the check-in');
select is((select array_agg((user_id, received_at, note)::text) from kith.check_ins), array[format('(%s,"2026-03-02 09:05:00+00","All well")', tests.id('alice'))],
  'the check-in is stored with its note');
select is((select check_in_id from kith.pings), (select id from kith.check_ins), 'the ping references the check-in');
select is((select last_check_in_at from kith.sender_profiles where tenant_id = tests.tenant('acme') and user_id = tests.id('alice')), '2026-03-02T09:05:00Z',
  'the profile records the last check-in');
select is(tests.told(), array['ping_completed to Bob of 03-02'], 'the receiver is told');
select is((select (title, body)::text from tests.notifications), '(Safe,"Alice checked in.")', 'the receiver is told in the product''s words');
select is(
  (select data from kith.notifications)::jsonb,
  (select jsonb_build_object('connection_id', connection_id, 'ping_id', id, 'date', ping_on, 'user_id', sender_id) from kith.pings),
  'the notification carries the connection, the ping and the sender'
);
select is(tests.check_in('2026-03-02T09:06:00Z'), '{"completed": 0, "late": 0, "pings": []}', 'a second check-in completes nothing');
select is(tests.told(), array['ping_completed to Bob of 03-02'], 'a second check-in tells nobody');
select is((select count(*) from kith.check_ins), 2::bigint, 'a second check-in is stored too');
select tests.afresh();
select tests.ping('2026-03-02', 'due', '2026-03-02T09:00:00Z');
create temporary table answer as select tests.check_in('2026-03-02T09:05:00Z') as body;
select is((select body -> 'pings' from answer), (select jsonb_build_array(internal.ping_json(pings)) from kith.pings), 'the answer shows the pings as they are now');

-- Before, at and after the deadline.
select tests.afresh();
select tests.ping('2026-03-02', 'scheduled', '2026-03-02T09:00:00Z');
select is(tests.check_in('2026-03-02T09:00:00Z') ->> 'completed', '1', 'a ping that is not announced yet is completed once its time has come');
select tests.afresh();
select tests.ping('2026-03-02', 'scheduled', '2026-03-02T09:00:00Z');
select is(tests.check_in('2026-03-02T06:00:00Z') ->> 'completed', '1', 'a check-in before the scheduled time completes today''s ping early');
select is(tests.told(), array['ping_completed to Bob of 03-02'], 'the receiver is told of the early check-in');
select tests.afresh();
select tests.ping('2026-03-03', 'scheduled', '2026-03-03T09:00:00Z');
select is(tests.check_in('2026-03-02T23:59:00Z') ->> 'completed', '0', 'tomorrow''s ping is not completed');
select tests.afresh();
select tests.ping('2026-03-02', 'due', '2026-03-02T09:00:00Z');
select is(tests.check_in('2026-03-02T10:29:59.999Z') - 'pings', '{"completed": 1, "late": 0}', 'just before the deadline a check-in is in time');
select tests.afresh();
select tests.ping('2026-03-02', 'due', '2026-03-02T09:00:00Z');
select is(tests.check_in('2026-03-02T10:30:00Z') - 'pings', '{"completed": 0, "late": 1}', 'at the deadline a check-in is late, although nobody was alarmed yet');
select is(tests.statuses() || tests.told(), array['03-02 completed_late', 'ping_completed to Bob of 03-02'], 'a receiver who was told nothing gets no all-clear');

-- Over midnight: 23:58 with 90 minutes of grace.
select tests.afresh();
update kith.sender_profiles set ping_time = '23:58' where tenant_id = tests.tenant('acme');
select tests.ping('2026-03-02', 'due', '2026-03-02T23:58:00Z'), tests.ping('2026-03-03', 'scheduled', '2026-03-03T23:58:00Z') \g /dev/null
select is(tests.check_in('2026-03-03T00:05:00Z') - 'pings', '{"completed": 1, "late": 0}', 'after midnight a check-in completes yesterday''s open ping');
select is(tests.statuses(), array['03-02 completed', '03-03 scheduled'], 'it leaves tonight''s ping, because one was open');
select is(tests.check_in('2026-03-03T00:06:00Z') ->> 'completed', '0', 'a second check-in does not complete tonight''s ping either');
select is(tests.check_in('2026-03-03T12:00:00Z') ->> 'completed', '1', 'at noon a check-in completes tonight''s ping early');
select tests.afresh();
select tests.ping('2026-03-02', 'due', '2026-03-02T23:58:00Z'), tests.ping('2026-03-03', 'due', '2026-03-03T00:30:00Z') \g /dev/null
select is(tests.check_in('2026-03-03T00:45:00Z') ->> 'completed', '2', 'a check-in completes open pings of two dates');
select is(tests.told(), array['ping_completed to Bob of 03-02', 'ping_completed to Bob of 03-03'], 'the receiver is told of both pings');
select tests.afresh();
select tests.ping('2026-03-02', 'due', '2026-03-02T23:00:00Z'), tests.ping('2026-03-03', 'scheduled', '2026-03-03T23:00:00Z') \g /dev/null
select is(tests.check_in('2026-03-03T00:30:05Z') - 'pings', '{"completed": 0, "late": 1}', 'a check-in too late for yesterday''s ping does not complete tonight''s early');
select is(tests.statuses(), array['03-02 completed_late', '03-03 scheduled'], 'yesterday''s ping is completed late, whether it was marked as missed yet or not');
update kith.sender_profiles set ping_time = '09:00' where tenant_id = tests.tenant('acme');

-- Missed pings.
select tests.afresh();
select tests.ping('2026-03-02', 'missed', '2026-03-02T09:00:00Z');
select is(tests.check_in('2026-03-02T11:00:00Z') - 'pings', '{"completed": 0, "late": 1}', 'a missed ping is completed late');
select is(tests.told(), array['ping_all_clear to Bob of 03-02'], 'the receiver gets the all-clear');
select is((select (title, body)::text from tests.notifications where type = 'ping_all_clear'), '("All Clear","Alice checked in late. They''re safe.")', 'the all-clear has the product''s words');
select is(tests.check_in('2026-03-02T11:01:00Z') ->> 'late', '0', 'a missed ping is completed late once');
select tests.afresh();
select tests.ping('2026-03-02', 'missed', '2026-03-02T09:00:00Z');
select is(tests.check_in('2026-03-02T10:29:59Z') - 'pings', '{"completed": 1, "late": 0}',
  'a check-in received in time counts, even if the database processes it after the miss');
select is(tests.told(), array['ping_all_clear to Bob of 03-02'], 'a check-in processed after the miss clears the alarm');
select tests.afresh();
select tests.ping('2026-03-02', 'missed', '2026-03-02T09:00:00Z');
update kith.connections set status = 'paused' where id = tests.id('alice-bob');
select tests.check_in('2026-03-02T11:00:00Z') \g /dev/null
select is(tests.told(), array['ping_all_clear to Bob of 03-02'], 'a receiver who was alarmed gets the all-clear even if the connection is paused');
update kith.connections set status = 'pending' where id = tests.id('alice-bob');
select tests.afresh();
select tests.ping('2026-03-02', 'missed', '2026-03-02T09:00:00Z');
update kith.connections set status = 'active' where id = tests.id('alice-bob');
select tests.check_in('2026-03-02T11:00:00Z') \g /dev/null
select is(tests.told(), null, 'a receiver who was not alarmed gets no all-clear');
select tests.afresh();
select tests.ping('2026-03-02', 'missed', '2026-03-02T09:00:00Z');
update kith.connections set status = 'deleted', deleted_at = '2026-03-02T10:40:00Z' where id = tests.id('alice-bob');
select is(tests.check_in('2026-03-02T11:00:00Z') ->> 'late', '0', 'the ping of a removed connection stays missed');
update kith.connections set status = 'active', deleted_at = null where id = tests.id('alice-bob');
select tests.afresh('2026-03-02T10:45:00Z');
select tests.ping('2026-03-02', 'missed', '2026-03-02T09:00:00Z');
create temporary table before as select ctid as place from kith.pings;
select is(tests.check_in('2026-03-02T11:00:00Z') ->> 'late', '0', 'a ping stays missed if a check-in has come since its deadline');
select is((select ctid from kith.pings), (select place from before), 'it is not even written');
select tests.afresh();
select tests.ping('2026-03-01', 'missed', '2026-03-01T09:00:00Z'), tests.ping('2026-03-02', 'missed', '2026-03-02T09:00:00Z') \g /dev/null
select is(tests.check_in('2026-03-02T20:00:00Z') ->> 'late', '1', 'only one of several missed pings is completed late');
select is(tests.statuses(), array['03-01 missed', '03-02 completed_late'], 'the newest missed ping is completed late');
select ok(
  (select completed_at is null and check_in_id is null and note is null from kith.pings where status = 'missed'), 'the older missed ping has no answer'
);
select tests.afresh();
select tests.ping('2026-03-01', 'missed', '2026-03-01T09:00:00Z'), tests.ping('2026-03-02', 'due', '2026-03-02T09:00:00Z') \g /dev/null
select is(tests.check_in('2026-03-02T09:10:00Z') - 'pings', '{"completed": 1, "late": 1}', 'a check-in in time also clears yesterday''s miss');
select is(tests.statuses() || tests.told(), array['03-01 completed_late', '03-02 completed', 'ping_completed to Bob of 03-02', 'ping_all_clear to Bob of 03-01'],
  'the receiver is told of both pings');
select tests.afresh();
select tests.ping(day::date, 'missed', day + interval '9 hours') from generate_series(timestamptz '2026-02-01Z', '2026-02-10Z', '1 day') as day \g /dev/null
select is(tests.check_in('2026-03-02T20:00:00Z') ->> 'late', '1', 'after weeks the newest missed ping is completed late');
select is((select array_agg(ping_on) from kith.pings where status = 'completed_late')::date[], array[date '2026-02-10'], 'the newest missed ping may be weeks old');
select tests.afresh('2026-02-20T00:00:00Z');
select tests.ping(day::date, 'missed', day + interval '9 hours') from generate_series(timestamptz '2026-02-01Z', '2026-02-10Z', '1 day') as day \g /dev/null
select is(tests.check_in('2026-03-02T20:00:00Z') ->> 'late', '0', 'a missed ping before another check-in stays missed');
-- A day of the westernmost zone, with the longest grace, ends when the second day after it begins in UTC.
select tests.afresh('2026-03-01T23:59:00Z');
select tests.ping('2026-02-28', 'missed', '2026-03-01T22:29:30Z');
select is(tests.check_in('2026-03-03T08:00:00Z') ->> 'late', '1', 'a missed ping is found by a check-in three dates later');
select tests.afresh('2026-03-02T00:00:00Z');
select tests.ping('2026-03-01', 'missed', '2026-03-01T22:30:01Z');
select is(tests.check_in('2026-03-03T23:59:59Z') ->> 'late', '1', 'a missed ping of two dates before is found after a check-in on the previous day');
select tests.afresh('2026-03-02T12:00:00Z');
select tests.ping('2026-03-04', 'missed', '2026-03-03T21:00:00Z');
select is(tests.check_in('2026-03-03T23:30:00Z') ->> 'late', '1', 'a missed ping of the next date is found, in a zone that is ahead of UTC');

select tests.afresh();
select tests.ping('2026-03-02', 'missed', '2026-03-02T09:00:00Z'), tests.ping('2026-03-03', 'scheduled', '2026-03-03T09:00:00Z') \g /dev/null
select is(tests.check_in('2026-03-03T08:00:00Z') - 'pings', '{"completed": 1, "late": 1}', 'a check-in after a miss completes today''s ping early too');

-- Connections whose receivers are told nothing.
select tests.afresh();
update kith.connections set status = 'pending' where id = tests.id('alice-bob');
select tests.ping('2026-03-02', 'due', '2026-03-02T09:00:00Z');
select is(tests.check_in('2026-03-02T09:05:00Z') ->> 'completed', '1', 'the ping of a pending connection is completed');
select is(tests.told(), null, 'the receiver of a pending connection is told nothing (P29)');
update kith.connections set status = 'active' where id = tests.id('alice-bob');
select tests.afresh();
select tests.ping('2026-03-02', 'cancelled', '2026-03-02T09:00:00Z');
select is(tests.check_in('2026-03-02T09:05:00Z') ->> 'completed', '0', 'a cancelled ping stays cancelled');

-- Check-ins out of order, and of strangers.
select tests.afresh('2026-03-02T12:00:00Z');
select tests.check_in('2026-03-02T11:59:00Z') \g /dev/null
select is((select last_check_in_at from kith.sender_profiles where user_id = tests.id('alice')), '2026-03-02T12:00:00Z', 'the last check-in never moves back');
select tests.afresh();
select tests.ping('2026-03-02', 'due', '2026-03-02T09:00:00Z');
select tests.as_user('acme', 'mallory');
select is((api.check_in(null, false, null, 'app', '2026-03-02T09:05:00Z')::jsonb) ->> 'completed', '0', 'a stranger''s check-in completes none of Alice''s pings');
select tests.as_user('acme', 'bob');
select is(api.check_in(null, false, null, 'app', '2026-03-02T09:05:00Z')::jsonb, '{"completed": 0, "late": 0, "pings": []}', 'a check-in needs no sender profile (X36)');
select tests.as_superuser();
select is(tests.statuses() || tests.told(), array['03-02 due'], 'other users'' check-ins leave Alice''s ping unchanged');

-- Plans are made while a partition is empty, and kept while it fills. A scan of a table that looks small must not be among them.
update pg_class set relpages = 1, reltuples = 0 where relname ~ '^(check_ins|pings|notifications|events|sender_profiles|connections)';
create function tests.scanned() returns bigint
  language sql
as $$
  select coalesce(sum(seq_scan), 0) from pg_stat_xact_user_tables where relname ~ '^(check_ins|pings|notifications|events|sender_profiles|connections)'
$$;
select tests.afresh();
select tests.ping('2026-03-02', 'due', '2026-03-02T09:00:00Z');
select tests.scanned() as scanned \gset
select tests.check_in('2026-03-02T09:05:00Z') \g /dev/null
select is(tests.scanned() - :scanned, 0::bigint, 'a check-in scans no table that grows');

-- The same for an index of all pings of a status, which looks empty. Only an index by sender reads no other sender's pings.
create function tests.scanned_by_time() returns bigint
  language sql
as $$
  select coalesce(sum(pg_stat_get_xact_numscans(class.oid)), 0)
  from pg_class as class
  where class.relkind = 'i' and class.relname ~ '^pings_[0-9_]+_(scheduled_at|remind_at|deadline_at)_tenant_id_sender_id_idx'
$$;
select tests.afresh();
select tests.ping('2026-03-02', 'scheduled', '2026-03-02T09:00:00Z');
update pg_class set relpages = 100000, reltuples = 1e7 where relname ~ '^pings_[0-9_]+$' or relname ~ '^pings_.*(sender_id_idx|pkey)$';
update pg_class set relpages = 1, reltuples = 0 where relname ~ '^pings_[0-9_]+_(scheduled_at|remind_at|deadline_at)_tenant';
discard plans;
select tests.scanned_by_time() as scanned \gset
select is(tests.check_in('2026-03-02T06:00:00Z') ->> 'completed', '1', 'a check-in completes a coming ping');
select is(tests.scanned_by_time() - :scanned, 0::bigint, 'a check-in reads no index of all senders'' pings');

select * from finish();
rollback;
