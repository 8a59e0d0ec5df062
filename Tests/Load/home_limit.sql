-- The first screen of a sender by plain SQL: the same rows as api.home reads, and the same JSON, for a superuser, without policies,
-- procedures or the context of a caller. As a person would write it who tunes this one query; a list of vaults is left out, because the
-- users of this benchmark have none, and whether they do is all that is asked.
with account as materialized (
  select * from kith.users where tenant_id = {t}::integer and id = {u}::uuid and deleted_at is null
), profile as materialized (
  select profile.*, code.code
  from kith.sender_profiles as profile
  left join kith.unique_codes as code
    on code.tenant_id = {t}::integer and code.user_id = {u}::uuid and code.role = 'sender' and code.permanent and code.rotated_at is null
  where profile.tenant_id = {t}::integer and profile.user_id = {u}::uuid and profile.ended_at is null
), connection as materialized (
  select connection.*, counterpart.display_name as counterpart_name, ping as today, ping.status as ping_status, ping.deadline_at
  from kith.connections as connection
  cross join profile
  join kith.users as counterpart on counterpart.tenant_id = {t}::integer and counterpart.id = connection.receiver_id
  left join lateral (
    select * from kith.pings as ping
    where ping.tenant_id = {t}::integer and ping.connection_id = connection.id
      -- The first condition lets the executor open the partitions of three dates only, before it knows the zone.
      and ping.ping_on between ({now}::timestamptz at time zone 'UTC')::date - 1 and ({now}::timestamptz at time zone 'UTC')::date + 1
      and ping.ping_on = ({now}::timestamptz at time zone profile.time_zone)::date
  ) as ping on true
  where connection.tenant_id = {t}::integer and connection.sender_id = {u}::uuid and connection.status <> 'deleted'
)
select json_build_object(
  'me', (
    select json_build_object(
      'id', id, 'display_name', display_name, 'phone', phone, 'email', email, 'phone_verified', phone_verified_at is not null,
      'email_verified', email_verified_at is not null, 'pending_phone', pending_phone, 'pending_email', pending_email, 'time_zone', time_zone,
      'locale', locale, 'created_at', internal.instant(created_at)
    )
    from account
  ),
  'sender', (
    select json_build_object(
      'profile', json_build_object(
        'ping_time', left(ping_time::text, 5), 'time_zone', time_zone, 'has_own_time_zone', has_own_time_zone,
        'grace_minutes', grace_minutes, 'reminder_minutes', reminder_minutes, 'share_phone', share_phone, 'code', code,
        'created_at', internal.instant(created_at), 'updated_at', internal.instant(updated_at)
      ),
      'break', case
        when break_until_on >= ({now}::timestamptz at time zone time_zone)::date
          then json_build_object('from', break_from_on, 'until', break_until_on)
      end,
      'dashboard', json_build_object(
        'role', 'sender',
        'date', ({now}::timestamptz at time zone time_zone)::date,
        'items', (
          select coalesce(json_agg(
            json_build_object(
              'id', connection.id,
              'role', 'sender',
              'status', connection.status,
              'consent_by', case when connection.status = 'pending' then 'counterpart' end,
              'counterpart', json_build_object('id', connection.receiver_id, 'display_name', connection.counterpart_name),
              'alias', connection.alias_by_sender,
              'sender_id', connection.sender_id,
              'receiver_id', connection.receiver_id,
              'created_at', internal.instant(connection.created_at),
              'updated_at', internal.instant(connection.updated_at),
              'today_ping', case when (today).id is not null then json_build_object(
                'id', (today).id, 'connection_id', connection.id, 'date', (today).ping_on, 'status', (today).status,
                'scheduled_at', internal.instant((today).scheduled_at), 'deadline_at', internal.instant((today).deadline_at),
                'completed_at', internal.instant((today).completed_at), 'note', (today).note
              ) end,
              'last_check_in_at', internal.instant(profile.last_check_in_at),
              'last_check_in_note', profile.last_note,
              'ping_time', left(profile.ping_time::text, 5),
              'time_zone', profile.time_zone,
              'call', null,
              'break', case
                when profile.break_until_on >= ({now}::timestamptz at time zone profile.time_zone)::date
                  then json_build_object('from', profile.break_from_on, 'until', profile.break_until_on)
              end,
              'suspended_reason', case when connection.pings_stopped_at is not null then 'subscription' end
            )
            order by connection.ping_status <> 'missed', connection.deadline_at, connection.id
          ), '[]')
          from connection
        ),
        'next_cursor', null,
        'open_pings', (select count(*) from connection where ping_status = 'due'),
        'deadline_at', (select internal.instant(min(deadline_at)) from connection where ping_status = 'due')
      )
    )
    from profile
  ),
  'receiver', (select to_json(profile) from kith.receiver_profiles as profile where tenant_id = {t}::integer and user_id = {u}::uuid),
  'vaults', (
    select coalesce(json_agg(vault.id), '[]')
    from kith.vaults as vault
    where tenant_id = {t}::integer and owner_id = {u}::uuid and deleted_at is null
  ),
  'nominations', (select coalesce(json_agg(id), '[]') from kith.nominees where tenant_id = {t}::integer and user_id = {u}::uuid),
  'unread_count', (
    select count(*) from kith.notifications where tenant_id = {t}::integer and user_id = {u}::uuid and read_at is null
  ),
  'unread_messages', (
    select coalesce(sum(owner_unread), 0) from kith.conversations
    where tenant_id = {t}::integer and owner_id = {u}::uuid and owner_unread > 0
  ),
  'waiting', json_build_object(
    'connections', (
      select coalesce(json_agg(id), '[]') from kith.connections
      where tenant_id = {t}::integer and code_owner_id = {u}::uuid and status = 'pending'
    ),
    'invitations', (
      select coalesce(json_agg(nominee.id), '[]') from account
      join kith.nominees as nominee
        on nominee.tenant_id = {t}::integer and nominee.phone = account.phone and nominee.user_id is null and nominee.status <> 'revoked'
    ),
    'offers', (
      select coalesce(json_agg(offer.id), '[]') from account
      join kith.transfers as offer
        on offer.tenant_id = {t}::integer and offer.phone = account.phone and offer.status = 'pending'
    )
  )
)
