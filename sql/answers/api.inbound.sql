-- What providers forward (J02, J03). The server has found the channel by the token in the address, and checked the
-- signature, before it calls receive_text or receive_call. A suspension of the tenant refuses none (A02).

create or replace function api.inbound_channel(p_tenant_id integer, p_channel text, p_token text) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform set_config('kith.tenant_id', p_tenant_id::text, true);
  return (
    select json_build_object('sealed', encode(credentials.sealed, 'hex'))
    from kith.channel_credentials as credentials
    join kith.tenants as tenant on tenant.tenant_id = credentials.tenant_id and tenant.deleted_at is null
    where credentials.tenant_id = p_tenant_id and credentials.channel = p_channel
      and credentials.inbound_token = p_token
  );
end
$$;
comment on function api.inbound_channel(integer, text, text) is
  'The sealed settings of the channel whose provider forwards to this address, for the server, which keeps them for '
  'half a minute; null for an unknown address. Security definer, because the token identifies the tenant, and kith_api '
  'may not read credentials.';
grant execute on function api.inbound_channel(integer, text, text) to kith_api;

create or replace function api.receive_text(
  p_tenant_id integer, p_message_hashes bytea[], p_phone text, p_meanings jsonb, p_now timestamptz
) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_person kith.users;
  v_brand text := (
    select internal.shown_brand(tenant) from kith.tenants as tenant
    where tenant.tenant_id = p_tenant_id and tenant.deleted_at is null
  );
  v_kind text;
  v_outcome text;
  v_new integer;
begin
  perform set_config('kith.tenant_id', p_tenant_id::text, true);
  if v_brand is null then
    perform internal.refuse_not_found();
  end if;
  -- Of two repeats at once, the second waits here for the first.
  insert into kith.inbound_messages (tenant_id, channel, message_hash, received_at)
  select p_tenant_id, 'sms', hash, p_now from unnest(p_message_hashes) as hash order by hash
  on conflict do nothing;
  get diagnostics v_new = row_count;
  if v_new < cardinality(p_message_hashes) then
    perform internal.count_inbound('sms', 'repeated', coalesce(p_phone, ''), p_now);
    return json_build_object('outcome', 'repeated');
  end if;
  select * into v_person
  from kith.users
  where tenant_id = p_tenant_id and phone = p_phone and phone_verified_at is not null and deleted_at is null;
  if not found then
    -- Somebody who was only invited can say STOP too. Nobody unknown gets an answer.
    v_kind := p_meanings ->> 'en';
    if v_kind in ('stop', 'start') and p_phone is not null then
      perform internal.set_texts_stopped(p_phone, v_kind = 'stop', p_now);
    end if;
    perform internal.count_inbound('sms', 'unknown_number', coalesce(p_phone, ''), p_now);
    return json_build_object('outcome', 'unknown_number');
  end if;
  perform set_config('kith.user_id', v_person.id::text, true);
  v_outcome := internal.answer_text(v_person.id, p_phone, p_meanings, v_brand, p_now);
  perform internal.count_inbound('sms', v_outcome, p_phone, p_now);
  return json_build_object('outcome', v_outcome);
end
$$;
comment on function api.receive_text(integer, bytea[], text, jsonb, timestamptz) is
  'A text message that a provider has forwarded (J02). p_message_hashes are the SHA-256 of its id, and of what was '
  'signed where the id can be cut anew under the same signature: one that has come before in any of them does nothing. '
  'p_phone is the number in E.164, p_meanings what the text means in each language, {locale: check_in, i_am_safe, '
  'help, one, two, stop, start or info}: the person''s language decides, then English, then near_help of "*", a text '
  'that should be asked whether it calls for help; internal.answered_question says what one and two answer. The number '
  'must be the verified phone of one user. The answer goes out as a text message. Returns {outcome}, as '
  'kith.inbound_counts has it. Security definer, because the number identifies the person.';
grant execute on function api.receive_text(integer, bytea[], text, jsonb, timestamptz) to kith_api;

