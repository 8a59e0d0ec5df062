-- The providers of a tenant's messages.
begin;
\ir people.sql
select plan(35);
\set now '''2026-03-10T12:00:00Z'''

select tests.as_server('acme');
select is(api.list_channels('https://kith.example')::jsonb, '{"items": [], "next_cursor": null}', 'a tenant has no channels at first');
select is(
  api.put_channel('email', '{"host": "mail.example"}', '\x01', 'https://kith.example', :now)::jsonb,
  '{"channel": "email", "settings": {"host": "mail.example"}, "created_at": "2026-03-10T12:00:00.000000Z",
    "updated_at": "2026-03-10T12:00:00.000000Z", "checked_at": null, "error": null}',
  'a tenant''s server sets its mail provider'
);
select tests.as_role('kith_worker');
select worker.note_channel(tests.tenant('acme'), 'email', 'wrong password', null, '2026-03-10T12:00:10Z') \g /dev/null
select is(
  (select convert_from(sealed, 'LATIN1') = chr(1) and updated_at = :now from worker.channel_credentials(tests.tenant('acme'), 'email')), true,
  'the worker gets the sealed credentials'
);
select is((select count(*) from worker.channel_credentials(tests.tenant('globex'), 'email')), 0::bigint, 'credentials belong to one tenant');
select throws_ok($$ select * from kith.channel_credentials $$, '42501', null, 'the worker cannot read the table itself');
select tests.as_server('acme');
select is(
  (select concat_ws(' ', item ->> 'error', item ->> 'checked_at') from json_array_elements(api.list_channels('https://kith.example') -> 'items') as item),
  'wrong password 2026-03-10T12:00:10.000000Z', 'a provider''s error is shown'
);
select is(
  api.put_channel('email', '{"host": "mail2.example"}', '\x02', 'https://kith.example', '2026-03-10T12:01:00Z')::jsonb - 'created_at' - 'updated_at',
  '{"channel": "email", "settings": {"host": "mail2.example"}, "checked_at": null, "error": null}', 'new credentials clear the error'
);
select is(api.sealed_channel('email') ->> 'sealed', '02', 'the server finds the sealed credentials that must survive a change');
select is(api.sealed_channel('sms')::text, null, 'a channel that is not set has no sealed credentials');
select is(api.delete_channel('email', '2026-03-10T12:02:00Z')::text, null, 'a channel can be deleted');
select throws_ok($$ select api.delete_channel('email', '2026-03-10T12:00Z') $$, 'KT404', 'not_found', 'a channel cannot be deleted twice');
select api.put_channel('web_push', '{"subject": "mailto:a@b.example", "public_key": "BPub"}', '\x03', 'https://kith.example', '2026-03-10T12:03:00Z') \g /dev/null
select tests.as_user('acme', 'alice');
select is(api.web_push_key()::jsonb, '{"public_key": "BPub"}', 'a browser gets the tenant''s public key');
select tests.as_user('globex', 'globex-alice');
select throws_ok($$ select api.web_push_key() $$, 'KT404', 'not_found', 'another tenant has no web push key');
select tests.as_superuser();
select is(
  (select string_agg(concat_ws(' ', actor, action, subject, detail), ', ' order by id) from kith.audit where tenant_id = tests.tenant('acme')),
  'key:acme channel.set email {"host": "mail.example", "secret": "set anew"}, key:acme channel.set email {"host": "mail2.example", "before": {"host": "mail.example"}, "secret": "set anew"}, '
    || 'key:acme channel.delete email {}, key:acme channel.set web_push {"secret": "set anew", "subject": "mailto:a@b.example", "public_key": "BPub"}',
  'every change is audited, without secrets'
);
select is(
  (select string_agg(concat_ws(' ', kind, tenant_id, id, encode(sealed, 'hex')), ', ') from internal.sealed_samples() where kind = 'channel_credentials'),
  concat_ws(' ', 'channel_credentials', tests.tenant('acme'), 'web_push 03'), 'sealed credentials let a server check its master key'
);
select internal.reseal_key('channel_credentials', tests.tenant('acme'), 'web_push', '\x00', '\x09') \g /dev/null
select is(
  (select encode(sealed, 'hex') from internal.sealed_keys('channel_credentials', 0, '00000000-0000-0000-0000-000000000000', 10)), '03',
  'rotating the master key keeps credentials that were written meanwhile'
);
select internal.reseal_key('channel_credentials', tests.tenant('acme'), 'web_push', '\x03', '\x09') \g /dev/null
select is(
  (select encode(sealed, 'hex') from internal.sealed_keys('channel_credentials', 0, '00000000-0000-0000-0000-000000000000', 10)), '09',
  'rotating the master key reseals the other credentials'
);
select is(
  (select count(*) from internal.sealed_keys('channel_credentials', tests.tenant('acme'), 'web_push', 10)), 0::bigint, 'keys are listed one after the other'
);

