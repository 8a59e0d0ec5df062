alter table kith.nominees enable row level security;
alter table kith.nominees force row level security;

create policy "the owner may do everything" on kith.nominees
  to kith_owner
  using (true)
  with check (true);
comment on policy "the owner may do everything" on kith.nominees is
  'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

create policy "the owner stays within the tenant that is set" on kith.nominees
  as restrictive
  to kith_owner
  using (tenant_id = coalesce(kith.tenant_id(), tenant_id))
  with check (tenant_id = coalesce(kith.tenant_id(), tenant_id));
comment on policy "the owner stays within the tenant that is set" on kith.nominees is
  'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

create policy "a request sees its own tenant only" on kith.nominees
  as restrictive
  to kith_api
  using (tenant_id = kith.tenant_id())
  with check (tenant_id = kith.tenant_id());
comment on policy "a request sees its own tenant only" on kith.nominees is
  'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

create policy "an owner sees the nominees of the own vaults" on kith.nominees
  for select
  to kith_api
  using (owner_id = kith.user_id());
comment on policy "an owner sees the nominees of the own vaults" on kith.nominees is
  'With their contacts, as the owner wrote them.';

create policy "a nominee sees the own row" on kith.nominees
  for select
  to kith_api
  using (user_id = kith.user_id());
comment on policy "a nominee sees the own row" on kith.nominees is
  'Also a revoked one: it says why. It looks into no other table, since the policies of vaults look here.';

create policy "an operator reads every tenant" on kith.nominees
  for select
  to kith_admin
  using (true);
comment on policy "an operator reads every tenant" on kith.nominees is
  'G01: operators change through the procedures of schema admin only.';

revoke all on kith.nominees from kith_api, kith_worker, kith_admin;
grant select on kith.nominees to kith_api;
grant select on kith.nominees to kith_admin;
