-- The reasons to refuse an archive whose rows have been read.

create or replace function internal.import_objection(p_tenant_id integer, p_now timestamptz) returns text
  language plpgsql
  stable
as $$
begin
  return (
    select min(found.objection)
    from (
      -- A secret's hash finds its tenant, so it must be in one tenant only.
      select 'a key of an API is another tenant''s' from kith.api_keys as mine
      join kith.api_keys as other on other.secret_hash = mine.secret_hash and other.tenant_id <> mine.tenant_id
      where mine.tenant_id = p_tenant_id
      union all
      select 'the token of an invitation is another tenant''s' from kith.nominee_invitations as mine
      join kith.nominee_invitations as other on other.token_hash = mine.token_hash and other.tenant_id <> mine.tenant_id
      where mine.tenant_id = p_tenant_id
      union all
      select 'the token of a transfer is another tenant''s' from kith.transfer_invitations as mine
      join kith.transfer_invitations as other
        on other.token_hash = mine.token_hash and other.tenant_id <> mine.tenant_id
      where mine.tenant_id = p_tenant_id
      union all
      select 'a refresh token is another tenant''s' from kith.refresh_tokens as mine
      join kith.refresh_tokens as other on other.secret_hash = mine.secret_hash and other.tenant_id <> mine.tenant_id
      where mine.tenant_id = p_tenant_id
      union all
      select 'a key claims to sign for Kith' from kith.jwt_keys
      where tenant_id = p_tenant_id and (own or issuer = 'kith')
      union all
      -- One wrong zone would stop the loops of the worker for every tenant.
      select format('there is no time zone %L', zone)
      from (
        select time_zone from kith.users where tenant_id = p_tenant_id
        union select time_zone from kith.sender_profiles where tenant_id = p_tenant_id
      ) as zones (zone)
      where internal.kept_time_zone(zone) is distinct from zone
      union all
      select format('%L is no name', name)
      from (
        select display_name from kith.users where tenant_id = p_tenant_id
        union all select name from kith.vaults where tenant_id = p_tenant_id
        union all select name from kith.nominees where tenant_id = p_tenant_id
        union all select name from kith.documents where tenant_id = p_tenant_id
        union all select name from kith.transfers where tenant_id = p_tenant_id
        union all select alias_by_sender from kith.connections where tenant_id = p_tenant_id
        union all select alias_by_receiver from kith.connections where tenant_id = p_tenant_id
      ) as names (name)
      where not internal.is_name(name)
      union all
      select internal.imported_row_objection(p_tenant_id, p_now)
      union all
      select internal.imported_reference_objection(p_tenant_id, p_now)
      union all
      select internal.imported_instant_objection(p_tenant_id, p_now)
      union all
      select internal.imported_text_objection(p_tenant_id)
      union all
      select internal.imported_alarm_objection(p_tenant_id)
      union all
      select internal.imported_canary_objection(p_tenant_id)
      union all
      select 'the audit is ahead of the clock' from kith.audit
      where tenant_id = p_tenant_id and (at > p_now or id >= internal.first_uuid7(p_now + interval '1 minute'))
    ) as found (objection)
  );
end
$$;
comment on function internal.import_objection(integer, timestamptz) is
  'Why an imported tenant must not be activated, where no constraint says so: what the procedures would have refused, '
  'and what would reach other tenants. Null if there is nothing. To be called with no tenant set, because it looks at '
  'the others.';

create or replace function internal.imported_row_objection(p_tenant_id integer, p_now timestamptz) returns text
  language plpgsql
  stable
