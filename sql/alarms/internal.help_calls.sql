-- Calls for help: the alarm that one opens or joins, and how many there may be.

create or replace function internal.receivers_of(p_tenant integer, p_connections uuid[]) returns uuid[]
  language plpgsql
  stable
as $$
begin
  return array(
    select connection.receiver_id
    from unnest(p_connections) as key (id)
    cross join lateral (
      select one.receiver_id from kith.connections as one where one.tenant_id = p_tenant and one.id = key.id offset 0
    ) as connection
  );
end
$$;
comment on function internal.receivers_of(integer, uuid[])
  is 'The receivers of some connections, each looked up by its key.';

create or replace function internal.connections_to_help(p_tenant integer, p_user uuid) returns uuid[]
  language plpgsql
  stable
as $$
declare
  v_connections uuid[] := array(
    select id from kith.connections where tenant_id = p_tenant and sender_id = p_user and status = 'active' order by id
  );
begin
  if internal.reachable(p_tenant, internal.receivers_of(p_tenant, v_connections), true) = '{}' then
    v_connections := v_connections || array(
      select id from kith.connections where tenant_id = p_tenant and sender_id = p_user and status = 'paused'
      order by id
    );
  end if;
  return v_connections;
end
$$;
comment on function internal.connections_to_help(integer, uuid) is
  'Whom a call for help reaches (K05): the receivers of active connections, on a break too, and those of paused ones '
  'if nobody else can be reached.';

create or replace function internal.is_heard(p_tenant integer, p_user uuid) returns boolean
  language plpgsql
  stable
as $$
declare
  -- Once: in a condition, a plan may call it for each connection of the tenant.
  v_connections uuid[] := internal.connections_to_help(p_tenant, p_user);
begin
  return internal.reachable(p_tenant, internal.receivers_of(p_tenant, v_connections), true) <> '{}';
end
$$;
comment on function internal.is_heard(integer, uuid)
  is 'Whether a call for help of a user would reach anybody now. For internal.link_json.';

create or replace function internal.most_calls() returns integer
  language sql
  immutable
  parallel safe
as $$
  select 10
$$;
comment on function internal.most_calls() is
  'How many calls for help of somebody in 24 hours are told each as it comes, and how many of them a number gets by '
  'text and call (K05).';

create or replace function internal.calls_for_help(p_tenant integer, p_user uuid, p_now timestamptz) returns integer
  language plpgsql
  stable
as $$
declare
  v_since timestamptz := p_now - interval '24 hours';
begin
  return (
    select count(*)
    from (
      select from kith.alarms as alarm
      where alarm.tenant_id = p_tenant and alarm.sender_id = p_user and alarm.called_at > v_since
      union all
      -- Each call after the first one in an alarm.
      select from kith.alarms as alarm
      join kith.alarm_entries as entry on entry.tenant_id = p_tenant and entry.alarm_id = alarm.id
      where alarm.tenant_id = p_tenant and alarm.sender_id = p_user and alarm.expires_at > v_since
        and entry.kind = 'help' and entry.at > v_since and entry.at <> alarm.called_at
    ) as call
  );
end
$$;
comment on function internal.calls_for_help(integer, uuid, timestamptz) is
  'How often a user has called for help in 24 hours. It bounds what further calls write in a call that is open, never '
  'its first word (K05).';

create or replace function internal.calls_again(p_alarm kith.alarms, p_note text, p_now timestamptz) returns boolean
  language plpgsql
  stable
as $$
declare
  v_last_at timestamptz := internal.last_called_at(p_alarm);
begin
  return p_now >= v_last_at + interval '2 minutes'
    or exists (
      select from kith.alarm_entries as entry
      where entry.tenant_id = p_alarm.tenant_id and entry.alarm_id = p_alarm.id
        and entry.kind in ('resolved', 'reopened') and entry.at > v_last_at
    )
    or btrim(p_note) <> '' and not exists (
      select from kith.alarm_entries as entry
      where entry.tenant_id = p_alarm.tenant_id and entry.alarm_id = p_alarm.id and entry.kind = 'help'
        and entry.note = btrim(p_note) and entry.at >= v_last_at - interval '2 minutes'
    );
