-- Announcing, reminding and missing: the worker's part between generation and the next day.
begin;
\ir people.sql
select plan(66);

insert into kith.connections (tenant_id, id, sender_id, receiver_id, status, code_owner_id, activated_at, created_at, updated_at)
values (tests.tenant('acme'), '0c000000-0000-7000-8000-000000000002', tests.id('alice'), tests.id('carol'), 'active', tests.id('carol'),
  '2026-01-05T08:00:00Z', '2026-01-05T08:00:00Z', '2026-01-05T08:00:00Z');

-- Inserts one ping for each connection, scheduled as given, with 90 minutes of grace and the reminder 15 minutes before the deadline.
create function tests.pings_of(p_on date, p_scheduled_at timestamptz) returns void
  language sql
as $$
  delete from kith.pings;
  delete from kith.notifications;
  insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, remind_at, deadline_at)
  select tenant_id, p_on, id, internal.uuid7(p_scheduled_at), sender_id, receiver_id, 'scheduled',
    p_scheduled_at, p_scheduled_at + interval '75 minutes', p_scheduled_at + interval '90 minutes'
  from kith.connections
$$;

create function tests.loop(p_name text, p_now timestamptz, p_batch integer default 100) returns integer
  language plpgsql
as $$
declare
  v_done integer;
begin
  perform tests.as_role('kith_worker');
  execute format('select worker.%I($1, $2)', p_name) into v_done using p_now, p_batch;
  perform tests.as_superuser();
  return v_done;
end
$$;

create function tests.statuses() returns text[]
  language sql
as $$
  select array_agg(status order by tenant_id, connection_id) from kith.pings
$$;

create function tests.told(p_type text) returns text[]
  language sql
as $$
  select array_agg(notification.tenant_id - 2000000000 || ' ' || person.display_name order by notification.tenant_id, left(notification.id::text, 13), display_name)
  from kith.notifications as notification
  join kith.users as person on person.tenant_id = notification.tenant_id and person.id = notification.user_id
  where type = p_type
$$;

-- Due.
select tests.pings_of('2026-03-02', '2026-03-02T09:00:00Z');
select is(tests.loop('announce_due_pings', '2026-03-02T08:59:59.999Z'), 0, 'no ping is due before its time');
select is(tests.loop('announce_due_pings', '2026-03-02T09:00:00Z'), 3, 'a ping is due at its time');
select is(tests.statuses(), array['due', 'due', 'due'], 'every ping is due');
select is(tests.told('ping_due'), array['1 Alice', '2 Alice'], 'each sender is told once, however many receivers they have');
select is((select distinct (title, body)::text from tests.notifications), '("Time to Check In","Let your receivers know you''re safe.")', 'the sender is asked in the product''s words');
select is((select (data - 'ping_id')::text from kith.notifications where tenant_id = tests.tenant('globex')),
  '{"date": "2026-03-02", "connection_id": "1c000000-0000-7000-8000-000000000001"}', 'the notification carries the date and the ids');
select is(tests.loop('announce_due_pings', '2026-03-02T09:00:01Z'), 0, 'a ping is announced once');
select is((select array_agg(distinct created_at) from kith.notifications)::timestamptz[], array['2026-03-02T09:00:00Z'::timestamptz], 'the notification records when it was written');
select is((select array_agg(deliver_at between '2026-03-02T09:00:00Z' and '2026-03-02T09:00:59.999Z') from kith.notifications), array[true, true],
  'the notification is delivered within the next minute');
select cmp_ok((select count(distinct internal.place_in_minute(gen_random_uuid())) from generate_series(1, 1000)), '>', 900::bigint,
  'people get different delivery times within that minute');
