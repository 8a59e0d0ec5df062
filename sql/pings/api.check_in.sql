create or replace function api.check_in(p_note text, p_share_note boolean, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
  -- Replanning would cost ten times as much as the statements. The executor can determine the partitions as well as the planner.
  set plan_cache_mode = 'force_generic_plan'
  -- The plan is made while a partition may still be empty, and kept while it grows.
  set enable_seqscan = off
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_since timestamptz := p_now - interval '24 hours';
  v_shared text := case when p_share_note then nullif(p_note, '') end;
  v_id uuid;
  v_time_zone text;
  v_previous_at timestamptz;
  v_emergency_since timestamptz;
  v_answer json;
begin
  perform internal.require_user();
  -- Lock the profile, so that the second of two check-ins sees what the first has done. Whoever ends the profile or the account locks
  -- the profile too. So a check-in needs no lock of the account, which would write a page of users each time.
  update kith.sender_profiles as profile
  set last_check_in_at = greatest(before.last_check_in_at, p_now),
    last_note = case when before.last_check_in_at > p_now then profile.last_note else v_shared end
  from (
    select locked.last_check_in_at
    from kith.sender_profiles as locked
    join kith.tenants as tenant on tenant.tenant_id = v_tenant and tenant.deleted_at is null
    where locked.tenant_id = v_tenant and locked.user_id = v_user and locked.ended_at is null
    for no key update of locked
  ) as before
  where profile.tenant_id = v_tenant and profile.user_id = v_user
  returning profile.time_zone, before.last_check_in_at, profile.emergency_since into v_time_zone, v_previous_at, v_emergency_since;
  if not found then
    -- An ended account has no profile. So the caller is checked only here.
    perform api.require_caller_while_suspended();
    raise exception 'profile_required' using errcode = 'KT409', detail = internal.profile_required_text('sender');
  end if;
  -- The limit refuses nobody. Beyond it, a check-in has its full effect, only its own row is not kept.
  insert into kith.check_ins (tenant_id, id, user_id, received_at, note, created_at, shares_note)
  select v_tenant, internal.uuid7(p_now), v_user, p_now, nullif(p_note, ''), p_now, v_shared is not null
  where (
    select count(*) < 200
    from (
      select from kith.check_ins where tenant_id = v_tenant and user_id = v_user and received_at > v_since limit 200
    ) as recent
  )
  returning id into v_id;
  v_answer := internal.complete_pings(v_id, v_shared, v_time_zone, v_previous_at, p_now);
  if v_emergency_since is not null then
    perform internal.end_emergencies_by_check_in(v_tenant, v_user, p_now);
  end if;
  return v_answer;
end
$$;
comment on function api.check_in(text, boolean, timestamptz) is
  '"I''m safe": always counts as a sign of life, completes every open ping of the sender, and ends what waits for emergency access to their vaults (E03). It counts from p_now, the instant when the server received it. Repeated check-ins do no harm: 200 of a sender in 24 hours are kept with their notes. Receivers see the note only with p_share_note (P40). A suspension of the tenant refuses no check-in (A02). Security definer, because only this procedure writes check-ins, so that nobody can check in for someone else.';
revoke all on function api.check_in(text, boolean, timestamptz) from public;
grant execute on function api.check_in(text, boolean, timestamptz) to kith_api;
