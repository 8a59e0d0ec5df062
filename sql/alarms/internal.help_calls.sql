-- Calls for help: the alarm that one opens or joins, and how many there may be.

create or replace function internal.reachable(p_tenant integer, p_users uuid[], p_by_phone boolean) returns uuid[]
  language plpgsql
  stable
as $$
declare
  v_channels text[] := array(select channel from kith.channel_credentials where tenant_id = p_tenant);
begin
  -- Where Kith sends nothing, the tenant's own server does.
  if v_channels = '{}' then
    return p_users;
  end if;
  return array(
    select person.id
    from kith.users as person
    where person.tenant_id = p_tenant and person.id = any (p_users) and person.deleted_at is null and (
      person.email_verified_at is not null and 'email' = any (v_channels)
      or p_by_phone and person.phone_verified_at is not null and (
        'voice' = any (v_channels) or 'sms' = any (v_channels) and not internal.has_stopped_texts(p_tenant, person.phone)
      )
      or exists (
        select from kith.devices as device
        where device.tenant_id = p_tenant and device.user_id = person.id
          and (device.platform = 'ios' and 'apns' = any (v_channels) or device.public_key is not null and 'web_push' = any (v_channels))
      )
    )
  );
end
$$;
comment on function internal.reachable(integer, uuid[], boolean) is
  'Those of some people to whom an alarm can be sent at all: they have a device or a confirmed contact for a channel that the tenant has; '
  'p_by_phone: texts and calls count. Of a tenant without a channel, everybody.';

create or replace function internal.connections_to_help(p_tenant integer, p_user uuid) returns uuid[]
  language plpgsql
  stable
as $$
declare
  v_connections uuid[] := array(
    select id from kith.connections where tenant_id = p_tenant and sender_id = p_user and status = 'active' order by id
  );
begin
  if internal.reachable(
    p_tenant, array(select receiver_id from kith.connections where tenant_id = p_tenant and id = any (v_connections)), true
  ) = '{}' then
    v_connections := v_connections || array(
      select id from kith.connections where tenant_id = p_tenant and sender_id = p_user and status = 'paused' order by id
    );
  end if;
  return v_connections;
end
$$;
comment on function internal.connections_to_help(integer, uuid) is
  'Whom a call for help reaches (K05): the receivers of active connections, on a break too, and those of paused ones if nobody else can be '
  'reached.';

create or replace function internal.calls_for_help(p_tenant integer, p_user uuid, p_now timestamptz) returns integer
  language plpgsql
  stable
as $$
declare
  v_since timestamptz := p_now - interval '24 hours';
begin
  return (
    -- Those that others have ended, perhaps falsely, do not use up what the sender has.
    select count(*) filter (where not call.is_others) + greatest(count(*) filter (where call.is_others) - 30, 0)
    from (
      select coalesce(alarm.outcome in ('safe', 'help_called'), false) as is_others from kith.alarms as alarm
      where alarm.tenant_id = p_tenant and alarm.sender_id = p_user and alarm.called_at > v_since
      union all
      -- Each call after the first one in an alarm.
      select coalesce(alarm.outcome in ('safe', 'help_called'), false) from kith.alarms as alarm
      join kith.alarm_entries as entry on entry.tenant_id = p_tenant and entry.alarm_id = alarm.id
      where alarm.tenant_id = p_tenant and alarm.sender_id = p_user and alarm.expires_at > v_since
        and entry.kind = 'help' and entry.at > v_since and entry.at <> alarm.called_at
    ) as call
  );
end
$$;
comment on function internal.calls_for_help(integer, uuid, timestamptz) is
  'How often a user has called for help in 24 hours (K05). Of the calls in alarms that others have ended, the first thirty do not count: '
  'false words of a receiver must not make the next calls quieter.';

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
      where entry.tenant_id = p_alarm.tenant_id and entry.alarm_id = p_alarm.id and entry.kind in ('resolved', 'reopened') and entry.at > v_last_at
    )
    or btrim(p_note) <> '' and (
      select count(*) < 200 and coalesce(bool_and(entry.note is distinct from btrim(p_note) or entry.at < v_last_at - interval '2 minutes'), true)
      from kith.alarm_entries as entry
      where entry.tenant_id = p_alarm.tenant_id and entry.alarm_id = p_alarm.id and entry.kind = 'help'
    );
end
$$;
comment on function internal.calls_again(kith.alarms, text, timestamptz) is
  'Whether somebody who has called for help in this alarm calls again, and has not just tapped twice (K05): two minutes later, after '
  'somebody has ended the alarm, or with another note, of which 200 an alarm count. For internal.call_for_help.';

create or replace function internal.tell_of_help(p_alarm kith.alarms, p_tells_all boolean, p_calls integer, p_now timestamptz) returns integer
  language plpgsql
as $$
declare
  v_before uuid[] := array(select user_id from internal.alarm_audience(p_alarm, null, p_now));
  v_reached uuid[];
begin
  perform internal.add_receivers(p_alarm, internal.connections_to_help(p_alarm.tenant_id, p_alarm.sender_id), true, p_now);
  -- All tiers at once, those who are in the alarm already included.
  update kith.alarm_receivers as receiver set told_at = p_now
  where receiver.tenant_id = p_alarm.tenant_id and receiver.alarm_id = p_alarm.id and receiver.told_at is null and receiver.left_at is null;
  v_reached := internal.reachable(
    p_alarm.tenant_id, array(select user_id from internal.alarm_audience(p_alarm, null, p_now)), p_calls < 30
  );
  perform internal.tell_of_sender(
    p_alarm, 'help_requested',
    array(
      select person.user_id from internal.alarm_audience(p_alarm, null, p_now) as person
      where (p_tells_all or person.user_id <> all (v_before)) and (p_calls < 30 or person.user_id = any (v_reached))
    ),
    case when p_calls >= 10 then jsonb '{"without_texts": true}' else '{}' end, p_now
  );
  return cardinality(v_reached);
