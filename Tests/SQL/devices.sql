-- The targets of pushes: a token belongs to one user, and a user has at most 20.
begin;
\ir people.sql
select plan(17);
\set now '''2026-03-10T08:00:00Z'''

select tests.as_user('acme', 'alice');
select is(
  api.put_device('{"platform": "ios", "token": "t-1", "environment": "sandbox"}', :now)::jsonb,
  '{"platform": "ios", "token": "t-1", "environment": "sandbox", "created_at": "2026-03-10T08:00:00.000000Z",
    "last_seen_at": "2026-03-10T08:00:00.000000Z"}'::jsonb,
  'a device is added'
);
select is(
  api.put_device('{"platform": "ios", "token": "t-1"}', '2026-03-11T08:00:00Z')::jsonb,
  '{"platform": "ios", "token": "t-1", "environment": "production", "created_at": "2026-03-10T08:00:00.000000Z",
    "last_seen_at": "2026-03-11T08:00:00.000000Z"}'::jsonb,
  'putting the device again updates when it was last seen'
);
select is(
  api.put_device('{"platform": "web", "token": "https://push.example/1", "keys": {"p256dh": "p", "auth": "a"}}', :now)
    ->> 'environment',
  'production', 'a browser provides the keys of its subscription'
);
select throws_ok(
  $$ select api.put_device('{"platform": "ios", "token": "t-2", "keys": {"p256dh": "p", "auth": "a"}}', '2026-03-10T08:00Z') $$,
  'KT422', 'validation_failed', 'a phone cannot have subscription keys'
);
select is(
  (select string_agg(item ->> 'token', ' ') from json_array_elements(api.list_devices() -> 'items') as item),
  't-1 https://push.example/1', 'devices are listed by when they were last seen, newest first'
);
select throws_ok($$ select auth_secret from kith.devices $$, '42501', null, 'the keys of a subscription cannot be read');

select tests.as_user('acme', 'bob');
select throws_ok($$ select api.delete_device('t-1', '2026-03-10T12:00Z') $$, 'KT404', 'not_found', 'another user''s device is not found');
select lives_ok($$ select api.put_device('{"platform": "ios", "token": "t-1"}', '2026-03-12T08:00Z') $$, 'a device can move to another user');
select is(api.list_devices() -> 'items' -> 0 ->> 'created_at', '2026-03-12T08:00:00.000000Z', 'the device is new for its new user');
select tests.as_user('acme', 'alice');
select is(
  (select string_agg(item ->> 'token', ' ') from json_array_elements(api.list_devices() -> 'items') as item),
  'https://push.example/1', 'a device that moved is no longer its former user''s'
);
select tests.as_user('globex', 'globex-alice');
select lives_ok(
  $$ select api.put_device('{"platform": "ios", "token": "t-1"}', '2026-03-12T08:00Z') $$, 'another tenant''s app has separate tokens'
);
select tests.as_user('acme', 'bob');
select is(json_array_length(api.list_devices() -> 'items'), 1, 'another tenant''s tokens affect nobody here');

do $$
begin
  for n in 1 .. 25 loop
    perform api.put_device(format('{"platform": "ios", "token": "many-%s"}', n)::jsonb, '2026-03-13T08:00Z'::timestamptz + n * interval '1 minute');
  end loop;
end
$$;
select is(
  (select string_agg(item ->> 'token', ' ') from json_array_elements(api.list_devices() -> 'items') as item),
  (select string_agg('many-' || n, ' ' order by n desc) from generate_series(6, 25) as n),
  'of more than 20 devices, those seen longest ago are deleted'
);
select is(api.delete_device('many-9', '2026-03-10T12:00Z')::text, null, 'a device is deleted');

-- Signing out (A05).
select tests.as_superuser();
insert into kith.token_families (tenant_id, id, user_id, created_at, refreshed_at, expires_at)
values (tests.tenant('acme'), '0fa00000-0000-7000-8000-000000000001', tests.id('bob'), '2026-03-13T08:00Z', '2026-03-13T08:00Z', '2026-05-13T08:00Z');
select tests.as_user('acme', 'bob');
select api.sign_out('0fa00000-0000-7000-8000-000000000001', false, '2026-03-14T08:00Z') \g /dev/null
select is(json_array_length(api.list_devices() -> 'items'), 19, 'the end of one sign-in leaves the devices');
select api.sign_out(null, true, '2026-03-14T08:01Z') \g /dev/null
select is(json_array_length(api.list_devices() -> 'items'), 0, 'signing out everywhere deletes them all, so that no phone shows names any more');
select tests.as_user('acme', 'alice');
select is(json_array_length(api.list_devices() -> 'items'), 1, 'and nobody else''s');

select * from finish();
rollback;
