-- The texts of notifications, byte for byte as the documentation and clients know them. They exist only here. Names are rendered when
-- the notification is written.

create or replace function internal.notification_title(p_type text) returns text
  language sql
  immutable
  parallel safe
as $$
  select case p_type
    when 'connection_request' then 'New Connection'
    when 'connection_requested' then 'Connection Request'
    when 'connection_accepted' then 'Connection Accepted'
    when 'connection_paused' then 'Connection Paused'
    when 'connection_resumed' then 'Connection Resumed'
    when 'connection_removed' then 'Connection Removed'
    when 'ping_due' then 'Time to Check In'
    when 'ping_reminder' then 'Check-In Reminder'
    when 'ping_completed' then 'Safe'
    when 'ping_missed' then 'Missed Check-In'
    when 'ping_all_clear' then 'All Clear'
    when 'subscription_lapsing' then 'Subscription Ending'
    when 'break_started' then 'On a Break'
    when 'break_ended' then 'Back From a Break'
    when 'vault_opened' then 'Vault Open'
    when 'vault_locked' then 'Vault Locked'
    when 'nominee_invited' then 'Vault Invitation'
    when 'nominee_revoked' then 'Access Ended'
    when 'nominee_changed' then 'Access Changed'
    when 'nominee_accepted' then 'Invitation Accepted'
    when 'nominee_declined' then 'Invitation Declined'
    when 'transfer_requested' then 'Vault Transfer'
    when 'transfer_accepted' then 'Vault Transfer'
    when 'transfer_declined' then 'Vault Transfer'
    when 'emergency_requested' then 'Emergency Access'
    when 'emergency_reminder' then 'Emergency Access'
    when 'emergency_approved' then 'Emergency Access'
    when 'emergency_rejected' then 'Emergency Access'
    when 'emergency_opened' then 'Emergency Access'
  end
$$;
comment on function internal.notification_title(text) is
  'The title of a notification type. Null for a message, whose title is its writer''s name, and for an unknown type.';
grant execute on function internal.notification_title(text) to kith_worker;

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

create or replace function internal.quoted_name(p_name text) returns text
  language sql
  immutable
  parallel safe
