-- The words of notifications. They are made when somebody reads the notification, from its type, its data, and the texts of the
-- catalogue in the reader's language (internal.texts). The texts exist only in the catalogue, Sources/Texts/Catalogue.

create or replace function internal.bounded_name(p_name text) returns text
  language plpgsql
  immutable
  parallel safe
as $$
declare
  -- What modifies the character before it: combining marks, joiners, variation selectors, skin tones and tags.
  v_extending constant text := '\u0300-\u036F\u1AB0-\u1AFF\u1DC0-\u1DFF\u200C\u200D\u20D0-\u20FF\uFE00-\uFE0F\uFE20-\uFE2F\U0001F3FB-\U0001F3FF'
    '\U000E0020-\U000E007F\U000E0100-\U000E01EF';
  -- Line breaks and controls of direction are in no name that a person gives here, but a row may come from elsewhere.
  v_name text := regexp_replace(p_name, '[\u0001-\u001F\u007F-\u009F\u2028-\u202E\u2066-\u2069]+', ' ', 'g');
  v_cut text;
begin
  if char_length(v_name) <= 60 then
    return v_name;
  end if;
  v_cut := left(v_name, 59);
  -- Leave no part of a character or of an emoji at the end.
  if substr(v_name, 60, 1) ~ ('[' || v_extending || ']') or right(v_cut, 1) = u&'\200D' then
    v_cut := regexp_replace(v_cut, '[^' || v_extending || '][' || v_extending || ']*(?:\u200D[^' || v_extending || '][' || v_extending || ']*)*$', '');
  end if;
  return rtrim(v_cut) || '…';
end
$$;
comment on function internal.bounded_name(text) is
  'The name of a vault as a notification shows it: on one line, and cut after 59 characters if it has more than 60. The data of the '
  'notification has all of it. Null for null.';
grant execute on function internal.bounded_name(text) to kith_worker;

create or replace function internal.isolated_name(p_name text, p_is_right_to_left boolean) returns text
  language sql
  immutable
  parallel safe
as $$
  select case
    when p_is_right_to_left and p_name ~ '[A-Za-z\u00AA-\u02B8\u0370-\u058F\u0900-\u1FFF\u2C00-\uD7FF\uF900-\uFB17\uFF21-\uFFDC]'
      -- Most names are ASCII, which is found faster than by a regular expression.
      or not p_is_right_to_left and octet_length(p_name) > char_length(p_name)
        and p_name ~ '[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\U00010800-\U00010FFF\U0001E800-\U0001EEFF]'
      then u&'\2068' || p_name || u&'\2069'
    else p_name
  end
$$;
comment on function internal.isolated_name(text, boolean) is
  'A name within a text that is written from left to right or from right to left. If it has letters of the other direction, it stands in '
  'the isolates of Unicode (UAX #9, section 2.4), so that it does not reorder the text around it. Every other name stays as it is.';

create or replace function internal.date_words(p_pattern text, p_at timestamp, p_months text[], p_weekdays text[]) returns text
  language sql
  stable
  parallel safe
as $$
  select format(
    p_pattern, to_char(p_at, 'FMDD'), to_char(p_at, 'DD'), to_char(p_at, 'FMMM'), to_char(p_at, 'MM'), p_months[extract(month from p_at)::integer],
    to_char(p_at, 'FMYYYY'), p_weekdays[extract(isodow from p_at)::integer], to_char(p_at, 'FMHH24'), to_char(p_at, 'HH24'),
    to_char(p_at, 'FMMI'), to_char(p_at, 'MI')
  )
$$;
comment on function internal.date_words(text, timestamp, text[], text[]) is
  'A local time by a pattern of internal.languages, with the names of the months and weekdays.';

create or replace function internal.local_text(p_at timestamptz, p_zone text, p_locale text default 'en', p_worded_at timestamptz default null)
  returns text
  language plpgsql
  stable
as $$
declare
  v_at timestamp := p_at at time zone p_zone;
begin
  return (
    select format(
      date_time_pattern,
      internal.date_words(
        case when extract(year from v_at) = extract(year from p_worded_at at time zone p_zone) then date_of_this_year_pattern else date_pattern end,
        v_at, months, weekdays
      ),
      internal.date_words(time_pattern, v_at, months, weekdays)
    )
    from internal.languages
    where locale = p_locale and v_at is not null
  );
