create or replace function api.check_in(
  p_note text, p_share_note boolean, p_tapped_at text, p_source text, p_now timestamptz
) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
  -- Replanning would cost ten times as much as the statements. The executor can determine the partitions as well as the
  -- planner.
  set plan_cache_mode = 'force_generic_plan'
  -- The plan is made while a partition may still be empty, and kept while it grows.
  set enable_seqscan = off
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_since timestamptz := p_now - interval '24 hours';
  v_shared text := case when p_share_note then nullif(p_note, '') end;
  v_tapped_at timestamptz := p_tapped_at::timestamptz;
  -- The moment for which the check-in speaks (J07).
  v_at timestamptz := least(v_tapped_at, p_now);
  v_id uuid;
  v_profile record;
  v_answer json;
begin
  perform internal.require_user();
  if v_tapped_at is not null then
    perform internal.require_tap(v_tapped_at, p_now);
  end if;
  -- Lock the profile, so that the second of two check-ins sees what the first has done. Whoever ends the profile or the
  -- account locks the profile too. So a check-in needs no lock of the account, which would write a page of users each
  -- time.
  update kith.sender_profiles as profile
  set last_check_in_at = greatest(before.last_check_in_at, v_at),
    last_note = case when before.last_check_in_at > v_at then profile.last_note else v_shared end,
    last_source = case when before.last_check_in_at > v_at then profile.last_source else p_source end
  from (
    select locked.last_check_in_at
    from kith.sender_profiles as locked
    join kith.tenants as tenant on tenant.tenant_id = v_tenant and tenant.deleted_at is null
    where locked.tenant_id = v_tenant and locked.user_id = v_user and locked.ended_at is null
    for no key update of locked
  ) as before
  where profile.tenant_id = v_tenant and profile.user_id = v_user
  returning profile.time_zone, before.last_check_in_at as previous_at, profile.timed_at, profile.emergency_since
    into v_profile;
  if not found then
    return internal.check_in_without_profile(p_note, v_tapped_at, p_source, v_at, p_now);
  end if;
  -- The limit refuses nobody. Beyond it, a check-in has its full effect, only its own row is not kept.
  insert into kith.check_ins (tenant_id, id, user_id, received_at, note, created_at, shares_note, tapped_at, source)
  select v_tenant, internal.uuid7(p_now), v_user, p_now, nullif(p_note, ''), p_now, v_shared is not null, v_tapped_at,
    p_source
  where (
    select count(*) < 200
    from (
      select from kith.check_ins where tenant_id = v_tenant and user_id = v_user and received_at > v_since limit 200
    ) as recent
  )
  returning id into v_id;
  v_answer := internal.complete_pings(
    v_id, v_shared, p_source, v_profile.time_zone, v_profile.previous_at, v_profile.timed_at, v_at, p_now
  );
  -- The indexes have only what waits for somebody's check-in, so that nearly always nothing is read but an empty page.
  if exists (
    select from kith.alarms
    where tenant_id = v_tenant and sender_id = v_user and resolved_at is null and kind <> 'drill'
  )
    or exists (select from kith.asks where tenant_id = v_tenant and sender_id = v_user and ended_at is null)
    or exists (select from kith.alarms where tenant_id = v_tenant and sender_id = v_user and awaits_check_in)
  then
    perform internal.answer_alarms(v_tenant, v_user, p_source, v_at, p_now);
  end if;
  if v_profile.emergency_since is not null then
    perform internal.end_emergencies_by_check_in(v_tenant, v_user, p_source, v_at, p_now);
  end if;
  return v_answer;
end
$$;
comment on function api.check_in(text, boolean, text, text, timestamptz) is
  '"I''m safe": always counts as a sign of life, completes every open ping of the sender, ends their alarm, answers '
  'questions (K03, K06), and ends what waits for emergency access to their vaults (E03). It counts from p_now, the '
  'instant when the server received it, or from p_tapped_at, when it was kept on a device until then (J07). Repeated '
  'check-ins do no harm: 200 of a sender in 24 hours are kept with their notes. Receivers see the note only with '
  'p_share_note (P40). p_source is how it came (J05). A suspension of the tenant refuses no check-in (A02), and nobody '
  'needs a sender profile for it (X36). Security definer, because only this procedure writes check-ins, so that nobody '
  'can check in for someone else.';
