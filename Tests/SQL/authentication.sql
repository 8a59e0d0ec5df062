-- Keys and tokens: what a secret authenticates, and what is refused.
begin;
\ir people.sql
select plan(59);
\set now '''2026-03-10T08:00:00Z'''

insert into kith.api_keys (tenant_id, id, name, secret_hash, expires_at, revoked_at, created_at)
values
  (tests.tenant('acme'), '0000000a-0000-7000-8000-000000000001', 'good', sha256('good'), null, null, :now),
  (tests.tenant('acme'), '0000000a-0000-7000-8000-000000000002', 'ends', sha256('ends'), '2026-03-10T09:00:00Z', null, :now),
  (tests.tenant('acme'), '0000000a-0000-7000-8000-000000000003', 'revoked', sha256('revoked'), null, '2026-03-09T09:00:00Z', :now);

select tests.as_role('kith_api');
select is(
  api.authenticate_key(sha256('good'), :now, true)::jsonb,
  jsonb_build_object(
    'tenant_id', 2000000001, 'slug', 'acme', 'key_id', '0000000a-0000-7000-8000-000000000001', 'scopes', array['all'],
    'expires_at', null, 'status', 'active', 'wording', null
  ),
  'a key finds its tenant'
);
select is(api.authenticate_key(sha256('bad'), :now, true)::text, null, 'an unknown key finds no tenant');
select is(api.authenticate_key(sha256('revoked'), :now, true)::text, null, 'a revoked key finds no tenant');
select isnt(api.authenticate_key(sha256('ends'), '2026-03-10T08:59:59Z', true)::text, null, 'a key works until it expires');
select is(
  api.authenticate_key(sha256('ends'), '2026-03-10T08:59:59Z', true) ->> 'expires_at', extract(epoch from '2026-03-10T09:00:00Z'::timestamptz)::bigint || '000000',
  'it says when it expires, so that no server trusts it for longer'
);
select is(api.authenticate_key(sha256('ends'), '2026-03-10T09:00:00Z', true)::text, null, 'an expired key finds no tenant');

select tests.as_superuser();
select is(
  (select last_used_at from kith.api_keys where name = 'good')::timestamptz, :now::timestamptz,
  'the first use of a key is recorded'
);
select tests.as_role('kith_api');
select api.authenticate_key(sha256('good'), '2026-03-10T08:00:59Z', true) \g /dev/null
select tests.as_superuser();
select is(
  (select last_used_at from kith.api_keys where name = 'good')::timestamptz, :now::timestamptz,
  'another use within a minute writes nothing'
);
select tests.as_role('kith_api');
select isnt(api.authenticate_key(sha256('good'), '2026-03-10T08:01:00.5Z', false)::text, null, 'a page that brings itself up to date may read');
select tests.as_superuser();
select is(
  (select last_used_at from kith.api_keys where name = 'good')::timestamptz, :now::timestamptz, 'which is no use of the key: nobody may be there'
);
select tests.as_role('kith_api');
select api.authenticate_key(sha256('good'), '2026-03-10T08:01:01Z', true) \g /dev/null
select tests.as_superuser();
select is(
  (select last_used_at from kith.api_keys where name = 'good')::timestamptz, '2026-03-10T08:01:01Z'::timestamptz,
  'a use after a minute is recorded'
);

update kith.tenants set status = 'suspended' where slug = 'acme';
select is(api.authenticate_key(sha256('good'), :now, true) ->> 'status', 'suspended', 'a key of a suspended tenant reports the suspension');
update kith.tenants set status = 'active', deleted_at = :now where slug = 'acme';
select is(api.authenticate_key(sha256('good'), :now, true) ->> 'status', 'deleted', 'a key of a deleted tenant reports the deletion');
update kith.tenants set deleted_at = null where slug = 'acme';