end
$$;
comment on function internal.calls_again(kith.alarms, text, timestamptz) is
  'Whether somebody who has called for help in this alarm calls again, and has not just tapped twice (K05): two '
  'minutes later, after somebody has ended the alarm, or with another note. For internal.call_for_help.';

create or replace function internal.tell_of_help(
  p_alarm kith.alarms, p_is_first boolean, p_is_further boolean, p_is_many boolean, p_now timestamptz
)
  returns integer
  language plpgsql
as $$
declare
  v_before uuid[] := array(select user_id from internal.alarm_audience(p_alarm, null, p_now));
begin
  perform internal.add_receivers(p_alarm, internal.connections_to_help(p_alarm.tenant_id, p_alarm.sender_id), p_now);
  -- All tiers at once, those who are in the alarm already included.
  update kith.alarm_receivers as receiver set told_at = p_now
  where receiver.tenant_id = p_alarm.tenant_id and receiver.alarm_id = p_alarm.id and receiver.told_at is null
    and receiver.left_at is null;
  if p_is_first and p_is_many then
    perform internal.delete_withdrawn(p_alarm);
  end if;
  perform internal.tell_of_sender(
    p_alarm, 'help_requested',
    array(
      select person.user_id from internal.alarm_audience(p_alarm, null, p_now) as person
      where p_is_first or person.user_id <> all (v_before)
    ),
    '{}', p_now
  );
  if p_is_further then
    perform internal.tell_of_sender(
      p_alarm, 'help_requested',
      array(
        select receiver.receiver_id
        from kith.alarm_receivers as receiver
        where receiver.tenant_id = p_alarm.tenant_id and receiver.alarm_id = p_alarm.id
          and receiver.receiver_id = any (v_before)
          and (not p_is_many or internal.last_told_at(p_alarm, receiver, p_now) <= p_now - interval '10 minutes')
      ),
      '{"further": true}', p_now
    );
  end if;
  return internal.count_told(p_alarm, p_now);
end
$$;
comment on function internal.tell_of_help(kith.alarms, boolean, boolean, boolean, timestamptz) is
  'Tells the receivers of a call for help, whatever their tiers (K05): those who have not been told of the alarm, all '
  'of them if it is the first word of the call (p_is_first), and, of a further call in it, those who were told before '
  '(p_is_further). If these are many (p_is_many), each of them at most once in 10 minutes: they have a message that '
  'leads to the newest note. No limit leaves out a first word. Returns how many have been told (internal.count_told). '
  'For procedures that have locked the alarm.';

create or replace function internal.delete_withdrawn(p_alarm kith.alarms) returns void
  language plpgsql
as $$
begin
  with withdrawn as (
    delete from kith.notifications as note
    using kith.alarm_receivers as receiver
    where receiver.tenant_id = p_alarm.tenant_id and receiver.alarm_id = p_alarm.id
      and note.tenant_id = receiver.tenant_id and note.user_id = receiver.receiver_id
      and note.id >= internal.first_uuid7(p_alarm.opened_at - interval '1 minute')
      and note.data ->> 'alarm_id' = p_alarm.id::text and note.delivery_status = 'dropped' and note.read_at is null
      -- The newest one says how the call ended (internal.write_end).
      and (
        note.type in ('help_requested', 'ping_all_clear')
        or note.type = 'alarm_resolved' and note.data ->> 'outcome' = 'false_alarm'
      )
    returning note.id
  )
  delete from kith.deliveries as delivery
  using withdrawn
  where delivery.tenant_id = p_alarm.tenant_id and delivery.notification_id = withdrawn.id
    and delivery.status = 'dropped';
