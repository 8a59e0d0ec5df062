-- "Are you OK?" (K06): how somebody is asked, and what becomes of a question that could not be answered. And what else
-- an alarm says of what Kith itself could not do (X35).

create or replace function internal.rests_for_outage(p_now timestamptz) returns boolean
  language plpgsql
  stable
as $$
begin
  return exists (
    select from kith.outages
    where component = 'server' and began_at <= p_now and (ended_at is null or ended_at > p_now - interval '15 minutes')
  );
end
$$;
comment on function internal.rests_for_outage(timestamptz) is
  'Whether nobody can reach Kith, or could not until 15 minutes ago. Then "there is still no sign" would be a guess, '
  'and nobody could take an alarm or answer a question. For worker.tell_alarms.';

create or replace function internal.tell_of_ask(p_ask kith.asks, p_now timestamptz) returns void
  language plpgsql
as $$
begin
  perform internal.notify(
    'ask', array[p_ask.tenant_id], array[p_ask.sender_id],
    array[jsonb_build_object(
      'ask_id', p_ask.id, 'connection_id', p_ask.connection_id, 'user_id', p_ask.receiver_id,
      'answer_by_at', internal.instant(p_ask.answer_by)
    )],
    p_now
  );
end
$$;
comment on function internal.tell_of_ask(kith.asks, timestamptz)
  is 'Asks the sender a question of a receiver. For definer procedures.';

create or replace function internal.ask_again(p_ask kith.asks, p_now timestamptz) returns void
  language plpgsql
as $$
begin
  update kith.asks
  set answer_by = p_now + make_interval(mins => (internal.plan_of(p_ask.tenant_id, p_ask.sender_id)).answer_minutes)
  where tenant_id = p_ask.tenant_id and id = p_ask.id and ended_at is null
  returning * into p_ask;
  if found then
    perform internal.tell_of_ask(p_ask, p_now);
  end if;
end
$$;
comment on function internal.ask_again(kith.asks, timestamptz) is
  'Asks a question again that its sender could not answer, with the full time (X35). An answer to the first one counts '
  'as well.';

create or replace function internal.asking_of(
  p_ask kith.asks, p_now timestamptz, out is_again boolean, out is_reached boolean
)
  language plpgsql
  stable
as $$
declare
  v_from uuid := internal.first_uuid7(p_ask.asked_at - interval '1 minute');
  v_asked record;
begin
  select max(note.created_at) as at, count(*) as times,
    -- One that is not planned yet waits for a worker, whose absence is an outage.
    coalesce(
      bool_or(note.delivery_status = 'sent' or note.read_at is not null or note.planned_at is null), false
    ) as is_sent,
    coalesce(bool_or(note.delivery_status in ('queued', 'failed')), false) as is_tried
  into v_asked
  from kith.notifications as note
  where note.tenant_id = p_ask.tenant_id and note.user_id = p_ask.sender_id and note.id >= v_from and note.type = 'ask'
    and note.data ->> 'ask_id' = p_ask.id::text;
  is_reached := v_asked.is_sent;
  is_again := not v_asked.is_sent and v_asked.is_tried and v_asked.times < 2 or exists (
    select from kith.outages
    where began_at < p_ask.answer_by and coalesce(ended_at, p_now) > coalesce(v_asked.at, p_ask.asked_at)
  );
end
$$;
comment on function internal.asking_of(kith.asks, timestamptz) is
  'What became of a question whose time has passed. is_again: ask it again, because Kith had an outage meanwhile, or '
  'because no channel has taken it yet; that is tried once more. is_reached: some channel has taken it, or the sender '
  'has read it. For internal.open_unanswered.';

create or replace function internal.acted_data(p_alarm kith.alarms) returns jsonb
  language plpgsql
  stable
as $$
declare
  v_from uuid := internal.first_uuid7(p_alarm.opened_at);
  v_acted_at timestamptz;
begin
  if p_alarm.kind <> 'missed' then
    return '{}';
  end if;
  v_acted_at := greatest(
    (
      select max(planned.created_at) from kith.breaks as planned
      where planned.tenant_id = p_alarm.tenant_id and planned.user_id = p_alarm.sender_id
        and planned.created_at > p_alarm.opened_at
    ),
    (
      select max(note.created_at)
      from kith.alarm_receivers as receiver
      join kith.notifications as note
        on note.tenant_id = receiver.tenant_id and note.user_id = receiver.receiver_id and note.id >= v_from
      where receiver.tenant_id = p_alarm.tenant_id and receiver.alarm_id = p_alarm.id
        and note.type = 'connection_paused' and note.data ->> 'connection_id' = receiver.connection_id::text
    )
  );
  return case when v_acted_at is null then '{}' else jsonb_build_object('acted_at', internal.instant(v_acted_at)) end;
