create policy "owners see the requests for their vaults" on kith.emergency_requests
  for select
  to kith_api
  using (owner_id = kith.user_id());
comment on policy "owners see the requests for their vaults" on kith.emergency_requests is
  'The owner is the one at the time of the request. Only definer procedures write requests.';

create policy "nominees see their requests and grants" on kith.emergency_requests
  for select
  to kith_api
  using (
    user_id = kith.user_id()
    and (cause = 'request' or grants_at <= kith.now() and coalesce(ended_at >= grants_at, true))
  );
comment on policy "nominees see their requests and grants" on kith.emergency_requests is
  'A nominee does not see that the owner''s silence has begun a wait, unless the owner shows it; then definer '
  'procedures do. internal.emergency_json decides what a nominee learns.';

-- Not the reason, which the nominee wrote to the owner.
grant select (
  tenant_id, id, vault_id, nominee_id, owner_id, user_id, cause, missed_days, wait_hours, access_level, grant_hours,
  reject_on_check_in, sign_of_life, sources, required, requested_at, stopped_at, waits_from, grants_at, ends_at,
  counted_to, approved_at, held_at, held_until, held_by, hold_reason,
  notice_at, notice_id, undelivered_since, grant_told_at, ended_at, ended_by, end_reason
) on kith.emergency_requests to kith_reader;
grant select on kith.emergency_requests to kith_api;
