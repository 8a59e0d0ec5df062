create or replace function admin.soft_delete_connection(
  p_tenant text, p_connection uuid, p_reason text, p_now timestamptz default now()
)
  returns text
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := internal.enter_tenant(p_tenant);
  v_connection kith.connections;
begin
  perform internal.require_present(p_now);
  select * into v_connection from kith.connections where tenant_id = v_tenant and id = p_connection;
  if not found then
    raise exception 'not_found'
      using errcode = 'KT404', detail = format('%L has no connection %s.', p_tenant, p_connection),
      hint = format('Find the person: select * from admin.find_user(%L, ''phone, e-mail or name'');', p_tenant);
  elsif v_connection.status = 'deleted' then
    raise exception 'invalid_transition' using errcode = 'KT409',
      detail = format(
        'The connection was removed at %s, by %s.', internal.shown_instant(v_connection.deleted_at),
        v_connection.deleted_by
      );
  end if;
  perform internal.end_connection(p_connection, internal.operator(), p_now);
  perform internal.record_act(
    v_tenant, internal.operator(), 'connection.remove', p_connection::text, jsonb_build_object('reason', p_reason)
  );
  perform internal.leave_tenant();
  return format(
    'the connection has ended, and both are told: select admin.reactivate_connection(%L, %L, ''why'') takes it back',
    p_tenant, p_connection
  );
end
$$;
comment on function admin.soft_delete_connection(text, uuid, text, timestamptz) is
  'Removes a connection as one of its people would. Both are told that support did it. The reason is kept in the '
  'audit. Returns what follows.';
grant execute on function admin.soft_delete_connection(text, uuid, text, timestamptz) to kith_admin;

create or replace function admin.reactivate_connection(
  p_tenant text, p_connection uuid, p_reason text, p_now timestamptz default now()
)
  returns text
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := internal.enter_tenant(p_tenant);
  v_connection kith.connections;
begin
  perform internal.require_present(p_now);
  -- Wait for a block or the deletion of an account that is in progress. The checks below then see it.
  perform from kith.users
  where tenant_id = v_tenant and id in (
    select unnest(array[sender_id, receiver_id]) from kith.connections where tenant_id = v_tenant and id = p_connection
  )
  order by id
  for key share;
  select * into v_connection from kith.connections where tenant_id = v_tenant and id = p_connection for no key update;
  if not found then
    raise exception 'not_found'
      using errcode = 'KT404', detail = format('%L has no connection %s.', p_tenant, p_connection);
  end if;
  if v_connection.status <> 'deleted' then
    raise exception 'invalid_transition'
      using errcode = 'KT409', detail = 'Only a removed connection can be reactivated.';
  end if;
  if exists (
    select from kith.users
    where tenant_id = v_tenant and id in (v_connection.sender_id, v_connection.receiver_id) and deleted_at is not null
  ) then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'One of the two has deleted their account.';
  end if;
  if exists (
    select from kith.blocks
    where tenant_id = v_tenant and user_id in (v_connection.sender_id, v_connection.receiver_id)
      and blocked_id in (v_connection.sender_id, v_connection.receiver_id)
  ) then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'One of the two has blocked the other.';
  end if;
  if not exists (
      select from kith.sender_profiles
      where tenant_id = v_tenant and user_id = v_connection.sender_id and ended_at is null
    ) or not exists (
      select from kith.receiver_profiles
      where tenant_id = v_tenant and user_id = v_connection.receiver_id and ended_at is null
    )
  then
    raise exception 'invalid_transition'
      using errcode = 'KT409', detail = 'One of the two is no longer a sender or a receiver.';
  end if;
  if not internal.accepts_connections(v_connection.receiver_id, p_now) then
    raise exception 'subscription_inactive' using errcode = 'KT402';
  end if;
  perform internal.begin_connection(
    v_connection.sender_id, v_connection.receiver_id, v_connection.code_owner_id, p_now
  );
  perform internal.record_act(
    v_tenant, internal.operator(), 'connection.reactivate', p_connection::text, jsonb_build_object('reason', p_reason)
  );
  perform internal.leave_tenant();
  return format(
    'the connection is active again: select * from admin.story_of_ping(%L, %L, ''DATE'')', p_tenant, p_connection
  );
end
$$;
comment on function admin.reactivate_connection(text, uuid, text, timestamptz) is
  'Reactivates a removed connection as entering its code would: the same row, today''s ping, and a notification to the '
  'owner of the code. Returns what follows.';
grant execute on function admin.reactivate_connection(text, uuid, text, timestamptz) to kith_admin;
