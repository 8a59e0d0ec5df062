-- What "1" and "2" mean, and what is answered to them (J02, J03, K00, K11).

create or replace function internal.has_own_question(p_tenant integer, p_user uuid, p_now timestamptz) returns boolean
  language plpgsql
  stable
as $$
declare
  -- Whoever sends an answer twice, by text or after a tap, does not mean somebody else's alarm the second time.
  v_since timestamptz := p_now - interval '15 minutes';
begin
  return exists (
    select from kith.pings as ping
    where ping.tenant_id = p_tenant and ping.sender_id = p_user and ping.ping_on >= (p_now at time zone 'UTC')::date - 2
      and ping.ping_on <= (p_now at time zone 'UTC')::date + 1 and ping.scheduled_at <= p_now
      and case
        -- One that is due is judged after its deadline, after an outage much later (X35).
        when ping.status = 'due' then true
        when ping.status in ('scheduled', 'completed') and ping.deadline_at > p_now then true
        -- A break or a pause came after the question.
        when ping.status = 'cancelled' then ping.asked_at is not null and ping.deadline_at > p_now
        -- A tap that was kept on a device is older than its arrival.
        when ping.status in ('completed', 'completed_late') then ping.completed_at > v_since or exists (
          select from kith.check_ins as answer
          where answer.tenant_id = p_tenant and answer.user_id = p_user and answer.received_at > v_since and answer.id = ping.check_in_id
        )
        else false
      end
  ) or exists (
    select from kith.alarms as alarm
    where alarm.tenant_id = p_tenant and alarm.sender_id = p_user and alarm.id >= internal.oldest_open_alarm(p_now) and alarm.kind <> 'drill'
      and (alarm.resolved_at is null and alarm.expires_at > p_now or alarm.resolved_at > v_since)
  ) or exists (
    select from kith.asks as ask where ask.tenant_id = p_tenant and ask.sender_id = p_user and ask.ended_at is null
  ) or exists (
    select from kith.connections as connection
    join kith.asks as ask
      on ask.tenant_id = p_tenant and ask.connection_id = connection.id and ask.asked_at > p_now - interval '1 day' and ask.ended_at > v_since
    where connection.tenant_id = p_tenant and connection.sender_id = p_user
  );
end
$$;
comment on function internal.has_own_question(integer, uuid, timestamptz) is
  'Whether somebody is asked whether they are safe: a ping of theirs is between its time and its judgement, they have an alarm of their own, or '
  'a receiver asks. A ping that was answered counts until its deadline, and each of them for 15 minutes after it was answered or has ended: whoever '
  'answers it twice does not mean somebody else''s alarm.';

create or replace function internal.keys_answer_alarm(p_tenant integer, p_user uuid, p_alarm uuid, p_now timestamptz) returns boolean
  language plpgsql
  stable
as $$
begin
  return not internal.has_own_question(p_tenant, p_user, p_now)
    and not exists (select from internal.alarms_told(p_tenant, p_user, p_now, 2) as other where other.id <> p_alarm);
end
$$;
comment on function internal.keys_answer_alarm(integer, uuid, uuid, timestamptz) is
  'Whether "1" and "2" by text would answer this alarm now (internal.answered_question): its receiver is asked nothing else, neither whether they '
  'are safe nor about another alarm. Otherwise a text about it offers its link alone, so that "1" means one thing to one person (K00).';

create or replace function internal.offers_keys(p_channel text, p_notification kith.notifications, p_now timestamptz) returns boolean
  language plpgsql
  stable
as $$
begin
  -- Nobody is told to answer a number that takes no answers, or by a key that would answer something else.
  return p_channel = 'sms' and internal.answers_alarm(p_notification.type, p_notification.data)
    and internal.inbound_token(p_notification.tenant_id, 'sms') is not null
    and internal.keys_answer_alarm(p_notification.tenant_id, p_notification.user_id, (p_notification.data ->> 'alarm_id')::uuid, p_now);
end
$$;
comment on function internal.offers_keys(text, kith.notifications, timestamptz) is
  'Whether a message about an alarm says "Reply 1 …" when it is sent at p_now. kith.deliveries.offers_keys keeps it: "1" and "2" answer only what '
  'offered them (internal.answered_question).';

drop function if exists internal.alarms_texted(integer, uuid, text, timestamptz);
create function internal.alarms_texted(p_tenant integer, p_user uuid, p_phone text, p_now timestamptz)
  returns table (alarm_id uuid, is_open boolean, ended_at kith.instant, seen_at timestamptz, texted_at timestamptz)
  language plpgsql
  stable
