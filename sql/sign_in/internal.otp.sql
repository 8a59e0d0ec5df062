-- Creates, counts and checks one-time codes. The code itself never reaches the database: the server keeps the key of
-- the hash.

create or replace function internal.otp_capped_by(
  p_channel text, p_address text, p_user_id uuid, p_by_known_device boolean, p_is_dropped boolean,
  p_settings kith.tenants, p_now timestamptz
) returns text
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_scope text := case
    when p_is_dropped then 'dropped'
    when p_by_known_device then p_channel || ' known'
    else p_channel
  end;
  v_limit integer := case
    when p_is_dropped then 2147483647
    when p_channel = 'email' then internal.code_limit('emails_of_tenant_a_day')
  end;
  v_country text := internal.calling_code(p_address);
  v_hour integer;
  v_day integer;
  v_of_user integer;
  v_capped_by text;
begin
  -- Requests of strangers do not use up a known device's limit.
  select count(*) filter (where created_at > p_now - interval '1 hour'), count(*) into v_hour, v_day
  from kith.otp_codes
  where tenant_id = v_tenant and address = any (array[p_address, internal.hashed_address(p_address)])
    and created_at > p_now - interval '24 hours' and by_known_device = p_by_known_device;
  select count(*) into v_of_user
  from kith.otp_codes
  where tenant_id = v_tenant and user_id = p_user_id and created_at > p_now - interval '1 hour';

  -- Count the same things in the same order whether the message is sent or dropped, so that the response time does not
  -- reveal whether the address is known.
  v_capped_by := case
    when v_hour >= internal.code_limit('codes_to_address_an_hour')
      or v_day >= case p_channel when 'sms' then p_settings.sms_codes_per_number_per_day else internal.code_limit(
        'emails_to_address_a_day'
      ) end
    then 'address'
    when v_of_user >= internal.code_limit('codes_of_user_an_hour') then 'user'
    when not internal.count_otp(v_scope, coalesce(v_limit, p_settings.sms_codes_per_day), p_now) then 'tenant'
  end;
  if v_capped_by is null and p_channel = 'sms'
    and not internal.count_otp(
      v_scope || ' +' || v_country, coalesce(v_limit, p_settings.sms_codes_per_country_per_day), p_now
    )
  then
    update kith.otp_counts set codes = codes - 1
    where tenant_id = v_tenant and counted_on = (p_now at time zone 'UTC')::date and scope = v_scope;
    v_capped_by := 'country +' || v_country;
  end if;
  return v_capped_by;
end
$$;
comment on function internal.otp_capped_by(text, text, uuid, boolean, boolean, kith.tenants, timestamptz) is
  'Counts a one-time code to a normalized address, and returns the limit that forbids it, or null: address, user, '
  'tenant, or country with its calling code. p_is_dropped says that the message is not sent in any case. For '
  'internal.send_otp.';

create or replace function internal.send_otp(
  p_purpose text, p_channel text, p_address text, p_user_id uuid, p_by_known_device boolean, p_locale text,
  p_dropped_for text, p_code jsonb, p_now timestamptz
) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_address text := internal.normalized_address(p_channel, p_address);
  v_settings kith.tenants;
  v_id uuid := (p_code ->> 'id')::uuid;
  -- mail.code.sign_in, sms.code.contact and so on.
  v_text text := format('%s.code.%s', case p_channel when 'email' then 'mail' else p_channel end, p_purpose);
  v_language text := internal.nearest_language(p_locale, v_tenant);
  v_capped_by text;
