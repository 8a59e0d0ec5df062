create or replace function api.check_in(p_note text, p_now timestamptz) returns json
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_id uuid := internal.uuid7(p_now);
  v_time_zone text;
  v_previous_at timestamptz;
begin
  -- Before the profile, because its foreign key locks the account: that comes first everywhere.
  insert into kith.check_ins (tenant_id, id, user_id, received_at, note, created_at)
  values (v_tenant, v_id, v_user, p_now, nullif(p_note, ''), p_now);

  -- Locked, so that of two check-ins the second sees what the first has done.
  update kith.sender_profiles as profile
  set last_check_in_at = greatest(before.last_check_in_at, p_now)
  from (
    select last_check_in_at
    from kith.sender_profiles
    where tenant_id = v_tenant and user_id = v_user
    for no key update
  ) as before
  where profile.tenant_id = v_tenant and profile.user_id = v_user
  returning profile.time_zone, before.last_check_in_at into v_time_zone, v_previous_at;
  if not found then
    raise exception 'profile_required' using errcode = 'KT409', detail = internal.profile_required_text('sender');
  end if;
  return internal.complete_pings(v_id, v_time_zone, v_previous_at, p_now);
end
$$;
comment on function api.check_in(text, timestamptz) is
  '"I''m safe": always kept as a sign of life, and completes every open ping of the sender; p_now is when the server received it, by which it counts. Again and again does no harm.';
revoke all on function api.check_in(text, timestamptz) from public;
grant execute on function api.check_in(text, timestamptz) to kith_api;