as $$
begin
  return (
    select format('row %s of %s: %s', found.key, found.name, found.reason)
    from (
      select 'pings' as name, concat_ws(' ', ping.ping_on, ping.connection_id) as key,
        'an export has no open ping' as reason
      from kith.pings as ping where ping.tenant_id = p_tenant_id and ping.status in ('scheduled', 'due')
      union all
      select 'pings', concat_ws(' ', ping.ping_on, ping.connection_id), 'its connection is another one'
      from kith.pings as ping
      left join kith.connections as connection
        on connection.tenant_id = p_tenant_id and connection.id = ping.connection_id
      where ping.tenant_id = p_tenant_id
        and (ping.sender_id, ping.receiver_id) is distinct from (connection.sender_id, connection.receiver_id)
      union all
      select 'notifications', notification.id::text, format('there is no type %L', notification.type)
      from kith.notifications as notification
      where notification.tenant_id = p_tenant_id
        and notification.type not in (select known.type from internal.notification_types() as known)
      union all
      select 'notification_preferences', concat_ws(' ', preference.user_id, preference.type), 'there is no such type'
      from kith.notification_preferences as preference
      where preference.tenant_id = p_tenant_id
        and preference.type not in (select known.type from internal.notification_types() as known)
      union all
      select 'undelivered_alarms', alarm.notification_id::text, format('there is no type %L', alarm.type)
      from kith.undelivered_alarms as alarm
      where alarm.tenant_id = p_tenant_id
        and alarm.type not in (select known.type from internal.notification_types() as known)
      union all
      select 'vault_sessions', session.id::text, 'it ends before it begins'
      from kith.vault_sessions as session
      where session.tenant_id = p_tenant_id
        and (session.expires_at < session.opened_at or session.locked_at < session.opened_at)
      union all
      select 'emergency_requests', request.id::text, 'its grant ends before it begins'
      from kith.emergency_requests as request
      where request.tenant_id = p_tenant_id and request.ends_at < request.grants_at
    ) as found
    limit 1
  );
end
$$;
comment on function internal.imported_row_objection(integer, timestamptz) is
  'The first row of an import that its constraints allow but no procedure could have written: its table, its key and '
  'the reason. Null if there is none. For internal.import_objection.';

create or replace function internal.imported_reference_objection(p_tenant_id integer, p_now timestamptz) returns text
  language plpgsql
  stable
as $$
begin
  return (
    select format('row %s of %s: %s', found.key, found.name, found.reason)
    from (
      select child.name, child.id::text as key, 'its owner is not that of the vault' as reason
      from (
        select 'nominees' as name, id, vault_id, owner_id from kith.nominees where tenant_id = p_tenant_id
        union all select 'vault_sessions', id, vault_id, owner_id from kith.vault_sessions where tenant_id = p_tenant_id
        union all select 'documents', id, vault_id, owner_id from kith.documents where tenant_id = p_tenant_id
      ) as child
      left join kith.vaults as vault on vault.tenant_id = p_tenant_id and vault.id = child.vault_id
      where child.owner_id is distinct from vault.owner_id
      union all
      select named.name, named.key, 'its user is not in the export'
      from (
        select 'notifications' as name, id::text as key, user_id from kith.notifications where tenant_id = p_tenant_id
        union all select 'check_ins', id::text, user_id from kith.check_ins where tenant_id = p_tenant_id
        union all select 'undelivered_alarms', notification_id::text, user_id from kith.undelivered_alarms
          where tenant_id = p_tenant_id
        union all select 'emergency_requests', id::text, user_id from kith.emergency_requests
          where tenant_id = p_tenant_id
        union all select 'emergency_requests', id::text, owner_id from kith.emergency_requests
          where tenant_id = p_tenant_id
        union all select 'alarms', id::text, sender_id from kith.alarms where tenant_id = p_tenant_id
        union all select 'alarm_entries', id::text, user_id from kith.alarm_entries
          where tenant_id = p_tenant_id and user_id is not null
        union all select 'card_views', id::text, user_id from kith.card_views where tenant_id = p_tenant_id
        union all select 'card_views', id::text, viewer_id from kith.card_views where tenant_id = p_tenant_id
      ) as named
      where not exists (
        select from kith.users as account where account.tenant_id = p_tenant_id and account.id = named.user_id
      )
      union all
      -- The time in an id says when its row is planned, shown and deleted.
      select timed.name, timed.id::text, 'the time in its id is ahead'
      from (
        select 'notifications' as name, id from kith.notifications where tenant_id = p_tenant_id
        union all select 'history', id from kith.history where tenant_id = p_tenant_id
        union all select 'audit', id from kith.audit where tenant_id = p_tenant_id
        union all select 'check_ins', id from kith.check_ins where tenant_id = p_tenant_id
        union all select 'alarms', id from kith.alarms where tenant_id = p_tenant_id
        union all select 'alarm_entries', id from kith.alarm_entries where tenant_id = p_tenant_id
        union all select 'asks', id from kith.asks where tenant_id = p_tenant_id
      ) as timed
      where timed.id >= internal.first_uuid7(p_now + interval '1 day')
    ) as found
    limit 1
  );
end
$$;
comment on function internal.imported_reference_objection(integer, timestamptz) is
  'The first row of an import that names what the export does not have, or whose id has a time that is ahead. Null if '
  'there is none. For internal.import_objection.';

