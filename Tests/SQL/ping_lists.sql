-- The pings of a date, and of a connection.
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

-- The pings of a date.
select tests.as_user('acme', 'alice');
select is(json_array_length(api.list_pings('2026-03-05', null, 50, null, '2026-03-10T12:00:00Z') -> 'items'), 2, 'a sender has one ping for each receiver');
select is(tests.dates(api.list_pings(null, 'sender', 50, null, '2026-03-10T12:00:00Z')), array['03-10', '03-10'], 'without a date the list is today''s');
select is(json_array_length(api.list_pings('2026-03-05', 'receiver', 50, null, '2026-03-10T12:00:00Z') -> 'items'), 0, 'as a receiver she has none');
select is(
  api.list_pings('2026-03-05', 'sender', 1, null, '2026-03-10T12:00:00Z') ->> 'next_cursor', '0c000000-0000-7000-8000-000000000001', 'a full page has a cursor'
);
select is(
  (api.list_pings('2026-03-05', 'sender', 1, '0c000000-0000-7000-8000-000000000001', '2026-03-10T12:00:00Z') -> 'items' -> 0 ->> 'connection_id'),
  '0c000000-0000-7000-8000-000000000002', 'the cursor leads to the next page'
);
select is(api.list_pings('2026-03-05', 'sender', 1, '0c000000-0000-7000-8000-000000000001', '2026-03-10T12:00:00Z') ->> 'next_cursor', null, 'the last page has no cursor');
select is(api.list_pings('2040-01-01', null, 50, null, '2026-03-10T12:00:00Z')::jsonb, '{"items": [], "next_cursor": null}', 'a date without pings is empty');
select tests.as_user('acme', 'bob');
select is(json_array_length(api.list_pings('2026-03-05', null, 50, null, '2026-03-10T12:00:00Z') -> 'items'), 1, 'a receiver sees only their own pings');
select tests.as_superuser();
update kith.sender_profiles set time_zone = 'Pacific/Kiritimati' where user_id = tests.id('alice');
select tests.as_user('acme', 'bob');
select is(tests.dates(api.list_pings(null, null, 50, null, '2026-03-08T12:00:00Z')), array['03-09'], 'today is the date in the sender''s zone');
select tests.as_superuser();
update kith.sender_profiles set time_zone = 'UTC' where user_id = tests.id('alice');
select tests.as_user('acme', 'mallory');
select is(json_array_length(api.list_pings('2026-03-05', null, 50, null, '2026-03-10T12:00:00Z') -> 'items'), 0, 'a stranger sees none');

-- The pings of a connection.
select tests.as_user('acme', 'bob');
select is((tests.dates(api.list_connection_pings(tests.id('alice-bob'), null, null, 200, null, '2026-03-10T12:00:00Z')))[1], '03-10', 'the newest ping comes first');
select is(array_length(tests.dates(api.list_connection_pings(tests.id('alice-bob'), null, null, 200, null, '2026-03-10T12:00:00Z')), 1), 31, 'the default is the last 31 days');
select is(
  tests.dates(api.list_connection_pings(tests.id('alice-bob'), '2026-02-01', '2026-02-03', 200, null, '2026-03-10T12:00:00Z')),
  array['02-03', '02-02', '02-01'], 'both ends of the range are included'
);
select is(
  api.list_connection_pings(tests.id('alice-bob'), '2026-02-01', '2026-02-03', 2, null, '2026-03-10T12:00:00Z') ->> 'next_cursor', '2026-02-02', 'the cursor is a date'
);
select is(
  tests.dates(api.list_connection_pings(tests.id('alice-bob'), '2026-02-01', '2026-02-03', 2, '2026-02-02', '2026-03-10T12:00:00Z')),
  array['02-01'], 'the next page continues at that date'
);
select throws_ok($$select api.list_connection_pings(tests.id('alice-bob'), '2025-03-01', '2026-03-10', 50, null, '2026-03-10T12:00:00Z')$$, 'KT422', 'validation_failed', 'more than 366 days are refused');
select lives_ok($$select api.list_connection_pings(tests.id('alice-bob'), '2025-03-09', '2026-03-10', 50, null, '2026-03-10T12:00:00Z')$$, '366 days are accepted');
select throws_ok($$select api.list_connection_pings(tests.id('alice-bob'), '2026-03-10', '2026-03-09', 50, null, '2026-03-10T12:00:00Z')$$, 'KT422', 'validation_failed', 'a range that ends before it begins is refused');
select tests.as_user('acme', 'carol');
select throws_ok($$select api.list_connection_pings(tests.id('alice-bob'), null, null, 50, null, '2026-03-10T12:00:00Z')$$, 'KT404', 'not_found', 'a stranger does not find the connection');
select tests.as_user('globex', 'globex-bob');
select throws_ok($$select api.list_connection_pings(tests.id('alice-bob'), null, null, 50, null, '2026-03-10T12:00:00Z')$$, 'KT404', 'not_found', 'a user of another tenant does not find the connection');

-- Pending and deleted connections.
select tests.as_superuser();
update kith.connections set status = 'pending' where id = tests.id('alice-bob');
select tests.as_user('acme', 'bob');
select is(json_array_length(api.list_pings('2026-03-05', null, 50, null, '2026-03-10T12:00:00Z') -> 'items')
  + json_array_length(api.list_connection_pings(tests.id('alice-bob'), null, null, 50, null, '2026-03-10T12:00:00Z') -> 'items'), 0,
  'the receiver of a pending connection sees no pings (P29)');
select tests.as_user('acme', 'alice');
select is(json_array_length(api.list_connection_pings(tests.id('alice-bob'), null, null, 50, null, '2026-03-10T12:00:00Z') -> 'items'), 31, 'the sender of a pending connection sees its pings');
select tests.as_superuser();
update kith.connections set status = 'deleted', deleted_at = '2026-03-10T11:00:00Z' where id = tests.id('alice-bob');
select tests.as_user('acme', 'alice');
select is(json_array_length(api.list_pings('2026-03-05', null, 50, null, '2026-03-10T12:00:00Z') -> 'items'), 1, 'the pings of a deleted connection are left out');
select throws_ok($$select api.list_connection_pings(tests.id('alice-bob'), null, null, 50, null, '2026-03-10T12:00:00Z')$$, 'KT404', 'not_found', 'a deleted connection is not found');

select * from finish();
rollback;
