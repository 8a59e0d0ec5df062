-- The writes that somebody can forge who runs SQL as one of Kith's roles, within their tenant and under their own name: nothing that
-- others rely on. The lists are complete: a new grant has to be added here, with its reason.
begin;
\ir people.sql
select plan(43);

create view tests.tables as
select class.oid, class.relname, class.oid::regclass::text as name
from pg_class as class
where class.relnamespace in ('kith'::regnamespace, 'internal'::regnamespace, 'admin'::regnamespace)
  and class.relkind in ('r', 'p', 'v') and not class.relispartition;

select set_eq(
  $$
    select format('%s %s.%s', lower(privilege), relname, attname)
    from tests.tables
    join pg_attribute on attrelid = tables.oid and attnum > 0 and not attisdropped
    cross join unnest(array['INSERT', 'UPDATE']) as privilege
    where has_column_privilege('kith_api', tables.oid, attnum, privilege) and relname <> 'idempotency_keys'
  $$,
  array['update notifications.read_at'],
  'the only column that the API''s role writes directly is the time of reading a notification'
);
select set_eq(
  $$
    select format('%s %s', lower(privilege), relname)
    from tests.tables
    cross join unnest(array['INSERT', 'UPDATE', 'DELETE', 'TRUNCATE']) as privilege
    where privilege in ('INSERT', 'UPDATE') and has_any_column_privilege('kith_api', tables.oid, privilege)
      or privilege in ('DELETE', 'TRUNCATE') and has_table_privilege('kith_api', tables.oid, privilege)
  $$,
  array['insert idempotency_keys', 'update idempotency_keys', 'update notifications'],
  'the only other table that the API''s role writes is the one with kept answers, which are sealed'
);
select set_eq(
  $$
    select proc.proname::text
    from pg_proc as proc
    where proc.pronamespace = 'internal'::regnamespace and proc.prosecdef and has_function_privilege('kith_api', proc.oid, 'execute')
  $$,
  array[
    -- They read the user's own rows.
    'blocks_json', 'devices_json', 'exported_documents', 'history_items', 'own_deliveries', 'own_events', 'people_of_documents',
    'exported_emergency_requests', 'seen_alarm', 'exported_questions', 'seen_conversation', 'seen_document', 'seen_emergency_request', 'seen_invitation', 'seen_message', 'seen_nominee', 'seen_session', 'vault_details', 'own_unread_messages', 'own_open_alarms', 'home_outline', 'sender_profile_json', 'awaited_emergencies', 'awaited_confirmations', 'sessions_json', 'open_asks',
    'alarm_of_ping', 'sms_invitations_left', 'notification_page', 'notifications_of_types', 'seen_notification',
    -- The date of the tenant's oldest ping.
    'first_ping_on',
    -- They withhold kept answers, only the caller's own.
    'hidden_subjects', 'name_subjects', 'may_repeat',
    -- The sealed keys with which a server checks its master key.
    'sealed_samples',
    -- Whether an instant is lost since a restore, which concerns the installation.
    'was_lost',
    -- It renders notifications for a server's streams. It refuses a request, which has a tenant.
    'notification_events',
    -- Up to which transaction the feed is complete, which concerns the installation, too.
    'feed_end',
    -- They write the user's current act, check it themselves, and accept no statement about what has happened.
    'own_texts_stopped_at', 'own_alarm_ways', 'own_first_steps', 'own_open_requests', 'emit_read', 'lock_own_vault', 'note_activity', 'open_session',
    -- They read how a receiver of the tenant was told of a miss, and how its alarm ended for somebody who has a part in it.
    'telling_of_miss', 'reachable_by', 'resolution_of_miss',
    -- Until when judgements wait after an outage, which concerns the installation.
    'waits_until',
    -- In which time zones of the tenant Kith is late, which concerns everybody there.
    'late_zones',
    -- They put what the caller has read into the words of the caller's tenant.
    'own_sight', 'sight_on', 'connection_state', 'day_state'
  ],
  'the only internal definer functions that kith_api may call trust no fact from their caller'
);

