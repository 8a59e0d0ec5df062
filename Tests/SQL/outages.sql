-- Our own outage is nobody's alarm.
begin;
\ir people.sql
select plan(45);

create function tests.server_beat(p_now timestamptz, p_instance text default 's1') returns void
  language plpgsql
as $$
begin
  perform tests.as_role('kith_api');
  perform api.beat(p_instance, '2026-03-02T00:00:00Z', p_now);
  perform tests.as_superuser();
end
$$;

create function tests.worker_beat(p_now timestamptz, p_instance text default 'w1') returns void
  language plpgsql
as $$
begin
  perform tests.as_role('kith_worker');
  perform worker.beat('worker', p_instance, '2026-03-02T00:00:00Z', p_now);
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

-- A due ping of alice-bob with this deadline, 90 minutes after its time, its reminder given unless said otherwise.
create function tests.due_until(p_deadline_at timestamptz, p_remind_at timestamptz default null) returns void
  language sql
as $$
  delete from kith.pings;
  delete from kith.notifications;
  insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, remind_at, deadline_at)
  values (tests.tenant('acme'), p_deadline_at::date, tests.id('alice-bob'), internal.uuid7(p_deadline_at), tests.id('alice'), tests.id('bob'), 'due',
    p_deadline_at - interval '90 minutes', p_remind_at, p_deadline_at)
$$;

create function tests.outages() returns text[]
  language sql
as $$
  select array_agg(concat_ws(' ', component, to_char(began_at, 'HH24:MI:SS'), coalesce(to_char(ended_at, 'HH24:MI:SS'), 'open')) order by began_at, component) from kith.outages
$$;

-- The record.
select tests.server_beat('2026-03-02T10:00:00Z');
select is(tests.outages(), null, 'the first sign of life is no outage');
select tests.server_beat('2026-03-02T10:01:00Z');
select is(tests.outages(), null, 'nor is a minute without');
select tests.server_beat('2026-03-02T10:02:01Z');
select is(tests.outages(), array['server 10:01:00 10:02:01'], 'more than a minute is, from the last sign to the next');
select tests.server_beat('2026-03-02T10:02:02Z', 's2');
select tests.server_beat('2026-03-02T10:03:02Z', 's2');
select tests.server_beat('2026-03-02T10:03:30Z');
select is(tests.outages(), array['server 10:01:00 10:02:01'], 'while one server of several lives there is none');
select tests.worker_beat('2026-03-02T10:03:30Z');
select tests.worker_beat('2026-03-02T10:10:00Z', 'w2');
select is(tests.outages(), array['server 10:01:00 10:02:01', 'worker 10:03:30 10:10:00'], 'a worker that comes back after a gap, even under another name, records it');
select tests.as_role('kith_worker');
select worker.watch_server('2026-03-02T10:04:30Z') \g /dev/null
select tests.as_superuser();
select is(array_length(tests.outages(), 1), 2, 'the worker sees no outage of the servers within a minute');
select tests.as_role('kith_worker');
select worker.watch_server('2026-03-02T10:04:31Z') \g /dev/null
select worker.watch_server('2026-03-02T10:04:46Z') \g /dev/null
select tests.as_superuser();
select is((tests.outages())[2], 'server 10:03:30 open', 'after that it opens one');
select is(array_length(tests.outages(), 1), 3, 'once');
select tests.server_beat('2026-03-02T10:20:00Z');
select is((tests.outages())[2], 'server 10:03:30 10:20:00', 'which the next sign of life ends');
select tests.server_beat('2026-03-03T11:00:00Z', 's3');
select is((select array_agg(instance) from kith.heartbeats where component = 'server'), array['s3'], 'the dead are swept after a day');
select tests.as_role('kith_api');
select throws_like($$select api.beat('s1', now(), now() + interval '1 hour')$$, '%clock is ahead%', 'a beat of a time to come is refused: it would hold back every alarm until then');
select throws_ok($$select internal.record_beat('worker', 'x', now(), now())$$, '42501', null, 'a server cannot beat for the worker');
select tests.as_superuser();
delete from kith.heartbeats; delete from kith.outages;

-- No sign of life at all.
select tests.due_until('2026-03-02T10:30:00Z');
select is(tests.loop('miss_pings', '2026-03-02T10:30:10Z'), 1, 'where nothing ever beat, nothing is assumed');

