create or replace function api.drill_alarm(p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_plan kith.alarm_plans := internal.plan_of(v_tenant, v_user);
  v_last timestamptz;
  v_alarm kith.alarms;
begin
  perform internal.begin_act('broadcast', p_now);
  perform internal.lock_account();
  if not exists (
    select from kith.sender_profiles where tenant_id = v_tenant and user_id = v_user and ended_at is null
  )
  then
    raise exception 'profile_required' using errcode = 'KT409', detail = internal.profile_required_text('sender');
  elsif (internal.unresolved_alarm(v_tenant, v_user, p_now)).id is not null then
    raise exception 'invalid_transition'
      using errcode = 'KT409', detail = 'You have an alarm. You can hold a drill when it is over.';
  end if;
  -- One that told nobody uses up nothing.
  select max(drill.opened_at) into v_last
  from kith.alarms as drill
  where drill.tenant_id = v_tenant and drill.sender_id = v_user and drill.kind = 'drill' and exists (
    select from kith.alarm_receivers as receiver where receiver.tenant_id = v_tenant and receiver.alarm_id = drill.id
  );
  if v_last > p_now - interval '7 days' then
    raise exception 'too_many_requests'
      using errcode = 'KT429', detail = 'You can hold a drill once a week.',
        hint = greatest(1, ceil(extract(epoch from v_last + interval '7 days' - p_now)))::integer::text;
  end if;
  -- One that nobody resolved in 7 days.
  perform internal.expire_alarm(former, p_now)
  from kith.alarms as former
  where former.tenant_id = v_tenant and former.sender_id = v_user and former.kind = 'drill'
    and former.resolved_at is null;
  insert into kith.alarms (
    tenant_id, id, sender_id, kind, opened_at, counts_from, take_minutes, repeats_at, desk_at, expires_at, next_at
  )
  values (
    v_tenant, internal.uuid7(p_now), v_user, 'drill', p_now, p_now, v_plan.take_minutes,
    internal.instants_after(p_now, v_plan.repeat_minutes),
    p_now + make_interval(mins => v_plan.after_minutes[v_plan.desk_tier]), p_now + interval '7 days', p_now
  )
  returning * into v_alarm;
  perform internal.add_receivers(
    v_alarm,
    array(select id from kith.connections where tenant_id = v_tenant and sender_id = v_user and status = 'active'),
    p_now
  );
  perform internal.tell_of_sender(v_alarm, 'ping_missed', null, '{}', p_now);
  v_alarm := internal.set_next(v_alarm, p_now);
  perform internal.emit_alarm(v_alarm, null, p_now);
  return internal.alarm_json(v_alarm, v_user, p_now);
end
$$;
comment on function api.drill_alarm(timestamptz) is
  'Lets an alarm of kind drill run through the caller''s plan (K10), once a week. Every text says that it is a drill, '
  'none breaks through quiet hours, and nothing else changes: no ping, no wait for emergency access. Raises '
  'profile_required for somebody who is no sender. Security definer, because kith_api may not write alarms.';
grant execute on function api.drill_alarm(timestamptz) to kith_api;
