create or replace function internal.import_connection(p_item jsonb, p_now timestamptz, out id uuid, out is_new boolean)
  returns record
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_new kith.connections;
begin
  v_new := internal.imported_connection(p_item, p_now);
  select connection.id into id
  from kith.connections as connection
  where connection.tenant_id = v_tenant and connection.sender_id = v_new.sender_id
    and connection.receiver_id = v_new.receiver_id;
  is_new := not found;
  if not is_new then
    return;
  end if;
  perform internal.import_receiver_profile(v_new.receiver_id, null, p_now);
  perform internal.refuse_imported_connection(v_new);
  -- If the receiver's subscription has stopped the pings of their other connections, it stops these too.
  select pings_stopped_at into v_new.pings_stopped_at
  from kith.receiver_profiles
  where tenant_id = v_tenant and user_id = v_new.receiver_id;
  insert into kith.connections (
    tenant_id, id, sender_id, receiver_id, status, code_owner_id, activated_at, created_at, updated_at, deleted_at,
    deleted_by, pings_stopped_at
  )
  values (
    v_tenant, v_new.id, v_new.sender_id, v_new.receiver_id, v_new.status, v_new.code_owner_id, p_now, v_new.created_at,
    p_now, v_new.deleted_at, case when v_new.status = 'deleted' then 'import' end, v_new.pings_stopped_at
  );
  id := v_new.id;
  if v_new.status <> 'deleted' then
    perform internal.bring_ping(id, p_now);
    perform internal.emit_connection(id, p_now);
  end if;
end
$$;
comment on function internal.import_connection(jsonb, timestamptz) is
  'A line {kind: connection, sender, receiver, status?, created_at?, code_owner?, deleted_at?}. The connection keeps '
  'its status and created_at, and gets today''s ping by the usual rule (P13). Nobody is notified. A pair that is '
  'connected here stays as it is, removed or not. For definer procedures.';

create or replace function internal.imported_connection(p_item jsonb, p_now timestamptz) returns kith.connections
  language plpgsql
as $$
declare
  v_known constant text[] := array['pending', 'active', 'paused', 'deleted'];
  v_new kith.connections;
begin
  v_new.sender_id := (internal.named_user(p_item, 'sender')).id;
  v_new.receiver_id := (internal.named_user(p_item, 'receiver')).id;
  if v_new.sender_id = v_new.receiver_id then
    raise exception 'self_connection' using errcode = 'KT422';
  end if;
  v_new.status := coalesce(p_item ->> 'status', 'active');
  if v_new.status <> all (v_known) then
    perform internal.refuse_fields(internal.field_error('status', 'must be one of ' || array_to_string(v_known, ', ')));
  end if;
  v_new.created_at := internal.past_instant(p_item, 'created_at', p_now, p_now);
  if v_new.status = 'deleted' then
    v_new.deleted_at := internal.past_instant(p_item, 'deleted_at', p_now, p_now);
  elsif p_item ->> 'deleted_at' is not null then
    perform internal.refuse_fields(internal.field_error('deleted_at', 'must be absent unless status is deleted'));
  end if;
  case coalesce(p_item ->> 'code_owner', 'receiver')
    when 'receiver' then v_new.code_owner_id := v_new.receiver_id;
    when 'sender' then v_new.code_owner_id := v_new.sender_id;
    else perform internal.refuse_fields(internal.field_error('code_owner', 'must be sender or receiver'));
  end case;
  -- Lists are in the order of ids.
  v_new.id := internal.uuid7(v_new.created_at);
  perform internal.require_imported_sender(v_new.sender_id);
  return v_new;
end
$$;
comment on function internal.imported_connection(jsonb, timestamptz) is
  'The connection that a line describes, checked. Writes nothing. For internal.import_connection.';

create or replace function internal.refuse_imported_connection(p_new kith.connections) returns void
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  if p_new.status <> 'deleted' then
    perform internal.refuse_ended_profile(p_new.sender_id, 'sender', 'Leave the connection out.');
    perform internal.refuse_ended_profile(p_new.receiver_id, 'receiver', 'Leave the connection out.');
  end if;
  if p_new.status <> 'deleted' and exists (
    select from kith.blocks
    where tenant_id = v_tenant
      and (user_id, blocked_id) in ((p_new.sender_id, p_new.receiver_id), (p_new.receiver_id, p_new.sender_id))
  ) then
    raise exception 'conflict' using errcode = 'KT409', detail = 'One of the two has blocked the other here.';
  end if;
  if internal.has_full_list('sender', p_new.sender_id) or internal.has_full_list('receiver', p_new.receiver_id) then
    raise exception 'quota_exceeded'
      using errcode = 'KT507',
      detail = 'One of the two has 10,000 connections, removed ones included. Nobody can have more in one role.';
  end if;
end
$$;
comment on function internal.refuse_imported_connection(kith.connections) is
  'Raises conflict if one of the two users has blocked the other, or has stopped being a sender or a receiver, and '
  'quota_exceeded if one of their lists is full. For definer procedures.';
