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
  v_back uuid[];
begin
  perform internal.begin_act('broadcast', p_now);
  v_back := internal.reopen_profile('sender', p_now);
  perform internal.change_user(v_user, jsonb_build_object('time_zone', p_body -> 'account_time_zone'), p_now)
  where p_body ? 'account_time_zone';
  select * into v_old from kith.sender_profiles where tenant_id = v_tenant and user_id = v_user for no key update;
  v_new := internal.sender_profile_with(v_old, p_body);
  perform internal.require_reminders(v_new, p_body);
  perform internal.require_times(v_new, p_body ->> 'time_zone');
  insert into kith.sender_profiles (
    tenant_id, user_id, time_zone, ping_time, grace_minutes, reminder_minutes, reminders, first_reminder_minutes,
    has_own_time_zone, share_phone, timed_at, created_at, updated_at
  )
  values (
    v_tenant, v_user, v_new.time_zone, v_new.ping_time, v_new.grace_minutes, v_new.reminder_minutes, v_new.reminders,
    v_new.first_reminder_minutes, v_new.has_own_time_zone, v_new.share_phone, p_now, p_now, p_now
  )
  on conflict (tenant_id, user_id) do update
  set time_zone = excluded.time_zone, ping_time = excluded.ping_time, grace_minutes = excluded.grace_minutes,
    reminder_minutes = excluded.reminder_minutes, reminders = excluded.reminders,
    first_reminder_minutes = excluded.first_reminder_minutes, has_own_time_zone = excluded.has_own_time_zone,
    share_phone = excluded.share_phone, updated_at = excluded.updated_at, ended_at = null,
    timed_at = case
      when (sender_profiles.time_zone, sender_profiles.ping_time, sender_profiles.grace_minutes)
        = (excluded.time_zone, excluded.ping_time, excluded.grace_minutes) then sender_profiles.timed_at
      else excluded.timed_at
    end;

  perform internal.watch_check_ins(v_user, p_now);
  -- Days before somebody is a sender, or one again, do not count as missed in a row with those after.
  if (v_old.user_id is null or v_old.ended_at is not null) and exists (
    select from kith.signs_of_life where tenant_id = v_tenant and user_id = v_user
  ) then
    perform internal.note_answer(p_now);
  end if;

  -- Returns the code if there is one.
  perform internal.new_code('sender', true, null, p_now);
  if (v_old.time_zone, v_old.ping_time, v_old.grace_minutes, v_old.reminder_minutes, v_old.reminders)
    is distinct from (v_new.time_zone, v_new.ping_time, v_new.grace_minutes, v_new.reminder_minutes, v_new.reminders)
    or v_back is not null
  then
    perform internal.plan_run(v_new.time_zone, p_now);
    perform internal.retime_sender(v_user, p_now);
  end if;
  perform internal.return_connections(v_back, p_now);
  if v_old.share_phone is distinct from v_new.share_phone then
    perform internal.emit_connections_of_sender(v_tenant, v_user, p_now);
  end if;
  if v_old is distinct from v_new or v_back is not null then
    perform internal.emit_account(v_tenant, v_user, p_now);
  end if;
  return internal.sender_profile_json();
end
$$;
comment on function api.put_sender_profile(jsonb, timestamptz) is
  'Creates or updates the caller''s sender profile, and creates its permanent code. What the body omits stays as it '
  'is. Minutes that are new or null are the tenant''s. reminders replace all reminders (J06); null leaves the one of '
  'reminder_minutes. A time zone that is new or null follows the account''s, and so does one that equals it; any other '
  'is the profile''s own. account_time_zone sets the account''s first. share_phone lets receivers call beside a missed '
  'ping. A new time or time zone applies from the current local date (P13, X25). Within 30 days after '
  'delete_sender_profile it brings back what that ended. Security definer, because the same row holds the last '
  'check-in, which only a check-in may write.';
grant execute on function api.put_sender_profile(jsonb, timestamptz) to kith_api;

-- A default cannot be taken away in place.
create or replace function api.get_receiver_profile(p_now timestamptz) returns json
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
grant execute on function api.get_receiver_profile(timestamptz) to kith_api;

create or replace function api.delete_sender_profile(p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform internal.require_user();
  perform internal.end_profile('sender', p_now);
  return null;
end
$$;
comment on function api.delete_sender_profile(timestamptz) is
  'The caller stops being a sender (P39): their connections as a sender are removed, the other sides are told, and the '
  'codes rest. put_sender_profile within 30 days brings all of it back. Raises not_found without a live profile. '
  'Security definer, because it writes connections and codes.';
grant execute on function api.delete_sender_profile(timestamptz) to kith_api;

create or replace function api.put_receiver_profile(p_body jsonb, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_back uuid[];
begin
  perform internal.require_user();
  v_back := internal.reopen_profile('receiver', p_now);
  insert into kith.receiver_profiles (tenant_id, user_id, created_at, updated_at)
  values (v_tenant, v_user, p_now, p_now)
  on conflict (tenant_id, user_id) do nothing;
  if found or v_back is not null then
    -- Returns the code that has come back, if there is one.
    perform internal.new_code('receiver', true, null, p_now);
    perform internal.emit_account(v_tenant, v_user, p_now);
  end if;
  perform internal.return_connections(v_back, p_now);
  return internal.receiver_profile_json(p_now);
end
$$;
comment on function api.put_receiver_profile(jsonb, timestamptz) is
  'Makes the caller a receiver, and creates the permanent code. Repeating the call changes nothing. Within 30 days '
  'after delete_receiver_profile it brings back what that ended. The body has no fields, because only the tenant''s '
  'server sets the subscription. Security definer, because only these procedures write profiles and codes.';
grant execute on function api.put_receiver_profile(jsonb, timestamptz) to kith_api;

create or replace function api.delete_receiver_profile(p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform internal.require_user();
  perform internal.end_profile('receiver', p_now);
  return null;
end
$$;
comment on function api.delete_receiver_profile(timestamptz) is
  'The caller stops being a receiver (P39): their connections as a receiver are removed, the other sides are told, and '
  'the codes rest. put_receiver_profile within 30 days brings all of it back. The subscription stays as it is. Raises '
  'not_found without a live profile. Security definer, because it writes connections and codes.';
grant execute on function api.delete_receiver_profile(timestamptz) to kith_api;
