-- Monthly partitions, made ahead.
begin;
\ir people.sql
select plan(24);

select is(internal.make_partitions('2031-01-15T00:00:00Z', 100), 25, 'four months of five tables, and five days of events, are made');
select is(internal.make_partitions('2031-01-15T00:00:00Z', 100), 0, 'making them again does nothing');
select is(internal.make_partitions('2031-02-01T00:00:00Z', 100), 10, 'a month later one more month and other days are made');
select ok(to_regclass('kith.pings_2030_12') is not null and to_regclass('kith.pings_2031_04') is not null, 'partitions exist from the month before to two months after');

select is(
  (
    select array_agg(child.relname::text) from pg_inherits join pg_class as child on child.oid = inhrelid
    where inhparent in ('kith.pings'::regclass, 'kith.notifications'::regclass, 'kith.deliveries'::regclass, 'kith.audit'::regclass, 'kith.events'::regclass)
      and not (child.relrowsecurity and child.relforcerowsecurity)
  ),
  null,
  'row-level security is enabled and forced on every partition'
);
select is(
  (
    select count(*) from pg_inherits join pg_class as child on child.oid = inhrelid
    where inhparent = 'kith.pings'::regclass
      and (select count(*) from pg_index where indrelid = child.oid) <> (select count(*) from pg_index where indrelid = inhparent)
  ),
  0::bigint,
  'every partition has the indexes of its table'
);

create function tests.ping_on(p_date date) returns void
  language sql
as $$
  insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at)
  values (tests.tenant('acme'), p_date, tests.id('alice-bob'), internal.uuid7(p_date::timestamptz), tests.id('alice'), tests.id('bob'),
    'scheduled', p_date + time '09:00', p_date + time '10:30')
$$;
select lives_ok($$select tests.ping_on('2040-06-15'), tests.ping_on('2040-07-15')$$, 'a date without a partition is accepted');
select is((select tableoid::regclass::text from kith.pings where ping_on = '2040-06-15'), 'kith.pings_default', 'a row without a partition goes into the default partition');
select tests.as_role('kith_worker');
select is(worker.make_partitions('2040-04-10T00:00:00Z', 3), 3, 'the worker makes some partitions at a time');
select is(worker.make_partitions('2040-04-10T00:00:00Z', 100), 22, 'the worker makes the remaining partitions');
select tests.as_superuser();
select is((select tableoid::regclass::text from kith.pings where ping_on = '2040-06-15'), 'kith.pings_2040_06', 'a row in the default partition moves to its new partition');
select is((select tableoid::regclass::text from kith.pings where ping_on = '2040-07-15'), 'kith.pings_default', 'other rows stay in the default partition');

select ok(
  internal.first_uuid7('2026-03-01T00:00:00Z') < internal.uuid7('2026-03-01T00:00:00Z')
    and internal.first_uuid7('2026-03-01T00:00:00Z') > internal.uuid7('2026-02-28T23:59:59.999Z'),
  'the boundary of a month lies between the ids of its first instant and of the one before'
);

-- For how many days there are partitions, the first gap of any kind counts.
select internal.make_partitions('2042-01-15T00:00Z', 200) \g /dev/null
select is(internal.partitions_ahead('2042-01-15T12:00Z'), 76, 'partitions reach to the end of March');
savepoint complete;
drop table kith.history_2042_03;
select is(internal.partitions_ahead('2042-01-15T12:00Z'), 45, 'the first gap of the kind that is behind counts');
drop table kith.audit_2042_01;
select is(internal.partitions_ahead('2042-01-15T12:00Z'), 0, 'also one that is now');
rollback to complete;
select is(internal.partitions_ahead('2042-01-17T12:00Z'), 74, 'events of three days ahead are enough');
select is(internal.partitions_ahead('2042-01-18T12:00Z'), 1, 'but not of one');

-- Events are dropped after 8 days, a whole day at once.
select internal.make_partitions('2041-05-20T12:00:00Z', 100), internal.drop_partitions('2041-05-20T12:00:00Z', 100),
  internal.drop_partitions('2041-05-20T12:00:00Z', 1) \g /dev/null
insert into kith.events (tenant_id, id, user_id, type, subject_id)
select tests.tenant('acme'), internal.uuid7(at::timestamptz), tests.id('alice'), 'connection', tests.id('alice-bob')
from unnest(array['2041-05-19T12:00Z', '2041-05-20T00:00Z', '2041-05-01T12:00Z']) as at;
select is(
  (select array_agg(tableoid::regclass::text order by id) from kith.events),
  array['kith.events_default', 'kith.events_2041_05_19', 'kith.events_2041_05_20'], 'the events of a day are in one partition'
);
select tests.as_role('kith_api');
select throws_ok($$ select internal.drop_partitions('2041-05-28T23:59Z', 1) $$, '42501', null, 'only the worker can drop partitions of events');
select tests.as_role('kith_worker');
select is(worker.drop_partitions('2041-05-27T23:59Z', 1), 0, 'a day of events stays for 8 days');
select tests.as_superuser();
select is(
  (select array_agg(tableoid::regclass::text order by id) from kith.events), array['kith.events_2041_05_19', 'kith.events_2041_05_20'],
  'older rows in the default partition are deleted'
);
select tests.as_role('kith_worker');
select is(worker.drop_partitions('2041-05-28T00:00Z', 1), 1, 'after 8 days the partition is dropped');
select tests.as_superuser();
select is((select count(*) from kith.events), 1::bigint, 'the events of a dropped partition are gone');

select * from finish();
rollback;