select tests.pings_of('2026-03-02', '2026-03-02T09:00:00Z');
select is(tests.loop('announce_due_pings', '2026-03-02T09:00:00Z', 1), 2, 'a batch contains whole senders, however small it is');
select is(tests.told('ping_due'), array['1 Alice'], 'a batch of whole senders tells nobody twice');
select is(tests.loop('announce_due_pings', '2026-03-02T09:00:00Z', 1), 1, 'the next batch takes the rest');
select tests.pings_of('2026-03-02', '2026-03-02T09:00:00Z');
select tests.loop('announce_due_pings', '2026-03-02T09:00:00Z') \g /dev/null
update kith.pings set status = 'scheduled' where connection_id = tests.id('alice-bob');
select is(tests.loop('announce_due_pings', '2026-03-02T09:00:02Z'), 1, 'a ping that was locked at first is announced later');
select is(tests.told('ping_due'), array['1 Alice', '2 Alice'], 'the sender of a ping announced later is not told again');
select tests.pings_of('2026-03-02', '2026-03-02T09:00:00Z');
update kith.pings set status = 'due' where connection_id = tests.id('alice-bob');
select tests.loop('announce_due_pings', '2026-03-02T09:00:02Z') \g /dev/null
select is(tests.told('ping_due'), array['1 Alice', '2 Alice'], 'a ping that was due when the connection was made tells nobody; announcing the others does');
select tests.pings_of('2026-03-02', '2026-03-02T09:00:00Z');
select is(tests.loop('announce_due_pings', '2026-03-02T10:30:00Z'), 3, 'a ping announced after its deadline still becomes due, so that it can be missed');
select is(tests.told('ping_due'), array['1 Alice', '2 Alice'], 'the sender is asked first, even after the deadline (X35)');
select tests.pings_of('2026-03-02', '2026-03-02T09:00:00Z');
update kith.connections set status = 'paused' where id = tests.id('alice-bob');
update kith.tenants set deleted_at = '2026-03-02T08:00:00Z' where slug = 'globex';
select is(tests.loop('announce_due_pings', '2026-03-02T09:00:00Z'), 3, 'pings of inactive connections and deleted tenants are processed too');
select is(tests.statuses(), array['cancelled', 'due', 'cancelled'], 'pings of a paused connection and of a deleted tenant are cancelled');
update kith.connections set status = 'active';
update kith.tenants set deleted_at = null;
update kith.tenants set status = 'suspended';
select tests.pings_of('2026-03-02', '2026-03-02T09:00:00Z');
select tests.loop('announce_due_pings', '2026-03-02T09:00:00Z') \g /dev/null
select is(tests.statuses(), array['due', 'due', 'due'], 'pings of a suspended tenant are still announced (A02)');
update kith.tenants set status = 'active';

-- Reminder.
select is(tests.loop('remind_senders', '2026-03-02T10:14:59Z'), 0, 'no reminder is sent before its time');
select is(tests.loop('remind_senders', '2026-03-02T10:15:00Z'), 3, 'all pings are processed at the reminder''s time');
select is(tests.told('ping_reminder'), array['1 Alice', '2 Alice'], 'each sender is reminded once');
select is((select distinct (title, body)::text from tests.notifications where type = 'ping_reminder'), '("Check-In Reminder","15 minutes left to check in.")', 'the reminder says how many minutes are left');
select is(tests.loop('remind_senders', '2026-03-02T10:15:01Z'), 0, 'a reminder is sent once');
update kith.pings set remind_at = '2026-03-02T10:15:00Z' where connection_id = tests.id('alice-bob');
select is(tests.loop('remind_senders', '2026-03-02T10:15:02Z'), 1, 'a ping that was locked at first is processed later');
select is(tests.told('ping_reminder'), array['1 Alice', '2 Alice'], 'the sender of a ping processed later is not reminded again');
select tests.pings_of('2026-03-02', '2026-03-02T09:00:00Z');
select tests.loop('announce_due_pings', '2026-03-02T10:20:30Z'), tests.loop('remind_senders', '2026-03-02T10:20:30Z') \g /dev/null
select is((select distinct body from tests.notifications where type = 'ping_reminder'), '10 minutes left to check in.', 'a late reminder gives the minutes left, rounded up');
select tests.pings_of('2026-03-02', '2026-03-02T09:00:00Z');
update kith.pings set status = 'due';
select is(tests.loop('remind_senders', '2026-03-02T10:30:00Z'), 3, 'reminders past the deadline are marked as processed');
select is(tests.told('ping_reminder'), null, 'nobody is reminded after the deadline');
select tests.pings_of('2026-03-02', '2026-03-02T09:00:00Z');
update kith.pings set status = 'completed', completed_at = '2026-03-02T09:10:00Z';
select is(tests.loop('remind_senders', '2026-03-02T10:15:00Z'), 0, 'nobody is reminded after checking in');

