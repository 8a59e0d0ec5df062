create policy "senders see their own profile" on kith.sender_profiles
  for select
  to kith_api
  using (user_id = kith.user_id());
comment on policy "senders see their own profile" on kith.sender_profiles is
  'The policy in sender_profiles_of_connections.sql adds the profiles of connected senders for receivers.';

create policy "the worker sees every tenant" on kith.sender_profiles
  to kith_worker
  using (true);
comment on policy "the worker sees every tenant" on kith.sender_profiles is
  'The worker generates pings by time zone and ping time.';

grant select on kith.sender_profiles to kith_api;
grant select (
  tenant_id, user_id, time_zone, ping_time, grace_minutes, reminder_minutes, timed_at, break_from_on, break_until_on
) on kith.sender_profiles to kith_worker;
grant select on kith.sender_profiles to kith_admin;
