-- Pings of a date, and of a connection.
begin;
\ir people.sql
select plan(24);

insert into kith.connections (tenant_id, id, sender_id, receiver_id, status, code_owner_id, activated_at, created_at, updated_at)
values (tests.tenant('acme'), '0c000000-0000-7000-8000-000000000002', tests.id('alice'), tests.id('carol'), 'active', tests.id('carol'),
  '2026-01-05T08:00:00Z', '2026-01-05T08:00:00Z', '2026-01-05T08:00:00Z');
insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at)
select tenant_id, day::date, id, internal.uuid7(day), sender_id, receiver_id, 'missed', day + interval '9 hours', day + interval '10 hours'
from kith.connections cross join generate_series(timestamptz '2026-02-01Z', '2026-03-10Z', '1 day') as day;

create function tests.dates(p_answer json) returns text[]
  language sql
as $$
  select array_agg(to_char((item ->> 'date')::date, 'MM-DD') order by n) from json_array_elements(p_answer -> 'items') with ordinality as items (item, n)
$$;

-- Of a date.
select tests.as_user('acme', 'alice');
select is(json_array_length(api.list_pings('2026-03-05', null, 50, null, '2026-03-10T12:00:00Z') -> 'items'), 2, 'a sender has one for each receiver');
select is(tests.dates(api.list_pings(null, 'sender', 50, null, '2026-03-10T12:00:00Z')), array['03-10', '03-10'], 'without a date it is today''s');
select is(json_array_length(api.list_pings('2026-03-05', 'receiver', 50, null, '2026-03-10T12:00:00Z') -> 'items'), 0, 'as a receiver she has none');
select is(
  api.list_pings('2026-03-05', 'sender', 1, null, '2026-03-10T12:00:00Z') ->> 'next_cursor', '0c000000-0000-7000-8000-000000000001', 'a page that is full says where the next begins'
);
select is(
  (api.list_pings('2026-03-05', 'sender', 1, '0c000000-0000-7000-8000-000000000001', '2026-03-10T12:00:00Z') -> 'items' -> 0 ->> 'connection_id'),
  '0c000000-0000-7000-8000-000000000002', 'which is there'
);
select is(api.list_pings('2026-03-05', 'sender', 1, '0c000000-0000-7000-8000-000000000001', '2026-03-10T12:00:00Z') ->> 'next_cursor', null, 'the last page says so');
select is(api.list_pings('2040-01-01', null, 50, null, '2026-03-10T12:00:00Z')::jsonb, '{"items": [], "next_cursor": null}', 'a date without pings is empty');
select tests.as_user('acme', 'bob');
select is(json_array_length(api.list_pings('2026-03-05', null, 50, null, '2026-03-10T12:00:00Z') -> 'items'), 1, 'a receiver sees the own');
select tests.as_superuser();
update kith.sender_profiles set time_zone = 'Pacific/Kiritimati' where user_id = tests.id('alice');
select tests.as_user('acme', 'bob');
select is(tests.dates(api.list_pings(null, null, 50, null, '2026-03-08T12:00:00Z')), array['03-09'], 'today is the sender''s');
select tests.as_superuser();
update kith.sender_profiles set time_zone = 'UTC' where user_id = tests.id('alice');
select tests.as_user('acme', 'mallory');
select is(json_array_length(api.list_pings('2026-03-05', null, 50, null, '2026-03-10T12:00:00Z') -> 'items'), 0, 'a stranger sees none');

-- Of a connection.
select tests.as_user('acme', 'bob');
select is((tests.dates(api.list_connection_pings(tests.id('alice-bob'), null, null, 200, null, '2026-03-10T12:00:00Z')))[1], '03-10', 'newest first');
select is(array_length(tests.dates(api.list_connection_pings(tests.id('alice-bob'), null, null, 200, null, '2026-03-10T12:00:00Z')), 1), 31, 'by default the last 31 days');
select is(
  tests.dates(api.list_connection_pings(tests.id('alice-bob'), '2026-02-01', '2026-02-03', 200, null, '2026-03-10T12:00:00Z')),
  array['02-03', '02-02', '02-01'], 'both ends included'
);
select is(
  api.list_connection_pings(tests.id('alice-bob'), '2026-02-01', '2026-02-03', 2, null, '2026-03-10T12:00:00Z') ->> 'next_cursor', '2026-02-02', 'the cursor is a date'
);
select is(
  tests.dates(api.list_connection_pings(tests.id('alice-bob'), '2026-02-01', '2026-02-03', 2, '2026-02-02', '2026-03-10T12:00:00Z')),
  array['02-01'], 'and goes on there'
);
select throws_ok($$select api.list_connection_pings(tests.id('alice-bob'), '2025-03-01', '2026-03-10', 50, null, '2026-03-10T12:00:00Z')$$, 'KT422', 'validation_failed', 'more than 366 days are refused');
select lives_ok($$select api.list_connection_pings(tests.id('alice-bob'), '2025-03-09', '2026-03-10', 50, null, '2026-03-10T12:00:00Z')$$, '366 are not');
select throws_ok($$select api.list_connection_pings(tests.id('alice-bob'), '2026-03-10', '2026-03-09', 50, null, '2026-03-10T12:00:00Z')$$, 'KT422', 'validation_failed', 'nor is an end before the beginning');
select tests.as_user('acme', 'carol');
select throws_ok($$select api.list_connection_pings(tests.id('alice-bob'), null, null, 50, null, '2026-03-10T12:00:00Z')$$, 'KT404', 'not_found', 'a stranger''s connection is not there');
select tests.as_user('globex', 'globex-bob');
select throws_ok($$select api.list_connection_pings(tests.id('alice-bob'), null, null, 50, null, '2026-03-10T12:00:00Z')$$, 'KT404', 'not_found', 'nor another tenant''s');

-- Pending, deleted.
select tests.as_superuser();
update kith.connections set status = 'pending' where id = tests.id('alice-bob');
select tests.as_user('acme', 'bob');
select is(json_array_length(api.list_pings('2026-03-05', null, 50, null, '2026-03-10T12:00:00Z') -> 'items')
  + json_array_length(api.list_connection_pings(tests.id('alice-bob'), null, null, 50, null, '2026-03-10T12:00:00Z') -> 'items'), 0,
  'while a connection is pending the receiver sees no pings of it (P29)');
select tests.as_user('acme', 'alice');
select is(json_array_length(api.list_connection_pings(tests.id('alice-bob'), null, null, 50, null, '2026-03-10T12:00:00Z') -> 'items'), 31, 'the sender does');
select tests.as_superuser();
update kith.connections set status = 'deleted', deleted_at = '2026-03-10T11:00:00Z' where id = tests.id('alice-bob');
select tests.as_user('acme', 'alice');
select is(json_array_length(api.list_pings('2026-03-05', null, 50, null, '2026-03-10T12:00:00Z') -> 'items'), 1, 'a deleted connection is left out');
select throws_ok($$select api.list_connection_pings(tests.id('alice-bob'), null, null, 50, null, '2026-03-10T12:00:00Z')$$, 'KT404', 'not_found', 'and is not there');

select * from finish();
rollback;
