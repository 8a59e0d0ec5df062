-- An alarm as those see it whom it concerns. Security definers, because kith_api may not read alarms: each function
-- checks the reader's part, and names other receivers only where the reader may know them.

create or replace function internal.phrase_for(p_tenant integer, p_reader uuid, p_key text) returns text
  language plpgsql
  stable
as $$
begin
  return (select format(internal.phrase(p_key, reader.locale)) from internal.reader_of(p_tenant, p_reader) as reader);
end
$$;
comment on function internal.phrase_for(integer, uuid, text)
  is 'A text of the catalogue without parameters in the language of a reader.';

create or replace function internal.alarm_person(p_alarm kith.alarms, p_reader uuid, p_person uuid, p_desk text)
  returns json
  language plpgsql
  stable
as $$
begin
  if p_desk is not null then
    return json_build_object('id', null, 'display_name', p_desk, 'desk', true);
  elsif p_person is null then
    return null;
  elsif p_reader is not null and not internal.knows_person(p_alarm, p_reader, p_person) then
    return json_build_object(
      'id', null, 'display_name', internal.phrase_for(p_alarm.tenant_id, p_reader, 'alarm.another_receiver')
    );
  end if;
  return (
    select json_build_object('id', p_person, 'display_name', coalesce(
      case
        when account.deleted_at is not null then null
        when p_reader is null then account.display_name
        when p_person = p_alarm.sender_id then connection.alias_by_receiver
        else connection.alias_by_sender
      end,
      internal.name_of_anybody(account.display_name)
    ))
    from kith.users as account
    left join kith.connections as connection
      on connection.tenant_id = p_alarm.tenant_id and connection.sender_id = p_alarm.sender_id
        and connection.receiver_id = case
          when p_person = p_alarm.sender_id then p_reader
          when p_reader = p_alarm.sender_id then p_person
        end
    where account.tenant_id = p_alarm.tenant_id and account.id = p_person
  );
end
$$;
comment on function internal.alarm_person(kith.alarms, uuid, uuid, text) is
  'A person in an alarm as its reader knows them: {id, display_name}, with the reader''s alias; "another receiver" '
  'without an id for one whom they do not know (K01). Of a person of the desk (p_desk) everybody reads the name, and '
  'that they are of the desk (desk), as anybody can have any name. p_reader is null for the tenant''s server, which '
  'knows everybody.';

create or replace function internal.alarm_tellings(p_alarm kith.alarms, p_now timestamptz)
  returns table (at kith.instant, kind text, user_id uuid, channel text)
  language plpgsql
  stable
as $$
declare
  v_from uuid := internal.first_uuid7(p_alarm.opened_at - interval '1 minute');
  v_until uuid := internal.first_uuid7(coalesce(p_alarm.resolved_at, p_now) + interval '1 day');
begin
  return query
  with tenant as materialized (
    select exists (
      select from kith.channel_credentials as known where known.tenant_id = p_alarm.tenant_id
    ) as has_channel
  ), concerned as materialized (
    select receiver.receiver_id, receiver.connection_id, receiver.told_at
    from kith.alarm_receivers as receiver
    where receiver.tenant_id = p_alarm.tenant_id and receiver.alarm_id = p_alarm.id and receiver.told_at is not null
    order by receiver.told_at, receiver.receiver_id
    limit 100
  ), told as materialized (
    select concerned.receiver_id, notification.id, notification.created_at, notification.read_at,
      internal.telling(notification.delivery_status, notification.read_at is not null, tenant.has_channel) as kind
    from concerned
    cross join tenant
    cross join lateral (
      select note.*
      from (
        select known.id, known.created_at, known.read_at, known.delivery_status
        from kith.notifications as known
        where known.tenant_id = p_alarm.tenant_id and known.user_id = concerned.receiver_id and known.id >= v_from
          and known.id < v_until and known.data ? 'alarm_id' and known.data ->> 'alarm_id' = p_alarm.id::text
          and known.type in ('ping_missed', 'help_requested', 'alarm_repeat', 'ask_unanswered')
        -- OFFSET, because the order would prefer the index of all of the tenant's ids.
        offset 0
      ) as note
      order by note.id
      limit 10
    ) as notification
  )
  select coalesce(delivery.sent_at, told.created_at),
    case
      when told.kind = 'told' and internal.is_unheard(delivery.status, delivery.error) then 'not_reached'
      else told.kind
    end,
    -- Where nothing has reached them, the channel of a call that nobody heard says too little.
    told.receiver_id, case when told.kind = 'not_reached' then null else delivery.channel end
  from told
  left join lateral (
    select sent.sent_at, sent.status, sent.error, sent.channel
    from kith.deliveries as sent
    where sent.tenant_id = p_alarm.tenant_id and sent.notification_id = told.id and sent.sent_at is not null
      and sent.id >= v_from
    offset 0
  ) as delivery on true
  -- Without a kind it was not sent, because it was no longer so.
  where told.kind is not null
  union all
  select told.read_at, 'seen', told.receiver_id, null from told where told.read_at is not null
  union all
  -- The notifications are kept for a shorter time than the alarm.
  select concerned.told_at, 'told', concerned.receiver_id, null
  from concerned
  where not exists (select from told where told.receiver_id = concerned.receiver_id);
