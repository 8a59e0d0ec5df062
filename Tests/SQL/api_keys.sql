-- Keys of a tenant's server: made, listed and ended by the server itself, and by an operator.
begin;
\ir people.sql
select plan(41);
\set now '''2026-03-10T08:00:00Z'''

insert into kith.api_keys (tenant_id, id, name, secret_hash, scopes, created_at)
values
  (tests.tenant('acme'), '0000000a-0000-7000-8000-000000000001', 'first', sha256('first'), '{all}', :now),
  (tests.tenant('acme'), '0000000a-0000-7000-8000-000000000002', 'limited', sha256('limited'), '{users,settings}', :now),
  (tests.tenant('globex'), '0000000a-0000-7000-8000-000000000003', 'other', sha256('other'), '{all}', :now);

-- A request with a key, as the server makes it.
create function tests.as_key(p_tenant text, p_key uuid) returns void
  language plpgsql
as $$
begin
  perform tests.as_server(p_tenant);
  perform set_config('kith.actor', 'key:' || p_key, true);
end
$$;
\set first '''0000000a-0000-7000-8000-000000000001'''

select tests.as_key('acme', :first);
create temporary table made as
select api.create_api_key('{"name": "billing", "scopes": ["users", "read", "users"], "expires_at": "2026-04-01T00:00:00Z"}', :now) as body;
select body ->> 'id' as billing from made \gset
select is(
  (select body::jsonb - array['id', 'secret_key'] from made),
  '{"name": "billing", "scopes": ["read", "users"], "expires_at": "2026-04-01T00:00:00.000000Z", "is_live": true, "last_used_at": null,
    "created_at": "2026-03-10T08:00:00.000000Z"}'::jsonb,
  'a key is made with a name, scopes and an end'
);
select matches((select body ->> 'secret_key' from made), '^kith_sk_[0-9]+_[0-9a-f]{64}$', 'the answer has the secret');
select is(
  api.authenticate_key(sha256(convert_to((select body ->> 'secret_key' from made), 'UTF8')), :now, true)::jsonb - array['tenant_id', 'key_id'],
  '{"slug": "acme", "scopes": ["read", "users"], "expires_at": 1775001600000000, "status": "active", "wording": null}'::jsonb, 'the key authenticates with its scopes and its end'
);
select is(
  api.authenticate_key(sha256(convert_to((select body ->> 'secret_key' from made), 'UTF8')), '2026-04-01T00:00:00Z', true)::text, null,
  'the key ends at its end'
);
select is(
  (select string_agg(item ->> 'name', ' ' order by n)
    from json_array_elements(api.list_api_keys(:now) -> 'items') with ordinality as items (item, n)),
  'first limited billing', 'the list has the tenant''s keys, oldest first'
);
select is((select api.list_api_keys(:now)::text ~ 'kith_sk|secret'), false, 'the list has no secrets');
select is(
  (select item ->> 'last_used_at' from json_array_elements(api.list_api_keys(:now) -> 'items') as item where item ->> 'name' = 'billing'),
  '2026-03-10T08:00:00.000000Z', 'the list says when a key was last used'
);
select is(
  (select item ->> 'is_live' from json_array_elements(api.list_api_keys('2026-04-02T00:00Z') -> 'items') as item where item ->> 'name' = 'billing'),
  'false', 'an expired key is listed as such'
);
select is(
  api.create_api_key('{"name": "for ever", "scopes": ["all"]}', '2026-03-10T08:01Z') ->> 'expires_at', null, 'a key without an end never expires'
);

prepare create_key as select api.create_api_key($1, '2026-03-10T08:00:00Z');
select throws_ok(format('execute create_key(%L)', body), 'KT422', 'validation_failed', 'a key cannot have ' || what)
from (values
  ('{"name": "x", "scopes": []}', 'no scope'), ('{"name": "x", "scopes": ["root"]}', 'an unknown scope'),
  ('{"name": "x", "scopes": [null]}', 'a scope that is null'), ('{"name": "", "scopes": ["all"]}', 'an empty name'),
  ('{"scopes": ["all"]}', 'no name'), ('{"name": "\u202ex", "scopes": ["all"]}', 'a name that turns the text around'),
  ('{"name": "x", "scopes": ["all"], "expires_at": "2026-03-10T08:00:00Z"}', 'an end that is not ahead'),
  ('{"name": "x", "scopes": ["all"], "expires_at": "2036-03-11T08:00:00Z"}', 'an end in more than ten years')
) as bodies (body, what);

select throws_ok(
  format($$ select api.delete_api_key(%L, '2026-03-10T08:02:00Z') $$, :first), 'KT409', 'conflict', 'a key cannot end itself'
);
select is(api.delete_api_key(:'billing', '2026-03-10T08:02:00Z')::text, null, 'a key ends another');
select is(
  api.authenticate_key(sha256(convert_to((select body ->> 'secret_key' from made), 'UTF8')), '2026-03-10T08:02:01Z', true)::text, null,
  'an ended key authenticates nobody'
);
select is(api.list_api_keys('2026-03-10T08:02:00Z')::text ~ 'billing', false, 'an ended key is not listed');
select throws_ok(
  format($$ select api.delete_api_key(%L, '2026-03-10T08:03:00Z') $$, :'billing'), 'KT404', 'not_found', 'a key ends once'
);
select throws_ok(
  $$ select api.delete_api_key('0000000a-0000-7000-8000-000000000003', '2026-03-10T08:03:00Z') $$, 'KT404', 'not_found',
  'another tenant''s key is not found'
);