create or replace function internal.instants_ahead() returns table (name text, column_name text, most interval)
  language sql
  immutable
as $$
  values
    ('alarm_receivers', 'tell_at', interval '1 day'),
    ('alarms', 'desk_at', '1 day'),
    ('alarms', 'expires_at', '8 days'),
    ('alarms', 'next_at', '8 days'),
    ('alarms', 'repeats_at', '9 days'),
    ('alarms', 'taken_until', '1 day'),
    ('api_keys', 'expires_at', null),
    ('asks', 'answer_by', '1 day'),
    ('breaks', 'ends_at', '460 days'),
    ('breaks', 'from_on', '370 days'),
    ('breaks', 'starts_at', '370 days'),
    ('breaks', 'told_until_on', '460 days'),
    ('breaks', 'until_on', '460 days'),
    ('check_ins', 'received_at', '0'),
    ('check_ins', 'tapped_at', '0'),
    ('emergency_delays', 'ended_at', null),
    ('emergency_delays', 'grants_at', null),
    ('emergency_requests', 'ends_at', null),
    ('emergency_requests', 'grants_at', null),
    ('emergency_requests', 'held_until', null),
    ('emergency_requests', 'notice_at', '400 days'),
    ('nominee_invitations', 'expires_at', '400 days'),
    ('notifications', 'deliver_at', '1 day'),
    ('notifications', 'escalates_at', null),
    ('notifications', 'planned_at', null),
    ('ping_gaps', 'ping_on', '2 days'),
    ('pings', 'completed_at', '0'),
    ('pings', 'deadline_at', '3 days'),
    ('pings', 'judge_at', '3 days'),
    ('pings', 'ping_on', '2 days'),
    ('pings', 'remind_at', '3 days'),
    ('pings', 'scheduled_at', '3 days'),
    ('receiver_profiles', 'pings_stop_at', '400 days'),
    ('receiver_profiles', 'subscription_expires_at', null),
    ('refresh_tokens', 'expires_at', '90 days'),
    ('retention_cuts', 'ends_at', null),
    ('sender_profiles', 'break_from_on', '370 days'),
    ('sender_profiles', 'break_until_on', '460 days'),
    ('sender_profiles', 'last_check_in_at', '0'),
    ('signs_of_life', 'answered_at', '0'),
    ('signs_of_life', 'seen_at', '0'),
    ('token_families', 'expires_at', '90 days'),
    ('transfers', 'expires_at', '400 days'),
    ('undelivered_alarms', 'examine_at', '90 days'),
    ('unique_codes', 'expires_at', null),
    ('vault_sessions', 'expires_at', '8 days'),
    ('vault_sessions', 'maximum_at', '8 days')
$$;
comment on function internal.instants_ahead() is
  'The columns of an export with instants and dates to come, and how far ahead of an import they may be; null for no '
  'bound but that of the schema. All others have happened. A sign of life may not be ahead at all: it would answer '
  'what is asked until then. For internal.imported_instant_objection.';

create or replace function internal.key_of_row(p_key text[]) returns text
  language plpgsql
  immutable
as $$
begin
  return format(
    'concat_ws('' '', %s)',
    (
      select string_agg(format('source.%I', part.name), ', ' order by part.n)
      from unnest(p_key) with ordinality as part (name, n)
    )
  );
end
$$;
comment on function internal.key_of_row(text[]) is
  'The expression that shows the key of a row of the table `source`, for the objections to an import.';

create or replace function internal.imported_instant_objection(p_tenant_id integer, p_now timestamptz) returns text
  language plpgsql
  stable
as $$
declare
  v_table record;
  v_objection text;
begin
  for v_table in
    select tables.name, internal.key_of_row(tables.key) as key,
      string_agg(
        format(
          '(%L, %s, %L::timestamptz)', moved.name,
          case
            when internal.base_type(attribute.atttypid) = 'timestamptz[]'::regtype
              then format('(select max(instant) from unnest(source.%I) as instant)', moved.name)
            else format('source.%I::timestamptz', moved.name)
          end,
          p_now + coalesce(ahead.most, interval '1 day')
        ), ', '
      ) as dates
    from internal.moved_tables() as tables
    cross join unnest(tables.columns) as moved (name)
    join pg_catalog.pg_attribute as attribute
      on attribute.attrelid = format('kith.%I', tables.name)::regclass and attribute.attname = moved.name
        and internal.base_type(attribute.atttypid) in (
          'timestamptz'::regtype, 'timestamptz[]'::regtype, 'date'::regtype
        )
    left join internal.instants_ahead() as ahead on ahead.name = tables.name and ahead.column_name = moved.name
    where ahead.name is null or ahead.most is not null
    group by tables.name, tables.key
    order by tables.name
  loop
    execute format(
      'select format(''row %%s of %1$s: %%s %%s is ahead of the clock'', %2$s, dated.name, internal.instant(dated.at))
      from kith.%1$I as source cross join lateral (values %3$s) as dated (name, at, latest)
      where source.tenant_id = $1 and dated.at > dated.latest limit 1',
      v_table.name, v_table.key, v_table.dates
    ) into v_objection using p_tenant_id;
    if v_objection is not null then
      return v_objection;
    end if;
  end loop;
  return null;
