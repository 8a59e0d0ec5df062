-- What people do in an alarm. Each function is the rule for all doors: the API, a link, an answer to a text or a call,
-- and the desk.

create or replace function internal.require_minutes(p_minutes integer) returns void
  language plpgsql
  stable
as $$
begin
  if p_minutes not between 5 and 120 then
    perform internal.refuse_fields(internal.field_error('minutes', 'must be from 5 to 120'));
  end if;
end
$$;
comment on function internal.require_minutes(integer)
  is 'Raises validation_failed for a time that nobody can take an alarm for (K02).';

create or replace function internal.longest_take() returns interval
  language sql
  immutable
  parallel safe
as $$
  select interval '2 hours'
$$;
comment on function internal.longest_take() is
  'For how long one person can have an alarm before the others are told of it anew, however often they say that they '
  'are on it (K02). It is also how long a take can hold back a tier and the desk whose minutes have passed.';

create or replace function internal.take_alarm(
  p_tenant integer, p_alarm uuid, p_user uuid, p_desk text, p_minutes integer, p_now timestamptz, out outcome text,
  out alarm kith.alarms
)
  language plpgsql
as $$
declare
  v_again boolean;
  v_is_noted boolean := true;
begin
  perform internal.require_minutes(p_minutes);
  alarm := case when p_user is null then internal.lock_alarm(p_tenant, p_alarm, p_now) else
    internal.receivers_alarm(p_tenant, p_alarm, p_user, p_now) end;
  if alarm.resolved_at is not null then
    outcome := 'over';
    return;
  end if;
  v_again := alarm.taken_at is not null;
  if v_again and (alarm.taken_by is distinct from p_user or alarm.taken_by_desk is distinct from p_desk) then
    outcome := 'taken';
    return;
  end if;
  outcome := case when v_again then 'again' else 'took' end;
  -- Whoever has had it for the longest time takes it anew, and everybody hears of it.
  v_again := v_again and p_now < alarm.taken_at + internal.longest_take();
  update kith.alarms as row
  set taken_by = p_user, taken_by_desk = p_desk, taken_at = case when v_again then row.taken_at else p_now end,
    -- Taking it again gives the taker the time anew: it is the answer to "Still on it?".
    taken_until = least(
      p_now + make_interval(mins => coalesce(p_minutes, row.take_minutes)),
      case when v_again then row.taken_at else p_now end + internal.longest_take()
    ),
    checked_at = null
  where row.tenant_id = p_tenant and row.id = p_alarm
  returning row.* into alarm;
  alarm := internal.set_next(alarm, p_now);
  if not v_again then
    -- Whoever has not read of a miss yet reads no more of it, but that somebody looks after it (K00).
    perform internal.tell_of_person(
      alarm, 'alarm_taken', p_user, p_desk, '{}', p_now,
      case when alarm.kind <> 'drill' then internal.heard_alarm(alarm, true, p_now) end
    );
  else
    -- Nobody can fill the timeline with it. The time counts in any case.
    v_is_noted := (
      select count(*) < 50 from kith.alarm_entries as entry
      where entry.tenant_id = p_tenant and entry.alarm_id = p_alarm and entry.kind = 'still_on_it'
    );
  end if;
  if v_is_noted then
    perform internal.emit_alarm(
      alarm, internal.add_entry(
        alarm, case when v_again then 'still_on_it' else 'taken' end, p_user, p_desk, null, null, p_now
      ), p_now
    );
  end if;
end
$$;
comment on function internal.take_alarm(integer, uuid, uuid, text, integer, timestamptz) is
  '"I''m looking after it" (K02), by a receiver (p_user) or a person of the desk (p_desk). outcome: took; again, by '
  'the same person, which begins the time anew; taken, by somebody else; over, because it is resolved. The first of '
  'two wins. Everybody else who was told, and the sender, are told; of the same person''s again every two hours '
  '(internal.longest_take). No limit refuses it. Raises not_found for whoever has no part in it. The caller has set '
  'the tenant.';

create or replace function internal.release_alarm(p_tenant integer, p_alarm uuid, p_user uuid, p_now timestamptz)
  returns kith.alarms
  language plpgsql
