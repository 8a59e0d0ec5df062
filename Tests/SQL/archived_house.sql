-- A tenant with at least one row in each table of an archive, for the tests of imports, included after people.sql. Alice has a vault with Bob as a
-- nominee, and an alarm that Bob has taken; Carol receives from her too, and Bob from Mallory.
-- Run by itself, outside a transaction, this file must leave nothing behind.
select now() = statement_timestamp() as alone \gset
\if :alone
  \echo 1..0 # SKIP what the tests of imports share
  \q
\endif
\ir emergency_house.sql
\set acme '(select tests.tenant(''acme''))'

create function tests.call(p_person text, p_act text) returns json
  language plpgsql
as $$
declare
  v_answer json;
begin
  perform tests.as_user('acme', p_person);
  execute 'select ' || p_act into v_answer;
  perform tests.as_superuser();
  return v_answer;
end
$$;
insert into kith.connections (tenant_id, id, sender_id, receiver_id, status, code_owner_id, activated_at, created_at, updated_at)
select :acme, id::uuid, tests.id(sender), tests.id(receiver), 'active', tests.id(receiver), '2026-01-05T08:00Z', '2026-01-05T08:00Z', '2026-01-05T08:00Z'
from (values
  ('0c000000-0000-7000-8000-000000000002', 'alice', 'carol'), ('0c000000-0000-7000-8000-000000000003', 'mallory', 'bob')
) as pair (id, sender, receiver);
update kith.users
set phone = '+491511234567' || right(id::text, 1), phone_verified_at = '2026-01-05T08:00Z', email = external_id || '@example.com', pending_phone = '+4915119999990'
where tenant_id = :acme;

-- Alice's settings, her check-ins and what she misses.
select tests.call('alice', $$ api.put_alarm_plan('{"tiers": [{"after_minutes": 0, "receivers": ["0c000000-0000-7000-8000-000000000001"]},
  {"after_minutes": 30, "receivers": ["0c000000-0000-7000-8000-000000000002"], "desk": true}], "repeat_minutes": [30, 120]}', '2026-03-01T08:00Z') $$),
  tests.call('alice', $$ api.check_in('I am well', true, null, 'app', '2026-03-02T09:10Z') $$),
  tests.call('bob', $$ api.put_quiet_hours('{"from": "22:00", "until": "07:00"}', '2026-03-01T08:00Z') $$),
  tests.call('bob', $$ api.put_notification_preferences('{"preferences": [{"type": "ping_completed", "channels": ["email"]}]}', '2026-03-01T08:00Z') $$),
  tests.call('bob', $$ api.put_device('{"platform": "web", "token": "https://push.example/device", "keys": {"p256dh": "p", "auth": "a"}}', '2026-03-01T08:00Z') $$),
  tests.call('carol', $$ api.give_feedback('{"topic": "app", "rating": 5, "text": "Good"}', '2026-03-01T08:00Z') $$),
  tests.call('alice', $$ api.create_connection_invitation('[{"name": "Zoe", "given_phone": "1", "phone": "+491590000078"}]', false, 'https://kith.example', '2026-03-01T08:00Z') $$)
\g /dev/null
insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at, asked_at, completed_at, note, remind_at, judge_at, alarmed_at)
select tenant_id, ping_on, id, internal.uuid7(ping_on + interval '9 hours'), sender_id, receiver_id, day.status, ping_on + interval '9 hours',
  ping_on + interval '10 hours 30 minutes', ping_on + interval '9 hours', completed_at::timestamptz, note, null, null, null
from kith.connections
cross join (values (date '2026-03-02', 'completed', '2026-03-02T09:10Z', 'I am well'), ('2026-03-08', 'missed', null, null)) as day (ping_on, status, completed_at, note)
where tenant_id = :acme
on conflict do nothing;
insert into kith.breaks (tenant_id, id, user_id, from_on, until_on, starts_at, ends_at, told_until_on, ended_at, created_at, updated_at)
values (:acme, '0d000000-0000-7000-8000-000000000001', tests.id('mallory'), '2026-02-01', '2026-02-03', '2026-02-01T00:00Z', '2026-02-04T00:00Z', '2026-02-03',
  '2026-02-04T00:00Z', '2026-01-31T00:00Z', '2026-02-04T00:00Z');
