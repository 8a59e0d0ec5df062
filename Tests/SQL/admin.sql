-- The operator's interface: the same rules as the API, and every act is audited under the operator's own login.
begin;
\ir people.sql
select plan(70);

create role oscar login;
grant kith_admin to oscar;
-- The texts of notifications, which operators may not read.
create function tests.told() returns setof tests.notifications
  language sql
  security definer
as $$ select * from tests.notifications $$;
-- Why settings of acme are refused.
create function tests.refused(p_settings jsonb) returns jsonb
  language plpgsql
as $$
declare
  v_detail text;
begin
  perform admin.set_tenant('acme', p_settings);
  return null;
exception when sqlstate 'KT422' then
  get stacked diagnostics v_detail = pg_exception_detail;
  return (select jsonb_object_agg(error ->> 'field', error ->> 'message') from jsonb_array_elements(v_detail::jsonb) as error);
end
$$;

set local session authorization oscar;

create temporary table made as select * from admin.create_tenant('initech', 'Initech', '2026-03-10T08:00:00Z');
select is((select slug from made), 'initech', 'an operator creates a tenant');
select matches((select secret_key from made), '^kith_sk_[0-9]+_[0-9a-f]{64}$', 'creating a tenant returns its secret key');
select throws_ok($$ select admin.create_tenant('initech', 'Again') $$, 'KT409', 'conflict', 'a slug belongs to only one tenant');
select throws_ok($$ select admin.create_tenant('No Slug', 'X') $$, '23514', null, 'a slug must be a DNS label');
create temporary table rotated as select * from admin.rotate_api_key('initech', p_now => '2026-03-10T09:00:00Z');
select isnt((select secret_key from rotated), (select secret_key from made), 'rotating returns a new key');
select is((select old_keys_end_at from rotated), '2026-03-11T09:00Z'::timestamptz, 'and says when the old one ends');
select throws_ok($$ select admin.rotate_api_key('nobody') $$, 'KT404', 'not_found', 'rotating requires an existing tenant');
select is(
  admin.set_tenant('acme', '{"requires_consent": true, "user_quota": 10}', '2026-03-10T08:00:00Z') ->> 'user_quota', '10',
  'an operator sets quotas'
);
select throws_ok($$ select admin.set_tenant('acme', '{"user_quota": 0}') $$, 'KT422', 'validation_failed', 'a quota must be within its bounds');
select is(
  tests.refused(
    '{"grace_minutes": "soon", "invitation_days": 7.5, "user_quota": 99999999999, "sms_enabled": 1, "name": ["x"], "app_ids": "x", "allowed_origins": [1],
      "retention_days": "60", "requires_consent": "true", "brand_name": 7, "app_link": null}'
  ),
  '{"grace_minutes": "must be a whole number, like 90", "invitation_days": "must be a whole number, like 7",
    "user_quota": "must be a whole number, like 10", "sms_enabled": "must be true or false", "name": "must be a text, like \"Acme\"",
    "app_ids": "must be a list of texts, like [\"A1B2C3D4E5.com.example.app\"]",
    "allowed_origins": "must be a list of texts, like [\"https://app.example.com\"]"}',
  'a value of another type than its setting''s is refused with an example'
);
select throws_ok($$ select admin.set_tenant('acme', '{"slug": "x"}') $$, 'KT422', 'validation_failed', 'a slug cannot be changed');
select lives_ok($$ select admin.set_tenant('acme', '{"requires_consent": false}', '2026-03-10T08:00:30Z') $$, 'a setting can be reset');
select lives_ok($$ select admin.suspend_tenant('acme', 'unpaid', '2026-03-10T08:00:00Z') $$, 'an operator suspends a tenant');
select throws_ok($$ select admin.suspend_tenant('acme', 'unpaid') $$, 'KT409', 'invalid_transition', 'a tenant cannot be suspended twice');
select is((select status from admin.tenants where slug = 'acme'), 'suspended', 'the view of tenants shows the suspension');
select lives_ok($$ select admin.resume_tenant('acme', '2026-03-10T08:00:00Z') $$, 'an operator resumes a tenant');
select throws_ok($$ select admin.resume_tenant('acme') $$, 'KT409', 'invalid_transition', 'a tenant that is not suspended cannot be resumed');

