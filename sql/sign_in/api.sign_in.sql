-- Sign-in by one-time code. The server sets the tenant that the client named, and no user. These functions are security
-- definers because no user is known yet. The server creates codes, tokens and their hashes, because it has the keys.

create or replace function api.find_tenant(p_slug text) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    select json_build_object(
      'tenant_id', tenant.tenant_id,
      'status', case when tenant.deleted_at is null then tenant.status else 'deleted' end,
      'wording', internal.wording(tenant)
    )
    from kith.tenants as tenant
    where tenant.slug = p_slug
  );
end
$$;
comment on function api.find_tenant(text) is
  'Finds a tenant by its slug: {tenant_id, status, wording}, or null. Security definer, because the slug identifies '
  'the tenant before one is set.';
grant execute on function api.find_tenant(text) to kith_api;

create or replace function api.request_code(
  p_channel text, p_address text, p_token_hash bytea, p_language text, p_code jsonb, p_now timestamptz
) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid;
  v_address text;
  v_locale text;
  v_dropped_for text;
begin
  perform internal.require_server();
  v_user := internal.user_of_contact(p_channel, p_address);
  select case p_channel when 'sms' then phone else email end, locale into v_address, v_locale
  from kith.users
  where tenant_id = v_tenant and id = v_user;
  select case when v_user is null and not sign_up_open then 'nobody has this address' end into v_dropped_for
  from kith.tenants
  where tenant_id = v_tenant;
  -- Send to the address as the account has it, never to another spelling of it from the request.
  perform internal.send_otp(
    'sign_in', p_channel, coalesce(v_address, p_address), null, internal.is_known_device(v_user, p_token_hash, p_now),
    coalesce(v_locale, p_language), v_dropped_for, p_code, p_now
  );
  return json_build_object('challenge_id', p_code ->> 'id');
end
$$;
comment on function api.request_code(text, text, bytea, text, jsonb, timestamptz) is
  'Sends a code to sign in with. Always returns {challenge_id}, and does the same work for known and unknown '
  'addresses. p_token_hash is the SHA-256 hash of a refresh token, which identifies a device from which the address''s '
  'user has signed in before. p_language is the one that the request prefers, for somebody whose own is not known. '
  'Security definer, because no user is known yet.';
grant execute on function api.request_code(text, text, bytea, text, jsonb, timestamptz) to kith_api;

create or replace function api.live_codes(p_channel text, p_address text, p_now timestamptz) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_user uuid := kith.user_id();
begin
  if kith.tenant_id() is null then
    raise exception 'unauthenticated' using errcode = 'KT401';
  end if;
  return (
    select json_build_object('ids', coalesce(json_agg(code.id), '[]'))
    from internal.live_otp(
      case when v_user is null then 'sign_in' else 'contact' end, p_channel, p_address, v_user, p_now
    ) as code
  );
end
$$;
comment on function api.live_codes(text, text, timestamptz) is
  'Returns the ids of an address''s live codes that may be tried without a challenge: codes to sign in, or, for a '
  'user, codes to confirm a contact. The server needs the ids to compute the hashes that it then sends. Security '
  'definer, because kith_api may not read codes.';
grant execute on function api.live_codes(text, text, timestamptz) to kith_api;

create or replace function api.sign_in(
  p_channel text, p_address text, p_challenge_id uuid, p_guesses jsonb, p_family_id uuid, p_secret_hash bytea,
  p_now timestamptz
) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_repeated uuid;
  v_signed record;
  v_user kith.users;
begin
  perform internal.require_server();
  -- Forms that are sent at once take turns here, in the order in which a code locks: the user, then the address.
  perform from kith.users
  where tenant_id = v_tenant and id = internal.user_of_contact(p_channel, p_address)
  for no key update;
  perform pg_advisory_xact_lock(v_tenant, hashtext(internal.normalized_address(p_channel, p_address)));
  v_repeated := internal.user_of_repeated_sign_in(p_family_id, p_secret_hash, p_now);
  if v_repeated is not null then
    select * into v_user from kith.users where tenant_id = v_tenant and id = v_repeated;
    return json_build_object('user_id', v_user.id, 'user', internal.user_json(v_user));
  end if;
  v_signed := internal.user_by_code(p_channel, p_address, p_challenge_id, p_guesses, p_now);
  if v_signed.user_id is null then
    return json_build_object('problem', 'otp_invalid');
  end if;
  if v_signed.is_new then
    perform internal.count_users(1);
  end if;
  select * into v_user from kith.users where tenant_id = v_tenant and id = v_signed.user_id;
  perform internal.begin_session(v_user.id, p_family_id, p_secret_hash, p_now);
  perform internal.record_act(v_tenant, 'user:' || v_user.id, 'session.begin', p_family_id::text, null);
  return json_build_object('user_id', v_user.id, 'user', internal.user_json(v_user));
