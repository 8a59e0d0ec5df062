create or replace function api.my_emergency(p_now timestamptz) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
  -- A user has few rows in large tables. Access by key is always right here, and one plan is kept.
  set plan_cache_mode = 'force_generic_plan'
  set jit = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set enable_material = off
  set enable_seqscan = off
as $$
begin
  perform internal.require_user();
  return json_build_object(
    'as_owner',
    json_build_object(
      'rights', internal.given_rights(), 'requests', internal.own_emergency_requests(true, false, p_now)
    ),
    'as_nominee',
    json_build_object(
      'rights', internal.received_rights(), 'requests', internal.own_emergency_requests(false, false, p_now)
    )
  );
end
$$;
comment on function api.my_emergency(timestamptz) is
  'Returns all emergency access that concerns the current user: {as_owner: {rights, requests}, as_nominee: {rights, '
  'requests}}. A nominee gets the rights that their owners show, and the requests that they may know of. Requests are '
  'the open ones and those that ended within 30 days, newest first. Each list has at most 200 entries. Security '
  'definer, because the policies show rights to owners only.';
grant execute on function api.my_emergency(timestamptz) to kith_api;

create or replace function internal.given_rights() returns json
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  return (
    select coalesce(json_agg(
      jsonb_build_object(
        'nominee_id', owned.nominee_id,
        'nominee', jsonb_build_object(
          'id', owned.nominee_id, 'display_name', internal.name_of_anybody(owned.nominee_name)
        ),
        'vault', jsonb_build_object('id', owned.vault_id, 'name', owned.vault_name)
      ) || internal.emergency_settings_json(owned.given)
      order by owned.vault_id, owned.nominee_id
    ), '[]')
    from (
      select given, nominee.id as nominee_id, nominee.name as nominee_name, vault.id as vault_id,
        vault.name as vault_name
      from kith.vaults as vault
      join kith.emergency_settings as given on given.tenant_id = v_tenant and given.vault_id = vault.id
      join kith.nominees as nominee
        on nominee.tenant_id = v_tenant and nominee.id = given.nominee_id and nominee.status <> 'revoked'
      where vault.tenant_id = v_tenant and vault.owner_id = v_user and vault.deleted_at is null
        and given.owner_id = v_user
      order by vault.id, nominee.id
      limit 200
    ) as owned
  );
end
$$;
comment on function internal.given_rights()
  is 'The rights to emergency access that the current user has given. For api.my_emergency.';

create or replace function internal.received_rights() returns json
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  return (
    select coalesce(json_agg(
      jsonb_build_object(
        'nominee_id', shown.nominee_id,
        'vault', jsonb_build_object('id', shown.vault_id, 'name', shown.vault_name),
        'owner', internal.person_json(shown.owner_id)
      ) || shown.terms
      order by shown.vault_id
    ), '[]')
    from (
      select nominee.id as nominee_id, vault.id as vault_id, vault.name as vault_name, vault.owner_id, own.terms
      from kith.nominees as nominee
      join kith.vaults as vault
        on vault.tenant_id = v_tenant and vault.id = nominee.vault_id and vault.deleted_at is null
      cross join lateral (select internal.visible_emergency(v_tenant, nominee.id) as terms) as own
      where nominee.tenant_id = v_tenant and nominee.user_id = v_user and nominee.status = 'accepted'
        and own.terms is not null
      order by nominee.vault_id
      limit 200
    ) as shown
  );
end
$$;
comment on function internal.received_rights() is
  'The rights to emergency access that owners show the current user. For api.my_emergency.';

create or replace function internal.own_emergency_requests(p_as_owner boolean, p_open_only boolean, p_now timestamptz)
  returns json
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  return (
    select coalesce(json_agg(internal.emergency_json(own.request, p_now, p_as_owner) order by own.id desc), '[]')
    from (
      select asked.request, asked.id
      from (
        select vault.id as vault_id, null::uuid as nominee_id
        from kith.vaults as vault
        where p_as_owner and vault.tenant_id = v_tenant and vault.owner_id = v_user
        union all
        select nominee.vault_id, nominee.id
        from kith.nominees as nominee
        where not p_as_owner and nominee.tenant_id = v_tenant and nominee.user_id = v_user
          and nominee.status <> 'revoked'
      ) as role
      cross join lateral (
        -- No request lives for more than a year, so the index ends the search.
        select made as request, made.id
        from kith.emergency_requests as made
        where made.tenant_id = v_tenant and made.vault_id = role.vault_id
          and made.id >= internal.first_uuid7(p_now - interval '400 days')
          and (made.ended_at is null or not p_open_only and made.ended_at > p_now - interval '30 days')
          and case
            when p_as_owner then made.owner_id = v_user
            else made.nominee_id = role.nominee_id and made.user_id = v_user and internal.nominee_knows(made, p_now)
          end
        order by made.id desc
        limit 200
      ) as asked
      order by asked.id desc
      limit 200
    ) as own
  );
end
$$;
comment on function internal.own_emergency_requests(boolean, boolean, timestamptz) is
  'The requests for emergency access that are open or, unless p_open_only, ended within 30 days: as the owner, those '
  'to the current user''s vaults; otherwise the current user''s own, and those of silences that they may know of. For '
  'api.my_emergency.';
