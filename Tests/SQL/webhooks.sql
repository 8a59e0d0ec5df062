-- A tenant's webhooks, as its server and an operator manage them. The tests of sending are in Tests/SchemaTests, because they need
-- transactions that end.
begin;
\ir people.sql
select plan(43);

create temporary table made (name text primary key, webhook json);
grant select, insert on made to public;
create function tests.webhook(p_name text) returns uuid
  language sql stable return (select (webhook ->> 'id')::uuid from made where name = p_name);
select tests.as_server('acme');
insert into made select 'all', api.add_webhook(
  internal.uuid7('2026-03-10T08:00Z'), '{"url": "https://acme.example/events"}', '\x01', '2026-03-10T08:00Z'
);
select is(
  (select webhook::jsonb - 'id' from made),
  '{"url": "https://acme.example/events", "types": [], "status": "enabled", "created_at": "2026-03-10T08:00:00.000000Z", "last_success_at": null, "failed_attempts": 0, "last_error": null}',
  'a webhook without types receives every type'
);
insert into made select 'alarms', api.add_webhook(
  internal.uuid7('2026-03-10T08:01Z'), '{"url": "https://acme.example/alarms", "types": ["alarm_undelivered"]}', '\x02', '2026-03-10T08:01Z'
);
select is((select webhook -> 'types' from made where name = 'alarms')::jsonb, '["alarm_undelivered"]', 'a webhook with types receives those');
select is(
  (select array_agg(item ->> 'url') from json_array_elements(api.list_webhooks() -> 'items') as item),
  array['https://acme.example/events', 'https://acme.example/alarms'], 'webhooks are listed, oldest first'
);
select throws_ok(
  $$ select api.add_webhook(gen_random_uuid(), '{"url": "http://acme.example/events"}', '\x01', '2026-03-10T08:00Z') $$, '23514', null,
  'a webhook''s URL must be https'
);
select is(api.webhook_secrets(tests.webhook('all')) ->> 'sealed', 'AQ==', 'the server reads the sealed secrets');
select is(
  api.rotate_webhook(tests.webhook('all'), '\x01', '\x03', '2026-03-10T08:02Z') ->> 'id', tests.webhook('all')::text, 'the server replaces the sealed secrets'
);
select throws_ok(
  $$ select api.rotate_webhook(tests.webhook('all'), '\x01', '\x04', '2026-03-10T08:02Z') $$, 'KT409', 'conflict', 'the secrets are not replaced if they changed meanwhile'
);
select tests.as_server('globex');
select is(json_array_length(api.list_webhooks() -> 'items'), 0, 'another tenant does not see them');
select throws_ok($$ select api.delete_webhook(tests.webhook('all'), '2026-03-10T08:03Z') $$, 'KT404', 'not_found', 'another tenant cannot delete them');
select throws_ok($$ select api.webhook_secrets(tests.webhook('all')) $$, 'KT404', 'not_found', 'another tenant cannot read their secrets');
select throws_ok(
  $$ select api.rotate_webhook(tests.webhook('all'), '\x03', '\x04', '2026-03-10T08:03Z') $$, 'KT404', 'not_found', 'another tenant cannot rotate their secrets'
);
select tests.as_server('acme');
select lives_ok(
  $$
    select api.add_webhook(gen_random_uuid(), '{"url": "https://acme.example/more"}', '\x01', '2026-03-10T08:04Z') from generate_series(1, 8)
  $$, 'a tenant can have ten webhooks'
);
select throws_ok(
  $$ select api.add_webhook(gen_random_uuid(), '{"url": "https://acme.example/more"}', '\x01', '2026-03-10T08:04Z') $$, 'KT507', 'quota_exceeded',
  'a tenant cannot have more than ten'
);
select is(api.delete_webhook(tests.webhook('alarms'), '2026-03-10T08:05Z')::text, null, 'a webhook is deleted');
select throws_ok($$ select api.delete_webhook(tests.webhook('alarms'), '2026-03-10T08:05Z') $$, 'KT404', 'not_found', 'a webhook cannot be deleted twice');

