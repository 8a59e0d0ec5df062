-- Users, as the tenant's server manages them and as they manage themselves.
begin;
\ir people.sql
select plan(46);
\set now '''2026-03-10T08:00:00Z'''

select tests.as_server('acme');
create temporary table made as
select api.put_user('{"external_id": "u-1", "display_name": " Dave ", "phone": "+491711234567", "email": "Dave@Example.org"}', :now) as body;
select is(
  (select body::jsonb - 'id' from made),
  '{"external_id": "u-1", "display_name": "Dave", "phone": "+491711234567", "email": "Dave@Example.org", "phone_verified": false,
    "email_verified": false, "pending_phone": null, "pending_email": null, "time_zone": "UTC",
    "locale": "en", "created_at": "2026-03-10T08:00:00.000000Z"}'::jsonb,
  'a user is created, with a trimmed name and the defaults'
);
select is(
  api.get_user((select (body ->> 'id')::uuid from made))::text, (select body::text from made),
  'reading a created user returns the same text'
);
create temporary table again as
select api.put_user('{"external_id": "u-1", "display_name": "David"}', '2026-03-10T09:00:00Z') as body;
select is((select body ->> 'answer' from again), '200', 'the same external_id answers 200 for the existing user');
select is(
  (select body -> 'body' ->> 'id' from again), (select body ->> 'id' from made),
  'the same external_id keeps the id'
);
select is((select body -> 'body' ->> 'display_name' from again), 'David', 'the same external_id changes the given fields');
select is((select body -> 'body' ->> 'phone' from again), '+491711234567', 'the same external_id keeps the omitted fields');
select throws_ok(
  $$ select api.put_user('{"time_zone": "EST"}', '2026-03-10T08:00:00Z') $$, 'KT422', 'validation_failed',
  'a zone abbreviation is not a time zone'
);
select lives_ok($$ select api.put_user('{}', '2026-03-10T08:00:00Z') $$, 'no field of a user is required');
select lives_ok($$ select api.put_user('{}', '2026-03-10T08:00:00Z') $$, 'two users without external_id are different users');

select is(
  (select count(*) from json_array_elements(api.list_users(null, 200, null) -> 'items')), 7::bigint,
  'the list has only the tenant''s users'
);
create temporary table first_page as select api.list_users(null, 3, null) as page;
select is((select json_array_length(page -> 'items') from first_page), 3, 'a page has as many users as requested');
select is(
  (select page ->> 'next_cursor' from first_page), (select page -> 'items' -> 2 ->> 'id' from first_page),
  'the cursor is the last user''s id'
);
select is(
  (
    with recursive pages as (
      select api.list_users(null, 2, null) as page
      union all
      select api.list_users(null, 2, (page ->> 'next_cursor')::uuid) from pages where page ->> 'next_cursor' is not null
    )
    select string_agg(item ->> 'id', ' ') from pages, json_array_elements(page -> 'items') as item
  ),
  (select string_agg(item ->> 'id', ' ') from json_array_elements(api.list_users(null, 200, null) -> 'items') as item),
  'the pages together are the whole list'
);
select is(api.list_users('u-1', 50, null) -> 'items' -> 0 ->> 'display_name', 'David', 'a user is found by external_id');
select is(
  api.list_users('nobody', 50, null)::jsonb, '{"items": [], "next_cursor": null}'::jsonb,
  'an unknown external_id gives an empty list'
);
select throws_ok($$ select api.get_user(tests.id('globex-alice')) $$, 'KT404', 'not_found', 'another tenant''s user is not found');
select throws_ok(
  $$ select api.update_user(tests.id('globex-alice'), '{"display_name": "x"}', '2026-03-10T08:00:00Z') $$, 'KT404', 'not_found',
  'another tenant''s user cannot be changed'
);
select is(
  api.update_user(tests.id('bob'), '{"phone": "+491700000000", "time_zone": "America/New_York"}', :now)::jsonb - 'created_at',
  jsonb_build_object(
    'id', tests.id('bob'), 'external_id', 'ext-bob', 'display_name', 'Bob', 'phone', '+491700000000', 'email', null,
    'phone_verified', false, 'email_verified', false, 'pending_phone', null, 'pending_email', null, 'time_zone', 'America/New_York', 'locale', 'en'
  ),
  'the server changes the given fields'
);
select is(api.update_user(tests.id('bob'), '{"phone": null}', :now) ->> 'phone', null, 'null clears a field');
select is(
  api.update_user(tests.id('bob'), '{"time_zone": null}', :now) ->> 'time_zone', 'UTC', 'a cleared time zone becomes UTC'
);
select is(
  api.update_user(tests.id('bob'), '{"external_id": "bob-2"}', :now) ->> 'external_id', 'bob-2', 'the server changes an external_id'
);
select throws_ok(
  $$ select api.update_user(tests.id('bob'), '{"external_id": "ext-carol"}', '2026-03-10T08:00:00Z') $$, 'KT409', 'conflict',
  'an external_id belongs to one user'
);

select is(
  api.set_subscription(tests.id('bob'), '{"status": "canceled", "expires_at": "2026-04-01T00:00:00Z"}', :now)::jsonb,
  '{"status": "canceled", "expires_at": "2026-04-01T00:00:00.000000Z"}'::jsonb,
  'the server sets a receiver''s subscription'
);
select throws_ok(
  $$ select api.set_subscription(tests.id('alice'), '{"status": "active"}', '2026-03-10T08:00:00Z') $$, 'KT409', 'profile_required',
  'a user who is not a receiver has no subscription'
);
select throws_ok(
  $$ select api.set_subscription(tests.id('globex-bob'), '{"status": "active"}', '2026-03-10T08:00:00Z') $$, 'KT404', 'not_found',
  'another tenant''s receiver is not found'
);