end
$$;
comment on function api.sign_in(text, text, uuid, jsonb, uuid, bytea, timestamptz) is
  'Signs in a person who has a code for the address: {user_id, user}, or the problem otp_invalid. Chooses the user for '
  'whom the contact is verified, else the oldest user to whom the tenant''s server has assigned it, else a new user if '
  'sign-up is open. A form that is sent again within a minute gets its first answer. Security definer, because no user '
  'is known yet.';
grant execute on function api.sign_in(text, text, uuid, jsonb, uuid, bytea, timestamptz) to kith_api;

create or replace function api.refresh_session(p_secret_hash bytea, p_new_hash bytea, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_refusal json := json_build_object(
    'problem', 'unauthenticated', 'detail', 'The refresh token is not valid any more. Sign in again.'
  );
  v_tenant kith.tenants;
  v_token kith.refresh_tokens;
  v_family kith.token_families;
  v_user kith.users;
  v_verdict text;
  v_wait integer;
begin
  select tenant.* into v_tenant
  from kith.refresh_tokens as token
  join kith.tenants as tenant on tenant.tenant_id = token.tenant_id
  where token.secret_hash = p_secret_hash;
  if not found then
    return v_refusal;
  end if;
  -- A suspension refuses no refresh: a person must be able to check in.
  if v_tenant.deleted_at is not null then
    return json_build_object('problem', 'tenant_suspended');
  end if;
  perform set_config('kith.tenant_id', v_tenant.tenant_id::text, true);

  -- Lock the family, which serializes the uses of its tokens. Then read the token's present state.
  select family.* into v_family
  from kith.token_families as family
  where family.tenant_id = v_tenant.tenant_id and family.id = (
    select family_id from kith.refresh_tokens where tenant_id = v_tenant.tenant_id and secret_hash = p_secret_hash
  )
  for no key update;
  select * into v_token from kith.refresh_tokens where tenant_id = v_tenant.tenant_id and secret_hash = p_secret_hash;
  select * into v_user from kith.users
  where tenant_id = v_tenant.tenant_id and id = v_family.user_id and deleted_at is null;
  if not found or v_family.ended_at is not null or v_token.expires_at <= p_now then
    return v_refusal;
  end if;

  v_verdict := internal.judge_refresh(v_token, p_now);
  if v_verdict = 'spent' then
    perform internal.end_sessions(v_user.id, v_family.id, 'reuse', p_now);
    perform internal.record_act(v_tenant.tenant_id, 'kith', 'session.reuse', v_family.id::text, null);
  end if;
  if v_verdict <> 'exchanged' then
    return v_refusal;
  end if;
  v_wait := internal.count_acts_of(v_user.id, 'refresh', 1, p_now);
  -- Somebody else's refreshes must not sign a person out for the day: each sign-in has one a minute in any case.
  if v_wait is not null and v_family.refreshed_at > p_now - interval '1 minute' then
    return json_build_object('problem', 'too_many_requests', 'retry_after', 60);
  end if;
  perform internal.add_refresh_token(v_family.id, v_token.id, p_new_hash, p_now);
  update kith.refresh_tokens set used_at = p_now
  where tenant_id = v_tenant.tenant_id and id = v_token.id and used_at is null;
  update kith.token_families set refreshed_at = p_now, expires_at = p_now + interval '60 days'
  where tenant_id = v_tenant.tenant_id and id = v_family.id;
  return json_build_object(
    'tenant_id', v_tenant.tenant_id, 'slug', v_tenant.slug, 'user_id', v_user.id, 'session_id', v_family.id,
    'user', internal.user_json(v_user)
  );
end
$$;
comment on function api.refresh_session(bytea, bytea, timestamptz) is
  'Exchanges a refresh token, given by its SHA-256 hash, for a new one: {tenant_id, slug, user_id, session_id, user}. '
  'Reuse of a token revokes its family, except within a minute while its successors are unused. Then it gets a new '
  'successor, at most ten, and each of them can go on: two tabs that refresh at once both stay signed in. Security '
  'definer, because the hash identifies the tenant.';
grant execute on function api.refresh_session(bytea, bytea, timestamptz) to kith_api;

create or replace function api.browser_session(p_secret_hash bytea, p_host text, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant kith.tenants;
  v_token kith.refresh_tokens;
  v_family kith.token_families;
begin
  select tenant.* into v_tenant
  from kith.refresh_tokens as token
  join kith.tenants as tenant on tenant.tenant_id = token.tenant_id
  where token.secret_hash = p_secret_hash;
  if not found or v_tenant.deleted_at is not null
    -- The page would show one tenant's people under another's name.
    or exists (
      select from kith.tenants as owner
      where owner.universal_link_host = p_host and owner.tenant_id <> v_tenant.tenant_id
    )
  then
    return null;
  end if;
  perform set_config('kith.tenant_id', v_tenant.tenant_id::text, true);
  select * into v_token from kith.refresh_tokens where tenant_id = v_tenant.tenant_id and secret_hash = p_secret_hash;
  select family.* into v_family
  from kith.token_families as family
  join kith.users as account
    on account.tenant_id = v_tenant.tenant_id and account.id = family.user_id and account.deleted_at is null
  where family.tenant_id = v_tenant.tenant_id and family.id = v_token.family_id;
  if not found or v_family.ended_at is not null or v_token.expires_at <= p_now then
    return null;
  end if;
  -- A browser never exchanges its token, so whoever did is somebody else.
  if v_token.used_at is not null then
    perform internal.end_sessions(v_family.user_id, v_family.id, 'reuse', p_now);
    perform internal.record_act(v_tenant.tenant_id, 'kith', 'session.reuse', v_family.id::text, null);
    return null;
  end if;
  -- Once a day is enough to keep those signed in who come back.
  if v_family.refreshed_at <= p_now - interval '1 day' then
    update kith.refresh_tokens set expires_at = p_now + interval '60 days'
    where tenant_id = v_tenant.tenant_id and id = v_token.id;
    update kith.token_families set refreshed_at = p_now, expires_at = p_now + interval '60 days'
    where tenant_id = v_tenant.tenant_id and id = v_family.id;
  end if;
  return json_build_object(
    'tenant_id', v_tenant.tenant_id, 'slug', v_tenant.slug, 'status', v_tenant.status,
    'brand_name', v_tenant.brand_name,
    'brand_color', v_tenant.brand_color, 'brand_mark', internal.brand_mark_path(v_tenant.slug, v_tenant.brand_mark),
    'user_id', v_family.user_id, 'session_id', v_family.id, 'wording', internal.wording(v_tenant),
    'notes_use', internal.is_seen(v_tenant.tenant_id, v_family.user_id, p_now)
  );
end
$$;
comment on function api.browser_session(bytea, text, timestamptz) is
  'Finds the sign-in of a browser by the hash of the refresh token in its cookie, and keeps it alive for 60 days more: '
  '{tenant_id, slug, status, brand_name, brand_color, brand_mark, user_id, session_id, wording, notes_use}, or null if '
  'it has ended, or on the host of another tenant. notes_use says that the server must call api.note_use when the '
  'person uses a page; what an open page asks for by itself is no use (E03). The token stays the same (decision 42). '
  'If somebody has exchanged it, the sign-in ends. A suspension ends no sign-in. Security definer, because the hash '
  'identifies the tenant.';
grant execute on function api.browser_session(bytea, text, timestamptz) to kith_api;

create or replace function api.sign_out(p_session_id uuid, p_everywhere boolean, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  perform internal.require_user();
  if p_everywhere then
    perform internal.sign_out_everywhere(v_user, p_now);
    perform internal.record_act(v_tenant, internal.actor(), 'user.sign_out_everywhere', v_user::text, null);
  elsif p_session_id is not null and internal.end_sessions(v_user, p_session_id, 'signed_out', p_now) > 0 then
    perform internal.record_act(v_tenant, internal.actor(), 'session.end', p_session_id::text, null);
  end if;
  return null;
end
$$;
comment on function api.sign_out(uuid, boolean, timestamptz) is
  'Ends the sign-in that the user''s token names, or all sign-ins, all tokens issued until now and the registrations '
  'of all devices. Security definer, because kith_api may not write sign-ins.';
grant execute on function api.sign_out(uuid, boolean, timestamptz) to kith_api;

create or replace function api.verify_contact(p_channel text, p_address text, p_guesses jsonb, p_now timestamptz)
  returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_id uuid := kith.user_id();
  v_user kith.users;
  v_detail text;
begin
  perform internal.require_user();
  select * into v_user from kith.users
  where tenant_id = v_tenant and id = v_id and deleted_at is null for no key update;
  if not found then
    perform internal.refuse_not_found();
  end if;
  if not internal.try_otp('contact', p_channel, p_address, v_id, null, p_guesses, p_now)
    or internal.normalized_address(p_channel, p_address) is distinct from
      internal.normalized_address(
        p_channel, case p_channel when 'sms' then v_user.pending_phone else v_user.pending_email end
      )
  then
    return json_build_object('problem', 'otp_invalid');
  end if;
  begin
    return internal.user_json(internal.confirm_contact(
      v_id, p_channel, case p_channel when 'sms' then v_user.pending_phone else v_user.pending_email end, p_now
    ));
  exception when sqlstate 'KT409' then
    -- A refusal that is raised would give the try back.
    get stacked diagnostics v_detail = pg_exception_detail;
    return json_build_object('problem', 'conflict', 'detail', v_detail);
  end;
end
$$;
comment on function api.verify_contact(text, text, jsonb, timestamptz) is
  'Confirms the caller''s pending contact with a code that was sent to it. Returns the problem otp_invalid for a wrong '
  'code, and conflict if another user has verified the contact. Both keep the try counted. Security definer, because '
  'users may not write contacts that are not confirmed.';
grant execute on function api.verify_contact(text, text, jsonb, timestamptz) to kith_api;
