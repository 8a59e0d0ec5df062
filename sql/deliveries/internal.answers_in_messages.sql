create or replace function internal.answers_alarm(p_type text, p_data jsonb) returns boolean
  language sql
  immutable
  parallel safe
as $$
  select internal.asks_receiver(p_type) and p_data ? 'alarm_id'
    -- A notification to a receiver names the sender (user_id). The sender's own one does not: nobody looks after
    -- themselves.
    and p_data ? 'user_id' and p_data ->> 'to' is distinct from 'sender'
$$;
comment on function internal.answers_alarm(text, jsonb) is
  'Whether a notification asks a receiver to look after somebody, so that its text messages and e-mails have a link, '
  'and its calls take a key. The sender reads some of these types too, and is offered nothing of a receiver''s: '
  'internal.asks_for_check_in says what they are asked.';

create or replace function internal.offers_keys(p_channel text, p_notification kith.notifications, p_now timestamptz)
  returns boolean
  language plpgsql
  stable
as $$
begin
  -- Nobody is told to answer a number that takes no answers, or by a key that would answer something else.
  return p_channel = 'sms' and internal.answers_alarm(p_notification.type, p_notification.data)
    and internal.inbound_token(p_notification.tenant_id, 'sms') is not null
    and internal.keys_answer_alarm(
      p_notification.tenant_id, p_notification.user_id, (p_notification.data ->> 'alarm_id')::uuid, p_now
    );
end
$$;
comment on function internal.offers_keys(text, kith.notifications, timestamptz) is
  'Whether a message about an alarm says "Reply 1 …" when it is sent at p_now. kith.deliveries.offers_keys keeps it: '
  '"1" and "2" answer only what offered them (internal.answered_question).';

create or replace function internal.keys_answer_alarm(p_tenant integer, p_user uuid, p_alarm uuid, p_now timestamptz)
  returns boolean
  language plpgsql
  stable
as $$
begin
  return not internal.has_own_question(p_tenant, p_user, p_now)
    and not exists (select from internal.alarms_told(p_tenant, p_user, p_now, 2) as other where other.id <> p_alarm);
end
$$;
comment on function internal.keys_answer_alarm(integer, uuid, uuid, timestamptz) is
  'Whether "1" and "2" by text would answer this alarm now (internal.answered_question): its receiver is asked nothing '
  'else, neither whether they are safe nor about another alarm. Otherwise a text about it offers its link alone, so '
  'that "1" means one thing to one person (K00).';

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
          where answer.tenant_id = p_tenant and answer.user_id = p_user and answer.received_at > v_since
            and answer.id = ping.check_in_id
        )
        else false
      end
  ) or exists (
    select from kith.alarms as alarm
    where alarm.tenant_id = p_tenant and alarm.sender_id = p_user and alarm.id >= internal.oldest_open_alarm(p_now)
      and alarm.kind <> 'drill'
      and (alarm.resolved_at is null and alarm.expires_at > p_now or alarm.resolved_at > v_since)
  ) or exists (
    select from kith.asks as ask where ask.tenant_id = p_tenant and ask.sender_id = p_user and ask.ended_at is null
  ) or exists (
    select from kith.connections as connection
    join kith.asks as ask
      on ask.tenant_id = p_tenant and ask.connection_id = connection.id and ask.asked_at > p_now - interval '1 day'
        and ask.ended_at > v_since
    where connection.tenant_id = p_tenant and connection.sender_id = p_user
  );
end
$$;
comment on function internal.has_own_question(integer, uuid, timestamptz) is
  'Whether somebody is asked whether they are safe: a ping of theirs is between its time and its judgement, they have '
  'an alarm of their own, or a receiver asks. A ping that was answered counts until its deadline, and each of them for '
  '15 minutes after it was answered or has ended: whoever answers it twice does not mean somebody else''s alarm.';

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
      when v_mark.kind = 'taker'
        then internal.alarm_person(v_alarm, p_reader, v_alarm.taken_by, v_alarm.taken_by_desk) ->> 'display_name'
      else internal.alarm_person(v_alarm, p_reader, v_alarm.sender_id, null) ->> 'display_name'
    end;
    -- Braces are the marks of placeholders in a message.
    v_name := translate(
      case v_mark.kind when 'first' then internal.first_name(v_name) else internal.shown_name(v_name) end, '{}', ''
    );
    v_body := replace(
      v_body, v_mark.whole,
      coalesce(v_name, internal.phrase_for(p_tenant, p_reader, 'name.anybody'), internal.name_of_anybody(null))
    );
  end loop;
  return v_body;
end
$$;
comment on function internal.named_answer(integer, uuid, text) is
  'A reply with the names in the places of {name:alarm}, the sender, {first:alarm}, their first name, and '
  '{taker:alarm}, who looks after it, as its reader calls them now; "Someone" for an alarm that is gone. The outbox '
  'keeps the reply without names, so that an erased one is in no reply, sent or not (A04).';

create or replace function internal.spoken_text(
  p_tenant_id integer, p_type text, p_data jsonb, p_body text, p_locale text, p_brand text
) returns text
  language plpgsql
  stable
as $$
declare
  v_way text := case when internal.hears_keys(p_tenant_id) then '' else '.no_key' end;
begin
  if p_type in ('ping_due', 'ping_reminder') then
    return internal.said_text('voice.question' || v_way, p_locale, p_fourth => p_brand);
  end if;
  -- The brand comes first: whoever is called must know who calls.
  return internal.said_text(
    case when internal.asks_for_check_in(p_type, p_data) then 'voice.ask' || v_way else 'voice.told' end, p_locale,
      p_link => p_body,
    p_fourth => p_brand
  ) || case
    when internal.answers_alarm(p_type, p_data)
      then ' ' || internal.said_text('voice.alarm' || v_way, p_locale, p_fourth => p_brand) else ''
  end;
end
$$;
comment on function internal.spoken_text(integer, text, jsonb, text, text, text) is
  'What a call says for a notification, after who calls: the question and its two keys to a sender who is asked, and '
  'to others the notification''s own words, with two keys if they can look after somebody; another way to answer where '
  'no key can come back.';

create or replace function internal.hears_keys(p_tenant_id integer) returns boolean
  language plpgsql
  stable
as $$
begin
  return exists (
    select from kith.channel_credentials as credentials
    where credentials.tenant_id = p_tenant_id and credentials.channel = 'voice'
      and credentials.summary ?& '{inbound,callback_field}'
  );
end
$$;
comment on function internal.hears_keys(integer) is
  'Whether a key that is pressed in a call of the tenant can come back: its provider is given an address '
  '(callback_field), which takes signed reports (inbound). A call offers keys only then (J03).';