end
$$;
comment on function internal.imported_instant_objection(integer, timestamptz) is
  'The first row of an import in which something has happened after the import, or will happen later than a rule of '
  'Kith could have said (internal.instants_ahead). Clocks may differ by a day, except for signs of life. It reads the '
  'columns from the catalogue, so that a new one is not forgotten. Null if there is none. For '
  'internal.import_objection.';

create or replace function internal.imported_text_objection(p_tenant_id integer) returns text
  language plpgsql
  stable
as $$
declare
  v_table record;
  v_objection text;
begin
  for v_table in
    select tables.name, internal.key_of_row(tables.key) as key,
      string_agg(format('(%L, source.%I::text)', moved.name, moved.name), ', ') as texts
    from internal.moved_tables() as tables
    cross join unnest(tables.columns) as moved (name)
    join pg_catalog.pg_attribute as attribute
      on attribute.attrelid = format('kith.%I', tables.name)::regclass and attribute.attname = moved.name
        and internal.base_type(attribute.atttypid) in ('text'::regtype, 'text[]'::regtype, 'jsonb'::regtype)
    -- These quote what a provider or a tenant's server has answered.
    where moved.name not in ('error', 'last_error')
    group by tables.name, tables.key
    order by tables.name
  loop
    -- In the text of a jsonb, such a character is an escape.
    execute format(
      'select format(''row %%s of %1$s: %%s has a control character'', %2$s, written.name)
      from kith.%1$I as source cross join lateral (values %3$s) as written (name, text)
      where source.tenant_id = $1
        and written.text
          ~ ''[\u0001-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]|(?<!\\)(\\\\)*\\u00(0[0-8bcef]|1[0-9a-f])''
      limit 1',
      v_table.name, v_table.key, v_table.texts
    ) into v_objection using p_tenant_id;
    if v_objection is not null then
      return v_objection;
    end if;
  end loop;
  return (
    select format('row %s %s of tenant_texts: forms: %s', own.locale, own.key, found.error)
    from kith.tenant_texts as own
    cross join lateral (
      select case
        when not exists (select from internal.text_rules where rules -> 'locales' ? own.locale)
          then 'there is no such language'
        when own.forms ? 'text' and own.forms - 'text' <> '{}'
          then 'must be a text, or have a text for each plural category'
        else internal.text_errors(
          own.locale, jsonb_build_object(own.key, internal.own_text(own.forms))
        ) -> 0 ->> 'message'
      end as error
    ) as found
    where own.tenant_id = p_tenant_id and found.error is not null
    limit 1
  );
end
$$;
comment on function internal.imported_text_objection(integer) is
  'The first text of an import that no request could have written: one with a control character, in any column, or one '
  'of the tenant''s own words that internal.text_errors refuses. Null if there is none. For internal.import_objection.';

create or replace function internal.imported_alarm_objection(p_tenant_id integer) returns text
  language plpgsql
  stable
