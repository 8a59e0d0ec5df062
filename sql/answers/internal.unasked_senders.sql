-- What becomes of somebody who can be asked, or told of an alarm, by text messages alone, and no longer wants any.

create or replace function internal.is_asked_only_by_text(p_person kith.users) returns boolean
  language plpgsql
  stable
as $$
begin
  return p_person.id <> all (internal.reachable(p_person.tenant_id, array[p_person.id], false))
    and not exists (
      select from kith.notification_preferences as preference
      join kith.channel_credentials as credentials
        on credentials.tenant_id = p_person.tenant_id and credentials.channel = 'voice'
      where preference.tenant_id = p_person.tenant_id and preference.user_id = p_person.id and preference.type = 'ping_due'
        and 'voice' = any (preference.channels)
    );
end
$$;
comment on function internal.is_asked_only_by_text(kith.users) is
  'Whether somebody has neither a device nor a confirmed e-mail address for a channel that the tenant has (internal.reachable), and did not '
  'choose calls: after STOP no message that a ping is due reaches them.';

create or replace function internal.tell_that_nobody_asks(p_now timestamptz) returns boolean
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_person kith.users;
  v_connections kith.connections[];
  v_day_ago uuid := internal.first_uuid7(p_now - interval '24 hours');
begin
  select * into v_person from kith.users where tenant_id = v_tenant and id = kith.user_id();
  v_connections := array(
    select connection
    from kith.connections as connection
    where connection.tenant_id = v_tenant and connection.sender_id = v_person.id and connection.status = 'active'
    order by connection.receiver_id
  );
  if v_connections = '{}' or not internal.is_asked_only_by_text(v_person) then
    return false;
  end if;
  -- Whoever says STOP again has told them already.
  if exists (select from kith.text_numbers where tenant_id = v_tenant and phone = v_person.phone and stopped_at = p_now) then
    perform internal.notify(
      'sender_unreachable', array_agg(v_tenant), array_agg(connection.receiver_id),
      array_agg(jsonb_build_object('connection_id', connection.id, 'user_id', v_person.id)), p_now
    )
    from unnest(v_connections) as connection
    -- Whoever says STOP and START in turn, or another one in their name, tells them once a day.
    where not exists (
      select from kith.notifications as told
      where told.tenant_id = v_tenant and told.user_id = connection.receiver_id and told.id >= v_day_ago and told.type = 'sender_unreachable'
        and told.data ->> 'connection_id' = connection.id::text
    );
  end if;
  return true;
end
$$;
comment on function internal.tell_that_nobody_asks(timestamptz) is
  'After STOP by the current user: if text messages were the only way to ask them for a check-in, tells their receivers, who would otherwise '
  'be alarmed every day, and returns true. For internal.apply_answer.';

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
  -- As in internal.tell_that_nobody_asks.
  where not exists (
    select from kith.notifications as told
    where told.tenant_id = v_tenant and told.user_id = connection.sender_id and told.id >= v_day_ago and told.type = 'receiver_unreachable'
      and told.data ->> 'connection_id' = connection.id::text
  );
  return true;
end
$$;
comment on function internal.tell_that_nobody_tells(timestamptz) is
  'After STOP by the current user: if text messages were the only way to tell them of an alarm, tells the senders who rely on them, once a day, and '
  'returns true. For internal.stop_texts.';

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
  'Ends the text messages to the number of the current user, and tells whoever relied on them. is_new: they went to it until now; reply_key is the '
  'text that confirms it. For definer procedures.';

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
      on delivery.tenant_id = result.tenant_id and delivery.id = result.id and delivery.channel = 'sms' and delivery.leased_by = p_instance
    left join kith.users as person
      on person.tenant_id = delivery.tenant_id and person.phone = delivery.address and person.phone_verified_at is not null
        and person.deleted_at is null
    where result.outcome = 'opted_out'
    order by delivery.tenant_id, delivery.address
  loop
    perform set_config('kith.tenant_id', v_refused.tenant_id::text, true), set_config('kith.user_id', coalesce(v_refused.user_id::text, ''), true);
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
  'A provider that refuses a number because it wants no more text messages (opted_out) has heard STOP where Kith has not: the same follows (C5). For '
  'worker.finish_deliveries.';
