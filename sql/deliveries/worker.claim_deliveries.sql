-- Claims deliveries for a worker, which sends them outside any transaction; worker.finish_deliveries.sql records the results.
-- worker.claim_deliveries is a security definer because a message is assembled from notifications, devices and pings, and the worker may
-- not read texts or push tokens itself.

-- The columns of a result cannot be changed in place.
drop function if exists worker.claim_deliveries(timestamptz, text, integer, integer, integer, integer[], integer[], text);
create function worker.claim_deliveries(
  p_now timestamptz, p_channel text, p_batch integer, p_share integer, p_after_tenant integer, p_tenants integer[], p_room integer[],
  p_instance text
)
  returns table (
    tenant_id integer, id uuid, channel text, purpose text, address text, subject text, body text, sealed_secret bytea, data text,
    collapse_id text, is_urgent boolean, attempts integer, expires_at timestamptz, public_key text, auth_secret text, environment text,
    locale text, inbound_token text, link_user_id uuid, link_on date, link_alarms uuid[]
  )
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
  -- A batch is small compared with the tables, which the planner cannot know. Access by key is always right here, and one plan is kept.
  set plan_cache_mode = 'force_generic_plan'
  set jit = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set enable_material = off
  set enable_seqscan = off
  -- Only one index has the order requested below.
  set enable_sort = off
  set enable_incremental_sort = off
as $$
declare
  v_skipped integer[] := internal.deleted_tenants()
    || array(select pause.tenant_id from kith.channel_pauses as pause where pause.channel = p_channel);
  v_tenants integer[];
  v_ids uuid[];
  v_table text;
  v_constraint text;
  v_context text;
begin
  p_now := internal.present(p_now);
  if 0 = any (v_skipped) or internal.awaits_confirmation() then
    return;
  end if;
  select found.tenants, found.ids into v_tenants, v_ids
  from internal.find_due_deliveries(p_channel, p_batch, p_share, p_after_tenant, p_tenants, p_room, v_skipped, p_now) as found;
  if v_ids = '{}' then
    return;
  end if;
  begin
    -- The function's whole result is there before the first row is returned, so a failure returns none.
    return query select leased.* from internal.lease_and_drop(v_tenants, v_ids, p_channel, p_instance, p_now) as leased;
    return;
  exception when others then
    if not internal.is_of_data(sqlstate) then
      raise;
    end if;
  end;
  -- One at a time, without the deliveries of which no message can be made.
  for v_n in 1..cardinality(v_ids) loop
    begin
      return query
        select leased.* from internal.lease_and_drop(v_tenants[v_n:v_n], v_ids[v_n:v_n], p_channel, p_instance, p_now) as leased;
    exception when others then
      if not internal.is_of_data(sqlstate) then
        raise;
      end if;
      get stacked diagnostics v_table = table_name, v_constraint = constraint_name, v_context = pg_exception_context;
      perform internal.put_aside(
        'claim_deliveries', v_tenants[v_n], v_ids[v_n]::text, sqlstate, internal.error_place(v_table, v_constraint, v_context), p_now
      );
    end;
  end loop;
end
$$;
comment on function worker.claim_deliveries(timestamptz, text, integer, integer, integer, integer[], integer[], text) is
  'Leases the due deliveries of a channel for one minute and counts the attempt. Concurrent workers get different deliveries. After the '
  'minute, a delivery can be claimed again. A worker that crashed may have sent some already, so the channel may see a delivery twice, '
  'with the same id. A delivery that was claimed 5 times in a row without a result is left to worker.give_up_deliveries. Tenants are '
  'visited in turn, starting after p_after_tenant and wrapping around, with at most p_batch deliveries in all. p_room[i] is the limit of '
  'tenant p_tenants[i] (0 is allowed). Every other tenant''s limit is p_share. Urgent deliveries come first. A paused channel gets none. A '
  'delivery that has become pointless (F04, internal.pointless), or whose notification or device is gone, is dropped instead. Security '
  'definer, because the worker may not read texts and push tokens.';
grant execute on function worker.claim_deliveries(timestamptz, text, integer, integer, integer, integer[], integer[], text) to kith_worker;