end
$$;
comment on function internal.local_text(timestamptz, text, text, timestamptz) is
  'An instant as a person in a time zone reads it: 14 March 2027, 08:30. A language may leave out the year of p_worded_at. Null for null.';
grant execute on function internal.local_text(timestamptz, text, text, timestamptz) to kith_api, kith_worker;

create or replace function internal.clock_text(p_at timestamptz, p_zone text, p_locale text, p_worded_at timestamptz) returns text
  language plpgsql
  stable
as $$
begin
  if (p_at at time zone p_zone)::date is distinct from (p_worded_at at time zone p_zone)::date then
    return internal.local_text(p_at, p_zone, p_locale, p_worded_at);
  end if;
  return (
    select internal.date_words(time_pattern, p_at at time zone p_zone, months, weekdays) from internal.languages where locale = p_locale
  );
end
$$;
comment on function internal.clock_text(timestamptz, text, text, timestamptz) is
  'An instant as a person in a time zone reads it: 08:30 if it is of the date of p_worded_at there, otherwise 14 March 2027, 08:30. Null for '
  'null.';

create or replace function internal.date_text(p_on date, p_locale text, p_worded_on date) returns text
  language plpgsql
  stable
as $$
begin
  return (
    select internal.date_words(
      case when extract(year from p_on) = extract(year from p_worded_on) then date_of_this_year_pattern else date_pattern end,
      p_on, months, weekdays
    )
    from internal.languages
    where locale = p_locale and p_on is not null
  );
end
$$;
comment on function internal.date_text(date, text, date) is
  'A date as a notification writes it: 14 March 2027. A language may leave out the year of p_worded_on.';

create or replace function internal.time_left_text(p_left interval, p_locale text default 'en') returns text
  language plpgsql
  stable
as $$
declare
  v_minutes numeric := ceil(extract(epoch from p_left) / 60);
  v_is_days boolean := v_minutes >= 2850 or v_minutes between 1410 and 1470;
  v_count integer := case when v_is_days then round(v_minutes / 1440) when v_minutes >= 55 then round(v_minutes / 60) else greatest(v_minutes, 1) end;
  v_text internal.texts;
begin
  select * into v_text
  from internal.texts
  where locale = p_locale
    and key = case when v_is_days then 'duration.left.days' when v_minutes >= 55 then 'duration.left.hours' else 'duration.left.minutes' end;
  return format(internal.plural_form(v_text.forms, v_text.source, v_count::text), null, null, v_count);
end
$$;
comment on function internal.time_left_text(interval, text) is
  'A time to come, as a notification writes it: 12 days, 2 days, 30 hours, 1 day, 1 hour, 10 minutes.';

create or replace function internal.text_parameter(
  p_position integer, p_type text, p_data jsonb, p_created_at timestamptz, p_zone text, p_locale text, p_read_in text
) returns text
  language plpgsql
  stable
as $$
begin
  if p_type = 'ping_reminder' then
    return p_data ->> 'minutes';
  end if;
  return case p_position
    when 3 then
      case p_type
        when 'ping_missed' then internal.local_text((p_data ->> 'not_asked_from_at')::timestamptz, p_zone, p_locale, p_created_at)
        when 'emergency_requested' then p_data ->> 'missed_days'
        when 'emergency_reminder' then internal.time_left_text(
          (p_data ->> 'grants_at')::timestamptz - p_created_at, p_locale || coalesce(substring(p_read_in from '@.*$'), '')
        )
        when 'emergency_opened' then internal.local_text((p_data ->> 'since_at')::timestamptz, p_zone, p_locale, p_created_at)
      end
    when 4 then
      case p_type
        when 'ping_completed' then internal.clock_text((p_data ->> 'tapped_at')::timestamptz, p_zone, p_locale, p_created_at)
        when 'ping_all_clear' then internal.clock_text((p_data ->> 'tapped_at')::timestamptz, p_zone, p_locale, p_created_at)
        when 'ping_missed' then
          case
            when p_data ? 'not_asked_until_at'
              then internal.local_text((p_data ->> 'not_asked_until_at')::timestamptz, p_zone, p_locale, p_created_at)
            else internal.date_text((p_data ->> 'date')::date, p_locale, internal.local_date(p_created_at, p_zone))
          end
        when 'ask' then internal.clock_text((p_data ->> 'answer_by_at')::timestamptz, p_zone, p_locale, p_created_at)
        when 'alarm_repeat' then internal.clock_text((p_data ->> 'acted_at')::timestamptz, p_zone, p_locale, p_created_at)
        when 'subscription_lapsing' then internal.date_text((p_data ->> 'date')::date, p_locale, internal.local_date(p_created_at, p_zone))
        when 'break_started' then internal.date_text((p_data ->> 'until')::date, p_locale, internal.local_date(p_created_at, p_zone))
        when 'emergency_requested' then internal.local_text((p_data ->> 'grants_at')::timestamptz, p_zone, p_locale, p_created_at)
        else internal.local_text((p_data ->> 'ends_at')::timestamptz, p_zone, p_locale, p_created_at)
      end
    when 5 then internal.local_text((p_data ->> 'last_check_in_at')::timestamptz, p_zone, p_locale, p_created_at)
  end;
