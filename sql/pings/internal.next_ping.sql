create or replace function internal.next_ping_at(p_profile kith.sender_profiles, p_now timestamptz) returns timestamptz
  language plpgsql
  stable
as $$
declare
  v_tenant integer := p_profile.tenant_id;
  v_user uuid := p_profile.user_id;
  v_zone text := p_profile.time_zone;
  v_today date := internal.local_date(p_now, v_zone);
  v_since timestamptz;
  v_unmade_on date;
  v_day date;
  v_at timestamptz;
  v_is_made boolean;
begin
  select min(activated_at) into v_since
  from kith.connections
  where tenant_id = v_tenant and sender_id = v_user and status = 'active' and pings_stopped_at is null;
  if v_since is null then
    return null;
  end if;
  -- The first date that has begun, and whose pings the worker has not made.
  select min(ping_on) into v_unmade_on
  from kith.ping_runs
  where tenant_id = v_tenant and time_zone = v_zone and finished_at is null and starts_at <= p_now
    and coalesce(cursor_sender_id < v_user, true);
  v_day := least(v_today, v_unmade_on) - 1;
  -- A break has at most 90 days.
  while v_day < v_today + 100 loop
    v_day := v_day + 1;
    continue when v_day between p_profile.break_from_on and p_profile.break_until_on;
    select min(scheduled_at) filter (where status = 'scheduled'), count(*) > 0 into v_at, v_is_made
    from kith.pings
    where tenant_id = v_tenant and ping_on = v_day and sender_id = v_user and ping_on >= internal.current_pings_since();
    if v_at is not null then
      return v_at;
    end if;
    -- There is one ping for each date, ever: whoever moves back over the date line is not asked for a date that they
    -- have answered.
    continue when v_is_made or v_day <= v_today and coalesce(v_day < v_unmade_on, true);
    v_at := internal.local_instant(v_day, p_profile.ping_time, v_zone);
    -- P13: a date whose deadline had passed when the pings began has none.
    if v_at + make_interval(mins => p_profile.grace_minutes) > greatest(v_since, p_profile.timed_at) then
      return v_at;
    end if;
  end loop;
  return null;
end
$$;
comment on function internal.next_ping_at(kith.sender_profiles, timestamptz) is
  'When a sender is asked the next time, by what is there and what the worker will make: today, tomorrow, or after a '
  'break. In the past while Kith is late with it (X39). Null while pings flow to nobody. For definer procedures.';
