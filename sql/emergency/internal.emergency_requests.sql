-- The beginning of a wait, and the asking of several nominees together.

create or replace function internal.begin_wait(p_request_id uuid, p_now timestamptz) returns kith.emergency_requests
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_request kith.emergency_requests;
  v_notice uuid;
begin
  update kith.emergency_requests
  set waits_from = p_now, counted_to = p_now,
    (grants_at, ends_at) = (
      select wait.grants_at, wait.ends_at from internal.wait_instants(p_now, wait_hours, grant_hours) as wait
    )
  where tenant_id = v_tenant and id = p_request_id and waits_from is null and ended_at is null
  returning * into v_request;
  if not found then
    return null;
  end if;
  v_notice := internal.tell_emergency(v_request, 'emergency_requested', 'owner', v_request.missed_days::text, p_now);
  update kith.emergency_requests
  set notice_id = v_notice, notice_at = internal.next_emergency_notice(v_request, p_now)
  where tenant_id = v_tenant and id = p_request_id
  returning * into v_request;
  -- A nominee who has just asked gets the answer to that call.
  if v_request.user_id is distinct from kith.user_id() and internal.nominee_knows(v_request, p_now) then
    perform internal.tell_emergency(v_request, 'emergency_requested', 'nominee', null, p_now);
  end if;
  -- A check-in looks for open requests only if this is set.
  update kith.sender_profiles set emergency_since = p_now
  where tenant_id = v_tenant and user_id = v_request.owner_id and emergency_since is null;
  perform internal.record_history_of(
    v_tenant, v_request.vault_id, null, 'emergency.waiting', 'emergency_request', v_request.id,
    jsonb_strip_nulls(jsonb_build_object(
      'nominee_id', v_request.nominee_id, 'cause', v_request.cause, 'missed_days', v_request.missed_days,
      'grants_at', internal.instant(v_request.grants_at)
    )),
    p_now
  );
  perform internal.emit_emergency_request(v_request, p_now);
  return v_request;
end
$$;
comment on function internal.begin_wait(uuid, timestamptz) is
  'Begins the wait of a request: from now on the owner has wait_hours to say no. Tells the owner at once, and a '
  'nominee who may know of it. Returns the request; null if the wait has begun already. For definer procedures that '
  'have locked the owner''s sender profile and the request.';

create or replace function internal.bound_since(p_nominee kith.nominees) returns timestamptz
  language sql
  immutable
  parallel safe
as $$
  select coalesce((p_nominee).bound_at, (p_nominee).accepted_at, (p_nominee).invited_at)
$$;
comment on function internal.bound_since(kith.nominees) is 'Since when a nominee''s account is known.';

create or replace function internal.empty_places(p_tenant integer, p_vault_id uuid, p_until timestamptz) returns integer
  language plpgsql
  stable
as $$
begin
  return (
    select count(*)
    from kith.emergency_quorums as quorum
    cross join unnest(quorum.nominee_ids) as member (id)
    join kith.nominees as former on former.tenant_id = p_tenant and former.id = member.id and former.status = 'revoked'
    where quorum.tenant_id = p_tenant and quorum.vault_id = p_vault_id
      and (p_until is null or former.revoked_at <= p_until)
  );
end
$$;
comment on function internal.empty_places(integer, uuid, timestamptz) is
  'How many members of a vault''s quorum have left, by p_until or (null) ever: they were revoked, left, or their '
  'account ended. Their places stay in the list until the owner sets it anew. For definer procedures.';

create or replace function internal.required_nominees(p_nominee kith.nominees) returns integer
  language plpgsql
  stable
as $$
declare
  v_tenant integer := p_nominee.tenant_id;
  v_vault uuid := p_nominee.vault_id;
  v_quorum kith.emergency_quorums;