select lives_ok(
  $$ select admin.soft_delete_connection('acme', tests.id('alice-bob'), 'asked by mail', '2026-03-10T08:01:00Z') $$,
  'an operator removes a connection'
);
select throws_ok(
  $$ select admin.soft_delete_connection('acme', tests.id('alice-bob'), 'again', '2026-03-10T08:02:00Z') $$, 'KT409', 'invalid_transition', 'a connection cannot be removed twice'
);
select throws_ok(
  $$ select admin.soft_delete_connection('acme', tests.id('globex-alice-bob'), 'x', '2026-03-10T08:02:00Z') $$, 'KT404', 'not_found',
  'a connection is found only in the named tenant'
);
select is(
  (select deleted_by from kith.connections where id = tests.id('alice-bob')), 'operator:oscar', 'the row records the operator who removed it'
);
select results_eq(
  $$ select user_id, body from tests.told() where type = 'connection_removed' order by user_id $$,
  $$
    values (tests.id('bob'), 'This connection was removed by support'), (tests.id('alice'), 'This connection was removed by support')
    order by 1
  $$,
  'both sides are told that support removed it'
);
select lives_ok(
  $$ select admin.reactivate_connection('acme', tests.id('alice-bob'), 'a mistake', '2026-03-10T08:03:00Z') $$,
  'an operator reactivates a connection'
);
select is((select status from kith.connections where id = tests.id('alice-bob')), 'active', 'the reactivated connection is active');
select is((select status from kith.pings where connection_id = tests.id('alice-bob')), 'scheduled', 'today''s ping is scheduled again');
select is(
  (select user_id || ' ' || body from tests.told() where type = 'connection_request'),
  tests.id('bob') || ' Alice is now sending you pings', 'the owner of the code is told of a reactivation as of a new connection'
);
select throws_ok(
  $$ select admin.reactivate_connection('acme', tests.id('alice-bob'), 'again') $$, 'KT409', 'invalid_transition',
  'a connection that is not removed cannot be reactivated'
);
select throws_ok($$ select admin.reactivate_connection('acme', gen_random_uuid(), 'x') $$, 'KT404', 'not_found', 'reactivating requires an existing connection');

select lives_ok($$ select * from admin.generate_daily_pings('2026-03-10T08:04:00Z') $$, 'an operator generates pings while the worker is down');

select is(current_setting('kith.tenant_id'), '', 'an operator''s transaction leaves no tenant set');
select lives_ok($$ select * from admin.tenants $$, 'an operator can read tenants');
select lives_ok($$ select * from admin.ping_runs $$, 'an operator can read generation runs');
select lives_ok($$ select * from admin.ping_gaps $$, 'an operator can read gaps');
select lives_ok($$ select * from admin.outages $$, 'an operator can read outages');
select is(
  (select codes || ' ' || percent_used || ' ' || warning from admin.code_space where tenant = 'acme'), '5 0.00 false', 'an operator can see how full the code space is'
);
select is(
  (select users || ' ' || live_connections from admin.tenants where slug = 'initech'), '0 0', 'a new tenant is empty'
);
select is((select count(distinct tenant_id) from kith.users), 2::bigint, 'an operator reads the rows of every tenant');
select throws_ok($$ select secret_hash from kith.api_keys $$, '42501', null, 'an operator cannot read the hash of an API key');
select throws_ok($$ select wrapped_secret from kith.jwt_keys $$, '42501', null, 'an operator cannot read a wrapped signing secret');
select throws_ok($$ update kith.users set display_name = 'X' $$, '42501', null, 'an operator cannot write to tables directly');
select throws_ok($$ delete from kith.audit $$, '42501', null, 'an operator cannot change the audit log');
select throws_ok($$ select internal.new_api_key(1, 'x', '{all}', null, now()) $$, '42501', null, 'an operator cannot call internal functions');
select throws_ok($$ select api.get_me() $$, '42501', null, 'an operator cannot call the API''s procedures');

