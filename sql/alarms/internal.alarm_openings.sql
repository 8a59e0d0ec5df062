-- How an alarm opens by a miss, by a question without an answer, or as a drill. A call for help is in internal.help_calls.sql.

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
      one.tier, time.at as tell_at, time.at <= p_now as is_told
    from internal.tiers_of_pings(p_missed) as one
    left join kith.alarms as alarm
      on alarm.tenant_id = (one.ping).tenant_id and alarm.sender_id = (one.ping).sender_id and alarm.resolved_at is null
        and alarm.kind <> 'drill'
    cross join lateral (select alarm.counts_from + internal.wait_of_tier(one.plan, one.tier, one.first_tier) as at) as time
  ), concerned as (
    insert into kith.alarm_receivers (tenant_id, alarm_id, receiver_id, connection_id, tier, tell_at, told_at)
    select distinct on (known.tenant_id, known.alarm_id, known.receiver_id) known.tenant_id, known.alarm_id, known.receiver_id,
      known.connection_id, known.tier, known.tell_at, case when known.is_told then p_now end
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
      select known.tenant_id, known.receiver_id, known.alarm_id from known where known.is_new and known.is_told
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
    where ping.tenant_id = waiting.tenant_id and ping.ping_on = waiting.ping_on and ping.connection_id = waiting.connection_id
      -- With it, each index that fits finds a few rows, whatever the planner knows.
      and ping.sender_id = waiting.sender_id;
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
      if v_alarm.resolved_at is null and v_alarm.expires_at <= p_now + interval '3 hours' then
        -- The miss of the eighth day must not join an alarm that ends before anybody can act in it.
        v_alarm := internal.expire_alarm(v_alarm, p_now);
      end if;
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
    select told || array_agg(ping) filter (where receiver.told_at is not null), waiting || array_agg(ping) filter (where receiver.told_at is null)
    into told, waiting
    from unnest(v_sender.pings) as ping
    join kith.alarm_receivers as receiver
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
