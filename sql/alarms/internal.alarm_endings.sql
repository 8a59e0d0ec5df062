-- What ends an alarm, or somebody's part in one, besides the acts of those who were told.

create or replace function internal.answer_alarms(p_tenant integer, p_user uuid, p_source text, p_at timestamptz, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_alarm kith.alarms;
begin
  update kith.asks set ended_at = p_now, is_answered = true
  where tenant_id = p_tenant and sender_id = p_user and ended_at is null and asked_at <= p_at;
  v_alarm := internal.unresolved_alarm(p_tenant, p_user, p_now);
  if v_alarm.id is null or not internal.ends_by_check_in(v_alarm, p_at, p_now) then
    return;
  elsif v_alarm.kind = 'help' and p_source = 'sign' then
    -- Whoever calls for help takes it back with their own hand. A thing may be pressed by anybody, or by falling on it.
    return;
  end if;
  v_alarm := internal.resolve_row(v_alarm, 'checked_in', p_user, null, p_now);
  perform internal.tell_all_clear(v_alarm, p_at, p_now);
  perform internal.emit_alarm(v_alarm, internal.add_entry(v_alarm, 'checked_in', p_user, null, null, null, p_now), p_now);
end
$$;
comment on function internal.answer_alarms(integer, uuid, text, timestamptz, timestamptz) is
  'A check-in, for the moment p_at, answers the questions asked until then, and ends the sender''s alarm with an all-clear to everybody who '
  'was told (K03, K06, J07). One by a thing (p_source sign) does not end a call for help. For api.check_in, after it has applied the check-in to the pings.';

create or replace function internal.ends_by_check_in(p_alarm kith.alarms, p_at timestamptz, p_now timestamptz) returns boolean
  language plpgsql
  stable
as $$
begin
  if p_at >= p_now - interval '60 seconds' then
    return true;
  elsif p_alarm.kind <> 'missed' then
    return p_at >= greatest(p_alarm.opened_at, p_alarm.called_at);
  end if;
  -- A tap that arrives late speaks for its moment alone (J07). It ends the alarm if nothing was missed after it.
  return not exists (
    select from kith.pings as ping
    join kith.connections as connection
      on connection.tenant_id = p_alarm.tenant_id and connection.id = ping.connection_id and connection.status <> 'deleted'
    where ping.tenant_id = p_alarm.tenant_id and ping.sender_id = p_alarm.sender_id and ping.status = 'missed' and ping.deadline_at > p_at
      and ping.ping_on >= (p_at at time zone 'UTC')::date - 2
  );
end
$$;
comment on function internal.ends_by_check_in(kith.alarms, timestamptz, timestamptz) is
  'Whether a check-in for the moment p_at ends an alarm: an ordinary one always; a tap that arrived late if it completed all pings of a '
  'missed alarm, and if it came after a call for help or the opening of the others. For internal.answer_alarms.';

create or replace function internal.tell_all_clear(p_alarm kith.alarms, p_at timestamptz, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_first uuid := internal.first_uuid7(p_now - interval '1 minute');
  v_data jsonb := internal.alarm_data(p_alarm)
    || case when p_alarm.kind <> 'missed' then jsonb '{"safe": true}' else '{}' end
    || case when p_at < p_now - interval '60 seconds' then jsonb_build_object('tapped_at', internal.instant(p_at)) else '{}' end;
  v_told uuid[];
begin
  -- The check-in has just told some of them that a ping is completed. One fact is told once: that notification becomes the all-clear.
  with written as materialized (
    select distinct on (person.user_id) person.user_id, notification.id
    from internal.alarm_audience(p_alarm, null, p_now) as person
    join kith.notifications as notification
      on notification.tenant_id = p_alarm.tenant_id and notification.user_id = person.user_id and notification.id >= v_first
    where notification.xid = pg_current_xact_id() and notification.type in ('ping_completed', 'ping_all_clear')
      and notification.data ->> 'connection_id' = person.connection_id::text
    order by person.user_id, notification.type, notification.id desc
  ), named as (
    update kith.notifications as notification
    set type = 'ping_all_clear', data = notification.data || v_data
    from written
    where notification.tenant_id = p_alarm.tenant_id and notification.id = written.id
    returning notification.user_id
  )
  select array_agg(named.user_id) into v_told from named;
  perform internal.tell_of_sender(
    p_alarm, 'ping_all_clear',
    array(
      select person.user_id from internal.alarm_audience(p_alarm, null, p_now) as person
      where coalesce(person.user_id <> all (v_told), true)
    ),
    v_data, p_now
  );
end
$$;
comment on function internal.tell_all_clear(kith.alarms, timestamptz, timestamptz) is
  'Tells everybody who was told of an alarm that its sender has checked in, each once (X35). For internal.answer_alarms.';

create or replace function internal.leave_alarms(p_tenant integer, p_connections uuid[], p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_id uuid;
  v_alarm kith.alarms;
  v_left uuid[];
begin
  update kith.asks as ask set ended_at = p_now, is_answered = false
  where ask.tenant_id = p_tenant and ask.connection_id = any (p_connections) and ask.ended_at is null;
  -- Old ones are long over. Nobody need see at once that they are gone.
  update kith.alarm_receivers as receiver set left_at = p_now
  from kith.connections as connection
  join kith.alarms as alarm
    on alarm.tenant_id = p_tenant and alarm.sender_id = connection.sender_id and alarm.opened_at <= p_now - interval '30 days'
  where connection.tenant_id = p_tenant and connection.id = any (p_connections)
    and receiver.tenant_id = p_tenant and receiver.alarm_id = alarm.id and receiver.receiver_id = connection.receiver_id
    and receiver.left_at is null;
  for v_id in
    select distinct alarm.id
    from kith.connections as connection
    join kith.alarms as alarm
      on alarm.tenant_id = p_tenant and alarm.sender_id = connection.sender_id and alarm.opened_at > p_now - interval '30 days'
    join kith.alarm_receivers as receiver
      on receiver.tenant_id = p_tenant and receiver.alarm_id = alarm.id and receiver.receiver_id = connection.receiver_id
    where connection.tenant_id = p_tenant and connection.id = any (p_connections) and receiver.left_at is null
    order by alarm.id
  loop
    v_alarm := internal.lock_alarm(p_tenant, v_id, p_now);
    with gone as (
      update kith.alarm_receivers as receiver set left_at = p_now
      where receiver.tenant_id = p_tenant and receiver.alarm_id = v_id and receiver.connection_id = any (p_connections)
        and receiver.left_at is null
      returning receiver.receiver_id
    )
    select array_agg(gone.receiver_id) into v_left from gone;
    -- Their screens show that they have no part in it any more.
    perform internal.emit_event(p_tenant, person.user_id, 'alarm', v_id, null, null, p_now) from unnest(v_left) as person (user_id);
    if v_alarm.taken_by = any (v_left) then
      v_alarm := internal.end_take(v_alarm, 'left', v_alarm.taken_by, p_now);
    elsif v_alarm.resolved_at is null then
      v_alarm := internal.set_next(v_alarm, p_now);
    end if;
  end loop;
end
$$;
comment on function internal.leave_alarms(integer, uuid[], timestamptz) is
  'Ends the part of receivers in the alarms of their senders when their connections end: by removal, a block, or the end of an account or '
  'a profile. They see and hear no more of them. If one of them had taken an alarm, it is open again. Their open questions end without an '
  'alarm. For internal.close_connections.';
