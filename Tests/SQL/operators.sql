-- What operators can read: everything needed to run the installation and to help people, but no private text and no secret.
begin;
\ir people.sql
select plan(5);

-- Each private text and each secret contains m4rk; then everything that an operator can read is searched for it.
select tests.as_user('acme', 'alice') \g /dev/null
select api.check_in('m4rk the note', false, null, 'app', '2026-03-10T08:00Z') \g /dev/null
select api.create_vault('{"name": "Papers"}', '2026-03-10T08:00Z') ->> 'id' as vault \gset
select api.put_share(:'vault', '{"url": "https://share.example/m4rk"}', '2026-03-10T08:00Z') \g /dev/null
select api.create_connection_invitation(
  '[{"name": "m4rk the aunt", "given_phone": "m4rk 1", "phone": "+4915100000001"}]', false, 'https://kith.example', '2026-03-10T08:00Z'
) \g /dev/null
select tests.as_superuser();
update kith.connection_invitations set message = 'm4rk the message', url = 'https://kith.example/m4rk', code = 'm4rk';
insert into kith.nominees (tenant_id, id, vault_id, owner_id, user_id, name, status, access_level, invited_at, invited_by_user_id, accepted_at, updated_at)
values (
  tests.tenant('acme'), '0c0000ff-0000-7000-8000-000000000001', :'vault', tests.id('alice'), tests.id('bob'), 'Bob', 'accepted', 'view',
  '2026-03-10T08:00Z', tests.id('alice'), '2026-03-10T08:00Z', '2026-03-10T08:00Z'
);
insert into kith.documents (tenant_id, id, vault_id, owner_id, version_id, name, content_type, size, sha256, created_at, created_by, updated_at)
values (
  tests.tenant('acme'), gen_random_uuid(), :'vault', tests.id('alice'), gen_random_uuid(), 'm4rk the will', 'text/plain', 0, sha256(''),
  '2026-03-10T08:00Z', tests.id('alice'), '2026-03-10T08:00Z'
);
select tests.as_user('acme', 'alice') \g /dev/null
select api.send_message(:'vault', '0c0000ff-0000-7000-8000-000000000001', 'm4rk the words', '2026-03-10T08:01Z') \g /dev/null
select tests.as_server('acme') \g /dev/null
select api.add_webhook(
  '0c0000ff-0000-7000-8000-000000000002', '{"url": "https://user:m4rk@acme.example/m4rk?m4rk=1"}', convert_to('m4rk', 'UTF8'), '2026-03-10T08:00Z'
) \g /dev/null
select tests.as_superuser();
insert into kith.deliveries (tenant_id, id, channel, purpose, address, body, sealed_secret, is_urgent, next_attempt_at, expires_at, created_at)
values (
  tests.tenant('acme'), internal.uuid7('2026-03-10T08:00Z'), 'sms', 'invitation', '+4915100000001', 'm4rk the text', convert_to('m4rk', 'UTF8'), false,
  '2026-03-10T08:00Z', '2026-03-11T08:00Z', '2026-03-10T08:00Z'
);
insert into kith.idempotency_keys (tenant_id, caller, key, fingerprint, sealed_answer, created_at, expires_at)
values (tests.tenant('acme'), 'user:x', 'm4rk', sha256('m4rk'), convert_to('m4rk', 'UTF8'), '2026-03-10T08:00Z', '2026-03-11T08:00Z');
update kith.unique_codes set code = '987654' where tenant_id = tests.tenant('acme') and code = '111111';

create function tests.readable() returns setof text
  language plpgsql
as $$
declare
  v_column record;
  v_found text;
