-- The waits that follow when an owner falls silent: those that are open, and those that missed days begin.

create or replace function internal.waits_of_silence(
  p_right kith.emergency_settings, p_missed_days integer, p_newest_deadline_at timestamptz, p_judged_at timestamptz[],
  p_deadline_at timestamptz[], p_counts boolean[], p_open_until timestamptz, p_last_ended_at timestamptz
) returns table (waits_from timestamptz, grants_at timestamptz, ends_at timestamptz, missed_days integer)
  language plpgsql
  immutable
as $$
declare
  v_open_until timestamptz := p_open_until;
  v_last_ended_at timestamptz := p_last_ended_at;
  v_missed integer := p_missed_days;
  v_newest timestamptz := p_newest_deadline_at;
begin
  for n in 1 .. coalesce(cardinality(p_judged_at), 0) loop
    if p_counts[n] then
      -- No longer row is counted.
      v_missed := least(v_missed + 1, 40);
      v_newest := p_deadline_at[n];
    elsif not p_counts[n] then
      v_missed := 0;
    end if;
    if (v_open_until is null or v_open_until <= p_judged_at[n])
      and internal.begins_wait(v_missed, (p_right).after_missed_days, v_newest, v_last_ended_at) then
      waits_from := p_judged_at[n];
      missed_days := v_missed;
      select wait.grants_at, wait.ends_at into grants_at, ends_at
      from internal.wait_instants(waits_from, (p_right).wait_hours, (p_right).grant_hours) as wait;
      return next;
      v_open_until := ends_at;
      v_last_ended_at := ends_at;
    end if;
  end loop;
end
$$;
comment on function internal.waits_of_silence(
  kith.emergency_settings, integer, timestamptz, timestamptz[], timestamptz[], boolean[], timestamptz, timestamptz
) is
  'The waits of one right that a silence begins, in order. p_missed_days are the missed days until now, '
  'p_newest_deadline_at the deadline of the newest of them; the arrays are the coming days (internal.silent_days). '
  'p_open_until is the end of the open request, null if there is none; p_last_ended_at the end of the last one.';

create or replace function internal.silence_rights(
  p_user_id uuid, p_sign_of_life text, p_from timestamptz, p_now timestamptz
)
  returns table (given kith.emergency_settings, open_until timestamptz, last_ended_at timestamptz)
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  return query
  select setting, open.until,
    greatest(
      open.until,
      (
        select max(past.ended_at)
        from kith.emergency_requests as past
        where past.tenant_id = v_tenant and past.nominee_id = setting.nominee_id and past.ended_at is not null
          and not internal.counts_anew_after(past, setting.sign_of_life)
      )
    )
  from kith.emergency_settings as setting
  -- Look-ups by the keys, whatever the planner knows.
  cross join lateral (
    select from kith.vaults where tenant_id = v_tenant and id = setting.vault_id and deleted_at is null offset 0
  ) as vault
  cross join lateral (
    select from kith.nominees as one
    where one.tenant_id = v_tenant and one.id = setting.nominee_id and one.status = 'accepted'
      and one.user_id is not null and not one.bound_by_link
      and not exists (
        select from kith.blocks as block
        where block.tenant_id = v_tenant and block.user_id = setting.owner_id and block.blocked_id = one.user_id
      )
    offset 0
  ) as nominee
  left join (
    select request.nominee_id, max(request.ends_at) as until
    from internal.rehearsed_requests(p_user_id, p_from, p_now) as request
    group by request.nominee_id
  ) as open on open.nominee_id = setting.nominee_id
  where setting.tenant_id = v_tenant and setting.owner_id = p_user_id and setting.after_missed_days is not null
    and setting.ended_at is null and setting.sign_of_life = p_sign_of_life
  order by setting.nominee_id
  limit 50;
end
$$;
comment on function internal.silence_rights(uuid, text, timestamptz, timestamptz) is
  'At most 50 rights that the silence of an owner can begin, each with the end of its open requests, null if there are '
  'none, and the end of its last one. For internal.rehearsed_waits.';

