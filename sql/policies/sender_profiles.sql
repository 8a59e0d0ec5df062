alter table kith.sender_profiles enable row level security;
alter table kith.sender_profiles force row level security;

create policy "the owner may do everything" on kith.sender_profiles
  to kith_owner
  using (true)
  with check (true);
comment on policy "the owner may do everything" on kith.sender_profiles is
  'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

create policy "the owner stays within the tenant that is set" on kith.sender_profiles
  as restrictive
  to kith_owner
  using (tenant_id = coalesce(kith.tenant_id(), tenant_id))
  with check (tenant_id = coalesce(kith.tenant_id(), tenant_id));
comment on policy "the owner stays within the tenant that is set" on kith.sender_profiles is
  'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

create policy "a request sees its own tenant only" on kith.sender_profiles
  as restrictive
  to kith_api
  using (tenant_id = kith.tenant_id())
  with check (tenant_id = kith.tenant_id());
comment on policy "a request sees its own tenant only" on kith.sender_profiles is
  'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

create policy "a sender sees the own profile" on kith.sender_profiles
  for select
  to kith_api
  using (user_id = kith.user_id());
comment on policy "a sender sees the own profile" on kith.sender_profiles is
  'Those of senders connected with them are in sender_profiles_of_connections.sql.';

create policy "the worker sees every tenant" on kith.sender_profiles
  to kith_worker
  using (true);
comment on policy "the worker sees every tenant" on kith.sender_profiles is
  'It generates pings by zone and time.';

create policy "an operator reads every tenant" on kith.sender_profiles
  for select
  to kith_admin
  using (true);
comment on policy "an operator reads every tenant" on kith.sender_profiles is
  'G01: operators change through the procedures of schema admin only.';

revoke all on kith.sender_profiles from kith_api, kith_worker, kith_admin;
grant select on kith.sender_profiles to kith_api;
grant select (
  tenant_id, user_id, time_zone, ping_time, grace_minutes, reminder_minutes, timed_at, break_from_on, break_until_on
) on kith.sender_profiles to kith_worker;
grant select on kith.sender_profiles to kith_admin;