create or replace function internal.answer_text(
  p_user uuid, p_phone text, p_meanings jsonb, p_brand text, p_now timestamptz
)
  returns text
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_reader record;
  v_said text;
  v_kind text;
  v_alarm uuid;
  v_seen_at timestamptz;
  v_reply text;
  v_is_new boolean;
  v_reply_key text;
  v_is_answered boolean;
begin
  select reader.*, split_part(reader.locale, '@', 1) as language,
    exists (select from internal.hidden_person(v_tenant, p_user)) as is_hidden
  into v_reader
  from internal.reader_of(v_tenant, p_user) as reader;
  v_said := coalesce(p_meanings ->> v_reader.language, p_meanings ->> 'en', p_meanings ->> '*');
  if v_reader.is_hidden and coalesce(v_said not in ('stop', 'start', 'info'), true) then
    return internal.hear_canary(p_user, p_phone, v_said, v_reader.locale, p_now);
  end if;
  v_kind := case v_said when 'i_am_safe' then 'check_in' else v_said end;
  if v_kind = 'near_help' and internal.has_called_for_help(v_tenant, p_user, p_now) then
    v_kind := 'goes_on';
  elsif v_kind in ('one', 'two') then
    select question.kind, question.alarm_id, question.seen_at into v_kind, v_alarm, v_seen_at
    from internal.answered_question(v_tenant, p_user, p_phone, v_kind, p_now) as question;
  end if;
  if v_kind = 'check_in' and v_said <> 'i_am_safe' then
    -- A call for help that comes at this moment is seen, or waits.
    perform internal.lock_account();
    v_kind := case when internal.has_called_for_help(v_tenant, p_user, p_now) then 'goes_on' else v_kind end;
  end if;
  if v_kind = 'stop' then
    select stopped.is_new, stopped.reply_key into v_is_new, v_reply_key
    from internal.stop_texts(p_phone, p_now) as stopped;
    v_reply := internal.said_text(v_reply_key, v_reader.locale, p_fourth => p_brand);
  elsif v_kind = 'start' then
    perform internal.set_texts_stopped(p_phone, false, p_now);
    perform internal.emit_account(v_tenant, p_user, p_now);
  end if;
  v_reply := coalesce(
    v_reply, internal.apply_answer(
      v_kind, v_alarm, v_seen_at, 'sms', v_reader.locale, v_reader.time_zone, p_brand, p_now
    )
  );
  if coalesce(v_kind, 'several') in ('check_in', 'several', 'goes_on', 'near_help', 'over', 'info')
    or v_kind = 'safe'
      and exists (select from internal.alarms_told(v_tenant, p_user, p_now, 20) as alarm where alarm.id = v_alarm)
  then
    -- What else waits for an answer is answered by its link.
    v_reply := concat_ws(' ', v_reply, internal.alarm_links_text(v_tenant, p_user, v_reader.locale, p_now));
  end if;
  v_is_answered := case
    -- The confirmation is the last answer to a number, once.
    when v_kind = 'stop' then v_is_new and internal.may_say_again(p_phone, v_reply, p_now)
    when v_kind in ('help', 'near_help', 'goes_on', 'take', 'safe', 'several', 'over') then
      not internal.has_stopped_texts(v_tenant, p_phone) and internal.may_say_again(p_phone, v_reply, p_now)
    else internal.may_answer(p_phone, v_kind is null, p_now)
  end;
  if v_is_answered then
    perform internal.answer_by_text(p_phone, v_reply, p_now);
  end if;
  return internal.outcome_of_text(v_kind, v_alarm, p_user);
end
$$;
comment on function internal.answer_text(uuid, text, jsonb, text, timestamptz) is
  'Does what the current user has said in a text message, and answers it by a text message. While they call for help, '
  'only words that say that they are safe (i_am_safe) are a check-in; any other changes nothing. No number of other '
  'texts uses up the reply to what somebody has done, or could not do, in an alarm (internal.may_say_again). Returns '
  'what it was: several for what changed nothing. A canary''s answer is only noted (internal.hear_canary). For '
  'api.receive_text.';

