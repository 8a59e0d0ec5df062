create or replace function api.get_sender_profile() returns json
  language plpgsql
  stable
as $$
declare
  v_answer json := internal.sender_profile_json();
begin
  if v_answer is null then
    perform internal.refuse_not_found();
  end if;
  return v_answer;
end
$$;
comment on function api.get_sender_profile() is
  'Returns the caller''s sender profile, with its permanent code. Raises not_found if there is none.';
revoke all on function api.get_sender_profile() from public;
grant execute on function api.get_sender_profile() to kith_api;

create or replace function api.put_sender_profile(p_body jsonb, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_old kith.sender_profiles;
  v_new kith.sender_profiles;
begin
  perform internal.begin_act('broadcast', p_now);
  select * into v_old from kith.sender_profiles where tenant_id = v_tenant and user_id = v_user for no key update;
  v_new.time_zone := p_body ->> 'time_zone';
  v_new.ping_time := (p_body ->> 'ping_time')::time;
  select coalesce((p_body ->> 'grace_minutes')::integer, v_old.grace_minutes, grace_minutes),
    coalesce((p_body ->> 'reminder_minutes')::integer, v_old.reminder_minutes, reminder_minutes)
  into v_new.grace_minutes, v_new.reminder_minutes
  from kith.tenants
  where tenant_id = v_tenant;
  if v_new.reminder_minutes >= v_new.grace_minutes and p_body ->> 'reminder_minutes' is null then
    -- The request does not set this reminder. If the grace period is too short for it, use half of the grace period.
    v_new.reminder_minutes := v_new.grace_minutes / 2;
  end if;

  perform internal.require_times(v_new, v_new.time_zone is distinct from v_old.time_zone);
  insert into kith.sender_profiles (
    tenant_id, user_id, time_zone, ping_time, grace_minutes, reminder_minutes, timed_at, created_at, updated_at
  )
  values (
    v_tenant, v_user, v_new.time_zone, v_new.ping_time, v_new.grace_minutes, v_new.reminder_minutes, p_now, p_now, p_now
  )
  on conflict (tenant_id, user_id) do update
  set time_zone = excluded.time_zone, ping_time = excluded.ping_time, grace_minutes = excluded.grace_minutes,
    reminder_minutes = excluded.reminder_minutes, updated_at = excluded.updated_at,
    timed_at = case
      when (sender_profiles.time_zone, sender_profiles.ping_time, sender_profiles.grace_minutes)
        = (excluded.time_zone, excluded.ping_time, excluded.grace_minutes) then sender_profiles.timed_at
      else excluded.timed_at
    end;

  if v_old.user_id is null then
    perform internal.new_code('sender', true, null, p_now);
  end if;
  if (v_old.time_zone, v_old.ping_time, v_old.grace_minutes, v_old.reminder_minutes)
    is distinct from (v_new.time_zone, v_new.ping_time, v_new.grace_minutes, v_new.reminder_minutes)
  then
    perform internal.plan_run(v_new.time_zone, p_now);
    if v_old.user_id is not null then
      perform internal.retime_break(p_now);
      perform internal.retime_pings(p_now);
    end if;
  end if;
  return internal.sender_profile_json();
end
$$;
comment on function api.put_sender_profile(jsonb, timestamptz) is
  'Creates or updates the caller''s sender profile, and creates its permanent code. Minutes that the body omits stay as they are, or default to the tenant''s. A new time or time zone applies from the current local date (P13, X25). Security definer, because the same row holds the last check-in, which only a check-in may write.';
revoke all on function api.put_sender_profile(jsonb, timestamptz) from public;
grant execute on function api.put_sender_profile(jsonb, timestamptz) to kith_api;

-- A default cannot be taken away in place.
drop function if exists api.get_receiver_profile(timestamptz);
create function api.get_receiver_profile(p_now timestamptz) returns json
  language plpgsql
  stable
as $$
declare
  v_answer json := internal.receiver_profile_json(p_now);
begin
  if v_answer is null then
    perform internal.refuse_not_found();
  end if;
  return v_answer;
end
$$;
comment on function api.get_receiver_profile(timestamptz) is
  'Returns the caller''s receiver profile, with its permanent code. Raises not_found if there is none.';
revoke all on function api.get_receiver_profile(timestamptz) from public;
grant execute on function api.get_receiver_profile(timestamptz) to kith_api;

create or replace function api.put_receiver_profile(p_body jsonb, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  perform internal.require_user();
  insert into kith.receiver_profiles (tenant_id, user_id, created_at, updated_at)
  values (v_tenant, v_user, p_now, p_now)
  on conflict (tenant_id, user_id) do nothing;
  if found then
    perform internal.new_code('receiver', true, null, p_now);
  end if;
  return internal.receiver_profile_json(p_now);
end
$$;
comment on function api.put_receiver_profile(jsonb, timestamptz) is
  'Makes the caller a receiver, and creates the permanent code. Repeating the call changes nothing. The body has no fields, because only the tenant''s server sets the subscription. Security definer, because only these procedures write profiles and codes.';
revoke all on function api.put_receiver_profile(jsonb, timestamptz) from public;
grant execute on function api.put_receiver_profile(jsonb, timestamptz) to kith_api;