-- The audit log does not trust a setting for the operator's name.
set local kith.actor = 'kith';
select throws_ok($$ select admin.suspend_tenant('acme', null) $$, 'KT422', 'validation_failed', 'a suspension needs a reason');
select throws_ok(
  $$ select admin.end_alarm('acme', '019aa5c2-6a40-7d3b-9c11-3f0e8b7a52d4', ' ') $$, 'KT422', 'validation_failed', 'and so does the end of an alarm'
);
select admin.suspend_tenant('acme', 'test', '2026-03-10T08:05:00Z') \g /dev/null
reset session authorization;
select results_eq(
  $$
    select actor, action, detail - 'old_keys_end_at' - 'before' from kith.audit
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
  'every act is audited under the operator''s own login'
);
select is(
  (select string_agg(concat_ws(' ', tenant, name, before, detail), '; ' order by id) from admin.audit where action = 'tenant.update'),
  'acme oscar {"user_quota": 1000000, "requires_consent": false} {"user_quota": 10, "requires_consent": true}; '
    || 'acme oscar {"requires_consent": true} {"requires_consent": false}',
  'the view of the audit names the person, and what was there before'
);
select is_empty(
  $$ select action, at from kith.audit where at < now() or at > clock_timestamp() or id < internal.first_uuid7(now()) $$,
  'audit entries have the database''s time, whatever instant was passed'
);
select is(
  api.authenticate_key(sha256(convert_to((select secret_key from made), 'UTF8')), '2026-03-11T08:59:59Z', true) ->> 'slug', 'initech',
  'a rotated key works for 24 more hours'
);
select is(
  api.authenticate_key(sha256(convert_to((select secret_key from made), 'UTF8')), '2026-03-11T09:00:00Z', true)::text, null, 'a rotated key stops working after 24 hours'
);
select is(
  api.authenticate_key(sha256(convert_to((select secret_key from rotated), 'UTF8')), '2027-03-11T09:00:00Z', true) ->> 'slug', 'initech',
  'the new key keeps working'
);
select is(
  (select count(*) from kith.api_keys where name = 'first' and expires_at = '2026-03-11T09:00:00Z'), 1::bigint, 'a later rotation does not extend an expiring key'
);

-- Reactivating follows the rules of connecting.
select admin.resume_tenant('acme', '2026-03-10T08:06:00Z') \g /dev/null
select admin.soft_delete_connection('acme', tests.id('alice-bob'), 'x', '2026-03-10T08:07:00Z') \g /dev/null
update kith.receiver_profiles set subscription_status = 'expired' where user_id = tests.id('bob');
select throws_ok(
  $$ select admin.reactivate_connection('acme', tests.id('alice-bob'), 'x', '2026-03-10T08:08:00Z') $$, 'KT402', 'subscription_inactive',
  'an operator cannot reactivate a connection whose receiver''s subscription has ended'
);
update kith.receiver_profiles set subscription_status = 'trial' where user_id = tests.id('bob');
update kith.users set deleted_at = '2026-03-10T08:08:00Z' where id = tests.id('bob');
select throws_ok(
  $$ select admin.reactivate_connection('acme', tests.id('alice-bob'), 'x', '2026-03-10T08:08:00Z') $$, 'KT409', 'invalid_transition',
  'an operator cannot reactivate a connection of a deleted account'
);