as $$
  select case when p_name = 'a vault' then p_name else '“' || translate(internal.bounded_name(p_name), '“”„"', '''''''''') || '”' end
$$;
comment on function internal.quoted_name(text) is
  'The name of a vault as a notification shows it to somebody who has no part in the vault (X22): in quotation marks, so that it is not '
  'taken for the words of the app. A name cannot close them itself. The name of an erased vault has none.';
grant execute on function internal.quoted_name(text) to kith_worker;

create or replace function internal.local_text(p_at timestamptz, p_zone text) returns text
  language sql
  stable
  parallel safe
as $$
  select to_char(p_at at time zone p_zone, 'FMDD FMMonth YYYY, HH24:MI')
$$;
comment on function internal.local_text(timestamptz, text) is
  'An instant as a person in a time zone reads it in a notification: 14 March 2027, 08:30. Null for null.';
grant execute on function internal.local_text(timestamptz, text) to kith_api, kith_worker;

create or replace function internal.clock_text(p_at timestamptz, p_zone text, p_now timestamptz) returns text
  language sql
  stable
  parallel safe
as $$
  select case
    when (p_at at time zone p_zone)::date = (p_now at time zone p_zone)::date then to_char(p_at at time zone p_zone, 'HH24:MI')
    else internal.local_text(p_at, p_zone)
  end
$$;
comment on function internal.clock_text(timestamptz, text, timestamptz) is
  'An instant as a person in a time zone reads it: 08:30 if it is of the present date there, otherwise 14 March 2027, 08:30. Null for '
  'null.';
grant execute on function internal.clock_text(timestamptz, text, timestamptz) to kith_api, kith_worker;

create or replace function internal.date_text(p_on date) returns text
  language sql
  stable
  parallel safe
as $$
  select to_char(p_on, 'FMDD FMMonth YYYY')
$$;
comment on function internal.date_text(date) is 'A date as a notification writes it: 14 March 2027.';
grant execute on function internal.date_text(date) to kith_api, kith_worker;

create or replace function internal.time_left_text(p_left interval) returns text
  language plpgsql
  immutable
  parallel safe
as $$
begin
  return (
    select rounded.n || ' ' || rounded.unit || case rounded.n when 1 then '' else 's' end
    from (
      select
        case when minutes >= 2850 or minutes between 1410 and 1470 then round(minutes / 1440) when minutes >= 55 then round(minutes / 60)
          else greatest(minutes, 1) end::integer as n,
        case when minutes >= 2850 or minutes between 1410 and 1470 then 'day' when minutes >= 55 then 'hour' else 'minute' end as unit
      from (select ceil(extract(epoch from p_left) / 60)) as wait (minutes)
    ) as rounded
  );
end
$$;
comment on function internal.time_left_text(interval) is
  'A time to come, as a notification writes it: 12 days, 2 days, 30 hours, 1 day, 1 hour, 10 minutes.';
grant execute on function internal.time_left_text(interval) to kith_api, kith_worker;

create or replace function internal.emergency_value(p_vault_name text, p_data jsonb) returns text
  language sql
  immutable
  parallel safe
as $$
  select p_vault_name || e'\n' || coalesce(p_data ->> 'time', '') || e'\n' || coalesce(p_data ->> 'detail', '')
    || e'\n' || coalesce(p_data ->> 'check_in_stops', 'true') || e'\n' || coalesce(p_data ->> 'since', '')
$$;
comment on function internal.emergency_value(text, jsonb) is
  'What internal.notification_body needs besides the name for a notification about emergency access: five lines with the vault''s name, '
  'the rendered time, the detail that selects a text, whether a check-in stops the request, and since when access has been granted. Names '
  'contain no line breaks. It is made from the notification''s data, so that it can be rendered again without a name. Null without the '
  'vault''s name.';
grant execute on function internal.emergency_value(text, jsonb) to kith_worker;

create or replace function internal.emergency_text(p_type text, p_to text, p_name text, p_value text) returns text
  language plpgsql
  immutable
  parallel safe
as $$
begin
  return (
    select case p_type || ' ' || p_to
      when 'emergency_requested owner' then
        case
          when told.detail = 'moved' then p_name || ' gets into ' || told.vault || ' on ' || told.time || ' unless you ' || told.stop || '.'
          when told.detail <> '' then
            'You have not checked in for ' || told.detail || ' days. ' || p_name || ' gets into ' || told.vault || ' on ' || told.time
              || ' unless you ' || told.stop || '.'
          when told.time = '' then p_name || ' asks for emergency access to ' || told.vault || '. The wait begins when more of your nominees ask.'
          else p_name || ' asks for emergency access to ' || told.vault || '. They get in on ' || told.time || ' unless you say no.'
        end
      when 'emergency_requested nominee' then 'You get into ' || told.vault || ' on ' || told.time || ' unless ' || p_name || ' says no.'
      when 'emergency_reminder owner' then
        p_name || ' gets into ' || told.vault || ' in ' || told.time
          || case told.stop when 'check in' then '. Check in or say no to stop it.' else '. Say no to stop it.' end
      when 'emergency_approved nominee' then 'You can enter ' || told.vault || ' now, until ' || told.time || '.'
      when 'emergency_opened nominee' then 'You can enter ' || told.vault || ' now, until ' || told.time || '.'
      when 'emergency_opened owner' then
        p_name
          || case told.detail
            when 'entered' then ' has entered ' || told.vault
            when 'late' then ' has been able to enter ' || told.vault || ' since ' || told.since
            else ' can enter ' || told.vault || ' now'
          end
          || ' and can stay until ' || told.time || '. Say no to end it.'
      when 'emergency_rejected nominee' then
        case told.detail
          when 'returned' then p_name || ' is safe. Your emergency access to ' || told.vault || ' has ended.'
          when 'not_reached' then
            'Your request for emergency access to ' || told.vault || ' has ended, because not enough nominees asked within 30 days.'
          when 'stopped' then
            'Your wait for emergency access to ' || told.vault || ' has stopped, because another nominee no longer asks. It begins anew when enough do.'
          when 'ended' then 'Your emergency access to ' || told.vault || ' has ended.'
          else p_name || ' said no to your emergency access to ' || told.vault || '.'
        end
      when 'emergency_rejected owner' then
        case told.detail
          when 'stopped' then
            p_name || '''s wait for emergency access to ' || told.vault || ' has stopped. It begins anew when enough of your nominees ask.'
          when 'ended' then p_name || '''s emergency access to ' || told.vault || ' has ended.'
          else
            p_name || ' no longer asks for emergency access to ' || told.vault
              || case told.detail when 'not_reached' then ': not enough of your nominees asked within 30 days.' else '.' end
        end
    end
    from (
      select internal.bounded_name(split_part(p_value, e'\n', 1)) as vault, split_part(p_value, e'\n', 2) as time, split_part(p_value, e'\n', 3) as detail,
        case split_part(p_value, e'\n', 4) when 'false' then 'say no' else 'check in' end as stop, split_part(p_value, e'\n', 5) as since
    ) as told
  );
end
$$;
comment on function internal.emergency_text(text, text, text, text) is
  'The body of a notification about emergency access (E10), for internal.notification_body. p_value is internal.emergency_value.';
grant execute on function internal.emergency_text(text, text, text, text) to kith_worker;

create or replace function internal.emergency_link_line(p_type text, p_data jsonb, p_brand text, p_host text) returns text
  language plpgsql
  stable
  parallel safe
as $$
begin
  return (
    select format(
      'Open %s to %s: https://%s/open?type=%s&id=%s', p_brand,
      case
        when p_type in ('emergency_requested', 'emergency_reminder') and p_data ->> 'to' = 'owner' then
          case p_data ->> 'check_in_stops' when 'false' then 'say no' else 'say that you''re safe, or to say no' end
        when p_type = 'emergency_opened' and p_data ->> 'to' = 'owner' then 'end it'
        else 'enter'
      end,
      p_host, about.it ->> 'type', about.it ->> 'id'
    )
    from (select internal.notification_data(p_type, p_data) -> 'about') as about (it)
    where p_host is not null
      -- Only where the reader can act: the owner against a request or a grant, and the nominee once they can enter.
      and (
        p_type in ('emergency_requested', 'emergency_reminder') and p_data ->> 'to' = 'owner'
        or p_type in ('emergency_opened', 'emergency_approved')
      )
  );
end
$$;
comment on function internal.emergency_link_line(text, jsonb, text, text) is
  'The last line of an e-mail about emergency access: what to do, and a link that opens the tenant''s app (p_host is '
  'kith.tenants.universal_link_host). The link names what the notification is about, as a push does. It contains no secret and does '
  'nothing by itself: a mail scanner may follow it, and whoever opens it must be signed in to act. Null if the tenant has no such host, or '
  'if there is nothing to do.';

create or replace function internal.missed_text(p_to text, p_name text, p_value text) returns text
  language sql
  immutable
  parallel safe
as $$
  select case
    when p_to = 'sender' and p_value is null then 'You missed today''s check-in. Check in now to let your receivers know you''re safe.'
    when p_to = 'sender' then 'You missed the check-in of ' || p_value || '.'
    when p_value is null then coalesce(p_name, 'Your sender') || ' has not checked in today.'
    when strpos(p_value, e'\n') > 0 then
      'Kith could not ask ' || coalesce(p_name, 'your sender') || ' from ' || split_part(p_value, e'\n', 1) || ' to '
        || split_part(p_value, e'\n', 2) || '.' || coalesce(' Their last check-in was ' || nullif(split_part(p_value, e'\n', 3), '') || '.', '')
    else coalesce(p_name, 'Your sender') || ' did not check in on ' || p_value || '.'
  end
$$;
comment on function internal.missed_text(text, text, text) is
  'The body of a notification about a missed ping, for internal.notification_body. p_value is null of a ping of today, and otherwise its '
  'date, or three lines: from when to when Kith could not ask the sender, and their last check-in (X35).';
grant execute on function internal.missed_text(text, text, text) to kith_worker;

create or replace function internal.lapse_text(p_name text, p_value text) returns text
  language sql
  immutable
  parallel safe
as $$
  select case
    when p_value = 'stopped' then p_name || ' no longer gets your pings: their subscription has ended.'
    when p_value = 'last' then
      p_name || ' no longer gets your pings: their subscription has ended. Emergency access by silence rests meanwhile.'
    else 'Pings to ' || p_name || ' stop on ' || p_value || ' unless the subscription is renewed.'
  end
$$;
comment on function internal.lapse_text(text, text) is
  'The body of a notification about a lapsed subscription (X28), for internal.notification_body. p_value is the date on which pings stop; '
  'once they have, it is stopped, or last where no others of the sender flow.';
grant execute on function internal.lapse_text(text, text) to kith_worker;

create or replace function internal.notification_body(p_type text, p_to text, p_name text, p_value text default null) returns text
  language sql
  immutable
  parallel safe
as $$
  select case p_type
    when 'connection_request' then
      case p_to
        when 'receiver' then coalesce(nullif(btrim(p_name), ''), 'Your sender') || ' is now sending you pings'
        else coalesce(nullif(btrim(p_name), ''), 'Your receiver') || ' is now receiving your pings'
      end
    when 'connection_requested' then
      case p_to
        when 'receiver' then coalesce(nullif(btrim(p_name), ''), 'Your sender') || ' wants to send you pings'
        else coalesce(nullif(btrim(p_name), ''), 'Your receiver') || ' wants to receive your pings'
      end
    when 'connection_accepted' then
      coalesce(nullif(btrim(p_name), ''), case p_to when 'receiver' then 'Your sender' else 'Your receiver' end)
        || ' accepted your connection'
    when 'connection_paused' then coalesce(nullif(btrim(p_name), ''), 'Your sender') || ' has paused their connection with you'
    when 'connection_resumed' then coalesce(nullif(btrim(p_name), ''), 'Your sender') || ' has resumed their connection with you'
    when 'connection_removed' then
      case
        when p_value = 'support' then 'This connection was removed by support'
        when p_to = 'receiver' then coalesce(nullif(btrim(p_name), ''), 'Your sender') || ' has removed you as a receiver'
        else coalesce(nullif(btrim(p_name), ''), 'Your receiver') || ' has removed your connection'
      end
    when 'ping_due' then 'Let your receivers know you''re safe.'
    when 'ping_reminder' then p_value || case p_value when '1' then ' minute' else ' minutes' end || ' left to check in.'
    when 'ping_completed' then
      coalesce(nullif(btrim(p_name), ''), 'Your sender')
        || case when p_value is null then ' checked in.' else ' checked in at ' || p_value || '; it arrived later.' end
    when 'ping_missed' then internal.missed_text(p_to, nullif(btrim(p_name), ''), p_value)
    when 'ping_all_clear' then
      coalesce(nullif(btrim(p_name), ''), 'Your sender')
        || case when p_value is null then ' checked in late. They''re safe.' else ' checked in at ' || p_value || '; it arrived later.' end
    when 'subscription_lapsing' then internal.lapse_text(coalesce(nullif(btrim(p_name), ''), 'Your receiver'), p_value)
    when 'break_started' then coalesce(nullif(btrim(p_name), ''), 'Your sender') || ' is taking a break until ' || p_value || '.'
    when 'break_ended' then coalesce(nullif(btrim(p_name), ''), 'Your sender') || '''s daily pings are on again.'
    when 'vault_opened' then
      internal.name_of_anybody(p_name) || ' opened ' || internal.bounded_name(p_value) || case p_to when 'owner' then '.' else '. You can enter now.' end
    when 'vault_locked' then
      case p_to when 'owner' then internal.name_of_anybody(p_name) || ' locked ' || internal.bounded_name(p_value) || '.' else internal.bounded_name(p_value) || ' is locked.' end
    when 'nominee_invited' then internal.name_of_anybody(p_name) || ' invites you to ' || internal.quoted_name(p_value) || '.'
    when 'nominee_revoked' then
      case p_to
        when 'invited' then 'Your invitation to ' || internal.quoted_name(p_value) || ' has ended.'
        when 'owner' then internal.name_of_anybody(p_name) || ' no longer has access to ' || internal.bounded_name(p_value) || '.'
        else 'Your access to ' || internal.bounded_name(p_value) || ' has ended.'
      end
    when 'nominee_changed' then internal.name_of_anybody(p_name) || ' changed your access to ' || internal.bounded_name(p_value) || '.'
    when 'nominee_accepted' then
      internal.name_of_anybody(p_name) || ' accepted your invitation to ' || internal.bounded_name(split_part(p_value, e'\n', 1)) || '.'
        || case when split_part(p_value, e'\n', 2) = 'sleeps' then ' They have no emergency access until you confirm that it is them.' else '' end
    when 'nominee_declined' then internal.name_of_anybody(p_name) || ' declined your invitation to ' || internal.bounded_name(p_value) || '.'
    when 'transfer_requested' then internal.name_of_anybody(p_name) || ' wants to make you the owner of ' || internal.quoted_name(p_value) || '.'
    when 'transfer_accepted' then internal.name_of_anybody(p_name) || ' is now the owner of ' || internal.bounded_name(p_value) || '.'
    when 'transfer_declined' then internal.name_of_anybody(p_name) || ' does not want to become the owner of ' || internal.bounded_name(p_value) || '.'
    -- The text is short enough for a push message.
    when 'message_received' then left(p_value, 120)
    else case when left(p_type, 10) = 'emergency_' then internal.emergency_text(p_type, p_to, internal.name_of_anybody(p_name), p_value) end
  end
$$;
comment on function internal.notification_body(text, text, text, text) is
  'The body of a notification type. p_to is the recipient''s role: ''sender'' or ''receiver'' of a connection, ''owner'' or ''nominee'' of '
  'a vault, or ''invited'' to one. p_name is the other side''s name. p_value is the minutes left, the date (null of a ping of today), the '
  'time of a tap, ''support'', what has stopped, the vault''s name, the text of a message, or (for emergency access) '
  'internal.emergency_value.';
grant execute on function internal.notification_body(text, text, text, text) to kith_worker;
