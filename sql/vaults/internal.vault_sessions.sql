-- The shared session of a vault. expires_at is authoritative: a session ends at that instant, whether or not anybody
-- has recorded its end.

create or replace function internal.people_inside(p_session kith.vault_sessions, p_is_managed boolean) returns json
  language plpgsql
  stable
as $$
declare
  v_tenant integer := p_session.tenant_id;
  v_vault uuid := p_session.vault_id;
begin
  if p_session.locked_at is not null or p_session.expires_at <= kith.now() then
    return '[]';
  end if;
  return (
    select coalesce(json_agg(internal.person_json(entered.user_id) order by entered.n), '[]')
    from (
      select inside.user_id, inside.n
      from unnest(p_session.inside) with ordinality as inside (user_id, n)
      where (p_is_managed or inside.user_id in (kith.user_id(), p_session.owner_id, p_session.unlocked_by))
        and (
          inside.user_id = p_session.owner_id
          or exists (
            select from kith.nominees as nominee
            where nominee.tenant_id = v_tenant and nominee.vault_id = v_vault and nominee.user_id = inside.user_id
              and nominee.status = 'accepted'
          )
        )
      order by inside.n
      limit 50
    ) as entered
  );
end
$$;
comment on function internal.people_inside(kith.vault_sessions, boolean) is
  'The first 50 people who have entered an open session and still have access, in the order in which they came. A '
  'nominee who does not manage others sees only themselves, the owner and the person who opened the vault. For definer '
  'procedures.';

create or replace function internal.session_json(p_session kith.vault_sessions, p_is_managed boolean) returns json
  language sql
  stable
as $$
  select json_build_object(
    'id', (p_session).id,
    'vault_id', (p_session).vault_id,
    'kind', (p_session).kind,
    'request_id', (p_session).request_id,
    'unlocked_by', (p_session).unlocked_by,
    'unlocked_by_user', internal.person_json((p_session).unlocked_by),
    'opened_at', internal.instant((p_session).opened_at),
    'expires_at', internal.instant((p_session).expires_at),
    'latest_expires_at', internal.instant((p_session).maximum_at),
    'inside', internal.people_inside(p_session, p_is_managed),
    'locked_at', internal.instant((p_session).locked_at),
    'locked_by', (p_session).locked_by,
    'locked_by_user', internal.person_json((p_session).locked_by),
    'lock_reason', (p_session).lock_reason
  )
$$;
comment on function internal.session_json(kith.vault_sessions, boolean) is
  'A vault session in the API''s representation, for a user who may see it, and who manages nominees or not. '
  'latest_expires_at is when it ends however active people are. For definer procedures.';

create or replace function internal.record_joining(p_session kith.vault_sessions, p_user_id uuid, p_now timestamptz)
  returns void
  language plpgsql
as $$
declare
  v_tenant integer := p_session.tenant_id;
  v_session kith.vault_sessions;
begin
  if p_user_id = any (p_session.inside) then
    return;
  end if;
  update kith.vault_sessions set inside = inside || p_user_id
  where tenant_id = v_tenant and id = p_session.id and locked_at is null and p_user_id <> all (inside)
  returning * into v_session;
  if not found then
    return;
  end if;
  perform internal.record_history(v_session.vault_id, p_user_id, 'vault.joined', 'session', v_session.id, null, p_now);
  insert into kith.events (tenant_id, id, user_id, type, subject_id, parent_id)
  select distinct on (person.user_id) v_tenant, internal.uuid7(p_now), person.user_id, 'session', v_session.id,
    v_session.vault_id
  from (
    select unnest(v_session.owner_id || v_session.inside[1:50]) as user_id
    union all
    -- Nominees with level full see who is inside before they enter.
    (
      select nominee.user_id
      from kith.nominees as nominee
      where nominee.tenant_id = v_tenant and nominee.vault_id = v_session.vault_id and v_session.kind = 'shared'
        and nominee.status = 'accepted' and nominee.access_level = 'full' and nominee.user_id is not null
      order by nominee.id
      limit 50
    )
  ) as person;
