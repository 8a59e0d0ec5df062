-- An alarm: open ─take→ taken ─release, time, leaving→ open; either ─resolve, check-in, time→ resolved ─reopen→ open.
-- docs/alarms.md draws it. The status follows from the row and the instant, as that of emergency access does. The
-- worker tells people and records what time has done; each act records it first (internal.lock_alarm), so nothing
-- depends on when the worker comes.

create or replace function internal.lapse_time() returns interval
  language sql
  immutable
  parallel safe
as $$
  select interval '10 minutes'
$$;
comment on function internal.lapse_time() is
  'How long a taker has to say that they still look after an alarm, after they were asked (K02).';

create or replace function internal.alarm_status(p_alarm kith.alarms, p_now timestamptz) returns text
  language plpgsql
  stable
  parallel safe
as $$
begin
  return case
    when p_alarm.resolved_at is not null or p_alarm.expires_at <= p_now then 'resolved'
    when greatest(p_alarm.taken_until, p_alarm.checked_at) + internal.lapse_time() > p_now then 'taken'
    else 'open'
  end;
end
$$;
comment on function internal.alarm_status(kith.alarms, timestamptz)
  is 'The status of an alarm at an instant: open, taken or resolved.';

create or replace function internal.untold_in_alarm(p_tenant integer, p_alarm_id uuid)
  returns table (tell_at timestamptz)
  language sql
  stable
as $$
  select min(receiver.tell_at)
  from kith.alarm_receivers as receiver
  where receiver.tenant_id = p_tenant and receiver.alarm_id = p_alarm_id and receiver.told_at is null
    and receiver.left_at is null
$$;
comment on function internal.untold_in_alarm(integer, uuid) is
  'When the next tier of an alarm is told. Null if nobody waits for it. Returns a table of one row, which the planner '
  'can inline.';

create or replace function internal.next_in_alarm(
  p_expires_at timestamptz, p_taken_until timestamptz, p_checked_at timestamptz, p_repeat_at timestamptz,
  p_untold_at timestamptz
) returns timestamptz
  language sql
  stable
  parallel safe
as $$
  select least(p_expires_at, case
    when p_taken_until is null then least(p_repeat_at, p_untold_at)
    else least(
      case
        when p_checked_at is null then p_taken_until
        else greatest(p_taken_until, p_checked_at) + internal.lapse_time()
      end,
      p_untold_at + internal.longest_take()
    )
  end)
$$;
comment on function internal.next_in_alarm(timestamptz, timestamptz, timestamptz, timestamptz, timestamptz) is
  'When the next thing happens in an alarm that is not resolved, by its columns, its next repeat, and when the next '
  'tier or the desk is told. A single expression, which the planner can inline. For internal.alarm_next_at and '
  'batches.';

create or replace function internal.alarm_next_at(p_alarm kith.alarms, p_now timestamptz) returns timestamptz
  language plpgsql
  stable
as $$
declare
  v_untold_at timestamptz;
begin
  if p_alarm.resolved_at is not null then
    return null;
  end if;
  v_untold_at := least(
    case when p_alarm.desk_told_at is null then p_alarm.desk_at end,
    (select untold.tell_at from internal.untold_in_alarm(p_alarm.tenant_id, p_alarm.id) as untold)
  );
  return internal.next_in_alarm(
    p_alarm.expires_at, p_alarm.taken_until, p_alarm.checked_at, p_alarm.repeats_at[p_alarm.repeats_told + 1],
    v_untold_at
  );
end
$$;
comment on function internal.alarm_next_at(kith.alarms, timestamptz) is
  'When the next thing happens in an alarm by time alone: a tier or the desk is told, everybody is told again, the '
  'taker is asked, a take lapses, or it expires. Null for a resolved one.';

create or replace function internal.set_next(p_alarm kith.alarms, p_now timestamptz) returns kith.alarms
  language plpgsql