select tests.as_superuser();
select is(
  (
    select string_agg(action || ' ' || detail, '; ' order by detail::text) from kith.audit
    where tenant_id = tests.tenant('acme') and action like 'user.%' and subject = tests.id('bob')::text
  ),
  'user.update {"fields": ["external_id"]}; user.update {"fields": ["phone", "time_zone"]}; user.update {"fields": ["phone"]}; user.update {"fields": ["time_zone"]}',
  'the audit log names the changed fields without their values'
);
update kith.tenants set user_quota = 7 where slug = 'acme';
select tests.as_server('acme');
select throws_ok(
  $$ select api.put_user('{"external_id": "too-many"}', '2026-03-10T08:00:00Z') $$, 'KT507', 'quota_exceeded',
  'a tenant cannot exceed its user quota'
);
select lives_ok(
  $$ select api.put_user('{"external_id": "u-1"}', '2026-03-10T08:00:00Z') $$, 'an existing user can be put while the quota is full'
);
select is(api.list_users('too-many', 50, null) -> 'items' ->> 0, null, 'a user over the quota is not created');

select tests.as_superuser();
update kith.tenants set user_quota = 9 where slug = 'acme';
select tests.as_server('acme');
create temporary table imported as
select row_number() over (order by (result ->> 'line')::integer) as n, result from json_array_elements(api.import_users('[
  {"line": 1, "user": {"display_name": "One", "external_id": "i-1"}},
  {"line": 3, "user": {"display_name": "Two", "time_zone": "Mars/Olympus"}},
  {"line": 4, "user": {"display_name": "Three", "locale": "not a locale"}},
  {"line": 5, "user": {"display_name": "Uno", "external_id": "i-1"}},
  {"line": 6, "user": {"display_name": "Four"}},
  {"line": 7, "user": {"display_name": "Five"}}
]', '2026-03-10T08:00:00Z')) as result;
select is(
  (select string_agg(result ->> 'line', ' ' order by n) from imported), '1 3 4 5 6 7', 'an import answers every line'
);
select is(
  (select string_agg(coalesce(result ->> 'status', result ->> 'sqlstate'), ' ' order by n) from imported),
  '201 KT422 23514 200 201 KT507', 'each line is created, refused or changed as if it were sent alone'
);
select is(
  (select result ->> 'message' || ' ' || (result ->> 'detail') from imported where n = 2),
  'validation_failed [{"field": "time_zone", "message": "must be an IANA time zone like Europe/Berlin"}]', 'a refused line has its reason'
);
select is((select result ->> 'constraint' from imported where n = 3), 'users_locale_is_a_tag', 'a refused line names the violated constraint');
select is(
  (select api.get_user((result ->> 'id')::uuid) ->> 'display_name' from imported where n = 1), 'Uno',
  'the later of two lines with the same external_id wins'
);
select is(json_array_length(api.list_users(null, 200, null) -> 'items'), 9, 'refused lines create no users');
select tests.as_superuser();
select is(
  (select users from kith.tenant_usage where tenant_id = tests.tenant('acme')), 9, 'the user count includes only created users'
);
select tests.as_server('acme');

-- Unknown members of a body have no effect here; the server refuses them before the call.
select is(
  api.update_user(
    tests.id('carol'),
    jsonb_build_object(
      'display_name', 'Caro', 'id', tests.id('bob'), 'tenant_id', tests.tenant('globex'), 'phone', '+491590000055',
      'phone_verified_at', '2026-03-10T08:00:00Z', 'tokens_valid_from', '2020-01-01T00:00:00Z', 'deleted_at', '2026-03-10T08:00:00Z'
    ), :now
  )::jsonb - array['created_at', 'external_id', 'email', 'email_verified', 'locale', 'time_zone', 'pending_phone', 'pending_email'],
  jsonb_build_object('id', tests.id('carol'), 'display_name', 'Caro', 'phone', '+491590000055', 'phone_verified', false),
  'a body cannot name a user other than the path''s'
);
select tests.as_superuser();
select is((select phone from kith.users where id = tests.id('bob')), null, 'that user''s row stays unchanged');

select tests.as_user('acme', 'alice');
select is(api.get_me() ->> 'display_name', 'Alice', 'a user sees their own account');
select is(api.get_me() ->> 'external_id', null, 'external_id is the server''s business');
select is(
  api.update_me('{"display_name": "Alicia", "time_zone": "Europe/Berlin", "locale": "de-DE"}', '{}', :now)::jsonb - 'created_at',
  jsonb_build_object(
    'id', tests.id('alice'), 'display_name', 'Alicia', 'phone', null, 'email', null, 'phone_verified', false,
    'email_verified', false, 'pending_phone', null, 'pending_email', null, 'time_zone', 'Europe/Berlin', 'locale', 'de-DE'
  ),
  'a user changes their own account'
);
select throws_ok(
  $$ select api.update_me('{"time_zone": "Mars/Olympus"}', '{}', '2026-03-10T08:00:00Z') $$, 'KT422', 'validation_failed',
  'a user cannot set an unknown time zone'
);
select throws_ok($$ select api.put_user('{}', '2026-03-10T08:00:00Z') $$, 'KT403', 'forbidden', 'a user cannot create users');
select throws_ok(
  $$ update kith.users set external_id = 'ext-x' where id = tests.id('alice') $$, '42501', null,
  'a user cannot change their external_id'
);
select tests.as_role('kith_api');
select throws_ok($$ select api.put_user('{}', '2026-03-10T08:00:00Z') $$, 'KT401', 'unauthenticated', 'creating a user requires a tenant');
select throws_ok($$ select api.get_me() $$, 'KT404', 'not_found', 'reading an account requires a tenant');

select * from finish();
rollback;
