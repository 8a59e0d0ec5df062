alter table kith.sender_profiles enable row level security;
alter table kith.sender_profiles force row level security;

create policy "the owner may do everything" on kith.sender_profiles
  to kith_owner
  using (true)
  with check (true);
comment on policy "the owner may do everything" on kith.sender_profiles is
  'Lets definer procedures and migrations, which run as kith_owner, reach the rows. Without a permissive policy they would change 0 rows and raise no error.';

create policy "the owner stays within the tenant that is set" on kith.sender_profiles
  as restrictive
  to kith_owner
  using (tenant_id = coalesce(kith.tenant_id(), tenant_id))
  with check (tenant_id = coalesce(kith.tenant_id(), tenant_id));
comment on policy "the owner stays within the tenant that is set" on kith.sender_profiles is
  'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

create policy "a request sees only its own tenant" on kith.sender_profiles
  as restrictive
  to kith_api
  using (tenant_id = kith.tenant_id())
  with check (tenant_id = kith.tenant_id());
comment on policy "a request sees only its own tenant" on kith.sender_profiles is
  'A01: a request with no tenant set sees no rows. The condition is a plain comparison, so that an index can serve it.';

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

create policy "operators read every tenant" on kith.sender_profiles
  for select
  to kith_admin
  using (true);
comment on policy "operators read every tenant" on kith.sender_profiles is
  'G01: operators change data only through the procedures of schema admin.';

revoke all on kith.sender_profiles from kith_api, kith_worker, kith_admin;
grant select on kith.sender_profiles to kith_api;
grant select (
  tenant_id, user_id, time_zone, ping_time, grace_minutes, reminder_minutes, timed_at, break_from_on, break_until_on
) on kith.sender_profiles to kith_worker;
grant select on kith.sender_profiles to kith_admin;