exception when others then
  -- Clients and alarms get the title, and the loop that renders goes on.
  if not internal.is_of_data(sqlstate) then
    raise;
  end if;
  return null;
end
$$;
comment on function internal.text_parameter(integer, text, jsonb, timestamptz, text, text, text) is
  'A number, date or time within the text of a notification, by its position (internal.text_position), in the words of a language and as '
  'of created_at. p_read_in has the tenant''s own words for a time to come. Null if data has no such value, or one that is no number, date or time.';

create or replace function internal.phrase(p_key text, p_locale text) returns text
  language plpgsql
  stable
as $$
begin
  return (select pattern from internal.texts where locale = p_locale and key = p_key);
end
$$;
comment on function internal.phrase(text, text) is
  'A text that stands within another one, such as the words for somebody who has no name, as a pattern of format(). Null for an unknown key.';

create or replace function internal.nameless_key(p_type text, p_key text, p_is_sender boolean, p_is_gone boolean) returns text
  language sql
  immutable
  parallel safe
as $$
  select case
    when not p_is_gone and (
      p_type in ('help_requested', 'ask_unanswered', 'sender_unreachable')
      or p_key in (
        'notification.alarm_resolved.false_alarm', 'notification.alarm_repeat.help', 'notification.alarm_repeat.unanswered',
        'notification.alarm_repeat.acted'
      )
    ) then 'name.sender'
    when not p_is_gone and p_type in ('alarm_repeat', 'alarm_reopened', 'alarm_check') then 'name.sender.inside'
    when p_is_sender and not p_is_gone and p_type = 'ask' then 'name.receiver'
    when p_is_gone or left(p_type, 5) not in ('ping_', 'conne', 'break', 'subsc') then 'name.anybody'
    when p_key = 'notification.subscription_lapsing.other' then 'name.receiver.inside'
    when p_is_sender or p_type = 'subscription_lapsing' then 'name.receiver'
    when strpos(p_key, '.receiver_not_asked') > 0 then 'name.sender.inside'
    else 'name.sender'
  end
$$;
comment on function internal.nameless_key(text, text, boolean, boolean) is
  'The key of the words for a person without a name in the text p_key: by their part in a connection of which the reader is the sender or '
  'the receiver, otherwise, or when their account has ended, "Someone".';

create or replace function internal.nameless_words(p_type text, p_key text, p_is_sender boolean, p_is_gone boolean, p_locale text) returns text
  language plpgsql
  stable
as $$
begin
  return format(internal.phrase(internal.nameless_key(p_type, p_key, p_is_sender, p_is_gone), p_locale));
end
$$;
comment on function internal.nameless_words(text, text, boolean, boolean, text) is
  'The words for a person without a name (internal.nameless_key) in a language. It is in plpgsql because the planner would inline SQL, which '
  'makes each statement slower to start, and most people have a name.';

create or replace function internal.vault_words(p_type text, p_data jsonb, p_locale text, p_is_right_to_left boolean) returns text
  language plpgsql
  stable
as $$
declare
  v_name text := internal.bounded_name(p_data ->> 'vault_name');
