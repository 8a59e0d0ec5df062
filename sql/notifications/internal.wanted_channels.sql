create or replace function internal.channels_of(p_user kith.users) returns text[]
  language plpgsql
  stable
as $$
declare
  v_sends text[] := array(select channel from kith.channel_credentials where tenant_id = p_user.tenant_id);
  -- A worker may send on every channel itself.
  v_sends_all boolean := v_sends = '{}';
begin
  return array(
    select step.channel
    from unnest(internal.ways()) with ordinality as step (channel, n)
    where case step.channel
      -- A browser that has supplied no keys gets nothing (internal.ways_to_reach).
      when 'push' then exists (
        select from kith.devices
        where tenant_id = p_user.tenant_id and user_id = p_user.id
          and case platform
            when 'ios' then v_sends_all or 'apns' = any (v_sends)
            else public_key is not null and (v_sends_all or 'web_push' = any (v_sends))
          end
      )
      when 'email' then p_user.email_verified_at is not null and (v_sends_all or 'email' = any (v_sends))
      else p_user.phone_verified_at is not null and step.channel = any (v_sends)
        and not (step.channel = 'sms' and internal.has_stopped_texts(p_user.tenant_id, p_user.phone))
    end
    order by step.n
  );
end
$$;
comment on function internal.channels_of(kith.users) is
  'The channels on which a person can be reached, from quiet to loud, which is also from cheap to dear.';

create or replace function internal.louder_channels(p_user kith.users, p_chosen text[], p_repeat integer) returns text[]
  language plpgsql
  stable
as $$
declare
  v_all text[] := internal.channels_of(p_user);
  v_first text[] := internal.miss_channels(p_user);
  v_has text[] := array(
    select has.channel from unnest(v_all) with ordinality as has (channel, n)
    where coalesce(has.channel = any (p_chosen), true) order by has.n
  );
  v_level integer;
begin
  if v_has = '{}' then
    return internal.ways();
  end if;
  if not v_first && v_all then
    -- It came on what they have, without a call.
    v_first := array_remove(internal.ways(), 'voice');
  end if;
  -- The loudest on which the alarm itself came.
  v_level := coalesce(
    (select max(has.n) from unnest(v_has) with ordinality as has (channel, n) where has.channel = any (v_first)), 0
  );
  return v_has[
    least(
      greatest(v_level + p_repeat, 1), cardinality(v_has)
    ):least(greatest(v_level + p_repeat, 1), cardinality(v_has))
  ];
end
$$;
comment on function internal.louder_channels(kith.users, text[], integer) is
  'On which channel a repeat of an alarm goes out (K00): each time the next louder one that the person has, beginning '
  'above the channels of the alarm itself; at the end the loudest again. A choice of channels for alarm_repeat turns '
  'off all others.';

create or replace function internal.own_alarm_ways() returns jsonb
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_user kith.users;
  v_has text[];
  v_chosen text[];
  v_next text[];
  v_ways jsonb := '[]';
begin
  perform internal.require_user();
  if not exists (select from kith.channel_credentials where tenant_id = kith.tenant_id()) then
    return null;
  end if;
  select * into v_user from kith.users where tenant_id = kith.tenant_id() and id = kith.user_id();
  v_has := internal.channels_of(v_user);
  v_next := array(
    select channel from unnest(v_has) with ordinality as way (channel, n)
    where channel = any (internal.miss_channels(v_user)) order by n
  );
  if v_next = '{}' then
    -- It comes on what they have, a call last.
    v_next := case when v_has = '{voice}' then v_has else array_remove(v_has, 'voice') end;
  end if;
  select channels into v_chosen from kith.notification_preferences
  where tenant_id = v_user.tenant_id and user_id = v_user.id and type = 'alarm_repeat';
  for n in 1..5 loop
    exit when v_next = '{}'
      or v_next <@ array(select jsonb_array_elements_text(way.value) from jsonb_array_elements(v_ways) as way);
    v_ways := v_ways || jsonb_build_array(v_next);
    v_next := array(
      select channel from unnest(internal.louder_channels(v_user, v_chosen, n)) as way (channel)
      where channel = any (v_has)
    );
  end loop;
  return v_ways;
end
$$;
comment on function internal.own_alarm_ways() is
  'On which channels an alarm reaches the current user: those of the alarm itself, then those of each repeat until it '
  'gets no louder (K00). Empty for somebody whom Kith cannot reach, null where the tenant has no channel, so that its '
  'own server tells people. Security definer, because kith_api may not read the tenant''s channels.';
grant execute on function internal.own_alarm_ways() to kith_api;

create or replace function internal.miss_channels(p_user kith.users) returns text[]
  language plpgsql
  stable
as $$
begin
  return coalesce(
    (
      select preference.channels from kith.notification_preferences as preference
      where preference.tenant_id = p_user.tenant_id and preference.user_id = p_user.id
        and preference.type = 'ping_missed'
    ),
    array['push', 'email']
  );
end
$$;
comment on function internal.miss_channels(kith.users) is 'The channels on which a person wants to hear of a miss.';

create or replace function internal.with_cheapest(p_user kith.users, p_channels text[]) returns text[]
  language plpgsql
  stable
