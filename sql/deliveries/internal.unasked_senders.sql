-- What becomes of somebody whom no message can ask for a check-in, or tell of an alarm.

create or replace function internal.tell_that_nobody_asks(p_now timestamptz) returns boolean
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  if internal.can_be_asked(v_tenant, v_user) or not exists (
    select from kith.connections as connection
    where connection.tenant_id = v_tenant and connection.sender_id = v_user and connection.status = 'active'
  ) then
    return false;
  end if;
  -- Whoever says STOP again has told them already.
  if exists (
    select from kith.users as person
    join kith.text_numbers as number
      on number.tenant_id = v_tenant and number.phone = person.phone and number.stopped_at = p_now
    where person.tenant_id = v_tenant and person.id = v_user
  ) then
    perform internal.set_unaskable(v_tenant, v_user, p_now);
    perform internal.tell_of_asking(v_tenant, v_user, '{}', p_now);
  end if;
  return true;
end
$$;
comment on function internal.tell_that_nobody_asks(timestamptz) is
  'After STOP by the current user: if text messages were the only way to ask them for a check-in, tells their '
  'receivers, who would otherwise be alarmed every day, and returns true. For internal.apply_answer.';

create or replace function internal.tell_of_asking(p_tenant_id integer, p_user_id uuid, p_data jsonb, p_now timestamptz)
  returns void
  language plpgsql
as $$
declare
  v_day_ago uuid := internal.first_uuid7(p_now - interval '24 hours');
begin
  perform internal.notify(
    'sender_unreachable', array_agg(connection.tenant_id), array_agg(connection.receiver_id),
    array_agg(
      jsonb_build_object('connection_id', connection.id, 'user_id', connection.sender_id) || p_data
      order by connection.receiver_id
    ),
    p_now
  )
  from (
    select one.* from kith.connections as one
    where one.tenant_id = p_tenant_id and one.sender_id = p_user_id and one.status = 'active'
    order by one.receiver_id
  ) as connection
  -- Whoever says STOP and START in turn, or another one in their name, tells them once a day. What was dropped has told
  -- nobody.
  where not exists (
    select from kith.notifications as told
    where told.tenant_id = p_tenant_id and told.user_id = connection.receiver_id and told.id >= v_day_ago
      and told.type = 'sender_unreachable' and told.data ->> 'connection_id' = connection.id::text
      and told.data ? 'mended' = p_data ? 'mended' and told.delivery_status <> 'dropped'
  );
end
$$;
comment on function internal.tell_of_asking(integer, uuid, jsonb, timestamptz) is
  'Tells the receivers of a sender that no message can ask them for a check-in, or (mended) that one can again; of '
  'each once in 24 hours (X37).';

create or replace function internal.set_unaskable(p_tenant_id integer, p_user_id uuid, p_since timestamptz)
  returns boolean
  language plpgsql
as $$
begin
  -- A check-in locks the profile before the notifications, so nothing here may wait for it.
  perform from kith.sender_profiles as profile
  where profile.tenant_id = p_tenant_id and profile.user_id = p_user_id
    and (profile.unaskable_since is null) <> (p_since is null)
  for no key update skip locked;
  if not found then
    return false;
  end if;
  update kith.sender_profiles set unaskable_since = p_since where tenant_id = p_tenant_id and user_id = p_user_id;
  return true;
end
$$;
comment on function internal.set_unaskable(integer, uuid, timestamptz) is
  'Remembers since when no message can ask a sender for a check-in, or (null) that one can. False if that is known, or '
  'a check-in has locked their profile: then the next question finds it.';

create or replace function internal.note_questions(
  p_notifications kith.notifications[], p_reached_tenants integer[], p_reached uuid[], p_now timestamptz
)
  returns void
  language plpgsql
as $$
declare
  v_question record;
begin
  for v_question in
    select notification.tenant_id, notification.user_id
    from unnest(p_notifications) as notification
    where notification.type = 'ping_due' and notification.planned_at is null
      and (notification.tenant_id, notification.id) not in (
        select reached.tenant_id, reached.id from unnest(p_reached_tenants, p_reached) as reached (tenant_id, id)
      ) and not internal.can_be_asked(notification.tenant_id, notification.user_id)
    order by notification.tenant_id, notification.user_id
  loop
    if internal.set_unaskable(v_question.tenant_id, v_question.user_id, p_now) then
      perform internal.tell_of_asking(v_question.tenant_id, v_question.user_id, '{}', p_now);
    end if;
  end loop;
  for v_question in
    select profile.tenant_id, profile.user_id
    from unnest(p_notifications) as notification
    join unnest(p_reached_tenants, p_reached) as reached (tenant_id, id)
      on reached.tenant_id = notification.tenant_id and reached.id = notification.id
    join kith.sender_profiles as profile
      on profile.tenant_id = notification.tenant_id and profile.user_id = notification.user_id
        and profile.unaskable_since is not null
    where notification.type = 'ping_due' and exists (select from kith.sender_profiles where unaskable_since is not null)
    order by profile.tenant_id, profile.user_id
  loop
    if internal.set_unaskable(v_question.tenant_id, v_question.user_id, null) then
      perform internal.tell_of_asking(v_question.tenant_id, v_question.user_id, '{"mended": true}', p_now);
    end if;
  end loop;