end
$$;
comment on function internal.acted_data(kith.alarms) is
  'When the sender of a missed check-in has begun a break or paused a connection since the alarm opened, as the data '
  'of a repeat: {acted_at}. They have not checked in, so the alarm goes on, but "there is still no sign" would not be '
  'so (X35). Only the sender can do these two.';

create or replace function internal.resume_alarms(p_tenant integer, p_now timestamptz) returns void
  language plpgsql
as $$
begin
  perform internal.ask_again(ask, p_now) from kith.asks as ask where ask.tenant_id = p_tenant and ask.ended_at is null;
  perform internal.set_next(resumed, p_now)
  from (
    select alarm from kith.alarms as alarm where alarm.tenant_id = p_tenant and alarm.resolved_at is null
    order by alarm.id for update
  ) as locked
  cross join lateral internal.skip_repeats(locked.alarm, p_now) as resumed;
end
$$;
comment on function internal.resume_alarms(integer, timestamptz) is
  'After a tenant was deleted and restored, or moved here: nobody could check in meanwhile, so open questions are '
  'asked again, and repeats that have passed count as told.';

create or replace function internal.skip_repeats(p_alarm kith.alarms, p_now timestamptz) returns kith.alarms
  language plpgsql
as $$
begin
  update kith.alarms set repeats_told = (select count(*) from unnest(repeats_at) as repeat (at) where at <= p_now)
  where tenant_id = p_alarm.tenant_id and id = p_alarm.id
  returning * into p_alarm;
  return p_alarm;
end
$$;
comment on function internal.skip_repeats(kith.alarms, timestamptz) is
  'Leaves out the repeats of an alarm that have passed, and returns it. For internal.resume_alarms.';

