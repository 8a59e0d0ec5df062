-- What ends an alarm, besides the acts of those who were told.

create or replace function internal.answer_alarms(
  p_tenant integer, p_user uuid, p_source text, p_at timestamptz, p_now timestamptz
)
  returns void
  language plpgsql
as $$
declare
  v_alarm kith.alarms;
  v_asks kith.asks[];
begin
  perform internal.lock_asks(p_tenant, p_user);
  -- In a fixed order, as internal.leave_alarms.
  perform from kith.alarms
  where tenant_id = p_tenant and sender_id = p_user and (awaits_check_in or resolved_at is null and kind <> 'drill')
  order by id
  for update;
  v_alarm := internal.unresolved_alarm(p_tenant, p_user, p_now);
  if v_alarm.id is not null and not internal.ends_by_check_in(v_alarm, p_source, p_at, p_now) then
    -- Nothing is clear while this one is open, and no question is answered.
    perform internal.unsay_safe(p_tenant, p_user, p_now);
    return;
  end if;
  with answered as (
    update kith.asks as ask set ended_at = p_now, is_answered = true
    where ask.tenant_id = p_tenant and ask.sender_id = p_user and ask.ended_at is null and ask.asked_at <= p_at
    returning ask
  )
  select array_agg(answered.ask order by (answered.ask).receiver_id) into v_asks from answered;
  if v_alarm.id is not null then
    v_alarm := internal.resolve_row(v_alarm, 'checked_in', p_user, null, p_now);
    perform internal.tell_all_clear(v_alarm, p_at, p_now);
    perform internal.emit_alarm(
      v_alarm, internal.add_entry(v_alarm, 'checked_in', p_user, null, null, null, p_now), p_now
    );
  end if;
  for v_alarm in
    select * from kith.alarms where tenant_id = p_tenant and sender_id = p_user and awaits_check_in order by id desc
  loop
    continue when not internal.ends_by_check_in(v_alarm, p_source, p_at, p_now)
    or v_alarm.kind <> 'missed' and p_at < v_alarm.resolved_at;
    update kith.alarms set awaits_check_in = false where tenant_id = p_tenant and id = v_alarm.id;
    perform internal.tell_all_clear(v_alarm, p_at, p_now);
    perform internal.emit_alarm(
      v_alarm, internal.add_entry(v_alarm, 'checked_in', p_user, null, null, null, p_now), p_now
    );
  end loop;
  perform internal.tell_of_answers(v_asks, p_now);
  if internal.stands_open(p_tenant, p_user) then
    -- A tap from before a question does not answer it.
    perform internal.unsay_safe(p_tenant, p_user, p_now);
  end if;
end
$$;
comment on function internal.answer_alarms(integer, uuid, text, timestamptz, timestamptz) is
  'A check-in, for the moment p_at, answers the questions asked until then, and ends the sender''s alarm with an '
  'all-clear to everybody who was told (K03, K06, J07). One by a thing (p_source sign) does not end a call for help. '
  'Where the alarm stays open, no question is answered, and nobody reads "Safe" (X39). Those who were told of alarms '
  'that ended by somebody''s word or by time hear of it too, if it is the first check-in since. For api.check_in, '
  'after it has applied the check-in to the pings.';

