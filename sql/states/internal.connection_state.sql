-- What a connection says of its other side now (I06, X38, X39).

create or replace function internal.own_sight(p_now timestamptz, p_has_alarms boolean) returns jsonb
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_sight jsonb;
begin
  perform internal.require_user();
  v_sight := internal.sight_of(v_tenant, v_user, p_now);
  -- A statement of its own: for most people there is nothing to plan.
  if coalesce(p_has_alarms, internal.has_recent_alarms(v_tenant, v_user, p_now)) then
    v_sight := v_sight || internal.alarms_in_sight(v_tenant, v_user, p_now);
  end if;
  return v_sight;
end
$$;
comment on function internal.own_sight(timestamptz, boolean) is
  'The facts about the current user that decide the words about others: internal.sight_of and '
  'internal.alarms_in_sight. An answer reads them once for all its connections. p_has_alarms is '
  'internal.has_recent_alarms, where it is known already, or null. Security definer, because kith_api may not read '
  'alarms.';
grant execute on function internal.own_sight(timestamptz, boolean) to kith_api;

create or replace function internal.sight_on(p_connection internal.own_connections, p_now timestamptz) returns jsonb
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
  return internal.sight_of(v_tenant, v_user, p_now)
    || case
      when p_connection.role = 'receiver' then internal.alarm_in_sight(v_tenant, v_user, p_connection.sender_id, p_now)
      else '{}'
    end;
end
$$;
comment on function internal.sight_on(internal.own_connections, timestamptz) is
  'internal.own_sight for a single connection of the current user: nobody but its sender is looked at. Security '
  'definer, because kith_api may not read alarms.';
grant execute on function internal.sight_on(internal.own_connections, timestamptz) to kith_api;

create or replace function internal.said_of_ping(
  p_ping kith.pings, p_is_of_receiver boolean, p_is_unreachable boolean, p_is_suspended boolean, p_has_missed boolean,
  p_is_doubted boolean, p_now timestamptz,
  out key text, out kind text, out tone text, out moment timestamptz, out until timestamptz, out changes_at timestamptz
)
  language plpgsql
  stable
as $$
declare
  v_status text := case
    when p_ping.status = 'scheduled' and p_ping.scheduled_at <= p_now then 'due'
    else p_ping.status
  end;
begin
  -- Nothing stands beside a miss that nobody has answered but the next question.
  if coalesce(v_status, 'cancelled') = 'cancelled' or p_has_missed and v_status <> 'due'
    or p_is_suspended and v_status = 'scheduled'
  then
    return;
  end if;
  moment := p_ping.deadline_at;
  if p_is_of_receiver and p_is_unreachable and v_status in ('due', 'scheduled') then
    key := 'unreachable'; kind := 'unreachable'; tone := 'alarm';
  elsif v_status = 'due' and moment <= p_now then
    until := greatest(moment, internal.waits_until(moment, p_ping.judge_at));
    key := case when until <= p_now then 'late' else 'late_until' end;
    kind := 'late'; tone := 'waiting'; changes_at := case when until > p_now then until end;
  elsif v_status = 'due' then
    key := 'due'; kind := 'waiting'; tone := 'waiting'; until := moment; changes_at := moment;
  elsif v_status = 'scheduled' then
    key := 'scheduled'; kind := 'waiting'; tone := 'calm'; changes_at := p_ping.scheduled_at;
    moment := case when p_is_of_receiver then moment else p_ping.scheduled_at end;
  elsif v_status = 'missed' then
    -- Of one that the receiver was told of, internal.connection_state says more.
    key := 'untold'; kind := 'missed'; tone := 'waiting';
  else
    moment := coalesce(p_ping.completed_at, moment);
    if p_is_doubted then
      key := 'last'; kind := 'unknown'; tone := 'unknown';
    else
      kind := 'safe'; tone := 'calm'; key := internal.check_in_outcome(p_ping);
    end if;
  end if;
end
$$;
comment on function internal.said_of_ping(kith.pings, boolean, boolean, boolean, boolean, boolean, timestamptz) is
  'What today''s ping says to one side of a connection: the key of the sentence (internal.state_text), kind and tone, '
  'its two instants, and when it changes by itself before the day ends. All null where it says nothing. p_is_doubted: '
  'nobody is called safe for a check-in while an alarm or a question stands (X39).';

create or replace function internal.check_in_outcome(p_ping kith.pings) returns text
  language sql
  immutable
  parallel safe
as $$
  select case
    when (p_ping).status = 'completed_late' and (p_ping).completed_at < (p_ping).deadline_at then 'arrived_later'
    when (p_ping).status = 'completed_late' and (p_ping).alarmed_at is not null then 'completed_late'
    else 'completed'
  end
