-- How an alarm opens: by a miss, by a call for help, by a question without an answer, or as a drill.

create or replace function internal.default_repeats() returns integer[]
  language sql
  immutable
  parallel safe
as $$
  select array[30, 120]
$$;
comment on function internal.default_repeats() is 'After how many minutes everybody who was told is told again, unless the sender chose (K04).';

create or replace function internal.instants_after(p_from timestamptz, p_minutes integer[]) returns timestamptz[]
  language plpgsql
  stable
  parallel safe
as $$
begin
  return array(select p_from + make_interval(mins => after.minutes) from unnest(p_minutes) as after (minutes) order by after.minutes);
end
$$;
comment on function internal.instants_after(timestamptz, integer[]) is 'The instants some minutes after another one, in order.';

create or replace function internal.last_outage_end(p_now timestamptz) returns timestamptz
  language plpgsql
  stable
as $$
begin
  return (select max(ended_at) from kith.outages where ended_at <= p_now);
end
$$;
comment on function internal.last_outage_end(timestamptz) is
  'When the last outage of Kith ended. The judgement of a ping whose deadline was before had to wait for it: the minutes of its alarm count '
  'from the judgement. Otherwise they count from the deadline, however busy the worker is (K00). Null if there was none.';

create or replace function internal.last_tier(p_plan kith.alarm_plans) returns integer
  language plpgsql
  stable
as $$
declare
  v_last integer := coalesce(cardinality(p_plan.after_minutes), 1);
begin
  if v_last > 1 and p_plan.desk_tier = v_last and not exists (
    select from kith.alarm_plan_receivers as member
    where member.tenant_id = p_plan.tenant_id and member.user_id = p_plan.user_id and member.tier = v_last
  ) then
    return v_last - 1;
  end if;
  return v_last;
end
$$;
comment on function internal.last_tier(kith.alarm_plans) is
  'The tier of receivers whom a plan names in none (K04): the last one, unless that is the desk''s alone. Null is the default plan.';

create or replace function internal.first_tier(p_plan kith.alarm_plans, p_tenant integer, p_connections uuid[]) returns integer
  language plpgsql
  stable
as $$
begin
  return (
    select min(coalesce(member.tier, internal.last_tier(p_plan)))
    from kith.connections as connection
    left join kith.alarm_plan_receivers as member
      on member.tenant_id = p_tenant and member.user_id = p_plan.user_id and member.connection_id = connection.id
    where connection.tenant_id = p_tenant and connection.id = any (p_connections) and connection.status <> 'deleted'
  );
end
$$;
comment on function internal.first_tier(kith.alarm_plans, integer, uuid[]) is
  'The first tier of a plan that has one of these connections. Null if none is left.';

create or replace function internal.wait_of_tier(p_plan kith.alarm_plans, p_tier integer, p_first integer) returns interval
  language sql
  immutable
  parallel safe
as $$
  select make_interval(mins => coalesce(
    (p_plan).after_minutes[p_tier] - (p_plan).after_minutes[coalesce(p_first, 1)] + (p_plan).after_minutes[1], 0
  ))
$$;
comment on function internal.wait_of_tier(kith.alarm_plans, integer, integer) is
  'How long a tier waits in an alarm whose first receivers are in the tier p_first (K04): tiers before it, which have nobody, delay '
  'nothing. Null is the default plan, in which nobody waits.';

create or replace function internal.tiers_of_pings(p_pings kith.pings[])
  returns table (ping kith.pings, plan kith.alarm_plans, tier integer, first_tier integer, has_left boolean)
  language sql
  stable
as $$
  select ping, plan, placed.tier,
    min(placed.tier) filter (where connection.status <> 'deleted') over (partition by ping.tenant_id, ping.sender_id),
    connection.status = 'deleted'
  from unnest(p_pings) as ping
  join kith.connections as connection on connection.tenant_id = ping.tenant_id and connection.id = ping.connection_id
  left join kith.alarm_plans as plan on plan.tenant_id = ping.tenant_id and plan.user_id = ping.sender_id
  left join kith.alarm_plan_receivers as member
    on member.tenant_id = ping.tenant_id and member.user_id = ping.sender_id and member.connection_id = ping.connection_id
  cross join lateral (
    select case when plan.user_id is null then 1 else coalesce(member.tier, internal.last_tier(plan)) end as tier
  ) as placed