create or replace function internal.unsay_safe(p_tenant integer, p_sender uuid, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_written uuid[] := array(
    select note.id
    from kith.connections as connection
    join kith.notifications as note
      on note.tenant_id = p_tenant and note.user_id = connection.receiver_id
        and note.id >= internal.first_uuid7(p_now - interval '1 minute')
    where connection.tenant_id = p_tenant and connection.sender_id = p_sender
      and note.xid = pg_current_xact_id() and note.type in ('ping_completed', 'ping_all_clear')
      and note.data ->> 'connection_id' = connection.id::text
  );
begin
  delete from kith.notifications as note
  where note.tenant_id = p_tenant and note.id = any (v_written) and note.type = 'ping_completed'
    and not note.data ? 'tapped_at';
  -- One that says when the sender tapped is so whatever has happened since, but that they are safe is not.
  update kith.notifications as note set data = note.data || jsonb_build_object('then_at', note.data -> 'tapped_at')
  where note.tenant_id = p_tenant and note.id = any (v_written) and note.data ? 'tapped_at';
end
$$;
comment on function internal.unsay_safe(integer, uuid, timestamptz) is
  'Takes back the "Safe" that a check-in of this transaction has just written to the sender''s receivers, because an '
  'alarm or a newer question stays open (X39): they hear of the check-in when that ends. Of a tap that arrived late '
  'they read the moment alone (then_at). For internal.answer_alarms.';

create or replace function internal.stands_open(p_tenant integer, p_sender uuid) returns boolean
  language plpgsql
  stable
as $$
begin
  return exists (
    select from kith.alarms as alarm
    where alarm.tenant_id = p_tenant and alarm.sender_id = p_sender and alarm.resolved_at is null
      and alarm.kind <> 'drill'
  ) or exists (
    select from kith.asks as ask where ask.tenant_id = p_tenant and ask.sender_id = p_sender and ask.ended_at is null
  );
end
$$;
comment on function internal.stands_open(integer, uuid) is
  'Whether an alarm of a sender, or a question to them, stands open. It is newer than any check-in that has told '
  'somebody of it, because that would have ended it, so nobody reads of that check-in "Safe" any more (X39).';

create or replace function internal.last_called_at(p_alarm kith.alarms) returns timestamptz
  language plpgsql
  stable
as $$
begin
  return greatest(
    p_alarm.called_at,
    (
      select max(entry.at) from kith.alarm_entries as entry
      where entry.tenant_id = p_alarm.tenant_id and entry.alarm_id = p_alarm.id and entry.kind = 'help'
    )
  );
end
$$;
comment on function internal.last_called_at(kith.alarms) is
  'When the sender of an alarm last called for help: each call after the first one in an alarm is an entry of its '
  'timeline. Null if they did not.';

create or replace function internal.answered_from(p_alarm kith.alarms) returns timestamptz
  language plpgsql
  stable
as $$
begin
  return case p_alarm.kind
    when 'help' then internal.last_called_at(p_alarm)
    -- It opened in the transaction that ended the question. Of several, none is left without an answer.
    when 'unanswered' then coalesce(
      (
        select max(ask.asked_at) from kith.asks as ask
        where ask.tenant_id = p_alarm.tenant_id and ask.sender_id = p_alarm.sender_id
          and ask.ended_at = p_alarm.opened_at and not ask.is_answered
      ),
      p_alarm.opened_at
    )
    else '-infinity'
  end;
end
$$;
comment on function internal.answered_from(kith.alarms) is
  'The moment from which a check-in can speak for an alarm: the last call for help, or the question that nobody '
  'answered. A missed alarm is measured by its pings. For internal.ends_by_check_in.';

create or replace function internal.ends_by_check_in(
  p_alarm kith.alarms, p_source text, p_at timestamptz, p_now timestamptz
)
  returns boolean
  language plpgsql
  stable
as $$
begin
  -- Whoever calls for help takes it back with their own hand. A thing may be pressed by anybody, or by falling on it.
  if p_at < internal.answered_from(p_alarm) or p_alarm.kind = 'help' and p_source = 'sign' then
    return false;
  elsif p_at >= p_now - interval '60 seconds' then
    return true;
  end if;
  -- A tap that arrives late speaks for its moment alone (J07). It ends nothing if anything was missed after it.
  return not exists (
    select from kith.pings as ping
    join kith.connections as connection
      on connection.tenant_id = p_alarm.tenant_id and connection.id = ping.connection_id
        and connection.status <> 'deleted'
    where ping.tenant_id = p_alarm.tenant_id and ping.sender_id = p_alarm.sender_id and ping.status = 'missed'
      and ping.deadline_at > p_at and ping.ping_on >= (p_at at time zone 'UTC')::date - 2
  );
end
$$;
comment on function internal.ends_by_check_in(kith.alarms, text, timestamptz, timestamptz) is
  'Whether a check-in for the moment p_at ends an alarm: one after the last call for help, but none by a thing '
  '(p_source sign), or after the question; and if it arrived late, only if nothing was missed after it, whatever the '
  'kind. For internal.answer_alarms.';

create or replace function internal.withdraw_unheard(p_alarm kith.alarms, p_now timestamptz) returns uuid[]
  language plpgsql
as $$
declare
  v_heard uuid[];
begin
  -- Where the tenant has no channel, its own server has told them.
  if not exists (select from kith.channel_credentials where tenant_id = p_alarm.tenant_id) then
    return array(select user_id from internal.alarm_audience(p_alarm, null, p_now));
  end if;
  -- Wait for a worker that sends one at this moment: a message that leaves without being followed by its end would
  -- never be taken back.
  perform from internal.messages_of_alarm(p_alarm) as told
  join kith.notifications as note on note.tenant_id = p_alarm.tenant_id and note.id = told.id
  order by note.id
  for no key update of note;
  perform from internal.messages_of_alarm(p_alarm) as told
  join kith.deliveries as delivery on delivery.tenant_id = p_alarm.tenant_id and delivery.notification_id = told.id
  where delivery.status in ('queued', 'sending')
  order by delivery.id
  for no key update of delivery;
  v_heard := internal.heard_alarm(p_alarm, false, p_now);
  with unheard as materialized (
    select told.id from internal.messages_of_alarm(p_alarm) as told
    where told.user_id <> all (v_heard) and told.delivery_status = 'queued'
  ), ended as (
    update kith.deliveries as delivery
    set status = 'dropped', error = 'the alarm is over', next_attempt_at = p_now
    from unheard
    where delivery.tenant_id = p_alarm.tenant_id and delivery.notification_id = unheard.id
      and delivery.status = 'queued'
  )
  update kith.notifications as note
  set planned_at = coalesce(note.planned_at, p_now), delivery_status = 'dropped', escalates_at = null
  from unheard
  where note.tenant_id = p_alarm.tenant_id and note.id = unheard.id;
  return v_heard;
end
$$;
comment on function internal.withdraw_unheard(kith.alarms, timestamptz) is
  'Takes back what those were to be told of an alarm whom no message of it has reached, and returns the others: its '
  'end is told to nobody else. A message that a channel may have taken counts as heard, and so does whatever its '
  'reader has done in the alarm (internal.has_acted). For procedures that have ended the alarm.';

create or replace function internal.heard_alarm(p_alarm kith.alarms, p_surely boolean, p_now timestamptz) returns uuid[]
  language plpgsql
  stable
as $$
begin
  if not exists (select from kith.channel_credentials where tenant_id = p_alarm.tenant_id) then
    return array(select user_id from internal.alarm_audience(p_alarm, null, p_now));
  end if;
  return array(
    select distinct told.user_id
    from internal.messages_of_alarm(p_alarm) as told
    where told.read_at is not null or told.delivery_status = 'sent' or internal.has_acted(p_alarm, told.user_id)
      or not p_surely and exists (
      select from kith.deliveries as delivery
      where delivery.tenant_id = p_alarm.tenant_id and delivery.notification_id = told.id
        and (delivery.status in ('sending', 'sent') or delivery.attempts > 0)
    ) or not p_surely and exists (
      -- The tenant's server was asked to tell them.
      select from kith.undelivered_alarms as missed
      where missed.tenant_id = p_alarm.tenant_id and missed.notification_id = told.id
    )
  );
end
$$;
comment on function internal.heard_alarm(kith.alarms, boolean, timestamptz) is
  'Those of the people who were told of an alarm who have heard of it: they have read or done something, or a channel '
  'has taken a message about it. p_surely: what a channel was given and may not have taken counts as unheard, and so '
  'does a call that nobody answered; otherwise it counts as heard. Where the tenant has no channel, its own server has '
  'told everybody.';

create or replace function internal.has_acted(p_alarm kith.alarms, p_receiver uuid) returns boolean
  language plpgsql
  stable
as $$
begin
  return exists (
    select from kith.alarm_receivers as receiver
    where receiver.tenant_id = p_alarm.tenant_id and receiver.alarm_id = p_alarm.id
      and receiver.receiver_id = p_receiver and (
        exists (
          select from kith.alarm_entries as entry
          where entry.tenant_id = p_alarm.tenant_id and entry.alarm_id = p_alarm.id and entry.user_id = p_receiver
            and entry.at >= receiver.told_at
        ) or exists (
          select from kith.asks as ask
          where ask.tenant_id = p_alarm.tenant_id and ask.connection_id = receiver.connection_id
            and ask.ended_at >= p_alarm.opened_at and not ask.is_answered
        )
      )
  );
end
$$;
comment on function internal.has_acted(kith.alarms, uuid) is
  'Whether a receiver has done something in an alarm since they were told: taken it or given it back, ended it or '
  'opened it again, written a note, or looked at the card. Whoever has, by any door, knows of it, whatever a channel '
  'has taken. Whoever has asked whether the sender is OK, and whose question became the alarm or ended with it, waits '
  'for the end in place of an answer (K06). For internal.withdraw_unheard.';

create or replace function internal.write_end(
  p_alarm kith.alarms, p_type text, p_data jsonb, p_heard uuid[], p_now timestamptz
)
  returns void
  language plpgsql
as $$
begin
  with newest as materialized (
    select distinct on (told.user_id) told.id, told.type, told.delivery_status, told.read_at, person.connection_id
    from internal.messages_of_alarm(p_alarm) as told
    join internal.alarm_audience(p_alarm, null, p_now) as person on person.user_id = told.user_id
    where told.user_id <> all (p_heard)
    order by told.user_id, told.id desc
  ), changed as (
    update kith.notifications as note
    set type = p_type, person_name = null,
      data = internal.alarm_data(p_alarm)
      || jsonb_build_object('connection_id', newest.connection_id, 'user_id', p_alarm.sender_id) || p_data
    from newest
    where note.tenant_id = p_alarm.tenant_id and note.id = newest.id and newest.delivery_status = 'dropped'
      and newest.read_at is null
    returning note.user_id, note.id
  )
  -- Screens that show the message, and the tenant's server, have read it as it was.
  insert into kith.events (tenant_id, id, user_id, type, subject_id)
  select p_alarm.tenant_id, internal.uuid7(p_now), changed.user_id, 'notification', changed.id from changed;
end
$$;
comment on function internal.write_end(kith.alarms, text, jsonb, uuid[], timestamptz) is
  'Lets the newest message of an alarm that was withdrawn from somebody say how it ended, in the list of their '
  'notifications alone: it is not sent, and an event brings it. "Call them now" must not be the newest word there. No '
  'notification is added, so that calling and ending in turn fills no list. p_heard are those to whom the end is sent. '
  'For procedures that have withdrawn it (internal.withdraw_unheard).';

create or replace function internal.messages_of_alarm(p_alarm kith.alarms)
  returns table (user_id uuid, id uuid, type text, created_at timestamptz, read_at timestamptz, delivery_status text)
  language sql
  stable
as $$
  select note.user_id, note.id, note.type, note.created_at, note.read_at, note.delivery_status
  from kith.alarm_receivers as receiver
  join kith.notifications as note
    on note.tenant_id = receiver.tenant_id and note.user_id = receiver.receiver_id
      and note.id >= internal.first_uuid7(receiver.told_at - interval '1 minute')
  where receiver.tenant_id = (p_alarm).tenant_id and receiver.alarm_id = (p_alarm).id and receiver.told_at is not null
    and receiver.left_at is null and note.data ->> 'alarm_id' = (p_alarm).id::text
$$;
comment on function internal.messages_of_alarm(kith.alarms) is
  'The notifications about an alarm to the people who have a part in it. Returns a table, which the planner can '
  'inline.';

create or replace function internal.tell_all_clear(p_alarm kith.alarms, p_at timestamptz, p_now timestamptz)
  returns void
  language plpgsql
as $$
declare
  v_first uuid := internal.first_uuid7(p_now - interval '1 minute');
  v_heard uuid[] := internal.withdraw_unheard(p_alarm, p_now);
  v_data jsonb := internal.alarm_data(p_alarm)
    || case when p_alarm.kind <> 'missed' then jsonb '{"safe": true}' else '{}' end
    || case
      when p_at < p_now - interval '60 seconds' then jsonb_build_object('tapped_at', internal.instant(p_at))
      else '{}'
    end;
  v_told uuid[];
begin
  -- The check-in has just told some of them that a ping is completed. One fact is told once: that notification becomes
  -- the all-clear, and for whoever has heard of no alarm it is the news of a check-in.
  with written as materialized (
    select distinct on (person.user_id) person.user_id, notification.id, person.user_id = any (v_heard) as has_heard
    from internal.alarm_audience(p_alarm, null, p_now) as person
    join kith.notifications as notification
      on notification.tenant_id = p_alarm.tenant_id and notification.user_id = person.user_id
        and notification.id >= v_first
    where notification.xid = pg_current_xact_id() and notification.type in ('ping_completed', 'ping_all_clear')
      and notification.data ->> 'connection_id' = person.connection_id::text
    order by person.user_id, notification.type, notification.id desc
  ), named as (
    update kith.notifications as notification
    set type = case when written.has_heard then 'ping_all_clear' else 'ping_completed' end,
      data = notification.data || case when written.has_heard then v_data else '{}' end
    from written
    where notification.tenant_id = p_alarm.tenant_id and notification.id = written.id
      -- One that names an alarm was written for a newer one.
      and not notification.data ? 'alarm_id'
  )
  select array_agg(written.user_id) into v_told from written;
  perform internal.tell_of_sender(
    p_alarm, 'ping_all_clear', array(
      select heard from unnest(v_heard) as heard where coalesce(heard <> all (v_told), true)
    ), v_data, p_now
  );
  -- To the others the check-in has told something newer.
  perform internal.write_end(p_alarm, 'ping_all_clear', v_data, v_heard || v_told, p_now);
end
$$;
comment on function internal.tell_all_clear(kith.alarms, timestamptz, timestamptz) is
  'Tells everybody who has heard of an alarm that its sender has checked in, each once (X35), and takes back what '
  'others were to hear of it. For internal.answer_alarms.';
