-- One-time codes: made, counted and tried here only. The code itself never comes here: the server keeps the key of the hash.

create or replace function internal.calling_code(p_phone text) returns text
  language sql
  immutable
  parallel safe
as $$
  -- ITU-T E.164: 1 and 7 have one digit, these have two, all others three.
  select substr(p_phone, 2, case
    when p_phone ~ '^\+[17]' then 1
    when p_phone ~ '^\+(2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])' then 2
    else 3
  end)
$$;
comment on function internal.calling_code(text) is 'The country calling code of a number in E.164: 49 of +4915112345678.';
revoke all on function internal.calling_code(text) from public;

create or replace function internal.hashed_address(p_address text) returns text
  language sql
  stable
as $$
  select encode(sha256(convert_to(kith.tenant_id() || ' ' || p_address, 'UTF8')), 'hex')
$$;
comment on function internal.hashed_address(text) is
  'What an address counts as once its account has ended. Who tries all numbers finds it again, so it is kept no longer than the limits need it.';
revoke all on function internal.hashed_address(text) from public;

create or replace function internal.count_otp(p_scope text, p_limit integer, p_now timestamptz) returns boolean
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  insert into kith.otp_counts as counts (tenant_id, counted_on, scope, codes)
  select v_tenant, (p_now at time zone 'UTC')::date, p_scope, 1
  where p_limit > 0
  on conflict (tenant_id, counted_on, scope) do update set codes = counts.codes + 1
  where counts.codes < p_limit;
  return found;
end
$$;
comment on function internal.count_otp(text, integer, timestamptz) is
  'Counts a code of the day in a scope, unless the limit is reached: then false, and nothing is counted.';
revoke all on function internal.count_otp(text, integer, timestamptz) from public;

create or replace function internal.send_otp(
  p_purpose text, p_channel text, p_address text, p_user_id uuid, p_by_known_device boolean, p_dropped_for text, p_code jsonb,
  p_now timestamptz
) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_address text := internal.normalized_address(p_channel, p_address);
  v_settings kith.tenants;
  v_scope text := case when p_dropped_for is not null then 'dropped' when p_by_known_device then p_channel || ' known' else p_channel end;
  v_limit integer := case when p_dropped_for is not null then 2147483647 when p_channel = 'email' then 50000 end;
  v_country text := internal.calling_code(p_address);
  v_id uuid := (p_code ->> 'id')::uuid;
  v_delivery text := p_purpose || '_code';
  v_hour integer;
  v_day integer;
  v_of_user integer;
  v_capped_by text;
begin
  select * into v_settings from kith.tenants where tenant_id = v_tenant;
  -- Requests for one address wait for each other; otherwise a burst of them would all count the same past.
  perform pg_advisory_xact_lock(v_tenant, hashtext(v_address));
  -- What strangers ask for leaves a known device its own room.
  select count(*) filter (where created_at > p_now - interval '1 hour'), count(*) into v_hour, v_day
  from kith.otp_codes
  where tenant_id = v_tenant and address = any (array[v_address, internal.hashed_address(v_address)])
    and created_at > p_now - interval '24 hours' and by_known_device = p_by_known_device;
  select count(*) into v_of_user
  from kith.otp_codes
  where tenant_id = v_tenant and user_id = p_user_id and created_at > p_now - interval '1 hour';

  -- Sent or dropped, the same is counted in the same order: the time it takes tells nobody who is known here.
  v_capped_by := case
    when v_hour >= 5 or p_channel = 'sms' and v_day >= v_settings.sms_codes_per_number_per_day then 'address'
    when v_of_user >= 10 then 'user'
    when not internal.count_otp(v_scope, coalesce(v_limit, v_settings.sms_codes_per_day), p_now) then 'tenant'
  end;
  if v_capped_by is null and p_channel = 'sms'
    and not internal.count_otp(v_scope || ' +' || v_country, coalesce(v_limit, v_settings.sms_codes_per_country_per_day), p_now)
  then
    update kith.otp_counts set codes = codes - 1
    where tenant_id = v_tenant and counted_on = (p_now at time zone 'UTC')::date and scope = v_scope;
    v_capped_by := 'country +' || v_country;
  end if;
  if v_capped_by is not null then
    perform internal.count_otp('capped by ' || v_capped_by, 2147483647, p_now);
    return;
  end if;

  insert into kith.otp_codes (tenant_id, id, purpose, address, user_id, by_known_device, code_hash, created_at, expires_at)
  values (
    v_tenant, v_id, p_purpose, v_address, p_user_id, p_by_known_device, decode(p_code ->> 'hash', 'hex'), p_now,
    p_now + interval '10 minutes'
  );
  perform internal.queue_delivery(
    v_id, p_channel, v_delivery, p_address,
    case p_channel when 'email' then internal.delivery_subject(v_delivery, v_settings.brand_name) end,
    internal.delivery_text(v_delivery, p_channel, v_settings.brand_name, v_settings.universal_link_host),
    decode(p_code ->> 'sealed', 'hex'), p_dropped_for, p_now + interval '10 minutes', p_now
  );
