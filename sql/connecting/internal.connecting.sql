create or replace function internal.begin_connection(
  p_sender_id uuid, p_receiver_id uuid, p_code_owner_id uuid, p_now timestamptz,
  out connection_id uuid, out reactivated boolean
) returns record
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_status text;
begin
  select case when requires_consent then 'pending' else 'active' end into v_status
  from kith.tenants
  where tenant_id = v_tenant;
  update kith.connections
  set status = v_status, code_owner_id = p_code_owner_id, activated_at = p_now, updated_at = p_now, deleted_at = null,
    deleted_by = null, resting_status = null, activity_shared_since = null, always_care_card = false,
    test_answered_at = null, test_reached = null
  where tenant_id = v_tenant and sender_id = p_sender_id and receiver_id = p_receiver_id and status = 'deleted'
  returning id into connection_id;
  reactivated := found;
  if not reactivated then
    connection_id := internal.uuid7(p_now);
    begin
      insert into kith.connections (
        tenant_id, id, sender_id, receiver_id, status, code_owner_id, activated_at, created_at, updated_at
      )
      values (v_tenant, connection_id, p_sender_id, p_receiver_id, v_status, p_code_owner_id, p_now, p_now, p_now);
    exception when unique_violation then
      -- Already connected, perhaps just now by the other side's request (P27).
      connection_id := null;
      return;
    end;
  end if;
  perform internal.bring_ping(connection_id, p_now);
  perform internal.emit_connection(connection_id, p_now);
  perform internal.notify_connection(
    connection_id, case v_status when 'pending' then 'connection_requested' else 'connection_request' end, p_now
  );
  perform internal.join_help(array[connection_id], p_now);
end
$$;
comment on function internal.begin_connection(uuid, uuid, uuid, timestamptz) is
  'Connects a sender and a receiver, or revives their deleted row, and creates today''s ping and the notification. '
  'Whoever was forbidden to ask (K06) is so still. connection_id is null if they are already connected. Of two '
  'concurrent calls, one succeeds. For definer procedures.';

create or replace function internal.close_connections(p_ids uuid[], p_by text, p_rests boolean, p_now timestamptz)
  returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  update kith.connections
  set status = 'deleted', resting_status = case when p_rests then status end, deleted_at = p_now, deleted_by = p_by,
    updated_at = p_now
  where tenant_id = v_tenant and id = any (p_ids) and status <> 'deleted';
  perform internal.cancel_pings_of(p_ids, p_now);
  perform internal.leave_alarms(v_tenant, p_ids, p_now);
  perform internal.emit_connections(v_tenant, p_ids, p_now);
end
$$;
comment on function internal.close_connections(uuid[], text, boolean, timestamptz) is
  'Soft-deletes connections without a notification, whatever their status (X22). Cancels their open pings, ends the '
  'receivers'' part in alarms, and keeps the history. With p_rests, each keeps the status with which it may come back '
  '(internal.return_connections). A few statements for all of them. For definer procedures that have locked them, and '
  'know that none is deleted.';

create or replace function internal.end_connections(p_ids uuid[], p_by text, p_rests boolean, p_now timestamptz)
  returns void
  language plpgsql
as $$
begin
  perform internal.close_connections(p_ids, p_by, p_rests, p_now);
  perform internal.notify_connections(p_ids, 'connection_removed', p_now);
end
$$;
comment on function internal.end_connections(uuid[], text, boolean, timestamptz) is
  'Removes connections (P23, P24) and tells the other sides, as internal.end_connection does for one. About 50 µs '
  'each. For definer procedures that have locked them, and know that none is deleted.';

create or replace function internal.end_connection(p_id uuid, p_by text, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  perform from kith.connections where tenant_id = v_tenant and id = p_id and status <> 'deleted' for no key update;
  if not found then
    perform internal.refuse_not_found();
  end if;
  perform internal.end_connections(array[p_id], p_by, false, p_now);
end
$$;
comment on function internal.end_connection(uuid, text, timestamptz) is
  'Removes a connection (P23, P24) and tells the other side, or both sides if an operator removes it. Raises not_found '
  'if it is already deleted.';