select tests.as_key('acme', '0000000a-0000-7000-8000-000000000002');
select throws_ok($$ execute create_key('{"name": "x", "scopes": ["all"]}') $$, 'KT403', 'forbidden', 'a limited key makes no key');
select throws_ok($$ select api.list_api_keys('2026-03-10T08:00Z') $$, 'KT403', 'forbidden', 'a limited key lists no keys');
select throws_ok(
  format($$ select api.delete_api_key(%L, '2026-03-10T08:03:00Z') $$, :first), 'KT403', 'forbidden', 'a limited key ends no key'
);
select tests.as_key('acme', :'billing');
select throws_ok($$ execute create_key('{"name": "x", "scopes": ["all"]}') $$, 'KT401', 'unauthenticated', 'an ended key makes no key, even within the minute in which it is trusted');
select tests.as_key('acme', '0000000a-0000-7000-8000-000000000003');
select throws_ok($$ execute create_key('{"name": "x", "scopes": ["all"]}') $$, 'KT401', 'unauthenticated', 'another tenant''s key makes no key');
select tests.as_user('acme', 'mallory');
select throws_ok($$ execute create_key('{"name": "x", "scopes": ["all"]}') $$, 'KT403', 'forbidden', 'a user makes no key');
select throws_ok($$ select api.list_api_keys('2026-03-10T08:00Z') $$, 'KT403', 'forbidden', 'a user lists no keys');

-- Bounds.
select tests.as_superuser();
insert into kith.api_keys (tenant_id, id, name, secret_hash, scopes, created_at)
select tests.tenant('acme'), gen_random_uuid(), 'key ' || n, sha256(n::text::bytea), '{read}', :now from generate_series(1, 46) as n;
select tests.as_key('acme', :first);
select lives_ok($$ execute create_key('{"name": "the last", "scopes": ["read"]}') $$, 'a tenant can have 50 live keys');
select throws_ok($$ execute create_key('{"name": "too many", "scopes": ["read"]}') $$, 'KT507', 'quota_exceeded', 'a tenant cannot have more');
select tests.as_superuser();
update kith.api_keys set revoked_at = '2026-03-10T08:05:00Z' where name like 'key %';
insert into kith.api_keys (tenant_id, id, name, secret_hash, scopes, revoked_at, created_at)
select tests.tenant('acme'), gen_random_uuid(), 'old ' || n, sha256(('old' || n)::bytea), '{read}', '2026-03-01T08:00Z', :now from generate_series(1, 46) as n;
select tests.as_key('acme', :first);
select api.create_api_key('{"name": "one more", "scopes": ["tokens"]}', '2026-03-10T08:06:00Z') ->> 'id' as tokens \gset
select tests.as_superuser();
select is(
  (select count(*) || ' ' || count(*) filter (where name like 'key %') from kith.api_keys where tenant_id = tests.tenant('acme') and revoked_at is not null),
  '50 46', 'of the ended keys, the last 50 are kept'
);
select is(
  (select string_agg(format('%s %s %s', actor, action, detail), '; ' order by id) from kith.audit where subject = :'billing'),
  'key:0000000a-0000-7000-8000-000000000001 api_key.create {"name": "billing", "scopes": ["read", "users"], "expires_at": "2026-04-01T00:00:00.000000Z"}; '
    || 'key:0000000a-0000-7000-8000-000000000001 api_key.end {"name": "billing"}',
  'the audit has the making and the end of a key, and what it could do'
);

-- An operator.
set local role kith_admin;
create temporary table rotated as select * from admin.rotate_api_key('acme', '0', '2026-03-10T09:00:00Z');
create temporary table operated as
select * from admin.create_api_key('acme', 'reports', '{read}', '2026-12-31T00:00Z', '2026-03-10T09:00:00Z');
select is((select format('%s %s %s', name, scopes, expires_at) from operated), 'reports {read} 2026-12-31 00:00:00+00', 'an operator makes a key');
select tests.as_superuser();
select is(
  (
    select array_agg((internal.event_json(event.type, event.subject_id, null, null, '2026-03-10T09:00:30Z')::jsonb -> 'scopes')::text order by event.type, (internal.event_json(event.type, event.subject_id, null, null, '2026-03-10T09:00:30Z')::jsonb -> 'scopes')::text)
    from kith.events as event
    cross join lateral (
      select set_config('kith.tenant_id', event.tenant_id::text, true), set_config('kith.user_id', event.user_id::text, true)
    ) as rendered_for
    where event.type = 'api_key' and event.tenant_id = tests.tenant('acme')
  ),
  array['["all"]', '["read"]'], 'the tenant''s webhooks are told of both'
);
select is(
  (
    select internal.event_json('api_key', (select id from operated), null, null, '2026-03-10T09:00:30Z')::jsonb
    from (select set_config('kith.tenant_id', tests.tenant('acme')::text, true), set_config('kith.user_id', tests.id('mallory')::text, true)) as rendered_for
  ) ->> 'status', 'deleted', 'and no user is'
);
select tests.as_superuser();
set local role kith_admin;
select lives_ok(
  $$ select admin.end_api_key('acme', id, 'leaked', '2026-03-10T09:01:00Z') from operated $$, 'an operator ends a key'
);
select throws_ok(
  $$ select admin.end_api_key('acme', id, 'leaked', '2026-03-10T09:02:00Z') from operated $$, 'KT404', 'not_found', 'an operator ends a key once'
);
select is((select state from admin.api_keys where name = 'reports'), 'ended', 'an operator sees which keys have ended');
select is(
  (select string_agg(format('%s %s', name, expires_at), ', ' order by name) from admin.api_keys where tenant = 'acme' and name in ('first', 'limited')),
  'first 2026-03-10 09:00:00+00, limited ', 'a rotation ends the keys with the scope all, and no others'
);

select * from finish();
rollback;