as $$
begin
  return query
  select alarm.id, alarm.resolved_at is null and alarm.expires_at > p_now and receiver.left_at is null,
    least(receiver.left_at, alarm.resolved_at, alarm.expires_at), coalesce(asked.told_at, linked.told_at), least(asked.sent_at, linked.sent_at)
  from kith.alarm_receivers as receiver
  join kith.alarms as alarm on alarm.tenant_id = p_tenant and alarm.id = receiver.alarm_id
  cross join lateral (
    -- The words of a message are those of its notification, however late it is sent. One that no provider has taken may have arrived, so it can be
    -- answered; but nobody is taken to know what it says.
    select coalesce(max(note.created_at) filter (where message.status = 'sent'), min(note.created_at)) as told_at,
      min(coalesce(message.sent_at, message.created_at)) as sent_at
    from kith.notifications as note
    join kith.deliveries as message on message.tenant_id = p_tenant and message.notification_id = note.id
    where note.tenant_id = p_tenant and note.user_id = p_user and note.id >= internal.first_uuid7(receiver.told_at - interval '1 minute')
      and note.data ? 'alarm_id' and note.data ->> 'alarm_id' = alarm.id::text and internal.answers_alarm(note.type, note.data)
      and message.channel = 'sms' and message.address = p_phone and (message.status in ('sending', 'sent') or message.attempts > 0)
  ) as asked
  cross join lateral (
    select coalesce(max(reply.created_at) filter (where reply.status = 'sent'), min(reply.created_at)) as told_at,
      min(coalesce(reply.sent_at, reply.created_at)) as sent_at
    from kith.deliveries as reply
    where reply.tenant_id = p_tenant and reply.purpose = 'answer' and reply.address = p_phone
      and reply.body like format('%%{link:%s}%%', alarm.id) and (reply.status in ('sending', 'sent') or reply.attempts > 0)
  ) as linked
  where receiver.tenant_id = p_tenant and receiver.receiver_id = p_user and receiver.alarm_id >= internal.oldest_open_alarm(p_now)
    and receiver.told_at is not null and least(receiver.left_at, alarm.resolved_at, alarm.expires_at) > p_now - interval '3 hours'
    and (asked.told_at is not null or linked.told_at is not null);
end
$$;
comment on function internal.alarms_texted(integer, uuid, text, timestamptz) is
  'The alarms that "1" or "2" from a number can be about: a text message that asks for the answer, or a reply with their link, may have reached '
  'it, and they are open, or have ended for this receiver in the last three hours, because an answer can be late. seen_at is the moment '
  'of which the newest of them tells that a provider has taken, or else the oldest; texted_at when the first went out. For definer procedures.';

create or replace function internal.alarm_offered(p_tenant integer, p_user uuid, p_phone text, p_now timestamptz) returns uuid
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
      and message.channel = 'sms' and message.address = p_phone and (message.status in ('sending', 'sent') or message.attempts > 0)
    order by note.id desc, message.id desc
    limit 1
  );
end
$$;
comment on function internal.alarm_offered(integer, uuid, text, timestamptz) is
  'The alarm that the newest text about any alarm offers to answer by "1" and "2", if that text may have reached the number; null if it offers its link '
  'alone. For internal.answered_question.';