end
$$;
comment on function internal.record_joining(kith.vault_sessions, uuid, timestamptz) is
  'Records that a user has entered a session that somebody else opened, once for each session: in the session, in the '
  'history, and as an event for the owner, the first 50 people inside and the first 50 nominees with level full, whose '
  'screens show it. For definer procedures.';

create or replace function internal.require_opening(p_vault_id uuid, p_now timestamptz) returns void
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_since timestamptz := p_now - interval '24 hours';
  v_hundredth timestamptz;
begin
  select opened_at into v_hundredth
  from kith.vault_sessions
  where tenant_id = v_tenant and vault_id = p_vault_id and unlocked_by = v_user and id >= internal.first_uuid7(v_since)
    and opened_at > v_since
  order by id desc
  offset 99 limit 1;
  if v_hundredth is not null then
    raise exception 'too_many_requests'
      using errcode = 'KT429', detail = 'You have opened this vault 100 times within a day. Please try again later.',
        hint = greatest(1, ceil(extract(epoch from v_hundredth - v_since)))::integer::text;
  end if;
end
$$;
comment on function internal.require_opening(uuid, timestamptz) is
  'Raises too_many_requests if the current user has opened a vault 100 times in 24 hours: each opening notifies every '
  'nominee. It does not use begin_act, which must come before any other lock: the vault''s row is locked by then. For '
  'definer procedures.';

create or replace function internal.session_to_join(p_vault_id uuid, p_now timestamptz) returns kith.vault_sessions
  language plpgsql
as $$
declare
  v_access record := internal.vault_access(p_vault_id, p_now);
  v_session kith.vault_sessions := v_access.session;
begin
  if v_session.kind = 'shared' then
    return v_session;
  -- Whoever may open the vault can do so from an emergency session too. Its level does not count here.
  elsif v_access.role = 'owner' or (v_access.nominee).access_level = 'full' and (v_access.vault).full_may_open then
    return null;
  elsif v_session.id is null then
    raise exception 'vault_locked' using errcode = 'KT423';
  end if;
  return v_session;
end
$$;
comment on function internal.session_to_join(uuid, timestamptz) is
  'The session that the current user joins by opening a vault: the shared one, or their own emergency session. Null if '
  'they may open the vault. Raises vault_locked for a nominee who may only enter. For internal.open_session.';

create or replace function internal.open_session(
  p_vault_id uuid, p_now timestamptz, out session kith.vault_sessions, out is_new boolean
)
  returns record
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_access record;
  v_old kith.vault_sessions;
  v_maximum timestamptz;
begin
  perform internal.require_user();
  is_new := false;
  session := internal.session_to_join(p_vault_id, p_now);
  if session.id is null then
    -- Openers wait here for each other, and for a deletion or transfer of the vault. The access must then be checked
    -- again.
    perform internal.lock_vault_row(p_vault_id);
    session := internal.session_to_join(p_vault_id, p_now);
  end if;
  if session.id is not null then
    perform internal.record_joining(session, v_user, p_now);
    return;
  end if;
  v_access := internal.vault_access(p_vault_id, p_now);
  perform internal.require_opening(p_vault_id, p_now);
  select * into v_old
  from kith.vault_sessions
  where tenant_id = v_tenant and vault_id = p_vault_id and kind = 'shared' and locked_at is null
  for update;
  if found then
    perform internal.end_session(v_old, 'expired', null, v_old.expires_at);
  end if;
  select p_now + make_interval(mins => session_maximum_minutes) into v_maximum from kith.tenants
  where tenant_id = v_tenant;
  insert into kith.vault_sessions (
    tenant_id, id, vault_id, owner_id, kind, unlocked_by, opened_at, expires_at, maximum_at, last_activity_at, inside
  )
  values (
    v_tenant, internal.uuid7(p_now), p_vault_id, (v_access.vault).owner_id, 'shared', v_user, p_now,
    least(p_now + interval '30 minutes', v_maximum), v_maximum, p_now, array[v_user]
  )
  returning * into session;
  is_new := true;
  perform internal.emit_session(session, p_now);
  perform internal.tell_nominees(v_access.vault, 'vault_opened', v_user, p_now);
  perform internal.tell_owner(v_access.vault, 'vault_opened', v_user, p_now);
  perform internal.record_history(p_vault_id, v_user, 'vault.opened', 'session', session.id, null, p_now);