create or replace function internal.rehearsed_requests(p_user_id uuid, p_from timestamptz, p_now timestamptz)
  returns table (
    nominee_id uuid, vault_id uuid, user_id uuid, waits_from timestamptz, grants_at timestamptz, ends_at timestamptz,
    told_at timestamptz
  )
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  return query
  select request.nominee_id, request.vault_id, request.user_id, request.waits_from::timestamptz,
    case when stop.at < 'infinity' then wait.grants_at end,
      case when stop.at < 'infinity' then wait.ends_at else 'infinity' end,
    request.grant_told_at::timestamptz
  from kith.emergency_requests as request
  -- The rehearsal takes every standstill to be over by now. Only a hold lasts until its own end, or for ever.
  cross join lateral (
    select case
      when internal.is_held(request, p_now) then coalesce(request.held_until, 'infinity')
      else p_now
    end as at
  ) as stop
  cross join lateral internal.emergency_instants(
    request, case when stop.at < 'infinity' then stop.at else p_now end
  ) as wait
  where request.tenant_id = v_tenant and request.owner_id = p_user_id and request.ended_at is null
    -- A silence need not wait for the rest of a quorum.
    and request.waits_from is not null
    -- A check-in that is still to come ends the others.
    and (
      p_from <= p_now
      or not internal.every_check_in_stops(v_tenant, p_user_id, request.reject_on_check_in, request.sources)
    )
  order by request.nominee_id
  limit 50;
end
$$;
comment on function internal.rehearsed_requests(uuid, timestamptz, timestamptz) is
  'The open requests of an owner that the last sign of life, at p_from if that is ahead, leaves open, with their '
  'instants if nothing delays them from now on. grants_at is null, and ends_at infinity, for a request that is held '
  'without an end. Leaves out requests that gather. For internal.rehearsed_waits.';

create or replace function internal.rehearsed_waits(
  p_user_id uuid, p_from timestamptz, p_until timestamptz, p_now timestamptz
)
  returns table (
    nominee_id uuid, vault_id uuid, user_id uuid, n bigint, waits_from timestamptz, grants_at timestamptz,
    ends_at timestamptz,
    missed_days integer, told_at timestamptz
  )
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_sign text;
  v_since timestamptz;
  v_missed record;
  v_judged timestamptz[];
  v_deadlines timestamptz[];
  v_counts boolean[];
begin
  return query
  select request.nominee_id, request.vault_id, request.user_id, 0::bigint, request.waits_from, request.grants_at,
    request.ends_at, null::integer, request.told_at
  from internal.rehearsed_requests(p_user_id, p_from, p_now) as request
  where request.grants_at is not null;

  for v_sign in
    select distinct setting.sign_of_life
    from kith.emergency_settings as setting
    where setting.tenant_id = v_tenant and setting.owner_id = p_user_id and setting.after_missed_days is not null
      and setting.ended_at is null
  loop
    v_since := internal.since_sign_of_life(internal.last_sign_of_life(v_tenant, p_user_id, v_sign), p_now);
    select * into v_missed from internal.missed_row(v_tenant, p_user_id, v_since, p_now);
    select array_agg(day.judged_at), array_agg(day.deadline_at), array_agg(day.counts)
    into v_judged, v_deadlines, v_counts
    from internal.silent_days(p_user_id, v_since, p_from, p_until, p_now) as day
    where day.judged_at <= p_until;
    -- The worker has not looked at the last miss yet.
    if p_from <= p_now and exists (
      select from kith.signs_of_life as life
      where life.tenant_id = v_tenant and life.user_id = p_user_id and life.recount_at is not null
    ) then
      v_judged := p_now || v_judged;
      v_deadlines := null::timestamptz || v_deadlines;
      v_counts := null::boolean || v_counts;
    end if;
    return query
    select (owned.given).nominee_id, (owned.given).vault_id, nominee.user_id, wait.n, wait.waits_from, wait.grants_at,
      wait.ends_at, wait.missed_days, null::timestamptz
    from internal.silence_rights(p_user_id, v_sign, p_from, p_now) as owned
    cross join lateral (
      select one.user_id from kith.nominees as one
      where one.tenant_id = v_tenant and one.id = (owned.given).nominee_id offset 0
    ) as nominee
    cross join lateral internal.waits_of_silence(
      owned.given, case when p_from <= p_now then v_missed.days::integer else 0 end, v_missed.newest_deadline_at,
      v_judged, v_deadlines, v_counts, owned.open_until, owned.last_ended_at
    ) with ordinality as wait (waits_from, grants_at, ends_at, missed_days, n);
  end loop;
end
$$;
comment on function internal.rehearsed_waits(uuid, timestamptz, timestamptz, timestamptz) is
  'The waits for emergency access of an owner who is silent from p_from on: the open ones (n = 0), and those that '
  'missed days begin until p_until, numbered for each nominee. For internal.rehearsed_wait_steps.';