select set_eq(
  $$
    select format('%s %s', lower(privilege), relname)
    from tests.tables
    cross join unnest(array['INSERT', 'UPDATE', 'DELETE', 'TRUNCATE']) as privilege
    where privilege in ('INSERT', 'UPDATE') and has_any_column_privilege('kith_worker', tables.oid, privilege)
      or privilege in ('DELETE', 'TRUNCATE') and has_table_privilege('kith_worker', tables.oid, privilege)
  $$,
  array[
    -- Generation runs as the worker, because its statements are planned anew for each batch.
    'insert pings', 'insert ping_runs', 'update ping_runs', 'insert ping_gaps', 'update ping_gaps', 'update gap_checks'
  ],
  'the worker writes only the tables of generation directly, and notifies only through procedures'
);
select set_eq(
  $$
    select attname::text
    from pg_attribute
    where attrelid = 'kith.pings'::regclass and attnum > 0 and has_column_privilege('kith_worker', attrelid, attnum, 'INSERT')
  $$,
  array[
    'tenant_id', 'ping_on', 'connection_id', 'id', 'sender_id', 'receiver_id', 'status', 'scheduled_at', 'remind_at', 'deadline_at'
  ],
  'the worker can insert scheduled pings, but not completed ones'
);
select set_eq(
  $$
    select relname::text
    from tests.tables
    where has_any_column_privilege('kith_worker', oid, 'SELECT')
  $$,
  array[
    'tenants', 'connections', 'sender_profiles', 'pings', 'ping_runs', 'ping_gaps', 'gap_checks', 'migrated_schemas',
    -- What generation leaves out.
    'set_aside', 'tenant_imports'
  ],
  'the worker reads what generation and its start need, but no notes, messages or notifications'
);
set local role kith_worker;
select throws_ok(
  $$
    insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, remind_at, deadline_at)
    select tenant_id, current_date, id, gen_random_uuid(), sender_id, receiver_id, 'missed', now(), now(), now() from kith.connections limit 1
  $$,
  '42501', null, 'the worker can insert only scheduled pings'
);
reset role;
select is_empty(
  $$
    select relname, privilege
    from tests.tables
    cross join unnest(array['INSERT', 'UPDATE']) as privilege
    where has_any_column_privilege('kith_admin', tables.oid, privilege)
  $$,
  'operators write only through the procedures of schema admin'
);

-- Mallory knows Carol's id, but neither her code nor anything else about her. Alice and Bob are connected.
create function tests.attempt(p_person text, p_statement text) returns text
  language plpgsql
as $$
begin
  perform tests.as_user('acme', p_person);
  execute p_statement;
  perform tests.as_superuser();
  return 'done';
exception when others then
  perform tests.as_superuser();
  return sqlstate;
end
$$;

select tests.as_user('acme', 'alice') \g /dev/null
select api.create_vault('{"name": "Alice''s papers"}', '2026-03-10T08:00Z') ->> 'id' as vault \gset
select tests.as_superuser() \g /dev/null
insert into kith.nominees (tenant_id, id, vault_id, owner_id, user_id, name, status, access_level, invited_at, invited_by_user_id, accepted_at, updated_at)
values (
  tests.tenant('acme'), gen_random_uuid(), :'vault', tests.id('alice'), tests.id('bob'), 'Bob', 'accepted', 'full', '2026-03-10T08:00Z',
  tests.id('alice'), '2026-03-10T08:00Z', '2026-03-10T08:00Z'
);
update kith.connections set status = 'pending' where id = tests.id('alice-bob');

