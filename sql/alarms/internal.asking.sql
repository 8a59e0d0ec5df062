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