begin
  if v_name is null then
    return format(internal.phrase('name.vault', p_locale));
  elsif p_type in ('nominee_invited', 'transfer_requested') or p_type = 'nominee_revoked' and p_data ->> 'to' = 'invited' then
    return format(
      internal.phrase('name.vault.quoted', p_locale), null,
      internal.isolated_name(translate(v_name, '“”„"«»', ''''''''''''''), p_is_right_to_left)
    );
  end if;
  return internal.isolated_name(v_name, p_is_right_to_left);
end
$$;
comment on function internal.vault_words(text, jsonb, text, boolean) is
  'The name of a vault within the text of a notification. A reader who has no part in the vault (X22) sees it in quotation marks, which it '
  'cannot close itself, so that it is not taken for the words of the app. "a vault" for an erased one.';

create or replace function internal.alarm_text_key(p_type text, p_data jsonb) returns text
  language plpgsql
  immutable
  parallel safe
as $$
begin
  return case p_type
    when 'alarm_taken' then case when p_data ?| '{user_id,desk}' then 'receiver' else 'another' end
    when 'alarm_resolved' then
      case
        when p_data ->> 'outcome' in ('false_alarm', 'drill_over', 'deleted') then p_data ->> 'outcome'
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
    when 'alarm_reopened' then case when p_data ? 'again' then 'sender_again' when p_data ->> 'to' = 'sender' then 'sender' else 'receiver' end
    when 'ask' then 'sender'
    when 'ask_unanswered' then case when p_data ? 'unreached' then 'unreached' else 'receiver' end
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
          when p_data ? 'not_asked_from_at' then case when p_data ->> 'last_check_in_at' is null then '_not_asked' else '_not_asked_last' end
          when p_data ? 'on' or p_data ? 'not_asked_from' then '_on_date'
          else ''
        end
    when left(p_type, 6) = 'alarm_' or p_type in ('help_requested', 'ask', 'ask_unanswered') then internal.alarm_text_key(p_type, p_data)
    when left(p_type, 10) = 'emergency_' then internal.emergency_text_key(p_type, p_data)
    when p_type = 'connection_accepted' then 'other'
    when p_type = 'connection_removed' and p_data ->> 'by' = 'support' then 'support'
    when p_is_sender and p_type in ('connection_request', 'connection_requested', 'connection_removed') then 'sender'
    when left(p_type, 11) = 'connection_' then 'receiver'
    when p_type = 'subscription_lapsing' then case p_data ->> 'stopped' when 'last' then 'stopped_last' when 'stopped' then 'stopped' else 'other' end
    when left(p_type, 6) = 'break_' or p_type = 'sender_unreachable' then 'receiver'
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
  -- The planner inlines this into the statements that render, and each branch makes them slower to start. So only the types of most
  -- notifications are here.
  select 'notification.' || p_type || case
    when p_type = 'ping_completed' or p_type = 'ping_all_clear' then case when p_data ? 'tapped_at' then '.receiver_tapped' when p_data ? 'safe' then '.receiver_safe' else '.receiver' end
    when p_type = 'ping_due' or p_type = 'ping_reminder' then '.sender'
    else '.' || internal.rare_text_key(p_type, p_data, p_is_sender)
  end
$$;
comment on function internal.text_key(text, jsonb, boolean) is
  'The key of a notification''s text in the catalogue. p_is_sender: its reader is the sender of the connection that it is about. A message '
  'has no text of Kith, except once it was deleted.';

create or replace function internal.said(p_type text, p_data jsonb) returns text
  language sql
  stable
  parallel safe
as $$
  select case
    when case
      when p_type = 'ping_completed' or p_type = 'ping_all_clear' then not p_data ?| '{tapped_at,safe,drill}'
      when p_type = 'ping_missed' then not p_data ?| '{on,not_asked_from,not_asked_from_at,drill}'
      else p_type in (
        'ping_due', 'connection_request', 'connection_requested', 'connection_accepted', 'connection_paused', 'connection_resumed',
        'connection_removed', 'break_ended'
      )
    end then concat(p_type, p_data ->> 'connection_id', p_data ->> 'user_id', p_data ->> 'by')
  end
