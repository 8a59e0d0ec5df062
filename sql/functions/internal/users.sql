create or replace function internal.user_json(p_user kith.users) returns json
  language sql
  stable
as $$
  select json_build_object(
    'id', (p_user).id,
    'display_name', (p_user).display_name,
    'phone', (p_user).phone,
    'email', (p_user).email,
    'phone_verified', (p_user).phone_verified_at is not null,
    'email_verified', (p_user).email_verified_at is not null,
    'pending_phone', (p_user).pending_phone,
    'pending_email', (p_user).pending_email,
    'time_zone', (p_user).time_zone,
    'locale', (p_user).locale,
    'created_at', internal.instant((p_user).created_at)
  )
$$;
comment on function internal.user_json(kith.users) is 'A user as they see themselves.';
revoke all on function internal.user_json(kith.users) from public;
grant execute on function internal.user_json(kith.users) to kith_api;

create or replace function internal.user_json_for_server(p_user kith.users) returns json
  language sql
  stable
as $$
  select json_build_object(
    'id', (p_user).id,
    'external_id', (p_user).external_id,
    'display_name', (p_user).display_name,
    'phone', (p_user).phone,
    'email', (p_user).email,
    'phone_verified', (p_user).phone_verified_at is not null,
    'email_verified', (p_user).email_verified_at is not null,
    'pending_phone', (p_user).pending_phone,
    'pending_email', (p_user).pending_email,
    'time_zone', (p_user).time_zone,
    'locale', (p_user).locale,
    'created_at', internal.instant((p_user).created_at)
  )
$$;
comment on function internal.user_json_for_server(kith.users) is 'A user as the tenant''s server sees them: with external_id.';
revoke all on function internal.user_json_for_server(kith.users) from public;

create or replace function internal.user_with(p_user kith.users, p_body jsonb) returns kith.users
  language plpgsql
  stable
as $$
declare
  v_user kith.users := jsonb_populate_record(p_user, p_body);
begin
  v_user.display_name := nullif(btrim(v_user.display_name), '');
  if v_user.time_zone is null then
    v_user.time_zone := 'UTC';
  end if;
  if v_user.locale is null then
    v_user.locale := 'en';
  end if;
  if v_user.time_zone is distinct from p_user.time_zone and not internal.is_time_zone(v_user.time_zone) then
    perform internal.refuse_fields(internal.field_error('time_zone', 'must be an IANA time zone like Europe/Berlin'));
  end if;
  return v_user;
end
$$;
comment on function internal.user_with(kith.users, jsonb) is
  'The user with the fields of a body put in: absent ones stay, null clears or, for time_zone and locale, restores the default. Writes nothing: which columns are written is the caller''s to say.';
revoke all on function internal.user_with(kith.users, jsonb) from public;
grant execute on function internal.user_with(kith.users, jsonb) to kith_api;

create or replace function internal.change_user(p_id uuid, p_body jsonb, p_now timestamptz) returns kith.users
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user kith.users;
begin
  select * into v_user from kith.users
  where tenant_id = v_tenant and id = p_id and deleted_at is null
  for no key update;
  if not found then
    perform internal.refuse_not_found();
  end if;
  v_user := internal.user_with(v_user, p_body);
  update kith.users
  set display_name = v_user.display_name, time_zone = v_user.time_zone, locale = v_user.locale, updated_at = p_now
  where tenant_id = v_tenant and id = p_id;
  return v_user;
end
$$;
comment on function internal.change_user(uuid, jsonb, timestamptz) is
  'Changes what a user may change about themselves, contacts aside, for the user and for the tenant''s server alike. Runs as its caller: under a user''s policies only the own row is found.';
revoke all on function internal.change_user(uuid, jsonb, timestamptz) from public;
grant execute on function internal.change_user(uuid, jsonb, timestamptz) to kith_api;

create or replace function internal.count_user() returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_users integer;
begin
  update kith.tenant_usage set users = users + 1 where tenant_id = v_tenant returning users into v_users;
  if not found then
    insert into kith.tenant_usage (tenant_id, users)
    select v_tenant, count(*) from kith.users where tenant_id = v_tenant and deleted_at is null
    on conflict (tenant_id) do update set users = tenant_usage.users + 1
    returning users into v_users;
  end if;
  if v_users > (select user_quota from kith.tenants where tenant_id = v_tenant) then
    raise exception 'quota_exceeded' using errcode = 'KT507', detail = 'This tenant has as many users as its quota allows.';
  end if;
end
$$;
comment on function internal.count_user() is
  'Counts the user just inserted against the tenant''s quota and raises quota_exceeded past it, which takes the insert back.';
revoke all on function internal.count_user() from public;

create or replace function internal.lock_account() returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  perform internal.require_user();
  perform from kith.users where tenant_id = v_tenant and id = v_user and deleted_at is null for no key update;
  if not found then
    raise exception 'unauthenticated' using errcode = 'KT401';
  end if;
end
$$;
comment on function internal.lock_account() is
  'Locks the account of the user who asks, so that its changes come one after the other, and raises unauthenticated when it is deleted: an access token is believed for up to a minute longer, in which nothing personal may be written anew.';
revoke all on function internal.lock_account() from public;