begin
  select * into v_settings from kith.tenants where tenant_id = v_tenant;
  -- The lock serializes the requests for one address. Otherwise concurrent requests would all count the same past.
  perform pg_advisory_xact_lock(v_tenant, hashtext(v_address));
  -- A form that is sent twice names the same code, and sends one message.
  if exists (select from kith.otp_codes where tenant_id = v_tenant and id = v_id) then
    return;
  end if;
  v_capped_by := internal.otp_capped_by(
    p_channel, v_address, p_user_id, p_by_known_device, p_dropped_for is not null, v_settings, p_now
  );
  if v_capped_by is not null then
    perform internal.count_otp('capped by ' || v_capped_by, 2147483647, p_now);
    return;
  end if;

  insert into kith.otp_codes (
    tenant_id, id, purpose, address, user_id, by_known_device, code_hash, created_at, expires_at
  )
  values (
    v_tenant, v_id, p_purpose, v_address, p_user_id, p_by_known_device, decode(p_code ->> 'hash', 'hex'), p_now,
    p_now + interval '10 minutes'
  );
  perform internal.queue_delivery(
    v_id, p_channel, p_purpose || '_code', p_address,
    -- It never holds the code, because lock screens show subjects.
    case p_channel when 'email' then internal.code_text(
      v_text || '.subject', v_language, internal.shown_brand(v_settings)
    ) end,
    internal.code_text(v_text, v_language, internal.shown_brand(v_settings))
      -- A domain-bound code: the phone fills it in by itself, and only for this host.
      || case
        when p_channel = 'sms' then coalesce(e'\n\n@' || v_settings.universal_link_host || ' #{code}', '')
        else ''
      end,
    decode(p_code ->> 'sealed', 'hex'), p_dropped_for, p_now + interval '10 minutes', p_now
  );
end
$$;
comment on function internal.send_otp(text, text, text, uuid, boolean, text, text, jsonb, timestamptz) is
  'Stores a code, {id, hash, sealed} in hexadecimal, and queues its message. The limits are 5 an hour and 20 a day for '
  'an address, 10 an hour for a user, the tenant''s daily caps for SMS, and 50,000 e-mails a day for a tenant. Known '
  'devices have limits of their own, including the tenant''s, so that strangers who use up a day''s codes lock out '
  'nobody who has signed in before. Beyond a cap nothing is sent, and the refusal is counted. p_locale is the '
  'reader''s (BCP 47), or null. p_dropped_for gives the reason not to send the message; null sends it. For definer '
  'procedures.';

create or replace function internal.is_known_device(p_user_id uuid, p_token_hash bytea, p_now timestamptz)
  returns boolean
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
    where token.tenant_id = v_tenant and token.secret_hash = p_token_hash and token.used_at is null
      and token.expires_at > p_now and family.user_id = p_user_id
      and (family.ended_at is null or family.end_reason = 'signed_out')
  );
end
$$;
comment on function internal.is_known_device(uuid, bytea, timestamptz) is
  'Whether a refresh token, given by its SHA-256, is an unused token of a sign-in of this user that is still open, or '
  'that was ended on this device. A token that was reused, or that ended with a sign-out everywhere, may be stolen and '
  'does not count. For definer procedures.';

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
    and tries < internal.code_limit('tries_of_code')
  order by created_at desc, id desc
  limit 2
$$;
comment on function internal.live_otp(text, text, text, uuid, timestamptz) is
  'The codes that can be tried without naming a challenge: unused, unexpired, tried fewer than five times, and not '
  'requested by a known device, which names its challenge. At most two, because a user may ask again before the first '
  'code arrives, and each further code makes a guess likelier to hit.';

create or replace function internal.count_try(p_address text, p_by_known_device boolean, p_now timestamptz)
  returns boolean
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_tries uuid[];
begin
  select array_agg(id order by tried_at, id) into v_tries
  from kith.otp_tries
  where tenant_id = v_tenant and address = any (array[p_address, internal.hashed_address(p_address)])
    and by_known_device = p_by_known_device and tried_at > p_now - interval '1 hour';
  if cardinality(v_tries) >= internal.code_limit('tries_for_address_an_hour') then
    -- A refused try counts as well. It takes the oldest one's place, so that an address never has more rows than tries
    -- are allowed.
    update kith.otp_tries set tried_at = p_now where tenant_id = v_tenant and id = v_tries[1];
    return false;
  end if;
  insert into kith.otp_tries (tenant_id, id, address, by_known_device, tried_at)
  values (v_tenant, internal.uuid7(p_now), p_address, p_by_known_device, p_now);
  return true;
