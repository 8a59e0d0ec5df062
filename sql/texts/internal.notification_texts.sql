-- The words of notifications. They are made when somebody reads the notification, from its type, its data, and the
-- texts of the catalogue in the reader's language (internal.texts). The texts exist only in the catalogue,
-- Sources/Texts/Catalogue.

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
        when 'ping_missed'
          then internal.local_text((p_data ->> 'not_asked_from_at')::timestamptz, p_zone, p_locale, p_created_at)
        when 'emergency_requested' then p_data ->> 'missed_days'
        when 'emergency_reminder' then internal.time_left_text(
          (p_data ->> 'grants_at')::timestamptz - p_created_at,
          p_locale || coalesce(substring(p_read_in from '@.*$'), '')
        )
        when 'emergency_opened'
          then internal.local_text((p_data ->> 'since_at')::timestamptz, p_zone, p_locale, p_created_at)
      end
    when 4 then
      case p_type
        when 'ping_completed'
          then internal.clock_text(
            coalesce(p_data ->> 'tapped_at', p_data ->> 'then_at')::timestamptz, p_zone, p_locale, p_created_at
          )
        when 'ping_all_clear'
          then internal.clock_text(
            coalesce(p_data ->> 'tapped_at', p_data ->> 'then_at')::timestamptz, p_zone, p_locale, p_created_at
          )
        when 'ask_answered'
          then internal.clock_text((p_data ->> 'then_at')::timestamptz, p_zone, p_locale, p_created_at)
        when 'ping_missed' then
          case
            when p_data ? 'not_asked_until_at'
              then internal.local_text((p_data ->> 'not_asked_until_at')::timestamptz, p_zone, p_locale, p_created_at)
            else internal.date_text((p_data ->> 'date')::date, p_locale, internal.local_date(p_created_at, p_zone))
          end
        when 'ask' then internal.clock_text((p_data ->> 'answer_by_at')::timestamptz, p_zone, p_locale, p_created_at)
        when 'alarm_repeat'
          then internal.clock_text(
            coalesce(p_data ->> 'since_at', p_data ->> 'acted_at')::timestamptz, p_zone, p_locale, p_created_at
          )
        when 'help_requested'
          then internal.clock_text((p_data ->> 'since_at')::timestamptz, p_zone, p_locale, p_created_at)
        when 'subscription_lapsing'
          then internal.date_text((p_data ->> 'date')::date, p_locale, internal.local_date(p_created_at, p_zone))
        when 'break_started'
          then internal.date_text((p_data ->> 'until')::date, p_locale, internal.local_date(p_created_at, p_zone))
        when 'emergency_requested'
          then internal.local_text((p_data ->> 'grants_at')::timestamptz, p_zone, p_locale, p_created_at)
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
  'A number, date or time within the text of a notification, by its position (internal.text_position), in the words of '
  'a language and as of created_at. p_read_in has the tenant''s own words for a time to come. Null if data has no such '
  'value, or one that is no number, date or time.';

create or replace function internal.phrase(p_key text, p_locale text) returns text
  language plpgsql
  stable
as $$
begin
  return (select pattern from internal.texts where locale = p_locale and key = p_key);
end
$$;
comment on function internal.phrase(text, text) is
  'A text that stands within another one, such as the words for somebody who has no name, as a pattern of format(). '
  'Null for an unknown key.';

create or replace function internal.vault_words(p_type text, p_data jsonb, p_locale text, p_is_right_to_left boolean)
  returns text
  language plpgsql
  stable
as $$
declare
  v_name text := internal.bounded_name(internal.shown_name(p_data ->> 'vault_name'));
begin
  if v_name is null then
    return format(internal.phrase('name.vault', p_locale));
  elsif p_type in ('nominee_invited', 'transfer_requested')
    or p_type = 'nominee_revoked' and p_data ->> 'to' = 'invited'
  then
    return format(
      internal.phrase('name.vault.quoted', p_locale), null,
      internal.isolated_name(translate(v_name, '“”„"«»', ''''''''''''''), p_is_right_to_left)
    );
  end if;
  return internal.isolated_name(v_name, p_is_right_to_left);