end
$$;
comment on function internal.note_questions(kith.notifications[], integer[], uuid[], timestamptz) is
  'After the planning of questions: tells the receivers of senders to whom none can be sent, once, and when one goes '
  'out again (X37). p_reached are the notifications that have a delivery. For internal.plan_notifications, which has '
  'locked the notifications.';

create or replace function internal.tell_that_nobody_tells(p_now timestamptz) returns boolean
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_connections kith.connections[];
  v_day_ago uuid := internal.first_uuid7(p_now - interval '24 hours');
begin
  v_connections := array(
    select connection
    from kith.connections as connection
    where connection.tenant_id = v_tenant and connection.receiver_id = v_user and connection.status = 'active'
    order by connection.sender_id
  );
  -- Calls still tell of an alarm, where the tenant has them.
  if v_connections = '{}' or internal.reachable(v_tenant, array[v_user], true) <> '{}' then
    return false;
  end if;
  perform internal.notify(
    'receiver_unreachable', array_agg(v_tenant), array_agg(connection.sender_id),
    array_agg(jsonb_build_object('connection_id', connection.id, 'user_id', v_user)), p_now
  )
  from unnest(v_connections) as connection
  -- As in internal.tell_of_asking.
  where not exists (
    select from kith.notifications as told
    where told.tenant_id = v_tenant and told.user_id = connection.sender_id and told.id >= v_day_ago
      and told.type = 'receiver_unreachable' and told.data ->> 'connection_id' = connection.id::text
  );
  return true;
end
$$;
comment on function internal.tell_that_nobody_tells(timestamptz) is
  'After STOP by the current user: if text messages were the only way to tell them of an alarm, tells the senders who '
  'rely on them, once a day, and returns true. For internal.stop_texts.';

create or replace function internal.stop_texts(p_phone text, p_now timestamptz, out is_new boolean, out reply_key text)
  language plpgsql
as $$
declare
  v_is_told boolean;
begin
  is_new := internal.set_texts_stopped(p_phone, true, p_now);
  perform internal.emit_account(kith.tenant_id(), kith.user_id(), p_now);
  v_is_told := internal.tell_that_nobody_asks(p_now);
  reply_key := 'sms.reply.stop' || case
    when not is_new then ''
    when internal.tell_that_nobody_tells(p_now) and not v_is_told then '.receiver'
    when v_is_told then '.sender'
    else ''
  end;
end
$$;
comment on function internal.stop_texts(text, timestamptz) is
  'Ends the text messages to the number of the current user, and tells whoever relied on them. is_new: they went to it '
  'until now; reply_key is the text that confirms it. For definer procedures.';

create or replace function internal.stop_refused(p_results jsonb, p_instance text, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_refused record;
begin
  for v_refused in
    select distinct delivery.tenant_id, delivery.address, person.id as user_id
    from jsonb_to_recordset(p_results) as result (tenant_id integer, id uuid, outcome text)
    join kith.deliveries as delivery
      on delivery.tenant_id = result.tenant_id and delivery.id = result.id and delivery.channel = 'sms'
        and delivery.leased_by = p_instance
    left join kith.users as person
      on person.tenant_id = delivery.tenant_id and person.phone = delivery.address
        and person.phone_verified_at is not null and person.deleted_at is null
    where result.outcome = 'opted_out'
    order by delivery.tenant_id, delivery.address
  loop
    perform set_config('kith.tenant_id', v_refused.tenant_id::text, true),
      set_config('kith.user_id', coalesce(v_refused.user_id::text, ''), true);
    if v_refused.user_id is null then
      perform internal.set_texts_stopped(v_refused.address, true, p_now);
    elsif not internal.has_stopped_texts(v_refused.tenant_id, v_refused.address) then
      perform internal.stop_texts(v_refused.address, p_now);
    end if;
  end loop;
  -- The statements below concern many tenants.
  perform set_config('kith.tenant_id', '', true), set_config('kith.user_id', '', true);
end
$$;
comment on function internal.stop_refused(jsonb, text, timestamptz) is
  'A provider that refuses a number because it wants no more text messages (opted_out) has heard STOP where Kith has '
  'not: the same follows (C5). For worker.finish_deliveries.';
