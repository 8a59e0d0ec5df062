-- What a delivery says: a notification in the words of its channel, with what a message adds, such as links, the number
-- to call, and how to answer.

create or replace function internal.written_message(
  p_channel text, p_notification kith.notifications, p_title text, p_body text, p_locale text, p_now timestamptz
) returns text
  language plpgsql
  stable
as $$
declare
  v_brand text := (
    select internal.shown_brand(tenant) from kith.tenants as tenant where tenant.tenant_id = p_notification.tenant_id
  );
begin
  if p_channel = 'voice' then
    return internal.spoken_text(
      p_notification.tenant_id, p_notification.type, p_notification.data, p_body, p_locale, v_brand
    );
  elsif internal.asks_for_check_in(p_notification.type, p_notification.data) then
    return internal.asking_message(p_channel, p_notification, p_body, p_locale);
  elsif internal.is_alarm(p_notification.type) and p_notification.data ? 'alarm_id'
    or internal.follows_alarm(p_notification.type, p_notification.data)
  then
    -- Who writes, what has happened, and which number helps: nobody looks for these in an emergency.
    p_title := v_brand;
    p_body := concat_ws(' ', p_body, internal.number_of_sender(p_notification));
    if internal.answers_alarm(p_notification.type, p_notification.data) then
      return internal.alarm_message(p_channel, p_notification, p_title, p_body, p_locale, p_now);
    end if;
  end if;
  -- A text message has no subject, so the title goes into the body. Other ones have no link: each segment costs, and a
  -- push leads to the app by itself.
  if p_channel = 'sms' then
    return internal.text_message(p_title, p_body, p_locale);
  elsif left(p_notification.type, 10) <> 'emergency_' then
    return p_body;
  end if;
  return concat_ws(e'\n\n', p_body, (
    select internal.emergency_link_line(
      p_notification.type, p_notification.data, v_brand, tenant.universal_link_host, p_locale
    )
    from kith.tenants as tenant
    where tenant.tenant_id = p_notification.tenant_id
  ));
end
$$;
comment on function internal.written_message(text, kith.notifications, text, text, text, timestamptz) is
  'The body of a text message or an e-mail with a notification, or what a call says, at p_now. A text message about an '
  'alarm begins with the brand.';

create or replace function internal.subject_of(
  p_channel text, p_notification kith.notifications, p_title text, p_name text, p_locale text
) returns text
  language plpgsql
  stable
as $$
begin
  if p_channel <> 'email' or p_name is null or p_notification.data ? 'drill' or position(p_name in p_title) > 0 then
    return p_title;
  end if;
  return internal.said_text('mail.subject', p_locale, p_name => p_name, p_link => p_title);
end
$$;
comment on function internal.subject_of(text, kith.notifications, text, text, text) is
  'The title of a message with a notification. In an e-mail it stands after the name of the person whom it is about, '
  'for whoever reads only the subjects.';

create or replace function internal.asks_for_check_in(p_type text, p_data jsonb) returns boolean
  language sql
  immutable
  parallel safe
as $$
  select p_type in ('ping_due', 'ping_reminder', 'ask') or p_type = 'ping_missed' and not p_data ?| '{user_id,drill}'
    or p_type = 'alarm_reopened' and p_data ->> 'to' = 'sender' and p_data ->> 'kind' in ('missed', 'unanswered')
$$;
comment on function internal.asks_for_check_in(text, jsonb) is
  'Whether a notification asks its reader whether they are safe: when a ping is due, in a reminder, in a receiver''s '
  'question, after the deadline, and when nobody looks after the alarm of it any more. It can be answered by its link, '
  'by a text message or by a key (J01 to J03). In a call for help of their own nobody is asked: their receivers are.';

create or replace function internal.number_of_sender(p_notification kith.notifications) returns text
  language plpgsql
  stable
as $$
begin
  if not internal.is_alarm(p_notification.type) then
    return null;
  end if;
  return (
    select sender.phone
    from kith.connections as connection
    join kith.sender_profiles as profile
      on profile.tenant_id = connection.tenant_id and profile.user_id = connection.sender_id and profile.share_phone
        and profile.ended_at is null
    join kith.users as sender
      on sender.tenant_id = connection.tenant_id and sender.id = connection.sender_id and sender.deleted_at is null
    where connection.tenant_id = p_notification.tenant_id
      and connection.id = (p_notification.data ->> 'connection_id')::uuid
      and connection.receiver_id = p_notification.user_id and connection.status = 'active'
  );
