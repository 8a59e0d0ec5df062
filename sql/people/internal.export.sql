-- Exports everything about a user, page by page, so that no process holds a whole export in memory. Each function
-- returns one page of a section and the cursor of the next page, or null after the last.

create or replace function internal.exported_profiles() returns json
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  return (
    select coalesce(json_agg(ended.profile order by ended.role), '[]')
    from (
      select 'sender' as role, json_build_object(
        'role', 'sender', 'ended_at', internal.instant(ended_at), 'ping_time', to_char(ping_time, 'HH24:MI'),
        'time_zone', time_zone, 'grace_minutes', grace_minutes, 'reminder_minutes', reminder_minutes,
        'reminders', internal.reminders(reminders, reminder_minutes), 'share_phone', share_phone
      ) as profile
      from kith.sender_profiles
      where tenant_id = v_tenant and user_id = v_user and ended_at is not null
      union all
      select 'receiver', json_build_object('role', 'receiver', 'ended_at', internal.instant(ended_at))
      from kith.receiver_profiles
      where tenant_id = v_tenant and user_id = v_user and ended_at is not null
    ) as ended
  );
end
$$;
comment on function internal.exported_profiles() is 'The profiles that a user has ended, for the export.';
grant execute on function internal.exported_profiles() to kith_api;

create or replace function internal.exported_account(p_now timestamptz) returns json
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  return json_build_object(
    'exported_at', internal.instant(p_now),
    'profile', api.get_me(),
    'sender_profile', internal.sender_profile_json(),
    'receiver_profile', internal.receiver_profile_json(p_now),
    'ended_profiles', internal.exported_profiles(),
    'codes', (
      select coalesce(
        json_agg(
          json_build_object(
            'code', code, 'role', role, 'permanent', permanent, 'created_at', internal.instant(created_at),
            'expires_at', internal.instant(expires_at), 'rotated_at', internal.instant(rotated_at)
          )
          order by created_at, code
        ),
        '[]'
      )
      from kith.unique_codes
      where tenant_id = v_tenant and user_id = v_user
    ),
    'devices', internal.devices_json(),
    'signs', internal.signs_json(),
    'alarm_plan', api.get_alarm_plan(),
    'sessions', internal.sessions_json(),
    'quiet_hours', internal.quiet_hours_json(),
    'notification_preferences', internal.preferences_json(),
    'texts_stopped_at', internal.instant(internal.own_texts_stopped_at()),
    'check_in_links', internal.links_json(),
    'blocks', coalesce(internal.blocks_json(null, null, null), '[]'),
    'breaks', (
      select coalesce(
        json_agg(
          json_build_object(
            'from', from_on, 'until', until_on, 'created_at', internal.instant(created_at),
            'ended_at', internal.instant(ended_at)
          )
          order by from_on, created_at
        ),
        '[]'
      )
      from kith.breaks
      where tenant_id = v_tenant and user_id = v_user
    ),
    'signs_of_life', (
      select json_build_object('seen_at', internal.instant(seen_at), 'answered_at', internal.instant(answered_at))
      from kith.signs_of_life
      where tenant_id = v_tenant and user_id = v_user
    )
  );
end
$$;
comment on function internal.exported_account(timestamptz) is
  'The beginning of an export: what a user has once or in small numbers. Raises not_found for a deleted user.';
grant execute on function internal.exported_account(timestamptz) to kith_api;

create or replace function internal.exported_connections(
  p_cursor uuid, p_limit integer, out items json, out next_cursor text
)
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  select coalesce(
    json_agg(
      json_build_object(
        'id', page.id,
        'role', case page.sender_id when v_user then 'sender' else 'receiver' end,
        'status', page.status,
        'counterpart', json_build_object(
          'id', case page.sender_id when v_user then page.receiver_id else page.sender_id end,
          'display_name', own.counterpart_name
        ),
        'alias', named.alias,
        -- The sender's own choices, and not the receiver's.
        'share_activity', case page.sender_id when v_user then own.share_activity end,
        'may_ask', case page.sender_id when v_user then own.may_ask end,
        'always_care_card', case page.sender_id when v_user then own.always_care_card end,
        'test', own.test,
        'created_at', internal.instant(page.created_at),
        'updated_at', internal.instant(page.updated_at),
        'deleted_at', internal.instant(page.deleted_at)
      )
      order by page.id
    ),
    '[]'
  ),
  case when count(*) = p_limit then (array_agg(page.id order by page.id desc))[1] end
  into items, next_cursor
  from (
    select id, sender_id, receiver_id, status, created_at, updated_at, deleted_at
    from kith.connections
    where tenant_id = v_tenant and (sender_id = v_user or receiver_id = v_user)
      and id > coalesce(p_cursor, '00000000-0000-0000-0000-000000000000')
    order by id
    limit p_limit
  ) as page
  -- One look-up for each row: a join could read all of the user's connections once for each.
  left join lateral (
    select alias from internal.own_aliases where tenant_id = v_tenant and connection_id = page.id offset 0
  ) as named on true
  left join lateral (
    select counterpart_name, share_activity, may_ask, always_care_card, test from internal.own_connections
    where tenant_id = v_tenant and id = page.id offset 0
  ) as own on true;
