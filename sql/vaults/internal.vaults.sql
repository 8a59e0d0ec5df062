-- Access to vaults. A vault has an owner, and nominees: pending ─accept→ accepted ⇄ inactive; any of them ─revoke→
-- revoked. An accepted nominee has access only while the vault has an open session.

create or replace function internal.level_rank(p_level text) returns integer
  language sql
  immutable
  parallel safe
as $$
  select array_position(array['view', 'edit', 'full'], p_level)
$$;
comment on function internal.level_rank(text)
  is 'The rank of an access level, from 1 for view to 3 for full. Null for no level.';
grant execute on function internal.level_rank(text) to kith_api;

create or replace function internal.level_in_session(p_level text, p_granted text, p_is_shared boolean) returns text
  language sql
  immutable
  parallel safe
as $$
  select case
      when p_is_shared and internal.level_rank(p_level) >= internal.level_rank(p_granted) then p_level
      else p_granted
    end
$$;
comment on function internal.level_in_session(text, text, boolean) is
  'The level of a nominee with emergency access: the granted one, or in the shared session the higher of the granted '
  'one and their own.';
grant execute on function internal.level_in_session(text, text, boolean) to kith_api;

create or replace function internal.emergency_session(p_tenant_id integer, p_nominee_id uuid, p_now timestamptz)
  returns table (opened kith.vault_sessions, access_level text)
  language sql
  stable
as $$
  select open, request.access_level
  from kith.vault_sessions as open
  join kith.emergency_requests as request
    on request.tenant_id = p_tenant_id and request.id = open.request_id and request.ended_at is null
    and (request.held_at is null or request.held_until <= p_now)
  where open.tenant_id = p_tenant_id and open.nominee_id = p_nominee_id and open.kind = 'emergency'
    and open.locked_at is null and open.expires_at > p_now
$$;
comment on function internal.emergency_session(integer, uuid, timestamptz) is
  'The open emergency session of a nominee and the level that their request grants, if the request still does: it has '
  'not ended, and no operator holds it. api.enter_emergency opens a session only after the grant, which no later delay '
  'moves. No row without one. Every access of the nominee asks this.';
grant execute on function internal.emergency_session(integer, uuid, timestamptz) to kith_api;

-- Also drops the functions that take its rows. They are in this file, so the same transaction creates them anew, with
-- their grants.
drop view if exists internal.own_vaults cascade;
create view internal.own_vaults with (security_barrier) as
select
  vault.tenant_id, vault.id, vault.name, 'owner' as role, 'full' as access_level, null as status, vault.owner_id,
  owner.display_name as owner_name,
  vault.require_confirmation, vault.full_may_open, vault.created_at, vault.updated_at, vault.deleted_at, open.session
from kith.vaults as vault
-- One look-up for each row, as in internal.own_connections.
cross join lateral (
  select display_name from kith.users where tenant_id = vault.tenant_id and id = vault.owner_id offset 0
) as owner
left join lateral (
  select opened as session
  from kith.vault_sessions as opened
  where tenant_id = vault.tenant_id and vault_id = vault.id and kind = 'shared' and locked_at is null
    and expires_at > kith.now()
  offset 0
) as open on true
where vault.tenant_id = kith.tenant_id() and vault.owner_id = kith.user_id()
union all
select
  nominee.tenant_id, nominee.vault_id, vault.name, 'nominee',
  case
    when emergency.access_level is null then nominee.access_level
    else internal.level_in_session(nominee.access_level, emergency.access_level, (open.session).id is not null)
  end,
  nominee.status, vault.owner_id, owner.display_name, vault.require_confirmation, vault.full_may_open, vault.created_at,
  vault.updated_at, null, coalesce(open.session, emergency.opened)
from kith.nominees as nominee
cross join lateral (
  select owner_id, name, require_confirmation, full_may_open, created_at, updated_at
  from kith.vaults
  where tenant_id = nominee.tenant_id and id = nominee.vault_id and deleted_at is null
  offset 0
) as vault
cross join lateral (
  select display_name from kith.users where tenant_id = nominee.tenant_id and id = vault.owner_id offset 0
) as owner
left join lateral (
  select opened as session
  from kith.vault_sessions as opened
  where tenant_id = nominee.tenant_id and vault_id = nominee.vault_id and kind = 'shared' and locked_at is null
    and expires_at > kith.now()
    and nominee.status = 'accepted'
  offset 0
) as open on true
left join lateral internal.emergency_session(nominee.tenant_id, nominee.id, kith.now()) as emergency
  on nominee.status = 'accepted'
