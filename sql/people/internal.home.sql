-- What the first screen consists of (api.home).

create or replace function internal.home_outline(
  p_now timestamptz, out me json, out joined_at timestamptz, out zone text, out sender json, out break json,
  out sender_zone text, out receiver json, out has_vaults boolean, out is_nominee boolean, out has_consents boolean,
  out has_invitations boolean, out has_alarms boolean, out has_plan boolean, out next_ping_at timestamptz
) returns record
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  perform internal.require_user();
  -- Scalar subqueries, each of which ends at the first row of an index. The planner could hash a whole table for
  -- EXISTS.
  select
    internal.user_json(account), account.created_at, account.time_zone,
    case
      when sender_profile.user_id is not null then internal.sender_profile_as_json(sender_profile, sender_code.code)
    end,
    internal.break_json(sender_profile, p_now),
    coalesce(sender_profile.time_zone, account.time_zone),
    case
      when receiver_profile.user_id is not null
        then internal.receiver_profile_as_json(receiver_profile, receiver_code.code, p_now)
    end,
    coalesce((select true from kith.vaults where tenant_id = v_tenant and owner_id = v_user limit 1), false),
    coalesce((select true from kith.nominees where tenant_id = v_tenant and user_id = v_user limit 1), false),
    coalesce(
      (
        select true from kith.connections where tenant_id = v_tenant and code_owner_id = v_user and status = 'pending'
        limit 1
      ),
      false
    ),
    account.phone_verified_at is not null and coalesce(
      (
        select true from kith.nominees
        where tenant_id = v_tenant and phone = account.phone and user_id is null and status <> 'revoked'
        limit 1
      ),
      (
        select true from kith.transfers where tenant_id = v_tenant and phone = account.phone and status = 'pending'
        limit 1
      ),
      false
    )
    or account.email_verified_at is not null and coalesce(
      (
        select true from kith.nominees
        where tenant_id = v_tenant and email_normalized = account.email_normalized and user_id is null
          and status <> 'revoked'
        limit 1
      ),
      (
        select true from kith.transfers
        where tenant_id = v_tenant and email_normalized = account.email_normalized and status = 'pending'
        limit 1
      ),
      false
    ),
    internal.has_recent_alarms(v_tenant, v_user, p_now),
    coalesce((select true from kith.alarm_plans where tenant_id = v_tenant and user_id = v_user), false),
    case when sender_profile.user_id is not null then internal.next_ping_at(sender_profile, p_now) end
  into me, joined_at, zone, sender, break, sender_zone, receiver, has_vaults, is_nominee, has_consents, has_invitations,
    has_alarms, has_plan, next_ping_at
  from kith.users as account
  left join kith.sender_profiles as sender_profile
    on sender_profile.tenant_id = v_tenant and sender_profile.user_id = v_user and sender_profile.ended_at is null
  left join kith.unique_codes as sender_code
    on sender_code.tenant_id = v_tenant and sender_code.user_id = v_user and sender_code.role = 'sender'
    and sender_code.permanent and sender_code.rotated_at is null
  left join kith.receiver_profiles as receiver_profile
    on receiver_profile.tenant_id = v_tenant and receiver_profile.user_id = v_user and receiver_profile.ended_at is null
  left join kith.unique_codes as receiver_code
    on receiver_code.tenant_id = v_tenant and receiver_code.user_id = v_user and receiver_code.role = 'receiver'
    and receiver_code.permanent and receiver_code.rotated_at is null
  where account.tenant_id = v_tenant and account.id = v_user and account.deleted_at is null;
  if not found then
    perform internal.refuse_not_found();
  end if;
end
$$;
comment on function internal.home_outline(timestamptz) is
  'What the first screen shows of the current user''s account and profiles, and which of its lists can have entries, '
  'in one statement. has_vaults and is_nominee include deleted vaults and revoked nominees, has_alarms alarms of the '
  'last two weeks that are over. Raises not_found without an account. Security definer, because nominees and transfers '
  'that name a contact belong to the owner until somebody accepts.';
grant execute on function internal.home_outline(timestamptz) to kith_api;

create or replace function internal.empty_page() returns json
  language sql
  immutable
  parallel safe
as $$
  select '{"items" : [], "next_cursor" : null}'::json
$$;
comment on function internal.empty_page() is 'A page of a list without entries.';
grant execute on function internal.empty_page() to kith_api;

create or replace function internal.awaited_consents(p_now timestamptz) returns json
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_id uuid;
  v_connections json[] := '{}';
begin
  -- A loop, because a distributed database would otherwise refuse a function that reads tables, called for each row (as
  -- in page_of_connections). Usually no connection waits.
  for v_id in
    select id from kith.connections
    where tenant_id = v_tenant and code_owner_id = v_user and status = 'pending'
    order by id
    limit 50
  loop
    v_connections := v_connections || api.get_connection(v_id, p_now);
  end loop;
  return to_json(v_connections);