end
$$;
comment on function internal.exported_connections(uuid, integer) is
  'A page of all connections that the current user has or had, and what they chose there as the sender: whether they '
  'share the activity of their things, whether the receiver may ask, and whether the receiver always sees the care '
  'card. The other side''s name is null for an ended connection: a former connection must not learn a user''s present '
  'name.';
grant execute on function internal.exported_connections(uuid, integer) to kith_api;

create or replace function internal.first_ping_on() returns date
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  perform internal.require_user();
  return (select ping_on from kith.pings where tenant_id = v_tenant order by ping_on limit 1);
end
$$;
comment on function internal.first_ping_on() is
  'The date of the oldest ping that the tenant still has; null if it has none. Definer: the policy of kith_api would '
  'read all pings of the tenant for it. For internal.exported_pings.';
grant execute on function internal.first_ping_on() to kith_api;

create or replace function internal.exported_pings(
  p_cursor date, p_limit integer, p_now timestamptz, out items json, out next_cursor text
)
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  -- Start with the latest date that is tomorrow anywhere.
  v_date date := coalesce(p_cursor, (p_now at time zone 'UTC')::date + 2);
  v_until date := v_date - 400;
  -- An imported account may be older than all pings.
  v_since date := internal.first_ping_on();
  v_received uuid[];
  v_senders uuid[];  -- of v_received
  v_pings json[] := '{}';
begin
  select array_agg(id order by id), array_agg(sender_id order by id) into v_received, v_senders
  from kith.connections
  where tenant_id = v_tenant and receiver_id = v_user and status <> 'pending';
  select greatest(v_since, (created_at at time zone 'UTC')::date - 1) into v_since
  from kith.users
  where tenant_id = v_tenant and id = v_user and v_since is not null;
  while v_date >= v_since and v_date > v_until and cardinality(v_pings) < p_limit loop
    v_pings := v_pings
      || array(
        select internal.ping_json(ping) from kith.pings as ping
        where ping.tenant_id = v_tenant and ping.ping_on = v_date and ping.sender_id = v_user
        order by ping.connection_id
      )
      || array(
        select internal.ping_json(ping.found)
        from unnest(v_received, v_senders) as own (id, sender_id)
        -- A look-up for each, whatever the planner knows (internal.pings_on).
        cross join lateral (
          select one as found
          from kith.pings as one
          where one.tenant_id = v_tenant and one.ping_on = v_date and one.connection_id = own.id
            and one.sender_id = own.sender_id
          offset 0
        ) as ping
        order by own.id
      );
    v_date := v_date - 1;
  end loop;
  items := to_json(v_pings);
  next_cursor := case when v_date >= v_since then v_date end;
end
$$;
comment on function internal.exported_pings(date, integer, timestamptz) is
  'A page of the current user''s pings in both roles, newest first. Adds whole dates until there are at least p_limit '
  'pings, at most 400 dates. Only the sender sees the pings of a pending connection (P29).';
grant execute on function internal.exported_pings(date, integer, timestamptz) to kith_api;

create or replace function internal.exported_check_ins(
  p_cursor text, p_limit integer, out items json, out next_cursor text
)
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_at timestamptz := coalesce(nullif(split_part(p_cursor, '/', 1), '')::timestamptz, 'infinity');
  v_id uuid := nullif(split_part(p_cursor, '/', 2), '')::uuid;
begin
  select coalesce(
    json_agg(
      json_build_object(
        'id', page.id, 'received_at', internal.instant(page.received_at), 'tapped_at', internal.instant(page.tapped_at),
        'note', page.note, 'shares_note', page.shares_note, 'source', page.source
      )
      order by page.received_at desc, page.id desc
    ),
    '[]'
  ),
  case
    when count(*) = p_limit then
      (array_agg(internal.instant(page.received_at) || '/' || page.id order by page.received_at, page.id))[1]
  end
  into items, next_cursor
  from (
    select id, received_at, tapped_at, note, shares_note, source
    from kith.check_ins
    where tenant_id = v_tenant and user_id = v_user and received_at <= v_at and (received_at < v_at or id < v_id)
    order by received_at desc, id desc
    limit p_limit
  ) as page;
