create or replace function internal.opposite_role(p_role text) returns text
  language sql
  immutable
  parallel safe
as $$
  select case p_role when 'sender' then 'receiver' when 'receiver' then 'sender' end
$$;
comment on function internal.opposite_role(text) is
  'The role of the user who redeems a code: a receiver for a sender''s code, and a sender for a receiver''s (P14).';
grant execute on function internal.opposite_role(text) to kith_api;

create or replace function internal.has_profile(p_role text) returns boolean
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  if p_role = 'sender' then
    return exists (
      select from kith.sender_profiles where tenant_id = v_tenant and user_id = v_user and ended_at is null
    );
  end if;
  return exists (
    select from kith.receiver_profiles where tenant_id = v_tenant and user_id = v_user and ended_at is null
  );
end
$$;
comment on function internal.has_profile(text) is 'Whether the current user has the profile for a role.';
grant execute on function internal.has_profile(text) to kith_api;

create or replace function internal.profile_required_text(p_role text) returns text
  language sql
  immutable
  parallel safe
as $$
  select 'Set up your ' || p_role || ' profile first.'
$$;
comment on function internal.profile_required_text(text) is
  'What a person reads if their profile for a role is missing, whether the refusal is raised or returned.';
grant execute on function internal.profile_required_text(text) to kith_api;

create or replace function internal.require_profile(p_role text) returns void
  language plpgsql
  stable
as $$
begin
  if not internal.has_profile(p_role) then
    raise exception 'profile_required' using errcode = 'KT409', detail = internal.profile_required_text(p_role);
  end if;
end
$$;
comment on function internal.require_profile(text)
  is 'Raises profile_required if the current user lacks the profile for a role.';
grant execute on function internal.require_profile(text) to kith_api;

create or replace function internal.sender_profile_as_json(p_profile kith.sender_profiles, p_code text) returns json
  language sql
  stable
as $$
  select json_build_object(
    'ping_time', to_char((p_profile).ping_time, 'HH24:MI'),
    'time_zone', (p_profile).time_zone,
    'has_own_time_zone', (p_profile).has_own_time_zone,
    'grace_minutes', (p_profile).grace_minutes,
    'reminder_minutes', (p_profile).reminder_minutes,
    'reminders', internal.reminders((p_profile).reminders, (p_profile).reminder_minutes),
    'share_phone', (p_profile).share_phone,
    'code', p_code,
    'created_at', internal.instant((p_profile).created_at),
    'updated_at', internal.instant((p_profile).updated_at)
  )
$$;
comment on function internal.sender_profile_as_json(kith.sender_profiles, text) is
  'A sender profile as its user sees it, with its permanent code.';

create or replace function internal.sender_profile_json() returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  perform internal.require_user();
  return (
    select internal.sender_profile_as_json(profile, code.code)
    from kith.sender_profiles as profile
    left join kith.unique_codes as code
      on code.tenant_id = profile.tenant_id and code.user_id = profile.user_id and code.role = 'sender'
      and code.permanent and code.rotated_at is null
    where profile.tenant_id = v_tenant and profile.user_id = v_user and profile.ended_at is null
  );
end
$$;
comment on function internal.sender_profile_json() is
  'The current user''s sender profile with its permanent code. Null if there is none. Security definer, because users '
  'may not read the column last_note, and so no whole row of kith.sender_profiles.';
grant execute on function internal.sender_profile_json() to kith_api;

create or replace function internal.receiver_profile_as_json(
  p_profile kith.receiver_profiles, p_code text, p_now timestamptz
)
  returns json
  language sql
  stable
as $$
  select json_build_object(
    'code', p_code,
    'subscription_status', case
      when (p_profile).subscription_expires_at <= p_now then 'expired' else (p_profile).subscription_status
    end,
    'subscription_expires_at', internal.instant((p_profile).subscription_expires_at),
    'pings_stop_at', internal.instant((p_profile).pings_stop_at),
    'created_at', internal.instant((p_profile).created_at),
    'updated_at', internal.instant((p_profile).updated_at)
  )
$$;
comment on function internal.receiver_profile_as_json(kith.receiver_profiles, text, timestamptz) is
  'A receiver profile as its user sees it, with its permanent code. A subscription past its end reads as expired.';
grant execute on function internal.receiver_profile_as_json(kith.receiver_profiles, text, timestamptz) to kith_api;

create or replace function internal.receiver_profile_json(p_now timestamptz) returns json
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  return (
    select internal.receiver_profile_as_json(profile, code.code, p_now)
    from kith.receiver_profiles as profile
    left join kith.unique_codes as code
      on code.tenant_id = profile.tenant_id and code.user_id = profile.user_id and code.role = 'receiver'
      and code.permanent and code.rotated_at is null
    where profile.tenant_id = v_tenant and profile.user_id = v_user and profile.ended_at is null
  );