create or replace function internal.outcome_of_text(p_kind text, p_alarm uuid, p_user uuid) returns text
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  return case
    when p_kind in ('goes_on', 'over') then 'several'
    when p_kind = 'near_help' then 'not_understood'
    -- More has happened than they have read, or somebody else was faster.
    when p_kind in ('take', 'safe') and not exists (
      select from kith.alarms as alarm
      where alarm.tenant_id = v_tenant and alarm.id = p_alarm
        and p_user = case p_kind when 'take' then alarm.taken_by else alarm.resolved_by end
    ) then 'several'
    else coalesce(p_kind, 'not_understood')
  end;
end
$$;
comment on function internal.outcome_of_text(text, uuid, uuid) is
  'How a text message counts, after what it says was done: as several, if that changed nothing. For '
  'internal.answer_text.';

create or replace function internal.may_be_talking(p_call kith.deliveries, p_now timestamptz) returns boolean
  language sql
  stable
as $$
  -- A provider calls at once, and no call is that long. A callback that is repeated later says nothing. If the
  -- provider's answer was lost, the delivery waits for its next attempt or has failed, although the person is on the
  -- phone.
  select case
      when (p_call).status in ('sending', 'sent') then coalesce((p_call).sent_at, (p_call).next_attempt_at)
      when (p_call).attempts > 0
        then coalesce(((p_call).failures -> -1 ->> 'at')::timestamptz, (p_call).next_attempt_at)
    end > p_now - interval '1 hour'
$$;
comment on function internal.may_be_talking(kith.deliveries, timestamptz) is
  'Whether somebody can be on the phone by a call that Kith has asked for. Null if none was. For api.receive_call.';

create or replace function internal.unknown_call(p_delivery_id uuid, p_now timestamptz) returns json
  language plpgsql
as $$
begin
  -- The count stays, so nothing is raised.
  perform internal.count_inbound('voice', 'unknown_call', coalesce(p_delivery_id::text, ''), p_now);
  return json_build_object('outcome', 'unknown_call');
end
$$;
comment on function internal.unknown_call(uuid, timestamptz) is
  'Counts a key that was pressed in no call of Kith, and says so. For api.receive_call.';

create or replace function internal.unanswered_call(p_delivery_id uuid, p_call_hashes bytea[], p_now timestamptz)
  returns json
  language plpgsql
as $$
begin
  -- The end of a call in which a key was pressed is no news.
  if not exists (
    select from kith.inbound_messages
    where tenant_id = kith.tenant_id() and channel = 'voice' and message_hash = p_call_hashes[2]
  ) then
    perform internal.count_inbound('voice', 'no_key', p_delivery_id::text, p_now);
  end if;
  return json_build_object('outcome', 'no_key');
end
$$;
comment on function internal.unanswered_call(uuid, bytea[], timestamptz) is
  'Counts a call that ended without a key, and says so. For api.receive_call.';

create or replace function internal.key_means(p_type text, p_data jsonb, p_key text) returns text
  language sql
  immutable
  parallel safe
as $$
  select case
    when internal.asks_for_check_in(p_type, p_data) then case p_key when '1' then 'check_in' when '2' then 'help' end
    -- The call is about one alarm, so its keys can mean no other.
    when internal.answers_alarm(p_type, p_data) then case p_key when '1' then 'take' when '2' then 'safe' end
  end
$$;
comment on function internal.key_means(text, jsonb, text) is
  'What a key answers in a call with a notification: check_in or help of its reader, or take or safe in the alarm that '
  'it is about. Null for none.';

create or replace function api.receive_call(
  p_tenant_id integer, p_delivery_id uuid, p_call_hashes bytea[], p_key text, p_unheard text, p_is_over boolean,
  p_now timestamptz
) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_call record;
  v_reader record;
  v_brand text := (
    select internal.shown_brand(tenant) from kith.tenants as tenant
    where tenant.tenant_id = p_tenant_id and tenant.deleted_at is null
  );
  v_kind text;
  v_text text;
