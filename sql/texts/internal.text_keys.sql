-- Which text of the catalogue a notification has, by its type and its data.

create or replace function internal.alarm_text_key(p_type text, p_data jsonb) returns text
  language plpgsql
  immutable
  parallel safe
as $$
begin
  return case p_type
    when 'alarm_taken' then
      case when p_data ? 'late' then 'late_' else '' end
        || case when p_data ?| '{user_id,desk}' then 'receiver' else 'another' end
    when 'alarm_resolved' then
      case
        when p_data ->> 'outcome' in ('false_alarm', 'drill_over', 'deleted', 'expired') then p_data ->> 'outcome'
        else case when p_data ->> 'to' = 'sender' then 'sender_' when p_data ? 'late' then 'late_' else '' end
          || case when p_data ->> 'outcome' = 'help_called' then 'help_called' else 'safe' end
          || case when p_data ?| '{user_id,desk}' then '' else '_another' end
      end
    when 'alarm_repeat' then
      case
        when p_data ->> 'kind' in ('help', 'unanswered') then p_data ->> 'kind'
        when p_data ? 'acted_at' then 'acted'
        else 'receiver'
      end
    when 'alarm_reopened'
      then case
        when p_data ? 'again' then 'sender_again'
        when p_data ->> 'to' = 'sender' then 'sender'
        else 'receiver'
      end
    when 'help_requested' then case when p_data ? 'since_at' then 'receiver_since' else 'receiver' end
    when 'ask' then 'sender'
    when 'ask_unanswered' then case when p_data ? 'unreached' then 'unreached' else 'receiver' end
    when 'ask_answered' then case when p_data ? 'then_at' then 'receiver_then' else 'receiver' end
    else 'receiver'
  end;
end
$$;
comment on function internal.alarm_text_key(text, jsonb) is
  'The last part of the key of a text about an alarm or a question (K), for internal.text_key.';

create or replace function internal.rare_text_key(p_type text, p_data jsonb, p_is_sender boolean) returns text
  language plpgsql
  immutable
  parallel safe
as $$
begin
  return case
    when p_type = 'ping_missed' then
      case when p_data ? 'user_id' then 'receiver' else 'sender' end
        || case
          when p_data ? 'not_asked_from_at'
            then case when p_data ->> 'last_check_in_at' is null then '_not_asked' else '_not_asked_last' end
          when p_data ? 'on' or p_data ? 'not_asked_from'
            then '_on_date' || case when p_data ? 'unreached' then '_unreached' else '' end
          when p_data ? 'unreached' then '_unreached'
          else ''
        end
    when left(p_type, 6) = 'alarm_' or p_type in ('help_requested', 'ask', 'ask_unanswered', 'ask_answered')
      then internal.alarm_text_key(p_type, p_data)
    when left(p_type, 10) = 'emergency_' then internal.emergency_text_key(p_type, p_data)
    when p_type = 'connection_accepted' then 'other'
    when p_type = 'connection_removed' and p_data ->> 'by' = 'support' then 'support'
    when p_is_sender and p_type in ('connection_request', 'connection_requested', 'connection_removed') then 'sender'
    when left(p_type, 11) = 'connection_' then 'receiver'
    when p_type = 'subscription_lapsing'
      then case p_data ->> 'stopped' when 'last' then 'stopped_last' when 'stopped' then 'stopped' else 'other' end
    when p_type = 'sender_unreachable' and p_data ? 'mended' then 'mended'
    when left(p_type, 6) = 'break_' or p_type in ('sender_unreachable', 'test_message') then 'receiver'
    when p_type = 'receiver_unreachable' then 'sender'
    when p_type = 'nominee_invited' or p_type = 'transfer_requested' then 'invited'
    when p_type = 'nominee_accepted' then case p_data ->> 'right' when 'sleeps' then 'owner_sleeps' else 'owner' end
    when p_type = 'nominee_declined' or left(p_type, 9) = 'transfer_' then 'owner'
    when p_type = 'message_received' then 'deleted'
    else case when p_data ->> 'to' in ('owner', 'invited') then p_data ->> 'to' else 'nominee' end
  end;
end
$$;
comment on function internal.rare_text_key(text, jsonb, boolean) is
  'The last part of the key of a text that is not about a due or answered ping, for internal.text_key.';

create or replace function internal.text_key(p_type text, p_data jsonb, p_is_sender boolean) returns text
  language sql
  immutable
  parallel safe
as $$
  -- The planner inlines this into the statements that render, and each branch makes them slower to start. So only the
  -- types of most notifications are here.
  select 'notification.' || p_type || case
    when p_type = 'ping_completed' or p_type = 'ping_all_clear' then
      case
        when p_data ? 'tapped_at' then '.receiver_tapped'
        when p_data ? 'then_at' then '.receiver'
        when p_data ? 'safe' then '.receiver_safe'
        else '.receiver'
      end
        || case when p_data ? 'then_at' then '_then' else '' end
    when p_type = 'ping_due' or p_type = 'ping_reminder' then '.sender'
    else '.' || internal.rare_text_key(p_type, p_data, p_is_sender)
  end
$$;
comment on function internal.text_key(text, jsonb, boolean) is
  'The key of a notification''s text in the catalogue. p_is_sender: its reader is the sender of the connection that it '
  'is about. A message has no text of Kith, except once it was deleted.';

create or replace function internal.said(p_type text, p_data jsonb) returns text
  language sql
  stable
  parallel safe
as $$
  select case
    when case
      when p_type = 'ping_completed' or p_type = 'ping_all_clear' then not p_data ?| '{tapped_at,then_at,safe,drill}'
      when p_type = 'ping_missed' then not p_data ?| '{on,not_asked_from,not_asked_from_at,unreached,drill}'
      else p_type in (
        'ping_due', 'connection_request', 'connection_requested', 'connection_accepted', 'connection_paused',
        'connection_resumed', 'connection_removed', 'break_ended'
      )
    end then concat(p_type, p_data ->> 'connection_id', p_data ->> 'user_id', p_data ->> 'by')
  end
$$;
comment on function internal.said(text, jsonb) is
  'The same for all notifications to one reader that say the same of the same person, since their text has no other '
  'parameter. Null for one whose text has.';

create or replace function internal.emergency_text_key(p_type text, p_data jsonb) returns text
  language plpgsql
  immutable
  parallel safe
as $$
begin
  return case when p_data ->> 'to' = 'owner' then 'owner' else 'nominee' end || case p_type
    when 'emergency_requested' then
      case
        when p_data ->> 'detail' = 'moved' then '_moved'
        when p_data ->> 'to' is distinct from 'owner' then ''
        when p_data ->> 'missed_days' is not null
          then case p_data ->> 'check_in_stops' when 'false' then '_silence_no' else '_silence' end
        when p_data ->> 'grants_at' is null and not p_data ? 'time' then '_gathering'
        else ''
      end
    when 'emergency_reminder' then case p_data ->> 'check_in_stops' when 'false' then '_no' else '' end
    when 'emergency_opened' then
      case
        when p_data ->> 'to' = 'owner' and p_data ->> 'detail' in ('entered', 'late') then '_' || (p_data ->> 'detail')
        else ''
      end
    when 'emergency_rejected' then
      case
        when p_data ->> 'detail' in ('not_reached', 'stopped', 'ended') then '_' || (p_data ->> 'detail')
        when p_data ->> 'to' is distinct from 'owner' and p_data ->> 'detail' = 'returned' then '_returned'
        else ''
      end
    else ''
  end;
end
$$;
comment on function internal.emergency_text_key(text, jsonb) is
  'The last part of the key of a text about emergency access (E10), for internal.text_key.';