end
$$;
comment on function internal.number_of_sender(kith.notifications) is
  'The phone number of the sender of an alarm, for a receiver of an active connection whom the sender allows to call. '
  'Otherwise null.';

create or replace function internal.alarm_message(
  p_channel text, p_notification kith.notifications, p_title text, p_body text, p_locale text, p_now timestamptz
) returns text
  language plpgsql
  stable
as $$
declare
  v_link text := format('{link:%s}', p_notification.data ->> 'alarm_id');
begin
  if p_channel = 'email' then
    return p_body || e'\n\n' || internal.said_text('mail.link.alarm', p_locale, p_link => v_link);
  end if;
  return internal.text_message(p_title, p_body, p_locale) || ' ' || internal.said_text(
    case when internal.offers_keys('sms', p_notification, p_now) then 'sms.alarm' else 'sms.alarm.link' end, p_locale,
      p_link => v_link
  );
end
$$;
comment on function internal.alarm_message(text, kith.notifications, text, text, text, timestamptz) is
  'The body of a text message or an e-mail that asks a receiver to look after somebody, with {link:alarm} in the place '
  'of the link (K11), which the worker makes. A text offers "1" and "2" only to whom they would answer this alarm '
  '(internal.offers_keys).';

create or replace function internal.over_in_invitation(p_tenant_id integer, p_delivery_id uuid) returns text
  language plpgsql
  stable
as $$
declare
  v_invited kith.connection_invitation_recipients;
begin
  select * into v_invited from kith.connection_invitation_recipients as invited
  where invited.tenant_id = p_tenant_id and invited.delivery_id = p_delivery_id;
  return case
    when v_invited.delivery_id is null then null
    when exists (
      select from kith.users as reader
      join kith.blocks as block
        on block.tenant_id = reader.tenant_id and block.user_id = reader.id and block.blocked_id = v_invited.user_id
      where reader.tenant_id = p_tenant_id and reader.phone = v_invited.phone and reader.phone_verified_at is not null
        and reader.deleted_at is null
    ) then 'its reader has blocked who it is from'
    when not exists (
      select from kith.connection_invitations as invitation
      join kith.unique_codes as code
        on code.tenant_id = invitation.tenant_id and code.code = invitation.code and code.user_id = invitation.user_id
          and code.rotated_at is null
      where invitation.tenant_id = p_tenant_id and invitation.id = v_invited.invitation_id
    ) then 'its code is no longer good'
  end;
end
$$;
comment on function internal.over_in_invitation(integer, uuid) is
  'Why an invitation by text no longer needs sending: its reader has blocked who it is from (X22), or its code was '
  'replaced, also because the inviter has stopped being a sender. Null if it does.';

create or replace function internal.is_former_contact(p_tenant_id integer, p_user_id uuid, p_address text)
  returns boolean
  language plpgsql
  stable
as $$
begin
  return not exists (
    select from kith.users
    where tenant_id = p_tenant_id and id = p_user_id
      and (phone = p_address or email_normalized = internal.normalized_email(p_address))
  );
end
$$;
comment on function internal.is_former_contact(integer, uuid, text) is
  'Whether an address is neither the phone nor the e-mail of a user, who has others since.';

create or replace function internal.inbound_token(p_tenant_id integer, p_channel text) returns text
  language plpgsql
  stable
as $$
begin
  return (
    select inbound_token from kith.channel_credentials
    where tenant_id = p_tenant_id and channel = p_channel and summary ? 'inbound'
  );
end
$$;
comment on function internal.inbound_token(integer, text) is
  'The token of the address to which a tenant''s provider reports; null if there is none.';

create or replace function internal.asking_message(
  p_channel text, p_notification kith.notifications, p_body text, p_locale text
) returns text
  language plpgsql
  stable
as $$
declare
  v_name text;
  v_brand text;
  v_takes_answers boolean;
