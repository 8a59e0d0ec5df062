-- The notification centre: a user's notifications and what they have read.
begin;
\ir people.sql
select plan(61);

insert into kith.notifications (tenant_id, id, user_id, type, body, data, created_at)
select tests.tenant('acme'), internal.uuid7(at), tests.id('bob'), 'ping_completed', format('Alice checked in. %s', n), '{"n": 1}', at
from generate_series(1, 5) as n, lateral (select '2026-03-01T08:00:00Z'::timestamptz + make_interval(days => n * 9)) as times (at);
insert into kith.notifications (tenant_id, id, user_id, type, body, created_at)
values (tests.tenant('acme'), internal.uuid7('2026-03-10T08:00:00Z'), tests.id('carol'), 'ping_completed', 'Not for Bob', '2026-03-10T08:00:00Z');

select tests.as_user('acme', 'bob');
create temporary table all_of_them as select api.list_notifications(false, null, 50, null) as page;
select is(
  (select (page -> 'items' -> 0)::jsonb - 'id' from all_of_them),
  '{"type": "ping_completed", "title": "Safe", "body": "Alice checked in. 5", "data": {"n": 1},
    "created_at": "2026-04-15T08:00:00.000000Z", "sent_at": null, "delivery_status": "queued", "read_at": null}'::jsonb,
  'the newest notification comes first'
);
select is((select json_array_length(page -> 'items') from all_of_them), 5, 'the list has the user''s own notifications from every month');
select is((select page ->> 'unread_count' from all_of_them), '5', 'unread notifications are counted');
select is(
  (
    with recursive pages as (
      select api.list_notifications(null, null, 2, null) as page
      union all
      select api.list_notifications(null, null, 2, (page ->> 'next_cursor')::uuid) from pages where page ->> 'next_cursor' is not null
    )
    select string_agg(right(item ->> 'body', 1), '') from pages, json_array_elements(page -> 'items') as item
  ),
  '54321', 'the pages together are the whole list'
);

select is(
  api.read_notification((select (page -> 'items' -> 1 ->> 'id')::uuid from all_of_them), '2026-04-16T08:00:00Z')::text, null,
  'marking one as read has an empty answer'
);
select is(api.list_notifications(false, null, 50, null) ->> 'unread_count', '4', 'a read notification is not counted');
select is(json_array_length(api.list_notifications(true, null, 50, null) -> 'items'), 4, 'unread notifications can be listed alone');
select is(
  api.list_notifications(false, null, 50, null) -> 'items' -> 1 ->> 'read_at', '2026-04-16T08:00:00.000000Z', 'the time of reading is stored'
);
select api.read_notification((select (page -> 'items' -> 1 ->> 'id')::uuid from all_of_them), '2026-04-17T08:00:00Z') \g /dev/null
select is(
  api.list_notifications(false, null, 50, null) -> 'items' -> 1 ->> 'read_at', '2026-04-16T08:00:00.000000Z', 'marking it as read again changes nothing'
);
select throws_ok(
  $$ select api.read_notification('019cd6c2-8c00-7000-8000-000000000001', '2026-04-16T08:00:00Z') $$, 'KT404', 'not_found',
  'a notification that does not exist is not found'
);
select is(api.read_notifications(null, null, 1000, '2026-04-18T08:00:00Z')::text, null, 'marking all as read has an empty answer');
select is(
  api.list_notifications(true, null, 50, null)::jsonb, '{"items": [], "next_cursor": null, "unread_count": 0}'::jsonb, 'after marking all as read, nothing is unread'
);
select is(
  api.list_notifications(false, null, 50, null) -> 'items' -> 1 ->> 'read_at', '2026-04-16T08:00:00.000000Z', 'notifications read earlier keep their time of reading'
);
select tests.as_user('acme', 'carol');
select is(api.list_notifications(false, null, 50, null) ->> 'unread_count', '1', 'another user''s notifications stay unread');
select tests.as_superuser();
insert into kith.notifications (tenant_id, id, user_id, type, body, created_at)
select tests.tenant('acme'), internal.uuid7('2026-04-20T08:00Z'::timestamptz + n * interval '1 minute'), tests.id('carol'), 'vault_opened', 'y', '2026-04-20T08:00Z'
from generate_series(1, 4) as n;
select tests.as_user('acme', 'carol');
create temporary table read as select api.read_notifications(null, null, 2, '2026-04-21T08:00Z') as answer;
select is(api.list_notifications(true, null, 50, null) ->> 'unread_count', '3', 'many notifications are marked as read in batches');
insert into read select api.read_notifications((answer ->> 'next')::uuid, (answer ->> 'until')::uuid, 2, '2026-04-21T08:00Z') from read;
select is(api.list_notifications(true, null, 50, null) ->> 'unread_count', '1', 'the next batch continues after the first');
select tests.as_superuser();
insert into kith.notifications (tenant_id, id, user_id, type, body, created_at)
values (tests.tenant('acme'), internal.uuid7('2026-04-20T09:00Z'), tests.id('carol'), 'ping_missed', 'y', '2026-04-20T09:00Z');
select tests.as_user('acme', 'carol');
select is(
  (select api.read_notifications((answer ->> 'next')::uuid, (answer ->> 'until')::uuid, 2, '2026-04-21T08:00Z')::text from read order by answer ->> 'next' desc limit 1), null,
  'batches end when none is left'
);
select is(
  api.list_notifications(true, null, 50, null) -> 'items' -> 0 ->> 'type', 'ping_missed', 'a notification that arrived meanwhile stays unread'
);
select is(api.list_notifications(true, null, 50, null) ->> 'unread_count', '1', 'all earlier notifications are read');
select tests.as_user('globex', 'globex-bob');
select is(api.list_notifications(false, null, 50, null) ->> 'items', '[]', 'another tenant''s notifications are not listed');

