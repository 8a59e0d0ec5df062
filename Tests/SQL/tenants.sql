-- A tenant's settings, for its own server.
begin;
\ir people.sql
select plan(15);

select tests.as_server('acme');
select is(
  api.get_tenant()::jsonb - '{created_at,updated_at}'::text[],
  '{"slug": "acme", "name": "Acme", "brand_name": "PRUUF", "join_link": "https://pruuf.app/join", "universal_link_host": null,
    "allowed_origins": [], "app_ids": [], "app_link": null, "default_region": null, "requires_subscription": true, "requires_consent": false, "sign_up_open": true,
    "grace_minutes": 90, "reminder_minutes": 15, "subscription_grace_days": 14, "session_maximum_minutes": 720,
    "invitation_days": 7, "retention_days": 730, "user_quota": 1000000, "code_misses_per_hour": 5000, "link_scheme": "khandoba", "vault_quota_mib": 1024, "sms_enabled": false,
    "sms_codes_per_day": 5000, "sms_codes_per_country_per_day": 2000, "sms_codes_per_number_per_day": 10,
    "sms_invitations_per_day": 5000, "sms_notifications_per_user_per_day": 20}'::jsonb,
  'a new tenant has the defaults'
);
select is(
  api.update_tenant('{"requires_consent": true, "allowed_origins": ["https://acme.example"]}', '2026-03-10T08:00:00Z')::jsonb
    - 'created_at' @> '{"requires_consent": true, "allowed_origins": ["https://acme.example"], "updated_at": "2026-03-10T08:00:00.000000Z"}',
  true, 'settings given are changed'
);
select is(api.get_tenant() ->> 'grace_minutes', '90', 'settings not given stay');
prepare update_tenant as select api.update_tenant($1, '2026-03-10T08:00:00Z');
select throws_ok($$ execute update_tenant('{"user_quota": 5}') $$, 'KT422', 'validation_failed', 'a tenant cannot raise its own quota');
select throws_ok($$ execute update_tenant('{"sms_enabled": true}') $$, 'KT422', 'validation_failed', 'a tenant cannot let itself send text messages');
select throws_ok($$ execute update_tenant('{"default_region": "de"}') $$, 'KT422', 'validation_failed', 'a country has two capital letters');
select throws_ok($$ execute update_tenant('{"app_link": "javascript:x"}') $$, 'KT422', 'validation_failed', 'an app link is https');
select throws_ok($$ execute update_tenant('{"status": "active"}') $$, 'KT422', 'validation_failed', 'a tenant cannot end its suspension');
select throws_ok($$ execute update_tenant('{"grace_minutes": 720}') $$, 'KT422', 'validation_failed', 'a grace of half a day is too long');
select throws_ok($$ execute update_tenant('{"reminder_minutes": 90}') $$, 'KT422', 'validation_failed', 'a reminder comes after the ping');
select throws_ok($$ execute update_tenant('{"name": null}') $$, 'KT422', 'validation_failed', 'a tenant has a name');
select throws_ok($$ execute update_tenant('{"universal_link_host": "kith.example"}') $$, 'KT422', 'validation_failed', 'a tenant cannot take a host');

select tests.as_user('acme', 'alice');
select throws_ok($$ select api.get_tenant() $$, 'KT403', 'forbidden', 'settings are not for users');
select throws_ok($$ execute update_tenant('{}') $$, 'KT403', 'forbidden', 'settings are not a user''s to change');

select tests.as_superuser();
select is(
  (select actor || ' ' || action || ' ' || detail from kith.audit where detail ? 'requires_consent'),
  'key:acme tenant.update {"allowed_origins": ["https://acme.example"], "requires_consent": true}',
  'a change of settings is audited'
);

select * from finish();
rollback;
