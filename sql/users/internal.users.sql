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
comment on function internal.user_json_for_server(kith.users)
  is 'A user as the tenant''s server sees them, with external_id.';

create or replace function internal.find_users(
  p_external_id text, p_phone text, p_normalized_email text, p_limit integer, p_cursor uuid
) returns setof kith.users
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_after uuid := coalesce(p_cursor, '00000000-0000-0000-0000-000000000000');
  v_hidden uuid[] := internal.hidden_people(v_tenant);
begin
  -- One statement for each index. One for all of them would get a plan that uses none. With "offset 0" the order by id
  -- cannot make the planner read the users in that order and compare each.
  if p_external_id is not null then
    return query
    select users.* from kith.users
    -- An account of a canary has no external_id.
    where tenant_id = v_tenant and external_id = p_external_id and deleted_at is null and id > v_after
      and (p_phone is null or phone = p_phone)
      and (p_normalized_email is null or email_normalized = p_normalized_email);
  elsif p_phone is not null then
    return query
    select found.* from (
      select * from kith.users where tenant_id = v_tenant and phone = p_phone and deleted_at is null offset 0
    ) as found
    where found.id > v_after and (p_normalized_email is null or found.email_normalized = p_normalized_email)
      and found.id <> all (v_hidden)
    order by found.id limit p_limit;
  elsif p_normalized_email is not null then
    return query
    select found.* from (
      select * from kith.users
      where tenant_id = v_tenant and email_normalized = p_normalized_email and email is not null
        and deleted_at is null offset 0
    ) as found
    where found.id > v_after and found.id <> all (v_hidden)
    order by found.id limit p_limit;
  else
    return query
    select users.* from kith.users
    where tenant_id = v_tenant and deleted_at is null and id > v_after and id <> all (v_hidden)
    order by id limit p_limit;
  end if;
end
$$;
comment on function internal.find_users(text, text, text, integer, uuid) is
  'The users after the cursor, oldest first, who have all of the given external_id, phone number and e-mail address '
  '(normalized), without those of canaries. For definer procedures.';

create or replace function internal.user_with(p_user kith.users, p_body jsonb) returns kith.users
  language plpgsql
  stable
as $$
declare
  v_user kith.users := p_user;
  v_zone text;
begin
  -- Copy field by field: a body may contain anything, and must not choose whose row is changed.
  if p_body ? 'display_name' then
    v_user.display_name := nullif(btrim(p_body ->> 'display_name'), '');
    perform internal.require_name('display_name', v_user.display_name);
  end if;
  if p_body ? 'time_zone' or v_user.time_zone is null then
    v_user.time_zone := coalesce(p_body ->> 'time_zone', 'UTC');
  end if;
  if p_body ? 'locale' or v_user.locale is null then
    v_user.locale := coalesce(
      p_body ->> 'locale', (select default_locale from kith.tenants where tenant_id = kith.tenant_id()), 'en'
    );
  end if;
  if v_user.time_zone is distinct from p_user.time_zone then
    v_zone := internal.kept_time_zone(v_user.time_zone);
    if v_zone is null then
      perform internal.refuse_fields(internal.time_zone_error('time_zone', v_user.time_zone));
    end if;
    v_user.time_zone := v_zone;
  end if;
  return v_user;
end
$$;
comment on function internal.user_with(kith.users, jsonb) is
  'The user with the display_name, time_zone and locale of a body applied. Absent fields stay; null clears the name '
  'and restores the defaults of time_zone and locale, which is the tenant''s. An older name of a zone is kept as the '
  'zone that it means (X25). Writes nothing: the caller decides which columns to write.';

create or replace function internal.forgotten_subject(p_external_id text) returns text
  language plpgsql
  immutable
as $$
begin
  return 'external_id:' || left(encode(sha256(convert_to(p_external_id, 'UTF8')), 'hex'), 32);
end
$$;
comment on function internal.forgotten_subject(text) is
  'The subject of the act by which an account, a nominee or a vault with this id of the tenant''s was erased '
  '(user.forget, nominee.forget, vault.forget): a hash, so that the audit does not keep the id.';

create or replace function internal.refuse_users() returns void
  language plpgsql
as $$
begin
  raise exception 'quota_exceeded'
    using errcode = 'KT507', detail = 'This tenant has as many users as its quota allows.';
end
$$;
comment on function internal.refuse_users() is 'Raises quota_exceeded for a user beyond the tenant''s quota.';

create or replace function internal.users_left() returns integer
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  return (
    select tenant.user_quota - coalesce(
      (select users from kith.tenant_usage where tenant_id = v_tenant),
      (
        select count(*) from kith.users as known
        where known.tenant_id = v_tenant and known.deleted_at is null
          and not exists (select from internal.hidden_person(v_tenant, known.id))
      )
    )
    from kith.tenants as tenant
    where tenant.tenant_id = v_tenant
  );
end
$$;
comment on function internal.users_left()
  is 'How many more users the tenant''s quota currently allows. count_users decides.';

create or replace function internal.count_users(p_new integer) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  update kith.tenant_usage set users = users + p_new where tenant_id = v_tenant;
  if not found then
    insert into kith.tenant_usage (tenant_id, users)
    select v_tenant, count(*) from kith.users as known
    where known.tenant_id = v_tenant and known.deleted_at is null
      and not exists (select from internal.hidden_person(v_tenant, known.id))
    on conflict (tenant_id) do update set users = tenant_usage.users + p_new;
  end if;
  if internal.users_left() < 0 then
    perform internal.refuse_users();
  end if;
end
$$;
comment on function internal.count_users(integer) is
  'Counts the users just inserted against the tenant''s quota. Beyond it, raises quota_exceeded, which rolls the '
  'insert back. Call it last in a transaction: others of the tenant wait for it.';

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
  'Locks the current user''s account, so that its changes run one after the other. Raises unauthenticated if it is '
  'deleted: the server accepts an access token for up to a minute longer, and nothing personal may be written in that '
  'minute.';

create or replace function internal.person_json(p_user_id uuid) returns json
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  return case
    when p_user_id is not null then
      json_build_object('id', p_user_id, 'display_name', internal.name_of_anybody((
        select display_name from kith.users where tenant_id = v_tenant and id = p_user_id
      )))
  end;
end
$$;
comment on function internal.person_json(uuid) is
  'A person as they are named wherever they appear: {id, display_name}. An ended account is "Someone"; null gives '
  'null. For definer procedures that have checked whether the current user may know who it is.';