$$;
comment on function internal.said(text, jsonb) is
  'The same for all notifications to one reader that say the same of the same person, since their text has no other parameter. Null for '
  'one whose text has.';

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
        when p_data ->> 'missed_days' is not null then case p_data ->> 'check_in_stops' when 'false' then '_silence_no' else '_silence' end
        when p_data ->> 'grants_at' is null and not p_data ? 'time' then '_gathering'
        else ''
      end
    when 'emergency_reminder' then case p_data ->> 'check_in_stops' when 'false' then '_no' else '' end
    when 'emergency_opened' then
      case when p_data ->> 'to' = 'owner' and p_data ->> 'detail' in ('entered', 'late') then '_' || (p_data ->> 'detail') else '' end
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

create or replace function internal.named_connection(p_type text, p_data jsonb) returns uuid
  language sql
  immutable
  parallel safe
as $$
  select case
    when p_type in ('ping_due', 'ping_reminder') or p_type = 'ping_missed' and not p_data ? 'user_id' or p_data ->> 'by' = 'support' then null
    else (p_data ->> 'connection_id')::uuid
  end
$$;
comment on function internal.named_connection(text, jsonb) is
  'The connection whose other side a notification names. Null if it names nobody, or somebody else.';

create or replace function internal.named_person(p_type text, p_data jsonb) returns uuid
  language sql
  immutable
  parallel safe
as $$
  select case
    when p_data ? 'connection_id' then internal.named_connection(p_type, p_data)
    else (p_data ->> 'user_id')::uuid
  end
$$;
comment on function internal.named_person(text, jsonb) is
  'The id by which internal.person_in finds the person whom a notification names: that of the connection to them, otherwise that of their '
  'account.';

create or replace function internal.person_in(p_tenant_id integer, p_reader_id uuid, p_id uuid)
  returns table (name text, is_sender boolean, is_gone boolean)
  language sql
  stable
as $$
  select
    nullif(btrim(coalesce(
      case when connection.sender_id = p_reader_id then connection.alias_by_sender else connection.alias_by_receiver end, person.display_name
    )), ''),
    connection.sender_id = p_reader_id, person.deleted_at is not null
  from (select) as one
  left join kith.connections as connection on connection.tenant_id = p_tenant_id and connection.id = p_id
  left join kith.users as person
    on person.tenant_id = p_tenant_id and person.id = case
      when connection.id is null then p_id
      when connection.sender_id = p_reader_id then connection.receiver_id
      else connection.sender_id
    end
$$;
comment on function internal.person_in(integer, uuid, uuid) is
  'A person as a reader knows them now: the reader''s alias or their display name, whether the reader is the sender of the connection to '
  'them, and whether their account has ended. p_id is internal.named_person. Returns a table, which the planner can inline. For definer '
  'procedures, since it reads the accounts of others.';

create or replace function internal.nominee_name(p_tenant_id integer, p_nominee_id uuid) returns text
  language plpgsql
  stable
as $$
begin
  return (select nullif(btrim(name), '') from kith.nominees where tenant_id = p_tenant_id and id = p_nominee_id);
end
$$;
comment on function internal.nominee_name(integer, uuid) is
  'What the owner of a vault calls a nominee. Null for one who is gone. For definer procedures.';

create or replace function internal.sender_words(p_tenant_id integer, p_data jsonb, p_text internal.texts, p_locale text) returns text
  language plpgsql
  stable
as $$
declare
  v_name text := (
    select nullif(btrim(coalesce(connection.alias_by_receiver, sender.display_name)), '')
    from kith.connections as connection
    join kith.users as sender on sender.tenant_id = p_tenant_id and sender.id = connection.sender_id
    where connection.tenant_id = p_tenant_id and connection.id = (p_data ->> 'sender_connection_id')::uuid
  );
begin
  return coalesce(internal.isolated_name(v_name, p_text.is_right_to_left), format(internal.phrase('name.sender.inside', p_locale)));
end
$$;
comment on function internal.sender_words(integer, jsonb, internal.texts, text) is
  'The sender of an alarm within a text that names somebody else first, as its reader knows them. For definer procedures.';

create or replace function internal.text_with_values(
  p_tenant_id integer, p_text internal.texts, p_name text, p_type text, p_data jsonb, p_created_at timestamptz, p_zone text, p_locale text
) returns text
  language plpgsql
  stable
as $$
declare
  v_parameters integer := p_text.parameters;
  v_values text[] := '{null, null, null}';