begin
  select * into v_quorum from kith.emergency_quorums where tenant_id = v_tenant and vault_id = v_vault;
  return case
    when not found then 1
    when p_nominee.id = any (v_quorum.nominee_ids) then v_quorum.required
    -- It may be the one who has left, under another account. Nothing remains of an account that has ended by which to
    -- tell.
    when internal.empty_places(v_tenant, v_vault, internal.bound_since(p_nominee)) > 0 then v_quorum.required
    else 1
  end;
end
$$;
comment on function internal.required_nominees(kith.nominees) is
  'How many must ask if this nominee asks (E05): as many as the quorum requires of its members, and of everybody who '
  'came after a member had left; otherwise 1. For definer procedures.';

create or replace function internal.count_asked(p_request kith.emergency_requests, p_now timestamptz) returns integer
  language plpgsql
  stable
as $$
begin
  return (
    select count(*) filter (where person.is_member)
      + least(
        count(*) filter (where not person.is_member),
        internal.empty_places(p_request.tenant_id, p_request.vault_id, null)
      )
    from (
      -- A person counts once, whatever they asked as.
      select asked.user_id, bool_or(quorum.vault_id is null or asked.nominee_id = any (quorum.nominee_ids)) as is_member
      from kith.emergency_requests as asked
      join kith.nominees as nominee on nominee.tenant_id = asked.tenant_id and nominee.id = asked.nominee_id
      left join kith.emergency_quorums as quorum
        on quorum.tenant_id = asked.tenant_id and quorum.vault_id = asked.vault_id
      where asked.tenant_id = p_request.tenant_id and asked.vault_id = p_request.vault_id and asked.cause = 'request'
        and asked.required > 1 and case
          when asked.end_reason = 'expired' then asked.ended_at > p_request.waits_from
          when asked.ended_at is not null then false
          -- Nobody may have recorded the end yet.
          when internal.emergency_status(asked, p_now) = 'ended' then
            asked.waits_from is not null and internal.over_at(asked, p_now) > p_request.waits_from
          else true
        end
        and internal.may_use_right(nominee)
        and (
          quorum.vault_id is null or asked.nominee_id = any (quorum.nominee_ids)
          or internal.empty_places(nominee.tenant_id, nominee.vault_id, internal.bound_since(nominee)) > 0
        )
      group by asked.user_id
    ) as person
  );
end
$$;
comment on function internal.count_asked(kith.emergency_requests, timestamptz) is
  'How many people are asking together with this one (E05). Once its wait has begun, one whose grant has run out '
  'meanwhile still counts: they took nothing back. A nominee whom the owner has taken out of the quorum no longer '
  'counts, nor does one without access. Of those who came after a member had left, as many count as there are empty '
  'places. For definer procedures.';

