alter table kith.quiet_hours enable row level security;
alter table kith.quiet_hours force row level security;

create policy "the owner may do everything" on kith.quiet_hours
  to kith_owner
  using (true)
  with check (true);
comment on policy "the owner may do everything" on kith.quiet_hours is
  'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

create policy "the owner stays within the tenant that is set" on kith.quiet_hours
  as restrictive
  to kith_owner
  using (tenant_id = coalesce(kith.tenant_id(), tenant_id))
  with check (tenant_id = coalesce(kith.tenant_id(), tenant_id));
comment on policy "the owner stays within the tenant that is set" on kith.quiet_hours is
  'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

create policy "a request sees its own tenant only" on kith.quiet_hours
  as restrictive
  to kith_api
  using (tenant_id = kith.tenant_id())
  with check (tenant_id = kith.tenant_id());
comment on policy "a request sees its own tenant only" on kith.quiet_hours is
  'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

create policy "a user sees the own quiet hours" on kith.quiet_hours
  for select
  to kith_api
  using (user_id = kith.user_id());
comment on policy "a user sees the own quiet hours" on kith.quiet_hours is
  'They are written by definers, which lock the account.';

create policy "an operator reads every tenant" on kith.quiet_hours
  for select
  to kith_admin
  using (true);
comment on policy "an operator reads every tenant" on kith.quiet_hours is
  'G01: operators change through the procedures of schema admin only.';

revoke all on kith.quiet_hours from kith_api, kith_worker, kith_admin;
grant select on kith.quiet_hours to kith_api;
grant select on kith.quiet_hours to kith_admin;
