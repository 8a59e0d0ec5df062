create or replace function api.create_vault(p_body jsonb, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_id uuid := internal.uuid7(p_now);
begin
  perform internal.begin_act('change', p_now);
  perform internal.require_name('name', p_body ->> 'name');
  -- A vault of an account that is ending would have no owner.
  perform internal.lock_account();
  perform internal.require_room_for_vault(p_now);
  insert into kith.vaults (tenant_id, id, owner_id, name, require_confirmation, full_may_open, created_at, updated_at)
  values (
    v_tenant, v_id, v_user, p_body ->> 'name', coalesce((p_body ->> 'require_confirmation')::boolean, false),
    coalesce((p_body ->> 'full_may_open')::boolean, false), p_now, p_now
  );
  perform internal.record_history(v_id, v_user, 'vault.created', 'vault', v_id, null, p_now);
  perform internal.emit_event(v_tenant, v_user, 'vault', v_id, null, null, p_now);
  return api.get_vault(v_id, p_now);
end
$$;
comment on function api.create_vault(jsonb, timestamptz) is
  'Creates a vault of the caller, locked. Security definer, because only these procedures write vaults, so that each '
  'has a history and none exceeds the quota.';
grant execute on function api.create_vault(jsonb, timestamptz) to kith_api;

create or replace function api.list_vaults(
  p_role text, p_deleted boolean, p_limit integer, p_cursor uuid, p_now timestamptz
)
  returns json
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_deleted boolean := coalesce(p_deleted, false);
begin
  perform set_config('kith.now', p_now::text, true);
  return (
    with page as materialized (
      select own, own.id, row_number() over (order by own.id) as n
      from internal.own_vaults as own
      where own.tenant_id = v_tenant and own.id > coalesce(p_cursor, '00000000-0000-0000-0000-000000000000')
        and (p_role is null or own.role = p_role)
        and (own.deleted_at is not null) = v_deleted and coalesce(own.deleted_at > p_now - interval '30 days', true)
      order by own.id
      limit p_limit + 1
    )
    select json_build_object(
      'items', coalesce(
        json_agg(internal.vault_json(page.own, detail.details) order by page.n) filter (where page.n <= p_limit), '[]'
      ),
      'next_cursor', case when count(*) > p_limit then (array_agg(page.id order by page.n))[p_limit] end
    )
    from page
    left join internal.vault_details(array(select id from page where n <= p_limit), p_now) as detail
      on detail.vault_id = page.id
  );
end
$$;
comment on function api.list_vaults(text, boolean, integer, uuid, timestamptz) is
  'Returns the vaults that the caller owns or is a nominee of, or only those of one role (owner or nominee), oldest '
  'first, each with its counts; or the deleted ones that can be restored.';
grant execute on function api.list_vaults(text, boolean, integer, uuid, timestamptz) to kith_api;

create or replace function api.get_vault(p_id uuid, p_now timestamptz) returns json
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_vault internal.own_vaults;
begin
  perform set_config('kith.now', p_now::text, true);
  select * into v_vault from internal.own_vaults where tenant_id = v_tenant and id = p_id and deleted_at is null;
  if not found then
    -- Tells a user whose access was taken away why, and everyone else not_found.
    perform internal.vault_access(p_id, p_now);
    perform internal.refuse_not_found();
  end if;
  return internal.detailed_vault(v_vault, p_now);
end
$$;
comment on function api.get_vault(uuid, timestamptz) is 'Returns one vault that the caller owns or is a nominee of.';
grant execute on function api.get_vault(uuid, timestamptz) to kith_api;

create or replace function api.update_vault(p_id uuid, p_body jsonb, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_vault kith.vaults;
  v_changed text[];
begin
  perform internal.require_owner(p_id, p_now);
  perform internal.begin_act('broadcast', p_now);
  perform internal.require_name('name', p_body ->> 'name');
  perform internal.lock_vault_row(p_id);
  -- The vault may have got another owner while this call waited for the lock.
  v_vault := internal.require_owner(p_id, p_now);
  select array_agg(given.key order by given.key) into v_changed
  from jsonb_each(p_body) as given
  where to_jsonb(v_vault) -> given.key is distinct from given.value;
  if v_changed is not null then
    update kith.vaults
    set name = coalesce(p_body ->> 'name', name),
      require_confirmation = coalesce((p_body ->> 'require_confirmation')::boolean, require_confirmation),
      full_may_open = coalesce((p_body ->> 'full_may_open')::boolean, full_may_open), updated_at = p_now
    where tenant_id = v_tenant and id = p_id;
    perform internal.record_history(
      p_id, v_vault.owner_id, case when 'name' = any (v_changed) then 'vault.renamed' else 'vault.changed' end,
      'vault', p_id, jsonb_build_object('fields', v_changed), p_now
    );
    perform internal.emit_vault(p_id, p_now);
  end if;
  return api.get_vault(p_id, p_now);
end
$$;
comment on function api.update_vault(uuid, jsonb, timestamptz) is
  'Changes the name and settings of a vault, for its owner. New settings apply to people who accept from then on; '
  'those who have access keep it. Values that are set already change nothing. Security definer, as create_vault.';
grant execute on function api.update_vault(uuid, jsonb, timestamptz) to kith_api;

create or replace function api.restore_vault(p_id uuid, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_deleted_at timestamptz;
  v_deleted_by text;
begin
  perform internal.begin_act('broadcast', p_now);
  perform internal.lock_account();
  select deleted_at, deleted_by into v_deleted_at, v_deleted_by
  from kith.vaults
  where tenant_id = v_tenant and id = p_id and owner_id = v_user
  for no key update;
  if not found then
    -- Give a nominee the same answer as any other call.
    perform internal.require_owner(p_id, p_now);
  end if;
  if v_deleted_at is null then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'Only a deleted vault can be restored.';
  elsif v_deleted_by like 'operator:%' then
    raise exception 'invalid_transition'
      using errcode = 'KT409', detail = 'Support deleted this vault. Only support can restore it.';
  end if;
  perform internal.restore_vault(p_id, p_now);
  return api.get_vault(p_id, p_now);
end
$$;
comment on function api.restore_vault(uuid, timestamptz) is
  'Restores a vault that its owner deleted in the last 30 days. Raises invalid_transition for one that an operator '
  'deleted, which only admin.restore_vault brings back, and quota_exceeded if the caller has 200 others. Security '
  'definer, as delete_vault.';
grant execute on function api.restore_vault(uuid, timestamptz) to kith_api;

create or replace function api.open_vault(p_id uuid, p_now timestamptz) returns json
  language plpgsql
as $$
declare
  v_opened record := internal.open_session(p_id, p_now);
begin
  if v_opened.is_new then
    return internal.own_session(p_id, (v_opened.session).id);
  end if;
  return json_build_object('answer', 200, 'body', internal.own_session(p_id, (v_opened.session).id));
end
$$;
comment on function api.open_vault(uuid, timestamptz) is
  'Opens a vault (201), or joins its open session (200). Raises vault_locked for a nominee who may not open it while '
  'it is locked.';
grant execute on function api.open_vault(uuid, timestamptz) to kith_api;

create or replace function api.lock_vault(p_id uuid, p_now timestamptz) returns json
  language plpgsql
as $$
declare
  v_session kith.vault_sessions := internal.lock_own_vault(p_id, p_now);
begin
  return internal.own_session(p_id, v_session.id);
end
$$;
comment on function api.lock_vault(uuid, timestamptz) is
  'Locks a vault, for its owner or a nominee with level full. Repeating the call changes nothing. Returns the session '
  'that ended.';
grant execute on function api.lock_vault(uuid, timestamptz) to kith_api;

create or replace function api.note_vault_activity(p_id uuid, p_now timestamptz) returns json
  language plpgsql
as $$
declare
  v_access record;
begin
  perform internal.enter_vault(p_id, 'view', p_now);
  v_access := internal.vault_access(p_id, p_now);
  -- The vault may have been locked since it was entered.
  perform internal.require_open(v_access.role, (v_access.session).id);
  return internal.own_session(p_id, (v_access.session).id);
end
$$;
comment on function api.note_vault_activity(uuid, timestamptz) is
  'Records that the caller is still in the vault, which extends the session. Raises vault_locked if the session is '
  'over: nothing revives it.';
grant execute on function api.note_vault_activity(uuid, timestamptz) to kith_api;

create or replace function api.list_vault_history(
  p_id uuid, p_actions text[], p_from timestamptz, p_until timestamptz, p_limit integer, p_cursor uuid,
  p_now timestamptz
) returns json
  language plpgsql
  stable
as $$
begin
  perform internal.require_owner(p_id, p_now);
  return (
    select json_build_object(
      'items', coalesce(json_agg(page.item order by page.n) filter (where page.n <= p_limit), '[]'),
      'next_cursor', case when count(*) > p_limit then (array_agg(page.id order by page.n))[p_limit] end
    )
    from internal.history_items(
      p_id, p_actions, p_from, p_until, p_limit + 1, p_cursor
    ) with ordinality as page (id, item, n)
  );
end
$$;
comment on function api.list_vault_history(uuid, text[], timestamptz, timestamptz, integer, uuid, timestamptz) is
  'Returns the history of a vault, newest first, for its owner (V13): all of it, or only some actions, from p_from and '
  'before p_until.';
grant execute
  on function api.list_vault_history(uuid, text[], timestamptz, timestamptz, integer, uuid, timestamptz) to kith_api;
