create or replace function internal.notify_connections(p_connections uuid[], p_type text, p_now timestamptz)
  returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_changed uuid[];
begin
  if v_tenant is null then
    raise exception 'unauthenticated' using errcode = 'KT401';
  end if;
  v_changed := array(
    select id
    from kith.connections
    where tenant_id = v_tenant and id = any (p_connections)
      -- The row itself must show that this change has just happened, so that nobody can request a notification of
      -- something that did not.
      and updated_at = p_now
      and status = case p_type
        when 'connection_requested' then 'pending'
        when 'connection_paused' then 'paused'
        when 'connection_removed' then 'deleted'
        else 'active'
      end
      and (v_user is null or v_user in (sender_id, receiver_id))
  );
  if cardinality(v_changed) <> cardinality(p_connections) then
    raise exception 'connection % has not just come to %', p_connections, p_type;
  end if;
  perform internal.notify(p_type, told.tenants, told.users, told.data, p_now)
  from (
    select array_agg(v_tenant) as tenants, array_agg(recipient.user_id) as users,
      array_agg(
        jsonb_build_object('connection_id', recipient.id)
          || case
            when recipient.by_support then '{"by": "support"}'::jsonb
            else jsonb_build_object('user_id', recipient.other_id)
          end
      ) as data
    from internal.told_of_connections(v_tenant, v_changed, p_type) as recipient
    where case p_type
      -- The other side of the current user, who redeems a code or brings a connection back; the code's owner if an
      -- operator does.
      when 'connection_request' then
        case when v_user is null then recipient.user_id = recipient.code_owner_id else recipient.user_id <> v_user end
      when 'connection_requested' then recipient.user_id = recipient.code_owner_id
      when 'connection_accepted' then recipient.user_id <> recipient.code_owner_id
      when 'connection_removed' then recipient.by_support or 'user:' || recipient.user_id <> recipient.deleted_by
      else recipient.role = 'receiver'
    end
  ) as told;
end
$$;
comment on function internal.notify_connections(uuid[], text, timestamptz) is
  'Notifies the right side, or both, that connections were made, requested, accepted, paused, resumed or removed. The '
  'rows determine the recipients and the texts. A few statements for all of them. For definer procedures.';

create or replace function internal.told_of_connections(p_tenant integer, p_connections uuid[], p_type text)
  returns table (
    id uuid, role text, user_id uuid, other_id uuid, code_owner_id uuid, deleted_by text, by_support boolean
  )
  language sql
  stable
as $$
  select connection.id, side.role, side.user_id, side.other_id, connection.code_owner_id, connection.deleted_by,
    p_type = 'connection_removed' and connection.deleted_by not like 'user:%'
  from kith.connections as connection
  cross join lateral (values
    ('sender', connection.sender_id, connection.receiver_id),
    ('receiver', connection.receiver_id, connection.sender_id)
  ) as side (role, user_id, other_id)
  where connection.tenant_id = p_tenant and connection.id = any (p_connections)
$$;
comment on function internal.told_of_connections(integer, uuid[], text) is
  'Both sides of connections, each with the other side, and whether an operator has removed the connection. For '
  'internal.notify_connections.';