insert into kith.blocks values (:acme, tests.id('carol'), tests.id('mallory'), '2026-03-01T08:00Z');
insert into kith.ping_gaps values (:acme, '2026-03-03', tests.id('alice-bob'), '2026-03-03T10:00Z', true);
insert into kith.suspensions values (:acme, '2026-02-10T00:00Z', '2026-02-10T01:00Z');
insert into kith.text_numbers (tenant_id, phone, stopped_at, explained_at, answers, answers_since, updated_at)
values (:acme, '+4915112345671', '2026-03-01T08:00Z', '2026-03-01T08:00Z', 1, '2026-03-01T08:00Z', '2026-03-01T08:00Z');
insert into kith.retention_cuts values (:acme, 'pings', 100, '2026-04-01T00:00Z');
insert into kith.tenant_texts select :acme, 'en', 'notification.ping_missed.receiver', '{"text": "Please look after {name}."}', '2026-03-01T08:00Z';

-- An alarm of today's morning, and one of before.
insert into kith.alarms (tenant_id, id, sender_id, kind, opened_at, counts_from, called_at, take_minutes, repeats_at, repeats_told, desk_at, desk_told_at, taken_by,
  taken_at, taken_until, checked_at, resolved_at, resolved_by, outcome, expires_at, next_at)
values
  (:acme, internal.uuid7('2026-03-08T10:30Z'), tests.id('alice'), 'missed', '2026-03-08T10:30Z', '2026-03-08T10:30Z', null, 30,
    '{2026-03-08T11:00Z,2026-03-08T12:30Z}', 2, '2026-03-08T11:00Z', '2026-03-08T11:00Z', tests.id('bob'), '2026-03-09T07:50Z', '2026-03-09T08:20Z',
    null, null, null, null, '2026-03-15T10:30Z', '2026-03-09T08:20Z'),
  (:acme, internal.uuid7('2026-02-08T10:30Z'), tests.id('alice'), 'help', '2026-02-08T10:30Z', '2026-02-08T10:30Z', '2026-02-08T10:30Z', 30,
    '{2026-02-08T11:00Z,2026-02-08T12:30Z}', 0, null, null, null, null, null, null, '2026-02-08T10:40Z', tests.id('alice'), 'checked_in',
    '2026-02-15T10:30Z', null);
insert into kith.alarm_receivers (tenant_id, alarm_id, receiver_id, connection_id, tier, tell_at, told_at)
select tenant_id, id, receiver, connection, tier, counts_from, counts_from
from kith.alarms
cross join (values
  (tests.id('bob'), tests.id('alice-bob'), 1), (tests.id('carol'), uuid '0c000000-0000-7000-8000-000000000002', 2)
) as part (receiver, connection, tier)
where tenant_id = :acme;
insert into kith.alarm_entries (tenant_id, alarm_id, id, at, kind, user_id, desk, note, outcome)
select tenant_id, id, internal.uuid7(opened_at + at), opened_at + at, entry, tests.id(person), desk, note, null
from kith.alarms
cross join (values (interval '1 minute', 'noted', 'bob', null, 'I go there'), ('2 minutes', 'taken', 'bob', null, null), ('3 minutes', 'noted', null, 'Desk', 'Called'))
  as done (at, entry, person, desk, note)
where tenant_id = :acme;
insert into kith.asks values (:acme, internal.uuid7('2026-03-09T07:55Z'), '0c000000-0000-7000-8000-000000000003', tests.id('mallory'), tests.id('bob'),
  '2026-03-09T07:55Z', '2026-03-09T08:25Z', null, null);
