-- Kith's own outage alarms nobody.
begin;
\ir people.sql
select plan(45);

create function tests.server_beat(p_now timestamptz, p_instance text default 's1') returns void
  language plpgsql
as $$
begin
  perform tests.as_role('kith_api');
  perform api.beat(p_instance, '2026-03-02T00:00:00Z', null, p_now);
  perform tests.as_superuser();
end
$$;

create function tests.worker_beat(p_now timestamptz, p_instance text default 'w1') returns void
  language plpgsql
as $$
begin
  perform tests.as_role('kith_worker');
  perform worker.beat('worker', p_instance, '2026-03-02T00:00:00Z', null, p_now);
  perform tests.as_superuser();
end
$$;

create function tests.loop(p_name text, p_now timestamptz) returns integer
  language plpgsql
as $$
declare
  v_done integer;
begin
  perform tests.as_role('kith_worker');
  execute format('select worker.%I($1, 100)', p_name) into v_done using p_now;
  perform tests.as_superuser();
  return v_done;
end
$$;

-- Inserts a due ping of alice-bob with this deadline, 90 minutes after its time; its reminder has been sent unless stated otherwise.
create function tests.due_until(p_deadline_at timestamptz, p_remind_at timestamptz default null) returns void
  language sql
as $$
  delete from kith.pings;
  delete from kith.notifications;
  delete from kith.alarms;
  insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, remind_at, deadline_at)
  values (tests.tenant('acme'), p_deadline_at::date, tests.id('alice-bob'), internal.uuid7(p_deadline_at), tests.id('alice'), tests.id('bob'), 'due',
    p_deadline_at - interval '90 minutes', p_remind_at, p_deadline_at)
$$;

create function tests.outages() returns text[]
  language sql
as $$
  select array_agg(concat_ws(' ', component, to_char(began_at, 'HH24:MI:SS'), coalesce(to_char(ended_at, 'HH24:MI:SS'), 'open')) order by began_at, component) from kith.outages
$$;

-- The record of outages.
select tests.server_beat('2026-03-02T10:00:00Z');
select is(tests.outages(), null, 'the first heartbeat is no outage');
select tests.server_beat('2026-03-02T10:01:00Z');
select is(tests.outages(), null, 'a minute without a heartbeat is no outage');
select tests.server_beat('2026-03-02T10:02:01Z');
select is(tests.outages(), array['server 10:01:00 10:02:01'], 'a longer gap is an outage, from the last heartbeat to the next');
select tests.server_beat('2026-03-02T10:02:02Z', 's2');
select tests.server_beat('2026-03-02T10:03:02Z', 's2');
select tests.server_beat('2026-03-02T10:03:30Z');
select is(tests.outages(), array['server 10:01:00 10:02:01'], 'there is no outage while another server lives');
select tests.worker_beat('2026-03-02T10:03:30Z');
select tests.worker_beat('2026-03-02T10:10:00Z', 'w2');
select is(tests.outages(), array['server 10:01:00 10:02:01', 'worker 10:03:30 10:10:00'], 'a worker that comes back after a gap records an outage, even under another name');
select tests.as_role('kith_worker');
select worker.watch_server('2026-03-02T10:04:30Z') \g /dev/null
select tests.as_superuser();
select is(array_length(tests.outages(), 1), 2, 'the worker sees no outage of the servers within a minute');
select tests.as_role('kith_worker');
select worker.watch_server('2026-03-02T10:04:31Z') \g /dev/null
select worker.watch_server('2026-03-02T10:04:46Z') \g /dev/null
select tests.as_superuser();
select is((tests.outages())[2], 'server 10:03:30 open', 'after a minute the worker opens an outage of the servers');
select is(array_length(tests.outages(), 1), 3, 'the outage is opened once');
select tests.server_beat('2026-03-02T10:20:00Z');
select is((tests.outages())[2], 'server 10:03:30 10:20:00', 'the next heartbeat ends the outage');
select tests.server_beat('2026-03-03T11:00:00Z', 's3');
select is((select array_agg(instance) from kith.heartbeats where component = 'server'), array['s3'], 'heartbeats of dead instances are swept after a day');
select tests.as_role('kith_api');
select ok(
  api.beat('s1', now(), null, clock_timestamp() + interval '1 hour') between extract(epoch from now()) * 1000000 and extract(epoch from clock_timestamp()) * 1000000,
  'a server whose clock is far ahead learns the database''s time, by which it sets its own'
);
select throws_ok($$select internal.record_beat('worker', 'x', now(), null, 0, now())$$, '42501', null, 'the API''s role cannot record a heartbeat of the worker');
select tests.as_superuser();
delete from kith.heartbeats; delete from kith.outages;