create or replace function internal.notify_connection(p_connection_id uuid, p_type text, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_twentieth timestamptz;
begin
  -- An endless series of pauses and resumptions would bury notifications that the receiver must not miss.
  if p_type in ('connection_paused', 'connection_resumed') then
    select notification.created_at into v_twentieth
    from kith.notifications as notification
    join kith.connections as connection on connection.tenant_id = v_tenant and connection.id = p_connection_id
    where notification.tenant_id = v_tenant and notification.user_id = connection.receiver_id
      and notification.id >= internal.first_uuid7(p_now - interval '1 hour')
      and notification.type in ('connection_paused', 'connection_resumed')
      and notification.data ->> 'connection_id' = p_connection_id::text
    order by notification.id desc
    offset 19 limit 1;
    if found then
      raise exception 'too_many_requests'
        using errcode = 'KT429', detail = 'This connection was paused and resumed too often. Please wait an hour.',
          hint = greatest(1, ceil(extract(epoch from v_twentieth + interval '1 hour' - p_now)))::integer::text;
    end if;
  end if;
  perform internal.notify_connections(array[p_connection_id], p_type, p_now);
end
$$;
comment on function internal.notify_connection(uuid, text, timestamptz) is
  'internal.notify_connections for one connection. Raises too_many_requests if the connection was paused and resumed '
  '20 times within the hour. For definer procedures.';

create or replace function internal.pings_flow(p_connection_id uuid, p_now timestamptz) returns boolean
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  return exists (
    select from kith.connections as connection
    join kith.sender_profiles as profile on profile.tenant_id = v_tenant and profile.user_id = connection.sender_id
    where connection.tenant_id = v_tenant and connection.id = p_connection_id
      -- coalesce, though no status is null: where the planner believes in few rows, it would read all of
      -- connections_to_ping.
      and coalesce(connection.status, '') = 'active' and connection.pings_stopped_at is null
      and (
        internal.local_date(p_now, profile.time_zone) between profile.break_from_on and profile.break_until_on
      ) is not true
  );
end
$$;
comment on function internal.pings_flow(uuid, timestamptz) is
  'Whether a connection has pings today: it is active, its sender is on no break, and the receiver''s subscription has '
  'not stopped them.';

create or replace function internal.tell_of_resuming(p_connection_id uuid, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  if internal.pings_flow(p_connection_id, p_now) then
    perform internal.notify_connection(p_connection_id, 'connection_resumed', p_now);
  else
    update kith.connections set tells_resumed = true where tenant_id = v_tenant and id = p_connection_id;
  end if;
end
$$;
comment on function internal.tell_of_resuming(uuid, timestamptz) is
  'Tells the receiver that a connection was resumed, at once if pings flow, and otherwise when they do (X35): '
  'internal.tell_of_late_resuming. For definer procedures.';

create or replace function internal.tell_of_late_resuming(p_tenant_id integer, p_connections uuid[], p_now timestamptz)
  returns uuid[]
  language plpgsql
as $$
declare
  v_flowing uuid[];
begin
  v_flowing := array(
    select own.id
    from unnest(p_connections) as own (id)
    -- Look-ups by the keys, whatever the planner knows.
    cross join lateral (
      select sender_id
      from kith.connections
      where tenant_id = p_tenant_id and connections.id = own.id and tells_resumed and status = 'active'
        and pings_stopped_at is null
      offset 0
    ) as connection
    cross join lateral (
      select time_zone, break_from_on, break_until_on
      from kith.sender_profiles
      where tenant_id = p_tenant_id and user_id = connection.sender_id
      offset 0
    ) as profile
    where (
      internal.local_date(p_now, profile.time_zone) between profile.break_from_on and profile.break_until_on
    ) is not true
  );
  if v_flowing = '{}' then
    return v_flowing;
  end if;
  with flowing as (
    update kith.connections set tells_resumed = false
    where tenant_id = p_tenant_id and id = any (v_flowing) and tells_resumed
    returning id
  )
  select coalesce(array_agg(flowing.id), '{}') into v_flowing from flowing;
  perform internal.notify(
    'connection_resumed', array_agg(p_tenant_id), array_agg(connection.receiver_id),
    array_agg(jsonb_build_object('connection_id', connection.id)), p_now
  )
  from kith.connections as connection
  join kith.tenants as tenant on tenant.tenant_id = p_tenant_id and tenant.deleted_at is null
  where connection.tenant_id = p_tenant_id and connection.id = any (v_flowing);
  return v_flowing;
end
$$;
comment on function internal.tell_of_late_resuming(integer, uuid[], timestamptz) is
  'Tells the receivers of those of some connections that were resumed while no pings flowed, and on which they flow '
  'now (X35). Returns these. For definer procedures that end a break, or a lapse of a subscription.';