end
$$;
comment on function internal.delete_withdrawn(kith.alarms) is
  'Deletes the words of a call for help that were withdrawn when it ended (internal.withdraw_unheard), because the '
  'sender calls again and new ones are written. So calling and ending in turn fills no table, and each word comes by '
  'every way on which notifications do. For internal.tell_of_help.';

create or replace function internal.join_help(p_connections uuid[], p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_id uuid;
  v_alarm kith.alarms;
begin
  for v_id in
    select distinct alarm.id
    from unnest(p_connections) as own (id)
    -- A look-up for each row, as in internal.leave_alarms.
    cross join lateral (
      select sender_id from kith.connections
      where tenant_id = v_tenant and connections.id = own.id and status = 'active' offset 0
    ) as connection
    cross join lateral (
      select id
      from kith.alarms
      where tenant_id = v_tenant and sender_id = connection.sender_id and resolved_at is null and kind = 'help'
      offset 0
    ) as alarm
    order by alarm.id
  loop
    v_alarm := internal.lock_alarm(v_tenant, v_id, p_now);
    if v_alarm.resolved_at is null then
      perform internal.tell_of_help(v_alarm, false, false, false, p_now);
      v_alarm := internal.set_next(v_alarm, p_now);
      perform internal.emit_alarm(v_alarm, v_id, p_now);
    end if;
  end loop;
end
$$;
comment on function internal.join_help(uuid[], timestamptz) is
  'Tells the receivers of connections that have just become active of a call for help of their sender that is still '
  'open (K05). For definer procedures.';

create or replace function internal.call_for_help(
  p_tenant integer, p_user uuid, p_note text, p_location jsonb, p_source text, p_now timestamptz,
  out alarm_id uuid, out told integer, out created boolean
)
  language plpgsql
as $$
declare
  v_alarm kith.alarms;
  v_is_many boolean;
  v_is_first boolean;
  v_is_call boolean;
  v_entry uuid;
begin
  -- Two taps happen one after the other.
  perform from kith.users where tenant_id = p_tenant and id = p_user and deleted_at is null for no key update;
  if not found then
    raise exception 'unauthenticated' using errcode = 'KT401';
  end if;
  perform internal.keep_place(p_tenant, p_user, p_location, p_now);
  v_alarm := internal.unresolved_alarm(p_tenant, p_user, p_now);
  v_is_many := internal.calls_for_help(p_tenant, p_user, p_now) >= internal.most_calls();
  v_is_first := v_alarm.id is null or v_alarm.kind <> 'help';
  v_is_call := v_is_first or internal.calls_again(v_alarm, p_note, p_now);
  created := v_alarm.id is null and not (v_is_many and internal.goes_on_with_help(p_tenant, p_user, p_now));
  if v_is_call then
    perform internal.end_drill(p_tenant, p_user, p_now);
    v_alarm := internal.open_for_help(p_tenant, p_user, v_is_first or not v_is_many, p_now);
    if v_alarm.desk_at is not null and internal.has_desk(p_tenant, p_now) then
      update kith.alarms set desk_told_at = p_now where tenant_id = p_tenant and id = v_alarm.id returning *
      into v_alarm;
    end if;
  end if;
  -- A second tap too tells whoever was not there at the first.
  told := internal.tell_of_help(v_alarm, v_is_first, v_is_call and not v_is_first, v_is_many, p_now);
  v_alarm := internal.set_next(v_alarm, p_now);
  if v_is_call then
    -- Nothing that its alarm has met before keeps the worker from going on with it.
    update kith.set_aside set retry_at = p_now
    where tenant_id = p_tenant and loop = 'tell_alarms' and key = v_alarm.id::text;
    v_entry := case
      when not created or btrim(p_note) <> '' then internal.note_call(v_alarm, p_note, v_is_many, p_now)
    end;
    if v_is_first or v_entry is not null then
      -- A new alarm has opened, also when there is a note.
      perform internal.emit_alarm(v_alarm, case when not created then v_entry end, p_now);
    end if;
  end if;
  alarm_id := v_alarm.id;
end
$$;
comment on function internal.call_for_help(integer, uuid, text, jsonb, text, timestamptz) is
  '"I need help" (K05), by anybody, through every door. Opens an alarm of kind help, or makes the open one an alarm of '
  'that kind, and tells all receivers at once, whatever their tiers, and the desk of the plan, if the tenant has one '
  '(internal.has_desk). Each further call tells them again; a second tap (internal.calls_again) adds nothing. It is '
  'never refused: beyond ten calls in 24 hours, those that follow one that the sender has just ended go on with its '
  'alarm, and further calls in an open one keep the newest note and tell each receiver at most once in 10 minutes. '
  'told is how many people have been told and can be reached; created, whether the alarm is new. p_location is what '
  'internal.keep_place takes, or null; p_source how it came. Raises unauthenticated if the account has ended. The '
  'caller has set the tenant.';

create or replace function internal.goes_on_with_help(p_tenant integer, p_user uuid, p_now timestamptz) returns boolean
  language plpgsql
as $$
begin
  update kith.alarms as former
  set resolved_at = null, resolved_by = null, outcome = null, awaits_check_in = false,
    -- Its seven days may have passed; the call gives it others (internal.open_for_help).
    next_at = least(p_now, former.expires_at)
  where former.tenant_id = p_tenant and former.kind = 'help' and former.resolved_at > p_now - interval '10 minutes'
    and former.outcome in ('checked_in', 'false_alarm')
    and former.id = (
      select alarm.id from kith.alarms as alarm
      where alarm.tenant_id = p_tenant and alarm.sender_id = p_user and alarm.kind <> 'drill'
      order by alarm.id desc
      limit 1
    );
  return found;
end
$$;
comment on function internal.goes_on_with_help(integer, uuid, timestamptz) is
  'Opens the sender''s last call for help again, if they ended it themselves in the last 10 minutes, and returns '
  'whether they did: beyond ten calls in 24 hours, calling and ending in turn is one alarm. For '
  'internal.call_for_help, where no alarm is open.';

create or replace function internal.note_call(p_alarm kith.alarms, p_note text, p_is_many boolean, p_now timestamptz)
  returns uuid
  language plpgsql
as $$
begin
  if p_is_many then
    update kith.alarm_entries as entry
    set at = p_now, note = coalesce(nullif(btrim(p_note), ''), entry.note)
    where entry.tenant_id = p_alarm.tenant_id and entry.alarm_id = p_alarm.id and entry.id = (
      select newest.id from kith.alarm_entries as newest
      where newest.tenant_id = p_alarm.tenant_id and newest.alarm_id = p_alarm.id and newest.kind = 'help'
        and newest.id >= internal.first_uuid7(p_now - interval '1 minute')
      order by newest.id desc
      limit 1
    );
    if found then
      return null;
    end if;
  end if;
  return internal.add_entry(p_alarm, 'help', p_alarm.sender_id, null, p_note, null, p_now);
end
$$;
comment on function internal.note_call(kith.alarms, text, boolean, timestamptz) is
  'Writes a call for help into the timeline of its alarm, and returns the entry. Of many (p_is_many) there is one line '
  'a minute, with the newest note; then it returns null. For internal.call_for_help.';

create or replace function internal.unresolved_alarm(p_tenant integer, p_user uuid, p_now timestamptz)
  returns kith.alarms
  language plpgsql
as $$
declare
  v_alarm kith.alarms;
begin
  select * into v_alarm
  from kith.alarms
  where tenant_id = p_tenant and sender_id = p_user and resolved_at is null and kind <> 'drill'
  for update;
  if found then
    v_alarm := internal.settle_alarm(v_alarm, p_now);
  end if;
  if v_alarm.resolved_at is not null then
    return null;
  end if;
  return v_alarm;
end
$$;
comment on function internal.unresolved_alarm(integer, uuid, timestamptz) is
  'The one alarm of a sender that is not resolved, locked, and with what has become due in the meantime recorded. Null '
  'if there is none.';

create or replace function internal.open_for_help(
  p_tenant integer, p_user uuid, p_repeats_anew boolean, p_now timestamptz
)
  returns kith.alarms
  language plpgsql
as $$
declare
  v_plan kith.alarm_plans := internal.plan_of(p_tenant, p_user);
  v_alarm kith.alarms;
begin
  insert into kith.alarms as former (
    tenant_id, id, sender_id, kind, opened_at, counts_from, called_at, take_minutes, repeats_at, desk_at, expires_at,
    next_at
  )
  values (
    p_tenant, internal.uuid7(p_now), p_user, 'help', p_now, p_now, p_now, v_plan.take_minutes,
    internal.instants_after(p_now, v_plan.repeat_minutes), case when v_plan.desk_tier is not null then p_now end,
    p_now + interval '7 days', p_now
  )
  on conflict (tenant_id, sender_id) where resolved_at is null and kind <> 'drill' do update
  -- It stays open or taken. The repeats begin anew: somebody has just called for help.
  set kind = 'help', called_at = coalesce(former.called_at, p_now),
    counts_from = case when p_repeats_anew then p_now else former.counts_from end,
    repeats_at = case when p_repeats_anew then excluded.repeats_at else former.repeats_at end,
    repeats_told = case when p_repeats_anew then 0 else former.repeats_told end,
    desk_at = coalesce(former.desk_at, excluded.desk_at),
    expires_at = case when p_repeats_anew then excluded.expires_at else former.expires_at end
  returning * into v_alarm;
  return case when p_repeats_anew then v_alarm else internal.add_repeats(v_alarm, p_now) end;
end
$$;
comment on function internal.open_for_help(integer, uuid, boolean, timestamptz) is
  'Opens an alarm of kind help, or turns the unresolved one of the sender into one, and begins its repeats anew '
  '(p_repeats_anew), or goes on with them: whoever calls again and again must not push them off for ever. called_at is '
  'the first call; internal.last_called_at the last. For internal.call_for_help.';

create or replace function internal.texts_of_help_from(
  p_tenant_id integer, p_id uuid, p_user_id uuid, p_data jsonb, p_now timestamptz
)
  returns timestamptz
  language plpgsql
  stable
as $$
declare
  v_day_ago uuid := internal.first_uuid7(p_now - interval '24 hours');
  v_words integer;
  v_last_at timestamptz;
begin
  -- The further tries of a call are of the same word.
  select count(distinct note.id),
    max(coalesce(text.sent_at, case text.channel when 'sms' then text.next_attempt_at else text.created_at end))
  into v_words, v_last_at
  from kith.notifications as note
  join kith.deliveries as text on text.tenant_id = p_tenant_id and text.notification_id = note.id
  where note.tenant_id = p_tenant_id and note.user_id = p_user_id and note.id >= v_day_ago and note.id <> p_id
    and note.type = 'help_requested' and note.data ->> 'user_id' = p_data ->> 'user_id'
    and text.id >= v_day_ago and internal.goes_by_phone(text.channel)
    -- What waits is of a call that may have ended; only the words of this call wait for each other.
    and (
      text.status = 'sent' or text.status in ('queued', 'sending') and note.data ->> 'alarm_id' = p_data ->> 'alarm_id'
    );
  return case when v_words >= internal.most_calls() then v_last_at + interval '10 minutes' end;
end
$$;
comment on function internal.texts_of_help_from(integer, uuid, uuid, jsonb, timestamptz) is
  'From when a call for help is told to somebody by text and call, if they have had ten of this sender by these in 24 '
  'hours: 10 minutes after the last one. Null for fewer. What was withdrawn, failed or waits for an earlier call does '
  'not count: the limit is of what was sent, not of what was done (K05). For internal.recipients and '
  'internal.count_told.';
