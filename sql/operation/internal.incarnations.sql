-- After a restore, the database knows less than the world: what was told, revoked or answered since then is lost. An incarnation is a
-- cluster with its timeline. A new one that begins long after the last heartbeat may be a restore, or a copy of the database. Until an
-- operator has said which (admin.confirm_restore), servers take check-ins, and nobody is told anything.

create or replace function internal.incarnation(out system_identifier bigint, out timeline integer)
  language plpgsql
  stable
as $$
begin
  system_identifier := (select control.system_identifier from pg_control_system() as control);
  timeline := ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::integer;
end
$$;
comment on function internal.incarnation() is
  'The cluster and the timeline on which the database lives now. The timeline comes from the WAL: the control file gets it only at the '
  'first checkpoint.';
grant execute on function internal.incarnation() to kith_reader;

create or replace function internal.awaits_confirmation() returns boolean
  language plpgsql
  stable
as $$
declare
  v_now record := internal.incarnation();
begin
  return not exists (
    select from kith.incarnations
    where system_identifier = v_now.system_identifier and timeline = v_now.timeline and confirmed_at is not null
  ) and exists (select from kith.incarnations);
end
$$;
comment on function internal.awaits_confirmation() is
  'Whether this incarnation has not been confirmed, by an operator or, if it began within 5 minutes of the last heartbeat, by itself. '
  'False in a database without any heartbeat. Every procedure of the worker that tells somebody something asks this first, and does '
  'nothing while it is true.';

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
    v_now.system_identifier, v_now.timeline, p_now, v_last, case when v_is_known then p_now end, case when v_is_known then 'kith' end
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
  'Records the incarnation if it is new, and returns it. Confirms it at once if the newest heartbeat is at most 5 minutes old, as after a '
  'fail-over. Otherwise closes the vaults and holds emergency access. For heartbeats and operators.';

create or replace function internal.restored_reason() returns text
  language sql
  immutable
  parallel safe
as $$
  select 'The database was restored from a back-up.'
$$;
comment on function internal.restored_reason() is 'The reason of the holds that a restore begins, by which they are found again.';

create or replace function internal.hold_the_past(p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_request kith.emergency_requests;
begin
  -- The worker may not have recorded the end of a hold yet.
  for v_request in select * from kith.emergency_requests where ended_at is null and held_until <= p_now order by tenant_id, id for update loop
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
  'Ends what lets somebody in by what was true before a restore: closes open vaults, holds requests for emergency access, which their '
  'owners may have rejected since, and ends one-time codes, which may have been used. Whoever may still enter can do so again.';

create or replace function internal.was_lost(p_at timestamptz) returns boolean
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  return exists (
    select from kith.incarnations where p_at > restored_to and p_at <= noticed_at and (served_until is not null or confirmed_at is null)
  );
end
$$;
comment on function internal.was_lost(timestamptz) is
  'Whether something that happened at p_at is lost, because the database was restored to an earlier instant. Security definer, because '
  'incarnations belong to no tenant.';
grant execute on function internal.was_lost(timestamptz) to kith_api;