end
$$;
comment on function internal.receiver_profile_json(timestamptz) is
  'The current user''s receiver profile with its permanent code. Null if there is none.';
grant execute on function internal.receiver_profile_json(timestamptz) to kith_api;

create or replace function internal.sender_profile_with(p_profile kith.sender_profiles, p_body jsonb)
  returns kith.sender_profiles
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_profile kith.sender_profiles := p_profile;
  v_account_zone text := (select time_zone from kith.users where tenant_id = v_tenant and id = v_user);
  v_grace integer;
  v_reminder integer;
begin
  select grace_minutes, reminder_minutes into v_grace, v_reminder from kith.tenants where tenant_id = v_tenant;
  v_profile.ping_time := coalesce((p_body ->> 'ping_time')::time, p_profile.ping_time);
  v_profile.grace_minutes := coalesce(
    (p_body ->> 'grace_minutes')::integer, case when not p_body ? 'grace_minutes' then p_profile.grace_minutes end,
    v_grace
  );
  v_profile.reminder_minutes := coalesce(
    (p_body ->> 'reminder_minutes')::integer,
    case when not p_body ? 'reminder_minutes' then p_profile.reminder_minutes end, v_reminder
  );
  if p_body ->> 'reminders' is not null then
    v_profile.reminders := internal.sorted_reminders(p_body -> 'reminders');
    v_profile.reminder_minutes := (v_profile.reminders -> -1 -> 'before_minutes')::integer;
  elsif p_body ? 'reminders' then
    v_profile.reminders := null;
  else
    v_profile.reminders := internal.adapted_reminders(
      p_profile.reminders, v_profile.reminder_minutes, v_profile.grace_minutes
    );
  end if;
  if v_profile.reminder_minutes >= v_profile.grace_minutes and p_body ->> 'reminder_minutes' is null
    and p_body ->> 'reminders' is null
  then
    -- The request does not set this reminder. If the grace period is too short for it, use half of the grace period.
    v_profile.reminder_minutes := v_profile.grace_minutes / 2;
    v_profile.reminders := internal.adapted_reminders(
      p_profile.reminders, v_profile.reminder_minutes, v_profile.grace_minutes
    );
  end if;
  v_profile.first_reminder_minutes := (v_profile.reminders -> 0 -> 'before_minutes')::integer;
  v_profile.share_phone := coalesce((p_body ->> 'share_phone')::boolean, p_profile.share_phone, false);
  if p_body ->> 'time_zone' is not null then
    v_profile.time_zone := internal.kept_time_zone(p_body ->> 'time_zone');
  elsif p_body ? 'time_zone' or p_profile.user_id is null then
    v_profile.time_zone := v_account_zone;
  end if;
  v_profile.has_own_time_zone := coalesce(v_profile.time_zone <> v_account_zone, false);
  return v_profile;
end
$$;
comment on function internal.sender_profile_with(kith.sender_profiles, jsonb) is
  'The sender profile of the current user with a body applied: what is absent stays, and null restores the default, '
  'which is the tenant''s for minutes and the account''s for the time zone. The zone is null if it is not kept under '
  'the given name. Writes nothing. For api.put_sender_profile.';

create or replace function internal.follow_time_zone(p_user_id uuid, p_zone text, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  update kith.sender_profiles
  set time_zone = p_zone, timed_at = p_now, updated_at = p_now
  where tenant_id = v_tenant and user_id = p_user_id and not has_own_time_zone and time_zone <> p_zone;
  if found then
    perform internal.plan_run(p_zone, p_now);
    perform internal.retime_sender(p_user_id, p_now);
  end if;
end
$$;
comment on function internal.follow_time_zone(uuid, text, timestamptz) is
  'Moves a sender''s pings to the account''s new time zone, unless the profile has a zone of its own. For definer '
  'procedures that have locked the account.';

create or replace function internal.require_times(p_profile kith.sender_profiles, p_given_zone text) returns void
  language plpgsql
  stable
as $$
declare
  v_errors jsonb := '[]';
begin
  if p_given_zone is not null and p_profile.time_zone is null then
    v_errors := v_errors || internal.time_zone_error('time_zone', p_given_zone);
  end if;
  if p_profile.ping_time is null then
    v_errors := v_errors || internal.field_error('ping_time', 'is required');
  end if;
  if p_profile.grace_minutes not between 5 and 719 then
    v_errors := v_errors || internal.field_error('grace_minutes', 'must be from 5 to 719');
  elsif p_profile.reminder_minutes not between 1 and p_profile.grace_minutes - 1 then
    v_errors := v_errors
      || internal.field_error('reminder_minutes', 'must be at least 1 and less than the time to answer');
  end if;
  perform internal.refuse_fields(v_errors);
end
$$;
comment on function internal.require_times(kith.sender_profiles, text) is
  'Raises validation_failed unless a sender''s profile has a time and its minutes are valid, and the time zone that '
  'the request gave, which is null in the profile if no zone is kept under that name.';
