-- One call for the whole screen.
begin;
\ir people.sql
select plan(33);

select tests.as_user('acme', 'alice');
select api.create_connection('333333', '2026-03-10T08:00:00Z') \g /dev/null
create temporary table morning as select api.get_dashboard('sender', null, null, null, '2026-03-10T08:00:00Z') as body;
select is(
  (select body::jsonb - 'items' from morning),
  '{"role": "sender", "date": "2026-03-10", "open_pings": 0, "deadline_at": "2026-03-10T10:30:00.000000Z", "next_cursor": null}'::jsonb,
  'in the morning no ping is open, and the next deadline is given'
);
select is(
  (select body -> 'items' ->> 0 from morning),
  api.list_connections('sender', null, 50, null, '2026-03-10T08:00:00Z') -> 'items' ->> 0,
  'the dashboard''s connections are those of the list'
);
select is((select json_array_length(body -> 'items') from morning), 2, 'the dashboard contains every connection in the role');
select is(
  api.get_dashboard('sender', null, null, null, '2026-03-10T09:00:00Z') ->> 'open_pings', '1',
  'a ping is open from its scheduled time, whether announced or not'
);
select is(
  api.get_dashboard('sender', null, null, null, '2026-03-10T10:30:00Z') ->> 'open_pings', '0', 'a ping is open until its deadline'
);
select is(
  api.get_dashboard('receiver', null, null, null, '2026-03-10T08:00:00Z')::jsonb,
  '{"role": "receiver", "date": "2026-03-10", "items": [], "open_pings": 0, "deadline_at": null, "next_cursor": null}'::jsonb,
  'a user without connections as receiver gets an empty page'
);

-- A sender far ahead: the dashboard's date is that of the role's own zone.
select tests.as_superuser();
update kith.sender_profiles set time_zone = 'Pacific/Auckland' where user_id = tests.id('alice');
update kith.users set time_zone = 'America/Los_Angeles' where id = tests.id('bob');
select tests.as_user('acme', 'alice');
select is(api.get_dashboard('sender', null, null, null, '2026-03-10T12:00:00Z') ->> 'date', '2026-03-11', 'a sender''s date is that of the sender''s zone');
select tests.as_user('acme', 'bob');
select is(api.get_dashboard('receiver', null, null, null, '2026-03-10T05:00:00Z') ->> 'date', '2026-03-09', 'a receiver''s date is that of the receiver''s zone');

-- The choice of today's ping.
select tests.as_superuser();
update kith.sender_profiles set time_zone = 'UTC' where user_id = tests.id('alice');
delete from kith.pings;
create function tests.ping(p_on date, p_status text, p_scheduled_at timestamptz) returns void
  language sql
as $$
  insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at, completed_at)
  values (
    tests.tenant('acme'), p_on, tests.id('alice-bob'), gen_random_uuid(), tests.id('alice'), tests.id('bob'), p_status, p_scheduled_at,
    p_scheduled_at + interval '90 minutes', case when p_status like 'completed%' then p_scheduled_at end
  )
$$;
create function tests.today(p_now timestamptz) returns text
  language sql
as $$
  select concat_ws(' ', ping ->> 'date', ping ->> 'status')
  from (select api.get_connection(tests.id('alice-bob'), p_now) -> 'today_ping' as ping) as today
$$;
select tests.ping('2026-03-10', 'due', '2026-03-10T23:58:00Z');
select tests.as_user('acme', 'bob');
select is(tests.today('2026-03-11T00:30:00Z'), '2026-03-10 due', 'yesterday''s ping is today''s while it is open');
select tests.as_superuser();
select tests.ping('2026-03-11', 'scheduled', '2026-03-11T23:58:00Z');
select tests.as_user('acme', 'bob');
select is(tests.today('2026-03-11T00:30:00Z'), '2026-03-10 due', 'it stays today''s ping even when the new date''s ping exists');
select tests.as_superuser();
update kith.pings set status = 'missed' where ping_on = '2026-03-10';
select tests.as_user('acme', 'bob');
select is(tests.today('2026-03-11T01:30:00Z'), '2026-03-11 scheduled', 'after its deadline, today''s ping is that of the date');
select is(tests.today('2026-03-12T00:30:00Z'), '', 'a date without a ping has no ping of today');
select is(tests.today('2026-03-10T12:00:00Z'), '2026-03-10 missed', 'a finished ping of the date is shown with its status');