begin
  perform tests.as_role('kith_admin');
  for v_column in
    select class.oid::regclass as name, attname
    from pg_class as class
    join pg_attribute on attrelid = class.oid and attnum > 0 and not attisdropped
    where class.relnamespace in ('kith'::regnamespace, 'internal'::regnamespace, 'admin'::regnamespace) and class.relkind in ('r', 'p', 'v')
      and has_column_privilege('kith_admin', class.oid, attnum, 'select')
      and has_schema_privilege('kith_admin', class.relnamespace, 'usage')
  loop
    execute format(
      'select %L from %s where strpos(%I::text, ''m4rk'') > 0 or strpos(%I::text, ''987654'') > 0 or strpos(%I::text, %L) > 0 limit 1',
      v_column.name || '.' || v_column.attname, v_column.name, v_column.attname, v_column.attname, v_column.attname,
      encode(convert_to('m4rk', 'UTF8'), 'hex')
    ) into v_found;
    if v_found is not null then
      return next v_found;
    end if;
  end loop;
  perform tests.as_superuser();
end
$$;
select is_empty('select tests.readable()', 'nothing that an operator can read contains a private text or a secret');
select is(
  (select format('%s %s', count(*), count(body)) from kith.notifications where type = 'message_received'), '1 1',
  'the private texts exist'
);
select tests.as_role('kith_admin');
select is(
  (select count(*) from kith.notifications where type = 'message_received' and user_id = tests.id('bob')), 1::bigint,
  'an operator sees that somebody was notified'
);
select is(
  (select url from admin.webhooks where tenant = 'acme'), 'https://acme.example/…', 'an operator sees a webhook''s host'
);
select tests.as_superuser();