$$;
comment on function internal.check_in_outcome(kith.pings) is
  'How a ping was completed: completed, completed_late only where somebody had been told of a miss (X35), '
  'arrived_later for a check-in of before the deadline that came after it (J07).';

create or replace function internal.words_on_miss(p_key text, p_resolution json, p_sight jsonb, p_now timestamptz)
  returns text
  language plpgsql
  stable
as $$
declare
  v_locale text := p_sight ->> 'locale';
  v_by json := p_resolution -> 'by';
  v_name text := v_by ->> 'display_name';
begin
  if p_resolution is null then
    return null;
  end if;
  -- "another receiver" begins the sentence. A name stays as it is.
  if v_by ->> 'id' is null and v_by ->> 'desk' is null then
    v_name := upper(left(v_name, 1)) || substr(v_name, 2);
  end if;
  return internal.state_text(
    p_key || case p_resolution ->> 'outcome' when 'help_called' then '.help_called' else '.safe' end, v_locale,
    array[
      null, coalesce(
        internal.name_in_sentence(v_name, v_locale), internal.state_text('others', v_locale, array[null, null, '1'], 1)
      ), null, null, internal.moment_text('at', (p_resolution ->> 'at')::timestamptz, p_sight, p_now)
    ]
  );
end
$$;
comment on function internal.words_on_miss(text, json, jsonb, timestamptz) is
  'The words of a receiver or the desk about a miss that goes on (internal.resolution_of_miss), as a sentence. Null '
  'for null.';

create or replace function internal.words_on_alarm(
  p_connection internal.own_connections, p_missed kith.pings, p_telling text, p_resolution json, p_alarm jsonb,
  p_sight jsonb, p_now timestamptz
) returns text[]
  language plpgsql
  stable
as $$
declare
  v_is_of_receiver boolean := p_connection.role = 'sender';
  v_sentences text[] := '{}';
begin
  if p_alarm is not null and (p_alarm ->> 'kind' <> 'missed' or p_missed.id is null) then
    v_sentences := v_sentences
      || internal.state_text_at(
        'sender.alarm.' || (p_alarm ->> 'kind'), p_sight, (p_alarm ->> 'at')::timestamptz, null, p_now
      );
  end if;
  if p_missed.id is not null then
    v_sentences := v_sentences || internal.state_text_at(
      case
        when v_is_of_receiver and p_telling in ('being_told', 'not_reached') then 'receiver.' || p_telling
        when v_is_of_receiver then 'receiver.missed'
        else 'sender.missed'
      end,
      p_sight, case
        when v_is_of_receiver then coalesce(p_missed.alarmed_at, p_missed.deadline_at)
        else p_missed.deadline_at
      end, null, p_now
    ) || internal.words_on_miss('said', p_resolution, p_sight, p_now);
  end if;
  return array_remove(v_sentences, null);
end
$$;
comment on function internal.words_on_alarm(
  internal.own_connections, kith.pings, text, json, jsonb, jsonb, timestamptz
) is
  'The sentences of a connection about an alarm of which the receiver was told (p_alarm), and about the miss that '
  'nobody has answered, with what somebody has said of it. Empty without either.';

create or replace function internal.connection_state(
  p_connection internal.own_connections, p_ping kith.pings, p_missed kith.pings, p_telling text, p_resolution json,
  p_sight jsonb, p_now timestamptz
) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_locale text := internal.language_in_sight(p_sight);
  v_about text := internal.opposite_role(p_connection.role);
  v_until timestamptz := p_sight ->> 'midnight';
  v_alarm jsonb := case when v_about = 'sender' then p_sight -> 'alarms' -> p_connection.sender_id::text end;
  v_is_alarm boolean := v_alarm is not null or p_missed.id is not null;
  v_sentences text[] := '{}';
  v_kind text := case when v_alarm ->> 'kind' = 'help' then 'help' when v_is_alarm then 'missed' end;
  v_said record;