select is(tests.attempt(person, statement), '42501', format('%s cannot %s', person, act))
from (values
  ('mallory', 'connect with Carol without her code', $$
    insert into kith.connections (tenant_id, id, sender_id, receiver_id, status, code_owner_id, activated_at, created_at, updated_at)
    values (kith.tenant_id(), gen_random_uuid(), tests.id('mallory'), tests.id('carol'), 'active', tests.id('carol'), now(), now(), now())
  $$),
  ('mallory', 'become the receiver of Alice without her code', $$
    insert into kith.connections (tenant_id, id, sender_id, receiver_id, status, code_owner_id, activated_at, created_at, updated_at)
    values (kith.tenant_id(), gen_random_uuid(), tests.id('alice'), tests.id('mallory'), 'active', tests.id('alice'), now(), now(), now())
  $$),
  ('mallory', 'connect through the internal procedure', $$
    select internal.begin_connection(tests.id('mallory'), tests.id('carol'), tests.id('carol'), now())
  $$),
  ('alice', 'consent for Bob', $$ update kith.connections set status = 'active' where tenant_id = kith.tenant_id() $$),
  ('bob', 'pause a connection that only Alice may pause', $$ update kith.connections set status = 'paused' where tenant_id = kith.tenant_id() $$),
  ('alice', 'record that Bob removed the connection', $$
    update kith.connections set status = 'deleted', deleted_at = now(), deleted_by = 'user:' || tests.id('bob')
    where tenant_id = kith.tenant_id()
  $$),
  ('alice', 'own the code of their connection', $$
    update kith.connections set code_owner_id = tests.id('alice') where tenant_id = kith.tenant_id()
  $$),
  ('bob', 'have Alice''s open pings cancelled', $$ select internal.cancel_pings(tests.id('alice-bob'), now()) $$),
  ('bob', 'have a ping of Alice made', $$ select internal.bring_ping(tests.id('alice-bob'), now()) $$),
  ('bob', 'tell Alice that he paused', $$ select internal.notify_connection(tests.id('alice-bob'), 'connection_paused', now()) $$),
  ('bob', 'write to Alice''s event feed', $$ select internal.emit_connection(tests.id('alice-bob'), now()) $$),
  ('mallory', 'write to others'' event feeds in Alice''s name', $$ select internal.emit_name(tests.id('alice'), now()) $$),
  ('mallory', 'write to the event feed of a vault', format($$ select internal.emit_vault(%L, now()) $$, :'vault')),
  ('alice', 'check in for next week', $$
    insert into kith.check_ins (tenant_id, id, user_id, received_at, created_at)
    values (kith.tenant_id(), gen_random_uuid(), tests.id('alice'), now() + interval '7 days', now())
  $$),
  ('alice', 'record a last check-in without a check-in', $$
    update kith.sender_profiles set last_check_in_at = now() + interval '7 days' where user_id = kith.user_id()
  $$),
  ('alice', 'complete pings with a check-in that does not exist', $$
    select internal.complete_pings(gen_random_uuid(), null, 'app', 'UTC', null, null, now(), now())
  $$),
  ('bob', 'write a false entry to a vault''s history', format($$
    select internal.record_history(%L, kith.user_id(), 'document.deleted', 'document', gen_random_uuid(), '{}', now())
  $$, :'vault')),
  ('bob', 'insert a row of history', format($$
    insert into kith.history (tenant_id, id, vault_id, at, actor_id, action) values (kith.tenant_id(), gen_random_uuid(), %L, now(), kith.user_id(), 'x')
  $$, :'vault')),
  ('bob', 'change who deleted a document', $$ update kith.documents set deleted_by = tests.id('alice'), deleted_at = now() $$),
  ('alice', 'insert a vault without quota and history', $$
    insert into kith.vaults (tenant_id, id, owner_id, name, created_at, updated_at)
    values (kith.tenant_id(), gen_random_uuid(), kith.user_id(), 'X', now(), now())
  $$),
  ('alice', 'let nominees open a vault without a history entry', $$ update kith.vaults set full_may_open = true $$),
  ('bob', 'make a nominee of themselves', format($$
    insert into kith.nominees (tenant_id, id, vault_id, owner_id, user_id, name, status, access_level, invited_at, updated_at)
    values (kith.tenant_id(), gen_random_uuid(), %L, kith.user_id(), kith.user_id(), 'B', 'accepted', 'full', now(), now())
  $$, :'vault')),
  ('alice', 'write the text that Kith sends to a number', $$
    insert into kith.connection_invitations (tenant_id, id, user_id, message, code, url, recipients, created_at)
    values (kith.tenant_id(), gen_random_uuid(), kith.user_id(), 'Call 0900', '111111', 'https://evil.example', 1, now())
  $$),
  ('alice', 'change an invited number', $$
    insert into kith.connection_invitation_recipients (tenant_id, invitation_id, n, user_id, given_phone, phone, status, updated_at)
    values (kith.tenant_id(), gen_random_uuid(), 1, kith.user_id(), '1', '+4915100000001', 'queued', now())
  $$),
  ('alice', 'queue a text directly', $$ select internal.queue_invitation(gen_random_uuid(), now()) $$),
  ('mallory', 'take over Carol''s code', $$ update kith.unique_codes set user_id = kith.user_id() $$),
  ('mallory', 'read the owner of a code', $$ select internal.attempt_code('333333', now()) $$),
  ('mallory', 'create codes without the role''s profile', $$ select internal.new_code('sender', false, now() + interval '9 years', now()) $$),
  ('alice', 'be on a break for years', $$ select internal.replace_break('2026-01-01', '2036-01-01', now()) $$),
  ('alice', 'plan runs of generation', $$ select internal.plan_run('Asia/Tokyo', now()) $$),
  ('mallory', 'bypass the rules for names', $$ update kith.users set display_name = 'X' where id = kith.user_id() $$),
  ('mallory', 'confirm a number of their own', $$ update kith.users set phone = '+4915100000009', phone_verified_at = now() where id = kith.user_id() $$),
  ('bob', 'subscribe for nothing', $$ update kith.receiver_profiles set subscription_status = 'active' where user_id = kith.user_id() $$),
  ('bob', 'notify Alice', $$
    insert into kith.notifications (tenant_id, id, user_id, type, body, created_at)
    values (kith.tenant_id(), gen_random_uuid(), tests.id('alice'), 'ping_missed', 'Y', now())
  $$),
  ('mallory', 'take part in a share', $$ update kith.share_participants set role = 'owner' $$)
) as attempts (person, act, statement);

select * from finish();
rollback;
