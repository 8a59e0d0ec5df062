-- Codes are found, counted and made here only: unique_codes and code_attempts are nobody's to read or write.

create or replace function internal.accepts_connections(p_receiver_id uuid, p_now timestamptz) returns boolean
  language sql
  stable
as $$
  select not tenant.requires_subscription or profile.good_until is null or profile.good_until > p_now
  from kith.tenants as tenant
  join kith.receiver_profiles as profile on profile.tenant_id = tenant.tenant_id and profile.user_id = p_receiver_id
  where tenant.tenant_id = kith.tenant_id()
$$;
comment on function internal.accepts_connections(uuid, timestamptz) is
  'Whether a receiver can be connected with; null for no receiver of this tenant. For definer procedures.';
revoke all on function internal.accepts_connections(uuid, timestamptz) from public;

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
  -- The lock makes guesses of one user wait for each other; otherwise a burst of them would all count the same past.
  select created_at into v_created_at
  from kith.users
  where tenant_id = v_tenant and id = v_user and deleted_at is null
  for no key update;
  if not found then
    raise exception 'unauthenticated' using errcode = 'KT401';
  end if;
  select max(ends_at) into v_ends_at
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
  ) as limits;
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
  -- The ten latest are all that count: whoever goes on trying is blocked for an hour from then on, and fills no table.
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
  return greatest(1, ceil(extract(epoch from v_ends_at - p_now)))::integer;
end
$$;
comment on function internal.begin_code_attempt(timestamptz) is
  'Null when the user may try a code now; else the seconds to wait, and the attempt is recorded as blocked, which is a miss (A08). Per user 10 misses or 20 attempts an hour; past the tenant''s ceiling, which counts what was tried and missed, accounts younger than a day wait. For definer procedures.';
revoke all on function internal.begin_code_attempt(timestamptz) from public;

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
  retry_after := internal.begin_code_attempt(p_now);
  if retry_after is not null then
    problem := 'too_many_requests';
    return;
  end if;
  -- The owner before the code, as everywhere. Waits for an account that is just being deleted, or whose user is blocking somebody:
  -- both must hold for whoever connects.
  select * into v_owner
  from kith.users
  where tenant_id = v_tenant and id = (select user_id from kith.unique_codes where tenant_id = v_tenant and code = p_code)
  for key share;
  -- Locked against a rotation: once that has answered, the old code must connect nobody. And read anew: while the owner was waited
  -- for, it may have become another's.
  select * into v_code
  from kith.unique_codes
  where tenant_id = v_tenant and code = p_code and user_id = v_owner.id
  for share;
  if not found or internal.code_is_free(v_code.expires_at, v_code.rotated_at, p_now) then
    problem := 'invalid_code';
  elsif v_code.rotated_at is not null or v_code.expires_at <= p_now then
    problem := 'expired_code';
  else
    owner_id := v_owner.id;
    owner_name := v_owner.display_name;
    if owner_id = v_user then
      problem := 'self_connection';
    elsif exists (select from kith.blocks where tenant_id = v_tenant and user_id = owner_id and blocked_id = v_user) then
      -- As if there were no such code: being blocked is nothing one is told (X22).
      problem := 'invalid_code';
    elsif exists (select from kith.blocks where tenant_id = v_tenant and user_id = v_user and blocked_id = owner_id) then
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
  'Whose code is it? Counts the attempt first, so that nobody can look without being counted: the problem (too_many_requests with retry_after, invalid_code, also where the owner has blocked who asks, expired_code, self_connection, user_blocked where it is the other way round), or owner, role and name. For definer procedures.';
revoke all on function internal.attempt_code(text, timestamptz) from public;

create or replace function internal.code_is_free(p_expires_at timestamptz, p_rotated_at timestamptz, p_now timestamptz) returns boolean
  language sql
  immutable
  parallel safe
as $$
  select coalesce(least(p_expires_at, p_rotated_at) < p_now - interval '90 days', false)