-- No heartbeat at all.
select tests.due_until('2026-03-02T10:30:00Z');
select is(tests.loop('miss_pings', '2026-03-02T10:30:10Z'), 1, 'without any heartbeat no outage is assumed');

-- Before an outage is known.
select tests.server_beat('2026-03-02T10:29:59Z');
select tests.due_until('2026-03-02T10:30:00Z');
select is(tests.loop('miss_pings', '2026-03-02T10:30:40Z'), 0, 'a deadline after the last heartbeat of every server is not judged yet');
select tests.server_beat('2026-03-02T10:30:40Z', 's2');
select is(tests.loop('miss_pings', '2026-03-02T10:30:41Z'), 1, 'the next heartbeat of any server lets it be judged');
select tests.due_until('2026-03-02T10:30:00Z');
select is(tests.loop('miss_pings', '2027-03-02T10:30:41Z'), 1, 'heartbeats of another year are ignored');
delete from kith.heartbeats;

-- During an outage.
select tests.server_beat('2026-03-02T10:20:00Z');
select tests.due_until('2026-03-02T10:30:00Z');
select tests.as_role('kith_worker');
select worker.watch_server('2026-03-02T10:21:30Z') \g /dev/null
select tests.as_superuser();
select is(tests.outages(), array['server 10:20:00 open'], 'an outage of the servers is open');
select is(tests.loop('miss_pings', '2026-03-02T10:30:10Z'), 0, 'during the outage nothing is missed');
select is(tests.loop('miss_pings', '2026-03-02T12:00:00Z'), 0, 'nothing is missed however long the outage lasts');
select is((select count(*) from kith.notifications), 0::bigint, 'during the outage nobody is told');
-- Recovery at 12:05.
select tests.server_beat('2026-03-02T12:05:00Z');
select is(tests.loop('miss_pings', '2026-03-02T12:05:05Z'), 0, 'after recovery the sender has 15 minutes');
select is((select array_agg((user_id, type, body)::text) from tests.notifications), array[format('(%s,ping_reminder,"15 minutes left to check in.")', tests.id('alice'))],
  'after recovery the sender is told first');
select is(tests.loop('miss_pings', '2026-03-02T12:19:59Z'), 0, 'nothing is missed before the 15 minutes have passed');
select is((select count(*) from kith.notifications), 1::bigint, 'the sender is told once');
select is(tests.loop('miss_pings', '2026-03-02T12:20:00Z'), 1, 'after 15 minutes the ping is missed');
select is((select array_agg(distinct type) from kith.notifications), array['ping_missed', 'ping_reminder'], 'the receivers are told of the miss');

-- A check-in within those 15 minutes.
delete from kith.outages;
insert into kith.outages (component, began_at, ended_at) values ('server', '2026-03-02T10:20:00Z', '2026-03-02T12:05:00Z');
select tests.server_beat('2026-03-02T12:06:00Z');
select tests.due_until('2026-03-02T10:30:00Z');
select tests.as_user('acme', 'alice');
select is(api.check_in(null, false, null, 'app', '2026-03-02T12:10:00Z')::jsonb - 'pings', '{"completed": 0, "late": 1}', 'a check-in within the 15 minutes is late');
select tests.as_superuser();
select is((select array_agg(distinct type) from kith.notifications), array['ping_completed'], 'a check-in within the 15 minutes prevents the alarm, and is told as any other');

-- The pings that wait.
create function tests.waits(p_deadline_at timestamptz, p_now timestamptz) returns boolean
  language plpgsql
as $$
begin
  perform tests.due_until(p_deadline_at);
  delete from kith.heartbeats;
  return tests.loop('miss_pings', p_now) = 0;
end
$$;
delete from kith.outages;
insert into kith.outages (component, began_at, ended_at) values ('server', '2026-03-02T10:00:00Z', '2026-03-02T10:10:00Z');
select ok(not tests.waits('2026-03-02T10:25:00Z', '2026-03-02T10:25:10Z'), 'a ping does not wait if the outage ended 15 minutes before its deadline');
select ok(not tests.waits('2026-03-02T10:24:59Z', '2026-03-02T10:25:10Z'), 'a ping does not wait if 15 minutes have passed since the outage');
select ok(tests.waits('2026-03-02T10:24:00Z', '2026-03-02T10:24:59Z'), 'a ping waits if 15 minutes have not passed since the outage');
select ok(tests.waits('2026-03-02T10:05:00Z', '2026-03-02T10:24:59Z'), 'a ping waits if its deadline was during the outage');
select ok(tests.waits('2026-03-02T10:00:01Z', '2026-03-02T10:24:59Z'), 'a ping waits if the outage began just before its deadline');
select ok(not tests.waits('2026-03-02T10:00:00Z', '2026-03-02T10:12:00Z'), 'a ping does not wait if the outage began at its deadline');
update kith.outages set component = 'worker';
select ok(tests.waits('2026-03-02T10:05:00Z', '2026-03-02T10:24:59Z'), 'a ping waits after an outage of the worker, because the reminder was late');