-- Before it is one.
select tests.server_beat('2026-03-02T10:29:59Z');
select tests.due_until('2026-03-02T10:30:00Z');
select is(tests.loop('miss_pings', '2026-03-02T10:30:40Z'), 0, 'a deadline that no server has lived to see is not judged yet');
select tests.server_beat('2026-03-02T10:30:40Z', 's2');
select is(tests.loop('miss_pings', '2026-03-02T10:30:41Z'), 1, 'with the next sign of life of any server it is');
select tests.due_until('2026-03-02T10:30:00Z');
select is(tests.loop('miss_pings', '2027-03-02T10:30:41Z'), 1, 'signs of another year say nothing');
delete from kith.heartbeats;

-- While it lasts.
select tests.server_beat('2026-03-02T10:20:00Z');
select tests.due_until('2026-03-02T10:30:00Z');
select tests.as_role('kith_worker');
select worker.watch_server('2026-03-02T10:21:30Z') \g /dev/null
select tests.as_superuser();
select is(tests.outages(), array['server 10:20:00 open'], 'the servers have gone');
select is(tests.loop('miss_pings', '2026-03-02T10:30:10Z'), 0, 'while they are away nothing is missed');
select is(tests.loop('miss_pings', '2026-03-02T12:00:00Z'), 0, 'however long that is');
select is((select count(*) from kith.notifications), 0::bigint, 'and nobody is told');
-- Back at 12:05.
select tests.server_beat('2026-03-02T12:05:00Z');
select is(tests.loop('miss_pings', '2026-03-02T12:05:05Z'), 0, 'when they are back the sender has 15 minutes');
select is((select array_agg((user_id, type, body)::text) from kith.notifications), array[format('(%s,ping_reminder,"15 minutes left to check in.")', tests.id('alice'))],
  'and is told first');
select is(tests.loop('miss_pings', '2026-03-02T12:19:59Z'), 0, 'a second before they are over nothing is missed');
select is((select count(*) from kith.notifications), 1::bigint, 'the sender is told once');
select is(tests.loop('miss_pings', '2026-03-02T12:20:00Z'), 1, 'then it is');
select is((select array_agg(distinct type) from kith.notifications), array['ping_missed', 'ping_reminder'], 'and the receivers are told');

-- A check-in within those 15 minutes.
delete from kith.outages;
insert into kith.outages (component, began_at, ended_at) values ('server', '2026-03-02T10:20:00Z', '2026-03-02T12:05:00Z');
select tests.server_beat('2026-03-02T12:06:00Z');
select tests.due_until('2026-03-02T10:30:00Z');
select tests.as_user('acme', 'alice');
select is(api.check_in(null, '2026-03-02T12:10:00Z')::jsonb - 'pings', '{"completed": 0, "late": 1}', 'a check-in meanwhile is late');
select tests.as_superuser();
select is((select array_agg(distinct type) from kith.notifications), array['ping_all_clear'], 'and nobody was alarmed');

-- Which pings wait.
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
select ok(not tests.waits('2026-03-02T10:25:00Z', '2026-03-02T10:25:10Z'), 'the outage ended 15 minutes before the deadline');
select ok(not tests.waits('2026-03-02T10:24:59Z', '2026-03-02T10:25:10Z'), 'it ended within them, but 15 minutes have passed since');
select ok(tests.waits('2026-03-02T10:24:00Z', '2026-03-02T10:24:59Z'), 'it ended within them, and they have not passed');
select ok(tests.waits('2026-03-02T10:05:00Z', '2026-03-02T10:24:59Z'), 'the deadline fell into it');
select ok(tests.waits('2026-03-02T10:00:01Z', '2026-03-02T10:24:59Z'), 'it began just before the deadline');
select ok(not tests.waits('2026-03-02T10:00:00Z', '2026-03-02T10:12:00Z'), 'it began at the deadline: everybody could check in');
update kith.outages set component = 'worker';
select ok(tests.waits('2026-03-02T10:05:00Z', '2026-03-02T10:24:59Z'), 'an outage of the worker counts as well: the reminder was late');