create or replace function internal.find_due_deliveries(
  p_channel text, p_batch integer, p_share integer, p_after_tenant integer, p_tenants integer[], p_room integer[], p_skipped integer[],
  p_now timestamptz, out tenants integer[], out ids uuid[]
)
  language plpgsql
as $$
declare
  v_due integer;
  v_near integer[];
  v_next refcursor;
  v_tenant integer;
  v_from integer;
  v_to integer;
  v_share integer;
  v_found uuid[];
begin
  tenants := '{}';
  ids := '{}';
  select count(*), array_agg(distinct due.tenant_id) into v_due, v_near
  from (
    select delivery.tenant_id
    from kith.deliveries as delivery
    where delivery.channel = p_channel and delivery.status in ('queued', 'sending') and delivery.attempts >= 0
      and delivery.next_attempt_at <= p_now
    order by delivery.next_attempt_at
    limit 500
  ) as due;
  if v_due = 0 then
    return;
  end if;
  -- Visit one tenant after another, starting after p_after_tenant and wrapping around once.
  for v_round in 0..1 loop
    v_from := case v_round when 0 then coalesce(p_after_tenant, 0) else 0 end;
    v_to := case v_round when 0 then 2147483647 else coalesce(p_after_tenant, 0) end;
    -- If fewer than 500 are due, only their tenants are visited, however many deliveries wait for a later time.
    v_next := internal.due_tenants(p_channel, v_from, v_to, case when v_due < 500 then v_near end, p_now);
    loop
      fetch v_next into v_tenant;
      exit when not found;
      continue when v_tenant <= v_from or v_tenant = any (p_skipped);
      v_share := least(coalesce(p_room[array_position(p_tenants, v_tenant)], p_share), p_batch - cardinality(ids));
      continue when v_share <= 0;
      v_found := internal.lock_due_deliveries(p_channel, v_tenant, v_share, p_now);
      ids := ids || v_found;
      tenants := tenants || array_fill(v_tenant, array[cardinality(v_found)]);
      exit when cardinality(ids) >= p_batch;
    end loop;
    close v_next;
    exit when cardinality(ids) >= p_batch;
  end loop;
end
$$;
comment on function internal.find_due_deliveries(text, integer, integer, integer, integer[], integer[], integer[], timestamptz) is
  'Locks the due deliveries that worker.claim_deliveries leases, with the share of each tenant. p_skipped names the tenants that get '
  'nothing.';

create or replace function internal.due_tenants(p_channel text, p_from integer, p_to integer, p_near integer[], p_now timestamptz)
  returns refcursor
  language plpgsql
as $$
declare
  v_next refcursor;
begin
  if p_near is not null then
    open v_next for
      select near.tenant_id
      from unnest(p_near) as near (tenant_id)
      where near.tenant_id > p_from and near.tenant_id <= p_to
      order by near.tenant_id;
    return v_next;
  end if;
  -- Skip from tenant to tenant in the index and test whether each has something due. This takes one step per tenant with open
  -- deliveries, however many deliveries each of them has.
  open v_next for
    with recursive waiting (tenant_id) as (
      select p_from
      union all
      select (
        select delivery.tenant_id
        from kith.deliveries as delivery
        where delivery.channel = p_channel and delivery.status in ('queued', 'sending')
          and delivery.tenant_id > waiting.tenant_id and delivery.tenant_id <= p_to
        order by delivery.tenant_id, delivery.is_urgent, delivery.next_attempt_at
        limit 1
      )
      from waiting
      where waiting.tenant_id is not null
    )
    select waiting.tenant_id
    from waiting
    -- Not EXISTS, which may be planned as a scan of everything that is due for all tenants.
    where coalesce(
      (
        select true from kith.deliveries as delivery
        where delivery.channel = p_channel and delivery.tenant_id = waiting.tenant_id and delivery.status in ('queued', 'sending')
          and delivery.is_urgent and delivery.next_attempt_at <= p_now
        limit 1
      ), (
        select true from kith.deliveries as delivery
        where delivery.channel = p_channel and delivery.tenant_id = waiting.tenant_id and delivery.status in ('queued', 'sending')
          and not delivery.is_urgent and delivery.next_attempt_at <= p_now
        limit 1
      ), false
    );
  return v_next;