as $$
begin
  p_alarm.next_at := internal.alarm_next_at(p_alarm, p_now);
  update kith.alarms set next_at = p_alarm.next_at where tenant_id = p_alarm.tenant_id and id = p_alarm.id;
  return p_alarm;
end
$$;
comment on function internal.set_next(kith.alarms, timestamptz) is
  'Records when the worker has something to do with an alarm next, and returns the alarm. For procedures that have '
  'locked and changed it.';

create or replace function internal.add_entry(
  p_alarm kith.alarms, p_kind text, p_user_id uuid, p_desk text, p_note text, p_outcome text, p_now timestamptz
) returns uuid
  language plpgsql
as $$
declare
  v_id uuid := internal.uuid7(p_now);
begin
  insert into kith.alarm_entries (tenant_id, alarm_id, id, at, kind, user_id, desk, note, outcome)
  values (p_alarm.tenant_id, p_alarm.id, v_id, p_now, p_kind, p_user_id, p_desk, nullif(btrim(p_note), ''), p_outcome);
  return v_id;
end
$$;
comment on function internal.add_entry(kith.alarms, text, uuid, text, text, text, timestamptz) is
  'Writes an entry of an alarm''s timeline, and returns its id, for internal.emit_alarm. For definer procedures.';

create or replace function internal.alarm_readers(p_tenant integer, p_alarm_id uuid, p_sender_id uuid)
  returns table (user_id uuid)
  language sql
  stable
as $$
  select p_sender_id
  union all
  select receiver.receiver_id
  from kith.alarm_receivers as receiver
  where receiver.tenant_id = p_tenant and receiver.alarm_id = p_alarm_id and receiver.told_at is not null
    and receiver.left_at is null
$$;
comment on function internal.alarm_readers(integer, uuid, uuid) is
  'On whose screens an alarm shows: its sender, and everybody who was told and has not left.';

create or replace function internal.emit_alarm(p_alarm kith.alarms, p_entry uuid, p_now timestamptz) returns void
  language plpgsql
as $$
begin
  insert into kith.events (tenant_id, id, user_id, type, subject_id, parent_id)
  select p_alarm.tenant_id, internal.uuid7(p_now), reader.user_id, 'alarm', p_alarm.id, p_entry
  from internal.alarm_readers(p_alarm.tenant_id, p_alarm.id, p_alarm.sender_id) as reader;
end
$$;
comment on function internal.emit_alarm(kith.alarms, uuid, timestamptz) is
  'Emits an event about an alarm to the sender and to everybody who was told. p_entry is the entry of the timeline '
  'that says what changed; the id of the alarm itself means that people were told, and null that it opened. For '
  'definer procedures.';

create or replace function internal.knows_person(p_alarm kith.alarms, p_reader_id uuid, p_person_id uuid)
  returns boolean
  language plpgsql
  stable
as $$
begin
  return p_person_id is not null and (
    p_person_id in (p_reader_id, p_alarm.sender_id) or p_reader_id = p_alarm.sender_id
    or exists (
      select from kith.alarm_plans as plan
      where plan.tenant_id = p_alarm.tenant_id and plan.user_id = p_alarm.sender_id and plan.receivers_know_each_other
    ) and not exists (
      select from kith.blocks as block
      where block.tenant_id = p_alarm.tenant_id
        and (block.user_id, block.blocked_id) in ((p_reader_id, p_person_id), (p_person_id, p_reader_id))
    )
  );
end
$$;
comment on function internal.knows_person(kith.alarms, uuid, uuid) is
  'Whether a reader of an alarm reads the name of a person in it: their own, the sender''s, each one if the reader is '
  'the sender, and that of another receiver where the sender lets their receivers know each other (K01), and neither '
  'has blocked the other.';

create or replace function internal.last_told_at(
  p_alarm kith.alarms, p_receiver kith.alarm_receivers, p_now timestamptz
)
  returns timestamptz
  language plpgsql
  stable
as $$
declare
  v_from uuid := internal.first_uuid7(p_receiver.told_at - interval '1 minute');
