-- What an export of a tenant contains (G08). The list of tables comes from the catalogue, so that a table that is added
-- later is exported unless it is named here.

create or replace function internal.unmoved_tables() returns table (name text, reason text)
  language sql
  immutable
as $$
  values
    ('act_counts', 'counts of a day, for limits'),
    ('alarm_links', 'only with the token that begins with the tenant''s number here; the next message has a new one'),
    ('brand_marks', 'the picture is with the settings in the manifest'),
    ('canary_answers', 'kept for a day, for the next look of the worker'),
    ('channel_pauses', 'what this installation''s worker or operator has paused'),
    ('check_in_links', 'good until the next ping, and only with the token that begins with the tenant''s number here'),
    ('code_attempts', 'counts of tries, for limits'),
    ('deliveries', 'the queue of this installation; what waits in it is planned again after the import'),
    ('drafts', 'kept for minutes'),
    ('events', 'the feed of a few days; clients load everything again'),
    ('idempotency_key_subjects', 'belong to idempotency_keys'),
    ('idempotency_keys', 'answers kept for a day'),
    ('inbound_counts', 'counts of what this installation received'),
    ('inbound_messages', 'ids of a week, by which repeats are known'),
    ('jwt_issuers', 'claimed again for the keys'),
    ('move_marks', 'the state of a move to another cell'),
    ('moving_tenants', 'the state of a move to another cell'),
    ('otp_codes', 'one-time codes of minutes'),
    ('otp_counts', 'counts of a day, for limits'),
    ('otp_tries', 'counts of tries, for limits'),
    ('ping_runs', 'planned again, so that no day that passed while the tenant was deleted counts as made'),
    ('places', 'kept for 7 days'),
    ('raised_quotas', 'what an operator of this installation has allowed for a time'),
    ('retention_passes', 'how far this installation''s retention is'),
    ('set_aside', 'what this installation''s worker could not process'),
    ('signs', 'their addresses begin with the tenant''s number here; their owners make them again'),
    ('tenant_cells', 'the map of this installation'),
    ('tenant_imports', 'the state of an import'),
    ('tenant_moves', 'the state of a move to another cell'),
    ('tenant_purges', 'the state of a purge'),
    ('tenant_sizes', 'the disk of this installation'),
    ('tenant_usage', 'counted again'),
    ('tenants', 'the settings are in the manifest'),
    ('text_invitations', 'counts of a day, for limits'),
    ('usage_hours', 'what this installation has answered')
$$;
comment on function internal.unmoved_tables() is 'The tables that are not exported with a tenant, and why.';

create or replace function internal.kept_back() returns timestamptz
  language sql
  immutable
  parallel safe
as $$ select timestamptz '9999-12-31 00:00:00Z' $$;
comment on function internal.kept_back() is
  'An instant that never comes: a notification that an import has written, and that is still to be sent, is planned '
  'then, so that no worker takes it before internal.finish_import. Not infinity, which no column may have.';

create or replace function internal.is_still_owed(p_notification kith.notifications) returns boolean
  language plpgsql
  stable
as $$
begin
  if p_notification.delivery_status = 'dropped' then
    return exists (
      select from kith.tenants where tenant_id = p_notification.tenant_id and deleted_at <= p_notification.planned_at
    );
  end if;
  return p_notification.planned_at < internal.kept_back() and exists (
    select from kith.deliveries as delivery
    where delivery.tenant_id = p_notification.tenant_id and delivery.notification_id = p_notification.id
      and delivery.status in ('queued', 'sending')
  ) and not exists (
    select from kith.deliveries as delivery
    where delivery.tenant_id = p_notification.tenant_id and delivery.notification_id = p_notification.id
      and delivery.status = 'sent'
  );
end
$$;
comment on function internal.is_still_owed(kith.notifications) is
  'Whether a planned notification of a tenant that leaves must be planned again elsewhere: it waits in the queue and '
  'was sent on no channel, or it was dropped only because the tenant was deleted.';

create or replace function internal.move_rules()
  returns table (name text, filter text, sealed text, read jsonb, computed jsonb)
  language sql
  stable
