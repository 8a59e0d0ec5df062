-- The date before which no ping is today's. That partitions of older months are not locked is tested in PartitionTests.swift.
begin;
\ir people.sql
select plan(12);

insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, remind_at, deadline_at)
select tests.tenant('acme'), (now() at time zone 'UTC')::date, tests.id('alice-bob'), internal.uuid7(now()), tests.id('alice'), tests.id('bob'), 'due',
  now() - interval '1 hour', now() + interval '15 minutes', now() + interval '30 minutes';

select tests.as_role('kith_worker');
select is(worker.note_current_pings(now()), 0, 'in a development database the worker notes no date');
select tests.as_superuser();
select is(internal.current_pings_since(), '-infinity', 'a development database, which may go back to any time, leaves out no month');

drop table internal.development;
select tests.as_role('kith_api');
select throws_ok($$ select worker.note_current_pings(now()) $$, '42501', null, 'the API cannot set the date');
select tests.as_role('kith_worker');
-- A session that writes dates in another way than those that read this one.
set local datestyle = 'SQL, DMY';
select is(worker.note_current_pings(now() + interval '1 year'), 1, 'the worker notes a date');
reset datestyle;
select tests.as_superuser();
select matches(
  (select prosrc from pg_proc where oid = 'internal.current_pings_since()'::regprocedure), '\d{4}-\d{2}-01', 'the date is in the form that every session reads the same'
);
select is(
  internal.current_pings_since(), (date_trunc('month', now() at time zone 'UTC') - interval '2 months')::date,
  'months before the second one before this are left out, whatever the clock of the worker says'
);
select isnt(obj_description('internal.current_pings_since()'::regprocedure), null, 'the function keeps its comment');
select is(
  has_function_privilege('kith_api', 'internal.current_pings_since()', 'execute')
    and not has_function_privilege('public', 'internal.current_pings_since()', 'execute'),
  true, 'and its privileges'
);

select tests.as_user('acme', 'bob');
select is(api.get_connection(tests.id('alice-bob'), now()) -> 'today_ping' ->> 'status', 'due', 'the receiver sees today''s ping');
select is(
  api.get_dashboard('receiver', null, null, null, now()) -> 'items' -> 0 -> 'today_ping' ->> 'status', 'due', 'on the dashboard, too'
);
select tests.as_user('acme', 'alice');
select is(api.check_in(null, false, null, 'app', now()) ->> 'completed', '1', 'a check-in completes it');

select tests.as_superuser();
-- As if the clock of the database had been ahead for years, and somebody called meanwhile.
create or replace function internal.current_pings_since() returns date language sql immutable parallel safe as $$ select date '9999-01-01' $$;
select tests.as_role('kith_worker');
select worker.note_current_pings(now()) \g /dev/null
select tests.as_user('acme', 'bob');
select is(
  api.get_connection(tests.id('alice-bob'), now()) -> 'today_ping' ->> 'status', 'completed',
  'if the date is too late because a clock was wrong, the worker corrects it, and plans made before follow'
);

select * from finish();
rollback;
