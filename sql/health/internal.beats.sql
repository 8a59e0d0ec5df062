create or replace function internal.record_beat(
  p_component text, p_instance text, p_started_at timestamptz, p_version text, p_ahead_ms integer, p_now timestamptz
)
  returns void
  language plpgsql
as $$
declare
  v_last timestamptz;
begin
  perform internal.notice_incarnation(p_now);
  select max(beat_at) into v_last from kith.heartbeats where component = p_component;

  insert into kith.heartbeats as heartbeat (component, instance, started_at, beat_at, version, clock_ahead_ms)
  values (p_component, p_instance, least(p_started_at, p_now), p_now, left(p_version, 100), p_ahead_ms)
  on conflict (component, instance) do update
  -- A process whose clock is ahead says that it starts later: its first heartbeat is the best that is known.
  set started_at = case
      when p_started_at > p_now and heartbeat.stopped_at is null then heartbeat.started_at
      else excluded.started_at
    end,
    beat_at = greatest(heartbeat.beat_at, excluded.beat_at), xid = excluded.xid,
    version = excluded.version, clock_ahead_ms = excluded.clock_ahead_ms, stopped_at = null;

  update kith.outages set ended_at = p_now where component = p_component and ended_at is null and began_at < p_now;
  if not found and v_last < p_now - interval '60 seconds' then
    insert into kith.outages (component, began_at, ended_at)
    values (p_component, v_last, p_now)
    on conflict do nothing;
  end if;

  delete from kith.heartbeats
  where component = p_component and instance <> p_instance and beat_at < p_now - interval '1 day';
end
$$;
comment on function internal.record_beat(text, text, timestamptz, text, integer, timestamptz) is
  'Records a heartbeat of one process. The first one after a minute without any records the outage, or ends the outage '
  'that was already detected.';

create or replace function internal.notice_incarnation(p_now timestamptz) returns kith.incarnations
  language plpgsql
as $$
declare
  v_now record := internal.incarnation();
  v_last timestamptz;
  v_incarnation kith.incarnations;
  v_is_known boolean;
begin
  select * into v_incarnation
  from kith.incarnations
  where system_identifier = v_now.system_identifier and timeline = v_now.timeline;
  if found then
    return v_incarnation;
  end if;
  select max(beat_at) into v_last from kith.heartbeats where exists (select from kith.incarnations);
  -- A standby is promoted within this time. A restore that is faster loses less than it.
  v_is_known := coalesce(v_last >= p_now - interval '5 minutes', true);
  insert into kith.incarnations (system_identifier, timeline, noticed_at, restored_to, confirmed_at, confirmed_by)
  values (
    v_now.system_identifier, v_now.timeline, p_now, v_last, case when v_is_known then p_now end,
    case when v_is_known then 'kith' end
  )
  on conflict do nothing
  returning * into v_incarnation;
  if found and not v_is_known then
    perform internal.hold_the_past(p_now);
  end if;
  return v_incarnation;
end
$$;
comment on function internal.notice_incarnation(timestamptz) is
  'Records the incarnation if it is new, and returns it. Confirms it at once if the newest heartbeat is at most 5 '
  'minutes old, as after a fail-over. Otherwise closes the vaults and holds emergency access. For heartbeats and '
  'operators.';

create or replace function internal.hold_the_past(p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_request kith.emergency_requests;
begin
  -- The worker may not have recorded the end of a hold yet.
  for v_request in
    select * from kith.emergency_requests where ended_at is null and held_until <= p_now
    order by tenant_id, id for update
  loop
    perform internal.release_request(v_request, v_request.held_until, p_now);
  end loop;
  update kith.vault_sessions set expires_at = p_now where locked_at is null and expires_at > p_now;
  update kith.emergency_requests
  set held_at = p_now, held_until = null, held_by = 'kith', hold_reason = internal.restored_reason(), notice_at = null
  where ended_at is null and held_at is null;
  update kith.otp_codes set ended_at = p_now where ended_at is null and expires_at > p_now;
end
$$;
comment on function internal.hold_the_past(timestamptz) is
  'Ends what lets somebody in by what was true before a restore: closes open vaults, holds requests for emergency '
  'access, which their owners may have rejected since, and ends one-time codes, which may have been used. Whoever may '
  'still enter can do so again.';
