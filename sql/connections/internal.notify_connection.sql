create or replace function internal.notify_connection(p_connection_id uuid, p_type text, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_connection kith.connections;
  v_by_support boolean;
begin
  if v_tenant is null then
    raise exception 'unauthenticated' using errcode = 'KT401';
  end if;
  select * into v_connection
  from kith.connections
  where tenant_id = v_tenant and id = p_connection_id
    -- The row itself must show that this change has just happened, so that nobody can request a notification of something that did
    -- not.
    and updated_at = p_now
    and status = any (case p_type
      when 'connection_request' then array['active', 'pending']
      when 'connection_resumed' then array['active']
      when 'connection_paused' then array['paused']
      when 'connection_removed' then array['deleted']
    end)
    and (v_user is null or v_user in (sender_id, receiver_id));
  if not found then
    raise exception 'connection % has not just come to %', p_connection_id, p_type;
  end if;
  -- An endless series of pauses and resumptions would bury notifications that the receiver must not miss.
  if p_type in ('connection_paused', 'connection_resumed') and 20 <= (
    select count(*) from kith.notifications
    where tenant_id = v_tenant and user_id = v_connection.receiver_id
      and id >= internal.first_uuid7(p_now - interval '1 hour')
      and type in ('connection_paused', 'connection_resumed') and data ->> 'connection_id' = p_connection_id::text
  ) then
    raise exception 'too_many_requests'
      using errcode = 'KT429', detail = 'This connection was paused and resumed too often. Please wait an hour.';
  end if;
  v_by_support := p_type = 'connection_removed' and v_connection.deleted_by not like 'user:%';

  perform internal.notify(
    p_type, recipient.role, array[v_tenant], array[recipient.user_id], array[other.display_name],
    array[case when v_by_support then 'support' end],
    array[jsonb_build_object('connection_id', p_connection_id) || case when v_by_support then '{"by": "support"}'::jsonb else '{}' end], p_now
  )
  from (values
    ('sender', v_connection.sender_id, v_connection.receiver_id),
    ('receiver', v_connection.receiver_id, v_connection.sender_id)
  ) as recipient (role, user_id, other_id)
  join kith.users as other on other.tenant_id = v_tenant and other.id = recipient.other_id
  where case p_type
    when 'connection_request' then recipient.user_id = v_connection.code_owner_id
    when 'connection_removed' then v_by_support or 'user:' || recipient.user_id <> v_connection.deleted_by
    else recipient.role = 'receiver'
  end;
end
$$;
comment on function internal.notify_connection(uuid, text, timestamptz) is
  'Notifies the right side, or both, that a connection was made, paused, resumed or removed. The row determines the recipients and the texts. Raises too_many_requests if the connection was paused and resumed 20 times within the hour. For definer procedures.';
revoke all on function internal.notify_connection(uuid, text, timestamptz) from public;