begin
  return coalesce(
    (
      select note.created_at
      from kith.notifications as note
      where note.tenant_id = p_alarm.tenant_id and note.user_id = p_receiver.receiver_id and note.id >= v_from
        and note.data ? 'alarm_id' and note.data ->> 'alarm_id' = p_alarm.id::text and internal.is_alarm(note.type)
        and note.created_at <= p_now
      order by note.id desc
      limit 1
    ),
    p_receiver.told_at
  );
end
$$;
comment on function internal.last_told_at(kith.alarms, kith.alarm_receivers, timestamptz) is
  'When a receiver was last told of an alarm, by its notifications: at its opening, in a repeat, or when it opened '
  'again.';

create or replace function internal.alarm_audience(p_alarm kith.alarms, p_except uuid, p_now timestamptz)
  returns table (user_id uuid, connection_id uuid, breaks boolean)
  language sql
  stable
as $$
  select receiver.receiver_id, receiver.connection_id,
    coalesce(
      -- Told just before quiet hours, they are looking for somebody now.
      telling.at > p_now - interval '3 hours'
        or internal.quiet_until(telling.at, quiet.starts_at, quiet.ends_at, account.time_zone) > telling.at, false
    )
  from kith.alarm_receivers as receiver
  join kith.users as account
    on account.tenant_id = receiver.tenant_id and account.id = receiver.receiver_id and account.deleted_at is null
  left join kith.quiet_hours as quiet on quiet.tenant_id = receiver.tenant_id and quiet.user_id = receiver.receiver_id
  cross join lateral (
    select case when quiet.user_id is not null then internal.last_told_at(p_alarm, receiver, p_now) end as at offset 0
  ) as telling
  where receiver.tenant_id = (p_alarm).tenant_id and receiver.alarm_id = (p_alarm).id and receiver.told_at is not null
    and receiver.left_at is null and receiver.receiver_id is distinct from p_except
$$;
comment on function internal.alarm_audience(kith.alarms, uuid, timestamptz) is
  'Those who were told of an alarm and still have a part in it, except one, each with the connection to the sender, '
  'and whether what becomes of it goes through their quiet hours: they were last told of it in the last 3 hours, or '
  'the alarm broke through their quiet hours then. For a drill nothing does.';

create or replace function internal.alarm_data(p_alarm kith.alarms) returns jsonb
  language sql
  stable
  parallel safe
as $$
  select jsonb_build_object('alarm_id', (p_alarm).id, 'kind', (p_alarm).kind)
    || case when (p_alarm).kind = 'drill' then jsonb '{"drill": true}' else '{}' end
$$;
comment on function internal.alarm_data(kith.alarms) is 'What the data of every notification about an alarm has.';

create or replace function internal.tell_of_sender(
  p_alarm kith.alarms, p_type text, p_receivers uuid[], p_data jsonb, p_now timestamptz, p_rank integer default 0
) returns void
  language plpgsql
as $$
begin
  perform internal.notify(
    p_type, array_agg(p_alarm.tenant_id), array_agg(person.user_id),
    array_agg(
      internal.alarm_data(p_alarm)
      || jsonb_build_object('connection_id', person.connection_id, 'user_id', p_alarm.sender_id) || p_data
        || case
          when p_type = 'alarm_resolved' and person.breaks and p_alarm.kind <> 'drill' then jsonb '{"breaks": true}'
          else '{}'
        end
      order by person.user_id
    ),
    p_now, p_rank => p_rank
  )
  from (
    select audience.* from internal.alarm_audience(p_alarm, null, p_now) as audience
    where p_receivers is null or audience.user_id = any (p_receivers)
    order by audience.user_id
  ) as person;
end
$$;
comment on function internal.tell_of_sender(kith.alarms, text, uuid[], jsonb, timestamptz, integer) is
  'Notifies those who were told of an alarm, or only p_receivers of them, with a text that names its sender. For '
  'definer procedures.';

