create policy "users see only their own devices" on kith.devices
  for select
  to kith_api
  using (user_id = kith.user_id());
comment on policy "users see only their own devices" on kith.devices is
  'Only definer procedures write devices, because a push token moves from one user to another when the phone changes '
  'hands.';

grant select (tenant_id, token, user_id, platform, environment, created_at, last_seen_at) on kith.devices to kith_api;
grant select (tenant_id, token, user_id, platform, environment, created_at, last_seen_at)
  on kith.devices to kith_reader;