end
$$;
comment on function internal.alarm_tellings(kith.alarms, timestamptz) is
  'Who was told of an alarm when and on which channel (told), whose message no channel has taken yet (being_told) or '
  'none will (not_reached), and who has read it (seen): from the notifications and their deliveries, so that telling '
  'somebody writes nothing more. A call that a machine answered has reached nobody. Of a tenant without channels, '
  'whose own server tells people, all are told. Of 100 receivers at most. For definer procedures.';

create or replace function internal.alarm_lines(p_alarm kith.alarms, p_now timestamptz)
  returns table (
    at timestamptz, n integer, id uuid, kind text, user_id uuid, desk text, channel text, outcome text, note text
  )
  language sql
  stable
as $$
  select p_alarm.opened_at, 0, null::uuid, 'opened',
    case
      when p_alarm.kind in ('help', 'drill') and p_alarm.called_at is not distinct from p_alarm.opened_at
        then p_alarm.sender_id
    end,
    null, null, null, null
  union all
  select telling.at, 1, null, telling.kind, telling.user_id, null, telling.channel, null, null
  from internal.alarm_tellings(p_alarm, p_now) as telling
  union all
  (
    select entry.at, 2, entry.id, entry.kind, entry.user_id, entry.desk, null, entry.outcome, entry.note
    from (
      -- In turns, so that nobody can write the others out of it.
      select own.*,
        row_number() over (partition by own.user_id, own.desk is null, own.kind order by own.id desc) as turn
      from kith.alarm_entries as own
      where own.tenant_id = p_alarm.tenant_id and own.alarm_id = p_alarm.id
    ) as entry
    order by entry.turn, entry.id desc
    limit 500
  )
$$;
comment on function internal.alarm_lines(kith.alarms, timestamptz) is
  'The lines of an alarm''s timeline in no order: that it was opened, who was told, and 500 entries, the newest of '
  'each person and kind first. Returns a table, which the planner can inline. For internal.alarm_timeline.';

create or replace function internal.alarm_timeline(p_alarm kith.alarms, p_reader uuid, p_now timestamptz) returns json
  language plpgsql
  stable
as $$
begin
  return (
    with lines as materialized (
      select line.*, coalesce('desk ' || line.desk, line.user_id::text) as who
      from internal.alarm_lines(p_alarm, p_now) as line
    ), people as materialized (
      -- Each is in several lines.
      select one.who, internal.alarm_person(p_alarm, p_reader, one.user_id, one.desk) as person
      from (
        select distinct on (line.who) line.who, line.user_id, line.desk from lines as line where line.who is not null
        order by line.who
      ) as one
    )
    select json_agg(
      -- The id of a person stays where it is null.
      jsonb_strip_nulls(jsonb_build_object(
        'at', internal.instant(line.at), 'kind', line.kind, 'channel', internal.channel_name(line.channel),
        'outcome', line.outcome,
        'note', case
          when line.note is not null and not internal.has_blocked(p_alarm.tenant_id, p_reader, line.user_id)
            then line.note
        end
      )) || case when known.person is null then '{}' else jsonb_build_object('person', known.person) end
      -- Of one instant in the same order each time.
      order by line.at, line.n, line.id, line.user_id, line.kind = 'seen', line.channel
    )
    from lines as line
    left join people as known on known.who = line.who
  );
end
$$;
comment on function internal.alarm_timeline(kith.alarms, uuid, timestamptz) is
  'The timeline of an alarm, oldest first: the same lines for everybody, with the names that the reader may know '
  '(K01), and without what people wrote whom the reader has blocked (X22). 500 entries: the newest of each person and '
  'kind first. p_reader is null for the tenant''s server.';

create or replace function internal.alarm_sign(p_alarm kith.alarms, p_reader uuid) returns json
  language plpgsql
  stable