begin
  if v_is_alarm then
    v_sentences := internal.words_on_alarm(p_connection, p_missed, p_telling, p_resolution, v_alarm, p_sight, p_now);
  end if;
  if p_connection.status in ('pending', 'paused') then
    return internal.state_json(
      coalesce(v_kind, p_connection.status),
      case when v_is_alarm then 'alarm' else 'waiting' end,
      v_sentences || internal.state_text(
        case p_connection.status when 'pending' then 'pending.' || p_connection.consent_by
          else v_about || '.paused' end,
          v_locale
      ),
      case when v_is_alarm then v_until end, p_now
    );
  end if;
  -- What is today's ends with the sender's day, and how it is worded with the reader's.
  if p_connection.sender_time_zone <> p_sight ->> 'zone' then
    v_until := least(v_until, internal.next_midnight(p_connection.sender_time_zone, p_now));
  end if;
  v_said := internal.said_of_ping(
    p_ping, v_about = 'receiver', v_about = 'receiver' and json_array_length(p_connection.reachable_by) = 0,
    p_connection.is_suspended, p_missed.id is not null,
    v_alarm is not null or p_connection.asked_until is not null
      or v_about = 'sender' and coalesce(p_sight -> 'doubted' ? p_connection.sender_id::text, false),
    p_now
  );
  if v_said.key is not null then
    v_sentences := v_sentences
      || internal.state_text_at(v_about || '.' || v_said.key, p_sight, v_said.moment, v_said.until, p_now);
  end if;
  v_kind := coalesce(v_kind, v_said.kind);
  v_until := least(v_until, v_said.changes_at);
  -- Mostly there is nothing more to say.
  if v_kind is not null and not p_connection.is_suspended and p_connection.break_until_on is null then
    return internal.state_json(
      v_kind, case when v_is_alarm then 'alarm' else v_said.tone end, v_sentences, v_until, p_now
    );
  end if;
  return internal.state_with_rest(
    p_connection, v_kind, case when v_is_alarm then 'alarm' else v_said.tone end, v_sentences, v_until, p_sight, p_now
  );
end
$$;
comment on function internal.connection_state(
  internal.own_connections, kith.pings, kith.pings, text, json, jsonb, timestamptz
) is
  'What a connection says of its other side now (I06), as internal.state_json has it: an alarm of which the receiver '
  'was told, then a miss that nobody has answered, which nothing else hides, then what holds today. A receiver is '
  'never described as if they were the sender. p_telling and p_resolution are of p_missed. Security definer, because '
  'kith_api may not read texts.';
grant execute
  on function internal.connection_state(
    internal.own_connections, kith.pings, kith.pings, text, json, jsonb, timestamptz
  ) to kith_api;

create or replace function internal.state_with_rest(
  p_connection internal.own_connections, p_kind text, p_tone text, p_sentences text[], p_until timestamptz,
  p_sight jsonb, p_now timestamptz
) returns json
  language plpgsql
  stable
as $$
declare
  v_locale text := p_sight ->> 'locale';
  v_about text := internal.opposite_role(p_connection.role);
  v_is_late boolean;
begin
  if p_connection.is_suspended then
    p_kind := coalesce(p_kind, 'paused');
    p_tone := coalesce(p_tone, 'waiting');
    p_sentences := p_sentences || internal.state_text(v_about || '.suspended', v_locale);
  end if;
  if (
    p_now at time zone p_connection.sender_time_zone
  )::date between p_connection.break_from_on and p_connection.break_until_on
  then
    p_kind := coalesce(p_kind, 'break');
    p_tone := coalesce(p_tone, 'calm');
    p_sentences := p_sentences || internal.state_text(
      v_about || '.break', v_locale,
      array[null, null, null, internal.date_in_sentence(p_connection.break_until_on, p_sight, p_now)]
    );
  end if;
  if p_kind is null then
    -- Where the pings of the day have not been made, nobody knows yet that nothing is expected (X39).
    v_is_late := coalesce(p_connection.sender_time_zone = any (internal.late_zones(p_now)), false);
    p_kind := case when v_is_late then 'late' else 'unknown' end;
    p_tone := case when v_is_late then 'waiting' else 'unknown' end;
    p_sentences := array[
      internal.state_text(v_about || case when v_is_late then '.not_made' else '.none' end, v_locale)
    ];
  end if;
  return internal.state_json(p_kind, p_tone, p_sentences, p_until, p_now);
end
$$;
comment on function internal.state_with_rest(
  internal.own_connections, text, text, text[], timestamptz, jsonb, timestamptz
) is
  'The state of a connection whose alarms, miss and ping of today are said: a subscription that has ended and a break '
  'follow, and if there is nothing, that nothing is expected. For internal.connection_state.';

create or replace function internal.language_in_sight(p_sight jsonb) returns text
  language plpgsql
  stable
as $$
declare
  v_locale text := p_sight ->> 'locale';
begin
  -- Another tenant's own words are nothing to read.
  if split_part(v_locale, '@', 2) not in ('', kith.tenant_id()::text) then
    raise exception 'forbidden' using errcode = 'KT403';
  end if;
  return v_locale;
end
$$;
comment on function internal.language_in_sight(jsonb) is
  'The language of internal.own_sight. Raises forbidden for a language with the words of another tenant. The server '
  'never asks for one.';
