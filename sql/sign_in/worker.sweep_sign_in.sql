create or replace function worker.sweep_sign_in(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  p_now := internal.present(p_now);
  -- In each step, the order and `skip locked` keep two workers apart. Materialized, because a join could run the subquery again and
  -- take more.
  return internal.sweep_tries(p_now, p_batch) + internal.sweep_one_time_codes(p_now, p_batch)
    + internal.sweep_refresh_tokens(p_now, p_batch) + internal.sweep_counts(p_now, p_batch);
end
$$;
comment on function worker.sweep_sign_in(timestamptz, integer) is
  'Deletes what signing in and connecting leave behind: tries of one-time codes after an hour, attempts to enter a connection code after a day, one-time codes with their deliveries after 30 days (of ended accounts after one), refresh tokens when they expire, sign-ins 30 days after their last refresh token expired, counts after 90 days, and those of invitations to a number when their day is over. Returns how many. Security definer, because the worker may not read them.';
revoke all on function worker.sweep_sign_in(timestamptz, integer) from public;
grant execute on function worker.sweep_sign_in(timestamptz, integer) to kith_worker;

create or replace function internal.sweep_tries(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
as $$
declare
  v_swept integer;
  v_all integer := 0;
begin
  with old as materialized (
    select tenant_id, id from kith.otp_tries
    where tried_at < p_now - interval '1 hour'
    order by tried_at limit p_batch for update skip locked
  )
  delete from kith.otp_tries as tried
  using old
  where tried.tenant_id = old.tenant_id and tried.id = old.id;
  get diagnostics v_swept = row_count;
  v_all := v_all + v_swept;

  with old as materialized (
    select tenant_id, id from kith.code_attempts
    where attempted_at < p_now - interval '1 day'
    order by attempted_at limit p_batch for update skip locked
  )
  delete from kith.code_attempts as attempt
  using old
  where attempt.tenant_id = old.tenant_id and attempt.id = old.id;
  get diagnostics v_swept = row_count;
  return v_all + v_swept;
end
$$;
comment on function internal.sweep_tries(timestamptz, integer) is
  'Deletes tries of one-time codes after an hour, and attempts to enter a connection code after a day. Returns how many. For worker.sweep_sign_in.';
revoke all on function internal.sweep_tries(timestamptz, integer) from public;

create or replace function internal.sweep_one_time_codes(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
as $$
declare
  v_swept integer;
  v_all integer := 0;
begin
  with old as materialized (
    select tenant_id, id from kith.otp_codes
    where created_at < p_now - interval '30 days'
    order by created_at limit p_batch for update skip locked
  ), deliveries as (
    delete from kith.deliveries as delivery
    using old
    where delivery.tenant_id = old.tenant_id and delivery.id = old.id
  )
  delete from kith.otp_codes as code
  using old
  where code.tenant_id = old.tenant_id and code.id = old.id;
  get diagnostics v_swept = row_count;
  v_all := v_all + v_swept;

  with old as materialized (
    select tenant_id, id from kith.otp_codes
    where address_is_hashed and created_at < p_now - interval '1 day'
    order by created_at limit p_batch for update skip locked
  )
  delete from kith.otp_codes as code
  using old
  where code.tenant_id = old.tenant_id and code.id = old.id;
  get diagnostics v_swept = row_count;
  return v_all + v_swept;
end
$$;
comment on function internal.sweep_one_time_codes(timestamptz, integer) is
  'Deletes one-time codes with their deliveries after 30 days, and those of ended accounts after one. Returns how many codes. For worker.sweep_sign_in.';
revoke all on function internal.sweep_one_time_codes(timestamptz, integer) from public;

create or replace function internal.sweep_refresh_tokens(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
as $$
declare
  v_swept integer;
  v_all integer := 0;
begin
  -- This includes tokens of sign-ins that continue: each refresh leaves one behind.
  with old as materialized (
    select tenant_id, id from kith.refresh_tokens
    where expires_at < p_now
    order by expires_at limit p_batch for update skip locked
  )
  delete from kith.refresh_tokens as token
  using old
  where token.tenant_id = old.tenant_id and token.id = old.id;
  get diagnostics v_swept = row_count;
  v_all := v_all + v_swept;

  with old as materialized (
    select tenant_id, id from kith.token_families
    where expires_at < p_now - interval '30 days'
    order by expires_at limit p_batch for update skip locked
  )
  delete from kith.token_families as family
  using old
  where family.tenant_id = old.tenant_id and family.id = old.id;
  get diagnostics v_swept = row_count;
  return v_all + v_swept;
end
$$;
comment on function internal.sweep_refresh_tokens(timestamptz, integer) is
  'Deletes refresh tokens when they expire, and sign-ins 30 days after their last refresh token expired. Returns how many. For worker.sweep_sign_in.';
revoke all on function internal.sweep_refresh_tokens(timestamptz, integer) from public;

create or replace function internal.sweep_counts(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
as $$
declare
  v_swept integer;
  v_all integer := 0;
begin
  with old as materialized (
    select tenant_id, counted_on, scope from kith.otp_counts
    where counted_on < (p_now at time zone 'UTC')::date - 90
    order by counted_on limit p_batch for update skip locked
  )
  delete from kith.otp_counts as counts
  using old
  where counts.tenant_id = old.tenant_id and counts.counted_on = old.counted_on and counts.scope = old.scope;
  get diagnostics v_swept = row_count;
  v_all := v_all + v_swept;

  with old as materialized (
    select tenant_id, counted_on, scope from kith.otp_counts
    where scope like 'sms invitation to %' and counted_on < (p_now at time zone 'UTC')::date
    order by counted_on limit p_batch for update skip locked
  )
  delete from kith.otp_counts as counts
  using old
  where counts.tenant_id = old.tenant_id and counts.counted_on = old.counted_on and counts.scope = old.scope;
  get diagnostics v_swept = row_count;
  return v_all + v_swept;
end
$$;
comment on function internal.sweep_counts(timestamptz, integer) is
  'Deletes counts of one-time codes after 90 days, and those of invitations to a number when their day is over. Returns how many. For worker.sweep_sign_in.';
revoke all on function internal.sweep_counts(timestamptz, integer) from public;