end
$$;
comment on function internal.tell_of_help(kith.alarms, boolean, integer, timestamptz) is
  'Tells the receivers of a call for help, whatever their tiers: all of them, or those who have not been told (K05). Returns how many have '
  'been told and can be reached. p_calls is how often the sender has called in 24 hours before: from the eleventh call on, texts and calls '
  'go only to those who have nothing else, and from the thirty-first on to nobody. For procedures that have locked the alarm.';

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
    from kith.connections as connection
    join kith.alarms as alarm
      on alarm.tenant_id = v_tenant and alarm.sender_id = connection.sender_id and alarm.resolved_at is null and alarm.kind = 'help'
    where connection.tenant_id = v_tenant and connection.id = any (p_connections) and connection.status = 'active'
    order by alarm.id
  loop
    v_alarm := internal.lock_alarm(v_tenant, v_id, p_now);
    if v_alarm.resolved_at is null then
      perform internal.tell_of_help(v_alarm, false, 0, p_now);
      v_alarm := internal.set_next(v_alarm, p_now);
      perform internal.emit_alarm(v_alarm, v_id, p_now);
    end if;
  end loop;
end
$$;
comment on function internal.join_help(uuid[], timestamptz) is
  'Tells the receivers of connections that have just become active of a call for help of their sender that is still open (K05). For '
  'definer procedures.';

create or replace function internal.call_for_help(
  p_tenant integer, p_user uuid, p_note text, p_location jsonb, p_source text, p_now timestamptz,
  out alarm_id uuid, out told integer, out created boolean
)
  language plpgsql
as $$
declare
  v_alarm kith.alarms;
  v_calls integer;
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
  created := v_alarm.id is null;
  v_calls := internal.calls_for_help(p_tenant, p_user, p_now);
  v_is_call := created or v_alarm.kind <> 'help' or internal.calls_again(v_alarm, p_note, p_now);
  if v_is_call then
    perform internal.end_drill(p_tenant, p_user, p_now);
    v_alarm := internal.open_for_help(p_tenant, p_user, p_now);
    if v_alarm.desk_at is not null and internal.has_desk(p_tenant, p_now) then
      update kith.alarms set desk_told_at = p_now where tenant_id = p_tenant and id = v_alarm.id returning * into v_alarm;
    end if;
  end if;
  -- A second tap too tells whoever was not there at the first.
  told := internal.tell_of_help(v_alarm, v_is_call, v_calls, p_now);
  v_alarm := internal.set_next(v_alarm, p_now);
  if v_is_call then
    if not created or btrim(p_note) <> '' then
      v_entry := internal.add_entry(v_alarm, 'help', p_user, null, p_note, null, p_now);
    end if;
    -- A new alarm has opened, also when there is a note.
    perform internal.emit_alarm(v_alarm, case when not created then v_entry end, p_now);
  end if;
  alarm_id := v_alarm.id;
end
$$;
comment on function internal.call_for_help(integer, uuid, text, jsonb, text, timestamptz) is
  '"I need help" (K05), by anybody, through every door. Opens an alarm of kind help, or makes the open one an alarm of that kind, and tells '
  'all receivers at once, whatever their tiers, and the desk of the plan, if the tenant has one (internal.has_desk). Each further call tells them '
  'again; a second tap (internal.calls_again) adds nothing. It is never refused: from the eleventh call of 24 hours on (internal.calls_for_help), texts '
  'and calls are left out for whoever can be reached otherwise. told is how many people have been told of this call and can be reached; created, whether '
  'the alarm is new. p_location is what internal.keep_place takes, or null; p_source how it came. Raises unauthenticated if the account has ended. The '
  'caller has set the tenant.';

create or replace function internal.unresolved_alarm(p_tenant integer, p_user uuid, p_now timestamptz) returns kith.alarms
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
  'The one alarm of a sender that is not resolved, locked, and with what has become due in the meantime recorded. Null if there is none.';

create or replace function internal.open_for_help(p_tenant integer, p_user uuid, p_now timestamptz) returns kith.alarms
  language plpgsql
as $$
declare
  v_plan kith.alarm_plans := internal.plan_of(p_tenant, p_user);
  v_alarm kith.alarms;
begin
  insert into kith.alarms as former (
    tenant_id, id, sender_id, kind, opened_at, counts_from, called_at, take_minutes, repeats_at, desk_at, expires_at, next_at
  )
  values (
    p_tenant, internal.uuid7(p_now), p_user, 'help', p_now, p_now, p_now, v_plan.take_minutes,
    internal.instants_after(p_now, v_plan.repeat_minutes), case when v_plan.desk_tier is not null then p_now end, p_now + interval '7 days', p_now
  )
  on conflict (tenant_id, sender_id) where resolved_at is null and kind <> 'drill' do update
  -- It stays open or taken. The repeats begin anew: somebody has just called for help.
  set kind = 'help', called_at = coalesce(former.called_at, p_now), counts_from = p_now, repeats_at = excluded.repeats_at, repeats_told = 0,
    desk_at = coalesce(former.desk_at, excluded.desk_at), expires_at = excluded.expires_at
  returning * into v_alarm;
  return v_alarm;
end
$$;
comment on function internal.open_for_help(integer, uuid, timestamptz) is
  'Opens an alarm of kind help, or turns the unresolved one of the sender into one, and begins its repeats anew. called_at is the first '
  'call; internal.last_called_at the last. For internal.call_for_help.';