where nominee.tenant_id = kith.tenant_id() and nominee.user_id = kith.user_id() and nominee.status <> 'revoked';
comment on view internal.own_vaults is
  'The vaults that the current user owns (including deleted ones) or is a nominee of, each with its owner''s name and '
  'the session that is open at kith.now(). The view runs as the owner, so its own conditions act as the policy.';
comment on column internal.own_vaults.session
  is 'Null if the vault is locked, and for a nominee whose access is paused or not confirmed.';
grant select on internal.own_vaults to kith_api;

create or replace function internal.vault_json(p_vault internal.own_vaults, p_details jsonb) returns json
  language sql
  stable
as $$
  select json_build_object(
    'id', (p_vault).id,
    'name', (p_vault).name,
    'role', (p_vault).role,
    'access_level', (p_vault).access_level,
    'status', internal.nominee_status((p_vault).status, ((p_vault).session).id is not null),
    'owner', json_build_object(
      'id', (p_vault).owner_id, 'display_name', internal.name_of_anybody((p_vault).owner_name)
    ),
    'require_confirmation', (p_vault).require_confirmation,
    'full_may_open', (p_vault).full_may_open,
    'nominee_id', p_details -> 'nominee_id',
    'session', p_details -> 'session',
    'counts', p_details -> 'counts',
    'pending_transfer', p_details -> 'pending_transfer',
    'created_at', internal.instant((p_vault).created_at),
    'updated_at', internal.instant((p_vault).updated_at),
    'deleted_at', internal.instant((p_vault).deleted_at)
  )
$$;
comment on function internal.vault_json(internal.own_vaults, jsonb) is
  'A vault as its owner or one of its nominees sees it, with its internal.vault_details. status and nominee_id are the '
  'nominee''s.';
grant execute on function internal.vault_json(internal.own_vaults, jsonb) to kith_api;

create or replace function internal.detailed_vault(p_vault internal.own_vaults, p_now timestamptz) returns json
  language plpgsql
  stable
as $$
begin
  return (
    select internal.vault_json(p_vault, detail.details) from internal.vault_details(array[p_vault.id], p_now) as detail
  );
end
$$;
comment on function internal.detailed_vault(
  internal.own_vaults, timestamptz
) is 'One vault of the current user, with its details.';
grant execute on function internal.detailed_vault(internal.own_vaults, timestamptz) to kith_api;

create or replace function internal.require_room_for_restored_vault(p_owner_id uuid) returns void
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  if (
    select count(*) >= 200 from kith.vaults where tenant_id = v_tenant and owner_id = p_owner_id and deleted_at is null
  )
  then
    raise exception 'quota_exceeded'
      using errcode = 'KT507', detail = 'You can have 200 vaults. Delete one first; it can be restored for 30 days.';
  end if;
end
$$;
comment on function internal.require_room_for_restored_vault(uuid) is
  'Raises quota_exceeded if a user has 200 vaults. A vault that is restored counts among the deleted ones already. For '
  'definer procedures that have locked the owner''s account.';

create or replace function internal.require_room_for_vault_of(p_owner_id uuid, p_now timestamptz) returns void
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  if (
    select count(*) filter (where deleted_at is null) >= 200
      or count(*) filter (where deleted_at is null or deleted_at > p_now - interval '30 days') >= 400
    from kith.vaults
    where tenant_id = v_tenant and owner_id = p_owner_id
  ) then
    raise exception 'quota_exceeded'
      using errcode = 'KT507',
      detail = 'You can have 200 vaults, and as many deleted ones, which are kept for 30 days.';
  end if;
end
$$;
comment on function internal.require_room_for_vault_of(uuid, timestamptz) is
  'Raises quota_exceeded if a user already has the maximum number of vaults. Called before a user creates a vault or '
  'is given one.';
grant execute on function internal.require_room_for_vault_of(uuid, timestamptz) to kith_api;

create or replace function internal.require_room_for_vault(p_now timestamptz) returns void
  language plpgsql
  stable
as $$
begin
  perform internal.require_room_for_vault_of(kith.user_id(), p_now);
end
$$;
comment on function internal.require_room_for_vault(timestamptz)
  is 'Like require_room_for_vault_of, for the current user.';
grant execute on function internal.require_room_for_vault(timestamptz) to kith_api;

create or replace function internal.nominee_status(p_status text, p_is_open boolean) returns text
  language sql
  immutable
  parallel safe
as $$
  select case when p_status = 'accepted' and p_is_open then 'active' else p_status end
$$;
comment on function internal.nominee_status(text, boolean) is
  'A nominee''s status as clients see it. active means accepted while the vault is open, and is never stored (V08).';