end
$$;
comment on function internal.count_try(text, boolean, timestamptz) is
  'Counts a try of a one-time code for a normalized address. Returns false if the address has had its tries of the '
  'last hour. All codes, challenges, users and refused tries count together, except that known devices have a count of '
  'their own. Call it with the address locked. For internal.try_otp.';

create or replace function internal.try_otp(
  p_purpose text, p_channel text, p_address text, p_user_id uuid, p_challenge_id uuid, p_guesses jsonb,
  p_now timestamptz
) returns boolean
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_address text := internal.normalized_address(p_channel, p_address);
  v_by_known_device boolean;
  v_live uuid[];
  v_hit boolean;
begin
  perform pg_advisory_xact_lock(v_tenant, hashtext(v_address));
  v_by_known_device := exists (
    select from kith.otp_codes
    where tenant_id = v_tenant and id = p_challenge_id and address = v_address and purpose = p_purpose
      and by_known_device
  );
  -- Count first, whether or not there is a code to try. Otherwise the answer's time would tell whether the address has
  -- one.
  if not internal.count_try(v_address, v_by_known_device, p_now) then
    return false;
  end if;
  if p_challenge_id is null then
    v_live := array(select id from internal.live_otp(p_purpose, p_channel, p_address, p_user_id, p_now));
  else
    v_live := array(
      select id
      from kith.otp_codes
      where tenant_id = v_tenant and id = p_challenge_id and address = v_address and purpose = p_purpose
        and user_id is not distinct from p_user_id and ended_at is null and expires_at > p_now
        and tries < internal.code_limit('tries_of_code')
    );
  end if;
  update kith.otp_codes set tries = tries + 1 where tenant_id = v_tenant and id = any (v_live);
  v_hit := exists (
    select
    from kith.otp_codes as code
    join jsonb_each(p_guesses) as guess (id, hashes)
      on code.id = guess.id::uuid and guess.hashes ? encode(code.code_hash, 'hex')
    where code.tenant_id = v_tenant and code.id = any (v_live)
  );
  if v_hit then
    -- End the other codes of the address too: neither the user nor a stranger who requested one needs it any more.
    update kith.otp_codes set ended_at = p_now
    where tenant_id = v_tenant and address = v_address and purpose = p_purpose
      and user_id is not distinct from p_user_id and created_at > p_now - interval '1 hour' and ended_at is null;
  end if;
  return v_hit;
end
$$;
comment on function internal.try_otp(text, text, text, uuid, uuid, jsonb, timestamptz) is
  'Whether somebody has entered a live code of an address. p_guesses maps each code''s id to the hashes that a correct '
  'entry can have (several during a rotation of the master key). With a challenge, the guess is for its code alone; '
  'without one, it is for the two newest codes. Each code has five tries, and each address ten an hour over all of '
  'them (internal.count_try). A hit ends all codes of the address. For definer procedures.';

create or replace function internal.user_by_code(
  p_channel text, p_address text, p_challenge_id uuid, p_guesses jsonb, p_now timestamptz, out user_id uuid,
  out is_new boolean
) returns record
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_address text;
  v_is_verified boolean;
begin
  is_new := false;
  -- Lock the user before the address and its codes, as everywhere. The contact's owner may change until the address is
  -- locked.
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
    insert into kith.users (tenant_id, id, locale, tokens_valid_from, created_at, updated_at)
    select v_tenant, user_id, coalesce(default_locale, 'en'), p_now, p_now, p_now from kith.tenants
    where tenant_id = v_tenant;
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
  'The user whose address a code confirms. user_id is null for a wrong code. It is the user who has verified the '
  'contact, otherwise the oldest account for which the tenant''s server stated it, otherwise a new user if sign-up is '
  'open. If is_new is set, the caller counts the user, as its last step. For definer procedures.';
