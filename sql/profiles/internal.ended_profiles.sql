-- A sender or receiver profile: live ─DELETE→ ended ─PUT→ live. The end removes the connections in that role, as their
-- removal would, and the codes rest: they answer expired_code. A PUT within 30 days brings back the codes and the
-- connections, each with the status that it had. A connection stays removed if the other side has ended theirs
-- meanwhile (a block, the end of their account or of their profile), or if a new one would be refused (P09). Consent is
-- not asked for again: the other side gave it, and can remove the connection. After 30 days a PUT begins anew, with a
-- new code and no connections.

create or replace function internal.lock_to_end(p_user_id uuid) returns boolean
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_others uuid[] := array(
    select case sender_id when p_user_id then receiver_id else sender_id end
    from kith.connections
    where tenant_id = v_tenant and (sender_id = p_user_id or receiver_id = p_user_id) and status <> 'deleted'
  );
begin
  -- All accounts in the order of their ids. The notifications lock the other sides, two of whom may be ending at once.
  perform from kith.users where tenant_id = v_tenant and id = any (v_others) and id < p_user_id
  order by id for key share;
  -- The strongest lock: somebody who is about to connect with this user, or to bring a connection back, waits and then
  -- finds the profile or the account ended.
  perform from kith.users where tenant_id = v_tenant and id = p_user_id and deleted_at is null for update;
  if not found then
    return false;
  end if;
  perform from kith.users where tenant_id = v_tenant and id = any (v_others) and id > p_user_id
  order by id for key share;
  return true;
end
$$;
comment on function internal.lock_to_end(uuid) is
  'Locks the account of a user whose profile or account is about to end, and the other sides of their connections. '
  'False if the account has been deleted. For definer procedures.';

