-- The operators' procedures. They are security definers because kith_admin itself may only read. Each is audited under
-- the person's own login. Each enters the tenant and leaves it again, so that an operator's transaction is never left
-- inside one.

create or replace function admin.create_tenant(p_slug text, p_name text, p_now timestamptz default now())
  returns table (tenant_id integer, slug text, secret_key text)
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform internal.require_present(p_now);
  perform internal.require_whole_installation();
  perform internal.leave_tenant();
  perform internal.refuse_in_member();
  return query select * from internal.create_tenant(nextval('kith.tenant_ids')::integer, p_slug, p_name, p_now);
end
$$;
comment on function admin.create_tenant(text, text, timestamptz) is
  'Creates a tenant and its first API key, which is shown only here. Its brand is its name, its links are the '
  'server''s, and it has no URL scheme of its own until it sets one: select * from admin.create_tenant(''acme'', '
  '''Acme'').';
grant execute on function admin.create_tenant(text, text, timestamptz) to kith_admin;

create or replace function internal.create_tenant(p_tenant_id integer, p_slug text, p_name text, p_now timestamptz)
  returns table (tenant_id integer, slug text, secret_key text)
  language plpgsql
as $$
begin
  perform internal.require_name('name', p_name);
  insert into kith.tenants as tenant (tenant_id, slug, name, brand_name, created_at, updated_at)
  values (p_tenant_id, p_slug, p_name, left(p_name, 80), p_now, p_now)
  returning tenant.tenant_id, tenant.slug into tenant_id, slug;
  insert into kith.tenant_usage (tenant_id, users) values (p_tenant_id, 0);
  perform internal.place_new_tenant(p_tenant_id, p_slug);
  -- That of another tenant, if the database was a cell of another installation.
  delete from kith.moving_tenants as departed where departed.tenant_id = p_tenant_id;
  secret_key := (internal.new_api_key(p_tenant_id, 'first', '{all}', null, p_now)).secret;
  perform internal.record_act(p_tenant_id, internal.operator(), 'tenant.create', p_slug, null);
  return next;
exception when unique_violation then
  raise exception 'conflict' using errcode = 'KT409', detail = format('There is a tenant %L already.', p_slug);
end
$$;
comment on function internal.create_tenant(integer, text, text, timestamptz) is
  'Creates a tenant with a given number, and its first API key. In the directory of several cells, it also enters the '
  'tenant into the map, unless admin.place_tenant has.';

create or replace function admin.set_tenant(p_tenant text, p_settings jsonb, p_now timestamptz default now())
  returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := internal.enter_tenant(p_tenant);
  v_answer json;
begin
  perform internal.require_present(p_now);
  if p_settings ?| array[
    'user_quota', 'vault_quota_mib', 'code_misses_per_hour', 'sms_enabled', 'sms_codes_per_day',
    'sms_codes_per_country_per_day', 'sms_codes_per_number_per_day', 'sms_invitations_per_day',
    'sms_notifications_per_user_per_day', 'universal_link_host'
  ] then
    -- They protect the other tenants, and the operator's money. A host has to be one that the tenant owns: a phone
    -- fills a code in for the host that its message names.
    perform internal.require_whole_installation();
  end if;
  v_answer := internal.tenant_json(internal.change_tenant(
    v_tenant, p_settings,
    array[
      'name', 'brand_name', 'brand_color', 'brand_mark', 'join_link', 'universal_link_host', 'allowed_origins',
      'app_ids', 'app_link', 'sign_in_url', 'join_redirects', 'default_region', 'default_locale',
      'requires_subscription', 'requires_consent', 'sign_up_open', 'grace_minutes', 'reminder_minutes',
      'subscription_grace_days', 'session_maximum_minutes', 'invitation_days', 'retention_days', 'ping_retention_days',
      'notification_retention_days', 'history_retention_days', 'audit_retention_days', 'delivery_retention_days',
      'user_quota', 'code_misses_per_hour', 'sms_enabled',
      'sms_codes_per_day', 'sms_codes_per_country_per_day', 'sms_codes_per_number_per_day', 'sms_invitations_per_day',
      'sms_notifications_per_user_per_day', 'link_scheme', 'vault_quota_mib'
    ],
    internal.operator(), p_now
  ));
  perform internal.leave_tenant();
  return v_answer;
end
$$;
comment on function admin.set_tenant(text, jsonb, timestamptz) is
  'Updates a tenant''s settings, including quotas and limits: select admin.set_tenant(''acme'', ''{"requires_consent": '
  'true}''). Quotas, limits and the host are for operators who see the whole installation.';
grant execute on function admin.set_tenant(text, jsonb, timestamptz) to kith_admin;

create or replace function admin.suspend_tenant(p_tenant text, p_reason text, p_now timestamptz default now())
  returns void
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := internal.enter_tenant(p_tenant);
begin
  perform internal.require_present(p_now);
  perform internal.require_reason(p_reason);
  update kith.tenants set status = 'suspended', suspended_at = p_now, updated_at = p_now
  where tenant_id = v_tenant and status = 'active';
  if not found then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = format(
      'This tenant has been suspended since %s.',
      (select internal.shown_instant(suspended_at) from kith.tenants where tenant_id = v_tenant)
    ), hint = format('Why: select suspended_for from admin.tenants where slug = %L;', p_tenant);
  end if;
  perform internal.record_act(
    v_tenant, internal.operator(), 'tenant.suspend', p_tenant, jsonb_build_object('reason', p_reason)
  );
  perform internal.leave_tenant();
end
$$;
comment on function admin.suspend_tenant(text, text, timestamptz) is
  'Suspends a tenant: within 60 s, its API calls answer tenant_suspended, except those that a person needs to be safe: '
  'signing in and out, refreshing, the first screen and the check-in (A02). The worker still alerts its receivers. '
  'Waits for emergency access stand still, because nobody can say no (E06).';
grant execute on function admin.suspend_tenant(text, text, timestamptz) to kith_admin;

create or replace function admin.revoke_jwt_keys(
  p_tenant text, p_issuer text, p_audience text, p_reason text, p_now timestamptz default now()
) returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := internal.enter_tenant(p_tenant);
  v_revoked integer;
begin
  perform internal.require_present(p_now);
  perform from kith.tenants where tenant_id = v_tenant for no key update;
  update kith.jwt_keys set revoked_at = p_now
  where tenant_id = v_tenant and issuer = p_issuer and audience = coalesce(p_audience, audience) and not own
    and revoked_at is null;
  get diagnostics v_revoked = row_count;
  if v_revoked = 0 then
    raise exception 'not_found' using errcode = 'KT404',
      detail = format(
        '%L has no keys of issuer %L for %s.', p_tenant, p_issuer,
        coalesce('audience ' || quote_literal(p_audience), 'any audience')
      );
  end if;
  perform internal.release_issuers();
  perform internal.record_act(
    v_tenant, internal.operator(), 'jwt_keys.revoke', p_tenant,
    jsonb_build_object('issuer', p_issuer, 'audience', p_audience, 'reason', p_reason)
  );
  perform internal.leave_tenant();
  return v_revoked;
end
$$;
comment on function admin.revoke_jwt_keys(text, text, text, text, timestamptz) is
  'Revokes a tenant''s keys of an issuer for an audience, or for all audiences if it is null, so that the tenant to '
  'which they really belong can register its own. Returns how many.';
grant execute on function admin.revoke_jwt_keys(text, text, text, text, timestamptz) to kith_admin;

create or replace function admin.share_issuer(p_issuer text, p_reason text, p_now timestamptz default now())
  returns void
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform internal.require_present(p_now);
  perform internal.require_whole_installation();
  perform internal.leave_tenant();
  insert into kith.shared_issuers (issuer, shared_at) values (p_issuer, p_now) on conflict do nothing;
  if not found then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'This issuer is shared already.';
  end if;
  delete from kith.jwt_issuers where issuer = p_issuer and audience = '';
  perform internal.record_act(0, internal.operator(), 'issuer.share', p_issuer, jsonb_build_object('reason', p_reason));
end
$$;
comment on function admin.share_issuer(text, text, timestamptz) is
  'Lets every tenant register keys of an issuer that signs for many apps, each for an audience of its own: select '
  'admin.share_issuer(''https://accounts.google.com'', ''Google''). Its tokens must have a single audience, unless '
  'X-Kith-Tenant names the tenant.';
grant execute on function admin.share_issuer(text, text, timestamptz) to kith_admin;

create or replace function admin.unshare_issuer(p_issuer text, p_reason text, p_now timestamptz default now())
  returns void
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenants integer;
begin
  perform internal.require_present(p_now);
  perform internal.require_whole_installation();
  perform internal.leave_tenant();
  delete from kith.shared_issuers where issuer = p_issuer;
  if not found then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'This issuer is not shared.';
  end if;
  select count(distinct tenant_id) into v_tenants from kith.jwt_issuers where issuer = p_issuer;
  if v_tenants > 1 then
    raise exception 'conflict'
      using errcode = 'KT409', detail = format('%s tenants have keys of this issuer.', v_tenants),
      hint = format('Look them up: select * from kith.jwt_issuers where issuer = %L;', p_issuer);
  end if;
  insert into kith.jwt_issuers (tenant_id, issuer, audience, claimed_at)
  select tenant_id, p_issuer, '', min(claimed_at) from kith.jwt_issuers where issuer = p_issuer group by tenant_id;
  perform internal.record_act(
    0, internal.operator(), 'issuer.unshare', p_issuer, jsonb_build_object('reason', p_reason)
  );
end
$$;
comment on function admin.unshare_issuer(text, text, timestamptz) is
  'Binds a shared issuer to one tenant again: the one that has keys of it, or else the first to register some. Refused '
  'if several tenants have keys of it.';
grant execute on function admin.unshare_issuer(text, text, timestamptz) to kith_admin;