as $$
declare
  v_alarm kith.alarms := internal.receivers_alarm(p_tenant, p_alarm, p_user, p_now);
begin
  if v_alarm.taken_by = p_user then
    perform internal.require_few_turns(v_alarm, p_user, p_now);
    return internal.end_take(v_alarm, 'released', p_user, p_now);
  elsif v_alarm.resolved_at is not null then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'This alarm is over.';
  elsif v_alarm.taken_at is not null then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'Somebody else is looking after this alarm.';
  elsif not internal.has_declined(v_alarm, p_user) then
    perform internal.emit_alarm(
      v_alarm, internal.add_entry(v_alarm, 'declined', p_user, null, null, null, p_now), p_now
    );
  end if;
  return v_alarm;
end
$$;
comment on function internal.release_alarm(integer, uuid, uuid, timestamptz) is
  'A receiver says that they can''t look after somebody (K02). Of their own take it opens the alarm again, and '
  'everybody who was told, and the sender, are told. Of an alarm that nobody has taken the timeline says so once, and '
  'nothing else changes: they are told again as everybody is. Raises invalid_transition while somebody else has it.';

create or replace function internal.has_declined(p_alarm kith.alarms, p_user uuid) returns boolean
  language plpgsql
  stable
as $$
begin
  return coalesce((
    select entry.user_id is not distinct from p_user and entry.kind in ('released', 'declined')
    from kith.alarm_entries as entry
    where entry.tenant_id = p_alarm.tenant_id and entry.alarm_id = p_alarm.id
      and (
        entry.user_id = p_user and entry.kind in ('taken', 'declined')
        or entry.kind in ('released', 'lapsed', 'left', 'reopened', 'help', 'missed')
      )
    order by entry.id desc
    limit 1
  ), false);
end
$$;
comment on function internal.has_declined(kith.alarms, uuid) is
  'Whether the last word of somebody in an alarm is that they can''t look after it, and nothing has happened since to '
  'ask them anew. A second press says nothing more, so nobody can fill the timeline with it.';

