-- A tenant's endpoints for events, as its server and an operator keep them. What is sent is in Tests/SchemaTests: it needs transactions
-- that end.
begin;
\ir people.sql
select plan(37);

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
  'an endpoint takes all types where none is named'
);
insert into made select 'alarms', api.add_webhook(
  internal.uuid7('2026-03-10T08:01Z'), '{"url": "https://acme.example/alarms", "types": ["alarm_undelivered"]}', '\x02', '2026-03-10T08:01Z'
);
select is((select webhook -> 'types' from made where name = 'alarms')::jsonb, '["alarm_undelivered"]', 'or those that are');
select is(
  (select array_agg(item ->> 'url') from json_array_elements(api.list_webhooks() -> 'items') as item),
  array['https://acme.example/events', 'https://acme.example/alarms'], 'they are listed, oldest first'
);
select throws_ok(
  $$ select api.add_webhook(gen_random_uuid(), '{"url": "http://acme.example/events"}', '\x01', '2026-03-10T08:00Z') $$, '23514', null,
  'an endpoint speaks TLS'
);
select is(api.webhook_secrets(tests.webhook('all')) ->> 'sealed', 'AQ==', 'the server asks for the sealed secrets');
select is(
  api.rotate_webhook(tests.webhook('all'), '\x01', '\x03', '2026-03-10T08:02Z') ->> 'id', tests.webhook('all')::text, 'and puts others into their place'
);
select throws_ok(
  $$ select api.rotate_webhook(tests.webhook('all'), '\x01', '\x04', '2026-03-10T08:02Z') $$, 'KT409', 'conflict', 'but not where somebody else just has'
);
select tests.as_server('globex');
select is(json_array_length(api.list_webhooks() -> 'items'), 0, 'another tenant sees none of them');
select throws_ok($$ select api.delete_webhook(tests.webhook('all'), '2026-03-10T08:03Z') $$, 'KT404', 'not_found', 'deletes none');
select throws_ok($$ select api.webhook_secrets(tests.webhook('all')) $$, 'KT404', 'not_found', 'asks for the secrets of none');
select throws_ok(
  $$ select api.rotate_webhook(tests.webhook('all'), '\x03', '\x04', '2026-03-10T08:03Z') $$, 'KT404', 'not_found', 'and changes none'
);
select tests.as_server('acme');
select lives_ok(
  $$
    select api.add_webhook(gen_random_uuid(), '{"url": "https://acme.example/more"}', '\x01', '2026-03-10T08:04Z') from generate_series(1, 8)
  $$, 'a tenant can have ten'
);
select throws_ok(
  $$ select api.add_webhook(gen_random_uuid(), '{"url": "https://acme.example/more"}', '\x01', '2026-03-10T08:04Z') $$, 'KT507', 'quota_exceeded',
  'and no more'
);
select is(api.delete_webhook(tests.webhook('alarms'), '2026-03-10T08:05Z')::text, null, 'one is deleted');
select throws_ok($$ select api.delete_webhook(tests.webhook('alarms'), '2026-03-10T08:05Z') $$, 'KT404', 'not_found', 'once');

select tests.as_user('acme', 'alice');
select throws_ok($$ select api.list_webhooks() $$, 'KT403', 'forbidden', 'a user lists none');
select throws_ok(
  $$ select api.add_webhook(gen_random_uuid(), '{"url": "https://acme.example/x"}', '\x01', '2026-03-10T08:06Z') $$, 'KT403', 'forbidden', 'adds none'
);
select throws_ok($$ select api.delete_webhook(tests.webhook('all'), '2026-03-10T08:06Z') $$, 'KT403', 'forbidden', 'deletes none');
select throws_ok($$ select api.webhook_secrets(tests.webhook('all')) $$, 'KT403', 'forbidden', 'reads no secrets');
select throws_ok(
  $$ select api.rotate_webhook(tests.webhook('all'), '\x03', '\x04', '2026-03-10T08:06Z') $$, 'KT403', 'forbidden', 'and changes none'
);
select throws_ok($$ select from kith.webhooks $$, '42501', null, 'nobody reads the table');
select tests.as_role('kith_worker');
select throws_ok($$ select from kith.webhooks $$, '42501', null, 'not even the worker');
select tests.as_superuser();
select is(
  (select detail - 'types' from kith.audit where subject = tests.webhook('all')::text and action = 'webhook.create'),
  '{"url": "https://acme.example/…"}', 'the audit has the host of an endpoint, and not its path, in which a secret may stand'
);
select is(
  (select array_agg(action order by id) from kith.audit where subject = tests.webhook('all')::text), array['webhook.create', 'webhook.rotate'],
  'every act is audited'
);
select internal.enter_tenant('acme') \g /dev/null
select tests.as_role('kith_worker');
select set_config('kith.tenant_id', tests.tenant('acme')::text, true) \g /dev/null
select throws_ok($$ select worker.claim_webhooks('2026-03-10T08:07Z', 10, 10, '{}', '{}', 'w') $$, 'KT403', 'forbidden', 'nothing is claimed in a tenant''s name');

-- An operator.
select tests.as_role('kith_admin');
select is(
  (select (tenant, url, types, state)::text from admin.webhooks where id = tests.webhook('all')), '(acme,https://acme.example/…,{},busy)',
  'an operator sees them'
);
select hasnt_column('admin', 'webhooks', 'sealed_secrets', 'without their secrets');
select throws_ok($$ select sealed_secrets from kith.webhooks $$, '42501', null, 'which are not theirs to read');
select throws_ok($$ select admin.enable_webhook('acme', tests.webhook('all'), 'x') $$, 'KT409', 'invalid_transition', 'what is enabled stays so');
select lives_ok($$ select admin.disable_webhook('acme', tests.webhook('all'), 'overwhelmed', '2026-03-10T09:00Z') $$, 'one can be disabled');
select throws_ok($$ select admin.disable_webhook('acme', tests.webhook('all'), 'x') $$, 'KT409', 'invalid_transition', 'once');
select throws_ok($$ select admin.disable_webhook('globex', tests.webhook('all'), 'x') $$, 'KT404', 'not_found', 'within the tenant named');
select is((select state from admin.webhooks where id = tests.webhook('all')), 'disabled', 'and shows as that');
select tests.as_server('acme');
select is(api.list_webhooks() #>> '{items,0,status}', 'disabled', 'to its tenant as well');
select tests.as_role('kith_admin');
select lives_ok($$ select admin.enable_webhook('acme', tests.webhook('all'), 'mended', '2026-03-10T09:01Z') $$, 'and enabled again');
select throws_ok(
  $$ select admin.replay_webhook('acme', tests.webhook('all'), '2026-03-01T00:00Z', 'x', '2026-03-10T09:02Z') $$, 'KT409', 'invalid_transition',
  'nothing is sent again that is older than 7 days'
);
select is(
  (select array_agg(action order by id) from kith.audit where subject = tests.webhook('all')::text and actor like 'operator:%'),
  array['webhook.disable', 'webhook.enable'], 'and all of it is audited'
);

select * from finish();
rollback;