end
$$;
comment on function internal.open_session(uuid, timestamptz) is
  'The open session of a vault, or a new one if the current user may open it (V06). Of concurrent callers one opens, '
  'and the others join. Raises vault_locked for a nominee who may only enter. Definer: only these functions write '
  'sessions.';
grant execute on function internal.open_session(uuid, timestamptz) to kith_api;

create or replace function internal.end_session(
  p_session kith.vault_sessions, p_reason text, p_by uuid, p_at timestamptz
)
  returns boolean
  language plpgsql
as $$
declare
  v_tenant integer := p_session.tenant_id;
  v_session kith.vault_sessions;
  v_vault kith.vaults;
  -- A session that expired before it was locked ended at its expiry, and nobody locked it.
  v_is_late boolean := p_session.expires_at <= p_at;
begin
  update kith.vault_sessions
  -- Of a concurrent opening and locking, the call with the earlier p_at may have got the vault's lock later.
  set locked_at = case when v_is_late then expires_at else greatest(p_at, opened_at) end,
    locked_by = case when not v_is_late then p_by end,
    lock_reason = case when v_is_late then 'expired' else p_reason end
  where tenant_id = v_tenant and id = p_session.id and locked_at is null
  returning * into v_session;
  if not found then
    return false;
  end if;
  perform internal.emit_session(v_session, p_at);
  if v_session.kind = 'shared' then
    select * into v_vault from kith.vaults where tenant_id = v_tenant and id = v_session.vault_id;
    perform internal.tell_nominees(v_vault, 'vault_locked', v_session.locked_by, p_at);
    if v_session.lock_reason = 'manual' then
      perform internal.tell_owner(v_vault, 'vault_locked', v_session.locked_by, p_at);
    end if;
  end if;
  perform internal.record_history_of(
    v_tenant, v_session.vault_id, v_session.locked_by, 'vault.locked', 'session', v_session.id,
    jsonb_strip_nulls(jsonb_build_object('reason', v_session.lock_reason, 'request_id', v_session.request_id)),
    v_session.locked_at
  );
  return true;
end
$$;
comment on function internal.end_session(kith.vault_sessions, text, uuid, timestamptz) is
  'Locks a session at p_at, by the user p_by or (null) by itself. A session that expired earlier ends at its '
  'expires_at. Tells the nominees, and the owner if a nominee locked it, and records the reason in the history. False '
  'if it was already locked. For definer procedures that have locked the vault or the session.';

create or replace function internal.close_session(p_vault_id uuid, p_reason text, p_by uuid, p_now timestamptz)
  returns boolean
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_session kith.vault_sessions;
begin
  select * into v_session
  from kith.vault_sessions
  where tenant_id = v_tenant and vault_id = p_vault_id and kind = 'shared' and locked_at is null
  for update;
  return found and internal.end_session(v_session, p_reason, p_by, p_now);
end
$$;
comment on function internal.close_session(uuid, text, uuid, timestamptz) is
  'Like end_session, for the shared session of a vault. False if there is none. For definer procedures.';