-- Alice travels west: tomorrow's ping is already open, while at home it is still today.
select tests.as_superuser();
delete from kith.pings;
select tests.ping('2026-03-11', 'due', '2026-03-10T20:00:00Z');
update kith.sender_profiles set timed_at = '2026-03-10T19:00:00Z' where user_id = tests.id('alice');
select tests.as_user('acme', 'alice');
select is(tests.today('2026-03-10T20:30:00Z'), '2026-03-11 due', 'an open ping of tomorrow''s date is today''s');
select tests.as_superuser();
select tests.ping('2026-03-10', 'completed', '2026-03-10T09:00:00Z');
select tests.as_user('acme', 'alice');
select is(tests.today('2026-03-10T20:30:00Z'), '2026-03-11 due', 'it stays today''s ping even when the date''s own ping is completed');

-- Sorting, pages and roles.
select tests.as_superuser();
insert into kith.connections (tenant_id, id, sender_id, receiver_id, status, code_owner_id, activated_at, created_at, updated_at)
select tests.tenant('acme'), internal.uuid7('2026-03-01T00:00:00Z'), sender, receiver, status, sender, '2026-03-01', '2026-03-01', '2026-03-01'
from (values
  (tests.id('mallory'), tests.id('bob'), 'paused'), (tests.id('mallory'), tests.id('carol'), 'active')
) as more (sender, receiver, status);
insert into kith.sender_profiles (tenant_id, user_id, time_zone, ping_time, grace_minutes, reminder_minutes, timed_at, created_at, updated_at)
values (tests.tenant('acme'), tests.id('bob'), 'UTC', '09:00', 90, 15, '2026-03-01', '2026-03-01', '2026-03-01');
insert into kith.connections (tenant_id, id, sender_id, receiver_id, status, code_owner_id, activated_at, created_at, updated_at)
values (
  tests.tenant('acme'), internal.uuid7('2026-03-02T00:00:00Z'), tests.id('bob'), tests.id('alice'), 'active', tests.id('bob'), '2026-03-01',
  '2026-03-01', '2026-03-01'
);
select tests.as_user('acme', 'bob');
select is(
  json_array_length(api.list_connections(null, null, 50, null, '2026-03-10T08:00:00Z') -> 'items'), 3, 'without a role, connections in both roles are listed'
);
select is(
  json_array_length(api.list_connections('sender', null, 50, null, '2026-03-10T08:00:00Z') -> 'items'), 1, 'with a role, only connections in it are listed'
);
select is(
  api.list_connections('receiver', null, 50, null, '2026-03-10T08:00:00Z') -> 'items' -> 0 ->> 'status', 'paused', 'paused connections are listed'
);
create temporary table whole as
select item ->> 'id' as id, ordinality as n
from json_array_elements(api.list_connections(null, null, 50, null, '2026-03-10T08:00:00Z') -> 'items') with ordinality as items (item);
select is(
  (
    with recursive pages as (
      select api.list_connections(null, null, 1, null, '2026-03-10T08:00:00Z') as page
      union all
      select api.list_connections(null, null, 1, (page ->> 'next_cursor')::uuid, '2026-03-10T08:00:00Z') from pages
      where page ->> 'next_cursor' is not null
    )
    select string_agg(page -> 'items' -> 0 ->> 'id', ' ') from pages
  ),
  (select string_agg(id, ' ' order by n) from whole),
  'the pages together are the whole list'
);
select is(
  api.list_connections(null, null, 3, null, '2026-03-10T08:00:00Z') ->> 'next_cursor', null, 'a page that holds everything has no next page'
);
select is(
  api.list_connections('sender', null, 50, null, '2026-03-10T08:00:00Z') -> 'items' -> 0 -> 'counterpart' ->> 'display_name', 'Alice',
  'two people can be connected both ways'
);
select is(
  api.get_dashboard('receiver', null, null, null, '2026-03-10T09:30:00Z') -> 'items' -> 0 ->> 'last_check_in_at', null, 'a sender who never checked in has no last check-in'
);

-- Pages, and who missed first. Mallory receives from nine senders.
select tests.as_superuser();
insert into kith.users (tenant_id, id, display_name, tokens_valid_from, created_at, updated_at)
select tests.tenant('acme'), format('0badbad0-0000-7000-8000-%s', lpad(n::text, 12, '0'))::uuid, 'S' || n, '2026-01-05T08:00Z', '2026-01-05T08:00Z', '2026-01-05T08:00Z'
from generate_series(1, 9) as n;
insert into kith.sender_profiles (tenant_id, user_id, time_zone, ping_time, grace_minutes, reminder_minutes, timed_at, created_at, updated_at)
select tests.tenant('acme'), id, 'UTC', '09:00', 90, 15, created_at, created_at, created_at from kith.users where display_name ~ '^S[0-9]$';
delete from kith.connections where receiver_id = tests.id('mallory');
insert into kith.connections (tenant_id, id, sender_id, receiver_id, status, code_owner_id, activated_at, created_at, updated_at)
select tenant_id, ('0c' || right(id::text, 34))::uuid, id, tests.id('mallory'), 'active', id, created_at, created_at, created_at
from kith.users where display_name ~ '^S[0-9]$';
insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at, completed_at)
select sender.tenant_id, '2026-03-10', connection.id, gen_random_uuid(), sender.id, tests.id('mallory'), made.status, made.deadline_at - interval '90 minutes',
  made.deadline_at, case when made.status like 'completed%' then made.deadline_at end
