-- Users, as the tenant's server manages them and as they manage themselves.
begin;
\ir people.sql
select plan(64);
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
  (select count(*) from json_array_elements(api.list_users(null, null, null, 200, null) -> 'items')), 7::bigint,
  'the list has only the tenant''s users'
);
create temporary table first_page as select api.list_users(null, null, null, 3, null) as page;
select is((select json_array_length(page -> 'items') from first_page), 3, 'a page has as many users as requested');
select is(
  (select page ->> 'next_cursor' from first_page), (select page -> 'items' -> 2 ->> 'id' from first_page),
  'the cursor is the last user''s id'
);
select is(
  (
    with recursive pages as (
      select api.list_users(null, null, null, 2, null) as page
      union all
      select api.list_users(null, null, null, 2, (page ->> 'next_cursor')::uuid) from pages where page ->> 'next_cursor' is not null
    )
    select string_agg(item ->> 'id', ' ') from pages, json_array_elements(page -> 'items') as item
  ),
  (select string_agg(item ->> 'id', ' ') from json_array_elements(api.list_users(null, null, null, 200, null) -> 'items') as item),
  'the pages together are the whole list'
);
select is(api.list_users('u-1', null, null, 50, null) -> 'items' -> 0 ->> 'display_name', 'David', 'a user is found by external_id');
select is(
  api.list_users('nobody', null, null, 50, null)::jsonb, '{"items": [], "next_cursor": null}'::jsonb,
  'an unknown external_id gives an empty list'
);
create temporary table twins as
select api.put_user(format('{"external_id": "twin-%s", "phone": "+491711111111", "email": "Twin@Example.org"}', n)::jsonb, :now::timestamptz + n * interval '1 second') ->> 'id' as id
from generate_series(1, 3) as n;
prepare found as
select string_agg(item ->> 'external_id', ' ' order by n)
from json_array_elements(api.list_users($1, $2, $3, 50, null) -> 'items') with ordinality as items (item, n);
select results_eq(
  $$ execute found(null, '+491711111111', null) $$, $$ values ('twin-1 twin-2 twin-3') $$, 'users are found by phone number'
);
select results_eq(
  $$ execute found(null, null, 'tWIN@example.ORG') $$, $$ values ('twin-1 twin-2 twin-3') $$,
  'users are found by e-mail address, whatever the case of its letters'
);
select results_eq($$ execute found(null, null, 'twin@example.or') $$, $$ values (null::text) $$, 'part of an address finds nobody');
select results_eq(
  $$ execute found('u-1', '+491711234567', 'dave@example.org') $$, $$ values ('u-1') $$, 'users who have everything that is given are found'
);
select results_eq(
  $$ execute found('u-1', '+491711111111', null) $$, $$ values (null::text) $$, 'users who have only part of what is given are not found'
);
select is(
  (
    with recursive pages as (
      select api.list_users(null, '+491711111111', null, 1, null) as page
      union all
      select api.list_users(null, '+491711111111', null, 1, (page ->> 'next_cursor')::uuid) from pages where page ->> 'next_cursor' is not null
    )
    select string_agg(item ->> 'external_id', ' ') from pages, json_array_elements(page -> 'items') as item
  ),
  'twin-1 twin-2 twin-3', 'users with the same number come in pages'
);
select tests.as_server('globex');
select results_eq($$ execute found(null, '+491711111111', null) $$, $$ values (null::text) $$, 'another tenant''s users are not found');
select tests.as_superuser();
delete from kith.users where external_id like 'twin-%';
update kith.tenant_usage set users = users - 3 where tenant_id = tests.tenant('acme');
select tests.as_server('acme');
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

-- By whom a user signs in, only a key changes that may mint tokens.
select tests.as_superuser();
insert into kith.api_keys (tenant_id, id, name, secret_hash, scopes, created_at)
values
  (tests.tenant('acme'), '0000000a-0000-7000-8000-000000000001', 'users', sha256('users'), '{users}', :now),
  (tests.tenant('acme'), '0000000a-0000-7000-8000-000000000002', 'tokens', sha256('tokens'), '{tokens,users}', :now),
  (tests.tenant('acme'), '0000000a-0000-7000-8000-000000000003', 'all', sha256('all'), '{all}', :now),
  (tests.tenant('globex'), '0000000a-0000-7000-8000-000000000004', 'globex', sha256('globex'), '{all}', :now);