as $$
begin
  return (
    select format('row %s of %s: %s', found.key, found.name, found.reason)
    from (
      -- The connection that a row names decides who is told about whom.
      select named.name, named.key, 'connection_id is not of its sender and its receiver' as reason
      from (
        select 'alarm_plan_receivers' as name, concat_ws(' ', user_id, connection_id) as key, connection_id,
          user_id as sender_id, null::uuid as receiver_id
        from kith.alarm_plan_receivers where tenant_id = p_tenant_id
        union all
        select 'alarm_receivers', concat_ws(' ', receiver.alarm_id, receiver.receiver_id), receiver.connection_id,
          alarm.sender_id, receiver.receiver_id
        from kith.alarm_receivers as receiver
        left join kith.alarms as alarm on alarm.tenant_id = p_tenant_id and alarm.id = receiver.alarm_id
        where receiver.tenant_id = p_tenant_id
        union all
        select 'asks', id::text, connection_id, sender_id, receiver_id from kith.asks where tenant_id = p_tenant_id
      ) as named
      left join kith.connections as connection
        on connection.tenant_id = p_tenant_id and connection.id = named.connection_id
      where connection.sender_id is distinct from named.sender_id
        or connection.receiver_id is distinct from coalesce(named.receiver_id, connection.receiver_id)
      union all
      select 'alarm_receivers', concat_ws(' ', receiver.alarm_id, receiver.receiver_id),
        'tell_at is later than any tier'
      from kith.alarm_receivers as receiver
      join kith.alarms as alarm on alarm.tenant_id = p_tenant_id and alarm.id = receiver.alarm_id
      where receiver.tenant_id = p_tenant_id
        and receiver.tell_at - greatest(alarm.opened_at, alarm.counts_from) > interval '12 hours'
      union all
      select 'alarms', alarm.id::text, 'taken_by has no part in it'
      from kith.alarms as alarm
      where alarm.tenant_id = p_tenant_id and alarm.taken_by is not null and not exists (
        select from kith.alarm_receivers as receiver
        where receiver.tenant_id = p_tenant_id and receiver.alarm_id = alarm.id
          and receiver.receiver_id = alarm.taken_by and receiver.told_at is not null and receiver.left_at is null
      )
      union all
      select 'alarms', alarm.id::text, 'resolved_by has no part in it'
      from kith.alarms as alarm
      where alarm.tenant_id = p_tenant_id and alarm.resolved_by <> alarm.sender_id and not exists (
        select from kith.alarm_receivers as receiver
        where receiver.tenant_id = p_tenant_id and receiver.alarm_id = alarm.id
          and receiver.receiver_id = alarm.resolved_by
      )
      union all
      select 'alarm_plan_receivers', concat_ws(' ', member.user_id, member.connection_id), 'tier is none of its plan'
      from kith.alarm_plan_receivers as member
      join kith.alarm_plans as plan on plan.tenant_id = p_tenant_id and plan.user_id = member.user_id
      where member.tenant_id = p_tenant_id and member.tier > cardinality(plan.after_minutes)
    ) as found
    limit 1
  );
end
$$;
comment on function internal.imported_alarm_objection(integer) is
  'The first row about alarms of an import that depends on another row and does not agree with it: it names another '
  'pair''s connection, or somebody who has no part in the alarm, or a tier that is not there. Null if there is none. '
  'There are no foreign keys for this, because checking them would make each judgement of a miss more expensive. For '
  'internal.import_objection.';

create or replace function internal.imported_canary_objection(p_tenant_id integer) returns text
  language plpgsql
  stable
as $$
begin
  return (
    -- Nothing counts a canary's account, so nobody may be one to whom the product shows anything else.
    select format('the canary''s account %s is a person''s: %s', hidden.user_id, found.what)
    from kith.canary_people as hidden
    cross join lateral (
      select 'it has an external_id' from kith.users as one
      where one.tenant_id = p_tenant_id and one.id = hidden.user_id and one.external_id is not null
      union all
      select 'it has a code' from kith.unique_codes as one
      where one.tenant_id = p_tenant_id and one.user_id = hidden.user_id
      union all
      select 'it has checked in' from kith.check_ins as one
      where one.tenant_id = p_tenant_id and one.user_id = hidden.user_id
      union all
      select 'it has a vault' from kith.vaults as one
      where one.tenant_id = p_tenant_id and one.owner_id = hidden.user_id
      union all
      select 'it is a nominee' from kith.nominees as one
      where one.tenant_id = p_tenant_id and one.user_id = hidden.user_id
      union all
      select 'it is connected with a person'
      from kith.connections as one
      where one.tenant_id = p_tenant_id and hidden.user_id in (one.sender_id, one.receiver_id) and not exists (
        select
        from internal.hidden_person(
          p_tenant_id, case hidden.user_id when one.sender_id then one.receiver_id else one.sender_id end
        )
      )
    ) as found (what)
    where hidden.tenant_id = p_tenant_id
    limit 1
  );
end
$$;
comment on function internal.imported_canary_objection(integer) is
  'The first account of an import that claims to be a canary''s and is a person''s: it would be in no count and no '
  'list. Null if there is none. For internal.import_objection.';