select tests.as_server('acme');
select is(api.signing_key(:now)::text, null, 'a new tenant has no signing key');
select is(
  api.add_signing_key('0000000b-0000-7000-8000-000000000001', decode(repeat('ab', 60), 'hex'), :now)::jsonb,
  jsonb_build_object(
    'key_id', '0000000b-0000-7000-8000-000000000001', 'slug', 'acme', 'wrapped_secret', replace(encode(decode(repeat('ab', 60), 'hex'), 'base64'), e'\n', '')
  ),
  'a signing key is created and returned as base64 on one line'
);
select is(
  api.add_signing_key('0000000b-0000-7000-8000-000000000002', decode(repeat('cd', 60), 'hex'), :now) ->> 'key_id',
  '0000000b-0000-7000-8000-000000000001',
  'a concurrent second caller gets the first caller''s key'
);
select is(api.signing_key(:now) ->> 'key_id', '0000000b-0000-7000-8000-000000000001', 'the signing key is returned again');
select is(api.token_subject(tests.id('alice')) ->> 'user_id', tests.id('alice')::text, 'a token can be made for a user of the tenant');
select is(
  api.token_subject(tests.id('alice')) ->> 'tokens_valid_from', '1767600000000000', 'and is issued no earlier than the user''s tokens are valid'
);
select throws_ok(
  $$ select api.token_subject(tests.id('globex-alice')) $$, 'KT404', 'not_found',
  'no token can be made for a user of another tenant'
);
select tests.as_user('acme', 'mallory');
select throws_ok(
  $$ select api.token_subject(tests.id('alice')) $$, 'KT403', 'forbidden', 'a user cannot make tokens'
);
select throws_ok(
  $$ select api.signing_key('2026-03-10T08:00:00Z') $$, 'KT403', 'forbidden', 'a user cannot get the signing key'
);
select throws_ok(
  $$ select wrapped_secret from kith.jwt_keys $$, '42501', null, 'a user cannot read the keys'
);

select tests.as_role('kith_api');
select is(
  api.token_key('0000000b-0000-7000-8000-000000000001', 'kith', array['acme'], null)::jsonb - 'wrapped_secret',
  '{"key_id": "0000000b-0000-7000-8000-000000000001", "tenant_id": 2000000001, "slug": "acme", "status": "active", "algorithm": "HS256", "own": true, "issuer": "kith",
    "audience": "acme", "public_key": null}'::jsonb,
  'a token''s kid finds its key and tenant'
);
select is(
  api.token_key('0000000b-0000-7000-8000-000000000009', 'kith', array['acme'], null)::text, null, 'an unknown kid finds no key'
);
select is(
  api.token_key('0000000b-0000-7000-8000-000000000001', 'other', array['acme'], null)::text, null, 'a kid with another issuer finds no key'
);
select is(
  api.token_key('0000000b-0000-7000-8000-000000000001', 'kith', array['globex'], null)::text, null,
  'a kid with another audience finds no key'
);
select is(
  api.token_user(tests.tenant('acme'), tests.id('alice')::text, true, null, '2026-03-10T08:00Z')::jsonb,
  jsonb_build_object('user_id', tests.id('alice'), 'tokens_valid_from', 1767600000000000, 'notes_use', false, 'locale', 'en', 'wording', null),
  'the subject of Kith''s own token is a user''s id'
);
select is(
  api.token_user(tests.tenant('acme'), 'ext-alice', false, null, '2026-03-10T08:00Z') ->> 'user_id', tests.id('alice')::text,
  'the subject of a provider''s token is an external_id'
);
select is(api.token_user(tests.tenant('acme'), 'ext-alice', true, null, '2026-03-10T08:00Z')::text, null, 'the subject of Kith''s own token is not an external_id');
select is(
  api.token_user(tests.tenant('acme'), tests.id('globex-alice')::text, true, null, '2026-03-10T08:00Z')::text, null,
  'a token for a user of another tenant is refused'
);
select is(
  api.token_user(tests.tenant('acme'), 'ext-alice', false, null, '2026-03-10T08:00Z') ->> 'tokens_valid_from', null,
  'a provider''s token may be older than the account'
);
select is(
  api.token_user(tests.tenant('acme'), tests.id('alice')::text, true, gen_random_uuid()::text, '2026-03-10T08:00Z')::text, null,
  'a token of an unknown sign-in is refused'
);
select is(
  api.token_user(tests.tenant('acme'), tests.id('alice')::text, true, 'x', '2026-03-10T08:00Z')::text, null, 'a token whose sign-in is not a UUID is refused without an error'
);