begin
  if p_channel = 'email' then
    return p_body || e'\n\n' || internal.said_text('mail.link.safe', p_locale, p_link => '{link}');
  end if;
  select internal.isolated_name(internal.first_name(person.display_name), language.is_right_to_left),
    internal.shown_brand(tenant), exists (
    select from kith.channel_credentials as credentials
    where credentials.tenant_id = p_notification.tenant_id and credentials.channel = 'sms'
      and credentials.summary ? 'inbound'
  )
  into v_name, v_brand, v_takes_answers
  from kith.users as person
  join kith.tenants as tenant on tenant.tenant_id = p_notification.tenant_id
  join internal.languages as language on language.locale = p_locale
  where person.tenant_id = p_notification.tenant_id and person.id = p_notification.user_id;
  -- A reminder says how many minutes are left, and nobody without a name is addressed.
  if p_notification.type in ('ask', 'alarm_reopened', 'ping_reminder') or v_name is null then
    return internal.text_message(v_brand, p_body, p_locale) || ' '
      || internal.said_text(
        case when v_takes_answers then 'sms.answer' else 'sms.answer.link' end, p_locale, p_link => '{link}'
      );
  end if;
  -- Nobody is told to answer a number that takes no answers.
  return internal.said_text(
    case when p_notification.type = 'ping_missed' then 'sms.missed' else 'sms.due' end
      || case when v_takes_answers then '' else '.link' end,
    p_locale, p_name => v_name, p_link => '{link}', p_fourth => v_brand
  );
end
$$;
comment on function internal.asking_message(text, kith.notifications, text, text) is
  'The body of a text message or an e-mail that asks somebody whether they are safe, with {link} in the place of the '
  'link (J01), which the worker makes. A text message fits into one segment with usual names.';

create or replace function internal.date_of_question(p_notification kith.notifications) returns date
  language plpgsql
  stable
as $$
begin
  return coalesce(
    (p_notification.data ->> 'date')::date,
    -- A receiver's question is about no ping. Its link is good until the next day's ping as well.
    (
      select internal.local_date(p_notification.created_at, profile.time_zone)
      from kith.sender_profiles as profile
      where profile.tenant_id = p_notification.tenant_id and profile.user_id = p_notification.user_id
    )
  );
end
$$;
comment on function internal.date_of_question(kith.notifications) is
  'The date of the ping for which a notification asks, or the sender''s local date on which a receiver has asked. For '
  'the link in its message.';

create or replace function internal.push_question(p_type text, p_data jsonb) returns jsonb
  language sql
  immutable
  parallel safe
as $$
  select case
    when internal.asks_for_check_in(p_type, p_data) then jsonb '{"asks": "check_in"}'
    when internal.answers_alarm(p_type, p_data) then jsonb '{"asks": "alarm"}'
    else '{}'
  end
$$;
comment on function internal.push_question(text, jsonb) is
  'Which question a push asks, for the buttons that an app shows with it: check_in, whether its reader is safe; alarm, '
  'whether they look after somebody; nothing for other types.';

create or replace function internal.links_of_delivery(
  p_tenant_id integer, p_channel text, p_purpose text, p_address text, p_body text, p_notification kith.notifications
)
  returns table (user_id uuid, ping_on date, alarms uuid[])
  language sql
  stable
as $$
  select (p_notification).user_id, internal.date_of_question(p_notification), null::uuid[]
  where internal.carries_link(p_channel) and internal.asks_for_check_in((p_notification).type, (p_notification).data)
  union all
  select (p_notification).user_id, null, array[((p_notification).data ->> 'alarm_id')::uuid]
  where internal.carries_link(p_channel) and internal.answers_alarm((p_notification).type, (p_notification).data)
  union all
  -- A reply has no notification. Its text is Kith's own, and has no names yet.
  select person.id, null,
    array(select (part.link[1])::uuid from regexp_matches(p_body, '\{link:([-0-9a-f]{36})\}', 'g') as part (link))
  from kith.users as person
  where p_purpose = 'answer' and p_body like '%{link:%' and person.tenant_id = p_tenant_id and person.phone = p_address
    and person.phone_verified_at is not null and person.deleted_at is null
$$;
comment on function internal.links_of_delivery(integer, text, text, text, text, kith.notifications) is
  'Whose links the worker puts into a message, if any: to check in for a date (J01), or about alarms (K11). Returns a '
  'table, which the planner can inline.';

create or replace function internal.named_reply(p_tenant_id integer, p_address text, p_body text) returns text
  language plpgsql
  stable
as $$
begin
  if p_body not like '%{%' then
    return p_body;
  end if;
  return internal.named_answer(
    p_tenant_id,
    (
      select person.id
      from kith.users as person
      where person.tenant_id = p_tenant_id and person.phone = p_address and person.phone_verified_at is not null
        and person.deleted_at is null
    ),
    p_body
  );
end
$$;
comment on function internal.named_reply(integer, text, text) is
  'A reply in the outbox with the names that it is sent with: whoever has the number now reads them as they call these '
  'people.';