create or replace function internal.tell_of_answers(p_asks kith.asks[], p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_first uuid := internal.first_uuid7(p_now - interval '1 minute');
  v_told uuid[];
begin
  if p_asks is null then
    return;
  end if;
  -- One fact is told once: the news of a check-in that has just been written becomes the answer, and an all-clear says
  -- it already.
  with written as materialized (
    select notification.id, notification.type, asked.receiver_id, asked.id as ask_id
    from unnest(p_asks) as asked
    join kith.notifications as notification
      on notification.tenant_id = asked.tenant_id and notification.user_id = asked.receiver_id
        and notification.id >= v_first
    where notification.xid = pg_current_xact_id() and notification.type in ('ping_completed', 'ping_all_clear')
      and notification.data ->> 'connection_id' = asked.connection_id::text
  ), named as (
    update kith.notifications as notification
    set type = 'ask_answered', data = notification.data || jsonb_build_object('ask_id', written.ask_id)
    from written
    where notification.tenant_id = (p_asks[1]).tenant_id and notification.id = written.id
      and written.type = 'ping_completed'
      and not exists (
        select from written as clear where clear.receiver_id = written.receiver_id and clear.type = 'ping_all_clear'
      )
  )
  select array_agg(written.receiver_id) into v_told from written;
  perform internal.notify(
    'ask_answered', array_agg(asked.tenant_id), array_agg(asked.receiver_id),
    array_agg(jsonb_build_object('ask_id', asked.id, 'connection_id', asked.connection_id, 'user_id', asked.sender_id)),
    p_now
  )
  from unnest(p_asks) as asked
  where coalesce(asked.receiver_id <> all (v_told), true);
  perform internal.emit_event(asked.tenant_id, asked.receiver_id, 'connection', asked.connection_id, null, null, p_now)
  from unnest(p_asks) as asked;
end
$$;
comment on function internal.tell_of_answers(kith.asks[], timestamptz) is
  'Tells each receiver who asked that the sender has answered by a check-in (K06), once: where the question had become '
  'an alarm, or there was a miss, they read the all-clear. For internal.answer_alarms.';

create or replace function internal.end_asks(p_tenant integer, p_connections uuid[], p_now timestamptz) returns void
  language plpgsql
as $$
begin
  update kith.asks as ask set ended_at = p_now, is_answered = false
  where ask.tenant_id = p_tenant and ask.connection_id = any (p_connections) and ask.ended_at is null;
end
$$;
comment on function internal.end_asks(integer, uuid[], timestamptz) is
  'Ends the open questions of some connections without an alarm: the connection has ended or is paused, the sender no '
  'longer wants to be asked, or somebody has said in an alarm how the sender is.';

create or replace function internal.lock_asks(p_tenant integer, p_sender uuid) returns void
  language plpgsql
as $$
begin
  perform from kith.asks
  where tenant_id = p_tenant and sender_id = p_sender and ended_at is null
  order by receiver_id
  for update;
end
$$;
comment on function internal.lock_asks(integer, uuid) is
  'Locks the open questions to a sender, for what locks the alarm next and then ends questions: check-ins and the '
  'worker lock them in this order.';

create or replace function internal.open_unanswered(p_asks kith.asks[], p_now timestamptz) returns integer
  language plpgsql
as $$
declare
  v_ask kith.asks;
  v_alarm kith.alarms;
  v_plan kith.alarm_plans;
  v_asked record;
  v_connections uuid[];
begin
  foreach v_ask in array p_asks loop
    select * into v_ask from kith.asks
    where tenant_id = v_ask.tenant_id and id = v_ask.id and ended_at is null for update;
    continue when not found;
    v_alarm := internal.unresolved_alarm(v_ask.tenant_id, v_ask.sender_id, p_now);
    v_asked := internal.asking_of(v_ask, p_now);
    if v_alarm.id is null and v_asked.is_again then
      perform internal.ask_again(v_ask, p_now);
      continue;
    end if;
    update kith.asks set ended_at = p_now, is_answered = false where tenant_id = v_ask.tenant_id and id = v_ask.id;
    if v_alarm.id is not null then
      perform internal.answer_asker(v_alarm, v_ask, p_now);
      continue;
    end if;
    v_connections := internal.connections_to_answer(v_ask);
    continue when v_connections = '{}';
    perform internal.end_drill(v_ask.tenant_id, v_ask.sender_id, p_now);
    v_plan := internal.plan_of(v_ask.tenant_id, v_ask.sender_id);
    insert into kith.alarms (
      tenant_id, id, sender_id, kind, opened_at, counts_from, take_minutes, repeats_at, desk_at, expires_at, next_at
    )
    values (
      v_ask.tenant_id, internal.uuid7(p_now), v_ask.sender_id, 'unanswered', p_now, p_now, v_plan.take_minutes,
      internal.instants_after(p_now, v_plan.repeat_minutes), null, p_now + interval '7 days', p_now
    )
    on conflict (tenant_id, sender_id) where resolved_at is null and kind <> 'drill' do nothing
    returning * into v_alarm;
    continue when not found;
    insert into kith.alarm_receivers (tenant_id, alarm_id, receiver_id, connection_id, tier, tell_at, told_at)
    select v_ask.tenant_id, v_alarm.id, connection.receiver_id, connection.id,
      internal.tier_of(v_ask.tenant_id, v_ask.sender_id, connection.id), p_now, p_now
    from kith.connections as connection
    where connection.tenant_id = v_ask.tenant_id and connection.id = any (v_connections);
    perform internal.tell_of_sender(
      v_alarm, 'ask_unanswered', null, case when v_asked.is_reached then '{}' else jsonb '{"unreached": true}' end,
      p_now
    );
    perform internal.emit_alarm(v_alarm, null, p_now);
    perform internal.set_next(v_alarm, p_now);
  end loop;
  return cardinality(p_asks);
end
$$;
comment on function internal.open_unanswered(kith.asks[], timestamptz) is
  'Opens an alarm for each question whose time has passed, to the tier of whoever asked and those before it (K06), '
  'unless all of these are paused. Where the sender has an alarm, whoever asked has a part in it from now on. What the '
  'sender could not answer is asked again (internal.asking_of). For worker.tell_alarms.';

create or replace function internal.connections_to_answer(p_ask kith.asks) returns uuid[]
  language plpgsql
  stable
as $$
begin
  return array(
    select connection.id
    from kith.connections as connection
    where connection.tenant_id = p_ask.tenant_id and connection.sender_id = p_ask.sender_id
      and connection.status = 'active' and internal.tier_of(p_ask.tenant_id, p_ask.sender_id, connection.id)
        <= internal.tier_of(p_ask.tenant_id, p_ask.sender_id, p_ask.connection_id)
    order by connection.id
  );
end
$$;
comment on function internal.connections_to_answer(kith.asks) is
  'Whom a question without an answer alarms: the active connections of the asker''s tier and those before it. For '
  'internal.open_unanswered.';

create or replace function internal.answer_asker(p_alarm kith.alarms, p_ask kith.asks, p_now timestamptz) returns void
  language plpgsql
as $$
begin
  if internal.part_in_alarm(p_alarm, p_ask.receiver_id) is not null or not exists (
    select from kith.connections
    where tenant_id = p_ask.tenant_id and id = p_ask.connection_id and status = 'active'
  ) then
    return;
  end if;
  perform internal.add_receivers(p_alarm, array[p_ask.connection_id], p_now);
  update kith.alarm_receivers as receiver set told_at = p_now
  where receiver.tenant_id = p_alarm.tenant_id and receiver.alarm_id = p_alarm.id
    and receiver.receiver_id = p_ask.receiver_id;
  perform internal.tell_of_sender(p_alarm, 'ask_unanswered', array[p_ask.receiver_id], '{}', p_now);
  perform internal.set_next(p_alarm, p_now);
  perform internal.emit_alarm(p_alarm, p_alarm.id, p_now);
end
$$;
comment on function internal.answer_asker(kith.alarms, kith.asks, timestamptz) is
  'Where the time of a question passes while the sender has an alarm in which the asker has no part, because their '
  'tier waits or they came later: the asker learns now that there is no answer, also while somebody has taken it, and '
  'has a part. For internal.open_unanswered.';
