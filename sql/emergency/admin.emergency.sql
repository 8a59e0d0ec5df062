create or replace function internal.lock_open_request(p_tenant_id integer, p_request_id uuid, p_now timestamptz)
  returns kith.emergency_requests
  language plpgsql
as $$
declare
  v_request kith.emergency_requests;
begin
  perform from kith.vaults
  where tenant_id = p_tenant_id
    and id = (select vault_id from kith.emergency_requests where tenant_id = p_tenant_id and id = p_request_id)
  for no key update;
  select * into v_request from kith.emergency_requests where tenant_id = p_tenant_id and id = p_request_id for update;
  if not found then
    raise exception 'not_found'
      using errcode = 'KT404', detail = format('There is no request %s for emergency access.', p_request_id),
      hint = 'Look it up: select * from admin.emergency_requests where ended_at is null;';
  elsif internal.emergency_status(v_request, p_now) not in ('gathering', 'waiting', 'granted') then
    raise exception 'invalid_transition' using errcode = 'KT409',
      detail = format(
        'This request ended at %s.',
        internal.shown_instant(coalesce(v_request.ended_at, (internal.emergency_instants(v_request, p_now)).ends_at))
      );
  end if;
  return v_request;
end
$$;
comment on function internal.lock_open_request(integer, uuid, timestamptz) is
  'Returns a request for emergency access, locked after its vault. Raises not_found, or invalid_transition if it has '
  'ended. For definer procedures of operators.';

create or replace function internal.lock_out_of_emergency(p_request kith.emergency_requests, p_now timestamptz)
  returns void
  language plpgsql
as $$
declare
  v_session kith.vault_sessions;
begin
  select * into v_session
  from kith.vault_sessions
  where tenant_id = p_request.tenant_id and nominee_id = p_request.nominee_id and kind = 'emergency'
    and locked_at is null and request_id = p_request.id
  for update;
  if found then
    perform internal.end_session(v_session, 'emergency_ended', null, p_now);
  end if;
end
$$;
comment on function internal.lock_out_of_emergency(kith.emergency_requests, timestamptz) is
  'Ends the session that a nominee has opened with a request, without ending the request. For admin.hold_emergency.';

create or replace function internal.lock_open_requests_of(p_request kith.emergency_requests, p_now timestamptz)
  returns setof kith.emergency_requests
  language plpgsql
as $$
begin
  return query
  select request.*
  from kith.emergency_requests as request
  where request.tenant_id = p_request.tenant_id and request.vault_id = p_request.vault_id
    and request.nominee_id = p_request.nominee_id
    and request.ended_at is null and internal.emergency_status(request, p_now) in ('gathering', 'waiting', 'granted')
  order by request.id
  for update of request;
end
$$;
comment on function internal.lock_open_requests_of(kith.emergency_requests, timestamptz) is
  'Returns all open requests of a request''s nominee for its vault, locked: the one by which they asked, and the one '
  'that a silence began. The caller must have locked the vault. For definer procedures of operators.';

create or replace function internal.hold_request(
  p_request kith.emergency_requests, p_reason text, p_until timestamptz, p_now timestamptz
)
  returns void
  language plpgsql
as $$
declare
  v_request kith.emergency_requests := p_request;
begin
  if v_request.held_until <= p_now then
    v_request := internal.release_request(v_request, v_request.held_until, p_now);
  end if;
  update kith.emergency_requests
  set held_at = p_now, held_until = p_until, held_by = internal.operator(), hold_reason = p_reason, notice_at = p_now
  where tenant_id = v_request.tenant_id and id = v_request.id
  returning * into v_request;
  perform internal.lock_out_of_emergency(v_request, p_now);
  perform internal.record_history_of(
    v_request.tenant_id, v_request.vault_id, null, 'emergency.held', 'emergency_request', v_request.id,
    jsonb_build_object('nominee_id', v_request.nominee_id), p_now
  );
  perform internal.emit_emergency_request(v_request, p_now);
  perform internal.record_act(
    v_request.tenant_id, internal.operator(), 'emergency.hold', v_request.id::text,
    jsonb_build_object('reason', p_reason, 'until', internal.instant(p_until))
  );