create or replace function internal.settle_quorum(p_request kith.emergency_requests, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := p_request.tenant_id;
  v_request kith.emergency_requests;
begin
  for v_request in
    select * from kith.emergency_requests
    where tenant_id = v_tenant and vault_id = p_request.vault_id and ended_at is null and cause = 'request'
      and required > 1
    order by id
    for no key update
  loop
    if internal.emergency_status(v_request, p_now) = 'gathering'
      and internal.count_asked(v_request, p_now) >= v_request.required
    then
      perform internal.begin_wait(v_request.id, p_now);
    elsif internal.emergency_status(v_request, p_now) = 'waiting' and v_request.approved_at is null
      and (internal.emergency_instants(v_request, p_now)).grants_at > p_now
      and internal.count_asked(v_request, p_now) < v_request.required
    then
      update kith.emergency_requests
      set waits_from = null, grants_at = null, ends_at = null, counted_to = null, undelivered_since = null,
        stopped_at = p_now, notice_at = p_now + interval '720 hours'
      where tenant_id = v_tenant and id = v_request.id
      returning * into v_request;
      perform internal.record_history_of(
        v_tenant, v_request.vault_id, null, 'emergency.stopped', 'emergency_request', v_request.id,
        jsonb_build_object('nominee_id', v_request.nominee_id), p_now
      );
      perform internal.emit_emergency_request(v_request, p_now);
    end if;
  end loop;
end
$$;
comment on function internal.settle_quorum(kith.emergency_requests, timestamptz) is
  'Begins the waits of the nominees who ask together with this one if there are enough of them, and stops those that '
  'have begun but not granted if there no longer are (E05). They then gather again. For definer procedures that have '
  'locked the vault.';

create or replace function internal.lock_emergencies(
  p_vault_id uuid, p_nominee_id uuid, p_now timestamptz,
  out vault kith.vaults, out role text, out nominee kith.nominees
) returns record
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_access record := internal.vault_access(p_vault_id, p_now);
  v_owner uuid := (v_access.vault).owner_id;
  v_users uuid[] := internal.users_of_nominee(p_vault_id, p_nominee_id) || v_owner;
begin
  perform from kith.users
  where tenant_id = v_tenant and id = any (v_users)
  order by id
  for key share;
  perform internal.lock_account();
  -- A check-in locks the profile before the requests that it ends.
  perform from kith.sender_profiles where tenant_id = v_tenant and user_id = v_owner for no key update;
  perform internal.lock_vault_row(p_vault_id);
  -- Check again: a transfer or a revocation may have been ahead of this call.
  v_access := internal.vault_access(p_vault_id, p_now);
  vault := v_access.vault;
  role := v_access.role;
  select * into nominee from kith.nominees
  where tenant_id = v_tenant and vault_id = p_vault_id and id = p_nominee_id for update;
  if vault.owner_id <> v_owner or nominee.id is null or role <> 'owner' and nominee.id <> (v_access.nominee).id then
    perform internal.refuse_not_found();
  end if;
  -- Requests of a quorum end and begin together.
  perform from kith.emergency_requests where tenant_id = v_tenant and vault_id = p_vault_id and ended_at is null
  order by id for update;
end
$$;
comment on function internal.lock_emergencies(uuid, uuid, timestamptz) is
  'Locks all that an act on emergency access changes: the accounts of the owner and the nominee, the owner''s sender '
  'profile, the vault, the nominee, and the open requests of the vault. Raises what vault_access raises, and not_found '
  'for another nominee. For definer procedures.';

create or replace function internal.lock_emergency(p_vault_id uuid, p_request_id uuid, p_role text, p_now timestamptz)
  returns kith.emergency_requests
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_request kith.emergency_requests;
  v_locked record;
begin
  perform internal.vault_access(p_vault_id, p_now);
  select * into v_request from kith.emergency_requests
  where tenant_id = v_tenant and vault_id = p_vault_id and id = p_request_id;
  if not found or v_user not in (v_request.owner_id, v_request.user_id)
    or v_user <> v_request.owner_id and not internal.nominee_knows(v_request, p_now)
  then
    perform internal.refuse_not_found();
  elsif (v_user = v_request.owner_id) <> (p_role = 'owner') then
    raise exception 'forbidden' using errcode = 'KT403',
      detail = case p_role when 'owner' then 'Only the vault''s owner can do this.'
        else 'Only the nominee who asks can do this.' end;
  end if;
  v_locked := internal.lock_emergencies(p_vault_id, v_request.nominee_id, p_now);
  if v_locked.role <> p_role then
    perform internal.refuse_not_found();
  end if;
  select * into v_request from kith.emergency_requests where tenant_id = v_tenant and id = p_request_id for update;
  return v_request;
end
$$;
comment on function internal.lock_emergency(uuid, uuid, text, timestamptz) is
  'A request for emergency access, locked as in lock_emergencies, for an act of its owner or its nominee (p_role). '
  'Raises not_found for everybody who may not know of it, and forbidden for the other side. For definer procedures.';

create or replace function internal.note_answer(p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  insert into kith.signs_of_life as known (tenant_id, user_id, answered_at)
  values (v_tenant, v_user, p_now)
  on conflict (tenant_id, user_id) do update set answered_at = greatest(known.answered_at, excluded.answered_at);
end
$$;
comment on function internal.note_answer(timestamptz) is
  'Records that the current user has answered a request for emergency access, or given a right to it, which is a sign '
  'of life. For definer procedures that have locked the account.';

create or replace function internal.refuse_ended_request() returns void
  language plpgsql
as $$
begin
  raise exception 'invalid_transition' using errcode = 'KT409', detail = 'This request has ended.';
end
$$;
comment on function internal.refuse_ended_request()
  is 'Raises invalid_transition for an act on a request that has ended.';

create or replace function internal.require_asking(p_nominee kith.nominees, p_now timestamptz)
  returns kith.emergency_settings
  language plpgsql
as $$
declare
  v_tenant integer := p_nominee.tenant_id;
  v_settings kith.emergency_settings;
  v_past record;
begin
  select * into v_settings
  from kith.emergency_settings
  where tenant_id = v_tenant and nominee_id = p_nominee.id and on_request and ended_at is null;
  -- The invitation has shown them the right, so that they must learn what is missing. A hidden one stays hidden.
  if found and p_nominee.bound_by_link and v_settings.visible
    and not internal.is_blocked(p_nominee.owner_id, p_nominee.user_id)
  then
    raise exception 'nominee_pending'
      using errcode = 'KT403', detail = 'You have no emergency access until the owner confirms that it is you.';
  end if;
  -- A nominee whom the owner has blocked cannot make the owner's phone ring.
  if not found or not internal.may_use_right(p_nominee) or exists (
    select from kith.blocks
    where tenant_id = v_tenant and user_id = p_nominee.owner_id and blocked_id = p_nominee.user_id
  ) then
    raise exception 'forbidden' using errcode = 'KT403', detail = 'The owner has not given you emergency access.';
  end if;
  -- A nominee has one request at a time, so the newest ones are those of the last 24 hours. Each asking alarms the
  -- owner, and so does each withdrawal: a nominee who does nothing else must not ring the owner's phone night after
  -- night.
  select
    max(past.ended_at) filter (
      where past.ended_at > p_now - interval '24 hours' and internal.nominee_knows(past, p_now)
        and (past.end_reason = 'rejected' or past.end_reason = 'owner_returned' and past.cause = 'request')
    ) as rejected_at,
    (array_agg(past.requested_at order by past.id desc) filter (where past.cause = 'request'))[3] as third_at,
    (array_agg(past.ended_at order by past.id desc) filter (where past.end_reason = 'withdrawn'))[5] as withdrawn_at
  into v_past
  from (
    select * from kith.emergency_requests
    where tenant_id = v_tenant and nominee_id = p_nominee.id
    order by id desc
    limit 20
  ) as past;
  if v_past.rejected_at is not null then
    raise exception 'too_many_requests'
      using errcode = 'KT429', detail = 'The owner has said no. You can ask again 24 hours later.',
        hint = internal.wait_of_day(v_past.rejected_at, p_now);
  elsif v_past.third_at > p_now - interval '24 hours' then
    raise exception 'too_many_requests'
      using errcode = 'KT429', detail = 'You can ask three times within 24 hours. Please try again later.',
        hint = internal.wait_of_day(v_past.third_at, p_now);
  elsif v_past.withdrawn_at > p_now - interval '30 days' then
    raise exception 'too_many_requests'
      using errcode = 'KT429',
      detail = 'You have withdrawn your requests five times within 30 days. Please try again later.',
        hint = internal.wait_of_day(v_past.withdrawn_at + interval '29 days', p_now);
  end if;
  return v_settings;
end
$$;
comment on function internal.require_asking(kith.nominees, timestamptz) is
  'The right by which a nominee can ask now. Raises forbidden without one, while it sleeps, and for a nominee whom the '
  'owner has blocked; nominee_pending while one sleeps that the invitation has shown; and too_many_requests for 24 '
  'hours after a rejection (E02), for the fourth time within 24 hours, and after five withdrawals within 30 days. For '
  'definer procedures.';

create or replace function internal.wait_of_day(p_at timestamptz, p_now timestamptz) returns text
  language sql
  stable
as $$
  select (3600 * greatest(1, ceil(extract(epoch from p_at + interval '24 hours' - p_now) / 3600)))::integer::text
$$;
comment on function internal.wait_of_day(timestamptz, timestamptz) is
  'The seconds until 24 hours have passed since p_at, in whole hours, as the hint of too_many_requests. They do not '
  'tell a nominee when the owner said no or checked in.';

create or replace function internal.open_requests_of_nominee(p_tenant integer, p_nominee_id uuid)
  returns kith.emergency_requests[]
  language plpgsql
as $$
begin
  return array(
    select request
    from kith.emergency_requests as request
    where tenant_id = p_tenant and nominee_id = p_nominee_id and ended_at is null
    order by id
    for update
  );
end
$$;
comment on function internal.open_requests_of_nominee(integer, uuid) is
  'Locks and returns the open requests of a nominee: at most one by which they asked, and one of a silence. For '
  'definer procedures that have locked the nominee.';

create or replace function internal.clear_open_request(p_nominee kith.nominees, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := p_nominee.tenant_id;
  v_open kith.emergency_requests;
begin
  foreach v_open in array internal.open_requests_of_nominee(v_tenant, p_nominee.id) loop
    if internal.emergency_status(v_open, p_now) = 'ended' then
      perform internal.end_emergency(v_open, 'expired', null, p_now);
    -- A nominee who must not know that the owner is silent asks as if the owner were not.
    elsif internal.nominee_knows(v_open, p_now) then
      raise exception 'invalid_transition'
        using errcode = 'KT409', detail = 'Your emergency access has been asked for already.';
    end if;
  end loop;
end
$$;
comment on function internal.clear_open_request(kith.nominees, timestamptz) is
  'Records the end of a nominee''s request that is over, so that they can ask again. Raises invalid_transition if one '
  'is open that they may know of (E02). A wait that a silence has begun, and that the owner does not show, goes on '
  'beside the new request. For definer procedures that have locked the nominee.';

create or replace function internal.add_emergency_request(
  p_settings kith.emergency_settings, p_nominee kith.nominees, p_reason text, p_now timestamptz
) returns kith.emergency_requests
  language plpgsql
as $$
declare
  v_tenant integer := p_settings.tenant_id;
  v_nominee uuid := p_settings.nominee_id;
  v_vault uuid := p_settings.vault_id;
  v_request kith.emergency_requests;
begin
  insert into kith.emergency_requests (
    tenant_id, id, vault_id, nominee_id, owner_id, user_id, cause, reason, wait_hours, access_level, grant_hours,
    reject_on_check_in, sign_of_life, sources, required, requested_at
  )
  values (
    v_tenant, internal.uuid7(p_now), v_vault, v_nominee, p_settings.owner_id, p_nominee.user_id,
    'request', nullif(btrim(p_reason), ''), p_settings.wait_hours, p_settings.access_level, p_settings.grant_hours,
    p_settings.reject_on_check_in, p_settings.sign_of_life, p_settings.sources, internal.required_nominees(p_nominee),
    p_now
  )
  returning * into v_request;
  update kith.sender_profiles set emergency_since = p_now
  where tenant_id = v_tenant and user_id = p_settings.owner_id and emergency_since is null;
  perform internal.record_history(
    v_vault, p_nominee.user_id, 'emergency.requested', 'emergency_request', v_request.id,
    jsonb_build_object('nominee_id', v_nominee), p_now
  );
  if v_request.required = 1 then
    return internal.begin_wait(v_request.id, p_now);
  end if;
  perform internal.settle_quorum(v_request, p_now);
  select * into v_request from kith.emergency_requests where tenant_id = v_tenant and id = v_request.id;
  if v_request.waits_from is null then
    perform internal.wake_emergency(
      v_request, internal.tell_emergency(v_request, 'emergency_requested', 'owner', null, p_now),
      internal.gathers_until(v_request)
    );
    perform internal.emit_emergency_request(v_request, p_now);
  end if;
  return v_request;
end
$$;
comment on function internal.add_emergency_request(kith.emergency_settings, kith.nominees, text, timestamptz) is
  'Writes the request of a nominee, with the terms of their right, and begins the wait unless a quorum has to gather '
  'first. The owner is told in either case. For api.request_emergency_access.';

create or replace function internal.reject_emergency(p_request kith.emergency_requests, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_open kith.emergency_requests;
  -- The asking first: the nominee is told once, of the no.
  v_requests kith.emergency_requests[] := array(
    select open
    from unnest(internal.open_requests_of_nominee(p_request.tenant_id, p_request.nominee_id)) as open
    where internal.emergency_status(open, p_now) <> 'ended'
    order by open.cause = 'silence'
  );
  v_has_asked boolean := v_requests[1].cause = 'request';
begin
  foreach v_open in array v_requests loop
    -- One no is one rejection. It ends the silence, too.
    perform internal.end_emergency(
      v_open, case when v_open.cause = 'silence' and v_has_asked then 'owner_returned' else 'rejected' end,
      p_request.owner_id, greatest(p_now, v_open.requested_at, v_open.waits_from)
    );
  end loop;
  perform internal.tell_of_stops(p_request.tenant_id, p_request.vault_id, p_now);
end
$$;
comment on function internal.reject_emergency(kith.emergency_requests, timestamptz) is
  'Says no to the nominee of a request: a wait by silence and a request by which they asked end together, and count as '
  'one rejection. For api.reject_emergency_request, which has locked them.';

create or replace function internal.approve_emergency(p_request kith.emergency_requests, p_now timestamptz)
  returns kith.emergency_requests
  language plpgsql
as $$
declare
  v_tenant integer := p_request.tenant_id;
  -- Of two servers, the clock of this one may be behind.
  v_at timestamptz := greatest(p_now, p_request.waits_from, p_request.requested_at);
  v_request kith.emergency_requests;
begin
  update kith.emergency_requests
  set waits_from = coalesce(waits_from, v_at), counted_to = v_at, grants_at = v_at,
    ends_at = v_at + make_interval(hours => grant_hours),
    approved_at = v_at, grant_told_at = p_now, undelivered_since = null,
    notice_at = v_at + make_interval(hours => grant_hours)
  where tenant_id = v_tenant and id = p_request.id
  returning * into v_request;
  perform internal.record_history(
    v_request.vault_id, kith.user_id(), 'emergency.approved', 'emergency_request', v_request.id,
    jsonb_build_object('nominee_id', v_request.nominee_id, 'ends_at', internal.instant(v_request.ends_at)), p_now
  );
  perform internal.emit_emergency_request(v_request, p_now);
  perform internal.tell_emergency(v_request, 'emergency_approved', 'nominee', null, p_now);
  perform internal.end_emergency(silence, 'owner_returned', v_request.owner_id, greatest(p_now, silence.waits_from))
  from unnest(internal.open_requests_of_nominee(v_tenant, v_request.nominee_id)) as silence
  where v_request.cause = 'request' and silence.cause = 'silence'
    and internal.emergency_status(silence, p_now) = 'waiting';
  return v_request;
end
$$;
comment on function internal.approve_emergency(kith.emergency_requests, timestamptz) is
  'Grants a request before its wait is over, because the owner wants it, and tells the nominee. An owner who answers '
  'the nominee is no longer silent: a silence that still waits ends. For api.approve_emergency_request.';
