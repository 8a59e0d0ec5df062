-- A tenant's settings, as its own server sees them.
begin;
\ir people.sql
select plan(35);

create function tests.takes(p_settings jsonb) returns boolean
  language plpgsql
as $$
begin
  perform api.update_tenant(p_settings, '2026-03-10T08:00:00Z');
  return true;
exception when sqlstate 'KT422' then
  return false;
end
$$;

select tests.as_server('acme');
select is(
  api.get_tenant()::jsonb - '{created_at,updated_at}'::text[],
  '{"slug": "acme", "name": "Acme", "brand_name": "PRUUF", "brand_color": null, "brand_mark": null, "join_link": "https://pruuf.app/join", "universal_link_host": null,
    "allowed_origins": [], "app_ids": [], "app_link": null, "sign_in_url": null, "join_redirects": false, "default_region": null, "default_locale": null, "requires_subscription": true, "requires_consent": false, "sign_up_open": true,
    "grace_minutes": 90, "reminder_minutes": 15, "subscription_grace_days": 14, "session_maximum_minutes": 720,
    "invitation_days": 7, "retention_days": 730, "ping_retention_days": 730, "notification_retention_days": 365,
    "history_retention_days": 1095, "audit_retention_days": 1095, "delivery_retention_days": 30, "user_quota": 1000000, "code_misses_per_hour": 5000, "link_scheme": "khandoba", "vault_quota_mib": 1024, "sms_enabled": false,
    "sms_codes_per_day": 5000, "sms_codes_per_country_per_day": 2000, "sms_codes_per_number_per_day": 10,
    "sms_invitations_per_day": 5000, "sms_notifications_per_user_per_day": 20}'::jsonb,
  'a new tenant has the defaults'
);
select is(
  api.update_tenant('{"requires_consent": true, "allowed_origins": ["https://acme.example"]}', '2026-03-10T08:00:00Z')::jsonb
    - 'created_at' @> '{"requires_consent": true, "allowed_origins": ["https://acme.example"], "updated_at": "2026-03-10T08:00:00.000000Z"}',
  true, 'given settings are changed'
);
select is(api.get_tenant() ->> 'grace_minutes', '90', 'omitted settings stay');
prepare update_tenant as select api.update_tenant($1, '2026-03-10T08:00:00Z');
select throws_ok($$ execute update_tenant('{"user_quota": 5}') $$, 'KT422', 'validation_failed', 'a tenant cannot raise its own quota');
select throws_ok($$ execute update_tenant('{"sms_enabled": true}') $$, 'KT422', 'validation_failed', 'a tenant cannot allow itself to send text messages');
select throws_ok($$ execute update_tenant('{"default_region": "de"}') $$, 'KT422', 'validation_failed', 'a country code has two capital letters');
select throws_ok($$ execute update_tenant('{"app_link": "javascript:x"}') $$, 'KT422', 'validation_failed', 'an app link must be https');
select is(
  (select array_agg(scheme) from unnest(array[
    'javascript', 'data', 'file', 'http', 'https', 'vbscript', 'blob', 'about', 'ftp', 'mailto', 'tel', 'sms', 'intent', 'ws', 'wss', 'content',
    'view-source', 'chrome-extension', 'ms-settings', 'itms-services', 'android-app', 'market', 'x-apple-helpbasic', 'jar', 'facetime', 'search-ms', 'mhtml', 'msteams', 'a', 'Acme', 'a_b', '1ab'
  ]) as scheme where tests.takes(jsonb_build_object('link_scheme', scheme))), null, 'a link scheme that does not belong to an app is refused'
);
select is(
  (select array_agg(scheme) from unnest(array['khandoba', 'com.example.acme', 'acme+care', 'acme-2', 'fileshare', 'smslike', 'telly']) as scheme
   where not tests.takes(jsonb_build_object('link_scheme', scheme))), null, 'a valid link scheme is accepted'
);
select is(
  (select array_agg(link) from unnest(array[
    'http://acme.example/join', 'javascript:alert(1)', 'https://', 'https://acme.example@evil.example/', 'https://user:secret@acme.example/',
    'https://acme.example/#/join', 'https://acme.example/"onclick="x', 'https://acme.example/<script>', 'https://acme.example\evil.example',
    'https://acme.example/ x', 'https:///join', 'https://-acme.example/', 'https://acme.example:port/', 'https://äcme.example/', '//acme.example/',
    'https://acme.example:0/', 'https://acme.example:00443', 'https://acme.example:65536/join', 'https://acme.example:99999?a=1'
  ]) as link cross join unnest(array['join_link', 'app_link', 'sign_in_url']) as field where tests.takes(jsonb_build_object(field, link))), null,
  'a link must be https, with a host and without hidden parts'
);
select is(
  (select array_agg(link) from unnest(array[
    'https://acme.example', 'https://Acme.example:8443/join?a=1&b=%20', 'https://apps.apple.com/app/id1', 'https://acme.example/@acme',
    'https://acme.example:1', 'https://acme.example:65535/', 'https://acme.example:59999?a=:0', null
  ]) as link cross join unnest(array['join_link', 'app_link', 'sign_in_url']) as field where not tests.takes(jsonb_build_object(field, link))), null,
  'valid links and null are accepted'
);
select is(
  (select array_agg(origin) from unnest(array['https://acme.example:0', 'http://acme.example:65536', 'https://acme.example:99999', 'https://acme.example/']) as origin
   where tests.takes(jsonb_build_object('allowed_origins', jsonb_build_array('https://acme.example', origin)))), null,
  'an origin has a port that can be connected to'
);
select ok(
  tests.takes('{"allowed_origins": ["http://localhost:3000", "https://acme.example:65535", "https://acme.example"]}'), 'origins with ports are accepted'
);
select ok(not tests.takes('{"brand_name": "Acme\nBcc: you"}'), 'a brand must be one line');
select ok(tests.takes('{"brand_color": "#0842A0"}'), 'a dark colour can be read on white');
select ok(not tests.takes('{"brand_color": "blue"}'), 'a colour is six hexadecimal digits');
select ok(not tests.takes('{"brand_color": "#1a73e8"}'), 'a light one cannot,');
select ok(tests.takes('{"brand_color": null}') and tests.takes('{"brand_color": "#0842A0"}'), 'null is Kith''s own colour');
select throws_ok($$ execute update_tenant('{"status": "active"}') $$, 'KT422', 'validation_failed', 'a tenant cannot end its own suspension');
select throws_ok($$ execute update_tenant('{"grace_minutes": 720}') $$, 'KT422', 'validation_failed', 'a grace of half a day is too long');
select throws_ok($$ execute update_tenant('{"reminder_minutes": 90}') $$, 'KT422', 'validation_failed', 'a reminder must come after the ping');
select throws_ok($$ execute update_tenant('{"name": null}') $$, 'KT422', 'validation_failed', 'a tenant''s name is required');
select throws_ok($$ execute update_tenant('{"universal_link_host": "kith.example"}') $$, 'KT422', 'validation_failed', 'a tenant cannot claim a host');

