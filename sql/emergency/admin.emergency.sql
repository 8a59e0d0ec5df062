create or replace function internal.lock_open_request(p_tenant_id integer, p_request_id uuid, p_now timestamptz) returns kith.emergency_requests
  language plpgsql
as $$
declare
  v_request kith.emergency_requests;
begin
  perform from kith.vaults
  where tenant_id = p_tenant_id and id = (select vault_id from kith.emergency_requests where tenant_id = p_tenant_id and id = p_request_id)
  for no key update;
  select * into v_request from kith.emergency_requests where tenant_id = p_tenant_id and id = p_request_id for update;
  if not found then
    perform internal.refuse_not_found();
  elsif internal.emergency_status(v_request, p_now) not in ('gathering', 'waiting', 'granted') then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'This request has ended.';
  end if;
  return v_request;
end
$$;
comment on function internal.lock_open_request(integer, uuid, timestamptz) is
  'Returns a request for emergency access, locked after its vault. Raises not_found, or invalid_transition if it has ended. For definer procedures of operators.';
revoke all on function internal.lock_open_request(integer, uuid, timestamptz) from public;

create or replace function internal.lock_out_of_emergency(p_request kith.emergency_requests, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_session kith.vault_sessions;
begin
  select * into v_session
  from kith.vault_sessions
  where tenant_id = p_request.tenant_id and nominee_id = p_request.nominee_id and kind = 'emergency' and locked_at is null
    and request_id = p_request.id
  for update;
  if found then
    perform internal.end_session(v_session, 'emergency_ended', null, p_now);
  end if;
end
$$;
comment on function internal.lock_out_of_emergency(kith.emergency_requests, timestamptz) is
  'Ends the session that a nominee has opened with a request, without ending the request. For admin.hold_emergency.';
revoke all on function internal.lock_out_of_emergency(kith.emergency_requests, timestamptz) from public;

create or replace function admin.hold_emergency(
  p_tenant text, p_request_id uuid, p_reason text, p_until timestamptz default null, p_now timestamptz default now()
) returns void
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := internal.enter_tenant(p_tenant);
  v_request kith.emergency_requests;
begin
  perform internal.require_present(p_now);
  if p_until <= p_now then
    perform internal.refuse_fields(internal.field_error('until', 'must be in the future'));
  elsif coalesce(char_length(p_reason) not between 1 and 500, true) then
    perform internal.refuse_fields(internal.field_error('reason', 'must have 1 to 500 characters'));
  end if;
  v_request := internal.lock_open_request(v_tenant, p_request_id, p_now);
  if v_request.held_until <= p_now then
    v_request := internal.release_request(v_request, v_request.held_until, p_now);
  elsif v_request.held_at is not null then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'This request is held already.',
      hint = 'Release it first: select admin.release_emergency(…);';
  end if;
  update kith.emergency_requests
  set held_at = p_now, held_until = p_until, held_by = internal.operator(), hold_reason = p_reason, notice_at = p_now
  where tenant_id = v_tenant and id = p_request_id
  returning * into v_request;
  perform internal.lock_out_of_emergency(v_request, p_now);
  perform internal.record_history_of(
    v_tenant, v_request.vault_id, null, 'emergency.held', 'emergency_request', p_request_id,
    jsonb_build_object('nominee_id', v_request.nominee_id), p_now
  );
  perform internal.emit_emergency_request(v_request, p_now);
  perform internal.record_act(
    v_tenant, internal.operator(), 'emergency.hold', p_request_id::text,
    jsonb_build_object('reason', p_reason, 'until', internal.instant(p_until))
  );
  perform internal.leave_tenant();
end
$$;
comment on function admin.hold_emergency(text, uuid, text, timestamptz, timestamptz) is
  'Stops the wait of a request for emergency access until p_until, or until it is released: the grant moves by as much (E06). Holding a request that is granted locks its nominee out; the end of that grant does not move. The reason is kept with the request and in the audit, and must not contain names. Nobody can hasten a request.';
revoke all on function admin.hold_emergency(text, uuid, text, timestamptz, timestamptz) from public;
grant execute on function admin.hold_emergency(text, uuid, text, timestamptz, timestamptz) to kith_admin;

create or replace function admin.release_emergency(p_tenant text, p_request_id uuid, p_reason text, p_now timestamptz default now())
  returns timestamptz
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := internal.enter_tenant(p_tenant);
  v_request kith.emergency_requests;
begin
  perform internal.require_present(p_now);
  v_request := internal.lock_open_request(v_tenant, p_request_id, p_now);
  if not internal.is_held(v_request, p_now) then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'Nobody holds this request.';
  elsif coalesce(char_length(p_reason) not between 1 and 500, true) then
    perform internal.refuse_fields(internal.field_error('reason', 'must have 1 to 500 characters'));
  end if;
  v_request := internal.release_request(v_request, p_now, p_now);
  perform internal.record_act(
    v_tenant, internal.operator(), 'emergency.release', p_request_id::text, jsonb_build_object('reason', p_reason)
  );
  perform internal.leave_tenant();
  return v_request.grants_at;
end
$$;
comment on function admin.release_emergency(text, uuid, text, timestamptz) is
  'Ends a hold before its time. The owner and the nominee are told the new instant of the grant, which is returned. The wait has the length that it had before.';
revoke all on function admin.release_emergency(text, uuid, text, timestamptz) from public;
grant execute on function admin.release_emergency(text, uuid, text, timestamptz) to kith_admin;
