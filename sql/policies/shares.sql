alter table kith.shares enable row level security;
alter table kith.shares force row level security;

create policy "the owner may do everything" on kith.shares
  to kith_owner
  using (true)
  with check (true);
comment on policy "the owner may do everything" on kith.shares is
  'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

create policy "the owner stays within the tenant that is set" on kith.shares
  as restrictive
  to kith_owner
  using (tenant_id = coalesce(kith.tenant_id(), tenant_id))
  with check (tenant_id = coalesce(kith.tenant_id(), tenant_id));
comment on policy "the owner stays within the tenant that is set" on kith.shares is
  'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

create policy "a request sees its own tenant only" on kith.shares
  as restrictive
  to kith_api
  using (tenant_id = kith.tenant_id())
  with check (tenant_id = kith.tenant_id());
comment on policy "a request sees its own tenant only" on kith.shares is
  'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

create policy "an owner sees the shares of the own vaults" on kith.shares
  for select
  to kith_api
  using (owner_id = kith.user_id());
comment on policy "an owner sees the shares of the own vaults" on kith.shares is
  'They are written by definer procedures only.';

create policy "an operator reads every tenant" on kith.shares
  for select
  to kith_admin
  using (true);
comment on policy "an operator reads every tenant" on kith.shares is
  'G01: operators change through the procedures of schema admin only.';

revoke all on kith.shares from kith_api, kith_worker, kith_admin;
grant select on kith.shares to kith_api;
grant select (tenant_id, id, vault_id, owner_id, record_name, permission, created_at, updated_at, ended_at) on kith.shares to kith_admin;