grant execute on function api.check_in(text, boolean, text, text, timestamptz) to kith_api;

create or replace function api.check_in(
  p_note text, p_share_note boolean, p_tapped_at text, p_source text, p_location jsonb, p_now timestamptz
) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_answer json := api.check_in(p_note, p_share_note, p_tapped_at, p_source, p_now);
begin
  if p_location is not null then
    perform internal.keep_place(kith.tenant_id(), kith.user_id(), p_location, p_now);
  end if;
  return v_answer;
end
$$;
comment on function api.check_in(text, boolean, text, text, jsonb, timestamptz) is
  'A check-in that may say where the person is (K08): p_location is what internal.keep_place takes, or null. Security '
  'definer, because kith_api may not write places.';
grant execute on function api.check_in(text, boolean, text, text, jsonb, timestamptz) to kith_api;

create or replace function internal.require_tap(p_tapped_at timestamptz, p_now timestamptz) returns void
  language plpgsql
  stable
as $$
begin
  if p_tapped_at > p_now + interval '1 minute' then
    perform internal.refuse_fields(internal.field_error('tapped_at', 'must not be in the future'));
  elsif p_tapped_at < p_now - interval '7 days' then
    perform internal.refuse_fields(internal.field_error('tapped_at', 'must be at most 7 days ago'));
  end if;
end
$$;
comment on function internal.require_tap(timestamptz, timestamptz) is
  'Raises validation_failed unless a tap was at most 7 days ago, and not in the future by more than the minute that a '
  'device''s clock may be ahead (J07).';

create or replace function internal.check_in_without_profile(
  p_note text, p_tapped_at timestamptz, p_source text, p_at timestamptz, p_now timestamptz
) returns json
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_id uuid;
  v_previous_at timestamptz;
begin
  -- An ended account has no profile, and neither is the tenant checked yet.
  perform api.require_caller_while_suspended();
  perform internal.lock_account();
  insert into kith.check_ins (tenant_id, id, user_id, received_at, note, created_at, tapped_at, source)
  select v_tenant, internal.uuid7(p_now), v_user, p_now, nullif(p_note, ''), p_now, p_tapped_at, p_source
  where (
    select count(*) < 200
    from (
      select from kith.check_ins
      where tenant_id = v_tenant and user_id = v_user and received_at > p_now - interval '24 hours' limit 200
    ) as recent
  )
  returning id into v_id;
  -- A former sender may become one again, on connections that have a miss.
  update kith.sender_profiles as profile
  set last_check_in_at = greatest(before.last_check_in_at, p_at),
    last_source = case when before.last_check_in_at > p_at then profile.last_source else p_source end
  from (
    select locked.last_check_in_at from kith.sender_profiles as locked
    where locked.tenant_id = v_tenant and locked.user_id = v_user
    for no key update
  ) as before
  where profile.tenant_id = v_tenant and profile.user_id = v_user
  returning before.last_check_in_at into v_previous_at;
  if found then
    perform internal.complete_missed_pings(
      v_id, null, least(coalesce(v_previous_at, '-infinity'), p_at), p_at,
      case when p_at < p_now - interval '60 seconds' then p_at else 'infinity' end, p_now
    );
  end if;
  perform internal.answer_alarms(v_tenant, v_user, p_source, p_at, p_now);
  perform internal.end_emergencies_by_check_in(v_tenant, v_user, p_source, p_at, p_now);
  update kith.signs_of_life set answered_at = greatest(answered_at, p_at)
  where tenant_id = v_tenant and user_id = v_user;
  return json_build_object('completed', 0, 'late', 0, 'pings', json_build_array());
end
$$;
comment on function internal.check_in_without_profile(text, timestamptz, text, timestamptz, timestamptz) is
  'X36: a check-in of somebody who is no sender completes no open ping, and counts as a sign of life. It answers the '
  'misses of the time when they were one, silently (X38). Raises unauthenticated if the account has ended. For '
  'api.check_in.';