begin
  for v_n in 3..5 loop
    if v_parameters & (1 << v_n) <> 0 then
      v_values[v_n - 2] := internal.text_parameter(v_n, p_type, p_data, p_created_at, p_zone, p_text.source, p_locale);
      if v_values[v_n - 2] is null then
        return null;
      end if;
    end if;
  end loop;
  return format(
    case when p_text.forms is null then p_text.pattern else internal.plural_form(p_text.forms, p_text.source, v_values[1]) end, p_name,
    case
      when v_parameters & 4 = 0 then null
      when p_type = 'alarm_resolved' then internal.sender_words(p_tenant_id, p_data, p_text, p_locale)
      else internal.vault_words(p_type, p_data, p_locale, p_text.is_right_to_left)
    end,
    v_values[1], v_values[2], v_values[3]
  );
end
$$;
comment on function internal.text_with_values(integer, internal.texts, text, text, jsonb, timestamptz, text, text) is
  'A text with more parameters than the name of a person, which is given as it stands in the text. Null if one of them is missing.';

create or replace function internal.drill_words(p_data jsonb, p_locale text, p_body text) returns text
  language sql
  stable
  parallel safe
as $$
  -- p_body is used once. The planner inlines no function that uses an expensive argument twice, and PostgreSQL would parse this one anew
  -- for each statement.
  select format(coalesce(case when p_data ? 'drill' then internal.phrase('alarm.drill', p_locale) end, '%2$s'), null, p_body)
$$;
comment on function internal.drill_words(jsonb, text, text) is
  'The body of a notification, which says first that it belongs to a drill if it does (K10). A single expression, which the planner can '
  'inline. An empty text for null.';

create or replace function internal.words(
  p_tenant_id integer, p_key text, p_type text, p_data jsonb, p_created_at timestamptz, p_title text, p_body text, p_person_name text,
  p_name text, p_is_sender boolean, p_is_gone boolean, p_locale text, p_zone text
)
  returns table (title text, body text, name text)
  language sql
  stable
as $$
  select
    coalesce(
      p_title,
      case when p_type = 'message_received' then
        coalesce(internal.isolated_name(about.name, text.is_right_to_left), format(internal.phrase('name.anybody', p_locale)))
      end,
      text.title, format(internal.phrase('notification.' || p_type || '.title', p_locale)), p_type
    ),
    internal.drill_words(p_data, p_locale, coalesce(
      p_body,
      case when text.parameters & 60 = 0 then format(text.pattern, named.name) else
        internal.text_with_values(p_tenant_id, text, named.name, p_type, p_data, p_created_at, p_zone, p_locale)
      end,
      p_title, text.title, format(internal.phrase('notification.' || p_type || '.title', p_locale)), p_type
    )),
    about.name
  from (
    select p_key as key,
      case
        when p_data ->> 'by' = 'support' then null
        -- The owner reads the name that they have given the nominee.
        when left(p_type, 10) = 'emergency_' and p_data ->> 'to' = 'owner' then
          case when p_person_name is not null then
            coalesce(internal.nominee_name(p_tenant_id, (p_data ->> 'nominee_id')::uuid), p_person_name)
          end
        else coalesce(p_name, p_person_name)
      end as name
    -- Keeps the planner from computing them again at each use.
    offset 0
  ) as about
  left join internal.texts as text on text.locale = p_locale and text.key = about.key
  cross join lateral (
    select case when text.parameters & 2 <> 0 then
      coalesce(
        internal.isolated_name(about.name, text.is_right_to_left),
        internal.nameless_words(p_type, about.key, p_is_sender, p_is_gone, p_locale)
      )
    end as name
    offset 0
  ) as named
$$;
comment on function internal.words(
  integer, text, text, jsonb, timestamptz, text, text, text, text, boolean, boolean, text, text
) is
  'The title and the body of a notification, given by its columns, internal.text_key and internal.person_in, in a language of '
  'internal.languages, with dates and times in a time zone; and the name of the person whom it is about. The text is worded as of '
  'created_at. A row that has words of its own keeps them. Where data lacks a parameter, the body is the title: whoever is alarmed must '
  'hear of it. Returns a table, which the planner can inline; columns, because fields of a row are taken out of it at each use. For '
  'definer procedures.';

