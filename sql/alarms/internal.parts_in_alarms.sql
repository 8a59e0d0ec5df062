-- What ends somebody's part in an alarm, or all alarms of somebody whose account ends.

create or replace function internal.leave_alarms(p_tenant integer, p_connections uuid[], p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_id uuid;
  v_alarm kith.alarms;
  v_left uuid[];
  v_old uuid[];
  v_recent uuid[];
  v_was_taken boolean;
begin
  perform internal.end_asks(p_tenant, p_connections, p_now);
  select array_agg(distinct alarm.id) filter (where alarm.opened_at <= p_now - interval '30 days'),
    array_agg(distinct alarm.id) filter (where alarm.opened_at > p_now - interval '30 days')
  into v_old, v_recent
  from unnest(p_connections) as own (id)
  -- A look-up for each row: a join would read all alarms of the tenant where the planner believes in few.
  cross join lateral (
    select sender_id, receiver_id from kith.connections where tenant_id = p_tenant and connections.id = own.id offset 0
  ) as connection
  cross join lateral (
    select id, opened_at from kith.alarms where tenant_id = p_tenant and sender_id = connection.sender_id offset 0
  ) as alarm
  cross join lateral (
    select from kith.alarm_receivers
    where tenant_id = p_tenant and alarm_id = alarm.id and receiver_id = connection.receiver_id and left_at is null
    offset 0
  ) as receiver;
  -- Old ones are long over. Nobody need see at once that they are gone.
  if v_old is not null then
    update kith.alarm_receivers as receiver set left_at = p_now
    where receiver.tenant_id = p_tenant and receiver.alarm_id = any (v_old)
      and receiver.connection_id = any (p_connections)
      and receiver.left_at is null;
  end if;
  foreach v_id in array coalesce(v_recent, '{}') loop
    -- Nobody's take lapses here: the worker asks its taker first, and those who leave hear nothing more.
    select * into v_alarm from kith.alarms where tenant_id = p_tenant and id = v_id for update;
    with gone as (
      update kith.alarm_receivers as receiver set left_at = p_now
      where receiver.tenant_id = p_tenant and receiver.alarm_id = v_id and receiver.connection_id = any (p_connections)
        and receiver.left_at is null
      returning receiver.receiver_id
    )
    select array_agg(gone.receiver_id) into v_left from gone;
    v_was_taken := coalesce(v_alarm.taken_by = any (v_left), false);
    -- Their screens show that they have no part in it any more.
    perform internal.emit_event(p_tenant, person.user_id, 'alarm', v_id, null, null, p_now)
    from unnest(v_left) as person (user_id);
    if v_alarm.resolved_at is null and v_alarm.expires_at <= p_now then
      v_alarm := internal.expire_alarm(v_alarm, p_now);
    elsif v_was_taken then
      v_alarm := internal.end_take(v_alarm, 'left', v_alarm.taken_by, p_now);
    end if;
    if v_alarm.resolved_at is null then
      perform internal.go_on_without(v_alarm, v_was_taken, p_now);
    end if;
  end loop;
end
$$;
comment on function internal.leave_alarms(integer, uuid[], timestamptz) is
  'Ends the part of receivers in the alarms of their senders when their connections end: by removal, a block, or the '
  'end of an account or a profile. They see and hear no more of them. If one of them had taken an alarm, it is open '
  'again, and if nobody is left who was told, internal.go_on_without finds somebody. Their open questions end without '
  'an alarm. For internal.close_connections.';

create or replace function internal.go_on_without(p_alarm kith.alarms, p_was_taken boolean, p_now timestamptz)
  returns void
  language plpgsql
as $$
declare
  v_next_tier integer;
begin
  if not exists (
    select from kith.alarm_receivers as receiver
    where receiver.tenant_id = p_alarm.tenant_id and receiver.alarm_id = p_alarm.id and receiver.told_at is not null
      and receiver.left_at is null
  ) then
    select min(receiver.tier) into v_next_tier
    from kith.alarm_receivers as receiver
    where receiver.tenant_id = p_alarm.tenant_id and receiver.alarm_id = p_alarm.id and receiver.left_at is null;
    if v_next_tier is not null then
      update kith.alarm_receivers as receiver set tell_at = least(receiver.tell_at, p_now)
      where receiver.tenant_id = p_alarm.tenant_id and receiver.alarm_id = p_alarm.id and receiver.left_at is null
        and receiver.tier = v_next_tier;
    elsif p_alarm.kind = 'help' then
      perform internal.find_other_help(p_alarm, p_now);
    elsif p_alarm.desk_at is null and p_alarm.taken_at is null then
      -- It concerns nobody. The next miss opens one of its own.
      perform internal.expire_alarm(p_alarm, p_now);
      if p_was_taken then
        perform internal.notify(
          'alarm_resolved', array[p_alarm.tenant_id], array[p_alarm.sender_id],
          array[internal.alarm_data(p_alarm) || '{"to": "sender", "outcome": "expired"}'], p_now
        );
      end if;
      return;
    elsif p_alarm.desk_told_at is null then
      update kith.alarms set desk_at = least(desk_at, p_now) where tenant_id = p_alarm.tenant_id and id = p_alarm.id
      returning * into p_alarm;
    end if;
  end if;
  perform internal.set_next(p_alarm, p_now);
end
$$;
comment on function internal.go_on_without(kith.alarms, boolean, timestamptz) is
  'Where nobody is left who was told of an alarm: the next tier, or else the desk, is told now; a call for help goes '
  'to everybody else whom the sender has; any other alarm ends, since it concerns nobody, and if somebody who has left '
  'looked after it (p_was_taken), the sender hears that. For procedures that have locked it.';

create or replace function internal.find_other_help(p_alarm kith.alarms, p_now timestamptz) returns void
  language plpgsql
as $$
begin
  if internal.tell_of_help(p_alarm, false, false, false, p_now) > 0 then
    perform internal.emit_alarm(p_alarm, p_alarm.id, p_now);
    return;
  end if;
  perform internal.notify(
    'alarm_reopened', array[p_alarm.tenant_id], array[p_alarm.sender_id],
    array[internal.alarm_data(p_alarm) || '{"to": "sender"}'], p_now
  );
end
$$;
comment on function internal.find_other_help(kith.alarms, timestamptz) is
  'When the last receiver leaves a call for help: tells the receivers of paused connections, or else the sender, that '
  'nobody is left (K05). For internal.go_on_without.';

create or replace function internal.end_alarms_of(p_tenant integer, p_user uuid, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_alarm kith.alarms;
begin
  -- Pings are locked before questions, and these before alarms.
  perform from kith.pings as ping
  where ping.tenant_id = p_tenant and ping.sender_id = p_user and ping.status in ('scheduled', 'due')
    and ping.ping_on >= (p_now at time zone 'UTC')::date - 2
  order by ping.ping_on, ping.connection_id
  for no key update;
  perform internal.lock_asks(p_tenant, p_user);
  v_alarm := internal.unresolved_alarm(p_tenant, p_user, p_now);
  if v_alarm.id is null then
    return;
  end if;
  v_alarm := internal.resolve_row(v_alarm, 'expired', null, null, p_now);
  -- The alarm is deleted in this transaction, so nothing leads to it.
  perform internal.notify(
    'alarm_resolved', array_agg(p_tenant), array_agg(person.user_id),
    array_agg(jsonb_build_object(
      'connection_id', person.connection_id, 'user_id', p_user, 'outcome', 'deleted', 'breaks', true
    )),
    p_now
  )
  from internal.alarm_audience(v_alarm, null, p_now) as person;
end
$$;
comment on function internal.end_alarms_of(integer, uuid, timestamptz) is
  'Tells everybody who was told of a user''s alarm, through quiet hours too, that their account ends, so that an alarm '
  'never vanishes without a word. They read "Someone": a name does not outlive its account. For internal.end_roles, '
  'before the connections end.';
