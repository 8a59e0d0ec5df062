-- How an alarm opens by a miss, by a question without an answer, or as a drill. A call for help is in
-- internal.help_calls.sql.

create or replace function internal.insert_missed_alarms(p_missed kith.pings[], p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_outage_ended_at timestamptz := coalesce(internal.last_outage_end(p_now), '-infinity');
begin
  insert into kith.alarms (
    tenant_id, id, sender_id, kind, opened_at, counts_from, take_minutes, repeats_at, desk_at, expires_at, next_at
  )
  select sender.tenant_id, internal.uuid7(p_now), sender.sender_id, 'missed', p_now, sender.counts_from,
    coalesce(plan.take_minutes, 30), time.repeats_at,
    case when plan.desk_tier is not null then
      sender.counts_from + internal.wait_of_tier(
        plan, plan.desk_tier, internal.first_tier(plan, sender.tenant_id, sender.connections)
      )
    end,
    p_now + interval '7 days',
    -- With a plan, the worker comes at once and finds what is next. Without one, the first repeat is.
    case when plan.user_id is null then greatest(time.repeats_at[1], p_now) else p_now end
  from (
    select one.tenant_id, one.sender_id,
      min(
        case
          when one.judge_at is not null or v_outage_ended_at > one.deadline_at then p_now
          else least(one.deadline_at, p_now)
        end
      ) as counts_from,
      array_agg(one.connection_id) as connections
    from unnest(p_missed) as one
    group by one.tenant_id, one.sender_id
  ) as sender
  left join kith.alarm_plans as plan on plan.tenant_id = sender.tenant_id and plan.user_id = sender.sender_id
  cross join lateral (
    select internal.instants_after(
      sender.counts_from, coalesce(plan.repeat_minutes, internal.default_repeats())
    ) as repeats_at offset 0
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
  v_locked record;
  v_told kith.pings[];
  v_waiting kith.pings[];
begin
  if p_missed is null then
    return null;
  end if;
  perform internal.end_drills(p_missed, p_now);
  select * into v_locked from internal.lock_alarms_of_pings(p_missed, p_now);
  if v_locked.due is not null then
    -- Of these, some end now, and a miss opens another one.
    perform internal.settle_for_misses(v_locked.due, p_now);
    return internal.open_missed_alarms(p_missed, p_now);
  end if;
  if v_locked.joining is not null then
    select joined.told, joined.waiting into v_told, v_waiting
    from internal.join_alarms(
      v_locked.joining, v_locked.tenants, v_locked.alarms, v_locked.counts_from, p_now
    ) as joined;
    perform internal.unmark_pings(v_waiting);
  end if;
  return v_told || internal.open_new_alarms(v_locked.alone, p_now);
end
$$;
comment on function internal.open_missed_alarms(kith.pings[], timestamptz) is
  'Opens an alarm for each sender of the missed pings, or lets the miss join the one that is open or taken (K01). '
  'Returns the pings whose receivers are told now; the others are told when the minutes of their tiers have passed, by '
  'worker.tell_alarms. A few statements for a whole batch. For internal.miss_of_pings, which has locked the pings.';

create or replace function internal.open_new_alarms(p_missed kith.pings[], p_now timestamptz) returns kith.pings[]
  language plpgsql
as $$
declare
  v_told kith.pings[];
  v_waiting kith.pings[];
  v_others kith.pings[];
begin
  if p_missed is null then
    return null;
  end if;
  perform internal.insert_missed_alarms(p_missed, p_now);
  -- Everything is found by its key. A join of the batch with itself would read it once for each of its rows.
  with known as materialized (
    select one.ping, (one.ping).tenant_id, (one.ping).sender_id, (one.ping).receiver_id, (one.ping).connection_id,
      alarm.id as alarm_id, coalesce(alarm.kind = 'missed' and alarm.opened_at = p_now, false) as is_new,
      one.tier, time.at as tell_at, time.at <= p_now as is_told
    from internal.tiers_of_pings(p_missed) as one
    left join kith.alarms as alarm
      on alarm.tenant_id = (one.ping).tenant_id and alarm.sender_id = (one.ping).sender_id and alarm.resolved_at is null
        and alarm.kind <> 'drill'
    cross join lateral (
      select alarm.counts_from + internal.wait_of_tier(one.plan, one.tier, one.first_tier) as at
    ) as time
  ), concerned as (
    insert into kith.alarm_receivers (tenant_id, alarm_id, receiver_id, connection_id, tier, tell_at, told_at)
    select distinct on (known.tenant_id, known.alarm_id, known.receiver_id) known.tenant_id, known.alarm_id,
      known.receiver_id, known.connection_id, known.tier, known.tell_at, case when known.is_told then p_now end
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
  into v_told, v_waiting, v_others
  from known;
  perform internal.unmark_pings(v_waiting);
  -- Somebody else has opened an alarm for them in this moment.
  return v_told || internal.open_missed_alarms(v_others, p_now);
end
$$;
comment on function internal.open_new_alarms(kith.pings[], timestamptz) is
  'Opens an alarm for each sender of these missed pings, who had none. Two statements for a whole batch, unless '
  'somebody waits for a tier. For internal.open_missed_alarms, whose result it returns.';

create or replace function internal.unmark_pings(p_pings kith.pings[]) returns void
  language plpgsql
as $$
begin
  if p_pings is not null then
    update kith.pings as ping
    set alarmed_at = null
    from unnest(p_pings) as waiting
    where ping.tenant_id = waiting.tenant_id and ping.ping_on = waiting.ping_on
      and ping.connection_id = waiting.connection_id
      -- With it, each index that fits finds a few rows, whatever the planner knows.
      and ping.sender_id = waiting.sender_id;
  end if;
end
$$;
comment on function internal.unmark_pings(kith.pings[]) is
  'Takes back that the receivers of these pings have been told: their tiers come later, and a check-in before then '
  'brings them no all-clear. For internal.open_missed_alarms.';

create or replace function internal.join_alarms(
  p_missed kith.pings[], p_tenants integer[], p_alarms uuid[], p_counts_from timestamptz[], p_now timestamptz,
  out told kith.pings[], out waiting kith.pings[]
)
  language plpgsql
as $$
declare
  v_untold uuid[] := internal.add_receivers_to_alarms(
    p_tenants, p_alarms, p_counts_from, array(select ping.connection_id from unnest(p_missed) as ping), p_now
  );
begin
  if v_untold is null then
    told := p_missed;
  else
    select array_agg(ping) filter (where ping.connection_id <> all (v_untold)),
      array_agg(ping) filter (where ping.connection_id = any (v_untold))
    into told, waiting
    from unnest(p_missed) as ping;
  end if;
  perform internal.note_joined_misses(p_tenants, p_alarms, p_now);
end
$$;
comment on function internal.join_alarms(kith.pings[], integer[], uuid[], timestamptz[], timestamptz) is
  'K00: new misses join the open or taken alarms of their senders (p_tenants, p_alarms, p_counts_from: that of each '
  'miss). Those who were told are told once more; others by their tiers. Returns the pings whose receivers are told '
  'now, and the others. A few statements for a whole batch, because an alarm that nobody ends is joined every day. For '
  'internal.open_missed_alarms.';

create or replace function internal.lock_alarms_of_pings(
  p_missed kith.pings[], p_now timestamptz,
  out due kith.alarms[], out alone kith.pings[],
  out joining kith.pings[], out tenants integer[], out alarms uuid[], out counts_from timestamptz[]
)
  language plpgsql
as $$
begin
  with locked as materialized (
    select sender.pings, alarm.found
    from (
      select ping.tenant_id, ping.sender_id, array_agg(ping) as pings
      from unnest(p_missed) as ping
      group by ping.tenant_id, ping.sender_id
      order by ping.tenant_id, ping.sender_id
    ) as sender
    left join lateral (
      select one as found
      from kith.alarms as one
      where one.tenant_id = sender.tenant_id and one.sender_id = sender.sender_id and one.resolved_at is null
        and one.kind <> 'drill'
        -- One that another part of this batch has opened is as new to this part.
        and not (one.kind = 'missed' and one.opened_at = p_now)
      offset 0
      for update
    ) as alarm on true
  )
  select
    (
      select array_agg(locked.found)
      from locked
      -- The miss of the eighth day must not join an alarm that ends before anybody can act in it.
      where (locked.found).expires_at <= p_now + interval '3 hours'
        or (locked.found).taken_at is not null and internal.alarm_status(locked.found, p_now) = 'open'
    ),
    array_agg(ping) filter (where (locked.found).id is null),
    array_agg(ping) filter (where (locked.found).id is not null),
    array_agg((locked.found).tenant_id) filter (where (locked.found).id is not null),
    array_agg((locked.found).id) filter (where (locked.found).id is not null),
    array_agg((locked.found).counts_from) filter (where (locked.found).id is not null)
  into due, alone, joining, tenants, alarms, counts_from
  from locked
  cross join lateral unnest(locked.pings) as ping;
end
$$;
comment on function internal.lock_alarms_of_pings(kith.pings[], timestamptz) is
  'Locks the alarms of the senders of missed pings, in the order of their senders. Returns those that have expired, do '
  'so soon, or whose take has lapsed; the pings whose senders have no alarm; and the others, with the tenant and the '
  'alarm of each. For internal.open_missed_alarms.';

create or replace function internal.settle_for_misses(p_alarms kith.alarms[], p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_alarm kith.alarms;
begin
  foreach v_alarm in array p_alarms loop
    v_alarm := internal.settle_alarm(v_alarm, p_now);
    if v_alarm.resolved_at is null and v_alarm.expires_at <= p_now + interval '3 hours' then
      v_alarm := internal.expire_alarm(v_alarm, p_now);
    end if;
  end loop;
end
$$;
comment on function internal.settle_for_misses(kith.alarms[], timestamptz) is
  'Records what time has done to the alarms that internal.lock_alarms_of_pings returns as due, so that a miss can join '
  'them, or opens one of its own. For internal.open_missed_alarms.';

create or replace function internal.note_joined_misses(p_tenants integer[], p_alarms uuid[], p_now timestamptz)
  returns void
  language plpgsql
as $$
begin
  with joined as materialized (
    select own.tenant_id, own.id, alarm.sender_id, internal.uuid7(p_now) as entry_id, repeats.at as repeats_at,
      repeats.told as repeats_told, internal.next_in_alarm(
        alarm.expires_at, alarm.taken_until, alarm.checked_at, repeats.at[repeats.told + 1],
        least(case when alarm.desk_told_at is null then alarm.desk_at end, untold.tell_at)
      ) as next_at
    from (select distinct one.tenant_id, one.id from unnest(p_tenants, p_alarms) as one (tenant_id, id)) as own
    cross join lateral (
      select one.sender_id, one.expires_at, one.taken_until, one.checked_at, one.repeats_at, one.repeats_told,
        one.desk_at, one.desk_told_at
      from kith.alarms as one
      where one.tenant_id = own.tenant_id and one.id = own.id
      offset 0
    ) as alarm
    left join lateral (
      select one.repeat_minutes
      from kith.alarm_plans as one
      where one.tenant_id = own.tenant_id and one.user_id = alarm.sender_id
      offset 0
    ) as plan on true
    cross join lateral (
      select internal.further_repeats(
        alarm.repeats_at, coalesce(plan.repeat_minutes, internal.default_repeats()), p_now
      ) as at offset 0
    ) as further
    cross join lateral (
      select coalesce(further.at, alarm.repeats_at) as at,
        case when further.at is null then alarm.repeats_told else least(cardinality(alarm.repeats_at), 2) end as told
      offset 0
    ) as repeats
    cross join lateral internal.untold_in_alarm(own.tenant_id, own.id) as untold
  ), changed as (
    update kith.alarms as alarm
    set repeats_at = joined.repeats_at, repeats_told = joined.repeats_told, next_at = joined.next_at
    from joined
    where alarm.tenant_id = joined.tenant_id and alarm.id = joined.id
      and (alarm.repeats_at, alarm.repeats_told, alarm.next_at) is distinct from (
        joined.repeats_at, joined.repeats_told, joined.next_at
      )
  ), noted as (
    insert into kith.alarm_entries (tenant_id, alarm_id, id, at, kind)
    select joined.tenant_id, joined.id, joined.entry_id, p_now, 'missed' from joined
  )
  insert into kith.events (tenant_id, id, user_id, type, subject_id, parent_id)
  select joined.tenant_id, internal.uuid7(p_now), reader.user_id, 'alarm', joined.id, joined.entry_id
  from joined
  cross join lateral internal.alarm_readers(joined.tenant_id, joined.id, joined.sender_id) as reader;
end
$$;
comment on function internal.note_joined_misses(integer[], uuid[], timestamptz) is
  'Records in alarms that misses have joined them: further repeats, when the worker comes next, an entry of the '
  'timeline, and an event to everybody who takes part. One statement, which writes each row once. For '
  'internal.join_alarms, which has added the receivers.';

create or replace function internal.add_receivers(p_alarm kith.alarms, p_connections uuid[], p_now timestamptz)
  returns void
  language plpgsql
as $$
begin
  perform internal.add_receivers_to_alarms(
    array_fill(p_alarm.tenant_id, array[cardinality(p_connections)]),
    array_fill(p_alarm.id, array[cardinality(p_connections)]),
    array_fill(p_alarm.counts_from::timestamptz, array[cardinality(p_connections)]), p_connections, p_now
  );
end
$$;
comment on function internal.add_receivers(kith.alarms, uuid[], timestamptz) is
  'internal.add_receivers_to_alarms for one alarm. For procedures that have locked it.';

create or replace function internal.add_receivers_to_alarms(
  p_tenants integer[], p_alarms uuid[], p_counts_from timestamptz[], p_connections uuid[], p_now timestamptz
) returns uuid[]
  language plpgsql
as $$
declare
  v_untold uuid[];
begin
  with placed as materialized (
    select own.*, connection.receiver_id, plan, before.tier as first_before,
      case when plan.user_id is null then 1 else coalesce(member.tier, internal.last_tier(plan)) end as tier
    from unnest(
      p_tenants, p_alarms, p_counts_from, p_connections
    ) as own (tenant_id, alarm_id, counts_from, connection_id)
    cross join lateral (
      select one.sender_id, one.receiver_id
      from kith.connections as one
      where one.tenant_id = own.tenant_id and one.id = own.connection_id and one.status <> 'deleted'
      offset 0
    ) as connection
    left join kith.alarm_plans as plan on plan.tenant_id = own.tenant_id and plan.user_id = connection.sender_id
    left join kith.alarm_plan_receivers as member
      on member.tenant_id = own.tenant_id and member.user_id = plan.user_id and member.connection_id = own.connection_id
    cross join lateral (
      select min(one.tier) as tier
      from kith.alarm_receivers as one
      where plan.user_id is not null and one.tenant_id = own.tenant_id and one.alarm_id = own.alarm_id
        and one.left_at is null
    ) as before
  ), timed as materialized (
    select placed.*, placed.counts_from + internal.wait_of_tier(
        placed.plan, placed.tier,
        least(min(placed.tier) over (partition by placed.tenant_id, placed.alarm_id), placed.first_before)
      ) as tell_at
    from placed
  ), written as (
    insert into kith.alarm_receivers as former (tenant_id, alarm_id, receiver_id, connection_id, tier, tell_at, told_at)
    select distinct on (timed.tenant_id, timed.alarm_id, timed.receiver_id) timed.tenant_id, timed.alarm_id,
      timed.receiver_id, timed.connection_id, timed.tier, timed.tell_at,
      case when timed.tell_at <= p_now and internal.alarm_status(alarm.found, p_now) = 'open' then p_now end
    from timed
    left join kith.alarm_receivers as known
      on known.tenant_id = timed.tenant_id and known.alarm_id = timed.alarm_id and known.receiver_id = timed.receiver_id
    cross join lateral (
      select one as found from kith.alarms as one
      where one.tenant_id = timed.tenant_id and one.id = timed.alarm_id offset 0
    ) as alarm
    -- Most have a part already, and are told: their rows stay as they are.
    where known.told_at is null or known.left_at is not null
      or (known.connection_id, known.tell_at) is distinct from (timed.connection_id, timed.tell_at)
    order by timed.tenant_id, timed.alarm_id, timed.receiver_id
    on conflict (tenant_id, alarm_id, receiver_id) do update
    -- Whoever has left and is connected again has a part again, as somebody new.
    set left_at = null, connection_id = excluded.connection_id, tell_at = excluded.tell_at,
      told_at = case
        when former.left_at is null then coalesce(former.told_at, excluded.told_at)
        else excluded.told_at
      end
    returning former.connection_id, former.told_at
  )
  select array_agg(written.connection_id) into v_untold from written where written.told_at is null;
  return v_untold;
end
$$;
comment on function internal.add_receivers_to_alarms(integer[], uuid[], timestamptz[], uuid[], timestamptz) is
  'Adds receivers to alarms, a connection of the sender to each, by their tiers, counted as for all. Those whose time '
  'has come count as told, unless somebody has taken the alarm: the caller tells them. Returns the connections of the '
  'others, or null. For procedures that have locked the alarms.';

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
      on drill.tenant_id = ping.tenant_id and drill.sender_id = ping.sender_id and drill.resolved_at is null
        and drill.kind = 'drill'
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
  'Ends a sender''s drill because a real alarm opens (K10), and tells everybody who was told of it, through quiet '
  'hours, before the alarm does. For whatever opens an alarm.';