end
$$;
comment on function internal.exported_check_ins(text, integer)
  is 'A page of the current user''s check-ins with their notes, newest first.';
grant execute on function internal.exported_check_ins(text, integer) to kith_api;

create or replace function internal.own_deliveries(p_notifications uuid[])
  returns table (notification_id uuid, items json)
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  perform internal.require_user();
  return query
  select notification.id,
    json_agg(
      json_build_object(
        'channel', delivery.channel, 'address', delivery.address, 'status', delivery.status,
        'attempts', delivery.attempts,
        'created_at', internal.instant(delivery.created_at), 'sent_at', internal.instant(delivery.sent_at)
      )
      order by delivery.id
    )
  from unnest(p_notifications) as asked (id)
  join kith.notifications as notification
    on notification.tenant_id = v_tenant and notification.id = asked.id and notification.user_id = v_user
  join kith.deliveries as delivery on delivery.tenant_id = v_tenant and delivery.notification_id = notification.id
  group by notification.id;
end
$$;
comment on function internal.own_deliveries(uuid[]) is
  'The channels and addresses by which the current user''s notifications went out, as long as they are kept: 30 days. '
  'Definer: nobody may read the outbox.';
grant execute on function internal.own_deliveries(uuid[]) to kith_api;

create or replace function internal.exported_notifications(
  p_cursor uuid, p_limit integer, out items json, out next_cursor text
)
  language plpgsql
  stable
as $$
declare
  v_page json := api.list_notifications(false, null, p_limit, p_cursor);
  v_ids uuid[] := array(select (told.item ->> 'id')::uuid from json_array_elements(v_page -> 'items') as told (item));
begin
  select coalesce(
    json_agg(told.item::jsonb || jsonb_build_object('deliveries', coalesce(delivered.items, '[]')) order by told.n),
    '[]'
  )
  into items
  from json_array_elements(v_page -> 'items') with ordinality as told (item, n)
  left join internal.own_deliveries(v_ids) as delivered on delivered.notification_id = (told.item ->> 'id')::uuid;
  next_cursor := v_page ->> 'next_cursor';
end
$$;
comment on function internal.exported_notifications(uuid, integer) is
  'A page of the current user''s notifications with their deliveries, newest first.';
grant execute on function internal.exported_notifications(uuid, integer) to kith_api;

create or replace function internal.exported_alarms(
  p_cursor uuid, p_limit integer, p_now timestamptz, out items json, out next_cursor text
)
  language plpgsql
  stable
as $$
declare
  v_page json := api.list_alarms(null, null, least(p_limit, 100), p_cursor, p_now);
begin
  items := v_page -> 'items';
  next_cursor := v_page ->> 'next_cursor';
end
$$;
comment on function internal.exported_alarms(uuid, integer, timestamptz) is
  'A page of the alarms in which the current user has a part, newest first, each with its timeline.';
grant execute on function internal.exported_alarms(uuid, integer, timestamptz) to kith_api;

create or replace function internal.exported_questions(out items json, out next_cursor text)
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  perform internal.require_user();
  items := (
    select coalesce(
      json_agg(
        json_build_object(
          'id', ask.id, 'connection_id', ask.connection_id,
          'role', case ask.sender_id when v_user then 'sender' else 'receiver' end,
          'asked_at', internal.instant(ask.asked_at), 'answer_by', internal.instant(ask.answer_by),
          'ended_at', internal.instant(ask.ended_at), 'answered', ask.is_answered
        )
        order by ask.id
      ),
      '[]'
    )
    from (
      select * from kith.asks where tenant_id = v_tenant and (sender_id = v_user or receiver_id = v_user)
      order by id desc limit 1000
    ) as ask
  );
end
$$;
comment on function internal.exported_questions() is
  'The questions "Are you OK?" that the current user asked or was asked, the newest 1,000. They are kept for 30 days. '
  'Definer: kith_api may not read questions.';
grant execute on function internal.exported_questions() to kith_api;

create or replace function internal.exported_invitations(p_cursor uuid, out items json, out next_cursor text)
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_invitation kith.connection_invitations;
begin
  select * into v_invitation
  from kith.connection_invitations
  where tenant_id = v_tenant and user_id = v_user and id < coalesce(p_cursor, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
  order by id desc
  limit 1;
  items := case when found then json_build_array(internal.invitation_json(v_invitation, null)) else '[]' end;
  next_cursor := v_invitation.id;
end
$$;
comment on function internal.exported_invitations(uuid) is
  'The current user''s next invitation, newest first, with all its recipients. One to a page, because an invitation '
  'can have 1,000 recipients.';
grant execute on function internal.exported_invitations(uuid) to kith_api;