end
$$;
comment on function internal.send_otp(text, text, text, uuid, boolean, text, jsonb, timestamptz) is
  'Keeps a code, {id, hash, sealed} in hexadecimal, and queues its message: at most 5 an hour an address, by SMS the tenant''s caps a day, by e-mail 50,000 a day a tenant, 10 an hour a user. Known devices have those limits to themselves, the tenant''s included: strangers who use up a day''s codes lock out nobody who has signed in before. Past a cap nothing is sent, and that is counted. p_dropped_for says why the message is not to go out, null that it is. For definer procedures.';
revoke all on function internal.send_otp(text, text, text, uuid, boolean, text, jsonb, timestamptz) from public;

create or replace function internal.is_known_device(p_user_id uuid, p_token_hash bytea, p_now timestamptz) returns boolean
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  return exists (
    select
    from kith.refresh_tokens as token
    join kith.token_families as family on family.tenant_id = v_tenant and family.id = token.family_id
    where token.tenant_id = v_tenant and token.secret_hash = p_token_hash and token.used_at is null and token.replaced_at is null
      and token.expires_at > p_now and family.user_id = p_user_id and (family.ended_at is null or family.end_reason = 'signed_out')
  );
end
$$;
comment on function internal.is_known_device(uuid, bytea, timestamptz) is
  'Whether a refresh token, by its SHA-256, is the newest of a sign-in of this user that goes on or that this very device has ended. One that was reused, or ended because everything was signed out, may be in wrong hands. For definer procedures.';
revoke all on function internal.is_known_device(uuid, bytea, timestamptz) from public;

create or replace function internal.live_otp(
  p_purpose text, p_channel text, p_address text, p_user_id uuid, p_now timestamptz
) returns setof kith.otp_codes
  language sql
  stable
as $$
  select *
  from kith.otp_codes
  where tenant_id = kith.tenant_id() and address = internal.normalized_address(p_channel, p_address)
    and created_at > p_now - interval '1 hour' and purpose = p_purpose and user_id is not distinct from p_user_id
    and ended_at is null and expires_at > p_now and not by_known_device
    and case p_purpose when 'contact' then tries else open_tries end < 5
  order by created_at desc, id desc
  limit 2
$$;
comment on function internal.live_otp(text, text, text, uuid, timestamptz) is
  'The codes that may be tried without saying which: not used, not expired, tried less than five times, and not asked for by a known device, which says which. Two at most, because somebody may ask again before the first arrives: with each more a guess hits more often.';
revoke all on function internal.live_otp(text, text, text, uuid, timestamptz) from public;

create or replace function internal.try_otp(
  p_purpose text, p_channel text, p_address text, p_user_id uuid, p_challenge_id uuid, p_guesses jsonb, p_now timestamptz
) returns boolean
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_address text := internal.normalized_address(p_channel, p_address);
  -- A request's own tries are nobody else's to use up: those of who names its challenge, and of a user who wants to have the contact.
  v_is_own boolean := p_challenge_id is not null or p_user_id is not null;
  v_live uuid[];
  v_hit boolean;
