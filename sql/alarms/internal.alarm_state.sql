-- How things stand with an alarm, in a sentence in its reader's language.

create or replace function internal.alarm_check_in(
  p_alarm kith.alarms, p_reader uuid, out at timestamptz, out source text
)
  language plpgsql
  stable
as $$
begin
  if p_reader is null or p_reader = p_alarm.sender_id then
    return;
  end if;
  select profile.last_check_in_at, profile.last_source into at, source
  from kith.connections as connection
  join kith.sender_profiles as profile on profile.tenant_id = p_alarm.tenant_id and profile.user_id = p_alarm.sender_id
  where connection.tenant_id = p_alarm.tenant_id and connection.sender_id = p_alarm.sender_id
    and connection.receiver_id = p_reader and connection.status = 'active';
end
$$;
comment on function internal.alarm_check_in(kith.alarms, uuid) is
  'When and how the sender of an alarm last checked in, for a receiver who sees it in their connection too '
  '(internal.own_connections). Otherwise null.';

create or replace function internal.words_of_call(p_alarm kith.alarms) returns text
  language plpgsql
  stable
as $$
begin
  return (
    select entry.note from kith.alarm_entries as entry
    where entry.tenant_id = p_alarm.tenant_id and entry.alarm_id = p_alarm.id and entry.kind = 'help'
      and entry.note is not null
    order by entry.id desc
    limit 1
  );
end
$$;
comment on function internal.words_of_call(kith.alarms)
  is 'What the sender of an alarm wrote last in a call for help. Null if they wrote nothing.';

create or replace function internal.count_told(p_alarm kith.alarms, p_now timestamptz) returns integer
  language plpgsql
  stable
as $$
declare
  v_has_channel boolean := exists (select from kith.channel_credentials where tenant_id = p_alarm.tenant_id);
  v_told uuid[] := array(
    select receiver.receiver_id from kith.alarm_receivers as receiver
    where receiver.tenant_id = p_alarm.tenant_id and receiver.alarm_id = p_alarm.id and receiver.told_at is not null
      and receiver.left_at is null
  );
  v_reachable uuid[];
  v_at_once uuid[];
begin
  if not v_has_channel then
    return cardinality(v_told);
  end if;
  v_reachable := internal.reachable(p_alarm.tenant_id, v_told, true);
  v_at_once := internal.reachable(p_alarm.tenant_id, v_told, false);
  return (
    select count(*)
    from unnest(v_told) as receiver (id)
    left join (
      select message.user_id,
        bool_or(
          case internal.telling(message.delivery_status, message.read_at is not null, true)
            when 'told' then true
            when 'being_told' then message.user_id = any (v_at_once) or message.user_id = any (v_reachable) and not (
              message.type = 'help_requested' and coalesce(
                internal.texts_of_help_from(
                  p_alarm.tenant_id, message.id, message.user_id,
                  internal.alarm_data(p_alarm) || jsonb_build_object('user_id', p_alarm.sender_id), p_now
                ) > p_now,
                false
              )
            )
            else false
          end
        ) as is_told
      from internal.messages_of_alarm(p_alarm) as message
      group by message.user_id
    ) as known on known.user_id = receiver.id
    -- The notifications are kept for a shorter time than the alarm.
    where coalesce(known.is_told, true)
  );
end
$$;
comment on function internal.count_told(kith.alarms, timestamptz) is
  'How many of those who have a part in an alarm have been told: a channel has taken a message, or can now; not those '
  'whom none has reached, nor whoever has no way to be reached, or gets a text only later '
  '(internal.texts_of_help_from). Of a tenant without a channel, all.';

create or replace function internal.alarm_state(
  p_alarm kith.alarms, p_reader uuid, p_status text, p_sender json, p_taker json, p_resolver json, p_now timestamptz
) returns json
  language plpgsql
  stable
as $$
declare
  v_is_over boolean := p_status = 'resolved';
  v_is_drill boolean := p_alarm.kind = 'drill';
  v_side text := case when p_reader = p_alarm.sender_id then 'own' else 'of' end;
  v_outcome text := coalesce(p_alarm.outcome, 'expired');
  -- It did not last its 7 days: an operator ended it, it concerned nobody any more, or the next miss opened one of its
  -- own. A drill ends so by a real alarm.
  v_is_closed boolean := coalesce(v_outcome = 'expired' and p_alarm.resolved_at < p_alarm.expires_at, false);
  v_actor json := coalesce(p_taker, p_resolver);
  v_at timestamptz := case p_status when 'taken' then p_alarm.taken_at when 'resolved' then coalesce(
    p_alarm.resolved_at, p_alarm.expires_at
  ) end;
  -- Of whoever reads, and for the desk of the sender.
  v_sight jsonb := internal.sight_of(p_alarm.tenant_id, coalesce(p_reader, p_alarm.sender_id), p_now);
  v_zone text := v_sight ->> 'zone';
  v_locale text := case
    when p_reader is null then internal.language_of_tenant(p_alarm.tenant_id)
    else v_sight ->> 'locale'
  end;
  v_values text[];
begin
  v_values := array[
    internal.name_in_sentence(p_sender ->> 'display_name', v_locale),
    case when v_actor ->> 'id' = p_reader::text then internal.state_text('you', v_locale)
      else internal.name_in_sentence(v_actor ->> 'display_name', v_locale) end,
    null,
    case when p_status = 'taken' and v_actor ->> 'id' = p_reader::text
      then internal.moment_text('until', p_alarm.taken_until, v_sight, p_now)
      else internal.clock_text(v_at, v_zone, v_locale, p_now) end
  ];
  return internal.state_json(
    case when v_is_drill then 'drill' when v_is_over
      and v_outcome in ('checked_in', 'safe', 'false_alarm') then 'safe' when v_is_over then 'unknown'
      when p_alarm.kind = 'help' then 'help' else 'missed' end,
    case when v_is_drill then 'calm' when p_status = 'open' then 'alarm' when p_status = 'taken'
      or v_outcome in ('help_called', 'expired') then 'waiting'
      else 'calm' end,
    array[
      internal.state_text(
        format('alarm.%s.%s', v_side, case when v_is_over and not v_is_drill then 'over' else p_alarm.kind end),
        v_locale, v_values
      ),
      internal.state_text(format(
        'alarm.%s.%s', case when v_actor ->> 'id' = p_reader::text and p_status = 'taken' then 'of' else v_side end,
        case
          when v_is_over
            then 'outcome.'
              || case
                when v_is_closed and v_is_drill then 'drill_over'
                when v_is_closed then 'closed'
                else v_outcome
              end
          when p_status = 'open' then 'untaken'
          when v_actor ->> 'id' = p_reader::text then 'mine'
          else 'taken'
        end
      ), v_locale, v_values)
    ],
    least(
      case p_status when 'taken' then p_alarm.taken_until when 'open' then p_alarm.expires_at end,
        (v_sight ->> 'midnight')::timestamptz
    ),
    p_now
  );
end
$$;
comment on function internal.alarm_state(kith.alarms, uuid, text, json, json, json, timestamptz) is
  'What an alarm says to its reader now (I06), as internal.state_json has it: what it is about, and who looks after it '
  'or how it ended. The persons are internal.alarm_person. The desk (p_reader is null) reads the tenant''s language, '
  'with times in the sender''s time zone. For definer procedures.';
