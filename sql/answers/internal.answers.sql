-- What people answer to a text message or a call, and what they are answered.

create or replace function internal.count_inbound(p_channel text, p_outcome text, p_slot text, p_now timestamptz)
  returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  insert into kith.inbound_counts as counts (tenant_id, channel, counted_on, outcome, slot, count)
  values (v_tenant, p_channel, (p_now at time zone 'UTC')::date, p_outcome, abs(hashtext(p_slot) % 16), 1)
  on conflict (tenant_id, channel, counted_on, outcome, slot) do update set count = counts.count + 1;
end
$$;
comment on function internal.count_inbound(text, text, text, timestamptz) is
  'Counts a forwarded answer by what became of it. p_slot spreads the counts over rows, so that answers of a tenant '
  'seldom wait for each other. Call it last in a transaction.';

create or replace function internal.may_answer(p_phone text, p_explains boolean, p_now timestamptz) returns boolean
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  insert into kith.text_numbers as known (tenant_id, phone, explained_at, answers, answers_since, updated_at)
  values (v_tenant, p_phone, case when p_explains then p_now end, 1, p_now, p_now)
  on conflict (tenant_id, phone) do update
  set answers = case when known.answers_since <= p_now - interval '24 hours' then 1 else known.answers + 1 end,
    answers_since = case
      when known.answers_since <= p_now - interval '24 hours' then p_now
      else known.answers_since
    end,
    explained_at = case when p_explains then p_now else known.explained_at end,
    updated_at = p_now
  where known.stopped_at is null
    and (known.answers < 30 or known.answers_since <= p_now - interval '24 hours')
    and (not p_explains or coalesce(known.explained_at <= p_now - interval '1 hour', true));
  return found;
end
$$;
comment on function internal.may_answer(text, boolean, timestamptz) is
  'Whether a number is answered by a text message, and counts that it is: not after STOP, at most 30 times in 24 '
  'hours, and with what can be answered (p_explains) at most once an hour. What the person said counts in any case.';

create or replace function internal.may_say_again(p_phone text, p_body text, p_now timestamptz) returns boolean
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  return (
    select count(*) < 10
    from kith.deliveries
    where tenant_id = v_tenant and address = p_phone and purpose = 'answer' and body = p_body
      and created_at > p_now - interval '1 hour'
  );
end
$$;
comment on function internal.may_say_again(text, text, timestamptz) is
  'Whether a number may get an answer that must not be missing, whatever else it was answered: the same words at most '
  'ten times an hour. Somebody who writes in another''s name uses up the answers of internal.may_answer, and not this '
  'one.';

create or replace function internal.answer_by_text(p_phone text, p_body text, p_now timestamptz) returns void
  language plpgsql
as $$
begin
  perform internal.queue_delivery(
    internal.uuid7(p_now), 'sms', 'answer', p_phone, null, p_body, null, null, p_now + interval '1 hour', p_now
  );
end
$$;
comment on function internal.answer_by_text(text, text, timestamptz) is
  'Answers a text message, on the tenant''s channel for them. After an hour the answer is worth nothing.';

create or replace function internal.has_called_for_help(p_tenant integer, p_user uuid, p_now timestamptz)
  returns boolean
  language plpgsql
  stable
as $$
begin
  return exists (
    select from kith.alarms as alarm
    where alarm.tenant_id = p_tenant and alarm.sender_id = p_user and alarm.resolved_at is null and alarm.kind = 'help'
      and alarm.expires_at > p_now
  );
end
$$;
comment on function internal.has_called_for_help(integer, uuid, timestamptz) is
  'Whether a call for help of somebody goes on. A text message ends it only in words that say that they are safe: "OK" '
  'can be meant as thanks for the reply to it.';

create or replace function internal.apply_answer(
  p_kind text, p_alarm uuid, p_seen_at timestamptz, p_source text, p_locale text, p_zone text, p_brand text,
  p_now timestamptz
) returns text
  language plpgsql
as $$
declare
  v_has_called boolean;
  v_told integer;
begin
  if p_kind = 'check_in' then
    v_has_called := internal.has_called_for_help(kith.tenant_id(), kith.user_id(), p_now);
    perform api.check_in(null, false, null, p_source, p_now);
    if v_has_called and not internal.has_called_for_help(kith.tenant_id(), kith.user_id(), p_now) then
      return internal.said_text('sms.reply.help_ended', p_locale);
    end if;
    -- "OK" to the news that somebody else is missing is the reader's own sign of life, and helps nobody else.
    if p_source = 'sms' and exists (select from internal.alarms_told(kith.tenant_id(), kith.user_id(), p_now, 1)) then
      return internal.said_text('sms.reply.checked_in.self', p_locale);
    end if;
    return internal.said_text(
      'sms.reply.checked_in', p_locale, p_fourth => internal.clock_text(p_now, p_zone, p_locale, p_now)
    );
  elsif p_kind = 'help' then
    select help.told into v_told
    from internal.call_for_help(kith.tenant_id(), kith.user_id(), null, null, p_source, p_now) as help;
    if v_told = 0 then
      return internal.said_text('sms.reply.nobody', p_locale);
    end if;
    return internal.said_text('sms.reply.told', p_locale, p_count => v_told);
  elsif p_kind in ('take', 'safe') then
    -- A text message of a canary does not come here (internal.hear_canary).
    if p_source = 'voice' and internal.note_heard(kith.tenant_id(), kith.user_id(), p_alarm, 'call', p_now) then
      return internal.reply_to_canary(p_kind, p_alarm, p_locale);
    end if;
    return internal.answer_in_alarm(p_alarm, p_kind, p_seen_at, p_locale, p_now);
  elsif p_kind = 'near_help' then
    return internal.said_text('sms.reply.near_help', p_locale);
  elsif p_kind = 'goes_on'
    or p_kind is null and internal.has_called_for_help(kith.tenant_id(), kith.user_id(), p_now)
  then
    return internal.said_text('sms.reply.help_goes_on', p_locale);
  elsif p_kind = 'over' then
    return internal.said_text('sms.reply.alarm_over', p_locale);
  elsif p_kind = 'several' then
    return internal.said_text('sms.reply.several', p_locale);
  elsif p_kind = 'start' then
    return internal.said_text('sms.reply.start', p_locale, p_fourth => p_brand);
  elsif p_kind = 'info' then
    return internal.said_text('sms.reply.help', p_locale, p_fourth => p_brand);
  end if;
  -- Do not lead a receiver who was told of an alarm to "OK", which would be their own sign of life.
  return internal.said_text(
    case
      when not internal.has_own_question(kith.tenant_id(), kith.user_id(), p_now)
        and exists (
          select from internal.alarms_told(kith.tenant_id(), kith.user_id(), p_now, 1)
        ) then 'sms.reply.not_understood'
      else 'sms.reply.question'
    end, p_locale
  );
end
$$;
comment on function internal.apply_answer(text, uuid, timestamptz, text, text, text, text, timestamptz) is
  'Does what the current user has answered, by text or by a key, and returns what they are told, in their language and '
  'without names (internal.named_answer). p_alarm is the alarm that take and safe are about, and p_seen_at the moment '
  'of which their message told. goes_on, over, near_help and null do nothing: a call for help of theirs goes on, the '
  'alarm is over, a word looks like one for help, or nobody understood it. A check-in that ends a call for help says '
  'so. For definer procedures.';
