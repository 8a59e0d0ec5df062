-- The pings of a date, and of a connection.
begin;
\ir people.sql
select plan(36);

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
select is(json_array_length(api.list_pings('2026-03-05', null, null, null, 50, null, '2026-03-10T12:00:00Z') -> 'items'), 2, 'a sender has one ping for each receiver');
select is(tests.dates(api.list_pings(null, null, null, 'sender', 50, null, '2026-03-10T12:00:00Z')), array['03-10', '03-10'], 'without a date the list is today''s');
select is(json_array_length(api.list_pings('2026-03-05', null, null, 'receiver', 50, null, '2026-03-10T12:00:00Z') -> 'items'), 0, 'as a receiver she has none');
select is(
  api.list_pings('2026-03-05', null, null, 'sender', 1, null, '2026-03-10T12:00:00Z') ->> 'next_cursor', '0c000000-0000-7000-8000-000000000001', 'a full page has a cursor'
);
select is(
  (api.list_pings('2026-03-05', null, null, 'sender', 1, '0c000000-0000-7000-8000-000000000001', '2026-03-10T12:00:00Z') -> 'items' -> 0 ->> 'connection_id'),
  '0c000000-0000-7000-8000-000000000002', 'the cursor leads to the next page'
);
select is(api.list_pings('2026-03-05', null, null, 'sender', 1, '0c000000-0000-7000-8000-000000000001', '2026-03-10T12:00:00Z') ->> 'next_cursor', null, 'the last page has no cursor');
select is(api.list_pings('2040-01-01', null, null, null, 50, null, '2026-03-10T12:00:00Z')::jsonb, '{"items": [], "next_cursor": null}', 'a date without pings is empty');
select tests.as_user('acme', 'bob');
select is(json_array_length(api.list_pings('2026-03-05', null, null, null, 50, null, '2026-03-10T12:00:00Z') -> 'items'), 1, 'a receiver sees only their own pings');
select tests.as_superuser();
update kith.sender_profiles set time_zone = 'Pacific/Kiritimati' where user_id = tests.id('alice');
select tests.as_user('acme', 'bob');
select is(tests.dates(api.list_pings(null, null, null, null, 50, null, '2026-03-08T12:00:00Z')), array['03-09'], 'today is the date in the sender''s zone');
select tests.as_superuser();
update kith.sender_profiles set time_zone = 'UTC' where user_id = tests.id('alice');
select tests.as_user('acme', 'mallory');
select is(json_array_length(api.list_pings('2026-03-05', null, null, null, 50, null, '2026-03-10T12:00:00Z') -> 'items'), 0, 'a stranger sees none');

-- The pings of a period.
select tests.as_superuser();
create function tests.week(p_answer json) returns text
  language sql
as $$
  select concat_ws(
    ' ', string_agg(to_char((item ->> 'date')::date, 'MM-DD') || case when item ->> 'connection_id' like '%1' then 'b' else 'c' end, ' ' order by n)
  )
  from json_array_elements(p_answer -> 'items') with ordinality as items (item, n)
