-- "Did it reach you?" (I07): a sender tries whether a receiver is reached, before it matters.

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
  elsif v_connection.status <> 'active' then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'A test message needs an active connection.';
  elsif (internal.unresolved_alarm(v_tenant, v_user, p_now)).id is not null then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'There is an alarm now. Send a test message once it is over.';
  elsif v_connection.tested_at > p_now - interval '1 hour' then
    raise exception 'too_many_requests'
      using errcode = 'KT429', detail = 'You have sent a test message within the last hour. Try again later.',
        hint = greatest(1, ceil(extract(epoch from v_connection.tested_at + interval '1 hour' - p_now)))::integer::text;
  end if;
  update kith.connections set tested_at = p_now, test_answered_at = null, test_reached = null where tenant_id = v_tenant and id = p_id;
  perform internal.notify(
    'test_message', array[v_tenant], array[v_connection.receiver_id],
    array[jsonb_build_object('connection_id', p_id, 'user_id', v_user, 'ends_at', internal.instant(p_now + interval '1 day'))], p_now
  );
  perform internal.emit_connection(p_id, p_now);
  return api.get_connection(p_id, p_now);
end
$$;
comment on function api.test_connection(uuid, timestamptz) is
  'Sends the receiver of an active connection a test message (I07), for its sender, once an hour and not in an alarm. It goes out on the channels of a missed '
  'check-in, without waking anybody. Security definer, as create_connection.';
grant execute on function api.test_connection(uuid, timestamptz) to kith_api;

create or replace function api.answer_connection_test(p_id uuid, p_reached boolean, p_now timestamptz) returns json
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
    raise exception 'forbidden' using errcode = 'KT403', detail = 'Only the receiver can say whether a test message reached them.';
  elsif v_connection.tested_at is null then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'There is no test message to answer.';
  end if;
  -- Somebody who finds the push after the page may correct what they said.
  if v_connection.test_reached is distinct from p_reached then
    update kith.connections set test_answered_at = p_now, test_reached = p_reached where tenant_id = v_tenant and id = p_id;
    perform internal.emit_connection(p_id, p_now);
  end if;
  return api.get_connection(p_id, p_now);
end
$$;
comment on function api.answer_connection_test(uuid, boolean, timestamptz) is
  'Says whether the last test message of a sender reached the caller, its receiver (I07). The sender sees it. Security definer, as create_connection.';
grant execute on function api.answer_connection_test(uuid, boolean, timestamptz) to kith_api;