create or replace function internal.tell_of_person(
  p_alarm kith.alarms, p_type text, p_person_id uuid, p_desk text, p_data jsonb, p_now timestamptz,
  p_heard uuid[] default null
) returns void
  language plpgsql
as $$
begin
  perform internal.notify(
    p_type, array_agg(p_alarm.tenant_id), array_agg(person.user_id order by person.user_id),
    array_agg(
      internal.alarm_data(p_alarm) || p_data
        -- The sender reads what they call the receiver.
        || case
          when not person.is_sender then jsonb_build_object('sender_connection_id', person.connection_id)
          when person.connection_id is not null
            then jsonb_build_object('to', 'sender', 'connection_id', person.connection_id)
          else '{"to": "sender"}'
        end
        || case
          when p_desk is not null then jsonb '{"desk": true}'
          when person.knows then jsonb_build_object('user_id', p_person_id)
          else '{}'
        end
        || case
          when not person.is_sender and person.user_id <> all (p_heard) then jsonb '{"late": true, "breaks": true}'
          when person.breaks and p_alarm.kind <> 'drill' then jsonb '{"breaks": true}'
          else '{}'
        end
      order by person.user_id
    ),
    p_now, p_names => array_agg(p_desk)
  )
  from (
    select audience.user_id, audience.connection_id, audience.breaks, false as is_sender,
      internal.knows_person(p_alarm, audience.user_id, p_person_id) as knows
    from internal.alarm_audience(p_alarm, p_person_id, p_now) as audience
    union all
    select p_alarm.sender_id, (
        select receiver.connection_id from kith.alarm_receivers as receiver
        where receiver.tenant_id = p_alarm.tenant_id and receiver.alarm_id = p_alarm.id
          and receiver.receiver_id = p_person_id
      ),
      -- Who called for help waits for it, and whoever has help on its way to their door must open.
      p_alarm.kind = 'help' or p_data ->> 'outcome' = 'help_called', true, p_person_id is not null
    where p_person_id is distinct from p_alarm.sender_id
  ) as person;
end
$$;
comment on function internal.tell_of_person(kith.alarms, text, uuid, text, jsonb, timestamptz, uuid[]) is
  'Notifies those who were told of an alarm, and its sender, of what a person did, but not that person. A receiver who '
  'may not know the person reads "another receiver". Of a person of the desk everybody reads the name. It breaks '
  'through the quiet hours of those who were last told in the last 3 hours, or through whose quiet hours the alarm '
  'broke (K00), and of a sender who has called for help, or for whom somebody has (K13). To whoever is not among '
  'p_heard, if that is given, it is the first word of the alarm: it says so, and is as urgent. For definer procedures.';

create or replace function internal.end_take(p_alarm kith.alarms, p_kind text, p_user_id uuid, p_now timestamptz)
  returns kith.alarms
  language plpgsql
as $$
begin
  return internal.open_taken(p_alarm, p_kind, coalesce(p_user_id, p_alarm.taken_by), null, null, p_now);
end
$$;
comment on function internal.end_take(kith.alarms, text, uuid, timestamptz) is
  'Opens a taken alarm again: its taker gave it back, did not answer, or left. For procedures that have locked it.';

create or replace function internal.open_taken(
  p_alarm kith.alarms, p_kind text, p_user_id uuid, p_desk text, p_note text, p_now timestamptz
) returns kith.alarms
  language plpgsql
as $$
begin
  update kith.alarms
  set taken_by = null, taken_by_desk = null, taken_at = null, taken_until = null, checked_at = null,
    -- Repeats go on by their instants: what passed while somebody had it is left out (K00).
    repeats_told = (select count(*) from unnest(repeats_at) as repeat (at) where at <= p_now),
    -- Tiers whose minutes have passed meanwhile are told at once.
    next_at = p_now
  where tenant_id = p_alarm.tenant_id and id = p_alarm.id
  returning * into p_alarm;
  p_alarm := internal.add_repeats(p_alarm, p_now);
  perform internal.tell_of_sender(
    p_alarm, 'alarm_reopened', null, case when p_kind = 'reopened' then jsonb '{"was": "taken"}' else '{}' end, p_now
  );
  perform internal.tell_sender_of_opening(p_alarm, p_now);
  perform internal.emit_alarm(
    p_alarm, internal.add_entry(p_alarm, p_kind, p_user_id, p_desk, p_note, null, p_now), p_now
  );
  return p_alarm;
