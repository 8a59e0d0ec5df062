-- The names of people, vaults and nominees in the words of notifications: whose they are, how long they may be, and
-- what is written without one.

create or replace function internal.bounded_name(p_name text) returns text
  language plpgsql
  immutable
  parallel safe
as $$
declare
  -- What modifies the character before it: combining marks, joiners, variation selectors, skin tones and tags.
  v_extending constant text :=
  '\u0300-\u036F\u1AB0-\u1AFF\u1DC0-\u1DFF\u200C\u200D\u20D0-\u20FF\uFE00-\uFE0F\uFE20-\uFE2F\U0001F3FB-\U0001F3FF'
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
    v_cut := regexp_replace(
      v_cut, '[^' || v_extending || '][' || v_extending || ']*(?:\u200D[^' || v_extending || '][' || v_extending
      || ']*)*$', ''
    );
  end if;
  return rtrim(v_cut) || '…';
end
$$;
comment on function internal.bounded_name(text) is
  'The name of a vault as a notification shows it: on one line, and cut after 59 characters if it has more than 60. '
  'The data of the notification has all of it. Null for null.';
grant execute on function internal.bounded_name(text) to kith_worker;

create or replace function internal.isolated_name(p_name text, p_is_right_to_left boolean) returns text
  language sql
  immutable
  parallel safe
as $$
  select case
    when p_is_right_to_left
      and p_name ~ '[A-Za-z\u00AA-\u02B8\u0370-\u058F\u0900-\u1FFF\u2C00-\uD7FF\uF900-\uFB17\uFF21-\uFFDC]'
      -- Most names are ASCII, which is found faster than by a regular expression.
      or not p_is_right_to_left and octet_length(p_name) > char_length(p_name)
        and p_name ~ '[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\U00010800-\U00010FFF\U0001E800-\U0001EEFF]'
      then u&'\2068' || p_name || u&'\2069'
    else p_name
  end
$$;
comment on function internal.isolated_name(text, boolean) is
  'A name within a text that is written from left to right or from right to left. If it has letters of the other '
  'direction, it stands in the isolates of Unicode (UAX #9, section 2.4), so that it does not reorder the text around '
  'it. Every other name stays as it is.';

create or replace function internal.nameless_key(p_type text, p_key text, p_is_sender boolean, p_is_gone boolean)
  returns text
  language sql
  immutable
  parallel safe
as $$
  select case
    when not p_is_gone and (
      p_type in ('help_requested', 'ask_unanswered', 'ask_answered')
      or p_key in (
        'notification.alarm_resolved.false_alarm', 'notification.alarm_repeat.help',
        'notification.alarm_repeat.unanswered', 'notification.alarm_repeat.acted'
      )
    ) then 'name.sender'
    when not p_is_gone
      and p_type in ('alarm_repeat', 'alarm_reopened', 'alarm_check', 'sender_unreachable', 'test_message')
      then 'name.sender.inside'
    when p_is_sender and not p_is_gone and p_type in ('ask', 'receiver_unreachable') then 'name.receiver'
    when p_is_gone or left(p_type, 5) not in ('ping_', 'conne', 'break', 'subsc') then 'name.anybody'
    when p_key = 'notification.subscription_lapsing.other' then 'name.receiver.inside'
    when p_is_sender or p_type = 'subscription_lapsing' then 'name.receiver'
    when strpos(p_key, '.receiver_not_asked') > 0 then 'name.sender.inside'
    else 'name.sender'
  end
$$;
comment on function internal.nameless_key(text, text, boolean, boolean) is
  'The key of the words for a person without a name in the text p_key: by their part in a connection of which the '
  'reader is the sender or the receiver, otherwise, or when their account has ended, "Someone".';

create or replace function internal.nameless_words(
  p_type text, p_key text, p_is_sender boolean, p_is_gone boolean, p_locale text
)
  returns text
  language plpgsql
  stable
as $$
begin
  return format(internal.phrase(internal.nameless_key(p_type, p_key, p_is_sender, p_is_gone), p_locale));
end
$$;
comment on function internal.nameless_words(text, text, boolean, boolean, text) is
  'The words for a person without a name (internal.nameless_key) in a language. It is in plpgsql because the planner '
  'would inline SQL, which makes each statement slower to start, and most people have a name.';

create or replace function internal.named_connection(p_type text, p_data jsonb) returns uuid
  language sql
  immutable
  parallel safe
as $$
  select case
    when p_type in ('ping_due', 'ping_reminder') or p_type = 'ping_missed' and not p_data ? 'user_id'
      or p_data ->> 'by' = 'support'
      then null
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
  'The id by which internal.person_in finds the person whom a notification names: that of the connection to them, '
  'otherwise that of their account.';

create or replace function internal.person_in(p_tenant_id integer, p_reader_id uuid, p_id uuid)
  returns table (name text, is_sender boolean, is_gone boolean)
  language sql
  stable
as $$
  select
    coalesce(
      internal.shown_name(
        case
          when connection.sender_id = p_reader_id then connection.alias_by_sender
          else connection.alias_by_receiver
        end
      ),
      internal.shown_name(person.display_name)
    ),
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
  'A person as a reader knows them now: the reader''s alias or their display name, whether the reader is the sender of '
  'the connection to them, and whether their account has ended. A name that holds an address is none. p_id is '
  'internal.named_person. Returns a table, which the planner can inline. For definer procedures, since it reads the '
  'accounts of others.';

create or replace function internal.nominee_name(p_tenant_id integer, p_nominee_id uuid) returns text
  language plpgsql
  stable
as $$
begin
  return (select internal.shown_name(name) from kith.nominees where tenant_id = p_tenant_id and id = p_nominee_id);
end
$$;
comment on function internal.nominee_name(integer, uuid) is
  'What the owner of a vault calls a nominee. Null for one who is gone. For definer procedures.';

create or replace function internal.sender_words(
  p_tenant_id integer, p_data jsonb, p_text internal.texts, p_locale text
)
  returns text
  language plpgsql
  stable
as $$
declare
  v_name text := (
    select coalesce(internal.shown_name(connection.alias_by_receiver), internal.shown_name(sender.display_name))
    from kith.connections as connection
    join kith.users as sender on sender.tenant_id = p_tenant_id and sender.id = connection.sender_id
    where connection.tenant_id = p_tenant_id and connection.id = (p_data ->> 'sender_connection_id')::uuid
  );
begin
  return coalesce(
    internal.isolated_name(v_name, p_text.is_right_to_left), format(internal.phrase('name.sender.inside', p_locale))
  );
end
$$;
comment on function internal.sender_words(integer, jsonb, internal.texts, text) is
  'The sender of an alarm within a text that names somebody else first, as its reader knows them. For definer '
  'procedures.';

create or replace function internal.first_name(p_display_name text) returns text
  language sql
  immutable
  parallel safe
as $$
  -- Braces are the marks of placeholders in a message.
  select nullif(left(split_part(btrim(translate(internal.shown_name(p_display_name), '{}', '')), ' ', 1), 30), '')
$$;
comment on function internal.first_name(text) is
  'The first word of a name, at most 30 characters: all that a message and the page of a link show of their reader. '
  'Null if there is none, or if it holds an address.';
