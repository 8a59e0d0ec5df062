-- What ends a request for emergency access, and the session that it opened (E07).

create or replace function internal.use_up_right(p_request kith.emergency_requests, p_at timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := p_request.tenant_id;
  v_is_visible boolean;
  v_nominee kith.nominees;
begin
  update kith.emergency_settings as given
  set ended_at = p_at, updated_at = p_at
  where given.tenant_id = v_tenant and given.nominee_id = p_request.nominee_id and given.ended_at is null
    and 3 <= (
      select count(*) from kith.emergency_requests as past
      where past.tenant_id = v_tenant and past.nominee_id = p_request.nominee_id and past.owner_id = p_request.owner_id
        and past.requested_at >= given.created_at and past.ended_at > p_at - interval '30 days'
        -- An owner who returns from a silence has not rejected anybody. One who checks in while somebody asks has.
        and (past.end_reason = 'rejected' or past.end_reason = 'owner_returned' and past.cause = 'request')
        -- Nor has one who says no to a wait that the nominee does not know of. They would learn of it when they lose
        -- the right.
        and internal.nominee_knows(past, p_at)
    )
  returning given.visible into v_is_visible;
  if found then
    perform internal.record_history_of(
      v_tenant, p_request.vault_id, null, 'emergency.used_up', 'nominee', p_request.nominee_id, null, p_at
    );
    select * into v_nominee from kith.nominees where tenant_id = v_tenant and id = p_request.nominee_id;
    perform internal.emit_emergency_right(v_nominee, v_is_visible, p_at);
  end if;
end
$$;
comment on function internal.use_up_right(kith.emergency_requests, timestamptz) is
  'Ends the right of a nominee whom the owner has rejected three times within 30 days, until the owner gives it anew '
  '(E02). For internal.end_emergency.';

create or replace function internal.hears_end(p_request kith.emergency_requests, p_at timestamptz) returns boolean
  language plpgsql
  stable
as $$
begin
  return exists (
    select from kith.notifications as notification
    where notification.tenant_id = p_request.tenant_id and notification.user_id = p_request.user_id
      and notification.id >= internal.first_uuid7(p_at) and notification.xid = pg_current_xact_id()
      and notification.type in ('emergency_rejected', 'emergency_approved')
      and notification.data ->> 'detail' is distinct from 'stopped'
      and notification.data ->> 'nominee_id' = p_request.nominee_id::text
  );
end
$$;
comment on function internal.hears_end(kith.emergency_requests, timestamptz) is
  'Whether the nominee has just been told the answer to their other open request by the same act: that it has ended, '
  'since nobody is told one fact twice (E09), or that it is granted, and then nothing has ended for them. For '
  'internal.tell_emergency_end.';

create or replace function internal.knows_of_end(p_request kith.emergency_requests, p_at timestamptz) returns boolean
  language plpgsql
  stable
as $$
begin
  return internal.nominee_knows(p_request, p_at) or exists (
    select from kith.notifications as told
    where told.tenant_id = p_request.tenant_id and told.user_id = p_request.user_id
      and told.id >= internal.first_uuid7(p_request.requested_at) and told.data ->> 'request_id' = p_request.id::text
  );
end
$$;
comment on function internal.knows_of_end(kith.emergency_requests, timestamptz) is
  'Whether the nominee is told of the end of a request: they may know of it, or they were told of it before the owner '
  'hid the right. Whoever has read that they get in must read that they do not. For internal.tell_emergency_end.';

create or replace function internal.remind_of_other(p_request kith.emergency_requests, p_at timestamptz) returns void
  language plpgsql
as $$
begin
  -- The notice that the wait depends on stays the same: a nominee must not be able to replace one that has reached
  -- nobody.
  perform internal.tell_emergency(other, 'emergency_reminder', 'owner', null, p_at)
  from unnest(internal.open_requests_of_nominee(p_request.tenant_id, p_request.nominee_id)) as other
  where internal.emergency_status(other, p_at) = 'waiting'
    and not (internal.emergency_instants(other, p_at)).stands_still;
end
$$;
comment on function internal.remind_of_other(kith.emergency_requests, timestamptz) is
  'Reminds the owner of the wait that goes on when a nominee withdraws their other open request. Otherwise the owner '
  'would take the withdrawal for the end of both. A wait that stands still is told once it goes on. For '
  'internal.tell_emergency_end.';

create or replace function internal.tell_emergency_end(
  p_request kith.emergency_requests, p_at timestamptz, p_is_old_sign boolean
) returns void
  language plpgsql
as $$
begin
  if p_request.end_reason in ('rejected', 'owner_returned', 'right_ended', 'blocked')
    and internal.knows_of_end(p_request, p_at)
    and not internal.hears_end(p_request, p_at)
  then
    perform internal.tell_emergency(
      p_request, 'emergency_rejected', 'nominee',
      case
        when p_request.end_reason = 'owner_returned' then case when p_is_old_sign then 'ended' else 'returned' end
      end,
        p_at
    );
  elsif p_request.end_reason = 'withdrawn' then
    perform internal.tell_emergency(p_request, 'emergency_rejected', 'owner', 'withdrawn', p_at);
    perform internal.remind_of_other(p_request, p_at);
  elsif p_request.end_reason = 'quorum_not_reached' then
    perform internal.tell_emergency(p_request, 'emergency_rejected', person, 'not_reached', p_at)
    from unnest(array['owner', 'nominee']) as person;
  elsif p_request.end_reason in ('declined', 'revoked') and p_request.ended_by is distinct from p_request.owner_id then
    perform internal.tell_emergency(p_request, 'emergency_rejected', 'owner', 'ended', p_at);
  elsif p_request.end_reason in ('vault_deleted', 'transferred') and internal.knows_of_end(p_request, p_at) then
    perform internal.tell_emergency(p_request, 'emergency_rejected', 'nominee', 'ended', p_at);
  end if;
end
$$;
comment on function internal.tell_emergency_end(kith.emergency_requests, timestamptz, boolean) is
  'Tells the nominee, if they know of the request, that the owner has returned or said no (a block is a no), or that '
  'the vault is no longer there for them. An old sign of life (p_is_old_sign) ends their access, but nobody can say '
  'that the owner is safe now (X35). Tells the owner that the nominee has withdrawn, with a reminder of the wait that '
  'remains, if one does, or that it has ended without the owner: the nominee left, or an operator revoked them. Tells '
  'both that a quorum was not reached. Whoever loses their access is told that, and so is the owner when an account '
  'ends. For internal.end_emergency.';

-- A result cannot be taken away in place.
create or replace function internal.end_emergency(
  p_request kith.emergency_requests, p_reason text, p_by uuid, p_at timestamptz, p_is_old_sign boolean default false
) returns void
  language plpgsql
as $$
declare
  v_tenant integer := p_request.tenant_id;
  v_id uuid := p_request.id;
  v_over_at timestamptz := internal.over_at(p_request, p_at);
  -- A request that was over earlier ended then, and by nobody's act.
  v_is_late boolean := v_over_at <= p_at;
  v_request kith.emergency_requests;
  v_session kith.vault_sessions;
begin
  update kith.emergency_requests
  set ended_at = case when v_is_late then v_over_at else p_at end,
    end_reason = case
      when not v_is_late then p_reason
      when waits_from is null then 'quorum_not_reached'
      else 'expired'
    end,
    ended_by = case when not v_is_late then p_by end, notice_at = null
  where tenant_id = v_tenant and id = v_id and ended_at is null
  returning * into v_request;
  if not found then
    return;
  end if;
  select * into v_session
  from kith.vault_sessions
  where tenant_id = v_tenant and nominee_id = v_request.nominee_id and kind = 'emergency' and locked_at is null
    and request_id = v_id
  for update;
  if found then
    perform internal.end_session(
      v_session,
      case
        when v_request.end_reason in ('vault_deleted', 'transferred') then v_request.end_reason
        when v_request.end_reason in ('revoked', 'inactive') then 'owner_revoked'
        else 'emergency_ended'
      end,
      v_request.ended_by, v_request.ended_at
    );
  end if;
  perform internal.record_history_of(
    v_tenant, v_request.vault_id, case when v_request.end_reason <> 'declined' then v_request.ended_by end,
    case v_request.end_reason when 'rejected' then 'emergency.rejected' when 'withdrawn' then 'emergency.withdrawn'
      else 'emergency.ended' end,
    'emergency_request', v_id, jsonb_build_object('nominee_id', v_request.nominee_id, 'reason', v_request.end_reason),
    v_request.ended_at
  );
  perform internal.emit_emergency_request(v_request, p_at);
  perform internal.tell_emergency_end(v_request, p_at, p_is_old_sign);
  if v_request.end_reason in ('rejected', 'owner_returned') then
    perform internal.use_up_right(v_request, p_at);
  end if;
  if v_request.required > 1 and v_request.end_reason not in ('expired', 'quorum_not_reached') then
    perform internal.settle_quorum(v_request, p_at);
  end if;
end
$$;
comment on function internal.end_emergency(kith.emergency_requests, text, uuid, timestamptz, boolean) is
  'Ends a request at p_at, by the user p_by or (null) by itself, with the session that it opened; a download under way '
  'ends with its next chunk. A grant that ran out earlier ended then, as expired, and a quorum that did not gather in '
  'time, as quorum_not_reached. Does nothing to a request that has ended already. p_is_old_sign: the owner''s sign of '
  'life that ends it is older than p_at (J07). For definer procedures that have locked the request.';

create or replace function internal.tell_of_stops(p_tenant integer, p_vault_id uuid, p_since timestamptz) returns void
  language plpgsql
as $$
begin
  perform internal.tell_emergency(stopped, 'emergency_rejected', person, 'stopped', p_since)
  from kith.emergency_requests as stopped
  cross join unnest(array['owner', 'nominee']) as person
  where stopped.tenant_id = p_tenant and stopped.vault_id = p_vault_id and stopped.ended_at is null
    and stopped.waits_from is null and stopped.stopped_at >= p_since
    and not exists (
      select from kith.notifications as told
      where told.tenant_id = p_tenant and told.user_id = stopped.owner_id and told.id >= internal.first_uuid7(p_since)
        and told.data ->> 'request_id' = stopped.id::text and told.data ->> 'detail' = 'stopped'
    );
end
$$;
comment on function internal.tell_of_stops(integer, uuid, timestamptz) is
  'Tells the owner and the nominees of the waits for a vault that have stopped since p_since, because the quorum '
  'broke. For definer procedures that have just ended somebody''s request there.';

create or replace function internal.recount_quorum(p_tenant integer, p_vault_id uuid, p_at timestamptz) returns void
  language plpgsql
as $$
declare
  v_request kith.emergency_requests;
begin
  select * into v_request
  from kith.emergency_requests
  where tenant_id = p_tenant and vault_id = p_vault_id and ended_at is null and cause = 'request' and required > 1
  order by id
  limit 1;
  if found then
    perform internal.settle_quorum(v_request, p_at);
    perform internal.tell_of_stops(p_tenant, p_vault_id, p_at);
  end if;
end
$$;
comment on function internal.recount_quorum(integer, uuid, timestamptz) is
  'Stops the waits for a vault for which too few nominees ask, now that one has lost their voice, and tells of it. One '
  'whose grant has run out still had a voice, but not without access. For definer procedures that have locked the '
  'vault.';

create or replace function internal.end_emergencies_of_nominee(
  p_tenant integer, p_nominee_id uuid, p_reason text, p_by uuid, p_at timestamptz
) returns void
  language plpgsql
as $$
declare
  v_open kith.emergency_requests;
begin
  foreach v_open in array internal.open_requests_of_nominee(p_tenant, p_nominee_id) loop
    perform internal.end_emergency(v_open, p_reason, p_by, p_at);
  end loop;
  perform internal.recount_quorum(
    p_tenant, (select vault_id from kith.nominees where tenant_id = p_tenant and id = p_nominee_id), p_at
  );
end
$$;
comment on function internal.end_emergencies_of_nominee(integer, uuid, text, uuid, timestamptz) is
  'Ends the open requests of a nominee, as end_emergency does, and tells of the waits that stop with them. For definer '
  'procedures that have locked the vault.';

create or replace function internal.end_emergencies(
  p_tenant integer, p_ids uuid[], p_reason text, p_by uuid, p_at timestamptz
)
  returns void
  language plpgsql
as $$
declare
  v_request kith.emergency_requests;
  v_id uuid;
begin
  -- Each end can change other requests of a quorum, so each is read again. A cursor would leave out rows that change
  -- before it locks them.
  foreach v_id in array p_ids loop
    select * into v_request from kith.emergency_requests where tenant_id = p_tenant and id = v_id;
    perform internal.end_emergency(v_request, p_reason, p_by, p_at);
  end loop;
end
$$;
comment on function internal.end_emergencies(integer, uuid[], text, uuid, timestamptz) is
  'Ends several open requests, as end_emergency does. For definer procedures that have locked the vaults and the '
  'requests.';

create or replace function internal.end_emergencies_of_vault(
  p_tenant integer, p_vault_id uuid, p_reason text, p_by uuid, p_at timestamptz
) returns void
  language plpgsql
as $$
begin
  perform internal.end_emergencies(
    p_tenant,
    array(
      select id from kith.emergency_requests
      where tenant_id = p_tenant and vault_id = p_vault_id and ended_at is null
      order by id
      for update
    ),
    p_reason, p_by, p_at
  );
end
$$;
comment on function internal.end_emergencies_of_vault(integer, uuid, text, uuid, timestamptz) is
  'Ends all open requests for a vault, as end_emergency does. For definer procedures that have locked the vault.';

create or replace function internal.end_emergencies_of_owner(
  p_tenant integer, p_owner_id uuid, p_reason text, p_by uuid, p_at timestamptz
) returns void
  language plpgsql
as $$
begin
  perform internal.end_emergencies(
    p_tenant,
    array(
      select id from kith.emergency_requests
      where tenant_id = p_tenant and owner_id = p_owner_id and ended_at is null
      order by id
      for update
    ),
    p_reason, p_by, p_at
  );
end
$$;
comment on function internal.end_emergencies_of_owner(integer, uuid, text, uuid, timestamptz) is
  'Ends all open requests for the vaults of an owner, as end_emergency does. For definer procedures that have locked '
  'the vaults.';

create or replace function internal.sweep_emergencies(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
as $$
begin
  return internal.work_off('expire_rows.delete', array(
    select due.old
    from internal.retentions(p_now) as kept
    -- One look at the oldest of each tenant, because each has its own retention. The rules look back 30 days, the
    -- shortest retention.
    cross join lateral (
      select old from kith.emergency_requests as old
      where old.tenant_id = kept.tenant_id and old.ended_at < p_now - make_interval(hours => 24 * kept.days)
        and not exists (select from internal.shut_out('expire_rows', old.tenant_id, old.id::text, p_now))
      order by old.ended_at
      limit p_batch
    ) as due
    where kept.kind = 'feedback_and_requests'
    limit p_batch
  ), null, p_now);
end
$$;
comment on function internal.sweep_emergencies(timestamptz, integer) is
  'Deletes at most p_batch requests for emergency access that ended longer ago than their tenant''s retention, with '
  'their delays. The vault''s history keeps what happened. Returns how many. For worker.expire_rows.';

create or replace function internal.end_rights_of_vault(p_vault kith.vaults, p_reason text, p_by uuid, p_at timestamptz)
  returns void
  language plpgsql
as $$
declare
  v_tenant integer := p_vault.tenant_id;
  v_vault uuid := p_vault.id;
begin
  perform internal.end_emergencies_of_vault(v_tenant, v_vault, p_reason, p_by, p_at);
  delete from kith.emergency_settings where tenant_id = v_tenant and vault_id = v_vault;
  delete from kith.emergency_quorums where tenant_id = v_tenant and vault_id = v_vault;
end
$$;
comment on function internal.end_rights_of_vault(kith.vaults, text, uuid, timestamptz) is
  'Ends all requests for emergency access to a vault, and all rights and the quorum: a new owner has not given them. '
  'For definer procedures that have locked the vault.';

create or replace function internal.end_rights_of_blocked(p_user_id uuid, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_owner uuid := kith.user_id();
  v_nominees uuid[] := array(
    select nominee.id
    from kith.nominees as nominee
    where nominee.tenant_id = v_tenant and nominee.owner_id = v_owner and nominee.status <> 'revoked'
      -- Nobody has accepted yet, but the owner's invitation names this person.
      and (nominee.user_id = p_user_id or nominee.user_id is null and internal.is_named_contact(nominee, p_user_id))
  );
  v_nominee kith.nominees;
  v_visible boolean;
begin
  -- An array, because a planner that knows few rows would read all nominees for each vault.
  perform from kith.vaults
  where tenant_id = v_tenant
    and id = any (array(select vault_id from kith.nominees where tenant_id = v_tenant and id = any (v_nominees)))
  order by id
  for no key update;
  for v_nominee in
    select * from kith.nominees
    where tenant_id = v_tenant and id = any (v_nominees) and coalesce(user_id, p_user_id) = p_user_id
      and status <> 'revoked'
    order by id
    for update
  loop
    perform from kith.emergency_requests
    where tenant_id = v_tenant and vault_id = v_nominee.vault_id and ended_at is null
    order by id
    for update;
    update kith.emergency_settings set ended_at = p_now, updated_at = p_now
    where tenant_id = v_tenant and nominee_id = v_nominee.id and ended_at is null
    returning visible into v_visible;
    if found then
      perform internal.record_history(
        v_nominee.vault_id, v_owner, 'emergency.taken', 'nominee', v_nominee.id, '{"reason": "blocked"}', p_now
      );
      perform internal.emit_emergency_right(v_nominee, v_visible, p_now);
    end if;
    perform internal.end_emergencies_of_nominee(v_tenant, v_nominee.id, 'blocked', v_owner, p_now);
  end loop;
end
$$;
comment on function internal.end_rights_of_blocked(uuid, timestamptz) is
  'Ends the rights that the current user has given to somebody whom they block, or to an invitation that names their '
  'phone number or e-mail address, with all requests, grants and sessions, at this instant (E07). The end of the block '
  'brings nothing back: the owner can give the right anew. For api.put_block, which has locked the accounts and the '
  'owner''s sender profile.';

create or replace function internal.end_rights_of_nominees(
  p_nominee_ids uuid[], p_reason text, p_by uuid, p_at timestamptz
)
  returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  perform internal.end_emergencies_of_nominee(
    v_tenant, open.nominee_id,
    case
      when p_reason in ('declined', 'transferred', 'account_deleted') then p_reason
      when p_reason = 'left' then 'declined'
      else 'revoked'
    end,
    p_by, p_at
  )
  from (
    select nominee_id from kith.emergency_requests
    where tenant_id = v_tenant and nominee_id = any (p_nominee_ids)
      and (ended_at is null or end_reason = 'expired' and required > 1)
    group by nominee_id
    order by min(id::text)
  ) as open;
  delete from kith.emergency_settings where tenant_id = v_tenant and nominee_id = any (p_nominee_ids);
end
$$;
comment on function internal.end_rights_of_nominees(uuid[], text, uuid, timestamptz) is
  'Ends the requests and the rights of nominees who are revoked, leave or decline. A quorum keeps them in its list: it '
  'must not become easier to reach by a revocation. For internal.end_nominees.';
