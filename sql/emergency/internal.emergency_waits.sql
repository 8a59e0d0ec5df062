-- How a wait goes on once it has begun: what moves its grant, and what is told of it. The instants at which access is
-- granted follow from internal.emergency_instants, whether or not anything of this has run.

create or replace function internal.lock_requests(p_requests kith.emergency_requests[])
  returns kith.emergency_requests[]
  language plpgsql
as $$
declare
  v_vaults uuid[];
begin
  v_vaults := array(
    select vault.id
    from kith.vaults as vault
    join unnest(p_requests) as request on request.tenant_id = vault.tenant_id and request.vault_id = vault.id
    order by vault.tenant_id, vault.id
    for no key update of vault skip locked
  );
  return array(
    select request
    from unnest(p_requests) as given
    join kith.emergency_requests as request on request.tenant_id = given.tenant_id and request.id = given.id
    where given.vault_id = any (v_vaults) and request.ended_at is null
    order by request.tenant_id, request.id
    for update of request skip locked
  );
end
$$;
comment on function internal.lock_requests(kith.emergency_requests[]) is
  'Locks the given requests, each after its vault, and returns those that nobody else had locked and that have not '
  'ended, as they are now. For the worker, which waits for nobody.';

create or replace function internal.settle_delays(
  p_request kith.emergency_requests, p_until timestamptz, p_now timestamptz
)
  returns kith.emergency_requests
  language plpgsql
as $$
declare
  v_tenant integer := p_request.tenant_id;
  v_id uuid := p_request.id;
  v_undelivered_until timestamptz := internal.undelivered_until(p_request);
  -- With what else is over by now, so that its people are told one new instant.
  v_until timestamptz := greatest(
    p_until, case when p_request.held_until <= p_now then p_request.held_until end,
    case when v_undelivered_until <= p_now then v_undelivered_until end
  );
  v_instants record := internal.emergency_instants(p_request, v_until);
  v_request kith.emergency_requests;
begin
  insert into kith.emergency_delays (tenant_id, id, request_id, cause, began_at, ended_at, grants_at, recorded_at)
  select v_tenant, internal.uuid7(p_now), v_id, part.cause, part.began_at, part.ended_at, v_instants.grants_at, p_now
  from internal.standstill_parts(p_request, v_until) as part
  where part.began_at < part.ended_at and part.began_at < v_instants.grants_at
  order by part.began_at, part.cause;
  update kith.emergency_requests
  set grants_at = v_instants.grants_at, ends_at = v_instants.ends_at, counted_to = greatest(counted_to, v_until),
    undelivered_since = case when v_undelivered_until <= v_until then null else undelivered_since end
  where tenant_id = v_tenant and id = v_id
  returning * into v_request;
  return v_request;
end
$$;
comment on function internal.settle_delays(kith.emergency_requests, timestamptz, timestamptz) is
  'Records what did not count towards the wait of a request until p_until, and a hold or undelivered notices that are '
  'over by p_now, and moves its grant by as much, as internal.emergency_instants has it. Returns the request as it is '
  'now. For definer procedures that have locked the request.';

create or replace function internal.tell_of_move(
  p_old kith.emergency_requests, p_request kith.emergency_requests, p_now timestamptz
)
  returns kith.emergency_requests
  language plpgsql
as $$
declare
  v_tenant integer := p_request.tenant_id;
  v_id uuid := p_request.id;
  -- Everything until p_now is settled, so a reason that lasts is seen only a moment later.
  v_stands_still boolean := (internal.emergency_instants(p_request, p_now + interval '1 microsecond')).stands_still;
  v_notice uuid;
  v_request kith.emergency_requests := p_request;
begin
  if p_request.grants_at > p_old.grants_at and p_request.grants_at > p_now and not v_stands_still then
    v_notice := internal.tell_emergency(p_request, 'emergency_requested', 'owner', 'moved', p_now);
    if internal.nominee_knows(p_request, p_now) then
      perform internal.tell_emergency(p_request, 'emergency_requested', 'nominee', 'moved', p_now);
    end if;
    perform internal.record_history_of(
      v_tenant, p_request.vault_id, null, 'emergency.delayed', 'emergency_request', v_id,
      jsonb_build_object('nominee_id', p_request.nominee_id, 'grants_at', internal.instant(p_request.grants_at)), p_now
    );
  end if;
  update kith.emergency_requests
  set notice_id = coalesce(v_notice, notice_id),
    notice_at = case
      when v_stands_still or p_request.held_until <= p_now then p_now
      else internal.next_emergency_notice(p_request, p_now)
    end,
    -- In the first minute of an outage, which nobody knows of yet, the worker may have told of a grant.
    grant_told_at = case when p_request.grants_at <= p_now then grant_told_at end
  where tenant_id = v_tenant and id = v_id
  returning * into v_request;
  perform internal.emit_emergency_request(v_request, p_now);
  return v_request;
