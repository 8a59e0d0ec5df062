alter table kith.tenants enable row level security;
alter table kith.tenants force row level security;

create policy "the owner may do everything" on kith.tenants
  to kith_owner
  using (true)
  with check (true);
comment on policy "the owner may do everything" on kith.tenants is
  'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

create policy "the owner stays within the tenant that is set" on kith.tenants
  as restrictive
  to kith_owner
  using (tenant_id = coalesce(kith.tenant_id(), tenant_id))
  with check (tenant_id = coalesce(kith.tenant_id(), tenant_id));
comment on policy "the owner stays within the tenant that is set" on kith.tenants is
  'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

create policy "a request sees its own tenant only" on kith.tenants
  as restrictive
  to kith_api
  using (tenant_id = kith.tenant_id())
  with check (tenant_id = kith.tenant_id());
comment on policy "a request sees its own tenant only" on kith.tenants is
  'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

create policy "a request sees the settings of its tenant" on kith.tenants
  for select
  to kith_api
  using (true);
comment on policy "a request sees the settings of its tenant" on kith.tenants is
  'The restrictive policy leaves the one row of the tenant.';

create policy "the worker sees every tenant" on kith.tenants
  to kith_worker
  using (true);
comment on policy "the worker sees every tenant" on kith.tenants is
  'It reads settings and whether the tenant is deleted.';

create policy "an operator reads every tenant" on kith.tenants
  for select
  to kith_admin
  using (true);
comment on policy "an operator reads every tenant" on kith.tenants is
  'G01: operators change through the procedures of schema admin only.';

revoke all on kith.tenants from kith_api, kith_worker, kith_admin;
grant select on kith.tenants to kith_api;
grant select (tenant_id, deleted_at) on kith.tenants to kith_worker;
grant select on kith.tenants to kith_admin;