as $$
begin
  return (
    select json_build_object('at', internal.instant(thing.last_used_at), 'kind', thing.kind, 'name', thing.name)
    from kith.signs as thing
    where thing.tenant_id = p_alarm.tenant_id and thing.user_id = p_alarm.sender_id and thing.kind = 'activity'
      and thing.last_used_at is not null and exists (
        select from kith.connections as connection
        where connection.tenant_id = p_alarm.tenant_id and connection.sender_id = p_alarm.sender_id
          and connection.receiver_id = p_reader
          and thing.last_used_at >= greatest(connection.activity_shared_since, connection.activated_at)
          and connection.activity_shared_since is not null and connection.status = 'active'
      )
    order by thing.last_used_at desc
    limit 1
  );
end
$$;
comment on function internal.alarm_sign(kith.alarms, uuid) is
  'The last activity of the sender''s things, for a receiver with whom the sender shares it (J04). Otherwise null.';

create or replace function internal.alarm_call(p_alarm kith.alarms, p_reader uuid) returns json
  language plpgsql
  stable
as $$
begin
  return (
    select json_build_object('phone', account.phone)
    from kith.connections as connection
    join kith.sender_profiles as profile
      on profile.tenant_id = p_alarm.tenant_id and profile.user_id = p_alarm.sender_id and profile.share_phone
        and profile.ended_at is null
    join kith.users as account on account.tenant_id = p_alarm.tenant_id and account.id = p_alarm.sender_id
    where connection.tenant_id = p_alarm.tenant_id and connection.sender_id = p_alarm.sender_id
      and connection.receiver_id = p_reader and connection.status = 'active' and account.phone is not null
  );
end
$$;
comment on function internal.alarm_call(kith.alarms, uuid) is
  'How a receiver can call the sender of an alarm, {phone}, where the sender shares their number (share_phone). '
  'Otherwise null.';

create or replace function internal.alarm_json(p_alarm kith.alarms, p_reader uuid, p_now timestamptz) returns json
  language plpgsql
  stable
as $$
declare
  v_status text := internal.alarm_status(p_alarm, p_now);
  v_is_taken boolean := v_status = 'taken';
  v_is_expired boolean := v_status = 'resolved' and p_alarm.resolved_at is null;
  v_told integer := internal.count_told(p_alarm, p_now);
  v_sender json := internal.alarm_person(p_alarm, p_reader, p_alarm.sender_id, null);
  v_taker json := case
    when v_is_taken then internal.alarm_person(p_alarm, p_reader, p_alarm.taken_by, p_alarm.taken_by_desk)
  end;
  v_resolver json := internal.alarm_person(p_alarm, p_reader, p_alarm.resolved_by, p_alarm.resolved_by_desk);
  v_check_in record;
begin
  v_check_in := internal.alarm_check_in(p_alarm, p_reader);
  return json_build_object(
    'id', p_alarm.id,
    'kind', p_alarm.kind,
    'status', v_status,
    'state', internal.alarm_state(p_alarm, p_reader, v_status, v_sender, v_taker, v_resolver, p_now),
    'role', case when p_reader is null then 'desk' when p_reader = p_alarm.sender_id then 'sender' else 'receiver' end,
    'sender', v_sender,
    'connection_id', case when p_reader is not null then (
      select receiver.connection_id from kith.alarm_receivers as receiver
      where receiver.tenant_id = p_alarm.tenant_id and receiver.alarm_id = p_alarm.id
        and receiver.receiver_id = p_reader
    ) end,
    'call', case
      when p_reader is not null and v_status <> 'resolved' and p_alarm.kind <> 'drill'
        then internal.alarm_call(p_alarm, p_reader)
    end,
    'opened_at', internal.instant(p_alarm.opened_at),
    'taken_by', v_taker,
    'taken_by_me', v_is_taken and p_alarm.taken_by is not distinct from p_reader and p_reader is not null,
    'declined_by_me', v_status = 'open' and p_reader is not null and internal.has_declined(p_alarm, p_reader),
    'taken_at', case when v_is_taken then internal.instant(p_alarm.taken_at) end,
    'taken_until', case when v_is_taken then internal.instant(p_alarm.taken_until) end,
    'resolved_at', internal.instant(case when v_is_expired then p_alarm.expires_at else p_alarm.resolved_at end),
    'resolved_by', v_resolver,
    'outcome', case when v_is_expired then 'expired' else p_alarm.outcome end,
    'next_at', case when v_status <> 'resolved' then internal.instant(p_alarm.next_at) end,
    'has_care_card',
    exists (select from kith.care_cards where tenant_id = p_alarm.tenant_id and user_id = p_alarm.sender_id),
    'has_place', exists (
      select from kith.places as place
      where place.tenant_id = p_alarm.tenant_id and place.user_id = p_alarm.sender_id
        and internal.is_place_shown(place, p_now)
    ),
    'told', v_told,
    'advice', case
      when v_told = 0 and v_status = 'open' and p_alarm.kind = 'help' and p_reader = p_alarm.sender_id
        then internal.phrase_for(p_alarm.tenant_id, p_reader, 'alarm.nobody_told')
    end,
    'time_zone', case when p_reader is null then (
      select account.time_zone from kith.users as account
      where account.tenant_id = p_alarm.tenant_id and account.id = p_alarm.sender_id
    ) end,
    'last_check_in_at', internal.instant(v_check_in.at),
    'last_check_in_source', v_check_in.source,
    'last_sign', case when p_reader is not null then internal.alarm_sign(p_alarm, p_reader) end,
    'timeline', internal.alarm_timeline(p_alarm, p_reader, p_now)
  );