create or replace function internal.end_profile(p_role text, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_connections uuid[];
begin
  if not internal.lock_to_end(v_user) then
    raise exception 'unauthenticated' using errcode = 'KT401';
  elsif not internal.has_profile(p_role) then
    perform internal.refuse_not_found();
  end if;
  update kith.unique_codes
  set rotated_at = p_now
  where tenant_id = v_tenant and user_id = v_user and role = p_role and rotated_at is null
    and (expires_at is null or expires_at > p_now);
  -- Not updated_at of the receiver: the end of a subscription may count from it.
  update kith.receiver_profiles set ended_at = p_now
  where tenant_id = v_tenant and user_id = v_user and p_role = 'receiver';
  v_connections := array(
    select id
    from kith.connections
    where tenant_id = v_tenant and case p_role when 'sender' then sender_id else receiver_id end = v_user
      and v_user in (sender_id, receiver_id) and status <> 'deleted'
    order by id
    for no key update
  );
  update kith.sender_profiles
  set ended_at = p_now, last_note = null, updated_at = p_now
  where tenant_id = v_tenant and user_id = v_user and p_role = 'sender';
  perform internal.end_connections(v_connections, 'user:' || v_user, true, p_now);
  perform internal.emit_account(v_tenant, v_user, p_now);
end
$$;
comment on function internal.end_profile(text, timestamptz) is
  'Ends the current user''s profile for a role: its codes rest, its connections are removed, and the other sides are '
  'told. Raises not_found without a live profile. For definer procedures.';

create or replace function internal.profile_ended_at(p_role text) returns timestamptz
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  if p_role = 'sender' then
    return (select ended_at from kith.sender_profiles where tenant_id = v_tenant and user_id = v_user);
  end if;
  return (select ended_at from kith.receiver_profiles where tenant_id = v_tenant and user_id = v_user);
end
$$;
comment on function internal.profile_ended_at(text) is
  'When the current user''s profile for a role ended; null if it is live or there is none.';

create or replace function internal.forget_role(p_role text, p_connections uuid[]) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  update kith.connections
  set resting_status = null
  where tenant_id = v_tenant and id = any (p_connections) and deleted_by = 'user:' || v_user;
  if p_role = 'sender' then
    -- A new sender would wonder why there are no pings.
    update kith.sender_profiles set break_from_on = null, break_until_on = null
    where tenant_id = v_tenant and user_id = v_user;
    delete from kith.breaks where tenant_id = v_tenant and user_id = v_user and ended_at is null;
  end if;
end
$$;
comment on function internal.forget_role(text, uuid[]) is
  'Gives up what could have come back with the current user''s profile, which ended too long ago: its connections, and '
  'a break. For internal.reopen_profile, which has locked them.';

create or replace function internal.reopen_profile(p_role text, p_now timestamptz) returns uuid[]
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_ended_at timestamptz := internal.profile_ended_at(p_role);
  v_resting uuid[];
begin
  if v_ended_at is null then
    perform internal.lock_account();
    if internal.profile_ended_at(p_role) is not null then
      -- It has ended meanwhile. Its connections can be locked only before this account, so the request begins again.
      raise exception 'profile has just ended' using errcode = 'serialization_failure';
    end if;
    return null;
  end if;
  perform internal.count_acts('return', 1, p_now);
  v_resting := array(
    select id
    from kith.connections
    where tenant_id = v_tenant and case p_role when 'sender' then sender_id else receiver_id end = v_user
      and v_user in (sender_id, receiver_id) and resting_status is not null and deleted_by = 'user:' || v_user
  );
  -- Accounts are locked in the order of their ids, before everything else. This waits for a block or the end of an
  -- account.
  perform from kith.users
  where tenant_id = v_tenant and id = any (array(
    select unnest(array[sender_id, receiver_id]) from kith.connections
    where tenant_id = v_tenant and id = any (v_resting)
  ))
  order by id
  for key share;
  perform internal.lock_account();
  v_ended_at := internal.profile_ended_at(p_role);
  if v_ended_at is null then
    -- Another request has brought it back meanwhile.
    return null;
  elsif v_ended_at > p_now - interval '30 days' then
    update kith.unique_codes set rotated_at = null
    where tenant_id = v_tenant and user_id = v_user and role = p_role and rotated_at = v_ended_at;
  end if;
  update kith.receiver_profiles set ended_at = null
  where tenant_id = v_tenant and user_id = v_user and p_role = 'receiver';
  perform from kith.connections where tenant_id = v_tenant and id = any (v_resting) order by id for no key update;
  if v_ended_at <= p_now - interval '30 days' then
    perform internal.forget_role(p_role, v_resting);
    return '{}';
  end if;
  return v_resting;
end
$$;
comment on function internal.reopen_profile(text, timestamptz) is
  'Begins to bring back the current user''s ended profile for a role: locks everything, and revives the codes if it '
  'ended less than 30 days ago. Returns the connections to bring back, or null if the profile has not ended. The '
  'caller clears ended_at of a sender profile. Counts as an act of which there are few a day, since it notifies '
  'everybody. For definer procedures.';

create or replace function internal.may_return(p_connections uuid[], p_now timestamptz) returns uuid[]
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  return array(
    select own.id
    from unnest(p_connections) as own (id)
    -- A look-up for each, whatever the planner knows.
    cross join lateral (
      select sender_id, receiver_id, resting_status from kith.connections
      where tenant_id = v_tenant and connections.id = own.id offset 0
    ) as connection
    where connection.resting_status is not null
      and internal.accepts_connections(connection.receiver_id, p_now) is true
      and exists (
        select from kith.sender_profiles
        where tenant_id = v_tenant and user_id = connection.sender_id and ended_at is null
      )
      and not internal.is_blocked(connection.sender_id, connection.receiver_id)
    order by own.id
  );
end
$$;
comment on function internal.may_return(uuid[], timestamptz) is
  'Which of some removed connections may come back with the profile of one side: both are still sender and receiver, a '
  'new connection would be accepted (P09), and nobody has blocked the other. An ended account has no profile.';

create or replace function internal.return_connections(p_connections uuid[], p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_back uuid[];
  v_connection uuid;
begin
  perform internal.require_user();
  if p_connections = '{}' then
    return;
  end if;
  v_back := internal.may_return(p_connections, p_now);
  update kith.connections
  set status = resting_status, resting_status = null, deleted_at = null, deleted_by = null, activated_at = p_now,
    updated_at = p_now
  where tenant_id = v_tenant and id = any (v_back);
  update kith.connections
  set resting_status = null
  where tenant_id = v_tenant and id = any (p_connections) and resting_status is not null;
  foreach v_connection in array v_back loop
    perform internal.bring_ping(v_connection, p_now);
  end loop;
  perform internal.emit_connections(v_tenant, v_back, p_now);
  perform internal.notify_connections(
    array(select id from kith.connections where tenant_id = v_tenant and id = any (v_back) and status = 'active'),
    'connection_request', p_now
  );
  perform internal.join_help(v_back, p_now);
end
$$;
comment on function internal.return_connections(uuid[], timestamptz) is
  'Brings back the connections that the end of the current user''s profile removed, each with its former status, '
  'unless internal.may_return forbids it. Where pings flow again, the other side is told, and today''s ping returns '
  '(P13). For definer procedures that have called internal.reopen_profile.';