end
$$;
comment on function internal.open_taken(kith.alarms, text, uuid, text, text, timestamptz) is
  'Opens a taken alarm again, with who did what (p_kind). Everybody who was told is told, and the sender, who waits '
  'for the taker. For procedures that have locked it.';

create or replace function internal.tell_sender_of_opening(p_alarm kith.alarms, p_now timestamptz) returns void
  language plpgsql
as $$
begin
  -- Where nobody is left, internal.go_on_without tells the sender.
  if exists (select from internal.alarm_audience(p_alarm, null, p_now)) then
    perform internal.notify(
      'alarm_reopened', array[p_alarm.tenant_id], array[p_alarm.sender_id],
      array[internal.alarm_data(p_alarm) || '{"to": "sender", "again": true}'], p_now
    );
  end if;
end
$$;
comment on function internal.tell_sender_of_opening(kith.alarms, timestamptz) is
  'Tells the sender of an alarm that nobody looks after it any more, and that the receivers are told again. For '
  'definer procedures.';

create or replace function internal.further_repeats(
  p_repeats_at timestamptz[], p_repeat_minutes integer[], p_now timestamptz
)
  returns timestamptz[]
  language sql
  stable
  parallel safe
as $$
  select case
    when coalesce(p_repeats_at[cardinality(p_repeats_at)] <= p_now, true) and p_repeat_minutes[1:2] <> '{}'
      -- The last ones stay: by their number, the new ones take the louder channels.
      then p_repeats_at[greatest(cardinality(p_repeats_at) - 1, 1):]
        || internal.instants_after(p_now, p_repeat_minutes[1:2])
  end
$$;
comment on function internal.further_repeats(timestamptz[], integer[], timestamptz) is
  'The repeats of an alarm in which something has happened that must not be the last that anybody hears, where none is '
  'left: the first two of the sender''s plan, counted from now, after the two last ones (K04). Null where one is left, '
  'and for a plan without repeats. A single expression, which the planner can inline.';

create or replace function internal.add_repeats(p_alarm kith.alarms, p_now timestamptz) returns kith.alarms
  language plpgsql
as $$
declare
  v_repeats_at timestamptz[];
begin
  v_repeats_at := internal.further_repeats(
    p_alarm.repeats_at, (internal.plan_of(p_alarm.tenant_id, p_alarm.sender_id)).repeat_minutes, p_now
  );
  if p_alarm.resolved_at is null and v_repeats_at is not null then
    update kith.alarms
    set repeats_at = v_repeats_at, repeats_told = least(cardinality(p_alarm.repeats_at), 2)
    where tenant_id = p_alarm.tenant_id and id = p_alarm.id
    returning * into p_alarm;
  end if;
  return p_alarm;
end
$$;
comment on function internal.add_repeats(kith.alarms, timestamptz) is
  'Adds internal.further_repeats to an alarm that is not resolved. For procedures that have locked it, and call '
  'internal.set_next.';

create or replace function internal.resolve_row(
  p_alarm kith.alarms, p_outcome text, p_user_id uuid, p_desk text, p_now timestamptz
) returns kith.alarms
  language plpgsql
as $$
begin
  update kith.alarms
  set resolved_at = p_now, resolved_by = p_user_id, resolved_by_desk = p_desk, outcome = p_outcome, taken_by = null,
    taken_by_desk = null, taken_at = null, taken_until = null, checked_at = null, next_at = null,
    awaits_check_in = p_outcome in ('safe', 'help_called', 'expired') and kind <> 'drill'
  where tenant_id = p_alarm.tenant_id and id = p_alarm.id
  returning * into p_alarm;
  return p_alarm;