drop function if exists internal.answered_question(integer, uuid, text, timestamptz);
create or replace function internal.answered_question(
  p_tenant integer, p_user uuid, p_phone text, p_kind text, p_now timestamptz, out kind text, out alarm_id uuid, out seen_at timestamptz
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
  -- Just after an alarm has ended, the answer can be about it, unless the message about the open one has been there for some minutes.
  if v_offered = alarm_id and (v_all = 1 or v_texted_at < p_now - interval '3 minutes' or v_ended_at < p_now - interval '15 minutes') then
    kind := case p_kind when 'one' then 'take' else 'safe' end;
  elsif v_all > 0 and v_open = 0 then
    kind := 'over';
  else
    kind := case when v_all > 0 or v_is_told then 'several' when p_kind = 'one' then 'check_in' end;
  end if;
end
$$;
comment on function internal.answered_question(integer, uuid, text, text, timestamptz) is
  'What "1" (one) or "2" (two) in a text message from a number answers. One''s own question comes first: "1" is then a check-in, and "2" nothing '
  '(goes_on, if they call for help). '
  'Otherwise the one alarm of which a text message has told that number (internal.alarms_texted): "1" takes it, "2" says that its sender is safe, '
  'and if it has ended, the answer is that it is over. With two alarms, or if the newest text about an alarm has not offered these keys for it '
  '(internal.alarm_offered), or if another has ended less than 15 minutes ago and the message about the open one is less than 3 minutes old, the answer '
  'is nothing (several), because no alarm may rest or end by a guess, and the reply has the link of each. Without any question, "1" is a check-in and "2" '
  'nothing. kind is check_in, take, safe, over, several, goes_on or null; seen_at is the moment of which the person knows in that alarm.';

drop function if exists internal.answer_in_alarm(uuid, text, text, timestamptz);
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
      when v_taker ->> 'id' is null and v_alarm.taken_by_desk is null then internal.said_text('notification.alarm_taken.another', p_locale)
      else internal.said_text('notification.alarm_taken.receiver', p_locale, format('{taker:%s}', p_alarm))
    end;
  else
    perform internal.lock_asks(v_tenant, (select sender_id from kith.alarms where tenant_id = v_tenant and id = p_alarm));
    v_alarm := internal.lock_alarm(v_tenant, p_alarm, p_now);
    if v_alarm.resolved_at is not null or internal.part_in_alarm(v_alarm, v_user) is null then
      return internal.said_text('sms.reply.alarm_over', p_locale);
    elsif internal.has_grown_since(v_alarm, p_seen_at, '10 minutes') then
      return internal.said_text('sms.reply.called_again', p_locale, format('{name:%s}', p_alarm));
    end if;
    v_alarm := internal.resolve_alarm(v_tenant, p_alarm, v_user, null, 'safe', null, null, p_now);
    v_reply := internal.said_text('sms.reply.safe', p_locale, format('{name:%s}', p_alarm));
  end if;
  return case when v_alarm.kind = 'drill' then format(internal.phrase('alarm.drill', p_locale), null, v_reply) else v_reply end;
exception when sqlstate 'KT404' then
  -- They have lost their part in it at this moment.
  return internal.said_text('sms.reply.alarm_over', p_locale);
end
$$;
comment on function internal.answer_in_alarm(uuid, text, timestamptz, text, timestamptz) is
  'Lets the current user take an alarm (take), or say that its sender is safe (safe), by a text message or a key, and returns what they are '
  'told. Nobody ends it who was told of it before the sender called for help, or missed another check-in (p_seen_at is the moment of which '
  'their message tells). {name:alarm} and {taker:alarm} are in the places of names (internal.named_answer). The rules are those of every door. For '
  'definer procedures.';

create or replace function internal.has_grown_since(p_alarm kith.alarms, p_seen_at timestamptz, p_slack interval) returns boolean
  language plpgsql
  stable
as $$
begin
  -- Clients may round an instant.
  return coalesce(p_seen_at < internal.last_called_at(p_alarm) - interval '1 millisecond', false) or exists (
    select from kith.alarm_entries as entry
    where entry.tenant_id = p_alarm.tenant_id and entry.alarm_id = p_alarm.id and entry.kind = 'missed'
      and entry.at > p_seen_at + p_slack
  );
end
$$;
comment on function internal.has_grown_since(kith.alarms, timestamptz, interval) is
  'Whether the sender of an alarm has called for help in it, or another day''s miss has joined it, since somebody read of it: what they say then '
  'is not about that. p_slack is how much later the miss must be: the pings of one day can be judged one after the other. False if nobody knows '
  'when they read of it (null).';

-- The name was written into the reply, where an erasure did not find it.
drop function if exists internal.name_in_alarm(kith.alarms, uuid);
create or replace function internal.named_answer(p_tenant integer, p_reader uuid, p_body text) returns text
  language plpgsql
  stable
as $$
declare
  v_mark record;
  v_alarm kith.alarms;
  v_name text;
  v_body text := p_body;
begin
  for v_mark in
    select distinct part.mark[1] as whole, part.mark[2] as kind, part.mark[3]::uuid as alarm_id
    from regexp_matches(p_body, '(\{(name|first|taker):([-0-9a-f]{36})\})', 'g') as part (mark)
  loop
    select * into v_alarm from kith.alarms where tenant_id = p_tenant and id = v_mark.alarm_id;
    v_name := case
      when p_reader is null or v_alarm.id is null then null
      when v_mark.kind = 'taker' then internal.alarm_person(v_alarm, p_reader, v_alarm.taken_by, v_alarm.taken_by_desk) ->> 'display_name'
      else internal.alarm_person(v_alarm, p_reader, v_alarm.sender_id, null) ->> 'display_name'
    end;
    -- Braces are the marks of placeholders in a message.
    v_name := translate(case v_mark.kind when 'first' then internal.first_name(v_name) else internal.shown_name(v_name) end, '{}', '');
    v_body := replace(v_body, v_mark.whole, coalesce(v_name, internal.phrase_for(p_tenant, p_reader, 'name.anybody'), internal.name_of_anybody(null)));
  end loop;
  return v_body;
end
$$;
comment on function internal.named_answer(integer, uuid, text) is
  'A reply with the names in the places of {name:alarm}, the sender, {first:alarm}, their first name, and {taker:alarm}, who looks after it, as '
  'its reader calls them now; "Someone" for an alarm that is gone. The outbox keeps the reply without names, so that an erased one is in no '
  'reply, sent or not (A04).';

create or replace function internal.alarm_links_text(p_tenant integer, p_user uuid, p_locale text, p_now timestamptz) returns text
  language plpgsql
  stable
as $$
begin
  return (
    select string_agg(
      internal.said_text(
        case when alarm.taken_at is null and alarm.kind <> 'drill' then 'sms.reply.alarm_untaken' else 'sms.reply.alarm_link' end, p_locale,
        format('{first:%s}', alarm.id), p_link => format('{link:%s}', alarm.id)
      ),
      ' ' order by alarm.id desc
    )
    from internal.alarms_told(p_tenant, p_user, p_now, 3) as alarm
  );
end
$$;
comment on function internal.alarm_links_text(integer, uuid, text, timestamptz) is
  'The links of the newest three alarms of which somebody was told, for a reply by text, which says of each that nobody has taken that nobody '
  'looks after its sender yet; null if there is none. The worker puts the name in '
  'the place of {first:alarm}, and the link in that of {link:alarm}.';
