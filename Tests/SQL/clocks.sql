-- Servers and workers with wrong clocks. No test of the others sees this: their databases accept any time.
begin;
\ir people.sql
select plan(13);
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
select worker.beat('worker', 'w1', now(), now() + interval '1 hour');
select is((select beat_at < clock_timestamp() from kith.heartbeats where instance = 'w1'), true, 'its heartbeat is from now, so it hides no later outage');

-- A server that is an hour behind calls as the program does.
select tests.as_user('acme', 'alice');
select is(api.check_in(null, false, internal.present(now() - interval '1 hour')) ->> 'completed', '1', 'a check-in by a server that is an hour behind completes the ping');
select tests.as_superuser();
select is((select completed_at from kith.pings where sender_id = tests.id('alice')), now(), 'now');

-- Less than a minute behind: the ping's time has not come by that clock, but it is due.
update kith.pings set status = 'due', completed_at = null, check_in_id = null, scheduled_at = now() - interval '10 seconds' where sender_id = tests.id('alice');
select tests.as_user('acme', 'alice');
select is(api.check_in(null, false, now() - interval '20 seconds') ->> 'completed', '1', 'a due ping is completed, whatever the server''s clock says');
select tests.as_superuser();
select is((select status from kith.pings where sender_id = tests.id('alice')), 'completed', 'before its time by that clock');

select * from finish();
rollback;