select tests.as_user('acme', 'alice');
select throws_ok($$ select api.list_webhooks() $$, 'KT403', 'forbidden', 'a user cannot list webhooks');
select throws_ok(
  $$ select api.add_webhook(gen_random_uuid(), '{"url": "https://acme.example/x"}', '\x01', '2026-03-10T08:06Z') $$, 'KT403', 'forbidden', 'a user cannot add a webhook'
);
select throws_ok($$ select api.delete_webhook(tests.webhook('all'), '2026-03-10T08:06Z') $$, 'KT403', 'forbidden', 'a user cannot delete a webhook');
select throws_ok($$ select api.webhook_secrets(tests.webhook('all')) $$, 'KT403', 'forbidden', 'a user cannot read the secrets');
select throws_ok(
  $$ select api.rotate_webhook(tests.webhook('all'), '\x03', '\x04', '2026-03-10T08:06Z') $$, 'KT403', 'forbidden', 'a user cannot rotate the secrets'
);
select throws_ok($$ select from kith.webhooks $$, '42501', null, 'a tenant''s server cannot read the table directly');
select tests.as_role('kith_worker');
select throws_ok($$ select from kith.webhooks $$, '42501', null, 'the worker cannot read the table directly');
select tests.as_superuser();
select is(
  (select detail - 'types' from kith.audit where subject = tests.webhook('all')::text and action = 'webhook.create'),
  '{"url": "https://acme.example/…"}', 'the audit log has the URL''s host, but not its path, which may contain a secret'
);
select is(
  (select array_agg(action order by id) from kith.audit where subject = tests.webhook('all')::text), array['webhook.create', 'webhook.rotate'],
  'every act is audited'
);
select internal.enter_tenant('acme') \g /dev/null
select tests.as_role('kith_worker');
select set_config('kith.tenant_id', tests.tenant('acme')::text, true) \g /dev/null
select throws_ok($$ select worker.claim_webhooks('2026-03-10T08:07Z', 10, 10, '{}', '{}', 'w') $$, 'KT403', 'forbidden', 'a request in a tenant cannot claim webhooks');

-- Operators.
select tests.as_role('kith_admin');
select is(
  (select (tenant, url, types, state)::text from admin.webhooks where id = tests.webhook('all')), '(acme,https://acme.example/…,{},busy)',
  'an operator sees webhooks'
);
select hasnt_column('admin', 'webhooks', 'sealed_secrets', 'the view for operators leaves out the secrets');
select throws_ok($$ select sealed_secrets from kith.webhooks $$, '42501', null, 'operators cannot read the secrets');
select throws_ok($$ select admin.enable_webhook('acme', tests.webhook('all'), 'x') $$, 'KT409', 'invalid_transition', 'an enabled webhook cannot be enabled');
select matches(
  admin.disable_webhook('acme', tests.webhook('all'), 'overwhelmed', '2026-03-10T09:00Z'), 'nothing more; .* select admin.enable_webhook\(''acme''',
  'an operator disables a webhook'
);
select throws_ok($$ select admin.disable_webhook('acme', tests.webhook('all'), 'x') $$, 'KT409', 'invalid_transition', 'a webhook cannot be disabled twice');
select throws_ok($$ select admin.disable_webhook('globex', tests.webhook('all'), 'x') $$, 'KT404', 'not_found', 'a webhook is found only in the named tenant');
select is((select state from admin.webhooks where id = tests.webhook('all')), 'disabled', 'the webhook is shown as disabled');
select tests.as_server('acme');
select is(
  (select item ->> 'status' from json_array_elements(api.list_webhooks() -> 'items') as item where item ->> 'id' = tests.webhook('all')::text),
  'disabled', 'the tenant sees that its webhook is disabled'
);
select tests.as_role('kith_admin');
select lives_ok($$ select admin.enable_webhook('acme', tests.webhook('all'), 'mended', '2026-03-10T09:01Z') $$, 'an operator enables a webhook');
select throws_ok(
  $$ select admin.replay_webhook('acme', tests.webhook('all'), '2026-03-01T00:00Z', 'x', '2026-03-10T09:02Z') $$, 'KT409', 'invalid_transition',
  'events older than 7 days are not sent again'
);
select is(
  (select array_agg(action order by id) from kith.audit where subject = tests.webhook('all')::text and actor like 'operator:%'),
  array['webhook.disable', 'webhook.enable'], 'operators'' acts are audited'
);

-- One that fails is tried at once.
select throws_ok($$ select admin.retry_webhook('acme', tests.webhook('all'), 'x', '2026-03-10T09:03Z') $$, 'KT409', 'invalid_transition', 'one that works waits for no try');
select tests.as_superuser();
update kith.webhooks set attempts = 3, leased_by = 'w', next_attempt_at = '2026-03-10T09:30Z' where id = tests.webhook('all');
select tests.as_role('kith_admin');
select throws_ok($$ select admin.retry_webhook('acme', tests.webhook('all'), 'x', '2026-03-10T09:03Z') $$, 'KT409', 'invalid_transition', 'nor one that is called now');
select tests.as_superuser();
update kith.webhooks set leased_by = null where id = tests.webhook('all');
select tests.as_role('kith_admin');
select is(
  (select remedy from admin.webhooks where id = tests.webhook('all')), format('select admin.retry_webhook(''acme'', ''%s'', ''why'')', tests.webhook('all')),
  'the list has the statement'
);
select throws_ok($$ select admin.retry_webhook('acme', tests.webhook('all'), ' ', '2026-03-10T09:03Z') $$, 'KT422', 'validation_failed', 'which needs a reason');
select lives_ok($$ select admin.retry_webhook('acme', tests.webhook('all'), 'mended', '2026-03-10T09:03Z') $$, 'an operator has it tried');
select is((select concat_ws(' ', attempts, next_attempt_at = '2026-03-10T09:03Z') from admin.webhooks where id = tests.webhook('all')), '3 t', 'at once');

select * from finish();
rollback;
