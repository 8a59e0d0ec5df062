-- Who is told of an alarm in which order, and when: the tiers and repeats of the sender's plan.

create or replace function internal.default_repeats() returns integer[]
  language sql
  immutable
  parallel safe
as $$
  select array[30, 120]
$$;
comment on function internal.default_repeats()
  is 'After how many minutes everybody who was told is told again, unless the sender chose (K04).';

create or replace function internal.instants_after(p_from timestamptz, p_minutes integer[]) returns timestamptz[]
  language plpgsql
  stable
  parallel safe
as $$
begin
  return array(
    select p_from + make_interval(mins => after.minutes) from unnest(p_minutes) as after (minutes)
    order by after.minutes
  );
end
$$;
comment on function internal.instants_after(timestamptz, integer[])
  is 'The instants some minutes after another one, in order.';

create or replace function internal.last_outage_end(p_now timestamptz) returns timestamptz
  language plpgsql
  stable
as $$
begin
  return (select max(ended_at) from kith.outages where ended_at <= p_now);
end
$$;
comment on function internal.last_outage_end(timestamptz) is
  'When the last outage of Kith ended. The judgement of a ping whose deadline was before had to wait for it: the '
  'minutes of its alarm count from the judgement. Otherwise they count from the deadline, however busy the worker is '
  '(K00). Null if there was none.';

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
  'The tier of receivers whom a plan names in none (K04): the last one, unless that is the desk''s alone. Null is the '
  'default plan.';

create or replace function internal.first_tier(p_plan kith.alarm_plans, p_tenant integer, p_connections uuid[])
  returns integer
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

create or replace function internal.wait_of_tier(p_plan kith.alarm_plans, p_tier integer, p_first integer)
  returns interval
  language sql
  immutable
  parallel safe
as $$
  select make_interval(mins => coalesce(
    (p_plan).after_minutes[p_tier] - (p_plan).after_minutes[coalesce(p_first, 1)] + (p_plan).after_minutes[1], 0
  ))
$$;
comment on function internal.wait_of_tier(kith.alarm_plans, integer, integer) is
  'How long a tier waits in an alarm whose first receivers are in the tier p_first (K04): tiers before it, which have '
  'nobody, delay nothing. Null is the default plan, in which nobody waits.';

create or replace function internal.tiers_of_pings(p_pings kith.pings[])
  returns table (ping kith.pings, plan kith.alarm_plans, tier integer, first_tier integer)
  language sql
  stable
as $$
  select ping, plan, placed.tier, min(placed.tier) over (partition by ping.tenant_id, ping.sender_id)
  from unnest(p_pings) as ping
  left join kith.alarm_plans as plan on plan.tenant_id = ping.tenant_id and plan.user_id = ping.sender_id
  left join kith.alarm_plan_receivers as member
    on member.tenant_id = ping.tenant_id and member.user_id = ping.sender_id
      and member.connection_id = ping.connection_id
  cross join lateral (
    select case when plan.user_id is null then 1 else coalesce(member.tier, internal.last_tier(plan)) end as tier
  ) as placed
$$;
comment on function internal.tiers_of_pings(kith.pings[]) is
  'Missed pings with their senders'' plans: the tier of each receiver, and the first one that has somebody. Returns a '
  'table, which the planner can inline. For internal.open_new_alarms.';

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
  'The plan of a sender, or the default: everybody at the deadline, again after 30 minutes and 2 hours, 30 minutes to '
  'take and to answer, and receivers do not know each other (K04).';