end
$$;
comment on function internal.due_tenants(text, integer, integer, integer[], timestamptz) is
  'A cursor over the tenants after p_from up to p_to that have deliveries of the channel due, in the order of their ids, and possibly '
  'p_from itself. If p_near is given, only those tenants are considered. A cursor, because a batch is usually full before all tenants were '
  'visited.';

create or replace function internal.lock_due_deliveries(
  p_channel text, p_tenant_id integer, p_share integer, p_now timestamptz
) returns uuid[]
  language plpgsql
as $$
declare
  v_ids uuid[] := '{}';
begin
  -- Urgent deliveries come first.
  for v_urgency in reverse 1..0 loop
    v_ids := v_ids || array(
      select delivery.id
      from kith.deliveries as delivery
      where delivery.channel = p_channel and delivery.tenant_id = p_tenant_id and delivery.status in ('queued', 'sending')
        and delivery.is_urgent = (v_urgency = 1) and delivery.next_attempt_at <= p_now
        and delivery.expires_at > p_now and delivery.unanswered < 5
        and not exists (select from internal.shut_out('claim_deliveries', delivery.tenant_id, delivery.id::text, p_now))
      order by delivery.next_attempt_at
      limit p_share - cardinality(v_ids)
      for update of delivery skip locked
    );
    exit when cardinality(v_ids) >= p_share;
  end loop;
  return v_ids;
end
$$;
comment on function internal.lock_due_deliveries(text, integer, integer, timestamptz) is
  'Locks at most p_share due deliveries of a tenant on a channel, unless they have expired or are left to worker.give_up_deliveries.';

create or replace function internal.written_message(
  p_channel text, p_notification kith.notifications, p_title text, p_body text, p_locale text
) returns text
  language plpgsql
  stable
as $$
declare
  v_brand text := (select brand_name from kith.tenants where tenant_id = p_notification.tenant_id);
begin
  if p_channel = 'voice' then
    return internal.spoken_text(p_notification.type, p_notification.data, p_title, p_body, p_locale, v_brand);
  elsif internal.asks_for_check_in(p_notification.type, p_notification.data) then
    return internal.asking_message(p_channel, p_notification, p_title, p_body, p_locale);
  elsif internal.is_alarm(p_notification.type) and p_notification.data ? 'alarm_id' or internal.follows_alarm(p_notification.type, p_notification.data) then
    -- Who writes, what has happened, and which number helps: nobody looks for these in an emergency.
    p_title := v_brand;
    p_body := concat_ws(' ', p_body, internal.number_of_sender(p_notification));
    if internal.answers_alarm(p_notification.type, p_notification.data) then
      return internal.alarm_message(
        p_channel, p_notification.tenant_id, (p_notification.data ->> 'alarm_id')::uuid, p_title, p_body, p_locale
      );
    end if;
  end if;
  -- A text message has no subject, so the title goes into the body. Other ones have no link: each segment costs, and a push leads to the app by
  -- itself.
  if p_channel = 'sms' then
    return internal.text_message(p_title, p_body, p_locale);
  elsif left(p_notification.type, 10) <> 'emergency_' then
    return p_body;
  end if;
  return concat_ws(e'\n\n', p_body, (
    select internal.emergency_link_line(p_notification.type, p_notification.data, brand_name, universal_link_host, p_locale)
    from kith.tenants
    where tenant_id = p_notification.tenant_id
  ));
end
$$;
comment on function internal.written_message(text, kith.notifications, text, text, text) is
  'The body of a text message or an e-mail with a notification, or what a call says. A text message about an alarm begins with the brand.';

create or replace function internal.asks_for_check_in(p_type text, p_data jsonb) returns boolean
  language sql
  immutable
  parallel safe
as $$
  select p_type in ('ping_due', 'ping_reminder', 'ask') or p_type = 'ping_missed' and not p_data ?| '{user_id,drill}'