end
$$;
comment on function internal.vault_words(text, jsonb, text, boolean) is
  'The name of a vault within the text of a notification. A reader who has no part in the vault (X22) sees it in '
  'quotation marks, which it cannot close itself, so that it is not taken for the words of the app. "a vault" for an '
  'erased one, and for one that holds an address.';

create or replace function internal.text_with_values(
  p_tenant_id integer, p_text internal.texts, p_name text, p_type text, p_data jsonb, p_created_at timestamptz,
  p_zone text, p_locale text
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
    case
      when p_text.forms is null then p_text.pattern
      else internal.plural_form(p_text.forms, p_text.source, v_values[1])
    end,
      p_name,
    case
      when v_parameters & 4 = 0 then null
      when p_type in ('alarm_resolved', 'alarm_taken') then internal.sender_words(p_tenant_id, p_data, p_text, p_locale)
      else internal.vault_words(p_type, p_data, p_locale, p_text.is_right_to_left)
    end,
    v_values[1], v_values[2], v_values[3]
  );
end
$$;
comment on function internal.text_with_values(integer, internal.texts, text, text, jsonb, timestamptz, text, text) is
  'A text with more parameters than the name of a person, which is given as it stands in the text. Null if one of them '
  'is missing.';

create or replace function internal.drill_words(p_data jsonb, p_locale text, p_body text) returns text
  language sql
  stable
  parallel safe
as $$
  -- p_body is used once. The planner inlines no function that uses an expensive argument twice, and PostgreSQL would
  -- parse this one anew for each statement.
  select format(
    coalesce(case when p_data ? 'drill' then internal.phrase('alarm.drill', p_locale) end, '%2$s'), null, p_body
  )
$$;
comment on function internal.drill_words(jsonb, text, text) is
  'The body of a notification, which says first that it belongs to a drill if it does (K10). A single expression, '
  'which the planner can inline. An empty text for null.';

create or replace function internal.words(
  p_tenant_id integer, p_key text, p_type text, p_data jsonb, p_created_at timestamptz, p_body text,
  p_person_name text, p_name text, p_is_sender boolean, p_is_gone boolean, p_locale text, p_zone text
)
  returns table (title text, body text, name text)
  language sql
  stable
as $$
  select
    coalesce(
      case when p_type = 'message_received' then
        coalesce(
          internal.isolated_name(about.name, text.is_right_to_left), format(internal.phrase('name.anybody', p_locale))
        )
      end,
      text.title, format(internal.phrase('notification.' || p_type || '.title', p_locale)), p_type
    ),
    internal.drill_words(p_data, p_locale, coalesce(
      p_body,
      case when text.parameters & 60 = 0 then format(text.pattern, named.name) else
        internal.text_with_values(p_tenant_id, text, named.name, p_type, p_data, p_created_at, p_zone, p_locale)
      end,
      text.title, format(internal.phrase('notification.' || p_type || '.title', p_locale)), p_type
    )),
    about.name
  from (
    select p_key as key,
      case
        when p_data ->> 'by' = 'support' then null
        -- The owner reads the name that they have given the nominee.
        when left(p_type, 10) = 'emergency_' and p_data ->> 'to' = 'owner' then
          case when p_person_name is not null then
            coalesce(
              internal.nominee_name(p_tenant_id, (p_data ->> 'nominee_id')::uuid), internal.shown_name(p_person_name)
            )
          end
        else coalesce(internal.shown_name(p_name), internal.shown_name(p_person_name))
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
  integer, text, text, jsonb, timestamptz, text, text, text, boolean, boolean, text, text
) is
  'The title and the body of a notification, given by its columns, internal.text_key and internal.person_in, in a '
  'language of internal.languages, with dates and times in a time zone; and the name of the person whom it is about. '
  'The text is worded as of created_at. The body of a message is what its writer wrote. Where data lacks a parameter, '
  'the body is the title: whoever is alarmed must hear of it. Returns a table, which the planner can inline; columns, '
  'because fields of a row are taken out of it at each use. For definer procedures.';

