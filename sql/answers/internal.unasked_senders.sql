-- What becomes of a sender who can be asked by text messages alone, and no longer wants any.

create or replace function internal.is_asked_only_by_text(p_person kith.users) returns boolean
  language plpgsql
  stable
as $$
begin
  return p_person.id <> all (internal.reachable(p_person.tenant_id, array[p_person.id], false))
    and not exists (
      select from kith.notification_preferences as preference
      join kith.channel_credentials as credentials
        on credentials.tenant_id = p_person.tenant_id and credentials.channel = 'voice'
      where preference.tenant_id = p_person.tenant_id and preference.user_id = p_person.id and preference.type = 'ping_due'
        and 'voice' = any (preference.channels)
    );
end
$$;
comment on function internal.is_asked_only_by_text(kith.users) is
  'Whether somebody has neither a device nor a confirmed e-mail address for a channel that the tenant has (internal.reachable), and did not '
  'choose calls: after STOP no message that a ping is due reaches them.';

create or replace function internal.tell_that_nobody_asks(p_now timestamptz) returns boolean
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_person kith.users;
  v_connections kith.connections[];
  v_day_ago uuid := internal.first_uuid7(p_now - interval '24 hours');
begin
  select * into v_person from kith.users where tenant_id = v_tenant and id = kith.user_id();
  v_connections := array(
    select connection
    from kith.connections as connection
    where connection.tenant_id = v_tenant and connection.sender_id = v_person.id and connection.status = 'active'
    order by connection.receiver_id
  );
  if v_connections = '{}' or not internal.is_asked_only_by_text(v_person) then
    return false;
  end if;
  -- Whoever says STOP again has told them already.
  if exists (select from kith.text_numbers where tenant_id = v_tenant and phone = v_person.phone and stopped_at = p_now) then
    perform internal.notify(
      'sender_unreachable', array_agg(v_tenant), array_agg(connection.receiver_id),
      array_agg(jsonb_build_object('connection_id', connection.id, 'user_id', v_person.id)), p_now
    )
    from unnest(v_connections) as connection
    -- Whoever says STOP and START in turn, or another one in their name, tells them once a day.
    where not exists (
      select from kith.notifications as told
      where told.tenant_id = v_tenant and told.user_id = connection.receiver_id and told.id >= v_day_ago and told.type = 'sender_unreachable'
        and told.data ->> 'connection_id' = connection.id::text
    );
  end if;
  return true;
end
$$;
comment on function internal.tell_that_nobody_asks(timestamptz) is
  'After STOP by the current user: if text messages were the only way to ask them for a check-in, tells their receivers, who would otherwise '
  'be alarmed every day, and returns true. For internal.apply_answer.';