select api.update_tenant('{"app_link": null}', '2026-03-10T08:00:00Z') \g /dev/null
select throws_ok(
  $$ execute update_tenant('{"join_redirects": true}') $$, 'KT422', 'validation_failed', 'the join page cannot lead to an app without a link'
);
select is(
  api.update_tenant('{"join_redirects": true, "app_link": "https://apps.example/acme"}', '2026-03-10T08:00:00Z') ->> 'join_redirects', 'true',
  'the join page can lead to the app''s link at once'
);
select throws_ok(
  $$ execute update_tenant('{"app_link": null}') $$, 'KT422', 'validation_failed', 'the link to which the join page leads cannot be removed'
);

select tests.as_user('acme', 'alice');
select throws_ok($$ select api.get_tenant() $$, 'KT403', 'forbidden', 'users cannot read the settings');
select throws_ok($$ execute update_tenant('{}') $$, 'KT403', 'forbidden', 'users cannot change the settings');

select tests.as_superuser();
select is((select brand_color from kith.tenants where slug = 'acme'), '#0842a0', 'a colour is kept in small letters');
select is(
  internal.brand_color_errors('#1a73e8') #>> '{0,message}',
  'must have a contrast of 8.2:1 with white, which is 7:1 on every panel, so that everybody can read it, and has 4.51:1; #114d9b would do', 'and the refusal names one that can'
);
select is(internal.brand_color_errors('#114d9b'), '[]', 'which is accepted');
select is(
  array[internal.contrast_with_white('#ffffff'), internal.contrast_with_white('#000000'), internal.contrast_with_white('#767676')], '{1.00, 21.00, 4.54}',
  'the contrast is that of WCAG 2.2'
);
create temporary table made as select * from admin.create_tenant('umbrella', 'Umbrella Care');
select is(
  (select to_jsonb(tenants) - array['tenant_id', 'created_at', 'updated_at'] from kith.tenants where slug = 'umbrella')
    @> '{"name": "Umbrella Care", "brand_name": "Umbrella Care", "join_link": null, "app_link": null, "link_scheme": null}', true,
  'a new tenant''s brand is its name, and no link leads elsewhere'
);
select is(
  (select array[internal.join_link(tenants, 'https://kith.example/'), internal.join_url(internal.join_link(tenants, 'https://kith.example'), '012345'),
    internal.invitation_deep_link('nominee', '7c0f1d52-3b9e-4a86-9d27-5e81f0c4b6a3', link_scheme, 'Papers')] from kith.tenants where slug = 'umbrella'),
  array['https://kith.example/join?t=umbrella', 'https://kith.example/join?t=umbrella&code=012345', null],
  'a new tenant''s links use the server''s host, and none opens an app'
);
select is(
  (select actor || ' ' || action || ' ' || (detail - 'before') from kith.audit where detail ? 'requires_consent'),
  'key:acme tenant.update {"allowed_origins": ["https://acme.example"], "requires_consent": true}',
  'a change of settings is audited'
);

select * from finish();
rollback;