-- Keys of identity providers.
select tests.as_server('acme');
create temporary table added as
select api.add_jwt_keys(
  jsonb_build_array(
    jsonb_build_object('id', '0000000c-0000-7000-8000-000000000001', 'kid', 'k-1', 'algorithm', 'ES256', 'issuer', 'https://id.example',
      'audience', 'app', 'public_key', 'PEM 1'),
    jsonb_build_object('id', '0000000c-0000-7000-8000-000000000002', 'kid', 'k-2', 'algorithm', 'HS256', 'issuer', 'https://id.example',
      'audience', 'app', 'wrapped_secret', '\xabcd')
  ), :now
) as answer;
select is(
  (select answer -> 'items' -> 0 from added)::jsonb - 'created_at',
  '{"id": "0000000c-0000-7000-8000-000000000001", "kid": "k-1", "algorithm": "ES256", "issuer": "https://id.example", "audience": "app",
    "public_key": "PEM 1"}'::jsonb,
  'a provider''s keys are added'
);
select is((select answer -> 'items' -> 1 ->> 'public_key' from added), null, 'a shared secret is not shown');
select is(
  api.add_jwt_keys(
    '[{"id": "0000000c-0000-7000-8000-000000000003", "kid": "k-1", "algorithm": "ES256", "issuer": "https://id.example",
      "audience": "app", "public_key": "PEM 1"}]', '2026-03-10T09:00:00Z'
  ) -> 'items' -> 0 ->> 'id',
  '0000000c-0000-7000-8000-000000000001', 'adding the same key again returns it unchanged'
);
select api.add_jwt_keys(
  '[{"id": "0000000c-0000-7000-8000-000000000005", "kid": "k-1", "algorithm": "ES256", "issuer": "https://id.example", "audience": "app",
    "public_key": "PEM 1"}]', :now
) \g /dev/null
select tests.as_superuser();
select is(
  (select count(*) from kith.audit where action = 'jwt_key.create' and detail ->> 'kid' = 'k-1'), 1::bigint,
  'a key that is added again at the same instant is audited once'
);
select tests.as_server('acme');
select throws_ok(
  $$ select api.add_jwt_keys(
    '[{"id": "0000000c-0000-7000-8000-000000000004", "kid": "k-1", "algorithm": "ES256", "issuer": "https://id.example",
      "audience": "app", "public_key": "PEM 2"}]', '2026-03-10T09:00:00Z') $$,
  'KT409', 'conflict', 'a kid identifies only one key of an issuer'
);
select tests.as_server('globex');
prepare globex_takes as select api.add_jwt_keys(
  '[{"id": "0000000d-0000-7000-8000-000000000001", "kid": "k-9", "algorithm": "ES256", "issuer": "https://id.example", "audience": "app",
    "public_key": "PEM of globex"}]', '2026-03-10T10:00:00Z'
);
select throws_ok(
  'execute globex_takes', 'KT409',
  'conflict', 'another tenant cannot claim the same issuer and audience, whatever the kid'
);
select throws_ok(
  $$ select api.add_jwt_keys(
    '[{"id": "0000000d-0000-7000-8000-000000000002", "kid": "k-1", "algorithm": "ES256", "issuer": "https://id.example",
      "audience": "userinfo", "public_key": "PEM 1"}]', '2026-03-10T10:00:00Z') $$,
  'KT409', 'conflict', 'another tenant cannot claim another audience either, because a token for both would be ambiguous'
);
select lives_ok(
  $$ select api.add_jwt_keys(
    '[{"id": "0000000d-0000-7000-8000-000000000004", "kid": "g-1", "algorithm": "RS256", "issuer": "https://accounts.google.com",
      "audience": "app of globex", "public_key": "PEM of Google"}]', '2026-03-10T10:00:00Z') $$,
  'several tenants may register a shared issuer'
);
select tests.as_server('acme');
select lives_ok(
  $$ select api.add_jwt_keys(
    '[{"id": "0000000c-0000-7000-8000-000000000014", "kid": "g-1", "algorithm": "RS256", "issuer": "https://accounts.google.com",
      "audience": "app of acme", "public_key": "PEM of Google"}]', '2026-03-10T10:00:00Z') $$,
  'each tenant registers a shared issuer for its own audience'
);
select throws_ok(
  $$ select api.add_jwt_keys(
    '[{"id": "0000000c-0000-7000-8000-000000000015", "kid": "g-1", "algorithm": "RS256", "issuer": "https://accounts.google.com",
      "audience": "app of globex", "public_key": "PEM of Google"}]', '2026-03-10T10:00:00Z') $$,
  'KT409', 'conflict', 'an audience of a shared issuer belongs to one tenant'
);
select tests.as_role('kith_api');
select is(
  api.token_key('g-1', 'https://accounts.google.com', array['app of acme'], null) ->> 'slug', 'acme', 'a token for one audience of a shared issuer belongs to its tenant'
);
select is(
  api.token_key('g-1', 'https://accounts.google.com', array['app of acme', 'anything'], null)::text, null,
  'a shared issuer''s token for several audiences is refused, so that registering an audience gains no tokens'
);
select is(
  api.token_key('g-1', 'https://accounts.google.com', array['app of acme', 'anything'], 'acme') ->> 'slug', 'acme', 'a token for several audiences is accepted if the client names the tenant'
);
-- A state that was possible before issuers were unique to a tenant.
select tests.as_superuser();
insert into kith.jwt_keys (tenant_id, id, kid, algorithm, own, issuer, audience, public_key, created_at)
values (
  tests.tenant('globex'), '0000000d-0000-7000-8000-000000000003', 'k-1', 'ES256', false, 'https://id.example', 'app', 'PEM of globex',
  '2026-03-10T10:00:00Z'
);
select tests.as_server('globex');
select throws_ok(
  $$ select api.revoke_jwt_key('0000000c-0000-7000-8000-000000000001', '2026-03-10T10:00:00Z') $$, 'KT404', 'not_found',
  'another tenant''s key is not found'
);
select tests.as_role('kith_api');
select is(
  api.token_key('k-1', 'https://id.example', array['other', 'app'], null) ->> 'slug', 'acme',
  'a key that two tenants have belongs to the first, whatever the second registers'
);
select is(
  api.token_key('k-1', 'https://id.example', array['app'], 'globex') ->> 'public_key', 'PEM of globex', 'a key that two tenants have belongs to the tenant that the client names'
);
select tests.as_superuser();
insert into kith.jwt_keys (tenant_id, id, kid, algorithm, own, issuer, audience, public_key, created_at)
values (
  tests.tenant('globex'), '0000000d-0000-7000-8000-000000000005', 'k-1', 'ES256', false, 'https://id.example', 'userinfo', 'PEM 1',
  '2026-03-10T10:00:00Z'
);
insert into kith.jwt_issuers (tenant_id, issuer, audience, claimed_at)
values (tests.tenant('globex'), 'https://id.example', 'userinfo', '2026-03-10T10:00:00Z');
select tests.as_role('kith_api');
select is(
  api.token_key('k-1', 'https://id.example', array['userinfo', 'app'], null) ->> 'slug', 'acme',
  'a token for several audiences also belongs to the first, even if the second registered one of them'
);
select tests.as_server('globex');
select lives_ok(
  $$ select api.add_jwt_keys(
    '[{"id": "0000000d-0000-7000-8000-000000000006", "kid": "k-2", "algorithm": "ES256", "issuer": "https://id.example",
      "audience": "userinfo", "public_key": "PEM 2"}]', '2026-03-10T10:00:00Z') $$,
  'the second tenant may still renew its keys'
);
select tests.as_server('acme');
select api.revoke_jwt_key('0000000c-0000-7000-8000-000000000001', '2026-03-10T10:00:00Z') \g /dev/null
select is(
  (select string_agg(item ->> 'kid', ' ') from json_array_elements(api.list_jwt_keys() -> 'items') as item), 'k-2 g-1',
  'the list leaves out revoked keys and Kith''s own'
);
select tests.as_server('globex');
select throws_ok('execute globex_takes', 'KT409', 'conflict', 'an issuer belongs to its tenant as long as one key is left');
select tests.as_server('acme');
select api.revoke_jwt_key('0000000c-0000-7000-8000-000000000002', '2026-03-10T10:00:00Z') \g /dev/null
select tests.as_server('globex');
select lives_ok('execute globex_takes', 'an issuer is free after its last key is revoked');
select tests.as_role('kith_api');
select is(
  api.token_key('k-1', 'https://id.example', array['app'], null) ->> 'slug', 'globex', 'a revoked key is not found'
);

select tests.as_superuser();
update kith.users set deleted_at = :now where id = tests.id('alice');
select is(api.token_user(tests.tenant('acme'), tests.id('alice')::text, true, null, '2026-03-10T08:00Z')::text, null, 'a deleted user''s token is refused');
select is(
  (select string_agg(actor || ' ' || action, ', ' order by action) from kith.audit where tenant_id = tests.tenant('acme')),
  'key:acme jwt_key.create, key:acme jwt_key.create, key:acme jwt_key.create, key:acme jwt_key.create, key:acme jwt_key.revoke, key:acme jwt_key.revoke',
  'changes of keys are audited'
);

update kith.tenants set default_locale = 'de', texts_changed_at = '2026-03-10T08:00:00Z' where tenant_id = tests.tenant('acme');
select is(
  api.find_tenant('acme') ->> 'wording', '{"tenant_id" : 2000000001, "default_locale" : "de", "texts_changed_at" : 1773129600000000}',
  'a server learns in which language and words the tenant speaks'
);
select * from finish();
rollback;
