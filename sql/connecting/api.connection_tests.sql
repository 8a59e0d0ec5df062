-- "Did it reach you?" (I07): a sender tries whether a receiver is reached, before it matters.

create or replace function internal.refuse_test(p_connection kith.connections, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_earliest timestamptz;
begin
  if p_connection.tested_at > p_now - interval '1 hour' then
    raise exception 'too_many_requests'
      using errcode = 'KT429', detail = 'You have sent a test message within the last hour. Try again later.',
        hint = greatest(1, ceil(extract(epoch from p_connection.tested_at + interval '1 hour' - p_now)))::integer::text;
  end if;
  select min(recent.created_at) into v_earliest
  from (
    select note.created_at
    from kith.notifications as note
    where note.tenant_id = p_connection.tenant_id and note.user_id = p_connection.receiver_id
      and note.id >= internal.first_uuid7(p_now - interval '1 day')
      and note.type = 'test_message' and note.data ->> 'connection_id' = p_connection.id::text
    order by note.id desc
    limit 3
  ) as recent
  having count(*) = 3;
  if v_earliest is not null then
    raise exception 'too_many_requests'
      using errcode = 'KT429', detail = 'You have sent three test messages in the last 24 hours. Try again later.',
        hint = greatest(1, ceil(extract(epoch from v_earliest + interval '1 day' - p_now)))::integer::text;
  end if;
end
$$;
comment on function internal.refuse_test(kith.connections, timestamptz) is
  'Raises too_many_requests for a second test message within an hour, and for a fourth in 24 hours: a text costs '
  'money, and uses up what its reader gets in a day. For api.test_connection.';

create or replace function api.test_connection(p_id uuid, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_connection kith.connections;
begin
  perform internal.begin_act('change', p_now);
  v_connection := internal.own_connection(p_id);
  if v_connection.sender_id <> v_user then
    raise exception 'forbidden' using errcode = 'KT403', detail = 'Only the sender can send a test message.';
  elsif v_connection.status <> 'active' or v_connection.pings_stopped_at is not null then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'A test message needs an active connection.';
  elsif (internal.unresolved_alarm(v_tenant, v_user, p_now)).id is not null then
    raise exception 'invalid_transition'
      using errcode = 'KT409', detail = 'There is an alarm now. Send a test message once it is over.';
  end if;
  perform internal.refuse_test(v_connection, p_now);
  update kith.connections set tested_at = p_now, test_answered_at = null, test_reached = null
  where tenant_id = v_tenant and id = p_id;
  perform internal.notify(
    'test_message', array[v_tenant], array[v_connection.receiver_id],
    array[
      jsonb_build_object(
        'connection_id', p_id, 'user_id', v_user, 'ends_at', internal.instant(p_now + interval '1 day')
      )
    ],
    p_now
  );
  perform internal.emit_connection(p_id, p_now);
  return api.get_connection(p_id, p_now);
end
$$;
comment on function api.test_connection(uuid, timestamptz) is
  'Sends the receiver of an active connection a test message (I07), for its sender, three times in 24 hours and not in '
  'an alarm. It goes out on the channels of a missed check-in, without a call. Security definer, as create_connection.';
grant execute on function api.test_connection(uuid, timestamptz) to kith_api;

create or replace function api.answer_connection_test(p_id uuid, p_reached boolean, p_sent_at text, p_now timestamptz)
  returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_connection kith.connections;
begin
  perform internal.begin_act('change', p_now);
  v_connection := internal.own_connection(p_id);
  if v_connection.receiver_id <> kith.user_id() then
    raise exception 'forbidden'
      using errcode = 'KT403', detail = 'Only the receiver can say whether a test message reached them.';
  elsif v_connection.status <> 'active' or v_connection.tested_at is distinct from p_sent_at::timestamptz
    or v_connection.tested_at < greatest(v_connection.activated_at, p_now - interval '2 days')
  then
    -- An answer counts for the message that it is about, and for no other.
    raise exception 'invalid_transition'
      using errcode = 'KT409', detail = 'There is no such test message to answer. Look for a newer one.';
  end if;
  -- Somebody who finds the push after the page may correct what they said.
  if v_connection.test_reached is distinct from p_reached then
    update kith.connections set test_answered_at = p_now, test_reached = p_reached
    where tenant_id = v_tenant and id = p_id;
    perform internal.emit_connection(p_id, p_now);
  end if;
  return api.get_connection(p_id, p_now);
end
$$;
comment on function api.answer_connection_test(uuid, boolean, text, timestamptz) is
  'Says whether the test message that a sender sent at p_sent_at reached the caller, its receiver (I07), within two '
  'days. The sender sees it. Security definer, as create_connection.';
grant execute on function api.answer_connection_test(uuid, boolean, text, timestamptz) to kith_api;