-- Notifications of some types.
select tests.as_superuser();
delete from kith.notifications;
insert into kith.notifications (tenant_id, id, user_id, type, body, created_at)
select tests.tenant('acme'), internal.uuid7(at), tests.id('bob'), case n % 1001 when 1 then 'ping_missed' when 2 then 'break_started' else 'ping_completed' end, n::text, at
from generate_series(1, 3000) as n, lateral (select '2026-03-01T08:00:00Z'::timestamptz + make_interval(mins => n)) as times (at);
select tests.as_user('acme', 'bob');
create function pg_temp.bodies(p_page json) returns text
  language sql
as $$
  select string_agg(item ->> 'body', ' ' order by n) from json_array_elements(p_page -> 'items') with ordinality as items (item, n)
$$;
select is(pg_temp.bodies(api.list_notifications(false, 'ping_missed', 50, null)), '2003 1002', 'a list can be of one type');
select is(
  pg_temp.bodies(api.list_notifications(false, 'ping_missed,break_started', 3, null)), '2004 2003 1003', 'or of several'
);
select is(
  (
    with recursive pages as (
      select api.list_notifications(false, 'ping_missed,break_started', 3, null) as page
      union all
      select api.list_notifications(false, 'ping_missed,break_started', 3, (page ->> 'next_cursor')::uuid) from pages where page ->> 'next_cursor' is not null
    )
    select string_agg(pg_temp.bodies(page), ' | ') from pages
  ),
  '2004 2003 1003 | 1002 2 1', 'the pages together are the whole list'
);
select is(
  (
    with recursive pages as (
      select api.list_notifications(false, 'subscription_lapsing', 50, null) as page
      union all
      select api.list_notifications(false, 'subscription_lapsing', 50, (page ->> 'next_cursor')::uuid) from pages where page ->> 'next_cursor' is not null
    )
    select string_agg(json_array_length(page -> 'items')::text, ' ') from pages
  ),
  '0 0', 'a page looks at 2,000 notifications at most, and leads on although it is empty'
);
select throws_ok($$ select api.list_notifications(false, 'ping_missed,x', 50, null) $$, 'KT422', 'validation_failed', 'an unknown type is refused');
select is(api.list_notifications(true, 'ping_missed', 1, null) ->> 'unread_count', '3000', 'the unread count is of all types');

-- What a batch reads of data has its form, whoever wrote the row.
select tests.as_superuser() \g /dev/null
create function tests.keeps(p_data jsonb) returns boolean
  language plpgsql
as $$
begin
  insert into kith.notifications (tenant_id, id, user_id, type, body, data, created_at)
  values (tests.tenant('acme'), internal.uuid7('2026-03-09 08:00Z'), tests.id('bob'), 'ping_due', 'x', p_data, '2026-03-09 08:00Z');
  return true;
exception when check_violation or datetime_field_overflow or invalid_datetime_format then
  return false;
