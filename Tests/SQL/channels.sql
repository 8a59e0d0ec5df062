-- The providers of a tenant's messages, and an operator's means when they fail.
begin;
\ir people.sql
select plan(49);
\set now '''2026-03-10T12:00:00Z'''

select tests.as_server('acme');
select is(api.list_channels()::jsonb, '{"items": [], "next_cursor": null}', 'a tenant has no channels at first');
select is(
  api.put_channel('email', '{"host": "mail.example"}', '\x01', :now)::jsonb,
  '{"channel": "email", "settings": {"host": "mail.example"}, "created_at": "2026-03-10T12:00:00.000000Z",
    "updated_at": "2026-03-10T12:00:00.000000Z", "checked_at": null, "error": null}',
  'a tenant''s server sets its mail provider'
);
select tests.as_role('kith_worker');
select worker.note_channel(tests.tenant('acme'), 'email', 'wrong password', '2026-03-10T12:00:10Z') \g /dev/null
select is(
  (select convert_from(sealed, 'LATIN1') = chr(1) and updated_at = :now from worker.channel_credentials(tests.tenant('acme'), 'email')), true,
  'the worker gets the sealed credentials'
);
select is((select count(*) from worker.channel_credentials(tests.tenant('globex'), 'email')), 0::bigint, 'credentials belong to one tenant');
select throws_ok($$ select * from kith.channel_credentials $$, '42501', null, 'the worker cannot read the table itself');
select tests.as_server('acme');
select is(
  (select concat_ws(' ', item ->> 'error', item ->> 'checked_at') from json_array_elements(api.list_channels() -> 'items') as item),
  'wrong password 2026-03-10T12:00:10.000000Z', 'a provider''s error is shown'
);
select is(
  api.put_channel('email', '{"host": "mail2.example"}', '\x02', '2026-03-10T12:01:00Z')::jsonb - 'created_at' - 'updated_at',
  '{"channel": "email", "settings": {"host": "mail2.example"}, "checked_at": null, "error": null}', 'new credentials clear the error'
);
select is(api.sealed_channel('email') ->> 'sealed', '02', 'the server finds the sealed credentials that must survive a change');
select is(api.sealed_channel('sms')::text, null, 'a channel that is not set has no sealed credentials');
select is(api.delete_channel('email', '2026-03-10T12:02:00Z')::text, null, 'a channel can be deleted');
select throws_ok($$ select api.delete_channel('email', '2026-03-10T12:00Z') $$, 'KT404', 'not_found', 'a channel cannot be deleted twice');
select api.put_channel('web_push', '{"subject": "mailto:a@b.example", "public_key": "BPub"}', '\x03', '2026-03-10T12:03:00Z') \g /dev/null
select tests.as_user('acme', 'alice');
select is(api.web_push_key()::jsonb, '{"public_key": "BPub"}', 'a browser gets the tenant''s public key');
select tests.as_user('globex', 'globex-alice');
select throws_ok($$ select api.web_push_key() $$, 'KT404', 'not_found', 'another tenant has no web push key');
select tests.as_superuser();
select is(
  (select string_agg(concat_ws(' ', actor, action, subject, detail), ', ' order by id) from kith.audit where tenant_id = tests.tenant('acme')),
  'key:acme channel.set email {"host": "mail.example"}, key:acme channel.set email {"host": "mail2.example"}, '
    || 'key:acme channel.delete email {}, key:acme channel.set web_push {"subject": "mailto:a@b.example", "public_key": "BPub"}',
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

-- Dead letters.
select tests.as_superuser();
create function tests.letter(p_n integer) returns uuid
  language sql immutable
  return ('019cd79e-4600-7000-8000-' || lpad(p_n::text, 12, '0'))::uuid;
insert into kith.notifications (tenant_id, id, user_id, type, title, body, data, created_at, planned_at, delivery_status)
select tests.tenant('acme'), tests.letter(n), tests.id('bob'), 'message_received', 'T', 'B', '{}', :now, :now, 'failed' from generate_series(1, 3) as n;
insert into kith.deliveries (tenant_id, id, channel, purpose, address, notification_id, status, attempts, next_attempt_at, expires_at, error, created_at)
select tests.tenant('acme'), tests.letter(n), 'email', 'notification', 'bob@example.org', tests.letter(n), 'failed', 30, :now, :now, 'no such mailbox', :now
from generate_series(1, 3) as n;
insert into kith.deliveries (tenant_id, id, channel, purpose, address, body, status, attempts, next_attempt_at, expires_at, created_at)
values
  (tests.tenant('acme'), tests.letter(8), 'email', 'sign_in_code', 'bob@example.org', '{code}', 'failed', 10, :now, :now, :now),
  (tests.tenant('acme'), tests.letter(9), 'email', 'invitation', 'bob@example.org', 'x', 'sent', 1, :now, :now, :now);
select tests.as_role('kith_admin');
select is(
  (select concat_ws(' ', tenant, channel, purpose, type, user_id = tests.id('bob'), address, attempts, error) from admin.dead_letters where id = tests.letter(1)),
  'acme email notification message_received t bob@example.org 30 no such mailbox', 'an operator sees a dead letter and its error'
);
select throws_ok(format($$ select admin.replay_delivery('globex', %L, 'x') $$, tests.letter(1)), 'KT404', 'not_found', 'a dead letter belongs to one tenant');
do $$
declare
  v_detail text;
  v_hint text;
begin
  perform admin.replay_delivery('acme', '019aa5c2-6a40-7d3b-9c11-3f0e8b7a52d4', 'x');
exception when sqlstate 'KT404' then
  get stacked diagnostics v_detail = pg_exception_detail, v_hint = pg_exception_hint;
  perform set_config('tests.refusal', v_detail || ' ' || v_hint, true);
end
$$;
select is(
  current_setting('tests.refusal'),
  '''acme'' has no delivery 019aa5c2-6a40-7d3b-9c11-3f0e8b7a52d4. Look it up: select * from admin.dead_letters where tenant = ''acme'';', 'the refusal tells the operator where to look'
);
select lives_ok(format($$ select admin.replay_delivery('acme', %L, 'the mailbox is back', '2026-03-11T12:00Z') $$, tests.letter(1)), 'an operator replays a delivery');
select throws_ok(format($$ select admin.replay_delivery('acme', %L, 'x') $$, tests.letter(1)), 'KT409', 'invalid_transition', 'a delivery cannot be replayed twice');
select throws_ok(format($$ select admin.replay_delivery('acme', %L, 'x') $$, tests.letter(9)), 'KT409', 'invalid_transition', 'a sent delivery cannot be replayed');
select throws_ok(format($$ select admin.replay_delivery('acme', %L, 'x') $$, tests.letter(8)), 'KT409', 'invalid_transition', 'a delivery whose code was erased cannot be replayed');
select tests.as_superuser();
select is(
  (
    select concat_ws(' ', delivery.status, delivery.attempts, internal.instant(delivery.next_attempt_at), internal.instant(delivery.expires_at), delivery_status)
    from kith.deliveries as delivery join kith.notifications as notification on notification.id = delivery.notification_id
    where delivery.id = tests.letter(1)
  ),
  'queued 0 2026-03-11T12:00:00.000000Z 2026-03-12T12:00:00.000000Z queued', 'a replayed delivery starts again and expires after a day'
);
select tests.as_role('kith_admin');
select is(admin.replay_deliveries('email', 'acme', '2026-03-10T12:00:01Z', 'x', '2026-03-11T12:00:01Z'), 0, 'replaying since an instant leaves out older deliveries');
select is(admin.replay_deliveries('email', 'acme', '2026-03-10T12:00:00Z', 'the provider is back', '2026-03-11T12:00:02Z'), 2, 'replaying a channel queues all dead letters except codes');
select is((select count(*) from admin.dead_letters), 1::bigint, 'dead letters with codes stay');
select is(
  (select concat_ws(' ', tenant, channel, purpose, status, deliveries, due) from admin.delivery_backlog), 'acme email notification queued 3 3',
  'the backlog shows the replayed deliveries'
);
select tests.as_superuser();
select is(
  (select string_agg(concat_ws(' ', action, subject, detail ->> 'reason', detail ->> 'deliveries'), ', ' order by id) from kith.audit where action like 'deliver%'),
  format('delivery.replay %s the mailbox is back, deliveries.replay email x 0, deliveries.replay email the provider is back 2', tests.letter(1)),
  'replays are audited with their reason'
);

-- Alarms that reached nobody.
insert into kith.undelivered_alarms (tenant_id, notification_id, user_id, type, at) values (tests.tenant('acme'), tests.letter(2), tests.id('bob'), 'ping_missed', :now);
insert into kith.webhooks (tenant_id, id, url, types, sealed_secrets, taken_xid, taken_at, next_attempt_at, created_at, updated_at)
select tests.tenant('acme'), tests.letter(n), 'https://acme.example', types::text[], '\x00', pg_current_xact_id(), :now, :now, :now, :now
from (values (1, '{ping}'), (2, '{}')) as hooks (n, types);
select tests.as_role('kith_worker');
select is(worker.alarm_operator('2026-03-10T12:04:59Z', 10), 0, 'a tenant''s webhook has five minutes before the operator is told');
select tests.as_superuser();
update kith.webhooks set disabled_at = :now, disabled_reason = 'gone' where types = '{}';
select tests.as_role('kith_worker');
select is(worker.alarm_operator('2026-03-10T12:04:59Z', 10), 1, 'the operator is told at once if no webhook would accept the alarm');
select is(
  (select told -> 'alarms' -> 0 ->> 'id' from worker.tell_operator('2026-03-10T12:05:00Z') as told), tests.letter(2)::text, 'the report names the undelivered alarm'
);
select is(worker.operator_told('2026-03-10T12:05:10Z', (worker.tell_operator('2026-03-10T12:05:00Z') -> 'alarms')::jsonb), 1, 'the operator is recorded as told');
select is(worker.tell_operator('2026-03-10T12:06:00Z') ->> 'undelivered_alarms', '1', 'the operator is told until the alarm is resolved');
select tests.as_role('kith_admin');
select admin.resolve_alarm('acme', tests.letter(2), 'called Bob') \g /dev/null
select is((select count(*) from admin.undelivered_alarms), 0::bigint, 'resolving the alarm ends it');
select tests.as_role('kith_worker');
select is(worker.tell_operator('2026-03-10T12:07:00Z')::text, null, 'resolving the alarm ends the report to the outside address too');

-- A provider's error is cleared once the provider accepts messages again.
select tests.as_superuser();
insert into kith.channel_credentials (tenant_id, channel, summary, sealed, created_at, updated_at, checked_at, error)
select tests.tenant(slug), 'email', '{}', '\x00', :now, :now, :now, 'wrong password' from unnest(array['acme', 'globex']) as slug;
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

select * from finish();
rollback;
