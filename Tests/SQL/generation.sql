-- Daily pings, generated batch by batch.
begin;
\ir people.sql
select plan(43);

-- Runs generation at an instant until it is idle; the number of calls that did something.
create function tests.generate(p_now timestamptz, p_batch integer default 1000) returns integer
  language plpgsql
as $$
declare
  v_calls integer := 0;
begin
  perform tests.as_role('kith_worker');
  while worker.generate_daily_pings(p_now, p_batch) > 0 loop
    v_calls := v_calls + 1;
  end loop;
  perform tests.as_superuser();
  return v_calls;
end
$$;

create function tests.plan_run(p_zone text, p_now timestamptz) returns void
  language plpgsql
as $$
begin
  perform tests.as_definer('acme', 'alice');
  perform internal.plan_run(p_zone, p_now);
  perform tests.as_superuser();
end
$$;

create function tests.instants(p_date date) returns text
  language sql
as $$
  select string_agg(concat_ws(' ', status, to_char(scheduled_at, 'DD HH24:MI'), to_char(remind_at, 'DD HH24:MI'), to_char(deadline_at, 'DD HH24:MI')), ', ')
  from kith.pings
  where tenant_id = tests.tenant('acme') and ping_on = p_date and connection_id = tests.id('alice-bob')
$$;

select tests.plan_run('UTC', '2026-03-02T07:00:00Z');
select is((select starts_at from kith.ping_runs), '2026-03-02T00:00:00Z', 'the first run of a zone is today''s and is due at once');
select tests.plan_run('UTC', '2026-03-02T08:00:00Z');
select is((select count(*) from kith.ping_runs), 1::bigint, 'planning the zone again does nothing');

select is(tests.generate('2026-03-02T07:00:10Z'), 1, 'one batch suffices for one ping');
select is(tests.instants('2026-03-02'), 'scheduled 02 09:00 02 10:15 02 10:30', 'the times are the sender''s');
select is((select array_agg((ping_on, starts_at, finished_at is not null)::text order by ping_on) from kith.ping_runs),
  array['(2026-03-02,"2026-03-02 00:00:00+00",t)', '(2026-03-03,"2026-03-03 00:00:00+00",f)'], 'a finished run plans the next one');
select is((select created from kith.ping_runs where ping_on = '2026-03-02'), 1::bigint, 'a run records how many pings it made');
select is(tests.generate('2026-03-02T23:59:59Z'), 0, 'the next day''s run is not due before midnight');
select is(tests.generate('2026-03-03T00:00:00Z'), 1, 'the next day''s run is due at midnight');
select is((select count(*) from kith.pings where tenant_id = tests.tenant('acme')), 2::bigint, 'there is one ping per date');
select is(substr((select id::text from kith.pings where ping_on = '2026-03-03'), 15, 1), '7', 'a ping''s id is a UUID version 7');
select is(
  (select left(id::text, 13) from kith.pings where ping_on = '2026-03-03'), left(internal.first_uuid7('2026-03-03T00:00:00Z')::text, 13),
  'a ping''s id contains the instant of generation'
);

-- Statuses.
update kith.connections set status = 'paused' where id = tests.id('alice-bob');
select tests.generate('2026-03-04T00:00:00Z') \g /dev/null
select is(tests.instants('2026-03-04'), null, 'a paused connection gets no ping');
update kith.connections set status = 'pending' where id = tests.id('alice-bob');
select tests.generate('2026-03-05T00:00:00Z') \g /dev/null
select is(tests.instants('2026-03-05'), 'scheduled 05 09:00 05 10:15 05 10:30', 'a pending connection gets a ping (P29)');
update kith.connections set status = 'active' where id = tests.id('alice-bob');
update kith.tenants set status = 'suspended' where tenant_id = tests.tenant('acme');
select tests.generate('2026-03-06T00:00:00Z') \g /dev/null
select is(tests.instants('2026-03-06'), 'scheduled 06 09:00 06 10:15 06 10:30', 'a suspended tenant''s connections get pings (A02)');
update kith.tenants set status = 'active', deleted_at = '2026-03-06T12:00:00Z' where tenant_id = tests.tenant('acme');
select tests.generate('2026-03-07T00:00:00Z') \g /dev/null
select is(tests.instants('2026-03-07'), null, 'a deleted tenant''s connections get no pings');
update kith.tenants set deleted_at = null where tenant_id = tests.tenant('acme');
select tests.generate('2026-03-08T00:00:00Z') \g /dev/null
select is(tests.instants('2026-03-08'), 'scheduled 08 09:00 08 10:15 08 10:30', 'a restored tenant''s connections get pings again the day after');

