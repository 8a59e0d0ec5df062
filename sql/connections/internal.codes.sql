-- Finds, counts and creates codes. Users can read only their own codes, and cannot write them; nobody but an operator
-- can read code_attempts.

create or replace function internal.accepts_connections(p_receiver_id uuid, p_now timestamptz) returns boolean
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  return (
    select not tenant.requires_subscription or profile.good_until is null or profile.good_until > p_now
    from kith.tenants as tenant
    join kith.receiver_profiles as profile on profile.tenant_id = tenant.tenant_id and profile.user_id = p_receiver_id
      and profile.ended_at is null
    where tenant.tenant_id = v_tenant
  );
end
$$;
comment on function internal.accepts_connections(uuid, timestamptz) is
  'Whether a receiver can accept connections (P09). Null if the user is not a receiver of this tenant. For definer '
  'procedures.';

create or replace function internal.record_blocked_attempt(p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_since timestamptz := p_now - interval '1 hour';
begin
  -- Only the ten latest blocked attempts are kept. A user who keeps trying stays blocked for an hour from the last
  -- attempt, and does not fill the table.
  update kith.code_attempts
  set attempted_at = p_now
  where tenant_id = v_tenant and id = (
    select id
    from kith.code_attempts
    where tenant_id = v_tenant and user_id = v_user and attempted_at > v_since and outcome = 'blocked'
    order by attempted_at desc offset 9 limit 1
  );
  if not found then
    insert into kith.code_attempts (tenant_id, id, user_id, attempted_at, outcome)
    values (v_tenant, internal.uuid7(p_now), v_user, p_now, 'blocked');
  end if;
end
$$;
comment on function internal.record_blocked_attempt(timestamptz) is
  'Records that the current user must wait before trying another code. For internal.begin_code_attempt.';

create or replace function internal.code_attempts_end(p_now timestamptz) returns timestamptz
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_since timestamptz := p_now - interval '1 hour';
begin
  return (
    select max(ends_at)
    from (
      (
        select attempted_at + interval '1 hour' as ends_at
        from kith.code_attempts
        where tenant_id = v_tenant and user_id = v_user and attempted_at > v_since and outcome <> 'found'
        order by attempted_at desc offset 9 limit 1
      )
      union all
      (
        select attempted_at + interval '1 hour'
        from kith.code_attempts
        where tenant_id = v_tenant and user_id = v_user and attempted_at > v_since
        order by attempted_at desc offset 19 limit 1
      )
    ) as limits
  );
end
$$;
comment on function internal.code_attempts_end(timestamptz) is
  'When the current user may try a code again, after 10 misses or 20 attempts within an hour; null if now. For '
  'internal.begin_code_attempt.';

create or replace function internal.begin_code_attempt(p_now timestamptz) returns integer
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_since timestamptz := p_now - interval '1 hour';
  v_created_at timestamptz;
  v_ceiling integer;
  v_ends_at timestamptz;
begin
  perform internal.require_user();
  -- The lock serializes the guesses of one user. Otherwise concurrent guesses would all count the same past attempts.
  select created_at into v_created_at
  from kith.users
  where tenant_id = v_tenant and id = v_user and deleted_at is null
  for no key update;
  if not found then
    raise exception 'unauthenticated' using errcode = 'KT401';
  end if;
  v_ends_at := internal.code_attempts_end(p_now);
  if v_ends_at is null and v_created_at > p_now - interval '24 hours' then
    select code_misses_per_hour into v_ceiling from kith.tenants where tenant_id = v_tenant;
    select attempted_at + interval '1 hour' into v_ends_at
    from kith.code_attempts
    where tenant_id = v_tenant and attempted_at > v_since and outcome = 'missed'
    order by attempted_at desc offset v_ceiling - 1 limit 1;
  end if;
  if v_ends_at is null then
    return null;
  end if;
  perform internal.record_blocked_attempt(p_now);
  -- The blocked attempt counts too, so it may have moved the end.
  v_ends_at := greatest(v_ends_at, internal.code_attempts_end(p_now));
  return greatest(1, ceil(extract(epoch from v_ends_at - p_now)))::integer;
end
$$;
comment on function internal.begin_code_attempt(timestamptz) is
  'Null if the user may try a code now. Otherwise the seconds to wait, and the attempt is recorded as blocked, which '
  'counts as a miss (A08). A user has 10 misses or 20 attempts an hour. Beyond the tenant''s hourly ceiling of misses, '
  'accounts younger than a day must wait. For definer procedures.';

create or replace function internal.attempt_code(
  p_code text, p_now timestamptz,
  out problem text, out retry_after integer, out owner_id uuid, out owner_role text, out owner_name text
) returns record
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_owner kith.users;
  v_code kith.unique_codes;
begin
  -- Two accounts are locked in the order of their ids. If the owner's comes first, lock it before the caller's.
  perform from kith.users
  where tenant_id = v_tenant and id < v_user
    and id = (select user_id from kith.unique_codes where tenant_id = v_tenant and code = p_code)
  for key share;
  retry_after := internal.begin_code_attempt(p_now);
  if retry_after is not null then
    problem := 'too_many_requests';
    return;
  end if;
  -- Lock the owner before the code, as everywhere. This waits for an account that is being deleted or is blocking
  -- somebody, so that both hold for the new connection.
  select * into v_owner
  from kith.users
  where tenant_id = v_tenant
    and id = (select user_id from kith.unique_codes where tenant_id = v_tenant and code = p_code)
  for key share;
  -- Lock the code against a rotation: once a rotation has answered, the old code must connect nobody. Read the code
  -- again, because it may have passed to another user while this call waited for the owner.
  select * into v_code
  from kith.unique_codes
  where tenant_id = v_tenant and code = p_code and user_id = v_owner.id
  for share;
  if not found or internal.code_is_free(v_code.expires_at, v_code.rotated_at, p_now) then
    problem := 'invalid_code';
  elsif v_code.rotated_at is not null or v_code.expires_at <= p_now
    or internal.has_ended(v_code.role, v_code.user_id)
  then
    problem := 'expired_code';
  else
    owner_id := v_owner.id;
    owner_name := v_owner.display_name;
    if owner_id = v_user then
      problem := 'self_connection';
    elsif exists (
      select from kith.blocks where tenant_id = v_tenant and user_id = owner_id and blocked_id = v_user
    )
    then
      -- Answer as if there were no such code: a user must not learn that they are blocked (X22).
      problem := 'invalid_code';
    elsif exists (
      select from kith.blocks where tenant_id = v_tenant and user_id = v_user and blocked_id = owner_id
    )
    then
      problem := 'user_blocked';
    else
      owner_role := v_code.role;
    end if;
  end if;
  insert into kith.code_attempts (tenant_id, id, user_id, attempted_at, outcome)
  values (
    v_tenant, internal.uuid7(p_now), v_user, p_now,
    case when problem in ('invalid_code', 'expired_code') then 'missed' else 'found' end
  );
end
$$;
comment on function internal.attempt_code(text, timestamptz) is
  'Finds the owner of a code. Counts the attempt first, so that nobody can look up codes uncounted. Returns owner, '
  'role and name, or the problem: too_many_requests with retry_after; invalid_code, also if the owner has blocked the '
  'current user; expired_code; self_connection; user_blocked if the current user has blocked the owner. For definer '
  'procedures.';

create or replace function internal.has_ended(p_role text, p_user_id uuid) returns boolean
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  if p_role = 'sender' then
    return exists (
      select from kith.sender_profiles where tenant_id = v_tenant and user_id = p_user_id and ended_at is not null
    );
  end if;
  return exists (
    select from kith.receiver_profiles where tenant_id = v_tenant and user_id = p_user_id and ended_at is not null
  );
end
$$;
comment on function internal.has_ended(text, uuid) is
  'Whether a user has ended their profile for a role: no code of theirs connects anybody then. For definer procedures.';

create or replace function internal.code_is_free(p_expires_at timestamptz, p_rotated_at timestamptz, p_now timestamptz)
  returns boolean
  language sql
  stable
  parallel safe
as $$
  select coalesce(least(p_expires_at, p_rotated_at) < p_now - interval '90 days', false)
$$;
comment on function internal.code_is_free(timestamptz, timestamptz, timestamptz) is
  'Whether a code ended so long ago (90 days) that another user can have it (P19). Until then it answers expired_code.';

create or replace function internal.new_code(
  p_role text, p_permanent boolean, p_expires_at timestamptz, p_now timestamptz
)
  returns kith.unique_codes
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_code kith.unique_codes;
begin
  -- The lock serializes two requests of one user, so that there is one permanent code for each role and the count
  -- holds.
  perform internal.lock_account();
  -- The profile may have ended while this call waited.
  perform internal.require_profile(p_role);
  if p_permanent then
    select * into v_code
    from kith.unique_codes
    where tenant_id = v_tenant and user_id = v_user and role = p_role and permanent and rotated_at is null;
    if found then
      return v_code;
    end if;
  end if;
  perform internal.require_room_for_code(v_user, p_now);
  return internal.insert_code(v_user, p_role, p_permanent, p_expires_at, p_now);
end
$$;
comment on function internal.new_code(text, boolean, timestamptz, timestamptz) is
  'Creates a code for the current user, or returns their existing permanent code. May take over a code that ended 90 '
  'days ago. A user has at most 100 codes, live and ended. For definer procedures.';

create or replace function internal.require_room_for_code(p_user_id uuid, p_now timestamptz) returns void
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  if (
    select count(*) >= 100
    from kith.unique_codes
    where tenant_id = v_tenant and user_id = p_user_id and not internal.code_is_free(expires_at, rotated_at, p_now)
  ) then
    raise exception 'quota_exceeded'
      using errcode = 'KT507', detail = 'You have made too many codes. Ended ones are freed after 90 days.';
  end if;
end
$$;
comment on function internal.require_room_for_code(uuid, timestamptz) is
  'Raises quota_exceeded if a user has 100 codes, live and ended. For definer procedures that have locked the account.';

create or replace function internal.insert_code(
  p_user_id uuid, p_role text, p_permanent boolean, p_expires_at timestamptz, p_now timestamptz
) returns kith.unique_codes
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_code kith.unique_codes;
begin
  for v_try in 1 .. 500 loop
    -- 48 bits of the system's strong randomness: random() could be predicted from a few codes.
    insert into kith.unique_codes as taken (tenant_id, code, user_id, role, permanent, created_at, expires_at)
    values (
      v_tenant,
      lpad((('x' || translate(left(gen_random_uuid()::text, 13), '-', ''))::bit(48)::bigint % 1000000)::text, 6, '0'),
      p_user_id, p_role, p_permanent, p_now, p_expires_at
    )
    on conflict (tenant_id, code) do update
    set user_id = excluded.user_id, role = excluded.role, permanent = excluded.permanent,
      created_at = excluded.created_at, expires_at = excluded.expires_at, rotated_at = null
    where internal.code_is_free(taken.expires_at, taken.rotated_at, p_now)
    returning * into v_code;
    if found then
      return v_code;
    end if;
  end loop;
  raise exception 'quota_exceeded'
    using errcode = 'KT507', detail = 'There is hardly a free code left. Please tell the app''s support.';
end
$$;
comment on function internal.insert_code(uuid, text, boolean, timestamptz, timestamptz) is
  'Inserts a random code that is free. Raises quota_exceeded if hardly any is. For definer procedures that have '
  'checked how many the user has.';

create or replace function internal.rotate_code(p_role text, p_now timestamptz) returns kith.unique_codes
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  perform internal.lock_account();
  perform internal.require_profile(p_role);
  update kith.unique_codes set rotated_at = p_now
  where tenant_id = v_tenant and user_id = v_user and role = p_role and permanent and rotated_at is null;
  return internal.new_code(p_role, true, null, p_now);
end
$$;
comment on function internal.rotate_code(text, timestamptz) is
  'Ends the current user''s permanent code and creates a new one. For definer procedures.';

create or replace function internal.code_json(p_code kith.unique_codes) returns json
  language sql
  stable
as $$
  select json_build_object(
    'code', (p_code).code,
    'role', (p_code).role,
    'permanent', (p_code).permanent,
    'expires_at', internal.instant((p_code).expires_at)
  )
$$;
comment on function internal.code_json(kith.unique_codes) is 'A code as its owner sees it.';
grant execute on function internal.code_json(kith.unique_codes) to kith_api;

create or replace function internal.code_problem(p_problem text, p_retry_after integer) returns json
  language sql
  stable
as $$
  select case
    when p_problem = 'user_blocked'
      then json_build_object('problem', 'conflict', 'detail', 'You have blocked this user.')
    when p_retry_after is null then json_build_object('problem', p_problem)
    else json_build_object('problem', p_problem, 'retry_after', p_retry_after)
  end
$$;
comment on function internal.code_problem(text, integer) is
  'Returns a refusal instead of raising it, because raising would roll back the counted attempt.';
grant execute on function internal.code_problem(text, integer) to kith_api;