create or replace function internal.data_at_sending(
  p_tenant_id integer, p_type text, p_data jsonb, p_created_at timestamptz, p_now timestamptz
)
  returns jsonb
  language plpgsql
  stable
as $$
begin
  if p_type = 'ping_reminder' then
    return p_data || jsonb_build_object(
      'minutes', greatest(
        (p_data ->> 'minutes')::integer - floor(extract(epoch from p_now - p_created_at) / 60)::integer, 1
      )
    );
  elsif p_type = 'help_requested' and p_created_at < p_now - interval '5 minutes' then
    return p_data || jsonb_build_object('since_at', internal.instant(p_created_at));
  elsif p_type = 'ping_missed' and not p_data ?| '{on,not_asked_from_at,drill}' then
    return p_data || coalesce((
      select internal.missed_on(ping.ping_on, profile.time_zone, p_now)
      from kith.connections as connection
      cross join lateral (
        select one.ping_on
        from kith.pings as one
        where one.tenant_id = p_tenant_id and one.ping_on = (p_data ->> 'date')::date
          and one.connection_id = connection.id and one.sender_id = connection.sender_id
        offset 0
      ) as ping
      cross join lateral (
        select one.time_zone from kith.sender_profiles as one
        where one.tenant_id = p_tenant_id and one.user_id = connection.sender_id offset 0
      ) as profile
      where connection.tenant_id = p_tenant_id and connection.id = (p_data ->> 'connection_id')::uuid
    ), '{}');
  end if;
  return p_data;
end
$$;
comment on function internal.data_at_sending(integer, text, jsonb, timestamptz, timestamptz) is
  'The data of a notification that is sent late: with the minutes that are left, the time of a call for help that is '
  'five minutes old, and the date of a miss that is no longer today (X35). A message has no date beside it, as the '
  'list in the app has.';

create or replace function internal.then_data(p_tenant_id integer, p_data jsonb, p_created_at timestamptz) returns jsonb
  language plpgsql
  stable
as $$
begin
  return p_data || case when internal.stands_open(p_tenant_id, (p_data ->> 'user_id')::uuid)
    then jsonb_build_object('then_at', coalesce(p_data -> 'tapped_at', to_jsonb(internal.instant(p_created_at))))
      else '{}' end;
end
$$;
comment on function internal.then_data(integer, jsonb, timestamptz) is
  'The data of a notification that says that a sender is safe, which is sent while an alarm or a question stands open: '
  'with the moment of which it is so (then_at), which its words then say in place of "safe" (X39). For '
  'internal.as_of_sending.';

create or replace function internal.as_of_sending(
  p_tenant_id integer, p_type text, p_data jsonb, p_created_at timestamptz, p_now timestamptz
)
  returns table (at timestamptz, data jsonb)
  language sql
  stable
as $$
  select case when is_late.yes then p_now else p_created_at end,
    case
      when is_late.yes and p_type in ('ping_missed', 'ping_reminder', 'help_requested')
        then internal.data_at_sending(p_tenant_id, p_type, p_data, p_created_at, p_now)
      -- Without a moment, what tells of an ordinary check-in is not sent then.
      when (p_type in ('ping_all_clear', 'ask_answered') or p_type = 'ping_completed' and p_data ? 'tapped_at')
        and not p_data ?| '{drill,then_at}'
        then internal.then_data(p_tenant_id, p_data, p_created_at)
      else p_data
    end
  from (select p_created_at < p_now - interval '1 minute' as yes) as is_late
  -- Keeps the planner from computing them again at each use.
  offset 0
$$;
comment on function internal.as_of_sending(integer, text, jsonb, timestamptz, timestamptz) is
  'As of when a message is worded, and its data: as the notification, or, if it leaves a minute late or more, as of '
  'then; and, while an alarm or a question stands open, with the moment of a sign of life (internal.then_data). '
  'Returns a table, which the planner can inline.';

create or replace function internal.data_in_message(p_data jsonb) returns jsonb
  language sql
  immutable
  parallel safe
as $$
  select case when internal.holds_address(p_data ->> 'vault_name') then p_data - 'vault_name' else p_data end
$$;
comment on function internal.data_in_message(jsonb) is
  'The data of a notification that a push carries: without the name of a vault that holds an address.';