-- Whoever's turn it is: what came up while the worker was away is announced first, then everybody is told, batch by batch.
update kith.outages set began_at = '2026-03-02T08:50:00Z', ended_at = '2026-03-02T10:40:00Z', sender_told_at = null;
select tests.due_until('2026-03-02T10:30:00Z');
update kith.pings set status = 'scheduled';
select is(tests.loop('miss_pings', '2026-03-02T10:40:01Z'), 0, 'a ping that was not announced yet would be passed over: the telling waits');
select tests.loop('announce_due_pings', '2026-03-02T10:40:01Z') \g /dev/null
insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at)
select tenant_id, ping_on, gen_random_uuid(), gen_random_uuid(), n::text::uuid, receiver_id, 'due', scheduled_at, deadline_at
from kith.pings, unnest(array['0a11ce00-0000-7000-8000-00000000000a', '0a11ce00-0000-7000-8000-00000000000b']) as n;
insert into kith.users (tenant_id, id, tokens_valid_from, created_at, updated_at)
select distinct tenant_id, sender_id, '2026-01-05Z'::timestamptz, '2026-01-05Z'::timestamptz, '2026-01-05Z'::timestamptz from kith.pings where sender_id::text ~ '000[ab]$';
insert into kith.connections (tenant_id, id, sender_id, receiver_id, status, code_owner_id, activated_at, created_at, updated_at)
select tenant_id, connection_id, sender_id, receiver_id, 'active', receiver_id, '2026-01-05Z', '2026-01-05Z', '2026-01-05Z' from kith.pings where sender_id::text ~ '000[ab]$';
select tests.as_role('kith_worker');
select results_eq($$select worker.miss_pings('2026-03-02T10:40:02Z', 1) from generate_series(1, 5)$$, array[1, 1, 1, 0, 0], 'one batch a call, until everybody has been told');
select tests.as_superuser();
select is((select array_agg(body) from kith.notifications), array['15 minutes left to check in.', '15 minutes left to check in.', '15 minutes left to check in.'], 'each once');
select ok((select sender_told_at is not null from kith.outages), 'and then the outage is done with');
delete from kith.connections where sender_id::text ~ '000[ab]$'; delete from kith.users where id::text ~ '000[ab]$';
update kith.outages set began_at = '2026-03-02T10:00:00Z', ended_at = '2026-03-02T10:10:00Z', told_deadline_at = null, told_tenant_id = null, told_sender_id = null;

-- The reminder at recovery.
update kith.outages set sender_told_at = null, told_deadline_at = null, told_tenant_id = null, told_sender_id = null;
select tests.due_until('2026-03-02T10:20:00Z', '2026-03-02T10:05:00Z');
select tests.loop('miss_pings', '2026-03-02T10:10:30Z') \g /dev/null
select is((select array_agg(body) from kith.notifications), array['10 minutes left to check in.'], 'where the deadline is ahead, it says how long until then');
select is(tests.loop('remind_senders', '2026-03-02T10:10:31Z'), 0, 'and the reminder that was due is done with it');
update kith.outages set sender_told_at = null, told_deadline_at = null, told_tenant_id = null, told_sender_id = null;
select tests.due_until('2026-03-02T10:20:00Z', '2026-03-02T10:05:00Z');
select tests.loop('remind_senders', '2026-03-02T10:10:29Z'), tests.loop('miss_pings', '2026-03-02T10:10:30Z') \g /dev/null
select is((select count(*) from kith.notifications), 1::bigint, 'who has just been reminded is not told again');
update kith.outages set sender_told_at = null, told_deadline_at = null, told_tenant_id = null, told_sender_id = null;
select tests.due_until('2026-03-02T10:26:00Z', '2026-03-02T10:11:00Z');
select tests.loop('miss_pings', '2026-03-02T10:10:30Z') \g /dev/null
select is((select count(*) from kith.notifications), 0::bigint, 'whose last 15 minutes lie after it is reminded as always');
update kith.outages set sender_told_at = null, told_deadline_at = null, told_tenant_id = null, told_sender_id = null;
select tests.due_until('2026-03-02T10:05:00Z');
select tests.loop('miss_pings', '2026-03-02T11:10:30Z') \g /dev/null
select is((select array_agg(distinct type) from kith.notifications), array['ping_missed'], 'an outage long past reminds nobody');

select ok((select sender_told_at is not null from kith.outages), 'and is done with');

select * from finish();
rollback;