end
$$;
comment on function internal.awaited_consents(timestamptz) is
  'The connections that wait for the current user''s consent (P29), oldest first, at most 50.';
grant execute on function internal.awaited_consents(timestamptz) to kith_api;

create or replace function internal.own_unread_messages() returns integer
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform internal.require_user();
  return internal.unread_messages();
end
$$;
comment on function internal.own_unread_messages() is
  'How many messages the current user has not read. Security definer, because internal.unread_messages is for definer '
  'procedures.';
grant execute on function internal.own_unread_messages() to kith_api;

create or replace function internal.own_open_requests(p_now timestamptz) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
  -- As api.my_emergency: access by key is always right here, and one plan is kept.
  set plan_cache_mode = 'force_generic_plan'
  set jit = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set enable_material = off
  set enable_seqscan = off
as $$
begin
  perform internal.require_user();
  return (
    select coalesce(json_agg(open.item order by open.n), '[]')
    from (
      select own.item, own.n
      from json_array_elements(internal.own_emergency_requests(false, true, p_now)) with ordinality as own (item, n)
      where own.item ->> 'status' in ('gathering', 'waiting', 'granted')
      order by own.n
      limit 50
    ) as open
  );
end
$$;
comment on function internal.own_open_requests(timestamptz) is
  'The emergency access for which the current user waits as a nominee, or which they have (E01), newest first, at most '
  '50, as GET /v1/me/emergency has it. Security definer, as api.my_emergency.';
grant execute on function internal.own_open_requests(timestamptz) to kith_api;

create or replace function internal.awaited_emergencies(p_now timestamptz) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  perform internal.require_user();
  return (
    select coalesce(json_agg(urgent.item order by urgent.n), '[]')
    from (
      select waiting.item,
        row_number() over (
          order by waiting.item ->> 'grants_at' nulls last, waiting.item ->> 'requested_at', waiting.id
        ) as n
      from (
        select open.id, internal.emergency_json(open, p_now, true) as item
        from kith.emergency_requests as open
        join kith.vaults as vault
          on vault.tenant_id = v_tenant and vault.id = open.vault_id and vault.deleted_at is null
        where open.tenant_id = v_tenant and open.owner_id = v_user and vault.owner_id = v_user and open.ended_at is null
      ) as waiting
      where waiting.item ->> 'status' in ('gathering', 'waiting', 'granted')
    ) as urgent
    where urgent.n <= 50
  );
end
$$;
comment on function internal.awaited_emergencies(timestamptz) is
  'The requests for emergency access to the current user''s vaults that they can still answer (D02), at most 50: the '
  'one that grants first at the head, and those of which a quorum gathers last. Security definer, because a request is '
  'rendered with names that its policies hide.';
grant execute on function internal.awaited_emergencies(timestamptz) to kith_api;

create or replace function internal.awaited_confirmations() returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  perform internal.require_user();
  return (
    select coalesce(
      json_agg(
        json_build_object(
          'nominee_id', bound.id, 'name', internal.name_of_anybody(bound.name),
          'user', internal.person_json(bound.user_id), 'access_level', bound.access_level,
          'vault', json_build_object('id', bound.vault_id, 'name', bound.vault_name),
          'updated_at', internal.instant(bound.updated_at)
        )
        order by bound.id
      ),
      '[]'
    )
    from (
      select nominee.id, nominee.name, nominee.user_id, nominee.access_level, nominee.updated_at, vault.id as vault_id,
        vault.name as vault_name
      from kith.nominees as nominee
      join kith.vaults as vault
        on vault.tenant_id = v_tenant and vault.id = nominee.vault_id and vault.deleted_at is null
      where nominee.tenant_id = v_tenant and nominee.owner_id = v_user and nominee.needs_confirmation
      union all
      select nominee.id, nominee.name, nominee.user_id, nominee.access_level, nominee.updated_at, vault.id, vault.name
      from kith.vaults as vault
      join kith.emergency_settings as given
        on given.tenant_id = v_tenant and given.vault_id = vault.id and given.ended_at is null
      join kith.nominees as nominee
        on nominee.tenant_id = v_tenant and nominee.id = given.nominee_id and nominee.bound_by_link
        and nominee.status in ('accepted', 'inactive')
      where vault.tenant_id = v_tenant and vault.owner_id = v_user and vault.deleted_at is null
      order by id
      limit 50
    ) as bound
  );
end
$$;
comment on function internal.awaited_confirmations() is
  'The people who have accepted an invitation to one of the current user''s vaults and wait for the confirmation '
  '(X30), or whose right to emergency access sleeps until then, oldest first, at most 50. Security definer, because it '
  'reads their names.';
grant execute on function internal.awaited_confirmations() to kith_api;