end
$$;
comment on function internal.alarm_json(kith.alarms, uuid, timestamptz) is
  'An alarm in the API''s representation, for a reader who has a part in it, or for the tenant''s server (null). The '
  'status is computed from the instants. For definer procedures.';

create or replace function internal.alarm_change(p_alarm_id uuid, p_entry uuid) returns text
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  return case
    when p_entry is null then 'opened'
    when p_entry = p_alarm_id then 'told'
    else (
      select case
          when entry.kind in ('missed', 'help', 'asked', 'desk_told', 'repeated') then 'told'
          when entry.kind in ('taken', 'reopened') then entry.kind
          when entry.kind in ('released', 'lapsed', 'left') then 'released'
          when entry.kind in ('noted', 'card_viewed', 'still_on_it', 'declined') then 'noted'
          else 'resolved'
        end
      from kith.alarm_entries as entry
      where entry.tenant_id = v_tenant and entry.alarm_id = p_alarm_id and entry.id = p_entry
    )
  end;
end
$$;
comment on function internal.alarm_change(uuid, uuid) is
  'What an event about an alarm says that has changed: opened, told, taken, released, reopened, resolved or noted.';

create or replace function internal.seen_alarm(p_id uuid, p_entry uuid, p_now timestamptz) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_alarm kith.alarms;
begin
  perform internal.require_user();
  select * into v_alarm from kith.alarms where tenant_id = v_tenant and id = p_id;
  if internal.part_in_alarm(v_alarm, v_user) is null then
    return null;
  end if;
  return internal.alarm_json(v_alarm, v_user, p_now)::jsonb
    || jsonb_build_object('change', internal.alarm_change(p_id, p_entry));
end
$$;
comment on function internal.seen_alarm(uuid, uuid, timestamptz) is
  'An alarm with what has changed in it, for an event. Null for whoever has no part in it. Definer: kith_api may not '
  'read alarms.';
grant execute on function internal.seen_alarm(uuid, uuid, timestamptz) to kith_api;

create or replace function internal.resolution_of_miss(p_ping kith.pings) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_alarm kith.alarms;
begin
  perform internal.require_user();
  -- A receiver's word on the newest alarm holds for the earlier ones too.
  select * into v_alarm
  from kith.alarms
  where tenant_id = v_tenant and sender_id = p_ping.sender_id and kind <> 'drill'
  order by id desc
  limit 1;
  if not found or coalesce(v_alarm.outcome not in ('safe', 'help_called'), true)
    or v_alarm.resolved_at < p_ping.alarmed_at
    or internal.part_in_alarm(v_alarm, v_user) is null
  then
    return null;
  end if;
  return json_build_object(
    'at', internal.instant(v_alarm.resolved_at),
    'outcome', v_alarm.outcome,
    'by', internal.alarm_person(v_alarm, v_user, v_alarm.resolved_by, v_alarm.resolved_by_desk)
  );
end
$$;
comment on function internal.resolution_of_miss(kith.pings) is
  'What a receiver or the desk has said of a missed ping by ending its alarm (K03), {at, outcome, by}: the miss goes '
  'on until the sender checks in. Null if nobody has, or if the alarm has been opened again or followed by a newer '
  'one, and for whoever has no part in it. Security definer, because kith_api may not read alarms.';
grant execute on function internal.resolution_of_miss(kith.pings) to kith_api;
