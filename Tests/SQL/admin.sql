-- The operator's door: the same rules, every act audited under the person's own login.
begin;
\ir people.sql
select plan(66);

create role oscar login;
grant kith_admin to oscar;
-- What people were told, which is not for operators to read.
create function tests.told() returns setof kith.notifications
  language sql
  security definer
as $$ select * from kith.notifications $$;

set local session authorization oscar;

create temporary table made as select * from admin.create_tenant('initech', 'Initech', '2026-03-10T08:00:00Z');
select is((select slug from made), 'initech', 'an operator makes a tenant');
select matches((select secret_key from made), '^kith_sk_[0-9a-f]{64}$', 'and is told its key');
select throws_ok($$ select admin.create_tenant('initech', 'Again') $$, 'KT409', 'conflict', 'a slug is one tenant''s only');
select throws_ok($$ select admin.create_tenant('No Slug', 'X') $$, '23514', null, 'a slug is a label of a host''s name');
create temporary table rotated as select * from admin.rotate_api_key('initech', p_now => '2026-03-10T09:00:00Z');
select isnt((select secret_key from rotated), (select secret_key from made), 'an operator makes a new key');
select throws_ok($$ select admin.rotate_api_key('nobody') $$, 'KT404', 'not_found', 'there must be such a tenant');
select is(
  admin.set_tenant('acme', '{"requires_consent": true, "user_quota": 10}', '2026-03-10T08:00:00Z') ->> 'user_quota', '10',
  'an operator sets quotas too'
);
select throws_ok($$ select admin.set_tenant('acme', '{"user_quota": 0}') $$, 'KT422', 'validation_failed', 'within bounds');
select throws_ok($$ select admin.set_tenant('acme', '{"slug": "x"}') $$, 'KT422', 'validation_failed', 'a slug never changes');
select lives_ok($$ select admin.set_tenant('acme', '{"requires_consent": false}', '2026-03-10T08:00:30Z') $$, 'a setting can be taken back');
select lives_ok($$ select admin.suspend_tenant('acme', 'unpaid', '2026-03-10T08:00:00Z') $$, 'an operator suspends a tenant');
select throws_ok($$ select admin.suspend_tenant('acme', 'unpaid') $$, 'KT409', 'invalid_transition', 'once');
select is((select status from admin.tenants where slug = 'acme'), 'suspended', 'and sees that');
select lives_ok($$ select admin.resume_tenant('acme', '2026-03-10T08:00:00Z') $$, 'and ends it');
select throws_ok($$ select admin.resume_tenant('acme') $$, 'KT409', 'invalid_transition', 'once as well');

select lives_ok(
  $$ select admin.soft_delete_connection('acme', tests.id('alice-bob'), 'asked by mail', '2026-03-10T08:01:00Z') $$,
  'an operator removes a connection'
);
select throws_ok(
  $$ select admin.soft_delete_connection('acme', tests.id('alice-bob'), 'again', '2026-03-10T08:02:00Z') $$, 'KT404', 'not_found', 'once'
);
select throws_ok(
  $$ select admin.soft_delete_connection('acme', tests.id('globex-alice-bob'), 'x', '2026-03-10T08:02:00Z') $$, 'KT404', 'not_found',
  'within the tenant named'
);
select is(
  (select deleted_by from kith.connections where id = tests.id('alice-bob')), 'operator:oscar', 'the row says who did it'
);
select results_eq(
  $$ select user_id, body from tests.told() where type = 'connection_removed' order by user_id $$,
  $$
    values (tests.id('bob'), 'This connection was removed by support'), (tests.id('alice'), 'This connection was removed by support')
    order by 1
  $$,
  'both sides are told that support did it'
);
select lives_ok(
  $$ select admin.reactivate_connection('acme', tests.id('alice-bob'), 'a mistake', '2026-03-10T08:03:00Z') $$,
  'an operator brings a connection back'
);
select is((select status from kith.connections where id = tests.id('alice-bob')), 'active', 'it is active again');
select is((select status from kith.pings where connection_id = tests.id('alice-bob')), 'scheduled', 'with today''s ping');
select is(
  (select user_id || ' ' || body from tests.told() where type = 'connection_request'),
  tests.id('bob') || ' Alice is now sending you pings', 'and its code''s owner is told, as when connecting'
);
select throws_ok(
  $$ select admin.reactivate_connection('acme', tests.id('alice-bob'), 'again') $$, 'KT409', 'invalid_transition',
  'what is not removed cannot be brought back'
);
select throws_ok($$ select admin.reactivate_connection('acme', gen_random_uuid(), 'x') $$, 'KT404', 'not_found', 'nor what is not there');