begin
  perform pg_advisory_xact_lock(v_tenant, hashtext(v_address));
  if p_challenge_id is null then
    v_live := array(select id from internal.live_otp(p_purpose, p_channel, p_address, p_user_id, p_now));
  else
    v_live := array(
      select id
      from kith.otp_codes
      where tenant_id = v_tenant and id = p_challenge_id and address = v_address and purpose = p_purpose
        and user_id is not distinct from p_user_id and ended_at is null and expires_at > p_now and tries < 5
    );
  end if;
  if v_live = '{}' then
    -- There is nothing to guess, and so nothing to count.
    return false;
  end if;
  if not v_is_own then
    if (
      select count(*) >= 10 from kith.otp_tries
      where tenant_id = v_tenant and address = any (array[v_address, internal.hashed_address(v_address)])
        and tried_at > p_now - interval '1 hour'
    ) then
      return false;
    end if;
    insert into kith.otp_tries (tenant_id, id, address, tried_at) values (v_tenant, internal.uuid7(p_now), v_address, p_now);
  end if;
  update kith.otp_codes
  set tries = tries + v_is_own::integer, open_tries = open_tries + (not v_is_own)::integer
  where tenant_id = v_tenant and id = any (v_live);
  v_hit := exists (
    select
    from kith.otp_codes as code
    join jsonb_each(p_guesses) as guess (id, hashes) on code.id = guess.id::uuid and guess.hashes ? encode(code.code_hash, 'hex')
    where code.tenant_id = v_tenant and code.id = any (v_live)
  );
  if v_hit then
    -- Whoever asked for another one at the same time has no use for it any more, whether it was them or a stranger.
    update kith.otp_codes set ended_at = p_now
    where tenant_id = v_tenant and address = v_address and purpose = p_purpose and user_id is not distinct from p_user_id
      and created_at > p_now - interval '1 hour' and ended_at is null;
  end if;
  return v_hit;
end
$$;
comment on function internal.try_otp(text, text, text, uuid, uuid, jsonb, timestamptz) is
  'Whether somebody has a live code of an address. p_guesses: for each code by its id, the hashes (while the master key is exchanged, several) that it may have if what was typed is right. Who names the challenge of a request has five tries at its code, which nobody else can spend; without one a try counts for the two newest codes, five a code and ten an hour an address. A hit ends all codes of the address. For definer procedures.';
revoke all on function internal.try_otp(text, text, text, uuid, uuid, jsonb, timestamptz) from public;

create or replace function internal.user_by_code(
  p_channel text, p_address text, p_challenge_id uuid, p_guesses jsonb, p_now timestamptz, out user_id uuid, out is_new boolean
) returns record
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_address text;
  v_is_verified boolean;
begin
  is_new := false;
  -- The user before the address and its codes, as everywhere; whose it is may change until the address is locked.
  user_id := internal.user_of_contact(p_channel, p_address);
  perform from kith.users where tenant_id = v_tenant and id = user_id for no key update;
  if not internal.try_otp('sign_in', p_channel, p_address, null, p_challenge_id, p_guesses, p_now) then
    user_id := null;
    return;
  end if;
  user_id := internal.user_of_contact(p_channel, p_address);
  if user_id is null then
    if not (select sign_up_open from kith.tenants where tenant_id = v_tenant) then
      return;
    end if;
    user_id := internal.uuid7(p_now);
    is_new := true;
    insert into kith.users (tenant_id, id, tokens_valid_from, created_at, updated_at) values (v_tenant, user_id, p_now, p_now, p_now);
    perform internal.record_act(v_tenant, 'user:' || user_id, 'user.sign_up', user_id::text, null);
  end if;
  select case p_channel when 'sms' then phone_verified_at else email_verified_at end is not null,
    case p_channel when 'sms' then phone else email end
  into v_is_verified, v_address
  from kith.users
  where tenant_id = v_tenant and id = user_id
  for no key update;
  if not v_is_verified then
    perform internal.confirm_contact(user_id, p_channel, coalesce(v_address, p_address), p_now);
  end if;
end
$$;
comment on function internal.user_by_code(text, text, uuid, jsonb, timestamptz) is
  'Who has a code of an address; null for a wrong code. Whose verified contact it is, else the oldest user''s of whom the tenant''s server said so, else a new user''s where sign-up is open: is_new, and the caller counts them, last. For definer procedures.';
revoke all on function internal.user_by_code(text, text, uuid, jsonb, timestamptz) from public;