end
$$;
comment on function internal.tell_of_move(kith.emergency_requests, kith.emergency_requests, timestamptz) is
  'Tells the owner, and a nominee who may know of the request, the new instant of a grant that has moved, and '
  'determines the next notice anew. While the wait still stands still nobody is told: there is no new instant yet. '
  'Returns the request as it is now. For definer procedures that have locked the request.';

create or replace function internal.last_notice_at(p_request kith.emergency_requests) returns timestamptz
  language sql
  immutable
as $$
  select coalesce(to_timestamp(internal.uuid7_ms((p_request).notice_id) / 1000.0), (p_request).waits_from)
$$;
comment on function internal.last_notice_at(kith.emergency_requests) is
  'When the owner was last told of a request. It is the time in the notification''s id, so that it cannot differ from '
  'what was told.';

create or replace function internal.wake_emergency(
  p_request kith.emergency_requests, p_notice_id uuid, p_at timestamptz
)
  returns void
  language plpgsql
as $$
begin
  update kith.emergency_requests
  set notice_id = coalesce(p_notice_id, notice_id), notice_at = p_at
  where tenant_id = p_request.tenant_id and id = p_request.id;
end
$$;
comment on function internal.wake_emergency(kith.emergency_requests, uuid, timestamptz) is
  'Has the worker look at a request again at p_at, null for never, and keeps the owner''s newest notification if there '
  'is a new one.';

create or replace function internal.settle_undelivered(p_request kith.emergency_requests, p_now timestamptz)
  returns kith.emergency_requests
  language plpgsql
as $$
declare
  v_until timestamptz := internal.undelivered_until(p_request);
begin
  if v_until > p_now then
    perform internal.wake_emergency(
      p_request,
      case
        when internal.last_notice_at(p_request) <= p_now - interval '1 day'
          then internal.tell_emergency(
            p_request, 'emergency_requested', 'owner', case p_request.cause when 'silence' then 'moved' end, p_now
          )
      end,
      p_now + interval '5 minutes'
    );
    return p_request;
  end if;
  return internal.tell_of_move(p_request, internal.settle_delays(p_request, v_until, p_now), p_now);
end
$$;
comment on function internal.settle_undelivered(kith.emergency_requests, timestamptz) is
  'Goes on with a wait that stands still because no notice reached the owner: from the first notice that was sent or '
  'read on, or else once such stalls have lasted for as long as the wait. Until then it tries again each day. Returns '
  'the request as it is now. For internal.advance_emergency.';

create or replace function internal.release_request(
  p_request kith.emergency_requests, p_at timestamptz, p_now timestamptz
)
  returns kith.emergency_requests
  language plpgsql
as $$
declare
  v_request kith.emergency_requests := p_request;
begin
  if p_request.waits_from is not null then
    v_request := internal.settle_delays(p_request, p_at, p_now);
  end if;
  update kith.emergency_requests
  set held_at = null, held_until = null, held_by = null, hold_reason = null
  where tenant_id = p_request.tenant_id and id = p_request.id
  returning * into v_request;
  perform internal.record_history_of(
    v_request.tenant_id, v_request.vault_id, null, 'emergency.released', 'emergency_request', v_request.id,
    jsonb_build_object('nominee_id', v_request.nominee_id), p_at
  );
  if v_request.waits_from is null then
    perform internal.emit_emergency_request(v_request, p_now);
    return v_request;
  end if;
  return internal.tell_of_move(p_request, v_request, p_now);
end
$$;
comment on function internal.release_request(kith.emergency_requests, timestamptz, timestamptz) is
  'Ends a hold at p_at: by its own end, or by an operator. The time of the hold moves a grant that was ahead, but not '
  'the end of one that had begun. Returns the request as it is now. For definer procedures that have locked the '
  'request.';

create or replace function internal.grant_detail(p_grants_at timestamptz, p_now timestamptz) returns text
  language sql
  stable
  parallel safe
as $$
  select case when p_now > p_grants_at + interval '10 minutes' then 'late' end