from (values
  (1, 'completed', timestamptz '2026-03-10T10:30Z'), (2, 'missed', '2026-03-10T10:30Z'), (3, 'due', '2026-03-10T12:00Z'),
  (4, 'cancelled', '2026-03-10T10:30Z'), (5, 'scheduled', '2026-03-10T18:00Z'), (6, 'missed', '2026-03-10T08:30Z'),
  (7, 'completed_late', '2026-03-10T09:30Z'),
  -- Its time has come, and the worker has not marked it yet.
  (9, 'scheduled', '2026-03-10T11:30Z')
) as made (n, status, deadline_at)
join kith.users as sender on sender.display_name = 'S' || made.n
join kith.connections as connection on connection.sender_id = sender.id;
create function tests.pages(p_order text, p_limit integer) returns text
  language sql
as $$
  with recursive pages as (
    select api.get_dashboard('receiver', p_order, p_limit, null, '2026-03-10T11:00Z') as page
    union all
    select api.get_dashboard('receiver', p_order, p_limit, page ->> 'next_cursor', '2026-03-10T11:00Z') from pages where page ->> 'next_cursor' is not null
  )
  select string_agg(
    (select string_agg(item -> 'counterpart' ->> 'display_name', ' ' order by n) from json_array_elements(page -> 'items') with ordinality as items (item, n)), ' | '
  )
  from pages
$$;
select tests.as_user('acme', 'mallory');
select is(
  tests.pages('missed', null), 'S6 S2 S9 S3 S5 S7 S1 S8 S4', 'those who missed come first, the longest ago at the top, then those who still can check in'
);
select is(tests.pages('missed', 2), 'S6 S2 | S9 S3 | S5 S7 | S1 S8 | S4', 'the pages together are the whole dashboard');
select is(tests.pages('connection', 4), 'S1 S2 S3 S4 | S5 S6 S7 S8 | S9', 'otherwise the oldest connection comes first');
select is(tests.pages(null, 9), 'S1 S2 S3 S4 S5 S6 S7 S8 S9', 'a page that holds everything has no next page');
select is(
  api.get_dashboard('receiver', 'missed', 1, null, '2026-03-10T11:00Z')::jsonb - '{items,next_cursor}'::text[],
  '{"role": "receiver", "date": "2026-03-10", "open_pings": 2, "deadline_at": "2026-03-10T11:30:00.000000Z"}'::jsonb, 'the counts of a page concern all connections'
);
select throws_ok(
  format($$ select api.get_dashboard('receiver', %L, 2, %L, '2026-03-10T11:00Z') $$, page_order, cursor), 'KT422', 'validation_failed', label
)
from (values
  ('name', null, 'another order is refused'), ('missed', '0c000000-0000-7000-8000-000000000001', 'a cursor of another order is refused'),
  (null, 'x', 'a cursor that is none is refused')
) as wrong (page_order, cursor, label);

-- Connections of one status.
select tests.as_superuser();
update kith.connections set status = 'paused' where sender_id in (select id from kith.users where display_name in ('S2', 'S5', 'S7'));
select tests.as_user('acme', 'mallory');
select is(
  (select string_agg(item -> 'counterpart' ->> 'display_name', ' ') from json_array_elements(api.list_connections('receiver', 'paused', 50, null, '2026-03-10T11:00Z') -> 'items') as item),
  'S2 S5 S7', 'a list can be of one status'
);
select is(
  (
    select string_agg(item -> 'counterpart' ->> 'display_name', ' ')
    from json_array_elements(
      api.list_connections('receiver', 'paused', 2, (api.list_connections('receiver', 'paused', 2, null, '2026-03-10T11:00Z') ->> 'next_cursor')::uuid, '2026-03-10T11:00Z') -> 'items'
    ) as item
  ),
  'S7', 'it has pages'
);
select is(
  json_array_length(api.list_connections('receiver', 'deleted', 50, null, '2026-03-10T11:00Z') -> 'items'), 0, 'removed connections are in no list'
);

select * from finish();
rollback;