as $$
  values
    -- The import binds the card itself to the tenant's new number.
    ('care_cards', null, 'sealed_key', '{}'::jsonb, '{}'::jsonb),
    (
      'channel_credentials', null, 'sealed', '{}',
      '{"inbound_token": "$1 || ''-'' || translate(gen_random_uuid()::text, ''-'', '''')"}'
    ),
    (
      'connection_invitation_recipients', null, null,
      '{"status": "case source.status when ''queued'' then ''failed'' else source.status end"}', '{}'
    ),
    (
      'document_chunks',
      'exists (select from kith.document_versions as version where version.tenant_id = source.tenant_id and version.id '
      '= source.version_id and version.state = ''current'')', 'sealed', '{}', '{}'
    ),
    ('document_versions', 'source.state = ''current''', null, '{}', '{}'),
    ('jwt_keys', 'not source.own', 'wrapped_secret', '{}', '{"own": "false"}'),
    (
      'notifications', null, null,
      jsonb_build_object(
        'planned_at',
        'case when source.planned_at is null or internal.is_still_owed(source) then internal.kept_back() else '
        'source.planned_at end',
        'delivery_status', 'case when internal.is_still_owed(source) then ''queued'' else source.delivery_status end',
        'escalates_at', 'case when source.escalates_at is not null then internal.kept_back() end'
      ),
      '{"xid": "null::xid8"}'
    ),
    (
      'pings',
      'source.status not in (''scheduled'', ''due'') and not (source.status = ''cancelled'' and exists (select from '
      'kith.tenants as tenant where tenant.tenant_id = source.tenant_id and tenant.deleted_at < source.deadline_at))',
      null, '{}', '{}'
    ),
    ('vault_keys', null, 'wrapped_key', '{}', '{}'),
    (
      'webhooks', null, 'sealed_secrets', '{}',
      '{"taken_xid": "pg_snapshot_xmin(pg_current_snapshot())",
        "taken_id": "''00000000-0000-0000-0000-000000000000''::uuid", "taken_at": "$3", "has_news": "false",
        "batch_id": "null::uuid", "batch_xid": "null::xid8", "batch_until_id": "null::uuid", "batch_is_reset": "false",
        "attempts": "0", "next_attempt_at": "$3", "leased_by": "null"}'
    )
$$;
comment on function internal.move_rules() is
  'What is particular about tables of an export. filter: which rows it has. sealed: the column that the master key, or '
  'for document_chunks the key of the vault, encrypts. read: columns that it reads in another way. computed: columns '
  'that it leaves out and an import computes ($3 is the time). Transaction ids mean nothing in another database. '
  'Kith''s own signing keys stay, because whoever has the export could sign tokens with them. An unfinished upload has '
  'no document. Open pings, and those that the worker cancels because the tenant is deleted, are made again by the '
  'runs that internal.finish_import plans. A notification that is still to be sent is planned at internal.kept_back. '
  'An invitation that waits in the queue counts as not sent.';

create or replace function internal.moved_tables() returns table (
  name text, level integer, columns text[], key text[], filter text, sealed text, read jsonb, computed jsonb
)
  language sql
  stable
as $$
  select tables.name, tables.level,
    array(
      select attribute.attname::text from pg_catalog.pg_attribute as attribute
      where attribute.attrelid = format('kith.%I', tables.name)::regclass and attribute.attnum > 0
        and not attribute.attisdropped and attribute.attgenerated = '' and attribute.attname <> 'tenant_id'
        and not coalesce(rules.computed ? attribute.attname, false)
      order by attribute.attname::text collate "C"
    ),
    tables.key, rules.filter, rules.sealed, coalesce(rules.read, '{}'), coalesce(rules.computed, '{}')
  from internal.tenant_tables() as tables
  left join internal.move_rules() as rules on rules.name = tables.name
  where tables.name not in (select unmoved.name from internal.unmoved_tables() as unmoved)
$$;
comment on function internal.moved_tables() is
  'The tables of an export. level: a table refers only to tables of lower levels. columns: those that the export has, '
  'in the order of their names. key: the primary key without the tenant. The rest is of internal.move_rules.';

create or replace function internal.moved_schema() returns text
  language plpgsql
  stable
as $$
begin
  return (
    select encode(sha256(convert_to(string_agg(line, e'\n' order by line collate "C"), 'UTF8')), 'hex')
    from (
      select format('%s.%s %s', tables.name, moved.name, format_type(attribute.atttypid, attribute.atttypmod))
      from internal.moved_tables() as tables
      cross join unnest(tables.columns) as moved (name)
      join pg_catalog.pg_attribute as attribute
        on attribute.attrelid = format('kith.%I', tables.name)::regclass and attribute.attname = moved.name
    ) as columns (line)
  );
end
$$;
comment on function internal.moved_schema() is
  'The SHA-256 of the names and types of all columns of an export: installations with the same one can exchange '
  'tenants.';