create or replace function internal.lock_session_of_nominees(
  p_vault_id uuid, p_nominee_ids uuid[], p_reason text, p_by uuid, p_now timestamptz
) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_session kith.vault_sessions;
begin
  select session.* into v_session
  from kith.vault_sessions as session
  where session.tenant_id = v_tenant and session.vault_id = p_vault_id and session.kind = 'shared'
    and session.locked_at is null and session.unlocked_by in (
      select nominee.user_id from kith.nominees as nominee
      where nominee.tenant_id = v_tenant and nominee.id = any (p_nominee_ids)
    )
  for update;
  if found then
    perform internal.end_session(v_session, p_reason, p_by, p_now);
  end if;
end
$$;
comment on function internal.lock_session_of_nominees(uuid, uuid[], text, uuid, timestamptz) is
  'Locks the shared session of a vault if one of these nominees has opened it: it must not outlast their access (V01). '
  'For definer procedures that have locked the vault, and have already ended or paused that access.';

create or replace function internal.lock_own_vault(p_vault_id uuid, p_now timestamptz) returns kith.vault_sessions
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_access record;
  v_session kith.vault_sessions;
begin
  perform internal.require_user();
  v_access := internal.vault_access(p_vault_id, p_now);
  perform internal.require_level(v_access.role, v_access.access_level, 'full');
  perform internal.lock_vault_row(p_vault_id);
  -- Check again: access may have ended while this call waited for the lock, and a user whose account has been deleted
  -- must not be named in a notification.
  v_access := internal.vault_access(p_vault_id, p_now);
  perform internal.require_level(v_access.role, v_access.access_level, 'full');
  perform internal.close_session(p_vault_id, 'manual', kith.user_id(), p_now);
  -- The newest session, whether this call locked it, somebody else did a moment before, or it ended long ago.
  select * into v_session
  from kith.vault_sessions
  where tenant_id = v_tenant and vault_id = p_vault_id and kind = 'shared'
  order by id desc
  limit 1;
  if not found then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'This vault has never been open.';
  end if;
  return v_session;
end
$$;
comment on function internal.lock_own_vault(uuid, timestamptz) is
  'Locks a vault, for its owner or a nominee with level full. A vault that is already locked does not change. Returns '
  'the last session. Definer: only these functions write sessions.';
grant execute on function internal.lock_own_vault(uuid, timestamptz) to kith_api;