as $$
declare
  v_has text[] := internal.channels_of(p_user);
begin
  -- Nobody is called about such a thing, and whoever turned it off has chosen that.
  return p_channels
    || case when p_channels <> '{}' and not p_channels && v_has and v_has[1] <> 'voice' then v_has[1:1] else '{}' end;
end
$$;
comment on function internal.with_cheapest(kith.users, text[]) is
  'The channels on which a person is to hear of something that reaches them (internal.notification_types): the wanted '
  'ones, and if they have none of these, the cheapest that they have. A text message only where there is nothing '
  'cheaper.';

create or replace function internal.wanted_channels(
  p_type text, p_data jsonb, p_user kith.users, p_chosen text[], p_default text[], p_stops_texts boolean
) returns text[]
  language plpgsql
  stable
as $$
declare
  v_channels text[] := coalesce(p_chosen, p_default);
begin
  -- Somebody gets into the owner's vault unless the owner hears of it (E02).
  if p_type = 'ask' or p_type like 'emergency\_%' and p_data ->> 'to' = 'owner' then
    return internal.ways();
  elsif p_type = 'alarm_repeat' and not p_data ? 'drill' then
    return internal.louder_channels(p_user, p_chosen, (p_data ->> 'repeat')::integer);
  elsif p_type = 'test_message' then
    -- It tries the way of a missed check-in (I07), without a call: nobody is woken for a test.
    v_channels := array_remove(internal.miss_channels(p_user), 'voice');
    v_channels := case when v_channels = '{}' then array['push', 'email'] else v_channels end;
  elsif p_type = 'ping_reminder' and p_data ? 'channels' then
    -- A reminder may have channels of its own (J06).
    v_channels := array(select jsonb_array_elements_text(p_data -> 'channels'));
  elsif internal.follows_alarm(p_type, p_data) and (v_channels <> '{}' or internal.cannot_be_off(p_type, p_data)) then
    -- A person who reads of an alarm in a text message does not look for its end in a push.
    v_channels := v_channels || internal.alarm_channels(p_user.tenant_id, p_user.id, (p_data ->> 'alarm_id')::uuid)
      || case when p_data ? 'late' then internal.miss_channels(p_user) else '{}' end;
  end if;
  -- Whoever wants text messages alone, and has answered STOP, is told on the other channels.
  v_channels := case when p_stops_texts and v_channels = '{sms}' then array['push', 'email'] else v_channels end;
  return case when internal.reaches(p_type) then internal.with_cheapest(p_user, v_channels) else v_channels end;
end
$$;
comment on function internal.wanted_channels(text, jsonb, kith.users, text[], text[], boolean) is
  'The channels on which a notification is to reach its user: those that are fixed for it, those of the reminder, or '
  'those that they chose for its type (p_chosen), or else the type''s (p_default), with what follows an alarm those on '
  'which the alarm came, or would have come, and for what reaches its reader somehow the cheapest one if they have '
  'none of these. For internal.recipients.';

create or replace function internal.cannot_be_off(p_type text, p_data jsonb) returns boolean
  language sql
  immutable
  parallel safe
as $$
  select p_data ? 'late' or internal.is_owed(p_type) and p_data ->> 'to' is distinct from 'sender'
$$;
comment on function internal.cannot_be_off(text, jsonb) is
  'Whether a notification reaches a receiver who has turned off all channels of its type: how an alarm ended of which '
  'they were told, and the word that they read in the place of a miss. For what follows an alarm.';

create or replace function internal.follows_alarm(p_type text, p_data jsonb) returns boolean
  language sql
  immutable
  parallel safe
as $$
  select internal.is_word_on_alarm(p_type) and not p_data ? 'drill'
$$;
comment on function internal.follows_alarm(text, jsonb) is
  'Whether a notification says to those who were told of an alarm, or asked a question, what has become of it. It '
  'reaches them on a channel that they did not choose if no other is left, as the alarm did: otherwise they would go '
  'on looking. A drill''s is no louder than its reader wants.';

create or replace function internal.alarm_channels(p_tenant_id integer, p_user_id uuid, p_alarm_id uuid) returns text[]
  language plpgsql
  stable
as $$
declare
  v_opened_at timestamptz := (select opened_at from kith.alarms where tenant_id = p_tenant_id and id = p_alarm_id);
  v_from uuid := internal.first_uuid7(v_opened_at - interval '1 minute');
begin
  return array(
    select distinct internal.channel_name(delivery.channel)
    from (
      select note.id
      from kith.notifications as note
      where note.tenant_id = p_tenant_id and note.user_id = p_user_id and note.id >= v_from
        and note.data ? 'alarm_id' and note.data ->> 'alarm_id' = p_alarm_id::text
        and internal.must_reach(note.type, note.data)
      order by note.id desc
      limit 10
    ) as told
    join kith.deliveries as delivery on delivery.tenant_id = p_tenant_id and delivery.notification_id = told.id
    where delivery.id >= v_from and delivery.sent_at is not null and delivery.channel <> 'voice'
  );
end
$$;
comment on function internal.alarm_channels(integer, uuid, uuid) is
  'The channels on which somebody was told of an alarm, without calls: nobody is called because an alarm is over.';