-- Missed.
select tests.pings_of('2026-03-02', '2026-03-02T09:00:00Z');
update kith.pings set status = 'due';
select is(tests.loop('miss_pings', '2026-03-02T10:30:09.999Z'), 0, 'a ping is not missed until ten seconds after the deadline, for check-ins in flight');
select is(tests.loop('miss_pings', '2026-03-02T10:30:10Z'), 3, 'a ping is missed ten seconds after its deadline');
select is(tests.statuses(), array['missed', 'missed', 'missed'], 'the status is missed');
select is(tests.told('ping_missed'), array['1 Alice', '1 Bob', '1 Carol', '2 Alice', '2 Bob'], 'the sender is told first and once, then every receiver');
select is(
  (select array_agg(body order by id) from tests.notifications where tenant_id = tests.tenant('globex')),
  array['You missed today''s check-in. Check in now to let your receivers know you''re safe.', 'Alice has not checked in today.'],
  'the alarm has the product''s words, and the sender''s notification has the lower id'
);
select is((select array_agg(distinct title) from tests.notifications), array['Missed Check-In'], 'the alarm has the product''s title');
select is((select count(*) from kith.notifications where data ->> 'ping_id' in (select id::text from kith.pings)), 5::bigint, 'each notification carries the id of a ping');
select is(tests.loop('miss_pings', '2026-03-02T10:30:20Z'), 0, 'a ping is missed once');
update kith.pings set status = 'due' where connection_id = tests.id('alice-bob');
delete from kith.notifications where user_id = tests.id('bob');
select tests.loop('miss_pings', '2026-03-02T10:30:21Z') \g /dev/null
select is(tests.told('ping_missed'), array['1 Alice', '1 Carol', '1 Bob', '2 Alice', '2 Bob'], 'a ping that was locked at first alarms its receiver later, but not its sender again');
select tests.pings_of('2026-03-02', '2026-03-02T09:00:00Z');
update kith.pings set status = 'due';
select is(tests.loop('miss_pings', '2026-03-02T11:00:00Z', 1), 2, 'a batch contains whole senders, however small it is');
update kith.connections set status = 'pending' where id = tests.id('globex-alice-bob');
select is(tests.loop('miss_pings', '2026-03-02T11:00:00Z', 1), 1, 'the ping of a pending connection is missed as well');
select is(tests.told('ping_missed'), array['1 Alice', '1 Bob', '1 Carol'], 'a miss on a pending connection tells nobody, not even its sender (P29)');
select tests.pings_of('2026-03-02', '2026-03-02T09:00:00Z');
update kith.pings set status = 'due';
update kith.connections set status = 'paused' where id = tests.id('globex-alice-bob');
select tests.loop('miss_pings', '2026-03-02T11:00:00Z') \g /dev/null
select is(tests.statuses(), array['missed', 'missed', 'cancelled'], 'the ping of a paused connection is cancelled at its deadline');
select is(tests.told('ping_missed'), array['1 Alice', '1 Bob', '1 Carol'], 'a paused connection''s ping alarms nobody');
update kith.connections set status = 'active';
update kith.users set display_name = ' ' where id = tests.id('alice');
select tests.pings_of('2026-03-02', '2026-03-02T09:00:00Z');
update kith.pings set status = 'due';
select tests.loop('miss_pings', '2026-03-02T11:00:00Z') \g /dev/null
select is((select body from tests.notifications where user_id = tests.id('bob')), 'Your sender has not checked in today.', 'a sender without a name is "Your sender"');
update kith.users set display_name = 'Alice' where id = tests.id('alice');

-- A check-in that arrived before the ping existed.
delete from kith.notifications;
delete from kith.alarms;
select tests.pings_of('2026-03-02', '2026-03-02T09:00:00Z');
update kith.sender_profiles set last_check_in_at = '2026-03-02T09:00:03Z' where user_id = tests.id('alice');
insert into kith.check_ins (tenant_id, id, user_id, received_at, created_at)
values (tests.tenant('acme'), internal.uuid7('2026-03-02T09:00:03Z'), tests.id('alice'), '2026-03-02T09:00:03Z', '2026-03-02T09:00:03Z');
select tests.loop('announce_due_pings', '2026-03-02T09:00:05Z') \g /dev/null
select is(
  (select array_agg(distinct concat_ws(' ', status, to_char(completed_at, 'HH24:MI:SS'), check_in_id is not null)) from kith.pings where sender_id = tests.id('alice')),
  array['completed 09:00:03 t'], 'a check-in that found no ping completes it when it is announced'
);
select is((select count(*) from kith.notifications where type = 'ping_due' and user_id = tests.id('alice')), 0::bigint, 'a sender who has checked in already is not asked');
select is((select array_agg(distinct user_id::text order by user_id::text) from kith.notifications where type = 'ping_completed'),
  (select array_agg(distinct receiver_id::text order by receiver_id::text) from kith.pings where sender_id = tests.id('alice')), 'the receivers are told of that check-in');
