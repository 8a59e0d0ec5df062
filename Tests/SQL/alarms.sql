-- Due, reminder, missed: what the worker does between generation and the next day.
begin;
\ir people.sql
select plan(61);

insert into kith.connections (tenant_id, id, sender_id, receiver_id, status, code_owner_id, activated_at, created_at, updated_at)
values (tests.tenant('acme'), '0c000000-0000-7000-8000-000000000002', tests.id('alice'), tests.id('carol'), 'active', tests.id('carol'),
  '2026-01-05T08:00:00Z', '2026-01-05T08:00:00Z', '2026-01-05T08:00:00Z');

-- One ping for each connection, scheduled as given, with 90 minutes of grace and the reminder 15 minutes before its end.
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
select is(tests.loop('announce_due_pings', '2026-03-02T08:59:59.999Z'), 0, 'before its time no ping is due');
select is(tests.loop('announce_due_pings', '2026-03-02T09:00:00Z'), 3, 'at its time it is');
select is(tests.statuses(), array['due', 'due', 'due'], 'every one');
select is(tests.told('ping_due'), array['1 Alice', '2 Alice'], 'each sender is told once, however many receivers');
select is((select distinct (title, body)::text from kith.notifications), '("Time to Check In","Let your receivers know you''re safe.")', 'in these words');
select is((select (data - 'ping_id')::text from kith.notifications where tenant_id = tests.tenant('globex')),
  '{"date": "2026-03-02", "connection_id": "1c000000-0000-7000-8000-000000000001"}', 'with the date and the ids');
select is(tests.loop('announce_due_pings', '2026-03-02T09:00:01Z'), 0, 'once');
select is((select array_agg(distinct created_at) from kith.notifications), array['2026-03-02T09:00:00Z'::timestamptz], 'it says when it was written');
select is((select array_agg(deliver_at between '2026-03-02T09:00:00Z' and '2026-03-02T09:00:59.999Z') from kith.notifications), array[true, true],
  'and is delivered in the minute that follows');
select cmp_ok((select count(distinct internal.place_in_minute(gen_random_uuid())) from generate_series(1, 1000)), '>', 900::bigint,
  'which everybody has another part of');
select tests.pings_of('2026-03-02', '2026-03-02T09:00:00Z');
select is(tests.loop('announce_due_pings', '2026-03-02T09:00:00Z', 1), 2, 'a batch is whole senders, however small');
select is(tests.told('ping_due'), array['1 Alice'], 'so nobody is told twice');
select is(tests.loop('announce_due_pings', '2026-03-02T09:00:00Z', 1), 1, 'the next batch takes the rest');
select tests.pings_of('2026-03-02', '2026-03-02T09:00:00Z');
select tests.loop('announce_due_pings', '2026-03-02T09:00:00Z') \g /dev/null
update kith.pings set status = 'scheduled' where connection_id = tests.id('alice-bob');
select is(tests.loop('announce_due_pings', '2026-03-02T09:00:02Z'), 1, 'what was locked the first time comes later');
select is(tests.told('ping_due'), array['1 Alice', '2 Alice'], 'and its sender, who knows, is not told again');
select tests.pings_of('2026-03-02', '2026-03-02T09:00:00Z');
update kith.pings set status = 'due' where connection_id = tests.id('alice-bob');
select tests.loop('announce_due_pings', '2026-03-02T09:00:02Z') \g /dev/null
select is(tests.told('ping_due'), array['1 Alice', '2 Alice'], 'a ping that connecting made due told nobody: the announcement of the others does');
select tests.pings_of('2026-03-02', '2026-03-02T09:00:00Z');
select is(tests.loop('announce_due_pings', '2026-03-02T10:30:00Z'), 3, 'a ping whose announcement comes after its deadline is due, so that it is judged');
select is(tests.told('ping_due'), null, 'but nobody is told that it is time');
select tests.pings_of('2026-03-02', '2026-03-02T09:00:00Z');
update kith.connections set status = 'paused' where id = tests.id('alice-bob');
update kith.tenants set deleted_at = '2026-03-02T08:00:00Z' where slug = 'globex';
select is(tests.loop('announce_due_pings', '2026-03-02T09:00:00Z'), 3, 'what nobody waits for any more is looked at too');
select is(tests.statuses(), array['cancelled', 'due', 'cancelled'], 'and cancelled: of a paused connection, of a deleted tenant');
update kith.connections set status = 'active';
update kith.tenants set deleted_at = null;
update kith.tenants set status = 'suspended';
select tests.pings_of('2026-03-02', '2026-03-02T09:00:00Z');
select tests.loop('announce_due_pings', '2026-03-02T09:00:00Z') \g /dev/null
select is(tests.statuses(), array['due', 'due', 'due'], 'a suspended tenant''s people are still looked after (A02)');
update kith.tenants set status = 'active';