$$;
comment on function internal.asks_for_check_in(text, jsonb) is
  'Whether a notification asks its reader whether they are safe: when a ping is due, in a reminder, in a receiver''s question, and after the '
  'deadline. It can be answered by its link, by a text message or by a key (J01 to J03).';

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
      on profile.tenant_id = connection.tenant_id and profile.user_id = connection.sender_id and profile.share_phone and profile.ended_at is null
    join kith.users as sender on sender.tenant_id = connection.tenant_id and sender.id = connection.sender_id and sender.deleted_at is null
    where connection.tenant_id = p_notification.tenant_id and connection.id = (p_notification.data ->> 'connection_id')::uuid
      and connection.receiver_id = p_notification.user_id and connection.status = 'active'
  );
end
$$;
comment on function internal.number_of_sender(kith.notifications) is
  'The phone number of the sender of an alarm, for a receiver of an active connection whom the sender allows to call. Otherwise null.';

create or replace function internal.alarm_message(
  p_channel text, p_tenant_id integer, p_alarm_id uuid, p_title text, p_body text, p_locale text
) returns text
  language plpgsql
  stable
as $$
declare
  v_link text := format('{link:%s}', p_alarm_id);
begin
  if p_channel = 'email' then
    return p_body || e'\n\n' || internal.said_text('mail.link.alarm', p_locale, p_link => v_link);
  end if;
  -- Nobody is told to answer a number that takes no answers.
  return internal.text_message(p_title, p_body, p_locale) || ' ' || internal.said_text(
    case when internal.inbound_token(p_tenant_id, 'sms') is not null then 'sms.alarm' else 'sms.alarm.link' end, p_locale, p_link => v_link
  );
end
$$;
comment on function internal.alarm_message(text, integer, uuid, text, text, text) is
  'The body of a text message or an e-mail that asks a receiver to look after somebody, with {link:alarm} in the place of the link (K11), '
  'which the worker makes.';

create or replace function internal.is_blocked_invitation(p_tenant_id integer, p_delivery_id uuid) returns boolean
  language plpgsql
  stable
as $$
begin
  return exists (
    select from kith.connection_invitation_recipients as invited
    join kith.users as reader
      on reader.tenant_id = invited.tenant_id and reader.phone = invited.phone and reader.phone_verified_at is not null
        and reader.deleted_at is null
    join kith.blocks as block
      on block.tenant_id = reader.tenant_id and block.user_id = reader.id and block.blocked_id = invited.user_id
    where invited.tenant_id = p_tenant_id and invited.delivery_id = p_delivery_id
  );
end
$$;
comment on function internal.is_blocked_invitation(integer, uuid) is
  'Whether the reader of an invitation by text has blocked who it is from (X22).';

create or replace function internal.is_former_contact(p_tenant_id integer, p_user_id uuid, p_address text) returns boolean
  language plpgsql
  stable
as $$
begin
  return not exists (
    select from kith.users
    where tenant_id = p_tenant_id and id = p_user_id and (phone = p_address or email_normalized = internal.normalized_email(p_address))
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
    select inbound_token from kith.channel_credentials where tenant_id = p_tenant_id and channel = p_channel and summary ? 'inbound'
  );
end
$$;
comment on function internal.inbound_token(integer, text) is
  'The token of the address to which a tenant''s provider reports; null if there is none.';

