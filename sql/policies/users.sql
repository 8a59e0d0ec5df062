alter table kith.users enable row level security;
alter table kith.users force row level security;

create policy "the owner may do everything" on kith.users
  to kith_owner
  using (true)
  with check (true);
comment on policy "the owner may do everything" on kith.users is
  'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

create policy "the owner stays within the tenant that is set" on kith.users
  as restrictive
  to kith_owner
  using (tenant_id = coalesce(kith.tenant_id(), tenant_id))
  with check (tenant_id = coalesce(kith.tenant_id(), tenant_id));
comment on policy "the owner stays within the tenant that is set" on kith.users is
  'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

create policy "a request sees its own tenant only" on kith.users
  as restrictive
  to kith_api
  using (tenant_id = kith.tenant_id())
  with check (tenant_id = kith.tenant_id());
comment on policy "a request sees its own tenant only" on kith.users is
  'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

create policy "a user sees the own account" on kith.users
  for select
  to kith_api
  using (id = kith.user_id());
comment on policy "a user sees the own account" on kith.users is
  'Names of people connected with them come through the view internal.own_connections.';

create policy "an operator reads every tenant" on kith.users
  for select
  to kith_admin
  using (true);
comment on policy "an operator reads every tenant" on kith.users is
  'G01: operators change through the procedures of schema admin only.';

revoke all on kith.users from kith_api, kith_worker, kith_admin;
grant select on kith.users to kith_api;
grant select on kith.users to kith_admin;
