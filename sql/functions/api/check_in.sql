create or replace function api.check_in(p_note text, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
  -- Planning anew would cost ten times what the statements do: the executor finds out as well which partitions it needs.
  set plan_cache_mode = 'force_generic_plan'
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_since timestamptz := p_now - interval '24 hours';
  v_id uuid;
  v_time_zone text;
  v_previous_at timestamptz;
begin
  perform internal.require_user();
  -- Before the profile, because its foreign key locks the account: that comes first everywhere. The bound refuses nobody: past it
  -- a check-in does all it does, and only its own row is not written.
  insert into kith.check_ins (tenant_id, id, user_id, received_at, note, created_at)
  select v_tenant, internal.uuid7(p_now), v_user, p_now, nullif(p_note, ''), p_now
  where (
    select count(*) < 200
    from (
      select from kith.check_ins where tenant_id = v_tenant and user_id = v_user and received_at > v_since limit 200
    ) as recent
  )
  returning id into v_id;

  -- Locked, so that of two check-ins the second sees what the first has done.
  update kith.sender_profiles as profile
  set last_check_in_at = greatest(before.last_check_in_at, p_now)
  from (
    select locked.last_check_in_at
    from kith.sender_profiles as locked
    join kith.tenants as tenant on tenant.tenant_id = v_tenant and tenant.status = 'active' and tenant.deleted_at is null
    where locked.tenant_id = v_tenant and locked.user_id = v_user
    for no key update of locked
  ) as before
  where profile.tenant_id = v_tenant and profile.user_id = v_user
  returning profile.time_zone, before.last_check_in_at into v_time_zone, v_previous_at;
  if not found then
    -- An account that has ended has no profile, which is why the caller is not checked before.
    perform api.require_caller();
    raise exception 'profile_required' using errcode = 'KT409', detail = internal.profile_required_text('sender');
  end if;
  return internal.complete_pings(v_id, v_time_zone, v_previous_at, p_now);
end
$$;
comment on function api.check_in(text, timestamptz) is
  '"I''m safe": always counts as a sign of life, and completes every open ping of the sender; p_now is when the server received it, by which it counts. Again and again does no harm: of a sender''s check-ins 200 in 24 hours are kept with their notes. Definer: nobody writes check-ins but this, and nobody is safe by another''s word.';
revoke all on function api.check_in(text, timestamptz) from public;
grant execute on function api.check_in(text, timestamptz) to kith_api;
