-- Where pushes go: a token is one user's, and a user has 20 at most.
begin;
\ir people.sql
select plan(14);
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
  'one put again is the same, seen again'
);
select is(
  api.put_device('{"platform": "web", "token": "https://push.example/1", "keys": {"p256dh": "p", "auth": "a"}}', :now)
    ->> 'environment',
  'production', 'a browser brings the keys of its subscription'
);
select throws_ok(
  $$ select api.put_device('{"platform": "ios", "token": "t-2", "keys": {"p256dh": "p", "auth": "a"}}', '2026-03-10T08:00Z') $$,
  'KT422', 'validation_failed', 'a phone has no such keys'
);
select is(
  (select string_agg(item ->> 'token', ' ') from json_array_elements(api.list_devices() -> 'items') as item),
  't-1 https://push.example/1', 'devices are listed, the last seen first'
);
select throws_ok($$ select auth_secret from kith.devices $$, '42501', null, 'the keys of a subscription are nobody''s to read');

select tests.as_user('acme', 'bob');
select throws_ok($$ select api.delete_device('t-1') $$, 'KT404', 'not_found', 'another''s device is not there');
select lives_ok($$ select api.put_device('{"platform": "ios", "token": "t-1"}', '2026-03-12T08:00Z') $$, 'a phone changes hands');
select is(api.list_devices() -> 'items' -> 0 ->> 'created_at', '2026-03-12T08:00:00.000000Z', 'for its new owner it is new');
select tests.as_user('acme', 'alice');
select is(
  (select string_agg(item ->> 'token', ' ') from json_array_elements(api.list_devices() -> 'items') as item),
  'https://push.example/1', 'and its former owner has it no longer'
);
select tests.as_user('globex', 'globex-alice');
select lives_ok(
  $$ select api.put_device('{"platform": "ios", "token": "t-1"}', '2026-03-12T08:00Z') $$, 'another tenant''s app has tokens of its own'
);
select tests.as_user('acme', 'bob');
select is(json_array_length(api.list_devices() -> 'items'), 1, 'which takes nothing from anybody');

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
  'of more than 20 the ones seen longest ago go'
);
select is(api.delete_device('many-9')::text, null, 'a device is forgotten');

select * from finish();
rollback;