-- A ping that exists already.
update kith.connections set status = 'paused' where id = tests.id('alice-bob');
update kith.connections set status = 'active' where id = tests.id('alice-bob');
select tests.as_definer('acme', 'alice');
select internal.bring_ping(tests.id('alice-bob'), '2026-03-09T00:00:00Z') \g /dev/null
select tests.as_superuser();
create temporary table brought as select id from kith.pings where ping_on = '2026-03-09' and tenant_id = tests.tenant('acme');
select tests.generate('2026-03-09T00:00:01Z') \g /dev/null
select is((select id from kith.pings where ping_on = '2026-03-09' and tenant_id = tests.tenant('acme')), (select id from brought),
  'a ping made by P13 before the run is left alone');
select is((select (created, skipped)::text from kith.ping_runs where ping_on = '2026-03-09'), '(0,0)', 'a ping that existed counts neither as made nor as skipped');

-- A worker that was down for three days.
select is(tests.generate('2026-03-12T12:00:00Z'), 1, 'after three days one call catches up');
select is((select array_agg((ping_on, created, skipped)::text order by ping_on) from kith.ping_runs where ping_on between '2026-03-10' and '2026-03-12'),
  array['(2026-03-10,0,1)', '(2026-03-11,0,1)', '(2026-03-12,0,1)'], 'dates whose deadline has passed are recorded as skipped');
select is((select count(*) from kith.pings where ping_on between '2026-03-10' and '2026-03-12'), 0::bigint, 'skipped dates get no pings');
update kith.ping_runs set finished_at = null where ping_on = '2026-03-12';
delete from kith.ping_runs where ping_on > '2026-03-12';
select tests.generate('2026-03-12T10:29:59Z') \g /dev/null
select is(tests.instants('2026-03-12'), 'scheduled 12 09:00 12 10:15 12 10:30', 'a date whose deadline is ahead gets its ping, however late');
update kith.connections set activated_at = '2026-03-13T11:00:00Z' where id = tests.id('alice-bob');
select tests.generate('2026-03-13T12:00:00Z') \g /dev/null
select is((select (created, skipped)::text from kith.ping_runs where ping_on = '2026-03-13'), '(0,0)',
  'a connection made after the deadline does not count as skipped');

-- Many people, several batches, two tenants.
update kith.connections set activated_at = '2026-01-05T08:00:00Z';
insert into kith.users (tenant_id, id, tokens_valid_from, created_at, updated_at)
select tests.tenant('acme'), internal.uuid7('2026-02-01T00:00:00Z'::timestamptz + n * interval '1 second'), '2026-02-01Z', '2026-02-01Z', '2026-02-01Z'
from generate_series(1, 25) as n;
insert into kith.sender_profiles (tenant_id, user_id, time_zone, ping_time, grace_minutes, reminder_minutes, timed_at, created_at, updated_at)
select tenant_id, id, 'UTC', '09:00', 90, 15, created_at, created_at, created_at from kith.users where created_at = '2026-02-01Z';
insert into kith.connections (tenant_id, id, sender_id, receiver_id, status, code_owner_id, activated_at, created_at, updated_at)
select sender.tenant_id, internal.uuid7('2026-02-02Z'), sender.id, receiver.id, 'active', receiver.id, '2026-02-02Z', '2026-02-02Z', '2026-02-02Z'
from kith.users as sender
join kith.users as receiver on receiver.tenant_id = sender.tenant_id and receiver.id in (tests.id('bob'), tests.id('carol'))
where sender.created_at = '2026-02-01Z';
insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at) values (tests.tenant('globex'), 'UTC', '2026-03-14', '2026-03-14T00:00:00Z');
select tests.as_role('kith_worker');
select is(worker.generate_daily_pings('2026-03-14T00:00:00Z', 10), 21, 'a batch contains whole senders: 10 with 20 connections, and one run advanced');
select tests.as_superuser();
select ok((select finished_at is null and cursor_sender_id is not null from kith.ping_runs where ping_on = '2026-03-14' and tenant_id = tests.tenant('acme')),
  'the run records where it stopped');
select cmp_ok(tests.generate('2026-03-14T00:00:00Z', 10), '>=', 3, 'the next batches continue there');
select is((select array_agg((created, skipped)::text order by tenant_id) from kith.ping_runs where ping_on = '2026-03-14'), array['(51,0)', '(1,0)'],
  'every connection of every tenant has one ping');
select is((select count(*) from kith.pings where ping_on = '2026-03-14'), 52::bigint, 'there are exactly as many pings as connections');
delete from kith.connections where created_at = '2026-02-02Z';

-- Zones, and days on which the clock changes.
create function tests.move_alice(p_zone text, p_time time, p_grace integer default 90) returns void
  language sql
as $$
  delete from kith.ping_runs;
  update kith.sender_profiles set time_zone = p_zone, ping_time = p_time, grace_minutes = p_grace
  where tenant_id = tests.tenant('acme') and user_id = tests.id('alice')