$$;
select tests.as_user('acme', 'alice');
select is(
  tests.week(api.list_pings(null, '2026-03-08', '2026-03-09', null, 50, null, '2026-03-10T12:00:00Z')), '03-09b 03-09c 03-08b 03-08c',
  'a period has every ping of its dates, the newest first'
);
select is(
  (
    with recursive pages as (
      select api.list_pings(null, '2026-03-08', '2026-03-09', 'sender', 1, null, '2026-03-10T12:00:00Z') as page
      union all
      select api.list_pings(null, '2026-03-08', '2026-03-09', 'sender', 1, page ->> 'next_cursor', '2026-03-10T12:00:00Z') from pages
      where page ->> 'next_cursor' is not null
    )
    select string_agg(tests.week(page), ' | ') from pages
  ),
  '03-09b | 03-09c | 03-08b | 03-08c', 'the pages together are the whole period'
);
select is(json_array_length(api.list_pings(null, null, '2026-03-09', null, 50, null, '2026-03-10T12:00:00Z') -> 'items'), 14, 'without a beginning it is the week before the end');
select is(
  (tests.dates(api.list_pings(null, '2026-03-07', null, null, 50, null, '2026-03-10T12:00:00Z')))[1], '03-10', 'without an end it ends today'
);
select is(json_array_length(api.list_pings(null, '2025-12-10', '2026-03-11', null, 200, null, '2026-03-10T12:00:00Z') -> 'items'), 76, 'a period has up to 92 days');
select throws_ok(
  $$ select api.list_pings(null, '2025-12-09', '2026-03-11', null, 50, null, '2026-03-10T12:00:00Z') $$, 'KT422', 'validation_failed', 'a longer period is refused'
);
select throws_ok(
  $$ select api.list_pings(null, '2026-03-11', '2026-03-10', null, 50, null, '2026-03-10T12:00:00Z') $$, 'KT422', 'validation_failed', 'a period that ends before it begins is refused'
);
select throws_ok(
  $$ select api.list_pings('2026-03-10', '2026-03-09', null, null, 50, null, '2026-03-10T12:00:00Z') $$, 'KT422', 'validation_failed', 'a date and a period exclude each other'
);
select throws_ok(
  $$ select api.list_pings(null, '2026-03-08', '2026-03-09', null, 50, '0c000000-0000-7000-8000-000000000001', '2026-03-10T12:00:00Z') $$, 'KT422',
  'validation_failed', 'a cursor of one date is none of a period'
);
select tests.as_user('acme', 'mallory');
select is(json_array_length(api.list_pings(null, '2026-03-01', '2026-03-10', null, 50, null, '2026-03-10T12:00:00Z') -> 'items'), 0, 'a stranger sees no ping of a period');
select tests.as_superuser();
insert into kith.users (tenant_id, id, tokens_valid_from, created_at, updated_at)
select tests.tenant('acme'), ('0badbad0-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, '2026-03-01Z', '2026-03-01Z', '2026-03-01Z'
from generate_series(1, 9000) as n;
insert into kith.connections (tenant_id, id, sender_id, receiver_id, status, code_owner_id, activated_at, created_at, updated_at)
select tenant_id, gen_random_uuid(), tests.id('mallory'), id, 'active', id, created_at, created_at, created_at from kith.users where tenant_id = tests.tenant('acme') and id > '0badbad0-0000-7000-8000-000000000000';
select tests.as_user('acme', 'mallory');
select is(
  api.list_pings(null, '2026-03-01', '2026-03-10', null, 50, null, '2026-03-10T12:00:00Z')::jsonb,
  '{"items": [], "next_cursor": "2026-03-08_ffffffff-ffff-ffff-ffff-ffffffffffff"}'::jsonb, 'a page looks at a limited number of pings, even if it finds none'
);
select is(
  (
    with recursive pages as (
      select api.list_pings(null, '2026-03-01', '2026-03-10', null, 50, null, '2026-03-10T12:00:00Z') ->> 'next_cursor' as cursor
      union all
      select api.list_pings(null, '2026-03-01', '2026-03-10', null, 50, cursor, '2026-03-10T12:00:00Z') ->> 'next_cursor' from pages where cursor is not null
    )
    select string_agg(left(cursor, 10), ' ') from pages
  ),
  '2026-03-08 2026-03-06 2026-03-04 2026-03-02', 'its cursor leads on until the period is over'
);
select tests.as_superuser();

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
select is(json_array_length(api.list_pings('2026-03-05', null, null, null, 50, null, '2026-03-10T12:00:00Z') -> 'items')
  + json_array_length(api.list_pings(null, '2026-03-05', null, null, 50, null, '2026-03-10T12:00:00Z') -> 'items')
  + json_array_length(api.list_connection_pings(tests.id('alice-bob'), null, null, 50, null, '2026-03-10T12:00:00Z') -> 'items'), 0,
  'the receiver of a pending connection sees no pings (P29)');
select tests.as_user('acme', 'alice');
select is(json_array_length(api.list_connection_pings(tests.id('alice-bob'), null, null, 50, null, '2026-03-10T12:00:00Z') -> 'items'), 31, 'the sender of a pending connection sees its pings');
select tests.as_superuser();
update kith.connections set status = 'deleted', deleted_at = '2026-03-10T11:00:00Z' where id = tests.id('alice-bob');
select tests.as_user('acme', 'alice');
select is(json_array_length(api.list_pings('2026-03-05', null, null, null, 50, null, '2026-03-10T12:00:00Z') -> 'items'), 1, 'the pings of a deleted connection are left out');
select throws_ok($$select api.list_connection_pings(tests.id('alice-bob'), null, null, 50, null, '2026-03-10T12:00:00Z')$$, 'KT404', 'not_found', 'a deleted connection is not found');

select * from finish();
rollback;