create or replace function internal.asking_message(
  p_channel text, p_notification kith.notifications, p_title text, p_body text, p_locale text
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
  select internal.isolated_name(internal.first_name(person.display_name), language.is_right_to_left), tenant.brand_name, exists (
    select from kith.channel_credentials as credentials
    where credentials.tenant_id = p_notification.tenant_id and credentials.channel = 'sms' and credentials.summary ? 'inbound'
  )
  into v_name, v_brand, v_takes_answers
  from kith.users as person
  join kith.tenants as tenant on tenant.tenant_id = p_notification.tenant_id
  join internal.languages as language on language.locale = p_locale
  where person.tenant_id = p_notification.tenant_id and person.id = p_notification.user_id;
  if p_notification.type = 'ask' then
    return internal.text_message(v_brand, p_body, p_locale) || ' '
      || internal.said_text(case when v_takes_answers then 'sms.answer' else 'sms.answer.link' end, p_locale, p_link => '{link}');
  elsif v_name is null then
    return internal.text_message(p_title, p_body, p_locale) || ' {link}';
  end if;
  -- Nobody is told to answer a number that takes no answers.
  return internal.said_text(
    case when p_notification.type = 'ping_missed' then 'sms.missed' else 'sms.due' end || case when v_takes_answers then '' else '.link' end,
    p_locale, p_name => v_name, p_link => '{link}', p_fourth => v_brand
  );
end
$$;
comment on function internal.asking_message(text, kith.notifications, text, text, text) is
  'The body of a text message or an e-mail that asks somebody whether they are safe, with {link} in the place of the link (J01), which the '
  'worker makes. A text message fits into one segment with usual names.';

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
  'The date of the ping for which a notification asks, or the sender''s local date on which a receiver has asked. For the link in its message.';

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
  'Which question a push asks, for the buttons that an app shows with it: check_in, whether its reader is safe; alarm, whether they look after '
  'somebody; nothing for other types.';

create or replace function internal.links_of_delivery(
  p_tenant_id integer, p_channel text, p_purpose text, p_address text, p_body text, p_notification kith.notifications
)
  returns table (user_id uuid, ping_on date, alarms uuid[])
  language sql
  stable
as $$
  select (p_notification).user_id, internal.date_of_question(p_notification), null::uuid[]
  where p_channel in ('sms', 'email') and internal.asks_for_check_in((p_notification).type, (p_notification).data)
  union all
  select (p_notification).user_id, null, array[((p_notification).data ->> 'alarm_id')::uuid]
  where p_channel in ('sms', 'email') and internal.answers_alarm((p_notification).type, (p_notification).data)
  union all
  -- A reply has no notification. Its text is Kith's own, and names in it have no braces.
  select person.id, null, array(select (part.link[1])::uuid from regexp_matches(p_body, '\{link:([-0-9a-f]{36})\}', 'g') as part (link))
  from kith.users as person
  where p_purpose = 'answer' and p_body like '%{link:%' and person.tenant_id = p_tenant_id and person.phone = p_address
    and person.phone_verified_at is not null and person.deleted_at is null
$$;
comment on function internal.links_of_delivery(integer, text, text, text, text, kith.notifications) is
  'Whose links the worker puts into a message, if any: to check in for a date (J01), or about alarms (K11). Returns a table, which the '
  'planner can inline.';

drop function if exists internal.messages_of_deliveries(integer[], uuid[]);
create function internal.messages_of_deliveries(p_tenants integer[], p_ids uuid[])
  returns table (
    tenant_id integer, id uuid, notification_id uuid, subject text, body text, data text, collapse_id text, public_key text,
    auth_secret text, environment text, locale text, inbound_token text, link_user_id uuid, link_on date, link_alarms uuid[], is_notification boolean,
    dropped_for text
  )
  language sql
  stable
as $$
  select delivery.tenant_id, delivery.id, delivery.notification_id,
    case when notification.type is null then delivery.subject else words.title end,
    case
      when notification.type is null then delivery.body
      when delivery.channel in ('sms', 'email', 'voice') then
        internal.written_message(delivery.channel, notification, words.title, words.body, reader.locale)
      else words.body
    end,
    (jsonb_build_object('notification_id', delivery.notification_id, 'type', notification.type)
      || internal.push_question(notification.type, notification.data)
      || internal.notification_data(notification.type, notification.data, words.name, null))::text,
    -- A newer message about the same ping or vault replaces an older one.
    replace(
      coalesce(notification.data ->> 'ping_id', notification.data ->> 'vault_id', delivery.notification_id::text), '-', ''
    ),
    device.public_key, device.auth_secret, device.environment, split_part(reader.locale, '@', 1),
    case when delivery.channel = 'voice' then internal.inbound_token(delivery.tenant_id, 'voice') end,
    linked.user_id, linked.ping_on, linked.alarms, notification.id is not null,
    case
      -- The number is the person's own again, or somebody else's: only what it says counts. The answer to STOP itself still goes out.
      when delivery.channel = 'sms' and delivery.purpose <> 'answer' and internal.has_stopped_texts(delivery.tenant_id, delivery.address)
        then 'the number has answered STOP'
      when delivery.notification_id is null then
        case when delivery.purpose = 'invitation' and internal.is_blocked_invitation(delivery.tenant_id, delivery.id)
          then 'its reader has blocked who it is from' end
      when notification.id is null then 'the notification is gone'
      when delivery.channel in ('apns', 'web_push') and device.token is null then 'the device is gone'
      else coalesce(
        pointless.reason,
        -- It waited, for the end of quiet hours for example, and its reader has blocked meanwhile who it is from (X22).
        case when notification.type in ('nominee_invited', 'transfer_requested', 'message_received', 'connection_requested')
          and internal.has_blocked(delivery.tenant_id, notification.user_id, (notification.data ->> 'user_id')::uuid)
          then 'its reader has blocked who it is from' end,
        -- It has a link, by which whoever reads it checks the person in, or acts in an alarm.
        case when linked.user_id is not null and internal.is_former_contact(delivery.tenant_id, linked.user_id, delivery.address)
          then 'the contact has changed' end
      )
    end
  from unnest(p_tenants, p_ids) as found (tenant_id, id)
  join kith.deliveries as delivery on delivery.tenant_id = found.tenant_id and delivery.id = found.id
  left join kith.notifications as notification
    on notification.tenant_id = delivery.tenant_id and notification.id = delivery.notification_id
  -- A device token may have moved to another user. It counts only if it still belongs to the notification's recipient.
  left join kith.devices as device
    on delivery.channel in ('apns', 'web_push') and device.tenant_id = delivery.tenant_id and device.token = delivery.address
      and device.user_id = notification.user_id
  left join lateral internal.reader_of(notification.tenant_id, notification.user_id) as reader on true
  left join lateral internal.told(
    notification.tenant_id, notification.user_id, notification.type, notification.data, notification.created_at, notification.title,
    notification.body, notification.person_name, reader.locale, reader.time_zone
  ) as words on true
  left join lateral internal.links_of_delivery(
    delivery.tenant_id, delivery.channel, delivery.purpose, delivery.address, delivery.body, notification
  ) as linked on true
  cross join lateral internal.pointless(
    notification.tenant_id, notification.user_id, notification.type, notification.data, notification.read_at
  ) as pointless
$$;
comment on function internal.messages_of_deliveries(integer[], uuid[]) is
  'What each of the deliveries says, to which device, or why it is dropped: also what somebody wrote whom its reader has blocked (X22). '
  'Returns a table, which the planner can inline.';

drop function if exists internal.lease_and_drop(integer[], uuid[], text, text, timestamptz);
create function internal.lease_and_drop(
  p_tenants integer[], p_ids uuid[], p_channel text, p_instance text, p_now timestamptz
)
  returns table (
    tenant_id integer, id uuid, channel text, purpose text, address text, subject text, body text, sealed_secret bytea, data text,
    collapse_id text, is_urgent boolean, attempts integer, expires_at timestamptz, public_key text, auth_secret text, environment text,
    locale text, inbound_token text, link_user_id uuid, link_on date, link_alarms uuid[]
  )
  language plpgsql
as $$
declare
  v_leased integer;
begin
  return query select leased.* from internal.lease_deliveries(p_tenants, p_ids, p_instance, p_now) as leased;
  get diagnostics v_leased = row_count;
  if v_leased < cardinality(p_ids) then
    perform internal.settle_dropped(p_tenants, p_ids, p_channel, p_instance, p_now);
  end if;
end
$$;
comment on function internal.lease_and_drop(integer[], uuid[], text, text, timestamptz) is
  'internal.lease_deliveries, and settles what that has dropped. For worker.claim_deliveries.';

drop function if exists internal.lease_deliveries(integer[], uuid[], text, timestamptz);
create function internal.lease_deliveries(p_tenants integer[], p_ids uuid[], p_instance text, p_now timestamptz)
  returns table (
    tenant_id integer, id uuid, channel text, purpose text, address text, subject text, body text, sealed_secret bytea, data text,
    collapse_id text, is_urgent boolean, attempts integer, expires_at timestamptz, public_key text, auth_secret text, environment text,
    locale text, inbound_token text, link_user_id uuid, link_on date, link_alarms uuid[]
  )
  language plpgsql
as $$
#variable_conflict use_column
begin
  return query
    with picked as materialized (
      select message.* from internal.messages_of_deliveries(p_tenants, p_ids) as message
    ), locked as materialized (
      -- Dropping a delivery also updates its notification. If that row is locked by another transaction, a later call drops the
      -- delivery.
      select picked.tenant_id, picked.id
      from picked
      join kith.notifications as notification
        on notification.tenant_id = picked.tenant_id and notification.id = picked.notification_id
      where picked.dropped_for is not null
      for no key update of notification skip locked
    ), changed as (
      update kith.deliveries as delivery
      set status = case when picked.dropped_for is null then 'sending' else 'dropped' end,
        attempts = delivery.attempts + case when picked.dropped_for is null then 1 else 0 end,
        unanswered = delivery.unanswered + case when picked.dropped_for is null then 1 else 0 end,
        error = coalesce(picked.dropped_for, delivery.error),
        -- Add jitter to the next attempt, so that deliveries batched with one that crashes the worker are separated on retry.
        next_attempt_at = p_now + interval '1 minute' + case
            when delivery.unanswered = 0 then interval '0'
            else abs(hashtext(delivery.id::text || delivery.unanswered)::bigint) % 60 * interval '1 second'
          end,
        leased_until = case when picked.dropped_for is null then p_now + interval '1 minute' end,
        leased_by = case when picked.dropped_for is null then p_instance end
      from picked
      left join locked on locked.tenant_id = picked.tenant_id and locked.id = picked.id
      where delivery.tenant_id = picked.tenant_id and delivery.id = picked.id
        and (picked.dropped_for is null or not picked.is_notification or locked.id is not null)
      returning delivery.tenant_id, delivery.id, delivery.channel, delivery.purpose, delivery.address, picked.subject, picked.body,
        delivery.sealed_secret, picked.data, picked.collapse_id, delivery.is_urgent, delivery.attempts, delivery.expires_at,
        picked.public_key, picked.auth_secret, picked.environment, picked.locale, picked.inbound_token, picked.link_user_id,
        picked.link_on, picked.link_alarms, picked.dropped_for
    )
    select changed.tenant_id, changed.id, changed.channel, changed.purpose, changed.address, changed.subject, changed.body,
      changed.sealed_secret, changed.data, changed.collapse_id, changed.is_urgent, changed.attempts, changed.expires_at,
      changed.public_key, changed.auth_secret, changed.environment, changed.locale, changed.inbound_token, changed.link_user_id,
      changed.link_on, changed.link_alarms
    from changed
    where changed.dropped_for is null;
end
$$;
comment on function internal.lease_deliveries(integer[], uuid[], text, timestamptz) is
  'Leases the given deliveries to the instance for one minute, and returns them with their messages. Drops those that are pointless, or '
  'whose notification or device is gone. For worker.claim_deliveries, which has locked the deliveries.';

create or replace function internal.settle_dropped(
  p_tenants integer[], p_ids uuid[], p_channel text, p_instance text, p_now timestamptz
) returns void
  language plpgsql
as $$
declare
  v_tenants integer[];
  v_notifications uuid[];
begin
  select array_agg(delivery.tenant_id), array_agg(delivery.notification_id) into v_tenants, v_notifications
  from unnest(p_tenants, p_ids) as found (tenant_id, id)
  join kith.deliveries as delivery
    on delivery.tenant_id = found.tenant_id and delivery.id = found.id and delivery.status = 'dropped';
  if v_notifications is not null then
    perform internal.settle_notifications(v_tenants, v_notifications, p_now);
    if p_channel = 'sms' then
      perform internal.settle_invitations(
        (
          select jsonb_agg(jsonb_build_object('tenant_id', delivery.tenant_id, 'id', delivery.id, 'status', 'dropped'))
          from unnest(p_tenants, p_ids) as found (tenant_id, id)
          join kith.deliveries as delivery
            on delivery.tenant_id = found.tenant_id and delivery.id = found.id and delivery.status = 'dropped' and delivery.purpose = 'invitation'
        ),
        p_now
      );
    end if;
    perform internal.count_deliveries(
      p_instance, jsonb_build_array(jsonb_build_object('channel', p_channel, 'dropped', cardinality(v_notifications)))
    );
  end if;
end
$$;
comment on function internal.settle_dropped(integer[], uuid[], text, text, timestamptz) is
  'Settles the notifications and invitations of those among the given deliveries that have just been dropped, and counts them. For '
  'worker.claim_deliveries.';
