create or replace function api.ask_sender(p_connection_id uuid, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_connection kith.connections;
  v_ask kith.asks;
begin
  perform internal.require_user();
  perform api.require_caller_while_suspended();
  v_connection := internal.own_connection(p_connection_id);
  if v_connection.receiver_id <> v_user then
    raise exception 'forbidden' using errcode = 'KT403', detail = 'Only the receiver can ask.';
  elsif v_connection.status <> 'active' then
    raise exception 'invalid_transition'
      using errcode = 'KT409', detail = 'You can ask only while the connection is active.';
  elsif not v_connection.may_ask then
    raise exception 'forbidden' using errcode = 'KT403', detail = 'This person has chosen not to be asked.';
  end if;
  perform internal.refuse_to_ask(v_tenant, v_connection, p_now);
  insert into kith.asks (tenant_id, id, connection_id, sender_id, receiver_id, asked_at, answer_by)
  values (
    v_tenant, internal.uuid7(p_now), p_connection_id, v_connection.sender_id, v_user, p_now,
    p_now + make_interval(mins => (internal.plan_of(v_tenant, v_connection.sender_id)).answer_minutes)
  )
  returning * into v_ask;
  perform internal.tell_of_ask(v_ask, p_now);
  perform internal.emit_event(v_tenant, v_user, 'connection', p_connection_id, null, null, p_now);
  return json_build_object(
    'id', v_ask.id, 'asked_at', internal.instant(v_ask.asked_at), 'answer_by', internal.instant(v_ask.answer_by)
  );
end
$$;
comment on function api.ask_sender(uuid, timestamptz) is
  '"Are you OK?" (K06), by the receiver of an active connection, three times in 24 hours. The sender is told on every '
  'channel. If they have not checked in by answer_by, an alarm opens. Security definer, because kith_api may not write '
  'questions.';
grant execute on function api.ask_sender(uuid, timestamptz) to kith_api;

create or replace function internal.refuse_to_ask(p_tenant integer, p_connection kith.connections, p_now timestamptz)
  returns void
  language plpgsql
as $$
declare
  v_earliest timestamptz;
begin
  if exists (
    select from kith.asks as ask
    where ask.tenant_id = p_tenant and ask.sender_id = p_connection.sender_id
      and ask.receiver_id = p_connection.receiver_id and ask.ended_at is null
  ) then
    raise exception 'invalid_transition'
      using errcode = 'KT409', detail = 'You have already asked. They still have time to answer.';
  elsif internal.part_in_alarm(
    internal.unresolved_alarm(p_tenant, p_connection.sender_id, p_now), p_connection.receiver_id
  ) is not null
  then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'There is already an alarm for this person.';
  end if;
  select min(recent.asked_at) into v_earliest
  from (
    select asked_at from kith.asks
    where tenant_id = p_tenant and connection_id = p_connection.id and asked_at > p_now - interval '24 hours'
    order by asked_at desc
    limit 3
  ) as recent
  having count(*) = 3;
  if v_earliest is not null then
    raise exception 'too_many_requests'
      using errcode = 'KT429', detail = 'You have asked three times in the last 24 hours. Try again later.',
        hint = greatest(1, ceil(extract(epoch from v_earliest + interval '24 hours' - p_now)))::integer::text;
  end if;
end
$$;
comment on function internal.refuse_to_ask(integer, kith.connections, timestamptz) is
  'Raises invalid_transition while a question of the receiver is open or the sender has an alarm in which the receiver '
  'has a part, and too_many_requests for a fourth question in 24 hours. For api.ask_sender.';