$$;
comment on function internal.tiers_of_pings(kith.pings[]) is
  'Missed pings with their senders'' plans: the tier of each receiver, the first one that has somebody, and whether the receiver has been '
  'removed since. Returns a table, which the planner can inline. For internal.open_missed_alarms.';

create or replace function internal.insert_missed_alarms(p_missed kith.pings[], p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_outage_ended_at timestamptz := coalesce(internal.last_outage_end(p_now), '-infinity');
begin
  insert into kith.alarms (
    tenant_id, id, sender_id, kind, opened_at, counts_from, take_minutes, repeats_at, desk_at, expires_at, next_at
  )
  select sender.tenant_id, internal.uuid7(p_now), sender.sender_id, 'missed', p_now, sender.counts_from, coalesce(plan.take_minutes, 30),
    time.repeats_at,
    case when plan.desk_tier is not null then
      sender.counts_from + internal.wait_of_tier(plan, plan.desk_tier, internal.first_tier(plan, sender.tenant_id, sender.connections))
    end,
    p_now + interval '7 days',
    -- With a plan, the worker comes at once and finds what is next. Without one, the first repeat is.
    case when plan.user_id is null then greatest(time.repeats_at[1], p_now) else p_now end
  from (
    select one.tenant_id, one.sender_id,
      min(case when one.judge_at is not null or v_outage_ended_at > one.deadline_at then p_now else least(one.deadline_at, p_now) end) as counts_from,
      array_agg(one.connection_id) as connections
    from unnest(p_missed) as one
    group by one.tenant_id, one.sender_id
  ) as sender
  left join kith.alarm_plans as plan on plan.tenant_id = sender.tenant_id and plan.user_id = sender.sender_id
  cross join lateral (
    select internal.instants_after(sender.counts_from, coalesce(plan.repeat_minutes, internal.default_repeats())) as repeats_at offset 0
  ) as time
  order by sender.tenant_id, sender.sender_id
  on conflict (tenant_id, sender_id) where resolved_at is null and kind <> 'drill' do nothing;
end
$$;
comment on function internal.insert_missed_alarms(kith.pings[], timestamptz) is
  'Inserts an alarm for each sender of the missed pings who has none. For internal.open_missed_alarms.';

create or replace function internal.open_missed_alarms(p_missed kith.pings[], p_now timestamptz) returns kith.pings[]
  language plpgsql
as $$
declare
  v_told kith.pings[];
  v_waiting kith.pings[];
  v_joining kith.pings[];
begin
  if p_missed is null then
    return null;
  end if;
  perform internal.end_drills(p_missed, p_now);
  perform internal.insert_missed_alarms(p_missed, p_now);
  -- Everything is found by its key. A join of the batch with itself would read it once for each of its rows.
  with known as materialized (
    select one.ping, (one.ping).tenant_id, (one.ping).sender_id, (one.ping).receiver_id, (one.ping).connection_id, alarm.id as alarm_id,
      coalesce(alarm.kind = 'missed' and alarm.opened_at = p_now, false) as is_new,
      one.tier, time.at as tell_at, one.has_left, time.at <= p_now or one.has_left as is_told
    from internal.tiers_of_pings(p_missed) as one
    left join kith.alarms as alarm
      on alarm.tenant_id = (one.ping).tenant_id and alarm.sender_id = (one.ping).sender_id and alarm.resolved_at is null
        and alarm.kind <> 'drill'
    cross join lateral (select alarm.counts_from + internal.wait_of_tier(one.plan, one.tier, one.first_tier) as at) as time
  ), concerned as (
    insert into kith.alarm_receivers (tenant_id, alarm_id, receiver_id, connection_id, tier, tell_at, told_at, left_at)
    select distinct on (known.tenant_id, known.alarm_id, known.receiver_id) known.tenant_id, known.alarm_id, known.receiver_id,
      known.connection_id, known.tier, known.tell_at, case when known.is_told then p_now end,
      -- Whoever is removed since the deadline hears of the miss, and nothing more.
      case when known.has_left then p_now end
    from known
    where known.is_new
    order by known.tenant_id, known.alarm_id, known.receiver_id
    on conflict do nothing
  ), shown as (
    insert into kith.events (tenant_id, id, user_id, type, subject_id)
    select reader.tenant_id, internal.uuid7(p_now), reader.user_id, 'alarm', reader.alarm_id
    from (
      select known.tenant_id, known.sender_id as user_id, known.alarm_id from known where known.is_new
      union
      select known.tenant_id, known.receiver_id, known.alarm_id from known where known.is_new and known.is_told and not known.has_left
    ) as reader
  )
  select array_agg(known.ping) filter (where known.is_new and known.is_told),
    array_agg(known.ping) filter (where known.is_new and not known.is_told),
    array_agg(known.ping) filter (where not known.is_new)
  into v_told, v_waiting, v_joining
  from known;
  if v_joining is not null then
    select v_told || joined.told, v_waiting || joined.waiting into v_told, v_waiting from internal.join_alarms(v_joining, p_now) as joined;
  end if;
  perform internal.unmark_pings(v_waiting);
  return v_told;
end
$$;
comment on function internal.open_missed_alarms(kith.pings[], timestamptz) is
  'Opens an alarm for each sender of the missed pings, or lets the miss join the one that is open or taken (K01). Returns the pings whose '
  'receivers are told now; the others are told when the minutes of their tiers have passed, by worker.tell_alarms. Two statements for a '
  'whole batch, unless a miss joins an alarm or waits for a tier. For internal.miss_of_pings, which has locked the pings.';

create or replace function internal.unmark_pings(p_pings kith.pings[]) returns void
  language plpgsql
as $$
begin
  if p_pings is not null then
    update kith.pings as ping
    set alarmed_at = null
    from unnest(p_pings) as waiting
    where ping.tenant_id = waiting.tenant_id and ping.ping_on = waiting.ping_on and ping.connection_id = waiting.connection_id;
  end if;
end
$$;
comment on function internal.unmark_pings(kith.pings[]) is
  'Takes back that the receivers of these pings have been told: their tiers come later, and a check-in before then brings them no '
  'all-clear. For internal.open_missed_alarms.';

create or replace function internal.join_alarms(p_missed kith.pings[], p_now timestamptz, out told kith.pings[], out waiting kith.pings[])
  language plpgsql
as $$
declare
  v_sender record;
  v_alarm kith.alarms;
  v_new kith.pings[];
begin
  for v_sender in
    select ping.tenant_id, ping.sender_id, array_agg(ping) as pings
    from unnest(p_missed) as ping
    group by ping.tenant_id, ping.sender_id
    order by ping.tenant_id, ping.sender_id
  loop
    select * into v_alarm
    from kith.alarms
    where tenant_id = v_sender.tenant_id and sender_id = v_sender.sender_id and resolved_at is null and kind <> 'drill'
    for update;
    if found then
      v_alarm := internal.settle_alarm(v_alarm, p_now);
    end if;
    if v_alarm.id is null or v_alarm.resolved_at is not null then
      -- It has expired, or somebody has resolved it in this moment: the miss opens one of its own.
      v_new := internal.open_missed_alarms(v_sender.pings, p_now);
      told := told || v_new;
      continue;
    end if;
    perform internal.add_receivers(
      v_alarm, array(select ping.connection_id from unnest(v_sender.pings) as ping), internal.alarm_status(v_alarm, p_now) = 'open', p_now
    );
    -- Whoever is removed since the deadline has no part in it, and hears of the miss.
    select told || array_agg(ping) filter (where receiver.told_at is not null or receiver.receiver_id is null),
      waiting || array_agg(ping) filter (where receiver.told_at is null and receiver.receiver_id is not null)
    into told, waiting
    from unnest(v_sender.pings) as ping
    left join kith.alarm_receivers as receiver
      on receiver.tenant_id = v_alarm.tenant_id and receiver.alarm_id = v_alarm.id and receiver.connection_id = ping.connection_id
        and receiver.left_at is null;
    v_alarm := internal.set_next(internal.add_repeats(v_alarm, p_now), p_now);
    perform internal.emit_alarm(v_alarm, internal.add_entry(v_alarm, 'missed', null, null, null, null, p_now), p_now);
  end loop;
end
$$;
comment on function internal.join_alarms(kith.pings[], timestamptz) is
  'K00: a new miss joins the open or taken alarm of its sender. Those who were told are told once more; others by their tiers. Returns the '
  'pings whose receivers are told now, and the others. For internal.open_missed_alarms.';

create or replace function internal.add_receivers(p_alarm kith.alarms, p_connections uuid[], p_tells boolean, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_plan kith.alarm_plans;
  v_first integer;
begin
  select * into v_plan from kith.alarm_plans where tenant_id = p_alarm.tenant_id and user_id = p_alarm.sender_id;
  v_first := least(
    internal.first_tier(v_plan, p_alarm.tenant_id, p_connections),
    (
      select min(receiver.tier) from kith.alarm_receivers as receiver
      where receiver.tenant_id = p_alarm.tenant_id and receiver.alarm_id = p_alarm.id and receiver.left_at is null
    )
  );
  insert into kith.alarm_receivers as former (tenant_id, alarm_id, receiver_id, connection_id, tier, tell_at, told_at)
  select p_alarm.tenant_id, p_alarm.id, connection.receiver_id, connection.id, placed.tier, time.at,
    case when p_tells and time.at <= p_now then p_now end
  from kith.connections as connection
  left join kith.alarm_plan_receivers as member
    on member.tenant_id = p_alarm.tenant_id and member.user_id = p_alarm.sender_id and member.connection_id = connection.id
  cross join lateral (select coalesce(member.tier, internal.last_tier(v_plan)) as tier) as placed
  cross join lateral (select p_alarm.counts_from + internal.wait_of_tier(v_plan, placed.tier, v_first) as at) as time
  where connection.tenant_id = p_alarm.tenant_id and connection.id = any (p_connections) and connection.status <> 'deleted'
  on conflict (tenant_id, alarm_id, receiver_id) do update
  -- Whoever has left and is connected again has a part again, as somebody new.
  set left_at = null, connection_id = excluded.connection_id, tell_at = excluded.tell_at,
    told_at = case when former.left_at is null then coalesce(former.told_at, excluded.told_at) else excluded.told_at end;
end
$$;
comment on function internal.add_receivers(kith.alarms, uuid[], boolean, timestamptz) is
  'Adds receivers to an alarm by their tiers, counted as for all. Those whose time has come count as told, if p_tells: the caller tells '
  'them. Returns nothing. For procedures that have locked it.';

create or replace function internal.end_drills(p_pings kith.pings[], p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_drill record;
begin
  for v_drill in
    select distinct drill.tenant_id, drill.sender_id
    from unnest(p_pings) as ping
    join kith.alarms as drill
      on drill.tenant_id = ping.tenant_id and drill.sender_id = ping.sender_id and drill.resolved_at is null and drill.kind = 'drill'
    order by drill.tenant_id, drill.sender_id
  loop
    perform internal.end_drill(v_drill.tenant_id, v_drill.sender_id, p_now);
  end loop;
end
$$;
comment on function internal.end_drills(kith.pings[], timestamptz) is
  'internal.end_drill for the senders of missed pings. For internal.open_missed_alarms.';

create or replace function internal.end_drill(p_tenant integer, p_user uuid, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_drill kith.alarms;
begin
  select * into v_drill
  from kith.alarms
  where tenant_id = p_tenant and sender_id = p_user and resolved_at is null and kind = 'drill'
  for update;
  if not found then
    return;
  end if;
  v_drill := internal.expire_alarm(v_drill, p_now);
  -- Without the mark of a drill, which would call this a drill too. It comes at the hour at which the alarm comes.
  perform internal.notify(
    'alarm_resolved', array_agg(p_tenant), array_agg(person.user_id),
    array_agg(internal.alarm_data(v_drill) - 'drill' || jsonb_build_object(
      'connection_id', person.connection_id, 'user_id', p_user, 'outcome', 'drill_over', 'breaks', true
    )),
    p_now
  )
  from internal.alarm_audience(v_drill, null, p_now) as person;
end
$$;
comment on function internal.end_drill(integer, uuid, timestamptz) is
  'Ends a sender''s drill because a real alarm opens (K10), and tells everybody who was told of it, through quiet hours, before the alarm '
  'does. For whatever opens an alarm.';

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
    update kith.alarms set desk_told_at = case when desk_at is not null then p_now end
    where tenant_id = p_tenant and id = v_alarm.id
    returning * into v_alarm;
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
  'all receivers at once, whatever their tiers. Each further call tells them again; a second tap (internal.calls_again) adds nothing. It is '
  'never refused: from the eleventh call of 24 hours on (internal.calls_for_help), texts and calls are left out for whoever can be reached '
  'otherwise. told is how many people have been told of this call and can be reached; created, whether the alarm is new. p_location is '
  'what internal.keep_place takes, or null; p_source how it came. Raises unauthenticated if the account has ended. The caller has set the '
  'tenant.';

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

create or replace function internal.plan_of(p_tenant integer, p_user uuid) returns kith.alarm_plans
  language plpgsql
  stable
as $$
declare
  v_plan kith.alarm_plans;
begin
  select * into v_plan from kith.alarm_plans where tenant_id = p_tenant and user_id = p_user;
  if not found then
    v_plan.tenant_id := p_tenant;
    v_plan.user_id := p_user;
    v_plan.after_minutes := array[0];
    v_plan.repeat_minutes := internal.default_repeats();
    v_plan.take_minutes := 30;
    v_plan.answer_minutes := 30;
    v_plan.receivers_know_each_other := false;
  end if;
  return v_plan;
end
$$;
comment on function internal.plan_of(integer, uuid) is
  'The plan of a sender, or the default: everybody at the deadline, again after 30 minutes and 2 hours, 30 minutes to take and to answer, '
  'and receivers do not know each other (K04).';

create or replace function internal.place_life() returns interval
  language sql
  immutable
  parallel safe
as $$
  select interval '7 days'
$$;
comment on function internal.place_life() is 'How long a place is kept and shown (K08).';

create or replace function internal.is_place_shown(p_place kith.places, p_now timestamptz) returns boolean
  language sql
  stable
  parallel safe
as $$
  select least((p_place).received_at, (p_place).located_at) > p_now - internal.place_life()
$$;
comment on function internal.is_place_shown(kith.places, timestamptz) is
  'Whether a place is still shown with the care card, and an alarm says that there is one (K08): for 7 days since the device was there. One '
  'without that instant counts from its arrival.';

create or replace function internal.keep_place(p_tenant integer, p_user uuid, p_location jsonb, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  -- A device's clock can be ahead.
  v_at timestamptz := least(coalesce((p_location ->> 'at')::timestamptz, p_now), p_now);
begin
  if coalesce(jsonb_typeof(p_location), 'null') = 'null' or v_at <= p_now - internal.place_life() then
    return;
  end if;
  insert into kith.places as former (tenant_id, user_id, sealed_key, sealed_place, received_at, located_at)
  values (p_tenant, p_user, decode(p_location ->> 'sealed_key', 'hex'), decode(p_location ->> 'sealed', 'hex'), p_now, v_at)
  on conflict (tenant_id, user_id) do update
  set sealed_key = excluded.sealed_key, sealed_place = excluded.sealed_place, received_at = excluded.received_at, located_at = excluded.located_at
  where coalesce(former.located_at, former.received_at) <= excluded.located_at;
end
$$;
comment on function internal.keep_place(integer, uuid, jsonb, timestamptz) is
  'Keeps where a user was at an instant (K08), in place of an older place: {sealed_key, sealed, at}, the first two in hexadecimal, as the server has '
  'sealed them. One that is more than 7 days old, and null, keep what is there: a wrong clock must keep nobody from calling for help.';