-- Every text column that an operator can read is listed here. A new one is granted for a reason, and added here.
select set_eq(
  $$
    select format('%s.%s', class.relname, attname)
    from pg_class as class
    join pg_attribute on attrelid = class.oid and attnum > 0 and not attisdropped
    where class.relnamespace = 'kith'::regnamespace and class.relkind in ('r', 'p', 'v') and not class.relispartition
      and internal.base_type(atttypid) = any (array['text', 'text[]', 'jsonb', 'json', 'bytea']::regtype[])
      and has_column_privilege('kith_admin', class.oid, attnum, 'select')
  $$,
  array[
    'act_counts.act',
    'alarm_entries.kind', 'alarm_entries.outcome', 'alarm_links.channel', 'alarms.kind', 'alarms.outcome', 'alarms.resolved_by_desk', 'alarms.taken_by_desk',
    'api_keys.name', 'api_keys.scopes',
    'audit.action', 'audit.actor', 'audit.detail', 'audit.request_id', 'audit.subject',
    'canary_answers.channel', 'canary_arrivals.channel', 'canary_arrivals.error', 'canary_arrivals.outcome', 'canary_channels.channel',
    'channel_credentials.channel', 'channel_credentials.error', 'channel_credentials.inbound_token', 'channel_credentials.summary',
    'channel_pauses.channel', 'channel_pauses.paused_by', 'channel_pauses.reason',
    'check_ins.source',
    'code_attempts.outcome',
    'connection_invitation_recipients.phone', 'connection_invitation_recipients.problem', 'connection_invitation_recipients.status',
    'connections.deleted_by', 'connections.resting_status', 'connections.status',
    'deliveries.address', 'deliveries.channel', 'deliveries.error', 'deliveries.failures', 'deliveries.leased_by', 'deliveries.provider_id',
    'deliveries.purpose', 'deliveries.status', 'deliveries.subject',
    'delivery_totals.channel',
    'devices.environment', 'devices.platform', 'devices.token',
    'document_versions.state',
    'documents.content_type', 'documents.sha256',
    'emergency_delays.cause',
    'emergency_requests.access_level', 'emergency_requests.cause', 'emergency_requests.end_reason', 'emergency_requests.held_by',
    'emergency_requests.hold_reason', 'emergency_requests.sign_of_life', 'emergency_requests.sources',
    'emergency_settings.access_level', 'emergency_settings.sign_of_life', 'emergency_settings.sources',
    'event_readers.name',
    'events.type',
    'feedback.text', 'feedback.topic',
    'gap_checks.checked_time_zone',
    'disk_samples.what',
    'cell_directory.cluster', 'cell_directory.name', 'cells.address', 'cells.cluster', 'cells.name', 'tenant_cells.cell', 'tenant_cells.slug',
    'moving_tenants.state', 'tenant_moves.began_by', 'tenant_moves.slug', 'tenant_moves.source', 'tenant_moves.step', 'tenant_moves.target',
    'heartbeats.component', 'heartbeats.instance', 'heartbeats.version', 'heartbeats.loops',
    'incarnations.confirmed_by',
    'history.action', 'history.detail', 'history.subject_type',
    'jwt_issuers.audience', 'jwt_issuers.issuer', 'shared_issuers.issuer',
    'jwt_keys.algorithm', 'jwt_keys.audience', 'jwt_keys.issuer', 'jwt_keys.kid', 'jwt_keys.public_key',
    'nominee_invitations.channel', 'nominee_invitations.end_reason', 'nominee_invitations.outcome',
    'nominees.access_level', 'nominees.email', 'nominees.email_normalized', 'nominees.external_id', 'nominees.name', 'nominees.phone',
    'nominees.revoke_reason', 'nominees.share_participant_id', 'nominees.share_record_id', 'nominees.status',
    'notification_preferences.channels', 'notification_preferences.type',
    'notifications.data', 'notifications.delivery_status', 'notifications.type',
    'operators.created_by', 'operators.ended_by', 'operators.login',
    'operator_reads.login', 'operator_reads.statement', 'operator_reads.subject', 'operator_reads.tenant',
    'otp_codes.address', 'otp_codes.purpose',
    'otp_counts.scope',
    'otp_tries.address',
    'outages.component',
    'ping_runs.time_zone',
    'pings.status',
    'raised_quotas.act',
    'receiver_profiles.subscription_status',
    'retention_cuts.kind', 'retention_passes.kind',
    'sender_profiles.last_source', 'sender_profiles.time_zone',
    'set_aside.key', 'set_aside.loop', 'set_aside.place', 'set_aside.sqlstate',
    'share_participants.acceptance_status', 'share_participants.participant_id', 'share_participants.permission',
    'share_participants.role',
    'shares.permission', 'shares.record_name',
    'inbound_counts.channel', 'inbound_counts.outcome', 'inbound_messages.channel', 'inbound_messages.message_hash',
    'sender_profiles.reminders', 'signs.kind', 'text_numbers.phone',
    'brand_marks.picture', 'tenant_texts.forms', 'tenant_texts.key', 'tenant_texts.locale',
    'tenants.allowed_origins', 'tenants.app_ids', 'tenants.app_link', 'tenants.brand_color', 'tenants.brand_mark', 'tenants.brand_name', 'tenants.default_locale', 'tenants.default_region',
    'tenants.join_link', 'tenants.link_scheme', 'tenants.name', 'tenants.sign_in_url', 'tenants.slug', 'tenants.status', 'tenants.universal_link_host',
    'token_families.end_reason',
    'text_invitations.address',
    'transfer_invitations.channel', 'transfer_invitations.outcome',
    'transfers.email', 'transfers.name', 'transfers.phone', 'transfers.status',
    'undelivered_alarms.type',
    'unique_codes.role',
    'usage_hours.caller',
    'users.display_name', 'users.email', 'users.email_normalized', 'users.external_id', 'users.locale', 'users.pending_email',
    'users.pending_phone', 'users.phone', 'users.time_zone',
    'vault_sessions.kind', 'vault_sessions.lock_reason',
    'vaults.deleted_by', 'vaults.external_id', 'vaults.name',
    'webhooks.disabled_reason', 'webhooks.last_error', 'webhooks.leased_by', 'webhooks.types'
  ],
  'an operator can read exactly these text columns'
);

select * from finish();
rollback;