create or replace function internal.require_few_turns(p_alarm kith.alarms, p_user uuid, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_first timestamptz;
begin
  select min(recent.at) into v_first
  from (
    select entry.at
    from kith.alarm_entries as entry
    where entry.tenant_id = p_alarm.tenant_id and entry.alarm_id = p_alarm.id and entry.user_id = p_user
      and entry.kind in ('released', 'reopened') and entry.at > p_now - interval '24 hours'
    order by entry.at desc
    limit 10
  ) as recent
  having count(*) = 10;
  if v_first is not null then
    raise exception 'too_many_requests'
      using errcode = 'KT429', detail = 'You have given this alarm back or reopened it ten times in the last 24 hours.',
        hint = greatest(1, ceil(extract(epoch from v_first + interval '24 hours' - p_now)))::integer::text;
  end if;
end
$$;
comment on function internal.require_few_turns(kith.alarms, uuid, timestamptz) is
  'Raises too_many_requests if somebody has given an alarm back or opened it again ten times in 24 hours: each time '
  'wakes everybody who was told. It counts for each person, so that nobody uses it up for others. What takes an alarm '
  'or ends it needs one of the two before it can tell people once more.';

create or replace function internal.resolve_alarm(
  p_tenant integer, p_alarm uuid, p_user uuid, p_desk text, p_outcome text, p_note text, p_seen_at timestamptz,
  p_now timestamptz
) returns kith.alarms
  language plpgsql
as $$
declare
  v_alarm kith.alarms;
  v_part text;
  v_entry uuid;
  v_heard uuid[];
begin
  perform internal.lock_asks(p_tenant, (select sender_id from kith.alarms where tenant_id = p_tenant and id = p_alarm));
  v_alarm := internal.lock_alarm(p_tenant, p_alarm, p_now);
  v_part := case when p_user is null then 'desk' else internal.part_in_alarm(v_alarm, p_user) end;
  if v_part is null then
    perform internal.refuse_not_found();
  elsif v_part = 'sender' and p_outcome <> 'false_alarm' then
    raise exception 'forbidden'
      using errcode = 'KT403',
      detail = 'Only the people who were told about the alarm can do this. To end it yourself, check in.';
  elsif v_part <> 'sender' and p_outcome = 'false_alarm' then
    raise exception 'forbidden' using errcode = 'KT403', detail = 'Only the sender can say that it was a false alarm.';
  elsif v_alarm.resolved_at is not null then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'This alarm is over.';
  elsif v_part <> 'sender' and internal.has_grown_since(
    -- Nobody has told the desk: without seen_at, it has read what the alarm was when it opened.
    v_alarm, case when v_part = 'desk' then coalesce(p_seen_at, v_alarm.opened_at) else p_seen_at end, '1 millisecond'
  ) then
    raise exception 'invalid_transition' using errcode = 'KT409',
      detail =
        'They have called for help again, or missed another check-in, since you read this alarm. Read it again first.';
  end if;
  v_alarm := internal.resolve_row(v_alarm, p_outcome, p_user, p_desk, p_now);
  if v_alarm.kind <> 'drill' then
    -- Whoever hears how the sender is has their answer.
    perform internal.end_asks(
      p_tenant, array(select connection_id from internal.alarm_audience(v_alarm, null, p_now)), p_now
    );
  end if;
  if p_outcome = 'false_alarm' then
    v_heard := internal.withdraw_unheard(v_alarm, p_now);
    perform internal.tell_of_sender(
      v_alarm, 'alarm_resolved', v_heard, jsonb_build_object('outcome', p_outcome), p_now
    );
    perform internal.write_end(v_alarm, 'alarm_resolved', jsonb_build_object('outcome', p_outcome), v_heard, p_now);
    perform internal.emit_alarm(
      v_alarm, internal.add_entry(v_alarm, 'false_alarm', p_user, null, p_note, null, p_now), p_now
    );
  else
    -- A call for help is sent whatever a receiver says. Receivers whom a miss has not reached yet are told by the
    -- receiver's word (K03).
    v_heard := case when v_alarm.kind <> 'drill' then internal.heard_alarm(v_alarm, true, p_now) end;
    if v_alarm.kind = 'missed' then
      perform internal.withdraw_unheard(v_alarm, p_now);
    end if;
    perform internal.tell_of_person(
      v_alarm, 'alarm_resolved', p_user, p_desk, jsonb_build_object('outcome', p_outcome), p_now, v_heard
    );
    v_entry := internal.add_entry(v_alarm, 'resolved', p_user, p_desk, p_note, p_outcome, p_now);
    if v_alarm.kind <> 'drill' then
      v_alarm := internal.tell_untold(v_alarm, p_user, p_desk, p_now);
    end if;
    perform internal.emit_alarm(v_alarm, v_entry, p_now);
  end if;
  return v_alarm;
end
$$;
comment on function internal.resolve_alarm(integer, uuid, uuid, text, text, text, timestamptz, timestamptz) is
  'Ends an alarm (K03): safe or help_called by a receiver who was told (p_user) or a person of the desk (p_desk), '
  'false_alarm by its sender. Everybody else who was told, and the sender, learn who said so, and their questions end; '
  'the tiers and the desk that were not told yet learn it too (internal.tell_untold), as urgently as they would have '
  'learnt of the alarm. No ping changes, and it is no sign of life. Raises invalid_transition for a resolved one, and '
  'if it has grown (internal.has_grown_since) since p_seen_at, when whoever ends it read it. The caller has set the '
  'tenant.';

create or replace function internal.tell_untold(p_alarm kith.alarms, p_user uuid, p_desk text, p_now timestamptz)
  returns kith.alarms
  language plpgsql
as $$
declare
  v_told uuid[];
  v_data jsonb[];
begin
  with told as (
    update kith.alarm_receivers as receiver set told_at = p_now
    where receiver.tenant_id = p_alarm.tenant_id and receiver.alarm_id = p_alarm.id and receiver.told_at is null
      and receiver.left_at is null
    returning receiver.receiver_id, receiver.connection_id
  )
  select array_agg(told.receiver_id order by told.receiver_id),
    array_agg(
      internal.alarm_data(p_alarm)
        || jsonb_build_object(
          'outcome', p_alarm.outcome, 'late', true, 'breaks', true, 'sender_connection_id', told.connection_id
        )
        || case
          when p_desk is not null then jsonb '{"desk": true}'
          when internal.knows_person(p_alarm, told.receiver_id, p_user) then jsonb_build_object('user_id', p_user)
          else '{}'
        end
      order by told.receiver_id
    )
  into v_told, v_data
  from told;
  if v_told is not null then
    perform internal.notify(
      'alarm_resolved', array_fill(p_alarm.tenant_id, array[cardinality(v_told)]), v_told, v_data, p_now,
      p_names => array_fill(p_desk, array[cardinality(v_told)])
    );
  end if;
  if p_alarm.desk_at is not null and p_alarm.desk_told_at is null and internal.has_desk(p_alarm.tenant_id, p_now) then
    update kith.alarms set desk_told_at = p_now where tenant_id = p_alarm.tenant_id and id = p_alarm.id returning *
    into p_alarm;
    perform internal.emit_alarm(
      p_alarm, internal.add_entry(p_alarm, 'desk_told', null, null, null, null, p_now), p_now
    );
  end if;
  return p_alarm;
end
$$;
comment on function internal.tell_untold(kith.alarms, uuid, text, timestamptz) is
  'After the word of one receiver (p_user) or a person of the desk (p_desk) that an alarm is over, before its sender '
  'has checked in: tells the receivers of later tiers, and the desk if the plan has it, whose minutes have not passed '
  'yet. They have a part from then on, and can open it again. Otherwise somebody who is told first could keep a miss '
  'from all others. For internal.resolve_alarm.';

create or replace function internal.reopen_alarm(
  p_tenant integer, p_alarm uuid, p_user uuid, p_desk text, p_note text, p_now timestamptz
) returns kith.alarms
  language plpgsql
as $$
declare
  v_alarm kith.alarms := case when p_user is null then internal.lock_alarm(p_tenant, p_alarm, p_now) else
    internal.receivers_alarm(p_tenant, p_alarm, p_user, p_now) end;
  v_was text := v_alarm.outcome;
begin
  if p_user is not null then
    perform internal.require_few_turns(v_alarm, p_user, p_now);
  end if;
  if v_alarm.taken_at is not null then
    return internal.open_taken(v_alarm, 'reopened', p_user, p_desk, p_note, p_now);
  elsif v_alarm.resolved_at is null then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'This alarm is not over.';
  elsif v_alarm.outcome not in ('safe', 'help_called') or v_alarm.expires_at <= p_now then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'This alarm cannot be reopened.';
  elsif internal.has_checked_in_since(v_alarm) then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'The sender has checked in since then.';
  elsif exists (
    -- What was said of the newest one holds for those before it.
    select from kith.alarms as newer
    where newer.tenant_id = p_tenant and newer.sender_id = v_alarm.sender_id and newer.id > p_alarm
      and (newer.kind <> 'drill' or v_alarm.kind = 'drill')
  ) then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'There is a newer alarm for this person.';
  end if;
  begin
    update kith.alarms
    set resolved_at = null, resolved_by = null, resolved_by_desk = null, outcome = null, awaits_check_in = false,
      repeats_told = (select count(*) from unnest(repeats_at) as repeat (at) where at <= p_now), next_at = p_now
    where tenant_id = p_tenant and id = p_alarm
    returning * into v_alarm;
  exception when unique_violation then
    -- A miss has opened a newer one at this moment.
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'There is a newer alarm for this person.';
  end;
  v_alarm := internal.add_repeats(v_alarm, p_now);
  perform internal.tell_of_sender(v_alarm, 'alarm_reopened', null, jsonb_build_object('was', v_was), p_now);
  perform internal.tell_sender_of_opening(v_alarm, p_now);
  perform internal.emit_alarm(
    v_alarm, internal.add_entry(v_alarm, 'reopened', p_user, p_desk, p_note, null, p_now), p_now
  );
  return v_alarm;
end
$$;
comment on function internal.reopen_alarm(integer, uuid, uuid, text, text, timestamptz) is
  'Opens an alarm again that somebody has resolved as safe or help_called (K03), or has taken and does not look after, '
  'by any receiver who was told (p_user) or a person of the desk (p_desk). Everybody who was told, and the sender, are '
  'told; tiers whose minutes have passed are told at once, by the worker. Raises invalid_transition for an open one, '
  'for other outcomes, after 7 days, once the sender has checked in or said that it was a false alarm, and for all but '
  'the newest alarm of the sender; too_many_requests by internal.require_few_turns.';

create or replace function internal.has_checked_in_since(p_alarm kith.alarms) returns boolean
  language plpgsql
  stable
as $$
declare
  v_since timestamptz := greatest(p_alarm.opened_at, internal.last_called_at(p_alarm));
begin
  return exists (
    select from kith.check_ins as sign
    where sign.tenant_id = p_alarm.tenant_id and sign.user_id = p_alarm.sender_id
      and sign.received_at >= v_since and coalesce(sign.tapped_at >= v_since, true)
      and (p_alarm.kind <> 'help' or sign.source <> 'sign')
  ) or exists (
    select from kith.alarms as other
    where other.tenant_id = p_alarm.tenant_id and other.sender_id = p_alarm.sender_id and other.id >= p_alarm.id
      and other.outcome = 'false_alarm' and other.kind <> 'drill' and other.resolved_at >= v_since
  );
end
$$;
comment on function internal.has_checked_in_since(kith.alarms) is
  'Whether the sender of an alarm has checked in since it opened, or, not by a thing alone, since they called for '
  'help, or has said of a newer one that it was a false alarm.';

create or replace function internal.note_alarm(
  p_tenant integer, p_alarm uuid, p_user uuid, p_desk text, p_note text, p_now timestamptz
)
  returns kith.alarms
  language plpgsql
as $$
declare
  v_alarm kith.alarms := internal.lock_alarm(p_tenant, p_alarm, p_now);
begin
  if p_user is not null and internal.part_in_alarm(v_alarm, p_user) is null then
    perform internal.refuse_not_found();
  elsif btrim(p_note) = '' then
    perform internal.refuse_fields(internal.field_error('body', 'must have a visible character'));
  elsif v_alarm.resolved_at <= p_now - interval '7 days' then
    raise exception 'invalid_transition'
      using errcode = 'KT409', detail = 'This alarm has been over for a week, so it takes no more notes.';
  elsif (
    -- A share for each, so that nobody can keep the others from writing.
    select count(*) >= case when p_user is null then 200 else 100 end
    from kith.alarm_entries as entry
    where entry.tenant_id = p_tenant and entry.alarm_id = p_alarm and entry.kind = 'noted'
      and entry.user_id is not distinct from p_user
  ) then
    raise exception 'quota_exceeded'
      using errcode = 'KT507', detail = 'You have already written as many notes in this alarm as one person can.';
  end if;
  perform internal.emit_alarm(
    v_alarm, internal.add_entry(v_alarm, 'noted', p_user, p_desk, p_note, null, p_now), p_now
  );
  return v_alarm;
end
$$;
comment on function internal.note_alarm(integer, uuid, uuid, text, text, timestamptz) is
  'Adds a note to the timeline of an alarm, also for a week after its end: by its sender, a receiver who was told, or '
  'a person of the desk. Notifies nobody; screens show it. 100 notes of each person in an alarm, and 200 of the desk.';

create or replace function internal.has_grown_since(p_alarm kith.alarms, p_seen_at timestamptz, p_slack interval)
  returns boolean
  language plpgsql
  stable
as $$
begin
  -- Clients may round an instant.
  return coalesce(p_seen_at < internal.last_called_at(p_alarm) - interval '1 millisecond', false) or exists (
    select from kith.alarm_entries as entry
    where entry.tenant_id = p_alarm.tenant_id and entry.alarm_id = p_alarm.id and entry.kind = 'missed'
      and entry.at > p_seen_at + p_slack
  );
end
$$;
comment on function internal.has_grown_since(kith.alarms, timestamptz, interval) is
  'Whether the sender of an alarm has called for help in it, or another day''s miss has joined it, since somebody read '
  'of it: what they say then is not about that. p_slack is how much later the miss must be: the pings of one day can '
  'be judged one after the other. False if nobody knows when they read of it (null).';