insert into kith.care_cards values (:acme, tests.id('alice'), '\x00', '\x00', '2026-03-01T08:00Z');
insert into kith.card_views values (:acme, internal.uuid7('2026-03-01T08:00Z'), tests.id('alice'), tests.id('bob'), '2026-03-01T08:00Z');
select internal.notify(
  'ping_missed', array[:acme], array[tests.id('bob')],
  array[jsonb_build_object('connection_id', tests.id('alice-bob'), 'user_id', tests.id('alice'), 'date', '2026-03-08', 'ping_id', gen_random_uuid())],
  '2026-03-08T10:30Z'
) \g /dev/null
insert into kith.undelivered_alarms (tenant_id, notification_id, user_id, type, at, operators_at)
select tenant_id, id, user_id, type, '2026-03-08T10:40Z', '2026-03-08T10:45Z' from kith.notifications where tenant_id = :acme and type = 'ping_missed' limit 1;

-- Alice's vault.
select tests.ask(48, '2026-03-08T12:00Z') \g /dev/null
insert into kith.undelivered_alarms (tenant_id, notification_id, user_id, type, at, operators_at)
select tenant_id, id, user_id, type, '2026-03-08T10:40Z', '2026-03-08T10:45Z' from kith.notifications where tenant_id = :acme limit 1;
insert into kith.emergency_delays
select :acme, gen_random_uuid(), id, 'hold', '2026-03-08T12:00Z', '2026-03-08T13:00Z', '2026-03-10T13:00Z', '2026-03-08T13:00Z' from kith.emergency_requests;
select tests.call('alice', format($$ api.open_vault(%L, '2026-03-09T07:58Z') $$, :'vault')),
  tests.call('alice', format($$ api.send_message(%L, '0e000000-0000-7000-8000-000000000001', 'Hello', '2026-03-09T07:58Z') $$, :'vault')),
  tests.call('alice', format($$ api.put_share(%L, '{"record_name": "share"}', '2026-03-09T07:58Z') $$, :'vault'))
\g /dev/null
insert into kith.nominees (tenant_id, id, vault_id, owner_id, user_id, name, phone, email, status, access_level, invited_at, invited_by_user_id, updated_at)
values (:acme, '0e000000-0000-7000-8000-000000000002', :'vault', tests.id('alice'), null, 'Carol', '+491590000079', 'carol@example.com', 'pending', 'full',
  '2026-03-09T07:58Z', tests.id('alice'), '2026-03-09T07:58Z');
insert into kith.nominee_invitations (tenant_id, id, vault_id, nominee_id, owner_id, token_hash, channel, created_at, expires_at)
values (:acme, gen_random_uuid(), :'vault', '0e000000-0000-7000-8000-000000000002', tests.id('alice'), sha256('nominee'), 'link', '2026-03-09T07:58Z', '2026-03-16T07:58Z');
insert into kith.share_participants
select :acme, id, 'participant', '0e000000-0000-7000-8000-000000000002', 'pending', 'readOnly', 'privateUser', '2026-03-09T07:58Z', null
from kith.shares where tenant_id = :acme;
insert into kith.transfers (tenant_id, id, vault_id, owner_id, name, phone, keep_access, status, created_at, expires_at)
values (:acme, '0f000000-0000-7000-8000-000000000001', :'vault', tests.id('alice'), 'Zoe', '+491590000078', true, 'pending', '2026-03-09T07:58Z', '2026-03-16T07:58Z');
insert into kith.transfer_invitations (tenant_id, id, transfer_id, owner_id, token_hash, channel, created_at)
values (:acme, gen_random_uuid(), '0f000000-0000-7000-8000-000000000001', tests.id('alice'), sha256('transfer'), 'link', '2026-03-09T07:58Z');
insert into kith.emergency_quorums
values (:acme, :'vault', 2, '{0e000000-0000-7000-8000-000000000001,0e000000-0000-7000-8000-000000000002}', '2026-03-08T13:00Z');
insert into kith.vault_keys values (:acme, :'vault', '\x00', '2026-03-01T08:00Z') on conflict do nothing;
insert into kith.document_versions (tenant_id, id, vault_id, document_id, state, created_by, created_at, chunks, size, chunk_size)
values (:acme, '0f000000-0000-7000-8000-000000000002', :'vault', '0f000000-0000-7000-8000-000000000003', 'current', tests.id('alice'), '2026-03-09T07:58Z', 1, 1, 4096);
insert into kith.document_chunks values (:acme, '0f000000-0000-7000-8000-000000000002', 0, '\x00');
insert into kith.documents (tenant_id, id, vault_id, owner_id, version_id, name, content_type, size, sha256, created_at, created_by, updated_at)
values (:acme, '0f000000-0000-7000-8000-000000000003', :'vault', tests.id('alice'), '0f000000-0000-7000-8000-000000000002', 'will.pdf', 'application/pdf', 1,
  sha256(''), '2026-03-09T07:58Z', tests.id('alice'), '2026-03-09T07:58Z');