create or replace function internal.messages_of_deliveries(p_tenants integer[], p_ids uuid[], p_now timestamptz)
  returns table (
    tenant_id integer, id uuid, notification_id uuid, subject text, body text, data text, collapse_id text,
    public_key text, auth_secret text, environment text, locale text, inbound_token text, link_user_id uuid,
    link_on date, link_alarms uuid[], is_notification boolean, offers_keys boolean, dropped_for text
  )
  language sql
  stable
as $$
  select delivery.tenant_id, delivery.id, delivery.notification_id,
    case
      when notification.type is null then delivery.subject
      else internal.subject_of(delivery.channel, notification, words.title, words.name, reader.locale)
    end,
    case
      when delivery.purpose = 'answer' then internal.named_reply(delivery.tenant_id, delivery.address, delivery.body)
      when notification.type is null then delivery.body
      when internal.goes_to_contact(delivery.channel) then
        internal.written_message(delivery.channel, notification, words.title, words.body, reader.locale, p_now)
      else words.body
    end,
    (jsonb_build_object(
      'notification_id', delivery.notification_id, 'recipient_id', notification.user_id, 'type', notification.type
    )
      || internal.push_question(notification.type, notification.data)
      || internal.notification_data(
        notification.type, internal.data_in_message(notification.data), words.name, null
      ))::text,
    -- A newer message about the same ping or vault replaces an older one.
    replace(
      coalesce(notification.data ->> 'ping_id', notification.data ->> 'vault_id', delivery.notification_id::text), '-',
      ''
    ),
    device.public_key, device.auth_secret, device.environment, split_part(reader.locale, '@', 1),
    case when delivery.channel = 'voice' then internal.inbound_token(delivery.tenant_id, 'voice') end,
    linked.user_id, linked.ping_on, linked.alarms, notification.id is not null,
    notification.id is not null and internal.offers_keys(delivery.channel, notification, p_now),
    case
      -- The number is the person's own again, or somebody else's: only what it says counts. The answer to STOP itself
      -- still goes out.
      when delivery.channel = 'sms' and delivery.purpose <> 'answer'
        and internal.has_stopped_texts(delivery.tenant_id, delivery.address)
        then 'the number has answered STOP'
      when delivery.notification_id is null then
        case when delivery.purpose = 'invitation' then internal.over_in_invitation(delivery.tenant_id, delivery.id) end
      when notification.id is null then 'the notification is gone'
      when internal.goes_to_device(delivery.channel) and device.token is null then 'the device is gone'
      else coalesce(
        pointless.reason,
        case
          when (
            delivery.attempts > 0
            or coalesce(notification.deliver_at, notification.created_at) < p_now - interval '10 seconds'
          )
            and internal.replaced_by(notification.type) is not null then internal.newer_stands(notification)
        end,
        -- The former contact may be somebody else's by now. internal.follow_contacts has found no present one.
        case when not internal.goes_to_device(delivery.channel)
          and internal.is_former_contact(delivery.tenant_id, notification.user_id, delivery.address)
          then 'the contact has changed' end
      )
    end
  from unnest(p_tenants, p_ids) as found (tenant_id, id)
  join kith.deliveries as delivery on delivery.tenant_id = found.tenant_id and delivery.id = found.id
  left join kith.notifications as notification
    on notification.tenant_id = delivery.tenant_id and notification.id = delivery.notification_id
  -- A device token may have moved to another user. It counts only if it still belongs to the notification's recipient.
  left join kith.devices as device
    on internal.goes_to_device(delivery.channel) and device.tenant_id = delivery.tenant_id
      and device.token = delivery.address and device.user_id = notification.user_id
  left join lateral internal.reader_of(notification.tenant_id, notification.user_id) as reader on true
  cross join lateral internal.as_of_sending(
    notification.tenant_id, notification.type, notification.data, notification.created_at, p_now
  ) as sent
  left join lateral internal.told(
    notification.tenant_id, notification.user_id, notification.type, sent.data, sent.at, notification.body,
    notification.person_name, reader.locale, reader.time_zone
  ) as words on true
  left join lateral internal.links_of_delivery(
    delivery.tenant_id, delivery.channel, delivery.purpose, delivery.address, delivery.body, notification
  ) as linked on true
  cross join lateral internal.pointless(
    notification.tenant_id, notification.user_id, notification.type, notification.data, notification.read_at
  ) as pointless
$$;
comment on function internal.messages_of_deliveries(integer[], uuid[], timestamptz) is
  'What each of the deliveries says at p_now, to which device, or why it is dropped: also what somebody wrote whom its '
  'reader has blocked (X22). Returns a table, which the planner can inline.';