create or replace function internal.told(
  p_tenant_id integer, p_user_id uuid, p_type text, p_data jsonb, p_created_at timestamptz, p_title text, p_body text, p_person_name text,
  p_locale text, p_zone text
)
  returns table (title text, body text, name text)
  language sql
  stable
as $$
  select words.title, words.body, words.name
  from internal.person_in(p_tenant_id, p_user_id, internal.named_person(p_type, p_data)) as person
  cross join lateral internal.words(
    p_tenant_id, internal.text_key(p_type, p_data, person.is_sender), p_type, p_data, p_created_at, p_title, p_body, p_person_name,
    person.name, person.is_sender, person.is_gone, p_locale, p_zone
  ) as words
$$;
comment on function internal.told(integer, uuid, text, jsonb, timestamptz, text, text, text, text, text) is
  'internal.words of a notification, given by its columns, to its reader p_user_id. Returns a table, which the planner can inline. For '
  'definer procedures.';

create or replace function internal.reader_of(p_tenant_id integer, p_user_id uuid) returns table (locale text, time_zone text, created_at timestamptz)
  language sql
  stable
as $$
  select
    coalesce(
      -- The tag itself or its first subtag is nearly always there.
      case when split_part(reader.locale, '-', 3) = '' then (
        select language.locale from internal.languages as language
        where language.locale in (
          lower(reader.locale), lower(reader.locale) || '@' || p_tenant_id,
          lower(split_part(reader.locale, '-', 1)), lower(split_part(reader.locale, '-', 1)) || '@' || p_tenant_id
        )
        order by split_part(language.locale, '@', 1) desc, language.locale desc
        limit 1
      ) end,
      internal.nearest_language(reader.locale, p_tenant_id)
    ),
    reader.time_zone, reader.created_at
  from kith.users as reader
  where reader.tenant_id = p_tenant_id and reader.id = p_user_id
  -- The planner inlines no call whose arguments have subqueries, as this language has.
  offset 0
$$;
comment on function internal.reader_of(integer, uuid) is
  'The language of internal.languages and the time zone in which a user reads, and since when they have an account. Returns a table, which the planner can inline. For definer '
  'procedures.';

create or replace function internal.text_message(p_title text, p_body text, p_locale text) returns text
  language plpgsql
  stable
as $$
begin
  -- "Are You OK?: Bob" would have two marks.
  if right(p_title, 1) = '?' then
    return p_title || ' ' || p_body;
  end if;
  return format(coalesce(internal.phrase('sms.notification', p_locale), '%1$s: %2$s'), p_title, p_body);
end
$$;
comment on function internal.text_message(text, text, text) is
  'A notification as one text, because a text message has no subject: its title, or the brand, and its body.';

create or replace function internal.emergency_link_line(p_type text, p_data jsonb, p_brand text, p_host text, p_locale text) returns text
  language plpgsql
  stable
  parallel safe
as $$
begin
  return (
    select format(
      internal.phrase(
        'mail.link.' || case
          when p_type in ('emergency_requested', 'emergency_reminder') and p_data ->> 'to' = 'owner' then
            case p_data ->> 'check_in_stops' when 'false' then 'say_no' else 'check_in' end
          when p_type = 'emergency_opened' and p_data ->> 'to' = 'owner' then 'end'
          else 'enter'
        end,
        p_locale
      ),
      null, format('https://%s/open?type=%s&id=%s', p_host, about.it ->> 'type', about.it ->> 'id'), null, p_brand
    )
    from (select internal.leads_to(p_type, p_data)) as about (it)
    where p_host is not null
      -- Only where the reader can act: the owner against a request or a grant, and the nominee once they can enter.
      and (
        p_type in ('emergency_requested', 'emergency_reminder') and p_data ->> 'to' = 'owner'
        or p_type in ('emergency_opened', 'emergency_approved')
      )
  );
end
$$;
comment on function internal.emergency_link_line(text, jsonb, text, text, text) is
  'The last line of an e-mail about emergency access: what to do, and a link that opens the tenant''s app (p_host is '
  'kith.tenants.universal_link_host). The link names what the notification is about, as a push does. It contains no secret and does '
  'nothing by itself: a mail scanner may follow it, and whoever opens it must be signed in to act. Null if the tenant has no such host, or '
  'if there is nothing to do.';