grant execute on function internal.nominee_status(text, boolean) to kith_api;

create or replace function internal.vault_access(
  p_vault_id uuid, p_now timestamptz,
  out vault kith.vaults, out role text, out access_level text, out nominee kith.nominees,
  out session kith.vault_sessions
) returns record
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_emergency record;
  v_request uuid;
begin
  -- The policies use the request's clock from here on.
  perform set_config('kith.now', p_now::text, true);
  select * into vault from kith.vaults where tenant_id = v_tenant and id = p_vault_id and deleted_at is null;
  if vault.owner_id = v_user then
    role := 'owner';
    access_level := 'full';
  else
    -- A revoked row is not final for the person, who may have been invited again.
    select * into nominee
    from kith.nominees as own
    where own.tenant_id = v_tenant and own.vault_id = p_vault_id and own.user_id = v_user
    order by own.status = 'revoked', own.id desc
    limit 1;
    if nominee.status = 'revoked' then
      raise exception 'nominee_revoked' using errcode = 'KT403';
    end if;
    if nominee.id is null or vault.id is null then
      perform internal.refuse_not_found();
    end if;
    if nominee.status <> 'accepted' then
      raise exception using message = 'nominee_' || nominee.status, errcode = 'KT403';
    end if;
    role := 'nominee';
    access_level := nominee.access_level;
  end if;
  select * into session
  from kith.vault_sessions as open
  where open.tenant_id = v_tenant and open.vault_id = p_vault_id and open.kind = 'shared' and open.locked_at is null
    and open.expires_at > p_now;
  if role = 'nominee' then
    select * into v_emergency from internal.emergency_session(v_tenant, nominee.id, p_now);
    if found then
      access_level := internal.level_in_session(access_level, v_emergency.access_level, session.id is not null);
      if session.id is null then
        session := v_emergency.opened;
      end if;
      if session.kind = 'emergency' or access_level <> nominee.access_level then
        v_request := (v_emergency.opened).request_id;
      end if;
    end if;
  end if;
  -- The history says what was done by emergency access.
  perform set_config('kith.emergency_request', coalesce(v_request::text, ''), true);
end
$$;
comment on function internal.vault_access(uuid, timestamptz) is
  'The current user''s role and level in a vault, and the session that is open at p_now for them, if any: the shared '
  'one, or else the nominee''s own emergency session with the level that was granted (E04). Raises not_found for a '
  'stranger and for a deleted vault, and nominee_pending, nominee_inactive or nominee_revoked for a nominee without '
  'access. Every call about a vault starts with it.';
grant execute on function internal.vault_access(uuid, timestamptz) to kith_api;

create or replace function internal.require_owner(p_vault_id uuid, p_now timestamptz) returns kith.vaults
  language plpgsql
as $$
declare
  v_access record := internal.vault_access(p_vault_id, p_now);
begin
  if v_access.role <> 'owner' then
    raise exception 'forbidden' using errcode = 'KT403', detail = 'Only the vault''s owner can do this.';
  end if;
  return v_access.vault;
end
$$;
comment on function internal.require_owner(uuid, timestamptz)
  is 'Like vault_access, but raises forbidden for everybody except the owner.';
grant execute on function internal.require_owner(uuid, timestamptz) to kith_api;

create or replace function internal.require_level(p_role text, p_access_level text, p_level text) returns void
  language plpgsql
  immutable
as $$
begin
  if p_role <> 'owner' and internal.level_rank(p_access_level) < internal.level_rank(p_level) then
    raise exception 'forbidden' using errcode = 'KT403',
      detail = format('This needs the access level %s; yours is %s.', p_level, p_access_level);
  end if;
end
$$;
comment on function internal.require_level(text, text, text)
  is 'Raises forbidden for a nominee whose level is below p_level (V10, V11).';
grant execute on function internal.require_level(text, text, text) to kith_api;

create or replace function internal.require_open(p_role text, p_session_id uuid) returns void
  language plpgsql
  immutable
as $$
begin
  if p_session_id is null and p_role = 'owner' then
    raise exception 'vault_locked' using errcode = 'KT423', detail = 'This vault is locked. Open it first.';
  elsif p_session_id is null then
    raise exception 'vault_locked' using errcode = 'KT423';
  end if;
end
$$;
comment on function internal.require_open(text, uuid) is
  'Raises vault_locked if there is no open session. This applies to the owner too: a locked vault shows nothing to '
  'anybody.';
grant execute on function internal.require_open(text, uuid) to kith_api;