select lives_ok($$ select * from admin.generate_daily_pings('2026-03-10T08:04:00Z') $$, 'an operator generates pings when the worker is down');

select is(current_setting('kith.tenant_id'), '', 'an operator''s transaction is left in no tenant');
select lives_ok($$ select * from admin.tenants $$, 'tenants can be looked at');
select lives_ok($$ select * from admin.ping_runs $$, 'runs can be looked at');
select lives_ok($$ select * from admin.notification_backlog $$, 'the backlog can be looked at');
select lives_ok($$ select * from admin.ping_gaps $$, 'gaps can be looked at');
select lives_ok($$ select * from admin.outages $$, 'outages can be looked at');
select is(
  (select codes || ' ' || percent_used || ' ' || warning from admin.code_space where tenant = 'acme'), '5 0.00 false', 'the space of codes can be looked at'
);
select is(
  (select users || ' ' || live_connections from admin.tenants where slug = 'initech'), '0 0', 'a new tenant is empty'
);
select is((select count(distinct tenant_id) from kith.users), 2::bigint, 'an operator reads every tenant');
select throws_ok($$ select secret_hash from kith.api_keys $$, '42501', null, 'but no hash of a secret');
select throws_ok($$ select wrapped_secret from kith.jwt_keys $$, '42501', null, 'and no wrapped secret');
select throws_ok($$ update kith.users set display_name = 'X' $$, '42501', null, 'an operator changes nothing past the procedures');
select throws_ok($$ delete from kith.audit $$, '42501', null, 'nor the audit');
select throws_ok($$ select internal.new_api_key(1, 'x', now()) $$, '42501', null, 'nor through the helpers');
select throws_ok($$ select api.get_me() $$, '42501', null, 'nor as somebody''s server');

-- Somebody else's word is not taken for the operator's name.
set local kith.actor = 'kith';
select admin.suspend_tenant('acme', 'test', '2026-03-10T08:05:00Z') \g /dev/null
reset session authorization;
select results_eq(
  $$
    select actor, action, detail - 'old_keys_end_at' from kith.audit
    where action <> 'pings.generate' order by id
  $$,
  $$
    values
      ('operator:oscar', 'tenant.create', '{}'::jsonb),
      ('operator:oscar', 'api_key.rotate', '{}'),
      ('operator:oscar', 'tenant.update', '{"user_quota": 10, "requires_consent": true}'),
      ('operator:oscar', 'tenant.update', '{"requires_consent": false}'),
      ('operator:oscar', 'tenant.suspend', '{"reason": "unpaid"}'),
      ('operator:oscar', 'tenant.resume', '{}'),
      ('operator:oscar', 'connection.remove', '{"reason": "asked by mail"}'),
      ('operator:oscar', 'connection.reactivate', '{"reason": "a mistake"}'),
      ('operator:oscar', 'tenant.suspend', '{"reason": "test"}')
  $$,
  'every act is in the audit, under the operator''s own login'
);
select is_empty(
  $$ select action, at from kith.audit where at < now() or at > clock_timestamp() or id < internal.first_uuid7(now()) $$,
  'and under the database''s own clock, whatever instant an act was given'
);
select is(
  api.authenticate_key(sha256(convert_to((select secret_key from made), 'UTF8')), '2026-03-11T08:59:59Z') ->> 'slug', 'initech',
  'a rotated key works for 24 hours more'
);
select is(
  api.authenticate_key(sha256(convert_to((select secret_key from made), 'UTF8')), '2026-03-11T09:00:00Z')::text, null, 'and then no more'
);
select is(
  api.authenticate_key(sha256(convert_to((select secret_key from rotated), 'UTF8')), '2027-03-11T09:00:00Z') ->> 'slug', 'initech',
  'the new one goes on'
);
select is(
  (select count(*) from kith.api_keys where name = 'first' and expires_at = '2026-03-11T09:00:00Z'), 1::bigint, 'keys are never lengthened'
);

-- Reactivating follows the rules of connecting.
select admin.resume_tenant('acme', '2026-03-10T08:06:00Z') \g /dev/null
select admin.soft_delete_connection('acme', tests.id('alice-bob'), 'x', '2026-03-10T08:07:00Z') \g /dev/null
update kith.receiver_profiles set subscription_status = 'expired' where user_id = tests.id('bob');
select throws_ok(
  $$ select admin.reactivate_connection('acme', tests.id('alice-bob'), 'x', '2026-03-10T08:08:00Z') $$, 'KT402', 'subscription_inactive',
  'an operator cannot connect a receiver whose subscription has ended'
);
update kith.receiver_profiles set subscription_status = 'trial' where user_id = tests.id('bob');
update kith.users set deleted_at = '2026-03-10T08:08:00Z' where id = tests.id('bob');
select throws_ok(
  $$ select admin.reactivate_connection('acme', tests.id('alice-bob'), 'x', '2026-03-10T08:08:00Z') $$, 'KT409', 'invalid_transition',
  'nor somebody who has deleted their account'
);

