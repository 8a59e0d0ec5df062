-- X39: in which zones the pings of a day were not made.
begin;
\ir people.sql
select plan(6);

delete from kith.ping_runs;
insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at, finished_at) values
  (tests.tenant('acme'), 'UTC', '2026-03-10', '2026-03-10T00:00Z', '2026-03-10T00:00Z'),
  (tests.tenant('acme'), 'UTC', '2026-03-11', '2026-03-11T00:00Z', null),
  (tests.tenant('acme'), 'Asia/Tokyo', '2026-03-11', '2026-03-10T15:00Z', null),
  (tests.tenant('globex'), 'Europe/Berlin', '2026-03-10', '2026-03-09T23:00Z', null);
create function tests.late(p_now timestamptz) returns text
  language sql
as $$
  select array_to_json(internal.late_zones(p_now))::text
$$;
select tests.as_user('acme', 'bob');
select is(tests.late('2026-03-10T12:00Z'), '[]', 'Kith is not late');
select is(tests.late('2026-03-10T15:14Z'), '[]', 'nor a moment after midnight');
select is(tests.late('2026-03-10T15:15Z'), '["Asia/Tokyo"]', 'it is a quarter of an hour later, there');
select is(tests.late('2026-03-13T12:00Z'), '["Asia/Tokyo","UTC"]', 'for as long as no worker runs');
select tests.as_superuser();
update kith.ping_runs set finished_at = '2026-03-13T12:00Z' where time_zone = 'UTC';
select tests.as_user('acme', 'bob');
select is(tests.late('2026-03-13T12:00Z'), '["Asia/Tokyo"]', 'until the pings are made');
select tests.as_user('globex', 'globex-alice');
select is(tests.late('2026-03-10T12:00Z'), '["Europe/Berlin"]', 'each tenant sees its own');
select * from finish();
rollback;