-- The order after an outage: pings that became due are announced first, then every sender is told, batch by batch.
update kith.outages set began_at = '2026-03-02T08:50:00Z', ended_at = '2026-03-02T10:40:00Z', sender_told_at = null;
select tests.due_until('2026-03-02T10:30:00Z');
update kith.pings set status = 'scheduled';
select is(tests.loop('miss_pings', '2026-03-02T10:40:01Z'), 0, 'senders are not told while a due ping is still unannounced');
select tests.loop('announce_due_pings', '2026-03-02T10:40:01Z') \g /dev/null
insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at)
select tenant_id, ping_on, gen_random_uuid(), gen_random_uuid(), n::text::uuid, receiver_id, 'due', scheduled_at, deadline_at
from kith.pings, unnest(array['0a11ce00-0000-7000-8000-00000000000a', '0a11ce00-0000-7000-8000-00000000000b']) as n;
insert into kith.users (tenant_id, id, tokens_valid_from, created_at, updated_at)
select distinct tenant_id, sender_id, '2026-01-05Z'::timestamptz, '2026-01-05Z'::timestamptz, '2026-01-05Z'::timestamptz from kith.pings where sender_id::text ~ '000[ab]$';
insert into kith.connections (tenant_id, id, sender_id, receiver_id, status, code_owner_id, activated_at, created_at, updated_at)
select tenant_id, connection_id, sender_id, receiver_id, 'active', receiver_id, '2026-01-05Z', '2026-01-05Z', '2026-01-05Z' from kith.pings where sender_id::text ~ '000[ab]$';
select tests.as_role('kith_worker');
select results_eq($$select worker.miss_pings('2026-03-02T10:40:02Z', 1) from generate_series(1, 5)$$, array[1, 1, 0, 0, 0], 'senders are told one batch per call, until all have been told');
select tests.as_superuser();
select is((select array_agg(body) from tests.notifications), array['Let your receivers know you''re safe.', '90 minutes left to check in.', '90 minutes left to check in.'],
  'each sender is told once, and has the full grace from then on');
select ok((select sender_told_at is not null from kith.outages), 'after telling every sender, the outage is finished');
delete from kith.connections where sender_id::text ~ '000[ab]$'; delete from kith.users where id::text ~ '000[ab]$';
update kith.outages set began_at = '2026-03-02T10:00:00Z', ended_at = '2026-03-02T10:10:00Z', told_deadline_at = null, told_tenant_id = null, told_sender_id = null;

-- The reminder after recovery.
update kith.outages set sender_told_at = null, told_deadline_at = null, told_tenant_id = null, told_sender_id = null;
select tests.due_until('2026-03-02T10:20:00Z', '2026-03-02T10:05:00Z');
select tests.loop('miss_pings', '2026-03-02T10:10:30Z') \g /dev/null
select is((select array_agg(body) from tests.notifications), array['10 minutes left to check in.'], 'before the deadline the reminder gives the minutes left');
select is(tests.loop('remind_senders', '2026-03-02T10:10:31Z'), 0, 'the reminder after recovery replaces the ordinary one');
update kith.outages set sender_told_at = null, told_deadline_at = null, told_tenant_id = null, told_sender_id = null;
select tests.due_until('2026-03-02T10:20:00Z', '2026-03-02T10:05:00Z');
select tests.loop('remind_senders', '2026-03-02T10:10:29Z'), tests.loop('miss_pings', '2026-03-02T10:10:30Z') \g /dev/null
select is((select count(*) from kith.notifications), 1::bigint, 'a sender who has just been reminded is not told again');
update kith.outages set sender_told_at = null, told_deadline_at = null, told_tenant_id = null, told_sender_id = null;
select tests.due_until('2026-03-02T10:26:00Z', '2026-03-02T10:11:00Z');
select tests.loop('miss_pings', '2026-03-02T10:10:30Z') \g /dev/null
select is((select count(*) from kith.notifications), 0::bigint, 'a ping whose last 15 minutes are still ahead is reminded as usual');
update kith.outages set sender_told_at = null, told_deadline_at = null, told_tenant_id = null, told_sender_id = null;
update kith.sender_profiles set last_check_in_at = null;
select tests.due_until('2026-03-02T10:05:00Z');
select tests.loop('miss_pings', '2026-03-02T11:10:30Z') \g /dev/null
select is((select array_agg(distinct type) from kith.notifications), array['ping_missed'], 'a long past outage causes no reminder');

select ok((select sender_told_at is not null from kith.outages), 'a long past outage is finished');

select * from finish();
rollback;
