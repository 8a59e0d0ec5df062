-- What "1" and "2" mean, and what is answered to them (J02, J03, K00, K11).

create or replace function internal.alarms_texted(p_tenant integer, p_user uuid, p_phone text, p_now timestamptz)
  returns table (alarm_id uuid, is_open boolean, ended_at kith.instant, seen_at timestamptz, texted_at timestamptz)
  language plpgsql
  stable
as $$
begin
  return query
  select alarm.id, alarm.resolved_at is null and alarm.expires_at > p_now and receiver.left_at is null,
    least(receiver.left_at, alarm.resolved_at, alarm.expires_at), coalesce(asked.told_at, linked.told_at),
    least(asked.sent_at, linked.sent_at)
  from kith.alarm_receivers as receiver
  join kith.alarms as alarm on alarm.tenant_id = p_tenant and alarm.id = receiver.alarm_id
  cross join lateral (
    -- The words of a message are those of its notification, however late it is sent. One that no provider has taken may
    -- have arrived, so it can be answered; but nobody is taken to know what it says.
    select coalesce(max(note.created_at) filter (where message.status = 'sent'), min(note.created_at)) as told_at,
      min(coalesce(message.sent_at, message.created_at)) as sent_at
    from kith.notifications as note
    join kith.deliveries as message on message.tenant_id = p_tenant and message.notification_id = note.id
    where note.tenant_id = p_tenant and note.user_id = p_user
      and note.id >= internal.first_uuid7(receiver.told_at - interval '1 minute')
      and note.data ? 'alarm_id' and note.data ->> 'alarm_id' = alarm.id::text
      and internal.answers_alarm(note.type, note.data)
      and message.channel = 'sms' and message.address = p_phone
      and (message.status in ('sending', 'sent') or message.attempts > 0)
  ) as asked
  cross join lateral (
    select coalesce(max(reply.created_at) filter (where reply.status = 'sent'), min(reply.created_at)) as told_at,
      min(coalesce(reply.sent_at, reply.created_at)) as sent_at
    from kith.deliveries as reply
    where reply.tenant_id = p_tenant and reply.purpose = 'answer' and reply.address = p_phone
      and reply.body like format('%%{link:%s}%%', alarm.id)
      and (reply.status in ('sending', 'sent') or reply.attempts > 0)
  ) as linked
  where receiver.tenant_id = p_tenant and receiver.receiver_id = p_user
    and receiver.alarm_id >= internal.oldest_open_alarm(p_now)
    and receiver.told_at is not null
    and least(receiver.left_at, alarm.resolved_at, alarm.expires_at) > p_now - interval '3 hours'
    and (asked.told_at is not null or linked.told_at is not null);
end
$$;
comment on function internal.alarms_texted(integer, uuid, text, timestamptz) is
  'The alarms that "1" or "2" from a number can be about: a text message that asks for the answer, or a reply with '
  'their link, may have reached it, and they are open, or have ended for this receiver in the last three hours, '
  'because an answer can be late. seen_at is the moment of which the newest of them tells that a provider has taken, '
  'or else the oldest; texted_at when the first went out. For definer procedures.';

create or replace function internal.alarm_offered(p_tenant integer, p_user uuid, p_phone text, p_now timestamptz)
  returns uuid
  language plpgsql
  stable
as $$
begin
  return (
    select case when message.offers_keys then (note.data ->> 'alarm_id')::uuid end
    from kith.notifications as note
    join kith.deliveries as message on message.tenant_id = p_tenant and message.notification_id = note.id
    where note.tenant_id = p_tenant and note.user_id = p_user and note.id >= internal.oldest_open_alarm(p_now)
      and internal.answers_alarm(note.type, note.data)
      and message.channel = 'sms' and message.address = p_phone
      and (message.status in ('sending', 'sent') or message.attempts > 0)
    order by note.id desc, message.id desc
    limit 1
  );
end
$$;
comment on function internal.alarm_offered(integer, uuid, text, timestamptz) is
  'The alarm that the newest text about any alarm offers to answer by "1" and "2", if that text may have reached the '
  'number; null if it offers its link alone. For internal.answered_question.';

create or replace function internal.answered_question(
  p_tenant integer, p_user uuid, p_phone text, p_kind text, p_now timestamptz, out kind text, out alarm_id uuid,
  out seen_at timestamptz
)
  language plpgsql
  stable