begin
  perform set_config('kith.tenant_id', p_tenant_id::text, true);
  select delivery.id, notification.id as notification_id, notification.user_id, notification.type, notification.data,
    notification.created_at
  into v_call
  from kith.deliveries as delivery
  join kith.notifications as notification
    on notification.tenant_id = p_tenant_id and notification.id = delivery.notification_id
  join kith.users as person
    on person.tenant_id = p_tenant_id and person.id = notification.user_id and person.deleted_at is null
      and person.phone_verified_at is not null
  where delivery.tenant_id = p_tenant_id and delivery.id = p_delivery_id and delivery.channel = 'voice'
    and internal.may_be_talking(delivery, p_now)
    and not internal.is_former_contact(p_tenant_id, notification.user_id, delivery.address);
  if v_brand is null or v_call.id is null and p_key is null then
    perform internal.refuse_not_found();
  elsif v_call.id is null then
    return internal.unknown_call(p_delivery_id, p_now);
  end if;
  perform set_config('kith.user_id', v_call.user_id::text, true);
  select * into v_reader from internal.reader_of(p_tenant_id, v_call.user_id);
  if p_unheard is not null then
    perform internal.leave_unheard(p_tenant_id, p_delivery_id, v_call.notification_id, p_unheard, p_now);
    v_kind := case p_unheard when 'machine' then 'machine' else 'no_key' end;
    perform internal.count_inbound('voice', v_kind, p_delivery_id::text, p_now);
    return json_build_object('outcome', v_kind);
  end if;
  v_kind := internal.key_means(v_call.type, v_call.data, p_key);
  if v_kind is null then
    if p_is_over then
      return internal.unanswered_call(p_delivery_id, p_call_hashes, p_now);
    end if;
    return jsonb_build_object('outcome', 'asked', 'language', split_part(v_reader.locale, '@', 1)) || internal.spoken(
      p_tenant_id, v_call.notification_id, v_reader.locale, v_reader.time_zone, v_brand
    );
  end if;
  if not internal.bind_call(p_call_hashes[1], p_call_hashes[2], p_now) then
    return internal.unknown_call(p_delivery_id, p_now);
  end if;
  insert into kith.inbound_messages (tenant_id, channel, message_hash, received_at)
  values (p_tenant_id, 'voice', p_call_hashes[3], p_now)
  on conflict do nothing;
  if not found then
    perform internal.count_inbound('voice', 'repeated', p_delivery_id::text, p_now);
    return json_build_object('outcome', 'repeated');
  end if;
  v_text := internal.named_answer(p_tenant_id, v_call.user_id, internal.apply_answer(
    v_kind, (v_call.data ->> 'alarm_id')::uuid, v_call.created_at, 'voice', v_reader.locale, v_reader.time_zone,
    v_brand, p_now
  ));
  perform internal.end_calls(p_tenant_id, v_call.notification_id, p_now);
  perform internal.count_inbound('voice', v_kind, p_delivery_id::text, p_now);
  return json_build_object(
    'outcome', v_kind, 'language', split_part(v_reader.locale, '@', 1), 'text', v_text, 'takes_key', false
  );
end
$$;
comment on function api.receive_call(integer, uuid, bytea[], text, text, boolean, timestamptz) is
  'What a provider reports of a call that it has made for a delivery (J03): the key that was pressed, that nobody '
  'heard it (p_unheard: machine, no_answer, busy or failed), that it is over, or none of these when it asks what to '
  'say. 1 is a check-in, 2 a call for help; in a call about an alarm, 1 takes it, and 2 says that its sender is safe. '
  'p_call_hashes are the SHA-256 of the call''s id at the provider; of it and the delivery; and of these and the key. '
  'Returns {outcome, language, text, takes_key}: text is to be said, null if nothing is. Raises not_found for a call '
  'that was not made in the last hour, or to a number that is no longer the confirmed one of its person; a key in it '
  'is counted, and the outcome is unknown_call. Security definer, because the delivery identifies the person.';
grant execute on function api.receive_call(integer, uuid, bytea[], text, text, boolean, timestamptz) to kith_api;