end
$$;
comment on function internal.resolve_row(kith.alarms, text, uuid, text, timestamptz) is
  'Marks an alarm as resolved, and returns it. For procedures that have locked it, and tell people.';

create or replace function internal.expire_alarm(p_alarm kith.alarms, p_now timestamptz) returns kith.alarms
  language plpgsql
as $$
begin
  p_alarm := internal.resolve_row(p_alarm, 'expired', null, null, p_now);
  perform internal.emit_alarm(p_alarm, internal.add_entry(p_alarm, 'expired', null, null, null, null, p_now), p_now);
  return p_alarm;
end
$$;
comment on function internal.expire_alarm(kith.alarms, timestamptz) is
  'Ends an alarm that nobody resolved within 7 days, or in which nobody is left. Nobody is notified. For procedures '
  'that have locked it.';

create or replace function internal.settle_alarm(p_alarm kith.alarms, p_now timestamptz) returns kith.alarms
  language plpgsql
as $$
begin
  if p_alarm.resolved_at is null and p_alarm.expires_at <= p_now then
    return internal.expire_alarm(p_alarm, p_now);
  elsif greatest(p_alarm.taken_until, p_alarm.checked_at) + internal.lapse_time() <= p_now then
    return internal.end_take(p_alarm, 'lapsed', null, p_now);
  end if;
  return p_alarm;
end
$$;
comment on function internal.settle_alarm(kith.alarms, timestamptz) is
  'Records what has become due in the meantime: a lapsed take, or an expiry after 7 days. A take lapses 10 minutes '
  'after its taker was asked, or should have been. The worker asks first, however late it comes. For procedures that '
  'have locked the alarm.';

create or replace function internal.lock_alarm(p_tenant integer, p_id uuid, p_now timestamptz) returns kith.alarms
  language plpgsql
as $$
declare
  v_alarm kith.alarms;
begin
  select * into v_alarm from kith.alarms where tenant_id = p_tenant and id = p_id for update;
  if not found then
    perform internal.refuse_not_found();
  end if;
  return internal.settle_alarm(v_alarm, p_now);
end
$$;
comment on function internal.lock_alarm(integer, uuid, timestamptz) is
  'Locks an alarm, so that acts happen one after the other, records what has become due in the meantime (a lapsed '
  'take, an expiry), and returns it. Raises not_found.';

create or replace function internal.part_in_alarm(p_alarm kith.alarms, p_user uuid) returns text
  language plpgsql
  stable
as $$
begin
  return case
    when p_alarm.sender_id = p_user then 'sender'
    when exists (
      select from kith.alarm_receivers as receiver
      where receiver.tenant_id = p_alarm.tenant_id and receiver.alarm_id = p_alarm.id and receiver.receiver_id = p_user
        and receiver.told_at is not null and receiver.left_at is null
    ) then 'receiver'
  end;
end
$$;
comment on function internal.part_in_alarm(kith.alarms, uuid) is
  'What a user is in an alarm: sender, or receiver if they were told and have not left. Null for everybody else, for '
  'whom it does not exist.';

create or replace function internal.receivers_alarm(p_tenant integer, p_id uuid, p_user uuid, p_now timestamptz)
  returns kith.alarms
  language plpgsql
as $$
declare
  v_alarm kith.alarms := internal.lock_alarm(p_tenant, p_id, p_now);
  v_part text := internal.part_in_alarm(v_alarm, p_user);
begin
  if v_part is null then
    perform internal.refuse_not_found();
  elsif v_part = 'sender' then
    raise exception 'forbidden'
      using errcode = 'KT403',
      detail = 'Only the people who were told about the alarm can do this. To end it yourself, check in.';
  end if;
  return v_alarm;
end
$$;
comment on function internal.receivers_alarm(integer, uuid, uuid, timestamptz) is
  'An alarm, locked, for an act that only those may do who were told of it. Raises not_found for others, and forbidden '
  'for its sender.';