as $$
declare
  v_is_told boolean := exists (select from internal.alarms_told(p_tenant, p_user, p_now, 1));
  v_all integer;
  v_open integer;
  v_texted_at timestamptz;
  v_ended_at timestamptz;
  v_offered uuid;
begin
  -- A sender who answers during their own call for help is told that the call goes on.
  if p_kind = 'two' and internal.has_called_for_help(p_tenant, p_user, p_now) then
    kind := 'goes_on';
    return;
  end if;
  if internal.has_own_question(p_tenant, p_user, p_now) then
    kind := case when p_kind = 'one' then 'check_in' when v_is_told then 'several' end;
    return;
  end if;
  select count(*), count(*) filter (where texted.is_open), max(texted.texted_at) filter (where texted.is_open),
    max(texted.ended_at) filter (where not texted.is_open)
  into v_all, v_open, v_texted_at, v_ended_at
  from internal.alarms_texted(p_tenant, p_user, p_phone, p_now) as texted;
  if v_open = 1 then
    v_offered := internal.alarm_offered(p_tenant, p_user, p_phone, p_now);
    select texted.alarm_id, texted.seen_at into alarm_id, seen_at
    from internal.alarms_texted(p_tenant, p_user, p_phone, p_now) as texted
    where texted.is_open;
  end if;
  -- Just after an alarm has ended, the answer can be about it, unless the message about the open one has been there for
  -- some minutes.
  if v_offered = alarm_id
    and (v_all = 1 or v_texted_at < p_now - interval '3 minutes' or v_ended_at < p_now - interval '15 minutes')
  then
    kind := case p_kind when 'one' then 'take' else 'safe' end;
  elsif v_all > 0 and v_open = 0 then
    kind := 'over';
  else
    kind := case when v_all > 0 or v_is_told then 'several' when p_kind = 'one' then 'check_in' end;
  end if;
end
$$;
comment on function internal.answered_question(integer, uuid, text, text, timestamptz) is
  'What "1" (one) or "2" (two) in a text message from a number answers. One''s own question comes first: "1" is then a '
  'check-in, and "2" nothing (goes_on, if they call for help). Otherwise the one alarm of which a text message has '
  'told that number (internal.alarms_texted): "1" takes it, "2" says that its sender is safe, and if it has ended, the '
  'answer is that it is over. With two alarms, or if the newest text about an alarm has not offered these keys for it '
  '(internal.alarm_offered), or if another has ended less than 15 minutes ago and the message about the open one is '
  'less than 3 minutes old, the answer is nothing (several), because no alarm may rest or end by a guess, and the '
  'reply has the link of each. Without any question, "1" is a check-in and "2" nothing. kind is check_in, take, safe, '
  'over, several, goes_on or null; seen_at is the moment of which the person knows in that alarm.';

create or replace function internal.answer_in_alarm(
  p_alarm uuid, p_kind text, p_seen_at timestamptz, p_locale text, p_now timestamptz
) returns text
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_take record;
  v_alarm kith.alarms;
  v_taker json;
  v_reply text;
begin
  if p_kind = 'take' then
    perform internal.require_user();
    select * into v_take from internal.take_alarm(v_tenant, p_alarm, v_user, null, null, p_now);
    v_alarm := v_take.alarm;
    v_taker := internal.alarm_person(v_alarm, v_user, v_alarm.taken_by, v_alarm.taken_by_desk);
    v_reply := case
      when v_take.outcome = 'over' then internal.said_text('sms.reply.alarm_over', p_locale)
      when v_take.outcome <> 'taken' then internal.said_text('sms.reply.taken', p_locale, format('{name:%s}', p_alarm))
      when v_taker ->> 'id' is null and v_alarm.taken_by_desk is null
        then internal.said_text('notification.alarm_taken.another', p_locale)
      else internal.said_text('notification.alarm_taken.receiver', p_locale, format('{taker:%s}', p_alarm))
    end;
  else
    perform internal.lock_asks(
      v_tenant, (select sender_id from kith.alarms where tenant_id = v_tenant and id = p_alarm)
    );
    v_alarm := internal.lock_alarm(v_tenant, p_alarm, p_now);
    if v_alarm.resolved_at is not null or internal.part_in_alarm(v_alarm, v_user) is null then
      return internal.said_text('sms.reply.alarm_over', p_locale);
    elsif internal.has_grown_since(v_alarm, p_seen_at, '10 minutes') then
      return internal.said_text('sms.reply.called_again', p_locale, format('{name:%s}', p_alarm));
    end if;
    v_alarm := internal.resolve_alarm(v_tenant, p_alarm, v_user, null, 'safe', null, null, p_now);
    v_reply := internal.said_text('sms.reply.safe', p_locale, format('{name:%s}', p_alarm));
  end if;
  return case
    when v_alarm.kind = 'drill' then format(internal.phrase('alarm.drill', p_locale), null, v_reply)
    else v_reply
  end;