update kith.sender_profiles set last_check_in_at = '2026-03-02T08:59:59Z' where user_id = tests.id('alice');
delete from kith.check_ins where user_id = tests.id('alice');
select tests.pings_of('2026-03-02', '2026-03-02T09:00:00Z');
select tests.loop('announce_due_pings', '2026-03-02T09:00:05Z') \g /dev/null
select is((select array_agg(distinct status) from kith.pings), array['due'], 'a check-in from before the scheduled time does not complete the ping');
update kith.sender_profiles set last_check_in_at = null;
delete from kith.check_ins;

-- A day from midnight to midnight.
delete from kith.pings; delete from kith.notifications;
insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at) values (tests.tenant('acme'), 'UTC', '2026-03-05', '2026-03-05T00:00:00Z');
select is(tests.loop('generate_daily_pings', '2026-03-05T00:00:00Z'), 3, 'the pings are generated at midnight');
select is(tests.loop('announce_due_pings', '2026-03-05T09:00:00Z'), 2, 'the pings are due at nine');
select is(tests.loop('remind_senders', '2026-03-05T10:15:00Z'), 2, 'the sender is reminded at a quarter past ten');
select is(tests.loop('miss_pings', '2026-03-05T10:30:10Z'), 2, 'the pings are missed at half past ten');
select tests.as_user('acme', 'alice');
select is(api.check_in(null, false, null, 'app', '2026-03-05T11:00:00Z')::jsonb - 'pings', '{"completed": 0, "late": 2}', 'Alice checks in late at eleven');
select tests.as_superuser();
select is(
  (select array_agg(type || ' ' || display_name order by notification.created_at, left(notification.id::text, 13), display_name)
    from kith.notifications as notification join kith.users as person on person.id = notification.user_id),
  array['ping_due Alice', 'ping_reminder Alice', 'ping_missed Alice', 'ping_missed Bob', 'ping_missed Carol', 'ping_all_clear Bob', 'ping_all_clear Carol'],
  'everybody was told exactly this'
);

-- No worker for four days, and then a check-in before it returns.
select tests.pings_of('2026-03-06', '2026-03-06T09:00:00Z');
select is(tests.loop('announce_due_pings', '2026-03-06T09:00:00Z'), 3, 'the pings are due, and then the worker stops');
select tests.as_user('acme', 'alice');
select is(api.check_in(null, false, null, 'app', '2026-03-10T09:00:00Z')::jsonb - 'pings', '{"completed": 0, "late": 0}', 'Alice checks in four days later');
select tests.as_superuser();
select is(tests.loop('miss_pings', '2026-03-10T09:00:01Z'), 3, 'the worker returns, and the pings are missed');
select is(
  (select array_agg(person.display_name || ' ' || type) from kith.notifications as notification
    join kith.users as person on person.tenant_id = notification.tenant_id and person.id = notification.user_id
    where notification.tenant_id = tests.tenant('acme') and type = 'ping_missed'),
  null, 'nobody is alarmed about a sender who has checked in since'
);
select is(tests.told('ping_missed'), array['2 Alice', '2 Bob'], 'the others are');

-- Each loop runs in one worker at a time, and only in a worker.
select ok(pg_try_advisory_xact_lock(hashtext('worker.miss_pings')), 'this session holds the loop''s lock');
select tests.as_user('acme', 'alice');
select throws_ok($$select worker.miss_pings('2026-03-02T11:00:00Z', 1)$$, '42501', null, 'the API''s role cannot mark pings as missed');
select throws_ok($$select worker.announce_due_pings('2026-03-02T11:00:00Z', 1)$$, '42501', null, 'the API''s role cannot announce pings');
select tests.as_role('kith_worker');
select throws_ok($$delete from kith.notifications$$, '42501', null, 'the worker cannot delete notifications');
select tests.as_superuser();

select * from finish();
rollback;