-- The tenant's server, and a sign-in.
insert into kith.api_keys (tenant_id, id, name, scopes, secret_hash, created_at)
values (:acme, gen_random_uuid(), 'server', '{all}', sha256('server'), '2026-03-01T08:00Z');
insert into kith.channel_credentials (tenant_id, channel, summary, sealed, created_at, updated_at)
values (:acme, 'sms', '{"provider": "test"}', '\x00', '2026-03-01T08:00Z', '2026-03-01T08:00Z');
insert into kith.jwt_keys (tenant_id, id, algorithm, own, issuer, audience, wrapped_secret, created_at, kid)
values (:acme, gen_random_uuid(), 'HS256', false, 'https://id.example', 'app', '\x00', '2026-03-01T08:00Z', 'kid');
insert into kith.webhooks (tenant_id, id, url, sealed_secrets, taken_xid, taken_at, has_news, next_attempt_at, created_at, updated_at)
values (:acme, gen_random_uuid(), 'https://acme.example/hook', '\x00', '3', '2026-03-01T08:00Z', false, '2026-03-01T08:00Z', '2026-03-01T08:00Z', '2026-03-01T08:00Z');
insert into kith.token_families (tenant_id, id, user_id, created_at, refreshed_at, expires_at)
values (:acme, '0f000000-0000-7000-8000-000000000004', tests.id('bob'), '2026-03-01T08:00Z', '2026-03-01T08:00Z', '2026-04-01T08:00Z');
insert into kith.refresh_tokens (tenant_id, id, family_id, secret_hash, created_at, expires_at)
values (:acme, gen_random_uuid(), '0f000000-0000-7000-8000-000000000004', sha256('refresh'), '2026-03-01T08:00Z', '2026-04-01T08:00Z');
insert into kith.audit values (:acme, internal.uuid7('2026-03-01T08:00Z'), '2026-03-01T08:00Z', 'operator:kith', 'tenant.update', 'acme', '{}', null);

-- A canary, whose run has died.
insert into kith.users (tenant_id, id, display_name, tokens_valid_from, created_at, updated_at)
select :acme, id, 'Canary', '2026-03-01T08:00Z', '2026-03-01T08:00Z', '2026-03-01T08:00Z'
from unnest('{0ca4a000-0000-7000-8000-000000000001,0ca4a000-0000-7000-8000-000000000002}'::uuid[]) as id;
insert into kith.canaries values (:acme, '0ca4a000-0000-7000-8000-000000000003', 24, 21, 20, '0ca4a000-0000-7000-8000-000000000001', '2026-03-01T08:00Z', '2026-03-01T08:00Z');
insert into kith.canary_people values
  (:acme, '0ca4a000-0000-7000-8000-000000000001', '0ca4a000-0000-7000-8000-000000000003', null),
  (:acme, '0ca4a000-0000-7000-8000-000000000002', '0ca4a000-0000-7000-8000-000000000003', '00:21');
insert into kith.canary_channels values (:acme, 'email', '0ca4a000-0000-7000-8000-000000000003', true, null, '2026-03-01T08:00Z');
insert into kith.canary_runs (tenant_id, canary_id, asks_at, sender_id, deadline_at, dies_at, ended_at)
values (:acme, '0ca4a000-0000-7000-8000-000000000003', '2026-03-08T00:21Z', '0ca4a000-0000-7000-8000-000000000002', '2026-03-08T00:26Z',
  '2026-03-08T00:46Z', '2026-03-08T00:46Z');
insert into kith.canary_arrivals (tenant_id, canary_id, asks_at, channel, needs_heard, outcome)
values (:acme, '0ca4a000-0000-7000-8000-000000000003', '2026-03-08T00:21Z', 'email', true, 'died');