exception when sqlstate 'KT404' then
  -- They have lost their part in it at this moment.
  return internal.said_text('sms.reply.alarm_over', p_locale);
end
$$;
comment on function internal.answer_in_alarm(uuid, text, timestamptz, text, timestamptz) is
  'Lets the current user take an alarm (take), or say that its sender is safe (safe), by a text message or a key, and '
  'returns what they are told. Nobody ends it who was told of it before the sender called for help, or missed another '
  'check-in (p_seen_at is the moment of which their message tells). {name:alarm} and {taker:alarm} are in the places '
  'of names (internal.named_answer). The rules are those of every door. For definer procedures.';

create or replace function internal.reply_to_canary(p_kind text, p_alarm uuid, p_locale text) returns text
  language plpgsql
  stable
as $$
begin
  return internal.said_text(
    case p_kind when 'take' then 'sms.reply.taken' else 'sms.reply.safe' end, p_locale, format('{name:%s}', p_alarm)
  );
end
$$;
comment on function internal.reply_to_canary(text, uuid, text) is
  'What the receiver of a canary is told after an answer, take or safe: the words that a person reads or hears, so '
  'that the reply is tried too. For definer procedures.';

create or replace function internal.hear_canary(
  p_user uuid, p_phone text, p_said text, p_locale text, p_now timestamptz
)
  returns text
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_alarm uuid := (
    select texted.alarm_id from internal.alarms_texted(v_tenant, p_user, p_phone, p_now) as texted
    where texted.is_open order by texted.alarm_id desc limit 1
  );
  v_kind text := case
    when coalesce(p_said not in ('one', 'two', 'check_in', 'i_am_safe'), true) then null
    when v_alarm is null then 'over'
    when p_said = 'two' then 'safe'
    when p_said is not null then 'take'
  end;
begin
  if v_kind in ('take', 'safe') then
    -- One reply in an alarm, because a program may answer replies too.
    if not internal.has_stopped_texts(v_tenant, p_phone) and not exists (
      select from kith.canary_answers as known
      where known.tenant_id = v_tenant and known.alarm_id = v_alarm and known.channel = 'sms'
    ) then
      perform internal.answer_by_text(p_phone, internal.reply_to_canary(v_kind, v_alarm, p_locale), p_now);
    end if;
    perform internal.note_heard(v_tenant, p_user, v_alarm, 'sms', p_now);
  end if;
  return case when v_kind = 'over' then 'several' else coalesce(v_kind, 'not_understood') end;
end
$$;
comment on function internal.hear_canary(uuid, text, text, text, timestamptz) is
  'What the receiver of a canary has said in a text message: "1", "2" and the words of a check-in are heard in the '
  'open alarm of which that number was told, and nothing is a check-in or a call for help, because nobody is behind '
  'the account. Only the first answer in an alarm gets a reply. Returns how it counts, as internal.answer_text.';

-- The name was written into the reply, where an erasure did not find it.
create or replace function internal.alarm_links_text(p_tenant integer, p_user uuid, p_locale text, p_now timestamptz)
  returns text
  language plpgsql
  stable
as $$
begin
  return (
    select string_agg(
      internal.said_text(
        case
          when alarm.taken_at is null and alarm.kind <> 'drill' then 'sms.reply.alarm_untaken'
          else 'sms.reply.alarm_link'
        end,
          p_locale,
        format('{first:%s}', alarm.id), p_link => format('{link:%s}', alarm.id)
      ),
      ' ' order by alarm.id desc
    )
    from internal.alarms_told(p_tenant, p_user, p_now, 3) as alarm
  );
end
$$;
comment on function internal.alarm_links_text(integer, uuid, text, timestamptz) is
  'The links of the newest three alarms of which somebody was told, for a reply by text, which says of each that '
  'nobody has taken that nobody looks after its sender yet; null if there is none. The worker puts the name in the '
  'place of {first:alarm}, and the link in that of {link:alarm}.';