-- Reminder.
select is(tests.loop('remind_senders', '2026-03-02T10:14:59Z'), 0, 'no reminder before its time');
select is(tests.loop('remind_senders', '2026-03-02T10:15:00Z'), 3, 'and then one');
select is(tests.told('ping_reminder'), array['1 Alice', '2 Alice'], 'for each sender');
select is((select distinct (title, body)::text from kith.notifications where type = 'ping_reminder'), '("Check-In Reminder","15 minutes left to check in.")', 'with the minutes left');
select is(tests.loop('remind_senders', '2026-03-02T10:15:01Z'), 0, 'once');
update kith.pings set remind_at = '2026-03-02T10:15:00Z' where connection_id = tests.id('alice-bob');
select is(tests.loop('remind_senders', '2026-03-02T10:15:02Z'), 1, 'what was locked the first time comes later');
select is(tests.told('ping_reminder'), array['1 Alice', '2 Alice'], 'and tells nobody again');
select tests.pings_of('2026-03-02', '2026-03-02T09:00:00Z');
select tests.loop('announce_due_pings', '2026-03-02T10:20:30Z'), tests.loop('remind_senders', '2026-03-02T10:20:30Z') \g /dev/null
select is((select distinct body from kith.notifications where type = 'ping_reminder'), '10 minutes left to check in.', 'a late reminder says how many are left, rounded up');
select tests.pings_of('2026-03-02', '2026-03-02T09:00:00Z');
update kith.pings set status = 'due';
select is(tests.loop('remind_senders', '2026-03-02T10:30:00Z'), 3, 'past the deadline');
select is(tests.told('ping_reminder'), null, 'nobody is reminded');
select tests.pings_of('2026-03-02', '2026-03-02T09:00:00Z');
update kith.pings set status = 'completed', completed_at = '2026-03-02T09:10:00Z';
select is(tests.loop('remind_senders', '2026-03-02T10:15:00Z'), 0, 'nor who has checked in');

-- Missed.
select tests.pings_of('2026-03-02', '2026-03-02T09:00:00Z');
update kith.pings set status = 'due';
select is(tests.loop('miss_pings', '2026-03-02T10:30:09.999Z'), 0, 'ten seconds after the deadline are for check-ins on their way');
select is(tests.loop('miss_pings', '2026-03-02T10:30:10Z'), 3, 'then it is missed');
select is(tests.statuses(), array['missed', 'missed', 'missed'], 'and says so');
select is(tests.told('ping_missed'), array['1 Alice', '1 Bob', '1 Carol', '2 Alice', '2 Bob'], 'the sender is told first and once, then every receiver');
select is(
  (select array_agg(body order by id) from kith.notifications where tenant_id = tests.tenant('globex')),
  array['You missed today''s check-in. Check in now to let your receivers know you''re safe.', 'Alice has not checked in today.'],
  'in these words, the sender''s with the lower id'
);
select is((select array_agg(distinct title) from kith.notifications), array['Missed Check-In'], 'under this title');
select is((select count(*) from kith.notifications where data ->> 'ping_id' in (select id::text from kith.pings)), 5::bigint, 'each with the id of a ping');
select is(tests.loop('miss_pings', '2026-03-02T10:30:20Z'), 0, 'once');
update kith.pings set status = 'due' where connection_id = tests.id('alice-bob');
delete from kith.notifications where user_id = tests.id('bob');
select tests.loop('miss_pings', '2026-03-02T10:30:21Z') \g /dev/null
select is(tests.told('ping_missed'), array['1 Alice', '1 Carol', '1 Bob', '2 Alice', '2 Bob'], 'what was locked the first time is told to its receiver, not to the sender again');
select tests.pings_of('2026-03-02', '2026-03-02T09:00:00Z');
update kith.pings set status = 'due';
select is(tests.loop('miss_pings', '2026-03-02T11:00:00Z', 1), 2, 'a batch is whole senders, however small');
update kith.connections set status = 'pending' where id = tests.id('globex-alice-bob');
select is(tests.loop('miss_pings', '2026-03-02T11:00:00Z', 1), 1, 'the ping of a pending connection is missed as well');
select is(tests.told('ping_missed'), array['1 Alice', '1 Bob', '1 Carol'], 'but tells nobody, not even its sender (P29)');
select tests.pings_of('2026-03-02', '2026-03-02T09:00:00Z');
update kith.pings set status = 'due';
update kith.connections set status = 'paused' where id = tests.id('globex-alice-bob');
select tests.loop('miss_pings', '2026-03-02T11:00:00Z') \g /dev/null
select is(tests.statuses(), array['missed', 'missed', 'cancelled'], 'a paused connection''s is cancelled');
select is(tests.told('ping_missed'), array['1 Alice', '1 Bob', '1 Carol'], 'and alarms nobody');
update kith.connections set status = 'active';
update kith.users set display_name = ' ' where id = tests.id('alice');
select tests.pings_of('2026-03-02', '2026-03-02T09:00:00Z');
update kith.pings set status = 'due';
select tests.loop('miss_pings', '2026-03-02T11:00:00Z') \g /dev/null
select is((select body from kith.notifications where user_id = tests.id('bob')), 'Your sender has not checked in today.', 'a sender without a name is "Your sender"');
update kith.users set display_name = 'Alice' where id = tests.id('alice');