$$;
select tests.move_alice('Europe/Berlin', '02:30');
select tests.plan_run('Europe/Berlin', '2026-03-28T12:00:00Z');
select tests.generate('2026-03-28T23:00:00Z') \g /dev/null
select is(tests.instants('2026-03-29'), 'scheduled 29 01:00 29 02:15 29 02:30', 'in the spring gap the ping moves to the gap''s end, 03:00');
select is((select starts_at from kith.ping_runs where ping_on = '2026-03-30'), '2026-03-29T22:00:00Z', 'after the spring change the next midnight is an hour earlier');
select tests.move_alice('America/New_York', '01:30');
select tests.plan_run('America/New_York', '2026-11-01T04:00:00Z');
select tests.generate('2026-11-01T04:00:00Z') \g /dev/null
select is(tests.instants('2026-11-01'), 'scheduled 01 05:30 01 06:45 01 07:00', 'in the autumn overlap the ping is at the first 01:30');
select tests.move_alice('Europe/Berlin', '12:00');
select tests.plan_run('Europe/Berlin', '2026-10-25T00:00:00Z');
select tests.generate('2026-10-25T00:00:00Z') \g /dev/null
select is(tests.instants('2026-10-25'), 'scheduled 25 11:00 25 12:15 25 12:30', 'after the clock change of the day the new offset applies');
select tests.move_alice('Pacific/Apia', '09:00');
select tests.plan_run('Pacific/Apia', '2011-12-29T12:00:00Z');
select tests.generate('2011-12-29T12:00:00Z') \g /dev/null
select is((select array_agg((ping_on, starts_at)::text order by ping_on) from kith.ping_runs),
  array['(2011-12-29,"2011-12-29 10:00:00+00")', '(2011-12-31,"2011-12-30 10:00:00+00")'], 'a date that Apia skipped has no run');
select tests.generate('2011-12-30T10:00:00Z') \g /dev/null
select is(tests.instants('2011-12-31'), 'scheduled 30 19:00 30 20:15 30 20:30', 'the day after the skipped date gets its ping at once');
select tests.move_alice('Pacific/Kiritimati', '09:00');
select tests.plan_run('Pacific/Kiritimati', '2026-04-01T10:00:00Z');
select tests.generate('2026-04-01T10:00:00Z') \g /dev/null
select is(tests.instants('2026-04-02'), 'scheduled 01 19:00 01 20:15 01 20:30', 'east of the date line tomorrow begins before noon in UTC');
select tests.move_alice('Pacific/Pago_Pago', '23:58', 600);
select tests.plan_run('Pacific/Pago_Pago', '2026-04-05T12:00:00Z');
select tests.generate('2026-04-05T12:00:00Z') \g /dev/null
select is(tests.instants('2026-04-05'), 'scheduled 06 10:58 06 20:43 06 20:58', 'west of the date line yesterday''s deadline is two days later in UTC');
select tests.move_alice('Europe/Berlin', '09:00');
select tests.plan_run('Europe/Berlin', '2028-02-28T00:00:00Z');
select tests.generate('2028-02-28T23:00:00Z') \g /dev/null
select is(tests.instants('2028-02-29'), 'scheduled 29 08:00 29 09:15 29 09:30', 'a leap day gets its ping');

-- Two dates in one call.
delete from kith.pings; delete from kith.ping_runs;
update kith.sender_profiles set time_zone = 'UTC', ping_time = '23:30', grace_minutes = 90;
insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at) values (tests.tenant('acme'), 'UTC', '2026-03-05', '2026-03-05T00:00:00Z'), (tests.tenant('acme'), 'UTC', '2026-03-06', '2026-03-06T00:00:00Z');
select tests.as_role('kith_worker');
select worker.generate_daily_pings('2026-03-06T00:00:30Z', 1000) \g /dev/null
select tests.as_superuser();
select is((select array[count(*), count(distinct id)] from kith.pings where connection_id = tests.id('alice-bob')), array[2, 2]::bigint[], 'pings of two dates made in one call have different ids');

-- The first day of a month, or an import: tables with rows but no statistics are analysed, so that later statements are planned for
-- their size.
create function tests.without_statistics() returns bigint
  language sql
as $$
  select count(*) from pg_class where relnamespace = 'kith'::regnamespace and relkind = 'r' and reltuples < 0 and pg_relation_size(oid) > 0
$$;
create table kith.imported as select generate_series(1, 1000) as n;
alter table kith.imported owner to kith_owner;
select ok(tests.without_statistics() > 0, 'an imported table has no statistics');
select tests.generate('2028-03-01T23:00:00Z') \g /dev/null
select is(tests.without_statistics(), 0::bigint, 'after a batch every table with rows has statistics');
select is(internal.analyze_grown_tables('2026-03-10T12:00Z'), 0, 'another pass finds nothing to analyse');
insert into kith.imported select generate_series(1, 50000);
select is(internal.analyze_grown_tables('2026-03-10T12:00Z'), 1, 'a table that has grown many times larger is analysed again');

select throws_ok($$select set_config('role', 'kith_api', true), worker.generate_daily_pings(now(), 1)$$, '42501', null, 'the API''s role cannot generate pings');

select * from finish();
rollback;
