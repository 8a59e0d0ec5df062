-- Wrong clocks, and outages that nobody has recorded yet. No test of the others sees this: their databases accept any time.
begin;
\ir people.sql
select plan(20);
drop table internal.development;

select is(internal.present(clock_timestamp() - interval '30 seconds') < now() - interval '20 seconds', true, 'a request that waited counts from when it was received');
select is(internal.present(now() - interval '61 seconds'), now(), 'a clock that is more than a minute behind is not believed');
select is(internal.present(clock_timestamp() + interval '1 hour') < clock_timestamp(), true, 'a clock that is ahead is not believed');
select is(internal.present(null), now(), 'without a clock it is now');

-- Alice's ping has been due for an hour, and there is another one.
insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, remind_at, deadline_at)
select tests.tenant('acme'), (now() at time zone 'UTC')::date, tests.id('alice-bob'), internal.uuid7(now()), tests.id('alice'), tests.id('bob'), 'due',
  now() - interval '1 hour', now() + interval '15 minutes', now() + interval '30 minutes';
delete from kith.heartbeats;
delete from kith.outages;

select is(worker.remind_senders(now() + interval '1 hour', 100), 0, 'a worker that is an hour ahead reminds nobody');
select is(worker.miss_pings(now() + interval '1 hour', 100), 0, 'and alarms nobody');
select is((select status from kith.pings where sender_id = tests.id('alice')), 'due', 'and the ping waits');

insert into kith.heartbeats (component, instance, started_at, beat_at) values ('server', 's1', now() - interval '1 hour', now());
select worker.watch_server(now() + interval '1 hour');
select is_empty('select from kith.outages', 'a worker that is an hour ahead sees no outage of the servers');
select worker.beat('worker', 'w1', now(), null, now() + interval '1 hour');
select is((select beat_at < clock_timestamp() from kith.heartbeats where instance = 'w1'), true, 'its heartbeat is from now, so it hides no later outage');

-- A server that is an hour behind calls as the program does.
select tests.as_user('acme', 'alice');
select is(api.check_in(null, false, null, 'app', internal.present(now() - interval '1 hour')) ->> 'completed', '1', 'a check-in by a server that is an hour behind completes the ping');
select tests.as_superuser();
select is((select completed_at from kith.pings where sender_id = tests.id('alice'))::timestamptz, now(), 'now');

-- Less than a minute behind: the ping's time has not come by that clock, but it is due.
update kith.pings set status = 'due', completed_at = null, check_in_id = null, scheduled_at = now() - interval '10 seconds' where sender_id = tests.id('alice');
select tests.as_user('acme', 'alice');
select is(api.check_in(null, false, null, 'app', now() - interval '20 seconds') ->> 'completed', '1', 'a due ping is completed, whatever the server''s clock says');
select tests.as_superuser();
select is((select status from kith.pings where sender_id = tests.id('alice')), 'completed', 'before its time by that clock');

-- The database returns after three minutes, and the worker's loops call before anybody's heartbeat has recorded the outage.
delete from kith.heartbeats;
delete from kith.outages;
delete from kith.notifications;
update kith.pings set status = 'due', completed_at = null, check_in_id = null, remind_at = null, scheduled_at = now() - interval '2 hours',
  deadline_at = now() - interval '1 minute' where sender_id = tests.id('alice');
update kith.sender_profiles set last_check_in_at = null;
insert into kith.heartbeats (component, instance, started_at, beat_at)
values ('server', 's1', now() - interval '1 hour', now() - interval '3 minutes'), ('worker', 'w1', now() - interval '1 hour', now());
select is(worker.miss_pings(now(), 100), 0, 'a deadline after the last heartbeat of every server is not judged, however long ago that was');
select is(worker.miss_pings(now(), 100, 'w1'), 0, 'nor by a worker that sends heartbeats');
select worker.watch_server(now()) \g /dev/null
select is((select array_agg(component) from kith.outages), array['server'], 'then the outage is recorded');

-- All workers were suspended while a server went on.
delete from kith.outages;
update kith.heartbeats set beat_at = case component when 'server' then now() else now() - interval '31 seconds' end;
select is(worker.miss_pings(now(), 100, 'w1'), 0, 'a worker without a heartbeat in the last 30 seconds judges nothing');
select is(worker.miss_pings(now(), 100, 'w2'), 0, 'nor does one that never sent any');
update kith.heartbeats set beat_at = now() - interval '29 seconds' where component = 'worker';
select is(worker.miss_pings(now(), 100, 'w1'), 1, 'one with a heartbeat judges');
select is((select array_agg(distinct type) from kith.notifications), array['ping_missed'], 'and tells of the miss');

select * from finish();
rollback;