$$;
comment on function internal.grant_detail(timestamptz, timestamptz) is
  'What internal.tell_emergency needs to tell the owner at p_now of a grant that began at p_grants_at: late if the '
  'worker was stopped then, so that the text says since when access has been granted.';

create or replace function internal.tell_of_grant(p_request kith.emergency_requests, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_late text := internal.grant_detail((internal.emergency_instants(p_request, p_now)).grants_at, p_now);
  v_request kith.emergency_requests;
begin
  update kith.emergency_requests
  set grant_told_at = p_now
  where tenant_id = p_request.tenant_id and id = p_request.id and grant_told_at is null
  returning * into v_request;
  if not found then
    v_request := p_request;
  -- Whoever has entered before the worker ran knows that they can, and so does the owner (internal.enter_by_emergency).
  elsif not exists (
    select from kith.vault_sessions
    where tenant_id = v_request.tenant_id and vault_id = v_request.vault_id
      and id >= internal.first_uuid7(v_request.requested_at)
      and request_id = v_request.id
  ) then
    perform internal.tell_emergency(v_request, 'emergency_opened', 'nominee', null, p_now);
    perform internal.wake_emergency(
      v_request, internal.tell_emergency(v_request, 'emergency_opened', 'owner', v_late, p_now),
      internal.next_emergency_notice(v_request, p_now)
    );
    perform internal.emit_emergency_request(v_request, p_now);
    return;
  end if;
  perform internal.wake_emergency(v_request, null, internal.next_emergency_notice(v_request, p_now));
  perform internal.emit_emergency_request(v_request, p_now);
end
$$;
comment on function internal.tell_of_grant(kith.emergency_requests, timestamptz) is
  'Tells the nominee and the owner, once, that the wait is over and access granted, and since when if it is told late. '
  'Nobody waits for this: the nominee can enter from grants_at on. For internal.advance_emergency.';

create or replace function internal.remind_owner(p_request kith.emergency_requests, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_grants_at timestamptz := (internal.emergency_instants(p_request, p_now)).grants_at;
  v_notice uuid;
begin
  -- However many instants a stopped worker has missed, one reminder follows. The second is for the id, which has whole
  -- milliseconds.
  if exists (
    select from internal.emergency_notice_instants(p_request.waits_from, v_grants_at) as notice (at)
    where notice.at > internal.last_notice_at(p_request) + interval '1 second' and notice.at <= p_now
  ) then
    v_notice := internal.tell_emergency(p_request, 'emergency_reminder', 'owner', null, p_now);
  end if;
  perform internal.wake_emergency(p_request, v_notice, internal.next_emergency_notice(p_request, p_now));
end
$$;
comment on function internal.remind_owner(kith.emergency_requests, timestamptz) is
  'Reminds the owner of a wait if a reminder has become due since they were last told (E02). For '
  'internal.advance_emergency.';

create or replace function internal.advance_emergency(p_request kith.emergency_requests, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_request kith.emergency_requests := p_request;
  v_instants record;
begin
  if v_request.held_until <= p_now then
    v_request := internal.release_request(v_request, v_request.held_until, p_now);
  end if;
  if v_request.waits_from is null then
    if internal.emergency_status(v_request, p_now) = 'ended' then
      perform internal.end_emergency(v_request, 'quorum_not_reached', null, p_now);
    else
      perform internal.wake_emergency(v_request, null, least(v_request.held_until, internal.gathers_until(v_request)));
    end if;
    return;
  end if;
  if v_request.undelivered_since is not null then
    v_request := internal.settle_undelivered(v_request, p_now);
  end if;
  v_instants := internal.emergency_instants(v_request, p_now);
  if v_instants.ends_at <= p_now then
    perform internal.end_emergency(v_request, 'expired', null, p_now);
  elsif v_request.held_at is not null then
    perform internal.wake_emergency(v_request, null, case
      when v_instants.grants_at <= v_request.held_at
        then least(v_request.held_until, v_instants.ends_at) else v_request.held_until
    end);
  elsif v_instants.stands_still then
    perform internal.wake_emergency(v_request, null, p_now + interval '5 minutes');
  elsif v_instants.grants_at <= p_now then
    perform internal.tell_of_grant(v_request, p_now);
  else
    perform internal.remind_owner(v_request, p_now);
  end if;
end
$$;
comment on function internal.advance_emergency(kith.emergency_requests, timestamptz) is
  'Does what a request needs at p_now: ends a hold, a grant or a gathering whose time is over, goes on with a wait '
  'that stood still, tells of the grant, or reminds the owner. For worker.tell_emergencies, which has locked the '
  'request and its vault.';