create or replace function internal.told(
  p_tenant_id integer, p_user_id uuid, p_type text, p_data jsonb, p_created_at timestamptz, p_body text,
  p_person_name text, p_locale text, p_zone text
)
  returns table (title text, body text, name text)
  language sql
  stable
as $$
  select words.title, words.body, words.name
  from internal.person_in(p_tenant_id, p_user_id, internal.named_person(p_type, p_data)) as person
  cross join lateral internal.words(
    p_tenant_id, internal.text_key(p_type, p_data, person.is_sender), p_type, p_data, p_created_at, p_body,
    p_person_name, person.name, person.is_sender, person.is_gone, p_locale, p_zone
  ) as words
$$;
comment on function internal.told(integer, uuid, text, jsonb, timestamptz, text, text, text, text) is
  'internal.words of a notification, given by its columns, to its reader p_user_id. Returns a table, which the planner '
  'can inline. For definer procedures.';

create or replace function internal.reader_of(p_tenant_id integer, p_user_id uuid)
  returns table (locale text, time_zone text, created_at timestamptz)
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
  'The language of internal.languages and the time zone in which a user reads, and since when they have an account. '
  'Returns a table, which the planner can inline. For definer procedures.';

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

create or replace function internal.emergency_link_line(
  p_type text, p_data jsonb, p_brand text, p_host text, p_locale text
)
  returns text
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
  'kith.tenants.universal_link_host). The link names what the notification is about, as a push does. It contains no '
  'secret and does nothing by itself: a mail scanner may follow it, and whoever opens it must be signed in to act. '
  'Null if the tenant has no such host, or if there is nothing to do.';

create or replace function internal.leads_to(p_type text, p_data jsonb) returns jsonb
  language sql
  stable
  parallel safe
as $$
  -- One expression, which the planner puts into the calling query. A subquery here took more time than all else about a
  -- notification.
  select case
    when p_type = 'nominee_invited' and p_data ? 'nominee_id'
      then jsonb_build_object('type', 'invitation', 'id', p_data -> 'nominee_id')
    when p_type = 'transfer_requested' and p_data ? 'transfer_id'
      then jsonb_build_object('type', 'invitation', 'id', p_data -> 'transfer_id')
    when p_type = 'message_received' and p_data ? 'nominee_id'
      then jsonb_build_object('type', 'conversation', 'id', p_data -> 'nominee_id')
    when p_data ? 'request_id' then jsonb_build_object('type', 'emergency_request', 'id', p_data -> 'request_id')
    when p_data ? 'transfer_id' then jsonb_build_object('type', 'transfer', 'id', p_data -> 'transfer_id')
    when p_data ? 'nominee_id' then jsonb_build_object('type', 'nominee', 'id', p_data -> 'nominee_id')
    when p_data ? 'vault_id' then jsonb_build_object('type', 'vault', 'id', p_data -> 'vault_id')
    when p_data ? 'ping_id' then jsonb_build_object('type', 'ping', 'id', p_data -> 'ping_id')
    when p_data ? 'alarm_id' then jsonb_build_object('type', 'alarm', 'id', p_data -> 'alarm_id')
    when p_data ? 'connection_id' then jsonb_build_object('type', 'connection', 'id', p_data -> 'connection_id')
    when p_data ? 'receiver_id' then jsonb_build_object('type', 'subscription', 'id', p_data -> 'receiver_id')
  end
$$;
comment on function internal.leads_to(text, jsonb) is
  'What a notification leads to, {type, id}, whatever has become of it since (F08). The id of an invitation is the one '
  'that GET /v1/me/invitations lists; a conversation''s is the nominee''s, and a subscription''s the receiver''s. It '
  'is computed and not stored, so that every notification has it, old ones included. Null if data names nothing.';