-- The operator settles what two tenants both claim.
select tests.as_server('globex');
select api.add_jwt_keys(
  '[{"id": "0000000d-0000-7000-8000-000000000001", "kid": "k", "algorithm": "ES256", "issuer": "https://id.acme.example",
    "audience": "app", "public_key": "PEM"}]', '2026-03-10T10:00:00Z'
) \g /dev/null
select tests.as_superuser();
set local session authorization oscar;
select is(
  admin.set_tenant('acme', '{"universal_link_host": "join.acme.example"}', '2026-03-10T10:00:00Z') ->> 'universal_link_host',
  'join.acme.example', 'an operator assigns a host to a tenant'
);
select throws_ok(
  $$ select admin.set_tenant('globex', '{"universal_link_host": "join.acme.example"}') $$, 'KT422', 'validation_failed', 'a host belongs to only one tenant'
);
select is(
  admin.revoke_jwt_keys('globex', 'https://id.acme.example', 'app', 'are acme''s', '2026-03-10T10:00:00Z'), 1,
  'an operator revokes keys that a tenant should not have'
);
select throws_ok(
  $$ select admin.revoke_jwt_keys('globex', 'https://id.acme.example', 'app', 'again') $$, 'KT404', 'not_found', 'keys cannot be revoked twice'
);
reset session authorization;
select is(
  (select actor || ' ' || detail from kith.audit where action = 'jwt_keys.revoke'),
  'operator:oscar {"issuer": "https://id.acme.example", "reason": "are acme''s", "audience": "app"}', 'revoking another tenant''s keys is audited'
);
select tests.as_server('acme');
select lives_ok($$ select api.add_jwt_keys(
  '[{"id": "0000000d-0000-7000-8000-000000000002", "kid": "k", "algorithm": "ES256", "issuer": "https://id.acme.example",
    "audience": "app", "public_key": "PEM"}]', '2026-03-10T10:01:00Z') $$, 'the rightful tenant can then register its own key');
select tests.as_superuser();
set local session authorization oscar;
select lives_ok(
  $$ select admin.share_issuer('https://id.acme.example', 'serves everybody', '2026-03-10T10:02:00Z') $$, 'an operator shares an issuer between tenants'
);
select throws_ok($$ select admin.share_issuer('https://id.acme.example', 'again') $$, 'KT409', 'invalid_transition', 'an issuer cannot be shared twice');
reset session authorization;
select tests.as_server('globex');
select lives_ok($$ select api.add_jwt_keys(
  '[{"id": "0000000d-0000-7000-8000-000000000003", "kid": "k", "algorithm": "ES256", "issuer": "https://id.acme.example",
    "audience": "app of globex", "public_key": "PEM"}]', '2026-03-10T10:03:00Z') $$, 'another tenant can then register keys of the shared issuer');
select tests.as_superuser();
set local session authorization oscar;
select throws_ok(
  $$ select admin.unshare_issuer('https://id.acme.example', 'is acme''s') $$, 'KT409', 'conflict', 'a shared issuer cannot become one tenant''s while another has keys of it'
);
select is(
  admin.revoke_jwt_keys('globex', 'https://id.acme.example', null, 'are acme''s', '2026-03-10T10:04:00Z'), 1, 'an operator can revoke a tenant''s keys for every audience'
);
select admin.unshare_issuer('https://id.acme.example', 'is acme''s', '2026-03-10T10:05:00Z') \g /dev/null
reset session authorization;
select is(
  (select array_agg(tenant_id) from kith.jwt_issuers where issuer = 'https://id.acme.example' and audience = ''),
  array[tests.tenant('acme')], 'an issuer can become one tenant''s again'
);
select tests.as_superuser();

-- In production, an operator's acts always happen at the current time.
select tests.as_superuser();
reset session authorization;
drop table internal.development;
set local session authorization oscar;
select throws_ok(
  $$ select admin.soft_delete_vault('acme', gen_random_uuid(), 'x', now() - interval '31 days') $$, 'KT400', 'invalid_request',
  'a deletion cannot be dated in the past'
);
select throws_ok($$ select * from admin.generate_daily_pings(now() + interval '2 minutes') $$, 'KT400', 'invalid_request', 'pings of a future day cannot be generated early');
select throws_ok($$ select admin.soft_delete_vault('acme', gen_random_uuid(), 'x') $$, 'KT404', 'not_found', 'the current time is accepted');
select throws_ok($$ select pg_catalog.pg_try_advisory_lock(1) $$, '42501', null, 'an operator cannot take the worker''s advisory locks');
reset session authorization;

select * from finish();
rollback;