-- What two tenants can quarrel about is the operator's to settle.
select tests.as_server('globex');
select api.add_jwt_keys(
  '[{"id": "0000000d-0000-7000-8000-000000000001", "kid": "k", "algorithm": "ES256", "issuer": "https://id.acme.example",
    "audience": "app", "public_key": "PEM"}]', '2026-03-10T10:00:00Z'
) \g /dev/null
select tests.as_superuser();
set local session authorization oscar;
select is(
  admin.set_tenant('acme', '{"universal_link_host": "join.acme.example"}', '2026-03-10T10:00:00Z') ->> 'universal_link_host',
  'join.acme.example', 'an operator says whose a host is'
);
select throws_ok(
  $$ select admin.set_tenant('globex', '{"universal_link_host": "join.acme.example"}') $$, 'KT422', 'validation_failed', 'of one tenant only'
);
select is(
  admin.revoke_jwt_keys('globex', 'https://id.acme.example', 'app', 'are acme''s', '2026-03-10T10:00:00Z'), 1,
  'an operator takes keys from a tenant whose they are not'
);
select throws_ok(
  $$ select admin.revoke_jwt_keys('globex', 'https://id.acme.example', 'app', 'again') $$, 'KT404', 'not_found', 'once'
);
reset session authorization;
select is(
  (select actor || ' ' || detail from kith.audit where action = 'jwt_keys.revoke'),
  'operator:oscar {"issuer": "https://id.acme.example", "reason": "are acme''s", "audience": "app"}', 'which is audited'
);
select tests.as_server('acme');
select lives_ok($$ select api.add_jwt_keys(
  '[{"id": "0000000d-0000-7000-8000-000000000002", "kid": "k", "algorithm": "ES256", "issuer": "https://id.acme.example",
    "audience": "app", "public_key": "PEM"}]', '2026-03-10T10:01:00Z') $$, 'then the other one can register its own');
select tests.as_superuser();
set local session authorization oscar;
select lives_ok(
  $$ select admin.share_issuer('https://id.acme.example', 'serves everybody', '2026-03-10T10:02:00Z') $$, 'an operator lets everybody have an issuer'
);
select throws_ok($$ select admin.share_issuer('https://id.acme.example', 'again') $$, 'KT409', 'invalid_transition', 'once');
reset session authorization;
select tests.as_server('globex');
select lives_ok($$ select api.add_jwt_keys(
  '[{"id": "0000000d-0000-7000-8000-000000000003", "kid": "k", "algorithm": "ES256", "issuer": "https://id.acme.example",
    "audience": "app of globex", "public_key": "PEM"}]', '2026-03-10T10:03:00Z') $$, 'then another one can register keys of it too');
select tests.as_superuser();
set local session authorization oscar;
select throws_ok(
  $$ select admin.unshare_issuer('https://id.acme.example', 'is acme''s') $$, 'KT409', 'conflict', 'which must go before it is one tenant''s again'
);
select is(
  admin.revoke_jwt_keys('globex', 'https://id.acme.example', null, 'are acme''s', '2026-03-10T10:04:00Z'), 1, 'for whatever audience they are'
);
select admin.unshare_issuer('https://id.acme.example', 'is acme''s', '2026-03-10T10:05:00Z') \g /dev/null
reset session authorization;
select is(
  (select array_agg(tenant_id) from kith.jwt_issuers where issuer = 'https://id.acme.example' and audience = ''),
  array[tests.tenant('acme')], 'and then it is'
);
select tests.as_superuser();

-- On a database that people depend on an operator's acts happen now.
select tests.as_superuser();
reset session authorization;
drop table internal.development;
set local session authorization oscar;
select throws_ok(
  $$ select admin.soft_delete_vault('acme', gen_random_uuid(), 'x', now() - interval '31 days') $$, 'KT400', 'invalid_request',
  'nothing was deleted long ago'
);
select throws_ok($$ select * from admin.generate_daily_pings(now() + interval '2 minutes') $$, 'KT400', 'invalid_request', 'and no day begins early');
select throws_ok($$ select admin.soft_delete_vault('acme', gen_random_uuid(), 'x') $$, 'KT404', 'not_found', 'now is a time');
select throws_ok($$ select pg_catalog.pg_try_advisory_lock(1) $$, '42501', null, 'no operator takes the locks for which the worker steps aside');
reset session authorization;

select * from finish();
rollback;