$$;
comment on function internal.code_is_free(timestamptz, timestamptz, timestamptz) is
  'Whether a code ended so long ago (90 days) that it can be somebody else''s (P19). Until then it answers expired_code.';
revoke all on function internal.code_is_free(timestamptz, timestamptz, timestamptz) from public;

create or replace function internal.new_code(p_role text, p_permanent boolean, p_expires_at timestamptz, p_now timestamptz)
  returns kith.unique_codes
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_code kith.unique_codes;
begin
  -- Two requests of one user wait for each other: one permanent code a role, and a count that holds.
  perform internal.lock_account();
  if p_permanent then
    select * into v_code
    from kith.unique_codes
    where tenant_id = v_tenant and user_id = v_user and role = p_role and permanent and rotated_at is null;
    if found then
      return v_code;
    end if;
  end if;
  if (
    select count(*) >= 100
    from kith.unique_codes
    where tenant_id = v_tenant and user_id = v_user and not internal.code_is_free(expires_at, rotated_at, p_now)
  ) then
    raise exception 'quota_exceeded' using errcode = 'KT507', detail = 'You have made too many codes. Ended ones are freed after 90 days.';
  end if;
  for v_try in 1 .. 500 loop
    -- 48 bits of the system's strong randomness: random() could be foretold from a few codes.
    insert into kith.unique_codes as taken (tenant_id, code, user_id, role, permanent, created_at, expires_at)
    values (
      v_tenant,
      lpad((('x' || translate(left(gen_random_uuid()::text, 13), '-', ''))::bit(48)::bigint % 1000000)::text, 6, '0'),
      v_user, p_role, p_permanent, p_now, p_expires_at
    )
    on conflict (tenant_id, code) do update
    set user_id = excluded.user_id, role = excluded.role, permanent = excluded.permanent, created_at = excluded.created_at,
      expires_at = excluded.expires_at, rotated_at = null
    where internal.code_is_free(taken.expires_at, taken.rotated_at, p_now)
    returning * into v_code;
    if found then
      return v_code;
    end if;
  end loop;
  raise exception 'quota_exceeded' using errcode = 'KT507', detail = 'There is hardly a free code left. Please tell the app''s support.';
end
$$;
comment on function internal.new_code(text, boolean, timestamptz, timestamptz) is
  'A new code of the user who asks, or the permanent one they have. Takes over a code that ended 90 days ago; at most 100 codes a user, live and ended. For definer procedures.';
revoke all on function internal.new_code(text, boolean, timestamptz, timestamptz) from public;

create or replace function internal.rotate_code(p_role text, p_now timestamptz) returns kith.unique_codes
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  perform internal.lock_account();
  update kith.unique_codes set rotated_at = p_now
  where tenant_id = v_tenant and user_id = v_user and role = p_role and permanent and rotated_at is null;
  return internal.new_code(p_role, true, null, p_now);
end
$$;
comment on function internal.rotate_code(text, timestamptz) is
  'Ends the permanent code of the user who asks and makes a new one. For definer procedures.';
revoke all on function internal.rotate_code(text, timestamptz) from public;

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
revoke all on function internal.code_json(kith.unique_codes) from public;
grant execute on function internal.code_json(kith.unique_codes) to kith_api;

create or replace function internal.code_problem(p_problem text, p_retry_after integer) returns json
  language sql
  immutable
as $$
  select case
    when p_problem = 'user_blocked' then json_build_object('problem', 'conflict', 'detail', 'You have blocked this user.')
    when p_retry_after is null then json_build_object('problem', p_problem)
    else json_build_object('problem', p_problem, 'retry_after', p_retry_after)
  end
$$;
comment on function internal.code_problem(text, integer) is
  'A refusal that is returned and not raised, because raising would roll the counted attempt back.';
revoke all on function internal.code_problem(text, integer) from public;
grant execute on function internal.code_problem(text, integer) to kith_api;