update kith.users
set phone = '+491700000077', phone_verified_at = :now, email = 'Carol@example.com', email_verified_at = :now
where id = tests.id('carol');
create function tests.put_carol(p_key integer, p_change jsonb) returns text
  language plpgsql
as $$
begin
  perform tests.as_server('acme');
  perform set_config('kith.actor', 'key:0000000a-0000-7000-8000-00000000000' || p_key, true);
  begin
    perform api.put_user('{"external_id": "ext-carol"}' || p_change, '2026-03-10T08:00:00Z');
    -- Take it back, so that the next change finds the same.
    raise exception 'done';
  exception when others then
    return sqlerrm;
  end;
end
$$;
select is(tests.put_carol(key, change), outcome, what)
from (values
  (1, '{"phone": "+491700000099"}'::jsonb, 'forbidden', 'a key with the scope users does not change a verified phone number'),
  (1, '{"phone": null}', 'forbidden', 'nor does it take one away'),
  (1, '{"email": "mallory@example.com"}', 'forbidden', 'nor does it change a verified e-mail address'),
  (1, '{"phone": "+491700000077", "email": "carol@example.com", "display_name": "Caro"}', 'done', 'it may send what is there, and change the rest'),
  (2, '{"phone": "+491700000099"}', 'done', 'a key with the scope tokens changes it'),
  (3, '{"email": "mallory@example.com"}', 'done', 'a key with the scope all changes it'),
  (4, '{"email": "mallory@example.com"}', 'forbidden', 'another tenant''s key counts for nothing')
) as changes (key, change, outcome, what);
select tests.as_superuser();
update kith.users set email = null, email_verified_at = null where id = tests.id('carol');
select is(
  tests.put_carol(1, '{"email": "mallory@example.com"}'), 'forbidden', 'a user who has verified a phone number is given no e-mail address to sign in with'
);
select throws_ok(
  $$ select api.update_user(tests.id('carol'), '{"external_id": "mine"}', '2026-03-10T08:00:00Z') $$, 'KT403', 'forbidden',
  'an external_id is changed by such a key only'
);
select throws_like(
  $$ select api.update_user(tests.id('carol'), '{"phone": null}', '2026-03-10T08:00:00Z') $$, 'forbidden', 'so is a verified contact of a named user'
);
select is(
  (
    api.import_items(
      '[{"line": 1, "item": {"kind": "user", "external_id": "ext-carol", "email": "new@example.org"}}]', '2026-03-10T08:00:00Z'
    ) -> 0
  )::jsonb - 'constraint',
  '{"line": 1, "sqlstate": "KT403", "message": "forbidden", "detail": "This key lacks the scope tokens, which a change of this user''s email needs: whoever has a contact can sign in with it."}',
  'an import refuses the line, and says which scope it needs'
);
select tests.as_superuser();
update kith.users
set phone = null, phone_verified_at = null, email = null, email_verified_at = null
where id = tests.id('carol');
select tests.as_server('acme');
select set_config('kith.actor', 'key:0000000a-0000-7000-8000-000000000003', true) \g /dev/null
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
select is(api.list_users('too-many', null, null, 50, null) -> 'items' ->> 0, null, 'a user over the quota is not created');

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
select matches(
  (select result ->> 'message' || ' ' || (result ->> 'detail') from imported where n = 2),
  '^validation_failed \[\{"field": "time_zone", "message": "must be an IANA time zone like Europe/Berlin; ', 'a refused line has its reason'
);
select is((select result ->> 'constraint' from imported where n = 3), 'users_locale_is_a_tag', 'a refused line names the violated constraint');
select is(
  (select api.get_user((result ->> 'id')::uuid) ->> 'display_name' from imported where n = 1), 'Uno',
  'the later of two lines with the same external_id wins'
);
select is(json_array_length(api.list_users(null, null, null, 200, null) -> 'items'), 9, 'refused lines create no users');
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