create or replace function internal.note_emergency_activity(p_vault_id uuid, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_nominee uuid;
begin
  select id into v_nominee
  from kith.nominees
  where tenant_id = v_tenant and vault_id = p_vault_id and user_id = v_user and status = 'accepted';
  -- Skip a row that a concurrent call has locked: its update serves both.
  update kith.vault_sessions set last_activity_at = p_now
  where tenant_id = v_tenant and id = (
    select id from kith.vault_sessions
    where tenant_id = v_tenant and nominee_id = v_nominee and kind = 'emergency' and locked_at is null
      and expires_at > p_now and last_activity_at <= p_now - interval '1 minute'
    for no key update skip locked
  );
  if found then
    update kith.nominees set last_active_at = p_now
    where tenant_id = v_tenant and id = (
      select id from kith.nominees where tenant_id = v_tenant and id = v_nominee for no key update skip locked
    );
  end if;
end
$$;
comment on function internal.note_emergency_activity(uuid, timestamptz) is
  'Records the current user''s activity in their emergency session, at most once a minute. Nothing extends such a '
  'session. For internal.note_activity.';

create or replace function internal.note_activity(p_vault_id uuid, p_now timestamptz) returns void
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_session kith.vault_sessions;
begin
  perform internal.require_user();
  if not exists (
    select from kith.vaults where tenant_id = v_tenant and id = p_vault_id and owner_id = v_user and deleted_at is null
  ) and not exists (
    select from kith.nominees
    where tenant_id = v_tenant and vault_id = p_vault_id and user_id = v_user and status = 'accepted'
  ) then
    perform internal.refuse_not_found();
  end if;
  select * into v_session
  from kith.vault_sessions
  where tenant_id = v_tenant and vault_id = p_vault_id and kind = 'shared' and locked_at is null and expires_at > p_now;
  if not found then
    perform internal.note_emergency_activity(p_vault_id, p_now);
    return;
  end if;
  perform internal.record_joining(v_session, v_user, p_now);
  -- Skip a row that a concurrent call has locked: its update serves both. An expired session cannot be revived (V05).
  update kith.vault_sessions
  set last_activity_at = p_now, expires_at = least(greatest(expires_at, p_now + interval '30 minutes'), maximum_at)
  where tenant_id = v_tenant and id = (
    select id from kith.vault_sessions
    where tenant_id = v_tenant and vault_id = p_vault_id and kind = 'shared' and locked_at is null
      and expires_at > p_now and last_activity_at <= p_now - interval '1 minute'
    for no key update skip locked
  ) and locked_at is null and expires_at > p_now;
  update kith.nominees set last_active_at = p_now
  where tenant_id = v_tenant and id = (
    select nominee.id from kith.nominees as nominee
    where nominee.tenant_id = v_tenant and nominee.vault_id = p_vault_id and nominee.user_id = v_user
      and nominee.status = 'accepted' and coalesce(nominee.last_active_at <= p_now - interval '1 minute', true)
      and exists (
        select from kith.vault_sessions as session
        where session.tenant_id = v_tenant and session.vault_id = p_vault_id and session.kind = 'shared'
          and session.locked_at is null and session.expires_at > p_now
      )
    for no key update of nominee skip locked
  );
end
$$;
comment on function internal.note_activity(uuid, timestamptz) is
  'Records the current user''s activity in an open vault, and that they are inside: the shared session now ends 30 '
  'minutes from p_now, but no later than its maximum. Writes at most once a minute. Raises not_found for a stranger. '
  'Definer: only these functions write sessions.';
grant execute on function internal.note_activity(uuid, timestamptz) to kith_api;

create or replace function internal.own_session(p_vault_id uuid, p_id uuid) returns json
  language plpgsql
  stable
as $$
declare
  v_session json := internal.seen_session(p_vault_id, p_id);
begin
  if v_session is null then
    perform internal.refuse_not_found();
  end if;
  return v_session;
end
$$;
comment on function internal.own_session(uuid, uuid) is
  'A session that the caller has just entered or ended. Raises not_found if they have lost their access meanwhile, for '
  'example because a transfer was accepted.';
grant execute on function internal.own_session(uuid, uuid) to kith_api;

create or replace function internal.seen_session(p_vault_id uuid, p_id uuid) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_session kith.vault_sessions;
begin
  perform internal.require_user();
  select session.* into v_session
  from kith.vault_sessions as session
  join kith.vaults as vault
    on vault.tenant_id = session.tenant_id and vault.id = session.vault_id and vault.deleted_at is null
  where session.tenant_id = v_tenant and session.vault_id = p_vault_id and session.id = p_id
    and (
      vault.owner_id = v_user
      or exists (
        select from kith.nominees as nominee
        where nominee.tenant_id = v_tenant and nominee.vault_id = p_vault_id and nominee.user_id = v_user
          and nominee.status = 'accepted' and (session.kind = 'shared' or nominee.id = session.nominee_id)
      )
    );
  if not found then
    return null;
  end if;
  return internal.session_json(
    v_session,
    v_session.owner_id = v_user or exists (
      select from kith.nominees
      where tenant_id = v_tenant and vault_id = p_vault_id and user_id = v_user and status = 'accepted'
        and access_level = 'full'
    )
  );
end
$$;
comment on function internal.seen_session(uuid, uuid) is
  'A session of a vault, for the vault''s owner and its accepted nominees; an emergency session only for its own '
  'nominee and the owner. Null for everybody else. Definer: the policies show emergency sessions to owners only.';
grant execute on function internal.seen_session(uuid, uuid) to kith_api;