end
$$;
select is(tests.keeps(data::jsonb), is_kept, format('data %s is %s', left(data, 200), case when is_kept then 'kept' else 'refused' end))
from (values
  ('{}', true), ('{"date": "2026-03-09", "connection_id": "0c000000-0000-7000-8000-000000000001", "ping_id": null}', true),
  ('{"to": "owner", "grants_at": "2026-03-09T08:00:00.000000Z", "missed_days": 2, "people": ["0c000000-0000-7000-8000-000000000001"]}', true),
  ('{"date": "x"}', false), ('{"date": "infinity"}', false), ('{"date": "today"}', false), ('{"date": "2026-02-30"}', false),
  ('{"date": "0001-01-01"}', false), ('{"date": 20260309}', false), ('{"connection_id": "x"}', false), ('{"connection_id": 7}', false),
  ('{"request_id": "0C000000-0000-7000-8000-000000000001x"}', false), ('{"id": []}', false), ('{"grants_at": "infinity"}', false),
  -- What a ping says is looked at by a shorter path.
  ('{"connection_id": "0c000000-0000-7000-8000-000000000001", "ping_id": "0c000000-0000-7000-8000-000000000001", "user_id": "0c000000-0000-7000-8000-000000000001", "date": "2026-03-09"}', true),
  ('{"connection_id": "0c000000-0000-7000-8000-000000000001", "ping_id": "0c000000-0000-7000-8000-000000000001", "user_id": "0c000000-0000-7000-8000-000000000001", "minutes": 15}', true),
  ('{"connection_id": "0c000000-0000-7000-8000-000000000001", "ping_id": "0c000000-0000-7000-8000-000000000001", "user_id": "0c000000-0000-7000-8000-000000000001", "minutes": {"nested": 1}}', false),
  ('{"connection_id": "0c000000-0000-7000-8000-000000000001", "ping_id": "0c000000-0000-7000-8000-000000000001", "user_id": "0C000000-0000-7000-8000-000000000001", "date": "2026-03-09"}', false),
  ('{"connection_id": "0c000000-0000-7-00-8000-000000000001", "ping_id": "0c000000-0000-7000-8000-000000000001", "user_id": "0c000000-0000-7000-8000-000000000001", "date": "2026-03-09"}', false),
  ('{"connection_id": "0c000000-0000-7000-8000-000000000001", "ping_id": "0c000000-0000-7/00-8000-000000000001", "user_id": "0c000000-0000-7000-8000-000000000001", "date": "2026-03-09"}', false),
  ('{"connection_id": "0c000000-0000-7000-8000-00000000000", "ping_id": "0c000000-0000-7000-8000-0000000000010", "user_id": "0c000000-0000-7000-8000-000000000001", "date": "2026-03-09"}', false),
  ('{"connection_id": "0c000000-0000-7000-8000-000000000001", "ping_id": "0c000000-0000-7000-8000-000000000001", "user_id": "0c000000-0000-7000-8000-0000000000010", "date": "2026-03-09"}', false),
  ('{"connection_id": "0c000000-0000-7000-8000-000000000001", "ping_id": "0c000000-0000-7000-8000-000000000001", "user_id": "0c000000-0000-7000-8000-000000000001", "grants_at": "infinity"}', false),
  ('{"connection_id": "0c000000-0000-7000-8000-000000000001", "ping_id": "0c000000-0000-7000-8000-000000000001", "user_id": "0c000000-0000-7000-8000-000000000001", "alarm_id": "0c000000-0000-7000-8000-000000000001", "date": "2026-03-09"}', true),
  ('{"connection_id": "0c000000-0000-7000-8000-000000000001", "ping_id": "0c000000-0000-7000-8000-000000000001", "alarm_id": "0c000000-0000-7000-8000-000000000001"}', true),
  ('{"connection_id": "0c000000-0000-7000-8000-000000000001", "ping_id": "0c000000-0000-7000-8000-000000000001", "user_id": "0c000000-0000-7000-8000-000000000001", "alarm_id": "x"}', false),
  ('{"connection_id": "0c000000-0000-7000-8000-000000000001", "ping_id": "0c000000-0000-7000-8000-000000000001", "user_id": "0c000000-0000-7000-8000-000000000001", "alarm_id": 7}', false),
  ('{"connection_id": "0c000000-0000-7000-8000-000000000001", "ping_id": "0c000000-0000-7000-8000-000000000001", "user_id": "0c000000-0000-7000-8000-000000000001", "alarm_id": {"nested": 1}}', false),
  ('{"connection_id": "0c000000-0000-7000-8000-000000000001", "ping_id": "0c000000-0000-7000-8000-000000000001", "user_id": "0c000000-0000-7000-8000-000000000001", "alarm_id": "0c000000-0000-7000-8000-00000000000g"}', false),
  ('{"connection_id": "0c000000-0000-7000-8000-000000000001", "ping_id": "0c000000-0000-7000-8000-000000000001", "user_id": "0c000000-0000-7000-8000-00000000000", "alarm_id": "10c000000-0000-7000-8000-000000000001"}', false),
  ('{"nested": {}}', false), ('[]', false), ('"x"', false), ('null', false), ('{"vault_name": "' || repeat('x', 9000) || '"}', false)
) as given (data, is_kept);

select * from finish();
rollback;