-- A sign of life that came before the ping was there.
delete from kith.notifications;
select tests.pings_of('2026-03-02', '2026-03-02T09:00:00Z');
update kith.sender_profiles set last_check_in_at = '2026-03-02T09:00:03Z' where user_id = tests.id('alice');
insert into kith.check_ins (tenant_id, id, user_id, received_at, created_at)
values (tests.tenant('acme'), internal.uuid7('2026-03-02T09:00:03Z'), tests.id('alice'), '2026-03-02T09:00:03Z', '2026-03-02T09:00:03Z');
select tests.loop('announce_due_pings', '2026-03-02T09:00:05Z') \g /dev/null
select is(
  (select array_agg(distinct concat_ws(' ', status, to_char(completed_at, 'HH24:MI:SS'), check_in_id is not null)) from kith.pings where sender_id = tests.id('alice')),
  array['completed 09:00:03 t'], 'a check-in that found no ping yet answers it when it is announced'
);
select is((select count(*) from kith.notifications where type = 'ping_due' and user_id = tests.id('alice')), 0::bigint, 'nobody is asked who has answered');
select is((select array_agg(distinct user_id::text order by user_id::text) from kith.notifications where type = 'ping_completed'),
  (select array_agg(distinct receiver_id::text order by receiver_id::text) from kith.pings where sender_id = tests.id('alice')), 'and the receivers hear of it');
update kith.sender_profiles set last_check_in_at = '2026-03-02T08:59:59Z' where user_id = tests.id('alice');
select tests.pings_of('2026-03-02', '2026-03-02T09:00:00Z');
select tests.loop('announce_due_pings', '2026-03-02T09:00:05Z') \g /dev/null
select is((select array_agg(distinct status) from kith.pings), array['due'], 'one of before its time does not');
update kith.sender_profiles set last_check_in_at = null;
delete from kith.check_ins;

-- A day from midnight to midnight.
delete from kith.pings; delete from kith.notifications;
insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at) values (tests.tenant('acme'), 'UTC', '2026-03-05', '2026-03-05T00:00:00Z');
select is(tests.loop('generate_daily_pings', '2026-03-05T00:00:00Z'), 3, 'at midnight the pings are made');
select is(tests.loop('announce_due_pings', '2026-03-05T09:00:00Z'), 2, 'at nine they are due');
select is(tests.loop('remind_senders', '2026-03-05T10:15:00Z'), 2, 'at a quarter past ten the sender is reminded');
select is(tests.loop('miss_pings', '2026-03-05T10:30:10Z'), 2, 'at half past ten they are missed');
select tests.as_user('acme', 'alice');
select is(api.check_in(null, '2026-03-05T11:00:00Z')::jsonb - 'pings', '{"completed": 0, "late": 2}', 'at eleven Alice checks in late');
select tests.as_superuser();
select is(
  (select array_agg(type || ' ' || display_name order by notification.created_at, left(notification.id::text, 13), display_name)
    from kith.notifications as notification join kith.users as person on person.id = notification.user_id),
  array['ping_due Alice', 'ping_reminder Alice', 'ping_missed Alice', 'ping_missed Bob', 'ping_missed Carol', 'ping_all_clear Bob', 'ping_all_clear Carol'],
  'and this is who has been told what'
);

-- One worker at a time for each loop; nobody else at all.
select ok(pg_try_advisory_xact_lock(hashtext('worker.miss_pings')), 'this session holds the loop''s lock');
select tests.as_user('acme', 'alice');
select throws_ok($$select worker.miss_pings('2026-03-02T11:00:00Z', 1)$$, '42501', null, 'a server may not miss pings');
select throws_ok($$select worker.announce_due_pings('2026-03-02T11:00:00Z', 1)$$, '42501', null, 'nor announce them');
select tests.as_role('kith_worker');
select throws_ok($$delete from kith.notifications$$, '42501', null, 'the worker takes no notification back');
select tests.as_superuser();

select * from finish();
rollback;
