create or replace function internal.emergency_state(
  p_tenant integer, p_request uuid, p_now timestamptz, out status text, out grants_at timestamptz,
  out ends_at timestamptz, out is_held boolean, out was_early boolean
)
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_request kith.emergency_requests;
begin
  select * into v_request from kith.emergency_requests where tenant_id = p_tenant and id = p_request;
  status := internal.emergency_status(v_request, p_now);
  select instants.grants_at, instants.ends_at into emergency_state.grants_at, emergency_state.ends_at
  from internal.emergency_instants(v_request, coalesce(v_request.ended_at, p_now)) as instants;
  is_held := v_request.ended_at is null and internal.is_held(v_request, p_now);
  was_early := exists (
    select from kith.vault_sessions as session
    where session.tenant_id = v_request.tenant_id and session.vault_id = v_request.vault_id
      and session.request_id = v_request.id and (
        session.opened_at < v_request.grants_at
        or session.expires_at > (internal.emergency_instants(v_request, session.opened_at)).ends_at
      )
  );
end
$$;
comment on function internal.emergency_state(integer, uuid, timestamptz) is
  'What the view admin.emergency_requests shows of a request beside its columns. Security definer, because operators '
  'may not call the rules of the schema internal.';
grant execute on function internal.emergency_state(integer, uuid, timestamptz) to kith_reader;

drop view if exists admin.emergency_requests;
create view admin.emergency_requests with (security_barrier, security_invoker) as
select
  tenant.slug as tenant,
  request.id,
  request.vault_id,
  request.nominee_id,
  request.owner_id,
  request.cause,
  request.missed_days,
  state.status,
  request.requested_at,
  request.waits_from,
  case when not rests.is_so then state.grants_at end as grants_at,
  case when not rests.is_so then state.ends_at end as ends_at,
  case when rests.is_so then greatest(state.grants_at - now(), interval '0') end as wait_left,
  state.is_held as held,
  request.held_at,
  request.held_until,
  request.held_by,
  request.hold_reason,
  request.undelivered_since,
  case
    when request.approved_at is null
      then state.grants_at - (request.waits_from + make_interval(hours => request.wait_hours))
  end as delayed,
  state.was_early as early,
  request.grant_told_at - request.grants_at as told_late,
  request.ended_at,
  request.end_reason
from kith.emergency_requests as request
join kith.tenants as tenant on tenant.tenant_id = request.tenant_id
cross join lateral internal.emergency_state(request.tenant_id, request.id, now()) as state
cross join lateral (select state.is_held and request.held_until is null as is_so) as rests;
comment on view admin.emergency_requests is
  'Waits for emergency access, and the grants that followed. Those with the status ''waiting'' wait. No grant may '
  'begin early.';
comment on column admin.emergency_requests.tenant is 'The tenant''s slug.';
comment on column admin.emergency_requests.id is 'The id that admin.hold_emergency and admin.release_emergency take.';
comment on column admin.emergency_requests.vault_id is 'The vault.';
comment on column admin.emergency_requests.nominee_id is 'The nominee who is to get in.';
comment on column admin.emergency_requests.owner_id is 'The owner of the vault.';
comment on column admin.emergency_requests.cause
  is 'request: the nominee asked. silence: the owner missed too many days in a row.';
comment on column admin.emergency_requests.missed_days
  is 'How many days in a row the owner had missed; null if the nominee asked.';
comment on column admin.emergency_requests.status is 'gathering, waiting, granted, ended, rejected or withdrawn.';
comment on column admin.emergency_requests.requested_at is 'When it was made.';
comment on column admin.emergency_requests.waits_from is 'When the wait began; null while the quorum gathers.';
comment on column admin.emergency_requests.grants_at is
  'When access is granted, as known now. It moves along while the wait stands still. Null while an operator holds the '
  'request without an end.';
comment on column admin.emergency_requests.ends_at
  is 'When the grant ends. Null while an operator holds the request without an end.';
comment on column admin.emergency_requests.wait_left is
  'While an operator holds the request without an end: how much of the wait is left after its release; 0 if it was '
  'granted before. Otherwise null.';
comment on column admin.emergency_requests.held is 'Whether an operator holds it.';
comment on column admin.emergency_requests.held_at is 'Since when an operator holds it; null if nobody does.';
comment on column admin.emergency_requests.held_until is 'When the hold ends by itself; null for never.';
comment on column admin.emergency_requests.held_by is 'Who holds it.';
comment on column admin.emergency_requests.hold_reason is 'Why.';
comment on column admin.emergency_requests.undelivered_since is
  'Since when no notice has reached the owner on any channel; null if they were reached.';
comment on column admin.emergency_requests.delayed is
  'By how much outages, suspensions, undelivered notices and holds have moved the grant.';
comment on column admin.emergency_requests.early
  is 'Whether somebody was let in before the grant, or past its end. Never.';
comment on column admin.emergency_requests.told_late is
  'How long after the grant its people were told; null before. It is long only if no worker ran. The grant itself does '
  'not wait for that.';
comment on column admin.emergency_requests.ended_at is 'When it ended; null while it is open.';
comment on column admin.emergency_requests.end_reason is 'Why it ended.';
grant select on admin.emergency_requests to kith_reader;