select tests.as_role('kith_admin');
select lives_ok($$ select admin.set_channel('globex', 'sms', '{"url": "https://sms.example"}', '\x07', '2026-03-10T12:00Z') $$, 'an operator sets a channel');
select is((select encode(sealed, 'hex') from admin.sealed_channel('globex', 'sms')), '07', 'the command that has the master key reads the sealed credentials');
select is((select tenant_id from admin.sealed_channel('globex', 'email')), tests.tenant('globex'), 'the command that has the master key learns the tenant to seal for');
select is((select sealed from admin.sealed_channel('globex', 'email')), null, 'a channel that is not set has nothing sealed');
select is(
  (select string_agg(concat_ws(' ', tenant, channel, settings, sent_today), ', ' order by tenant) from admin.channels),
  'acme web_push {"subject": "mailto:a@b.example", "public_key": "BPub"} 0, globex sms {"url": "https://sms.example"} 0',
  'an operator sees each tenant''s channels, without secrets'
);
select throws_ok($$ select sealed from kith.channel_credentials $$, '42501', null, 'an operator cannot read sealed credentials directly');
select lives_ok($$ select admin.delete_channel('globex', 'sms') $$, 'an operator deletes a channel');
select throws_ok($$ select admin.delete_channel('globex', 'sms') $$, 'KT404', 'not_found', 'a channel cannot be deleted twice');

-- A provider's error is cleared once the provider accepts messages again.
select tests.as_superuser();
create function tests.letter(p_n integer) returns uuid
  language sql immutable
  return ('019cd79e-4600-7000-8000-' || lpad(p_n::text, 12, '0'))::uuid;
insert into kith.channel_credentials (tenant_id, channel, summary, sealed, created_at, updated_at, checked_at, error, refused_since)
select tests.tenant(slug), 'email', '{}', '\x00', :now, :now, :now, 'wrong password', :now from unnest(array['acme', 'globex']) as slug;
insert into kith.deliveries (tenant_id, id, channel, purpose, address, body, status, attempts, leased_by, leased_until, next_attempt_at, expires_at, created_at)
select tests.tenant('acme'), tests.letter(n), 'email', 'sign_in_code', 'bob@example.org', '{code}', 'sending', 1, 'w', '2026-03-13T00:00Z', '2026-03-13T00:00Z', '2026-03-13T00:00Z', :now
from generate_series(20, 22) as n;
create function tests.finish(p_n integer, p_outcome text, p_now timestamptz) returns text
  language plpgsql
as $$
begin
  perform worker.finish_deliveries(
    p_now, 'w', jsonb_build_array(jsonb_build_object('tenant_id', tests.tenant('acme'), 'id', tests.letter(p_n), 'outcome', p_outcome))
  );
  return (
    select string_agg(concat_ws(' ', tenant, error, to_char(checked_at at time zone 'UTC', 'HH24:MI')), ', ' order by tenant)
    from admin.channels where channel = 'email'
  );