create or replace function internal.enter_vault(
  p_vault_id uuid, p_level text, p_now timestamptz,
  out vault kith.vaults, out role text, out access_level text, out nominee kith.nominees,
  out session kith.vault_sessions
) returns record
  language plpgsql
as $$
declare
  v_access record := internal.vault_access(p_vault_id, p_now);
begin
  vault := v_access.vault;
  role := v_access.role;
  access_level := v_access.access_level;
  nominee := v_access.nominee;
  session := v_access.session;
  perform internal.require_open(role, session.id);
  perform internal.require_level(role, access_level, p_level);
  if session.last_activity_at <= p_now - interval '1 minute'
    or role = 'nominee' and coalesce(nominee.last_active_at <= p_now - interval '1 minute', true)
    or kith.user_id() <> all (session.inside)
  then
    perform internal.note_activity(p_vault_id, p_now);
  end if;
end
$$;
comment on function internal.enter_vault(uuid, text, timestamptz) is
  'Like vault_access, for acts inside the vault. Raises vault_locked without an open session and forbidden below '
  'p_level. Records the activity, at most once a minute (V04).';
grant execute on function internal.enter_vault(uuid, text, timestamptz) to kith_api;

create or replace function internal.manage_vault(
  p_vault_id uuid, p_now timestamptz,
  out vault kith.vaults, out role text, out access_level text, out nominee kith.nominees,
  out session kith.vault_sessions
) returns record
  language plpgsql
as $$
declare
  v_access record := internal.vault_access(p_vault_id, p_now);
begin
  vault := v_access.vault;
  role := v_access.role;
  access_level := v_access.access_level;
  nominee := v_access.nominee;
  session := v_access.session;
  if role <> 'owner' then
    perform internal.require_open(role, session.id);
    perform internal.require_level(role, access_level, 'full');
  end if;
end
$$;
comment on function internal.manage_vault(uuid, timestamptz) is
  'Like vault_access, for inviting and revoking nominees: admits the owner at any time, and a nominee with level full '
  'while the vault is open (V11).';
grant execute on function internal.manage_vault(uuid, timestamptz) to kith_api;

create or replace function internal.lock_vault_row(p_vault_id uuid) returns kith.vaults
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_vault kith.vaults;
begin
  select * into v_vault from kith.vaults
  where tenant_id = v_tenant and id = p_vault_id and deleted_at is null for no key update;
  if not found then
    perform internal.refuse_not_found();
  end if;
  return v_vault;
end
$$;
comment on function internal.lock_vault_row(uuid) is
  'Returns a vault, locked against concurrent opening, deletion, transfer and acceptance. Raises not_found. For '
  'definer procedures, which must repeat earlier access checks afterwards.';

create or replace function internal.restore_vault(p_vault_id uuid, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_owner uuid;
begin
  select owner_id into v_owner
  from kith.vaults
  where tenant_id = v_tenant and id = p_vault_id and deleted_at > p_now - interval '30 days';
  if not found then
    perform internal.refuse_not_found();
  end if;
  -- Accounts are locked before vaults. A deleted vault changes its owner no more.
  perform from kith.users where tenant_id = v_tenant and id = v_owner for no key update;
  perform internal.require_room_for_restored_vault(v_owner);
  update kith.vaults set deleted_at = null, deleted_by = null, updated_at = p_now
  where tenant_id = v_tenant and id = p_vault_id and deleted_at > p_now - interval '30 days';
  if not found then
    perform internal.refuse_not_found();
  end if;
  perform internal.emit_event(v_tenant, v_owner, 'vault', p_vault_id, null, null, p_now);
  perform internal.emit_own_nominees(p_vault_id, p_now);
  perform internal.record_history(p_vault_id, kith.user_id(), 'vault.restored', 'vault', p_vault_id, null, p_now);
end
$$;
comment on function internal.restore_vault(uuid, timestamptz) is
  'Restores a vault that was deleted in the last 30 days, with its nominees. Its tokens stay void. Raises not_found, '
  'and quota_exceeded if its owner has 200 others. For definer procedures.';

create or replace function internal.own_vault(p_vault_id uuid, p_now timestamptz) returns kith.vaults
  language plpgsql
as $$
begin
  perform internal.require_owner(p_vault_id, p_now);
  perform internal.lock_vault_row(p_vault_id);
  -- Check again: the vault may have changed owner while this call waited for the lock.
  return internal.require_owner(p_vault_id, p_now);
end
$$;
comment on function internal.own_vault(uuid, timestamptz) is
  'A vault of the current user, locked against concurrent opening, transfer and deletion. Raises not_found for a '
  'stranger and forbidden for a nominee. For definer procedures.';
