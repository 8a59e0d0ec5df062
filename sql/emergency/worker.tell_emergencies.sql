create or replace function worker.tell_emergencies(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
  -- For the same reason as in begin_emergency_waits.
  set plan_cache_mode = 'force_generic_plan'
  set jit = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set enable_material = off
  set enable_seqscan = off
as $$
begin
  p_now := internal.present(p_now);
  if internal.awaits_confirmation() then
    return 0;
  end if;
  return internal.settle_outages(p_now, p_batch) + internal.stop_undelivered(p_now, p_batch)
    + internal.tell_due_requests(p_now, p_batch);
end
$$;
comment on function worker.tell_emergencies(timestamptz, integer) is
  'Tells owners and nominees of waits for emergency access: reminders, grants, and grants that have moved because of '
  'an outage or of notices that could not be delivered (E02, E06). Records grants that have ended. No access depends '
  'on it. Each fact is told once, in the transaction that records it; a worker that was stopped sends one reminder, '
  'not all that it has missed. Handles at most p_batch of each kind; several workers may run it at once. Returns how '
  'many. Security definer, because no role may write requests or notifications directly.';
grant execute on function worker.tell_emergencies(timestamptz, integer) to kith_worker;

create or replace function internal.tell_due_requests(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
as $$
declare
  v_deleted integer[] := internal.deleted_tenants();
begin
  return internal.work_off('tell_emergencies.tell', array(
    select request
    from kith.emergency_requests as request
    where request.ended_at is null and request.notice_at <= p_now and request.tenant_id <> all (v_deleted)
      and not exists (select from internal.shut_out('tell_emergencies', request.tenant_id, request.id::text, p_now))
    order by request.notice_at
    limit p_batch
  ), null, p_now, 'internal.tell_requests($1, $3)');
end
$$;
comment on function internal.tell_due_requests(timestamptz, integer) is
  'Advances at most p_batch requests of which somebody must be told by now. Returns how many. For '
  'worker.tell_emergencies.';

create or replace function internal.tell_requests(p_requests kith.emergency_requests[], p_now timestamptz)
  returns integer
  language plpgsql
as $$
declare
  v_request kith.emergency_requests;
  v_done integer := 0;
begin
  foreach v_request in array internal.lock_requests(p_requests) loop
    -- Another worker may have handled it between the two statements.
    if v_request.notice_at <= p_now then
      perform internal.advance_emergency(v_request, p_now);
      v_done := v_done + 1;
    end if;
  end loop;
  return v_done;
end
$$;
comment on function internal.tell_requests(kith.emergency_requests[], timestamptz) is
  'Advances the given requests. Returns how many. For internal.tell_due_requests.';

create or replace function internal.settle_outages(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
as $$
declare
  v_deleted integer[] := internal.deleted_tenants();
  v_until timestamptz;
begin
  -- While an outage lasts, every wait stands still.
  if exists (select from kith.outages where component = 'server' and ended_at is null) then
    return 0;
  end if;
  select ended_at into v_until
  from kith.outages
  where component = 'server' and ended_at <= p_now
  order by began_at desc
  limit 1;
  if v_until is null then
    return 0;
  end if;
  return internal.work_off('tell_emergencies.outage', array(
    select request
    from kith.emergency_requests as request
    where request.ended_at is null and request.counted_to < v_until and request.tenant_id <> all (v_deleted)
      and not exists (select from internal.shut_out('tell_emergencies', request.tenant_id, request.id::text, p_now))
    order by request.counted_to
    limit p_batch
  ), v_until::text, p_now, 'internal.settle_requests($1, $2::timestamptz, $3)');
end
$$;
comment on function internal.settle_outages(timestamptz, integer) is
  'Moves the grants of at most p_batch requests by the outages that have ended since they were last settled, and tells '
  'of it. Returns how many. For worker.tell_emergencies.';

create or replace function internal.settle_requests(
  p_requests kith.emergency_requests[], p_until timestamptz, p_now timestamptz
)
  returns integer
  language plpgsql
as $$
declare
  v_request kith.emergency_requests;
  v_settled integer := 0;
begin
  foreach v_request in array internal.lock_requests(p_requests) loop
    if v_request.counted_to < p_until then
      perform internal.tell_of_move(v_request, internal.settle_delays(v_request, p_until, p_now), p_now);
      v_settled := v_settled + 1;
    end if;
  end loop;
  return v_settled;
end
$$;
comment on function internal.settle_requests(kith.emergency_requests[], timestamptz, timestamptz) is
  'Moves the grants of the given requests by the outages until p_until, and tells of it. Returns how many. For '
  'internal.settle_outages.';

create or replace function internal.stop_undelivered(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
as $$
declare
  v_deleted integer[] := internal.deleted_tenants();
begin
  return internal.work_off('tell_emergencies.stop', array(
    select alarm
    from kith.undelivered_alarms as alarm
    where alarm.resolved_at is null and alarm.type in ('emergency_requested', 'emergency_reminder')
      and alarm.tenant_id <> all (v_deleted)
      and not exists (
        select from internal.shut_out('tell_emergencies', alarm.tenant_id, alarm.notification_id::text, p_now)
      )
    order by alarm.at
  ), p_batch::text, p_now, 'internal.stop_waits($1, $2::integer, $3)');
end
$$;
comment on function internal.stop_undelivered(timestamptz, integer) is
  'Stops waits whose newest notice to the owner has reached them on no channel: an alarm that counts as undelivered '
  '(F07). The time since that notice does not count. Returns how many. For worker.tell_emergencies.';

create or replace function internal.requests_to_stop(
  p_alarms kith.undelivered_alarms[], p_batch integer, p_now timestamptz
)
  returns kith.emergency_requests[]
  language plpgsql
  stable
as $$
begin
  return array(
    select request
    from unnest(p_alarms) as alarm
    join kith.notifications as notice on notice.tenant_id = alarm.tenant_id and notice.id = alarm.notification_id
    join kith.emergency_requests as request
      on request.tenant_id = alarm.tenant_id and request.id = (notice.data ->> 'request_id')::uuid
    where notice.sent_at is null and notice.read_at is null
      and request.ended_at is null and request.notice_id = notice.id and request.undelivered_since is null
      and (internal.emergency_instants(request, p_now)).grants_at > p_now
      -- All stalls together are no longer than the wait, so that it takes at most twice as long as promised.
      and make_interval(hours => request.wait_hours) > coalesce(
        (
          select sum(delay.ended_at - delay.began_at)
          from kith.emergency_delays as delay
          where delay.tenant_id = request.tenant_id and delay.request_id = request.id and delay.cause = 'undelivered'
            and delay.began_at >= request.waits_from
        ),
        interval '0'
      )
    order by alarm.at
    limit p_batch
  );
end
$$;
comment on function internal.requests_to_stop(kith.undelivered_alarms[], integer, timestamptz) is
  'At most p_batch requests whose newest notice is one of the given alarms, and whose wait stands still because of '
  'that. For internal.stop_waits.';

create or replace function internal.stop_waits(p_alarms kith.undelivered_alarms[], p_batch integer, p_now timestamptz)
  returns integer
  language plpgsql
as $$
declare
  v_request kith.emergency_requests;
  v_stopped integer := 0;
begin
  foreach v_request in array internal.lock_requests(internal.requests_to_stop(p_alarms, p_batch, p_now)) loop
    update kith.emergency_requests
    -- The time up to counted_to is settled, and must not count twice.
    set undelivered_since = greatest(to_timestamp(internal.uuid7_ms(notice_id) / 1000.0), waits_from, counted_to),
      notice_at = p_now + interval '5 minutes'
    where tenant_id = v_request.tenant_id and id = v_request.id and undelivered_since is null
      and (internal.emergency_instants(v_request, p_now)).grants_at > p_now
    returning * into v_request;
    if found then
      perform internal.emit_emergency_request(v_request, p_now);
      v_stopped := v_stopped + 1;
    end if;
  end loop;
  return v_stopped;
end
$$;
comment on function internal.stop_waits(kith.undelivered_alarms[], integer, timestamptz) is
  'Stops the waits whose newest notice is one of the given alarms, at most p_batch. Returns how many. For '
  'internal.stop_undelivered.';

create or replace function internal.end_suspension(p_tenant_id integer, p_since timestamptz, p_now timestamptz)
  returns void
  language plpgsql
as $$
declare
  v_old kith.emergency_requests;
  v_moved kith.emergency_requests[] := '{}';
begin
  for v_old in
    select *
    from kith.emergency_requests
    where tenant_id = p_tenant_id and ended_at is null and counted_to < p_now
    order by id
    for update
  loop
    perform internal.settle_delays(v_old, p_now, p_now);
    v_moved := v_moved || v_old;
  end loop;
  if p_since < p_now then
    insert into kith.suspensions (tenant_id, began_at, ended_at) values (p_tenant_id, p_since, p_now);
  end if;
  update kith.tenants
  set status = 'active', suspended_at = null, updated_at = p_now
  where tenant_id = p_tenant_id;
  foreach v_old in array v_moved loop
    perform internal.tell_of_move(v_old, request, p_now)
    from kith.emergency_requests as request
    where request.tenant_id = p_tenant_id and request.id = v_old.id and request.ended_at is null;
  end loop;
end
$$;
comment on function internal.end_suspension(integer, timestamptz, timestamptz) is
  'Ends a tenant''s suspension, which began at p_since: keeps it in the list, and moves the grants of all requests '
  'that wait by as much. For admin.resume_tenant, which has locked the tenant.';
