-- The session that emergency access opens: one for each nominee, beside the shared one (E04).

create or replace function internal.require_grant(p_nominee kith.nominees, p_now timestamptz)
  returns kith.emergency_requests
  language plpgsql
as $$
declare
  v_tenant integer := p_nominee.tenant_id;
  v_request kith.emergency_requests;
  v_status text;
begin
  select * into v_request
  from unnest(internal.open_requests_of_nominee(v_tenant, p_nominee.id)) as open
  cross join lateral internal.emergency_instants(open, p_now) as instants
  where internal.nominee_knows(open, p_now)
  -- The one that grants, or else the one that grants first.
  order by internal.emergency_status(open, p_now) = 'granted' desc, internal.over_at(open, p_now) > p_now desc,
    instants.grants_at
  limit 1;
  v_status := internal.emergency_status(v_request, p_now);
  if v_request.id is null or v_status = 'ended' then
    raise exception 'forbidden' using errcode = 'KT403', detail = 'You have no emergency access to this vault.';
  elsif internal.is_held(v_request, p_now) then
    raise exception 'vault_locked'
      using errcode = 'KT423', detail = 'Support has put your emergency access on hold. Please try again later.';
  elsif v_status = 'gathering' then
    raise exception 'vault_locked' using errcode = 'KT423', detail = 'The wait begins when more nominees ask.';
  elsif v_status = 'waiting' then
    raise exception 'vault_locked'
      using errcode = 'KT423', detail = 'Your emergency access has not begun yet.',
        hint = internal.instant((internal.emergency_instants(v_request, p_now)).grants_at);
  end if;
  return v_request;
end
$$;
comment on function internal.require_grant(kith.nominees, timestamptz) is
  'The request that grants a nominee access at p_now. Raises vault_locked before the grant, with its instant in RFC '
  '3339 as the hint, and while the quorum gathers or an operator holds the request; forbidden without a request, and '
  'for a wait that the nominee must not know of. For definer procedures.';

create or replace function internal.enter_by_emergency(p_nominee kith.nominees, p_now timestamptz) returns uuid
  language plpgsql
as $$
declare
  v_tenant integer := p_nominee.tenant_id;
  v_request kith.emergency_requests := internal.require_grant(p_nominee, p_now);
  v_session kith.vault_sessions;
begin
  select * into v_session
  from kith.vault_sessions
  where tenant_id = v_tenant and nominee_id = p_nominee.id and kind = 'emergency' and locked_at is null
  for update;
  if found and v_session.request_id = v_request.id and v_session.expires_at > p_now then
    return v_session.id;
  elsif found then
    perform internal.end_session(v_session, 'emergency_ended', null, p_now);
  end if;
  -- An outage that is recorded later must not move a grant that somebody has used.
  v_request := internal.settle_delays(v_request, p_now, p_now);
  insert into kith.vault_sessions (
    tenant_id, id, vault_id, owner_id, kind, nominee_id, request_id, unlocked_by, opened_at, expires_at, maximum_at,
    last_activity_at, inside
  )
  values (
    v_tenant, internal.uuid7(p_now), p_nominee.vault_id, v_request.owner_id, 'emergency', p_nominee.id, v_request.id,
    p_nominee.user_id, p_now, v_request.ends_at, v_request.ends_at, p_now, array[p_nominee.user_id]
  )
  returning * into v_session;
  update kith.nominees set last_active_at = p_now where tenant_id = v_tenant and id = p_nominee.id;
  perform internal.emit_session(v_session, p_now);
  perform internal.record_history(
    p_nominee.vault_id, p_nominee.user_id, 'emergency.entered', 'session', v_session.id,
    jsonb_build_object('request_id', v_request.id), p_now
  );
  -- Once for each request. A hold and its release can open several sessions.
  if not exists (
    select from kith.vault_sessions
    where tenant_id = v_tenant and vault_id = p_nominee.vault_id and id >= internal.first_uuid7(v_request.requested_at)
      and request_id = v_request.id and id <> v_session.id
  ) then
    perform internal.tell_emergency(v_request, 'emergency_opened', 'owner', 'entered', p_now);
  end if;
  return v_session.id;
end
$$;
comment on function internal.enter_by_emergency(kith.nominees, timestamptz) is
  'The open emergency session of a nominee, or a new one that lasts until the grant ends. The owner is told when they '
  'first enter. Raises what internal.require_grant raises. For definer procedures that have locked the vault and the '
  'nominee.';
