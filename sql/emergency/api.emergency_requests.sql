-- Requests for emergency access (E02, E04). These functions are security definers because only they write requests and
-- sessions, and because internal.nominee_knows decides what a nominee may see.

create or replace function api.request_emergency_access(p_vault_id uuid, p_reason text, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_access record;
  v_locked record;
  v_settings kith.emergency_settings;
  v_request kith.emergency_requests;
begin
  perform internal.begin_act('asking', p_now);
  v_access := internal.vault_access(p_vault_id, p_now);
  if v_access.role = 'owner' then
    raise exception 'forbidden' using errcode = 'KT403', detail = 'This is your own vault.';
  end if;
  v_locked := internal.lock_emergencies(p_vault_id, (v_access.nominee).id, p_now);
  -- Whether there is a right comes first: without one, nobody learns of a wait.
  v_settings := internal.require_asking(v_locked.nominee, p_now);
  perform internal.clear_open_request(v_locked.nominee, p_now);
  v_request := internal.add_emergency_request(v_settings, v_locked.nominee, p_reason, p_now);
  return internal.emergency_json(v_request, p_now, false);
end
$$;
comment on function api.request_emergency_access(uuid, text, timestamptz) is
  'Asks for emergency access to a vault, for a nominee whom the owner has given the right, visible or not. The owner '
  'is told, and the wait begins, at once or when the quorum is complete. Raises forbidden without the right, '
  'invalid_transition if a request is open that the nominee may know of, and too_many_requests for 24 hours after a '
  'rejection. Security definer, because only these procedures write requests.';
grant execute on function api.request_emergency_access(uuid, text, timestamptz) to kith_api;

create or replace function api.list_emergency_requests(
  p_vault_id uuid, p_status text, p_limit integer, p_cursor uuid, p_now timestamptz
) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_access record;
  v_is_owner boolean;
  v_nominee uuid;
  -- The status is computed, so that no index has it. Instead a page reads so many at most, newest first.
  v_most constant integer := 1000;
  v_before uuid := coalesce(p_cursor, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
begin
  perform internal.require_user();
  v_access := internal.vault_access(p_vault_id, p_now);
  v_is_owner := v_access.role = 'owner';
  v_nominee := (v_access.nominee).id;
  return (
    with near as materialized (
      -- One of the two branches runs, each by an index of its own.
      (
        select request from kith.emergency_requests as request
        where v_is_owner and request.tenant_id = v_tenant and request.vault_id = p_vault_id
          and request.owner_id = v_user and request.id < v_before
        order by request.id desc
        limit v_most
      )
      union all
      (
        select request from kith.emergency_requests as request
        where not v_is_owner and request.tenant_id = v_tenant and request.nominee_id = v_nominee
          and request.user_id = v_user and request.id < v_before
        order by request.id desc
        limit v_most
      )
    ), page as (
      select near.request, row_number() over (order by (near.request).id desc) as n
      from near
      where (p_status is null or internal.emergency_status(near.request, p_now) = p_status)
        and (v_is_owner or internal.nominee_knows(near.request, p_now))
      order by (near.request).id desc
      limit p_limit + 1
    )
    select json_build_object(
      'items', coalesce(
        json_agg(
          internal.emergency_json(page.request, p_now, v_is_owner) order by page.n
        ) filter (where page.n <= p_limit),
        '[]'
      ),
      'next_cursor', case
        when count(*) > p_limit then (array_agg((page.request).id order by page.n))[p_limit]
        when (select count(*) from near) = v_most then (select (near.request).id from near order by 1 limit 1)
      end
    )
    from page
  );
end
$$;
comment on function api.list_emergency_requests(uuid, text, integer, uuid, timestamptz) is
  'Returns the requests for emergency access to a vault, newest first: all to the owner, their own to a nominee. With '
  'p_status only those that have it at p_now; such a page looks at 1,000 requests at most, so it may have fewer items '
  'and yet a next_cursor. Security definer, because internal.nominee_knows decides what a nominee sees.';
grant execute on function api.list_emergency_requests(uuid, text, integer, uuid, timestamptz) to kith_api;

create or replace function api.get_emergency_request(p_vault_id uuid, p_request_id uuid, p_now timestamptz) returns json
  language plpgsql
  stable
as $$
declare
  v_request json;
begin
  perform internal.vault_access(p_vault_id, p_now);
  v_request := internal.seen_emergency_request(p_vault_id, p_request_id, p_now);
  if v_request is null then
    perform internal.refuse_not_found();
  end if;
  return v_request;
end
$$;
comment on function api.get_emergency_request(uuid, uuid, timestamptz) is
  'Returns a request for emergency access, to the owner or to its nominee. Raises not_found for everybody else, and '
  'for a nominee who must not know of it.';
grant execute on function api.get_emergency_request(uuid, uuid, timestamptz) to kith_api;

create or replace function api.approve_emergency_request(p_vault_id uuid, p_request_id uuid, p_now timestamptz)
  returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_request kith.emergency_requests;
  v_status text;
begin
  perform internal.begin_act('emergency', p_now);
  v_request := internal.lock_emergency(p_vault_id, p_request_id, 'owner', p_now);
  v_status := internal.emergency_status(v_request, p_now);
  if v_status not in ('gathering', 'waiting', 'granted') then
    perform internal.refuse_ended_request();
  elsif internal.is_held(v_request, p_now) then
    raise exception 'invalid_transition'
      using errcode = 'KT409', detail = 'Support has put this request on hold. You can reject it.';
  elsif v_status <> 'granted' then
    perform internal.note_answer(p_now);
    v_request := internal.approve_emergency(v_request, p_now);
  end if;
  return internal.emergency_json(v_request, p_now, true);
end
$$;
comment on function api.approve_emergency_request(uuid, uuid, timestamptz) is
  'Grants a request for emergency access now, for the owner. A granted one does not change. Security definer, as '
  'request_emergency_access.';
grant execute on function api.approve_emergency_request(uuid, uuid, timestamptz) to kith_api;

create or replace function api.reject_emergency_request(p_vault_id uuid, p_request_id uuid, p_now timestamptz)
  returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_request kith.emergency_requests;
  v_status text;
begin
  perform internal.require_user();
  v_request := internal.lock_emergency(p_vault_id, p_request_id, 'owner', p_now);
  v_status := internal.emergency_status(v_request, p_now);
  if v_status in ('gathering', 'waiting', 'granted') then
    perform internal.note_answer(p_now);
    perform internal.reject_emergency(v_request, p_now);
    select * into v_request from kith.emergency_requests where tenant_id = v_tenant and id = p_request_id;
  elsif v_status <> 'rejected' then
    perform internal.refuse_ended_request();
  end if;
  return internal.emergency_json(v_request, p_now, true);
end
$$;
comment on function api.reject_emergency_request(uuid, uuid, timestamptz) is
  'Says no to a request for emergency access, for the owner, also after the grant, which ends at this instant, with '
  'the nominee''s other open request. The nominee is told, and the third time in 30 days loses the right. A rejected '
  'one does not change. Security definer, as request_emergency_access.';
grant execute on function api.reject_emergency_request(uuid, uuid, timestamptz) to kith_api;

create or replace function api.withdraw_emergency_request(p_vault_id uuid, p_request_id uuid, p_now timestamptz)
  returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_request kith.emergency_requests;
  v_status text;
begin
  perform internal.require_user();
  v_request := internal.lock_emergency(p_vault_id, p_request_id, 'nominee', p_now);
  v_status := internal.emergency_status(v_request, p_now);
  if v_status in ('gathering', 'waiting', 'granted') then
    perform internal.end_emergency(
      v_request, 'withdrawn', kith.user_id(), greatest(p_now, v_request.requested_at, v_request.waits_from)
    );
    perform internal.tell_of_stops(v_tenant, p_vault_id, p_now);
    select * into v_request from kith.emergency_requests where tenant_id = v_tenant and id = p_request_id;
  elsif v_status <> 'withdrawn' then
    perform internal.refuse_ended_request();
  end if;
  return internal.emergency_json(v_request, p_now, false);
end
$$;
comment on function api.withdraw_emergency_request(uuid, uuid, timestamptz) is
  'Withdraws a request for emergency access, for its nominee, also after the grant. A wait that the owner''s silence '
  'has begun goes on. A quorum that is no longer complete stops waiting. A withdrawn one does not change. Security '
  'definer, as request_emergency_access.';
grant execute on function api.withdraw_emergency_request(uuid, uuid, timestamptz) to kith_api;

create or replace function api.enter_emergency(p_vault_id uuid, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_access record;
  v_session uuid;
begin
  perform internal.begin_act('emergency', p_now);
  v_access := internal.vault_access(p_vault_id, p_now);
  if v_access.role = 'owner' then
    raise exception 'forbidden' using errcode = 'KT403', detail = 'This is your own vault. Open it instead.';
  end if;
  v_access := internal.lock_emergencies(p_vault_id, (v_access.nominee).id, p_now);
  v_session := internal.enter_by_emergency(v_access.nominee, p_now);
  return internal.own_session(p_vault_id, v_session);
end
$$;
comment on function api.enter_emergency(uuid, timestamptz) is
  'Opens the emergency session of a nominee to whom access is granted at p_now, or returns the open one. It ends with '
  'the grant, and nothing extends it. Raises vault_locked before the grant, with its instant as the hint, and '
  'forbidden without a request. Security definer, because only these functions write sessions.';
grant execute on function api.enter_emergency(uuid, timestamptz) to kith_api;