end
$$;
comment on function internal.hold_request(kith.emergency_requests, text, timestamptz, timestamptz) is
  'Holds a request until p_until, or until it is released. For admin.hold_emergency, which has locked it.';

create or replace function admin.hold_emergency(
  p_tenant text, p_request_id uuid, p_reason text, p_until timestamptz default null, p_now timestamptz default now()
) returns text
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := internal.enter_tenant(p_tenant);
  v_request kith.emergency_requests;
  v_held integer := 0;
begin
  perform internal.require_present(p_now);
  if p_until <= p_now then
    perform internal.refuse_fields(internal.field_error('until', 'must be in the future'));
  elsif coalesce(char_length(p_reason) not between 1 and 500, true) then
    perform internal.refuse_fields(internal.field_error('reason', 'must have 1 to 500 characters'));
  end if;
  v_request := internal.lock_open_request(v_tenant, p_request_id, p_now);
  if internal.is_held(v_request, p_now) then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'This request is held already.',
      hint = 'Release it first: select admin.release_emergency(…);';
  end if;
  -- The other way in as well: a nominee who asks while a silence goes on has two requests.
  for v_request in select request.* from internal.lock_open_requests_of(v_request, p_now) as request loop
    if not internal.is_held(v_request, p_now) then
      perform internal.hold_request(v_request, p_reason, p_until, p_now);
      v_held := v_held + 1;
    end if;
  end loop;
  perform internal.leave_tenant();
  return format(
    'held %s of this nominee, until %s. Before that: select admin.release_emergency(%L, %L, ''why'')',
    case v_held when 1 then '1 request' else v_held || ' requests' end,
      coalesce(internal.shown_instant(p_until), 'it is released'), p_tenant, p_request_id
  );
end
$$;
comment on function admin.hold_emergency(text, uuid, text, timestamptz, timestamptz) is
  'Stops the wait of a request for emergency access until p_until, or until it is released: the grant moves by as much '
  '(E06). It stops every other open request of the same nominee for the vault too, or they would get in by that; a '
  'request that begins later is not held. Holding a request that is granted locks its nominee out; the end of that '
  'grant does not move. The reason is kept with the request and in the audit, and must not contain names. Nobody can '
  'hasten a request.';
grant execute on function admin.hold_emergency(text, uuid, text, timestamptz, timestamptz) to kith_admin;

create or replace function admin.release_emergency(
  p_tenant text, p_request_id uuid, p_reason text, p_now timestamptz default now()
)
  returns timestamptz
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := internal.enter_tenant(p_tenant);
  v_request kith.emergency_requests;
  v_held kith.emergency_requests;
  v_grants_at timestamptz;
begin
  perform internal.require_present(p_now);
  v_request := internal.lock_open_request(v_tenant, p_request_id, p_now);
  if not internal.is_held(v_request, p_now) then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'Nobody holds this request.';
  elsif coalesce(char_length(p_reason) not between 1 and 500, true) then
    perform internal.refuse_fields(internal.field_error('reason', 'must have 1 to 500 characters'));
  end if;
  for v_held in select request.* from internal.lock_open_requests_of(v_request, p_now) as request loop
    if internal.is_held(v_held, p_now) then
      v_held := internal.release_request(v_held, p_now, p_now);
      perform internal.record_act(
        v_tenant, internal.operator(), 'emergency.release', v_held.id::text, jsonb_build_object('reason', p_reason)
      );
      v_grants_at := case v_held.id when p_request_id then v_held.grants_at else v_grants_at end;
    end if;
  end loop;
  perform internal.leave_tenant();
  return v_grants_at;
end
$$;
comment on function admin.release_emergency(text, uuid, text, timestamptz) is
  'Ends a hold before its time, of every open request of the same nominee for the vault. The owner and the nominee are '
  'told the new instant of the grant, which is returned. The wait has the length that it had before.';
grant execute on function admin.release_emergency(text, uuid, text, timestamptz) to kith_admin;
