create or replace function worker.sweep_sign_in(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  p_now := internal.present(p_now);
  -- In each step, the order and `skip locked` keep two workers apart.
  return internal.sweep_tries(p_now, p_batch) + internal.sweep_one_time_codes(p_now, p_batch)
    + internal.sweep_refresh_tokens(p_now, p_batch) + internal.sweep_counts(p_now, p_batch);
end
$$;
comment on function worker.sweep_sign_in(timestamptz, integer) is
  'Deletes what signing in and connecting leave behind: tries of one-time codes after an hour, attempts to enter a '
  'connection code after a day, one-time codes with their deliveries after 30 days (of ended accounts after one), '
  'refresh tokens when they expire, sign-ins 30 days after their last refresh token expired, counts after 90 days, and '
  'invitations by SMS after a day. Returns how many. Security definer, because the worker may not read them.';
grant execute on function worker.sweep_sign_in(timestamptz, integer) to kith_worker;

create or replace function internal.sweep_tries(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
as $$
begin
  return internal.work_off('sweep_sign_in.delete', array(
    select tried
    from kith.otp_tries as tried
    where tried.tried_at < p_now - interval '1 hour'
      and not exists (select from internal.shut_out('sweep_sign_in', tried.tenant_id, tried.id::text, p_now))
    order by tried.tried_at
    limit p_batch
    for update of tried skip locked
  ), null, p_now) + internal.work_off('sweep_sign_in.delete', array(
    select attempt
    from kith.code_attempts as attempt
    where attempt.attempted_at < p_now - interval '1 day'
      and not exists (select from internal.shut_out('sweep_sign_in', attempt.tenant_id, attempt.id::text, p_now))
    order by attempt.attempted_at
    limit p_batch
    for update of attempt skip locked
  ), null, p_now);
end
$$;
comment on function internal.sweep_tries(timestamptz, integer) is
  'Deletes tries of one-time codes after an hour, and attempts to enter a connection code after a day. Returns how '
  'many. For worker.sweep_sign_in.';

create or replace function internal.sweep_one_time_codes(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
as $$
begin
  return internal.work_off('sweep_sign_in.delete', array(
    select code
    from kith.otp_codes as code
    where code.created_at < p_now - interval '30 days'
      and not exists (select from internal.shut_out('sweep_sign_in', code.tenant_id, code.id::text, p_now))
    order by code.created_at
    limit p_batch
    for update of code skip locked
  ), null, p_now) + internal.work_off('sweep_sign_in.delete', array(
    select code
    from kith.otp_codes as code
    where code.address_is_hashed and code.created_at < p_now - interval '1 day'
      and not exists (select from internal.shut_out('sweep_sign_in', code.tenant_id, code.id::text, p_now))
    order by code.created_at
    limit p_batch
    for update of code skip locked
  ), null, p_now);
end
$$;
comment on function internal.sweep_one_time_codes(timestamptz, integer) is
  'Deletes one-time codes with their deliveries after 30 days, and those of ended accounts after one. Returns how many '
  'codes. For worker.sweep_sign_in.';

create or replace function internal.sweep_refresh_tokens(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
as $$
begin
  return internal.work_off('sweep_sign_in.delete', array(
    select token
    from kith.refresh_tokens as token
    where token.expires_at < p_now
      and not exists (select from internal.shut_out('sweep_sign_in', token.tenant_id, token.id::text, p_now))
    order by token.expires_at
    limit p_batch
    for update of token skip locked
  ), null, p_now) + internal.work_off('sweep_sign_in.delete', array(
    select family
    from kith.token_families as family
    where family.expires_at < p_now - interval '30 days'
      and not exists (select from internal.shut_out('sweep_sign_in', family.tenant_id, family.id::text, p_now))
    order by family.expires_at
    limit p_batch
    for update of family skip locked
  ), null, p_now);
end
$$;
comment on function internal.sweep_refresh_tokens(timestamptz, integer) is
  'Deletes refresh tokens when they expire, those of sign-ins that continue too, because each refresh leaves one '
  'behind, and sign-ins 30 days after their last refresh token expired. Returns how many. For worker.sweep_sign_in.';

create or replace function internal.sweep_counts(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
as $$
begin
  return internal.work_off('sweep_sign_in.delete', array(
    select counts
    from kith.otp_counts as counts
    where counts.counted_on < (p_now at time zone 'UTC')::date - 90
      and not exists (
        select
        from internal.shut_out(
          'sweep_sign_in', counts.tenant_id, concat_ws(' ', to_jsonb(counts.counted_on) #>> '{}', md5(counts.scope)),
          p_now
        )
      )
    order by counts.counted_on
    limit p_batch
    for update of counts skip locked
  ), null, p_now) + internal.work_off('sweep_sign_in.delete', array(
    select invitation
    from kith.text_invitations as invitation
    where invitation.sent_at < p_now - interval '24 hours'
      and not exists (select from internal.shut_out('sweep_sign_in', invitation.tenant_id, invitation.id::text, p_now))
    order by invitation.sent_at
    limit p_batch
    for update of invitation skip locked
  ), null, p_now);
end
$$;
comment on function internal.sweep_counts(timestamptz, integer) is
  'Deletes counts of one-time codes after 90 days, and the record of invitations by SMS after a day. Returns how many. '
  'For worker.sweep_sign_in.';