end
$$;
select is(tests.finish(20, 'sent', '2026-03-10T12:00:59Z'), 'acme wrong password 12:00, globex wrong password 12:00', 'a message claimed before the error does not clear it');
select is(tests.finish(21, 'retry', '2026-03-10T12:02Z'), 'acme wrong password 12:00, globex wrong password 12:00', 'a message that the provider refuses does not clear it');
select is(tests.finish(22, 'sent', '2026-03-10T12:03Z'), 'acme 12:03, globex wrong password 12:00', 'a later accepted message clears it, for that tenant only');
select worker.note_channel(tests.tenant(tenant), 'email', error, null, at)
from (
  values
    ('acme', 'busy', '2026-03-10T12:05Z'::timestamptz), ('acme', 'wrong password', '2026-03-10T12:07Z'), ('globex', 'wrong password', '2026-03-10T12:09Z')
) as notes (tenant, error, at) \g /dev/null
select is(
  (select string_agg(concat_ws(' ', tenant, error, to_char(refused_since at time zone 'UTC', 'HH24:MI')), ', ' order by tenant) from admin.channels where channel = 'email'),
  'acme wrong password 12:05, globex wrong password 12:00', 'an operator reads since when each provider refuses, whatever it said first'
);
select matches(
  (select string_agg(what, e'\n') from internal.obstacles(now()) where what ~ 'acme: email'),
  'acme: email is refused since 2026-03-10 12:05:00\+00: wrong password', 'and so does the overview'
);

-- The end of a refusal, as a row.
select worker.note_channel(tests.tenant('acme'), 'email', null, null, '2026-03-10T12:30Z') \g /dev/null
select worker.note_channel(tests.tenant('acme'), 'email', null, null, '2026-03-10T12:40Z') \g /dev/null
select is(
  (select string_agg(concat_ws(' ', tenant, actor, subject, detail::text), '; ') from admin.audit where action = 'channel.recover' and tenant = 'acme'
    and detail ->> 'since' like '%T12:05%'),
  'acme kith email {"error": "wrong password", "since": "2026-03-10T12:05:00.000000Z", "until": "2026-03-10T12:30:00.000000Z"}',
  'the audit keeps when a provider refused everything, and why'
);

-- A provider that answers each message as if it alone were wrong.
select tests.as_superuser();
create function tests.failing() returns text
  language sql
as $$
  select string_agg(concat_ws(' ', tenant.slug, failing.channel, failing.messages, failing.error), '; ')
  from internal.failing_channels(internal.first_uuid7('2026-03-11T11:30Z')) as failing join kith.tenants as tenant using (tenant_id)
$$;
insert into kith.deliveries (tenant_id, id, channel, purpose, address, body, status, attempts, next_attempt_at, expires_at, created_at, error)
select tests.tenant(tenant), internal.uuid7(at), 'sms', 'invitation', '+4915100000002', 'x', 'failed', 1, at, at, at, '400'
from (values ('acme', timestamptz '2026-03-11T12:00Z', 5), ('globex', '2026-03-11T12:00Z', 4), ('globex', '2026-03-11T11:00Z', 4)) as given (tenant, at, n)
cross join lateral generate_series(1, n);
select is(tests.failing(), 'acme sms 5 400', 'a channel of which every message of an hour fails is shown');
select matches(
  (select string_agg(what, e'\n') from internal.obstacles('2026-03-11T12:30Z') where what ~ 'acme: all'), 'acme: all 5 messages by sms of the last hour have failed: 400',
  'also among what stands in the way'
);
update kith.deliveries set status = 'sent', sent_at = created_at where id = (select id from kith.deliveries where tenant_id = tests.tenant('acme') and channel = 'sms' limit 1);
insert into kith.deliveries (tenant_id, id, channel, purpose, address, body, status, attempts, next_attempt_at, expires_at, created_at, error)
select tenant_id, internal.uuid7(created_at), channel, purpose, address, body, 'failed', 1, created_at, created_at, created_at, '400'
from kith.deliveries where status = 'sent' and channel = 'sms';
select is(tests.failing(), null, 'but not one that took a message in it');

select * from finish();
rollback;
